"""A parse as lists: edges, subjects, names, and readings of the parser that are undone."""

import pytest

from tests.indexing.triples.triple_samples import facts
from tests.language.parse_samples import parse_of, written

HARP = written(
    "Ann Lee did not win the Silver Harp.",
    "Ann/NNP/compound/1 Lee/NNP/nsubj/4 did/VBD/aux/4 not/RB/neg/4 win/VB/ROOT/4 the/DT/det/7 "
    "Silver/NNP/compound/7 Harp/NNP/dobj/4 ././punct/4",
)


def test_children_edges_and_slices_of_a_parse():
    assert len(HARP) == 9
    assert HARP.children == [[], [0], [], [], [1, 2, 3, 7, 8], [], [], [5, 6], []]
    assert [HARP.left_edge(token) for token in (4, 7, 1, 2)] == [0, 5, 0, 2]
    assert [HARP.right_edge(token) for token in (4, 7, 1)] == [8, 7, 1]
    assert HARP.slice(5, 7) == "the Silver Harp"
    assert HARP.slice(8, 8) == "."
    assert HARP.below(4, frozenset(("neg", "dobj"))) == [3, 7]
    assert HARP.below(7, frozenset(("nsubj",))) == []


def test_edges_of_a_chain_are_its_ends():
    chain = parse_of(["a"] * 5, ["NN"] * 5, ["conj"] * 5, [1, 2, 3, 4, 4])
    assert chain.left_edge(4) == 0
    assert chain.right_edge(0) == 0
    down = parse_of(["a"] * 5, ["NN"] * 5, ["conj"] * 5, [0, 0, 1, 2, 3])
    assert down.right_edge(0) == 4
    assert down.left_edge(4) == 4


def test_a_root_is_no_child_of_its_own():
    assert written("Go.", "Go/VB/ROOT/0 ././punct/0").children == [[1], []]


def test_subjects_are_those_of_the_verb_itself():
    assert HARP.subjects(4) == [1]
    assert HARP.subjects(2) == []


def test_a_subject_that_the_parser_gave_to_called_is_the_verbs():
    church = written(
        "Ada, also called Eda, is a church.",
        "Ada/NNP/nsubj/3 ,/,/punct/0 also/RB/advmod/3 called/VBN/advcl/6 Eda/NNP/oprd/3 "
        ",/,/punct/6 is/VBZ/ROOT/6 a/DT/det/8 church/NN/attr/6 ././punct/6",
    )
    assert church.subjects(6) == [0]
    active = written(
        "Ada calling, Eda left.",
        "Ada/NNP/nsubj/1 calling/VBG/advcl/4 ,/,/punct/4 Eda/NNP/dep/4 left/VBD/ROOT/4 ././punct/4",
    )
    assert active.subjects(4) == []


@pytest.mark.parametrize(
    ("word", "tag", "expected"),
    [
        ("Lee", "NNP", True),
        ("Alps", "NNPS", True),
        ("1950", "CD", True),
        ("film", "NN", False),
        ("Film", "NN", False),
        ("海", "NN", True),
        ("Ödön", "NN", True),
        ("müde", "JJ", False),
    ],
)
def test_what_is_named(word: str, tag: str, expected: bool):
    assert parse_of([word], [tag], ["ROOT"], [0]).is_named(0) is expected


@pytest.mark.parametrize(
    ("tag", "label", "expected"),
    [
        ("VBD", "ROOT", True),
        ("MD", "ccomp", True),
        ("VBD", "aux", False),
        ("VBN", "amod", False),
        ("VBG", "pobj", False),
        ("NN", "ROOT", False),
    ],
)
def test_what_heads_a_clause(tag: str, label: str, expected: bool):
    assert parse_of(["x"], [tag], [label], [0]).is_verb(0) is expected


# What the parser reads wrongly.


