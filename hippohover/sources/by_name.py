"""Names -> the sources that are asked."""

import tomllib
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

_SERVICES: Final = tomllib.loads(Path(__file__).with_name("services.toml").read_text("utf-8"))
SOURCES: Final[dict[str, Callable[..., Source]]] = {
    Arxiv.name: Arxiv,
    **{
        name: partial(HttpSearch, HttpSearchSettings(name=name, **settings))
        for name, settings in _SERVICES.items()
    },
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
