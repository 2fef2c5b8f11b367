"""Finds the sentences of an answer's passages that say most about the question."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from hippohover.language.cues import word_list
from hippohover.lexical import LexicalIndex
from hippohover.names.normal_forms import tokens
from hippohover.names.sentences import sentence_spans
from hippohover.verification.terms import TermReader, Terms

Told = dict[str, Any]
"""A passage of an answer, as ``RankedPassage.as_dict`` gives it."""

Span = tuple[int, int]
"""Start and stop, in characters of the text."""

_MOST_SENTENCES: Final = 3
_NEARLY: Final = 0.6
"""A sentence is shown as well where it says so large a share of what the best one says."""
_OF_THE_TITLE: Final = 0.25
"""Weight of a word of the question that is in the passage's title: all sentences are about that."""
_BRIDGE: Final = 0.5
"""Weight of a word of another found title, if the sentence has that whole title."""
_NUMBER_ASKED: Final = frozenset(["when", "year", "date", "many", "much", "old", "long", "far"])
_FEWEST_COPIES: Final = 3
"""Passages with a sentence that is a footer or a header: two may quote each other."""

_LINE: Final = re.compile(r"[^\n]+")
_VERSION: Final = r"(?:v(?:ersion|\.)?[\s.]*)?\d+(?:\.\d+)*"
_TELLS_NOTHING: Final = re.compile(
    rf"""
    \b(?:https?://|www\.)\S+
    | \bv\d+(?:\.\d+)*
    | \b(?!\d\d?\.\d\d?\.\d{{2,4}}\b)\d+(?:\.\d+){{2,}}
    | \bcc(?:0|[ -]by(?:[ -](?:sa|nc|nd))*)[\s,/-]*{_VERSION}
    | \b(?:by(?:-(?:sa|nc|nd))+|[al]?gpl|gfdl|mpl|eupl|epl|apache)[\s,/-]*{_VERSION}
    | \blicen[cs]e[\s,]+(?:v(?:ersion|\.)?[\s.]*)?\d+\.\d+
    | \b\d+\.\d+\s+(?:international|unported|generic|licen[cs]e)\b
    | (?:©|\bcopyright\b|\(c\))[\s,©(c)]{{0,20}}\d{{4}}(?:\s*[-–,]\s*\d{{2,4}})*
    | \b(?:{"|".join(sorted(word_list("labels")))})\s+(?!\d{{4}}\b)\d+(?:\.\d+)*
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Numbers that count and date nothing: of licences, versions, pages and addresses."""


class Highlighter:
    """Marks sentences with the rarities of one version of an index; safe from several threads."""

    def __init__(self, lexical: LexicalIndex) -> None:
        self._read = TermReader(lexical)

    def add_to(self, claim: str, passages: Sequence[Told]) -> list[str]:
        """Add ``highlights`` to passages; return the sentence of each that says most.

        It is "" where nothing is marked: all sentences of the text are repeated.
        """
        asked = self._read(claim)
        titles = {one["title"]: self._read(one["title"]) for one in passages}
        repeated = _repeated(passages)
        best: list[str] = []
        for one in passages:
            bridges = [terms for title, terms in titles.items() if title != one["title"]]
            text = one["text"]
            spans = self._best_first(asked, text, titles[one["title"]], bridges, repeated)
            one["highlights"] = sorted(list(span) for span in spans)
            best.append(text[slice(*spans[0])] if spans else "")
        return best

    def _best_first(
        self,
        asked: Terms,
        text: str,
        title: Terms,
        bridges: Sequence[Terms],
        repeated: frozenset[str],
    ) -> list[Span]:
        spans = _own_sentences(text, repeated)
        worth = {
            stem: rarity * (_OF_THE_TITLE if stem in title.stems else 1.0)
            for stem, rarity in zip(asked.stems, asked.rarity.tolist(), strict=True)
        }
        number = self._read.most / 2 if _NUMBER_ASKED & set(asked.words) else 0.0
        scores: list[float] = []
        for start, stop in spans:
            held = set(self._read.stems(tokens(text[start:stop])[0]))
            score = sum(worth[stem] for stem in worth.keys() & held)
            score += number * tells_number(text[start:stop])
            score += sum(
                _BRIDGE * float(np.mean(one.rarity))
                for one in bridges
                if one.stems and held.issuperset(one.stems)
            )
            scores.append(score)
        best = max(scores, default=0.0)
        order = sorted(range(len(spans)), key=lambda at: (-scores[at], at))[:_MOST_SENTENCES]
        if not best:
            return spans[:1]
        return [spans[at] for at in order if scores[at] >= _NEARLY * best]


def tells_number(text: str) -> bool:
    """Return whether a text has a number that may answer "when" or "how many"."""
    return any(word[0].isdigit() for word in tokens(_TELLS_NOTHING.sub(" ", text))[0])


def _repeated(passages: Sequence[Told]) -> frozenset[str]:
    """Return sentences and lines that three passages or more repeat, folded.

    Near-copies do not count: a document that was copied as a whole repeats what matters too.
    """
    copies: Counter[str] = Counter()
    for one in passages:
        if not one["near_copy"]:
            whole = (one["text"], *one["text"].splitlines())
            sentences = (text[start:stop] for text in whole for start, stop in sentence_spans(text))
            copies.update({_folded(part) for part in (*whole, *sentences)})
    return frozenset(part for part, n in copies.items() if n >= _FEWEST_COPIES)


def _own_sentences(text: str, repeated: frozenset[str]) -> list[Span]:
    """Return the sentences that are not repeated, without repeated lines at the end of the text."""
    lines = [line.span() for line in _LINE.finditer(text)]
    while lines and (not (last := text[slice(*lines[-1])].strip()) or _folded(last) in repeated):
        lines.pop()
    spans = sentence_spans(text[: lines[-1][1]] if lines else "")
    return [(start, stop) for start, stop in spans if _folded(text[start:stop]) not in repeated]


def _folded(text: str) -> str:
    return " ".join(tokens(text)[0])
