"""One thing of a claim exchanged for another of its kind, which makes the claim untrue."""

import random
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from evidence import numbers_and_dates as numbers
from evidence.sentences import DENIED, UNSAID, Passage, Piece, Sentence
from evidence.swaps import (
    LIGHT,
    Edit,
    Pieces,
    Stock,
    bounded,
    joined,
    part,
    title_words,
    with_article,
)
from evidence.words import WORDS

SUPPORTED: Final = 0
NOT_ENOUGH: Final = 1
REFUTED: Final = 2
NOT_SUPPORTED: Final = 3
"""Refuted or not enough: a swap does not tell which."""

_NUMERIC: Final = frozenset(("DATE", "CARDINAL", "ORDINAL", "QUANTITY", "MONEY", "PERCENT", "TIME"))
_OPPOSITE: Final = defaultdict(list[str])
for _one, _other in WORDS["opposed"]:
    _OPPOSITE[_one].append(_other)
    _OPPOSITE[_other].append(_one)
_QUANTIFIERS: Final[dict[str, list[str]]] = WORDS["quantifiers"]
_MODALS: Final[dict[str, list[str]]] = WORDS["modals"]

Broken = tuple[Pieces, int]
"""A claim with what the evidence then says of it."""


@dataclass
class Breaking(Edit):
    """Ways to make a claim untrue."""

    last: str = ""
    """The way that was taken last."""
    weights: dict[str, int] = field(
        default_factory=lambda: {
            "filler": 7, "number": 4, "unit": 1, "antonym": 4, "sibling": 4, "word": 4, "role": 5,
            "polarity": 5, "modality": 2, "quantifier": 2, "opposite": 3, "added": 3, "bound": 2,
            "subject": 2, "verb": 3, "modifier": 2, "day": 2,
        }
    )  # fmt: skip

    def apply(self, pieces: Pieces) -> Broken | None:
        """Change a claim in one way that is drawn, or in the next that applies."""
        names = list(self.weights)
        for name in sorted(names, key=lambda n: self.draw.random() ** (1 / self.weights[n]))[::-1]:
            way: Callable[[Pieces], Broken | None] = getattr(self, name)
            found = way(pieces)
            if found and found[0] != pieces:
                self.last = name
                return found
        return None

    def filler(self, pieces: Pieces) -> Broken | None:
        """A name for another of its kind."""
        spans = self.spans(pieces)
        self.draw.shuffle(spans)
        for first, last, span in spans:
            old = joined(self.sentence, span)
            other = self._other_name(span.kind, old)
            if other and span.kind not in {"CARDINAL", "ORDINAL"}:
                label = REFUTED if span.kind in _NUMERIC else NOT_SUPPORTED
                return self.put(pieces, first, last, other, DENIED), label
        return None

    def _other_name(self, kind: str, old: str) -> str:
        near = [
            joined(one, span)
            for one in self.passage.sentences
            for span in one.entities
            if span.kind == kind
        ]
        title = title_words(self.passage)
        words = {word.lower() for word in old.split()}
        pools = [near, self.stock.names.get(kind, [])]
        if self.draw.random() < 0.25:
            pools.reverse()
        for pool in pools:
            for other in self.draw.sample(pool, min(5, len(pool))):
                theirs = {word.lower() for word in other.split()}
                is_other = not theirs <= words and not words <= theirs and not theirs & title
                if is_other and len(other) < 50 and "(" not in other:
                    return other
        return ""

    def number(self, pieces: Pieces) -> Broken | None:
        """A number or ordinal for another."""
        dates = self.day_tokens
        places = [
            n for n, p in enumerate(pieces)
            if p.at >= 0 and (self.tag(p) == "CD" or p.text.lower() in numbers.ORDINALS
                              or p.text[:-2].isdigit())
            and (p.at not in dates or numbers.is_year(p.text))
        ]  # fmt: skip
        self.draw.shuffle(places)
        for n in places:
            near = [
                word
                for one in self.passage.sentences
                for word, tag in zip(one.words, one.tags, strict=True)
                if tag == "CD" and numbers.is_year(word) == numbers.is_year(pieces[n].text)
                and numbers.value(word) not in {None, numbers.value(pieces[n].text)}
            ]  # fmt: skip
            is_near = bool(near) and self.tag(pieces[n]) == "CD" and self.draw.random() < 0.5
            other = (
                self.draw.choice(near) if is_near else numbers.another(pieces[n].text, self.draw)
            )
            if other and self.draw.random() < 0.3:
                other = numbers.rewritten(other) or other
            if other:
                return self.put(pieces, n, n + 1, other, DENIED), REFUTED
        return None

    def day(self, pieces: Pieces) -> Broken | None:
        """A day that differs in one part."""
        for first, last, span in self.spans(pieces):
            other = numbers.another_day(joined(self.sentence, span), self.draw)
            if other:
                return self.put(pieces, first, last, other, DENIED), REFUTED
        return None

    def bound(self, pieces: Pieces) -> Broken | None:
        """A bound that a number does not keep."""
        found = bounded(self, pieces, 1)
        return (found, REFUTED) if found else None

    def unit(self, pieces: Pieces) -> Broken | None:
        """What is counted for something else that is."""
        for n in self.plain(pieces):
            tag = self.tag(pieces[n])
            if self.sentence.child(pieces[n].at, "nummod") >= 0 and self.stock.units.get(tag):
                other = self.draw.choice(self.stock.units[tag])
                if other != pieces[n].text:
                    return self.put(pieces, n, n + 1, other, DENIED), NOT_SUPPORTED
        return None

    def antonym(self, pieces: Pieces) -> Broken | None:
        """A word for its opposite."""
        return self._related(pieces, "a", REFUTED)

    def sibling(self, pieces: Pieces) -> Broken | None:
        """A word for another kind of what it is a kind of."""
        return self._related(pieces, "b", NOT_SUPPORTED)

    def _related(self, pieces: Pieces, relation: str, label: int) -> Broken | None:
        places = self.plain(pieces)
        self.draw.shuffle(places)
        for n in places:
            tag = self.tag(pieces[n])
            others = self.stock.lexicon.others(pieces[n].text, tag, relation)
            if others and self.sentence.lemmas[pieces[n].at] not in LIGHT:
                other = self.draw.choice(others[:6])
                changed = with_article(pieces, n, other)
                return self.put(changed, n, n + 1, other, DENIED), label
        return None

    def word(self, pieces: Pieces) -> Broken | None:
        """A noun or adjective for one of the passage, or of any, with its tag."""
        places = [n for n in self.plain(pieces) if self.tag(pieces[n]) in {"NN", "NNS", "JJ"}]
        self.draw.shuffle(places)
        for n in places[:3]:
            tag = self.tag(pieces[n])
            near = [
                word
                for one in self.passage.sentences
                for word, theirs in zip(one.words, one.tags, strict=True)
                if theirs == tag and word.islower() and word.isalpha()
            ]
            pool = near if near and self.draw.random() < 0.65 else self.stock.words.get(tag, [])
            other = self.draw.choice(pool) if pool else ""
            same = self.stock.lexicon.others(pieces[n].text, tag, "s")
            wide = self.stock.lexicon.others(pieces[n].text, tag, "h")
            if other and other not in {pieces[n].text, *same, *wide}:
                changed = with_article(pieces, n, other)
                return self.put(changed, n, n + 1, other, DENIED), NOT_SUPPORTED
        return None

    def verb(self, pieces: Pieces) -> Broken | None:
        """The verb for one of the passage, or for its participle another."""
        root = self.sentence.root
        for n, piece in enumerate(pieces):
            if piece.at != root or piece.text != self.sentence.words[root]:
                continue
            tag, lemma = self.tag(piece), self.sentence.lemmas[root]
            near = [
                word
                for one in self.passage.sentences
                for word, theirs, their in zip(one.words, one.tags, one.lemmas, strict=True)
                if theirs == tag and their not in {lemma, *LIGHT}
            ]
            pool = near if near and self.draw.random() < 0.7 else self.stock.words.get(tag, [])
            if pool and lemma not in LIGHT:
                other = self.draw.choice(pool)
                if other != piece.text:
                    return self.put(pieces, n, n + 1, other, DENIED), NOT_SUPPORTED
        return None

    def role(self, pieces: Pieces) -> Broken | None:
        """Who did it for whom it was done to; two names of one kind exchanged."""
        one, root = self.sentence, self.sentence.root
        subject, thing = one.child(root, "nsubj", "nsubjpass"), one.child(root, "dobj", "obj")
        if thing < 0:
            agent = one.child(root, "agent")
            thing = one.child(agent, "pobj") if agent >= 0 else -1
        pairs: list[tuple[list[int], list[int]]] = []
        if subject >= 0 and thing >= 0 and one.tags[subject][:2] == one.tags[thing][:2] == "NN":
            pairs.append((part(one, pieces, subject), part(one, pieces, thing)))
        spans = self.spans(pieces)
        pairs += [
            ([*range(a[0], a[1])], [*range(b[0], b[1])])
            for at, a in enumerate(spans)
            for b in spans[at + 1 :]
            if a[2].kind == b[2].kind
            and a[1] < b[0]
            and pieces[b[0] - 1].text not in {"and", "or", ","}
        ]
        self.draw.shuffle(pairs)
        for left, right in pairs:
            is_whole = (
                left and right and left[-1] < right[0]
                and left[-1] - left[0] == len(left) - 1 and right[-1] - right[0] == len(right) - 1
            )  # fmt: skip
            if is_whole and len(left) + len(right) < 14:
                first = [pieces[n]._replace(mark=DENIED) for n in left]
                other = [pieces[n]._replace(mark=DENIED) for n in right]
                between = pieces[left[-1] + 1 : right[0]]
                head, tail = pieces[: left[0]], pieces[right[-1] + 1 :]
                return [*head, *other, *between, *first, *tail], NOT_SUPPORTED
        return None

    def polarity(self, pieces: Pieces) -> Broken | None:
        """What is said denied, or what is denied said."""
        changed = negated(self.sentence, pieces, self.draw)
        return (changed, REFUTED) if changed else None

    def modality(self, pieces: Pieces) -> Broken | None:
        """What may, must or will be for what is, and the reverse."""
        one, root = self.sentence, self.sentence.root
        for n, piece in enumerate(pieces):
            if self.tag(piece) == "MD" and piece.text in _MODALS:
                other = self.draw.choice(_MODALS[piece.text])
                return self.put(pieces, n, n + 1, other, DENIED), NOT_SUPPORTED
            if piece.at == root and one.tags[root] in {"VBD", "VBZ"} and one.lemmas[root] != "be":
                helper = self.draw.choice(["failed to", "planned to", "refused to", "was asked to",
                                           "nearly had to", "hoped to"])  # fmt: skip
                said = f"{helper} {one.lemmas[root]}"
                return self.put(pieces, n, n + 1, said, DENIED), NOT_SUPPORTED
        return None

    def quantifier(self, pieces: Pieces) -> Broken | None:
        """How many of them for another share; all or only those where none is said."""
        for n, piece in enumerate(pieces):
            if piece.at >= 0 and piece.text.lower() in _QUANTIFIERS:
                other = self.draw.choice(_QUANTIFIERS[piece.text.lower()])
                return self.put(pieces, n, n + 1, other, DENIED), NOT_SUPPORTED
        for n in self.plain(pieces):
            if self.tag(pieces[n]) == "NNS" and pieces[n - 1].text in {"the", "of", "in", "by"}:
                word = self.draw.choice(["no", "all", "few", "only"])
                label = REFUTED if word == "no" else NOT_SUPPORTED
                return self.put(pieces, n, n, word, DENIED), label
        return None

    def opposite(self, pieces: Pieces) -> Broken | None:
        """A small word of order, place or extent for its opposite."""
        places = [n for n, p in enumerate(pieces) if p.at >= 0 and p.text.lower() in _OPPOSITE]
        if not places:
            return None
        n = self.draw.choice(places)
        other = self.draw.choice(_OPPOSITE[pieces[n].text.lower()])
        return self.put(pieces, n, n + 1, other, DENIED), NOT_SUPPORTED

    def added(self, pieces: Pieces) -> Broken | None:
        """A phrase added that the evidence does not have."""
        phrase = list(self.draw.choice(self.stock.phrases))
        known = {word.lower() for one in self.passage.sentences for word in one.words}
        if all(word.lower() in known for word in phrase):
            return None
        end = len(pieces) - (pieces[-1].text in {".", "!"})
        if pieces[0].text.lower() in phrase[:1] or end < 3:
            return None
        text = " ".join(phrase).replace(" ,", ",").replace(" 's", "'s")
        added = Piece(text, end == len(pieces), pieces[end - 1].at, UNSAID)
        return [*pieces[: end - 1], pieces[end - 1]._replace(space=True), added,
                *pieces[end:]], NOT_ENOUGH  # fmt: skip

    def modifier(self, pieces: Pieces) -> Broken | None:
        """An adjective added that the evidence does not have."""
        places = [n for n in self.plain(pieces) if self.tag(pieces[n]) == "NN" and n > 1]
        pool = self.stock.words.get("JJ", [])
        if not places or not pool:
            return None
        n, other = self.draw.choice(places), self.draw.choice(pool)
        if pieces[n - 1].text in {"a", "an", "the"}:
            return self.put(with_article(pieces, n, other), n, n, other, UNSAID), NOT_ENOUGH
        return None

    def subject(self, pieces: Pieces) -> Broken | None:
        """Another's name where the title of the passage stands."""
        for n, piece in enumerate(pieces):
            if piece.text == self.passage.subject:
                kind = next((s.kind for s in self.sentence.entities if s.start <= piece.at < s.end),
                            "PERSON")  # fmt: skip
                other = self._other_name(kind, self.passage.subject)
                return (self.put(pieces, n, n + 1, other, UNSAID), NOT_ENOUGH) if other else None
        return None


