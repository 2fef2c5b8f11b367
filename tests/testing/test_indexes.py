from pathlib import Path

import pytest

from hippohover.errors import IndexDamagedError
from hippohover.retrieval.engine import HippoHover
from hippohover.testing.indexes import TOY_RECIPE, build_toy, built, checksums, corpus_of
from tests.index_samples import flip

ROWS = [{"title": "Orle", "text": "The Orle is a river."}, {"title": "Sok", "text": "Sok is salt."}]


def test_records_are_written_a_line_each(tmp_path: Path):
    path = corpus_of(ROWS, tmp_path / "corpus.jsonl")
    assert path.read_text(encoding="utf-8").count("\n") == 2


def test_two_builds_of_the_same_records_are_equal(tmp_path: Path):
    one, other = built(ROWS, tmp_path / "a"), built(ROWS[::-1], tmp_path / "b")
    assert checksums(one) == checksums(other)
    assert checksums(one) != checksums(built(ROWS[:1], tmp_path / "c"))


def test_an_index_that_is_damaged_has_no_checksums(tmp_path: Path):
    root = built(ROWS, tmp_path / "a")
    flip(root / "v000001" / "passages.arrow", 200)
    with pytest.raises(IndexDamagedError, match=r"passages\.arrow"):
        checksums(root)


def test_the_toy_world_is_built_and_answers(tmp_path: Path):
    engine = HippoHover.open(build_toy(TOY_RECIPE, tmp_path / "toy"))
    assert engine.retrieve("Who ran the Hexley Flyer?").passages[0].title == "Hexley Flyer"
