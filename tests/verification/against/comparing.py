"""A claim beside (title, sentence) pairs, as the tests of each check give them."""

from hippohover.language.clauses import ClauseReader
from hippohover.language.cues import cues
from hippohover.names.mentions import STOP_TOKENS
from hippohover.verification.against.comparison import findings_of
from hippohover.verification.against.findings import Finding, Told
from hippohover.verification.against.grounds import Grounds

READ = ClauseReader()


def compared(claim: str, *evidence: tuple[str, str], alone: bool = True) -> Grounds:
    """Grounds on which every word but a stop word is worth the same.

    The first sentence of each title is its passage's first.
    """
    seen: set[str] = set()
    told: list[Told] = []
    for title, text in evidence:
        stems = frozenset(stem for stem in READ(title).stems if stem)
        told.append(Told(READ(text), stems, cues().pronouns, lead=title not in seen))
        seen.add(title)
    return Grounds(
        READ(claim), told, cues(), lambda stem: 0.1 if stem in STOP_TOKENS else 1.0, alone=alone
    )


def findings(claim: str, *evidence: tuple[str, str]) -> list[Finding]:
    """All that speaks against a claim."""
    return findings_of(compared(claim, *evidence))


def kinds(claim: str, *evidence: tuple[str, str]) -> set[tuple[str, bool]]:
    """Kind and sureness of each finding."""
    return {(one.kind, one.sure) for one in findings(claim, *evidence)}
