"""Stages' findings become tables that agree with each other."""

import shutil
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hippohover.entity_graph import KNOWN, OUTSIDE, PHRASE, EdgeType
from hippohover.indexing.assemble import assemble
from hippohover.names.aliases import merge
from hippohover.names.normal_forms import entity_key, tokens
from hippohover.names.titles import TitleKind
from hippohover.recipe import IndexRecipe
from hippohover.records import Passage, Triple
from hippohover.store.tables import IndexArrays, IndexTables
from hippohover.store.writer import IndexWriter
from tests.indexing.work_samples import assembled, name_entities, pid, scan, work_of

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
        Passage(pid(row), title, text, links=links if row == 3 else ())
        for row, (title, text) in enumerate(CORPUS)
    ]


def by_row(stated: Sequence[tuple[int, Triple]]) -> dict[int, list[Triple]]:
    found: dict[int, list[Triple]] = {}
    for row, triple in stated:
        found.setdefault(row, []).append(triple)
    return found


@pytest.fixture(scope="module")
def tables(memory_folder: Path) -> IndexTables:
    return assembled(memory_folder, corpus(), by_row(TRIPLES))[0]


def entities(tables: IndexTables) -> list[str]:
    return tables.entities.column("name").to_pylist()


def number(tables: IndexTables, name: str) -> int:
    return int(tables.arrays.names.numbers([entity_key(name)])[0])


def test_known_names_come_first_then_linked_ones_then_the_rest(tables: IndexTables):
    known = ["Velmora (film)", "Velmora", "Mara Lindqvist", "Aldermoor"]
    assert entities(tables) == [*known, "grey mill", "Old Quarry", "one bridge"]
    assert tables.arrays.entity_standing.tolist() == [KNOWN] * 4 + [PHRASE] * 2 + [OUTSIDE]
    assert len(tables.arrays.entity_df) == tables.arrays.graph.n_entities == 7


def test_names_find_their_entities_and_unlinked_ones_are_not_found(tables: IndexTables):
    for row, name in enumerate(entities(tables)[:6]):
        assert number(tables, name) == row
    assert number(tables, "one bridge") == -1
    assert number(tables, "Lone Inn") == -1


def test_heads_and_owners_are_each_others_inverse(tables: IndexTables):
    arrays = tables.arrays
    assert arrays.title_entities.tolist() == [
        [0, 1, -1, -1, -1, -1], [2, -1, -1, -1, -1, -1], [3, -1, -1, -1, -1, -1],
        [1, -1, -1, -1, -1, -1],
    ]  # fmt: skip
    owners = [arrays.owner_passages[slice(*span)] for span in arrays.owner_spans[:4]]
    assert [rows.tolist() for rows in owners] == [[0], [0, 3], [1], [2]]


def test_mentions_are_of_others_and_point_at_their_tokens(tables: IndexTables):
    arrays = tables.arrays
    found: list[tuple[int, str]] = []
    for row, (title, text) in enumerate(CORPUS):
        words = tokens(title)[0] + tokens(text)[0]
        for name, start, stop in arrays.mentions[slice(*arrays.mention_spans[row])]:
            found.append((row, entities(tables)[name]))
            assert " ".join(words[start:stop]) == entity_key(entities(tables)[name])
    assert found == [(0, "Mara Lindqvist"), (1, "Aldermoor"), (2, "Velmora")]


def test_facts_say_what_the_triples_say(tables: IndexTables):
    arrays = tables.arrays
    names, predicates = entities(tables), tables.predicates.column("name").to_pylist()
    stated = [
        (row, Triple(names[s], predicates[p], names[o], int(sentence)))
        for row in range(4)
        for fact, sentence in arrays.passage_facts[slice(*arrays.fact_spans[row])]
        for s, p, o in [arrays.facts[fact].tolist()]
    ]
    assert sorted(map(str, stated)) == sorted(map(str, TRIPLES))


def test_every_way_to_link_is_in_the_graph(tables: IndexTables):
    counts = tables.arrays.graph.edge_counts()
    assert counts["title"] == 5
    assert counts["mention"] == 3
    assert (counts["phrase"], counts["term"]) == (0, 2)
    assert counts["fact"] == 4  # the fact of "one bridge" leads nowhere
    assert counts["synonymy"] == 0