def test_a_verb_that_the_parser_takes_for_a_part_of_a_name():
    found = facts(
        "Gone (film)",
        "Gone is a film. The film stars Joe E. Brown, Martha Raye, Eric Blore and Joyce Day.",
    )
    assert {("Gone", "stars", name) for name in ("Joe E. Brown", "Martha Raye", "Eric Blore")} <= (
        found
    )


def test_the_verb_in_a_name_becomes_the_head_of_its_clause():
    parse = written(
        "The film stars Ann Lee.",
        "The/DT/det/1 film/NN/compound/4 stars/VBZ/compound/4 Ann/NNP/compound/4 Lee/NNP/ROOT/4 "
        "././punct/4",
    )
    assert parse.heads[:5] == [1, 2, 2, 4, 2]
    assert parse.deps[:5] == ["det", "nsubj", "ROOT", "compound", "dobj"]
    assert parse.subjects(2) == [1]
    assert parse.is_verb(2)


def test_the_verb_in_a_name_takes_the_names_place_in_a_longer_sentence():
    parse = written(
        "He said the film now stars Lee.",
        "He/PRP/nsubj/1 said/VBD/ROOT/1 the/DT/det/3 film/NN/nsubj/6 now/RB/advmod/6 "
        "stars/VBZ/compound/6 Lee/NNP/ccomp/1 ././punct/1",
    )
    assert (parse.heads[5], parse.deps[5]) == (1, "ccomp")
    assert (parse.heads[6], parse.deps[6]) == (5, "dobj")
    assert (parse.heads[3], parse.deps[3]) == (5, "nsubj")


@pytest.mark.parametrize(
    "tokens",
    [
        "The/DT/det/1 film/NN/compound/3 stars/NNS/compound/3 Lee/NNP/ROOT/3",
        "The/DT/det/1 film/NN/compound/3 stars/VBZ/compound/3 lee/NN/ROOT/3",
        "The/DT/det/1 film/NN/nsubj/2 stars/VBZ/ROOT/2 Lee/NNP/dobj/2",
    ],
)
def test_other_compounds_stay_as_they_are(tokens: str):
    parse = written(" ".join(token.split("/")[0] for token in tokens.split()), tokens)
    read_again = "/".join(parse.deps), "/".join(map(str, parse.heads))
    given = [token.split("/") for token in tokens.split()]
    assert read_again == ("/".join(g[2] for g in given), "/".join(g[3] for g in given))


def test_a_title_that_the_parser_takes_for_the_verb_is_the_subject():
    parse = written(
        "Gone is a film.", "Gone/VBN/ROOT/0 is/VBZ/aux/0 a/DT/det/3 film/NN/attr/0 ././punct/0"
    )
    parse.take_as_subject(0, 0)
    assert parse.heads == [1, 1, 3, 1, 1]
    assert parse.deps == ["nsubj", "ROOT", "det", "attr", "punct"]
    assert parse.tags[0] == "NNP"
    assert parse.children == [[], [0, 3, 4], [], [2], []]


def test_a_title_within_a_sentence_keeps_its_clauses_place():
    parse = written(
        "He said Gone was good.",
        "He/PRP/nsubj/1 said/VBD/ROOT/1 Gone/VBN/ccomp/1 was/VBD/auxpass/2 good/JJ/acomp/2 "
        "././punct/1",
    )
    parse.take_as_subject(2, 2)
    assert (parse.heads[3], parse.deps[3]) == (1, "ccomp")
    assert (parse.heads[2], parse.deps[2]) == (3, "nsubj")
    assert parse.heads[4] == 3


@pytest.mark.parametrize(("left", "right"), [(0, 1), (6, 7), (8, 8)])
def test_a_title_that_no_verb_hangs_on_stays_as_it_is(left: int, right: int):
    before = HARP.heads.copy(), HARP.deps.copy(), HARP.tags.copy()
    HARP.take_as_subject(left, right)
    assert (HARP.heads, HARP.deps, HARP.tags) == before
