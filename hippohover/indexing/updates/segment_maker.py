"""Turns a change of passages into the segment that makes an index equal to a build."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import MAKES_ENTITIES, EdgeType
from hippohover.graph_builder import is_phrase
from hippohover.indexing.corpus.passage_table import passage_table
from hippohover.indexing.passage_scan import links_of, of_id
from hippohover.indexing.updates.changed_index import ChangedIndex, NotSmallError
from hippohover.indexing.updates.names_changed import NamesChanged
from hippohover.indexing.updates.passages_read import PassageReader, Read
from hippohover.indexing.updates.sequences_changed import SequencesChanged
from hippohover.indexing.updates.written_names import written_then
from hippohover.language.name_forms import name_hashes
from hippohover.names.key_table import key_hashes
from hippohover.names.normal_forms import entity_key
from hippohover.names.references import references
from hippohover.names.spelling_blocks import spelling_blocks
from hippohover.names.titles import TitleKind, title_keys
from hippohover.recipe import IndexRecipe
from hippohover.records import Passage
from hippohover.store.segments.application import apply
from hippohover.store.segments.hash_places import places_of
from hippohover.store.segments.revision import Revision
from hippohover.store.segments.segment import Segment
from hippohover.store.tables import METADATA_PREFIX, passage_text
from hippohover.store.text_store import packed
from hippohover.vectors.embedding import Encoder, passage_vectors

MOST_TOUCHED: Final = 2000

Columns = dict[str, Any]


def make_segment(
    revision: Revision,
    new: Iterable[Passage],
    gone: Iterable[str],
    *,
    recipe: IndexRecipe,
    encoder: Encoder | None,
) -> Segment:
    """Return the segment of a change that the revision has applied.

    Parameters
    ----------
    revision : Revision
    new : iterable of Passage
    gone : iterable of str
        Ids of passages that are there.
    recipe : IndexRecipe
        The index's; its extractor is ``"between"`` or ``"none"``.
    encoder : Encoder or None
        The index's, if it has one.

    Raises
    ------
    NotSmallError
        A build is what it takes; the revision is as it was.
    """
    ordered = sorted(new, key=lambda passage: passage.pid)
    gone_keys = [int(pid, 16) for pid in sorted(gone)]
    standing = ChangedIndex(revision, ordered, gone_keys)
    changed, sequences = NamesChanged(standing), SequencesChanged(standing)
    rows = sorted(changed.touched() | sequences.touched())
    if len(rows) > MOST_TOUCHED:
        raise NotSmallError(
            f"the change touches {len(rows):,} passages, and a segment at most {MOST_TOUCHED:,}"
        )
    read = PassageReader(standing, changed.names, recipe)
    said = read([*standing.passages(rows), *ordered])
    keys = [*standing.arrays.passage_keys[rows].tolist(), *standing.new_keys]
    columns = _Columns(standing, changed, sequences, said)
    segment = Segment(
        gone=np.array(gone_keys, np.uint64),
        touched=np.array(keys, np.uint64),
        **columns.of_new(encoder),
        **columns.of_touched(),
        **columns.of_names(),
    )
    _check_phrases(standing, segment, rows)
    before = _named_by(standing, [*standing.gone, *rows])
    apply(revision, segment)
    segment.written = written_then(standing, changed.names, said, before, read)
    revision.write_names(segment.written)
    return segment


def _named_by(standing: ChangedIndex, rows: Sequence[int]) -> set[int]:
    """Return entities in facts of passages, in their phrases, or in fields that join them."""
    graph = standing.arrays.graph
    found: set[int] = set()
    for row in rows:
        own = slice(*graph.spans[row])
        kinds = np.isin(graph.types[own], MAKES_ENTITIES)
        found.update((graph.neighbours[own][kinds] - graph.n_passages).tolist())
    return found


def _check_phrases(standing: ChangedIndex, segment: Segment, touched: Sequence[int]) -> None:
    """Raise where too frequent a phrase becomes an entity again: its words are in no passage read.

    ``touched`` are rows that stay; they may name something longer in its place.
    """
    rows, hashes = (standing.revision.view(f"phrase_{name}") for name in ("rows", "hashes"))
    lets_go = np.zeros(standing.arrays.n_rows + 1, np.bool_)  # the last is of -1
    lets_go[[*standing.gone, *touched]] = True
    lost, n_lost = np.unique(hashes[lets_go[rows]], return_counts=True)
    places = places_of(hashes, lost.tolist())
    _, before = np.unique(hashes[places[rows[places] >= 0]], return_counts=True)
    held, n_held = np.unique(segment.phrases, return_counts=True)
    then = before - n_lost
    then[np.searchsorted(lost, held[np.isin(held, lost)])] += n_held[np.isin(held, lost)]
    n = standing.arrays.n_passages
    again = lost[is_phrase(then, n) & ~is_phrase(before, n)]
    if np.isin(again, held, invert=True).any():
        raise NotSmallError("a phrase that very many passages held is in few enough now")


class _Columns:
    """The columns of a segment, by subject."""

    def __init__(
        self,
        standing: ChangedIndex,
        changed: NamesChanged,
        sequences: SequencesChanged,
        said: Sequence[Read],
    ) -> None:
        self._s = standing
        self._sequences = sequences
        self._said = said
        self._names = [n for n in changed.names.values() if n.is_known or n.was_known]
        self._keys: dict[str, int] = {}

    def of_new(self, encoder: Encoder | None) -> Columns:
        """Return the columns of new passages."""
        s = self._s
        new = self._said[len(self._said) - len(s.new) :]
        texts = [passage_text(one.title, one.heading, one.text) for one in s.new]
        vectors = passage_vectors(encoder, texts) if encoder and texts else None
        terms = [term for one in new for term in one.terms]
        distinct = list(dict.fromkeys(filter(None, terms)))
        hashes = {"": 0, **dict(zip(distinct, key_hashes(distinct).tolist(), strict=True))}
        targets = [(at, value) for at, one in enumerate(s.new) for value in _targets_of(one)]
        tails = [(at, v) for at, one in enumerate(s.new) for v in _of_kind(one, TitleKind.TAIL)]
        kept = [n for n in s.tables.passages.column_names if n.startswith(METADATA_PREFIX)]
        table = passage_table(s.new, [name.removeprefix(METADATA_PREFIX) for name in kept])
        return {
            "passages": table.drop_columns(["text"]),
            "frames": list(packed((one.text for one in s.new), s.arrays.text_dictionary)),
            "codes": vectors.codes if vectors else s.arrays.passage_codes[:0],
            "scales": vectors.scales if vectors else np.zeros(0, np.float32),
            "documents": _hashes(self._documents()),
            "heads": _hashes(next(iter(_of_kind(one, TitleKind.HEAD)), 0) for one in s.new),
            "tails": _hashes(value for _, value in tails),
            "tail_of": _numbers(at for at, _ in tails),
            "title_lengths": _numbers(one.title_length for one in new),
            "lengths": _numbers(len(one.terms) for one in new),
            "terms": _hashes(hashes[term] for term in terms),
            "targets": _hashes(value for _, value in targets),
            "target_of": _numbers(at for at, _ in targets),
        }

    def _documents(self) -> Iterator[int]:
        """Yield for each passage an id of its document: an old one's, or the first new one's."""
        s, ids = self._s, {one.document for one in self._s.new}
        titles = {one.title for one in s.new if not one.document}
        rows = s.rows_among({"document": ids - {""}, "title": titles - {""}})
        named: dict[tuple[str, str, str], int] = {}
        for one in chain(s.passages(rows), s.new):
            named.setdefault(_document(one), int(one.pid, 16))
        return (named[_document(one)] for one in s.new)

    def of_touched(self) -> Columns:
        """Return the columns of touched passages: names, mentions, facts, phrases."""
        edges: list[tuple[int, int, int]] = []
        titles: list[tuple[int, str, int]] = []
        mentions: list[tuple[int, str, int, int]] = []
        facts: list[tuple[int, str, str, str, int]] = []
        phrases: list[tuple[int, str]] = []
        runs: list[tuple[int, int]] = []
        for at, one in enumerate(self._said):
            own = {key for key, _ in one.own}
            titles += [(at, key, kind) for key, kind in one.own]
            mentions += [(at, *place) for place in _others(one, own)]
            phrases += [(at, key) for key in one.phrases]
            runs += [(at, value) for value in one.runs]
            stated = list(_stated(one))
            facts += [(at, *fact) for fact in stated]
            of_kinds = {
                EdgeType.TITLE: own,
                EdgeType.MENTION: {key for key, _, _ in one.mentions} - own - one.formed,
                EdgeType.FORM: one.formed - own,
                EdgeType.LINK: {key for key, _, _ in one.links} - own,
                EdgeType.JOIN: set(one.joined) - own,
                EdgeType.SOURCE: {key for s, _, o, _ in stated for key in (s, o)},
            }
            edges += [
                (at, self._hash(key), kind)
                for kind, keys in of_kinds.items()
                for key in sorted(keys)
            ]
            followed = self._sequences.neighbours(int(one.passage.pid, 16))
            edges += [(at, key, EdgeType.SEQUENCE) for key in followed]
        predicates = list(dict.fromkeys(fact[2] for fact in facts))
        of_predicates = dict(zip(predicates, key_hashes(predicates).tolist(), strict=True))
        triples = [(self._hash(s), of_predicates[p], self._hash(o)) for _, s, p, o, _ in facts]
        return {
            "edges": _hashes(edge[1] for edge in edges),
            "edge_of": _numbers(edge[0] for edge in edges),
            "edge_kinds": _numbers(edge[2] for edge in edges),
            "titles": self._hashes_of(titles),
            "title_of": _numbers(title[0] for title in titles),
            "title_kinds": _numbers(title[2] for title in titles),
            "mentions": self._hashes_of(mentions),
            "mention_rows": _numbers((m[0], m[2], m[3]) for m in mentions).reshape(-1, 3),
            "facts": np.array(triples, np.uint64).reshape(-1, 3),
            "fact_rows": _numbers((fact[0], fact[4]) for fact in facts).reshape(-1, 2),
            "phrases": self._hashes_of(phrases),
            "phrase_of": _numbers(phrase[0] for phrase in phrases),
            "runs": _hashes(value for _, value in runs),
            "run_of": _numbers(at for at, _ in runs),
            "predicates": {value: text for text, value in of_predicates.items()},
        }

    def of_names(self) -> Columns:
        """Return the columns of keys that come and go; call it last, when all keys are known."""
        names = self._names
        for name in names:
            self._keys[name.key] = name.hash
        forms = [
            (at, value)
            for at, name in enumerate(names)
            for value in (name_hashes(name.written) if name.is_known else ())
        ]
        written = {self._hash(key): text for one in self._said for key, text in one.arguments}
        return {
            "names": _hashes(name.hash for name in names),
            "known": np.array([name.is_known for name in names], np.bool_),
            "forms": _hashes(value for _, value in forms),
            "form_of": _numbers(at for at, _ in forms),
            "owners": _hashes(owner for name in names for owner in name.owners),
            "owner_of": _numbers(at for at, name in enumerate(names) for _ in name.owners),
            "blocks": {value: spelling_blocks(key) for key, value in self._keys.items()},
            "written": {value: key for key, value in self._keys.items()} | written,
        }

    def _hash(self, key: str) -> int:
        if key not in self._keys:
            self._keys[key] = int(key_hashes([key])[0])
        return self._keys[key]

    def _hashes_of(self, rows: Iterable[tuple[Any, ...]]) -> NDArray[np.uint64]:
        return _hashes(self._hash(row[1]) for row in rows)


def _others(one: Read, own: set[str]) -> list[tuple[str, int, int]]:
    """Return names of others in a passage, by place, and links without their name."""
    named = {key for key, _, _ in one.mentions}
    both = [*one.mentions, *(link for link in one.links if link[0] not in named)]
    return sorted((place for place in both if place[0] not in own), key=lambda place: place[1])


def _stated(one: Read) -> Iterable[tuple[str, str, str, int]]:
    """Return facts of a passage, by keys; leaves out what a thing says of itself."""
    keys = [key for key, _ in one.arguments]
    for triple, subject, target in zip(one.triples, keys[::2], keys[1::2], strict=True):
        if subject != target:
            yield subject, triple.predicate, target, triple.sentence


def _targets_of(passage: Passage) -> list[int]:
    found: list[int] = []
    for link in [*links_of(passage), *references(passage)]:
        texts = [entity_key(link.title), entity_key(link.section), of_id(link.id)]
        found += key_hashes(texts).tolist()
    return found


def _document(passage: Passage) -> tuple[str, str, str]:
    """Return what identifies a passage's document."""
    if passage.document:
        return "id", passage.document, passage.path
    return ("title", passage.title, "") if passage.title else ("pid", passage.pid, "")


def _of_kind(passage: Passage, kind: TitleKind) -> list[int]:
    """Return the hashes of a passage's names of one kind."""
    return key_hashes([name.key for name in title_keys(passage) if name.kind == kind]).tolist()


def _hashes(values: Iterable[int]) -> NDArray[np.uint64]:
    return np.array(list(values), np.uint64)


def _numbers(values: Iterable[Any]) -> NDArray[np.int32]:
    return np.array(list(values), np.int32)
