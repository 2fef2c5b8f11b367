"""What an update changes in an index: its passages, and those whose names it changes.

Nothing is identified by its number in an index: passages are named by their ids; names, terms and
predicates by their hashes.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import N_TYPES
from hippohover.names.titles import TitleKind

if TYPE_CHECKING:
    import pyarrow

CLOSED: Final = 250
"""Passages that a segment changes to which no other one is added: the next base is made of it."""

_BESIDE: Final = {
    "tail_of": "tails",
    "target_of": "targets",
    "edge_of": "edges",
    "edge_kinds": "edges",
    "title_of": "titles",
    "title_kinds": "titles",
    "mention_rows": "mentions",
    "fact_rows": "facts",
    "phrase_of": "phrases",
    "run_of": "runs",
    "form_of": "forms",
    "owner_of": "owners",
}
"""Columns that say something of each value of another one."""

Hashes = NDArray[np.uint64]
Ints = NDArray[np.int32]


@dataclass(kw_only=True)
class Segment:
    """Passages that come and go, and the new content of all touched ones.

    Attributes
    ----------
    gone : ndarray of uint64
        Ids of passages that go.
    passages : pyarrow.Table
        Those that come, without their texts; columns as ``IndexTables.passages``.
    frames : list of bytes
        Their texts, as ``TextStore`` has them.
    codes, scales : ndarray
        Their vectors; no row where the index has none.
    documents : ndarray of uint64
        Of each that comes, the id of a passage of the same document: an old one, or the first of
        those that come.
    heads : ndarray of uint64
        Of each, as ``IndexArrays.head_hashes``.
    tails : ndarray of uint64; tail_of : ndarray of int32
        Of those that come, as ``IndexArrays.tail_hashes``.
    title_lengths, lengths : ndarray of int32
        Tokens of title, and of all.
    terms : ndarray of uint64
        Search term of every token, 0 for none.
    targets : ndarray of uint64; target_of : ndarray of int32
        What each may link to.
    touched : ndarray of uint64
        Ids of those that come, and of those that stay and hold other names now. The others of the
        following count in these.
    edges : ndarray of uint64; edge_of, edge_kinds : ndarray of int32
        Names that each is joined with, by ``EdgeType``; no phrases. In sequences, the ids of the
        passages before and after it.
    titles : ndarray of uint64; title_of, title_kinds : ndarray of int32
    mentions : ndarray of uint64; mention_rows : ndarray of int32, shape (n, 3)
        Names, and whose: touched passage, first token, token after the last.
    facts : ndarray of uint64, shape (n, 3); fact_rows : ndarray of int32, shape (n, 2)
        Subject, predicate and object; touched passage and sentence.
    phrases : ndarray of uint64; phrase_of : ndarray of int32
    runs : ndarray of uint64; run_of : ndarray of int32
        As ``IndexArrays.run_hashes``.
    names : ndarray of uint64; known : ndarray of bool
        Keys that begin or end to be names, or have other owners; whether they are names now.
    forms : ndarray of uint64; form_of : ndarray of int32
        ``name_hashes`` of each of them that is a name now.
    owners : ndarray of uint64; owner_of : ndarray of int32
        Ids of all passages that go by each of them.
    written : dict of int to str
        How entities are written that are new, or written otherwise now, by their hashes.
    blocks : dict of int to list of int
        ``spelling_blocks`` of the keys that the touched passages hold.
    predicates : dict of int to str
    """

    gone: Hashes
    passages: "pyarrow.Table"  # pyright: ignore[reportUnknownParameterType]
    frames: list[bytes]
    codes: NDArray[np.int8]
    scales: NDArray[np.float32]
    documents: Hashes
    heads: Hashes
    tails: Hashes
    tail_of: Ints
    title_lengths: Ints
    lengths: Ints
    terms: Hashes
    targets: Hashes
    target_of: Ints
    touched: Hashes
    edges: Hashes
    edge_of: Ints
    edge_kinds: Ints
    titles: Hashes
    title_of: Ints
    title_kinds: Ints
    mentions: Hashes
    mention_rows: Ints
    facts: Hashes
    fact_rows: Ints
    phrases: Hashes
    phrase_of: Ints
    runs: Hashes
    run_of: Ints
    names: Hashes
    known: NDArray[np.bool_]
    forms: Hashes
    form_of: Ints
    owners: Hashes
    owner_of: Ints
    written: dict[int, str]
    blocks: dict[int, list[int]]
    predicates: dict[int, str]

    @property
    def size(self) -> int:
        """Number of passages that it changes."""
        return len(self.gone) + len(self.touched)

    def check(self) -> None:
        """Raise ``ValueError`` where a column does not fit those that it belongs to."""
        n_new, n_touched = len(self.passages), len(self.touched)
        belong = {
            "frames": n_new,
            "documents": n_new,
            "heads": n_new,
            "title_lengths": n_new,
            "lengths": n_new,
            "terms": int(self.lengths.sum(dtype=np.int64)),
            "known": len(self.names),
            "codes": len(self.scales),
            **{column: len(getattr(self, of)) for column, of in _BESIDE.items()},
        }
        for name, n in belong.items():
            if len(getattr(self, name)) != n:
                raise ValueError(f"its column {name} has another length than it should")
        if len(self.scales) not in {0, n_new} or not np.isfinite(self.scales).all():
            raise ValueError("its vectors are not those of its passages")
        _check_range("tail_of", self.tail_of, n_new)
        _check_range("target_of", self.target_of, n_new)
        _check_range("phrase_of", self.phrase_of, n_touched)
        _check_range("run_of", self.run_of, n_touched)
        _check_range("form_of", self.form_of, len(self.names))
        _check_range("edge_kinds", self.edge_kinds, N_TYPES)
        _check_range("title_kinds", self.title_kinds, len(TitleKind))
        _check_range("mention_rows", self.mention_rows.ravel())
        _check_range("fact_rows", self.fact_rows.ravel())
        _check_range("lengths", self.lengths)
        _check_range("title_lengths", self.title_lengths)
        if (self.title_lengths > self.lengths).any():
            raise ValueError("a title is longer than its passage")
        _check_range("edge_of", self.edge_of, n_touched, ascends=True)
        _check_range("title_of", self.title_of, n_touched, ascends=True)
        _check_range("mention_rows", self.mention_rows[:, 0], n_touched, ascends=True)
        _check_range("fact_rows", self.fact_rows[:, 0], n_touched, ascends=True)
        _check_range("owner_of", self.owner_of, len(self.names), ascends=True)


def _check_range(
    name: str, values: NDArray[Any], below: int | None = None, *, ascends: bool = False
) -> None:
    if not len(values):
        return
    if int(values.min()) < 0 or (below is not None and int(values.max()) >= below):
        raise ValueError(f"its column {name} has a value out of range")
    if ascends and (values[:-1] > values[1:]).any():
        raise ValueError(f"its column {name} is not in order")
