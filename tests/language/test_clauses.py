"""What each word of a sentence is: denied, hedged, of a name, of the subject."""

import math

import pytest

from hippohover.language.clauses import ClauseReader

READ = ClauseReader()


def denied(text: str) -> set[str]:
    said = READ(text)
    return {stem for stem, (yes, no) in said.held.items() if no and not yes}


@pytest.mark.parametrize(
    ("text", "stems"),
    [
        ("Moe Yarl, not his brother, is a pilot.", {"brother"}),
        ("Ned Zorn is a pilot and has no children.", {"children"}),
        ("She did not, however, win the cup.", {"win", "cup"}),
        ("Neither Hob nor Ann flew.", {"hob", "ann", "flew"}),
        ("He does not eat meat, fish or eggs.", {"eat", "meat", "fish", "egg"}),
        ("He did not fail to win.", {"fail"}),
        ("He never flew, but he sailed.", {"flew"}),
        ("Diet Sun is a no-calorie drink.", set()),
        ("Don't Worry About Me is an album.", set()),
    ],
)
def test_how_far_a_denial_reaches(text: str, stems: set[str]):
    assert stems <= denied(text)
    assert "pilot" not in denied(text)
    if not stems:
        assert not denied(text)


def test_two_denials_deny_nothing():
    assert READ("He did not fail to win.").held["win"] == (True, False)


def test_subject_and_object():
    said = READ("Silas Orr beat Jon Pell in the final.")
    assert (said.subject, said.object) == ({"sila", "orr"}, {"jon", "pell"})
    assert said.direct
    assert not READ("The mayor of Norland was tall.").direct
    assert READ("Ann Bo was beaten by Cy Do.").passive
    assert not READ("Ann Bo beat Cy Do.").passive


def test_a_name_that_describes_a_noun_is_no_object():
    assert READ("Ann Bo joined an American band.").object == frozenset()


def test_a_verb_in_brackets_is_not_the_sentences():
    said = READ("Orion (sometimes abbreviated as O7) is a Danish band.")
    assert said.words[said.verb] == "is"
    assert said.nationality == {"danish"}


def test_nationality_is_of_the_description_alone():
    assert READ("Ann is a French-Canadian singer.").nationality == {"french", "canadian"}
    assert READ("Ann is a singer in a Danish band.").nationality == frozenset()
    assert READ("Ann met a Danish singer.").nationality == frozenset()


def test_places_of_a_quantity():
    said = READ("It has 67 million inhabitants.")
    [quantity] = said.quantities
    assert said.stems_in(quantity) == ["67", "million"]


@pytest.mark.parametrize("text", ["", ".", "³", "n't", "not", "Ω 12³ — ((", "a" * 5000])
def test_any_text_is_read(text: str):
    said = READ(text)
    assert len(said.words) == len(said.stems) == len(said.denied) == len(said.named)
    assert said.direct in {True, False}


@pytest.mark.parametrize(
    ("stems", "cue", "shown"),
    [
        ({"fenn", "pilot"}, "", "Fenn, an engineer, was a pilot"),
        ({"pilot", "war"}, "", "pilot in the war"),
        ({"pilot", "fenn"}, "never", "Fenn, an engineer, was a pilot in the war; she never"),
        ({"nothing"}, "", ""),
        (set[str](), "never", "never"),
    ],
)
def test_the_shortest_stretch_with_all_words(stems: set[str], cue: str, shown: str):
    text = "Ida Fenn, an engineer, was a pilot in the war; she never flew beside pilots."
    start, stop = READ(text).window(stems, cue)
    assert text[start:stop] == shown


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ann Lee (25 October 1870 – 4 May 1951) was a baker.", (1870, 1951)),
        ("Ann Lee (1870–1951) was a baker.", (1870, 1951)),
        ("Ann Lee (born 5 May 1870 in Rome – died 1951) was a baker.", (1870, 1951)),
    ],
)
def test_a_span_of_life_is_a_birth_and_a_death(text: str, found: tuple[int, int]):
    said = READ(text)
    assert {"born", "die"} <= set(said.stems)
    assert tuple(one.low for one in said.quantities) == found
    assert said.subject == {"ann", "lee"}


@pytest.mark.parametrize(
    "text",
    [
        "Ann Lee (born 25 October 1870) was a baker.",
        "The house (1066–1951) is old.",
        "Ann Lee wrote it in 1870. It (1871–1875) sold.",
    ],
)
def test_what_is_no_span_of_life(text: str):
    assert "die" not in READ(text).stems


def test_a_known_name_is_a_name_whatever_its_words():
    text = "Never Look Back is a film."
    assert not any(READ(text, ["Never Look Back"]).denied)
    said = READ("To Sink a Ship is a film.", ["To Sink a Ship"])
    assert said.named[:4] == (True,) * 4
    assert not READ("He will sink a ship.", ["Sink"]).named[2]


def test_an_adverb_before_a_pronoun_is_no_name():
    assert READ("Previously she worked at Loam.").subject == frozenset()


@pytest.mark.parametrize(
    ("text", "stems"),
    [
        ("The hut has no stove and no beds.", {"stove", "bed"}),
        ("The bread contains no milk, no eggs and no nuts.", {"milk", "egg", "nut"}),
        ("She never sang and never danced.", {"sang", "danc"}),
        ("It is sold without salt and without sugar.", {"salt", "sugar"}),
    ],
)
def test_a_denial_that_is_repeated_denies_each_thing_once(text: str, stems: set[str]):
    assert stems <= denied(text)


def test_a_repeated_denial_inside_a_denial_denies_nothing():
    assert not {"stove", "bed"} & denied("It is false that the hut has no stove and no beds.")


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("The raft must not carry more than six people.", -math.inf, 6),
        ("The raft does not weigh less than 40 kg.", 40, math.inf),
        ("The raft carries more than six people.", 6, math.inf),
        ("It did not sink, and it carried more than six people.", 6, math.inf),
    ],
)
def test_not_more_than_a_number_is_a_limit_and_denies_no_verb(text: str, low: float, high: float):
    said = READ(text)
    [number] = said.quantities
    assert (number.low, number.high) == pytest.approx((low, high))
    assert said.held.get("carri", (True, False)) == (True, False)


@pytest.mark.parametrize(
    "text",
    [
        "Nora Quill said that she would sell the mill, but she did not.",
        "Nora Quill wanted to sell the mill but did not.",
        "Nora Quill could sell the mill, although she does not.",
    ],
)
def test_what_somebody_meant_to_do_and_did_not_is_denied(text: str):
    assert READ(text).held["sell"] == (False, True)


@pytest.mark.parametrize(
    "text", ["Nora Quill sold the mill, but Tim Orr did not.", "She sold the mill. They did not."]
)
def test_what_another_left_undone_was_done(text: str):
    assert READ(text).held["sold"] == (True, False)
