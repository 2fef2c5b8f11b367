"""Documents -> passages of at most so many words, ending at sentence ends; and their ids."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import PurePosixPath
from typing import Any, Final

from hippohover.indexing.corpus.borders import Span, passage_spans
from hippohover.indexing.corpus.files.streams import one_line
from hippohover.indexing.corpus.markup import links as links_in
from hippohover.indexing.corpus.readers.documents import marked_sections, nested
from hippohover.indexing.corpus.records import (
    BadRecord,
    Document,
    Heading,
    Link,
    PassedOver,
    Understood,
    with_metadata,
)
from hippohover.indexing.corpus.versions import Versions, own_name
from hippohover.names.normal_forms import tokens
from hippohover.recipe import CorpusSettings
from hippohover.records import Passage, PassageSection, passage_id

MAX_FAILURES_KEPT: Final = 100
"""Bad records that are named."""

_MOST_UNDERSTOOD: Final = 20
_MOST_SUFFIXES: Final = 50
_PLAIN: Final = {"", ".txt", ".text", ".log"}


@dataclass(slots=True, kw_only=True)
class CorpusCounts:
    """Counts of a corpus, which fill while its stream is read.

    Attributes
    ----------
    n_documents : int
        Documents of which at least one passage was new.
    n_passages : int
        Passages handed on.
    n_duplicates : int
        Passages dropped because one with the same title, part and text had come before.
    n_same : int
        Documents of files dropped because one of another file has all of their passages.
    same : list of str
        The first 100 of them: ``"b/copy.md (as a/copy.md)"``.
    n_empty : int
        Documents skipped because their text is blank.
    n_older : int
        Documents skipped because another of the same id is newer; see ``versions.py``.
    n_bad_records : int
        Records skipped because they cannot be used.
    failures : list of str
        The first 100 bad records: ``"corpus.jsonl:17: not JSON (...)"``.
    reasons : dict of str to int
        How many of them are bad for each reason, of the first 100 reasons.
    understood : dict of str to int
        How fields of other names were read, and in how many files; the first 20.
    n_files : dict
        Of a folder or an archive: files that documents came from, by suffix.
    passed_over : dict
        Why files and folders of it were not read, and how many by suffix; a folder's is "/".
    encodings : list of str
        The first 100 files that are not in UTF-8: ``"notes/a.txt: gb18030"``.
    """

    n_documents: int = 0
    n_passages: int = 0
    n_duplicates: int = 0
    n_same: int = 0
    same: list[str] = field(default_factory=list[str])
    n_empty: int = 0
    n_older: int = 0
    n_bad_records: int = 0
    failures: list[str] = field(default_factory=list[str])
    reasons: dict[str, int] = field(default_factory=dict[str, int])
    understood: dict[str, int] = field(default_factory=dict[str, int])
    n_files: dict[str, int] = field(default_factory=dict[str, int])
    passed_over: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])
    encodings: list[str] = field(default_factory=list[str])

    def count_reasons(self, reasons: Mapping[str, int]) -> None:
        """Add to the number of bad records by their reason."""
        for reason, n in reasons.items():
            if reason in self.reasons or len(self.reasons) < MAX_FAILURES_KEPT:
                self.reasons[reason] = self.reasons.get(reason, 0) + n

    def understand(self, text: str) -> None:
        """Note how the records of a file were read."""
        if text in self.understood or len(self.understood) < _MOST_UNDERSTOOD:
            self.understood[text] = self.understood.get(text, 0) + 1

    def drop(self, place: str, kept: str) -> None:
        """Note a document that says the same as one that is kept, by the places of both."""
        if place != kept:
            self.n_same += 1
            if len(self.same) < MAX_FAILURES_KEPT:
                self.same.append(one_line(f"{place} (as {kept})", longest=240))

    def miss(self, fields: Iterable[str]) -> None:
        """Note fields that were to be kept, and that no passage has."""
        for name in fields:
            self.understand(
                f"no record has the field {one_line(name, longest=80)!r}: check corpus.metadata"
            )

    def without_files(
        self, records: Iterable[Document | BadRecord | Understood | PassedOver]
    ) -> Iterator[Document | BadRecord]:
        """Yield the records among these, and count files.

        Those of one file stand together, but for what it brings with it, which is below it.
        """
        path = inner = ""
        for record in records:
            if isinstance(record, PassedOver):
                of_reason = self.passed_over.setdefault(record.reason, {})
                _count(of_reason, record.place)
                continue
            if isinstance(record, Understood):
                self.understand(record.text)
                continue
            if isinstance(record, Document) and record.path not in {"", path, inner}:
                inner = record.path
                path = path if path and inner.startswith(f"{path}/") else inner
                self._count_file(record)
            yield record

    def count_file(self, path: str) -> None:
        """Count a file that was read, by its suffix."""
        _count(self.n_files, path)

    def _count_file(self, document: Document) -> None:
        """Count the file of a document, and note what it is in."""
        self.count_file(document.path)
        if document.encoding and len(self.encodings) < MAX_FAILURES_KEPT:
            line = f"{document.path}: {document.encoding}"
            self.encodings.append(one_line(line, longest=240))

    def clear(self) -> None:
        """Count again, for another reading."""
        for name, value in asdict(CorpusCounts()).items():
            setattr(self, name, value)


def logged_counts(log: Mapping[str, Any] | None) -> CorpusCounts | None:
    """Return the counts in the log of a build or an ``add``; None if it has none.

    A deletion reads nothing, and a log has no checksum.
    """
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(CorpusCounts).validate_python((log or {}).get("read"))
    except ValidationError:
        return None


def _count(by_suffix: dict[str, int], place: str) -> None:
    """Count a file by its suffix; many odd ones count together."""
    suffix = "/" if place.endswith("/") else one_line(PurePosixPath(place).suffix.lower())
    suffix = suffix if suffix in by_suffix or len(by_suffix) < _MOST_SUFFIXES else "others"
    by_suffix[suffix] = by_suffix.get(suffix, 0) + 1


class FailedFiles:
    """Counts the files of a folder, and those with too many bad records.

    Records of one file stand together, but for what it brings with it, which is below it.

    Parameters
    ----------
    max_bad_share : float
        Of the records of a file, above which it fails.
    """

    def __init__(self, max_bad_share: float) -> None:
        self._max_bad_share = max_bad_share
        self._path = self._next = ""
        self._n_files = self._n_failed = 0
        self._n_records = self._n_bad = 0

    def over(self, records: Iterator[Document | BadRecord]) -> Iterator[Document | BadRecord]:
        """Yield the records; count each before the next one is taken."""
        for record in records:
            self._next = record.path
            yield record

    def count(self, *, is_bad: bool) -> None:
        """Count the record that was taken last."""
        if self._next != self._path and not self._next.startswith(f"{self._path}/"):
            self._end_file()
            self._path = self._next
        self._n_records += 1
        self._n_bad += is_bad

    def total(self) -> tuple[int, int]:
        """Return the numbers of files and of failed files, after the last record."""
        self._end_file()
        return self._n_files, self._n_failed

    def _end_file(self) -> None:
        self._n_files += self._n_records > 0
        self._n_failed += self._n_bad > self._max_bad_share * self._n_records
        self._n_records = self._n_bad = 0


def place_of(passage: Passage) -> str:
    """Return what names a passage's document in a folder: its file, and its number there."""
    return own_name(passage.document, passage.path) or passage.path


