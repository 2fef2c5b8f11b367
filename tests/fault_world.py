"""The world of the fault harness: corpora, the states of an index, the commands between them.

A state is made once, by an undisturbed command; after a fault an index must be at one of them.
"""

import json
import shutil
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from hippohover.errors import IndexStoreError
from hippohover.retrieval.engine import HippoHover
from hippohover.store.reader import StoredIndex
from hippohover.toy import toy_claims_path, toy_corpus_path
from tests.fault_processes import Answer, Ended, Forks, answers_of, manifest_of
from tests.index_samples import hidden


@dataclass(frozen=True)
class State:
    """An index that was made undisturbed: a folder to copy, and what it answers."""

    name: str
    root: Path
    manifest: str
    answers: list[Answer]


@dataclass(frozen=True)
class World:
    """Corpora and recipes in a folder, and the states that commands may lead to."""

    folder: Path
    forks: Forks
    claims: tuple[str, ...]
    new_titles: tuple[str, ...]
    states: Mapping[str, State]

    def file(self, name: str) -> Path:
        return self.folder / name


@dataclass(frozen=True)
class Move:
    """A command, the state that it begins from and the one it ends in.

    Attributes
    ----------
    before : State or None
        None: no index is there.
    code_when_done : int
        Exit code of the same command once more: a title is deleted once.
    begins, ends : callable
        Whether what is to be struck has begun, and has ended; they are given the root.
    call : str
        "typed": a new interpreter, which imports everything first.
    """

    name: str
    arguments: tuple[str, ...]
    before: State | None
    after: State
    code_when_done: int = 0
    begins: Callable[[Path], bool] | None = None
    ends: Callable[[Path], bool] | None = None
    call: str = "command"

    def at(self, root: Path) -> list[str]:
        """Its arguments, for an index at ``root``."""
        return [one.replace("ROOT", str(root)) for one in self.arguments]

    def fresh(self, root: Path) -> Path:
        """The root as it is before."""
        shutil.rmtree(root, ignore_errors=True)
        if self.before is not None:
            shutil.copytree(self.before.root, root)
        return root


@contextmanager
def made_world(folder: Path) -> Generator[World]:
    """A world of the toy corpus: "old" lacks the gold passages that "one" and "two" add."""
    folder.chmod(0o755)  # for a user who is nobody
    lines = toy_corpus_path().read_text("utf-8").splitlines(keepends=True)
    rows = [json.loads(line) for line in toy_claims_path().read_text("utf-8").splitlines()]
    rows = [row for row in rows if row["num_hops"] == 3][:3]
    gold = dict.fromkeys(title for row in rows for title, _ in row["supporting_facts"][-2:])
    new_titles = tuple(gold)
    parts: dict[str, list[str]] = {"old": [], "one": [], "two": []}
    for line in lines:
        title = json.loads(line)["title"]
        part = "old" if title not in gold else ("one" if title == new_titles[0] else "two")
        parts[part].append(line)
    for name, part in (*parts.items(), ("new", parts["one"] + parts["two"]), ("all", lines)):
        (folder / f"{name}.jsonl").write_text("".join(part), encoding="utf-8")
    recipe = 'name = "faults"\nextractor = "between"\nencoder = "none"\n'
    (folder / "faults.toml").write_text(recipe, encoding="utf-8")
    recipe = recipe.replace("none", "minilm-static")
    (folder / "encoded.toml").write_text(recipe, encoding="utf-8")
    with Forks() as forks:
        claims = tuple(row["claim"] for row in rows)
        world = World(folder, forks, claims, new_titles, {})
        old = _made(world, "old", ["build", "faults.toml", "old.jsonl"], n_builds=2)
        whole = _made(world, "all", ["build", "faults.toml", "all.jsonl"], n_builds=2)
        halves = [_made(world, name, ["add", f"{name}.jsonl"], old) for name in ("one", "two")]
        states = {state.name: state for state in (old, whole, *halves)}
        for found in ("manifest", "answers"):
            assert len({str(getattr(state, found)) for state in states.values()}) == len(states)
        yield replace(world, states=states)


def _made(
    world: World, name: str, words: Sequence[str], before: State | None = None, *, n_builds: int = 1
) -> State:
    """A state, by an undisturbed command; of two builds there are two versions on disk.

    It is made once, for it is copied and never changed.
    """
    root = world.file(f"{name}-index")
    if not root.exists():
        if before is not None:
            shutil.copytree(before.root, root)
        for _ in range(n_builds):
            assert_done(world.forks.run(*arguments_of(world, words, root)), f"making {name}")
    sha, answers = read_index(root, world.claims)
    return State(name, root, sha, answers)


def made_state(world: World, name: str) -> State:
    """A state that was made on the way to another."""
    return _made(world, name, [])


