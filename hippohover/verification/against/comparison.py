"""A claim, the sentences of its evidence, and which of them are about the same thing.

A sentence is about it whose subject is the claim's, where that is a name, and that holds enough of
its words. A pronoun, and a subject without a name, stand for the passage's title.
"""

from collections.abc import Callable, Collection, Sequence
from math import fsum
from typing import Final

from hippohover.language.cues import cues
from hippohover.language.sentence import Sentence
from hippohover.verification.against.findings import EvidenceSentence
from hippohover.verification.against.frames import main_frame

CARRIES: Final = 0.6
"""Share of a claim that a sentence holds which says it, or denies it."""
ABOUT: Final = 0.3
SHORT: Final = 13
"""Words and marks of a claim that one sentence tells."""
_WINDOW: Final = 4
_PAST: Final = ("ed", "en", "wn", "rn", "ght", "lt")
"""What participles end in."""
_UN: Final = "un"
_LEAST_UN: Final = 5
_SAME_SHARE: Final = 0.05


class Comparison:
    """A sentence or clause of a claim, beside all of its evidence.

    Parameters
    ----------
    claim : Sentence
    evidence : sequence of EvidenceSentence
    worth : callable
        Stem -> what it tells: its rarity.
    alike : callable
        Two words -> how alike they are, at most 1.
    alone : bool
        Whether it is all of the claim: where it is a part, its numbers may be told of another.

    Attributes
    ----------
    subject : frozenset of str
        Stems of the name that the claim is about; empty where it is about more than a name.
    content : list of str
        The other stems of the claim, those of quantities and denials aside.
    frame : Frame or None
        Who does what to whom in it.
    predicate : str
        Stem of its verb.
    stems : list of frozenset of str
        Of each sentence, with those of the claim that it says by an opposite or a converse.
    about, carriers : list of int
        Places of the sentences about the same subject, and of those that hold most of the claim.
    """

    def __init__(
        self,
        claim: Sentence,
        evidence: Sequence[EvidenceSentence],
        worth: Callable[[str], float],
        alike: Callable[[str, str], float] = lambda _, __: 0.0,
        *,
        alone: bool = True,
    ) -> None:
        self.claim = claim
        self.evidence = evidence
        self.cues = cues()
        self.worth = worth
        self.alike = alike
        self.alone = alone
        counted = {stem for one in claim.quantities for stem in claim.stems_in(one)}
        self.subject = self._name_of(claim)
        self._topic = claim.subject if claim.direct and not self.subject else frozenset[str]()
        told_not = frozenset(
            stem
            for stem, word in zip(claim.stems, claim.words, strict=True)
            if word in claim.cue.split() or (word == claim.hedge and not self.cues.is_verb(word))
        )
        aside = self.subject | counted | told_not
        self.content = [stem for stem in claim.held if stem not in aside]
        self.frame = main_frame(claim, self.subject)
        self.predicate = next(iter(claim.relation), "")
        self.stems = [self._with_opposites(told) for told in evidence]
        self.about = [at for at in range(len(evidence)) if self._is_about(at)]
        self.carriers = [at for at in self.about if self.share(at) >= CARRIES]

    @property
    def has_verb(self) -> bool:
        """Whether the claim's predicate is a verb, or a participle after "is": "was taught"."""
        claim, at = self.claim, self.claim.verb
        if at < len(claim.words) and claim.stems[at] == self.predicate:
            return bool(self.predicate)
        behind = claim.words[at + 1 : at + 2]
        participle = bool(behind) and behind[0].endswith(_PAST)
        return participle and claim.stems[at + 1] == self.predicate

    def share(self, at: int) -> float:
        """Return the share of the claim in a sentence, without subject and quantities, [0, 1]."""
        return self.share_of(self.content, self.stems[at])

    def _name_of(self, claim: Sentence) -> frozenset[str]:
        """Return the claim's subject as a name; none if sentences write it small."""
        if not claim.direct:
            return frozenset()
        own = {word for word, named in zip(claim.words, claim.named, strict=True) if named}
        small = any(
            word in own and not named
            for told in self.evidence
            for word, named in zip(told.said.words[1:], told.said.named[1:], strict=True)
        )
        titled = any(claim.subject <= told.title for told in self.evidence)
        return frozenset() if len(claim.subject) == 1 and small and not titled else claim.subject

    def _is_about(self, at: int) -> bool:
        if not self.subject:
            return self.share(at) >= ABOUT and self._topic <= self.stems[at]
        if self.is_another(at):
            return False
        return self.share_of(self.subject, self.evidence[at].subject) >= CARRIES

    def is_another(self, at: int) -> bool:
        """Return whether a sentence's subject has its own name: Emilia Sykes is not Eric Sykes."""
        other = self.evidence[at].subject
        mine, others = self.subject - other, other - self.subject
        initials = {stem for stem in mine | others if len(stem) == 1}
        begins = {stem[0] for stem in mine | others if len(stem) > 1}
        known = initials & begins  # "Ida M. Fenn" is "Ida Maud Fenn"
        mine = {stem for stem in mine if stem[0] not in known}
        others = {stem for stem in others if stem[0] not in known}
        return bool(mine and others)

    def _with_opposites(self, told: EvidenceSentence) -> frozenset[str]:
        """Return a sentence's stems, and the claim's whose opposite or converse it has."""
        held = told.said.held.keys()
        return told.stems | {
            stem
            for stem in self.claim.held
            if (
                self.opposites(stem)
                | self.cues.converse.get(stem, frozenset())
                | self.cues.forms.get(stem, frozenset())
            )
            & held
        }

    def opposites(self, stem: str) -> frozenset[str]:
        """Return stems that say the opposite of one."""
        plain = stem.removeprefix(_UN) if len(stem) > _LEAST_UN else stem
        prefixed = {_UN + stem} if plain == stem else {plain}
        return self.cues.opposites.get(stem, frozenset()) | prefixed

    def share_of(self, stems: Collection[str], held: Collection[str]) -> float:
        """Return the held share of some stems, weighted by rarity; exact in any order of a set."""
        total = fsum(self.worth(stem) for stem in stems)
        kept = fsum(self.worth(stem) for stem in stems if stem in held)
        return kept / total if total else 1.0

    def ways(self, at: int, stem: str, *, forms: bool = True) -> set[bool]:
        """Return how a sentence says a claim's word: {True} as the claim does, {False} in reverse.

        Where parts of the sentence stand against each other, by the part that holds most of the
        claim; with ``forms``, in any form of an irregular verb.
        """
        yes, no = self.claim.held[stem]
        mine = no and not yes
        told = self.evidence[at]
        alike = {stem, *(self.cues.forms.get(stem, frozenset()) if forms else ())}
        held = self.held_beside(told.said, alike)
        same = alike & held.keys()
        if same:
            affirmed = any(held[one][0] for one in same)
            denied = any(held[one][1] for one in same)
            found = ({not mine} if affirmed else set[bool]()) | ({mine} if denied else set())
            return {True} if found == {False} and not mine and self._turned_twice(at) else found
        found = set[bool]()
        around = self._near(self.claim, stem)
        for other in self.opposites(stem) & held.keys():
            near = self._near(told.said, other) | (told.title if told.said.is_field else set())
            if around & near:
                affirmed, denied = held[other]
                found |= ({mine} if affirmed else set()) | ({not mine} if denied else set())
        return found

    def held_beside(self, said: Sentence, alike: set[str]) -> dict[str, tuple[bool, bool]]:
        """Return what a sentence's parts with most of the claim say, if a word is there."""
        if len(said.segments) == 1:
            return said.held
        wanted = {*self.subject, *self.content}
        shares = [
            self.share_of(wanted, self._with_forms(self._stems_of(said, segment)))
            for segment in said.segments
        ]
        most = max(shares) - _SAME_SHARE
        places = [
            place
            for segment, share in zip(said.segments, shares, strict=True)
            if share >= most
            for place in segment
        ]
        near = self._with_forms({said.stems[at] for at in places})
        return said.held_in(places) if alike & near else said.held

    def _stems_of(self, said: Sentence, segment: range) -> set[str]:
        """Return stems of a part of a sentence; behind "but does not" with the shared subject."""
        stems = {said.stems[place] for place in segment}
        first = said.words[segment.start + 1 : segment.start + 2]
        denied = said.denied[segment.start + 1 : segment.start + 3]
        shares = bool(first) and (self.cues.is_verb(first[0]) or any(denied))
        return stems | said.subject if segment.start and shares else stems

    def _with_forms(self, stems: set[str]) -> set[str]:
        """Return stems, with the other forms of irregular verbs among them."""
        return stems.union(*(self.cues.forms.get(stem, ()) for stem in stems))

    def _turned_twice(self, at: int) -> bool:
        """Return whether a sentence denies the opposite: what was never closed was open."""
        held = self.evidence[at].said.held
        return any(
            held[other] == (False, True)
            for stem in self.content
            if stem not in held
            for other in self.opposites(stem) & held.keys()
        )

    def _near(self, said: Sentence, stem: str) -> frozenset[str]:
        """Return stems of the words around a word, without it."""
        return frozenset(
            near
            for at, one in enumerate(said.stems)
            if one == stem
            for near in said.stems[max(0, at - _WINDOW) : at + _WINDOW + 1]
            if near and near != stem
        )
