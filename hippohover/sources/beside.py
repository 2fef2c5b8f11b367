"""An engine that also asks sources beyond the index."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippohover.names.normal_forms import entity_key
from hippohover.records import RankedPassage, Retrieval
from hippohover.sources.known_papers import KnownPapers
from hippohover.sources.router import SourceRouter, SourceRun
from hippohover.sources.search_engine import SearchEngine

_LOOKED_AT: Final = 5
"""Passages of the index that are compared with a paper, of a search for its title."""
_LONGEST_TITLE: Final = 300


class WithSources:
    """A ``SearchEngine`` whose answers include results of sources.

    Parameters
    ----------
    engine : SearchEngine
    router : SourceRouter
    """

    def __init__(self, engine: SearchEngine, router: SourceRouter) -> None:
        self._engine = engine
        self._router = router

    def retrieve(self, claim: str, k: int = 21, retriever: str = "ppr") -> Retrieval:
        """Retrieve from the engine, alternating with what the sources find; ``k`` in all."""
        return with_found(self._engine.retrieve(claim, k, retriever), self._router.run(), k)


class BesideSources:
    """A ``SearchEngine`` for one run: each search asks the index and the sources.

    A paper that the index has, by DOI, arXiv id or title, is found as the index's own passage.

    Parameters
    ----------
    engine : SearchEngine
    sources : SourceRun
    """

    def __init__(self, engine: SearchEngine, sources: SourceRun) -> None:
        self._engine = engine
        self.sources = sources
        self._held = KnownPapers()
        self._looked_up: set[str] = set()
        self._of_index: set[str] = set()

    @property
    def n_passages(self) -> int:
        """Number of passages of the engine."""
        return self._engine.n_passages

    @property
    def encode(self) -> Callable[[Sequence[str]], NDArray[np.float32]] | None:
        """As the engine."""
        return self._engine.encode

    def names_in(self, text: str) -> Mapping[str, int]:
        """Return the engine's names in a text."""
        return self._engine.names_in(text)

    def titles(self) -> Sequence[str]:
        """Return the titles of the engine's index."""
        return self._engine.titles()

    def retrieve(self, claim: str, k: int = 21, retriever: str = "ppr") -> Retrieval:
        """Retrieve an answer as ``search`` does."""
        return self._joined(self._engine.retrieve(claim, k, retriever), k)

    def search(self, query: str, depth: int = 100, retriever: str = "ppr") -> Retrieval:
        """Alternate results of index and sources, ``depth`` in all; reports who failed."""
        return self._joined(self._engine.search(query, depth, retriever), depth)

    def linked(self, pid: str, n: int = 5) -> tuple[RankedPassage, ...]:
        """Return what a paper cites, or the passages best linked with one of the index.

        For a passage of the index whose paper a source has found, these are both, ``n`` of each.
        """
        cited = self._known(self.sources.references(pid, n)) if self.sources.knows(pid) else ()
        if self.sources.knows(pid) and pid not in self._of_index:
            return tuple(cited)
        linked = self._engine.linked(pid, n)
        self._held.note(linked)
        pids = {one.pid for one in linked}
        return (*linked, *(one for one in cited if one.pid not in pids))

    def _joined(self, answer: Retrieval, k: int) -> Retrieval:
        self._held.note(answer.passages)
        return _with(answer, self._known(self.sources.search(answer.claim)), self.sources, k)

    def _known(self, found: Sequence[RankedPassage]) -> Sequence[RankedPassage]:
        """Return papers in order, as the index's own passage where it has one; each once."""
        known: dict[str, RankedPassage] = {}
        for paper in found:
            own = self._own(paper)
            if own is not None:
                self.sources.call_also(paper.pid, own.pid)
                self._of_index.add(own.pid)
            known.setdefault((own or paper).pid, own or paper)
        return list(known.values())

    def _own(self, paper: RankedPassage) -> RankedPassage | None:
        own = self._held.own(paper)
        title = paper.title[:_LONGEST_TITLE]
        if own is not None or paper.pid in self._looked_up or not entity_key(title):
            return own
        self._looked_up.add(paper.pid)
        self._held.note(self._engine.search(title, _LOOKED_AT, "bm25").passages)
        return self._held.own(paper)


def with_found(answer: Retrieval, sources: SourceRun, k: int) -> Retrieval:
    """Add what sources find for the claim to an index's answer, ``k`` passages in all.

    Its trace says which of them failed.
    """
    return _with(answer, sources.search(answer.claim), sources, k)


def _with(
    answer: Retrieval, found: Sequence[RankedPassage], sources: SourceRun, k: int
) -> Retrieval:
    trace = replace(answer.trace, source_failures=tuple(sources.failures))
    return replace(answer, passages=beside(answer.passages, found)[:k], trace=trace)


def beside(
    indexed: Sequence[RankedPassage], found: Sequence[RankedPassage]
) -> tuple[RankedPassage, ...]:
    """Alternate passages of an index and of sources, beginning with the index.

    Those of the index keep their scores, and one of a source has that of the next one of the index,
    so that scores never rise. A paper that the index's passages have, by DOI, arXiv id or title,
    is left out; its address and ids go to the passage of the index.
    """
    held = KnownPapers(indexed)
    own = [held.own(passage) for passage in found]
    new = [passage for passage, its in zip(found, own, strict=True) if its is None]
    told = {one.pid: one for one in own if one is not None}
    indexed = [told.get(passage.pid, passage) for passage in indexed]
    joined: list[RankedPassage] = []
    for at in range(max(len(indexed), len(new))):
        joined += indexed[at : at + 1]
        if at < len(new):
            score = indexed[min(at + 1, len(indexed) - 1)].score if indexed else new[at].score
            joined.append(replace(new[at], score=score))
    return tuple(replace(one, rank=rank) for rank, one in enumerate(joined, start=1))