def joined(tables: IndexTables, row: int, kind: EdgeType) -> list[int]:
    """Nodes that edges of a type join with the node of this row."""
    graph = tables.arrays.graph
    of_row = slice(*graph.spans[row])
    return graph.neighbours[of_row][graph.types[of_row] == kind].tolist()


def test_links_of_the_corpus_are_edges_and_mentions_where_they_lead_to_a_known_name(
    empty_folder: Path,
):
    links = ("Mara Lindqvist", "Nowhere", "Velmora", "Old Quarry")
    tables, counted = assembled(empty_folder, corpus(links), by_row(TRIPLES))
    target = number(tables, "Mara Lindqvist")
    assert joined(tables, 3, EdgeType.LINK) == [4 + target]  # its own name is no edge
    assert joined(tables, 3, EdgeType.MENTION) == []
    arrays = tables.arrays
    mentions = arrays.mentions[slice(*arrays.mention_spans[3])]
    assert mentions[:, 0].tolist() == [target]
    assert (counted.n_links, counted.n_unresolved_links) == (4, 2)


def titled(row: int, title: str, **more: Any) -> Passage:  # noqa: ANN401 - fields of a passage
    return Passage(pid(row), title, "it rains.", **more)


def test_what_stands_before_a_colon_is_a_name_of_few_documents(empty_folder: Path):
    titles = [
        "PEP 498: Literals",
        "List: A",
        "List: B",
        "List: C",
        "List: D",
        "Weir: A lock",
        "Weir",
    ]
    tables, _ = assembled(empty_folder, [titled(row, t) for row, t in enumerate(titles)], {})
    heads = tables.arrays.title_entities[:, TitleKind.HEAD]
    assert [entities(tables)[head] if head >= 0 else "" for head in heads] == ["PEP 498", *[""] * 6]
    assert number(tables, "List") == -1
    assert number(tables, "Weir") == tables.arrays.title_entities[6, TitleKind.FULL]


def test_headings_are_words_of_their_passages(empty_folder: Path):
    tables, _ = assembled(empty_folder, [titled(0, "A b", heading="Sync > Set up")], {})
    arrays = tables.arrays
    assert np.diff(arrays.term_indptr).tolist() == [2 + 3 + 2]
    assert arrays.title_lengths.tolist() == [2]


def test_passages_and_terms_are_kept_as_read(tables: IndexTables):
    assert tables.passages.column("title").to_pylist() == [title for title, _ in CORPUS]
    assert list(tables.texts) == [text for _, text in CORPUS]
    lengths = [len(tokens(title)[0]) + len(tokens(text)[0]) for title, text in CORPUS]
    assert np.diff(tables.arrays.term_indptr).tolist() == lengths
    assert tables.arrays.title_lengths.tolist() == [2, 2, 1, 1]
    assert tables.arrays.passage_vectors.shape == (0, 0)


def test_what_a_thing_says_of_itself_is_no_fact_but_counted(empty_folder: Path):
    stated = [Triple("Old Quarry", "is", "OLD quarry!", 0), Triple("Velmora", "is", "Otto", 1)]
    tables, counted = assembled(empty_folder, corpus(), {3: stated})
    assert counted.n_triples == 2
    assert list(tables.fact_texts()) == ["Velmora is Otto"]
    assert tables.predicates.column("name").to_pylist() == ["is"]
    assert entities(tables)[-2:] == ["Old Quarry", "Otto"]  # it is written somewhere


def test_predicates_are_numbered_as_the_facts_that_stay_are_met(empty_folder: Path):
    stated = [Triple("Q", "b", "Q", 0), Triple("Q", "c", "R", 0), Triple("Q", "b", "R", 0)]
    tables, _ = assembled(empty_folder, corpus(), {0: stated, 1: [Triple("R", "a", "Q", 0)]})
    assert tables.predicates.column("name").to_pylist() == ["c", "b", "a"]


