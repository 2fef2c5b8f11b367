"""True sentences changed in one thing, which makes them untrue, or in how they are put.

A claim in the making is a list of pieces that point to tokens of its sentence. ``Claims`` takes
whole sentences and parts of them as true claims; ``Keeping`` says the same otherwise; ``Breaking``
exchanges one thing for another of its kind, as often for one from the same passage as for one
from elsewhere, so that the words of a claim do not tell whether it is true.
"""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from evidence import numbers_and_dates as numbers
from evidence.lexicon import Lexicon
from evidence.sentences import DENIED, Passage, Piece, Sentence, Span

Pieces = list[Piece]
LIGHT: Final = frozenset(("be", "have", "do", "make", "take", "get", "go", "come"))
"""Verbs whose meaning hangs on what they govern."""
_SUBJECTS: Final = ("nsubj", "nsubjpass")
_PERSONAL: Final = frozenset(("he", "she", "it", "they"))
_LOOSE: Final = (
    "advcl",
    "relcl",
    "appos",
    "acl",
    "npadvmod",
    "advmod",
    "prep",
    "amod",
    "parataxis",
)


@dataclass
class Stock:
    """What may be put in another's place, from many sentences."""

    lexicon: Lexicon
    names: dict[str, list[str]] = field(default_factory=dict)
    units: dict[str, list[str]] = field(default_factory=dict)
    words: dict[str, list[str]] = field(default_factory=dict)
    phrases: list[tuple[str, ...]] = field(default_factory=list)
    """Prepositional phrases that end sentences."""

    @classmethod
    def learned(cls, lexicon: Lexicon, passages: Iterable[Passage]) -> "Stock":
        """Learn from passages."""
        stock = cls(lexicon)
        sentences = [one for passage in passages for one in passage.sentences]
        lexicon.learn(sentences)
        names: dict[str, list[str]] = defaultdict(list)
        units: dict[str, Counter[str]] = defaultdict(Counter)
        words: dict[str, Counter[str]] = defaultdict(Counter)
        for one in sentences:
            for span in one.entities:
                names[span.kind].append(joined(one, span))
            for at, relation in enumerate(one.relations):
                head = one.heads[at]
                if relation == "nummod" and one.words[head].islower():
                    units[one.tags[head]][one.words[head]] += 1
                if one.words[at].islower() and one.tags[at] in {"JJ", "NN", "NNS", "RB", "VBN"}:
                    words[one.tags[at]][one.words[at]] += 1
            stock.phrases += [_texts(one, phrase) for phrase in _last_phrases(one)]
        stock.names = dict(names)
        stock.units = {t: [w for w, n in c.items() if n > 2] for t, c in units.items()}
        stock.words = {t: [w for w, n in c.items() if n > 4] for t, c in words.items()}
        return stock


def joined(sentence: Sentence, span: Span) -> str:
    """The words of a span as they were written."""
    return "".join(
        sentence.words[at] + " " * sentence.spaces[at] for at in range(span.start, span.end)
    ).strip()


def _texts(sentence: Sentence, tokens: Sequence[int]) -> tuple[str, ...]:
    return tuple(sentence.words[at] for at in tokens)


def _last_phrases(sentence: Sentence) -> list[list[int]]:
    found: list[list[int]] = []
    for child in sentence.children[sentence.root]:
        if sentence.relations[child] == "prep" and child > sentence.root:
            tokens = sorted(sentence.subtree(child))
            if 2 <= len(tokens) <= 7 and len(tokens) == tokens[-1] - tokens[0] + 1:
                found.append(tokens)
    return found


