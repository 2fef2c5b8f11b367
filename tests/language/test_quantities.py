"""Numbers, units and dates of texts, and which say the same: the rows of ``quantities.jsonl``."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.language.quantities.quantity import Quantity, likeness
from hippohover.language.quantities.reader import quantities_in

ROWS: Final[list[dict[str, Any]]] = [
    json.loads(line)
    for line in Path(__file__).with_name("quantities.jsonl").read_text("utf-8").splitlines()
]
READ: Final = [row for row in ROWS if "read" in row]
COMPARED: Final = [row for row in ROWS if "like" in row]


def told(one: Quantity) -> dict[str, Any]:
    """A quantity as a row has it: what it is, and what of the rest is not as usual."""
    values = {field.name: getattr(one, field.name) for field in fields(one)}
    values["months"] = sorted(one.months)
    always = {"kind", "low", "high"}
    return {
        name: value
        for name, value in values.items()
        if name in always or (value and name not in {"start", "stop"})
    }


@pytest.mark.parametrize("row", READ, ids=lambda row: row["text"])
def test_what_is_read_in_a_text(row: dict[str, Any]):
    assert [told(one) for one in quantities_in(row["text"])] == row["read"]


@pytest.mark.parametrize("row", COMPARED, ids=lambda row: f"{row['claim']} / {row['evidence']}")
def test_whether_two_say_the_same(row: dict[str, Any]):
    [claim], [evidence] = quantities_in(row["claim"]), quantities_in(row["evidence"])
    assert likeness(claim, evidence) == row["like"]


@given(st.text())
def test_any_text_is_read_and_spans_are_inside(text: str):
    for one in quantities_in(text):
        assert 0 <= one.start < one.stop <= len(text)
        assert likeness(one, one) in {"same", None}
