"""What the commands refuse: one line that names what is wrong, and no file is changed.

``refusals.jsonl`` has a command on each line, as it is typed, what its message must name, and the
message itself: to change a message is to change its line there. ``TOY`` and ``ENCODED`` stand for
indexes, ``SMALL`` for one that may be changed, ``CLAIMS`` for the toy's claims.
"""

import json
import re
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hippohover.cli.options import PROGRAMS
from hippohover.indexing.build import build
from hippohover.retrieval.registry import RETRIEVERS
from hippohover.toy import toy_claims_path
from tests.cli.command_samples import FAST_RECIPE, Command, assert_error, write_corpus

FILE = Path(__file__).with_name("refusals.jsonl")
ROWS = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
LISTS = {"RETRIEVERS": ", ".join(RETRIEVERS), "PROGRAMS": ", ".join(PROGRAMS)}
DOCUMENTS = [
    ("Vessby", "Vessby is a borough by the sea."),
    ("Lantern Hill", "Lantern Hill is a film shot in Vessby."),
]


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a small index; read it only."""
    folder = tmp_path_factory.mktemp("refusals")
    (folder / "small.toml").write_text(FAST_RECIPE, encoding="utf-8")
    corpus = write_corpus(folder / "c.jsonl", DOCUMENTS)
    return build(folder / "small.toml", corpus=corpus, out=folder / "i")


@pytest.fixture
def places(toy_index: Path, encoded_toy_index: Path, small: Path, tmp_path: Path) -> dict[str, str]:
    """What stands in a row for a path; the index that may be changed is the test's own."""
    own = shutil.copytree(small, tmp_path / "i")
    (tmp_path / "small.toml").write_text(FAST_RECIPE, encoding="utf-8")
    paths = {"TOY": toy_index, "ENCODED": encoded_toy_index, "SMALL": own}
    return {name: str(path) for name, path in paths.items()} | {"CLAIMS": str(toy_claims_path())}


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    for name, content in files.items():
        if name.endswith("/"):
            (folder / name).mkdir()
        else:
            (folder / name).write_bytes(content.encode("latin-1"))


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["typed"][:60])
def test_a_refusal_is_one_line_that_names_what_is_wrong_and_changes_nothing(
    hippohover: Command,
    places: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    row: dict[str, Any],
) -> None:
    for variable in ("HIPPOHOVER_TOKEN", "BRAVE_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in row.get("env", {}).items():
        monkeypatch.setenv(variable, value)
    write_files(tmp_path, row.get("files", {}))
    before = contents(tmp_path)
    place = re.compile(rf"^({'|'.join(places)})\b")
    typed = [place.sub(lambda one: places[one[0]], word) for word in shlex.split(row["typed"])]
    outcome = hippohover(*typed)
    assert_error(outcome, *row["names"], code=row["code"])
    assert contents(tmp_path) == before
    said = outcome.err
    for name, text in (*places.items(), *LISTS.items(), ("CWD", str(tmp_path))):
        said = said.replace(text, name)
    said = said.removeprefix("error: ").removesuffix("\n")
    assert said == row.get("says", said)  # a library has the last word in a few
