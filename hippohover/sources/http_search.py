"""A template for any search over HTTP that answers in JSON."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

from hippohover.errors import SourceError
from hippohover.metadata import is_private, web_address
from hippohover.sources.document import SourceDocument
from hippohover.sources.fetching import Fetcher, key_in
from hippohover.sources.fields import arxiv_id_in, count_in, doi_in, mapping, plain, rows, year_in

if TYPE_CHECKING:
    from hippohover.sources.fetching import Transport


class HttpSearchSettings(BaseModel):
    """How to ask a search, and the paths of fields in its reply.

    Attributes
    ----------
    name : str
        Names the source.
    address : str
        With ``{query}``, and ``{k}`` where the service takes a number of results; ``https://``, or
        ``http://`` on this machine.
    references : str
        Address of what a document cites, with ``{id}``; "" where that is not known.
    results : str
        Where the reply has its list: "data.items"; "" where it is the list.
    title, text, url, id, doi, year, citation_count, is_retracted : str
        Where a result has each: "paper.title". Without an id the address is one.
    key_variable, key_header : str
        Environment variable of the key, and the header that carries it.
    key_prefix : str
        Text before the key in the header: "Bearer ".
    interval_seconds : float
        Least time between two requests.
    last_resort : bool
        Whether it is asked only where the other sources find nothing, four times a run at most.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    name: str = Field(pattern=r"^[a-z][a-z0-9-]{0,39}$")
    address: str
    references: str = ""
    results: str = ""
    title: str = "title"
    text: str = "text"
    url: str = "url"
    id: str = ""
    doi: str = ""
    year: str = ""
    citation_count: str = ""
    is_retracted: str = ""
    key_variable: str = ""
    key_header: str = "Authorization"
    key_prefix: str = ""
    interval_seconds: float = Field(default=1.0, ge=0, le=60)
    last_resort: bool = False

    @field_validator("address", "references")
    @classmethod
    def _is_safe(cls, value: str) -> str:
        """Refuse settings that would send a query, or a key, unencrypted."""
        if value and not is_private(value):
            raise ValueError("give https://HOST/..., or http:// on this machine")
        if "{" in urlsplit(value).netloc:
            raise ValueError("put {query}, {k} and {id} behind the host, not into it")
        return value

    @field_validator("address")
    @classmethod
    def _asks(cls, value: str) -> str:
        if "{query}" not in value:
            raise ValueError("say where the query goes: ...?q={query}")
        return value


class HttpSearch:
    """A source by its settings.

    Parameters
    ----------
    settings : HttpSearchSettings
    transport : httpx.BaseTransport, optional
        As ``Fetcher``.

    Raises
    ------
    UsageError
        Its key is not set.
    """

    def __init__(self, settings: HttpSearchSettings, transport: "Transport | None" = None) -> None:
        self.name = settings.name
        self._settings = settings
        self._headers: dict[str, str] = {}
        if settings.key_variable:
            key = key_in(settings.key_variable, needed_by=self.name)
            self._headers = {settings.key_header: f"{settings.key_prefix}{key}"}
        self._fetcher = Fetcher(
            self.name,
            interval_seconds=settings.interval_seconds,
            key_variable=settings.key_variable,
            transport=transport,
        )

    def search(self, query: str, k: int) -> Sequence[SourceDocument]:
        """Search the service; see ``Source``."""
        if not query.strip():
            return ()
        address = self._settings.address.replace("{k}", str(k))
        return self._documents(address.replace("{query}", quote(query, safe="")))[:k]

    def references(self, document_id: str) -> Sequence[SourceDocument]:
        """Return what a document cites, where the service says so; see ``Source``."""
        if not self._settings.references:
            return ()
        address = self._settings.references.replace("{id}", quote(document_id, safe=""))
        return sorted(self._documents(address), key=lambda one: -(one.citation_count or 0))

    def _documents(self, address: str) -> list[SourceDocument]:
        reply = self._fetcher.get_json(address, headers=self._headers)
        results = self._results(reply)
        usable = [one for one in map(self._document, results) if one.document_id and one.title]
        if results and not usable:
            settings = self._settings
            raise SourceError(
                f"no result of {self.name} has a title at {settings.title!r} and an id at "
                f"{settings.id or settings.url!r}: the first has {_names(results[0])}"
            )
        return usable

    def _results(self, reply: object) -> list[dict[str, Any]]:
        """Return the results of a reply; a service may leave out or empty the list of none."""
        place = self._settings.results
        found = _at(reply, place)
        is_left_out = found is None and (not reply or place.split(".")[0] in mapping(reply))
        if not (isinstance(found, list) or is_left_out):
            raise SourceError(
                f"the reply of {self.name} has no list at {place!r} (results): "
                f"it has {_names(reply)}"
            )
        return rows(found)

    def _document(self, result: Mapping[str, Any]) -> SourceDocument:
        settings = self._settings
        address = web_address(_at(result, settings.url))
        doi = doi_in(_at(result, settings.doi)) if settings.doi else doi_in(address)
        named = _at(result, settings.id) if settings.id else address
        return SourceDocument(
            source=self.name,
            document_id=str(named) if isinstance(named, int) else plain(named),
            title=plain(_at(result, settings.title)),
            text=plain(_at(result, settings.text)),
            address=address,
            doi=doi,
            arxiv_id=arxiv_id_in(doi) or arxiv_id_in(address),
            year=year_in(_at(result, settings.year)) if settings.year else None,
            citation_count=(
                count_in(_at(result, settings.citation_count)) if settings.citation_count else None
            ),
            is_retracted=(
                bool(settings.is_retracted) and _at(result, settings.is_retracted) is True
            ),
        )


def _names(value: object) -> str:
    return ", ".join(sorted(mapping(value))[:10]) or "no fields"


def _at(value: object, place: str) -> Any:  # noqa: ANN401
    """Return the value at "a.b" of a JSON value; the value itself at ""."""
    for name in filter(None, place.split(".")):
        value = mapping(value).get(name)
    return value
