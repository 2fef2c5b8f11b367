"""Pairs of evidence and claim from parsed passages: one fact, in the shapes that evidence has."""

import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from evidence.breaking import NOT_ENOUGH, NOT_SUPPORTED, REFUTED, SUPPORTED, Breaking, negated
from evidence.sentences import DENIED, UNSAID, Passage, Piece, Sentence, written
from evidence.swaps import Claims, Keeping, Pieces, Stock, joined

Marks = list[tuple[int, int, int]]
_SAID: Final = ("{} said that {}", "According to {}, {}", "{} reported that {}",
                "{} believes that {}", "{} wrote that {}")  # fmt: skip
_HEADINGS: Final = (" / Summary", " / History", " / Career", " / Early life", " / Background",
                    " / Reception", " / Plot", " / Works | Later years")  # fmt: skip
_DENIED: Final = ("{} denied that {}", "{} doubts that {}", "{} rejected the claim that {}")


class Pair(NamedTuple):
    """Evidence and claim, and what the evidence says of the claim and of its words."""

    evidence: str
    claim: str
    label: int
    marks: Marks | None = None
    """Where in the claim words are not held, and how; nothing where that is unknown."""
    kind: str = ""


@dataclass
class Fact:
    """One true claim of one sentence, with what changes it."""

    sentence: Sentence
    passage: Passage
    pieces: Pieces
    stock: Stock
    draw: random.Random

    @property
    def keeping(self) -> Keeping:
        """Ways to say it otherwise."""
        return Keeping(self.sentence, self.passage, self.stock, self.draw)

    @property
    def breaking(self) -> Breaking:
        """Ways to make it untrue."""
        return Breaking(self.sentence, self.passage, self.stock, self.draw)

    def kept(self, pieces: Pieces, times: tuple[int, ...] = (0, 0, 0, 1, 1, 2)) -> Pieces:
        """A claim said otherwise, some times over, or as it is."""
        for _ in range(self.draw.choice(times)):
            pieces = self.keeping.apply(pieces)
        return pieces

    def broken(self) -> tuple[Pieces, int, str] | None:
        """The claim untrue in one thing."""
        way = self.breaking
        found = way.apply(self.pieces)
        return (found[0], found[1], way.last) if found else None


