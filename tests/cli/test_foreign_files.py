"""An index in which any file or folder is a link, a pipe or a device, before every command.

Whatever the command does, it ends, in one line or as usual, and a folder beside the index that the
links lead to stays as it is: names, content, modes and times.
"""

import json
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from hippohover.cli.commands import COMMANDS
from hippohover.indexing.update import add
from hippohover.recipe import IndexRecipe
from hippohover.testing.indexes import built, corpus_of
from hippohover.toy import toy_claims_path, toy_corpus_path
from tests.cli.command_samples import write_corpus
from tests.fault_processes import Ended, Forks
from tests.foreign_files import KINDS, put, state_of

CLAIM: Final = "Mira Oldane was born in Hexley."

ARGUMENTS: Final[dict[str, list[list[str]]]] = {
    "build": [["RECIPE", "--corpus", "CORPUS", "--out", "INDEX"]],
    "add": [["INDEX", "CORPUS"]],
    "sync": [["INDEX", "FOLDER", "--take-over"], ["INDEX", "FOLDER", "--dry-run"]],
    "delete": [["INDEX", "--title", "Lantern Hill (novel)"]],
    "alias": [["INDEX"], ["INDEX", "ALIASES"]],
    "compact": [["INDEX"], ["INDEX", "--beside"], ["INDEX", "--rebuild"]],
    "reencode": [["INDEX", "--encoder", "none"], ["INDEX", "--beside"]],
    "gc": [["INDEX"]],
    "inspect": [["INDEX"], ["INDEX", "--verify", "--json"]],
    "export": [["INDEX", "--format", "graphml", "--out", "OUT"]],
    "ask": [["INDEX", CLAIM]],
    "query": [["INDEX", CLAIM], ["INDEX", CLAIM, "--retriever", "dense"]],
    "explain": [["INDEX", CLAIM, "--title", "Mira Oldane"]],
    "evaluate": [["INDEX", "CLAIMS", "--limit", "2"]],
    "compare": [["INDEX", "--claims", "CLAIMS", "--limit", "2"]],
    "verify": [["INDEX", CLAIM]],
    "tune": [["INDEX", "CLAIMS", "--into-index"]],
    "tune-verifier": [["INDEX", "CLAIMS", "--out", "OUT"]],
    "serve": [["INDEX", "--follow", "--port", "0"]],
    "mcp": [["INDEX"]],
}
WRITE: Final = {"build", "add", "sync", "delete", "alias", "compact", "reencode", "gc"}
TAKE_LONG: Final = {"verify", "tune", "tune-verifier", "mcp", "serve"}
SECONDS, SECONDS_OF_A_SERVER = 90, 3  # learning a ranking takes 20 on a busy machine
ASKS_A_MODEL: Final = {"answer", "optimize-filter", "optimize-program"}
MAKES_ITS_OWN: Final = {"demo"}

_ROOT: Final = (
    *(".cache", ".cache/work", ".cache/work/reading", ".cache/lists"),
    *(".cache/vectors.sqlite", ".cache/vectors.sqlite-wal", ".cache/vectors.sqlite-journal"),
    *(".cache/triples.sqlite", ".cache/responses.sqlite"),
    *(".lock", ".compacting", ".building-1", ".removing-v000001", ".CURRENT-new"),
    *("CURRENT", "ranking.npz", "v000001", "v000002"),
)
_OF_A_VERSION: Final = ("manifest.json", "manifest.sha256", "build_log.json", "checked.json")
_OF_THE_BASE: Final = ("encoder", "encoder/encoder.json", "graph_weights.npy", "passages.arrow")
_OF_SEGMENTS: Final = ("segments", "segments/000001.arrow", "segments/000001-passages.arrow")
NAMES: Final = (
    *_ROOT,
    *(f"v000001/{name}" for name in (*_OF_A_VERSION, *_OF_THE_BASE)),
    *(f"v000002/{name}" for name in (*_OF_A_VERSION, *_OF_SEGMENTS)),
)


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    with Forks() as started:
        yield started


@pytest.fixture(scope="module")
def index(memory_folder: Path) -> Path:
    """A base that a build made, and a version with a segment."""
    rows = [json.loads(line) for line in toy_corpus_path().read_text().splitlines()]
    rows += [{"title": f"Page {n}", "text": f"Page {n} tells of Ship {n}."} for n in range(900)]
    recipe = IndexRecipe(name="toy", extractor="between")
    root = built(rows, memory_folder / "foreign", recipe)
    page = corpus_of([{"title": "New", "text": "Mira Oldane saw Ship 7."}], memory_folder / "page")
    assert not add(root, page).built
    return root


