"""FEVER's wiki-pages."""

import pytest

from hippohover.indexing.corpus.readers.records.fever import fever_page, is_fever_page
from hippohover.indexing.corpus.records import BadRecord, Document, Link

PAGE: dict[str, object] = {
    "id": "Dune_-LRB-film-COLON-_2-RRB-",
    "text": "Dune is a film -LRB- 1984 -RRB- by David Lynch .",
    "lines": "0\tDune is a film -LRB- 1984 -RRB- by David Lynch .\tDavid Lynch\tDavid_Lynch\tfilm\t"
    "Film_-LRB-art-RRB-\n1\t",
}


def test_a_page_has_its_title_as_people_write_it_and_its_id_as_a_name():
    assert is_fever_page(PAGE)
    [document] = fever_page(PAGE, "f:1")
    assert document == Document(
        "Dune (film: 2)",
        "Dune is a film ( 1984 ) by David Lynch .",
        (Link(27, "David Lynch"), Link(10, "Film (art)")),
        PAGE,
        id="Dune_-LRB-film-COLON-_2-RRB-",
        aliases=("Dune_-LRB-film-COLON-_2-RRB-",),
    )


def test_the_blank_page_that_opens_each_file_has_no_text():
    [document] = fever_page({"id": "", "text": "", "lines": ""}, "f:1")
    assert isinstance(document, Document)
    assert not document.text


@pytest.mark.parametrize("name", ["id", "text", "lines"])
def test_a_page_of_other_types_is_a_bad_record(name: str):
    [bad] = fever_page({**PAGE, name: 5}, "f:1")
    assert isinstance(bad, BadRecord)
