"""A claim held against sentences: what denies it, counts otherwise, or turns it round.

For each check the sentences count that are about the same: whose subject is the claim's, where that
is a name, and that hold enough of its words. A pronoun, and a subject without a name, stand for the
passage's title. A finding is sure where the words around it are the same as well; one that is not
keeps a claim from being called supported, and contradicts nothing.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from hippohover.verification.reading.clauses import CLAUSE_BORDERS, Said
from hippohover.verification.reading.cues import Cues, cues
from hippohover.verification.reading.frames import (
    frames_of,
    main_frame,
    name_before,
    name_behind,
    same_name,
)
from hippohover.verification.reading.pairs import is_of_another
from hippohover.verification.reading.quantities import Quantity, likeness

FindingKind = Literal["denied", "number", "roles", "object", "replaced", "hedged"]

_CARRIES: Final = 0.6
"""Share of a claim that a sentence holds which says it, or denies it."""
_ABOUT: Final = 0.3
_ALIKE: Final = 0.4
"""Cosine of two words of one kind: "British" and "American"."""
_HALF: Final = 0.5
_WINDOW: Final = 4
_BESIDE: Final = 3
_REACH: Final = 6
_RELATIVE: Final = frozenset(["who", "which", "that", "where", "whose", "when"])
_POSSESSIVE: Final = frozenset(["his", "her", "its", "their"])
_NOW: Final = frozenset({("is",), ("are",), ("has",), ("have",)})
_PAST: Final = frozenset(
    ["former", "formerly", "used to", "previously", "ex", "left", "quit", "resigned",
     "resigned from", "withdrew from", "retired from"]
)  # fmt: skip
"""What stands behind these is so no more, and was so."""
_MORE: Final = frozenset(["more", "less", "fewer"])
_THAN_REACH: Final = 8
_LISTED: Final = 16
"""Words behind a relation among which a second value may stand: "directed by A, B and C"."""
_THAN: Final = frozenset({("than",), ("to",), ("of",)})


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that speaks against a claim.

    Attributes
    ----------
    kind : {"denied", "number", "roles", "object", "replaced", "hedged"}
    sentence : int
        Place of the sentence among those of the evidence.
    cue : str
        What of it speaks against the claim.
    told : str
        In words.
    sure : bool
        Whether it contradicts the claim; else it only keeps it from being called supported.
    """

    kind: FindingKind
    sentence: int
    cue: str
    told: str
    sure: bool = True


@dataclass(frozen=True)
class Told:
    """A sentence of a passage with its title's stems, as a comparison reads it."""

    said: Said
    title: frozenset[str]
    pronouns: frozenset[str]

    @property
    def subject(self) -> frozenset[str]:
        """Stems of what the sentence is about: of its names, or of its passage's title.

        A part of the title stands for all of it: "Okafor" in the passage of Ruth Okafor. "Her
        sister Mira Okafor" is another.
        """
        said = self.said
        names = said.subject
        if names and said.words[0] not in self.pronouns:
            return self.title if names <= self.title else names
        owned = said.words[:1] and said.words[0] in _POSSESSIVE and len(names) > 1
        return names if owned else self.title | names

    @property
    def stems(self) -> frozenset[str]:
        """All of its stems, and its title's."""
        return self.title | self.said.held.keys()