class Claims:
    """True claims that a sentence makes."""

    def __init__(self, passage: Passage, draw: random.Random) -> None:
        self.passage = passage
        self.draw = draw

    def of(self, one: Sentence) -> list[Pieces]:
        """The sentence, shortened, and its parts as claims of their own."""
        if one.tags[one.root][:1] not in "VM" or not 4 <= len(one.words) <= 50:
            return []
        subject = one.child(one.root, *_SUBJECTS)
        if subject < 0:
            return []
        main = self._named(one, one.pieces())
        found = [self._shortened(one, main)]
        found += self._second_verbs(one, subject)
        found += self._appositions(one)
        found += self._relative_clauses(one)
        found += self._born(one)
        return [pieces for pieces in found if 3 <= len(pieces) <= 45]

    def _subject(self) -> Pieces:
        return [Piece(self.passage.subject, True, -2)]

    def _named(self, one: Sentence, pieces: Pieces) -> Pieces:
        """The title in place of a pronoun that is the subject of a later sentence."""
        subject = one.child(one.root, *_SUBJECTS)
        if one.is_first or one.words[subject].lower() not in _PERSONAL:
            return pieces
        return [
            Piece(self.passage.subject, p.space, p.at) if p.at == subject else p for p in pieces
        ]

    def _shortened(self, one: Sentence, pieces: Pieces) -> Pieces:
        """Drop what stands in brackets, and some of what can be left out."""
        gone: set[int] = set()
        opened = 0
        for at, word in enumerate(one.words):
            opened += word in "([" and bool(word)
            if opened:
                gone.add(at)
            opened -= word in ")]" and opened > 0
        is_denied = any(relation == "neg" for relation in one.relations)
        chance = self.draw.choice([0, 0.3, 0.6, 0.9])
        for at, relation in enumerate(one.relations):
            if relation not in _LOOSE or self.draw.random() > chance:
                continue
            if is_denied or (relation in {"advmod", "amod"} and self.draw.random() < 0.5):
                continue
            if one.tags[one.heads[at]] == "CD" or "-" in one.words[at : at + 2]:
                continue
            tree = one.subtree(at)
            is_needed = relation == "prep" and (
                one.tags[one.heads[at]] in {"VBN"}
                or one.words[one.heads[at]] in {"is", "was", "one"}
            )
            if not is_needed and one.root not in tree and len(tree) < len(one.words) // 1.5:
                gone |= tree
        kept = [p for p in pieces if p.at not in gone]
        return kept if len(kept) >= 4 else pieces

    def _lead(self, one: Sentence, subject: int) -> Pieces:
        """The subject of a sentence, the title for a pronoun."""
        tokens = sorted(one.subtree(subject))
        tokens = [at for at in tokens if at <= subject or one.relations[at] in {"compound", "flat"}]
        return self._named(one, one.pieces(tokens))

    def _second_verbs(self, one: Sentence, subject: int) -> list[Pieces]:
        found: list[Pieces] = []
        for at in one.children[one.root]:
            is_verb = one.tags[at] in {"VBD", "VBZ", "VBP"}
            if one.relations[at] == "conj" and is_verb and one.child(at, *_SUBJECTS) < 0:
                tokens = [
                    t for t in sorted(one.subtree(at)) if t >= at or one.relations[t] == "aux"
                ]
                found.append(self._lead(one, subject) + one.pieces(tokens))
        return found

    def _appositions(self, one: Sentence) -> list[Pieces]:
        """Of a name with an apposition a claim that it is that."""
        found: list[Pieces] = []
        for at, relation in enumerate(one.relations):
            head = one.heads[at]
            if relation != "appos" or one.tags[head] != "NNP" or one.tags[at] not in {"NN", "NNP"}:
                continue
            name = next((s for s in one.entities if s.start <= head < s.end), None)
            tokens = sorted(one.subtree(at))
            if name and one.tags[tokens[0]] == "DT" and len(tokens) < 20:
                verb = [Piece(self.draw.choice(["is", "was"]), True, head)]
                found.append(one.pieces(range(name.start, name.end)) + verb + one.pieces(tokens))
        return found

    def _relative_clauses(self, one: Sentence) -> list[Pieces]:
        found: list[Pieces] = []
        for at, relation in enumerate(one.relations):
            head = one.heads[at]
            who = one.child(at, *_SUBJECTS)
            if relation != "relcl" or who < 0 or one.words[who] not in {"who", "which"}:
                continue
            name = next((s for s in one.entities if s.start <= head < s.end), None)
            tokens = [t for t in sorted(one.subtree(at)) if t > who]
            if name and tokens and one.tags[head] == "NNP":
                found.append(one.pieces(range(name.start, name.end)) + one.pieces(tokens))
        return found

    def _born(self, one: Sentence) -> list[Pieces]:
        """Claims of birth and death from the brackets behind a name."""
        if not one.is_first or "born" not in one.words[:12]:
            return []
        at = one.words.index("born")
        date = next((s for s in one.entities if s.start == at + 1 and s.kind == "DATE"), None)
        if not date:
            return []
        day = any(word.isdigit() and len(word) < 3 for word in one.words[date.start : date.end])
        lead = [*self._subject(), Piece("was", True, at), Piece("born", True, at)]
        return [
            [*lead, Piece("on" if day else "in", True, date.start),
             *one.pieces(range(date.start, date.end))]
        ]  # fmt: skip


