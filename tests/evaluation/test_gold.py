"""Gold as data sets write it."""

import json
from pathlib import Path
from typing import Any

import pytest

from hippohover.errors import CorpusError
from hippohover.evaluation.claims_rows import read_rows
from hippohover.evaluation.gold import Gold, gold_of, has_gold
from hippohover.evaluation.parts import GoldPart
from hippohover.records import passage_id

FACTS = (("Bell (film)", 0), ("Skell", 2))
TITLES = "by title from supporting_facts"


@pytest.mark.parametrize(
    ("facts", "source"),
    [
        ([["Bell (film)", 0], ["Skell", 2]], TITLES),
        ([{"key": "Bell (film)", "value": 0}, {"key": "Skell", "value": 2}], f"{TITLES}, as on"),
        ({"key": ["Bell (film)", "Skell"], "value": [0, 2]}, f"{TITLES}, as on the Hub"),
        ({"title": ["Bell (film)", "Skell"], "sent_id": [0, 2]}, f"{TITLES}, as on the Hub"),
        (json.dumps([["Bell (film)", 0], ["Skell", 2]]), f"{TITLES}, as on the Hub"),
    ],
)
def test_supporting_facts_in_every_form(facts: object, source: str):
    gold = gold_of({"supporting_facts": facts}, "c:1")
    assert (gold.facts, gold.ids) == (FACTS, ())
    assert gold.source.startswith(source)


def test_fevers_evidence_in_sets_or_not():
    leaves = [[1, 2, "Bell_-LRB-film-RRB-", 0], [1, 3, "Skell", 2], [4, 5, "Skell", 2]]
    for evidence in ([leaves[:2], leaves[2:]], leaves):
        gold = gold_of({"evidence": evidence}, "c:1")
        assert gold == Gold(FACTS, (), "by title from evidence")
    nothing = [[[1, None, None, None]], []]
    assert gold_of({"evidence": nothing}, "c:1").facts == ()


def paragraph(title: str, text: str, supports: bool = True, name: str = "text") -> dict[str, Any]:
    return {"title": title, name: text, "is_supporting": supports}


def test_supporting_paragraphs_are_known_by_their_text():
    fields = {
        "paragraphs": [
            paragraph("Bell", "It rang.", supports=False),
            paragraph(" Be\u00adll", "It is a film. ", name="paragraph_text"),
            paragraph("Bell", "It is a tower."),
            paragraph("Bell", "It is a tower."),
        ]
    }
    ids = (passage_id("Bell", "It is a film.", 0), passage_id("Bell", "It is a tower.", 0))
    facts = ((" Be\u00adll", 1), ("Bell", 2))
    texts = ("It is a film. ", "It is a tower.")
    parts = tuple(GoldPart(name=pid, text=text) for pid, text in zip(ids, texts, strict=True))
    assert gold_of(fields, "c:1") == Gold(facts, ids, "by passage from paragraphs", parts)
    contexts = {"contexts": fields["paragraphs"]}
    assert gold_of(contexts, "c:1").ids == ids
    assert gold_of({"paragraphs": []}, "c:1").facts == ()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "c:1: supporting_facts is None"),
        ({"supporting_facts": {"key": ["a", "b"], "value": [1]}}, "is a dict of 2"),
        ({"supporting_facts": "[1"}, r"supporting_facts is '\[1'"),
        ({"supporting_facts": "[" * 100_000}, "supporting_facts is"),
        ({"evidence": {"12": []}}, "evidence is a dict of 1: give FEVER's"),
        ({"evidence": [7]}, "evidence holds 7: give FEVER's"),
        ({"evidence": [[["a", 1]], [[["deep"]]]]}, "evidence holds a list of 1"),
        ({"paragraphs": [paragraph("", "x")]}, r"paragraphs\[0\] has no title"),
        ({"paragraphs": [paragraph("a", "", name="body")]}, r"paragraphs\[0\] has no text"),
        ({"contexts": [paragraph("a", "\ud800")]}, r"contexts\[0\] has no text"),
    ],
)
def test_bad_gold_is_one_line(fields: dict[str, object], message: str):
    with pytest.raises(CorpusError, match=message) as raised:
        gold_of(fields, "c:1")
    assert str(raised.value).isprintable()


def test_where_gold_may_stand():
    assert all(has_gold({name: []}) for name in ("supporting_facts", "evidence", "paragraphs"))
    assert not has_gold({"supporting_facts": None, "answer": "x"})


def test_rows_of_fever_on_the_hub_are_a_claim_each(tmp_path: Path):
    rows: list[object] = [
        {"id": 1, "label": "SUPPORTS", "claim": "C", "evidence_annotation_id": 9, "evidence_id": 8,
         "evidence_wiki_url": page, "evidence_sentence_id": at}
        for page, at in (("Orme_Pier", 0), ("Zo_-LRB-x-RRB-", 3), ("Orme_Pier", 0))
    ]  # fmt: skip
    rows.append({"id": 2, "claim": "D", "evidence_wiki_url": "", "evidence_sentence_id": -1})
    path = tmp_path / "fever.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    read = read_rows(path)
    (one, place), (none, _) = read.records
    assert place.endswith(":1")
    assert isinstance(one, dict)
    assert isinstance(none, dict)
    assert gold_of(one, "x").facts == (("Orme Pier", 0), ("Zo (x)", 3))
    assert gold_of(none, "x").facts == ()
    assert set(one) == {"id", "label", "claim", "evidence"}
    path.write_text('{"id": 1, "claim": "C", "evidence_wiki_url": "A"}\n5\n')
    assert [record for record, _ in read_rows(path).records][1] == 5  # refused by its place
