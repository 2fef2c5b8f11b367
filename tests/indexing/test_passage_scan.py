"""The scan: whole or in pieces the same, and every place is where the tokens say."""

import pickle
from collections.abc import Sequence
from dataclasses import fields
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippohover.indexing.passage_scan import PassageScanner, Scan, join_scans
from hippohover.lexical import NO_TERM, Stemmer
from hippohover.mentions import KnownNames, find_phrases
from hippohover.names import entity_key, tokens, tokens_and_breaks
from hippohover.records import Passage, PassageId

NAMES = ["Lisk", "New Lisk", "Ada Lorne", "The Lamp", "東京", "Élan"]
KEYS = {entity_key(name): number for number, name in enumerate(NAMES)}
KEY_OF = {number: key for key, number in KEYS.items()}

WORDS = st.sampled_from(
    ["Lisk", "New", "lisk", "Ada", "Lorne", "the", "The", "Lamp", "lamps", "of", "東京", "Élan",
     "River", "Tam", "was", "founding", "founded", "1984", ".", ",", "!"]
)  # fmt: skip
TEXTS = st.lists(WORDS, max_size=8).map(" ".join)


def passage(title: str, text: str) -> Passage:
    return Passage(PassageId(f"{title}/{text}"), title, text)


PASSAGES = st.lists(st.builds(passage, TEXTS, TEXTS), max_size=4)


def scanned(passages: Sequence[Passage]) -> Scan:
    return PassageScanner(KnownNames(KEYS))(passages)


def assert_same(one: Scan, other: Scan) -> None:
    for field in fields(Scan):
        ours, theirs = getattr(one, field.name), getattr(other, field.name)
        if isinstance(ours, np.ndarray):
            assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), field.name
            assert np.array_equal(ours, theirs), field.name
        else:
            assert ours == theirs, field.name


def test_a_small_scan_by_hand():
    scan = scanned(
        [
            passage("Ada Lorne", "Ada Lorne was born in New Lisk."),
            passage("", "the lamps of Lisk and River Tam"),
        ]
    )
    assert scan.mentions.tolist() == [[0, 2, 2, 4], [0, 1, 7, 9], [1, 0, 3, 4]]
    assert scan.phrases == ["river tam"]
    assert scan.phrase_places.tolist() == [[1, 5, 7]]
    assert scan.vocabulary == ["ada", "lorn", "born", "new", "lisk", "lamp", "river", "tam"]
    assert scan.terms.tolist() == [0, 1, 0, 1, -1, 2, -1, 3, 4, -1, 5, -1, 4, -1, 6, 7]
    assert scan.lengths.tolist() == [9, 7]
    assert scan.title_lengths.tolist() == [2, 0]


# --- one pass or many ------------------------------------------------------------------------


@given(PASSAGES, st.lists(st.integers(0, 4), max_size=3))
def test_scans_of_any_chunks_join_to_the_scan_of_all(passages: list[Passage], cuts: list[int]):
    borders = [0, *sorted(min(cut, len(passages)) for cut in cuts), len(passages)]
    pieces = [passages[start:stop] for start, stop in pairwise(borders)]
    assert_same(join_scans([scanned(piece) for piece in pieces]), scanned(passages))


@given(PASSAGES)
def test_one_scanner_scans_all_chunks_as_a_new_one_would(passages: list[Passage]):
    scanner = PassageScanner(KnownNames(KEYS))
    scanner(passages)
    assert_same(scanner(passages), scanned(passages))


@settings(max_examples=50)
@given(PASSAGES, PASSAGES, PASSAGES)
def test_joining_is_associative(a: list[Passage], b: list[Passage], c: list[Passage]):
    first, second, third = scanned(a), scanned(b), scanned(c)
    assert_same(
        join_scans([join_scans([first, second]), third]),
        join_scans([first, join_scans([second, third])]),
    )


def test_nothing_scanned_and_nothing_joined_are_the_same_empty_scan():
    assert_same(scanned([]), join_scans([]))
    assert_same(scanned([]), join_scans([scanned([]), scanned([])]))
    empty = scanned([])
    assert empty.mentions.shape == (0, 4)
    assert empty.phrase_places.shape == (0, 3)


def test_joining_leaves_its_parts_alone():
    part = scanned([passage("Lisk", "Ada Lorne of Lisk")])
    before = pickle.dumps(part)
    join_scans([part, part])
    assert pickle.dumps(part) == before


@given(PASSAGES)
def test_a_scan_crosses_processes(passages: list[Passage]):
    scan = scanned(passages)
    assert_same(pickle.loads(pickle.dumps(scan)), scan)  # noqa: S301 - what a worker does


# --- places ----------------------------------------------------------------------------------


def tokens_of(passage: Passage) -> list[str]:
    return tokens(passage.title)[0] + tokens(passage.text)[0]


@pytest.mark.slow
@given(PASSAGES)
def test_places_count_the_tokens_of_title_and_text(passages: list[Passage]):
    scan = scanned(passages)
    for row, name, start, stop in scan.mentions.tolist():
        assert " ".join(tokens_of(passages[row])[start:stop]) == KEY_OF[name]
        assert scan.title_lengths[row] <= start < stop <= scan.lengths[row]
    for key, (row, start, stop) in zip(scan.phrases, scan.phrase_places.tolist(), strict=True):
        assert " ".join(tokens_of(passages[row])[start:stop]) == key
        assert scan.title_lengths[row] <= start < stop <= scan.lengths[row]


@given(PASSAGES)
def test_every_mention_and_phrase_of_a_text_is_in_the_scan(passages: list[Passage]):
    scan = scanned(passages)
    known = KnownNames(KEYS)
    n_mentions = n_phrases = 0
    for row, one in enumerate(passages):
        folded, written, breaks = tokens_and_breaks(one.text)
        mentions = known.find(folded, written)
        phrases = find_phrases(folded, written, mentions, breaks)
        assert [name for at, name, *_ in scan.mentions.tolist() if at == row] == [
            mention.name for mention in mentions
        ]
        n_mentions += len(mentions)
        n_phrases += len(phrases)
    assert (len(scan.mentions), len(scan.phrases)) == (n_mentions, n_phrases)


@given(PASSAGES)
def test_terms_are_the_stems_of_every_token(passages: list[Passage]):
    scan = scanned(passages)
    words = [token for one in passages for token in tokens_of(one)]
    assert scan.lengths.tolist() == [len(tokens_of(one)) for one in passages]
    assert scan.title_lengths.tolist() == [len(tokens(one.title)[0]) for one in passages]
    read_back = ["" if term == NO_TERM else scan.vocabulary[term] for term in scan.terms.tolist()]
    assert read_back == Stemmer().terms(words)
    assert len(set(scan.vocabulary)) == len(scan.vocabulary)
    first_met = list(dict.fromkeys(term for term in read_back if term))
    assert scan.vocabulary == first_met
    assert {array.dtype for array in (scan.terms, scan.lengths, scan.mentions)} == {
        np.dtype(np.int32)
    }


@given(st.text(st.characters(exclude_categories=())), st.text())
def test_any_text_at_all_can_be_scanned(title: str, text: str):
    scan = scanned([passage(title, text)])
    assert scan.lengths.tolist() == [len(scan.terms)]
