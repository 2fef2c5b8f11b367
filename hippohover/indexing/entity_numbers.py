"""Numbers the entities of an index: known names, phrases, arguments."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hippohover.disk.columns import joined_strings
from hippohover.language.name_forms import columns_of
from hippohover.names.affixes import Stems, stem_keys
from hippohover.names.aliases import NOTHING_MERGED, Merged
from hippohover.names.interning import ABSENT, StringInterner, hashed
from hippohover.names.key_table import key_hashes
from hippohover.names.mentions import case_rule
from hippohover.names.titles import IN_PART, TitleKind, title_keys
from hippohover.records import Passage

Hashes = NDArray[np.uint64]

MAX_HEAD_TITLES: Final = 3
"""Titles that may share a head: what many begin with ("List of ...: ") names none of them."""


class _Part(NamedTuple):
    """A part of a title: its kind, key, spelling, owner, whole title, and the title's head."""

    kind: TitleKind
    key: str
    written: str
    row: int
    title: int
    head: str


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
    head_rows, head_hashes : ndarray of int32 and uint64, shape (n,)
        Passages whose titles have a head, be it a name or not, and the heads' keys.
    tail_rows, tail_hashes : ndarray of int32 and uint64, shape (n,)
        Likewise of tails, of which a title may have several.
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
        self.head_rows, self.head_hashes = _rows_and_hashes(())
        self.tail_rows, self.tail_hashes = _rows_and_hashes(())

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
        parts: list[_Part] = []
        n_passages = 0
        for passages in chunks:
            owners.append(entities._own(passages, n_passages, parts))
            n_passages += len(passages)
        of_parts = entities._own_parts(parts)
        for kind, name in ((TitleKind.HEAD, "head"), (TitleKind.TAIL, "tail")):
            rows, hashes = _rows_and_hashes([part for part in parts if part.kind == kind])
            setattr(entities, f"{name}_rows", rows)
            setattr(entities, f"{name}_hashes", hashes)
        names = list(dict.fromkeys(merged.keys.values()))
        entities.add(names, [merged.written[name] for name in names], *hashed(names))
        every = np.concatenate([*owners, of_parts])
        entities.owners = every[np.argsort(every[:, 0], kind="stable")]
        entities.n_known = len(entities)
        ends = entities._numbers.numbers(key_hashes(list(merged.keys.values())))
        entities._stand_for(dict(zip(merged.keys, ends.tolist(), strict=True)))
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

    def add_stems(self, stems: Stems) -> None:
        """Let known names be found by their stems too, where the corpus has affixes."""
        if stems.has_any:
            self._stand_for(stem_keys(self.findable(), stems))

    def _stand_for(self, aliases: Mapping[str, int]) -> None:
        self.aliases |= aliases
        hashes = key_hashes(list(aliases)).tolist()
        self._alias_table |= dict(zip(hashes, aliases.values(), strict=True))

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

    def forms(self) -> dict[str, NDArray[Any] | Sequence[str]]:
        """Return the columns by which other forms of known names are found, and the names."""
        written = self.displays().slice(0, self.n_known).to_pylist()
        hashes, names = columns_of(written)
        return {"hashes": hashes, "names": names, "written": written}

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
        self, passages: Sequence[Passage], first_row: int, parts: list[_Part]
    ) -> NDArray[np.int32]:
        keys: list[str] = []
        displays: list[str] = []
        owners: list[tuple[int, int]] = []
        in_part: list[tuple[int, _Part]] = []
        for row, passage in enumerate(passages, start=first_row):
            title, head = len(keys), ""  # its full title comes first, and its head before tails
            for kind, key, written in title_keys(passage):
                name = self._merged.keys.get(key, key)
                if kind in IN_PART:
                    head = name if kind == TitleKind.HEAD else head
                    in_part.append((title, _Part(kind, name, written, row, -1, head)))
                    continue
                keys.append(name)
                displays.append(self._merged.written.get(name) or written)
                owners.append((row, kind))
        numbers = self.add(keys, displays, *hashed(keys))
        parts += [part._replace(title=int(numbers[title])) for title, part in in_part]
        pairs = np.array(owners, np.int32).reshape(-1, 2)
        table = np.column_stack([pairs[:, 0], numbers, pairs[:, 1]]).astype(np.int32)
        return _distinct(table)

    def _own_parts(self, parts: Sequence[_Part]) -> NDArray[np.int32]:
        """Return owners of the parts that name few documents, and are no other's name.

        A head that names many is no part of the name: then the tails behind it may be names.
        """
        titles = _titles_of(part for part in parts if part.kind == TitleKind.HEAD)
        parts = [
            part
            for part in parts
            if part.kind == TitleKind.HEAD or len(titles.get(part.head, ())) > MAX_HEAD_TITLES
        ]
        keys = [key for key, of in _titles_of(parts).items() if len(of) <= MAX_HEAD_TITLES]
        taken = self.numbers(key_hashes(keys)) != ABSENT
        kept = {key for key, is_taken in zip(keys, taken.tolist(), strict=True) if not is_taken}
        named = [part for part in parts if part.key in kept]
        of_named = [part.key for part in named]
        numbers = self.add(of_named, [part.written for part in named], *hashed(of_named))
        rows = np.array([(part.row, part.kind) for part in named], np.int32).reshape(-1, 2)
        return _distinct(np.column_stack([rows[:, 0], numbers, rows[:, 1]]).astype(np.int32))

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


def _titles_of(parts: Iterable[_Part]) -> dict[str, set[int]]:
    """Return the titles that have each part."""
    titles: dict[str, set[int]] = {}
    for part in parts:
        titles.setdefault(part.key, set()).add(part.title)
    return titles


def _rows_and_hashes(parts: Sequence[_Part]) -> tuple[NDArray[np.int32], Hashes]:
    return np.array([part.row for part in parts], np.int32), key_hashes([p.key for p in parts])
