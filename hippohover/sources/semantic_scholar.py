"""Searches Semantic Scholar by its Academic Graph API.

https://api.semanticscholar.org/api-docs/graph
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from hippohover.metadata import web_address
from hippohover.sources.document import SourceDocument
from hippohover.sources.fetching import Fetcher, key_in
from hippohover.sources.fields import (
    arxiv_id_in,
    count_in,
    doi_in,
    mapping,
    plain,
    rows,
    words_of,
    year_in,
)

if TYPE_CHECKING:
    from hippohover.sources.fetching import Transport

KEY_VARIABLE: Final = "SEMANTIC_SCHOLAR_API_KEY"
_ADDRESS: Final = "https://api.semanticscholar.org/graph/v1/paper"
_INTERVAL: Final = 1.0  # what a key is given; without one all users share what there is
_FIELDS: Final = "title,abstract,tldr,year,citationCount,externalIds,url"
_CITED_FIELDS: Final = "title,abstract,year,citationCount,externalIds,url"  # no tldr of references
_MOST: Final = 100
_MOST_WORDS: Final = 40


class SemanticScholar:
    """Searches Semantic Scholar, which knows what papers cite.

    A key in ``SEMANTIC_SCHOLAR_API_KEY`` is sent if there is one.

    Parameters
    ----------
    transport : httpx.BaseTransport, optional
        As ``Fetcher``.
    """

    name = "semantic-scholar"

    def __init__(self, transport: "Transport | None" = None) -> None:
        key = key_in(KEY_VARIABLE)
        self._headers = {"x-api-key": key} if key else {}
        self._fetcher = Fetcher(
            self.name, interval_seconds=_INTERVAL, key_variable=KEY_VARIABLE, transport=transport
        )

    def search(self, query: str, k: int) -> Sequence[SourceDocument]:
        """Find papers by Semantic Scholar's relevance; see ``Source``."""
        # A hyphen finds nothing there: words alone.
        wanted = " ".join(words_of(query, _MOST_WORDS))
        if not wanted:
            return ()
        params = {"query": wanted, "limit": min(k, _MOST), "fields": _FIELDS}
        reply = self._fetcher.get_json(f"{_ADDRESS}/search", params, self._headers)
        return _documents(rows(mapping(reply).get("data")))[:k]

    def references(self, document_id: str) -> Sequence[SourceDocument]:
        """Return what a paper cites, those cited most first; see ``Source``."""
        reply = self._fetcher.get_json(
            f"{_ADDRESS}/{quote(document_id, safe='')}/references",
            {"fields": _CITED_FIELDS, "limit": _MOST},
            self._headers,
        )
        cited = [mapping(one.get("citedPaper")) for one in rows(mapping(reply).get("data"))]
        return sorted(_documents(cited), key=lambda one: -(one.citation_count or 0))


def _documents(papers: Sequence[Mapping[str, Any]]) -> list[SourceDocument]:
    documents = map(_document, papers)
    return [one for one in documents if one.document_id and one.title]


def _document(paper: Mapping[str, Any]) -> SourceDocument:
    paper_id = plain(paper.get("paperId"))
    ids = mapping(paper.get("externalIds"))
    return SourceDocument(
        source=SemanticScholar.name,
        document_id=paper_id,
        title=plain(paper.get("title")),
        text=plain(paper.get("abstract")) or plain(mapping(paper.get("tldr")).get("text")),
        address=web_address(paper.get("url"))
        or f"https://www.semanticscholar.org/paper/{paper_id}",
        doi=doi_in(ids.get("DOI")),
        arxiv_id=arxiv_id_in(f"arxiv:{plain(ids.get('ArXiv'))}"),
        year=year_in(paper.get("year")),
        citation_count=count_in(paper.get("citationCount")),
    )
