"""What claims something, and what does not."""

import pytest

from hippohover.language.claim_kinds import (
    NAMELESS,
    ORDER,
    PHRASE,
    QUESTION,
    why_no_claim,
)
from hippohover.verification.judge.learned import shared_parser


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Is Pelmouth the capital of Norland?", QUESTION),
        ("Is Pelmouth the capital of Norland", QUESTION),
        ("where was he born", QUESTION),
        ("who won the Dune Prize", QUESTION),
        ("Pelmouth is the capital?”", QUESTION),
        ("Listru 天是首都吗？", QUESTION),
        ("List the towns on the Teff", ORDER),
        ("match statement: the spec and the tutorial for it", PHRASE),
        ("the capital of Norland", PHRASE),
        ("population of Norland", PHRASE),
        ("Bridges of the north", PHRASE),
        ("Is Ida Fenn a politician who was born in Carvick", QUESTION),
        ("Are the Herons a team", QUESTION),
        ("A list of bridges in Norland.", PHRASE),
        ("Do not swim near the dam.", ORDER),
        ("Don't swim where it is deep.", ORDER),
        ("Set the level to 4 at first.", ORDER),
        ("How the mill was moved", QUESTION),
        ("Why Kell Mill no longer grinds corn", QUESTION),
        ("tern 3.1 change notes", PHRASE),
        ("Stone walls along the Teff", PHRASE),
        ("Visit rules: hours and fees", PHRASE),
        ("Ada Mott, Danish painter, 1880-1951", PHRASE),
        ("Kell's promise to buy Orin Systems for $3 million", PHRASE),
        ("max_tries default 5", PHRASE),
        ("Hello!", PHRASE),
        ("Read the house rules.", ORDER),
        ("Compare RFC 11 and RFC 12.", ORDER),
        ("Let us close Kell Mill.", ORDER),
        ("If only Kell had bought the mill!", ORDER),
        ("I wonder whether visitors can borrow maps.", QUESTION),
        ("which boats may visitors row", QUESTION),
        ("Which harbour holds all boats of the club", QUESTION),
        ("in which shed are oars kept", QUESTION),
        ("to whom was the mill sold", QUESTION),
        ("where in the shed are oars kept", QUESTION),
        ("The mill that grinds corn", PHRASE),
        ("A pump which was tested in 30 towns.", PHRASE),
        ("The painter who never married a count", PHRASE),
        ("the tool that sorts 12 kinds of nails every day", PHRASE),
        ("Tell me who was the last miller", ORDER),
        ("Take two drops before noon.", ORDER),
        ("Boil for 12 minutes at 95 degrees.", ORDER),
        ("Store below 8 degrees.", ORDER),
        ("Whisk until smooth.", ORDER),
        ("Rinse one bowl with water.", ORDER),
        ("Please check that Kell Mill is open.", ORDER),
        ("Check whether Kell Mill is still for sale.", ORDER),
        ("Eat plenty of fruit.", ORDER),
        ("Changes since Tern 3.1", PHRASE),
        ("It is.", NAMELESS),
        ("He was not.", NAMELESS),
        ("It did not do that.", NAMELESS),
    ],
)
def test_what_claims_nothing(text: str, why: str):
    assert why_no_claim(text) == why


@pytest.mark.parametrize(
    "text",
    [
        "Kit Vane flew.",
        "Kit Vane stole the boat",
        "Kit Vane paid for the boat",
        "Kit Vane hid in the boat",
        "Gulls hunt crabs in the bay.",
        "Do the Odd Job was directed by Cy Do",
        "Is It Late is an album by the Herons",
        "norland's capital is pelmouth",
        "Belford lies on the river Vesk",
        "When he was six, he moved to Pelmouth.",
        "Is It Late is a film.",
        "Which Way West is a film",
        "Which is why the mill burned down in 1900.",
        "Who Goes There was filmed in 1950.",
        "List was an economist.",
        "Show Boat is a film",
        "The mill that grinds corn burns",
        "The mill which was tested in 30 towns grinds corn.",
        "The painter who married a count left Oslo",
        "The Man Who Sailed won a prize",
        "The people who live there hunt seals",
        "Show me is a song",
        "Don't Look Down is a film of 1950.",
        "Valkyrie was directed by an American.?",
        "Die Hauptstadt von Norland ist Carvick.",
        "東京は日本の首都です",
        "Ida Fenn studied law.",
        "The laws of the town ban dogs from it.",
        "The majority of people in Telk grow corn.",
        "Owls of this sort hunt by day.",
        "Set theory is a part of it.",
        "Store sales rose by 2 percent.",
        "Report authors in Telk blame the weather.",
        "Press freedom in Norland grew.",
        "Take Five was a hit.",
        "Cover two won a prize.",
        "He did not sing.",
        "…",
    ],
)
def test_what_may_be_a_claim(text: str):
    assert why_no_claim(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "tern supports tokens",
        "Tern runs on Windows",
        "Ida Mott lives in Oslo",
        "Tern 12 supports at most 16 displays",
        "The old mill grinds corn",
        "Show Boat premiered in 1927.",
        "Please Come Home is a song.",
        "Let Me In is a film",
        "Read the Signs won a prize.",
        "Compare the Market is a website.",
        "Loam supersedes Sedge",
        "If only two remain, the rest is sold.",
    ],
)
def test_what_looks_like_a_phrase_or_an_order_and_claims_something(text: str):
    assert why_no_claim(text) == ""


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Patients who received it in the Kell trial", PHRASE),
        ("A dividend of 2 crowns per share", PHRASE),
        ("Beat the butter with the sugar for three minutes.", ORDER),
        ("Skerry Lighthouse flashes every 12 seconds.", ""),
        ("The mill was sold", ""),
        ("Patients who received it slept.", ""),
        ("La capitale de la France est Paris", ""),
        ("إيدا فين مهندسة نرويجية", ""),
        ("東京は日本の首都である", ""),
    ],
)
def test_a_parse_tells_more(text: str, why: str):
    pytest.importorskip("spacy")
    assert why_no_claim(text, shared_parser()[0]) == why


def test_a_noun_that_is_told_by_whom_is_a_phrase():
    assert why_no_claim("The president whom Ann Venn defeated in 2018") == PHRASE
    assert why_no_claim("The president whom Ann Venn defeated was Tim Orr") == ""


def test_a_greeting_may_name_somebody():
    assert why_no_claim("Good morning, Edmund!") == PHRASE
