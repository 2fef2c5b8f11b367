"""Searches the web by Brave's API.

https://api-dashboard.search.brave.com/documentation
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from hippohover.metadata import web_address
from hippohover.sources.document import LONGEST_TEXT, SourceDocument
from hippohover.sources.fetching import Fetcher, key_in
from hippohover.sources.fields import arxiv_id_in, doi_in, mapping, plain, rows

if TYPE_CHECKING:
    from hippohover.sources.fetching import Transport

KEY_VARIABLE: Final = "BRAVE_API_KEY"
_ADDRESS: Final = "https://api.search.brave.com/res/v1/web/search"
_INTERVAL: Final = 1.0
_MOST: Final = 20
_MOST_WORDS: Final = 50
_MOST_CHARS: Final = 400


class Brave:
    """Searches the web by Brave, a paid service; it does not say what pages cite.

    The key is in ``BRAVE_API_KEY``.

    Parameters
    ----------
    transport : httpx.BaseTransport, optional
        As ``Fetcher``.

    Raises
    ------
    UsageError
        There is no key.
    """

    name = "brave"

    def __init__(self, transport: "Transport | None" = None) -> None:
        key = key_in(KEY_VARIABLE, needed_by=self.name)
        self._headers = {"X-Subscription-Token": key, "Accept": "application/json"}
        self._fetcher = Fetcher(
            self.name, interval_seconds=_INTERVAL, key_variable=KEY_VARIABLE, transport=transport
        )

    def search(self, query: str, k: int) -> Sequence[SourceDocument]:
        """Find pages of the web; see ``Source``."""
        wanted = " ".join(query.split()[:_MOST_WORDS])[:_MOST_CHARS]
        if not wanted:
            return ()
        params = {"q": wanted, "count": min(k, _MOST)}
        reply = self._fetcher.get_json(_ADDRESS, params, self._headers)
        documents = map(_document, rows(mapping(mapping(reply).get("web")).get("results")))
        return [one for one in documents if one.address and one.title][:k]

    def references(self, document_id: str) -> Sequence[SourceDocument]:
        """Return nothing: see ``Source``."""
        return ()


def _document(page: Mapping[str, Any]) -> SourceDocument:
    address = web_address(page.get("url"))
    more = page.get("extra_snippets")
    snippets = [page.get("description"), *(more if isinstance(more, list) else ())]
    return SourceDocument(
        source=Brave.name,
        document_id=address,
        title=plain(page.get("title")),
        text=" ".join(filter(None, map(plain, snippets)))[:LONGEST_TEXT],
        address=address,
        doi=doi_in(address),
        arxiv_id=arxiv_id_in(address),
    )
