"""Any search over HTTP that answers in JSON, by its settings."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

from hippohover.errors import SourceError
from hippohover.metadata import is_private, web_address
from hippohover.sources.document import LONGEST_TEXT, SourceDocument
from hippohover.sources.fetching import Fetcher, key_in
from hippohover.sources.fields import (
    arxiv_id_in,
    count_in,
    doi_in,
    mapping,
    plain,
    rows,
    words_in_order,
    words_of,
    year_in,
)

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
    of_references : str
        Where an entry of the references has the document; "" where it is one.
    title, text, url, id, doi, arxiv_id, year, citation_count, is_retracted : str
        Where a result has each: "paper.title". Without an id the address is one. Of a text and an
        address "a|b" is the first that there is; of a text "a+b" is both, "a[]" are the texts in a
        list, and "a{}" the words of an index of words to places.
    page : str
        Address of a result without one, with ``{id}``.
    last_part : bool
        Whether an id is an address, of which the last part tells documents apart.
    key_variable, key_header, key_parameter : str
        Environment variable of the key, and the header, or parameter, that carries it.
    key_prefix : str
        Text before the key in the header: "Bearer ".
    needs_key : bool
        Whether it answers nothing without the key.
    most_results, most_words, most_chars : int
        Results that it may be asked for, and length of a query; 0 is no limit.
    without_signs : bool
        Whether the words of a query are sent alone, each once: it reads signs as operators.
    interval_seconds : float
        Least time between two requests.
    last_resort : bool
        Whether it is asked only where the other sources find nothing, four times a run at most.
    is_known : bool
        Whether the paths are known to fit: what a reply lacks was not found, and is no error.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    name: str = Field(pattern=r"^[a-z][a-z0-9-]{0,39}$")
    address: str
    references: str = ""
    results: str = ""
    of_references: str = ""
    title: str = "title"
    text: str = "text"
    url: str = "url"
    id: str = ""
    doi: str = ""
    arxiv_id: str = ""
    year: str = ""
    citation_count: str = ""
    is_retracted: str = ""
    page: str = ""
    last_part: bool = False
    key_variable: str = ""
    key_header: str = "Authorization"
    key_parameter: str = ""
    key_prefix: str = ""
    needs_key: bool = True
    most_results: int = Field(default=0, ge=0)
    most_words: int = Field(default=0, ge=0)
    most_chars: int = Field(default=0, ge=0)
    without_signs: bool = False
    interval_seconds: float = Field(default=1.0, ge=0, le=60)
    last_resort: bool = False
    is_known: bool = False

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
        self.is_last_resort = settings.last_resort
        self._settings = settings
        headers = {"Accept": "application/json"}
        self._key = ""
        if settings.key_variable:
            key = key_in(settings.key_variable, needed_by=self.name if settings.needs_key else "")
            if key and settings.key_parameter:
                self._key = f"&{settings.key_parameter}={quote(key, safe='')}"
            elif key:
                headers[settings.key_header] = f"{settings.key_prefix}{key}"
        self._fetcher = Fetcher(
            self.name,
            headers=headers,
            interval_seconds=settings.interval_seconds,
            key_variable=settings.key_variable,
            transport=transport,
        )

    def search(self, query: str, k: int) -> Sequence[SourceDocument]:
        """Search the service; see ``Source``."""
        if not (wanted := self._wanted(query)):
            return ()
        n = min(k, self._settings.most_results or k)
        address = self._settings.address.replace("{k}", str(n))
        return self._documents(address.replace("{query}", quote(wanted, safe="")), "")[:k]

    def references(self, document_id: str) -> Sequence[SourceDocument]:
        """Return what a document cites, those cited most first; see ``Source``."""
        settings = self._settings
        if not settings.references:
            return ()
        address = settings.references.replace("{id}", quote(document_id, safe=""))
        cited = self._documents(address, settings.of_references)
        return sorted(cited, key=lambda one: -(one.citation_count or 0))

    def _wanted(self, query: str) -> str:
        """Return what is sent of a query; "" where nothing would be left."""
        settings = self._settings
        most = settings.most_words or None
        if settings.without_signs:
            query = " ".join(words_of(query, most))
        elif most:
            query = " ".join(query.split()[:most])
        return query[: settings.most_chars or None] if query.strip() else ""

    def _documents(self, address: str, place: str) -> list[SourceDocument]:
        """Read the documents of a reply, which are at a place in each result."""
        settings = self._settings
        reply = self._fetcher.get_json(address + self._key)
        results = [mapping(_at(result, place)) for result in self._results(reply)]
        usable = [one for one in map(self._document, results) if one.document_id and one.title]
        if results and not usable and not settings.is_known:
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
        is_shaped = found is None and self._settings.is_known and isinstance(reply, dict)
        if not (isinstance(found, list) or is_left_out or is_shaped):
            raise SourceError(
                f"the reply of {self.name} has no list at {place!r} (results): "
                f"it has {_names(reply)}"
            )
        if found and not any(isinstance(one, dict) for one in found):
            raise SourceError(
                f"the results of {self.name} are no objects: the first is {found[0]!r:.40}"
            )
        return rows(found)

    def _document(self, result: Mapping[str, Any]) -> SourceDocument:
        settings = self._settings
        places = settings.url.split("|")
        address = next(filter(None, (web_address(_at(result, place)) for place in places)), "")
        named = _at(result, settings.id) if settings.id else address
        own = str(named) if isinstance(named, int) else plain(named)
        own = own.rpartition("/")[2] if settings.last_part else own
        doi = doi_in(_at(result, settings.doi)) if settings.doi else doi_in(address)
        arxiv_id = arxiv_id_in(doi) or arxiv_id_in(address)
        if settings.arxiv_id:
            arxiv_id = arxiv_id_in(f"arxiv:{plain(_at(result, settings.arxiv_id))}")
        return SourceDocument(
            source=self.name,
            document_id=own,
            title=plain(_at(result, settings.title)),
            text=_text(result, settings.text),
            address=address or settings.page.replace("{id}", own),
            doi=doi,
            arxiv_id=arxiv_id,
            year=year_in(_value(result, settings.year)),
            citation_count=count_in(_value(result, settings.citation_count)),
            is_retracted=_value(result, settings.is_retracted) is True,
        )


def _text(result: Mapping[str, Any], places: str) -> str:
    """Return the first of the texts at "a|b", of which one may be several: "a+b"."""
    for one in places.split("|"):
        parts = [part for place in one.split("+") for part in _parts(result, place)]
        if text := " ".join(filter(None, map(plain, parts)))[:LONGEST_TEXT]:
            return text
    return ""


def _parts(result: Mapping[str, Any], place: str) -> list[object]:
    value = _at(result, place.rstrip("[]{}"))
    if place.endswith("[]"):
        return value if isinstance(value, list) else []
    return [words_in_order(value) if place.endswith("{}") else value]


def _value(result: Mapping[str, Any], place: str) -> object:
    """Return the value at a place; None where there is no place."""
    return _at(result, place) if place else None


def _names(value: object) -> str:
    return ", ".join(sorted(mapping(value))[:10]) or "no fields"


def _at(value: object, place: str) -> Any:  # noqa: ANN401
    """Return the value at "a.b" of a JSON value; the value itself at ""."""
    for name in filter(None, place.split(".")):
        value = mapping(value).get(name)
    return value
