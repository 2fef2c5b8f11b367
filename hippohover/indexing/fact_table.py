"""Triples -> distinct facts with the passages they come from, in bounded memory."""

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from hippohover.names import entity_key
from hippohover.records import Triple


@dataclass(frozen=True)
class FactTable:
    """Distinct facts and where each is stated.

    Attributes
    ----------
    facts : ndarray of int32, shape (n_facts, 3)
        Subject entity, predicate, object entity; ascending.
    sources : ndarray of int32, shape (n_sources, 3)
        Passage, fact, sentence; ascending, no (passage, fact) twice: the first sentence stays.
    """

    facts: NDArray[np.int32]
    sources: NDArray[np.int32]


class FactCollector:
    """Gathers triples passage by passage.

    Parameters
    ----------
    entities : dict of str to int
        Entity key to number; arguments of triples that are not there are added.
    displays : list of str
        How each entity is written; grows with ``entities``.
    aliases : mapping of str to int
        Other entity keys of entities that are there.
    """

    def __init__(
        self,
        entities: dict[str, int],
        displays: list[str],
        aliases: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self._entities = entities
        self._displays = displays
        self._aliases = aliases
        self._predicates: dict[str, int] = {}
        self._rows = array("i")
        self.n_triples = 0

    def add(self, passage: int, triples: Iterable[Triple]) -> None:
        """Take in the triples of a passage; one that says a thing of itself is dropped."""
        for triple in triples:
            subject = self._entity(triple.subject)
            target = self._entity(triple.object)
            self.n_triples += 1
            if subject != target:
                predicate = self._predicates.setdefault(triple.predicate, len(self._predicates))
                self._rows.extend((subject, predicate, target, passage, triple.sentence))

    @property
    def predicates(self) -> list[str]:
        return list(self._predicates)

    def table(self) -> FactTable:
        """The distinct facts so far."""
        rows = np.frombuffer(self._rows, dtype=np.intc).astype(np.int32).reshape(-1, 5)
        if not len(rows):
            return FactTable(np.zeros((0, 3), np.int32), np.zeros((0, 3), np.int32))
        order = np.lexsort((rows[:, 4], rows[:, 3], rows[:, 2], rows[:, 1], rows[:, 0]))
        rows = rows[order]
        new = np.ones(len(rows), dtype=bool)
        new[1:] = np.any(rows[1:, :3] != rows[:-1, :3], axis=1)
        fact = (np.cumsum(new) - 1).astype(np.int32)
        first = new.copy()
        first[1:] |= rows[1:, 3] != rows[:-1, 3]
        sources = np.column_stack([rows[first, 3], fact[first], rows[first, 4]])
        sources = sources[np.lexsort((sources[:, 1], sources[:, 0]))]
        return FactTable(rows[new, :3].copy(), sources.astype(np.int32))

    def _entity(self, name: str) -> int:
        key = entity_key(name)
        number = self._aliases.get(key, self._entities.get(key))
        if number is None:
            number = self._entities[key] = len(self._displays)
            self._displays.append(name)
        return number
