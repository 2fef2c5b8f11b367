"""What an update changes in an index: its passages, and those whose names it changes.

Nothing is identified by its number in an index: passages are named by their ids; names, terms and
predicates by their hashes.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import N_TYPES
from hippohover.names.titles import TitleKind

if TYPE_CHECKING:
    import pyarrow

CLOSED: Final = 250
"""Passages that a segment changes to which no other one is added: the next base is made of it."""


class Listed(NamedTuple):
    """Columns of values, and the one (of rows, their first number) that says whose each is.

    ``whose`` is what that one counts in: "passages" that come, "touched" ones, or "names".
    """

    of: str
    whose: str
    values: tuple[str, ...]
    ascends: bool = False


LISTED: Final = (
    Listed("tail_of", "passages", ("tails",)),
    Listed("target_of", "passages", ("targets",)),
    Listed("edge_of", "touched", ("edges", "edge_kinds"), True),
    Listed("title_of", "touched", ("titles", "title_kinds"), True),
    Listed("mention_rows", "touched", ("mentions",), True),
    Listed("fact_rows", "touched", ("facts",), True),
    Listed("phrase_of", "touched", ("phrases",)),
    Listed("run_of", "touched", ("runs",)),
    Listed("form_of", "names", ("forms",)),
    Listed("owner_of", "names", ("owners",), True),
)

OF_PASSAGES: Final = ("documents", "heads", "title_lengths", "lengths")
"""Columns with a value for each passage that comes."""

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
        n_new = len(self.passages)
        belong = {
            **dict.fromkeys(("frames", *OF_PASSAGES), n_new),
            "terms": int(self.lengths.sum(dtype=np.int64)),
            "known": len(self.names),
            "codes": len(self.scales),
            **{name: len(getattr(self, one.of)) for one in LISTED for name in one.values},
        }
        for name, n in belong.items():
            if len(getattr(self, name)) != n:
                raise ValueError(f"its column {name} has another length than it should")
        if len(self.scales) not in {0, n_new} or not np.isfinite(self.scales).all():
            raise ValueError("its vectors are not those of its passages")
        _check_range("edge_kinds", self.edge_kinds, N_TYPES)
        _check_range("title_kinds", self.title_kinds, len(TitleKind))
        for name in ("mention_rows", "fact_rows", "lengths", "title_lengths"):
            _check_range(name, getattr(self, name).ravel())
        if (self.title_lengths > self.lengths).any():
            raise ValueError("a title is longer than its passage")
        for one in LISTED:
            n = len(getattr(self, one.whose))
            _check_range(one.of, first_column(getattr(self, one.of)), n, ascends=one.ascends)


def first_column(rows: NDArray[Any]) -> NDArray[Any]:
    """Return a view of the first value of each row, or of all where a row is one value."""
    return rows if rows.ndim == 1 else rows[:, 0]


def _check_range(
    name: str, values: NDArray[Any], below: int | None = None, *, ascends: bool = False
) -> None:
    if not len(values):
        return
    if int(values.min()) < 0 or (below is not None and int(values.max()) >= below):
        raise ValueError(f"its column {name} has a value out of range")
    if ascends and (values[:-1] > values[1:]).any():
        raise ValueError(f"its column {name} is not in order")
