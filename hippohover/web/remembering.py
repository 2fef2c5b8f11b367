"""Adds one text to an index and deletes one, for a client that may write."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hippohover.disk.text_files import STANDARD_INPUT
from hippohover.errors import UsageError
from hippohover.indexing.update import add, delete
from hippohover.store.reader import StoredIndex
from hippohover.trust import allowed


def remember(index: Path, title: str, text: str) -> dict[str, Any]:
    """Add a text, or replace the one that was remembered by that title; publish."""
    if not title.strip() or not text.strip():
        raise UsageError("a text without words or without a title cannot be found: give both")
    with StoredIndex.open(index, check=False) as stored:
        asked = allowed(index, stored.recipe()).language_model
    record = {"title": title, "text": text}
    with TemporaryDirectory(prefix="hippohover-") as folder:
        file = Path(folder, STANDARD_INPUT)  # a name that no log takes for a file of the user's
        file.write_text(json.dumps(record) + "\n", "utf-8")
        done = add(index, file, replace=True, language_model=asked)
    return {"remembered": title, "passages_in_all": done.n_passages}


def forget(index: Path, title: str) -> dict[str, Any]:
    """Delete the documents of a title; publish."""
    done = delete(index, [title])
    return {"forgotten": title, "passages_in_all": done.n_passages}
