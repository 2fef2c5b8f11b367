"""What words mean beside others, from WordNet's files, and the forms that a corpus has of them.

    cd benchmarks; python -m evidence.lexicon WORDNET OUT.xz

WORDNET is a folder with ``data.noun``, ``index.noun`` and their like (WordNet 3.0; its licence
asks for its notice). Only the first sense of a lemma is read: the one that texts use most.
"""

import json
import lzma
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from evidence.sentences import Sentence

KINDS: Final = {"noun": "N", "verb": "V", "adj": "J", "adv": "R"}
_MOST: Final = 12

Entry = dict[str, list[str]]


def compact(folder: Path) -> dict[str, dict[str, Entry]]:
    """By kind and lemma: synonyms, hypernyms, siblings and antonyms of its first sense."""
    return {kind: _kind(folder, name) for name, kind in KINDS.items()}


def _kind(folder: Path, name: str) -> dict[str, Entry]:
    first: dict[str, tuple[str, int]] = {}
    for line in (folder / f"index.{name}").read_text("utf-8").splitlines():
        fields = line.split()
        if line.startswith(" ") or not fields or "_" in fields[0]:
            continue
        n_pointers = int(fields[3])
        n_tagged = int(fields[5 + n_pointers])
        first[fields[0]] = (fields[6 + n_pointers], n_tagged)
    words: dict[str, list[str]] = {}
    up: dict[str, list[str]] = {}
    down: dict[str, list[str]] = defaultdict(list)
    against: dict[tuple[str, str], list[tuple[str, int]]] = defaultdict(list)
    for line in (folder / f"data.{name}").read_text("utf-8").splitlines():
        if line.startswith(" "):
            continue
        fields = line.split("|")[0].split()
        n_words = int(fields[3], 16)
        offset, lemmas = fields[0], [w.split("(")[0] for w in fields[4 : 4 + 2 * n_words : 2]]
        words[offset] = lemmas
        pointers = fields[5 + 2 * n_words :][: 4 * int(fields[4 + 2 * n_words])]
        for symbol, target, _, pair in zip(*[iter(pointers)] * 4, strict=False):
            if symbol == "@":
                up.setdefault(offset, []).append(target)
                down[target].append(offset)
            elif symbol == "!":
                source, aim = int(pair[:2], 16), int(pair[2:], 16)
                against[offset, lemmas[source - 1].lower()].append((target, aim))

    def plain(found: Iterable[str], but: str) -> list[str]:
        """Known single words that are common, the commonest first."""
        kept = {one for one in found if one in first and one != but and first[one][1]}
        return sorted(kept, key=lambda one: (-first[one][1], one))[:_MOST]

    def entry(lemma: str, offset: str) -> Entry:
        parents = up.get(offset, [])
        sisters = [one for parent in parents for one in down[parent] if one != offset]
        found = {
            "s": [one for one in words[offset] if first.get(one, ("",))[0] == offset],
            "h": [one for parent in parents for one in words[parent]],
            "b": [w for one in sisters for w in words[one] if first.get(w, ("",))[0] == one],
            "a": [words[target][aim - 1] for target, aim in against.get((offset, lemma), [])],
        }
        return {key: kept for key, of in found.items() if (kept := plain(of, lemma))}

    return {
        lemma: found
        for lemma, (offset, n_tagged) in first.items()
        if n_tagged and (found := entry(lemma, offset))
    }


@dataclass
class Lexicon:
    """Related words, in the form of the word that they replace."""

    related: dict[str, dict[str, Entry]]
    forms: dict[tuple[str, str], str] = field(default_factory=dict)
    """The commonest form of a lemma under a tag."""
    lemma_of: dict[tuple[str, str], str] = field(default_factory=dict)

    def learn(self, sentences: Iterable[Sentence]) -> None:
        """Learn the forms of words from sentences."""
        counts: Counter[tuple[str, str, str]] = Counter()
        for one in sentences:
            for word, tag, lemma in zip(one.words, one.tags, one.lemmas, strict=True):
                if tag[:1] == "V" and lemma and word.isalpha():
                    counts[lemma, tag, word.lower()] += 1
                elif tag in {"NNS", "NN", "JJ", "RB"} and word.isalpha() and word.islower():
                    counts[self._singular(word, tag), tag, word] += 1
        for (lemma, tag, word), _ in counts.most_common()[::-1]:
            self.forms[lemma, tag] = word
            self.lemma_of[word, tag] = lemma

    def form(self, lemma: str, tag: str) -> str:
        """A lemma in the form of a tag, or nothing where none was seen."""
        return lemma if tag in {"VB", "VBP", "NN", "JJ", "RB"} else self.forms.get((lemma, tag), "")

    def others(self, word: str, tag: str, relation: str) -> list[str]:
        """Words in a relation to a word, in its form."""
        kind = tag[:1]
        if not word.isalpha() or not word.islower():
            return []
        lemma = self.lemma_of.get((word, tag), word)
        found = self.related.get(kind, {}).get(lemma, {}).get(relation, [])
        return [form for one in found if (form := self.form(one, tag)) and form != word]

    def _singular(self, word: str, tag: str) -> str:
        if tag != "NNS":
            return word
        nouns = self.related["N"]
        for ending, instead in (("ies", "y"), ("es", ""), ("s", ""), ("men", "man")):
            if word.endswith(ending) and word[: -len(ending)] + instead in nouns:
                return word[: -len(ending)] + instead
        return word.removesuffix("s")


if __name__ == "__main__":
    related = json.dumps(compact(Path(sys.argv[1])), separators=(",", ":"))
    Path(sys.argv[2]).write_bytes(lzma.compress(related.encode()))
