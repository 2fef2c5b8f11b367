"""Does the recipe of the full dump run to its end, stopped and resumed twice?

    python benchmarks/full_dump.py CORPUS.jsonl.gz WORK --out benchmarks/results/full_dump.json

The dump has 1.6 GB, so a small one in its layout is made of the first documents of CORPUS
(``abstracts_dump``), and served on this machine, slowly and with ranges. A copy of the recipe names
it. The command that users give is run three times: it is killed in the middle of its download,
interrupted in the middle of its triples (of its scan, where the recipe has no parser), and runs to
its end. What must hold is checked, and an error where it does not: the download went on from where
it was cut; no chunk was done twice; the index has the checksums of one that is built in one go from
the archive; every file has its sum; a claim is answered.
"""

import argparse
import json
import os
import platform
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final

from abstracts_dump import TOP, Text, write_dump
from measurement import Row, at_least, check_out, run_script
from slow_server import SlowServer, serving

from hippohover.indexing.corpus.files.streams import damage_named, open_stream
from hippohover.indexing.triple_stage import TRIPLES
from hippohover.indexing.work_folder import WORK, cache_of
from hippohover.names.sentences import sentence_spans
from hippohover.recipe import IndexRecipe
from hippohover.recipe_files import load_recipe
from hippohover.store.checksums import sha256_of
from hippohover.store.reader import StoredIndex

COMMAND: Final = (sys.executable, "-m", "hippohover")

_LOOKS_A_SECOND: Final = 100
_READING: Final = "reading"
_OF_CHUNK: Final = re.compile(r".*-\d{5}\.arrow")
_STATUS_OF: Final = {signal.SIGKILL: -signal.SIGKILL, signal.SIGINT: 130}

Stamp = tuple[int, int]
"""Number and time of a file on the disk: another one, if it was written again."""


def check(holds: bool, problem: str) -> None:
    """End the script where something does not hold."""
    if not holds:
        raise SystemExit(f"error: {problem}")


def recipe_of(name: str, url: str, archive: Path, to: Path) -> Path:
    """A copy of a recipe in which nothing but what is downloaded is another."""
    shipped = load_recipe(name)
    where = {"url": url, "sha256": sha256_of(archive), "n_bytes": archive.stat().st_size}
    changed = shipped.model_copy(update={"corpus": shipped.corpus.model_copy(update=where)})
    to.write_text(_toml(changed), encoding="utf-8")
    check(load_recipe(to) == changed, f"{to} is another recipe than {name}")
    return to


def _toml(recipe: IndexRecipe) -> str:
    """A recipe as it could stand in a file."""
    lines: list[str] = []

    def write(table: dict[str, Any], path: str) -> None:
        lines.extend([f"\n[{path}]"] if path else [])
        tables = {key: value for key, value in table.items() if isinstance(value, dict)}
        plain = (key for key in table if key not in tables)
        lines.extend(f"{_key(key)} = {json.dumps(table[key])}" for key in plain)
        for key, value in tables.items():
            write(value, f"{path}.{_key(key)}" if path else _key(key))

    write(recipe.model_dump(mode="json", exclude_unset=True), "")
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return name if name.isidentifier() and name.isascii() else json.dumps(name)


