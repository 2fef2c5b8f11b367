"""Finds another one who did what the claim says: "Ann Lee, a niece of Tim Orr, designed it"."""

from itertools import takewhile
from typing import Final

from hippohover.verification.against.findings import Finding, Told
from hippohover.verification.against.frames import (
    Frame,
    auxiliaries_before,
    frames_of,
    is_active_behind,
    same_name,
)
from hippohover.verification.against.grounds import Grounds
from hippohover.verification.reading.said import Said

_BETWEEN: Final = frozenset(["by", "the", "(", ")"])
_JOINED: Final = frozenset(["and", "with", "or"])


def other_doers(grounds: Grounds) -> list[Finding]:
    """Find another agent, in the active, of what one alone does: "designed", "directed".

    Never sure: somebody else may have done it as well.
    """
    frame = grounds.frame
    stem = grounds.claim.stems[frame.at] if frame is not None else ""
    if frame is None or not _touches(grounds.claim, frame) or any(grounds.claim.denied):
        return []
    if "by" not in grounds.cues.one_valued.get(stem, ()):
        return []
    agent, patient = frame.agent_and_patient
    found: list[Finding] = []
    for at, told in enumerate(grounds.evidence):
        doer, passive = _doer(told, stem, patient)
        if same_name(doer, agent) or passive:
            return []  # what a passive says is compared as a value
        if doer:
            told_ = f"“{told.said.written(doer)}”, not “{grounds.claim.written(agent)}”"
            found.append(Finding("object", at, told.said.words[told.said.verb], told_, sure=False))
    return found[:1]


def _doer(told: Told, stem: str, patient: frozenset[str]) -> tuple[frozenset[str], bool]:
    """Return who does it to a patient in a sentence, and whether that is in the passive."""
    head = _head(told)
    for one in frames_of(told.said, stem, (head,)):
        if one.passive and any(same_name(patient, name) for name in one.first):
            return frozenset(), True
        active = one.at == told.said.verb or is_active_behind(told.said, one.at)
        denied = told.said.denied[one.at] % 2 or told.said.hedged[one.at]
        bare = not auxiliaries_before(told.said, one.at) or is_active_behind(told.said, one.at)
        if one.passive or denied or not (active and bare and _touches(told.said, one)):
            continue
        if same_name(patient, one.second):
            return head, False
    return frozenset(), False


def _touches(said: Said, frame: Frame) -> bool:
    """Return whether the second name is right behind the verb: no "singer of" before it."""
    between = takewhile(lambda at: not said.named[at], range(frame.at + 1, len(said.words)))
    return bool(frame.second) and {said.words[at] for at in between} <= _BETWEEN


def _head(told: Told) -> frozenset[str]:
    """Return stems of a sentence's subject, without those of a description between commas."""
    said = told.said
    run = said.run_of_name(0)
    behind = run[-1] + 1 if run else 0
    set_off = bool(run) and said.words[behind : behind + 1] == (",",)
    if not set_off or said.words[said.verb - 1] != "," or _JOINED & set(said.words[: said.verb]):
        return told.subject
    name = frozenset(said.stems[at] for at in run if said.stems[at])
    return told.title if name <= told.title else name
