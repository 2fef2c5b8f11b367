"""Triples of a parse: known answers, one phenomenon each, and any tree at all."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippohover.indexing.triples.dependency_rules import TripleRules
from hippohover.indexing.triples.noun_phrases import NounPhrases
from hippohover.language.parse import Parse
from hippohover.records import Triple
from tests.indexing.triples.triple_samples import check_form, facts, read
from tests.language.parse_samples import parse_of, written


def test_two_common_nouns_make_no_fact():
    assert facts("Ann Lee", "Nobody knew why. Some crowds filled public squares.") == set()


def test_nothing_is_said_of_itself():
    assert facts("Ann Lee", "Ann Lee is Ann Lee.") == set()


def test_a_fact_told_twice_stands_where_it_was_told_first():
    text = "Bo left. Ann Lee won the Silver Harp. Ann Lee won the Silver Harp."
    assert read("Ann Lee", text) == [Triple("Ann Lee", "won", "Silver Harp", 1)]


def test_life_dates_are_looked_for_where_a_passage_begins():
    dates = "Ann Lee (3 May 1850 – 4 June 1900) was a painter."
    born = ("Ann Lee", "born on", "3 May 1850")
    assert born in facts("Ann Lee", f"She lived. {dates}")
    assert born not in facts("Ann Lee", f"{'She lived. ' * 30}{dates}")
    assert not any(p.startswith("born") for _, p, _ in facts("", "(3 May 1850 – 4 June 1900)"))


def test_sentences_are_counted_from_where_the_caller_is():
    parse = written("Lee won Oslo.", "Lee/NNP/nsubj/1 won/VBD/ROOT/1 Oslo/NNP/dobj/1 ././punct/1")
    rules = TripleRules(parse, NounPhrases(parse, "Ann Lee"))
    assert rules.triples(first_sentence=7) == [Triple("Ann Lee", "won", "Oslo", 7)]


# Any tree, also those that no parser gives.


WORDS = st.sampled_from(
    [
        *("Ann", "Lee", "film", "the", "is", "won", "of", "by", "who", "he", "his", "and", ","),
        *("(", '"', "May", "1950", "such", "including", "been", "to", "record", "actor", "中"),
    ]
)
TAGS = st.sampled_from(
    [
        *("NN", "NNP", "CD", "VBZ", "VBN", "VBG", "VBD", "IN", "DT", "PRP", "PRP$", "WP"),
        *("WDT", "WP$", "CC", ",", "-LRB-", "JJ", "RB", "TO", "POS"),
    ]
)
LABELS = st.sampled_from(
    [
        *("ROOT", "nsubj", "nsubjpass", "dobj", "attr", "prep", "pobj", "pcomp", "agent", "conj"),
        *("appos", "acl", "relcl", "advcl", "xcomp", "ccomp", "compound", "nmod", "nummod"),
        *("poss", "amod", "det", "acomp", "advmod", "oprd", "dative", "npadvmod", "cc", "neg"),
    ]
)


@st.composite
def trees(draw: st.DrawFn) -> Parse:
    n = draw(st.integers(1, 14))
    order = draw(st.permutations(range(n)))
    heads = list(range(n))
    for place, token in enumerate(order[1:], start=1):
        heads[token] = order[draw(st.integers(0, place - 1))]
    words, tags, deps = (
        draw(st.lists(part, min_size=n, max_size=n)) for part in (WORDS, TAGS, LABELS)
    )
    return parse_of(words, tags, deps, heads)


@settings(max_examples=min(120, settings().max_examples), deadline=None)
@given(parse=trees(), title=st.sampled_from(["", "Ann Lee", "film", "X"]))
def test_any_tree_is_read(parse: Parse, title: str):
    check_form(TripleRules(parse, NounPhrases(parse, title)).triples())


@pytest.mark.parametrize(
    ("label", "tag"),
    [
        *(("conj", tag) for tag in ("NNP", "NN", "VBN", "IN")),
        pytest.param("poss", "NNP", marks=pytest.mark.slow),
        *(("appos", "NN"), ("prep", "IN"), ("pobj", "NNP"), ("compound", "NNP")),
        *(("relcl", "VBD"), ("acl", "VBN"), ("xcomp", "VB"), ("nsubj", "NN"), ("attr", "NN")),
    ],
)
@pytest.mark.parametrize("step", [-1, 1])
def test_deep_trees_stay_within_the_recursion_limit(label: str, tag: str, step: int):
    n = 1200
    heads = [min(max(token - step, 0), n - 1) for token in range(n)]
    parse = parse_of(["Ann"] * n, [tag] * n, [label] * n, heads)
    check_form(TripleRules(parse, NounPhrases(parse, "Bo")).triples())


def test_deep_alternating_clauses_stay_within_the_recursion_limit():
    n = 3000
    words = ["dog", "that", "is"] * (n // 3)
    tags = ["NN", "WDT", "VBZ"] * (n // 3)
    deps = ["attr", "nsubj", "relcl"] * (n // 3)
    heads = [max(t - 1, 0) if t % 3 == 0 else (t + 1 if t % 3 == 1 else t - 2) for t in range(n)]
    parse = parse_of(words, tags, deps, heads)
    check_form(TripleRules(parse, NounPhrases(parse, "Bo")).triples())
