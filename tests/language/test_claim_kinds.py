"""What claims something, and what does not: the rows of ``claim_kinds.jsonl``."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from hippohover.language import claim_kinds
from hippohover.language.claim_kinds import why_no_claim

ROWS: Final[list[dict[str, Any]]] = [
    json.loads(line)
    for line in Path(__file__).with_name("claim_kinds.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["text"])
def test_why_a_text_claims_nothing_or_that_it_may(row: dict[str, Any]):
    expected = getattr(claim_kinds, row["why"]) if row["why"] else ""
    assert why_no_claim(row["text"]) == expected