class Comparison:
    """One sentence of a claim, or a clause of it, against all of its evidence.

    Parameters
    ----------
    claim : Said
    evidence : sequence of Told
    known : Cues
    worth : callable
        Stem -> what it tells: its rarity.
    alike : callable
        Two words -> how alike they are, at most 1.
    """

    def __init__(
        self,
        claim: Said,
        evidence: Sequence[Told],
        known: Cues,
        worth: Callable[[str], float],
        alike: Callable[[str, str], float] = lambda _, __: 0.0,
    ) -> None:
        self.claim = claim
        self.evidence = evidence
        self._cues = known
        self._worth = worth
        self._alike = alike
        counted = {stem for one in claim.quantities for stem in claim.stems_in(one)}
        self.subject = claim.subject if claim.direct else frozenset[str]()
        told_not = frozenset(
            stem
            for stem, word in zip(claim.stems, claim.words, strict=True)
            if word in claim.cue.split()
        )
        aside = self.subject | counted | told_not
        self.content = [stem for stem in claim.held if stem not in aside]
        self.frame = main_frame(claim, self.subject)
        self._predicate = next(iter(claim.relation), "")
        self._stems = [self._with_opposites(told) for told in evidence]
        self.about = [at for at in range(len(evidence)) if self._is_about(at)]
        self.carriers = [at for at in self.about if self.share(at) >= _CARRIES]

    def findings(self) -> list[Finding]:
        """All that speaks against it, the surest kinds first."""
        checks = (
            self._denials,
            self._numbers,
            self._roles,
            self._objects,
            self._nationality,
            self._replaced,
            self._hedges,
            self._of_another_subject,
        )
        return [finding for check in checks for finding in check()]

    def share(self, at: int) -> float:
        """Share of the claim, its subject and quantities aside, that a sentence holds, [0, 1]."""
        return self._share(self.content, self._stems[at])

    def numbers_held(self) -> dict[Quantity, bool]:
        """Each quantity that the claim must have, and whether a sentence about the same has it."""
        return {one: self._is_held(one) for one in self.claim.quantities if not one.written}

    def _is_held(self, quantity: Quantity) -> bool:
        """Whether a sentence about the same has it; in "a 1987 war film", any sentence."""
        places = range(len(self.evidence)) if self._describes(quantity) else self.about
        return any(self._has(at, quantity) for at in places)

    def _describes(self, quantity: Quantity) -> bool:
        """Whether it stands in the description of something that the claim does not name."""
        first, *_ = [*self.claim.places_in(quantity), 0]
        return first > self.claim.verb + 2 and self.claim.words[first - 1] in {"a", "an"}

    def held_otherwise(self, at: int) -> tuple[list[Quantity], list[str]]:
        """Quantities and stems that a sentence says in another form, or by not their opposite."""
        if at not in self.about:
            return [], []
        quantities = [one for one in self.claim.quantities if self._has(at, one)]
        stems = [
            stem
            for stem in self.content
            if stem not in self.evidence[at].said.held
            and (True in self._ways(at, stem) or self._measures(at, stem))
        ]
        return quantities, stems

    def _measures(self, at: int, stem: str) -> bool:
        """Whether a sentence gives the claim's number, and its measure by another word."""
        others = self._cues.measures.get(stem, frozenset[str]())
        return bool(others & self.evidence[at].said.held.keys()) and any(
            self._has(at, one) for one in self.claim.quantities
        )

    def _is_about(self, at: int) -> bool:
        if not self.subject:
            return self.share(at) >= _ABOUT
        if self._is_another(at):
            return False
        return self._share(self.subject, self.evidence[at].subject) >= _CARRIES

    def _is_another(self, at: int) -> bool:
        """Whether a sentence's subject has a name of its own: Emilia Sykes is not Eric Sykes."""
        other = self.evidence[at].subject
        return bool(self.subject - other and other - self.subject)

    def _with_opposites(self, told: Told) -> frozenset[str]:
        """A sentence's stems, and those of the claim whose opposite or converse it has."""
        held = told.said.held.keys()
        return told.stems | {
            stem
            for stem in self.claim.held
            if (self._opposites(stem) | self._cues.converse.get(stem, frozenset())) & held
        }

    def _opposites(self, stem: str) -> frozenset[str]:
        return self._cues.opposites.get(stem, frozenset())

    def _share(self, stems: Collection[str], held: Collection[str]) -> float:
        total = sum(self._worth(stem) for stem in stems)
        return sum(self._worth(stem) for stem in stems if stem in held) / total if total else 1.0

    def _ways(self, at: int, stem: str) -> set[bool]:
        """How a sentence says a claim's word: {True} as the claim does, {False} the other way."""
        yes, no = self.claim.held[stem]
        mine = no and not yes
        held = self.evidence[at].said.held
        if stem in held:
            affirmed, denied = held[stem]
            found = ({not mine} if affirmed else set[bool]()) | ({mine} if denied else set())
            return {True} if found == {False} and not mine and self._turned_twice(at) else found
        found = set[bool]()
        for other in self._opposites(stem) & held.keys():
            if self._near(self.claim, stem) & self._near(self.evidence[at].said, other):
                affirmed, denied = held[other]
                found |= ({mine} if affirmed else set()) | ({not mine} if denied else set())
        return found

    def _turned_twice(self, at: int) -> bool:
        """Whether a sentence denies the opposite: what was never closed was open."""
        held = self.evidence[at].said.held
        return any(
            held[other] == (False, True)
            for stem in self.content
            if stem not in held
            for other in self._opposites(stem) & held.keys()
        )

    def _near(self, said: Said, stem: str) -> frozenset[str]:
        """Stems of the words around a word, that word aside."""
        return frozenset(
            near
            for at, one in enumerate(said.stems)
            if one == stem
            for near in said.stems[max(0, at - _WINDOW) : at + _WINDOW + 1]
            if near and near != stem
        )

    def _denials(self) -> list[Finding]:
        """A word of the claim that sentences which carry it say the other way, and none its way."""
        for stem in self.content:
            ways = {at: self._ways(at, stem) for at in self.carriers}
            against = [
                at for at, said in ways.items() if said == {False} and not self._agrees(at, stem)
            ]
            if not against or any(True in said for said in ways.values()):
                continue
            if any(True in self._ways(at, stem) for at in self.about):
                continue
            at = against[0]
            said = self.evidence[at].said
            opposite = next(
                (
                    w
                    for w, s in zip(said.words, said.stems, strict=True)
                    if s in self._opposites(stem)
                ),
                "",
            )
            cue = (said.cue if stem in said.held else opposite) or self.claim.cue or opposite
            return [Finding("denied", at, cue, f"“{cue}”", sure=self._sure_denial(at, said.cue))]
        return []

    def _agrees(self, at: int, stem: str) -> bool:
        """Whether a sentence says all of it, or its predicate, as the claim does.

        "It did not win the prize, although it was shortlisted for it."
        """
        said, claim = self.evidence[at].said, self.claim
        length = len(claim.words) - (claim.words[-1:] == (".",))
        if said.words[:length] == claim.words[:length]:
            return True
        if self._in_another_clause(said, stem) and self._ways(at, self._predicate) == {True}:
            return True
        return any(
            one == (False, True) and said.held.get(word) == one for word, one in claim.held.items()
        )

    def _in_another_clause(self, said: Said, stem: str) -> bool:
        """Whether a mark or a word that begins a clause parts a word from the claim's predicate."""
        if self._predicate == stem or not {stem, self._predicate} <= said.held.keys():
            return False
        start, stop = sorted((said.stems.index(stem), said.stems.index(self._predicate)))
        return bool(CLAUSE_BORDERS & set(said.words[start:stop]))

    def _sure_denial(self, at: int, cue: str) -> bool:
        """Not where the claim has the same cue, or denies of two things, or a thing not found."""
        words = self.claim.words
        denied = [stem for stem, said in self.claim.held.items() if said == (False, True)]
        if {"both", "either", "also"} & set(words) or (cue and cue.split(maxsplit=1)[0] in words):
            return not denied and not (cue and cue.split(maxsplit=1)[0] in words)
        return not denied or self._share(denied, self._stems[at]) >= 1.0

    def _hedges(self) -> list[Finding]:
        """What the claim says outright, and the evidence only as what may be."""
        if any(self.claim.hedged):
            return []
        now = self.claim.words[self.claim.verb : self.claim.verb + 1] in _NOW
        firm: set[str] = set()
        soft: dict[str, int] = {}
        for at in range(len(self.evidence)):
            said = self.evidence[at].said
            names_it = bool(self.subject) and self.subject <= said.held.keys()
            if at not in self.carriers and not (names_it and self.share(at) >= _CARRIES):
                continue
            if said.hedge in _PAST and not now:
                continue
            for stem, hedged in zip(said.stems, said.hedged, strict=True):
                if stem in self.content and hedged:
                    soft.setdefault(stem, at)
                elif stem:
                    firm.add(stem)
        at = next((at for stem, at in soft.items() if stem not in firm), -1)
        if at < 0:
            return []
        cue = self.evidence[at].said.hedge
        return [Finding("hedged", at, cue, f"“{cue}”", sure=False)]

    def _numbers(self) -> list[Finding]:
        """A quantity of the claim for which a sentence about the same thing has another one."""
        found: list[Finding] = []
        for quantity in self.claim.quantities:
            if self._is_held(quantity):
                continue
            other = self._other_number(quantity) or self._of_another(quantity)
            if other is not None:
                found.append(other)
        return found

    def _other_number(self, quantity: Quantity) -> Finding | None:
        """Another quantity where the claim has this one."""
        for at in sorted(self.about, key=lambda at: -self.share(at)):
            other = self._another(at, quantity)
            if other is not None:
                said = self.evidence[at].said.text[other.start : other.stop]
                mine = self.claim.text[quantity.start : quantity.stop]
                sure = self._sure_number(at, quantity)
                return Finding("number", at, said, f"{said}, not {mine}", sure=sure)
        return None

    def _of_another(self, quantity: Quantity) -> Finding | None:
        """This quantity in a sentence about something else alone, where the subject is a name."""
        if not self.subject or quantity.written:
            return None
        for at, told in enumerate(self.evidence):
            like = [likeness(quantity, one) for one in told.said.quantities]
            if at not in self.about and "same" in like and self.share(at) >= _CARRIES:
                mine = self.claim.text[quantity.start : quantity.stop]
                return Finding("number", at, mine, f"{mine} is said of another", sure=False)
        return None

    def _of_another_subject(self) -> list[Finding]:
        """All that the claim says, of one who shares the name: "His sister Eva Lund was"."""
        if not self.subject or not self.content or self.carriers:
            return []
        for at, told in enumerate(self.evidence):
            own = told.said.held.keys()
            kin = self._is_another(at) and bool(self.subject & told.subject)
            if kin and not self.subject <= own and self._share(self.content, own) >= 1.0:
                name = " ".join(sorted(told.subject))
                return [Finding("object", at, name, "it is said of another", sure=False)]
        return []

    def _sure_number(self, at: int, quantity: Quantity) -> bool:
        """Where the quantity belongs to the claim's own predicate, and not to a clause inside."""
        places = self.claim.places_in(quantity)
        if not places or (
            quantity.written and self.claim.words[places[-1] + 1 : places[-1] + 2] == ("of",)
        ):
            return False
        between = self.claim.words[self.claim.verb : places[0]]
        near = len(between) <= _REACH + 1 and not _RELATIVE & set(between)
        after = places[0] > self.claim.verb
        return near and after and (bool(self.subject) or self.share(at) >= 1.0)

    def _has(self, at: int, quantity: Quantity) -> bool:
        """Whether a sentence about the same has a quantity, or its title the number of a name."""
        told = self.evidence[at]
        if quantity.kind == "label" and {quantity.unit, f"{quantity.low:g}"} <= told.title:
            return True
        like = [likeness(quantity, one) for one in told.said.quantities]
        if quantity.kind == "number" and quantity.low < quantity.high and "other" in like:
            return False  # "all scored between 80 % and 90 %": not where one is outside
        if "same" not in like or is_of_another(told.said, self.claim, quantity, self._predicate):
            return False
        if not self.content or self.share(at) >= _ABOUT:
            return True
        around = self._around(self.claim, quantity, _WINDOW) - self.subject
        around = frozenset(stem for stem in around if stem not in self._cues.converse)
        return any(
            around & self._around(told.said, one, _REACH)
            for one, found in zip(told.said.quantities, like, strict=True)
            if found == "same"
        )

    def _another(self, at: int, quantity: Quantity) -> Quantity | None:
        """A quantity of its kind among the words that the claim has around its own."""
        said = self.evidence[at].said
        if not self.subject and self.share(at) < _CARRIES:
            return None
        around = self._around(self.claim, quantity, _BESIDE) - self.subject
        noun = self._noun(self.claim, quantity)
        likely: list[tuple[float, float, Quantity]] = []
        for one in said.quantities:
            if likeness(quantity, one) != "other" or self._answers(one, quantity):
                continue
            counts = quantity.kind in {"number", "ordinal"} and not quantity.unit
            if counts and (quantity.written or one.written) and noun != self._noun(said, one):
                continue
            near = self._around(said, one, _REACH) | self._turned(said)
            share = self._share(around, near)
            if (around or self.subject) and share >= _HALF:
                before = self._around(said, one, _BESIDE, behind=False)
                likely.append((share, self._share(around, before), one))
        return max(likely, key=lambda one: one[:2], default=(0, 0, None))[2]

    def _turned(self, said: Said) -> frozenset[str]:
        return frozenset(
            stem
            for stem in self.content
            if stem not in said.held and self._opposites(stem) & said.held.keys()
        )

    def _answers(self, one: Quantity, quantity: Quantity) -> bool:
        """Whether a quantity of a sentence is another one of the claim's own."""
        others = (mine for mine in self.claim.quantities if mine is not quantity)
        return any(likeness(mine, one) == "same" for mine in others)

    @staticmethod
    def _around(
        said: Said, quantity: Quantity, reach: int, *, behind: bool = True
    ) -> frozenset[str]:
        """Stems of the words before a quantity, and behind it, those of quantities aside."""
        inside = {at for one in said.quantities for at in said.places_in(one)}
        mine = said.places_in(quantity)
        if not mine:
            return frozenset()
        before = [s for at, s in enumerate(said.stems[: mine[0]]) if s and at not in inside]
        after = [s for at, s in enumerate(said.stems) if at > mine[-1] and s and at not in inside]
        return frozenset([*before[-reach:], *(after[:reach] if behind else ())])

    @staticmethod
    def _noun(said: Said, quantity: Quantity) -> str:
        """Stem of the word behind a quantity: what it counts."""
        behind = (
            stem
            for stem, (start, _) in zip(said.stems, said.spans, strict=True)
            if stem and start >= quantity.stop
        )
        return next(behind, "")

    def _roles(self) -> list[Finding]:
        """A does to B what a sentence says B does to A, or as much in converse words."""
        words = zip(self.claim.words, self.claim.named, strict=True)
        if not self.subject or self._cues.symmetric & {word for word, named in words if not named}:
            return []
        ways = {at: self._way(told) for at, told in enumerate(self.evidence)}
        against = [at for at, way in ways.items() if way is False]
        if not against or True in ways.values():
            return []
        said = self.evidence[against[0]].said
        cue = said.words[said.verb] if said.verb < len(said.words) else ""
        return [Finding("roles", against[0], cue, "the two change places")]

    def _way(self, told: Told) -> bool | None:
        """Whether a sentence has the two in the claim's places; None where it does not say."""
        compared = self._compared(told)
        if compared is not None:
            return compared
        than = self._than(told)
        if than is not None:
            return than
        if self.frame is None:
            return None
        agent, patient = self.frame.agent_and_patient
        frames = frames_of(told.said, self.claim.stems[self.frame.at], (told.subject,))
        if any(one.has(agent, patient) for one in frames):
            return True
        return False if any(one.has(patient, agent) for one in frames) else None

    def _compared(self, told: Told) -> bool | None:
        """The same of "A before B" and its converse, by the names behind the two words."""
        for at, stem in enumerate(self.claim.stems):
            converse = self._cues.converse.get(stem, frozenset())
            if stem in told.said.held and converse & told.said.held.keys():
                continue  # "slower on small files and faster on large ones"
            second = self._name_behind(self.claim, at) if converse else frozenset[str]()
            for place, other in enumerate(told.said.stems if second else ()):
                if other == stem or other in converse:
                    way = self._placed(told, second, self._name_behind(told.said, place))
                    if way is not None:
                        return way == (other == stem)
        return None

    def _than(self, told: Told) -> bool | None:
        """The same of what no name says: "more common in men than in women"."""
        mine, other = _sides_of_than(self.claim), _sides_of_than(told.said)
        if mine is None or other is None or mine[2] != other[2]:
            return None
        straight = mine[:2] == other[:2]
        crossed = mine[0] == other[1] and mine[1] == other[0]
        return None if straight == crossed else straight

    def _placed(self, told: Told, second: frozenset[str], objects: frozenset[str]) -> bool | None:
        """Whether subject and second stand as subject and object (True), or crossed (False)."""
        straight = self.subject <= told.subject and bool(objects) and second <= objects
        crossed = second <= told.subject and bool(objects) and self.subject <= objects
        return None if straight == crossed else straight

    @staticmethod
    def _name_behind(said: Said, at: int) -> frozenset[str]:
        after = at + 2 if said.words[at + 1 : at + 2] in _THAN else at + 1
        if said.words[after : after + 1] == ("the",) and not any(said.named[after + 1 : after + 2]):
            return name_behind(said, after)  # "the sculptor Ann Lee"
        return frozenset(said.stems[one] for one in said.run_of_name(after) if said.stems[one])

    def _objects(self) -> list[Finding]:
        """Another name behind a relation that has one value: "born in", "directed by"."""
        capital = self._other_capital()
        for at, stem in () if capital else enumerate(self.claim.stems):
            wanted = self._value(self.claim, at)
            if wanted:
                places = self.about if self.subject else range(len(self.evidence))
                found = self._other_value(stem, wanted, places, self.claim.held.keys())
                return [] if found is None else [found]
        return [*capital, *self._other_agent()]

    def _other_agent(self) -> list[Finding]:
        """ "Ann Lee directed Low Tide" where Low Tide was directed by another."""
        frame = self.frame
        if frame is None or frame.passive or not frame.second:
            return []
        stem = self.claim.stems[frame.at]
        if "by" not in self._cues.one_valued.get(stem, ()):
            return []
        told_of = [
            at
            for at, told in enumerate(self.evidence)
            if self._is_named(frame.second, told.subject)
        ]
        said_of_it = (frames_of(told.said, stem, (told.subject,)) for told in self.evidence)
        if any(one.has(self.subject, frame.second) for frames in said_of_it for one in frames):
            return []
        found = self._other_value(stem, self.subject, told_of, self.subject)
        return [] if found is None else [found]

    def _is_named(self, name: frozenset[str], other: frozenset[str]) -> bool:
        """Whether a sentence's subject is what a name says, and not a longer one or another."""
        return name <= other and self._share(other, name) >= _CARRIES

    def _other_capital(self) -> list[Finding]:
        """Another capital of the same country: "X is the capital of Y", "Y's capital is X"."""
        mine = _capital_in(self.claim, frozenset())
        if mine is None or {"was", "until", "former"} & set(self.claim.words):
            return []
        found = [(at, _capital_in(told.said, told.title)) for at, told in enumerate(self.evidence)]
        others = [
            (at, one[0]) for at, one in found if one is not None and same_name(mine[1], one[1])
        ]
        if any(same_name(mine[0], city) for _, city in others):
            return []
        for at, city in others:
            told = f"“{' '.join(sorted(city))}” is the capital"
            return [Finding("object", at, "capital", told)]
        return []

    def _nationality(self) -> list[Finding]:
        """Another country in what a sentence says the same subject is."""
        mine = self.claim.nationality
        if not self.subject or not mine:
            return []
        kin = frozenset[str]().union(mine, *(one for one in self._cues.together if one & mine))
        words = {word for at in self.about for word in self.evidence[at].said.words}
        for at in () if kin & words else self.about:
            other = self.evidence[at].said.nationality
            if other:
                told = f"“{' '.join(sorted(other))}”, not “{' '.join(sorted(mine))}”"
                return [Finding("object", at, min(other), told)]
        return []

    def _other_value(
        self,
        stem: str,
        wanted: frozenset[str],
        places: Sequence[int],
        held: Collection[str],
    ) -> Finding | None:
        """Another value in some sentences, none of which has the claim's."""
        against: Finding | None = None
        for number in places:
            said = self.evidence[number].said
            values = [
                (at, self._value(said, at)) for at, one in enumerate(said.stems) if one == stem
            ]
            for place, value in values:
                if not value:
                    continue
                behind = {one for one in said.stems[place : place + _LISTED] if one}
                if value & set(held) or self._share(wanted, behind) >= _CARRIES:
                    return None
                if against is None:
                    cue = " ".join(said.words[place : place + 8])
                    sure = bool(self.subject) or self.share(number) >= _CARRIES
                    against = Finding("object", number, cue, f"“{cue} …”", sure=sure)
        return against

    def _value(self, said: Said, at: int) -> frozenset[str]:
        """Stems of the name that is the value of the relation at a word; empty where none is."""
        prepositions = self._cues.one_valued.get(said.stems[at])
        if not prepositions or said.named[at]:
            return frozenset()
        dates = {place for one in said.quantities for place in said.places_in(one)}
        for place in range(at + 1, min(at + 9, len(said.words))):
            if said.words[place] not in prepositions:
                continue
            after = place + 1
            name = [one for one in said.run_of_name(after) if one not in dates]
            if name:
                return frozenset(said.stems[one] for one in name if said.stems[one])
        return frozenset()

    def _replaced(self) -> list[Finding]:
        """A word that no sentence has, where one of the same kind stands between its neighbours."""
        everywhere = frozenset[str]().union(*(told.stems for told in self.evidence))
        counted = {at for one in self.claim.quantities for at in self.claim.places_in(one)}
        for at, stem in enumerate(self.claim.stems):
            if (
                not stem
                or at in counted
                or stem in everywhere
                or self._opposites(stem) & everywhere
            ):
                continue
            for number, told in enumerate(self.evidence):
                other = self._in_its_place(at, told.said)
                if other >= 0:
                    word = told.said.words[other]
                    told_ = f"“{word}”, not “{self.claim.words[at]}”"
                    return [Finding("replaced", number, word, told_, sure=False)]
        return []

    def _in_its_place(self, at: int, said: Said) -> int:
        """Place of another word of the kind between the same neighbours; -1 without one."""
        left, right = self._sides(self.claim, at)
        for other, stem in enumerate(said.stems):
            if not stem or stem in self.claim.held or said.named[other] != self.claim.named[at]:
                continue
            if any({self.claim.words[at], said.words[other]} <= one for one in self._cues.together):
                continue
            before, after = self._sides(said, other)
            both = set(left) & set(before) and set(right) & set(after)
            alike = both and self._alike(self.claim.words[at], said.words[other]) >= _ALIKE
            if alike or (both and left[-1] == before[-1] and right[0] == after[0]):
                return other
        return -1

    @staticmethod
    def _sides(said: Said, at: int) -> tuple[list[str], list[str]]:
        """Stems of the two words with one before a word, and behind it."""
        before = [stem for stem in said.stems[:at] if stem]
        after = [stem for stem in said.stems[at + 1 :] if stem]
        return before[-2:], after[:2]


