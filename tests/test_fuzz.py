"""A little of the fuzzing in every run of the tests; ``fuzz_targets.py`` does more of it."""

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests import fuzz_run
from tests.fuzz_growth import READERS, UNITS, excess, excess_of
from tests.fuzz_mutations import mutated
from tests.fuzz_run import inputs, outcome
from tests.fuzz_targets import BROKEN, TARGETS

ROOT = Path(__file__).parents[1]
DEAR = {"pdf", "docx", "pptx", "epub", "odt", "altered-index"}  # in the gate alone


@pytest.mark.filterwarnings("ignore")  # NumPy's, about headers as Python 2 wrote them
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) if name in DEAR else name for name in TARGETS],
)
def test_whole_examples_are_taken_and_damaged_ones_too_or_refused(name: str):
    target = TARGETS[name]
    assert any(outcome(target, sample) for sample in target.samples())

    @settings(
        max_examples=min(12, settings().max_examples),
        deadline=None,
        phases=(Phase.reuse, Phase.generate, Phase.shrink),
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(inputs(target))
    def some(data: bytes) -> None:
        outcome(target, data)

    some()


@given(st.binary(max_size=60), st.integers(0, 2**32))
def test_the_same_seed_does_the_same_damage(sample: bytes, seed: int):
    one, other = (mutated(sample, [sample, b"another, 12"], Random(seed)) for _ in range(2))  # noqa: S311
    assert one == other


def test_most_damage_changes_something():
    sample = b'{"title": "T", "text": "12 words", "links": ["T"]}\n'
    changed = [mutated(sample, [sample], Random(seed)) for seed in range(500)]  # noqa: S311
    assert len(set(changed)) > 400


def run(found: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "tests.fuzz_targets", "--found", str(found), *arguments]
    return subprocess.run(  # noqa: S603
        command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.slow
def test_the_command_finds_nothing_within_its_bounds(tmp_path: Path):
    done = run(tmp_path, "--runs", "100", "--seed", "7")
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split() for line in done.stdout.splitlines()[1:]]
    assert [row[0] for row in rows] == list(TARGETS)
    for name, n_inputs, n_refused, n_taken, *_ in rows:
        assert int(n_inputs) >= 100
        assert int(n_refused) + int(n_taken) == int(n_inputs)
        assert int(n_taken) > 0, f"{name}: no input gets behind the first check"
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("broken-raises", "KeyError"),
        ("broken-speaks_twice", "not one printable line"),
        ("broken-hangs", "over 1 s of processor time"),
        ("broken-waits", "nothing happened for 6 s"),
        ("broken-eats", "MB of memory"),
        ("broken-dies", "ended by SIGABRT"),
    ],
)
def test_each_kind_of_finding_is_found_and_its_input_kept(tmp_path: Path, name: str, told: str):
    assert name in BROKEN
    seconds = "9" if name == "broken-eats" else "1"  # memory takes a busy machine its time
    done = run(tmp_path, "--runs", "60", "--seconds", seconds, "--target", name)
    assert done.returncode == 1
    (kept,) = tmp_path.iterdir()
    assert f"{name}: " in done.stdout
    assert str(kept) in done.stdout
    finding, data = kept.read_text(encoding="utf-8").split("\n", 1)
    assert told in finding
    assert data.startswith("b")


def test_without_atheris_the_command_says_so_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(fuzz_run, "has_atheris", lambda: False)
    assert fuzz_run.main(["--engine", "atheris"]) == 2
    assert capsys.readouterr().out == (
        "atheris is not installed: pip install atheris, or leave out --engine\n"
    )


ONCE_QUADRATIC = [
    (".csv", "@"), (".csv", "a@b."), (".tsv", "a@"), ("verify", "not "), ("verify", "# "),
    ("verify-whole", "1:"), ("verify", "A; "), ("evidence", "( "), ("evidence", "1 "),
    ("query", "Ann and "), ("explain", "a"), (".eml", "=?utf-8?q?a?= "), (".md", "[a]("),
    (".md", "> ---\na\n"), (".md", "> > ---\n> a\n"), (".md", "a```\n> ---\n"),
]  # fmt: skip


@pytest.mark.parametrize(("reader", "unit"), ONCE_QUADRATIC)
def test_four_times_the_text_costs_about_four_times_the_work(reader: str, unit: str):
    assert excess_of(reader, unit, 40_000) <= 1


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
def test_no_unit_makes_a_reader_quadratic(reader: str):
    drawn = Random(reader).sample(UNITS, 25)  # noqa: S311
    assert {unit: n for unit in drawn if (n := excess_of(reader, unit, 50_000)) > 1} == {}


def test_what_is_quadratic_is_found():
    def read(text: str) -> int:
        return sum(one in text for one in text)

    def read_again(text: str) -> int:
        return sum(f"{one}!" in text for one in text)

    texts = "a" * 3_000, "a" * 12_000
    assert excess(read, *texts) <= 1 < excess(read_again, *texts)
