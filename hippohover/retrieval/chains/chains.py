"""An answer's passages -> the chains that they form."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hippohover.chain_records import Chain
from hippohover.records import RankedPassage
from hippohover.retrieval.chains.asked import asked_words
from hippohover.retrieval.chains.choice import Choice
from hippohover.retrieval.chains.joined import edges_of, joins_of
from hippohover.retrieval.chains.written import ChainWriter, Found
from hippohover.retrieval.walk.claim import ReadClaim
from hippohover.store.tables import IndexTables


def with_chains(
    tables: IndexTables,
    claim: ReadClaim,
    passages: Sequence[RankedPassage],
    first: Sequence[int],
) -> tuple[tuple[RankedPassage, ...], tuple[Chain, ...]]:
    """Return passages with their paths, and the best chains.

    Parameters
    ----------
    tables : IndexTables
        Of the index, or of the scope that was searched.
    claim : ReadClaim
    passages : sequence of RankedPassage
        The answer, best first.
    first : sequence of int
        Rows of the passages at the first places, listed or not.
    """
    if not first or not len(claim.terms):
        return tuple(passages), ()
    rows = np.array(first, np.int64)
    edges = edges_of(tables.arrays, rows)
    words = asked_words(tables.arrays, claim, rows, edges)
    joins = joins_of(edges, rows, tables.arrays.n_rows, words.is_named)
    choice = Choice(words, joins.strength)
    listed = dict(zip(first, passages, strict=False))
    write = ChainWriter(Found(tables, first, words, edges, joins), claim, listed)
    chains = tuple(map(write, choice.best()))
    paths = [write(path) for path in choice.paths()[: len(passages)]]
    with_paths = [replace(one, path=path) for one, path in zip(passages, paths, strict=False)]
    return (*with_paths, *passages[len(paths) :]), chains
