"""A claim beside (title, sentence) pairs, as the tests of each check give them."""

from hippohover.language.clauses import ClauseReader
from hippohover.language.cues import cues
from hippohover.names.mentions import STOP_TOKENS
from hippohover.verification.against.checks import findings_of
from hippohover.verification.against.comparison import Comparison
from hippohover.verification.against.findings import EvidenceSentence, Finding

READ = ClauseReader()


def compared(claim: str, *evidence: tuple[str, str], alone: bool = True) -> Comparison:
    """Comparison on which every word but a stop word is worth the same.

    The first sentence of each title is its passage's first.
    """
    seen: set[str] = set()
    told: list[EvidenceSentence] = []
    for title, text in evidence:
        stems = frozenset(stem for stem in READ(title).stems if stem)
        told.append(EvidenceSentence(READ(text), stems, cues().pronouns, lead=title not in seen))
        seen.add(title)
    return Comparison(
        READ(claim), told, lambda stem: 0.1 if stem in STOP_TOKENS else 1.0, alone=alone
    )


def findings(claim: str, *evidence: tuple[str, str]) -> list[Finding]:
    """All that speaks against a claim."""
    return findings_of(compared(claim, *evidence))


def kinds(claim: str, *evidence: tuple[str, str]) -> set[tuple[str, bool]]:
    """Kind and sureness of each finding."""
    return {(one.kind, one.sure) for one in findings(claim, *evidence)}
