"""The retrievers by name: those of this package, and those of installed ones."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

from hippohover.errors import UsageError, in_a_line

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from hippohover.retrieval.retriever import Retriever

RETRIEVERS: Final[Mapping[str, str]] = {
    "ppr": "hippohover.retrieval.ppr_retriever:PprRetriever",
    "bm25": "hippohover.retrieval.bm25:Bm25",
    "dense": "hippohover.retrieval.dense:Dense",
    "hybrid": "hippohover.retrieval.hybrid:Hybrid",
    "hipporag2": "hippohover.retrieval.hipporag2:HippoRag2Retriever",
    "linearrag": "hippohover.retrieval.linearrag:LinearRagRetriever",
}
"""Name -> module and class, written as an entry point is: none is imported before it is asked."""

GROUP: Final = "hippohover.retrievers"
"""Entry points by which other packages add retrievers."""


def retriever_names() -> tuple[str, ...]:
    """Return every name, those of this package first; imports none of them."""
    return (*RETRIEVERS, *sorted(_entry_points().keys() - RETRIEVERS.keys()))


def is_retriever(name: str) -> bool:
    """Return whether a retriever has this name."""
    return name in RETRIEVERS or name in _entry_points()


def retriever_class(name: str) -> "type[Retriever]":
    """Import a retriever by its name.

    Raises
    ------
    UsageError
        The name is unknown; or a package offers something that cannot be imported, or that is no
        ``Retriever``.
    """
    if not is_retriever(name):
        known = ", ".join(retriever_names())
        raise UsageError(f"retriever {name!r:.80} is unknown: name one of {known}")
    return _imported(name)


@cache
def _imported(name: str) -> "type[Retriever]":
    if name in RETRIEVERS:
        module, _, own = RETRIEVERS[name].partition(":")
        try:
            return getattr(import_module(module), own)
        except ModuleNotFoundError as error:
            fix = "pip install 'hippohover[baselines]', or name another retriever"
            raise UsageError(f"retriever {name!r} needs {error.name}: {fix}") from error
    from hippohover.retrieval.retriever import Retriever

    entry = _entry_points()[name]
    package = entry.dist.name if entry.dist else "?"
    try:
        loaded: object = entry.load()
    except Exception as error:  # a module of others raises whatever it likes
        raise UsageError(
            f"retriever {name!r} of the package {package} cannot be imported ({in_a_line(error)}): "
            "install it again, or uninstall it"
        ) from error
    if not (isinstance(loaded, type) and issubclass(loaded, Retriever)):
        raise UsageError(
            f"retriever {name!r} of the package {package} is {entry.value}, which is no subclass "
            "of hippohover.Retriever: uninstall that package, or tell its authors"
        )
    return loaded


@cache
def _entry_points() -> "Mapping[str, EntryPoint]":
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group=GROUP)}
