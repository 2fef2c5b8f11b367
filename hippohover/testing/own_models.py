"""An encoder and an extractor like a user's, which record what they were asked."""

import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from hippohover.records import ExtractionFailure, Passage, Triple


class HashedWords:
    """A text's words, each counted in a column by its hash."""

    dim = 64

    def __init__(self, name: str = "hashed-words", fingerprint: str = "1") -> None:
        self.name = name
        self.fingerprint = fingerprint
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        rows = np.zeros((len(texts), self.dim), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in re.findall(r"\w+", text.casefold()):
                row[sha256(word.encode()).digest()[0] % self.dim] += 1
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        return rows


class IsA:
    """Reads (title, "is a", next word) once per passage; fails on given texts."""

    def __init__(self, name: str = "is-a", version: str = "1", stumbles: str = "Nothing") -> None:
        self.name = name
        self.version = version
        self._stumbles = stumbles

    def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple] | ExtractionFailure]:
        for passage in passages:
            if passage.title == self._stumbles:
                raise RuntimeError(f"no word for {passage.title}")
            found = re.search(r"\bis an? (\w+)", passage.text)
            yield [Triple(passage.title, "is a", found[1])] if found else []


class OwnModels(TypedDict, total=False):
    """The arguments of ``build`` and of updates for them."""

    encoder: HashedWords
    extractor: IsA


def both(name: str = "") -> OwnModels:
    """Make a new one of each; a name renames them."""
    return {"encoder": HashedWords(name or "hashed-words"), "extractor": IsA(name or "is-a")}
