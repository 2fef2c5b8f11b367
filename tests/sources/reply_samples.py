"""Replies in the shapes that the services document, about papers that there are not."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx

from hippohover.sources.document import SourceDocument
from hippohover.sources.fetching import Fetcher

ARXIV = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"
      xmlns:arxiv="http://arxiv.org/schemas/atom">
  <id>https://arxiv.org/api/abc</id>
  <title>arXiv Query: search_query=all:tides</title>
  <opensearch:totalResults>2</opensearch:totalResults>
  <entry>
    <id>http://arxiv.org/abs/2401.01234v2</id>
    <published>2024-01-03T10:00:00Z</published>
    <title>Tides of the
      Orle Estuary</title>
    <summary>  The tidal range is 4.2 m
      &lt; the one of Vessby.
    </summary>
    <author><name>Mira Oldane</name></author>
    <arxiv:doi>10.1000/Orle.7</arxiv:doi>
    <arxiv:comment>12 pages</arxiv:comment>
  </entry>
  <entry>
    <id>http://arxiv.org/abs/hep-th/9901001v1</id>
    <published>1999-01-01T00:00:00Z</published>
    <title>An older paper about strings</title>
    <summary>Strings are long.</summary>
    <arxiv:comment>This paper has been withdrawn by the author</arxiv:comment>
  </entry>
</feed>"""

ARXIV_ERROR = """<feed xmlns="http://www.w3.org/2005/Atom"><entry>
<id>http://arxiv.org/api/errors#max_results_must_be_an_integer</id><title>Error</title>
<summary>max_results must be an integer</summary></entry></feed>"""

SCHOLAR_PAPER: dict[str, Any] = {
    "paperId": "a1b2",
    "externalIds": {"DOI": "10.1000/ORLE.7", "ArXiv": "2401.01234", "CorpusId": 7},
    "url": "https://www.semanticscholar.org/paper/a1b2",
    "title": "Tides of the Orle Estuary",
    "abstract": None,
    "tldr": {"model": "tldr@v2", "text": "The range is 4.2 m."},
    "year": 2024,
    "citationCount": 12,
}
SCHOLAR = {"total": 1, "offset": 0, "data": [SCHOLAR_PAPER]}
SCHOLAR_REFERENCES = {
    "offset": 0,
    "data": [
        {"citedPaper": {"paperId": None, "title": "Not known there", "abstract": None}},
        {
            "citedPaper": {
                "paperId": "few", "title": "A lesser survey of the estuary", "abstract": "Mud.",
                "year": 2012, "citationCount": 3, "externalIds": None, "url": None,
            }
        },
        {
            "citedPaper": {
                "paperId": "many", "title": "A great survey of the estuary", "abstract": "Sand.",
                "year": 2005, "citationCount": 80, "externalIds": {"DOI": "10.1000/g"},
                "url": "https://www.semanticscholar.org/paper/many",
            }
        },
    ],
}  # fmt: skip

OPEN_ALEX_WORK: dict[str, Any] = {
    "id": "https://openalex.org/W77",
    "doi": "https://doi.org/10.48550/arXiv.2401.01234",
    "display_name": "Tides of the Orle <i>Estuary</i>",
    "publication_year": 2023,
    "cited_by_count": 15,
    "is_retracted": False,
    "abstract_inverted_index": {"The": [0, 4], "tidal": [1], "range": [2], "varies.": [3]},
    "primary_location": {"landing_page_url": "https://journal.example/orle"},
}
OPEN_ALEX = {"meta": {"count": 1, "per_page": 10}, "results": [OPEN_ALEX_WORK]}

BRAVE_PAGE: dict[str, Any] = {
    "title": "Orle tide tables",
    "url": "https://harbour.example/tides",
    "description": "High water at <strong>Vessby</strong> &amp; Isk.",
    "extra_snippets": ["Low water at noon.", 7],
}
BRAVE = {
    "type": "search",
    "query": {"original": "tides"},
    "web": {"type": "search", "results": [BRAVE_PAGE]},
}


@dataclass
class Service:
    """A service that answers as it is told, the last answer for ever, and keeps what was asked.

    ``asked`` are the requests; ``slept`` is how long was waited between them.
    """

    answers: list[Any]
    asked: list[httpx.Request] = field(default_factory=list[httpx.Request])
    slept: list[float] = field(default_factory=list[float])
    now: float = 100.0

    @property
    def transport(self) -> httpx.MockTransport:
        return httpx.MockTransport(self._answer)

    def fetcher(self, **options: Any) -> Fetcher:  # noqa: ANN401
        """A fetcher of this service that waits for nothing."""
        return Fetcher(
            "stub", transport=self.transport, sleep=self._sleep, clock=lambda: self.now, **options
        )

    def params(self) -> dict[str, str]:
        """Of the last request."""
        return dict(self.asked[-1].url.params)

    def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, httpx.Response):
            return answer
        if isinstance(answer, int):
            return httpx.Response(answer)
        text = answer if isinstance(answer, str) else json.dumps(answer)
        return httpx.Response(200, content=text.encode())


def document(title: str, text: str = "It says so.", **more: Any) -> SourceDocument:  # noqa: ANN401
    """A document that a source named "shelf" found, unless ``more`` says otherwise."""
    own: dict[str, Any] = {
        "source": "shelf",
        "document_id": title,
        "address": f"https://shelf.example/{quote(title)}",
    }
    return SourceDocument(title=title, text=text, **{**own, **more})


@dataclass
class Shelf:
    """A source of one's own: finds what holds a word of the query, knows what cites what."""

    documents: Sequence[SourceDocument] = ()
    cited: Mapping[str, Sequence[SourceDocument]] = field(
        default_factory=dict[str, Sequence[SourceDocument]]
    )
    name: str = "shelf"
    fails: Callable[[], Exception] | None = None
    calls: list[str] = field(default_factory=list[str])

    def search(self, query: str, k: int) -> Sequence[SourceDocument]:
        self.calls.append(query)
        if self.fails is not None:
            raise self.fails()
        words = set(query.lower().split())
        return [one for one in self.documents if words & set(one.title.lower().split())][:k]

    def references(self, document_id: str) -> Sequence[SourceDocument]:
        return self.cited.get(document_id, ())
