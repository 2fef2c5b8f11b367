"""Chosen sets of passages -> chains, with their sentences and words."""

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippohover.chain_records import Chain, ChainJoin, ChainPassage, JoinKind
from hippohover.names.mentions import ROW_MARK
from hippohover.names.normal_forms import token_spans
from hippohover.names.sentences import sentence_spans
from hippohover.records import RankedPassage
from hippohover.retrieval.answers import passages_of
from hippohover.retrieval.chains.asked import AskedWords, ClaimPhrases
from hippohover.retrieval.chains.choice import SetOfPassages
from hippohover.retrieval.chains.joined import Edges, Joins
from hippohover.retrieval.walk.claim import ReadClaim
from hippohover.store.tables import IndexTables

_OF_THE_TITLE: Final = 0.25
"""Weight of a word of the claim that is in the passage's title: all sentences are about that."""


class WrittenPassage:
    """The text of a passage, cut into sentences when it is first asked for."""

    def __init__(self, tables: IndexTables, row: int, text: str = "") -> None:
        self._tables, self._row = tables, row
        self.text = text or tables.texts[row]
        arrays = tables.arrays
        self._all = arrays.terms[arrays.term_indptr[row] : arrays.term_indptr[row + 1]]
        self._title = self._all[: arrays.title_lengths[row]]

    @cached_property
    def _sentences(self) -> list[tuple[int, int]]:
        return sentence_spans(self.text)

    @cached_property
    def _tokens(self) -> list[tuple[int, int]]:
        return token_spans(self.text)

    @property
    def _n_before(self) -> int:
        """Number of tokens of title and heading, which stand before those of the text."""
        return len(self._all) - len(self._tokens)

    @property
    def _terms(self) -> NDArray[np.int32]:
        return self._all[self._n_before :]

    def _sentence_at(self, char: int) -> str:
        for start, stop in self._sentences:
            if char < stop:
                return self.text[start:stop]
        return ""

    def best_sentence(self, terms: NDArray[np.int64], weights: NDArray[np.float64]) -> str:
        """Return the sentence with most of some terms; empty if the text has none of them."""
        title = set(self._title.tolist())
        wanted = {
            term: weight * (_OF_THE_TITLE if term in title else 1.0)
            for term, weight in zip(terms.tolist(), weights.tolist(), strict=True)
        }
        said: dict[int, set[int]] = {}
        sentence, ends = 0, [stop for _, stop in self._sentences]
        for at, term in enumerate(self._terms.tolist()):
            if term in wanted:
                while self._tokens[at][0] >= ends[sentence]:
                    sentence += 1
                said.setdefault(sentence, set()).add(term)
        if not said:
            return ""
        best = max(said, key=lambda one: (math.fsum(wanted[term] for term in said[one]), -one))
        start, stop = self._sentences[best]
        return self.text[start:stop]

    def mention_of(self, entity: int) -> tuple[str, str]:
        """Return how the text writes an entity, and the sentence; both may be empty."""
        arrays = self._tables.arrays
        own = arrays.mentions[slice(*arrays.mention_spans[self._row])]
        for _, start, stop in own[own[:, 0] == entity].tolist():
            if start >= self._n_before:
                return self._words_at(start - self._n_before, stop - 1 - self._n_before)
        return self._words_of(self._tables.node_name(arrays.n_rows + entity))

    def _words_of(self, name: str) -> tuple[str, str]:
        """Return how the text or a field writes a name, in any case, and the sentence of the text.

        Both may be empty.
        """
        name = name.removeprefix(ROW_MARK)
        at = self.text.lower().find(name.lower())
        if name and at >= 0:
            return self.text[at : at + len(name)], self._sentence_at(at)
        values = map(str, self._tables.metadata_of(self._row).values())
        return next((value for value in values if value.lower() == name.lower()), ""), ""

    def _words_at(self, first: int, last: int) -> tuple[str, str]:
        """Return the text from one token to another, and the sentence of the first."""
        start, stop = self._tokens[first][0], self._tokens[last][1]
        return self.text[start:stop], self._sentence_at(start)


