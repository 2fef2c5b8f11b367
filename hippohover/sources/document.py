"""Documents that sources find, and the protocol of a source."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from types import UnionType
from typing import Final, Protocol, cast

from hippohover.metadata import MetadataValue
from hippohover.records import PassageId, RankedPassage

LONGEST_TEXT: Final = 4000
"""Characters of a text that are read: an abstract, and no book."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDocument:
    """A paper or a page that a source found.

    Attributes
    ----------
    source : str
        Name of the source.
    document_id : str
        Its id in that source, which ``Source.references`` takes.
    title, text : str
        Plain text; a document without a text cannot be evidence and is left out.
    address : str
        Where it can be read, ``http://`` or ``https://``.
    doi, arxiv_id : str
        As far as they are known: "10.1000/xyz", "2510.10114".
    year : int or None
    citation_count : int or None
        Number of papers that cite it, as the source counts.
    is_retracted : bool
    """

    source: str
    document_id: str
    title: str
    text: str
    address: str
    doi: str = ""
    arxiv_id: str = ""
    year: int | None = None
    citation_count: int | None = None
    is_retracted: bool = False

    @property
    def pid(self) -> PassageId:
        """Id among passages; ids in an index hold no colon."""
        return PassageId(f"{self.source}:{self.document_id}")

    def as_passage(self, rank: int, score: float) -> RankedPassage:
        """Return the document as a line of an answer, with its address."""
        known: dict[str, MetadataValue | None] = {
            "id": self.document_id,
            "url": self.address,
            "doi": self.doi or None,
            "arxiv_id": self.arxiv_id or None,
            "year": self.year,
            "citation_count": self.citation_count,
        }
        metadata = {name: value for name, value in known.items() if value is not None}
        return RankedPassage(
            rank, self.pid, self.title, self.text, score, metadata=metadata, source=self.source
        )


def documents_in(reply: object) -> tuple[SourceDocument, ...]:
    """Return the documents of a source's reply; ``TypeError`` says what is none.

    A source may be anybody's: its reply is whatever its author returned.
    """
    if not isinstance(reply, Iterable):
        raise TypeError(f"gave {_kind(reply)} where a list of SourceDocument belongs")
    documents: list[SourceDocument] = []
    for one in cast("Iterable[object]", reply):
        if not isinstance(one, SourceDocument):
            raise TypeError(f"gave {_kind(one)} where a SourceDocument belongs")
        for field in fields(one):
            kind = cast("type | UnionType", field.type)  # annotations are not texts in this file
            if not isinstance(value := getattr(one, field.name), kind):
                raise TypeError(f"gave {_kind(value)} as {field.name} of a document")
        documents.append(one)
    return tuple(documents)


def _kind(value: object) -> str:
    return "None" if value is None else f"a value of type {type(value).__name__}"


class Source(Protocol):
    """Something that can be searched, from several threads.

    Test your own source with ``hippohover.testing.suites.SourceSuite``.

    Attributes
    ----------
    name : str
        Its name in passages and failures; unique among the sources of a router.
    """

    @property
    def name(self) -> str:
        """Name in passages and failures."""
        ...

    def search(self, query: str, k: int) -> Sequence[SourceDocument]:
        """Find at most ``k`` documents for a query, best first.

        Raises
        ------
        SourceError
            The service does not answer, or answers in another form. Finding nothing is not an
            error.
        """
        ...

    def references(self, document_id: str) -> Sequence[SourceDocument]:
        """List what a document cites, the most cited first; nothing if not known.

        Raises
        ------
        SourceError
            As ``search``.
        """
        ...
