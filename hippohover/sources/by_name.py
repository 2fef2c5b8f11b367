"""Names -> the sources that are asked."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from hippohover.errors import UsageError
from hippohover.recipe_files import read_settings
from hippohover.sources.arxiv import Arxiv
from hippohover.sources.document import Source
from hippohover.sources.http_search import HttpSearch, HttpSearchSettings
from hippohover.sources.router import SourceRouter

SEMANTIC_SCHOLAR: Final = HttpSearchSettings(
    # https://api.semanticscholar.org/api-docs/graph
    name="semantic-scholar",
    address="https://api.semanticscholar.org/graph/v1/paper/search?query={query}&limit={k}"
    "&fields=title,abstract,tldr,year,citationCount,externalIds,url",
    references="https://api.semanticscholar.org/graph/v1/paper/{id}/references?limit=100"
    "&fields=title,abstract,year,citationCount,externalIds,url",  # no tldr of references
    results="data",
    of_references="citedPaper",
    text="abstract|tldr.text",
    id="paperId",
    doi="externalIds.DOI",
    arxiv_id="externalIds.ArXiv",
    year="year",
    citation_count="citationCount",
    page="https://www.semanticscholar.org/paper/{id}",
    key_variable="SEMANTIC_SCHOLAR_API_KEY",
    key_header="x-api-key",
    needs_key=False,
    most_results=100,
    most_words=40,
    without_signs=True,  # a hyphen finds nothing there
    interval_seconds=1.0,  # what a key is given; without one all users share what there is
    is_known=True,
)
_WORKS: Final = (
    "https://api.openalex.org/works?select=id,doi,display_name,publication_year,cited_by_count,"
    "is_retracted,abstract_inverted_index,primary_location"
)
OPEN_ALEX: Final = HttpSearchSettings(
    # https://developers.openalex.org/
    name="openalex",
    address=_WORKS + "&search={query}&per_page={k}",
    references=_WORKS + "&filter=cited_by:{id}&sort=cited_by_count:desc&per_page=100",
    results="results",
    title="display_name",
    text="abstract_inverted_index",
    url="primary_location.landing_page_url|doi|id",
    id="id",
    doi="doi",
    year="publication_year",
    citation_count="cited_by_count",
    is_retracted="is_retracted",
    last_part=True,
    key_variable="OPENALEX_API_KEY",
    key_parameter="api_key",
    needs_key=False,  # without one a day's searches are few
    most_results=100,
    most_words=40,
    without_signs=True,
    interval_seconds=0.1,
    is_known=True,
)
BRAVE: Final = HttpSearchSettings(
    # https://api-dashboard.search.brave.com/documentation
    name="brave",
    address="https://api.search.brave.com/res/v1/web/search?q={query}&count={k}",
    results="web.results",
    text="description+extra_snippets",
    key_variable="BRAVE_API_KEY",
    key_header="X-Subscription-Token",
    most_results=20,
    most_words=50,
    most_chars=400,
    interval_seconds=1.0,
    last_resort=True,  # each search is paid for
    is_known=True,
)
SOURCES: Final[dict[str, Callable[..., Source]]] = {
    Arxiv.name: Arxiv,
    **{one.name: partial(HttpSearch, one) for one in (SEMANTIC_SCHOLAR, OPEN_ALEX, BRAVE)},
}
"""Each by its name; makes one, with a ``transport`` if it is given one."""


def open_sources(names: Sequence[str]) -> SourceRouter:
    """Open some sources as one router; Brave, and files that say so, are asked last.

    Parameters
    ----------
    names : sequence of str
        Names in ``SOURCES``, or paths of TOML files with ``HttpSearchSettings``.

    Raises
    ------
    UsageError
        A name is unknown, a file is refused, a key is missing, or httpx is not installed.
    """
    sources = [_opened(name) for name in dict.fromkeys(names)]
    first = [one for one in sources if not getattr(one, "is_last_resort", False)]
    return SourceRouter(first, [one for one in sources if one not in first])


def _opened(name: str) -> Source:
    if name.endswith(".toml"):
        return HttpSearch(read_settings(Path(name), HttpSearchSettings))
    if name not in SOURCES:
        raise UsageError(
            f"source {name!r} is unknown: name one of {', '.join(SOURCES)}, or a TOML file"
        )
    return SOURCES[name]()
