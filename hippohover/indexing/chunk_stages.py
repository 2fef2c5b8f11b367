"""Stages of a build that take one chunk of passages each, in any process.

A stage is made from data that any process can read, and called with the number of a chunk. It
writes what it finds into that chunk's file.
"""

import gc
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from hippohover.disk import door
from hippohover.disk.columns import Columns, chunks, save_columns
from hippohover.errors import IndexDamagedError, ModelError
from hippohover.indexing.passage_scan import PassageScanner
from hippohover.indexing.triples.between import BetweenTriples
from hippohover.indexing.triples.cache import extract_each
from hippohover.indexing.triples.extractor import TripleExtractor
from hippohover.indexing.work_folder import WorkFolder
from hippohover.language.name_forms import FormColumns, NameForms
from hippohover.names.gazetteer import Gazetteer
from hippohover.records import ExtractionFailure, Passage, Triple
from hippohover.store.tables import passage_text
from hippohover.vectors.embedding import Encoder, open_encoder, passage_vectors

_BETWEEN, _NONE = "between", "none"
_PASSAGES_AT_ONCE = 256


@contextmanager
def collector_paused() -> Generator[None]:
    """Look for no cycles: a scan makes none, and each look goes through all that it has found.

    That took a sixth of its time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class ScanStage:
    """Scans chunks; also reads triples by the words between names, if the recipe says so.

    Parameters
    ----------
    work : WorkFolder
        Its names are there, and the triples of a parser or a language model.
    extractor : str
        The recipe's.
    """

    def __init__(self, work: WorkFolder, extractor: str) -> None:
        self._work = work
        names = Gazetteer.open(work.names())
        names.find_forms(_forms_of(work))
        self._scanner = PassageScanner(names)
        self._between = BetweenTriples(names) if extractor == _BETWEEN else None
        self._reads_triples = extractor not in (_BETWEEN, _NONE)

    def __call__(self, number: int) -> list[ExtractionFailure]:
        """Return the passages of the chunk whose triples could not be read."""
        failures: list[ExtractionFailure] = []
        stated: list[list[Triple]] = []
        if self._reads_triples:
            stated = load_triples(self._work.triples(number))

        def triples_of(row: int, passage: Passage) -> Sequence[Triple]:
            if self._between is None:
                return stated[row] if self._reads_triples else ()
            (answer,) = extract_each([passage], self._between)
            if isinstance(answer, ExtractionFailure):
                failures.append(answer)
                return ()
            return answer

        with collector_paused():
            columns = self._scanner(self._work.passages.chunk(number), triples_of)
        columns["failures"] = [str(failure) for failure in failures]
        save_columns(self._work.found(number), columns)
        return failures


def _forms_of(work: WorkFolder) -> NameForms:
    """Return the finder of other forms of the names of a build."""
    columns = Columns(work.forms())
    written = columns.strings("written")
    found = FormColumns(columns.numbers("hashes", np.uint64), columns.numbers("names", np.int32))
    return NameForms(found, lambda number: str(written[number].as_py()))


class TripleStage:
    """Reads the triples of chunks by its own parser.

    Parameters
    ----------
    work : WorkFolder
    make : callable
        Gives the parser.
    version : str
        Of the parser that the index names; ``ModelError`` where it is another here.
    """

    def __init__(self, work: WorkFolder, make: Callable[[], TripleExtractor], version: str) -> None:
        self._work = work
        self._parser = make()
        if self._parser.version != version:
            raise ModelError(
                f"the parser of a worker is {self._parser.version!r} and not {version!r}: install "
                "the same spaCy and model on every node"
            )

    def __call__(self, number: int) -> list[ExtractionFailure]:
        """Return the passages of the chunk whose triples could not be read."""
        failures: list[ExtractionFailure] = []
        triples: list[list[Triple]] = []
        for some in chunks(self._work.passages.chunk(number), _PASSAGES_AT_ONCE):
            for answer in extract_each(some, self._parser):
                failed = isinstance(answer, ExtractionFailure)
                failures += [answer] if failed else []
                triples.append([] if failed else answer)
        save_new_triples(self._work, number, triples, list(map(str, failures)))
        return failures


class VectorStage:
    """Encodes the passages of chunks."""

    def __init__(self, work: WorkFolder, encoder: Encoder) -> None:
        self._work = work
        self._encoder = encoder

    @classmethod
    def opened(cls, work: WorkFolder, named: str) -> "VectorStage":
        """Open the stage, of one thread, with the encoder of that name from the work folder."""
        return cls(work, open_encoder(work.encoder(), named=named, threads=1))

    def __call__(self, number: int) -> list[ExtractionFailure]:
        """Encode the chunk; return no failures: what cannot be encoded is an error."""
        vectors = passage_vectors(self._encoder, texts_of(self._work, number))
        columns = {"codes": vectors.codes, "scales": vectors.scales, "failures": []}
        save_columns(self._work.vectors(number, self._encoder.fingerprint), columns)
        return []


def texts_of(work: WorkFolder, number: int) -> list[str]:
    """Return the passages of a chunk as an encoder reads them."""
    return [passage_text(one.title, one.heading, one.text) for one in work.passages.chunk(number)]


def is_whole(path: Path) -> bool:
    """Return whether a chunk's file exists, without failures, which are tried again."""
    try:
        return door.status(path) is not None and not len(Columns(path).strings("failures"))
    except IndexDamagedError:
        return False


def save_triples(
    path: Path, triples: Sequence[Sequence[Triple]], failures: Sequence[str] = ()
) -> None:
    """Write the triples of each passage of a chunk, and the failures."""
    every = [triple for of_passage in triples for triple in of_passage]
    save_columns(
        path,
        {
            "lengths": np.array([len(of_passage) for of_passage in triples], np.int32),
            "subject": [triple.subject for triple in every],
            "predicate": [triple.predicate for triple in every],
            "object": [triple.object for triple in every],
            "sentence": np.array([triple.sentence for triple in every], np.int32),
            "failures": list(failures),
        },
    )


def save_new_triples(
    work: WorkFolder, number: int, triples: Sequence[Sequence[Triple]], failures: Sequence[str]
) -> None:
    """Write the triples of a chunk; removes a scan of other triples first."""
    path = work.found(number)
    door.remove(path)  # of a build that was stopped
    save_triples(work.triples(number), triples, failures)


def load_triples(path: Path) -> list[list[Triple]]:
    """Load the triples of each passage that ``save_triples`` wrote."""
    columns = Columns(path)
    words = (columns.strings(name).to_pylist() for name in ("subject", "predicate", "object"))
    sentences = columns.numbers("sentence", np.int32).tolist()
    every = iter([Triple(*row) for row in zip(*words, sentences, strict=True)])
    return [
        [next(every) for _ in range(length)]
        for length in columns.numbers("lengths", np.int32).tolist()
    ]
