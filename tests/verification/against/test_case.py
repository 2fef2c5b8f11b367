"""A claim beside the sentences of its passages: its parts, and how much of each they hold."""

from hippohover.retrieval.engine import HippoHover
from hippohover.verification.against.case import Case
from hippohover.verification.judge.learned import input_of
from hippohover.verification.payloads import EvidenceChunk
from hippohover.verification.terms import TermReader


def case_of(engine: HippoHover, claim: str, *sentences: str) -> Case:
    chunks = [
        EvidenceChunk(
            doc_id=f"d{at}", sent_id=0, text=text, char_start=0, char_end=len(text), rank=at + 1,
            source="toy", version="v",
        )
        for at, text in enumerate(sentences)
    ]  # fmt: skip
    titles = {chunk.doc_id: "Lantern Hill" for chunk in chunks}
    return Case(
        claim, chunks, titles, TermReader(engine.tables.arrays.lexical), encode=engine.encode
    )


def test_the_weakest_clause_counts_by_itself(toy_engine: HippoHover):
    def least(*sentences: str) -> float:
        text = "Lantern Hill is a film by Mira Oldane; it won the grand prize."
        return input_of(case_of(toy_engine, text, *sentences)).part_least

    assert least("It is a film by Mira Oldane.", "It won the grand prize.") == 1.0
    assert least("It is a film by Mira Oldane.", "It is red.") < 0.5
    assert least() == 0.0


def test_what_one_sentence_holds_is_not_lent_to_another(toy_engine: HippoHover):
    text = "Lantern Hill shows Vellmouth as Mira Oldane saw it."
    assert (
        input_of(case_of(toy_engine, text, "It shows Vellmouth.", "Mira Oldane saw it.")).part_least
        < 0.8
    )
    assert (
        input_of(case_of(toy_engine, text, "It shows Vellmouth, as Mira Oldane saw it.")).part_least
        == 1.0
    )
