"""Decides which documents are the same paper, and which papers to use."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from typing import Final

from hippohover.names.normal_forms import entity_key
from hippohover.records import PassageId
from hippohover.sources.document import SourceDocument
from hippohover.sources.fields import arxiv_id_in, doi_in

_FEWEST_WORDS: Final = 4
"""Of a title that tells papers apart: "Editorial" and "A reply to Smith" do not."""
_RETRACTED: Final = re.compile(
    r"\W*(?:retracted|withdrawn)(?: article| paper)?\s*[\]):]"  # before the title
    r"|\W*(?-i:RETRACTED|WITHDRAWN)\b"
    r"|\W*retraction (?:note|notice)\b"
    r"|\W*(?:retraction|withdrawal)(?: of| to| for)?\s*:"
    r"|.*[\[(](?:retracted|withdrawn)\b[^\])]*[\])]\s*$"  # behind it
    r"|.*\s[-–—]\s*retracted\s*$",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """The papers that may be evidence.

    Attributes
    ----------
    first_year : int
        References from before it, and those without a year, are left out.
    settled_year : int
        References from before it must be cited ``least_citations`` times or more.
    least_citations : int
    """

    first_year: int = 2000
    settled_year: int = 2010
    least_citations: int = 50

    def takes(self, document: SourceDocument) -> bool:
        """Return whether a found paper may be used: it has a text and is not retracted."""
        return bool(document.text) and not is_retracted(document)

    def takes_reference(self, document: SourceDocument) -> bool:
        """Return whether a cited paper may be used."""
        if not self.takes(document) or document.year is None or document.year < self.first_year:
            return False
        return document.year >= self.settled_year or (
            document.citation_count is not None and document.citation_count >= self.least_citations
        )


def is_retracted(document: SourceDocument) -> bool:
    """Return whether the source, or the title in publishers' form, says "retracted"."""
    return document.is_retracted or bool(_RETRACTED.match(document.title))


def keys_of(document: SourceDocument) -> list[tuple[str, str]]:
    """Return what identifies the paper: DOI, arXiv id, title; for a page its address."""
    doi = document.doi.lower() or doi_in(document.address)
    arxiv_id = document.arxiv_id or arxiv_id_in(doi) or arxiv_id_in(document.address)
    title = title_key(document.title)
    named = (("doi", doi), ("arxiv", arxiv_id), ("title", title), ("address", document.address))
    return [(kind, key) for kind, key in named if key]


def title_key(title: str, fewest_words: int = _FEWEST_WORDS) -> str:
    """Return a title's normal form, to tell papers apart; "" if it is too short."""
    key = entity_key(title)
    return key if len(key.split()) >= fewest_words else ""


class Papers:
    """Documents that were found, each paper once: by DOI, arXiv id, title or address."""

    def __init__(self) -> None:
        self._of_key: dict[tuple[str, str], list[SourceDocument]] = {}
        self._of_pid: dict[str, list[SourceDocument]] = {}
        self._also: dict[str, str] = {}

    def add(self, document: SourceDocument) -> PassageId:
        """Add a document; return the pid of its paper.

        Papers that were two and share a key with it are one from now on, by the first one's pid.
        """
        keys = keys_of(document)
        first, *others = [self._of_key[key] for key in keys if key in self._of_key] or [[]]
        for other in others:
            if other is not first:
                first += other
                other.clear()
        first.append(document)
        for one in first:
            self._of_pid[one.pid] = first
            self._of_key |= dict.fromkeys(keys_of(one), first)
        return first[0].pid

    def paper(self, pid: str) -> SourceDocument:
        """Return the paper that has that pid, with what all sources say about it."""
        return _joined(self.versions(pid))

    def versions(self, pid: str) -> Sequence[SourceDocument]:
        """Return each source's version of the paper that has one with that pid; else nothing."""
        return self._of_pid.get(self._also.get(pid, pid), ())

    def call_also(self, pid: str, other: str) -> None:
        """Know the paper that has a pid by another one too: that of the index."""
        self._also[other] = pid


def in_turn(found: Sequence[Sequence[SourceDocument]]) -> Iterator[SourceDocument]:
    """Yield the first of each list, then the second of each, and so on."""
    rounds = zip_longest(*found)
    return (one for one in chain.from_iterable(rounds) if one is not None)


def _joined(versions: Sequence[SourceDocument]) -> SourceDocument:
    """Fill in what the first version lacks from the others."""
    counts = [one.citation_count for one in versions if one.citation_count is not None]
    return replace(
        versions[0],
        text=next((one.text for one in versions if one.text), ""),
        doi=next((one.doi for one in versions if one.doi), ""),
        arxiv_id=next((one.arxiv_id for one in versions if one.arxiv_id), ""),
        year=next((one.year for one in versions if one.year is not None), None),
        citation_count=max(counts, default=None),
        is_retracted=any(map(is_retracted, versions)),
    )
