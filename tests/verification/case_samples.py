"""A claim and the sentences it is held against, for tests of the judge and its features."""

from collections.abc import Sequence

from hippohover.retrieval.engine import HippoHover
from hippohover.verification.against.compared_claim import ComparedClaim
from hippohover.verification.against.sentences import Sentences
from hippohover.verification.statements.statements import Statement
from hippohover.verification.terms import TermReader


def case_of(engine: HippoHover, claim: str, *sentences: str) -> ComparedClaim:
    """A claim beside sentences, each of a passage "Lantern Hill" of its own."""
    places = [(f"d{at}", 0) for at in range(len(sentences))]
    return _case_of(engine, claim, sentences, places)


def of_one_passage(engine: HippoHover, claim: str, *sentences: str) -> ComparedClaim:
    """A claim beside the sentences of one passage, "Lantern Hill"."""
    return _case_of(engine, claim, sentences, [("d0", at) for at in range(len(sentences))])


def _case_of(
    engine: HippoHover,
    claim: str,
    sentences: Sequence[str],
    places: Sequence[tuple[str, int]],
) -> ComparedClaim:
    chunks = [
        Statement(
            doc_id=doc, sent_id=at, text=text, char_start=0, char_end=len(text), rank=1,
            source="toy", version="v", about="Lantern Hill", said=text,
        )
        for text, (doc, at) in zip(sentences, places, strict=True)
    ]  # fmt: skip
    titles = {chunk.doc_id: "Lantern Hill" for chunk in chunks}
    read = TermReader(engine.tables.arrays.lexical)
    return ComparedClaim(claim, Sentences(chunks, titles, read, encode=engine.encode))
