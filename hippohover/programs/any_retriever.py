"""Programs over a retriever of one's own, called as ``dspy.ColBERTv2`` is."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import dspy

from hippohover.errors import UsageError
from hippohover.names.mentions import find_phrases
from hippohover.names.normal_forms import tokens_and_breaks
from hippohover.records import PassageId, RankedPassage, Retrieval
from hippohover.retrieval.engine import HippoHover
from hippohover.sources.search_engine import SearchEngine

INDEX_VARIABLE: Final = "HIPPOHOVER_INDEX"

RetrievalModel: TypeAlias = Callable[..., Iterable[Any]]
"""``rm(query, k=n)`` -> passages, best first: texts, or what has ``long_text`` or ``text``."""


class AnyRetriever:
    """A ``SearchEngine`` for programs, over a retriever; see ``over``, which makes one."""

    encode = None
    n_passages = 2
    """How many there are is not known: every name counts alike."""

    def __init__(self, rm: RetrievalModel | None) -> None:
        self._rm = rm

    def search(self, query: str, depth: int = 100, retriever: str = "") -> Retrieval:
        """Ask the retriever for ``depth`` passages; there is only one retriever."""
        rm: RetrievalModel | None = self._rm or dspy.settings.rm
        if rm is None:
            raise UsageError(_NO_ENGINE)
        passages = [_passage(found, rank) for rank, found in enumerate(rm(query, k=depth), 1)]
        return Retrieval(query, retriever, tuple(passages[:depth]))

    def retrieve(self, claim: str, k: int = 21, retriever: str = "") -> Retrieval:
        """Answer as ``search``."""
        return self.search(claim, k, retriever)

    def names_in(self, text: str) -> Mapping[str, int]:
        """Return the capitalised phrases of a text; no list of titles says which are names."""
        folded, written, breaks = tokens_and_breaks(text)
        phrases = find_phrases(folded, written, (), breaks)
        return {" ".join(written[start:stop]): 1 for _, start, stop in phrases}

    def titles(self) -> Sequence[str]:
        """Return nothing: a retriever does not list its passages."""
        return ()

    def linked(self, pid: str, n: int = 5) -> tuple[RankedPassage, ...]:
        """Return nothing: passages have no links."""
        return ()


def over(rm: RetrievalModel | None = None) -> SearchEngine:
    """Let programs search with a retriever of your own: ``HoverMultiHop(over(rm))``.

    Parameters
    ----------
    rm : callable, optional
        Called as ``rm(query, k=n)``, like ``dspy.ColBERTv2``: it gives passages, best first, as
        texts or as dicts or objects with ``long_text`` or ``text`` of the form ``"title | text"``,
        and, if they have them, ``score`` and ``pid``. By default the one that DSPy is configured
        with at the time of each search: ``dspy.configure(rm=...)``.

    Raises
    ------
    UsageError
        It cannot be called. A search raises it if a passage has no text.
    """
    if rm is not None and not callable(rm):
        raise UsageError(f"retriever {rm!r:.80} cannot be called: give one like dspy.ColBERTv2")
    return AnyRetriever(rm)


def default_engine(*, checked: bool = False) -> SearchEngine:
    """Return the index that ``HIPPOHOVER_INDEX`` names, else DSPy's own retriever.

    Raises
    ------
    UsageError
        It is ``checked``, and there is neither.
    """
    if folder := os.environ.get(INDEX_VARIABLE):
        return HippoHover.open(Path(folder))
    if checked and dspy.settings.rm is None:
        raise UsageError(_NO_ENGINE)
    return over()


_NO_ENGINE: Final = (
    f"no engine is given, {INDEX_VARIABLE} is not set and DSPy has no retriever: set it to the "
    "folder of an index, or call dspy.configure(rm=...)"
)


def _passage(found: Any, rank: int) -> RankedPassage:  # noqa: ANN401
    """Return what a retriever found; passages of equal pid, else of equal text, are the same."""

    def part(name: str) -> Any:  # noqa: ANN401
        return found.get(name) if isinstance(found, Mapping) else getattr(found, name, None)

    document = found if isinstance(found, str) else part("long_text") or part("text")
    if not isinstance(document, str):
        raise UsageError(
            f"the retriever gave {found!r:.80}: each passage needs long_text or text, a string"
        )
    title, bar, text = document.partition(" | ")
    pid, score = part("pid"), part("score")
    return RankedPassage(
        rank,
        PassageId(document if pid is None else str(pid)),
        title if bar else "",
        text if bar else document,
        1 / rank if score is None else float(score),
    )
