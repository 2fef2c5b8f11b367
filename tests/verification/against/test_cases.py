"""Each check by itself on the rows of ``cases.jsonl``: what it finds, and that others find nothing.

A row has a claim, its evidence as pairs of title and sentence, and what each check finds: the kind,
with a "?" where it is not sure; checks that it does not name find nothing. ``held`` says of each
quantity of the claim whether the evidence has it, ``denies_alone`` whether only the claim denies.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from hippohover.verification.against.checks import CHECKS, findings_of
from hippohover.verification.against.comparison import Comparison
from hippohover.verification.against.denials import denies_alone
from hippohover.verification.against.findings import Finding
from hippohover.verification.against.numbers import numbers_held
from hippohover.verification.against.scattered import scattered_words
from tests.verification.against.comparing import compared

ROWS: Final[list[dict[str, Any]]] = [
    json.loads(line)
    for line in Path(__file__).with_name("cases.jsonl").read_text("utf-8").splitlines()
]
GROUNDS: Final = [
    compared(row["claim"], *map(tuple, row["evidence"]), alone=row.get("alone", True))
    for row in ROWS
]
ALL: Final[dict[str, Callable[[Comparison], list[Finding]]]] = {
    check.__name__: check for check in (*CHECKS, scattered_words)
}


@pytest.mark.parametrize("check", ALL)
def test_a_check_finds_what_its_rows_say_and_nothing_else(check: str):
    wrong: list[tuple[str, str, str]] = []
    for row, beside in zip(ROWS, GROUNDS, strict=True):
        found = ALL[check](beside)
        kinds = {one.kind if one.sure else f"{one.kind}?" for one in found}
        wanted = row["found"].get(check, "")
        if kinds != ({wanted} if wanted else set()):
            wrong.append((row["claim"], wanted, ", ".join(sorted(kinds))))
        assert all(one.told for one in found)
    assert not wrong


def test_a_number_is_held_or_not():
    for row, beside in zip(ROWS, GROUNDS, strict=True):
        held = [*numbers_held(beside).values()]
        assert held == row.get("held", []), row["claim"]


def test_a_claim_alone_denies_or_the_evidence_does_in_some_words():
    rows = [pair for pair in zip(ROWS, GROUNDS, strict=True) if "denies_alone" in pair[0]]
    assert len(rows) > 15
    for row, beside in rows:
        assert denies_alone(beside, findings_of) == row["denies_alone"], row["claim"]


def test_every_check_has_rows():
    assert {name for row in ROWS for name in row["found"]} == set(ALL)
