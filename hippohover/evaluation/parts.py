"""The parts of documents that gold names, and which of them an answer shows.

A figure by title counts a document wherever it is found. A reader, or a language model, gets texts:
of a long document the one passage that is shown may be another than the one that was needed.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from hippohover.names.normal_forms import normal_title
from hippohover.records import RankedPassage

_WORD: Final = re.compile(r"\w+")
_BETWEEN_HEADINGS: Final = " > "
_SHOWN_CHARS: Final = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldPart:
    """A part of a document that a claim needs.

    Attributes
    ----------
    name : str
        Gold title, or gold id, that the part belongs to.
    heading : str
        Heading of its section.
    page : int
        Number of the page on which the passage begins, from 1.
    text : str
        What the passage says: a sentence of it, all of it, or a text that is split into several.
    """

    name: str
    heading: str = ""
    page: int = 0
    text: str = ""

    @property
    def is_named(self) -> bool:
        """Whether more is named than the document."""
        return bool(self.heading or self.page or self.text)

    @property
    def shown(self) -> str:
        """What to call it: its document, and what is named of it."""
        page = f"p. {self.page}" if self.page else ""
        return ", ".join(filter(None, (self.name, self.heading, page, self.text[:_SHOWN_CHARS])))

    def is_in(self, passage: RankedPassage) -> bool:
        """Return whether a passage of its document is, or holds, this part."""
        return (
            (not self.heading or holds_heading(passage, self.heading))
            and (not self.page or passage.metadata.get("page") == self.page)
            and (not self.text or holds_words(words_of(passage.text), words_of(self.text)))
        )


def part_ranks(
    parts: Sequence[GoldPart],
    passages: Sequence[RankedPassage],
    names: Sequence[str],
    normal: Callable[[str], str] = normal_title,
) -> list[int | None]:
    """Return the first rank, from 1, of a passage that shows each part; None where none does.

    A document alone is shown by any of its passages.

    Parameters
    ----------
    passages : sequence of RankedPassage
        Those that are shown; what is listed under them counts for nothing.
    names : sequence of str
        The title, or gold id, that each of them counts for.
    """
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        rows.setdefault(normal(name), []).append(row)
    shown = (
        [at for at in rows.get(normal(one.name), ()) if one.is_in(passages[at])] for one in parts
    )
    return [found[0] + 1 if found else None for found in shown]


def passage_figures(ranks: Sequence[int | None], k: int) -> dict[str, float]:
    """Return ``passage_recall@k``, the share of parts shown, and ``all_passages_found@k``."""
    shown = [rank is not None and rank <= k for rank in ranks]
    return {
        f"all_passages_found@{k}": float(all(shown)),
        f"passage_recall@{k}": sum(shown) / len(shown),
    }


def holds_heading(passage: RankedPassage, heading: str) -> bool:
    """Return whether a passage stands under a heading, or has a line of its text that is it."""
    lines = (*passage.heading.split(_BETWEEN_HEADINGS), *passage.text.splitlines())
    return normal_title(heading) in map(normal_title, lines)


def words_of(text: str) -> str:
    """Return the words of a text alone: its marks may be written otherwise in an index."""
    return " ".join(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def holds_words(words: str, wanted: str) -> bool:
    """Return whether one of two such texts is a part of the other."""
    return wanted in words or (bool(words) and words in wanted)
