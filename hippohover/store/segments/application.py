"""Applies a segment to an index in memory, step by step."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import KNOWN, OF_PHRASES, OUTSIDE, EdgeType
from hippohover.graph_builder import is_phrase, phrase_type
from hippohover.kernels import compiled
from hippohover.lexical import NO_TERM, saturation_of
from hippohover.store.segments.edges import EdgeChanges, codes_of
from hippohover.store.segments.hash_places import places_of
from hippohover.store.segments.revision import Hashes, Revision, Rows
from hippohover.store.segments.segment import Segment
from hippohover.store.segments.weights import pairs_of, weigh


def apply(revision: Revision, segment: Segment) -> None:
    """Apply a segment: the index then equals a build of the resulting passages.

    How entities are written is left to ``Revision.write_names``.
    """
    _Application(revision, segment).run()


class _Application:
    def __init__(self, revision: Revision, segment: Segment) -> None:
        self.r, self.s = revision, segment
        self.edges = EdgeChanges(revision)
        self.gone = _there(revision, segment.gone)
        self.touched = np.zeros(0, np.int64)
        self.documents = set(revision.view("documents")[self.gone].tolist())
        self.facts: set[int] = set()  # that came or went, or did both
        self.own: dict[int, set[int]] = {}  # entities that touched passages go by

    def run(self) -> None:
        """Remove, add, then update what follows, in an order that gives each step its input."""
        phrases, before = self._phrase_holders()
        self._leave()
        self._come()
        self.touched = _there(self.r, self.s.touched)
        self._state()
        self._own_names()
        self._name()
        self._hold_phrases(phrases, before)
        self._follow_each_other()
        self.edges.make()
        entities = self.edges.settle()
        self.edges.change_spellings(entities, self.s.blocks)
        self.edges.make()
        moved = self.r.view("facts")[sorted(self.facts)][:, [0, 2]].astype(np.int64)
        self.edges.dirty.update(moved.ravel().tolist())
        pairs = pairs_of(self.r, self.edges.dirty)
        moved = np.unique(np.sort(moved, axis=1), axis=0)
        self.edges.join(moved, EdgeType.FACT, add=pairs.hold(moved))
        self.edges.make()
        weigh(self.r, self.edges, pairs)

    # --- passages that go, and that come

    def _phrase_holders(self) -> tuple[Hashes, Rows]:
        """Return phrases that others may hold now, and their earlier counts."""
        touched = self.r.rows_of(self.s.touched.tolist())
        flags = np.zeros(self.r.n_rows + 1, np.bool_)  # the last is of -1
        flags[self.gone] = True
        flags[touched[touched >= 0]] = True
        self.r.view("run_rows")[flags[self.r.view("run_rows")]] = -1
        places = np.flatnonzero(flags[self.r.view("phrase_rows")])
        held = self.r.view("phrase_hashes")[places]
        phrases = np.unique(np.concatenate([held, self.s.phrases]))
        before = self._n_holders(phrases)
        self.r.view("phrase_rows")[places] = -1
        return phrases, before

    def _n_holders(self, phrases: Hashes) -> Rows:
        """Count the passages that hold each phrase."""
        hashes, rows = self.r.view("phrase_hashes"), self.r.view("phrase_rows")
        places = places_of(hashes, phrases)
        held = hashes[places[rows[places] >= 0]]
        return np.bincount(np.searchsorted(phrases, held), minlength=len(phrases))

    def _leave(self) -> None:
        r = self.r
        for name in ("tail_rows", "target_rows"):
            r.view(name)[np.isin(r.view(name), self.gone)] = -1
        for row in self.gone.tolist():
            self._leave_postings(row)
            self._unstate(row)
            others, _, kinds = r.graph.row(row)
            self.edges.become(row, codes_of(others, kinds), np.zeros(0, np.int64))
        r.view("documents")[self.gone] = -1
        r.view("title_entities")[self.gone] = -1
        for name in ("mention_spans", "fact_spans", "head_hashes"):
            r.view(name)[self.gone] = 0

    def _leave_postings(self, row: int) -> None:
        r = self.r
        terms = r.view("terms")[slice(*r.view("term_indptr")[row : row + 2].tolist())]
        held = terms[terms != NO_TERM]
        r.view("term_count")[0] -= len(held)
        for term in np.unique(held).tolist():
            passages, weights = r.postings.row(term)
            weights[np.searchsorted(passages, np.int32(row))] = 0  # an int would be many
            r.view("term_df")[term] -= 1

    def _unstate(self, row: int) -> None:
        (stated,) = self.r.stated.row(row)
        self.r.view("fact_df")[stated[:, 0]] -= 1
        self.facts.update(stated[:, 0].tolist())

    def _come(self) -> None:
        r, s = self.r, self.s
        rows = r.add_rows(s.passages)
        r.view("title_lengths")[rows] = s.title_lengths
        r.view("head_hashes")[rows] = s.heads
        self._number_documents(rows)
        self._come_with_words(rows)
        r.grown["text_frames"].append(np.frombuffer(b"".join(s.frames), np.uint8))
        _extend(r.view("text_indptr"), rows, [len(frame) for frame in s.frames])
        if len(s.scales):
            r.grown["passage_codes"].append(s.codes)
            r.grown["passage_scales"].append(s.scales)
        r.grown["phrase_hashes"].append(s.phrases)
        touched = r.rows_of(s.touched.tolist())
        r.grown["phrase_rows"].append(touched[s.phrase_of].astype(np.int32))
        r.grown["run_hashes"].append(s.runs)
        r.grown["run_rows"].append(touched[s.run_of].astype(np.int32))
        r.grown["tail_hashes"].append(s.tails)
        r.grown["tail_rows"].append(rows[s.tail_of].astype(np.int32))
        r.grown["target_hashes"].append(s.targets)
        r.grown["target_rows"].append(rows[s.target_of].astype(np.int32))

    def _number_documents(self, rows: Rows) -> None:
        numbers = self.r.view("documents")
        last = int(numbers.max(initial=-1))
        of_keys: dict[int, int] = {}
        for row, key in zip(rows.tolist(), self.s.documents.tolist(), strict=True):
            if key not in of_keys:
                old = int(self.r.rows_of([key])[0])
                last += old < 0
                of_keys[key] = int(numbers[old]) if old >= 0 else last
            numbers[row] = of_keys[key]
            self.documents.add(of_keys[key])

    def _come_with_words(self, rows: Rows) -> None:
        r, s = self.r, self.s
        is_term = s.terms != 0
        numbers = np.full(len(s.terms), NO_TERM, np.int32)
        numbers[is_term] = r.term_numbers(s.terms[is_term])
        r.grown["terms"].append(numbers)
        r.view("term_count")[0] += np.count_nonzero(is_term)
        _extend(r.view("term_indptr"), rows, s.lengths.tolist())
        # One entry for each passage and term, by term: its row grows by all of them at once.
        of_rows = np.repeat(rows, s.lengths)[is_term]
        lengths = np.bincount(of_rows - rows[0], minlength=len(rows)) if len(rows) else rows
        places = numbers[is_term].astype(np.int64) << 32 | of_rows
        places, counts = np.unique(places, return_counts=True)
        terms, holders = places >> 32, (places & 0xFFFFFFFF).astype(np.int32)
        half = saturation_of(lengths, r.mean)[holders - rows[:1]]
        weights = (counts / (counts + half)).astype(np.float32).astype(np.float16)
        starts = np.flatnonzero(np.diff(terms, prepend=-1))
        for start, stop in pairwise([*starts.tolist(), len(terms)]):
            term = int(terms[start])
            r.view("term_df")[term] += stop - start
            r.postings.append(term, holders[start:stop], weights[start:stop])

    # --- what the touched passages say

    def _state(self) -> None:
        """Update facts of the touched passages."""
        r, s = self.r, self.s
        entities = r.entity_numbers(s.facts[:, [0, 2]].ravel(), s.written).reshape(-1, 2)
        predicates = r.predicate_numbers(s.facts[:, 1], s.predicates)
        facts = self._fact_numbers(np.column_stack([entities[:, 0], predicates, entities[:, 1]]))
        df = r.view("fact_df")
        for row, own in zip(self.touched.tolist(), _groups(s.fact_rows[:, 0], self), strict=True):
            self._unstate(row)
            sentences: dict[int, int] = {}
            pairs = zip(facts[own].tolist(), s.fact_rows[own, 1].tolist(), strict=True)
            for fact, sentence in pairs:
                sentences[fact] = min(sentence, sentences.get(fact, sentence))
            stated = np.array(list(sentences.items()), np.int32).reshape(-1, 2)
            r.stated.put(row, stated)
            self.facts.update(sentences)
            df[stated[:, 0]] += 1

    def _fact_numbers(self, triples: Rows) -> Rows:
        """Return numbers of facts; new facts get one."""
        facts = self.r.view("facts")
        n_entities = self.r.grown["entity_df"].n
        sizes = (n_entities, self.r.n_predicates, n_entities)
        # One number for a triple: the places of its parts among those that are looked for.
        wanted = np.zeros(len(triples), np.int64)
        tables: list[NDArray[np.int32]] = []
        for column, size in enumerate(sizes):
            distinct, at = np.unique(triples[:, column], return_inverse=True)
            wanted = wanted * max(len(distinct), 1) + at
            tables.append(np.full(size, -1, np.int32))
            tables[-1][distinct] = np.arange(len(distinct), dtype=np.int32)
        near = np.empty((len(facts), 2), np.int64)  # what is not filled takes no memory
        n_distinct = np.array([table.max(initial=-1) + 1 for table in tables], np.int64)
        near = near[: _fill_near(facts, tables[0], tables[1], tables[2], n_distinct, near)]
        near = near[np.argsort(near[:, 0])]
        at = np.minimum(np.searchsorted(near[:, 0], wanted), max(len(near) - 1, 0))
        is_known = near[at, 0] == wanted if len(near) else np.zeros(len(wanted), np.bool_)
        numbers = np.empty(len(wanted), np.int64)
        numbers[is_known] = near[at[is_known], 1]
        _, first, places = np.unique(wanted[~is_known], return_index=True, return_inverse=True)
        numbers[~is_known] = len(facts) + places
        self.r.grown["facts"].append(triples[~is_known][first].astype(np.int32))
        self.r.extended(("fact_df",), len(first))
        return numbers

    def _own_names(self) -> None:
        """Update names that begin or end to exist, and their owners."""
        r, s = self.r, self.s
        numbers = r.entity_numbers(s.names, s.written)
        owners = _there(r, s.owners)
        starts = np.searchsorted(s.owner_of, np.arange(len(numbers) + 1))
        self.edges.note(numbers.tolist())
        r.view("form_hashes")[np.isin(r.view("form_names"), numbers)] = 0
        r.grown["form_hashes"].append(s.forms)
        r.grown["form_names"].append(numbers[s.form_of].astype(np.int32))
        for at, entity in enumerate(numbers.tolist()):
            r.owners.put(entity, np.sort(owners[starts[at] : starts[at + 1]]).astype(np.int32))
            if r.view("entity_standing")[entity] == KNOWN and not s.known[at]:
                r.unname(entity)
            r.view("entity_standing")[entity] = KNOWN if s.known[at] else OUTSIDE
        self.edges.dirty.update(numbers.tolist())

    def _name(self) -> None:
        """Update the name edges of touched passages, and their titles."""
        r, s = self.r, self.s
        codes = self._ends() * 256 + s.edge_kinds
        named = r.entity_numbers(s.titles, s.written)
        mentioned = r.entity_numbers(s.mentions, s.written)
        groups = zip(
            self.touched.tolist(),
            _groups(s.edge_of, self),
            _groups(s.title_of, self),
            _groups(s.mention_rows[:, 0], self),
            strict=True,
        )
        for row, of_edges, of_titles, of_mentions in groups:
            others, _, kinds = r.graph.row(row)
            old, new = codes_of(others, kinds), np.unique(codes[of_edges])
            kept = np.isin(kinds, (*OF_PHRASES, EdgeType.NEIGHBOUR), invert=True)
            self.edges.become(row, old[kept], new)
            self._share_links(old[kept], new)
            self.own[row] = set((new[new % 256 == EdgeType.TITLE] // 256 - r.n_rows).tolist())
            own = r.view("title_entities")[row]
            own[:] = -1
            for at in range(of_titles.stop - 1, of_titles.start - 1, -1):
                own[s.title_kinds[at]] = named[at]
            columns = [mentioned[of_mentions], s.mention_rows[of_mentions, 1:]]
            r.mentions.put(row, np.column_stack(columns).astype(np.int32))

    def _ends(self) -> Rows:
        """Return the other node of each edge: a passage in sequences, else an entity."""
        r, s = self.r, self.s
        is_passage = s.edge_kinds == EdgeType.SEQUENCE
        ends = np.empty(len(s.edges), np.int64)
        ends[is_passage] = _there(r, s.edges[is_passage])
        ends[~is_passage] = r.n_rows + r.entity_numbers(s.edges[~is_passage], s.written)
        return ends

    def _share_links(self, old: Rows, new: Rows) -> None:
        """Update links: those of a passage share a weight, which changes with their number."""
        links = [codes[codes % 256 == EdgeType.LINK] for codes in (old, new)]
        if len(links[0]) != len(links[1]):
            self.edges.dirty.update((np.concatenate(links) // 256 - self.r.n_rows).tolist())

    # --- what follows

    def _hold_phrases(self, phrases: Hashes, before: Rows) -> None:
        """Join phrases with their passages if at least 2, and not too many, have them."""
        r = self.r
        then = self._n_holders(phrases)
        r.entity_numbers(phrases[is_phrase(then, r.n_passages)], self.s.written)
        numbers = r.numbers("name", phrases)
        was, are = (self._phrase_codes(numbers, count) for count in (before, then))
        kept, moved = are >= 0, was != are
        edges = dict(zip(phrases[kept].tolist(), are[kept].tolist(), strict=True))
        for row, held in self._holding(phrases[moved]).items():
            others, _, kinds = r.graph.row(row)
            is_own = kinds == EdgeType.TITLE
            old = codes_of(others, kinds)[np.isin(kinds, OF_PHRASES)]
            new = np.array([edges[phrase] for phrase in held if phrase in edges], np.int64)
            own = self.own.get(row)
            if own is None:  # it is not touched: its other phrases stay
                own = (others[is_own] - r.n_rows).tolist()
                new = np.union1d(new, old[~np.isin(old, was[moved])])
            new = new[~np.isin(new // 256 - r.n_rows, list(own))]
            self.edges.become(row, old, np.sort(new))

    def _phrase_codes(self, numbers: Rows, counts: Rows) -> Rows:
        """Return the codes of edges to phrases, by the entities' numbers; -1 where none is."""
        r = self.r
        codes = (r.n_rows + numbers) * 256 + EdgeType.PHRASE
        codes[~is_phrase(counts, r.n_passages)] = -1
        for at in np.flatnonzero(codes >= 0).tolist():
            kind = phrase_type(r.written(int(numbers[at])), int(counts[at]))
            codes[at] += kind - EdgeType.PHRASE
        return codes

    def _holding(self, moved: Hashes) -> dict[int, set[int]]:
        """Return phrases of touched passages, and of holders of phrases kept or lost now."""
        hashes, rows = self.r.view("phrase_hashes"), self.r.view("phrase_rows")
        held: dict[int, set[int]] = {row: set() for row in self.touched.tolist()}
        is_touched = np.zeros(self.r.n_rows + 1, np.bool_)  # the last is of -1
        is_touched[self.touched] = True
        of_moved = places_of(hashes, moved)
        of_moved = of_moved[rows[of_moved] >= 0]
        places = np.union1d(np.flatnonzero(is_touched[rows]), of_moved)
        for row, phrase in zip(rows[places].tolist(), hashes[places].tolist(), strict=True):
            held.setdefault(row, set()).add(phrase)
        return held

    def _follow_each_other(self) -> None:
        """Update neighbours in documents of which a passage came or went."""
        r = self.r
        wanted = np.array(sorted(self.documents), np.int32)
        rows = np.flatnonzero(np.isin(r.view("documents"), wanted) & (r.view("documents") >= 0))
        places = (r.view("documents")[rows].astype(np.int64) << 32) | r.parts_of(rows)
        places, first, n = np.unique(places, return_index=True, return_counts=True)
        follows = (n[1:] == 1) & (n[:-1] == 1) & (np.diff(places) == 1)
        new = set(zip(rows[first[:-1][follows]].tolist(), rows[first[1:][follows]].tolist()))  # noqa: B905
        new |= {(other, one) for one, other in new}
        of_row: dict[int, list[int]] = {row: [] for row in rows.tolist()}
        for one, other in new:
            of_row[one].append(other)
        for row, others_now in of_row.items():
            others, _, kinds = r.graph.row(row)
            old = others[kinds == EdgeType.NEIGHBOUR].astype(np.int64)
            old = old[r.view("documents")[old] >= 0]
            codes = np.array(others_now, np.int64) * 256 + EdgeType.NEIGHBOUR
            self.edges.become(row, old * 256 + EdgeType.NEIGHBOUR, codes)


