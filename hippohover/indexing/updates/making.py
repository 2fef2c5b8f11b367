"""Passages that come and go -> the segment that makes an index what a build of them would."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as arrow
from numpy.typing import NDArray

from hippohover.entity_graph import KNOWN, EdgeType, rough_count
from hippohover.graph_builder import is_phrase
from hippohover.indexing.corpus.passage_table import passage_table, passages_in
from hippohover.indexing.passage_scan import _links, of_id
from hippohover.indexing.triples.extractor import BetweenTriples
from hippohover.lexical import NO_TERM, Stemmer, rough_mean
from hippohover.names.affixes import learn_affixes
from hippohover.names.gazetteer import Gazetteer
from hippohover.names.key_table import key_hashes
from hippohover.names.mentions import MAX_NAME_TOKENS, case_rule, is_findable
from hippohover.names.normal_forms import entity_key, tokens
from hippohover.names.references import references
from hippohover.names.spelling_blocks import spelling_blocks
from hippohover.names.titles import TitleKind, title_keys
from hippohover.records import Passage, Triple
from hippohover.store.segments.application import apply
from hippohover.store.segments.revision import Revision
from hippohover.store.segments.segment import Segment
from hippohover.store.tables import passage_text
from hippohover.store.text_store import packed
from hippohover.vectors.embedding import Encoder
from hippohover.vectors.unit_vectors import UnitVectors

_MOST_TOUCHED = 5000
_SAMPLED = 4096
_MAX_HEAD_TITLES = 3


class NotSmallError(Exception):
    """The change is not small: a build is what it takes."""


@dataclass
class _Name:
    """A key that may begin or end to be a name."""

    key: str
    hash: int
    number: int
    was_known: bool
    is_known: bool = False
    owners: list[int] = field(default_factory=list[int])
    kinds: dict[int, bool] = field(default_factory=dict[int, bool])
    written: str = ""


@dataclass
class _Said:
    """What a passage says, by keys."""

    passage: Passage
    own: list[tuple[str, TitleKind]]
    mentions: list[tuple[str, int, int]]
    links: list[tuple[str, int, int]]
    phrases: list[str]
    triples: Sequence[Triple]
    terms: list[str]
    title_length: int


class SegmentMaker:
    """Makes the segment of one change of an index.

    Parameters
    ----------
    revision : Revision
        The index; it takes the segment when it is made.
    extractor : {"between", "none"}
        The recipe's.
    encoder : Encoder or None
    """

    def __init__(self, revision: Revision, extractor: str, encoder: Encoder | None) -> None:
        self._r = revision
        self._tables = revision.tables()
        self._extractor = extractor
        self._encoder = encoder
        self._stemmer = Stemmer()

    def make(self, new: Iterable[Passage], gone: Iterable[str]) -> Segment:
        """The segment, which the revision has taken.

        Raises
        ------
        NotSmallError
            A build is what it takes.
        """
        r, arrays = self._r, self._tables.arrays
        self._new = sorted(new, key=lambda passage: passage.pid)
        self._new_keys = [int(passage.pid, 16) for passage in self._new]
        gone_keys = [int(pid, 16) for pid in gone]
        self._gone = set(r.rows_of(gone_keys).tolist())
        if -1 in self._gone:
            raise AssertionError("a passage that is not there cannot go")
        self._check_size()
        old = dict(zip(sorted(self._gone), self._passages(sorted(self._gone)), strict=True))
        self._old = old
        names = self._names()
        touched = self._touched(names)
        rows = np.array(sorted(touched), np.int64)
        if len(rows) > _MOST_TOUCHED:
            raise NotSmallError(f"{len(rows)} passages are touched")
        passages = [*self._passages(rows.tolist()), *self._new]
        keys = [*arrays.passage_keys[rows].tolist(), *self._new_keys]
        said = self._say(passages, names)
        before = self._arguments([*self._gone, *rows.tolist()])
        segment = self._segment(gone_keys, keys, said, names)
        self._check_phrases(segment)
        apply(r, segment)
        self._tables = r.tables()
        self._write(segment, keys, said, names, before)
        return segment

    # --- what is there

    def _check_size(self) -> None:
        r, arrays = self._r, self._tables.arrays
        n, n_after = arrays.n_passages, arrays.n_passages + len(self._new) - len(self._gone)
        if rough_count(n) != rough_count(n_after):
            raise NotSmallError("the rough number of passages changes")
        if r.n_used + len(self._new) > r.n_rows:
            raise NotSmallError("there are no spare rows left")
        terms = sum(
            sum(map(bool, self._stemmer.terms(tokens(text)[0])))
            for passage in self._new
            for text in (passage.title, passage.heading, passage.text)
        )
        for row in self._gone:
            own = arrays.terms[slice(*arrays.term_indptr[row : row + 2])]
            terms -= int(np.count_nonzero(own != NO_TERM))
        if rough_mean((int(arrays.term_count[0]) + terms) / max(n_after, 1)) != r.mean:
            raise NotSmallError("the rough mean length changes")
        if arrays.name_affixes.tobytes().strip(b"\0"):
            raise NotSmallError("names have affixes")

    def _passages(self, rows: Sequence[int]) -> list[Passage]:
        """Passages of some rows, in their order."""
        if not rows:
            return []
        table = self._tables.passages.take(np.array(rows))
        texts = pa.array([self._tables.texts[row] for row in rows], pa.large_string())
        return list(passages_in(table.append_column("text", texts)))

    def _number(self, key_hash: int) -> int:
        return int(self._r.numbers("name", np.array([key_hash], np.uint64))[0])

    # --- names

    def _names(self) -> dict[str, _Name]:
        """Every key that passages which come or go bear, as it is afterwards."""
        arrays = self._tables.arrays
        proper: dict[str, list[tuple[int, str]]] = {}
        heads: dict[str, list[tuple[int, str, str]]] = {}
        every: dict[str, None] = {}
        for passage in [*self._old.values(), *self._new]:
            every.update((name.key, None) for name in title_keys(passage))
        for key, passage in zip(self._new_keys, self._new, strict=True):
            own = title_keys(passage)
            for name in own:
                if name.kind == TitleKind.HEAD:
                    heads.setdefault(name.key, []).append((key, own[0].key, name.written))
                else:
                    proper.setdefault(name.key, []).append((key, name.written))
        hashes = dict(zip(every, key_hashes(list(every)).tolist(), strict=True))
        names: dict[str, _Name] = {}
        living = arrays.documents >= 0
        living[sorted(self._gone)] = False
        of_heads = np.flatnonzero(
            np.isin(arrays.head_hashes, np.array(list(hashes.values()), np.uint64)) & living
        )
        head_rows: dict[int, list[int]] = {}
        for row in of_heads.tolist():
            head_rows.setdefault(int(arrays.head_hashes[row]), []).append(row)
        for key, value in hashes.items():
            number = self._number(value)
            was = number >= 0 and arrays.entity_standing[number] == KNOWN
            name = names[key] = _Name(key, value, number, bool(was))
            rows = (
                arrays.owner_passages[slice(*arrays.owner_spans[number])]
                if was
                else np.zeros(0, np.int32)
            )
            rows = rows[living[rows]]
            by_head = arrays.title_entities[rows, TitleKind.HEAD] == number
            own = [(int(arrays.passage_keys[row]), row) for row in rows[~by_head].tolist()]
            if own or key in proper:
                came = proper.get(key, [])
                name.is_known = True
                name.owners = [*(k for k, _ in own), *(k for k, _ in came)]
                name.written = self._first_written(key, own, dict(came))
                continue
            of_head = [(int(arrays.passage_keys[row]), row) for row in head_rows.get(value, [])]
            new = heads.get(key, [])
            titles: set[int] = {
                int(arrays.title_entities[row, TitleKind.FULL]) for _, row in of_head
            }
            for _, title, _ in new:
                at = self._number(int(key_hashes([title])[0]))
                titles.add(at if at >= 0 else -2 - hash(title) % (1 << 40))
            if 1 <= len(titles) <= _MAX_HEAD_TITLES:
                name.is_known = True
                name.owners = [*(k for k, _ in of_head), *(k for k, _, _ in new)]
                name.written = self._first_written(key, of_head, {k: w for k, _, w in new})
        return names

    def _first_written(self, key: str, old: list[tuple[int, int]], new: dict[int, str]) -> str:
        """How the first of the passages that go by a key writes it."""
        first = min([k for k, _ in old] + list(new))
        if first in new:
            return new[first]
        (passage,) = self._passages([row for k, row in old if k == first])
        return next(name.written for name in title_keys(passage) if name.key == key)

    def _was_written(self, name: _Name) -> str:
        return self._tables.entities.column("name")[name.number].as_py()

    def _touched(self, names: dict[str, _Name]) -> set[int]:
        """Rows that stay and may name something else now."""
        arrays = self._tables.arrays
        touched: set[int] = set()
        moved: list[int] = []
        for name in names.values():
            before: set[int] = set()
            if name.was_known:
                span = slice(*arrays.owner_spans[name.number])
                before = set(arrays.passage_keys[arrays.owner_passages[span]].tolist())
            touched.update(self._r.rows_of(sorted(before ^ set(name.owners))).tolist())
            appears = name.is_known and not name.was_known
            if name.is_known and name.was_known:
                appears = case_rule(name.written) != case_rule(self._was_written(name))
            if name.is_known != name.was_known:
                moved.append(name.hash)
            if appears and is_findable(name.key.split(" ")):
                touched.update(self._holders(name.key))
            if name.was_known and (appears or not name.is_known):
                touched.update(self._naming(name.number))
        ids = {of_id(p.document) for p in [*self._old.values(), *self._new] if p.document}
        wanted = np.array([*moved, *key_hashes(sorted(ids)).tolist()], np.uint64)
        places = np.flatnonzero(np.isin(arrays.target_hashes, wanted))
        touched.update(arrays.target_rows[places].tolist())
        self._check_affixes(names)
        return {
            row
            for row in touched
            if row >= 0 and row not in self._gone and arrays.documents[row] >= 0
        }

    def _check_affixes(self, names: dict[str, _Name]) -> None:
        """Affixes are learned from names and texts beyond ASCII: whether these teach others now."""
        passages = [*self._old.values(), *self._new]
        moved = any(
            name.is_known != name.was_known for name in names.values() if not name.key.isascii()
        )
        if not moved and all(passage.text.isascii() for passage in passages):
            return
        arrays = self._tables.arrays
        written = self._tables.entities.column("name")
        is_plain = arrow.call_function("string_is_ascii", [written]).to_numpy()
        numbers = np.flatnonzero(~is_plain & (arrays.entity_standing == KNOWN))
        keys = {entity_key(text) for text in written.take(numbers).to_pylist()}
        keys -= {name.key for name in names.values() if not name.is_known}
        keys |= {name.key for name in names.values() if name.is_known}
        living = arrays.documents >= 0
        living[sorted(self._gone)] = False
        first = arrays.by_key(np.flatnonzero(living))[:_SAMPLED].tolist()
        texts = {int(arrays.passage_keys[row]): row for row in first}
        sample = sorted([*texts, *self._new_keys])[:_SAMPLED]
        new = {key: passage.text for key, passage in zip(self._new_keys, self._new, strict=True)}
        read = (new[key] if key in new else self._tables.texts[texts[key]] for key in sample)
        if any(learn_affixes(keys, (tokens(text)[0] for text in read if not text.isascii()))):
            raise NotSmallError("names have affixes")

    def _holders(self, key: str) -> set[int]:
        """Passages whose texts have the words of a name one behind the other."""
        arrays = self._tables.arrays
        terms = self._stemmer.terms(key.split(" "))
        numbers = self._r.numbers("term", key_hashes([term for term in terms if term]))
        if not len(numbers):
            raise NotSmallError("a name of stop words alone comes or goes")
        if (numbers < 0).any():
            return set()
        lexical = arrays.lexical
        rows: NDArray[np.int32] | None = None
        for number in sorted(numbers.tolist(), key=lambda n: int(arrays.term_df[n])):
            held = lexical.holders(number)
            rows = held if rows is None else rows[np.isin(rows, held)]
        assert rows is not None
        if len(rows) > 20 * _MOST_TOUCHED:
            raise NotSmallError("a name of very common words comes or goes")
        of_terms = iter(numbers.tolist())
        wanted = np.array([next(of_terms) if term else NO_TERM for term in terms])
        found: set[int] = set()
        for row in rows.tolist():
            own = arrays.terms[slice(*arrays.term_indptr[row : row + 2])]
            n = len(own) - len(wanted) + 1
            if n > 0:
                stands = own[:n] == wanted[0]
                for at in range(1, len(wanted)):
                    stands &= own[at : n + at] == wanted[at]
                if stands.any():
                    found.add(row)
        return found

    def _naming(self, number: int) -> set[int]:
        graph = self._tables.arrays.graph
        row = slice(*graph.spans[graph.n_passages + number])
        others, kinds = graph.neighbours[row], graph.types[row]
        return set(others[(kinds == EdgeType.MENTION) | (kinds == EdgeType.LINK)].tolist())

    # --- what passages say

    def _say(self, passages: Sequence[Passage], names: dict[str, _Name]) -> list[_Said]:
        grams: dict[str, None] = {}
        for passage in passages:
            folded = tokens(passage.text)[0]
            for start in range(len(folded)):
                for stop in range(start + 1, min(len(folded), start + MAX_NAME_TOKENS) + 1):
                    grams[" ".join(folded[start:stop])] = None
        every = list(grams)
        numbers = self._r.numbers("name", key_hashes(every)).tolist()
        standing = self._tables.arrays.entity_standing
        written = self._tables.entities.column("name")
        known: list[str] = []
        rules: list[int] = []
        for key, number in zip(every, numbers, strict=True):
            name = names.get(key)
            is_known = name.is_known if name else number >= 0 and standing[number] == KNOWN
            if is_known:
                known.append(key)
                rules.append(case_rule(name.written if name else written[number].as_py()))
        gazetteer = Gazetteer({key: at for at, key in enumerate(known)})
        gazetteer.follow(np.array(rules, np.uint8))
        return [self._said(passage, gazetteer, known, names) for passage in passages]

    def _said(
        self, passage: Passage, gazetteer: Gazetteer, known: list[str], names: dict[str, _Name]
    ) -> _Said:
        text = gazetteer.read(passage.text)
        title, heading = tokens(passage.title)[0], tokens(passage.heading)[0]
        offset = len(title) + len(heading)
        triples: Sequence[Triple] = ()
        if self._extractor == "between":
            (answer,) = BetweenTriples(gazetteer).extract([passage])
            assert isinstance(answer, list)
            triples = answer
        own: list[tuple[str, TitleKind]] = []
        of_heads: list[tuple[str, TitleKind]] = []
        for one in title_keys(passage):
            if one.kind != TitleKind.HEAD:
                own.append((one.key, one.kind))
            elif self._owns_head(passage, one.key, names):
                of_heads.append((one.key, one.kind))
        return _Said(
            passage=passage,
            own=own + of_heads,
            mentions=[(known[m.name], offset + m.start, offset + m.stop) for m in text.known],
            links=self._resolved(passage, offset, names),
            phrases=list(dict.fromkeys(phrase.key for phrase in text.phrases)),
            triples=triples,
            terms=self._stemmer.terms([*title, *heading, *text.folded]),
            title_length=len(title),
        )

    def _owns_head(self, passage: Passage, key: str, names: dict[str, _Name]) -> bool:
        pid = int(passage.pid, 16)
        if key in names:
            return names[key].is_known and pid in names[key].owners
        row = int(self._r.rows_of([pid])[0])
        return row >= 0 and self._tables.arrays.title_entities[row, TitleKind.HEAD] >= 0

    def _resolved(
        self, passage: Passage, offset: int, names: dict[str, _Name]
    ) -> list[tuple[str, int, int]]:
        found: list[tuple[str, int, int]] = []
        for link in [*_links(passage), *references(passage)]:
            target = self._title_of(link.id)
            for written in (link.section, link.title):
                key = entity_key(written)
                if self._is_known(key, names):
                    target = key
            if target:
                found.append((target, offset + link.start, offset + link.stop))
        return found

    def _is_known(self, key: str, names: dict[str, _Name]) -> bool:
        if key in names:
            return names[key].is_known
        number = self._number(int(key_hashes([key])[0]))
        return number >= 0 and self._tables.arrays.entity_standing[number] == KNOWN

    def _title_of(self, identifier: str) -> str:
        """Key of the title of the document of an id; "" without one."""
        if not identifier:
            return ""
        arrays = self._tables.arrays
        rows = [
            row
            for row in self._tables.rows_equal("document", identifier).tolist()
            if arrays.documents[row] >= 0 and row not in self._gone
        ]
        found = [*self._passages(rows), *(p for p in self._new if p.document == identifier)]
        for passage in sorted(found, key=lambda passage: passage.pid):
            for one in title_keys(passage):
                if one.kind in (TitleKind.FULL, TitleKind.OPENING):
                    return one.key
        return ""

    # --- the segment

    def _segment(
        self, gone: list[int], keys: list[int], said: list[_Said], names: dict[str, _Name]
    ) -> Segment:
        strings: dict[str, None] = {}
        written: dict[str, str] = {}
        edges: list[tuple[int, str, int]] = []
        titles: list[tuple[int, str, int]] = []
        mentions: list[tuple[int, str, int, int]] = []
        facts: list[tuple[int, str, str, str, int]] = []
        phrases: list[tuple[int, str]] = []
        predicates: dict[str, None] = {}
        for at, one in enumerate(said):
            own = {key for key, _ in one.own}
            titles += [(at, key, kind) for key, kind in one.own]
            edges += [(at, key, EdgeType.TITLE) for key in own]
            named = {key for key, _, _ in one.mentions}
            edges += [(at, key, EdgeType.MENTION) for key in named - own]
            linked = {key for key, _, _ in one.links}
            edges += [(at, key, EdgeType.LINK) for key in linked - own]
            both = [*one.mentions, *(link for link in one.links if link[0] not in named)]
            kept = sorted((m for m in both if m[0] not in own), key=lambda m: m[1])
            mentions += [(at, *m) for m in kept]
            phrases += [(at, key) for key in one.phrases]
            arguments: set[str] = set()
            for triple in one.triples:
                subject, target = entity_key(triple.subject), entity_key(triple.object)
                for key, text in ((subject, triple.subject), (target, triple.object)):
                    written.setdefault(key, text)
                if subject != target:
                    facts.append((at, subject, triple.predicate, target, triple.sentence))
                    predicates[triple.predicate] = None
                    arguments |= {subject, target}
            edges += [(at, key, EdgeType.SOURCE) for key in arguments]
        changed = [name for name in names.values() if name.is_known or name.was_known]
        for key, *_ in [*((k,) for _, k, _ in edges), *((k,) for _, k in phrases)]:
            strings[key] = None
        strings.update((name.key, None) for name in changed)
        hash_of = dict(zip(strings, key_hashes(list(strings)).tolist(), strict=True))
        predicate_of = dict(zip(predicates, key_hashes(list(predicates)).tolist(), strict=True))
        texts = {hash_of[key]: written.get(key, key) for key in strings}
        texts |= {name.hash: name.written for name in changed if name.is_known}
        new = said[len(said) - len(self._new) :]
        rows = [passage_text(p.title, p.heading, p.text) for p in self._new]
        vectors = UnitVectors.of(self._encoder.encode(rows)) if self._encoder and rows else None
        terms = [term for one in new for term in one.terms]
        distinct = list(dict.fromkeys(filter(None, terms)))
        term_of = dict(zip(distinct, key_hashes(distinct).tolist(), strict=True)) | {"": 0}
        targets = self._targets()
        codes = self._tables.arrays.passage_codes
        return Segment(
            gone=np.array(gone, np.uint64),
            passages=self._table(),
            frames=list(packed((p.text for p in self._new), self._tables.arrays.text_dictionary)),
            codes=vectors.codes if vectors else codes[:0],
            scales=vectors.scales if vectors else np.zeros(0, np.float32),
            documents=np.array([self._document(p) for p in self._new], np.uint64),
            heads=np.array([self._head(p) for p in self._new], np.uint64),
            title_lengths=np.array([one.title_length for one in new], np.int32),
            lengths=np.array([len(one.terms) for one in new], np.int32),
            terms=np.array([term_of[term] for term in terms], np.uint64),
            targets=np.array([t for _, t in targets], np.uint64),
            target_of=np.array([at for at, _ in targets], np.int32),
            touched=np.array(keys, np.uint64),
            edges=np.array([hash_of[k] for _, k, _ in edges], np.uint64),
            edge_of=np.array([at for at, _, _ in edges], np.int32),
            edge_kinds=np.array([kind for *_, kind in edges], np.int32),
            titles=np.array([hash_of[k] for _, k, _ in titles], np.uint64),
            title_of=np.array([at for at, _, _ in titles], np.int32),
            title_kinds=np.array([kind for *_, kind in titles], np.int32),
            mentions=np.array(
                [hash_of.get(m[1]) or int(key_hashes([m[1]])[0]) for m in mentions], np.uint64
            ),
            mention_rows=np.array([(m[0], m[2], m[3]) for m in mentions], np.int32).reshape(-1, 3),
            facts=np.array(
                [(hash_of[s], predicate_of[p], hash_of[o]) for _, s, p, o, _ in facts], np.uint64
            ).reshape(-1, 3),
            fact_rows=np.array([(f[0], f[4]) for f in facts], np.int32).reshape(-1, 2),
            phrases=np.array([hash_of[k] for _, k in phrases], np.uint64),
            phrase_of=np.array([at for at, _ in phrases], np.int32),
            names=np.array([name.hash for name in changed], np.uint64),
            known=np.array([name.is_known for name in changed], np.bool_),
            owners=np.array([k for name in changed for k in name.owners], np.uint64),
            owner_of=np.array(
                [at for at, name in enumerate(changed) for _ in name.owners], np.int32
            ),
            written=texts,
            blocks={hash_of[key]: spelling_blocks(key) for key in strings},
            predicates={value: key for key, value in predicate_of.items()},
        )

    def _table(self) -> pa.Table:
        names = [
            n.removeprefix("metadata.")
            for n in self._tables.passages.column_names
            if n.startswith("metadata.")
        ]
        table = passage_table(self._new, names).drop_columns(["text"])
        return table

    def _targets(self) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        for at, passage in enumerate(self._new):
            for link in [*_links(passage), *references(passage)]:
                texts = [entity_key(link.title), entity_key(link.section), of_id(link.id)]
                found += [(at, value) for value in key_hashes(texts).tolist()]
        return found

    def _head(self, passage: Passage) -> int:
        keys = [one.key for one in title_keys(passage) if one.kind == TitleKind.HEAD]
        return int(key_hashes(keys)[0]) if keys else 0

    def _document(self, passage: Passage) -> int:
        """Id of a passage of the same document: of an old one, else of the first new one."""
        arrays = self._tables.arrays

        def is_same(other: Passage) -> bool:
            if passage.document:
                return (other.document, other.path) == (passage.document, passage.path)
            return bool(passage.title) and not other.document and other.title == passage.title

        column, value = (
            ("document", passage.document) if passage.document else ("title", passage.title)
        )
        rows = [
            row
            for row in (self._tables.rows_equal(column, value).tolist() if value else [])
            if arrays.documents[row] >= 0 and row not in self._gone
        ]
        for other in [*self._passages(rows), *self._new]:
            if is_same(other) or other is passage:
                return int(other.pid, 16)
        return int(passage.pid, 16)

    def _check_phrases(self, segment: Segment) -> None:
        """A phrase that fewer passages hold now than too many is one of which nobody has the words."""
        rows = self._r.view("phrase_rows")
        lost = np.isin(rows, np.array(sorted(self._gone), np.int32))
        hashes, n_lost = np.unique(self._r.view("phrase_hashes")[lost], return_counts=True)
        if len(hashes):
            n = self._tables.arrays.n_passages
            counts = self._r_holders(hashes)
            if (is_phrase(counts - n_lost, n) & ~is_phrase(counts, n)).any():
                raise NotSmallError("a phrase that very many passages hold becomes rarer")

    def _r_holders(self, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        there = self._r.view("phrase_rows") >= 0
        held = self._r.view("phrase_hashes")[there]
        return np.array([np.count_nonzero(held == value) for value in hashes.tolist()], np.int64)

    # --- how entities are written

    def _arguments(self, rows: Sequence[int]) -> set[int]:
        """Entities that passages state something of."""
        graph = self._tables.arrays.graph
        found: set[int] = set()
        for row in rows:
            own = slice(*graph.spans[row])
            kinds = graph.types[own]
            stated = (kinds == EdgeType.SOURCE) | (kinds == EdgeType.PHRASE)
            found.update((graph.neighbours[own][stated] - graph.n_passages).tolist())
        return found

    def _write(
        self,
        segment: Segment,
        keys: list[int],
        said: list[_Said],
        names: dict[str, _Name],
        before: set[int],
    ) -> None:
        """Find how every entity that may have changed is written, and put it in the segment."""
        r, arrays = self._r, self._tables.arrays
        graph = arrays.graph
        said_of = dict(zip(r.rows_of(keys).tolist(), said, strict=True))
        affected = before | self._arguments(list(said_of))
        affected |= {self._number(name.hash) for name in names.values()} - {-1}
        moved = np.unique(np.concatenate([segment.phrases, np.zeros(0, np.uint64)]))
        affected |= set(r.numbers("name", moved).tolist()) - {-1}
        hash_of = r.hashes_of(affected)
        counts = {}
        values = np.array([hash_of[e] for e in affected if e in hash_of], np.uint64)
        there = r.view("phrase_rows") >= 0
        held = r.view("phrase_hashes")[there]
        distinct, n_held = np.unique(held[np.isin(held, values)], return_counts=True)
        counts = dict(zip(distinct.tolist(), n_held.tolist(), strict=True))
        old = self._tables.entities.column("name")
        written: dict[int, str] = {}
        by_hash = {name.hash: name for name in names.values()}
        again: dict[int, _Said] = {}
        for entity in affected:
            value = hash_of.get(entity)
            if value is None:
                continue
            name = by_hash.get(value)
            if arrays.entity_standing[entity] == KNOWN:
                if name is not None and name.is_known:
                    written[value] = name.written
                continue
            if is_phrase(np.int64(counts.get(value, 0)), arrays.n_passages):
                written[value] = entity_key(segment.written.get(value) or old[entity].as_py())
                continue
            own = slice(*graph.spans[graph.n_passages + entity])
            rows = graph.neighbours[own][graph.types[own] == EdgeType.SOURCE]
            if not len(rows):
                continue
            first = int(arrays.by_key(rows)[0])
            if first not in said_of and first not in again:
                (passage,) = self._passages([first])
                (again[first],) = self._say([passage], names)
            text = said_of.get(first) or again[first]
            for triple in text.triples:
                done = False
                for word in (triple.subject, triple.object):
                    if int(key_hashes([entity_key(word)])[0]) == value:
                        written[value] = word
                        done = True
                        break
                if done:
                    break
        segment.written = {**written}
        r.write_names(written)
