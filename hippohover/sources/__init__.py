"""Sources beyond the index: services that are searched beside it when named.

``open_sources`` makes a ``SourceRouter`` of names; a run of it asks the sources for one claim.
"""

from hippohover.sources.arxiv import Arxiv
from hippohover.sources.brave import Brave
from hippohover.sources.by_name import open_sources
from hippohover.sources.document import Source, SourceDocument
from hippohover.sources.fetching import Fetcher
from hippohover.sources.http_search import HttpSearch, HttpSearchSettings
from hippohover.sources.open_alex import OpenAlex
from hippohover.sources.papers import Filters
from hippohover.sources.router import SourceRouter, SourceRun
from hippohover.sources.semantic_scholar import SemanticScholar

__all__ = [
    "Arxiv",
    "Brave",
    "Fetcher",
    "Filters",
    "HttpSearch",
    "HttpSearchSettings",
    "OpenAlex",
    "SemanticScholar",
    "Source",
    "SourceDocument",
    "SourceRouter",
    "SourceRun",
    "open_sources",
]
