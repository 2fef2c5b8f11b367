"""Known names and phrases in running text: two finders, one answer."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hippohover.names.gazetteer import Gazetteer
from hippohover.names.mentions import (
    MAX_NAME_TOKENS,
    STOP_TOKENS,
    CaseRule,
    Mention,
    Phrase,
    case_rule,
    find_by_lookup,
    find_phrases,
    is_findable,
    is_written_as_name,
)
from hippohover.names.normal_forms import entity_key, tokens, tokens_and_breaks

WORDS = ["a", "the", "of", "in", "new", "york", "times", "x", "é", "中"]
KEYS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
VOCABULARIES = st.lists(KEYS, max_size=12, unique=True).map(
    lambda keys: {key: number for number, key in enumerate(keys)}
)
TEXTS = st.lists(
    st.sampled_from(WORDS).flatmap(lambda word: st.sampled_from([word, word.capitalize()])),
    max_size=14,
)


def found_in(text: str, *names: str) -> list[str]:
    """Names of ``names`` found in the text, by both finders, as the text writes them."""
    keys = {entity_key(name): number for number, name in enumerate(names)}
    folded, written = tokens(text)
    mentions = Gazetteer(keys).find(folded, written)
    assert mentions == find_by_lookup(folded, written, lambda key: keys.get(key, -1))
    return [" ".join(written[mention.start : mention.stop]) for mention in mentions]


def phrases_in(text: str, *names: str) -> list[str]:
    keys = {entity_key(name): number for number, name in enumerate(names)}
    folded, written, breaks = tokens_and_breaks(text)
    known = Gazetteer(keys).find(folded, written)
    return [p.key for p in find_phrases(folded, written, known, breaks)]


def by_definition(
    keys: Mapping[str, int], folded: Sequence[str], written: Sequence[str]
) -> list[Mention]:
    """Every span, longest first from the left, that is a findable key written as a name."""
    found: list[Mention] = []
    free = 0
    for start in range(len(folded)):
        for stop in range(len(folded), start, -1):
            words = folded[start:stop]
            number = keys.get(" ".join(words), -1)
            named = is_findable(words) and is_written_as_name(folded, written, start)
            if start >= free and number >= 0 and named:
                found.append(Mention(number, start, stop))
                free = stop
    return found


# --- known names -----------------------------------------------------------------------------


@given(VOCABULARIES, TEXTS)
@example({"york": 0, "new york times": 1}, ["New", "York", "of"])  # a longer one breaks off
@example({"york": 0, "new york times": 1}, ["New", "York"])  # ... at the end of the text
@example({"york x": 0, "new york times": 1, "x": 2}, ["New", "York", "X"])
@example({"in york": 0, "york": 1}, ["in", "York"])
@example({"new": 0, "new york": 1, "york times": 2}, ["New", "York", "Times"])
def test_both_finders_find_what_the_definition_says(keys: dict[str, int], written: list[str]):
    folded = [token.lower() for token in written]
    expected = by_definition(keys, folded, written)
    assert Gazetteer(keys).find(folded, written) == expected
    assert find_by_lookup(folded, written, lambda key: keys.get(key, -1)) == expected


@given(VOCABULARIES, TEXTS)
def test_mentions_do_not_overlap_and_name_their_tokens(keys: dict[str, int], written: list[str]):
    folded = [token.lower() for token in written]
    key_of = {number: key for key, number in keys.items()}
    free = 0
    for mention in Gazetteer(keys).find(folded, written):
        assert mention.start >= free
        assert " ".join(folded[mention.start : mention.stop]) == key_of[mention.name]
        free = mention.stop


def test_the_longest_name_from_the_left_wins():
    names = ("New York", "New York Times", "York Times Square", "Times")
    assert found_in("The New York Times wrote", *names) == ["New York Times"]
    assert found_in("New York Times Square", *names) == ["New York Times"]
    assert found_in("New York Square and Times", *names) == ["New York", "Times"]


def test_a_longer_name_that_breaks_off_hides_none_inside_it():
    names = ("Red Army Choir of Oslo", "Army", "Oslo")
    assert found_in("Red Army Choir of Bergen", *names) == ["Army"]
    assert found_in("The Red Army", *names) == ["Army"]


def test_a_name_in_lower_case_is_no_mention_and_hides_none():
    assert found_in("he was born in Paris", "In Paris", "Paris") == ["Paris"]
    assert found_in("In Paris he wrote", "In Paris", "Paris") == ["In Paris"]
    assert found_in("an actor", "Actor", "An Actor") == []


def test_an_article_in_lower_case_may_begin_a_name():
    assert found_in("a song by the Beatles", "The Beatles") == ["the Beatles"]
    assert found_in("a song by the beatles", "The Beatles") == []
    assert found_in("vitamin a", "A") == []


def test_stop_tokens_alone_are_no_name_but_may_stand_in_one():
    assert found_in("It was The Who", "It", "Who", "The", "The Who") == ["The Who"]
    assert "who" in STOP_TOKENS


def test_digits_and_scripts_without_case_begin_names():
    assert found_in("in 1984 he", "1984") == ["1984"]
    assert found_in("彼は東京で", "東京") == ["東 京"]
    assert found_in("ב ירושלים היום", "ירושלים") == ["ירושלים"]


def test_names_meet_across_case_marks_and_punctuation():
    assert found_in("the singer BEYONCÉ, née Knowles", "Beyonce") == ["BEYONCÉ"]
    assert found_in("AC / DC played", "AC/DC") == ["AC DC"]


def test_names_match_whole_tokens_only():
    assert found_in("Yorkshire New Yorker York-born", "York") == ["York"]


def test_several_keys_may_share_a_number():
    known = Gazetteer({"lantern hill film": 7, "lantern hill": 7, "the lamp": 7})
    folded, written = tokens("Lantern Hill is The Lamp, Lantern Hill (film)")
    assert known.find(folded, written) == [Mention(7, 0, 2), Mention(7, 3, 5), Mention(7, 5, 8)]


@pytest.mark.parametrize("number", [0, 1, 31, 32, 2**31 - 3])
def test_numbers_come_back_as_they_went_in(number: int):
    assert Gazetteer({"york": number}).find(["york"], ["York"]) == [Mention(number, 0, 1)]


def test_nothing_comes_of_nothing():
    assert Gazetteer({}).find(["york"], ["York"]) == []
    assert Gazetteer({"the": 0}).find(["the"], ["The"]) == []
    assert Gazetteer({"york": 0}).find([], []) == []
    assert find_by_lookup([], [], lambda _: 0) == []
    assert find_phrases([], [], []) == []


@pytest.mark.parametrize(
    "key", ["", " ", "!!!", "\x02", "\x03", "\x03\x02", "x\x03\x02y", "x  y", " x", "x ", "\0"]
)
def test_keys_that_no_tokens_spell_are_never_found(key: str):
    for text in ("X Y", "X", "X\x03\x02Y", "X  Y", "!!! X", "\x02X\x03", "\0"):
        folded, written = tokens(text)
        assert Gazetteer({key: 0}).find(folded, written) == []
        assert Gazetteer({key: 0, "x": 1}).find(folded, written)[:1] == (
            [Mention(1, 0, 1)] if folded else []
        )


def test_names_of_up_to_sixteen_tokens_are_found():
    words = [f"w{n}" for n in range(MAX_NAME_TOKENS + 1)]
    written = [word.upper() for word in words]
    keys = {" ".join(words[:MAX_NAME_TOKENS]): 3, " ".join(words): 4}
    expected = [Mention(3, 0, MAX_NAME_TOKENS)]
    assert Gazetteer(keys).find(words, written) == expected
    assert find_by_lookup(words, written, lambda key: keys.get(key, -1)) == expected
    assert not is_findable(words)


def test_lookup_is_asked_only_where_a_name_may_begin():
    asked: list[str] = []

    def lookup(key: str) -> int:
        asked.append(key)
        return -1

    find_by_lookup(*tokens("was born in the Hague"), lookup)
    assert asked == ["the hague", "hague"]


def test_a_long_text_has_the_names_of_its_sentence_again_and_again():
    """In linear time too: ``benchmarks/linear_time.py``."""
    keys = {"york": 0, "new york": 1}
    folded, written = tokens("Of New York and York. " * 4_000)
    assert len(Gazetteer(keys).find(folded, written)) == 8_000


# --- phrases ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the actor Tom Arden Hale played", ["tom arden hale"]),
        ("the Bridge of the River Ae was", ["bridge of the river ae"]),
        ("Ludwig van der Meer and others", ["ludwig van der meer"]),
        ("the House of the and River", ["house", "river"]),  # three connectors end a run
        ("Bay of the", ["bay"]),
        ("of Bay", ["bay"]),
        ("It is He", []),
        ("The Harbour", ["the harbour"]),
        ("X marks", []),
        ("vitamin B 12", []),
        ("Élodie Ŝipo wrote", ["elodie sipo"]),
        ("born in Old Paris. The Mill stands", ["old paris", "the mill"]),
        ("Ada Lisk, Tom Hale; Una Mere: Rob Ash", ["ada lisk", "tom hale", "una mere", "rob ash"]),
        ("Ada Lisk (Old Town) and «Grey Mill»", ["ada lisk", "old town", "grey mill"]),
        ("by J. R. Hale of St. Ives", ["j r hale of st ives"]),
        ("Jean-Paul Mere – Tom Hale", ["jean paul mere", "tom hale"]),
        ("東京 と Kyoto", ["kyoto"]),
        ("nothing here", []),
        ("", []),
    ],
)
def test_phrases_by_hand(text: str, expected: list[str]):
    assert phrases_in(text) == expected


def test_phrases_stand_outside_known_names():
    text = "Tom Arden of New York City Hall"
    assert phrases_in(text, "New York") == ["tom arden", "city hall"]
    assert phrases_in(text, "New York City Hall") == ["tom arden"]
    assert phrases_in(text) == ["tom arden of new york city hall"]


def test_a_phrase_knows_its_tokens():
    folded, written = tokens("then Ada of Lisk came")
    assert find_phrases(folded, written, []) == [Phrase("ada of lisk", 1, 4)]


def test_phrases_longer_than_a_name_are_left_out():
    written = [f"W{n}" for n in range(MAX_NAME_TOKENS + 1)]
    folded = [token.lower() for token in written]
    assert find_phrases(folded, written, []) == []
    assert [p.stop for p in find_phrases(folded[1:], written[1:], [])] == [MAX_NAME_TOKENS]


@given(VOCABULARIES, TEXTS)
def test_phrases_are_free_capitalised_runs(keys: dict[str, int], written: list[str]):
    folded = [token.lower() for token in written]
    mentions = Gazetteer(keys).find(folded, written)
    taken = {at for mention in mentions for at in range(mention.start, mention.stop)}
    for phrase in find_phrases(folded, written, mentions):
        assert not taken & set(range(phrase.start, phrase.stop))
        assert written[phrase.start][0].isupper()
        assert written[phrase.stop - 1][0].isupper()
        assert phrase.key == " ".join(folded[phrase.start : phrase.stop])
        following = phrase.stop
        if following < len(written) and following not in taken:
            assert not written[following][0].isupper()


# --- names in lower case ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("match statement", CaseRule.ALWAYS),
        ("Daily notes", CaseRule.ALWAYS),
        ("Basic formatting syntax", CaseRule.ALWAYS),
        ("orders.py", CaseRule.ALWAYS),
        ("db-14", CaseRule.ALWAYS),
        ("PEP 498", CaseRule.ALWAYS),
        ("Lantern Hill", CaseRule.IN_LOWER_CASE_TEXTS),
        ("The House of the Long Road", CaseRule.IN_LOWER_CASE_TEXTS),
        ("notes", CaseRule.NEVER),
        ("Belbury", CaseRule.NEVER),
        ("In the end", CaseRule.NEVER),
        ("", CaseRule.NEVER),
        ("1984", CaseRule.NEVER),
        ("/1984", CaseRule.NOWHERE),
        ("/", CaseRule.NEVER),
    ],
)
def test_the_rule_of_a_name_is_how_it_is_written(name: str, rule: CaseRule):
    assert case_rule(name) == rule
