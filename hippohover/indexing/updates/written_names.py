"""How entities are written once passages have come and gone: as the first that is left has it."""

from collections.abc import Callable, Sequence

import numpy as np

from hippohover.entity_graph import KNOWN, EdgeType
from hippohover.graph_builder import is_phrase
from hippohover.indexing.updates.names_changed import Names
from hippohover.indexing.updates.passages_read import Read
from hippohover.indexing.updates.standing import Standing
from hippohover.names.key_table import key_hashes
from hippohover.names.normal_forms import entity_key
from hippohover.records import Passage
from hippohover.store.segments.revision import Revision
from hippohover.store.tables import IndexTables

Reader = Callable[[Sequence[Passage]], list[Read]]


def written_then(
    standing: Standing, names: Names, said: Sequence[Read], before: set[int], read: Reader
) -> dict[int, str]:
    """How each entity is written that may be written otherwise now, by hashes of keys.

    Parameters
    ----------
    standing : Standing
        Before the change, which its revision has taken.
    names : mapping of str to Name
    said : sequence of Read
        What the touched passages say.
    before : set of int
        Entities that these, and those that went, stated something of or held as phrases.
    read : callable
    """
    revision = standing.revision
    keys = {key for one in said for key in (*one.phrases, *(key for key, _ in one.arguments))}
    ordered = sorted(keys | names.keys())
    numbers = revision.numbers("name", key_hashes(ordered)).tolist()
    affected = (before | set(numbers)) - {-1}
    hashes = revision.hashes_of(affected)
    written = {name.hash: name.written for name in names.values() if name.is_known}
    tables = revision.tables(whole=False)
    n_holders = _phrase_holders(revision, set(hashes.values()))
    of_rows = _by_row(revision, said)
    for entity in affected:
        value = hashes[entity]
        if value in written or tables.arrays.entity_standing[entity] == KNOWN:
            continue
        if is_phrase(np.array(n_holders.get(value, 0)), tables.arrays.n_passages):
            written[value] = entity_key(revision.written(entity))
            continue
        text = _first_written(standing, tables, entity, value, of_rows, read)
        if text:
            written[value] = text
    return written


def _phrase_holders(revision: Revision, wanted: set[int]) -> dict[int, int]:
    """Passages that hold each of some keys as a phrase."""
    hashes, rows = revision.view("phrase_hashes"), revision.view("phrase_rows")
    there = np.isin(hashes, np.array(sorted(wanted), np.uint64)) & (rows >= 0)
    distinct, counts = np.unique(hashes[there], return_counts=True)
    return dict(zip(distinct.tolist(), counts.tolist(), strict=True))


def _by_row(revision: Revision, said: Sequence[Read]) -> dict[int, Read]:
    rows = revision.rows_of(int(one.passage.pid, 16) for one in said)
    return dict(zip(rows.tolist(), said, strict=True))


def _first_written(  # noqa: PLR0913, PLR0917
    standing: Standing,
    tables: IndexTables,
    entity: int,
    value: int,
    of_rows: dict[int, Read],
    read: Reader,
) -> str:
    """How the first passage that states something of an entity writes it; "" without one."""
    graph = tables.arrays.graph
    own = slice(*graph.spans[graph.n_passages + entity])
    rows = graph.neighbours[own][graph.types[own] == EdgeType.SOURCE]
    if not len(rows):
        return ""
    first = int(tables.arrays.by_key(rows)[0])
    if first not in of_rows:
        [of_rows[first]] = read(standing.passages([first]))
    keys = dict.fromkeys(key for key, _ in of_rows[first].arguments)
    hashes = dict(zip(key_hashes(list(keys)).tolist(), keys, strict=True))
    return next(text for key, text in of_rows[first].arguments if key == hashes[value])
