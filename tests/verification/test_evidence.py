"""Passages into sentences, and the sentences that hold most of a claim."""

from collections import Counter

import pytest

from hippohover.records import PassageId, RankedPassage
from hippohover.retrieval.engine import HippoHover
from hippohover.verification.claims import claims_of
from hippohover.verification.evidence import (
    MAX_SENTENCES,
    SENTENCES_A_PASSAGE,
    evidence_for,
    pair_of,
)
from hippohover.verification.statements.statements import statements_of
from hippohover.verification.terms import TermReader

PASSAGES = [
    RankedPassage(1, PassageId("p1"), "Fog", " Fog is grey. Fog is cold. Fog has boats.", 2.0),
    RankedPassage(2, PassageId("p2"), "Boats", "They have sails. Boats leak.", 1.0),
    RankedPassage(3, PassageId("p3"), "Empty", "", 0.5),
]
TITLES: dict[str, str] = {one.pid: one.title for one in PASSAGES}


@pytest.fixture
def read(toy_engine: HippoHover) -> TermReader:
    return TermReader(toy_engine.tables.arrays.lexical)


def test_sentences_keep_their_characters_and_the_score_of_their_passage():
    chunks = statements_of(PASSAGES, retriever="ppr", source="toy")
    assert [chunk.key for chunk in chunks] == ["p1#0", "p1#1", "p1#2", "p2#0", "p2#1", "p3#0"]
    for chunk in chunks:
        [passage] = [one for one in PASSAGES if one.pid == chunk.doc_id]
        assert passage.text[chunk.char_start : chunk.char_end] == chunk.text
    assert (chunks[0].score_ppr, chunks[0].score_bm25, chunks[3].rank) == (2.0, None, 2)
    by_program = statements_of(PASSAGES, retriever="hop-chain", source="toy")
    assert by_program[0].score_ppr is None


def test_a_sentence_is_read_without_what_it_does_not_show():
    text = "A mist. The Ha\u00adfen\u00ad\namt burned in 19\u200b32."
    [_, chunk] = statements_of(
        [RankedPassage(1, PassageId("p"), "Fog", text, 1.0)], retriever="ppr", source="toy"
    )
    assert chunk.text == "The Hafenamt burned in 1932."
    assert text[chunk.char_start : chunk.char_end] == text[8:]


def test_the_sentence_that_adds_most_comes_first_and_its_title_counts(read: TermReader):
    chunks = statements_of(PASSAGES, retriever="ppr", source="toy")
    found = evidence_for(read("grey fog, sails of boats"), chunks, TITLES, read)
    assert [chunk.key for chunk in found.chunks][:2] == ["p2#0", "p1#0"]
    assert found.text.startswith("Boats. They have sails. Fog. Fog is grey.")


def test_what_says_it_again_or_denies_it_is_there(read: TermReader):
    said = ["Fog is grey.", "Boats leak. Fog is never grey. It is cold."]
    passages = [
        RankedPassage(rank, PassageId(f"q{rank}"), "Isk", text, 1.0)
        for rank, text in enumerate(said, start=1)
    ]
    chunks = statements_of(passages, retriever="ppr", source="toy")
    found = evidence_for(read("Fog is grey."), chunks, {"q1": "Isk", "q2": "Isk"}, read)
    assert [chunk.text for chunk in found.chunks] == ["Fog is grey.", "Fog is never grey."]


def test_at_most_so_many_of_a_passage_and_in_all(read: TermReader):
    said = "Fog is grey. Fog is cold. Fog has boats."
    passages = [RankedPassage(at, PassageId(f"p{at}"), "Fog", said, 1.0) for at in range(1, 8)]
    chunks = statements_of(passages, retriever="ppr", source="toy")
    titles: dict[str, str] = {one.pid: "Fog" for one in passages}
    found = evidence_for(read("Fog is grey, cold, and has boats"), chunks, titles, read)
    of_passage = Counter(chunk.doc_id for chunk in found.chunks)
    assert max(of_passage.values()) == SENTENCES_A_PASSAGE
    assert len(found.chunks) == MAX_SENTENCES


def test_where_nothing_adds_the_best_ranked_stands_alone(read: TermReader):
    chunks = statements_of(PASSAGES, retriever="ppr", source="toy")
    assert [c.key for c in evidence_for(read("qqq"), chunks, TITLES, read).chunks] == ["p1#0"]
    assert evidence_for(read("qqq"), [], {}, read).chunks == ()


def test_a_pair_lists_its_evidence(read: TermReader):
    [claim] = claims_of("Fog is grey.", "a", [(0, 12)], "m")
    chunks = statements_of(PASSAGES, retriever="ppr", source="toy")
    pair = pair_of(claim, evidence_for(read(claim.text), chunks, TITLES, read))
    assert (pair.top_evidence, pair.evidence_candidates) == ("p1#0", ["p1#0"])
    assert pair.evidence_spans[0].text == "Fog is grey."
    none = pair_of(claim, evidence_for(read(claim.text), [], {}, read))
    assert (none.top_evidence, none.evidence_candidates) == (None, [])


def test_each_line_of_fields_is_one_by_itself():
    fields = "Status: Final\nAuthor: Nora Quill,\n  Ivo Stark\nCreated: 2021"
    text = f"{fields}\n\nNote: tides turn.\nAt six."
    passages = [RankedPassage(1, PassageId("p4"), "Tides", text, 1.0)]
    chunks = statements_of(passages, retriever="ppr", source="toy")
    assert [one.text for one in chunks] == [
        "Status: Final",
        "Author: Nora Quill,\n  Ivo Stark",
        "Created: 2021",
        "Note: tides turn.",
        "At six.",
    ]
    assert [text[one.char_start : one.char_end] for one in chunks] == [one.text for one in chunks]
    assert [one.sent_id for one in chunks] == [*range(5)]
