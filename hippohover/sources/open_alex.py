"""Searches OpenAlex by its API.

https://developers.openalex.org/
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from hippohover.metadata import web_address
from hippohover.sources.document import LONGEST_TEXT, SourceDocument
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

KEY_VARIABLE: Final = "OPENALEX_API_KEY"
_ADDRESS: Final = "https://api.openalex.org/works"
_INTERVAL: Final = 0.1
_FIELDS: Final = (
    "id,doi,display_name,publication_year,cited_by_count,is_retracted,"
    "abstract_inverted_index,primary_location"
)
_MOST: Final = 100
_MOST_WORDS: Final = 40


class OpenAlex:
    """Searches OpenAlex, which knows what works cite and which are retracted.

    A key in ``OPENALEX_API_KEY`` is sent if there is one; without one, a day's searches are few.

    Parameters
    ----------
    transport : httpx.BaseTransport, optional
        As ``Fetcher``.
    """

    name = "openalex"

    def __init__(self, transport: "Transport | None" = None) -> None:
        key = key_in(KEY_VARIABLE)
        self._key = {"api_key": key} if key else {}
        self._fetcher = Fetcher(
            self.name, interval_seconds=_INTERVAL, key_variable=KEY_VARIABLE, transport=transport
        )

    def search(self, query: str, k: int) -> Sequence[SourceDocument]:
        """Find works by OpenAlex's relevance; see ``Source``."""
        wanted = " ".join(words_of(query, _MOST_WORDS))
        return self._works({"search": wanted}, k) if wanted else ()

    def references(self, document_id: str) -> Sequence[SourceDocument]:
        """Return what a work cites, those cited most first; see ``Source``."""
        params = {"filter": f"cited_by:{document_id}", "sort": "cited_by_count:desc"}
        return self._works(params, _MOST)

    def _works(self, params: Mapping[str, str], k: int) -> Sequence[SourceDocument]:
        more: dict[str, str | int] = {"per_page": min(k, _MOST), "select": _FIELDS, **self._key}
        reply = self._fetcher.get_json(_ADDRESS, {**params, **more})
        documents = map(_document, rows(mapping(reply).get("results")))
        return [one for one in documents if one.document_id and one.title][:k]


def _document(work: Mapping[str, Any]) -> SourceDocument:
    address = web_address(mapping(work.get("primary_location")).get("landing_page_url"))
    doi = doi_in(work.get("doi"))
    return SourceDocument(
        source=OpenAlex.name,
        document_id=plain(work.get("id")).rpartition("/")[2],
        title=plain(work.get("display_name")),
        text=plain(_abstract(mapping(work.get("abstract_inverted_index")))),
        address=address or web_address(work.get("doi")) or web_address(work.get("id")),
        doi=doi,
        arxiv_id=arxiv_id_in(doi) or arxiv_id_in(address),
        year=year_in(work.get("publication_year")),
        citation_count=count_in(work.get("cited_by_count")),
        is_retracted=work.get("is_retracted") is True,
    )


def _abstract(places_of: Mapping[str, Any]) -> str:
    """Return the words of an abstract in order, from OpenAlex's list of places."""
    placed = [
        (place, word)
        for word, places in places_of.items()
        for place in (cast("list[Any]", places) if isinstance(places, list) else ())
        if isinstance(place, int)
    ]
    return " ".join(word for _, word in sorted(placed)[:LONGEST_TEXT])
