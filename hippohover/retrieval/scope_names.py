"""Finds names again in the texts of passages inside, by these passages' own names.

A build cuts texts into names by all titles, so a longer title of a passage outside may hide the
shorter name of one inside. Here each text is read as a build of only the passages inside reads it,
which takes about a tenth of a millisecond per passage.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippohover.language.name_forms import NameForms, sorted_columns
from hippohover.names.affixes import Stems, stem_keys
from hippohover.names.aliases import Merged
from hippohover.names.gazetteer import Gazetteer
from hippohover.names.key_table import ABSENT, KeyTable
from hippohover.names.mentions import case_rule
from hippohover.names.normal_forms import entity_key, tokens
from hippohover.names.titles import title_keys
from hippohover.records import Passage, PassageId
from hippohover.spans import lengths_of, places_in
from hippohover.store.tables import IndexArrays, IndexTables

_PASSAGES_AT_ONCE: Final = 4096


class Cut(NamedTuple):
    """Names and phrases in texts.

    Attributes
    ----------
    mentions : ndarray of int32, shape (n, 4)
        Passage, known name, first token, token after the last; ascending by passage and token.
        Tokens count from the title's first.
    forms : ndarray of int32, shape (n, 2)
        Passage and known name that its text has in other forms alone, by passage.
    phrases : ndarray of int32, shape (n, 2)
        Passage and position in ``keys``, no two the same.
    keys : list of str
        Distinct entity keys of the phrases.
    """

    mentions: NDArray[np.int32]
    forms: NDArray[np.int32]
    phrases: NDArray[np.int32]
    keys: list[str]


def cut_texts(tables: IndexTables, rows: NDArray[np.int64], names: Gazetteer) -> Cut:
    """Find names and phrases in the texts of some passages, ascending rows."""
    mentions: list[tuple[int, int, int, int]] = []
    forms: list[tuple[int, int]] = []
    phrases: list[tuple[int, int]] = []
    numbers: dict[str, int] = {}
    for first in range(0, len(rows), _PASSAGES_AT_ONCE):
        some = rows[first : first + _PASSAGES_AT_ONCE]
        headed = tables.passages.select(["title", "heading"]).take(some)
        heads = (headed.column(at).to_pylist() for at in range(2))
        for row, title, heading in zip(some.tolist(), *heads, strict=True):
            text = names.read(tables.texts[row])
            offset = len(tokens(title)[0]) + len(tokens(heading)[0])
            mentions += [
                (row, name, offset + start, offset + stop) for name, start, stop in text.known
            ]
            forms += [(row, name) for name in sorted(text.formed())]
            keys = text.phrase_keys()
            phrases += [(row, numbers.setdefault(key, len(numbers))) for key in keys]
    return Cut(
        np.array(mentions, np.int32).reshape(-1, 4),
        np.array(forms, np.int32).reshape(-1, 2),
        np.array(phrases, np.int32).reshape(-1, 2),
        list(numbers),
    )


def known_inside(
    arrays: IndexArrays, passages: NDArray[np.bool_], merged: Merged
) -> NDArray[np.bool_]:
    """Return whether each entity is a known name inside, shape (n_entities,).

    It is if it names a passage inside, or an alias stands for it.
    """
    known = np.zeros(len(arrays.entity_df), np.bool_)
    owned = np.repeat(np.arange(len(known)), lengths_of(arrays.owner_spans))
    owners = arrays.owner_passages[places_in(arrays.owner_spans)]
    known[owned[passages[owners]]] = True
    ends = arrays.names.numbers(list(merged.written))
    known[ends[ends != ABSENT]] = True
    return known


def names_inside(
    tables: IndexTables,
    known: NDArray[np.bool_],
    passages: NDArray[np.bool_],
    merged: Merged,
) -> tuple[Gazetteer, Mapping[int, str]]:
    """Return a finder of the known names in texts, and each name's key by number."""
    numbers = np.flatnonzero(known)
    written = _written_inside(tables, numbers, passages)
    keys = dict(zip(numbers.tolist(), map(entity_key, written), strict=True))
    findable = {key: number for number, key in keys.items()}
    ends = tables.arrays.names.numbers(list(merged.keys.values())).tolist()
    findable |= {key: end for key, end in zip(merged.keys, ends, strict=True) if end != ABSENT}
    stems = Stems.of_bytes(tables.arrays.name_affixes)
    findable |= stem_keys(findable.items(), stems) if stems.has_any else {}
    names = Gazetteer(findable)
    rules = np.zeros(len(known), np.uint8)
    rules[numbers] = list(map(case_rule, written))
    names.follow(rules, stems.affixes)
    # Other forms are found by the hashes that the index has of these names.
    inside = known[tables.arrays.form_names]
    hashes, named = tables.arrays.form_hashes[inside], tables.arrays.form_names[inside]
    spelt = dict(zip(numbers.tolist(), written, strict=True))
    names.find_forms(NameForms(sorted_columns(hashes, named), spelt.__getitem__))
    return names, keys


def _written_inside(
    tables: IndexTables, numbers: NDArray[np.int64], passages: NDArray[np.bool_]
) -> Sequence[str]:
    """Return known names as the first passage inside with that name writes them."""
    arrays = tables.arrays
    written: list[str] = tables.entities.column("name").take(numbers).to_pylist()
    spans = arrays.owner_spans[numbers]
    for at in np.flatnonzero(lengths_of(spans)).tolist():
        owners = arrays.by_key(arrays.owner_passages[slice(*spans[at])])
        within = owners[passages[owners]]
        if len(within) and within[0] != owners[0]:
            written[at] = own_name(tables, int(within[0]), entity_key(written[at])) or written[at]
    return written


def own_name(tables: IndexTables, row: int, key: str) -> str:
    """Return a passage's name as it writes it itself; "" where it has no such name."""
    columns = ("pid", "title", "document", "aliases", "heading")
    values: list[Any] = [tables.passages.column(name)[row].as_py() for name in columns]
    pid, title, document, aliases, heading = values
    has_path = "path" in tables.passages.column_names  # where some passage has one
    path = tables.passages.column("path")[row].as_py() if has_path else ""
    passage = Passage(
        PassageId(pid),
        title,
        tables.texts[row],
        document=document,
        heading=heading,
        aliases=tuple(aliases),
        path=path or "",
    )
    return next((one.written for one in title_keys(passage) if one.key == key), "")


class Numbers:
    """Numbers of entity keys: the index's, and new ones after them.

    Attributes
    ----------
    new : dict of str to int
        Keys that the index does not know, as they came.
    """

    def __init__(self, names: KeyTable, n_entities: int) -> None:
        self._names = names
        self._n = n_entities
        self.new: dict[str, int] = {}

    def __call__(self, keys: Sequence[str]) -> NDArray[np.int32]:
        numbers = self._names.numbers(keys)
        for at in np.flatnonzero(numbers == ABSENT).tolist():
            numbers[at] = self.new.setdefault(keys[at], self._n + len(self.new))
        return numbers
