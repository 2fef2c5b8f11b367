"""Searches arXiv by its API.

https://info.arxiv.org/help/api/user-manual.html
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from hippohover.errors import SourceError
from hippohover.names.mentions import STOP_TOKENS
from hippohover.sources.document import SourceDocument
from hippohover.sources.fetching import Fetcher
from hippohover.sources.fields import arxiv_id_in, doi_in, plain, words_of, year_in

if TYPE_CHECKING:
    from hippohover.sources.fetching import Transport

_ADDRESS: Final = "https://export.arxiv.org/api/query"
_INTERVAL: Final = 3.0  # "no more than one request every three seconds", one connection at a time
_MOST_WORDS: Final = 20
_ATOM: Final = "{http://www.w3.org/2005/Atom}"
_ARXIV: Final = "{http://arxiv.org/schemas/atom}"
_WITHDRAWN: Final = re.compile(r"\bwithdrawn\b", re.IGNORECASE)


class Arxiv:
    """Searches arXiv, which needs no key; it does not say what a paper cites.

    Parameters
    ----------
    transport : httpx.BaseTransport, optional
        As ``Fetcher``.
    """

    name = "arxiv"

    def __init__(self, transport: "Transport | None" = None) -> None:
        self._fetcher = Fetcher(self.name, interval_seconds=_INTERVAL, transport=transport)

    def search(self, query: str, k: int) -> Sequence[SourceDocument]:
        """Find papers that hold most of the query's words; see ``Source``."""
        words = [word for word in words_of(query, 100) if word.lower() not in STOP_TOKENS]
        if not words:
            return ()
        wanted = " OR ".join(f"all:{word}" for word in words[:_MOST_WORDS])
        asked = {"search_query": wanted, "max_results": k, "sortBy": "relevance"}
        body = self._fetcher.get(f"{_ADDRESS}?{urlencode(asked)}")
        documents = [_document(entry) for entry in self._entries(body)]
        return [one for one in documents if one.title][:k]

    def references(self, document_id: str) -> Sequence[SourceDocument]:
        """Return nothing: see ``Source``."""
        return ()

    def _entries(self, body: bytes) -> Sequence[Any]:
        from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
        try:
            feed = etree.fromstring(body, parser)
        except etree.XMLSyntaxError as error:
            raise SourceError(f"{self.name} did not answer in Atom: try later") from error
        if feed is None or feed.tag != f"{_ATOM}feed":
            raise SourceError(f"{self.name} did not answer in Atom: try later")
        entries = feed.findall(f"{_ATOM}entry")
        for entry in entries:
            if "/api/errors" in _told(entry, f"{_ATOM}id"):  # its errors come with status 200
                reason = _told(entry, f"{_ATOM}summary")
                raise SourceError(f"{self.name} refused the query ({reason}): rephrase it")
        return entries


def _document(entry: Any) -> SourceDocument:  # noqa: ANN401  (an element of lxml)
    address = _told(entry, f"{_ATOM}id").replace("http://", "https://", 1)
    arxiv_id = arxiv_id_in(address)
    return SourceDocument(
        source=Arxiv.name,
        document_id=arxiv_id,
        title=_told(entry, f"{_ATOM}title") if arxiv_id else "",
        text=_told(entry, f"{_ATOM}summary"),
        address=f"https://arxiv.org/abs/{arxiv_id}",
        doi=doi_in(_told(entry, f"{_ARXIV}doi")),
        arxiv_id=arxiv_id,
        year=year_in(_told(entry, f"{_ATOM}published")[:4]),
        is_retracted=bool(_WITHDRAWN.search(_told(entry, f"{_ARXIV}comment"))),
    )


def _told(entry: Any, tag: str) -> str:  # noqa: ANN401
    return plain(entry.findtext(tag))
