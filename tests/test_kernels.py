"""Compiled loops: what ships of them, what numba makes of the others, and where that is kept."""

import logging
import shutil
import subprocess
import sys
from enum import IntEnum
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from loop_forms import forms_used
from numpy.typing import NDArray

from hatch_build import run_apart
from hippohover import kernels
from hippohover.errors import HippoHoverError
from hippohover.kernels import FORMS, HALVES, UNSHIPPED, CompiledLoop, Part, compiled, form_of

ROOT = Path(__file__).parents[1]
FACTOR = 2.0


class Pair(NamedTuple):
    values: NDArray[np.float64]
    n: int


@compiled
def doubled(value: float) -> float:
    return FACTOR * value


@compiled
def total(values: NDArray[np.float64]) -> float:
    summed = 0.0
    for value in values:
        summed += doubled(value)
    return summed


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HIPPOHOVER_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    return tmp_path / "cache"


def loop_of(function: Any) -> CompiledLoop:  # noqa: ANN401
    assert isinstance(function, CompiledLoop)
    return function


def fresh(function: Any) -> CompiledLoop:  # noqa: ANN401
    """The loop as a new process has it."""
    return CompiledLoop(loop_of(function).__wrapped__)


def test_every_float16_has_its_value_at_the_place_of_its_bits():
    assert (HALVES.dtype, HALVES.shape) == (np.float32, (1 << 16,))
    for value in (0.0, 1.0, -2.5, 65_504.0, 2.0**-24, float("inf")):
        assert HALVES[int(np.float16(value).view(np.uint16))] == value


# By numba


def test_a_loop_that_calls_another_is_compiled_and_kept(cache: Path):
    assert fresh(total)(np.arange(4.0)) == 12.0
    assert list(cache.glob("compiled/*/test_kernels.total-*.nbi"))


def test_a_cache_of_numbas_own_goes_before(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path / "own"))
    assert fresh(total)(np.arange(4.0)) == 12.0
    assert list((tmp_path / "own").glob("*/test_kernels.total-*.nbi"))
    assert not list(cache.glob("compiled/*"))


def test_where_nothing_can_be_kept_loops_still_run_and_say_so_once(
    cache: Path, caplog: pytest.LogCaptureFixture
):
    kernels._tell_of_no_cache.cache_clear()  # pyright: ignore[reportPrivateUsage]
    cache.write_text("in the way")
    with caplog.at_level(logging.WARNING):
        assert fresh(total)(np.arange(4.0)) == 12.0
        assert fresh(doubled)(2.0) == 4.0
    [said] = caplog.messages
    assert str(cache) in said
    assert "set HIPPOHOVER_CACHE" in said


def test_without_numba_a_loop_that_does_not_ship_says_what_to_install(
    cache: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(HippoHoverError, match=r"total has no .*pip install '\S*\[compiler\]'"):
        fresh(total)(np.arange(4.0))


# Forms and symbols


class Kind(IntEnum):
    ONE = 1


@pytest.mark.parametrize(
    ("value", "form"),
    [
        (np.zeros((2, 3), np.int32), "int32[2]"),
        (np.zeros(3, np.bool_), "bool[1]"),
        (np.zeros((4, 4), np.float32)[:, 1], UNSHIPPED),
        (np.frombuffer(b"abcdefghi", np.uint8)[1:].view(np.int64), UNSHIPPED),
        (3, "int"),
        (np.int64(3), "int"),
        (Kind.ONE, "int"),
        (np.uint64(3), UNSHIPPED),
        (2.5, "float"),
        (np.float64(2.5), "float"),
        (np.float32(2.5), UNSHIPPED),
        (True, "bool"),
        ("text", UNSHIPPED),
        (Pair(np.zeros(2), 3), "(float64[1] int)"),
    ],
)
def test_the_form_of_an_argument(value: object, form: str):
    assert form_of((value,)) == form
    assert form_of((1, value)) == f"int {form}"


def test_the_parts_of_a_form():
    parts = [Part("int", 0), Part("float64", 1), Part("int", 0), Part("uint8", 2)]
    assert Part.parts_of("int (float64[1] int) uint8[2]") == parts


def test_a_symbol_is_another_one_when_anything_that_is_compiled_changes(
    monkeypatch: pytest.MonkeyPatch,
):
    loop, form = loop_of(total), "float64[1]"
    before = loop.symbol(form)
    assert loop.symbol(form) == before
    assert loop.symbol("float32[1]") != before
    monkeypatch.setattr(sys.modules[__name__], "FACTOR", 3.0)  # of the loop that it calls
    assert loop.symbol(form) != before


# What ships


def test_machine_code_ships_for_all_that_builds_and_queries_call():
    """Else: ``python benchmarks/loop_forms.py --out hippohover/compiled-loops.txt``."""
    assert sorted(forms_used()) == FORMS.read_text().splitlines()


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as a wheel has it, with the library that the build hook makes."""
    if shutil.which("gcc") is None:
        pytest.skip("there is no gcc")
    root = tmp_path_factory.mktemp("shipped")
    shutil.copytree(ROOT / "hippohover", root / "hippohover")
    (root / "hippohover" / "compiled-loops.so").unlink(missing_ok=True)
    shutil.copy(ROOT / "hatch_build.py", root)
    assert run_apart(root, root / "hippohover" / "compiled-loops.so")
    return root


def run(code: str, root: Path, cache: Path) -> str:
    env = {"PYTHONPATH": str(root), "HIPPOHOVER_CACHE": str(cache), "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(  # noqa: S603
        command, env=env, cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


BUILD_AND_ASK = """
import sys
from hippohover.indexing.build import build
from hippohover.recipe import IndexRecipe
from hippohover.retrieval.engine import HippoHover
from hippohover.store.reader import StoredIndex
from hippohover.toy import toy_corpus_path
root = build(IndexRecipe(extractor="between"), corpus=toy_corpus_path(), out="{out}")
answer = HippoHover.open(root).retrieve("The director of Lantern Hill was born in Vellmouth.")
print([(p.pid, p.score) for p in answer.passages])
print(StoredIndex.open(root).manifest.files)
print("numba" in sys.modules)
"""


@pytest.mark.slow
def test_what_ships_does_what_numba_does_without_numba(shipped: Path, tmp_path: Path):
    with_code = run(BUILD_AND_ASK.format(out=tmp_path / "a"), shipped, tmp_path / "cache")
    assert with_code.splitlines()[-1] == "False"
    assert not (tmp_path / "cache" / "compiled").exists()
    (shipped / "hippohover" / "compiled-loops.so").rename(tmp_path / "elsewhere.so")
    without = run(BUILD_AND_ASK.format(out=tmp_path / "b"), shipped, tmp_path / "cache")
    (tmp_path / "elsewhere.so").rename(shipped / "hippohover" / "compiled-loops.so")
    assert without.splitlines()[-1] == "True"
    assert without.splitlines()[:2] == with_code.splitlines()[:2]
