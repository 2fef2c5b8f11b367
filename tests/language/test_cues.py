"""The lists of cues: what each turns, and that they are well formed."""

import pytest

from hippohover.language.clauses import ClauseReader
from hippohover.language.cues import cues, word_list, words_of

READ = ClauseReader()


@pytest.mark.parametrize("phrase", sorted(cues().deny, key=" ".join), ids=" ".join)
def test_each_denying_phrase_denies_what_follows(phrase: tuple[str, ...]):
    said = READ(f"Ida Fenn did {' '.join(phrase)} pilot.".replace(" n't", "n't"))
    assert said.held["pilot"] == (False, True), said


@pytest.mark.parametrize("phrase", sorted(cues().frames, key=" ".join), ids=" ".join)
def test_each_frame_denies_the_sentence(phrase: tuple[str, ...]):
    said = READ(f"{' '.join(phrase)} Ida Fenn, who is tall, was a pilot.")
    assert said.held["pilot"] == (False, True)


@pytest.mark.parametrize("phrase", sorted(cues().hedge, key=" ".join), ids=" ".join)
def test_each_hedge_hedges_what_follows(phrase: tuple[str, ...]):
    said = READ(f"Ida Fenn {' '.join(phrase)} pilot.")
    assert said.hedged[said.words.index("pilot")]


def test_pairs_go_both_ways_and_no_word_opposes_itself():
    for table in (cues().opposites, cues().converse, cues().measures):
        for stem, others in table.items():
            assert stem not in others
            assert all(stem in table[other] for other in others)


def test_words_are_split_from_their_denial_and_their_owner():
    assert [word for word, _, _ in words_of("Ida's bridge isn’t 2,400 long, and cannot be.")] == [
        "ida", "bridge", "is", "n't", "2,400", "long", ",", "and", "can", "not", "be", ".",
    ]  # fmt: skip
    assert [word for word, _, _ in words_of("Ertegün")] == ["ertegun"]


@pytest.mark.parametrize("name", ["light", "openers", "auxiliaries", "superlatives"])
def test_lists_of_words_are_there(name: str):
    assert word_list(name)


@pytest.mark.parametrize(
    "text", ["A n't n't n't n't", "n\u2019t", "' 's '' 's's", "\u0301 \u00b4 \u00ad"]
)
def test_no_word_is_empty(text: str):
    assert all(word for word, _, _ in words_of(text))
    READ(text)
