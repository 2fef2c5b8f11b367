"""Triples that were extracted once are kept, by passage: a stopped build goes on where it was.

SQLite in WAL mode; a row is (passage id, version of the extractor, JSON of the triples). What
depends on one passage alone is so never computed twice, whichever index it is built into.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from hippohover.errors import BuildError
from hippohover.indexing.parallel import chunks, ordered_map
from hippohover.indexing.triples import TripleExtractor
from hippohover.records import Passage, Triple

_PASSAGES_A_TASK = 256


class TripleCache:
    """Extracted triples on disk.

    Parameters
    ----------
    path : Path
        SQLite file; made when it is not there.

    Raises
    ------
    BuildError
        The file cannot be written, or is no such cache.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path)
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
            self._connection.execute(
                "CREATE TABLE IF NOT EXISTS triples (pid TEXT, version TEXT, payload TEXT,"
                " PRIMARY KEY (pid, version)) WITHOUT ROWID"
            )
        except (OSError, sqlite3.Error) as error:
            raise self._failure(error) from error

    def close(self) -> None:
        self._connection.close()

    def get(self, pids: Sequence[str], version: str) -> dict[str, list[Triple]]:
        """Triples of those passages that are there."""
        marks = ",".join("?" * len(pids))
        query = f"SELECT pid, payload FROM triples WHERE version = ? AND pid IN ({marks})"  # noqa: S608
        try:
            rows = self._connection.execute(query, (version, *pids)).fetchall()
        except sqlite3.Error as error:
            raise self._failure(error) from error
        return {pid: [Triple(*fields) for fields in json.loads(payload)] for pid, payload in rows}

    def put(self, found: Sequence[tuple[str, list[Triple]]], version: str) -> None:
        """Keep triples of passages, all or none of them."""
        rows = [(pid, version, _payload(triples)) for pid, triples in found]
        try:
            with self._connection:
                self._connection.executemany(
                    "INSERT OR REPLACE INTO triples VALUES (?, ?, ?)", rows
                )
        except sqlite3.Error as error:
            raise self._failure(error) from error

    def _failure(self, error: Exception) -> BuildError:
        return BuildError(
            f"{self._path}: the triple cache failed ({error}): free some room or delete the file, "
            "then build again"
        )


def extract_all(
    passages: Sequence[Passage],
    extractor: TripleExtractor,
    *,
    cache_path: Path,
    workers: int,
    on_done: Callable[[int], None],
) -> Iterator[list[Triple]]:
    """Triples of every passage, in order: from the cache where they are there, else extracted.

    ``on_done`` is told how many passages are done each time some are.
    """
    with closing(TripleCache(cache_path)) as cache:
        tasks = list(chunks(passages, _PASSAGES_A_TASK))

        def missing() -> Iterator[list[Passage]]:
            for task in tasks:
                known = cache.get([passage.pid for passage in task], extractor.version)
                yield [passage for passage in task if passage.pid not in known]

        def extract(task: list[Passage]) -> list[list[Triple]]:
            return list(extractor.extract(task)) if task else []

        new = ordered_map(lambda task: (task, extract(task)), missing(), workers=workers)
        for task, (asked, answers) in zip(tasks, new, strict=True):
            found = list(zip((passage.pid for passage in asked), answers, strict=True))
            cache.put(found, extractor.version)
            known = cache.get([passage.pid for passage in task], extractor.version)
            yield from (known[passage.pid] for passage in task)
            on_done(len(task))


def _payload(triples: Sequence[Triple]) -> str:
    rows = [[t.subject, t.predicate, t.object, t.sentence] for t in triples]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
