"""Finds who or what has a part in the evidence that the claim gives to another.

"Its burrs are made in Port Grane" has the claim's verb and what it is done to: so "the burrs are
made in Merrow" is not what it says, where Merrow stands elsewhere in the evidence.
"""

from collections.abc import Collection, Sequence
from typing import Final

from hippohover.language.cues import word_list
from hippohover.language.frames import IS, WHO, ParsedFrame, ParsedSentence, Phrase, forms_of
from hippohover.language.stemming import Stemmer
from hippohover.verification.against.findings import Finding

_HONORIFICS: Final = frozenset(Stemmer().terms(sorted(word_list("honorifics"))))
_DEMANDS: Final = frozenset(["must", "shall"])
_ALLOWS: Final = frozenset(["may", "can", "might", "could"])


def other_fillers(
    claim: ParsedSentence, evidence: Sequence[ParsedSentence], known: Collection[str]
) -> list[Finding]:
    """Find a part of the claim that sentences about the same give to another.

    Only where the claim's own name or noun is in the evidence too: a word that it lacks may be
    another word for the same.

    Parameters
    ----------
    claim : ParsedSentence
    evidence : sequence of ParsedSentence
    known : collection of str
        Stems of all of the evidence, and of its titles.

    Returns
    -------
    list of Finding
        At most one; never sure, for a verb may be true of both.
    """
    for frame in claim.frames:
        found = None if frame.denied else _Beside(claim, frame, evidence, frozenset(known)).found()
        if found is not None:
            return [found]
    return []