class Maker:
    """Makes pairs of passages."""

    def __init__(self, passages: Sequence[Passage], stock: Stock, draw: random.Random) -> None:
        self.passages = passages
        titles = getattr(passages, "titles", None) or [one.title for one in passages]
        self.number_of = {title: at for at, title in enumerate(titles)}
        self.stock = stock
        self.draw = draw

    def of(self, passage: Passage) -> Iterator[Pair]:
        """Yield the pairs of one passage."""
        facts = [
            Fact(one, passage, pieces, self.stock, self.draw)
            for one in passage.sentences
            for pieces in Claims(passage, self.draw).of(one)
        ]
        for fact in facts:
            shape = self.draw.random()
            if shape < 0.56:
                yield from self._plain(fact)
            elif shape < 0.72:
                yield from self._another_world(fact)
            elif shape < 0.80:
                yield from self._question(fact)
            elif shape < 0.86:
                yield from self._said(fact)
            elif shape < 0.93:
                yield from self._bare(fact)
            else:
                yield from self._elsewhere(fact)
        yield from self._two_hops(passage, facts)
        yield from self._record(passage, facts)

    def _claims(self, fact: Fact, evidence: str, kind: str, n: int = 2) -> Iterator[Pair]:
        """A true claim and untrue ones, the words of both changed alike."""
        for _ in range(n - 1):
            # More words of true claims change: those of an untrue one have one change more.
            yield self._pair(evidence, fact.kept(fact.pieces, (0, 1, 1, 2, 3, 4)), SUPPORTED, kind)
        for _ in range(n):
            found = fact.broken()
            if found:
                pieces, label, way = found
                yield self._pair(evidence, fact.kept(pieces), label, f"{kind} {way}")

    def _pair(self, evidence: str, pieces: Pieces, label: int, kind: str) -> Pair:
        claim, marks = written(pieces)
        return Pair(evidence, claim, label, marks, kind)

    def _plain(self, fact: Fact) -> Iterator[Pair]:
        yield from self._claims(fact, self._evidence(fact, fact.sentence.text), "plain")

    def _evidence(self, fact: Fact, text: str) -> str:
        """A statement under its title, alone, in its passage or among others."""
        shape = self.draw.random()
        sentences = [text if one is fact.sentence else one.text for one in fact.passage.sentences]
        if shape < 0.45 or len(sentences) == 1:
            heading = self.draw.choice(_HEADINGS) if self.draw.random() < 0.2 else ""
            return f"{fact.passage.title}{heading}: {text}"
        if shape < 0.55:
            near = self.draw.sample(sentences, 1)
            both = list(dict.fromkeys(self.draw.sample([text, *near], 1 + len(near))))
            return " ".join(f"{fact.passage.title}: {one}" for one in both)
        block = f"{fact.passage.title}: {' '.join(sentences)}"
        return block if shape < 0.8 else self._among(block, fact.passage)

    def _among(self, block: str, passage: Passage) -> str:
        """A block among blocks of others: one that it names, or any."""
        linked = self._linked(passage)
        others = [linked] if linked else []
        others += [self.passages[self.draw.randrange(len(self.passages))]][: self.draw.randrange(2)]
        blocks = [block, *(self._block(one) for one in others)]
        self.draw.shuffle(blocks)
        return " ".join(blocks)

    def _linked(self, passage: Passage) -> Passage | None:
        """The passage that another mentions."""
        at = self.number_of.get(passage.link)
        return None if at is None else self.passages[at]

    def _block(self, passage: Passage) -> str:
        n = self.draw.choice([1, 2, 9])
        return f"{passage.title}: {' '.join(one.text for one in passage.sentences[:n])}"

    def _another_world(self, fact: Fact) -> Iterator[Pair]:
        """The evidence changed, not the claim: what is true of the world decides nothing."""
        found = fact.broken()
        if not found or found[2] in {"subject", "quantifier"}:
            return
        changed, label, way = found
        evidence = self._evidence(fact, written(changed)[0])
        is_wider = label == NOT_ENOUGH
        marks = [piece.mark for piece in changed]
        claim, _ = written(fact.kept(fact.pieces))
        kind = f"world {way}"
        yield Pair(
            evidence, claim, SUPPORTED if is_wider else label, [] if is_wider else None, kind
        )
        clean = [piece._replace(mark=0) for piece in changed] if any(marks) else changed
        yield self._pair(evidence, fact.kept(clean, (0, 1, 2, 3)), SUPPORTED, kind)
        again = fact.broken()
        if again and again[2] != way and again[1] != NOT_ENOUGH:
            yield Pair(evidence, written(again[0])[0], again[1], None, kind)

    def _question(self, fact: Fact) -> Iterator[Pair]:
        """A question with its answer, or without one."""
        asked = question(fact)
        opposite = negated(fact.sentence, fact.pieces, self.draw)
        if not asked or not opposite:
            return
        title = self.draw.choice([f"{fact.passage.title}: ", "", f"{fact.passage.subject}: "])
        between = self.draw.choice([" ", " - ", " A: ", " Answer: ", " B: "])
        yes = self.draw.choice(["Yes.", "Yes, it was.", "Yes, certainly.", "Right.", "It did."])
        no = self.draw.choice(
            ["No.", "No, not at all.", "Not at all.", "No, never.", "It did not."]
        )
        plain, denied = fact.kept(fact.pieces), fact.kept(opposite)
        unmarked = [piece._replace(mark=0) for piece in opposite]
        yield self._pair(f"{title}{asked}{between}{yes}", plain, SUPPORTED, "question yes")
        yield self._pair(f"{title}{asked}{between}{yes}", denied, REFUTED, "question yes")
        against = f"{title}{asked}{between}{no}"
        yield Pair(against, written(plain)[0], REFUTED, None, "question no")
        yield self._pair(against, unmarked, SUPPORTED, "question no")
        if self.draw.random() < 0.5:
            lone = self.draw.choice([plain, unmarked])
            yield Pair(f"{title}{asked}", written(lone)[0], NOT_ENOUGH, None, "question alone")
        yield from self._what(fact, title, between)

    def _what(self, fact: Fact, title: str, between: str) -> Iterator[Pair]:
        """A question for a name, a date or a place, with that as its answer."""
        for first, last, span in fact.keeping.spans(fact.pieces):
            answer = joined(fact.sentence, span)
            before = fact.pieces[first - 1].text if first else ""
            if not first and span.kind in {"PERSON", "ORG"}:
                rest = [Piece("Who", True), *fact.pieces[last:]]
            elif span.kind in {"DATE", "GPE", "LOC"} and before in {"in", "on", "at"}:
                asked = question(fact, {*range(first - 1, last)})
                word = "When" if span.kind == "DATE" else "Where"
                rest = [Piece(f"{word} {asked[:1].lower()}{asked[1:]}")] if asked else []
                answer = f"{before.capitalize()} {answer}"
            else:
                continue
            if rest:
                text = written(rest)[0].rstrip(".?") + "?"
                yield from self._claims(fact, f"{title}{text}{between}{answer}.", "what")
            return

    def _said(self, fact: Fact) -> Iterator[Pair]:
        """Someone says it: then they do, others do not, and it need not be so."""
        if len(fact.pieces) > 25:
            return
        names = [n for n in self.draw.sample(self.stock.names["PERSON"], 2) if " " in n]
        if len(names) < 2 or names[0] == names[1]:
            return
        speaker, other = names
        text = written(fact.pieces)[0].rstrip(".")
        lower = text if fact.sentence.tags[0][:3] == "NNP" else text[:1].lower() + text[1:]
        said, again = self.draw.sample(_SAID, 2)
        lead = f"{fact.passage.title}: " if self.draw.random() < 0.7 else ""
        if self.draw.random() < 0.4:
            evidence = f"{speaker}: {text}."
        else:
            evidence = f"{lead}{said.format(speaker, lower)}."
        if self.draw.random() < 0.5:
            evidence += " " + self.draw.choice(_DENIED).format(other, "that was so") + "."
        yield Pair(evidence, f"{again.format(speaker, lower)}.", SUPPORTED, [], "said")
        claim = again.format(other, lower)
        at = claim.index(other)
        yield Pair(evidence, f"{claim}.", NOT_SUPPORTED, [(at, at + len(other), DENIED)], "said")
        denial = self.draw.choice(_DENIED).format(speaker, lower)
        yield Pair(evidence, f"{denial}.", REFUTED, None, "said")
        found = fact.broken()
        if found:
            changed = written(found[0])[0].rstrip(".")
            yield Pair(evidence, f"{again.format(speaker, changed)}.", found[1], None, "said")

    def _bare(self, fact: Fact) -> Iterator[Pair]:
        """The predicate alone under the title: a list item, a line of notes."""
        first = fact.pieces[0]
        subject = fact.sentence.child(fact.sentence.root, "nsubj", "nsubjpass")
        if first.text != fact.passage.subject and not (
            fact.sentence.is_first and subject >= 0 and fact.pieces[0].at == 0
        ):
            yield from self._plain(fact)
            return
        rest = [p for p in fact.pieces if p.at > subject]
        if rest and rest[0].text in {"is", "was", "are", "were"} and self.draw.random() < 0.6:
            rest = rest[1:]
        if len(rest) < 2:
            return
        title = fact.passage.title
        text = written(rest)[0]
        text = self.draw.choice([text, text.rstrip("."), f"- {text}", f"* {text.rstrip('.')}"])
        evidence = self.draw.choice([f"{title}: {text}", f"{title} / Notes: {text}",
                                     f"# {title} {text}"])  # fmt: skip
        yield from self._claims(fact, evidence, "bare")

    def _elsewhere(self, fact: Fact) -> Iterator[Pair]:
        """The same subject, but other sentences, or another passage's."""
        others = [one.text for one in fact.passage.sentences if one is not fact.sentence]
        found = fact.broken()
        claims = [fact.kept(fact.pieces), *([found[0]] if found else [])]
        if others and self.draw.random() < 0.75:
            evidence = f"{fact.passage.title}: {' '.join(others)}"
            if self.draw.random() < 0.4:
                evidence = f"{fact.passage.title}: {self.draw.choice(others)}"
        elif linked := self._linked(fact.passage):
            evidence = self._block(linked)
        else:
            evidence = self._block(self.passages[self.draw.randrange(len(self.passages))])
        for pieces in claims[: 1 if self.draw.random() < 0.6 else 2]:
            yield Pair(evidence, written(pieces)[0], NOT_ENOUGH, None, "elsewhere")

    def _two_hops(self, passage: Passage, facts: list[Fact]) -> Iterator[Pair]:
        """A claim that calls what it names by what another passage says of it."""
        other = self._linked(passage)
        if not other or not other.sentences:
            return
        others = [
            Fact(one, other, pieces, self.stock, self.draw)
            for one in other.sentences[:3]
            for pieces in Claims(other, self.draw).of(one)
        ]
        blocks = [self._block(passage), self._block(other)]
        full = [
            f"{one.title}: {' '.join(s.text for s in one.sentences)}" for one in (passage, other)
        ]
        self.draw.shuffle(full)
        both = " ".join(full)
        for fact in facts:
            described = self._described(fact, other, others)
            if not described:
                continue
            true, broken = described
            yield self._pair(both, fact.kept(true, (0, 1, 2, 3)), SUPPORTED, "hops")
            for pieces, label in broken:
                yield self._pair(both, fact.kept(pieces), label, "hops")
            yield Pair(blocks[self.draw.randrange(2)], written(true)[0], NOT_ENOUGH, None, "hops")
        mine = [f for f in facts if f.pieces[0].text == passage.subject]
        theirs = [f for f in others if f.pieces[0].text == other.subject]
        for fact, subject in [
            *((f, other.subject) for f in mine),
            *((f, passage.subject) for f in theirs),
        ]:
            if self.draw.random() < 0.5:
                moved = [Piece(subject, True, -2, UNSAID), *fact.pieces[1:]]
                yield self._pair(both, moved, NOT_SUPPORTED, "mixed")

    def _described(
        self, fact: Fact, other: Passage, others: list[Fact]
    ) -> tuple[Pieces, list[tuple[Pieces, int]]] | None:
        """A claim with a description for a name, and the same untrue in either part."""
        words = other.subject.split()
        texts = [piece.text for piece in fact.pieces]
        first = next((n for n in range(len(texts)) if texts[n : n + len(words)] == words), -1)
        telling = [d for d in others if (d.pieces[0].text == other.subject or d.sentence.is_first)]
        if first < 0 or not telling:
            return None
        about = self.draw.choice(telling)
        phrase = description(about, about.pieces)
        if not phrase:
            return None
        end = first + len(words)
        around = [fact.pieces[n] for n in (first - 1, end) if 0 <= n < len(fact.pieces)]
        if any(fact.keeping.tag(piece)[:3] == "NNP" or piece.text == "-" for piece in around):
            return None
        if first and fact.pieces[first - 1].text.lower() in {"the", "a", "an"}:
            return None

        def put(middle: Pieces, around: Pieces, cut: tuple[int, int]) -> Pieces:
            tail_space = around[cut[1] - 1].space
            body = [piece._replace(at=-6) for piece in middle]  # not this sentence's tokens
            body[-1] = body[-1]._replace(space=tail_space)
            return [*around[: cut[0]], *body, *around[cut[1] :]]

        true = put(phrase, fact.pieces, (first, end))
        broken: list[tuple[Pieces, int]] = []
        found = about.broken()
        if found:
            wrong = description(about, found[0])
            if wrong and any(piece.mark for piece in wrong):
                broken.append((put(wrong, fact.pieces, (first, end)), NOT_SUPPORTED))
        found = fact.broken()
        if found:
            texts = [piece.text for piece in found[0]]
            at = next((n for n in range(len(texts)) if texts[n : n + len(words)] == words), -1)
            if at >= 0:
                broken.append((put(phrase, found[0], (at, at + len(words))), found[1]))
        return true, broken

    def _record(self, passage: Passage, facts: list[Fact]) -> Iterator[Pair]:
        """Fields with values, as an information box or a table's row has them."""
        fields = [found for fact in facts if (found := field_of(fact))]
        if not fields or self.draw.random() < 0.3:
            return
        lines = list(dict.fromkeys(f"{name}: {value}" for name, value, _ in fields))
        self.draw.shuffle(lines)
        between = self.draw.choice(["; ", " | ", " ", ". "])
        evidence = f"{passage.title}{self.draw.choice([': ', ' | ', ' - '])}{between.join(lines)}"
        for name, value, fact in fields[:4]:
            yield from self._claims(fact, evidence, "record")
            if len(name.split()) < 3:
                other = self.draw.choice(fields)[1]
                claim = f"{name} of {passage.subject}: "
                yield Pair(evidence, f"{claim}{value}.", SUPPORTED, [], "record")
                if other != value:
                    marks = [(len(claim), len(claim) + len(other), DENIED)]
                    yield Pair(evidence, f"{claim}{other}.", REFUTED, marks, "record")


