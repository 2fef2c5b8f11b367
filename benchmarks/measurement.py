"""What the scripts share: rows of a measurement that may be stopped, and errors in one line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hippohover.errors import HippoHoverError

Row = dict[str, Any]


def read_rows(file: Path, identity: Row) -> list[Row]:
    """Rows that are there; a new file is begun, and one of another measurement refused.

    Its first line says what it is of. A last line that was cut, as by a stop, is taken out.
    """
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    whole, newline, cut = text.rpartition("\n")
    if cut or not text:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(whole + newline or json.dumps(identity) + "\n", encoding="utf-8")
    first, *rest = map(json.loads, whole.splitlines()) if whole else [identity]
    for key in {**identity, **first}:
        if first.get(key) != identity.get(key):
            raise SystemExit(
                f"error: {file} is of another measurement, with {key} {first.get(key)!r} where "
                f"{identity.get(key)!r} is asked for: name another --out"
            )
    return rest


def run_script(main: Callable[[], None]) -> None:
    """Run a script; an error of the package ends it by its one line, with what is done kept."""
    try:
        main()
    except HippoHoverError as error:
        raise SystemExit(f"error: {error}") from None