def _capital_in(said: Said, title: frozenset[str]) -> tuple[frozenset[str], frozenset[str]] | None:
    """A capital and its country, in either form; None where a sentence names none.

    "Its capital" is the title's.
    """
    words = said.words
    for at, word in enumerate(words):
        if word != "capital" or {"former", "old", "until"} & set(words[max(0, at - 2) : at]):
            continue
        behind = at + 2 if words[at + 1 : at + 2] == ("city",) else at + 1
        if words[behind : behind + 1] == ("of",):
            country = name_behind(said, behind + 1)
            before = name_before(said, at)
            city = before or name_behind(said, behind + 1 + len(country) + 1)
            city = city or (title if words[0] in {"it", "this"} else frozenset())
        else:
            country = name_before(said, at) if at and words[at - 1] != "its" else title
            country = country or title
            city = name_behind(said, behind)
        if country and city and country != city:
            return city, country
    return None


def _sides_of_than(said: Said) -> tuple[str, str, str] | None:
    """Stems of the words before and behind "than", and of what is compared; or None."""
    if said.words.count("than") != 1:
        return None
    at = said.words.index("than")
    compared = next(
        (
            place
            for place in range(at - 1, max(-1, at - _THAN_REACH), -1)
            if said.words[place] in _MORE or said.stems[place] in cues().converse
        ),
        -1,
    )
    before = [stem for stem in said.stems[compared + 1 : at] if stem]
    behind = [stem for stem in said.stems[at + 1 : at + 4] if stem]
    if compared < 0 or len(before) < 2 or not behind:
        return None
    return before[-1], behind[0], " ".join([said.words[compared], *before[:-1]])
