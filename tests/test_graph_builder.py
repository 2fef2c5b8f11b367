"""Edges and their weights, by hand and against plain Python."""

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hippohover.entity_graph import KNOWN, OUTSIDE, PHRASE, EdgeType, EntityGraph
from hippohover.graph_builder import (
    MAX_CASELESS_PASSAGES,
    MAX_TERM_PASSAGES,
    MOST_LINKS,
    GraphParts,
    blocks_of,
    build_graph,
    distinct_pairs,
    document_frequency,
    linked_first,
    phrase_type,
    synonym_pairs,
    title_entities_of,
)
from hippohover.names.mentions import ROW_MARK
from hippohover.names.spelling_blocks import MAX_BLOCK, spelling_blocks
from hippohover.names.titles import TitleKind

FEW = 16.0  # what a few passages count as
"""The power of the square root of 2 that is nearest to 5."""

Rows = list[tuple[int, ...]]


def table(rows: Rows, width: int = 2) -> NDArray[np.int32]:
    return np.array(rows, dtype=np.int32).reshape(-1, width)


def parts_of(
    n_passages: int,
    keys: list[str],
    *,
    n_known: int,
    owners: Rows = [],  # noqa: B006
    documents: list[int] | None = None,  # each passage is one, where it is not given
    mentions: Rows = [],  # noqa: B006
    forms: Rows = [],  # noqa: B006
    links: Rows = [],  # noqa: B006
    neighbours: Rows = [],  # noqa: B006
    sequences: Rows = [],  # noqa: B006
    joins: Rows = [],  # noqa: B006
    phrases: Rows = [],  # noqa: B006
    sources: Rows = [],  # noqa: B006
    facts: Rows = [],  # noqa: B006
) -> GraphParts:
    return GraphParts(
        n_passages=n_passages,
        n_counted=n_passages,
        standing=np.where(np.arange(len(keys)) < n_known, KNOWN, PHRASE).astype(np.uint8),
        keys=keys,
        owners=table(owners, 3),
        documents=np.array(range(n_passages) if documents is None else documents, np.int32),
        mentions=table(mentions),
        forms=table(forms),
        links=table(links),
        neighbours=table(neighbours),
        sequences=table(sequences),
        joins=table(joins),
        phrases=table([(*pair, EdgeType.PHRASE) for pair in phrases], 3),
        sources=table(sources),
        facts=table(facts),
    )


def built(parts: GraphParts, n_linked: int) -> EntityGraph:
    """Graph of parts of which the first entities are there."""
    standing = parts.standing.copy()
    standing[n_linked:] = OUTSIDE
    blocks = blocks_of(list(parts.keys)[:n_linked], len(standing))
    return build_graph(replace(parts, standing=standing), blocks)


def pairs_of(keys: list[str]) -> NDArray[np.int32]:
    return synonym_pairs(blocks_of(keys, len(keys)))


def edges_of(graph: EntityGraph) -> dict[tuple[int, int, EdgeType], float]:
    """(lower end, higher end, type) -> weight."""
    found: dict[tuple[int, int, EdgeType], float] = {}
    for node in range(graph.n_nodes):
        for at in range(*graph.spans[node]):
            other = int(graph.neighbours[at])
            if node < other:
                found[node, other, EdgeType(int(graph.types[at]))] = float(graph.weights[at])
    return found


FIVE = parts_of(
    5,
    ["alpha", "beta", "gamma", "sky fall", "skyfall"],
    n_known=3,
    owners=[(0, 0, 0), (1, 1, 0), (2, 2, 0), (3, 2, 1)],
    mentions=[(0, 1), (0, 1), (1, 0), (2, 2), (4, 2)],
    phrases=[(3, 3), (4, 3)],
    sources=[(0, 0), (0, 4), (1, 4), (4, 0)],
    facts=[(0, 4), (4, 0), (0, 1), (2, 2)],
)
"""Passages 0 to 3 own names 0, 1, 2 and 2; nodes 5 to 9 are the entities."""


