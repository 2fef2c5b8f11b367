"""A claim and the sentences it is held against, for tests of the judge and its features."""

from hippohover.retrieval.engine import HippoHover
from hippohover.verification.against.case import Case
from hippohover.verification.payloads import EvidenceChunk
from hippohover.verification.reading.clause_parts import Parses
from hippohover.verification.terms import TermReader


def case_of(engine: HippoHover, claim: str, *sentences: str, parses: Parses | None = None) -> Case:
    """A claim beside sentences, each of a passage "Lantern Hill" of its own."""
    chunks = [
        EvidenceChunk(
            doc_id=f"d{at}", sent_id=0, text=text, char_start=0, char_end=len(text), rank=at + 1,
            source="toy", version="v",
        )
        for at, text in enumerate(sentences)
    ]  # fmt: skip
    titles = {chunk.doc_id: "Lantern Hill" for chunk in chunks}
    return Case(
        claim,
        chunks,
        titles,
        TermReader(engine.tables.arrays.lexical),
        encode=engine.encode,
        parses=parses,
    )
