"""Corpus files -> a stream of passages, in bounded memory.

A document becomes one passage, or several of at most ``max_words`` words that end at sentence
borders. Records that cannot be used are counted and named; too many of them are an error.
"""

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from hippohover.errors import CorpusError, UsageError
from hippohover.indexing.corpus.files.globs import EVERY, Globs
from hippohover.indexing.corpus.files.streams import damage_named, one_line
from hippohover.indexing.corpus.formats import (
    LINE_FORMATS,
    READERS,
    corpus_file,
    detect_format,
    read_folder,
)
from hippohover.indexing.corpus.lines import Piece
from hippohover.indexing.corpus.passages import CorpusCounts, FailedFiles, PassageMaking, place_of
from hippohover.indexing.corpus.records import Records
from hippohover.indexing.corpus.versions import Versions
from hippohover.recipe import CorpusSettings
from hippohover.records import Passage

WHOLE: Final = CorpusSettings(max_words=0)
"""A corpus of any format, whose documents are passages."""

_LEAST_FOR_SHARE: Final = 100  # records, or files of a folder
_N_FAILURES_IN_MESSAGE: Final = 3
_BLOCK_BYTES: Final = 32 << 20
_PACKED_SHARE: Final = 4  # bzip2 makes a quarter of such text


@dataclass(frozen=True)
class BadRecords:
    """The bound of a corpus's bad records, above which it is refused with a ``CorpusError``.

    Attributes
    ----------
    path : Path
    max_share : float
        Of the records, in [0, 1].
    counts : CorpusCounts
        What is read of it so far.
    """

    path: Path
    max_share: float
    counts: CorpusCounts

    def check(self, n_records: int) -> None:
        """Refuse too many among those read so far."""
        if n_records >= _LEAST_FOR_SHARE:
            self._check(n_records)

    def check_end(self, n_records: int) -> None:
        """Refuse a corpus that turned out to be none at its end.

        Of fewer than 100 records some may be bad, whatever the share: one broken row of four is no
        sign of another format.
        """
        counts = self.counts
        if n_records >= _LEAST_FOR_SHARE or counts.n_bad_records == n_records:
            self._check(n_records)
        if not counts.n_documents and not n_records and self.path.is_dir():
            raise self._error(
                f"no file to read in this folder{_passed_over(counts)}: "
                "check the path, or choose files with --include"
            )
        if not counts.n_documents:
            what = "file" if self.path.is_dir() else "record"
            records = f"1 {what}" if n_records == 1 else f"{n_records} {what}s"
            raise self._error(
                f"no document in {records} ({counts.n_empty} without "
                f"text, {counts.n_bad_records} bad{_first_failures(counts)}){_passed_over(counts)}"
                ": check the file and its format"
            )

    def check_files(self, files: FailedFiles) -> None:
        """Refuse too many files of a folder that fail."""
        n, n_failed = files.total()
        if n >= _LEAST_FOR_SHARE and n_failed > self.max_share * n:
            raise self._too_many(f"{n_failed} of {n} files fail", n_failed / n)

    def _check(self, n_records: int) -> None:
        n_bad = self.counts.n_bad_records
        if n_bad <= self.max_share * n_records:
            return
        if n_bad == n_records:
            raise self._error(
                f"no record can be used, of {n_records}"
                f"{_first_failures(self.counts)}: check the file and its format, or say which "
                "fields hold title and text in the recipe's [corpus.fields]"
            )
        raise self._too_many(f"{n_bad} of {n_records} records are bad", n_bad / n_records)

    def _too_many(self, said: str, share: float) -> CorpusError:
        return self._error(
            f"{said}: {share:.1%}, limit {self.max_share:.1%}"
            f"{_first_failures(self.counts)}: fix them, or allow more with "
            "--max-bad-share or the recipe's corpus.max_bad_share"
        )

    def _error(self, said: str) -> CorpusError:
        return CorpusError(f"{one_line(str(self.path))}: {said}")