def question(fact: Fact, without: Collection[int] = ()) -> str:
    """A claim as a question that yes or no answers, or nothing."""
    one, root = fact.sentence, fact.sentence.root
    pieces = [piece for n, piece in enumerate(fact.pieces) if n not in without]
    at = next((n for n, p in enumerate(pieces) if p.at == root), -1)
    if at < 1 or len(pieces) > 25 or any(p.text == "," for p in pieces[:at]):
        return ""
    helpers = [
        n for n, p in enumerate(pieces[:at])
        if p.at in one.children[root] and one.relations[p.at] in {"aux", "auxpass"}
    ]  # fmt: skip
    lead = pieces[0]
    if one.tags[max(lead.at, 0)][:3] != "NNP" and lead.text != fact.passage.subject:
        pieces = [lead._replace(text=lead.text[:1].lower() + lead.text[1:]), *pieces[1:]]
    if helpers or one.lemmas[root] == "be":
        n = helpers[0] if helpers else at
        if not n:
            return ""
        moved = [pieces[n]._replace(space=True), *pieces[:n], *pieces[n + 1 :]]
    else:
        word = {"VBD": "did", "VBZ": "does", "VBP": "do"}.get(one.tags[root])
        if not word:
            return ""
        verb = Piece(one.lemmas[root], True, root)
        moved = [Piece(word, True, -4), *pieces[:at], verb, *pieces[at + 1 :]]
    return written(moved)[0].rstrip(".") + "?"