class _Beside:
    """A frame of the claim beside those of the evidence that have the same verb."""

    def __init__(
        self,
        claim: ParsedSentence,
        frame: ParsedFrame,
        evidence: Sequence[ParsedSentence],
        known: frozenset[str],
    ) -> None:
        self._claim = claim
        self._frame = frame
        self._evidence = evidence
        self._known = known
        self._same = [
            (at, other)
            for at, sentence in enumerate(evidence)
            for other in sentence.frames_both_ways
            if _is_same_verb(frame, other)
        ]

    def found(self) -> Finding | None:
        """Return what speaks against the frame; or None."""
        found = self._said_otherwise()
        for role, phrase in () if found is not None else self._frame.parts:
            found = self._counted_otherwise(role, phrase)
            if found is None and phrase.words and phrase.kind in {"name", "noun"}:
                found = self._given_to_another(role, phrase)
            if found is None and phrase.words and phrase.kind != "number":
                found = self._of_another(role, phrase)
            if found is not None:
                break
        return found

    def _said_otherwise(self) -> Finding | None:
        """Return that all frames with all of its parts are denied, or allow what it demands."""
        parts = [(role, phrase) for role, phrase in self._frame.parts if phrase.words]
        whole = [
            (at, other)
            for at, other in self._same
            if parts and all(other.has(role, phrase) for role, phrase in parts)
        ]
        if not whole:
            return None
        at, first = whole[0]
        if all(other.denied for _, other in whole):
            return Finding("denied", at, "", "its verb is denied", sure=False)
        if self._frame.modal in _DEMANDS and all(other.modal in _ALLOWS for _, other in whole):
            told = f"“{first.modal}”, not “{self._frame.modal}”"
            return Finding("hedged", at, first.modal, told, sure=False)
        return None

    def _counted_otherwise(self, role: str, phrase: Phrase) -> Finding | None:
        """Return a frame of the same with other digits in the phrase's part.

        Where the evidence has the claim's digits elsewhere: "signed in 1921, in force from 1922".
        """
        mine = phrase.digits
        if not mine or not self._frame.predicate or not mine <= self._known:
            return None
        if any(mine <= one.digits for _, other in self._same for _, one in other.parts):
            return None
        rest = [(name, one) for name, one in self._frame.parts if one.words]
        for at, other in self._same:
            theirs = [one.digits for one in other.roles.get(role, ()) if one.digits]
            differs = bool(theirs) and not any(mine & one for one in theirs)
            if differs and not other.denied and all(other.has(name, one) for name, one in rest):
                told = self._told(at, theirs[0], mine)
                return Finding("number", at, "", told, sure=False)
        return None

    def _given_to_another(self, role: str, phrase: Phrase) -> Finding | None:
        """Return who or what has the phrase's part in frames of the same, none of which has it."""
        if any(self._holds(other, role, phrase) for _, other in self._same):
            return None
        for at, other in self._same:
            sentence = self._evidence[at]
            around = other.around(role)
            missing = frozenset(stem for stem in phrase.words if not forms_of(stem) & around)
            missing -= frozenset() if phrase.kind == "name" else sentence.title
            held = self._known if phrase.kind == "name" else sentence.own
            if missing and missing <= held:
                beside = phrase.words <= sentence.own and set(other.roles) == {role}
                there = self._filler(other, role, phrase, beside=beside)
                if there:
                    told = self._told(at, there, missing)
                    return Finding("object", at, "", told, sure=False)
        return None

    def _holds(self, other: ParsedFrame, role: str, phrase: Phrase) -> bool:
        """Return whether a frame has a phrase in its part, or in another that is not who does it.

        What somebody is must be said of the claim's own.
        """
        who = self._frame.roles.get(WHO, ())
        if not self._frame.predicate and role != WHO and who:
            return other.has(role, phrase) and any(other.has(WHO, one) for one in who)
        names = [role] if role == WHO else [name for name in other.roles if name != WHO]
        around = frozenset[str]().union(*map(other.around, names))
        return bool(around) and phrase.is_in(around)

    def _filler(
        self, other: ParsedFrame, role: str, phrase: Phrase, *, beside: bool
    ) -> frozenset[str]:
        """Return the stems of what has the phrase's part in another frame of the same; or none.

        One of its kind, name or noun, that is not the same by a part of its name. ``beside`` is
        whether the sentence has the phrase too, and its verb no other part: "Ann Roe agreed; Tim
        Orr did not".
        """
        if other.denied or not (beside or self._is_about(other, role)):
            return frozenset()
        around = other.around(role)
        listed = any(
            one is not phrase and one.is_in(around) for one in self._frame.roles[role]
        )  # "a brush and a lid" where "a brush and a case" is said
        if phrase.kind == "noun" and phrase.any_of_them and not listed:
            return frozenset()
        found = [
            one.words - phrase.stems
            for one in sorted(
                other.roles.get(role, ()),
                key=lambda one: any(one.is_in(mine.stems) for mine in self._frame.roles[role]),
            )
            if one.kind == phrase.kind and not _is_same_name(phrase, one)
        ]
        return next((others for others in found if others), frozenset())

    def _is_about(self, other: ParsedFrame, role: str) -> bool:
        """Return whether another part is the same; of "be" who it is, by all of its others."""
        held = [other.has(name, phrase) for name, phrase in self._frame.parts if name != role]
        if self._frame.predicate:
            return any(held)
        return role == WHO and bool(held) and all(held)

    def _of_another(self, role: str, phrase: Phrase) -> Finding | None:
        """Return a sentence that says of another what the claim says that it is.

        "The body is aluminium and the handle is walnut", where the claim's body is walnut.
        """
        who = self._frame.roles.get(WHO, ())
        counted = any(one.kind == "number" for one in who)
        if self._frame.predicate or role != IS or counted or not who:
            return None
        if any(self._holds(other, role, phrase) for _, other in self._same):
            return None
        mine = {
            at
            for at, other in self._same
            if IS in other.roles and all(other.has(WHO, one) for one in who)
        }
        for at, other in self._same:
            theirs = other.roles.get(WHO, ())
            own = any(one.words & there.stems for one in who for there in theirs)
            if at in mine and theirs and not own and other.has(IS, phrase):
                told = f"“{self._claim.written(phrase.words)}” is said of another"
                return Finding("object", at, "", told, sure=False)
        return None

    def _told(self, at: int, there: Collection[str], mine: Collection[str]) -> str:
        return f"“{self._evidence[at].written(there)}”, not “{self._claim.written(mine)}”"


def _is_same_verb(one: ParsedFrame, other: ParsedFrame) -> bool:
    if not one.predicate or not other.predicate:
        return one.predicate == other.predicate
    return bool(forms_of(one.predicate) & forms_of(other.predicate))


def _is_same_name(one: Phrase, other: Phrase) -> bool:
    """Return whether two names differ by a title or a part alone: "Mr Strand", "Felix Strand"."""
    mine, theirs = one.words - other.stems, other.words - one.stems
    shared = one.words & other.stems
    return one.kind == "name" and bool(shared) and (mine <= _HONORIFICS or theirs <= _HONORIFICS)
