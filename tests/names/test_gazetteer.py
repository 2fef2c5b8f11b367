"""Known names by a table of their beginnings: what the search by n-grams finds, and on disk."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hippohover.errors import BuildError, IndexStoreError
from hippohover.names import gazetteer
from hippohover.names.codes import find_codes
from hippohover.names.gazetteer import Gazetteer
from hippohover.names.interning import ABSENT
from hippohover.names.mentions import (
    MAX_NAME_CHARS,
    MAX_NAME_TOKENS,
    CaseRule,
    Mention,
    find_by_lookup,
    find_phrases,
    find_word_runs,
    is_findable,
    is_written_as_name,
)
from hippohover.names.normal_forms import entity_key, tokens, tokens_and_breaks
from tests.index_samples import limited_files, refused

WORDS = st.sampled_from(
    ["New", "York", "new", "the", "The", "of", "A", "x", "Élan", "élan", "Ω", "Straße", "STRASSE",
     "Анна", "анна", "Каренина", "東京", "都", "한국", "ירושלים", "القاهرة", "हिन्दी", "ไทย",
     "㍍", "ﷺ", "I\u0307stanbul", "1984", "🦛", "\ud800", "A\udfff", "É", "-", ".", "(",
     "&amp;", "\0", "\n"]
)  # fmt: skip
NAMES = st.lists(WORDS, min_size=1, max_size=5).map(" ".join) | st.text(
    st.characters(exclude_categories=()), max_size=5
)
VOCABULARIES = st.lists(NAMES.map(entity_key), max_size=15).map(
    lambda keys: {key: number for number, key in enumerate(keys)}
)
TEXTS = st.lists(WORDS | NAMES, max_size=14).map(" ".join)


def by_lookup(keys: dict[str, int], text: str) -> list[Mention]:
    return find_by_lookup(*tokens(text), lambda key: keys.get(key, ABSENT))


@given(VOCABULARIES, TEXTS)
@example({"a b c": 0, "b": 1}, "A B D")
@example({"東 京": 0, "京 都": 1}, "東京都")
def test_what_is_found_is_what_a_lookup_of_every_n_gram_finds(keys: dict[str, int], text: str):
    assert Gazetteer(keys).find(*tokens(text)) == by_lookup(keys, text)


@given(VOCABULARIES, TEXTS, st.lists(st.sampled_from(CaseRule), max_size=15))
@example({"grey mill": 0}, "the old grey mill", [CaseRule.IN_LOWER_CASE_TEXTS])
@example({"grey mill": 0}, "The old grey mill", [CaseRule.IN_LOWER_CASE_TEXTS])
@example({"5": 0, "5 ships": 1, "ships": 2}, "5 5 Ships", [CaseRule.NOWHERE])
@example({"grey mill": 0, "mill at": 1}, "A grey mill at sea", [CaseRule.NEVER, CaseRule.ALWAYS])
def test_names_that_count_in_lower_case_are_those_of_a_lookup(
    keys: dict[str, int], text: str, rules: list[CaseRule]
):
    names = Gazetteer(keys)
    names.follow(np.array(rules, np.uint8))
    assert names.find(*tokens(text)) == by_lookup_with_rules(keys, text, rules)


def by_lookup_with_rules(keys: dict[str, int], text: str, rules: list[CaseRule]) -> list[Mention]:
    folded, written = tokens(text)
    least = CaseRule.IN_LOWER_CASE_TEXTS if written == list(map(str.lower, written)) else 2
    of_number = [*rules, *[CaseRule.NEVER] * 15]
    allowed = {number for number in keys.values() if of_number[number] >= least}
    mentions: list[Mention] = []
    for start in range(len(folded)):
        if mentions and start < mentions[-1].stop:
            continue
        is_name = is_written_as_name(folded, written, start)
        for stop in range(min(len(folded), start + MAX_NAME_TOKENS), start, -1):
            number = keys.get(" ".join(folded[start:stop]), ABSENT)
            counts = number >= 0 and (is_name or number in allowed)
            counts = counts and of_number[number] != CaseRule.NOWHERE
            if counts and is_findable(folded[start:stop]):
                mentions.append(Mention(number, start, stop))
                break
    return mentions


def test_a_text_without_capitals_has_names_of_two_words():
    names = Gazetteer({"lantern hill": 0, "paris": 1})
    names.follow(np.array([CaseRule.IN_LOWER_CASE_TEXTS, CaseRule.NEVER], np.uint8))

    def numbers(text: str) -> list[int]:
        return [mention.name for mention in names.find(*tokens(text))]

    assert numbers("he saw lantern hill in paris") == [0]
    assert numbers("He saw lantern hill in paris") == []
    assert numbers("He saw Lantern Hill in Paris") == [0, 1]


@given(VOCABULARIES)
def test_every_name_is_found_where_it_stands(keys: dict[str, int]):
    names = Gazetteer(keys)
    for key, number in keys.items():
        folded, written = tokens(key.upper())
        if by_lookup({key: number}, key.upper()) == [Mention(number, 0, len(folded))]:
            assert names.find(folded, written) == [Mention(number, 0, len(folded))]


@given(VOCABULARIES, TEXTS, st.integers(1, 4))
def test_names_may_come_in_any_pieces(keys: dict[str, int], text: str, size: int):
    pairs = list(keys.items())
    names = Gazetteer({}, sum(key.count(" ") + 1 for key in keys))
    for start in range(0, len(pairs), size):
        names.add(iter(pairs[start : start + size]))
    assert names.find(*tokens(text)) == by_lookup(keys, text)


@pytest.mark.parametrize("at_once", [1, pytest.param(7, marks=pytest.mark.slow), 1 << 16])
def test_many_names_are_all_there_in_the_room_asked_for(
    monkeypatch: pytest.MonkeyPatch, at_once: int
):
    monkeypatch.setattr(gazetteer, "_KEYS_AT_ONCE", at_once)
    keys = {f"w{n} of w{n + 1} x{n % 7}": n for n in range(3000)}
    names = Gazetteer({}, 4 * len(keys))
    names.add(keys.items())
    slots = names._numbers  # pyright: ignore[reportPrivateUsage]
    assert 3 * np.count_nonzero(slots != ABSENT) <= 2 * len(slots)
    for key, number in keys.items():
        assert names.find(*tokens(key.upper())) == [Mention(number, 0, 4)]
        assert names.find(*tokens(key.upper()[:-1])) == []


@given(VOCABULARIES)
def test_a_table_is_never_fuller_than_two_thirds(keys: dict[str, int]):
    slots = Gazetteer(keys)._numbers  # pyright: ignore[reportPrivateUsage]
    assert 3 * np.count_nonzero(slots != ABSENT) <= 2 * len(slots)
    assert len(slots).bit_count() == 1


def test_names_that_are_too_long_are_left_out():
    longest, longer = ([f"w{n}" for n in range(MAX_NAME_TOKENS + more)] for more in (0, 1))
    wide, wider = "x" * MAX_NAME_CHARS, "x" * (MAX_NAME_CHARS + 1)
    keys = {" ".join(longest): 1, " ".join(longer): 2, wide: 3, wider: 4}
    names = Gazetteer(keys)
    assert names.find(*tokens(" ".join(longer).upper())) == [Mention(1, 0, MAX_NAME_TOKENS)]
    for text in (wide, wider):
        assert names.find(*tokens(text.upper())) == by_lookup(keys, text.upper())
    assert names.find(*tokens(wider.upper())) == []
    assert Gazetteer({" ".join(longer): 2}).find(*tokens(" ".join(longer).upper())) == []


def test_a_lone_surrogate_is_a_name_like_any_other():
    keys = {entity_key("Kestrel \ud800"): 0, entity_key("Kestrel"): 1, "\udfff": 2}
    for text in ("Kestrel \ud800.", "Kestrel \ud801.", "\udfff Kestrel"):
        assert Gazetteer(keys).find(*tokens(text)) == by_lookup(keys, text)


def test_keys_of_one_number_may_share_a_hash_and_others_may_not(monkeypatch: pytest.MonkeyPatch):
    same = Gazetteer({"kestrel": 7})
    same.add([("kestrel", 7)])
    assert same.find(["kestrel"], ["Kestrel"]) == [Mention(7, 0, 1)]
    words = r"the name 'kestrel' shares a 64-bit hash with another: rename one of them"
    with pytest.raises(BuildError, match=words):
        Gazetteer({"aldermoor": 3, "kestrel": 7}).add([("kestrel", 8)])
    pairs = [("velmora", 1), ("kestrel", 2), ("velmora", 1), ("kestrel", 3), ("velmora", 4)]
    with pytest.raises(BuildError, match="the name 'kestrel' shares") as caught:
        Gazetteer({}, 8).add(pairs)
    assert str(caught.value).isprintable()
    long = "k" * 500
    with pytest.raises(BuildError) as caught:
        Gazetteer({}, 8).add([(long, 1), (long, 2)])
    assert len(str(caught.value)) < 250


def test_a_beginning_that_becomes_a_name_and_a_name_that_is_a_beginning():
    texts = ("New York City", "New York", "New", "New York Times")
    forth = {"new york city": 0, "new york": 1, "new": 2}
    back = dict(reversed(forth.items()))
    for text in texts:
        expected = by_lookup(forth, text)
        assert Gazetteer(forth).find(*tokens(text)) == expected
        assert Gazetteer(back).find(*tokens(text)) == expected


# --- on disk -----------------------------------------------------------------------------------


@given(VOCABULARIES, st.lists(TEXTS, max_size=3))
def test_what_is_opened_finds_what_was_saved(
    memory_folder: Path, keys: dict[str, int], texts: Iterable[str]
):
    saved = Gazetteer(keys)
    saved.save(memory_folder / "names")
    opened = Gazetteer.open(memory_folder / "names")
    for text in texts:
        assert opened.find(*tokens(text)) == saved.find(*tokens(text)) == by_lookup(keys, text)


def test_rules_are_saved_with_the_names(tmp_path: Path):
    saved = Gazetteer({"grey mill": 0, "old mill": 1})
    saved.follow(np.array([CaseRule.ALWAYS, CaseRule.NEVER], np.uint8))
    saved.save(tmp_path / "names")
    found = Gazetteer.open(tmp_path / "names").find(*tokens("The grey mill, the old mill"))
    assert found == [Mention(0, 1, 3)]


@pytest.mark.parametrize("n_bytes", [0, 100, 700])
def test_a_full_disk_is_said_in_one_line(tmp_path: Path, n_bytes: int):
    names = Gazetteer({f"name {n}": n for n in range(100)})
    with limited_files(n_bytes), refused(IndexStoreError, "names.*cannot be written"):
        names.save(tmp_path / "names")


# --- texts -------------------------------------------------------------------------------------


@given(VOCABULARIES, VOCABULARIES, st.data(), TEXTS)
@example({"a": 0, "a b": 1}, {"a b c": 0}, None, "A B C")
def test_names_that_come_and_go_are_those_of_another_table(
    keys: dict[str, int], more: dict[str, int], data: st.DataObject | None, text: str
):
    """Some go, some come, and some have other numbers."""
    gone = data.draw(st.sets(st.sampled_from(sorted(keys) or [""]))) if data else {"a b"}
    changes = dict.fromkeys(gone & keys.keys(), -1) | {key: 100 + at for key, at in more.items()}
    names = Gazetteer({"name " * 60: 0, **keys})  # with room
    names.become(changes)
    left = {key: at for key, at in {**keys, **changes}.items() if at >= 0}
    folded, written = tokens(text)
    assert names.find(folded, written) == Gazetteer(left).find(folded, written)


def test_names_for_which_there_is_no_room_are_refused():
    names = Gazetteer({"a": 0})
    many = {f"name {at}": at for at in range(40)}
    with pytest.raises(BuildError, match="no room is left for new names"):
        names.become(many)


@given(VOCABULARIES, TEXTS)
def test_a_text_is_read_whole(keys: dict[str, int], text: str):
    names = Gazetteer(keys)
    folded, written, breaks = tokens_and_breaks(text)
    found = names.read(text)
    assert (found.folded, found.written) == (folded, written)
    assert found.known == names.find(folded, written)
    codes = find_codes(text, folded, found.known)
    assert found.phrases == find_phrases(folded, written, [*found.known, *codes], breaks)
    taken = [*found.known, *codes, *found.phrases]
    assert found.others == codes + find_word_runs(folded, taken, breaks)


def test_the_last_text_is_read_once_and_another_is_read_anew():
    names = Gazetteer({"kestrel": 0})
    one, other = "Kestrel flew.", "Nobody flew."
    first = names.read(one)
    assert names.read(one) is first
    assert names.read(other).known == []
    assert names.read(one).known == [Mention(0, 0, 1)]