def description(about: Fact, pieces: Pieces) -> Pieces | None:
    """What a claim says of its subject, as a phrase that stands for the subject."""
    one, root = about.sentence, about.sentence.root
    subject = one.child(root, "nsubj", "nsubjpass")
    at = next((n for n, p in enumerate(pieces) if p.at == root), -1)
    ends = pieces[:-1] if pieces[-1].text == "." else pieces
    if at < 1 or subject < 0 or len(pieces) > 22:
        return None
    is_named = pieces[0].text == about.passage.subject or one.is_first
    if one.lemmas[root] == "be" and is_named and len(ends) > at + 2:
        rest = ends[at + 1 :]
        if rest[0].text in {"a", "an", "the"}:
            return [rest[0]._replace(text="the"), *rest[1:]]
        return None
    if is_named and at == 1 and pieces[0].text == about.passage.subject:
        word = about.draw.choice(["the one that", "the one who", "what", "the person who"])
        return [Piece(word, True, -5), *ends[1:]]
    return None


def field_of(fact: Fact) -> tuple[str, str, Fact] | None:
    """The field and the value that a claim gives its title, if it is so simple."""
    one, root = fact.sentence, fact.sentence.root
    if fact.pieces[0].text != fact.passage.subject and not one.is_first:
        return None
    spans = fact.keeping.spans(fact.pieces)
    if not spans or len(fact.pieces) > 16:
        return None
    first, last, span = spans[-1]
    before = fact.pieces[first - 1] if first else Piece("")
    value = joined(one, span)
    if one.tags[root] == "VBN" and before.text in {"by", "in", "on", "at", "from", "for"}:
        verb = next((p.text for p in fact.pieces if p.at == root), "")
        preposition = "" if before.text in {"in", "on"} and span.kind == "DATE" else before.text
        return (f"{verb} {preposition}".strip().capitalize(), value, fact) if verb else None
    if fact.pieces[-1].at == span.end - 1 and before.text == "born":
        return "Born", value, fact
    noun = one.child(root, "attr")
    if one.lemmas[root] == "be" and noun >= 0 and last >= len(fact.pieces) - 1:
        subject = one.child(root, "nsubj")
        if subject >= 0 and one.words[subject].islower() and one.tags[subject] == "NN":
            return one.words[subject].capitalize(), value, fact
    return None
