"""The fault harness: what an index must withstand, done to real commands and counted.

Each function does one kind of fault, gives counts of what was done and seen, and raises
``AssertionError`` at the first thing that is wrong. ``tests/test_faults.py`` runs all of them in a
short form; in full, ::

    python -m tests.fault_harness [--kills 100] [--seconds 60] [--only NAME] [--seed N]
"""

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from functools import partial
from io import StringIO
from pathlib import Path
from statistics import median
from typing import Any, Final

from hippohover.cli import run
from hippohover.errors import IndexDamagedError
from hippohover.store.manifest import FORMAT_VERSION
from hippohover.store.reader import StoredIndex
from tests.fault_processes import Ended, Process, Strike
from tests.fault_world import (
    Move,
    State,
    World,
    alias_move,
    arguments_of,
    assert_done,
    assert_one_line,
    beside_move,
    compact_move,
    encoded_build,
    look,
    look_and_go_on,
    made_state,
    made_world,
    moves,
    parsed_build,
    read_index,
    rebuild_move,
    replace_move,
    segment_move,
    typed_build,
    wide_build,
)
from tests.index_samples import hidden, seal_manifest, versions

Counts = Mapping[str, int]
Chance = random.Random

NOT_SUMMED: Final = frozenset({"build_log.json", "checked.json"})
"""Files of a version that nothing an index answers depends on."""

_STOPPED: Final = {signal.SIGINT: (130, "interrupted"), signal.SIGTERM: (143, "terminated")}
_MORE_FLIPS = 5  # at random places of a file, besides its first byte, the middle one and the last
_MOST_DRAWS = 12  # draws a kill that lands may take: each that comes too late shortens the next


# kill -9, Ctrl-C and SIGTERM, at random moments


def seconds_of(world: World, move: Move, n: int) -> float:
    """How long an undisturbed command takes from ``begins`` to ``ends``, the middle of ``n``."""
    taken: list[float] = []
    for _ in range(n):
        root = move.fresh(world.file("root"))
        process = world.forks.start(*move.at(root), call=move.call)
        _wait_for(move.begins, process, root)
        start = time.monotonic()
        _wait_for(move.ends or (lambda _: False), process, root)
        taken.append(time.monotonic() - start)
        assert_done(process.wait(), move.name)
        assert look(world, move, root, move.name) == "after"
    return median(taken)


def _wait_for(sign: Callable[[Path], bool] | None, process: Process, root: Path) -> None:
    """Return when the sign is seen, or the process has ended."""
    while sign is not None and not sign(root) and not process.has_ended():
        time.sleep(0.0005)


def at_moments(world: World, move: Move, number: signal.Signals, n: int, chance: Chance) -> Counts:
    """Send a signal at ``n`` random moments of a command that it has not ended at.

    SIGKILL goes to the command and its workers, or, every other time, to the command alone, whose
    workers the next one then begins beside; Ctrl-C goes to all of them, as a terminal sends it.
    """
    seconds = seconds_of(world, move, min(n, 3))
    counts = Counter[str]({number.name: 0, "old after it": 0, "new after it": 0, "too late": 0})
    for _ in range(_MOST_DRAWS * n):
        if counts[number.name] == n:
            break
        root, moment = move.fresh(world.file("root")), chance.uniform(0, seconds)
        what = f"{number.name} at {moment:.4f} of {seconds:.4f} s of {move.name}"
        process = world.forks.start(*move.at(root), call=move.call)
        _wait_for(move.begins, process, root)
        time.sleep(moment)
        group = number != signal.SIGTERM and counts[number.name] % 2 == 0
        process.send(number, group=group or number == signal.SIGINT)
        ended = process.wait()
        if ended.code == 0 or (ended.code == -number and number != signal.SIGKILL):
            missed = _missed(world, move, ended, root, what)
            counts[missed] += 1
            if missed == "too late":  # it takes less time now than it was measured to
                seconds = moment
            continue
        _is_end_by(number, ended, root, what)
        counts[number.name] += 1
        seen = look_and_go_on(world, move, root, what)
        process.end_group()
        counts["old after it" if seen == "before" else "new after it"] += 1
    assert counts[number.name] == n, f"{move.name}: of {n} moments few came in time: {counts}"
    return counts