def _there(revision: Revision, ids: Hashes) -> Rows:
    """Return rows of passages; ``ValueError`` if one is not there."""
    rows = revision.rows_of(ids.tolist())
    if int(rows.min(initial=0)) < 0:
        raise ValueError("it names a passage that is not there")
    return rows


def _extend(indptr: NDArray[np.int64], rows: Rows, lengths: list[int]) -> None:
    """Set the ends of rows that are appended."""
    if len(rows):
        ends = indptr[rows[0]] + np.cumsum(lengths)
        indptr[rows + 1] = ends
        indptr[rows[-1] + 1 :] = ends[-1]


def _groups(of: NDArray[np.int32], application: _Application) -> list[slice]:
    """Return the entries of each touched passage, by passage, ascending."""
    bounds = np.searchsorted(of, np.arange(len(application.touched) + 1)).tolist()
    return [slice(*pair) for pair in pairwise(bounds)]


@compiled
def _fill_near(  # a compiled loop takes arrays, not objects
    facts: NDArray[np.int32],
    subjects: NDArray[np.int32],
    predicates: NDArray[np.int32],
    objects: NDArray[np.int32],
    n_distinct: NDArray[np.int64],
    near: NDArray[np.int64],
) -> int:
    """Fill in the number of each fact whose parts are in the tables, and which fact it is."""
    n = 0
    for fact in range(len(facts)):
        one, two = subjects[facts[fact, 0]], objects[facts[fact, 2]]
        if one >= 0 and two >= 0:
            between = predicates[facts[fact, 1]]
            if between >= 0:
                near[n, 0] = (one * n_distinct[1] + between) * n_distinct[2] + two
                near[n, 1] = fact
                n += 1
    return n