class Found(NamedTuple):
    """What is known of the first passages of an answer, in their order."""

    tables: IndexTables
    rows: Sequence[int]
    words: AskedWords
    edges: Edges
    joins: Joins


class ChainWriter:
    """Writes chains of one answer.

    Parameters
    ----------
    found : Found
    claim : ReadClaim
    listed : mapping of int to RankedPassage
        The passages of the answer by row.
    """

    def __init__(self, found: Found, claim: ReadClaim, listed: Mapping[int, RankedPassage]) -> None:
        self._tables, self._rows, self._words, self._edges, self._joins = found
        self._listed = listed
        self._texts: dict[int, WrittenPassage] = {}
        self._phrases = ClaimPhrases(claim)
        self._written: dict[tuple[int, bytes], ChainPassage] = {}
        self._sentences: dict[int, str] = {}

    def __call__(self, chosen: SetOfPassages) -> Chain:
        """Write a chain."""
        order = chosen.order
        seen = np.zeros(len(self._words.terms), np.bool_)
        passages: list[ChainPassage] = []
        for number in order:
            new = self._words.holds[number] & ~seen
            seen |= new
            key = number, new.tobytes()
            if key not in self._written:
                terms = frozenset(self._words.terms[new].tolist())
                self._written[key] = self._passage(number, self._phrases(terms))
            passages.append(self._written[key])
        joins = [
            self._join(order[start], order[at], start)
            for at, start in enumerate(chosen.starts, start=1)
        ]
        return Chain(
            passages=tuple(passages),
            joins=tuple(joins),
            coverage=chosen.coverage,
            score=chosen.share,
        )

    def _passage(self, number: int, answers: tuple[str, ...]) -> ChainPassage:
        row = self._rows[number]
        [told] = (
            [self._listed[row]]
            if row in self._listed
            else passages_of(self._tables, np.array([row]), np.zeros(1))
        )
        return ChainPassage(
            pid=told.pid,
            title=told.title,
            part=self._tables.part_of(row),
            rank=number + 1,
            sentence=self._sentence(number),
            answers=answers,
            is_named=bool(self._words.is_named[number]),
            metadata=told.metadata,
        )

    def _sentence(self, number: int) -> str:
        if number not in self._sentences:
            text, words = self._text(self._rows[number]), self._words
            self._sentences[number] = text.best_sentence(words.terms, words.weights)
        return self._sentences[number]

    def _text(self, row: int) -> WrittenPassage:
        if row not in self._texts:
            text = self._listed[row].text if row in self._listed else ""
            self._texts[row] = WrittenPassage(self._tables, row, text)
        return self._texts[row]

    def _join(self, one: int, other: int, start: int) -> ChainJoin:
        kind, forward, (words, sentence) = self._told(one, other)
        return ChainJoin(kind=kind, words=words, sentence=sentence, start=start, forward=forward)

    def _told(self, one: int, other: int) -> tuple[JoinKind, bool, tuple[str, str]]:
        """Return what joins two passages, whether the first says it, and where."""
        layer, forward = self._joins.best(one, other)
        saying, said = (one, other) if forward else (other, one)
        n = self._tables.arrays.n_rows
        found = self._joins.entities(layer, saying, said)
        names = {node: self._tables.node_name(node) for node in found}
        # Of names of one weight the first in their order: numbers depend on how it was built.
        node = min(names, key=lambda node: names[node], default=None)
        if node is None:
            return self._joins.kinds[layer], forward, ("", "")
        words, sentence = self._saying(saying, node).mention_of(node - n)
        return (
            self._joins.kinds[layer],
            forward,
            (words or names[node].removeprefix(ROW_MARK), sentence),
        )

    def _saying(self, number: int, node: int) -> WrittenPassage:
        """Return the passage that has an edge to a node, or the first part of its document."""
        edges, own = self._edges, self._rows[number]
        rows = edges.rows[(edges.places == number) & (edges.nodes == node)].tolist()
        row = own if own in rows else min(rows, key=self._tables.part_of)
        return self._text(row)
