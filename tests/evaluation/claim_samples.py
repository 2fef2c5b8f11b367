"""A claim of HoVer's release form, and files of claims."""

import json
from pathlib import Path
from typing import Any

from hippohover.evaluation.hover import GoldClaim

RECORD: dict[str, Any] = {
    "uid": "c-1",
    "claim": "The painter of the harbour mural was born on Skell Island.",
    "supporting_facts": [["Harbour Mural", 0], ["Ilse Brandt", 1], ["The Harbour Mural", 2]],
    "label": "SUPPORTED",
    "num_hops": 2,
    "hpqa_id": "q-7",
}


def write(path: Path, content: object) -> Path:
    """Writes bytes as they are, a list as JSON lines."""
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        assert isinstance(content, list)
        path.write_text("".join(json.dumps(record) + "\n" for record in content), encoding="utf-8")
    return path


def claim(uid: str, *gold: str, words: str = "", hpqa_id: str = "") -> GoldClaim:
    facts = tuple((title, 0) for title in gold)
    return GoldClaim(
        uid=uid,
        claim=words or f"claim {uid}",
        gold_titles=gold,
        supporting_facts=facts,
        hpqa_id=hpqa_id,
    )


def record(**changes: object) -> dict[str, Any]:
    return {**RECORD, **changes}
