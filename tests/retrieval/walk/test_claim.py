"""Claims as an index reads them: the names that passages mention, and nothing else."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hippohover.entity_graph import KNOWN, PHRASE
from hippohover.errors import UsageError
from hippohover.graph_builder import MAX_TERM_PASSAGES
from hippohover.names.gazetteer import Gazetteer
from hippohover.names.mentions import find_phrases
from hippohover.names.normal_forms import entity_key, tokens, tokens_and_breaks
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.walk.claim import MAX_CLAIM_CHARS, ClaimReader
from tests.index_samples import table_of_keys
from tests.retrieval.toy_samples import TOY_CLAIMS, UNKNOWN_WORDS


@pytest.fixture(scope="module")
def read(toy_engine: HippoHover) -> ClaimReader:
    return ClaimReader(toy_engine.tables.arrays)


def names_in(engine: HippoHover, entities: list[int]) -> set[str]:
    column = engine.tables.entities.column("name")
    return {column[entity].as_py() for entity in entities}


def test_names_and_terms_of_a_claim(toy_engine: HippoHover, read: ClaimReader):
    claim = read("Mira Oldane played in lantern hill, says Jonah Pell.")
    assert names_in(toy_engine, claim.entities.tolist()) == {
        "Mira Oldane",
        "Lantern Hill",
        "Jonah Pell",
    }
    assert (claim.terms.dtype, claim.entities.dtype) == (np.int64, np.int64)
    assert claim.rarity.dtype == np.float32
    both = toy_engine.tables.arrays.lexical.query_terms(["mira", "oldan"])
    assert set(both.tolist()) <= set(claim.terms.tolist())


def test_rarity_is_the_formula(toy_engine: HippoHover, read: ClaimReader):
    claim = read(TOY_CLAIMS[0])
    lexical = toy_engine.tables.arrays.lexical
    for term, rarity in zip(claim.terms.tolist(), claim.rarity.tolist(), strict=True):
        df = int(lexical.df[term])
        assert rarity == pytest.approx(math.log((lexical.n_passages + 1) / (df + 0.5)), rel=1e-6)


def test_a_claim_names_what_a_passage_of_the_same_words_mentions(
    toy_engine: HippoHover, read: ClaimReader
):
    """A build finds them by a table, a claim by look-ups, and some in lower case besides."""
    arrays = toy_engine.tables.arrays
    n_known = int((arrays.entity_standing == KNOWN).sum())
    for row, text in enumerate(toy_engine.tables.texts):
        at_build = arrays.mentions[slice(*arrays.mention_spans[row]), 0]
        own = set(arrays.title_entities[row].tolist())
        known = {entity for entity in read(text).entities.tolist() if entity < n_known}
        mentioned = set(at_build.tolist()) - own
        assert known - own >= mentioned
        # What is more stands there too, with a small letter first.
        words = f" {' '.join(tokens(text)[0])} "
        more = names_in(toy_engine, list(known - own - mentioned))
        assert all(f" {entity_key(name)} " in words for name in more)
        assert not {name for name in more if f"{name} " in text}


def expected_entities(engine: HippoHover, text: str) -> set[int]:
    """Known names by a build's finder, and phrases that are linked entities."""
    arrays = engine.tables.arrays
    keys = [entity_key(name) for name in engine.tables.entities.column("name").to_pylist()]
    numbers = {key: number for number, key in enumerate(keys[: len(arrays.entity_df)])}
    known = {key: n for key, n in numbers.items() if arrays.entity_standing[n] == KNOWN}
    folded, written, breaks = tokens_and_breaks(text)
    mentions = Gazetteer(known).find(folded, written)
    phrases = find_phrases(folded, written, mentions, breaks)
    found = {mention.name for mention in mentions}
    return found | {numbers[phrase.key] for phrase in phrases if phrase.key in numbers}


def test_phrases_are_found_by_their_capitals_alone(toy_engine: HippoHover):
    """No known name, and none that few have: one has an article before a lower-case word."""
    names = table_of_keys({"grey mill": 0, "the van der meer": 1})
    arrays = replace(
        toy_engine.tables.arrays,
        entity_standing=np.full(2, PHRASE, np.uint8),
        entity_df=np.full(2, MAX_TERM_PASSAGES + 1, np.int32),
        name_hashes=names.hashes,
        name_values=names.values,
    )
    read = ClaimReader(arrays)
    assert read("at Grey Mill").entities.tolist() == [0]
    assert read("at Grey mill").entities.tolist() == []
    assert read("The van der Meer saw Grey Mill").entities.tolist() == [0, 1]


@pytest.mark.parametrize("n_holders", [MAX_TERM_PASSAGES, MAX_TERM_PASSAGES + 1])
def test_terms_are_found_in_any_case(toy_engine: HippoHover, n_holders: int):
    names = table_of_keys({"grey valve 12": 0, "grey valve": 1})
    arrays = replace(
        toy_engine.tables.arrays,
        entity_df=np.full(2, n_holders, np.int32),
        entity_standing=np.full(2, PHRASE, np.uint8),
        name_hashes=names.hashes,
        name_values=names.values,
    )
    found = ClaimReader(arrays)("Who made grey valve 12?").entities.tolist()
    assert found == [0] * (n_holders <= MAX_TERM_PASSAGES)