def test_weights_of_five_passages_by_hand():
    of_two = math.log(FEW / 3) / math.log(FEW)  # entities 1, 3 and 4 are named by two passages
    of_three = math.log(FEW / 4) / math.log(FEW)  # entities 0 and 2 by three
    mean = (of_two + of_three) / 2
    expected = {
        (0, 5, EdgeType.TITLE): 1.0,
        (1, 6, EdgeType.TITLE): 1.0,
        (2, 7, EdgeType.TITLE): 0.5,  # a name of two documents
        (3, 7, EdgeType.TITLE): 0.5,
        (0, 6, EdgeType.MENTION): of_two,
        (1, 5, EdgeType.MENTION): of_three,
        (4, 7, EdgeType.MENTION): of_three,
        (3, 8, EdgeType.PHRASE): of_two,
        (4, 8, EdgeType.PHRASE): of_two,
        (0, 5, EdgeType.SOURCE): of_three,  # about its own title
        (0, 9, EdgeType.SOURCE): of_two,
        (1, 9, EdgeType.SOURCE): of_two,
        (4, 5, EdgeType.SOURCE): of_three,
        (5, 9, EdgeType.FACT): mean * (1 + math.log(2)),
        (5, 6, EdgeType.FACT): mean,
        (8, 9, EdgeType.SYNONYMY): 1.0,
    }
    edges = edges_of(built(FIVE, 5))
    assert edges.keys() == expected.keys()
    assert edges == {edge: float(np.float16(weight)) for edge, weight in expected.items()}


def test_document_frequency_counts_a_passage_once():
    assert document_frequency(FIVE).tolist() == [3, 2, 3, 2, 2]


def test_edges_of_entities_outside_weigh_nothing():
    edges, whole = edges_of(built(FIVE, 3)), edges_of(built(FIVE, 5))
    assert edges.keys() == whole.keys() - {(8, 9, EdgeType.SYNONYMY)}
    for edge, weight in edges.items():
        assert weight == (0.0 if {8, 9} & set(edge[:2]) else whole[edge])


@pytest.mark.parametrize(("n_passages", "is_nothing"), [(4, False), (13, False), (16, True)])
def test_an_entity_that_every_passage_names_weighs_nothing_but_among_a_few(
    n_passages: int, is_nothing: bool
):
    named = [(at, 0) for at in range(1, n_passages)]
    parts = parts_of(n_passages, ["hub"], n_known=1, owners=[(0, 0, 0)], mentions=named)
    edges = edges_of(built(parts, 1))
    assert (edges[1, n_passages, EdgeType.MENTION] == 0.0) == is_nothing
    assert edges[0, n_passages, EdgeType.TITLE] == 1.0


def test_a_name_joins_the_passages_of_its_document_more_than_documents_that_share_it():
    owners = [(row, 0, 0) for row in range(4)] + [(row, 1, 1) for row in (1, 3, 4)]
    parts = parts_of(
        5, ["long report", "file"], n_known=2, owners=owners, documents=[0, 0, 0, 0, 1]
    )
    edges = edges_of(built(parts, 2))
    assert [edges[row, 5, EdgeType.TITLE] for row in range(4)] == [0.5] * 4
    shared = float(np.float16(1 / math.sqrt(3 * 2)))
    assert [edges[row, 6, EdgeType.TITLE] for row in (1, 3, 4)] == [shared] * 3


def test_links_among_three_notes_weigh_something():
    parts = parts_of(
        3, ["a", "b", "c"], n_known=3, owners=[(0, 0, 0), (1, 1, 0), (2, 2, 0)],
        links=[(0, 1), (1, 2)],
    )  # fmt: skip
    edges = edges_of(built(parts, 3))
    assert edges[0, 4, EdgeType.LINK] > 0.5 < edges[1, 5, EdgeType.LINK]


@pytest.mark.parametrize("n_passages", [1, 2])
def test_graphs_of_one_or_two_passages_have_finite_weights(n_passages: int):
    parts = parts_of(
        n_passages, ["a", "b"], n_known=2, owners=[(0, 0, 0)], mentions=[(0, 1)], facts=[(0, 1)]
    )
    weights = built(parts, 2).weights
    assert np.isfinite(weights).all()
    assert (weights >= 0).all()


