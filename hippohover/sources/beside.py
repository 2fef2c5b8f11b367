"""An engine that also asks sources beyond the index."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hippohover.records import RankedPassage, Retrieval
from hippohover.sources.papers import title_key
from hippohover.sources.router import SourceRouter, SourceRun
from hippohover.sources.search_engine import SearchEngine


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

    Parameters
    ----------
    engine : SearchEngine
    sources : SourceRun
    """

    def __init__(self, engine: SearchEngine, sources: SourceRun) -> None:
        self._engine = engine
        self.sources = sources

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
        return with_found(self._engine.retrieve(claim, k, retriever), self.sources, k)

    def search(self, query: str, depth: int = 100, retriever: str = "ppr") -> Retrieval:
        """Alternate results of index and sources, ``depth`` in all; reports who failed."""
        return with_found(self._engine.search(query, depth, retriever), self.sources, depth)

    def linked(self, pid: str, n: int = 5) -> tuple[RankedPassage, ...]:
        """Return what a paper cites, or the passages best linked with one of the index."""
        if self.sources.knows(pid):
            return self.sources.references(pid, n)
        return self._engine.linked(pid, n)


def with_found(answer: Retrieval, sources: SourceRun, k: int) -> Retrieval:
    """Add what sources find for the claim to an index's answer, ``k`` passages in all.

    Its trace says which of them failed.
    """
    passages = beside(answer.passages, sources.search(answer.claim))[:k]
    trace = replace(answer.trace, source_failures=tuple(sources.failures))
    return replace(answer, passages=passages, trace=trace)


def beside(
    indexed: Sequence[RankedPassage], found: Sequence[RankedPassage]
) -> tuple[RankedPassage, ...]:
    """Alternate passages of an index and of sources, beginning with the index.

    Those of the index keep their scores, and one of a source has that of the next one of the index,
    so that scores never rise. A paper that the index has under its title is left out.
    """
    titles = {key for passage in indexed if (key := title_key(passage.title))}
    new = [passage for passage in found if title_key(passage.title) not in titles]
    joined: list[RankedPassage] = []
    for at in range(max(len(indexed), len(new))):
        joined += indexed[at : at + 1]
        if at < len(new):
            score = indexed[min(at + 1, len(indexed) - 1)].score if indexed else new[at].score
            joined.append(replace(new[at], score=score))
    return tuple(replace(one, rank=rank) for rank, one in enumerate(joined, start=1))