WORDS = sorted({word for claim in TOY_CLAIMS for word in claim.split()})


@settings(
    deadline=None,
    max_examples=min(25, settings().max_examples),
    suppress_health_check=[HealthCheck.too_slow],
)
@given(words=st.lists(st.sampled_from([*WORDS, "the", "The", "of", "a", "A"]), min_size=1))
def test_entities_of_shuffled_words(toy_engine: HippoHover, read: ClaimReader, words: list[str]):
    """What a build finds is found; what is more stands in the claim in another case."""
    text = " ".join(words)
    found, expected = set(read(text).entities.tolist()), expected_entities(toy_engine, text)
    if not text.islower() and not text.isupper():
        assert found >= expected
    names = toy_engine.tables.entities.column("name")
    spoken = f" {' '.join(tokens(text)[0])} "
    assert all(f" {entity_key(names[more].as_py())} " in spoken for more in found - expected)


@settings(deadline=None, max_examples=min(100, settings().max_examples))
@given(text=st.text(min_size=1, max_size=80).filter(str.strip))
def test_any_text_is_read(toy_engine: HippoHover, read: ClaimReader, text: str):
    claim = read(text)
    assert bool(np.all(np.diff(claim.terms) > 0))
    assert bool(np.all(np.diff(claim.entities) > 0))
    assert bool(np.all(claim.entities < len(toy_engine.tables.arrays.entity_df)))
    assert len(claim.rarity) == len(claim.terms)


def test_a_claim_of_unknown_words_holds_nothing(read: ClaimReader):
    claim = read(UNKNOWN_WORDS)
    assert (len(claim.terms), len(claim.rarity), len(claim.entities)) == (0, 0, 0)
    assert read("?!").terms.tolist() == []


@pytest.mark.parametrize("blank", ["", " ", "\n\t ", "\u3000"])
def test_a_blank_claim_is_refused(read: ClaimReader, blank: str):
    with pytest.raises(UsageError, match="claim is empty"):
        read(blank)


def test_a_long_claim_is_refused(read: ClaimReader):
    read("Mira " * (MAX_CLAIM_CHARS // 5))
    with pytest.raises(UsageError, match=r"10,001 characters: give at most 10,000"):
        read("x" * (MAX_CLAIM_CHARS + 1))


# --- in any case -------------------------------------------------------------------------------


def named(engine: HippoHover, read: ClaimReader, text: str) -> set[str]:
    return names_in(engine, read(text).entities.tolist())


@pytest.mark.parametrize("change", [str.lower, str.upper])
def test_a_claim_of_one_case_names_the_same(
    toy_engine: HippoHover, read: ClaimReader, change: Callable[[str], str]
):
    text = "Who played in Lantern Hill with Mira Oldane?"
    expected = {"Lantern Hill", "Mira Oldane"}
    assert named(toy_engine, read, text) == named(toy_engine, read, change(text)) == expected


def test_a_claim_is_read_without_what_it_does_not_show(read: ClaimReader):
    plain, unseen = read("Lantern Hill"), read("\ufeffLan\u00adtern\u2060 Hi\u200bll")
    assert unseen.entities.tolist() == plain.entities.tolist() != []
    assert unseen.terms.tolist() == plain.terms.tolist()
    assert not unseen.corrections


def test_names_are_found_in_joined_words(toy_engine: HippoHover, read: ClaimReader):
    for typed in ("Lantern_Hill", "LanternHill", "#LanternHill", "#lanternhill"):
        assert named(toy_engine, read, f"Who played in {typed}?") == {"Lantern Hill"}


def test_misspelt_names_are_corrected_and_told(toy_engine: HippoHover, read: ClaimReader):
    claim = read("Who played in LANTREN Hill with Mira Oldanne?")
    assert names_in(toy_engine, claim.entities.tolist()) == {"Lantern Hill", "Mira Oldane"}
    assert claim.corrections == (("LANTREN", "lantern"), ("Oldanne", "oldane"))
    assert claim.asked == "Who played in LANTERN Hill with Mira Oldane?"
    assert claim.text == "Who played in LANTREN Hill with Mira Oldanne?"
    assert read(claim.asked).corrections == ()


# --- the part that asks ------------------------------------------------------------------------

PASTED = "Vessby Rovers met Gullhaven Wanderers at Lockyard Park in the rain, and few came. " * 5


def test_the_question_behind_pasted_text_is_what_is_searched(
    toy_engine: HippoHover, read: ClaimReader
):
    claim = read(f"{PASTED}Who played in Lantern Hill?")
    assert claim.asked == "Who played in Lantern Hill?"
    assert names_in(toy_engine, claim.entities.tolist()) == {"Lantern Hill"}


def test_a_question_that_names_nothing_is_read_with_what_stands_before_it(
    toy_engine: HippoHover, read: ClaimReader
):
    claim = read(f"{PASTED}I saw Lantern Hill. Who played in it?")
    assert claim.asked == "I saw Lantern Hill. Who played in it?"
    nothing = f"{UNKNOWN_WORDS} " * 40 + "Who was it?"
    assert read(nothing).asked == nothing
