"""Spellings of entities after a change: as the first remaining passage has them."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import KNOWN, EdgeType
from hippohover.graph_builder import is_phrase
from hippohover.indexing.updates.changed_index import ChangedIndex
from hippohover.indexing.updates.names_changed import Names
from hippohover.indexing.updates.passages_read import Read
from hippohover.names.key_table import key_hashes
from hippohover.names.normal_forms import entity_key
from hippohover.records import Passage
from hippohover.store.segments.hash_places import places_of
from hippohover.store.segments.revision import Revision
from hippohover.store.tables import IndexTables

Reader = Callable[[Sequence[Passage]], list[Read]]


def written_then(
    standing: ChangedIndex, names: Names, said: Sequence[Read], before: set[int], read: Reader
) -> dict[int, str]:
    """Return new spellings of entities whose spelling may change, by hashes of keys.

    Parameters
    ----------
    standing : ChangedIndex
        Before the change, which its revision has taken.
    names : mapping of str to Name
    said : sequence of Read
        What the touched passages say.
    before : set of int
        Entities that these, and those that went, stated something of or held as phrases.
    read : callable
    """
    revision = standing.revision
    keys = {
        key
        for one in said
        for key in (*one.phrases, *one.joined, *(key for key, _ in one.arguments))
    }
    ordered = sorted(keys | names.keys())
    numbers = revision.numbers("name", key_hashes(ordered)).tolist()
    affected = (before | set(numbers)) - {-1}
    hashes = revision.hashes_of(affected)
    written = {name.hash: name.written for name in names.values() if name.is_known}
    tables = revision.tables(whole=False)
    of_phrases = _kept_phrases(revision, set(hashes.values()), tables.arrays.n_passages)
    firsts: dict[int, int] = {}
    for entity in sorted(affected):
        value = hashes[entity]
        if value in written or tables.arrays.entity_standing[entity] == KNOWN:
            continue
        if value in of_phrases or len(_holders(tables, entity, EdgeType.JOIN)):
            written[value] = entity_key(revision.written(entity))
        elif (first := _first_stating(tables, entity)) >= 0:
            firsts[value] = first
    of_rows = _by_row(revision, said)
    unread = sorted(set(firsts.values()) - of_rows.keys())
    of_rows |= dict(zip(unread, read(standing.passages(unread)), strict=True))
    arguments = {row: _arguments(of_rows[row]) for row in set(firsts.values())}
    return written | {value: arguments[row][value] for value, row in firsts.items()}


def _kept_phrases(revision: Revision, wanted: set[int], n_passages: int) -> set[int]:
    """Return keys that are entities for the passages that hold them as a phrase."""
    hashes, rows = revision.view("phrase_hashes"), revision.view("phrase_rows")
    places = places_of(hashes, wanted)
    held = hashes[places[rows[places] >= 0]]
    distinct, counts = np.unique(held, return_counts=True)
    return set(distinct[is_phrase(counts, n_passages)].tolist())


def _by_row(revision: Revision, said: Sequence[Read]) -> dict[int, Read]:
    rows = revision.rows_of(int(one.passage.pid, 16) for one in said)
    return dict(zip(rows.tolist(), said, strict=True))


def _holders(tables: IndexTables, entity: int, kind: EdgeType) -> NDArray[np.int32]:
    """Return the rows of passages that edges of a type join with an entity."""
    graph = tables.arrays.graph
    own = slice(*graph.spans[graph.n_passages + entity])
    return graph.neighbours[own][graph.types[own] == kind]


def _first_stating(tables: IndexTables, entity: int) -> int:
    """Return the row of the first passage with a fact of an entity; else -1."""
    rows = _holders(tables, entity, EdgeType.SOURCE)
    return int(rows[np.argmin(tables.arrays.passage_keys[rows])]) if len(rows) else -1


def _arguments(one: Read) -> dict[int, str]:
    """Return a passage's first spelling of each subject and object, by hashes of keys."""
    written: dict[str, str] = {}
    for key, text in one.arguments:
        written.setdefault(key, text)
    return dict(zip(key_hashes(list(written)).tolist(), written.values(), strict=True))
