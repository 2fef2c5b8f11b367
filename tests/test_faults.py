"""The fault harness in its short form: every kind of fault, a few times each."""

import shutil
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from tests import fault_harness
from tests.fault_harness import FAULTS, Amount, Chance
from tests.fault_processes import Forks, Strike
from tests.fault_world import World, look, made_world, moves

SHORT = Amount(kills=1, seconds=1, steps=2, turns=1, n_readers=2)

IN_TESTS_ELSEWHERE = {"kill-parsed", "kill-typed", "ctrl-c-workers", "sigterm-workers"}
"""Seconds each: ``test_build``, ``test_parallel`` and ``test_main`` do the like."""


@pytest.fixture(scope="module")
def world(memory_folder: Path) -> Iterator[World]:
    memory_folder.chmod(0o755)  # for a user who is nobody
    folder = memory_folder / "faults"
    folder.mkdir()
    with made_world(folder) as made:
        yield made


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(FAULTS.keys() - IN_TESTS_ELSEWHERE))
def test_an_index_withstands(world: World, name: str):
    counts = FAULTS[name](world, SHORT, Chance(name))
    assert sum(counts.values()) > 0


def test_what_goes_wrong_is_said_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    nothing = World(tmp_path, Forks(), (), (), {})

    def wrong(*_: object) -> dict[str, int]:
        raise AssertionError("it broke")

    def right(*_: object) -> dict[str, int]:
        return {"tries": 1234, "found": 0}

    monkeypatch.setattr(fault_harness, "made_world", lambda _folder: nullcontext(nothing))  # pyright: ignore[reportUnknownLambdaType]
    for faults, code in (({"a": wrong, "b": right}, 1), ({"b": right}, 0)):
        monkeypatch.setattr(fault_harness, "FAULTS", faults)
        assert fault_harness.main([]) == code
        printed = capsys.readouterr().out
        assert ("WRONG: it broke" in printed) == bool(code)
        assert "1,234 tries, 0 found" in printed


@pytest.mark.slow
def test_the_harness_sees_what_it_looks_for(world: World):
    """A version of another corpus, other answers, and what is left over are no right ends."""
    move = moves(world)["add"]
    root = Path(shutil.copytree(world.states["one"].root, world.file("other")))
    with pytest.raises(AssertionError, match="neither at the old nor at the new version"):
        look(world, move, root, "nothing")
    changed = replace(move, after=replace(world.states["one"], answers=[]))
    with pytest.raises(AssertionError, match="other answers than those of one"):
        look(world, changed, root, "nothing")
    (root / "v000003" / "facts.npy").write_bytes(b"")
    with pytest.raises(AssertionError, match=r"does not open: .*facts\.npy"):
        look(world, move, root, "nothing")
    struck = world.forks.run(*move.at(root), root=root, strike=Strike("die", 3))
    assert struck.code == -9
    assert len(struck.steps) == 3
