"""Retrieved passages -> the sentences about a claim."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from hippohover.verification.payloads import Claim, ClaimEvidencePair, EvidenceSpan
from hippohover.verification.statements.statements import Statement
from hippohover.verification.terms import TermReader, Terms

if TYPE_CHECKING:
    from hippohover.verification.against.compared_claim import ComparedClaim

MAX_SENTENCES: Final = 10
SENTENCES_A_PASSAGE: Final = 2
_NEARLY: Final = 0.8


@dataclass(frozen=True, slots=True)
class Evidence:
    """Sentences about a claim, best first, and the titles of their passages.

    Attributes
    ----------
    chunks : tuple of Statement
    titles : mapping of str to str
        doc_id -> title.
    """

    chunks: tuple[Statement, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def text(self) -> str:
        """All that it says, each statement after what it is about."""
        return " ".join(f"{chunk.about}. {chunk.said}" for chunk in self.chunks)


def evidence_for(
    claim: Terms, chunks: Sequence[Statement], titles: Mapping[str, str], read: TermReader
) -> Evidence:
    """Return the sentences that hold most of what a claim says.

    One by one, the sentence that adds most: the rarity of the claim's terms that it or its title
    holds and no chosen one does; of equal ones the passage of the better rank, then the earlier
    sentence. At most ``SENTENCES_A_PASSAGE`` of a passage, as HoVer's score counts two. When none
    adds anything, those follow that hold nearly as much of the claim as the fullest one: they say
    it again, or deny it.
    """
    worth = dict(zip(claim.stems, claim.rarity.tolist(), strict=True))
    held = [frozenset(worth) & {*read(f"{one.about}. {one.said}").stems} for one in chunks]
    chosen: list[int] = []
    covered: set[str] = set()
    taken: dict[str, int] = {}
    whole = [sum(worth[stem] for stem in stems) for stems in held]
    enough = _NEARLY * max(whole, default=0.0)
    while len(chosen) < MAX_SENTENCES:
        open_ = [
            at
            for at, chunk in enumerate(chunks)
            if at not in chosen and taken.get(chunk.doc_id, 0) < SENTENCES_A_PASSAGE
        ]
        gains = {at: sum(worth[stem] for stem in held[at] - covered) for at in open_}
        best = max(open_, key=lambda at: gains[at], default=-1)  # of equal ones the first
        if best >= 0 and gains[best] <= 0 and chosen:
            best = next((at for at in open_ if whole[at] >= enough > 0), -1)
        if best < 0:
            break
        chosen.append(best)
        covered |= held[best]
        taken[chunks[best].doc_id] = taken.get(chunks[best].doc_id, 0) + 1
    kept = tuple(chunks[at] for at in chosen)
    return Evidence(kept, {chunk.doc_id: titles[chunk.doc_id] for chunk in kept})


def with_evidence_of_parts(
    evidence: Evidence, case: "ComparedClaim", titles: Mapping[str, str]
) -> Evidence:
    """Return evidence in which every part of the claim has its sentence.

    What speaks against the claim comes first; what holds most of a part is put behind what was
    chosen, where it is not among it.
    """
    against = [case.chunks[one.sentence] for one in case.findings[:1]]
    of_parts = [case.chunks[part.at] for part in case.parts if part.at >= 0]
    others = [case.chunks[part.against.sentence] for part in case.parts if part.against is not None]
    kept = list({one.key: one for one in (*against, *evidence.chunks, *of_parts, *others)}.values())
    return Evidence(tuple(kept), {one.doc_id: titles[one.doc_id] for one in kept})


def pair_of(claim: Claim, evidence: Evidence) -> ClaimEvidencePair:
    """Return a claim with its evidence, as JSON has it."""
    keys = [chunk.key for chunk in evidence.chunks]
    return ClaimEvidencePair(
        claim_id=claim.claim_id,
        evidence_candidates=keys,
        top_evidence=keys[0] if keys else None,
        evidence_spans=[
            EvidenceSpan(doc_id=one.doc_id, sent_id=one.sent_id, text=one.text, rank=one.rank)
            for one in evidence.chunks
        ],
    )
