"""The scan: every place is where the tokens say, every string stands once with its hashes."""

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.indexing.passage_scan import Found, PassageScanner, of_id
from hippohover.language.stemming import Stemmer
from hippohover.lexical import NO_TERM
from hippohover.names.codes import find_codes
from hippohover.names.gazetteer import Gazetteer
from hippohover.names.interning import hashed
from hippohover.names.key_table import key_hashes
from hippohover.names.mentions import find_phrases, find_word_runs
from hippohover.names.normal_forms import entity_key, tokens, tokens_and_breaks
from hippohover.records import Passage, PassageId, Triple

NAMES = ["Lisk", "New Lisk", "Ada Lorne", "The Lamp", "東京", "Élan"]
KEYS = {entity_key(name): number for number, name in enumerate(NAMES)}
KEY_OF = {number: key for key, number in KEYS.items()}

WORDS = st.sampled_from(
    ["Lisk", "New", "lisk", "Ada", "Lorne", "the", "The", "Lamp", "lamps", "of", "東京", "Élan",
     "River", "Tam", "was", "founding", "founded", "1984", ".", ",", "!"]
)  # fmt: skip
TEXTS = st.lists(WORDS, max_size=8).map(" ".join)


def passage(title: str, text: str, links: tuple[str, ...] = ()) -> Passage:
    return Passage(PassageId(f"{title}/{text}"), title, text, links=links)


PASSAGES = st.lists(st.builds(passage, TEXTS, TEXTS), max_size=4)


TRIPLES = st.lists(
    st.builds(Triple, WORDS, st.sampled_from(["was", "met"]), WORDS, st.integers(0, 2)), max_size=4
)


def scanned(passages: Sequence[Passage], stated: Sequence[Sequence[Triple]] = ()) -> Found:
    scanner = PassageScanner(Gazetteer(KEYS))
    return scanner(passages, lambda row, _: stated[row]) if stated else scanner(passages)


def rows(found: Found, name: str) -> list[Any]:
    """A column as a list; rows of several numbers as tuples."""
    column = found[name]
    assert isinstance(column, np.ndarray)
    return [tuple(row) for row in column.tolist()] if column.ndim == 2 else column.tolist()


def assert_same(one: Found, other: Found) -> None:
    assert one.keys() == other.keys()
    for name, ours in one.items():
        theirs = other[name]
        if isinstance(ours, np.ndarray):
            assert isinstance(theirs, np.ndarray)
            assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), name
            assert np.array_equal(ours, theirs), name
        else:
            assert ours == theirs, name


def test_a_small_scan_by_hand():
    found = scanned(
        [
            passage("Ada Lorne", "Ada Lorne was born in New Lisk."),
            passage("", "the lamps of Lisk and River Tam near River Tam", links=("Tam", "tam!")),
        ],
        [(), [Triple("Lisk", "near", "River Tam", 0), Triple("LISK", "has", "Lamps", 0)]],
    )
    assert rows(found, "mentions") == [(0, 2, 2, 4), (0, 1, 7, 9), (1, 0, 3, 4)]
    assert found["phrase"] == ["river tam"]
    assert rows(found, "phrase_pairs") == [(1, 0)]
    terms = ["ada", "lorn", "born", "new", "lisk", "lamp", "river", "tam", "near"]
    assert found["term"] == terms
    assert rows(found, "terms") == [
        *(0, 1, 0, 1, -1, 2, -1, 3, 4), *(-1, 5, -1, 4, -1, 6, 7, 8, 6, 7),
    ]  # fmt: skip
    assert rows(found, "lengths") == [9, 10]
    assert rows(found, "title_lengths") == [2, 0]
    # "Tam" is the eighth word of the second text, "tam!" is not there.
    assert rows(found, "links") == [(1, 0, 6, 7), (1, 1, 0, 0)]
    assert rows(found, "link_hash") == [
        tuple(key_hashes(["tam", "tam", of_id(written)]).tolist()) for written in ("Tam", "tam!")
    ]
    assert found["argument"] == ["lisk", "river tam", "lamps"]
    assert found["argument_display"] == ["Lisk", "River Tam", "Lamps"]
    assert found["predicate"] == ["near", "has"]
    assert rows(found, "triples") == [(0, 0, 1, 1, 0), (0, 1, 2, 1, 0)]


@given(PASSAGES)
def test_one_scanner_scans_all_chunks_as_a_new_one_would(passages: list[Passage]):
    scanner = PassageScanner(Gazetteer(KEYS))
    scanner(passages)
    assert_same(scanner(passages), scanned(passages))


