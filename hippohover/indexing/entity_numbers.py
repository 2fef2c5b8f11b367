"""Numbers the entities of an index: known names, phrases, arguments."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hippohover.disk.columns import joined_strings
from hippohover.names.aliases import NOTHING_MERGED, Merged
from hippohover.names.interning import ABSENT, StringInterner, hashed
from hippohover.names.key_table import key_hashes
from hippohover.names.mentions import case_rule
from hippohover.names.titles import TitleKind, title_keys
from hippohover.records import Passage

Hashes = NDArray[np.uint64]

MAX_HEAD_TITLES: Final = 3
"""Titles that may share a head: what many begin with ("List of ...: ") names none of them."""


class _Head(NamedTuple):
    """The part of a title before a colon: its key, spelling, owner, and whole title."""

    key: str
    written: str
    row: int
    title: int


class EntityNumbers:
    """Numbers, keys and spellings of entities, in the order of their arrival.

    Attributes
    ----------
    n_known : int
        The first entities are known names: those that passages, or the ends of aliases, go by.
    owners : ndarray of int32, shape (n, 3)
        (passage, known name, ``TitleKind``), by passage; no (passage, name) twice.
    aliases : dict of str to int
        Other entity keys of known names to their numbers.
    head_rows, head_hashes : ndarray of int64 and uint64, shape (n,)
        Passages whose titles have a head, be it a name or not, and the heads' keys.
    """

    def __init__(self, merged: Merged = NOTHING_MERGED) -> None:
        self._numbers = StringInterner()
        self._keys: list[Any] = []  # Arrow has no types
        self._displays: list[Any] = []
        self._hashes: list[Hashes] = []
        self._merged = merged
        self._alias_table: dict[int, int] = {}
        self.aliases: dict[str, int] = {}
        self.n_known = 0
        self.owners = np.zeros((0, 3), np.int32)
        self.head_rows = np.zeros(0, np.int64)
        self.head_hashes = np.zeros(0, np.uint64)

    def __len__(self) -> int:
        return len(self._numbers)

    @classmethod
    def of_names(
        cls, chunks: Iterable[Sequence[Passage]], merged: Merged = NOTHING_MERGED
    ) -> "EntityNumbers":
        """Add the known names, spelled as the aliases' file or the first passage spells them.

        Names that aliases stand for are known too, whoever owns them.
        """
        entities = cls(merged)
        owners = [entities.owners]
        heads: list[_Head] = []
        n_passages = 0
        for passages in chunks:
            owners.append(entities._own(passages, n_passages, heads))
            n_passages += len(passages)
        of_heads = entities._own_heads(heads)
        entities.head_rows = np.array([head.row for head in heads], np.int64)
        entities.head_hashes = key_hashes([head.key for head in heads])
        names = list(dict.fromkeys(merged.keys.values()))
        entities.add(names, [merged.written[name] for name in names], *hashed(names))
        every = np.concatenate([*owners, of_heads])
        entities.owners = every[np.argsort(every[:, 0], kind="stable")]
        entities.n_known = len(entities)
        hashes = key_hashes(list(merged.keys.values()))
        ends = entities._numbers.numbers(hashes).tolist()
        entities.aliases = dict(zip(merged.keys, ends, strict=True))
        of_aliases = key_hashes(list(merged.keys)).tolist()
        entities._alias_table = dict(zip(of_aliases, ends, strict=True))
        return entities

    def add(
        self,
        keys: Any,  # noqa: ANN401  (strings, or an Arrow array of them)
        displays: Any,  # noqa: ANN401
        hashes: Hashes,
        checks: NDArray[np.uint32],
    ) -> NDArray[np.int32]:
        """Return each entity's number, adding new ones; an alias has its name's.

        Parameters
        ----------
        keys, displays : sequences of str, or Arrow arrays, of length n
            Entity keys, and how they are written.
        hashes, checks : ndarray, shape (n,)
            The keys' ``hashed``.
        """
        entities = self._of_aliases(hashes)
        rest = np.flatnonzero(entities == ABSENT)
        numbers, new = self._numbers.add(hashes[rest], checks[rest])
        entities[rest] = numbers
        if len(new):
            for parts, strings in ((self._keys, keys), (self._displays, displays)):
                parts.append(pa.array(strings, pa.large_string()).take(pa.array(rest[new])))
            self._hashes.append(hashes[rest[new]])
        return entities

    def numbers(self, hashes: Hashes) -> NDArray[np.int32]:
        """Return each entity's number by its key's hash; ``ABSENT`` if missing."""
        numbers = self._of_aliases(hashes)
        rest = numbers == ABSENT
        numbers[rest] = self._numbers.numbers(hashes[rest])
        return numbers

    def findable(self) -> Iterator[tuple[str, int]]:
        """Yield keys of known names and of their aliases, with the names' numbers."""
        number = 0
        for part in self._keys:
            for key in part.to_pylist():
                if number < self.n_known:
                    yield key, number
                number += 1
        yield from self.aliases.items()

    def rules(self) -> NDArray[np.uint8]:
        """Return the ``CaseRule`` of each known name, by its spelling."""
        written = (name for part in self._displays for name in part.to_pylist())
        return np.fromiter(map(case_rule, islice(written, self.n_known)), np.uint8, self.n_known)

    def n_tokens(self) -> int:
        """Count the tokens of all keys that are ``findable``."""
        return sum(key.count(" ") + 1 for key, _ in self.findable())

    def keys(self) -> pa.Array:  # pyright: ignore[reportUnknownParameterType]
        """Return the entity keys, by number."""
        return joined_strings(self._keys)

    def displays(self) -> pa.Array:  # pyright: ignore[reportUnknownParameterType]
        """Return the first spelling of each entity, by number."""
        return joined_strings(self._displays)

    def hashes(self) -> Hashes:
        """Return the ``key_hashes`` of the keys, by number."""
        return np.concatenate([np.zeros(0, np.uint64), *self._hashes])

    def _own(
        self, passages: Sequence[Passage], first_row: int, heads: list[_Head]
    ) -> NDArray[np.int32]:
        keys: list[str] = []
        displays: list[str] = []
        owners: list[tuple[int, int]] = []
        of_heads: list[tuple[int, int, str, str]] = []
        for row, passage in enumerate(passages, start=first_row):
            title = len(keys)  # its full title comes first
            for kind, key, written in title_keys(passage):
                name = self._merged.keys.get(key, key)
                if kind == TitleKind.HEAD:
                    of_heads.append((title, row, name, written))
                    continue
                keys.append(name)
                displays.append(self._merged.written.get(name) or written)
                owners.append((row, kind))
        numbers = self.add(keys, displays, *hashed(keys))
        for title, row, name, written in of_heads:
            heads.append(_Head(name, written, row, int(numbers[title])))
        pairs = np.array(owners, np.int32).reshape(-1, 2)
        table = np.column_stack([pairs[:, 0], numbers, pairs[:, 1]]).astype(np.int32)
        return _distinct(table)

    def _own_heads(self, heads: Sequence[_Head]) -> NDArray[np.int32]:
        """Return owners of the heads that name few documents, and are no other's name."""
        titles: dict[str, set[int]] = {}
        for head in heads:
            titles.setdefault(head.key, set()).add(head.title)
        keys = [key for key, of_key in titles.items() if len(of_key) <= MAX_HEAD_TITLES]
        taken = self.numbers(key_hashes(keys)) != ABSENT
        kept = {key for key, is_taken in zip(keys, taken.tolist(), strict=True) if not is_taken}
        named = [head for head in heads if head.key in kept]
        numbers = self.add(
            [head.key for head in named],
            [head.written for head in named],
            *hashed([head.key for head in named]),
        )
        rows = np.array([head.row for head in named], np.int32)
        kind = np.full(len(named), TitleKind.HEAD, np.int32)
        return np.column_stack([rows, numbers, kind]).astype(np.int32)

    def _of_aliases(self, hashes: Hashes) -> NDArray[np.int32]:
        numbers = np.full(len(hashes), ABSENT, np.int32)
        if self._alias_table:
            table = self._alias_table
            numbers[:] = [table.get(value, ABSENT) for value in hashes.tolist()]
        return numbers


def _distinct(owners: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the first row of each (passage, name): aliases can make one name of two."""
    codes = (owners[:, 0].astype(np.int64) << 32) | owners[:, 1]
    _, first = np.unique(codes, return_index=True)
    return owners[np.sort(first)]