def _missed(world: World, move: Move, ended: Ended, root: Path, what: str) -> str:
    """When a signal came, if not to the command: it was done, or had not yet begun.

    Outside of it a signal ends the interpreter as any other program.
    """
    seen = look(world, move, root, what)
    if ended.out:
        assert seen == "after", f"{what}: it says that it is done, but has not published"
        return "too late"
    begun = ended.code == 0 or seen == "after" or (root.exists() and hidden(root))
    assert not begun, f"{what}: exit code {ended.code}, and nothing said of what was done"
    return "too early"


def _is_end_by(number: signal.Signals, ended: Ended, root: Path, what: str) -> None:
    """A killed command is dead; another signal ends it in one line, and nothing is left.

    Of a command that had too little time to clean up, more may be left, as of one that is killed.
    """
    told = f"{what}: exit code {ended.code}: {ended.err}"
    if number == signal.SIGKILL:
        assert ended.code == -number, told
        return
    code, word = _STOPPED[number]
    assert ended.code == code, told
    if ended.err == f"error: {word} without cleaning up; no index is damaged\n":
        return
    assert ended.err == f"error: {word}; nothing is left half-written\n", told
    left = hidden(root) if root.exists() else []
    assert left == [], f"{what}: it says that nothing is left, and there is {left}"


# The same, and a full disk, before every step


_NEED_SPACE: Final = {
    "full": ("open", "sqlite3.connect"),
    "no space": ("open", "sqlite3.connect", "os.mkdir", "os.rename"),
}
"""Steps that a full disk refuses."""

_SIGNALS: Final = {
    "die": signal.SIGKILL, "interrupt": signal.SIGINT, "terminate": signal.SIGTERM,
}  # fmt: skip


def at_steps(
    world: World, move: Move, name: str, chance: Chance, most: int | None = None
) -> Counts:
    """Strike a command before each of its steps on disk, or before ``most`` of them.

    "full" fills the disk up: the system refuses the writing of that file, and of all later ones,
    behind its first 0 or 1,000 bytes. "no space" refuses that one step.
    """
    root = move.fresh(world.file("root"))
    undisturbed = world.forks.run(*move.at(root), root=root)
    assert_done(undisturbed, move.name)
    events = _NEED_SPACE.get(name, ("",))
    steps = [n for n, step in enumerate(undisturbed.steps, 1) if step.startswith(events)]
    chosen = steps if most is None else sorted(chance.sample(steps, min(most, len(steps))))
    counts = Counter[str]({name: 0, "old after it": 0, "new after it": 0, "no harm": 0})
    for step in chosen:
        root = move.fresh(root)
        room = 1000 * (step % 2)
        ended = world.forks.run(*move.at(root), root=root, strike=Strike(name, step, room))
        if len(ended.steps) < step:
            continue  # it depends on the processes' numbers how many steps there are
        what = f"{name} before step {step} of {move.name} ({ended.steps[step - 1]})"
        seen = _seen_at_step(world, move, name, ended, what)
        counts[name] += 1
        counts[seen] += 1
    return counts


def _seen_at_step(world: World, move: Move, name: str, ended: Ended, what: str) -> str:
    root = world.file("root")
    if ended.code == 0 and name != "die":
        assert look(world, move, root, what) == "after", f"{what}: done, but not published"
        return "no harm"
    if name in _SIGNALS:
        _is_end_by(_SIGNALS[name], ended, root, what)
    else:
        assert_one_line(ended, what)
        left = hidden(root) if root.exists() else []
        assert left == [], f"{what}: {left} are left"
    return "old after it" if look_and_go_on(world, move, root, what) == "before" else "new after it"