def test_without_triples_there_are_no_facts(empty_folder: Path):
    tables, counted = assembled(empty_folder, corpus(), {})
    assert (counted.n_triples, tables.predicates.num_rows) == (0, 0)
    assert tables.arrays.facts.shape == (0, 3)
    assert tables.arrays.passage_facts.shape == (0, 2)
    assert tables.arrays.fact_spans.tolist() == [[0, 0]] * 4


# --- phrases ---------------------------------------------------------------------------------


def phrases_of(folder: Path, phrases: list[tuple[int, str]], n_passages: int) -> dict[str, int]:
    """Linked entities of passages that name nothing but these phrases, and their frequencies."""
    texts = ["it was"] * n_passages
    for row, phrase in phrases:
        texts[row] += f" by {phrase}, it was"
    passages = [Passage(pid(row), "", text) for row, text in enumerate(texts)]
    tables, _ = assembled(folder, passages, {})
    frequencies = tables.arrays.entity_df.tolist()
    return dict(zip(entities(tables), frequencies, strict=True))


def test_phrases_of_one_passage_or_of_very_many_are_dropped(empty_folder: Path):
    everywhere = [(row, "American") for row in range(21)]
    often = [(row, "Often") for row in range(20)]
    once = [(0, "Once"), (0, "Once"), (4, "Twice"), (5, "Twice")]
    found = phrases_of(empty_folder, [*once, *everywhere, *often], 30)
    assert found == {"often": 20, "twice": 2}
    assert list(found) == ["often", "twice"]  # as they are first met


def test_the_most_passages_of_a_phrase_grow_with_the_corpus(empty_folder: Path):
    everywhere = [(row, "American") for row in range(21)]
    assert phrases_of(empty_folder, everywhere, 5000) == {"american": 21}


def test_no_phrases_are_no_error(empty_folder: Path):
    assert phrases_of(empty_folder, [], 3) == {}


# --- chunks ----------------------------------------------------------------------------------

WORDS = st.sampled_from(
    ["Velmora", "Grey Mill", "Mara Lindqvist", "Lindqvist", "the", "Old", "Quarry", "mill", ".", ""]
)
TEXTS = st.lists(WORDS, max_size=6).map(" ".join)
STATED = st.lists(
    st.builds(Triple, WORDS, st.sampled_from(["met", "is"]), WORDS, st.integers(0, 2)), max_size=3
)
PAGES = st.lists(st.tuples(TEXTS, TEXTS, st.lists(WORDS, max_size=2), STATED), max_size=7)
ALIASES = merge({"Lindqvist": "Mara Lindqvist", "Quarry": "Old Mill"})


@settings(
    max_examples=min(40, settings().max_examples),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(PAGES.filter(bool), st.integers(1, 7), st.booleans())
def test_tables_do_not_depend_on_the_chunks(
    memory_folder: Path,
    pages: list[tuple[str, str, list[str], list[Triple]]],
    size: int,
    aliased: bool,
):
    passages = [
        Passage(pid(row), title, text, links=tuple(links))
        for row, (title, text, links, _) in enumerate(pages)
    ]
    triples = {row: stated for row, (*_, stated) in enumerate(pages)}
    found: list[IndexTables] = []
    for at in (size, 4096):
        place = memory_folder / f"chunks-{at}"
        shutil.rmtree(place, ignore_errors=True)
        merged = ALIASES if aliased else merge({})
        found.append(assembled(place, passages, triples, size=at, merged=merged)[0])
    one, other = found
    for field in fields(IndexArrays):
        ours, theirs = getattr(one.arrays, field.name), getattr(other.arrays, field.name)
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), field.name
        assert np.array_equal(ours, theirs), field.name
    assert one.passages.equals(other.passages)
    assert one.entities.equals(other.entities)
    assert one.predicates.equals(other.predicates)


def test_steps_are_told(empty_folder: Path):
    work = work_of(empty_folder / "cache", corpus(), size=2)
    names = name_entities(work)
    scan(work, by_row(TRIPLES))
    seen: list[tuple[int, int]] = []
    with IndexWriter(empty_folder / "index") as writer:
        assemble(work, names, writer, IndexRecipe(), lambda done, total: seen.append((done, total)))
    assert seen == [(done, len(seen) - 1) for done in range(len(seen))]
