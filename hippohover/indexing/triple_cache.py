"""Triples that were extracted once are kept, by passage: a stopped build goes on where it was.

SQLite in WAL mode; a row is (key of the passage, version of the extractor, JSON of the triples
behind its checksum). What depends on one passage alone is so never computed twice, whichever index
it is built into. A failed extraction is not kept, and a row that was altered counts as none: the
next build tries again.
"""

import json
import sqlite3
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from hashlib import blake2b
from pathlib import Path

from hippohover.errors import BuildError, HippoHoverError
from hippohover.indexing.parallel import chunks, ordered_map
from hippohover.indexing.triples import ExtractionFailure, TripleExtractor
from hippohover.records import Passage, Triple

_PASSAGES_A_TASK = 256
_LONGEST_REASON = 160


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
        except (OSError, sqlite3.Error) as error:
            raise self._failure(error) from error
        try:
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
            self._connection.execute(
                "CREATE TABLE IF NOT EXISTS triples (pid TEXT, version TEXT, payload TEXT,"
                " PRIMARY KEY (pid, version)) WITHOUT ROWID"
            )
        except sqlite3.Error as error:
            self._connection.close()
            raise self._failure(error) from error

    def close(self) -> None:
        self._connection.close()

    def get(self, keys: Sequence[str], version: str) -> dict[str, list[Triple]]:
        """Triples of those passages that are there, by ``cache_key``."""
        marks = ",".join("?" * len(keys))
        query = f"SELECT pid, payload FROM triples WHERE version = ? AND pid IN ({marks})"  # noqa: S608
        try:
            rows = self._connection.execute(query, (version, *keys)).fetchall()
            whole = {key: text for key, sealed in rows if (text := _opened(key, version, sealed))}
            return {key: [Triple(*row) for row in json.loads(text)] for key, text in whole.items()}
        except (sqlite3.Error, ValueError, TypeError) as error:
            raise self._failure(error) from error

    def put(self, found: Sequence[tuple[str, list[Triple]]], version: str) -> None:
        """Keep triples of passages by ``cache_key``, all or none of them."""
        rows = [(key, version, _sealed(key, version, _payload(triples))) for key, triples in found]
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


def cache_key(passage: Passage) -> str:
    """What a passage's triples stand under in a cache.

    Hiding a title leaves the passage's id as it is, but not the triples that an extractor reads.
    """
    return passage.pid if passage.title else f"{passage.pid}-untitled"


def extract_each(
    passages: Sequence[Passage], extractor: TripleExtractor
) -> list[list[Triple] | ExtractionFailure]:
    """Triples of each passage, or a failure where the extractor raises on that passage.

    Errors that the package raises on purpose concern every passage, and are not caught.
    """
    try:
        answers = list(extractor.extract(passages))
        if len(answers) != len(passages):
            raise ValueError(f"{len(answers)} answers for {len(passages)} passages")
    except HippoHoverError:
        raise
    except Exception as error:  # an extractor may raise anything; the other passages go on
        if len(passages) == 1:
            return [ExtractionFailure(passages[0].pid, _reason(error))]
        return [one for passage in passages for one in extract_each([passage], extractor)]
    return list(answers)


def extract_all(  # noqa: PLR0913
    passages: Sequence[Passage],
    extractor: TripleExtractor,
    *,
    cache_path: Path,
    workers: int,
    on_done: Callable[[int], None],
    on_failure: Callable[[ExtractionFailure, Passage], list[Triple]] | None = None,
    passages_a_task: int | None = None,
) -> Iterator[list[Triple]]:
    """Triples of every passage, in order: from the cache where they are there, else extracted.

    ``on_done`` is told how many passages are done each time some are. A passage on which the
    extractor raises is not kept in the cache and has the triples that ``on_failure`` gives for
    it; without that, it is a ``BuildError``. What a task of ``passages_a_task`` gives is kept at
    its end.
    """
    report = on_failure or _refuse
    size = passages_a_task or _PASSAGES_A_TASK
    with closing(TripleCache(cache_path)) as cache:
        asked: deque[list[Passage]] = deque()

        def missing() -> Iterator[list[Passage]]:
            for task in chunks(passages, size):
                known = cache.get([cache_key(passage) for passage in task], extractor.version)
                asked.append([passage for passage in task if cache_key(passage) not in known])
                yield asked[-1]

        def extract(task: list[Passage]) -> list[list[Triple] | ExtractionFailure]:
            return extract_each(task, extractor) if task else []

        with closing(ordered_map(extract, missing(), workers=workers)) as answers:
            for task, found in zip(chunks(passages, size), answers, strict=True):
                new: list[tuple[str, list[Triple]]] = []
                instead: dict[str, list[Triple]] = {}
                for passage, triples in zip(asked.popleft(), found, strict=True):
                    if isinstance(triples, ExtractionFailure):
                        instead[cache_key(passage)] = report(triples, passage)
                    else:
                        new.append((cache_key(passage), triples))
                cache.put(new, extractor.version)
                known = cache.get([cache_key(passage) for passage in task], extractor.version)
                known |= instead
                lost = [cache_key(one) for one in task if cache_key(one) not in known]
                if lost:
                    raise BuildError(
                        f"{cache_path}: what was just written of passage {lost[0]} reads otherwise:"
                        " check the disk"
                    )
                yield from (known[cache_key(passage)] for passage in task)
                on_done(len(task))


def _refuse(failure: ExtractionFailure, _: Passage) -> list[Triple]:
    raise BuildError(f"{failure}: mend the extractor, then build again")


def _reason(error: Exception) -> str:
    line = " ".join(f"{type(error).__name__}: {error}".split())
    return line if len(line) <= _LONGEST_REASON else f"{line[:_LONGEST_REASON]}…"


def _sealed(key: str, version: str, payload: str) -> str:
    return f"{blake2b(f'{key}{version}{payload}'.encode(), digest_size=8).hexdigest()}{payload}"


def _opened(key: str, version: str, sealed: str) -> str | None:
    """The payload, if it is the one that was sealed."""
    payload = sealed[16:]
    return payload if _sealed(key, version, payload) == sealed else None


def _payload(triples: Sequence[Triple]) -> str:
    rows = [[t.subject, t.predicate, t.object, t.sentence] for t in triples]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
