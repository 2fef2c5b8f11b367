"""Stages' findings become tables that agree with each other."""

import numpy as np
import pytest

from hippohover.entity_graph import EdgeType
from hippohover.index_tables import IndexTables
from hippohover.indexing.assemble import Names, assemble, keep_phrases
from hippohover.indexing.fact_table import FactCollector
from hippohover.indexing.own_names import own_names
from hippohover.indexing.passage_scan import PassageScanner, Scan
from hippohover.mentions import KnownNames
from hippohover.names import entity_key, tokens
from hippohover.records import Passage, PassageId, Triple

CORPUS = [
    ("Velmora (film)", "Velmora is a drama by Mara Lindqvist, shot near the Grey Mill."),
    ("Mara Lindqvist", "Mara Lindqvist lives in Aldermoor near the Grey Mill."),
    ("Aldermoor", "Aldermoor is a town where people saw Velmora at the Lone Inn."),
    ("Velmora", "the name of several things"),
]
TRIPLES = [
    (0, Triple("Velmora", "directed by", "Mara Lindqvist", 0)),
    (0, Triple("Velmora", "shot near", "Old Quarry", 0)),
    (1, Triple("Mara Lindqvist", "lives in", "Aldermoor", 0)),
    (2, Triple("Old Quarry", "is in", "Aldermoor", 0)),
    (2, Triple("Aldermoor", "has", "one bridge", 1)),
]


def corpus(links: tuple[str, ...] = ()) -> list[Passage]:
    return [
        Passage(PassageId(f"p{row}"), title, text, links=links if row == 3 else ())
        for row, (title, text) in enumerate(CORPUS)
    ]


def tables_of(passages: list[Passage]) -> IndexTables:
    numbers, owners = own_names(passages)
    scan = PassageScanner(KnownNames(numbers))(passages)
    names = Names.of(passages, numbers, owners)
    phrases = keep_phrases(scan, names, len(passages))
    collector = FactCollector(names.numbers, names.displays)
    for passage, triple in TRIPLES:
        collector.add(passage, [triple])
    return assemble(passages, names, scan=scan, phrases=phrases, collector=collector)


@pytest.fixture(scope="module")
def tables() -> IndexTables:
    return tables_of(corpus())


def entities(tables: IndexTables) -> list[str]:
    return tables.entities.column("name").to_pylist()


def number(tables: IndexTables, name: str) -> int:
    return int(tables.arrays.names.numbers([entity_key(name)])[0])


def test_known_names_come_first_then_linked_ones_then_the_rest(tables: IndexTables):
    known = ["Velmora (film)", "Velmora", "Mara Lindqvist", "Aldermoor"]
    assert entities(tables) == [*known, "grey mill", "Old Quarry", "one bridge"]
    assert len(tables.arrays.entity_df) == 6
    assert tables.arrays.graph.n_entities == 6


def test_names_find_their_entities_and_unlinked_ones_are_not_found(tables: IndexTables):
    for row, name in enumerate(entities(tables)[:6]):
        assert number(tables, name) == row
    assert number(tables, "one bridge") == -1
    assert number(tables, "Lone Inn") == -1


def test_heads_and_owners_are_each_others_inverse(tables: IndexTables):
    arrays = tables.arrays
    assert arrays.heads.tolist() == [[0, 1, -1], [2, -1, -1], [3, -1, -1], [1, -1, -1]]
    owners = np.split(arrays.owner_passages, arrays.owner_indptr[1:-1])
    assert [rows.tolist() for rows in owners] == [[0], [0, 3], [1], [2]]


def test_mentions_are_of_others_and_point_at_their_tokens(tables: IndexTables):
    arrays = tables.arrays
    found: list[tuple[int, str]] = []
    for row, (title, text) in enumerate(CORPUS):
        words = tokens(title)[0] + tokens(text)[0]
        for name, start, stop in arrays.mentions[slice(*arrays.mention_indptr[row : row + 2])]:
            found.append((row, entities(tables)[name]))
            assert " ".join(words[start:stop]) == entity_key(entities(tables)[name])
    assert found == [(0, "Mara Lindqvist"), (1, "Aldermoor"), (2, "Velmora")]


