"""Documents as passages."""

from hippohover.records import RankedPassage
from hippohover.sources.document import SourceDocument
from tests.sources.reply_samples import document


def test_a_document_is_a_passage_with_its_address():
    found = document("Orle", "Wet.", doi="10.1/x", year=2004, citation_count=0)
    passage = found.as_passage(3, 0.5)
    assert (passage.rank, passage.score, passage.title, passage.text) == (3, 0.5, "Orle", "Wet.")
    assert (passage.pid, passage.source) == ("shelf:Orle", "shelf")
    assert passage.metadata == {
        "id": "Orle", "url": "https://shelf.example/Orle", "doi": "10.1/x", "year": 2004,
        "citation_count": 0,
    }  # fmt: skip
    assert passage.citation == "Orle, https://shelf.example/Orle"
    assert passage.as_dict()["source"] == "shelf"


def test_a_pid_of_a_source_is_none_of_an_index():
    pid = SourceDocument(source="s", document_id="ab", title="", text="", address="").pid
    assert ":" in pid
    assert isinstance(document("x").as_passage(1, 1.0), RankedPassage)
