"""Copies of a corpus under other names, for corpora of any size: what ``scale.py`` builds of.

Copy 0 is the corpus itself. In every other copy the words that titles are made of are exchanged,
each for the same one throughout the copy, so that its documents name each other as those of the
corpus do. A frequent word becomes another of like frequency: the names of all copies draw on the
same "John" and "River", and names of one word meet across copies as they do in Wikipedia. A rare
word becomes a new one, by exchanging vowels for vowels and consonants for consonants: so the
vocabulary grows with the corpus, as it does in Wikipedia.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import numpy as np

from hippohover.indexing.corpus.stream import read_corpus
from hippohover.names.mentions import STOP_TOKENS
from hippohover.recipe import CorpusSettings
from hippohover.store.checksums import sha256_of

Document = tuple[str, str, int]
"""Title, text, and the number of passages that a build makes of it."""

MAX_WORDS: Final = 250

_WORD = re.compile(r"[^\W\d_]+")
_FREQUENT: Final = 64
_VOWELS: Final = "aeiou"
_CONSONANTS: Final = "bcdfghjklmnpqrstvwxyz"


def write_corpus(source: Path, n_passages: int, to: Path) -> int:
    """Write copies of a corpus as JSON lines, of ``n_passages`` passages; number of documents.

    A file that is there was written whole, and is left as it is. What it was made of stands beside
    it: one of another corpus is refused.
    """
    source_sha256, made_of = sha256_of(source), to.with_name(f"{to.name}.source")
    if to.exists():
        if not made_of.exists() or made_of.read_text(encoding="ascii") != source_sha256:
            raise SystemExit(
                f"error: {to} was not made of {source}: remove it, or name another WORK"
            )
        with to.open("rb") as lines:
            return sum(1 for _ in lines)
    documents = read_documents(source)
    words = name_words(documents)
    to.parent.mkdir(parents=True, exist_ok=True)
    beside = to.with_name(f"{to.name}.part")
    n_documents = n_written = copy = 0
    with beside.open("w", encoding="utf-8") as file:
        while n_written < n_passages:
            renamed = renaming(words, copy)
            for title, text, n in documents:
                record = {"title": renamed(title), "text": renamed(text)}
                if copy and (record["title"], record["text"]) == (title, text):
                    continue  # it names nothing: the same document again
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
                n_documents += 1
                n_written += n
                if n_written >= n_passages:
                    break
            copy += 1
    made_of.write_text(source_sha256, encoding="ascii")
    beside.rename(to)
    return n_documents


def read_documents(source: Path) -> list[Document]:
    """Documents of a corpus file, in its order."""
    lengths: list[int] = []
    for passage in read_corpus(source, CorpusSettings(max_words=MAX_WORDS)):
        if passage.part == 0:
            lengths.append(0)
        lengths[-1] += 1
    whole = read_corpus(source)
    return [(one.title, one.text, n) for one, n in zip(whole, lengths, strict=True)]


def name_words(documents: list[Document]) -> dict[str, int]:
    """Words of titles that are written as names wherever they stand, and how often they do."""
    titles = {word for title, _, _ in documents for word in _WORD.findall(title)}
    counts: Counter[str] = Counter()
    for _, text, _ in documents:
        counts.update(_WORD.findall(text))
    return {
        word: counts[word]
        for word in sorted(titles)
        if word[0].isupper()
        and len(word) > 1
        and word.lower() not in STOP_TOKENS
        and counts[word] >= 4 * counts[word.lower()]
    }


def renaming(words: dict[str, int], copy: int) -> Callable[[str], str]:
    """Gives a text the names of a copy; that of copy 0 is the text."""
    if copy == 0:
        return lambda text: text
    rng = np.random.default_rng(copy)
    classes: dict[int, list[str]] = {}
    for word, count in words.items():
        if count >= _FREQUENT:
            classes.setdefault(count.bit_length(), []).append(word)
    table: dict[str, str] = {}
    for members in classes.values():
        table |= zip(members, (members[at] for at in rng.permutation(len(members))), strict=True)
    letters = dict(_exchanged(_VOWELS, rng)) | dict(_exchanged(_CONSONANTS, rng))
    to_others = str.maketrans(letters | {k.upper(): v.upper() for k, v in letters.items()})
    table |= {word: word.translate(to_others) for word in words if word not in table}

    def renamed(text: str) -> str:
        return _WORD.sub(lambda match: table.get(match[0], match[0]), text)

    return renamed


def _exchanged(letters: str, rng: np.random.Generator) -> Iterator[tuple[str, str]]:
    return zip(letters, (letters[at] for at in rng.permutation(len(letters))), strict=True)