def read_corpus(  # noqa: PLR0913
    path: Path,
    settings: CorpusSettings = WHOLE,
    *,
    limit: int | None = None,
    counts: CorpusCounts | None = None,
    versions: Versions | None = None,
    root: Path | None = None,
    repeats: bool = False,
) -> Iterator[Passage]:
    """Read a corpus as a stream of passages, in the order of the file.

    Parameters
    ----------
    path : Path
        A file, or a folder.
    settings : CorpusSettings
        What a recipe says of it; its own path and address are not looked at. The share of bad
        records is checked from the 100th on, and at the end. Of a folder it is the share of its
        files that fail, if it has 100, at its end: in a file that fails more than that share of
        the records is bad.
    limit : int, optional
        Stop after this many documents.
    counts : CorpusCounts, optional
        Filled while the stream is read.
    versions : Versions, optional
        Settled at the end of the stream, which gives all versions of a document but those that
        these know to be older; see ``versions.without_older``.
    root : Path, optional
        Folder that a file is named below, and read as it is when that folder is the corpus.
    repeats : bool
        Whether passages of documents with an id come too that say what one before says.

    Returns
    -------
    iterator of Passage
        ``passage.text == text_of_document[start:start + len(passage.text)]``, without
        ``repeats`` no two with the same id.

    Raises
    ------
    UsageError
        A parameter is out of its range.
    CorpusError
        The corpus is missing, unreadable, damaged, empty, of an unknown format, or has too many
        bad records. Raised here when the path or format is at fault, else from the stream.
    """
    _require(limit is None or limit >= 1, "limit", limit, "1 or more, or None")
    counts = CorpusCounts() if counts is None else counts
    _require(counts == CorpusCounts(), "counts", counts, "a new CorpusCounts for each reading")
    globs = Globs(settings.include, settings.exclude)
    with damage_named(str(path)):
        path = corpus_file(Path(path)) if globs == EVERY else Path(path)
        is_of_root = root is not None and settings.format == "auto" and path.is_file()
        name = "folder" if is_of_root else _format_of(path, settings.format, globs)
    is_files = name == "folder"
    _require(is_files or globs == EVERY, "globs", globs, f"none, for a {name} file is read whole")
    if root is not None:
        wanted = f"none, {path} is not one file of a folder"
        _require(is_files and path.is_file(), "root", str(root), wanted)
    reader = partial(read_folder, globs=globs, root=root) if is_files else READERS[name].read
    bound = BadRecords(path, settings.max_bad_share, counts)
    return _stream(
        _guarded(path, reader(path, settings.fields)),
        PassageMaking.of(settings),
        bound,
        FailedFiles(settings.max_bad_share) if is_files else None,
        Versions() if versions is None else versions,
        limit=limit,
        repeats=repeats,
    )


def line_format(path: Path, format: str = "auto", globs: Globs = EVERY) -> str | None:
    """Return the ``formats.LINE_FORMATS`` of a corpus, if it has one.

    Raises
    ------
    CorpusError
        The corpus is missing, unreadable, or of an unknown format.
    """
    with damage_named(str(path)):
        name = _format_of(corpus_file(path) if globs == EVERY else path, format, globs)
    return name if name in LINE_FORMATS else None


def cut_corpus(path: Path, format_name: str) -> Generator[list[Piece]]:
    """Yield the pieces of a corpus of lines, in blocks of about 32 MiB of text.

    Raises
    ------
    CorpusError
        The corpus is unreadable or damaged.
    """
    block: list[Piece] = []
    n_bytes = 0
    with damage_named(str(path)):
        for piece in LINE_FORMATS[format_name].pieces(path):
            block.append(piece)
            n_bytes += len(piece.content) * (_PACKED_SHARE if piece.is_packed else 1)
            if n_bytes >= _BLOCK_BYTES:
                yield block
                block, n_bytes = [], 0
    if block:
        yield block