def arguments_of(world: World, words: Sequence[str], root: Path | str) -> tuple[str, ...]:
    """("build", recipe, corpus), ("add", corpus), ("alias", file), ("delete",) ..., as typed."""
    files = [str(world.file(word)) for word in words[1:]]
    if words[0] == "build":
        return ("build", files[0], "--corpus", files[1], "--out", str(root), "--workers", "2")
    if words[0] == "compact":
        return ("compact", str(root), *words[1:])
    if words[0] in ("add", "alias"):
        return (words[0], str(root), files[0])
    titles = [one for title in world.new_titles for one in ("--title", title)]
    return ("delete", str(root), *titles)


def read_index(root: Path, claims: Sequence[str]) -> tuple[str, list[Answer]]:
    """Manifest and answers of an index, every checksum of it right."""
    with StoredIndex.open(root) as stored:
        assert stored.verify() == []
        sha = manifest_of(stored.folder)
    engine = HippoHover.open(root)
    try:
        return sha, answers_of(engine, claims)
    finally:
        engine.close()


def moves(world: World) -> dict[str, Move]:
    """The commands that change an index of the toy corpus."""
    old, whole = world.states["old"], world.states["all"]
    build = arguments_of(world, ["build", "faults.toml", "all.jsonl"], "ROOT")
    add = arguments_of(world, ["add", "new.jsonl"], "ROOT")
    delete = arguments_of(world, ["delete"], "ROOT")
    return {
        "build": Move("build", build, None, whole),
        "add": Move("add", add, old, whole),
        "delete": Move("delete", delete, whole, old, code_when_done=1),
        "publish": Move("publish", build, old, whole, begins=_is_written, ends=_has_removed_old),
    }


def _is_written(root: Path) -> bool:
    """Whether a build has come to its last stage: the first file of the version is there."""
    return any(True for _ in root.glob(".building-*/*"))


def _has_removed_old(root: Path) -> bool:
    """Whether that stage is done: the third version took the place of the first."""
    return (root / "v000003").exists() and hidden(root) == [] and not (root / "v000001").exists()


def alias_move(world: World) -> Move:
    """Aliases that an index is given."""
    names = "".join(f"the other {title}\t{title}\n" for title in world.new_titles)
    world.file("aliases.tsv").write_text(names, encoding="utf-8")
    words = ["alias", "aliases.tsv"]
    whole = world.states["all"]
    return Move(
        "alias", arguments_of(world, words, "ROOT"), whole, _made(world, "aliased", words, whole)
    )