def test_nothing_named_gives_a_graph_without_edges():
    graph = built(parts_of(2, [], n_known=0), 0)
    assert (graph.n_nodes, len(graph.neighbours)) == (2, 0)


def test_entities_of_two_passages_come_first():
    """Known; of one passage; of two; phrase of one and source of another; two facts of one."""
    phrases = table([(0, 1), (0, 2), (1, 2), (0, 3)])
    sources = table([(1, 4), (1, 4), (2, 3)])
    numbers, n_linked = linked_first((phrases, sources), 5, n_passages=3, n_known=1)
    assert n_linked == 3
    assert numbers.tolist() == [0, 3, 1, 2, 4]


def test_known_names_keep_their_numbers_even_without_edges():
    none = table([])
    numbers, n_linked = linked_first((none, none), 2, n_passages=1, n_known=2)
    assert (numbers.tolist(), n_linked) == ([0, 1], 2)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("new york city", "newyorkcity"),
        ("ford harrison", "harrison ford"),
        ("john f kennedy", "john kennedy"),
        ("sammy davis jr", "sammy davis"),
        ("j r r tolkien son", "tolkien son"),
    ],
)
def test_near_identical_spellings_are_pairs(one: str, other: str):
    assert pairs_of([one, "something else", other]).tolist() == [[0, 2]]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("us", "u s"),  # too short
        ("harrison ford", "harrison fords"),
        ("john f kennedy", "john g kennedys"),
        ("kennedy j", "kennedy"),  # one full word is left
        ("a b c d e f g h i j k l m", "abcdefghijklm"),  # thirteen words
    ],
)
def test_other_spellings_are_not(one: str, other: str):
    assert pairs_of([one, other]).tolist() == []


def test_a_block_of_too_many_says_nothing():
    same = [f"{'abcdefghijkl'[:at]} {'abcdefghijkl'[at:]}" for at in range(1, MAX_BLOCK + 2)]
    assert len(pairs_of(same[:MAX_BLOCK])) == MAX_BLOCK * (MAX_BLOCK - 1) // 2
    assert len(pairs_of(same)) == 0
    assert pairs_of([]).shape == (0, 2)


WORDS = st.lists(st.sampled_from(["ab", "cd", "abc", "d", "jr", "x"]), min_size=1, max_size=4)


@given(st.lists(WORDS.map(" ".join), unique=True, max_size=12))
def test_pairs_are_those_of_the_blocks_by_name(keys: list[str]):
    blocks: dict[int, list[int]] = {}
    for number, key in enumerate(keys):
        for block in spelling_blocks(key):
            blocks.setdefault(block, []).append(number)
    wanted = {
        pair
        for members in blocks.values()
        if len(members) <= MAX_BLOCK
        for pair in combinations(members, 2)
    }
    assert [tuple(pair) for pair in pairs_of(keys).tolist()] == sorted(wanted)


def test_heads_by_kind():
    owners = table([(0, 4, TitleKind.FULL), (0, 2, TitleKind.BARE), (2, 1, TitleKind.OPENING)], 3)
    assert title_entities_of(owners, 3).tolist() == [
        [4, 2, -1, -1, -1, -1], [-1, -1, -1, -1, -1, -1], [-1, -1, 1, -1, -1, -1],
    ]  # fmt: skip


def test_of_several_aliases_the_first_is_kept():
    owners = table([(0, 4, TitleKind.FULL), (0, 9, TitleKind.ALIAS), (0, 7, TitleKind.ALIAS)], 3)
    assert title_entities_of(owners, 1).tolist() == [[4, -1, -1, -1, 9, -1]]