@dataclass
class Edit:
    """One way to change claims of one sentence."""

    sentence: Sentence
    passage: Passage
    stock: Stock
    draw: random.Random

    @property
    def day_tokens(self) -> set[int]:
        """Tokens of dates of several words: their numbers count nothing by themselves."""
        return {
            at for span in self.sentence.entities
            if span.kind in {"DATE", "TIME"} and span.end - span.start > 1
            for at in range(span.start, span.end)
        }  # fmt: skip

    def spans(self, pieces: Pieces) -> list[tuple[int, int, Span]]:
        """Where names of the sentence stand whole in a claim: piece from, to, and the name."""
        at_of = {piece.at: n for n, piece in enumerate(pieces)}
        found: list[tuple[int, int, Span]] = []
        for span in self.sentence.entities:
            places = [at_of.get(at, -9) for at in range(span.start, span.end)]
            is_whole = -9 not in places and places[-1] - places[0] == len(places) - 1
            same = is_whole and all(
                pieces[n].text == self.sentence.words[pieces[n].at] for n in places
            )
            if same:
                found.append((places[0], places[-1] + 1, span))
        return found

    def plain(self, pieces: Pieces) -> list[int]:
        """Pieces that are words of the sentence as it has them, in small letters."""
        words = self.sentence.words
        return [
            n for n, piece in enumerate(pieces)
            if piece.at >= 0 and piece.text == words[piece.at] and piece.text.islower()
        ]  # fmt: skip

    def tag(self, piece: Piece) -> str:
        """The tag of the token that a piece is."""
        return self.sentence.tags[piece.at] if piece.at >= 0 else ""

    def put(self, pieces: Pieces, first: int, last: int, text: str, mark: int = 0) -> Pieces:
        """Other words in place of some pieces, whose mark stays unless there is another."""
        mark = mark or max((piece.mark for piece in pieces[first:last]), default=0)
        old = pieces[last - 1] if last > first else pieces[first - 1]
        at = pieces[first].at if last > first else pieces[first - 1].at
        return [*pieces[:first], Piece(text, old.space or last == first, at, mark), *pieces[last:]]


class Keeping(Edit):
    """The same said otherwise, or less of it."""

    def apply(self, pieces: Pieces) -> Pieces:
        """Change a claim in one way that keeps it true; as it is where none applies."""
        ways = [self.synonym, self.synonym, self.wider, self.number, self.date, self.moved,
                self.bound, self.passive]  # fmt: skip
        self.draw.shuffle(ways)
        for way in ways[:4]:
            changed = way(pieces)
            if changed:
                return changed
        return pieces

    def synonym(self, pieces: Pieces) -> Pieces | None:
        """A word for another that means the same."""
        return self._related(pieces, "s")

    def wider(self, pieces: Pieces) -> Pieces | None:
        """A wider noun, where nothing is denied or counted."""
        if any(self.sentence.relations[p.at] in {"neg", "nummod"} for p in pieces if p.at >= 0):
            return None
        return self._related(pieces, "h", ("NN",))

    def _related(self, pieces: Pieces, relation: str, tags: tuple[str, ...] = ()) -> Pieces | None:
        places = self.plain(pieces)
        self.draw.shuffle(places)
        for n in places[:6]:
            tag = self.tag(pieces[n])
            others = self.stock.lexicon.others(pieces[n].text, tag, relation)
            is_light = self.sentence.lemmas[pieces[n].at] in LIGHT
            if others and not is_light and (not tags or tag in tags):
                other = others[0] if relation == "s" else self.draw.choice(others[:2])
                return self.put(with_article(pieces, n, other), n, n + 1, other)
        return None

    def number(self, pieces: Pieces) -> Pieces | None:
        """A number in words for one in figures, or the reverse."""
        dates = self.day_tokens
        for n, piece in enumerate(pieces):
            if self.tag(piece) == "CD" and piece.at not in dates:
                other = numbers.rewritten(piece.text)
                if other:
                    return self.put(pieces, n, n + 1, other)
        return None

    def date(self, pieces: Pieces) -> Pieces | None:
        """A day in the other order, or its month or year alone."""
        for first, last, span in self.spans(pieces):
            forms = numbers.day_forms(joined(self.sentence, span)) if span.kind == "DATE" else []
            if forms:
                word, text = self.draw.choice(forms)
                if first and pieces[first - 1].text in {"on", "in"}:
                    pieces = self.put(pieces, first - 1, first, word)
                elif word == "in":
                    return None
                return self.put(pieces, first, last, text)
        return None

    def bound(self, pieces: Pieces) -> Pieces | None:
        """A bound that a number keeps."""
        return bounded(self, pieces, 0)

    def moved(self, pieces: Pieces) -> Pieces | None:
        """The last phrase of a sentence put first."""
        at_of = {piece.at: n for n, piece in enumerate(pieces)}
        for tokens in _last_phrases(self.sentence):
            places = [at_of.get(at, -9) for at in tokens]
            if -9 in places or places[-1] - places[0] != len(places) - 1 or places[0] < 3:
                continue
            first, last = places[0], places[-1] + 1
            if any(p.text == "," for p in pieces[:first]):
                continue
            lead = [*pieces[first : last - 1], pieces[last - 1]._replace(space=False)]
            return [*lead, Piece(",", True, -3), *_small(pieces[:first], self), *pieces[last:]]
        return None

    def passive(self, pieces: Pieces) -> Pieces | None:
        """What someone did told as what was done by them."""
        one, root = self.sentence, self.sentence.root
        subject, thing = one.child(root, "nsubj"), one.child(root, "dobj", "obj")
        is_said = any(p.at == root and p.text == one.words[root] and not p.mark for p in pieces)
        is_plain = one.tags[root] == "VBD" and one.child(root, "conj", "neg") < 0
        if not is_said or not is_plain or subject < 0 or thing < 0:  # another verb stays another
            return None
        participle = self.stock.lexicon.forms.get((one.lemmas[root], "VBN"))
        done, by = part(one, pieces, thing), part(one, pieces, subject)
        if not participle or not done or not by or by[-1] >= done[0]:
            return None
        between = [n for n in range(by[-1] + 1, done[0]) if pieces[n].at != root]
        if between or len(done) != done[-1] - done[0] + 1 or len(by) != by[-1] - by[0] + 1:
            return None
        verb = "were" if one.tags[thing] in {"NNS", "NNPS"} else "was"
        return [
            *pieces[: by[0]],
            *(pieces[n] for n in done),
            Piece(verb, True, root), Piece(participle, True, root), Piece("by", True, root),
            *_small([pieces[n] for n in by], self),
            *pieces[done[-1] + 1 :],
        ]  # fmt: skip


