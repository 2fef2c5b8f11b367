"""Sentences with their parses as plain lists: no library of parsing is needed to read them."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, NamedTuple

HELD: Final = 0
UNSAID: Final = 1
DENIED: Final = 2
"""What the evidence says of a word of a claim."""

_TIGHT_BEFORE: Final = frozenset(".,;:!?)]}%'’") | {"'s", "’s", "n't", "n’t"}
_TIGHT_AFTER: Final = frozenset("([{$£€#")


class Piece(NamedTuple):
    """A word of a claim in the making."""

    text: str
    space: bool = True
    """Whether a space follows."""
    at: int = -1
    """The token of the sentence that it is, or stands for."""
    mark: int = HELD


class Span(NamedTuple):
    """Tokens from ``start`` to before ``end`` that are one name, number or date."""

    start: int
    end: int
    kind: str


@dataclass
class Sentence:
    """One sentence: its words, and for each its tag, relation, head and lemma."""

    title: str
    words: Sequence[str]
    spaces: Sequence[bool]
    tags: Sequence[str]
    relations: Sequence[str]
    heads: Sequence[int]
    lemmas: Sequence[str]
    entities: Sequence[Span]
    is_first: bool = False

    @cached_property
    def children(self) -> list[list[int]]:
        """Tokens that depend on each token."""
        found: list[list[int]] = [[] for _ in self.words]
        for at, head in enumerate(self.heads):
            if head != at:
                found[head].append(at)
        return found

    @cached_property
    def root(self) -> int:
        """The token that everything depends on."""
        return next((at for at, head in enumerate(self.heads) if head == at), 0)

    def subtree(self, at: int) -> set[int]:
        """A token with all that depends on it."""
        found = {at}
        for child in self.children[at]:
            found |= self.subtree(child)
        return found

    def child(self, at: int, *relations: str) -> int:
        """The first token that depends on another in one of some ways, or -1."""
        return next((one for one in self.children[at] if self.relations[one] in relations), -1)

    def pieces(self, tokens: Sequence[int] | None = None) -> list[Piece]:
        """The words, or those of some tokens, as pieces."""
        chosen = range(len(self.words)) if tokens is None else tokens
        return [Piece(self.words[at], self.spaces[at], at) for at in chosen]

    @cached_property
    def text(self) -> str:
        """The sentence as it was written."""
        return "".join(
            word + " " * space for word, space in zip(self.words, self.spaces, strict=True)
        ).strip()


@dataclass
class Passage:
    """A title and its sentences."""

    title: str
    link: str
    """A title that the text mentions, or nothing."""
    sentences: list[Sentence] = field(default_factory=list)

    @cached_property
    def subject(self) -> str:
        """The title without what tells it from its namesakes."""
        return self.title.split(" (")[0]


def passage_of(row: dict[str, Any]) -> Passage:
    """Read a passage: parallel lists of its tokens, offsets as gaps and lengths."""
    text: str = row["text"]
    passage = Passage(row["title"], row["link"] or "")
    starts = [0]
    for at, begins in enumerate(row["sent"]):
        if begins and at:
            starts.append(at)
    starts.append(len(row["i"]))
    for first, last in itertools.pairwise(starts):
        tokens = [at for at in range(first, last) if text[row["i"][at]] not in "\n "]
        new = {old: at for at, old in enumerate(tokens)}
        ends = [row["i"][at] + row["n"][at] for at in tokens]
        heads = [new.get(row["head"][at], new[at]) for at in tokens]
        passage.sentences.append(
            Sentence(
                passage.title,
                [text[row["i"][at] : end] for at, end in zip(tokens, ends, strict=True)],
                [text[end : end + 1] == " " for end in ends],
                [row["tag"][at] for at in tokens],
                [row["dep"][at] for at in tokens],
                heads,
                [row["lem"][at] for at in tokens],
                list(_spans([row["ent"][at] for at in tokens])),
                is_first=not first,
            )
        )
    return passage


def _spans(entities: Sequence[str]) -> Iterator[Span]:
    """Yield the runs of a token that begins a name with those that go on."""
    start, kind = -1, ""
    for at, one in enumerate([*entities, "O"]):
        if start >= 0 and one[:1] != "I":
            yield Span(start, at, kind)
            start = -1
        if one[:1] == "B":
            start, kind = at, one[1:]


def written(pieces: Sequence[Piece]) -> tuple[str, list[tuple[int, int, int]]]:
    """Write pieces as a sentence; where in it the marked ones stand, and their marks."""
    text, marks = "", []
    space = False
    kept = [one for one in pieces if one.text]
    for at, one in enumerate(kept):
        after = kept[at + 1].text if at + 1 < len(kept) else "."
        if one.text in {",", ";", "-", "–"} and (not text or after in {",", ".", ";", ")"}):
            continue
        if text and space and one.text not in _TIGHT_BEFORE:
            text += " "
        start = len(text)
        text += one.text if text else one.text[:1].upper() + one.text[1:]
        if one.mark:
            marks.append((start, len(text), one.mark))
        follows = kept[at + 1].at if at + 1 < len(kept) else -1
        is_gap = follows != one.at + 1 and one.text not in _TIGHT_AFTER and one.at != follows
        space = one.space or is_gap
    if text and text[-1] not in ".!?":
        text += "."
    return text, marks
