"""What an index holds is checked before it is used: every array, whatever is wrong with it."""

import os
import shutil
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from hippohover.errors import IndexDamagedError
from hippohover.indexing.corpus.passage_table import passage_table
from hippohover.recipe import EdgeWeights
from hippohover.records import Passage, PassageId, PassageSection
from hippohover.retrieval.engine import HippoHover
from hippohover.store import checksums
from hippohover.store.array_rules import ARRAY_RULES
from hippohover.store.contents import check_passages
from hippohover.store.reader import StoredIndex
from hippohover.store.segments import opening
from hippohover.store.segments.opening import content_problems, opened_tables
from hippohover.store.tables import IndexArrays, IndexFiles, array_file
from hippohover.testing.indexes import TOY_RECIPE, build_toy
from tests.fuzz_indexes import reseal
from tests.index_samples import refused

Array = NDArray[Any]

ANY_VALUE = {  # keys that are compared with others and index nothing, and texts
    "passage_codes", "entity_blocks", "head_hashes", "tail_hashes", "form_hashes", "run_hashes",
    "phrase_hashes", "target_hashes", "gazetteer_hashes", "text_frames", "text_dictionary",
    "name_affixes",
}  # fmt: skip
ANY_LENGTH = {"text_dictionary", "name_affixes"}
HAS_GAPS = {"mentions", "owner_passages"}  # values that are in no row


def _largest(array: Array) -> Array:
    if array.dtype.kind == "f":
        return np.full_like(array, np.nan)
    return np.full_like(array, np.iinfo(array.dtype).max)


