"""What Python code defines and imports."""

import pytest

from hippohover.indexing.corpus.readers.texts.parsing import python_code
from hippohover.indexing.corpus.readers.texts.parsing.python_code import PythonCode


def test_a_long_text_is_not_parsed(monkeypatch: pytest.MonkeyPatch):
    text = "class A:\n    def b(self): ...\n"
    assert [section.words for section in PythonCode(text, "a.py").sections] == ["A", "b"]
    monkeypatch.setattr(python_code, "_MAX_CHARS", 10)
    assert [section.words for section in PythonCode(text, "a.py").sections] == ["A"]


def test_an_import_from_above_the_corpus_stays_in_it():
    links = PythonCode("from ....x import y\nimport os\nimport a.b\n", "a/c.py").links
    assert [link.title for link in links] == ["x", "a/b"]