def test_links_of_an_index_page_share_their_weight():
    n = 3 * MOST_LINKS
    parts = parts_of(
        n + 2,
        [str(name) for name in range(n)],
        n_known=n,
        owners=[(row, row, 0) for row in range(n)],
        # The first of the last two passages links them all, the second a third of them.
        links=[
            (n + second, name) for second in (0, 1) for name in range(n if not second else n // 3)
        ],
        neighbours=[(0, 1)],
        sequences=[(1, 2)],
    )
    edges = edges_of(built(parts, n))
    first, last = n + 2, n + 2 + n - 1
    of_page = edges[n, first, EdgeType.LINK]
    assert of_page == pytest.approx(edges[n + 1, first, EdgeType.LINK] / 3, rel=1e-2)
    assert (n, last, EdgeType.LINK) in edges
    assert (n + 1, last, EdgeType.LINK) not in edges
    assert edges[0, 1, EdgeType.NEIGHBOUR] == edges[1, 2, EdgeType.SEQUENCE] == 1.0


def test_a_link_to_oneself_is_no_edge_and_a_linked_name_is_counted():
    parts = parts_of(2, ["a"], n_known=1, owners=[(0, 0, 0)], links=[(0, 0), (1, 0), (1, 0)])
    assert {kind for *_, kind in edges_of(built(parts, 1))} == {EdgeType.TITLE, EdgeType.LINK}
    assert document_frequency(parts).tolist() == [2]


PAIRS = st.lists(st.tuples(st.integers(0, 2**31 - 1), st.integers(0, 2**31 - 1)), max_size=20)
SMALL = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), max_size=12)


@given(st.one_of(PAIRS, SMALL))
def test_distinct_pairs_are_numpys(rows: Rows):
    pairs = table(rows)
    assert distinct_pairs(pairs).tolist() == np.unique(pairs, axis=0).tolist()
    assert distinct_pairs(pairs).dtype == np.int32


@given(SMALL, SMALL, SMALL, st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12))
def test_any_parts_give_a_graph_with_weights_of_0_or_more(
    mentions: Rows, phrases: Rows, sources: Rows, facts: Rows
):
    parts = parts_of(
        5, [f"name{n} x" for n in range(6)], n_known=2, owners=[(0, 0, 0), (1, 1, 0), (2, 1, 1)],
        mentions=[(row, name % 2) for row, name in mentions], phrases=phrases, sources=sources,
        facts=facts,
    )  # fmt: skip
    graph = built(parts, 6)
    assert (graph.weights >= 0).all()
    own = {(0, 5), (1, 6), (2, 6)}
    in_text = {EdgeType.MENTION, EdgeType.PHRASE}
    assert not {(a, b) for a, b, kind in edges_of(graph) if kind in in_text} & own
    again = parts_of(
        5, list(parts.keys), n_known=2, owners=[(2, 1, 1), (1, 1, 0), (0, 0, 0)],
        mentions=[(row, name % 2) for row, name in mentions[::-1]] * 2, phrases=phrases[::-1],
        sources=sources * 2, facts=[row[::-1] for row in facts[::-1]],
    )  # fmt: skip
    assert edges_of(built(again, 6)) == edges_of(graph)


@pytest.mark.parametrize(
    ("key", "n_holders", "kind"),
    [
        ("hx 1007", 2, EdgeType.TERM),
        ("hx 1007", MAX_TERM_PASSAGES, EdgeType.TERM),
        ("hx 1007", MAX_TERM_PASSAGES + 1, EdgeType.PHRASE),
        ("ada gaskin", MAX_TERM_PASSAGES, EdgeType.TERM),
        ("ada gaskin", MAX_TERM_PASSAGES + 1, EdgeType.PHRASE),
        (f"{ROW_MARK}coiled dry", 2, EdgeType.ROW),
        (f"{ROW_MARK}王 小 明", MAX_CASELESS_PASSAGES, EdgeType.TERM),
        (f"{ROW_MARK}राजन जरवे", MAX_CASELESS_PASSAGES, EdgeType.TERM),
        (f"{ROW_MARK}王 小 明", MAX_CASELESS_PASSAGES + 1, EdgeType.ROW),
        (f"{ROW_MARK}gannet valve 12", 2, EdgeType.TERM),
    ],
)
def test_a_name_that_few_hold_is_a_term_and_a_row_of_words_is_none(
    key: str, n_holders: int, kind: EdgeType
):
    assert phrase_type(key, n_holders) == kind
