"""Plain text: the file as it is."""

import pytest

from hippohover.indexing.corpus.readers.texts.plain import read
from hippohover.indexing.corpus.records import Document
from tests.indexing.corpus.readers.texts.text_samples import document


@pytest.mark.parametrize(
    ("place", "content", "expected"),
    [
        ("n.txt", b"\xef\xbb\xbf# Head\r\nText.",
         Document("n", "# Head\nText.", id="n", path="n.txt")),
        ("a/b.log", "---\na: b\n---\n",
         Document("b", "---\na: b\n---\n", id="a/b", path="a/b.log")),
        ("old/README", "One\rtwo\0.", Document("old", "One\ntwo .", id="old/README",
         aliases=("README",), path="old/README")),
    ],
)  # fmt: skip
def test_a_text_is_what_it_is(place: str, content: str | bytes, expected: Document):
    made = document(read, place, content)
    assert made._replace(aliases=()) == expected._replace(aliases=())
    assert set(expected.aliases) <= set(made.aliases)
