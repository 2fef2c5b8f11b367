"""Reads texts again, by the names that exist after a change."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np

from hippohover.entity_graph import KNOWN
from hippohover.errors import BuildError
from hippohover.indexing.field_values import joined_keys
from hippohover.indexing.passage_scan import links_of
from hippohover.indexing.triples.between import BetweenTriples
from hippohover.indexing.updates.changed_index import ChangedIndex, NotSmallError
from hippohover.indexing.updates.names_changed import Name, Names
from hippohover.language.name_forms import NameForms, name_hashes, run_hashes, sorted_columns
from hippohover.names.gazetteer import Gazetteer
from hippohover.names.normal_forms import entity_key, tokens
from hippohover.names.references import references
from hippohover.names.titles import IN_PART, TitleKind, title_keys
from hippohover.recipe import IndexRecipe
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
    formed : set of str
        Keys of mentions that the text has in other forms alone.
    phrases : list of str
    joined : list of str
        Keys of what it has in fields that join passages.
    runs : list of int
        As ``IndexArrays.run_hashes``.
    triples : sequence of Triple
    terms : list of str
        Of one that comes, search term of every token of title, heading and text; "" for none.
    title_length : int
    """

    passage: Passage
    own: list[tuple[str, TitleKind]]
    mentions: list[Place]
    links: list[Place]
    formed: set[str]
    phrases: list[str]
    joined: list[str]
    runs: list[int]
    triples: Sequence[Triple]
    terms: list[str]
    title_length: int

    @cached_property
    def arguments(self) -> list[tuple[str, str]]:
        """Key and spelling of every subject and object, in their order."""
        every = ((triple.subject, triple.object) for triple in self.triples)
        return [(entity_key(written), written) for pair in every for written in pair]


class PassageReader:
    """Reads passages as a build would with the names that exist afterwards.

    Parameters
    ----------
    standing : ChangedIndex
    names : mapping of str to Name
    recipe : IndexRecipe
    """

    def __init__(self, standing: ChangedIndex, names: Names, recipe: IndexRecipe) -> None:
        self._s = standing
        self._names = names
        self._extractor = recipe.extractor
        self._join = [recipe.corpus.kept.index(name) for name in recipe.corpus.join]
        self._keys: dict[int, str] = {}
        self._new = set(standing.new_keys)
        self._gazetteer = self._gazetteer_then()

    def _gazetteer_then(self) -> Gazetteer:
        """Return the names to be found afterwards."""
        revision = self._s.revision
        known = [name for name in self._names.values() if name.is_known]
        hashes = np.array([name.hash for name in known], np.uint64)
        numbers = revision.entity_numbers(hashes, {name.hash: name.written for name in known})
        for name, number in zip(known, numbers.tolist(), strict=True):
            revision.name(number, name.written)
        for name in self._names.values():
            if name.was_known and not name.is_known:
                revision.unname(name.number)
        try:
            gazetteer = revision.gazetteer()
        except BuildError as error:
            raise NotSmallError(str(error)) from error
        gazetteer.find_forms(self._forms_then(numbers.tolist(), known))
        return gazetteer

    def _forms_then(self, numbers: Sequence[int], known: Sequence[Name]) -> NameForms:
        """Return the finder of other forms of the names that exist afterwards."""
        arrays, changed = self._s.arrays, {name.number for name in self._names.values()}
        stays = (arrays.entity_standing == KNOWN)[arrays.form_names]
        stays &= ~np.isin(arrays.form_names, list(changed))
        written = dict(zip(numbers, (name.written for name in known), strict=True))
        new = [(value, at) for at, name in written.items() for value in name_hashes(name)]
        hashes = [arrays.form_hashes[stays], np.array([value for value, _ in new], np.uint64)]
        names = [arrays.form_names[stays], np.array([at for _, at in new], np.int32)]
        columns = sorted_columns(np.concatenate(hashes), np.concatenate(names))
        return NameForms(columns, lambda at: written.get(at) or self._s.written(at))

    def __call__(self, passages: Sequence[Passage]) -> list[Read]:
        """Read what each of some passages says."""
        return [self._read(passage) for passage in passages]

    def _key_of(self, number: int) -> str:
        """Return the key of a known name."""
        if number not in self._keys:
            self._keys[number] = entity_key(self._s.written(number))
        return self._keys[number]

    def _read(self, passage: Passage) -> Read:
        text = self._gazetteer.read(passage.text)
        title, heading = tokens(passage.title)[0], tokens(passage.heading)[0]
        offset = len(title) + len(heading)
        return Read(
            passage=passage,
            own=self._own(passage),
            mentions=[
                (self._key_of(m.name), offset + m.start, offset + m.stop) for m in text.known
            ],
            links=list(self._links(passage, offset)),
            formed={self._key_of(name) for name in text.formed()},
            phrases=text.phrase_keys(),
            joined=joined_keys(passage.metadata[at] for at in self._join),
            runs=run_hashes(run.key for run in text.runs),
            triples=self._triples(passage),
            terms=self._terms(passage, [*title, *heading, *text.folded]),
            title_length=len(title),
        )

    def _terms(self, passage: Passage, folded: list[str]) -> list[str]:
        """Return the terms of a new passage; those of others are unchanged."""
        return self._s.stemmer.terms(folded) if int(passage.pid, 16) in self._new else []

    def _triples(self, passage: Passage) -> Sequence[Triple]:
        if self._extractor == "none":
            return ()
        [answer] = BetweenTriples(self._gazetteer).extract([passage])
        if isinstance(answer, ExtractionFailure):
            raise NotSmallError("the facts of a passage could not be read")
        return answer

    def _own(self, passage: Passage) -> list[tuple[str, TitleKind]]:
        """Return the names of a passage, parts of its title last."""
        own = [(name.key, name.kind) for name in title_keys(passage)]
        kept = [one for one in own if one[1] in IN_PART and self._owns_part(passage, one[0])]
        return [one for one in own if one[1] not in IN_PART] + kept

    def _owns_part(self, passage: Passage, key: str) -> bool:
        pid = int(passage.pid, 16)
        if key in self._names:
            return self._names[key].is_known and pid in self._names[key].owners
        [row] = self._s.revision.rows_of([pid]).tolist()
        number = self._s.number(key)
        if row < 0 or not self._s.is_known(number):
            return False
        arrays = self._s.arrays
        return bool(np.isin(row, arrays.owner_passages[slice(*arrays.owner_spans[number])]))

    def _links(self, passage: Passage, offset: int) -> Iterator[Place]:
        """Yield known names that a passage links: by the whole of it, its section, or an id."""
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
        """Return the key to which a link to an id leads; "" without one."""
        old = self._s.passages(self._s.rows_equal("document", identifier))
        new = (one for one in self._s.new if identifier and one.document == identifier)
        own = [title_keys(one) for one in sorted([*old, *new], key=lambda one: one.pid)]
        for kind in (TitleKind.FULL, TitleKind.ALIAS, TitleKind.OPENING):
            for name in chain.from_iterable(own):
                if name.kind == kind:
                    return name.key
        return ""
