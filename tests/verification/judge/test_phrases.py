"""Which words phrases join."""

import pytest

from hippohover.language.clauses import ClauseReader
from hippohover.verification.judge.phrases import joined, joined_in, phrase_features, phrases_of

READ = ClauseReader()
WORTH = {
    "ida": 1.0,
    "fenn": 1.0,
    "found": 0.4,
    "harbour": 0.5,
    "museum": 0.5,
    "port": 0.2,
    "senna": 1.0,
}


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("Ida Fenn founded the harbour museum.", [["ida", "fenn", "found"], ["harbour", "museum"]]),
        ("the mayor's house", [["mayor", "hous"]]),
        ("a twin-engine plane", [["twin", "engin", "plane"]]),
        ("It was in the, of.", []),
    ],
)
def test_a_phrase_ends_at_words_that_only_join(text: str, phrases: list[list[str]]) -> None:
    assert phrases_of(READ(text)) == phrases


def test_words_of_a_phrase_and_heads_of_neighbours_are_joined() -> None:
    pairs = list(joined([["a", "b", "c"], ["d", "e"], ["f"]]))
    assert pairs == [
        ("within", "a", "b"), ("within", "b", "c"), ("to head", "a", "c"), ("within", "d", "e"),
        ("between", "c", "e"), ("to first", "c", "d"), ("between", "e", "f"), ("over", "c", "f"),
    ]  # fmt: skip


def test_a_title_is_joined_to_how_its_sentences_begin() -> None:
    said = READ("She founded the museum of the harbour in the port of Senna.")
    held = joined_in([said], [frozenset(["ida"])])
    assert ("ida", "found") in held
    assert ("museum", "ida") in held
    assert ("ida", "senna") not in held  # the fifth phrase is of something else


def features(claim: str, *evidence: str) -> dict[str, float]:
    said = [READ(one) for one in evidence]
    return phrase_features(READ(claim), said, [frozenset[str]()] * len(said), WORTH)


def test_what_the_evidence_joins_otherwise_is_lost() -> None:
    claim = "Ida Fenn founded the museum in the port of Senna."
    same = features(claim, "In 1950 Ida Fenn founded the museum in the port of Senna.")
    other = features(claim, "Ida Fenn founded a harbour.", "The museum is in the port of Senna.")
    assert same["joined"] == same["joined_within"] == same["joined_between"] == 1.0
    assert same["joined_lost"] == same["joined_within_n"] == same["joined_over_n"] == 0.0
    assert 0.0 < other["joined"] < 1.0
    assert other["joined_within"] == 1.0
    assert other["joined_between_n"] == 1.0
    assert other["joined_between_lost"] == pytest.approx(WORTH["found"])


def test_a_pair_weighs_as_much_as_its_more_frequent_word() -> None:
    none = features("Ida Fenn founded the museum.")
    assert none["joined_within_lost"] == pytest.approx(1.0 + WORTH["found"])
    assert none["joined_between_lost"] == pytest.approx(WORTH["found"])


def test_a_claim_of_one_phrase_of_one_word_loses_nothing() -> None:
    found = features("Senna", "The harbour museum.")
    assert (found["joined"], found["joined_lost"], found["joined_over"]) == (1.0, 0.0, 1.0)


def test_what_is_said_otherwise_is_joined() -> None:
    claim, evidence = READ("Ida Fenn founded the museum."), [READ("Ida Fenn set up the museum.")]
    titles = [frozenset[str]()]
    assert phrase_features(claim, evidence, titles, WORTH)["joined_lost"] > 0.0
    held = phrase_features(claim, evidence, titles, WORTH, frozenset(["found"]))
    assert held["joined_lost"] == held["joined_between_lost"] == 0.0
    apart = phrase_features(claim, [READ("It was founded.")], titles, WORTH, frozenset(["found"]))
    assert apart["joined_lost"] > 0.0  # the word itself is there, and joined to nothing
