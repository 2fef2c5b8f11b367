"""Scans the tokens of a text, from one quantity to the next."""

from dataclasses import dataclass, field

from hippohover.language.quantities.quantity import Quantity


@dataclass(frozen=True, slots=True)
class Token:
    text: str
    low: str
    start: int
    stop: int


@dataclass
class Scan:
    """The tokens of a text, and how many of them were read."""

    tokens: list[Token]
    at: int = 0
    found: list[Quantity] = field(default_factory=list[Quantity])

    def low(self, ahead: int = 0) -> str:
        at = self.at + ahead
        return self.tokens[at].low if 0 <= at < len(self.tokens) else ""

    def joined(self, ahead: int) -> bool:
        """Return whether a token and the next one touch each other."""
        at = self.at + ahead
        return 0 <= at < len(self.tokens) - 1 and self.tokens[at].stop == self.tokens[at + 1].start

    def text(self, ahead: int = 0) -> str:
        at = self.at + ahead
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""
