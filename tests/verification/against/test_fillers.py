"""A part of the claim that the evidence gives to another."""

import pytest

from hippohover.language.frames import ParsedSentence
from hippohover.language.stemming import Stemmer
from hippohover.names.normal_forms import tokens
from hippohover.verification.against.fillers import other_fillers
from hippohover.verification.against.findings import Finding
from hippohover.verification.judge.learned import shared_parser

pytest.importorskip("spacy")


def stems(text: str) -> frozenset[str]:
    return frozenset(Stemmer().terms(tokens(text)[0]))


def against(claim: str, *evidence: tuple[str, str]) -> list[Finding]:
    """What speaks against a claim in sentences, each with its title."""
    parser, why = shared_parser()
    assert parser is not None, why
    mine, *theirs = parser([claim, *(text for _, text in evidence)])
    told = [
        ParsedSentence(parse, stems(title))
        for (title, _), parse in zip(evidence, theirs, strict=True)
    ]
    known = frozenset[str]().union(*(stems(f"{title} {text}") for title, text in evidence))
    return other_fillers(ParsedSentence(mine), told, known)


MILL = (
    "Kell Mill",
    "Its burrs, which are made in Telk, can be set in 36 steps. It is sold in Brun.",
)
BOX = (
    "Kell Mill",
    "The Kell Mill comes with a brush and a leather case, but the lid is sold apart.",
)
CASE = ("Kell Mill", "The body is steel and the handle is walnut.")
PLANTS = ("Orm Works", "Its plant in Telk closed in 2014, and its plant in Brun opened in 2015.")
SAID = (
    "Orm Cup",
    "The coach, Ruth Sand, was content, while her rival, Goran Bly, blamed the wind.",
)
CITY = ("Norland", "Its capital is Vint, although the court is in Sallow Bay, the largest town.")
TREATY = ("Treaty of Telk", "The Treaty of Telk was signed on 4 May 1921.")
FORCE = ("Treaty of Telk", "It came into force on 1 January 1922.")
FORMAT = ("Note 31", "Each record must contain a code, and may contain a comment.")
SORTED = ("Note 31", "Records need not be sorted.")
AGREED = ("Roe v. Orr", "The opinion was written by Judge Kemble; Judge Pike dissented.")


@pytest.mark.parametrize(
    ("claim", "evidence", "told"),
    [
        ("The burrs of the Kell Mill are made in Brun.", [MILL], "“Telk”, not “Brun”"),
        ("The Kell Mill comes with a brush and a lid.", [BOX], "“leather case”, not “lid”"),
        ("The body of the Kell Mill is walnut.", [CASE], "“walnut” is said of another"),
        ("The plant in Brun closed in 2014.", [PLANTS], "“Telk”, not “Brun”"),
        ("Ruth Sand blamed the wind.", [SAID], "“Goran Bly”, not “Ruth Sand”"),
        (
            "Vint is the capital of Norland and its largest town.",
            [CITY],
            "“largest town” is said of another",
        ),
        ("The Treaty of Telk was signed on 1 January 1922.", [TREATY, FORCE], "“4 1921”, not “1"),
        ("Each record must contain a comment.", [FORMAT], "“may”, not “must”"),
        ("Records must be sorted.", [SORTED], "its verb is denied"),
        ("Judge Kemble dissented.", [AGREED], "“Pike”, not “Kemble”"),
    ],
)
def test_what_is_another_s(claim: str, evidence: list[tuple[str, str]], told: str):
    [found] = against(claim, *evidence)
    assert told in found.told
    assert not found.sure


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The burrs of the Kell Mill are made in Telk.", [MILL]),
        ("The Kell Mill comes with a case and a brush.", [BOX]),
        ("The handle of the Kell Mill is walnut.", [CASE]),
        ("The plant in Telk closed in 2014.", [PLANTS]),
        ("Goran Bly blamed the wind.", [SAID]),
        ("Vint is the capital of Norland.", [CITY]),
        ("The Treaty of Telk was signed on 4 May 1921.", [TREATY, FORCE]),
        ("The Treaty of Telk came into force in 1922.", [TREATY, FORCE]),
        ("Each record must contain a code.", [FORMAT]),
        ("Records may be sorted.", [FORMAT]),  # nothing says so, and nothing speaks against it
        ("Judge Pike dissented.", [AGREED]),
        ("The burrs of the Kell Mill are made in Oslo.", [MILL]),  # it is nowhere: it is lacking
    ],
)
def test_what_is_its_own(claim: str, evidence: list[tuple[str, str]]):
    assert against(claim, *evidence) == []


def test_a_name_with_a_title_is_the_same():
    told = ("Orm Club", "Felix Strand and Ida Fenn came; Mr Strand seconded the motion.")
    assert against("The motion was seconded by Felix Strand.", told) == []
    [found] = against("The motion was seconded by Ida Fenn.", told)
    assert "Strand" in found.told


def test_a_description_is_no_other_than_a_name():
    told = ("Low Tide", "Low Tide was written by Ann Roe, the author of Grey Hill.")
    assert against("The author of Grey Hill wrote Low Tide.", told) == []
