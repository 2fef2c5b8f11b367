"""Retrieved passages -> the sentences about a claim."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final

from hippohover.names.normal_forms import without_unseen
from hippohover.names.sentences import sentence_spans
from hippohover.records import RankedPassage
from hippohover.verification.against.sentences import MAX_SENTENCES as MAX_COMPARED
from hippohover.verification.claims import MAX_CHARS
from hippohover.verification.payloads import Claim, ClaimEvidencePair, EvidenceChunk, EvidenceSpan
from hippohover.verification.terms import TermReader, Terms

if TYPE_CHECKING:
    from hippohover.verification.against.compared_claim import ComparedClaim

VERSION: Final = "rule_sentences_v1"
MAX_SENTENCES: Final = 10
SENTENCES_A_PASSAGE: Final = 2
_MAX_PASSAGE_CHARS: Final = 100_000
_NEARLY: Final = 0.8
_FIELD: Final = re.compile(r"^[ \t]*[^\W\d_][\w-]*(?: [\w-]+){0,2}:[ \t]+\S", re.MULTILINE)
"""Begins a line with a field: "Superseded-By: PEP 649"."""
_LINE: Final = re.compile(r"\n(?=\S)")


@dataclass(frozen=True, slots=True)
class Evidence:
    """Sentences about a claim, best first, and the titles of their passages.

    Attributes
    ----------
    chunks : tuple of EvidenceChunk
    titles : mapping of str to str
        doc_id -> title.
    """

    chunks: tuple[EvidenceChunk, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def text(self) -> str:
        """All of it, each sentence after its passage's title."""
        return " ".join(f"{self.titles[chunk.doc_id]}. {chunk.text}" for chunk in self.chunks)


def chunks_of(
    passages: Sequence[RankedPassage], *, retriever: str, source: str
) -> list[EvidenceChunk]:
    """Return every sentence of every passage; a passage without a sentence is one by itself.

    Of a passage the first 100,000 characters are read and 400 sentences, and one that is longer
    than a claim is cut into pieces: a document that was never split must not make a claim take
    longer than the others do.
    Of lines with fields each is one: "Status: Final" says nothing about the line below it.
    Unseen characters are left out of a sentence, and counted in where it begins and ends. The
    passage's score stands under the retriever's name, if a payload has a field for it. Of a
    passage from beyond the index, ``source`` is its own, and no retriever has scored it.
    """
    scored = f"score_{retriever}" if retriever in ("bm25", "dense", "hybrid", "ppr") else None
    found: list[EvidenceChunk] = []
    for passage in passages:
        text = passage.text[:_MAX_PASSAGE_CHARS]
        sentences = sentence_spans(text) or [(0, len(text))]
        lines = (line for span in sentences for line in _lines_of_fields(text, *span))
        spans = islice((piece for line in lines for piece in _pieces(text, *line)), MAX_COMPARED)
        scores = {} if scored is None or passage.source else {scored: passage.score}
        for number, (start, stop) in enumerate(spans):
            text = passage.text[start:stop].strip()
            begin = start + passage.text[start:stop].find(text)
            found.append(
                EvidenceChunk(
                    doc_id=passage.pid,
                    sent_id=number,
                    text=without_unseen(text),
                    char_start=begin,
                    char_end=begin + len(text),
                    rank=passage.rank,
                    source=passage.source or source,
                    version=VERSION,
                    **scores,
                )
            )
    return found


def _lines_of_fields(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield where each line of a sentence is, if two of its lines are fields; else all of it.

    A line that is indented goes on with the one above it.
    """
    if len(_FIELD.findall(text, start, stop)) > 1:
        for border in _LINE.finditer(text, start, stop):
            yield start, border.start()
            start = border.end()
    yield start, stop


def _pieces(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield a sentence, or what it is cut into at blanks, if it is longer than a claim."""
    while stop - start > MAX_CHARS:
        blank = text.rfind(" ", start + 1, start + MAX_CHARS)
        border = blank if blank > 0 else start + MAX_CHARS
        yield start, border
        start = border
    yield start, stop


def evidence_for(
    claim: Terms, chunks: Sequence[EvidenceChunk], titles: Mapping[str, str], read: TermReader
) -> Evidence:
    """Return the sentences that hold most of what a claim says.

    One by one, the sentence that adds most: the rarity of the claim's terms that it or its title
    holds and no chosen one does; of equal ones the passage of the better rank, then the earlier
    sentence. At most ``SENTENCES_A_PASSAGE`` of a passage, as HoVer's score counts two. When none
    adds anything, those follow that hold nearly as much of the claim as the fullest one: they say
    it again, or deny it.
    """
    worth = dict(zip(claim.stems, claim.rarity.tolist(), strict=True))
    of_title = {doc: frozenset(read(title).stems) for doc, title in titles.items()}
    held = [
        frozenset(worth) & (of_title[chunk.doc_id] | frozenset(read(chunk.text).stems))
        for chunk in chunks
    ]
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