@dataclass(frozen=True, slots=True)
class PassageMaking:
    """How documents become passages; see ``read_corpus``.

    Attributes
    ----------
    max_words : int
    hides_titles : bool
    metadata : tuple of str
    """

    max_words: int
    hides_titles: bool
    metadata: tuple[str, ...]

    @classmethod
    def of(cls, settings: CorpusSettings) -> "PassageMaking":
        """Return how a recipe makes them."""
        return cls(settings.max_words, settings.titles == "hidden", settings.kept)

    def documents(
        self,
        records: Iterable[Document | BadRecord],
        counts: CorpusCounts,
        versions: Versions | None = None,
    ) -> Iterator[list[Passage]]:
        """Yield each document's passages, counting new ones; counts other records by kind.

        An empty list stands for a record that is no document, or an older version of one.
        ``versions`` knows which are, and is told of the rest by their numbers, from 0.
        """
        versions = versions or Versions()
        for number, record in enumerate(records):
            document = with_metadata(record, self.metadata)
            passages: list[Passage] = []
            if isinstance(document, BadRecord):
                _count_bad(document, counts)
            elif not document.text or document.text.isspace():
                counts.n_empty += 1
            elif number in versions.older:
                counts.n_older += 1
            else:
                versions.add(number, document)
                passages = self._passages(document)
            yield passages

    def _passages(self, document: Document) -> list[Passage]:
        hidden = self.hides_titles
        # Without its path the id alone tells x.md from x.txt.
        of_file = own_name(document.id, document.path) if hidden else ""
        above_each = document.headings
        if not above_each and _is_plain(document):
            above_each = nested(marked_sections(document.text))
        sections = [heading.offset for heading in above_each]
        pages = [page.offset for page in document.pages]
        spans = passage_spans(document.text, self.max_words, sections, pages)
        linked = () if hidden else _linked(document)
        links = _links_of_parts(linked, spans)
        passages: list[Passage] = []
        for part, (start, end) in enumerate(spans):
            text = document.text[start:end]
            # The heading that opens the passage, or the last one before it.
            above = bisect_right(sections, start) - 1
            turned = bisect_right(pages, start) - 1
            passages.append(
                Passage(
                    passage_id(document.title, text, part),
                    "" if hidden else document.title,
                    text,
                    part=part,
                    start=start,
                    links=links[part],
                    metadata=document.metadata,
                    document=of_file or document.id,
                    heading=above_each[above].path if above >= 0 else "",
                    aliases=() if hidden else document.aliases,
                    path="" if hidden else document.path,
                    page=document.pages[turned].number if turned >= 0 else 0,
                    anchor=above_each[above].anchor if above >= 0 else "",
                    sections=_sections_within(document.text, above_each[above + 1 :], end),
                )
            )
        return passages


