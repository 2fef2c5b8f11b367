"""Anchors of headings with the same words: how an address finds the second of them."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from hippohover.indexing.corpus.readers.texts.parsing.documents import Section

_NO_PART: Final = re.compile(r"[^\w\- ]")


def slug(words: str) -> str:
    """Return GitHub's anchor for a heading: "What's new?" is "whats-new"."""
    return _NO_PART.sub("", words.lower()).replace(" ", "-")


def numbered(sections: Iterable[Section]) -> Iterator[Section]:
    """Yield sections; those with an earlier one's anchor get GitHub's number: "rates-1".

    The first is called by its words still, and one with an anchor of its own by that: of two such
    no renderer tells the second from the first, and neither does this.
    """
    counts: Counter[str] = Counter()
    seen: set[str] = set()
    for section in sections:
        name, of_words = section.anchor.casefold(), slug(section.words)
        n = counts[of_words]
        if name in (section.words.casefold(), of_words):
            counts[of_words] += 1
            yield section._replace(anchor=f"{of_words}-{n}") if n and name in seen else section
        else:
            yield section
        seen.add(name)
