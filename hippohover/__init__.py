"""hippohover: multi-hop retrieval from a graph.

``build`` makes an index once; ``HippoHover.open`` opens it; ``retrieve`` answers a claim with at
most 21 ranked passages.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hippohover.errors import HippoHoverError
    from hippohover.indexing.build import build
    from hippohover.indexing.update import add, alias, delete
    from hippohover.recipe import IndexRecipe, QuerySettings
    from hippohover.records import Passage, RankedPassage, Retrieval, Trace, Triple
    from hippohover.retrieval.engine import HippoHover
    from hippohover.retrieval.where import Condition

__all__ = [
    "Condition",
    "HippoHover",
    "HippoHoverError",
    "IndexRecipe",
    "Passage",
    "QuerySettings",
    "RankedPassage",
    "Retrieval",
    "Trace",
    "Triple",
    "add",
    "alias",
    "build",
    "delete",
]

_HOMES = {
    "Condition": "retrieval.where",
    "HippoHover": "retrieval.engine",
    "HippoHoverError": "errors",
    "IndexRecipe": "recipe",
    "Passage": "records",
    "QuerySettings": "recipe",
    "RankedPassage": "records",
    "Retrieval": "records",
    "Trace": "records",
    "Triple": "records",
    "add": "indexing.update",
    "alias": "indexing.update",
    "build": "indexing.build",
    "delete": "indexing.update",
}


def __getattr__(name: str) -> object:
    """Public names, each imported when it is first used: some bring heavy libraries along."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
