"""What an update changes in an index: its passages, and those whose names it changes.

Nothing is identified by its number in an index: passages are named by their ids; names, terms and
predicates by their hashes.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow

CLOSED: Final = 250
"""Passages that a segment changes to which no other one is added: the next base is made of it."""

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
        Names that each is joined with, by ``EdgeType``; no phrases.
    titles : ndarray of uint64; title_of, title_kinds : ndarray of int32
    mentions : ndarray of uint64; mention_rows : ndarray of int32, shape (n, 3)
        Names, and whose: touched passage, first token, token after the last.
    facts : ndarray of uint64, shape (n, 3); fact_rows : ndarray of int32, shape (n, 2)
        Subject, predicate and object; touched passage and sentence.
    phrases : ndarray of uint64; phrase_of : ndarray of int32
    names : ndarray of uint64; known : ndarray of bool
        Keys that begin or end to be names, or have other owners; whether they are names now.
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
    names: Hashes
    known: NDArray[np.bool_]
    owners: Hashes
    owner_of: Ints
    written: dict[int, str]
    blocks: dict[int, list[int]]
    predicates: dict[int, str]

    @property
    def size(self) -> int:
        """Number of passages that it changes."""
        return len(self.gone) + len(self.touched)
