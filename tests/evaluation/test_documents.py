"""Which passages a gold id names."""

from pathlib import Path

import pyarrow as pa
import pytest

from hippohover.errors import UsageError
from hippohover.evaluation.documents import IndexDocuments
from hippohover.evaluation.hover import GoldClaim, load_claims
from hippohover.evaluation.trec import write_qrels

NAMED = IndexDocuments(
    titles=["Bell", "Bell", "Skell", "The Bell", "Lamp"],
    pids=["p0", "p1", "p2", "p3", "p4"],
    ids=["d1", "d1", "d2", "d3", ""],
    parts=[0, 1, 0, 0, 0],
)
UNNAMED = IndexDocuments(
    titles=["Bell", "Bell", "Skell", "Skell", "Lamp Oil"],
    pids=["p0", "p1", "p2", "p3", "p4"],
    ids=[""] * 5,
    parts=[0, 0, 0, 1, 0],
)


def by_id(*ids: str, titles: tuple[str, ...] = ()) -> GoldClaim:
    facts = tuple((title, 0) for title in titles)
    return GoldClaim(uid="u", claim="c", gold_titles=titles, supporting_facts=facts, gold_ids=ids)


def test_documents_are_named_by_their_ids_and_passages_by_their_pids():
    claims = [by_id("d1", "p2"), by_id("d1", "d9")]
    assert NAMED.gold_pids(claims) == {"d1": ["p0", "p1"], "p2": ["p2"], "d9": []}
    assert NAMED.id_of == {"p0": "d1", "p1": "d1", "p2": "d2", "p3": "d3"}
    assert NAMED.ids_of("BELL") == ["d1", "d3"]
    assert NAMED.ids_of("Lamp") == []


def test_an_id_of_several_files_is_told_by_the_file():
    table = pa.table({
        "title": ["A", "B", "C", "D", "E", "F"],
        "pid": ["p0", "p1", "p2", "p3", "p4", "p5"],
        "document": ["1", "1", "x", "x", "7", ""],
        "path": ["a.csv", "b.csv", "x.md", "x.txt", "a.csv", ""],
        "part": [0, 0, 0, 0, 0, 0],
    })  # fmt: skip
    documents = IndexDocuments.of(table)
    assert documents.ids == ["a.csv/1", "b.csv/1", "x.md", "x.txt", "7", ""]
    assert documents.gold_pids([by_id("b.csv/1", "x.md", "7")]) == {
        "b.csv/1": ["p1"], "x.md": ["p2"], "7": ["p4"],
    }  # fmt: skip
    problem = "gold id '1' is that of 2 documents of several files: write 'a.csv/1' or 'b.csv/1'"
    with pytest.raises(UsageError, match=problem):
        documents.gold_pids([by_id("7", "1")])
    assert IndexDocuments.of(table.drop_columns("path")).ids[:4] == ["1", "1", "x", "x"]


def test_gold_may_be_a_path_and_in_any_form_of_unicode():
    table = pa.table({
        "title": ["A", "B", "C"],
        "pid": ["p0", "p1", "p2"],
        "document": ["Cafe\u0301 Zoe", "my dir/d e", "C#"],
        "path": ["Cafe\u0301 Zoe.md", "my dir/d e.md", "C#.md"],
        "part": [0, 0, 0],
    })  # fmt: skip
    documents = IndexDocuments.of(table)
    gold = {
        "Caf\u00e9 Zoe": ["p0"],
        "Caf%C3%A9%20Zoe": ["p0"],
        "Cafe\u0301 Zoe.md": ["p0"],
        "my%20dir/d%20e.md": ["p1"],
        "my dir/d e": ["p1"],
        "C#.md": ["p2"],
        "C#.txt": [],
    }
    for name, pids in gold.items():
        assert documents.gold_pids([by_id(name)]) == {name: pids}


def test_what_was_written_as_qrels_is_read_back(tmp_path: Path):
    names = ["a b.md", "naïve\u00a0file%.md", "a%20c.md", "50%", "", "x%20y", "x y"]
    documents = IndexDocuments(
        titles=["A", "B", "C", "D", "Café Skell", "E", "F"],
        pids=[f"p{row}" for row in range(7)],
        ids=names,
        parts=[0] * 7,
    )
    claim = GoldClaim(
        uid="ü 1%", claim="c", supporting_facts=(), gold_titles=("A", "B", "C", "D", "Café Skell")
    )
    write_qrels(tmp_path / "qrels", [claim], documents)
    (tmp_path / "claims.jsonl").write_text('{"uid": "ü 1%", "claim": "c"}\n', encoding="utf-8")
    [read] = load_claims(tmp_path / "claims.jsonl", qrels=tmp_path / "qrels")
    found = documents.gold_pids([read])
    assert list(found.values()) == [["p0"], ["p1"], ["p2"], ["p3"], ["p4"]]
    # An id that is written as another one would be is itself.
    assert documents.gold_pids([by_id("x%20y")]) == {"x%20y": ["p5"]}


def test_titles_are_ids_where_no_document_has_one():
    claims = [by_id("skell", "lamp%20oil", "d1")]
    assert UNNAMED.gold_pids(claims) == {"skell": ["p2", "p3"], "lamp%20oil": ["p4"], "d1": []}
    assert NAMED.gold_pids([by_id("skell")]) == {"skell": []}
    assert UNNAMED.gold_pids([by_id("p1", "skell")]) == {"p1": ["p1"], "skell": []}


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        ([by_id("x", "p0", titles=("Skell", "Bell"))], {"x": ["p2", "p3"], "p0": ["p0"]}),
        # two documents are called so; the passage is another one's; two are asked for
        ([by_id("p4", "x", titles=("Lamp Oil", "Bell"))], {"p4": ["p4"], "x": []}),
        ([by_id("p2", "x", titles=("Skell", "Skell"))], {"p2": ["p2"], "x": []}),
        (
            [by_id("p0", "x", "y", titles=("Bell", "Skell", "Skell"))],
            {"p0": ["p0"], "x": [], "y": []},
        ),
    ],
)
def test_a_passage_that_is_split_counts_by_its_title(
    claims: list[GoldClaim], expected: dict[str, list[str]]
):
    assert UNNAMED.gold_pids(claims) == expected


def test_claims_get_the_titles_of_their_documents():
    titled = GoldClaim(uid="t", claim="c", gold_titles=("Bell",), supporting_facts=())
    found = NAMED.with_titles([by_id("d2", "d1"), by_id("d9"), by_id("d1", "d3"), titled])
    assert [claim.gold_titles for claim in found] == [("Skell", "Bell"), ("Bell",), ("Bell",)]
    assert not any(claim.gold_ids for claim in found)
