"""A cache of extracted triples, by passage.

A failed extraction is not kept: the next build tries again.
"""

import json
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field, TypeAdapter, ValidationError

from hippohover.disk.columns import chunks
from hippohover.errors import BuildError, HippoHoverError, in_a_line
from hippohover.indexing.triples.extractor import TripleExtractor
from hippohover.indexing.workers.processes import ordered_map
from hippohover.indexing.workers.stage_cache import StageCache
from hippohover.records import ExtractionFailure, Passage, Triple

_PASSAGES_A_TASK = 256
_LONGEST_REASON = 160
_Words = Annotated[str, Field(min_length=1)]
_ROWS: Final = TypeAdapter(
    list[tuple[_Words, _Words, _Words, Annotated[int, Field(ge=0, lt=2**31)]]]
)


def cache_key(pid: str, title: str) -> str:
    """Return a passage's key in the cache.

    Hiding a title leaves the passage's id as it is, but not the triples that an extractor reads.
    """
    return pid if title else f"{pid}-untitled"


def _key(passage: Passage) -> str:
    return cache_key(passage.pid, passage.title)


def extract_each(
    passages: Sequence[Passage], extractor: TripleExtractor
) -> list[list[Triple] | ExtractionFailure]:
    """Return triples of each passage, or a failure where the extractor raises.

    Errors that the package raises on purpose concern every passage, as running out of memory does,
    and are not caught.
    """
    try:
        answers = list(islice(extractor.extract(passages), len(passages) + 1))
        if len(answers) != len(passages):
            many = "too many" if len(answers) > len(passages) else str(len(answers))
            raise ValueError(f"{many} answers for {len(passages)} passages")
    except (HippoHoverError, MemoryError):
        raise
    except Exception as error:  # an extractor may raise anything; the other passages go on
        if len(passages) == 1:
            return [ExtractionFailure(passages[0].pid, in_a_line(error, _LONGEST_REASON))]
        return [answer for passage in passages for answer in extract_each([passage], extractor)]
    return list(answers)


def extract_all(
    passages: Iterable[Passage],
    extractor: TripleExtractor,
    *,
    cache_path: Path,
    workers: int,
    on_done: Callable[[int], None],
    on_failure: Callable[[ExtractionFailure, Passage], list[Triple]] | None = None,
    passages_a_task: int | None = None,
) -> Generator[list[Triple]]:
    """Yield triples of every passage, in order: from the cache, else extracted.

    ``on_done`` is called with the number of passages done. A passage on which the extractor raises
    is not cached, and gets the triples that ``on_failure`` returns for it; without that, it is a
    ``BuildError``. The result of a task of ``passages_a_task`` is cached at its end.
    """
    report = on_failure or _refuse
    size = passages_a_task or _PASSAGES_A_TASK
    with closing(StageCache(cache_path)) as cache:
        asked: deque[tuple[list[Passage], list[Passage], dict[str, list[Triple]]]] = deque()

        def missing() -> Iterator[list[Passage]]:
            for task in chunks(passages, size):
                entries = cache.get([_key(passage) for passage in task], extractor.version)
                known = _unpacked(entries)
                new = [passage for passage in task if _key(passage) not in known]
                asked.append((task, new, known))
                yield new

        def extract(task: list[Passage]) -> list[list[Triple] | ExtractionFailure]:
            return extract_each(task, extractor) if task else []

        with closing(ordered_map(extract, missing(), workers=workers)) as answers:
            for task_answers in answers:
                new: list[tuple[str, bytes]] = []
                task, missed, known = asked.popleft()
                for passage, triples in zip(missed, task_answers, strict=True):
                    if isinstance(triples, ExtractionFailure):
                        known[_key(passage)] = report(triples, passage)
                    else:
                        new.append((_key(passage), _packed(triples)))
                        known[_key(passage)] = triples
                cache.put(new, extractor.version)
                on_done(len(task))  # before the last of them is taken, after which none may ask
                yield from (known[_key(passage)] for passage in task)


def keep_triples(
    cache: StageCache, version: str, pairs: Iterable[tuple[Passage, Sequence[Triple]]]
) -> None:
    """Cache what was extracted elsewhere, as ``extract_all`` does."""
    cache.put(((_key(passage), _packed(some)) for passage, some in pairs), version)


def _refuse(failure: ExtractionFailure, _: Passage) -> list[Triple]:
    raise BuildError(f"{failure}: fix the extractor, then build again")


def _packed(triples: Sequence[Triple]) -> bytes:
    rows = [[t.subject, t.predicate, t.object, t.sentence] for t in triples]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode()


def _unpacked(entries: dict[str, bytes]) -> dict[str, list[Triple]]:
    """Return the triples that are some: a cache from elsewhere may hold anything."""
    known: dict[str, list[Triple]] = {}
    for key, data in entries.items():
        with suppress(ValidationError):
            known[key] = [Triple(*row) for row in _ROWS.validate_json(data)]
    return known
