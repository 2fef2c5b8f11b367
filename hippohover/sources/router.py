"""The order of sources: the first ones in parallel, the last where those find nothing."""

import re
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from hippohover.errors import UsageError
from hippohover.records import PassageId, RankedPassage
from hippohover.sources.document import Source, SourceDocument, documents_in
from hippohover.sources.papers import Filters, Papers, in_turn

MOST_LAST: Final = 4
"""Searches of each last source in one run: they are paid for."""
DEPTH: Final = 10
"""Documents that a source is asked for."""
_LONGEST_REASON: Final = 300


class SourceRouter:
    """The sources to ask, in order; ``run`` asks them for one claim.

    Parameters
    ----------
    first : sequence of Source
        Asked for each query, all at once.
    last : sequence of Source
        Asked one after the other if none of the first has found anything, until one does.
    most_last : int
        Number of searches that each of these may make in a run.
    filters : Filters

    Attributes
    ----------
    failures : Counter of str
        In how many runs each failure occurred.

    Raises
    ------
    UsageError
        There is no source, one has no name, or two have the same.
    """

    def __init__(
        self,
        first: Sequence[Source] = (),
        last: Sequence[Source] = (),
        *,
        most_last: int = MOST_LAST,
        filters: Filters | None = None,
    ) -> None:
        self.first = tuple(first)
        self.last = tuple(last)
        self.most_last = most_last
        self.filters = filters or Filters()
        self.failures: Counter[str] = Counter()
        self._lock = threading.Lock()
        names: list[object] = [getattr(source, "name", None) for source in self.sources]
        if unnamed := [name for name in names if not (isinstance(name, str) and name.strip())]:
            raise UsageError(f"a source has the name {unnamed[0]!r}: give it one in words")
        if not names or len(set(names)) < len(names):
            raise UsageError(f"sources are {names}: give one or more, of different names")

    @property
    def sources(self) -> tuple[Source, ...]:
        """All sources, in order."""
        return (*self.first, *self.last)

    def run(self) -> "SourceRun":
        """Begin the searches for one claim."""
        return SourceRun(self)

    def note(self, failure: str) -> None:
        """Count a failure of a run."""
        with self._lock:
            self.failures[failure] += 1


class SourceRun:
    """The sources of one run: what was asked and found, and who failed.

    Attributes
    ----------
    failures : list of str
        Sources that did not answer, or with something other than documents, and why, or that had
        no searches left; each begins with the source's name. A source that failed is not asked
        again in this run.
    searches : Counter of str
        Searches and requests for references that each source was asked for.
    n_left_out : int
        Documents that the filters kept out.
    """

    def __init__(self, router: SourceRouter) -> None:
        self.failures: list[str] = []
        self.searches: Counter[str] = Counter()
        self.n_left_out = 0
        self._router = router
        self._papers = Papers()
        self._down: set[str] = set()
        self._used_up: set[str] = set()
        self._finders: dict[PassageId, Source] = {}

    def search(self, query: str, k: int = DEPTH) -> tuple[RankedPassage, ...]:
        """Find at most ``k`` passages for a query, best first, each paper once.

        Results of the sources alternate. A paper has the same pid whichever source finds it, in
        this search or a later one.
        """

        def ask(source: Source) -> Sequence[SourceDocument]:
            return source.search(query, k)

        takes = self._router.filters.takes
        passages = self._passages(self._asked(self._router.first, ask), takes, k)
        for source in self._router.last:
            if not passages and self._may_search(source):
                passages = self._passages(self._asked([source], ask), takes, k)
        return passages

    def references(self, pid: str, n: int) -> tuple[RankedPassage, ...]:
        """Find at most ``n`` papers that a found paper cites, from the first source that knows."""
        found_by = {version.pid: version for version in self._papers.versions(pid)}
        for version in found_by.values():  # one for each search that found it, too many to ask

            def ask(source: Source, document_id: str = version.document_id) -> Any:  # noqa: ANN401
                return source.references(document_id)

            found = self._asked([self._finders[version.pid]], ask)
            if any(found):
                return self._passages(found, self._router.filters.takes_reference, n)
        return ()

    def call_also(self, pid: str, other: str) -> None:
        """Know a found paper by the pid of the index's own passage of it too."""
        self._papers.call_also(pid, other)

    def knows(self, pid: str) -> bool:
        """Return whether a source has found the passage, or the paper that it is of."""
        return bool(self._papers.versions(pid))

    def as_dict(self) -> dict[str, Any]:
        """Return what was asked, and who failed, ready for JSON."""
        return {
            "searches": dict(self.searches),
            "failures": self.failures,
            "left_out": self.n_left_out,
        }

    def _may_search(self, source: Source) -> bool:
        if self.searches[source.name] < self._router.most_last:
            return True
        if source.name not in self._used_up:
            self._used_up.add(source.name)
            self._note(
                f"{source.name} has made the {self._router.most_last} searches that one run may "
                "make, and is not asked again"
            )
        return False

    def _note(self, failure: str) -> None:
        self.failures.append(failure)
        self._router.note(failure)

    def _asked(
        self, sources: Sequence[Source], ask: Callable[[Source], Sequence[SourceDocument]]
    ) -> list[Sequence[SourceDocument]]:
        """Ask each source that is not down, in parallel; failed ones return nothing."""
        up = [source for source in sources if source.name not in self._down]
        if not up:
            return []
        self.searches.update(source.name for source in up)
        found: list[Sequence[SourceDocument]] = []

        def documents_of(source: Source) -> Sequence[SourceDocument]:
            return documents_in(ask(source))

        with ThreadPoolExecutor(len(up)) as pool:
            asked = [(one, pool.submit(documents_of, one)) for one in up]
            for source, waiting in asked:
                try:
                    documents = waiting.result()
                except Exception as error:  # a source may be anybody's
                    self._down.add(source.name)
                    self._note(_named(source.name, error))
                else:
                    found.append(documents)
                    for one in documents:
                        self._finders.setdefault(one.pid, source)
        return found

    def _passages(
        self,
        found: Sequence[Sequence[SourceDocument]],
        takes: Callable[[SourceDocument], bool],
        most: int,
    ) -> tuple[RankedPassage, ...]:
        pids = [self._papers.add(document) for document in in_turn(found)]
        # Behind all of them: what came later may show that two are one.
        every = {paper.pid: paper for paper in map(self._papers.paper, dict.fromkeys(pids))}
        papers = list(every.values())
        taken = [paper for paper in papers if takes(paper)]
        self.n_left_out += len(papers) - len(taken)
        return tuple(
            paper.as_passage(rank, 1 / rank) for rank, paper in enumerate(taken[:most], start=1)
        )


def _named(name: str, error: Exception) -> str:
    """Say on one line why a source failed, beginning with its name."""
    told = str(error)
    if not re.match(rf"{re.escape(name)}(?!\w)", told):
        told = f"{name}: {error!r}"
    return " ".join(told.split())[:_LONGEST_REASON]