@pytest.fixture
def place(memory_folder: Path, index: Path) -> Iterator[Path]:
    """A folder with such an index, a victim, and what commands take."""
    folder = memory_folder / "place"
    (folder / "victim" / "thesis").mkdir(parents=True)
    (folder / "victim" / "notes.txt").write_text("v000001\n")
    (folder / "victim" / "thesis" / "chapter.txt").write_text("precious")
    (folder / "documents").mkdir()
    (folder / "documents" / "page.md").write_text("# Hexley\n\nMira Oldane lives in Hexley.\n")
    write_corpus(folder / "corpus.jsonl", [("Another page", "Pia Nordahl-Quist met Mira Oldane.")])
    (folder / "aliases.tsv").write_text("Mira\tMira Oldane\n")
    (folder / "small.toml").write_text('name = "small"\nextractor = "between"\n')
    (folder / "way").symlink_to(folder)  # a user's own path may have links
    shutil.copytree(index, folder / "as built")
    yield folder
    shutil.rmtree(folder)


def arguments_of(command: str, place: Path) -> list[list[str]]:
    values = {
        "INDEX": "way/index", "CORPUS": "corpus.jsonl", "FOLDER": "documents", "OUT": "out.txt",
        "ALIASES": "aliases.tsv", "RECIPE": "small.toml",
    }  # fmt: skip
    paths = {name: str(place / value) for name, value in values.items()}
    paths["CLAIMS"] = str(toy_claims_path())
    return [
        [command, *(paths.get(one, one) for one in arguments)] for arguments in ARGUMENTS[command]
    ]


def end_of(forks: Forks, arguments: list[str]) -> Ended:
    """How a command ends; a server is stopped when it has opened the index."""
    process = forks.start(*arguments)
    start = time.monotonic()
    while arguments[0] == "serve" and not process.has_ended():
        if time.monotonic() > start + SECONDS_OF_A_SERVER:
            process.send(signal.SIGTERM)
            break
        time.sleep(0.01)
    return process.wait(SECONDS)


def renew(place: Path) -> None:
    shutil.rmtree(place / "index", ignore_errors=True)
    shutil.copytree(place / "as built", place / "index")


def look(forks: Forks, place: Path, arguments: list[str], name: str, kind: str) -> None:
    """Run a command on an index with something else in the place of one of its files."""
    renew(place)
    put(place / "index" / name, kind, place / "victim", place / "victim" / "notes.txt")
    before = state_of(place / "victim")
    ended = end_of(forks, arguments)
    what = f"{arguments} with {name} as {kind}: {ended}"
    assert state_of(place / "victim") == before, what
    assert ended.code in {0, 1} or arguments[0] in {"serve", "mcp"}, what
    assert "Traceback" not in ended.err, what
    assert "unexpected" not in ended.err, what
    if ended.code == 1:
        errors = [line for line in ended.err.splitlines() if line.startswith("error: ")]
        assert len(errors) == 1, what


def test_every_command_is_here():
    assert set(ARGUMENTS) | ASKS_A_MODEL | MAKES_ITS_OWN == set(COMMANDS)


@pytest.mark.parametrize("name", ["CURRENT", ".lock"])
def test_an_index_with_a_pipe_is_one_line(forks: Forks, place: Path, name: str):
    look(forks, place, arguments_of("add", place)[0], name, "pipe")


@pytest.mark.slow
def test_each_of_them_answers_of_an_index_as_it_was_built(forks: Forks, place: Path):
    """Else what follows would hold for a command that looks at no file."""
    for command in ARGUMENTS:
        for arguments in arguments_of(command, place):
            renew(place)
            ended = end_of(forks, arguments)
            assert ended.code == 0 or "give 100 or more" in ended.err, f"{arguments}: {ended}"


@pytest.mark.slow
@pytest.mark.parametrize("command", ARGUMENTS)
def test_no_command_follows_a_link(forks: Forks, place: Path, command: str):
    """Names, kinds and arguments in turn: all of them together take hours."""
    every, kinds = arguments_of(command, place), list(KINDS)
    first = list(ARGUMENTS).index(command)
    step = 2 if command in WRITE else 12 if command in TAKE_LONG else 6
    for at in range(first % step, len(NAMES), step):
        turn = at // step + first
        look(forks, place, every[turn % len(every)], NAMES[at], kinds[turn % len(kinds)])
