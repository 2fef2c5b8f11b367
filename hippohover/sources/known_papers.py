"""Which of the papers that sources find the index holds itself."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from hippohover.records import RankedPassage
from hippohover.sources.fields import arxiv_id_in, doi_in
from hippohover.sources.papers import title_key

FEWEST_WORDS: Final = 3
"""Of a title by which a paper of a source is one of the index, which has its own text of it."""
_DOI_FIELDS: Final = frozenset(["doi"])
_ARXIV_FIELDS: Final = frozenset(["arxiv", "arxivid", "eprint"])
_ADDRESS_FIELDS: Final = frozenset(["id", "url", "uri", "link", "address"])
_VERSION: Final = re.compile(r"v\d+$")


def keys_of(passage: RankedPassage) -> Iterator[tuple[str, str]]:
    """Yield what identifies a passage's paper: DOI, arXiv id, title.

    DOI and arXiv id are read from fields that hold the paper's own, as few corpora name them alike.
    """
    if key := title_key(passage.title, FEWEST_WORDS):
        yield "title", key
    for name, value in passage.metadata.items():
        field, text = re.sub(r"[\W_]", "", name).lower(), str(value).strip()
        if field in _DOI_FIELDS | _ADDRESS_FIELDS and (doi := doi_in(text)):
            yield "doi", doi
        elif field in _DOI_FIELDS and text:
            yield "doi", text.lower()
        bare = f"arxiv:{text}" if field in _ARXIV_FIELDS else ""
        if field in _DOI_FIELDS | _ARXIV_FIELDS | _ADDRESS_FIELDS and (
            arxiv_id := arxiv_id_in(text) or arxiv_id_in(bare)
        ):
            yield "arxiv", _VERSION.sub("", arxiv_id)


class KnownPapers:
    """The papers of an index's passages that were seen, by what identifies them."""

    def __init__(self, passages: Iterable[RankedPassage] = ()) -> None:
        self._of_key: dict[tuple[str, str], RankedPassage] = {}
        self.note(passages)

    def note(self, passages: Iterable[RankedPassage]) -> None:
        """Remember passages of the index; those that were seen first stand for their papers."""
        for passage in passages:
            for one in (passage, *passage.others):
                for key in keys_of(one):
                    self._of_key.setdefault(key, passage)

    def own(self, paper: RankedPassage) -> RankedPassage | None:
        """Return the index's passage of a source's paper; None if it is not known to have one.

        It has the paper's address, ids and citations as far as it has no such field itself.
        """
        own = next((self._of_key[key] for key in keys_of(paper) if key in self._of_key), None)
        if own is None:
            return None
        told = {name: value for name, value in paper.metadata.items() if name != "id"}
        return replace(own, metadata={**told, **own.metadata})
