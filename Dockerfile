# The server of one index: it runs as a non-root user, and writes only below /tmp.
#
#   docker build -t hippohover .
#   docker run --read-only --tmpfs /tmp -v /srv/hippohover:/data:ro -p 8000:8000 \
#       -e HIPPOHOVER_TOKEN=CHOOSE_ONE hippohover
#
# User 10001 must be able to read /srv/hippohover/index. To build an index with the same image, give a
# volume that this user may write to:
#   docker run --read-only --tmpfs /tmp -v /srv/hippohover:/data hippohover \
#       build --corpus /data/corpus --out /data/index
FROM python:3.12-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends gcc g++
COPY . /source
RUN python -m venv /opt/hippohover && /opt/hippohover/bin/pip install --no-cache-dir "/source[web]"

FROM python:3.12-slim
COPY --from=build /opt/hippohover /opt/hippohover
ENV PATH=/opt/hippohover/bin:$PATH
ENV HIPPOHOVER_CACHE=/tmp/hippohover
ENV PYTHONDONTWRITEBYTECODE=1
ENV HOME=/tmp
WORKDIR /tmp
USER 10001:10001
VOLUME /data
EXPOSE 8000
ENTRYPOINT ["hippohover"]
CMD ["serve", "/data/index", "--host", "0.0.0.0", "--port", "8000"]