def part(one: Sentence, pieces: Pieces, at: int) -> list[int]:
    """Which pieces are a token or depend on it."""
    tree = one.subtree(at)
    return [n for n, piece in enumerate(pieces) if piece.at in tree]


def _small(pieces: Pieces, edit: Edit) -> Pieces:
    """Pieces that stood first, with a small letter unless they are a name."""
    is_title = pieces and pieces[0].text == edit.passage.subject
    if pieces and not is_title and pieces[0].at >= 0 and edit.tag(pieces[0])[:3] != "NNP":
        first = pieces[0]
        return [first._replace(text=first.text[:1].lower() + first.text[1:]), *pieces[1:]]
    return pieces


def with_article(pieces: Pieces, n: int, word: str) -> Pieces:
    """The article before a word as the word wants it."""
    if n and pieces[n - 1].text in {"a", "an"}:
        article = "an" if word[0] in "aeiou" else "a"
        return [*pieces[: n - 1], pieces[n - 1]._replace(text=article), *pieces[n:]]
    return pieces


def bounded(edit: Edit, pieces: Pieces, which: int) -> Pieces | None:
    """A bound for a number or year: one that it keeps, or, if ``which`` is 1, does not."""
    dates = edit.day_tokens
    for n, piece in enumerate(pieces):
        if piece.at < 0 or piece.text != edit.sentence.words[piece.at] or piece.at in dates:
            continue
        is_year = numbers.is_year(piece.text)
        if edit.sentence.relations[piece.at] == "nummod" and not is_year:
            words = numbers.bounds(piece.text, edit.draw)[which]
            if words:
                return edit.put(pieces, n, n + 1, words, DENIED * which)
        if is_year and n and pieces[n - 1].text == "in":
            year, off = int(piece.text), edit.draw.choice([1, 2, 5, 10, 20])
            words = edit.draw.choice([f"before {year + off}", f"after {year - off}"])
            if which:
                words = edit.draw.choice([f"before {year - off}", f"after {year + off}"])
            return edit.put(pieces, n - 1, n + 1, words, DENIED * which)
    return None


def title_words(passage: Passage) -> set[str]:
    """The words of a passage's title."""
    return set(re.findall(r"\w+", passage.subject.lower()))