def _sections_within(text: str, behind: Sequence[Heading], end: int) -> tuple[PassageSection, ...]:
    """Return the sections that begin in a passage, after its own beginning."""
    within = behind[: bisect_left(behind, end, key=lambda heading: heading.offset)]
    ends = [*(heading.offset for heading in within[1:]), end]
    return tuple(
        PassageSection(heading.path, heading.anchor, len(tokens(text[heading.offset : stop])[0]))
        for heading, stop in zip(within, ends, strict=False)  # without any, the end of none
    )


def _count_bad(record: BadRecord, counts: CorpusCounts) -> None:
    counts.n_bad_records += 1
    counts.count_reasons({one_line(record.reason): 1})
    if len(counts.failures) < MAX_FAILURES_KEPT:
        counts.failures.append(one_line(f"{record.place}: {record.reason}", longest=240))


def _is_plain(document: Document) -> bool:
    """Return whether its text may hold Markdown that its reader did not read."""
    return not document.path or PurePosixPath(document.path).suffix.lower() in _PLAIN


def _linked(document: Document) -> tuple[Link, ...]:
    """Return its own links, else those of its text, and the message that it answers."""
    links = document.links or (links_in(document.text) if _is_plain(document) else ())
    return (*links, Link(0, document.reply_to)) if document.reply_to else links


def _links_of_parts(links: tuple[Link, ...], spans: list[Span]) -> list[tuple[str, ...]]:
    """Return titles linked from each part, once each, in order."""
    if not links:
        return [()] * len(spans)
    starts = [start for start, _ in spans]
    titles: list[dict[str, None]] = [{} for _ in spans]
    for link in links:
        titles[max(bisect_right(starts, link.offset) - 1, 0)][link.title] = None
    return [tuple(part) for part in titles]