WRONG: dict[str, tuple[Callable[[Array], Array], set[str]]] = {
    "largest": (_largest, ANY_VALUE),
    "one below": (
        lambda array: np.full_like(array, -2),
        ANY_VALUE | {name for name, rule in ARRAY_RULES.items() if rule.dtype[0] == "u"},
    ),
    "shorter": (lambda array: array[:-1], ANY_LENGTH),
    "longer": (lambda array: np.concatenate([array, array]), ANY_LENGTH | HAS_GAPS),
    "empty": (lambda array: array[:0], ANY_LENGTH | {"fact_vectors"}),
    "of another type": (lambda array: array.astype(">f8"), set()),
    "of more dimensions": (lambda array: array[None], set()),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    recipe = TOY_RECIPE.model_copy(
        update={"encoder": "minilm-static", "fact_vectors": True, "name": "whole"}
    )
    return build_toy(recipe, tmp_path_factory.mktemp("whole") / "index")


def test_every_array_has_a_rule():
    assert set(ARRAY_RULES) == {field.name for field in fields(IndexArrays)}


@pytest.mark.parametrize("kind", WRONG)
def test_an_array_that_is_wrong_is_refused_by_its_name(kind: str, whole: Path):
    change, harmless = WRONG[kind]
    with StoredIndex.open(whole) as stored:
        for name in sorted(set(ARRAY_RULES) - harmless):
            array = np.array(stored.array(array_file(name)))
            if len(array):
                (problem,) = _problems(stored, **{name: np.ascontiguousarray(change(array))})
                assert ".npy: is damaged (" in problem, (name, problem)


def _problems(stored: StoredIndex, **changed: Array) -> list[str]:
    """What is wrong with an index in which some arrays are others."""
    asked = stored.array
    with pytest.MonkeyPatch.context() as patched:
        of_files = {array_file(name): array for name, array in changed.items()}

        def array(file: str) -> Array:
            return of_files.get(file, asked(file))

        patched.setattr(stored, "array", array)
        return content_problems(stored)


# Values that are in range, one by one, and do not fit the others.
UNFIT: dict[str, Callable[[Array], Array]] = {
    "graph_degrees": lambda array: np.full_like(array, 1e-9),
    "graph_weights": lambda array: np.full_like(array, 60_000),
    "graph_neighbours": lambda array: array[::-1].copy(),
    "graph_spans": lambda array: np.broadcast_to([0, array.max()], array.shape).copy(),
    "posting_passages": lambda array: array[::-1].copy(),
    "gazetteer_numbers": lambda array: np.where(array < 0, 0, array).astype(np.int32),
    "passage_keys": lambda array: array[::-1].copy(),
    "name_hashes": lambda array: array[::-1].copy(),
    "term_df": np.ones_like,
    "fact_df": lambda array: array + np.int32(1),
    "term_count": lambda array: array - 1,
    "text_indptr": lambda array: array // 2,
    "title_lengths": lambda array: np.full_like(array, 10_000),
    "mentions": lambda array: array[:, [0, 2, 1]].copy(),
}


@pytest.mark.parametrize("name", UNFIT)
def test_values_that_do_not_fit_the_others_are_refused(name: str, whole: Path):
    with StoredIndex.open(whole) as stored:
        array = np.array(stored.array(array_file(name)))
        (problem,) = _problems(stored, **{name: UNFIT[name](array)})
        assert ".npy: is damaged (" in problem


def test_vectors_of_another_length_than_those_of_the_encoder_are_refused(
    whole: Path, tmp_path: Path
):
    root = Path(shutil.copytree(whole, tmp_path / "index"))
    path = root / "v000001" / "passage_codes.npy"
    codes = np.load(path)[:, :-1]
    path.unlink()
    np.save(path, np.ascontiguousarray(codes))
    reseal(root)
    engine = HippoHover.open(root)
    for retriever in ("dense", "hybrid", "ppr"):
        with refused(IndexDamagedError, "passage_codes.npy: has 255 dimensions"):
            engine.retrieve("Lantern Hill", retriever=retriever)
    engine.close()


def test_a_hash_table_without_a_free_slot_or_of_another_size_is_refused(whole: Path):
    with StoredIndex.open(whole) as stored:
        names = ("gazetteer_hashes", "gazetteer_numbers")
        halves = {name: np.array(stored.array(array_file(name)))[:-24] for name in names}
        (problem,) = _problems(stored, **halves)
        assert "no hash table" in problem


def test_a_whole_index_has_no_problem_and_is_checked_once(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    root = Path(shutil.copytree(whole, tmp_path / "index"))
    monkeypatch.setattr(checksums, "_SETTLED_NS", -(10**12))  # it was written just now
    checked: list[Path] = []
    check = opening.check_contents

    def seen(files: IndexFiles, folder: Path, weights: EdgeWeights) -> None:
        checked.append(folder)
        check(files, folder, weights)

    monkeypatch.setattr(opening, "check_contents", seen)
    for _ in range(3):
        with StoredIndex.open(root) as stored:
            opened_tables(stored)
    assert len(checked) == 1
    reseal(root)  # another manifest: it may say something else
    with StoredIndex.open(root) as stored:
        opened_tables(stored)
        assert content_problems(stored) == []
    assert len(checked) == 3


def test_what_was_checked_elsewhere_counts_on_no_read_only_disk(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    root = Path(shutil.copytree(whole, tmp_path / "index"))
    folder = root / "v000001"
    monkeypatch.setattr(checksums, "_SETTLED_NS", -(10**12))
    calls: list[int] = []
    for flag in (0, os.ST_RDONLY):
        status = os.statvfs(folder)
        changed = os.statvfs_result((*status[:8], flag, status[9]))
        monkeypatch.setattr(os, "statvfs", partial(_told, changed))
        checksums.check_once(folder, "manifest.json", lambda: calls.append(1))
        checksums.check_once(folder, "manifest.json", lambda: calls.append(1))
    assert len(calls) == 3


def _told(status: os.statvfs_result, _: Path) -> os.statvfs_result:
    return status


# Tables


def _passages() -> Any:  # noqa: ANN401
    rows = [
        Passage(
            PassageId(f"{n:016x}"), "T", "x", path="a", page=n, anchor="b", metadata=("v", 5),
            sections=(PassageSection("h", "a", 3),), links=("U",), aliases=("V",),
        )
        for n in (1, 2)
    ]  # fmt: skip
    return passage_table(rows, ("k", "n")).drop_columns(["text"])


def test_a_table_of_passages_with_every_column_is_taken():
    table = _passages()
    assert check_passages(Path("t"), table) is table


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("pid", pa.array(["0" * 15, "g" * 16], pa.large_string())),
        ("pid", pa.array(["0" * 8, "0" * 24], pa.large_string())),
        ("title", pa.array([None, "T"], pa.large_string())),
        ("title", pa.array(["T", "T"], pa.string())),
        ("links", pa.array([[None], []], pa.list_(pa.large_string()))),
        ("part", pa.array([-1, 0], pa.int32())),
        ("start", pa.array([0, -1], pa.int64())),
        ("metadata.n", pa.array([1, 2], pa.int64())),
        ("other", pa.array([1, 2], pa.int64())),
        ("sections", pa.array([1, 2], pa.int64())),
    ],
)
def test_a_table_of_passages_that_is_none_is_refused(column: str, values: Any):  # noqa: ANN401
    table = _passages()
    at = table.column_names.index(column) if column in table.column_names else len(table.columns)
    table = (table.remove_column(at) if at < len(table.columns) else table).add_column(
        at, column, values
    )
    with refused(IndexDamagedError, "is damaged"):
        check_passages(Path("t"), table)


def test_a_missing_column_and_one_that_is_there_twice_are_refused():
    table = _passages()
    for changed in (table.drop_columns(["title"]), table.append_column("pid", table.column("pid"))):
        with refused(IndexDamagedError, "its columns are"):
            check_passages(Path("t"), changed)
