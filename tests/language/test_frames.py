"""Who and what a verb joins in a parsed sentence."""

import pytest

from hippohover.language.frames import ParsedFrame, ParsedSentence
from hippohover.language.stemming import Stemmer
from hippohover.names.normal_forms import tokens
from hippohover.verification.judge.learned import shared_parser

pytest.importorskip("spacy")


def stems(text: str) -> frozenset[str]:
    return frozenset(Stemmer().terms(tokens(text)[0]))


def frames(text: str, title: str = "", kinds: str = "") -> list[ParsedFrame]:
    parser, why = shared_parser()
    assert parser is not None, why
    [parse] = parser([text])
    return ParsedSentence(parse, stems(title), stems(kinds)).frames


def told(frame: ParsedFrame) -> dict[str, list[str]]:
    """Roles of a frame, with the stems of each phrase."""
    return {
        role: [" ".join(sorted(one.stems)) for one in phrases]
        for role, phrases in frame.roles.items()
    }


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        (
            "Ann Roe sold the mill to Tim Orr.",
            {"who": ["ann roe"], "what": ["mill"], "to": ["orr tim"]},
        ),
        ("The mill was sold by Ann Roe.", {"what": ["mill"], "who": ["ann roe"]}),
        ("It comes with a brush and a case.", {"who": [""], "with": ["brush", "case"]}),
    ],
)
def test_what_a_verb_joins(text: str, roles: dict[str, list[str]]):
    assert told(frames(text)[0]) == roles


def test_a_pronoun_stands_for_the_title_and_so_does_what_it_is_called():
    [frame] = frames("It was sold in 1990.", "Low Tide")
    assert told(frame)["what"] == ["low tide"]
    [frame] = frames("The film was sold in 1990.", "Low Tide", "Low Tide is a film by Ann Roe.")
    assert told(frame)["what"] == ["film low tide"]
    [frame] = frames("The mill was sold in 1990.", "Low Tide", "Low Tide is a film by Ann Roe.")
    assert told(frame)["what"] == ["mill"]


def test_a_clause_about_a_noun_has_the_noun_for_its_own():
    _, built = frames("The bridge that Ann Roe built is long.")[::-1]
    assert told(built) == {"who": ["ann roe"], "what": ["bridg"]}
    made = frames("Its burrs, which are made in Telk, are hard.", "Kell Mill")[0]
    assert told(made) == {"what": ["burr kell mill"], "in": ["telk"]}


def test_a_shared_subject_is_who_does_both():
    _, lost = frames("Ann Roe won the cup but lost the match.")
    assert told(lost) == {"who": ["ann roe"], "what": ["match"]}


def test_what_is_asked_to_do_it_does_it():
    _, check = frames("The note orders clients to check the key.")
    assert told(check)["who"] == ["client"]


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("Ann Roe did not sign the treaty.", [True]),
        ("Ann Roe refused to sign the treaty.", [False, True]),
        ("Ann Roe does not think that it is old.", [True, True]),
        ("It was not shown until 1980.", [False]),
    ],
)
def test_what_is_denied(text: str, denied: list[bool]):
    assert [one.denied for one in frames(text)] == denied


def test_numbers_are_apart():
    [frame] = frames("It was signed on 4 May 1921.")
    [phrase] = frame.roles["on"]
    assert phrase.digits == {"4", "1921"}
    assert phrase.words == frozenset()
    assert phrase.kind == "number"


def test_an_apposition_says_what_it_is():
    named = frames("They met in Telk, the largest town.")[1]
    assert told(named) == {"who": ["telk"], "is": ["largest town"]}


def test_a_modal_is_kept():
    assert [one.modal for one in frames("It must hold a code and may hold a note.")] == [
        "must",
        "may",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "It is the end" + " of x" * 90 + ".",
        "It sells " + ", ".join(f"a{n}" for n in range(90)) + ".",
        "It is" + " that it is" * 60 + ".",
        "She came" + " and she came" * 60 + ".",
    ],
)
def test_no_sentence_is_too_deep(text: str):
    assert frames(text, "Low Tide")


def test_a_long_sentence_has_no_frames():
    assert frames("It sells " + ", ".join(f"a{n}" for n in range(150)) + ".") == []