def replace_move(world: World) -> Move:
    """Documents that take the places of others of their titles, whose texts are cut short."""
    stale = world.file("old.jsonl").read_text(encoding="utf-8")
    for line in world.file("new.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        stale += json.dumps({**record, "text": f"{record['title']} is no more."}) + "\n"
    world.file("stale.jsonl").write_text(stale, encoding="utf-8")
    before = _made(world, "stale", ["build", "faults.toml", "stale.jsonl"], n_builds=2)
    words = (*arguments_of(world, ["add", "new.jsonl"], "ROOT"), "--replace")
    return Move("replace", words, before, world.states["all"])


def encoded_build(world: World) -> Move:
    """A build with vectors and an encoder, which is large."""
    words = ["build", "encoded.toml", "all.jsonl"]
    state = _made(world, "encoded", words)
    return Move("build with vectors", arguments_of(world, words, "ROOT"), None, state)


def typed_build(world: World) -> Move:
    """``python -m hippohover build`` itself."""
    return replace(moves(world)["build"], name="typed build", call="typed")


def parsed_build(world: World) -> Move:
    """A build whose parses are kept in three parts, struck once the first may be there."""
    people = [f"Person {n} was born in Town {n % 70} and met Person {n + 1}." for n in range(600)]
    _write_people(world.file("parsed.jsonl"), people)
    recipe = 'name = "parsed"\nextractor = "spacy"\nencoder = "none"\n'
    world.file("parsed.toml").write_text(recipe, encoding="utf-8")
    words = ["build", "parsed.toml", "parsed.jsonl"]
    state = _made(world, "parsed", words)
    return Move(
        "parsed build", arguments_of(world, words, "ROOT"), None, state,
        begins=lambda root: (root / ".cache" / "triples.sqlite").exists(),
    )  # fmt: skip


def wide_build(world: World) -> Move:
    """A build that two workers share."""
    people = [f"Person {n} was born in Town {n % 70} and met Person {n + 1}." for n in range(4200)]
    _write_people(world.file("wide.jsonl"), people)
    recipe = 'name = "wide"\nextractor = "between"\nencoder = "none"\n'
    world.file("wide.toml").write_text(recipe, encoding="utf-8")
    words = ["build", "wide.toml", "wide.jsonl"]
    return Move(
        "build by two", arguments_of(world, words, "ROOT"), None, _made(world, "wide", words)
    )


def segment_move(world: World) -> Move:
    """Passages that come to an index that is large enough to take them as a segment."""
    people = [f"Person {n} was born in Town {n % 70} and met Person {n + 1}." for n in range(1100)]
    spare = world.file("spare.jsonl")
    _write_people(spare, people)
    # Of so many names that have its word, "Town" alone is no form: one more changes few texts.
    with spare.open("a", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(_town(n))}\n" for n in range(60, 70))
    more = [f"Someone {n} was born in Town {n} and met Person {n + 7}." for n in range(3)]
    rows = [{"title": f"Someone {n}", "text": text} for n, text in enumerate(more)]
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    world.file("more.jsonl").write_text(lines, encoding="utf-8")
    before = _made(world, "spare", ["build", "faults.toml", "spare.jsonl"], n_builds=2)
    words = ["add", "more.jsonl"]
    after = _made(world, "segment", words, before)
    return Move(
        "segment",
        arguments_of(world, words, "ROOT"),
        before,
        after,
        begins=_is_begun,
        ends=_is_third,
    )


def compact_move(world: World) -> Move:
    """A new base in the place of such an index and its segment."""
    return _compact_move(world, segment_move(world).after)


def rebuild_move(world: World) -> Move:
    """A build in their place."""
    return _compact_move(world, segment_move(world).after, "--rebuild")


def beside_move(world: World) -> Move:
    """A new base below a segment that came later: two folders are published."""
    before = segment_move(world).before
    assert before is not None
    lines = "".join(f"{json.dumps(_town(n))}\n" for n in range(2))
    world.file("towns.jsonl").write_text(lines, encoding="utf-8")
    closed = _made(world, "closed", ["add", "towns.jsonl"], before)
    return _compact_move(world, _made(world, "later", ["add", "more.jsonl"], closed), "--beside")


def _compact_move(world: World, before: State, *options: str) -> Move:
    words = ["compact", *options]
    name = "".join(words)
    after = _made(world, name, words, before)
    begins = _is_begun if "--rebuild" in options else _is_compacting
    return Move(name, arguments_of(world, words, "ROOT"), before, after, begins=begins)


def _is_compacting(root: Path) -> bool:
    return (root / ".compacting").exists()


def _is_begun(root: Path) -> bool:
    return any(True for _ in root.glob(".building-*"))


def _is_third(root: Path) -> bool:
    return (root / "v000003").exists()


def _town(number: int) -> dict[str, str]:
    return {"title": f"Town {number}", "text": f"Town {number} lies by the sea."}


def _write_people(path: Path, texts: Sequence[str]) -> None:
    rows = [{"title": f"Person {n}", "text": text} for n, text in enumerate(texts)]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


# What is looked at after a fault


def assert_done(ended: Ended, what: str) -> None:
    assert ended.code == 0, f"{what}: exit code {ended.code}: {ended.err}"


def assert_one_line(ended: Ended, what: str, *words: str, codes: tuple[int, ...] = (1,)) -> None:
    """The command refused in one line that has these words."""
    error = ended.err
    assert ended.code in codes, f"{what}: exit code {ended.code}, not {codes}: {error}"
    plain = error.startswith("error: ") and error.count("\n") == 1 and "unexpected" not in error
    assert plain, f"{what}: not one plain line: {error}"
    for word in words:
        assert word in error, f"{what}: {word!r} is not in: {error}"


def look(world: World, move: Move, root: Path, what: str) -> str:
    """Name of the state that an index is in; it must be the one before a command or after."""
    try:
        sha, answers = read_index(root, world.claims)
    except IndexStoreError as error:
        nothing = move.before is None and not (root / "CURRENT").exists()
        assert nothing, f"{what}: the index does not open: {error}"
        return "before"
    for name, state in (("before", move.before), ("after", move.after)):
        if state is not None and state.manifest == sha:
            assert answers == state.answers, f"{what}: other answers than those of {state.name}"
            return name
    raise AssertionError(f"{what}: the index is neither at the old nor at the new version ({sha})")


def look_and_go_on(world: World, move: Move, root: Path, what: str) -> str:
    """``look``, then the same command again, which must end as if nothing had been."""
    seen = look(world, move, root, what)
    again = world.forks.run(*move.at(root))
    code = move.code_when_done if seen == "after" else 0
    assert again.code == code, f"{what}: run again, exit code {again.code}: {again.err}"
    found = look(world, move, root, f"{what}, run again")
    assert found == "after", f"{what}: run again, the index is at the old version"
    assert hidden(root) == [], f"{what}: run again, {hidden(root)} are left"
    return seen
