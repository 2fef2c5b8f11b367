"""The manifest: what it says, how it is checked, and whatever else may stand in its place."""

import json
import re
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from hippohover.errors import IndexDamagedError, IndexStoreError
from hippohover.recipe import IndexRecipe, QuerySettings
from hippohover.store.manifest import FORMAT_VERSION
from hippohover.store.reader import StoredIndex
from tests.index_samples import (
    BUILD_FILES,
    EDITS,
    FUZZ,
    JSON_VALUES,
    edited,
    fields_of,
    flip,
    live_build,
    refused,
    seal_manifest,
)


def test_the_manifest_says_what_was_built(index_root: Path):
    with StoredIndex.open(index_root) as index:
        manifest = index.manifest
        assert manifest.format_version == FORMAT_VERSION
        assert {**dict(manifest), "files": 0, "format_version": 0} == {
            **dict(fields_of()),
            "files": 0,
            "format_version": 0,
        }
        assert tuple(manifest.files) == BUILD_FILES
        for name, entry in manifest.files.items():
            data = (index.folder / name).read_bytes()
            assert (entry.n_bytes, entry.sha256) == (len(data), sha256(data).hexdigest())
        assert index.sizes() == {n: (index.folder / n).stat().st_size for n in BUILD_FILES}


def test_sha256sum_can_check_the_manifest(index_folder: Path):
    tool = shutil.which("sha256sum")
    if tool is None:
        pytest.skip("the program sha256sum is not installed")
    call = [tool, "-c", "manifest.sha256"]
    assert subprocess.check_output(call, cwd=index_folder) == b"manifest.json: OK\n"  # noqa: S603


@pytest.mark.parametrize(
    "changes",
    [
        {"recipe_sha256": "ABC"},
        {"counts": {"passages": -1}},
        {"counts": {"passages": 1.5}},
        {"dimensions": {"encoder": True}},
        {"recipe": {"path": Path("x")}},
        {"failures": "one"},
        {"host": "here"},
    ],
    ids=repr,
)
def test_manifest_fields_are_checked(changes: dict[str, Any]):
    with pytest.raises(ValidationError):
        fields_of(**changes)


def test_manifest_fields_are_frozen():
    with pytest.raises(ValidationError, match="frozen"):
        fields_of().n_failures = 0  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize(
    ("found", "age", "fix"),
    [
        (FORMAT_VERSION + 1, "newer", "upgrade hippohover"),
        (FORMAT_VERSION - 1, "older", "build the index again: hippohover build .* --out .*toy"),
    ],
)
def test_another_format_is_refused(index_folder: Path, found: int, age: str, fix: str):
    manifest = json.loads((index_folder / "manifest.json").read_bytes())
    manifest.update(format_version=found, unknown_key={"a": 1})
    (index_folder / "manifest.json").write_text(json.dumps(manifest))
    (index_folder / "manifest.sha256").unlink()
    words = f"manifest.json: has format {found}, {age} than {FORMAT_VERSION}, .*: {fix}$"
    with refused(IndexStoreError, words):
        StoredIndex.open(index_folder)


def test_no_flipped_bit_of_the_manifest_goes_unseen(index_folder: Path):
    path = index_folder / "manifest.json"
    whole = path.read_bytes()
    for position in range(len(whole)):
        flip(path, position)
        with pytest.raises(IndexStoreError, match=r"manifest\.json: "):
            StoredIndex.open(index_folder)
        path.write_bytes(whole)
    assert live_build(index_folder) == 1


@FUZZ
@given(data=st.binary(max_size=60) | JSON_VALUES.map(lambda value: json.dumps(value).encode()))
def test_whatever_the_manifest_holds_only_store_errors_leave_open(index_folder: Path, data: bytes):
    seal_manifest(index_folder, data)
    with pytest.raises(IndexStoreError) as caught:
        StoredIndex.open(index_folder)
    assert str(caught.value).isprintable()


@FUZZ
@given(edits=EDITS)
def test_whatever_is_written_over_the_manifest_only_store_errors_leave_open(
    index_folder: Path, index_template: Path, edits: list[tuple[int, bytes]]
):
    whole = (index_template / "v000001" / "manifest.json").read_bytes()
    seal_manifest(index_folder, edited(whole, edits))
    try:
        StoredIndex.open(index_folder).close()
    except IndexStoreError as error:
        assert str(error).isprintable()


