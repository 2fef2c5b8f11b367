"""Indexes of earlier releases: each opens, or is refused by one line that says how to go on."""

import zipfile
from pathlib import Path

import pytest

from hippohover.errors import IndexStoreError
from hippohover.retrieval.engine import HippoHover
from hippohover.store.manifest import FORMAT_VERSION
from hippohover.testing.indexes import FAST, built
from tests.cli.command_samples import Command, assert_error

KEPT = sorted((Path(__file__).parents[1] / "kept").glob("format-*.zip"))
ROWS = [{"title": "Orle", "text": "The Orle is a river that ends at Vellmouth."}]
SAID = (
    f"has format 3, older than {FORMAT_VERSION}, which this program reads: build the index again: "
)


@pytest.fixture
def old_index(tmp_path: Path) -> Path:
    """An index that a program of format 3 built."""
    with zipfile.ZipFile(KEPT[0]) as kept:
        kept.extractall(tmp_path)
    return tmp_path / "index"


def test_the_kept_index_is_one_of_format_3():
    assert [path.stem for path in KEPT] == ["format-3"]


def test_an_old_index_is_refused_in_python(old_index: Path):
    with pytest.raises(IndexStoreError, match=SAID):
        HippoHover.open(old_index)


@pytest.mark.parametrize(
    "command",
    [
        ["query", "INDEX", "Where does the Orle end?"],
        ["inspect", "INDEX"],
        ["explain", "INDEX", "Where does the Orle end?", "--title", "Orle"],
        ["delete", "INDEX", "--title", "Orle"],
        ["gc", "INDEX"],
    ],
)
def test_every_command_says_in_one_line_what_to_do(
    hippohover: Command, old_index: Path, command: list[str]
):
    typed = [str(old_index) if word == "INDEX" else word for word in command]
    again = f"hippohover build RECIPE --corpus DOCUMENTS --out {old_index}"
    assert_error(hippohover(*typed), SAID + again)


def test_nothing_of_an_old_index_is_changed_by_asking(hippohover: Command, old_index: Path):
    before = {path: path.read_bytes() for path in old_index.rglob("*") if path.is_file()}
    hippohover("query", old_index, "Where does the Orle end?")
    after = {path: path.read_bytes() for path in old_index.rglob("*") if path.is_file()}
    assert after == before


def test_built_again_in_its_place_it_answers(old_index: Path):
    built(ROWS, old_index, FAST)
    assert HippoHover.open(old_index).retrieve("Where does the Orle end?").passages
