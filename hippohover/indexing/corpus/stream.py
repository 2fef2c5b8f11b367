"""Corpus files -> a stream of passages, in bounded memory.

A document becomes one passage, or several of at most ``max_words`` words that end at sentence
borders. Records that cannot be used are counted and named; too many of them are an error.
"""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Final, Literal, get_args

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
from hippohover.recipe import NO_FIELDS, CorpusFields
from hippohover.records import Passage, passage_id

__all__ = ["CorpusCounts", "TitleDisplay", "passage_id", "read_corpus"]

TitleDisplay = Literal["shown", "hidden"]

_LEAST_FOR_SHARE: Final = 100  # records, or files of a folder
_N_FAILURES_IN_MESSAGE: Final = 3
_BLOCK_BYTES: Final = 32 << 20
_PACKED_SHARE: Final = 4  # bzip2 makes a quarter of such text


def read_corpus(  # noqa: PLR0913
    path: Path,
    *,
    format: str = "auto",
    max_words: int = 0,
    limit: int | None = None,
    max_bad_share: float = 0.01,
    titles: TitleDisplay = "shown",
    metadata: Sequence[str] = (),
    fields: CorpusFields = NO_FIELDS,
    globs: Globs = EVERY,
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
    format : str
        One of the formats of ``formats.READERS``; ``"auto"`` finds out.
    max_words : int
        Longest passage in words; 0 never splits. A longer document is split at sentence
        borders, a longer sentence at word borders.
    limit : int, optional
        Stop after this many documents.
    max_bad_share : float
        Share of bad records, in [0, 1], above which the corpus is refused. Checked from the
        100th record on, and at the end. Of a folder it is the share of its files that fail, if it
        has 100, at its end: in a file that fails more than that share of the records is bad.
    titles : {"shown", "hidden"}
        ``"hidden"`` leaves titles and links, which are titles too, out of the passages; their
        ids stay the same.
    metadata : sequence of str
        Fields of the records that are kept with their passages.
    fields : CorpusFields
        Names of the records' fields; those that are not named are found out.
    globs : Globs
        Which files of a folder or an archive are read.
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
    _require(max_words >= 0, "max_words", max_words, "0 (never split) or more")
    _require(limit is None or limit >= 1, "limit", limit, "1 or more, or None")
    _require(0 <= max_bad_share <= 1, "max_bad_share", max_bad_share, "a number in [0, 1]")
    _require(titles in get_args(TitleDisplay), "titles", titles, '"shown" or "hidden"')
    counts = CorpusCounts() if counts is None else counts
    _require(counts == CorpusCounts(), "counts", counts, "a new CorpusCounts for each reading")
    versions = Versions() if versions is None else versions
    making = PassageMaking(max_words, titles == "hidden", tuple(metadata))
    with damage_named(str(path)):
        path = corpus_file(Path(path)) if globs == EVERY else Path(path)
        is_of_root = root is not None and format == "auto" and path.is_file()
        name = "folder" if is_of_root else _format_of(path, format, globs)
    is_files = name == "folder"
    _require(is_files or globs == EVERY, "globs", globs, f"none, for a {name} file is read whole")
    if root is not None:
        _require(
            is_files and path.is_file(),
            "root",
            str(root),
            f"none, {path} is not one file of a folder",
        )
    reader = partial(read_folder, globs=globs, root=root) if is_files else READERS[name].read
    return _stream(
        path,
        _guarded(path, reader(path, fields)),
        making=making,
        waits_for_end=is_files,
        limit=limit,
        max_bad_share=max_bad_share,
        counts=counts,
        versions=versions,
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
    path: Path,
    records: Records,
    *,
    making: PassageMaking,
    limit: int | None,
    max_bad_share: float,
    waits_for_end: bool,
    counts: CorpusCounts,
    versions: Versions,
    repeats: bool,
) -> Iterator[Passage]:
    seen: dict[bytes, str] = {}
    n_records = n_bad = 0
    files = FailedFiles(max_bad_share)
    with closing(records):
        records_of_files = files.over(counts.without_files(records))
        for n_records, passages in enumerate(
            making.documents(records_of_files, counts, versions), 1
        ):
            is_bad = counts.n_bad_records > n_bad
            n_bad += is_bad
            if waits_for_end:
                files.count(is_bad=is_bad)
            elif is_bad:
                check_share(path, n_records, max_bad_share, counts)
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
    if waits_for_end:
        _check_files(path, files, max_bad_share, counts)
    check_end(path, n_records, 1.0 if waits_for_end else max_bad_share, counts)


def _is_new(passage: Passage, seen: dict[bytes, str]) -> bool:
    """Return whether no passage of that id was ``seen``; note the place of a new one."""
    key = bytes.fromhex(passage.pid)
    is_new = key not in seen
    if is_new:
        seen[key] = place_of(passage)
    return is_new


def check_end(path: Path, n_records: int, max_bad_share: float, counts: CorpusCounts) -> None:
    """Raise ``CorpusError`` for a corpus that turned out to be none at its end.

    Of fewer than 100 records some may be bad, whatever the share: one broken row of four is no
    sign of another format.
    """
    if n_records >= _LEAST_FOR_SHARE or counts.n_bad_records == n_records:
        _check_share(path, n_records, max_bad_share, counts)
    if not counts.n_documents and not n_records and path.is_dir():
        raise CorpusError(
            f"{one_line(str(path))}: no file to read in this folder{_passed_over(counts)}: "
            "check the path, or choose files with --include"
        )
    if not counts.n_documents:
        what = "file" if path.is_dir() else "record"
        records = f"1 {what}" if n_records == 1 else f"{n_records} {what}s"
        raise CorpusError(
            f"{one_line(str(path))}: no document in {records} ({counts.n_empty} without "
            f"text, {counts.n_bad_records} bad{_first_failures(counts)}){_passed_over(counts)}: "
            "check the file and its format"
        )


def check_share(path: Path, n_records: int, max_bad_share: float, counts: CorpusCounts) -> None:
    """Raise ``CorpusError`` for too many bad records among those read so far."""
    if n_records >= _LEAST_FOR_SHARE:
        _check_share(path, n_records, max_bad_share, counts)


def _check_files(
    path: Path, files: FailedFiles, max_bad_share: float, counts: CorpusCounts
) -> None:
    """Raise ``CorpusError`` for too many files of a folder that fail."""
    n, n_failed = files.total()
    if n >= _LEAST_FOR_SHARE and n_failed > max_bad_share * n:
        said = f"{n_failed} of {n} files fail"
        raise _too_many(path, said, n_failed / n, max_bad_share, counts)


def _check_share(path: Path, n_records: int, max_bad_share: float, counts: CorpusCounts) -> None:
    n_bad = counts.n_bad_records
    if n_bad <= max_bad_share * n_records:
        return
    if n_bad == n_records:
        raise CorpusError(
            f"{one_line(str(path))}: no record can be used, of {n_records}"
            f"{_first_failures(counts)}: check the file and its format, or say which fields hold "
            "title and text in the recipe's [corpus.fields]"
        )
    said = f"{n_bad} of {n_records} records are bad"
    raise _too_many(path, said, n_bad / n_records, max_bad_share, counts)


def _too_many(
    path: Path, said: str, share: float, most: float, counts: CorpusCounts
) -> CorpusError:
    return CorpusError(
        f"{one_line(str(path))}: {said}: {share:.1%}, limit {most:.1%}"
        f"{_first_failures(counts)}: fix them, or allow more with "
        "--max-bad-share or the recipe's corpus.max_bad_share"
    )


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