@FUZZ
@given(data=st.data(), value=JSON_VALUES)
def test_whatever_value_stands_in_the_manifest_only_store_errors_leave_open(
    index_folder: Path, index_template: Path, data: st.DataObject, value: object
):
    manifest = json.loads((index_template / "v000001" / "manifest.json").read_bytes())
    place = manifest
    while True:
        key = data.draw(st.sampled_from(sorted(place)) | st.text(max_size=5))
        if not isinstance(place.get(key), dict) or not place[key] or data.draw(st.booleans()):
            break
        place = place[key]
    place[key] = value
    seal_manifest(index_folder, json.dumps(manifest).encode())
    try:
        StoredIndex.open(index_folder).close()
    except IndexStoreError as error:
        assert str(error).isprintable()


@pytest.mark.parametrize(
    "name",
    [
        *["../../other", "/etc/hostname", "a/../notes.bin", "./notes.bin", "", ".", "a\0b"],
        *["manifest.json", "notes.bin/x", "graph", "x" * 300],
    ],
)
def test_a_manifest_cannot_point_elsewhere(index_folder: Path, name: str):
    manifest = json.loads((index_folder / "manifest.json").read_bytes())
    manifest["files"][name] = {"sha256": "0" * 64, "n_bytes": 1}
    seal_manifest(index_folder, json.dumps(manifest).encode())
    with pytest.raises(
        IndexStoreError, match=r"damaged|missing|cannot be read|and not a"
    ) as caught:
        StoredIndex.open(index_folder)
    assert str(caught.value).isprintable()
    if len(name) < 300:
        assert isinstance(caught.value, IndexDamagedError)


@pytest.mark.parametrize("number", ["1e400", "9" * 5000, "-1", "1.0", "true", '"1"', "null", "NaN"])
@pytest.mark.parametrize("key", ["format_version", "n_failures"])
def test_numbers_out_of_range_are_damage(index_folder: Path, number: str, key: str):
    text = (index_folder / "manifest.json").read_text()
    seal_manifest(index_folder, re.sub(rf'"{key}": [0-9]+', f'"{key}": {number}', text).encode())
    with refused(IndexDamagedError, r"manifest\.json: is damaged"):
        StoredIndex.open(index_folder)


@pytest.mark.parametrize("part", ["recipe", "counts", "dimensions", "models"])
def test_what_a_manifest_does_not_name_is_damage(index_folder: Path, part: str):
    with StoredIndex.open(index_folder) as index:
        named = index.manifest.models["encoder"] if part == "models" else dict(index.manifest)[part]
        assert named.get("absent") is None
        with refused(IndexDamagedError, r"manifest.json: holds no 'absent': build the index again"):
            named["absent"]


def test_a_manifest_nested_without_end_is_damage(index_folder: Path):
    nested = f'{{"format_version": {FORMAT_VERSION}, "recipe": ' + "[" * 100_000
    seal_manifest(index_folder, nested.encode())
    with refused(IndexDamagedError, r"manifest\.json: is damaged"):
        StoredIndex.open(index_folder)


@pytest.mark.parametrize(
    ("recipe", "what"),
    [
        ({"query": {"dampening": 1}}, "query: dampening: Extra inputs"),
        ({"name": "../up"}, "name: String should match"),
        ({"a\nb": 1}, "a b: Extra inputs"),
    ],
)
def test_a_recipe_that_this_program_does_not_know_is_damage(
    index_folder: Path, recipe: dict[str, Any], what: str
):
    manifest = json.loads((index_folder / "manifest.json").read_text())
    seal_manifest(index_folder, json.dumps(manifest | {"recipe": recipe}).encode())
    with (
        StoredIndex.open(index_folder) as index,
        pytest.raises(IndexDamagedError, match=rf"manifest\.json: is damaged \({what}") as caught,
    ):
        index.recipe()
    assert str(caught.value).isprintable()


def test_the_recipe_of_an_index_is_what_it_was_built_from(index_folder: Path):
    manifest = json.loads((index_folder / "manifest.json").read_text())
    recipe = IndexRecipe(encoder="none", query=QuerySettings(eps=0.001))
    seal_manifest(index_folder, json.dumps(manifest | {"recipe": recipe.as_dict()}).encode())
    with StoredIndex.open(index_folder) as index:
        assert index.recipe() == recipe


# --- an index that an earlier version of this program wrote -----------------------------------


@pytest.mark.parametrize("number", [3, 5])
def test_an_index_of_an_earlier_format_is_refused_in_one_line(number: int):
    """``format_N`` is what that version reads first; its tables are not kept."""
    words = f"has format {number}, older than {FORMAT_VERSION}, .*: build the index again: hippo"
    with refused(IndexStoreError, words):
        StoredIndex.open(Path(__file__).with_name(f"format_{number}"))
