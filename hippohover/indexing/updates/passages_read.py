"""Texts read anew by the names that there are once passages have come and gone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np

from hippohover.indexing.passage_scan import links_of
from hippohover.indexing.triples.extractor import BetweenTriples
from hippohover.indexing.updates.names_changed import Names
from hippohover.indexing.updates.standing import NotSmallError, Standing
from hippohover.names.gazetteer import Gazetteer
from hippohover.names.key_table import key_hashes
from hippohover.names.mentions import MAX_NAME_TOKENS, case_rule
from hippohover.names.normal_forms import entity_key, tokens
from hippohover.names.references import references
from hippohover.names.titles import TitleKind, title_keys
from hippohover.records import ExtractionFailure, Passage, Triple

Place = tuple[str, int, int]
"""Key of a name, first token, token after the last."""


@dataclass(frozen=True, kw_only=True)
class Read:
    """What a passage says, by keys of names.

    Attributes
    ----------
    own : list of (str, TitleKind)
        Names that it goes by.
    mentions, links : list of (str, int, int)
    phrases : list of str
    triples : sequence of Triple
    terms : list of str
        Search term of every token of title, heading and text; "" for none.
    title_length : int
    """

    passage: Passage
    own: list[tuple[str, TitleKind]]
    mentions: list[Place]
    links: list[Place]
    phrases: list[str]
    triples: Sequence[Triple]
    terms: list[str]
    title_length: int

    @property
    def arguments(self) -> Iterator[tuple[str, str]]:
        """Key of every subject and object, and how it is written, in their order."""
        for triple in self.triples:
            for written in (triple.subject, triple.object):
                yield entity_key(written), written


class PassageReader:
    """Reads passages as a build does that knows the names of afterwards.

    Parameters
    ----------
    standing : Standing
    names : mapping of str to Name
    extractor : {"between", "none"}
    """

    def __init__(self, standing: Standing, names: Names, extractor: str) -> None:
        self._s = standing
        self._names = names
        self._extractor = extractor

    def __call__(self, passages: Sequence[Passage]) -> list[Read]:
        """What each of some passages says."""
        known, rules = self._names_in(passages)
        gazetteer = Gazetteer({key: at for at, key in enumerate(known)})
        gazetteer.follow(np.array(rules, np.uint8))
        return [self._read(passage, gazetteer, known) for passage in passages]

    def _names_in(self, passages: Sequence[Passage]) -> tuple[list[str], list[int]]:
        """Known names among all that could be one, and their rules."""
        grams = self._grams([tokens(passage.text)[0] for passage in passages])
        numbers = self._s.revision.numbers("name", key_hashes(list(grams))).tolist()
        known: list[str] = []
        rules: list[int] = []
        for key, number in zip(grams, numbers, strict=True):
            name = self._names.get(key)
            if name.is_known if name else self._s.is_known(number):
                known.append(key)
                rules.append(case_rule(name.written if name else self._s.written(number)))
        return known, rules

    def _grams(self, texts: Sequence[Sequence[str]]) -> Mapping[str, None]:
        """All that could be a known name: single words, and what begins as some name does."""
        grams = dict.fromkeys(chain.from_iterable(texts))
        pairs = list(dict.fromkeys(chain.from_iterable(map(_pairs_of, texts))))
        begins = self._s.revision.begin_names(key_hashes(pairs)).tolist()
        changed = {" ".join(key.split(" ")[:2]) for key in self._names}
        begin = {pair for pair, is_one in zip(pairs, begins, strict=True) if is_one} | changed
        for folded in texts:
            for start, pair in enumerate(_pairs_of(folded)):
                if pair in begin:
                    for stop in range(start + 2, min(len(folded), start + MAX_NAME_TOKENS) + 1):
                        grams[" ".join(folded[start:stop])] = None
        return grams

    def _read(self, passage: Passage, gazetteer: Gazetteer, known: Sequence[str]) -> Read:
        text = gazetteer.read(passage.text)
        title, heading = tokens(passage.title)[0], tokens(passage.heading)[0]
        offset = len(title) + len(heading)
        return Read(
            passage=passage,
            own=self._own(passage),
            mentions=[(known[m.name], offset + m.start, offset + m.stop) for m in text.known],
            links=list(self._links(passage, offset)),
            phrases=list(dict.fromkeys(phrase.key for phrase in text.phrases)),
            triples=self._triples(passage, gazetteer),
            terms=self._s.stemmer.terms([*title, *heading, *text.folded]),
            title_length=len(title),
        )

    def _triples(self, passage: Passage, gazetteer: Gazetteer) -> Sequence[Triple]:
        if self._extractor == "none":
            return ()
        [answer] = BetweenTriples(gazetteer).extract([passage])
        if isinstance(answer, ExtractionFailure):
            raise NotSmallError("the facts of a passage could not be read")
        return answer

    def _own(self, passage: Passage) -> list[tuple[str, TitleKind]]:
        """Names that a passage goes by, heads last."""
        own = [(name.key, name.kind) for name in title_keys(passage)]
        heads = [one for one in own if one[1] == TitleKind.HEAD]
        kept = [one for one in heads if self._owns_head(passage, one[0])]
        return [one for one in own if one[1] != TitleKind.HEAD] + kept

    def _owns_head(self, passage: Passage, key: str) -> bool:
        pid = int(passage.pid, 16)
        if key in self._names:
            return self._names[key].is_known and pid in self._names[key].owners
        [row] = self._s.revision.rows_of([pid]).tolist()
        return row >= 0 and bool(self._s.arrays.title_entities[row, TitleKind.HEAD] >= 0)

    def _links(self, passage: Passage, offset: int) -> Iterator[Place]:
        """Known names that a passage links: by the whole of it, its section, or an id."""
        for link in [*links_of(passage), *references(passage)]:
            keys = [self._title_of(link.id)]
            keys += [key for key in map(entity_key, (link.section, link.title)) if self._knows(key)]
            if keys[-1]:
                yield keys[-1], offset + link.start, offset + link.stop

    def _knows(self, key: str) -> bool:
        if key in self._names:
            return self._names[key].is_known
        return bool(key) and self._s.is_known(self._s.number(key))

    def _title_of(self, identifier: str) -> str:
        """Key of the title of the document with an id; "" without one."""
        old = self._s.passages(self._s.rows_equal("document", identifier))
        new = (one for one in self._s.new if identifier and one.document == identifier)
        for passage in sorted([*old, *new], key=lambda one: one.pid):
            for name in title_keys(passage):
                if name.kind in (TitleKind.FULL, TitleKind.OPENING):
                    return name.key
        return ""


def _pairs_of(folded: Sequence[str]) -> Iterator[str]:
    """Every two words that stand side by side."""
    return (f"{one} {other}" for one, other in pairwise(folded))