def negated(one: Sentence, pieces: Pieces, draw: random.Random) -> Pieces | None:
    """A claim whose main verb is denied if it was not, and not if it was."""
    root = one.root
    at = next((n for n, p in enumerate(pieces) if p.at == root), -1)
    if at < 0 or pieces[at].text != one.words[root]:
        return None
    helpers = [
        n for n, p in enumerate(pieces[:at])
        if p.at in one.children[root] and one.relations[p.at] in {"aux", "auxpass"}
    ]  # fmt: skip
    denials = [
        n for n, p in enumerate(pieces)
        if p.at in one.children[root] and one.relations[p.at] == "neg"
    ]  # fmt: skip
    said = pieces[at]._replace(mark=DENIED)
    if denials:
        changed = [said if n == at else p for n, p in enumerate(pieces) if n not in denials]
        return [p._replace(space=True) for p in changed]
    if helpers or one.lemmas[root] == "be":
        place = helpers[0] if helpers else at
        word = draw.choice(["not", "not", "never", "no longer"])
        return [*pieces[: place + 1], Piece(word, True, pieces[place].at, DENIED),
                *pieces[place + 1 :]]  # fmt: skip
    auxiliary = {"VBD": "did", "VBZ": "does", "VBP": "do"}.get(one.tags[root])
    if not auxiliary:
        return None
    if draw.random() < 0.25:
        words = f"never {pieces[at].text}"
    elif one.child(root, "dobj") >= 0 and draw.random() < 0.15:
        words = f"{draw.choice(['failed', 'refused'])} to {one.lemmas[root]}"
    else:
        words = f"{auxiliary} not {one.lemmas[root]}"
    return [*pieces[:at], Piece(words, True, root, DENIED), *pieces[at + 1 :]]


def spoken(passage: Passage, stock: Stock, draw: random.Random) -> tuple[str, str]:
    """Two names of people, for who said something and who did not."""
    people = [
        joined(one, s) for one in passage.sentences for s in one.entities if s.kind == "PERSON"
    ]
    pool = people if len(set(people)) > 2 else stock.names["PERSON"]
    first, other = draw.choice(pool), draw.choice(stock.names["PERSON"])
    return first, other
