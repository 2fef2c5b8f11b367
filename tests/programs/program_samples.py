"""What the tests of the programs share: an engine that follows a script, a scripted model."""

from collections.abc import Mapping, Sequence

from hippohover.records import PassageId, RankedPassage, Retrieval, Trace
from hippohover.testing.language_model import fake_language_model as model_of

__all__ = ["ScriptedSearch", "model_of", "passages_of"]


def passages_of(*titles: str) -> tuple[RankedPassage, ...]:
    """Ranked passages of these titles; the pid is the title."""
    return tuple(
        RankedPassage(rank, PassageId(title), title, f"{title} is a thing.", 1 / rank)
        for rank, title in enumerate(titles, start=1)
    )


class ScriptedSearch:
    """Finds what the script says for a query that holds a key; the first key counts.

    Attributes
    ----------
    calls : list of (str, int, str)
        Query, depth and retriever of each search.
    """

    n_passages = 1000
    encode = None

    def __init__(
        self, script: Mapping[str, Sequence[str]], names: Mapping[str, int] | None = None
    ) -> None:
        self._script = script
        self._names = names or {}
        self.calls: list[tuple[str, int, str]] = []

    def search(self, query: str, depth: int = 100, retriever: str = "ppr") -> Retrieval:
        assert query.strip()
        self.calls.append((query, depth, retriever))
        titles = next((found for key, found in self._script.items() if key in query), ())
        return Retrieval(query, retriever, passages_of(*titles[:depth]), Trace(route="no-filter"))

    def retrieve(self, claim: str, k: int = 21, retriever: str = "ppr") -> Retrieval:
        return self.search(claim, k, retriever)

    def titles(self) -> Sequence[str]:
        return [title for found in self._script.values() for title in found]

    def linked(self, pid: str, n: int = 5) -> tuple[RankedPassage, ...]:
        return ()

    def names_in(self, text: str) -> dict[str, int]:
        return {name: n for name, n in self._names.items() if name in text}