@dataclass
class Watched:
    """The files of an index that is being built, seen from outside."""

    root: Path
    archive: str
    stage: str
    """The stage that is interrupted, "triples" or "found": how its files are named."""
    stamps: dict[str, set[Stamp]] = field(default_factory=dict[str, set[Stamp]])
    """Every file of the stages that was seen, by its name."""

    def n_bytes_there(self) -> int:
        """Bytes of the download, while it is under way."""
        return _size(cache_of(self.root) / f"{self.archive}.part")

    def look(self) -> None:
        """Note the files that are there; those of a reading that is under way do not count."""
        for folder in _entries(cache_of(self.root) / WORK):
            if folder.name != _READING:
                for file in _entries(folder):
                    if _OF_CHUNK.fullmatch(file.name):
                        stamps = self.stamps.setdefault(file.name, set())
                        with suppress(FileNotFoundError):
                            status = Path(file).stat()
                            stamps.add((status.st_ino, status.st_mtime_ns))

    def names(self, stage: str) -> list[str]:
        return sorted(name for name in self.stamps if name.startswith(stage))

    def made_again(self) -> list[str]:
        """Chunks of which a stage was done twice. The passages themselves are read by each run."""
        more = (name for name, stamps in self.stamps.items() if len(stamps) > 1)
        return sorted(name for name in more if not name.startswith("passages"))

    def is_amid_stage(self) -> bool:
        """Whether half of the chunks are done, and not all."""
        n, n_done = len(self.names("passages")), len(self.names(self.stage))
        return max(1, n // 2) <= n_done < n


def _entries(folder: str | Path | os.DirEntry[str]) -> list[os.DirEntry[str]]:
    """What is in a folder, which the build may be done with at any moment."""
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except FileNotFoundError:
        return []


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


@dataclass(frozen=True)
class Stop:
    """A signal, and when it is sent."""

    number: signal.Signals
    during: str
    is_due: Callable[[], bool]


def run_build(
    command: Sequence[str], arguments: Sequence[object], log: Path,
    watched: Watched | None = None, stop: Stop | None = None,
) -> float:  # fmt: skip
    """Build in a child, to its end or until it is stopped; the seconds that took."""
    start = time.perf_counter()
    with log.open("a", encoding="utf-8") as output:
        child = subprocess.Popen(  # noqa: S603
            [*command, "build", *map(str, arguments)],
            stdout=output, stderr=subprocess.STDOUT, env=_environment(),
        )  # fmt: skip
        try:
            while child.poll() is None:
                if watched is not None:
                    watched.look()
                if stop is not None and stop.is_due():
                    child.send_signal(stop.number)
                    break
                time.sleep(1 / _LOOKS_A_SECOND)
            status = child.wait()
        finally:
            child.kill()
            child.wait()
    done = stop is not None and status == 0
    check(not done, "the build was done before it could be stopped: give more documents")
    expected = 0 if stop is None else _STATUS_OF[stop.number]
    check(status == expected, f"the build ended with status {status}, not {expected}: see {log}")
    return round(time.perf_counter() - start, 1)


def _environment() -> dict[str, str]:
    return {**os.environ, "no_proxy": "127.0.0.1"}


def interrupted(
    command: Sequence[str], recipe: Path, root: Path, server: SlowServer, log: Path
) -> Row:
    """Build with two interruptions; what was seen."""
    arguments = [recipe, "--out", root]
    n_bytes = server.file.stat().st_size
    stage = "found" if load_recipe(recipe).extractor in ("between", "none") else "triples"
    watched = Watched(root, server.file.name, stage)
    runs: list[Row] = []

    def run(stop: Stop | None) -> Row:
        server.requests.clear()
        seconds = run_build(command, arguments, log, watched, stop)
        row: Row = {"stopped_by": stop.number.name, "during": stop.during} if stop else {}
        row |= {"seconds": seconds, "requests": [dict(one) for one in server.requests]}
        runs.append(row)
        return row

    killed = run(Stop(signal.SIGKILL, "download", lambda: watched.n_bytes_there() > 0.4 * n_bytes))
    there = killed["n_bytes_there"] = watched.n_bytes_there()
    cut = f"the download was cut at {there} of {n_bytes} bytes"
    check(0 < there < n_bytes, f"{cut}: give more documents, or fewer --bytes-a-second")
    check(not list(root.glob("v*")), "a build that was killed published something")
    stopped = run(Stop(signal.SIGINT, "scan" if stage == "found" else stage, watched.is_amid_stage))
    ranges = [one["range"] for one in stopped["requests"]]
    check(ranges == [f"bytes={there}-"], f"cut at byte {there}, the download asked for {ranges}")
    check(not list(root.glob("v*")), "a build that was interrupted published something")
    check(not list(root.glob(".building*")), "a build that was interrupted left something behind")
    watched.look()
    kept = watched.names(stage)
    stopped["chunks_done"], stopped["chunks"] = len(kept), len(watched.names("passages"))
    stopped["passages_parsed"] = _n_parsed(root)
    last = run(None)
    check(last["requests"] == [], "what was downloaded was asked for again")
    again = watched.made_again()
    check(again == [], f"chunks were done again: {again}")
    check(len(watched.names(stage)) == stopped["chunks"], "a chunk of the last run was not seen")
    check(not list(root.glob(".building*")), "a build that was killed left something behind")
    check(not (cache_of(root) / WORK).exists(), "the files of the stages are still there")
    last["chunks_done"] = stopped["chunks"] - len(kept)
    last["chunks_done_again"] = len(again)
    last["stage_seconds"] = _log(root)["seconds"]
    return {"runs": runs, "read": _log(root)["read"]}


def _n_parsed(root: Path) -> int:
    """Passages whose triples are kept, whether or not their chunk is done."""
    path = cache_of(root) / TRIPLES
    if not path.exists():
        return 0
    with closing(sqlite3.connect(path)) as database:
        return int(database.execute("SELECT count(*) FROM results").fetchone()[0])


def _log(root: Path) -> Row:
    with StoredIndex.open(root) as stored:
        return stored.log() or {}


def compared(command: Sequence[str], root: Path, whole: Path, claim: str, title: str) -> Row:
    """Hold an index against one that was built in one go, and ask it a claim."""
    with StoredIndex.open(root) as one, StoredIndex.open(whole) as other:
        differing = sorted(
            name
            for name in {**one.manifest.files, **other.manifest.files}
            if one.manifest.files.get(name) != other.manifest.files.get(name)
        )
        sums = [sha256_of(stored.folder / "manifest.json") for stored in (one, other)]
        counts, n_files = one.manifest.counts, len(one.manifest.files)
    check(not differing, f"files differ from those of a build in one go: {differing}")
    check(sums[0] == sums[1], "the manifest differs from that of a build in one go")
    inspected = _asked(command, "inspect", root, "--verify", "--json")
    check(inspected["problems"] == [], f"inspect --verify says {inspected['problems']}")
    titles = [one["title"] for one in _asked(command, "query", root, claim, "--json")["passages"]]
    check(title in titles, "the document of a sentence is not among the answers to it")
    return {
        "equal": True, "manifest_sha256": sums[0], "n_files": n_files, "counts": counts,
        "problems": inspected["problems"],
        "claim": {"n_passages": len(titles), "rank_of_its_document": titles.index(title) + 1},
    }  # fmt: skip


def _asked(command: Sequence[str], *arguments: object) -> Row:
    """What a command prints as JSON."""
    done = subprocess.run(  # noqa: S603
        [*command, *map(str, arguments)], capture_output=True, text=True, check=False,
        env=_environment(),
    )  # fmt: skip
    check(done.returncode == 0, f"{arguments[0]} failed: {done.stderr.strip()}")
    return json.loads(done.stdout)


def measured(
    documents: Sequence[Text], work: Path, *, recipe: str, bytes_a_second: int,
    documents_a_member: int = 100, command: Sequence[str] = COMMAND,
) -> Row:  # fmt: skip
    """Do everything in an empty folder; what was seen."""
    check(not work.exists() or not any(work.iterdir()), f"{work} is not empty: name another folder")
    work.mkdir(parents=True, exist_ok=True)
    archive, log = work / f"{TOP}.tar.bz2", work / "build.log"
    dump = write_dump(documents, archive, documents_a_member=documents_a_member)
    with serving(archive, bytes_a_second) as server:
        copy = recipe_of(recipe, server.url, archive, work / f"{recipe}.toml")
        found = interrupted(command, copy, work / "interrupted", server, log)
    whole = work / "whole"
    seconds = run_build(command, [copy, "--corpus", archive, "--out", whole], log)
    check(found["read"] == _log(whole)["read"], "the two builds read different documents")
    title, text = documents[len(documents) // 2]
    start, end = sentence_spans(text)[0]
    return {
        "recipe": recipe,
        "archive": {**asdict(dump), "n_bytes": archive.stat().st_size,
                    "sha256": sha256_of(archive), "bytes_a_second": bytes_a_second},
        **found,
        "in_one_go": {"seconds": seconds, "stage_seconds": _log(whole)["seconds"]},
        **compared(command, work / "interrupted", whole, text[start:end], title),
    }  # fmt: skip


def first_documents(corpus: Path, n: int) -> list[Text]:
    """Titles and texts of the first JSON lines of a file, packed or not."""
    with damage_named(str(corpus)), open_stream(corpus) as file:
        records = [json.loads(line) for line in islice(file, n)]
    try:
        return [(record["title"], record["text"]) for record in records]
    except (LookupError, TypeError) as error:
        raise SystemExit(f"error: {corpus} has a line without title and text ({error!r})") from None


def main() -> None:
    """Make, serve, build, check, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("corpus", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--documents", type=at_least(1), default=20_000)
    parser.add_argument("--recipe", default="hover-full")
    parser.add_argument("--bytes-a-second", type=at_least(1), default=1_000_000)
    parser.add_argument("--note", default="")
    arguments = parser.parse_args()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell starts background jobs
        signal.signal(signal.SIGINT, signal.default_int_handler)
    check_out(arguments.out)
    documents = first_documents(arguments.corpus, arguments.documents)
    result = {
        "question": "Does the recipe of the full dump run to its end, stopped and resumed twice?",
        "corpus": arguments.corpus.name,
        **measured(
            documents, arguments.work,
            recipe=arguments.recipe, bytes_a_second=arguments.bytes_a_second,
        ),
        "machine": f"{platform.machine()}, {os.cpu_count()} processors, "
                   f"Python {platform.python_version()}",
        "note": arguments.note,
    }  # fmt: skip
    arguments.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    run_script(main)
