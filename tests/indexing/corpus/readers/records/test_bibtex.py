"""BibTeX: a document an entry, called by its key."""

import pytest

from hippohover.indexing.corpus.readers.records.bibtex import read
from hippohover.indexing.corpus.records import BadRecord, Document, Link, PassedOver
from tests.indexing.corpus.readers.records.record_samples import source_file

BIB = r"""Notes of ours, x@y.org.
@string{mole = "Journal of Moles"}
@article{finch2024,
  title = {{The \emph{Heron}} of {P}ier "four"},
  author = "Finch, Ad{\'e}la and Ott, {J}o",
  journal = mole # ", " # 12,
  year = 2024, crossref = {kerr1999}
}
@comment{nothing}
@Book(kerr1999, title={Fog}
@misc{bare, note = {Untitled}}
"""


def entries(content: str) -> list[Document | BadRecord]:
    found = list(read(source_file(content.encode())))
    return [one for one in found if isinstance(one, Document | BadRecord)]


def test_entries_are_documents():
    heron, fog, bare = entries(BIB)
    assert isinstance(heron, Document)
    assert (heron.title, heron.id, heron.aliases) == (
        'The Heron of Pier "four"', "finch2024", ("finch2024",),
    )  # fmt: skip
    assert heron.text == (
        'id: finch2024; type: article; title: The Heron of Pier "four"; author: Finch, Adéla and '
        "Ott, Jo; journal: Journal of Moles, 12; year: 2024; crossref: kerr1999"
    )
    assert heron.links == (Link(heron.text.index("kerr1999"), "kerr1999"),)
    assert heron.fields["year"] == "2024"
    assert isinstance(fog, Document)
    assert (fog.title, fog.fields["type"]) == ("Fog", "book")
    assert isinstance(bare, Document)
    assert (bare.title, bare.id, bare.aliases) == ("bare", "bare", ())


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("@book{a, title={A}}\n@article{, title={Fog}}", "an entry without a key"),
        ("@book{a, title={A}}\n@article{k, title={" + "x" * 60_000, "close its braces"),
    ],
)
def test_what_is_no_entry_is_named_by_its_line(content: str, reason: str):
    _, bad = entries(content)
    assert isinstance(bad, BadRecord)
    assert bad.place.endswith(":2")
    assert reason in bad.reason


def test_a_file_without_entries_is_passed_over():
    [record] = read(source_file(b"% none yet\n@comment{x}"))
    assert isinstance(record, PassedOver)
