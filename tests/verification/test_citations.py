"""Citations put in from the right, merged where they say the same; CiteEval's form."""

import pytest

from hippohover.errors import UsageError
from hippohover.verification.citations import cite_eval_example, format_citations
from hippohover.verification.claims import claims_of, rule_sentence_split_v1
from hippohover.verification.payloads import CitedPassage, Claim

TEXT = "Fog is grey. [9] Boats leak.  It never rains. <b>Isk</b> is old."
PASSAGES = {
    "p1": CitedPassage(text="Fog is grey.", title="Fog"),
    "p2": CitedPassage(text="Boats leak.", title="Boats"),
    "p3": CitedPassage(text="Fog is grey.", title="Fog again"),
    "p4": CitedPassage(text="Nobody cites this.", title="Nobody"),
}
CITED = {"c_0001": ["p3", "p1"], "c_0002": ["p2", "p1"]}


def claims() -> list[Claim]:
    return claims_of(TEXT, "a", rule_sentence_split_v1(TEXT), "m")


def test_citations_stand_behind_their_claims_and_equal_passages_are_one():
    found = format_citations(TEXT, claims(), CITED, PASSAGES)
    assert found.formatted_text == (
        "Fog is grey. [1] Boats leak. [2][1]  It never rains. <b>Isk</b> is old."
    )
    assert found.citation_map == {"c_0001": [1], "c_0002": [2, 1]}
    assert [passage.text for passage in found.passages] == ["Fog is grey.", "Boats leak."]
    assert found.notes is not None
    assert (found.notes.merged_redundant, found.notes.method) == (True, "right_span_insertion_v1")
    apart = format_citations(TEXT, claims(), {"c_0002": ["p2"]}, PASSAGES)
    assert apart.notes is not None
    assert not apart.notes.merged_redundant


def test_every_citation_counts_a_passage():
    found = format_citations(TEXT, claims(), CITED, PASSAGES)
    for numbers in found.citation_map.values():
        assert all(1 <= number <= len(found.passages) for number in numbers)


def test_a_contradicted_claim_is_left_out():
    found = format_citations(TEXT, claims(), CITED, PASSAGES, ["c_0002", "c_0003"])
    assert "Boats leak" not in found.formatted_text
    assert "never rains" not in found.formatted_text
    assert found.formatted_text.startswith("Fog is grey. [1]")
    assert cite_eval_example("e", "q", found).pred == found.formatted_text


def test_cite_eval_reads_full_and_cited():
    found = format_citations(TEXT, claims(), CITED, PASSAGES)
    example = cite_eval_example("ex_1", "What is grey?", found, "Cited")
    assert (example.pred, example.passages) == (found.formatted_text, found.passages)
    bare = format_citations(TEXT, claims(), {}, PASSAGES)
    assert cite_eval_example("ex_1", "q", bare).pred == TEXT.replace(" [9]", "")
    with pytest.raises(UsageError, match="'ex_1' cites nothing"):
        cite_eval_example("ex_1", "q", bare, "Cited")


def test_an_unknown_mode_is_refused():
    with pytest.raises(UsageError, match="mode 'Bogus' is unknown: name Full or Cited"):
        cite_eval_example("e", "q", format_citations("", [], {}, {}), "Bogus")  # pyright: ignore[reportArgumentType]