def _require(holds: bool, name: str, value: object, wanted: str) -> None:
    if not holds:
        raise UsageError(f"{name} is {value!r}: give {wanted}")


def _format_of(path: Path, name: str, globs: Globs) -> str:
    """Return the format named or found; raises if the path is missing or of the wrong kind."""
    if name != "auto" and name not in READERS:
        raise CorpusError(f"corpus format {name!r} is unknown: name one of {', '.join(READERS)}")
    path.stat()  # raises for a path that is not there
    if not (path.is_dir() or path.is_file()):
        raise CorpusError(f"{one_line(str(path))}: neither a file nor a folder: copy it to a file")
    if path.is_dir() and globs != EVERY and name == "auto":
        return "folder"  # of some of its files
    known = detect_format(path) if path.is_dir() or name == "auto" else name
    name = known if name == "auto" else name
    if path.is_dir() and name not in ("folder", known):
        raise CorpusError(f"{one_line(str(path))}: a folder, not a {name} file: name the file")
    return name


def _guarded(path: Path, records: Records) -> Records:
    """Yield the records; any error of damaged bytes becomes a CorpusError."""
    with damage_named(str(path)):
        yield from records


def _stream(  # noqa: PLR0913
    records: Records,
    making: PassageMaking,
    bound: BadRecords,
    files: FailedFiles | None,
    versions: Versions,
    *,
    limit: int | None,
    repeats: bool,
) -> Iterator[Passage]:
    """Yield the passages of records; of a folder's ``files`` the bound is checked at the end."""
    counts = bound.counts
    seen: dict[bytes, str] = {}
    n_records = n_bad = 0
    with closing(records):
        read = counts.without_files(records)
        for n_records, passages in enumerate(
            making.documents(files.over(read) if files else read, counts, versions), 1
        ):
            is_bad = counts.n_bad_records > n_bad
            n_bad += is_bad
            if files:
                files.count(is_bad=is_bad)
            elif is_bad:
                bound.check(n_records)
            is_new = [_is_new(passage, seen) for passage in passages]
            if passages and not any(is_new):
                counts.drop(place_of(passages[0]), seen[bytes.fromhex(passages[0].pid)])
            counts.n_documents += any(is_new)
            counts.n_passages += sum(is_new)
            counts.n_duplicates += len(passages) - sum(is_new)
            for passage, new in zip(passages, is_new, strict=True):
                if new or (repeats and passage.document):
                    yield passage
            if counts.n_documents == limit or n_records == versions.n_records:
                break
    versions.settle(n_records)
    if files:
        bound.check_files(files)
        bound = replace(bound, max_share=1.0)
    bound.check_end(n_records)


def _is_new(passage: Passage, seen: dict[bytes, str]) -> bool:
    """Return whether no passage of that id was ``seen``; note the place of a new one."""
    key = bytes.fromhex(passage.pid)
    is_new = key not in seen
    if is_new:
        seen[key] = place_of(passage)
    return is_new


def _passed_over(counts: CorpusCounts) -> str:
    """Count files that were not read, by reason, the most frequent first; "" without any."""
    n_of = {reason: sum(of.values()) for reason, of in counts.passed_over.items()}
    named = [f"{reason} ({n})" for reason, n in sorted(n_of.items(), key=lambda item: -item[1])]
    return f", and passed over {sum(n_of.values())}: {'; '.join(named)}" if named else ""


def _first_failures(counts: CorpusCounts) -> str:
    """Return the first failures; only one where all have the same reason."""
    shown = counts.failures[:_N_FAILURES_IN_MESSAGE]
    if len(counts.reasons) == 1 < counts.n_bad_records:
        shown = [f"{shown[0]}, and {counts.n_bad_records - 1} more for that reason"]
    return f" ({'; '.join(shown)})" if shown else ""