def test_facts_say_what_the_triples_say(tables: IndexTables):
    arrays = tables.arrays
    names, predicates = entities(tables), tables.predicates.column("name").to_pylist()
    stated = [
        (row, Triple(names[s], predicates[p], names[o], int(sentence)))
        for row in range(4)
        for fact, sentence in arrays.passage_facts[slice(*arrays.fact_indptr[row : row + 2])]
        for s, p, o in [arrays.facts[fact].tolist()]
    ]
    assert sorted(map(str, stated)) == sorted(map(str, TRIPLES))


def test_every_way_to_link_is_in_the_graph(tables: IndexTables):
    counts = tables.arrays.graph.edge_counts()
    assert counts["title"] == 5
    assert counts["mention"] == 3
    assert counts["phrase"] == 2
    assert counts["fact"] == 4  # the fact of "one bridge" leads nowhere
    assert counts["synonymy"] == 0


def test_links_of_the_corpus_are_mentions_where_their_titles_are_known():
    tables = tables_of(corpus(links=("Mara Lindqvist", "Nowhere", "Velmora", "Old Quarry")))
    graph = tables.arrays.graph
    of_last = slice(*graph.indptr[3:5].tolist())
    mentioned = graph.neighbours[of_last][graph.types[of_last] == EdgeType.MENTION]
    assert mentioned.tolist() == [4 + number(tables, "Mara Lindqvist")]


def test_passages_and_terms_are_kept_as_read(tables: IndexTables):
    assert tables.passages.column("title").to_pylist() == [title for title, _ in CORPUS]
    assert tables.passages.column("text").to_pylist() == [text for _, text in CORPUS]
    lengths = [len(tokens(title)[0]) + len(tokens(text)[0]) for title, text in CORPUS]
    assert np.diff(tables.arrays.term_indptr).tolist() == lengths
    assert tables.arrays.title_lengths.tolist() == [2, 2, 1, 1]
    assert tables.arrays.passage_vectors.shape == (0, 0)


def test_a_name_is_written_as_its_first_title():
    passages = [
        Passage(PassageId("a"), "VELMORA (Film)", ""),
        Passage(PassageId("b"), "Velmora", ""),
        Passage(PassageId("c"), "", "Otto Brenner slept."),
    ]
    names = Names.of(passages, *own_names(passages))
    assert names.displays == ["VELMORA (Film)", "VELMORA", "otto brenner"]


def scan_of(phrases: list[tuple[int, str]]) -> Scan:
    none = np.zeros((0, 4), np.int32)
    places = np.array([(row, 0, 1) for row, _ in phrases], np.int32).reshape(-1, 3)
    empty = np.zeros(0, np.int32)
    return Scan(none, [key for _, key in phrases], places, [], empty, empty, empty)


def test_phrases_of_one_passage_or_of_very_many_are_dropped():
    everywhere = [(row, "american") for row in range(21)]
    often = [(row, "often") for row in range(20)]
    scan = scan_of([(0, "once"), (0, "once"), (5, "known"), (4, "known"), *everywhere, *often])
    names = Names({"known": 0}, ["Known"], 1, np.zeros((0, 3), np.int32))
    pairs = keep_phrases(scan, names, 30)
    assert names.numbers == {"known": 0, "often": 1}
    assert names.displays == ["Known", "often"]
    assert pairs.tolist() == sorted([[4, 0], [5, 0], *([row, 1] for row in range(20))])
    assert pairs.dtype == np.int32


def test_the_most_passages_of_a_phrase_grow_with_the_corpus():
    scan = scan_of([(row, "american") for row in range(21)])
    names = Names({}, [], 0, np.zeros((0, 3), np.int32))
    assert len(keep_phrases(scan, names, 5000)) == 21


def test_no_phrases_are_no_error():
    names = Names({}, [], 0, np.zeros((0, 3), np.int32))
    assert keep_phrases(scan_of([]), names, 3).shape == (0, 2)
