"""Readers of one index behind Ray Serve; each is a process that answers like `hippohover serve`.

    python replicas.py index/default --replicas 2 --port 8000

Ray is started for them and ends with them; with --address they join an existing cluster.
SIGHUP switches to a new version of the index, one reader after the other. SIGTERM and Ctrl-C stop.
"""

import argparse
import os
import signal
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapi import FastAPI
    from ray.serve import Application

NAME = "hippohover"
STOP_SECONDS = 30.0


def readers(index: Path, n_replicas: int) -> "Application":
    """Deploy ``n_replicas`` processes, each with the whole API over an index that it opens."""
    from ray import serve

    def app() -> "FastAPI":  # called in each of them
        from hippohover import HippoHover
        from hippohover.web.server import make_app
        from hippohover.web.service import Service

        service = Service(HippoHover.open(index))
        service.warm_up()
        return make_app(service)

    deployed = serve.deployment(
        name="reader", num_replicas=n_replicas, ray_actor_options={"num_cpus": 0.5},
        logging_config={"enable_access_log": False},
    )  # fmt: skip
    return deployed(serve.ingress(app)()).bind()


def opens(index: Path) -> bool:
    """Return whether the live version is whole; print one line if it is not."""
    from hippohover import HippoHover, HippoHoverError

    try:
        HippoHover.open(index).close()
    except HippoHoverError as error:
        print(f"error: {error}", file=sys.stderr)
        return False
    return True


def parsed() -> argparse.Namespace:
    """The options, whose values can be used."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("index", type=Path)
    parser.add_argument("--replicas", type=int, default=2)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--address", default="local", help="HOST:PORT of a Ray cluster, or auto")
    given = parser.parse_args()
    if given.replicas < 1:
        parser.error(f"replicas is {given.replicas}: give 1 or more")
    if not 0 < given.port < 1 << 16:
        parser.error(f"port is {given.port}: give 1 to 65535")
    from hippohover import HippoHoverError
    from hippohover.indexing.workers.ray_runner import checked_address
    from hippohover.web.serving import bound_socket

    if given.address == "local":  # of a cluster, Ray Serve may hold it by right
        try:
            bound_socket("127.0.0.1", given.port).close()
        except HippoHoverError:
            parser.error(f"port {given.port} is taken or forbidden: give another --port")
    else:
        try:
            checked_address(given.address)
        except HippoHoverError as error:
            parser.error(str(error))
    return given


@contextmanager
def failures_in_one_line() -> Generator[None]:
    """End with what Ray met, such as a machine that is too busy to start it in time."""
    from ray.exceptions import RayError

    try:
        yield
    except RayError as error:
        reason = str(error).strip().splitlines()[-1].strip()
        raise SystemExit(f"error: Ray Serve has ended ({reason}): start it again") from error


def end_without_ray() -> None:
    """End at once, with a word."""
    print(f"error: Ray has not ended in {STOP_SECONDS:.0f} s: stopped without it", file=sys.stderr)
    os._exit(1)


def main() -> None:
    """Serve until the process is told to stop."""
    asked = threading.Event()
    asked.set()

    def ask(_number: int, _frame: object) -> None:
        asked.set()

    signal.signal(signal.SIGHUP, ask)
    arguments = parsed()
    index: Path = arguments.index.absolute()
    if not opens(index):
        raise SystemExit(1)
    try:
        import ray
        from ray import serve
    except ImportError as error:
        raise SystemExit(
            "error: Ray Serve is not installed: pip install 'hippohover[ray-serve]'"
        ) from error
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray.init(address=arguments.address, include_dashboard=False)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # Ray has taken it
    with suppress(KeyboardInterrupt), failures_in_one_line():
        serve.start(http_options={"host": "127.0.0.1", "port": arguments.port})
        while asked.wait():
            asked.clear()
            if opens(index):
                serve.run(readers(index, arguments.replicas), name=NAME)
                print(f"http://127.0.0.1:{arguments.port}/ answers from {index}", file=sys.stderr)
    # A signal to the whole group ends Ray as well, which would be waited for in vain.
    end = threading.Timer(STOP_SECONDS, end_without_ray)
    end.daemon = True
    end.start()
    with failures_in_one_line():
        serve.delete(NAME)
    print("stopped", file=sys.stderr)


if __name__ == "__main__":
    main()