# Damage


def damaged_files(
    world: World,
    chance: Chance,
    most: int | None = None,
    make: Callable[[World], Move] = encoded_build,
) -> Counts:
    """Flip bytes of every file of an index, or of ``most``, and truncate it; each must be found.

    ``open`` reads all files that have a checksum; what it refuses, ``inspect --verify`` names.
    """
    state = make(world).after
    root = _copy(state.root, world.file("damaged"))
    counts = Counter[str]({"files": 0, "flips": 0, "truncations": 0, "found": 0, "no harm": 0})
    live = StoredIndex.open(root)
    needed = {live.folder, live.home}
    files = sorted(path for folder in needed for path in folder.rglob("*") if path.is_file())
    live.close()
    for path in files if most is None else chance.sample(files, most):
        counts["files"] += 1
        for kind, what in _damages(path, chance):
            counts[kind] += 1
            if path.name in NOT_SUMMED:
                _is_harmless(world, state, root, what)
                counts["no harm"] += 1
            else:
                _is_found(root, path, what)
                counts["found"] += 1
    assert _inspected(root).code == 0, "the files are whole again, and inspect does not say so"
    return counts


def _damages(path: Path, chance: Chance) -> Iterator[tuple[str, str]]:
    """Damage a file in one way after the other; between them it is as it was."""
    whole = path.read_bytes()
    size = len(whole)
    places = {0, size // 2, size - 1, *(chance.randrange(size) for _ in range(_MORE_FLIPS))}
    for place in sorted(places):
        bit = 1 << chance.randrange(8)
        _overwrite(path, place, whole[place] ^ bit)
        yield "flips", f"bit {bit} of byte {place} of {path.name} flipped"
        _overwrite(path, place, whole[place])
    for length in sorted({0, size // 2, size - 1}):
        os.truncate(path, length)
        yield "truncations", f"{path.name} cut to {length} of {size} bytes"
        path.write_bytes(whole)


def _overwrite(path: Path, place: int, value: int) -> None:
    with path.open("rb+") as file:
        file.seek(place)
        file.write(bytes([value]))


def _inspected(root: Path) -> Ended:
    """``inspect --verify`` in this process, for it is asked hundreds of times."""
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        code = run(["inspect", str(root), "--verify"])
    return Ended(code, out.getvalue(), err.getvalue(), ())


def _is_found(root: Path, path: Path, what: str) -> None:
    ended = _inspected(root)
    assert_one_line(ended, f"{what}: inspect --verify", path.name)
    try:
        StoredIndex.open(root).close()
    except IndexDamagedError as error:
        assert path.name in str(error), f"{what}: open names another file: {error}"
    else:
        raise AssertionError(f"{what}: open did not see it")


def _is_harmless(world: World, state: State, root: Path, what: str) -> None:
    ended = _inspected(root)
    assert (ended.code, ended.err) == (0, ""), f"{what}: inspect --verify: {ended.err}"
    found = read_index(root, world.claims)
    assert found == (state.manifest, state.answers), f"{what}: another index"


def damaged_pointer(world: World, chance: Chance, most: int | None = None) -> Counts:
    """Flip every bit of ``CURRENT`` and cut it everywhere: never does another version open.

    With ``most``, only so many times.
    """
    counts = Counter[str]({"flips": 0, "truncations": 0, "found": 0, "no harm": 0})
    for n_versions in (2, 3):  # of two neighbours, one bit of the number tells one pair apart
        root = _copy(world.states["all"].root, world.file("damaged"))
        if n_versions == 3:
            assert_done(world.forks.run(*moves(world)["publish"].at(root)), "a third version")
        path = root / "CURRENT"
        live, whole = StoredIndex.open(root).folder, path.read_bytes()
        flips = [(n, 1 << bit) for n in range(len(whole)) for bit in range(8)]
        variants = [
            *(("flips", whole[:n] + bytes([whole[n] ^ bit]) + whole[n + 1 :]) for n, bit in flips),
            *(("truncations", whole[:n]) for n in range(len(whole))),
        ]
        for kind, data in variants if most is None else chance.sample(variants, most):
            path.write_bytes(data)
            what = f"CURRENT is {data!r}, not {whole!r}"
            ended = _inspected(root)
            counts[kind] += 1
            try:
                with StoredIndex.open(root) as stored:
                    assert stored.folder == live, f"{what}: {stored.folder} was opened"
                assert ended.code == 0, f"{what}: it opens, but inspect says {ended.err}"
                counts["no harm"] += 1
            except IndexDamagedError:
                assert_one_line(ended, f"{what}: inspect --verify")
                counts["found"] += 1
    return counts


def damaged_cache(world: World, chance: Chance, *, n: int = 40) -> Counts:
    """Damage what is kept for later builds: they end with the same checksums, or in one line."""
    move = parsed_build(world)
    counts = Counter[str]({"flips": 0, "truncations": 0, "same index": 0, "refused": 0})
    for _ in range(n):
        root = _copy(move.after.root, world.file("root"))
        (path,) = (root / ".cache").iterdir()
        kind, what = chance.choice(list(_each_kept(path, chance)))
        ended = world.forks.run(*move.at(root))
        counts[kind] += 1
        if ended.code != 0:
            assert_one_line(ended, what, str(path))
            counts["refused"] += 1
            continue
        assert look(world, move, root, what) == "after", f"{what}: another index"
        counts["same index"] += 1
    return counts


def _each_kept(path: Path, chance: Chance) -> Iterator[tuple[str, str]]:
    """One damage of a file, which stays."""
    whole = path.read_bytes()
    place = chance.randrange(len(whole))
    if chance.random() < 0.8:
        _overwrite(path, place, whole[place] ^ (1 << chance.randrange(8)))
        yield "flips", f"byte {place} of {path.name} flipped"
    else:
        os.truncate(path, place)
        yield "truncations", f"{path.name} cut to {place} of {len(whole)} bytes"


def other_formats(world: World) -> Counts:
    """A manifest from the future, or of old: each command says so and touches nothing."""
    counts = Counter[str]()
    root = world.file("damaged")
    for name, number, word in (
        ("future", FORMAT_VERSION + 1, "upgrade hippohover"),
        ("past", FORMAT_VERSION - 1, "build the index again"),
    ):
        _copy(world.states["old"].root, root)
        for version in versions(root):
            _set_format(root / version, number)
        before = _snapshot(root)
        for words in (
            ("query", str(root), world.claims[0]), ("inspect", str(root)),
            ("inspect", str(root), "--verify"), arguments_of(world, ["add", "new.jsonl"], root),
            arguments_of(world, ["delete"], root), ("gc", str(root)),
        ):  # fmt: skip
            ended = world.forks.run(*words)
            assert_one_line(ended, f"{words[0]} of a {name} format", "manifest.json", word)
            assert _snapshot(root) == before, f"{words[0]} of a {name} format changed the index"
            counts[f"{name} refused"] += 1
        assert_done(
            world.forks.run(*moves(world)["publish"].at(root)), f"a build over a {name} format"
        )
        assert look(world, moves(world)["publish"], root, f"a {name} format") == "after"
    return counts


def _set_format(folder: Path, number: int) -> None:
    """Make a manifest one of another format, with keys that this one does not know."""
    manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_bytes())
    del manifest["counts"]
    manifest |= {"format_version": number, "shards": [1, 2]}
    seal_manifest(folder, json.dumps(manifest).encode())


def _snapshot(root: Path) -> dict[str, bytes]:
    """Every file but the lock."""
    files = (path for path in root.rglob("*") if path.is_file() and path.name != ".lock")
    return {str(path): path.read_bytes() for path in files}


def _copy(source: Path, to: Path) -> Path:
    shutil.rmtree(to, ignore_errors=True)
    return Path(shutil.copytree(source, to))


# Rights: a user who may not write, or not read


def read_only(world: World) -> Counts:
    """In a read-only folder an index is read as ever, and each change refused in one line."""
    counts = Counter[str]({"read": 0, "refused": 0})
    root = _copy(world.states["old"].root, world.file("read-only"))
    _set_modes(root, 0o555, 0o444)
    before = _snapshot(root)
    for words in (("inspect",), ("inspect", "--verify"), ("query", world.claims[0])):
        ended = world.forks.run(words[0], str(root), *words[1:], bound=True)
        assert_done(ended, f"{words} in a read-only folder")
        counts["read"] += 1
    for words in (
        arguments_of(world, ["build", "faults.toml", "all.jsonl"], root),
        arguments_of(world, ["build", "faults.toml", "all.jsonl"], root / "new"),
        arguments_of(world, ["add", "new.jsonl"], root), ("gc", str(root)),
        ("delete", str(root), "--title", _a_title(world)),
    ):  # fmt: skip
        ended = world.forks.run(*words, bound=True)
        assert_one_line(ended, f"{words} in a read-only folder", "cannot be written", "make it wr")
        counts["refused"] += 1
    assert _snapshot(root) == before, "a read-only index was changed"
    _set_modes(root, 0o755, 0o644)
    shutil.rmtree(root)
    return counts


def denied(world: World, chance: Chance, most: int | None = None) -> Counts:
    """Without the right to read a file, or a folder: one line that names it, nothing else."""
    counts = Counter[str]({"files": 0, "folders": 0, "others": 0})
    root = _copy(world.states["old"].root, world.file("denied"))
    folder = root / "v000002"
    files = sorted(p for p in folder.rglob("*") if p.is_file() and p.name not in NOT_SUMMED)
    for path in files if most is None else chance.sample(files, min(most, len(files))):
        for command in (["inspect", str(root)], ["inspect", str(root), "--verify"]):
            with _without_rights(path):
                ended = world.forks.run(*command, bound=True)
            words = (path.name, "cannot be read (Permission denied): make it readable")
            assert_one_line(ended, f"{command} without the right to read {path.name}", *words)
        counts["files"] += 1
    for path in (root, folder, root / "CURRENT"):
        with _without_rights(path):
            ended = world.forks.run("inspect", str(root), "--verify", bound=True)
        # 2 where the command line looks first: a root, like a corpus, is one of its arguments.
        assert_one_line(ended, f"no right to {path.name}", path.name, "readable", codes=(1, 2))
        counts["folders"] += 1
    counts["others"] = _denied_elsewhere(world, root)
    return counts


def _denied_elsewhere(world: World, root: Path) -> int:
    """What a command needs beside: its corpus, the lock, the passages of the live version."""
    _set_modes(root, 0o777, 0o666)
    add = arguments_of(world, ["add", "new.jsonl"], root)
    paths = (world.file("new.jsonl"), root / ".lock", root / "v000002" / "passages.arrow")
    for path in paths:
        with _without_rights(path):
            ended = world.forks.run(*add, bound=True)
        assert_one_line(ended, f"add without rights to {path.name}", path.name, codes=(1, 2))
        assert hidden(root) == [], f"add without rights to {path.name} left {hidden(root)}"
    assert_done(world.forks.run(*add, bound=True), "add with all rights")
    return len(paths)


@contextmanager
def _without_rights(path: Path) -> Generator[None]:
    mode = path.stat().st_mode
    path.chmod(0)
    try:
        yield
    finally:
        path.chmod(mode)


def _set_modes(root: Path, of_folders: int, of_files: int) -> None:
    for path in (root, *root.rglob("*")):
        path.chmod(of_folders if path.is_dir() else of_files)


def _a_title(world: World) -> str:
    """A title of the old corpus."""
    return json.loads(world.file("old.jsonl").read_text("utf-8").splitlines()[0])["title"]


# Several processes at once


def two_writers(world: World, *, n: int = 10) -> Counts:
    """A writer that stands still is alive and keeps all others out; a dead one keeps out none."""
    counts = Counter[str]({"refused beside a live one": 0, "after a dead one": 0})
    every = moves(world)
    move = every["publish"]
    for turn in range(n):
        root = move.fresh(world.file("root"))
        first = _standing_still(world, move, root)
        words = (f"is being written by process {first.pid}", "wait until it ends, or stop it")
        for other in (move.at(root), every["add"].at(root), ["gc", str(root)]):
            assert_one_line(world.forks.run(*other), f"{other[0]} beside another writer", *words)
            counts["refused beside a live one"] += 1
        assert look(world, move, root, "beside a writer") == "before"
        if turn % 2:
            first.send(signal.SIGKILL, group=True)
            first.wait()
            assert (root / ".lock").read_text() == f"{first.pid}\n"
            if turn % 4 == 1:  # the number may be that of another process by now
                (root / ".lock").write_text(f"{os.getpid()}\n")
            assert_done(world.forks.run(*move.at(root)), "a writer after a dead one")
            counts["after a dead one"] += 1
        else:
            first.send(signal.SIGCONT)
            assert_done(first.wait(), "the first of two writers")
        assert look(world, move, root, "two writers") == "after"
        assert hidden(root) == []
    return counts


def _standing_still(world: World, move: Move, root: Path) -> Process:
    """A writer that was stopped while it holds the lock."""
    process = world.forks.start(*move.at(root))
    while not hidden(root):
        assert not process.has_ended(), "a writer ended too early"
        time.sleep(0.0005)
    process.send(signal.SIGSTOP)
    assert not process.has_ended()
    return process


def racing_writers(world: World, chance: Chance, *, n: int = 20) -> Counts:
    """Two writers that begin at once: each is done, or refused in one line."""
    counts = Counter[str]({"both done": 0, "one refused": 0})
    states: dict[tuple[str, ...], str] = {("one",): "one", ("two",): "two", ("one", "two"): "all"}
    for _ in range(n):
        root = _copy(world.states["old"].root, world.file("root"))
        begun: dict[str, Process] = {}
        for name in chance.sample(["one", "two"], 2):
            begun[name] = world.forks.start(*arguments_of(world, ["add", f"{name}.jsonl"], root))
            time.sleep(chance.choice([0.0, 0.0, 0.001, 0.5]))
        ends = {name: process.wait() for name, process in begun.items()}
        for name, ended in ends.items():
            if ended.code != 0:
                assert_one_line(ended, f"add {name}, beside another", "is being written by process")
        done = tuple(name for name in ("one", "two") if ends[name].code == 0)
        assert done, f"both of two writers were refused: {ends}"
        found = read_index(root, world.claims)
        state = world.states[states[done]]
        assert found == (state.manifest, state.answers), f"{done} were done, and are not there"
        counts["both done" if len(done) == 2 else "one refused"] += 1
    return counts


def readers_and_a_writer(world: World, seconds: float, n_readers: int) -> Counts:
    """One process publishes without end while others read: each answer is that of its version."""
    every = moves(world)
    steps = [every["add"].at, every["delete"].at]
    states = list(world.states.values())
    return _beside_readers(world, states, steps, every["delete"], seconds, n_readers)


def readers_a_writer_and_a_compactor(world: World, seconds: float, n_readers: int) -> Counts:
    """The same where updates are segments, which another process merges into the index."""
    beside, segment = beside_move(world), segment_move(world)
    closed, again = made_state(world, "closed"), segment.before
    assert beside.before is not None
    assert again is not None
    words = [["add", "towns.jsonl"], ["add", "more.jsonl"], ["compact", "--beside"]]
    words += [["build", "faults.toml", "spare.jsonl"]]
    steps = [partial(arguments_of, world, step) for step in words]
    states = [again, closed, beside.before, beside.after]
    return _beside_readers(world, states, steps, replace(beside, after=again), seconds, n_readers)


def _beside_readers(
    world: World,
    states: Sequence[State],
    steps: Sequence[Callable[[Path], Sequence[str]]],
    last: Move,
    seconds: float,
    n_readers: int,
) -> Counts:
    """Take steps one after the other, and again, while others read."""
    root = _copy(last.after.root, world.file("root"))
    answers = {state.manifest: state.answers for state in states}
    arguments = (str(root), json.dumps(world.claims), json.dumps(answers), seconds)
    readers = [world.forks.start(*arguments, call="reader") for _ in range(n_readers)]
    counts = Counter[str]({"readers": n_readers, "published": 0})
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            for step in steps:
                words = step(root)
                assert_done(world.forks.run(*words), f"{words[0]}, beside readers")
                counts["published"] += 1
            assert_done(world.forks.run("gc", str(root), "--keep", "1"), "gc, beside readers")
    finally:
        ends = [reader.wait(seconds + 120) for reader in readers]
    for ended in ends:
        assert_done(ended, "a reader")
        found = json.loads(ended.out)
        assert found["wrong"] is None, f"a reader saw: {found['wrong']} ({ended.err})"
        counts.update(found["seen"])
        counts["versions seen"] = max(counts["versions seen"], found["versions"])
    assert look(world, last, root, "after all readers") == "after"
    return counts


# All of them


@dataclass(frozen=True, kw_only=True)
class Amount:
    """How much of it: in full, or in the short form of the tests.

    ``kills`` are of each of build, add, delete, alias and publish; of the slow builds, a fifth.
    """

    kills: int = 100
    seconds: float = 60
    steps: int | None = None
    turns: int = 20
    n_readers: int = 8


Fault = Callable[[World, Amount, Chance], Counts]


def _sent(name: str, number: signal.Signals, share: int = 1) -> Fault:
    def call(world: World, much: Amount, chance: Chance) -> Counts:
        return at_moments(world, moves(world)[name], number, -(-much.kills // share), chance)

    return call


def _slow(make: Callable[[World], Move], number: signal.Signals) -> Fault:
    def call(world: World, much: Amount, chance: Chance) -> Counts:
        return at_moments(world, make(world), number, -(-much.kills // 5), chance)

    return call


def _of(make: Callable[[World], Move], strike: str) -> Fault:
    def call(world: World, much: Amount, chance: Chance) -> Counts:
        return at_steps(world, make(world), strike, chance, much.steps)

    return call


def _struck(name: str, strike: str) -> Fault:
    def call(world: World, much: Amount, chance: Chance) -> Counts:
        return at_steps(world, moves(world)[name], strike, chance, much.steps)

    return call


_CHANGES: Final = ("build", "add", "delete", "publish")

FAULTS: Final[dict[str, Fault]] = {
    **{f"kill-{name}": _sent(name, signal.SIGKILL) for name in _CHANGES},
    "kill-alias": lambda w, much, c: at_moments(w, alias_move(w), signal.SIGKILL, much.kills, c),
    "kill-replace": lambda w, much, c: at_moments(
        w, replace_move(w), signal.SIGKILL, much.kills, c
    ),
    "kill-typed": _slow(typed_build, signal.SIGKILL),
    "kill-parsed": _slow(parsed_build, signal.SIGKILL),
    "kill-encoded": _slow(encoded_build, signal.SIGKILL),
    "kill-workers": _slow(wide_build, signal.SIGKILL),
    **{f"kill-steps-{name}": _struck(name, "die") for name in ("publish", "delete")},
    **{f"ctrl-c-{name}": _sent(name, signal.SIGINT, 4) for name in _CHANGES},
    "ctrl-c-workers": _slow(wide_build, signal.SIGINT),
    "ctrl-c-steps": _struck("publish", "interrupt"),
    **{f"sigterm-{name}": _sent(name, signal.SIGTERM, 4) for name in _CHANGES},
    "sigterm-workers": _slow(wide_build, signal.SIGTERM),
    "sigterm-steps": _struck("publish", "terminate"),
    **{f"full-disk-{name}": _struck(name, "full") for name in _CHANGES[:3]},
    **{f"no-space-{name}": _struck(name, "no space") for name in ("publish", "delete")},
    "damaged-files": lambda w, much, c: damaged_files(w, c, much.steps),
    "kill-segment": _slow(segment_move, signal.SIGKILL),
    "kill-compact": _slow(compact_move, signal.SIGKILL),
    "kill-beside": _slow(beside_move, signal.SIGKILL),
    "kill-rebuild": _slow(rebuild_move, signal.SIGKILL),
    "kill-steps-segment": _of(segment_move, "die"),
    "kill-steps-compact": _of(compact_move, "die"),
    "kill-steps-beside": _of(beside_move, "die"),
    "sigterm-segment": _slow(segment_move, signal.SIGTERM),
    "sigterm-beside": _slow(beside_move, signal.SIGTERM),
    "full-disk-segment": _of(segment_move, "full"),
    "full-disk-compact": _of(compact_move, "full"),
    "full-disk-beside": _of(beside_move, "full"),
    "no-space-segment": _of(segment_move, "no space"),
    "no-space-beside": _of(beside_move, "no space"),
    "damaged-segment": lambda w, much, c: damaged_files(w, c, much.steps, segment_move),
    "damaged-compact": lambda w, much, c: damaged_files(w, c, much.steps, compact_move),
    "damaged-pointer": lambda w, much, c: damaged_pointer(w, c, much.steps),
    "damaged-cache": lambda w, much, c: damaged_cache(w, c, n=2 * much.turns),
    "other-formats": lambda w, _much, _c: other_formats(w),
    "read-only": lambda w, _much, _c: read_only(w),
    "denied": lambda w, much, c: denied(w, c, much.steps),
    "two-writers": lambda w, much, _c: two_writers(w, n=-(-much.turns // 2)),
    "racing-writers": lambda w, much, c: racing_writers(w, c, n=much.turns),
    "readers": lambda w, much, _c: readers_and_a_writer(w, much.seconds, much.n_readers),
    "readers-compact": lambda w, much, _c: readers_a_writer_and_a_compactor(
        w, much.seconds, much.n_readers
    ),
}
"""Every kind of fault, by the name that ``--only`` takes."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all kinds of faults, or some; print what was counted; 1 where something was wrong."""
    asked = _parser().parse_args(arguments)
    much = Amount(kills=asked.kills, seconds=asked.seconds)
    n_wrong = 0
    with ExitStack() as stack:
        disk = asked.folder or ("/dev/shm" if os.access("/dev/shm", os.W_OK) else None)  # noqa: S108
        folder = stack.enter_context(tempfile.TemporaryDirectory(dir=disk))
        world = stack.enter_context(made_world(Path(folder)))
        for name in asked.only or FAULTS:
            start = time.monotonic()
            try:
                counts = FAULTS[name](world, much, Chance(f"{asked.seed} {name}"))
                line = ", ".join(f"{n:,} {what}" for what, n in counts.items())
            except Exception as error:  # of whatever kind, the others go on
                n_wrong += 1
                kind = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
                line = f"WRONG: {kind}{error}"
            _say(f"{name:<20} {time.monotonic() - start:>6.1f} s  {line}")
    _say(f"{n_wrong} kinds of faults went wrong" if n_wrong else "nothing went wrong")
    return 1 if n_wrong else 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Do to an index what it must withstand.")
    parser.add_argument("--kills", type=int, default=100, help="of each command")
    parser.add_argument("--seconds", type=float, default=60, help="of reading beside a writer")
    parser.add_argument("--only", action="append", choices=list(FAULTS), help="may be repeated")
    parser.add_argument("--seed", type=int, default=1, help="of the moments and places")
    parser.add_argument("--folder", help="where to work; in memory, if there is room, else")
    return parser


if __name__ == "__main__":
    sys.exit(main())
