"""Names -> the sources that are asked."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from hippohover.errors import UsageError
from hippohover.recipe_files import read_settings
from hippohover.sources.arxiv import Arxiv
from hippohover.sources.brave import Brave
from hippohover.sources.document import Source
from hippohover.sources.http_search import HttpSearch, HttpSearchSettings
from hippohover.sources.open_alex import OpenAlex
from hippohover.sources.router import SourceRouter
from hippohover.sources.semantic_scholar import SemanticScholar

SOURCES: Final[dict[str, Callable[[], Source]]] = {
    Arxiv.name: Arxiv,
    SemanticScholar.name: SemanticScholar,
    OpenAlex.name: OpenAlex,
    Brave.name: Brave,
}


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
    first: list[Source] = []
    last: list[Source] = []
    for name in dict.fromkeys(names):
        if name.endswith(".toml"):
            settings = read_settings(Path(name), HttpSearchSettings)
            (last if settings.last_resort else first).append(HttpSearch(settings))
        elif name in SOURCES:
            (last if name == Brave.name else first).append(SOURCES[name]())
        else:
            raise UsageError(
                f"source {name!r} is unknown: name one of {', '.join(SOURCES)}, or a TOML file"
            )
    return SourceRouter(first, last)
