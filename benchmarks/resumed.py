"""Rows of a measurement that may be stopped: a file of lines whose first says what it is of."""

import json
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def read_rows(file: Path, identity: Row) -> list[Row]:
    """Rows that are there; a new file is begun, and one of another measurement refused.

    A line that was cut in the middle, as by a stop, is left out.
    """
    if not file.exists():
        file.write_text(json.dumps(identity) + "\n", encoding="utf-8")
    whole = file.read_text(encoding="utf-8").rpartition("\n")[0]
    first, *rest = map(json.loads, whole.splitlines() or ["{}"])
    if first != identity:
        raise SystemExit(f"{file} is of {first}, not of {identity}: name another --out")
    return rest
