"""Chains of passages: what joins them, and which words of the claim each of them has."""

from dataclasses import dataclass, field
from typing import Any, Final, Literal

from hippohover.metadata import Metadata, MetadataValue, citation, titled

JoinKind = Literal["mention", "link", "key", "name", "series", "document", "claim"]
"""What joins two passages:

``"mention"``, one names the other; ``"link"``, one links the other in the corpus; ``"key"``, they
have the same value in a field; ``"name"``, both have a name that few others have; ``"series"``,
their documents follow each other, as turns of a talk do; ``"document"``, they are parts of one;
``"claim"``, only that the claim names both.
"""

_SIGNS: Final = {(True, True): "→", (True, False): "←"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainPassage:
    """A passage of a chain.

    Attributes
    ----------
    pid, title : str
    part : int
        Which passage of its document it is, from 1.
    rank : int
        Its place, from 1; a shorter answer does not list it.
    sentence : str
        The sentence that says most of what was asked; empty if none says anything of it.
    answers : tuple of str
        The words of the claim that it has and no earlier passage of the chain, as the claim writes
        them. Words that stand together are one item.
    is_named : bool
        Whether the claim names it.
    metadata : mapping of str to (str, int, float or bool)
        As in ``RankedPassage``.
    """

    pid: str
    title: str
    part: int
    rank: int
    sentence: str
    answers: tuple[str, ...]
    is_named: bool
    metadata: Metadata = field(default_factory=dict[str, MetadataValue], hash=False)

    @property
    def citation(self) -> str:
        """Where it is, in words: "report.pdf, p. 12"; else its title."""
        return citation(self.title, self.metadata)

    def as_dict(self) -> dict[str, Any]:
        """Return the passage, ready for JSON."""
        return {
            "pid": self.pid,
            "title": self.title,
            "part": self.part,
            "rank": self.rank,
            "sentence": self.sentence,
            "answers": list(self.answers),
            "is_named": self.is_named,
            "citation": self.citation,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainJoin:
    """What joins a passage of a chain to an earlier one.

    Attributes
    ----------
    kind : str
        See ``JoinKind``.
    words : str
        The name or value that joins them, as the sentence writes it; may be empty.
    sentence : str
        Where it stands, in the passage or another part of its document; empty where no sentence has
        it.
    start : int
        Number of the earlier passage in the chain, from 0: as a rule, of the one before.
    forward : bool
        Whether the sentence is of the earlier passage, which names or links the later one.
    """

    kind: JoinKind
    words: str
    sentence: str
    start: int
    forward: bool

    @property
    def sign(self) -> str:
        """Return "→" if the earlier names or links the later, "←" for the reverse, else "="."""
        return _SIGNS.get((self.kind in {"mention", "link"}, self.forward), "=")

    def as_dict(self) -> dict[str, Any]:
        """Return the join, ready for JSON."""
        return {
            "kind": self.kind,
            "words": self.words,
            "sentence": self.sentence,
            "start": self.start,
            "forward": self.forward,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """Passages that answer a claim together, from what it names to what it asks for.

    Attributes
    ----------
    passages : tuple of ChainPassage
        One to four.
    joins : tuple of ChainJoin
        One fewer: the first is that of the second passage.
    coverage : float
        Share of the claim's words that the passages have, in [0, 1]; a rare word counts more.
    score : float
        Share of this chain's weight among all that were compared, in [0, 1].
    """

    passages: tuple[ChainPassage, ...]
    joins: tuple[ChainJoin, ...]
    coverage: float
    score: float

    def summary(self) -> str:
        """Write the chain on one line: ``Beacon ← Mara Oduya → Tidewater Labs``.

        ``A → B`` when A names or links B, ``A ← B`` when B names or links A, ``A = B`` when
        something else joins them. What is joined to an earlier passage than the one before begins
        with that: ``A → B; A → C``.
        """
        names = [titled(passage.title, passage.part) for passage in self.passages]
        words = names[0]
        for at, join in enumerate(self.joins, start=1):
            words += "" if join.start == at - 1 else f"; {names[join.start]}"
            words += f" {join.sign} {names[at]}"
        return words

    def as_dict(self) -> dict[str, Any]:
        """Return the chain, ready for JSON."""
        return {
            "summary": self.summary(),
            "passages": [passage.as_dict() for passage in self.passages],
            "joins": [join.as_dict() for join in self.joins],
            "coverage": self.coverage,
            "score": self.score,
        }