def test_nothing_scanned_has_every_column_empty():
    found = scanned([])
    assert {len(column) for column in found.values()} == {0}
    shapes = {
        name: column.shape for name, column in found.items() if isinstance(column, np.ndarray)
    }
    assert shapes["mentions"] == (0, 4)
    assert shapes["triples"] == (0, 5)
    assert shapes["phrase_pairs"] == (0, 2)
    assert shapes["links"] == shapes["references"] == (0, 4)
    assert shapes["link_hash"] == shapes["reference_hash"] == (0, 3)


@given(PASSAGES)
def test_a_scan_crosses_processes(passages: list[Passage]):
    found = scanned(passages)
    assert_same(pickle.loads(pickle.dumps(found)), found)  # noqa: S301 - what a worker does


@given(PASSAGES, st.lists(TRIPLES, min_size=4, max_size=4))
def test_strings_stand_once_in_the_order_they_are_met_with_their_hashes(
    passages: list[Passage], stated: list[list[Triple]]
):
    found = scanned(passages, stated)
    for name in ("term", "phrase", "argument", "predicate"):
        strings = list(found[name])
        assert len(set(strings)) == len(strings)
        hashes, checks = hashed(strings)
        assert rows(found, f"{name}_hash") == hashes.tolist()
        assert rows(found, f"{name}_check") == checks.tolist()


@given(PASSAGES, st.lists(TRIPLES, min_size=4, max_size=4))
def test_triples_are_those_that_were_given(passages: list[Passage], stated: list[list[Triple]]):
    found = scanned(passages, stated)
    arguments, predicates = found["argument"], found["predicate"]
    displays = dict(zip(arguments, found["argument_display"], strict=True))
    said: list[tuple[int, str, str, str, int]] = []
    first: dict[str, str] = {}
    for row, _ in enumerate(passages):
        for one in stated[row]:
            for name in (one.subject, one.object):
                first.setdefault(entity_key(name), name)
            ends = entity_key(one.subject), entity_key(one.object)
            said.append((row, ends[0], one.predicate, ends[1], one.sentence))
    assert displays == first
    assert list(arguments) == list(first)
    assert said == [
        (row, arguments[s], predicates[p], arguments[o], sentence)
        for s, p, o, row, sentence in rows(found, "triples")
    ]


# --- places ----------------------------------------------------------------------------------


def tokens_of(passage: Passage) -> list[str]:
    return tokens(passage.title)[0] + tokens(passage.text)[0]


@pytest.mark.slow
@given(PASSAGES)
def test_places_count_the_tokens_of_title_and_text(passages: list[Passage]):
    found = scanned(passages)
    title_lengths, lengths = rows(found, "title_lengths"), rows(found, "lengths")
    for row, name, start, stop in rows(found, "mentions"):
        assert " ".join(tokens_of(passages[row])[start:stop]) == KEY_OF[name]
        assert title_lengths[row] <= start < stop <= lengths[row]


@given(PASSAGES)
def test_every_mention_and_phrase_of_a_text_is_in_the_scan(passages: list[Passage]):
    found = scanned(passages)
    known = Gazetteer(KEYS)
    pairs: list[tuple[int, str]] = []
    mentions: list[tuple[int, int, int, int]] = []
    for row, one in enumerate(passages):
        folded, written, breaks = tokens_and_breaks(one.text)
        offset = len(tokens(one.title)[0])
        of_text = known.find(folded, written)
        mentions += [(row, name, start + offset, stop + offset) for name, start, stop in of_text]
        codes = find_codes(one.text, folded, of_text)
        taken = [*of_text, *codes]
        phrases = find_phrases(folded, written, taken, breaks)
        runs = find_word_runs(folded, [*taken, *phrases], breaks)
        keys = dict.fromkeys(phrase.key for phrase in (*phrases, *codes, *runs))
        pairs += [(row, key) for key in keys]
    assert rows(found, "mentions") == mentions
    assert [(row, found["phrase"][at]) for row, at in rows(found, "phrase_pairs")] == pairs


@given(PASSAGES)
def test_terms_are_the_stems_of_every_token(passages: list[Passage]):
    found = scanned(passages)
    vocabulary = found["term"]
    words = [token for one in passages for token in tokens_of(one)]
    assert rows(found, "lengths") == [len(tokens_of(one)) for one in passages]
    assert rows(found, "title_lengths") == [len(tokens(one.title)[0]) for one in passages]
    read_back = ["" if term == NO_TERM else vocabulary[term] for term in rows(found, "terms")]
    assert read_back == Stemmer().terms(words)
    assert vocabulary == list(dict.fromkeys(term for term in read_back if term))
    for name in ("terms", "lengths", "title_lengths", "mentions", "phrase_pairs", "triples"):
        column = found[name]
        assert isinstance(column, np.ndarray)
        assert column.dtype == np.int32


@given(st.text(st.characters(exclude_categories=())), st.text())
def test_any_text_at_all_can_be_scanned(title: str, text: str):
    found = scanned([passage(title, text)])
    assert rows(found, "lengths") == [len(found["terms"])]
