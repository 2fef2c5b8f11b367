"""Stems: which tokens have one, and that threads learn the same."""

import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.language.stemming import Stemmer
from hippohover.names.affixes import Affixes, Stems
from hippohover.names.mentions import STOP_TOKENS
from hippohover.names.normal_forms import tokens


def test_terms_are_stems_and_stop_tokens_are_none():
    folded, _ = tokens("The directors of directed FILMS who were born")
    assert Stemmer().terms(folded) == ["", "director", "", "direct", "film", "", "", "born"]
    assert Stemmer().terms(sorted(STOP_TOKENS)) == [""] * len(STOP_TOKENS)


def test_other_scripts_keep_their_tokens():
    assert Stemmer().terms(["東", "кошками", "हिन्दी", "1984"]) == ["東", "кошками", "हिन्दी", "1984"]


@pytest.mark.parametrize(
    ("text", "terms", "in_a_row"),
    [
        ("王小明", ["王小", "小明", "明"], ["王小", "小明"]),
        ("见王小 2 号。", ["见王", "王小", "小", "2", "号"], ["见王", "王小", "小", "2"]),
        ("ข้าว", ["ข้าว"[:3], "าว", "ว"], ["ข้าว"[:3], "าว"]),
        ("red gates", ["red", "gate"], ["red", "gate"]),
        ("茶", ["茶"], []),
    ],
)
def test_two_letters_without_a_blank_are_a_term(text: str, terms: list[str], in_a_row: list[str]):
    folded, _ = tokens(text)
    assert Stemmer().terms(folded) == terms
    assert Stemmer().in_a_row(folded) == in_a_row


def test_a_corpus_with_affixes_is_searched_by_stems():
    stemmer = Stemmer(Stems(Affixes(frozenset({"ом", "у"}))))
    assert stemmer.terms(["маяком", "маяку", "маяк", "the"]) == ["маяк", "маяк", "маяк", ""]


@given(st.text())
def test_every_token_but_a_stop_token_has_a_term(text: str):
    folded, _ = tokens(text)
    for token, term in zip(folded, Stemmer().terms(folded), strict=True):
        assert bool(term) == (token not in STOP_TOKENS)


def test_several_threads_learn_the_same_terms():
    words = [f"{stem}{ending}" for stem in map("w{:03}".format, range(400)) for ending in
             ("ing", "ed", "s", "ation")]  # fmt: skip
    expected = Stemmer().terms(words)
    stemmer = Stemmer()
    answers: list[list[str]] = []
    together = threading.Barrier(9)

    def learn() -> None:
        together.wait()
        answers.append(stemmer.terms(words))

    threads = [threading.Thread(target=learn) for _ in range(8)]
    for thread in threads:  # before they switch so often: coverage cannot trace two that start
        thread.start()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        together.wait()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert answers == [expected] * 8
