"""Sources beyond the index: services that are searched beside it when named.

``open_sources`` makes a ``SourceRouter`` of names; a run of it asks the sources for one claim.
"""

from hippohover.sources.arxiv import Arxiv
from hippohover.sources.by_name import SOURCES, open_sources
from hippohover.sources.document import Source, SourceDocument
from hippohover.sources.fetching import Fetcher
from hippohover.sources.http_search import HttpSearch, HttpSearchSettings
from hippohover.sources.papers import Filters
from hippohover.sources.router import SourceRouter, SourceRun

__all__ = [
    "SOURCES",
    "Arxiv",
    "Fetcher",
    "Filters",
    "HttpSearch",
    "HttpSearchSettings",
    "Source",
    "SourceDocument",
    "SourceRouter",
    "SourceRun",
    "open_sources",
]
