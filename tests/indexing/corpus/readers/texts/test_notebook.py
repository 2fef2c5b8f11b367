"""Notebooks: their cells one below the other."""

import json

import pytest

from hippohover.indexing.corpus.readers.texts.notebook import read
from tests.indexing.corpus.readers.texts.text_samples import (
    document,
    headings_in,
    reason,
    targets_of,
)

CELLS = [
    {"cell_type": "markdown", "source": ["# Rates\n", "See [keys](../keys.md) and <b>more</b>."]},
    {"cell_type": "code", "source": "# a comment\nprint(2)\n", "outputs": [
        {"output_type": "stream", "text": ["2\n"]},
        {"output_type": "display_data", "data": {"image/png": "iVBO", "text/plain": "<Figure>"}},
        {"output_type": "execute_result", "data": {"text/plain": "'x'"}},
        {"output_type": "stream", "text": "9" * 5000},
        {"output_type": "error", "traceback": ["no"]},
    ]},
    {"cell_type": "raw", "source": "raw"},
    {"cell_type": "markdown", "source": "## Cars\n\n| a |\n|---|\n| 1 |"},
    {"cell_type": "markdown", "source": "## Cars"},
]  # fmt: skip
METADATA = {"kernelspec": {"language": "python"}, "authors": [{"name": "Ada"}]}


def test_a_notebook():
    content = json.dumps({"cells": CELLS, "metadata": METADATA, "nbformat": 4})
    made = document(read, "a/n/rates.ipynb", content)
    assert (made.title, made.aliases, made.id) == ("Rates", ("rates",), "a/n/rates")
    assert made.text == (
        "See [keys](../keys.md) and more.\n\n# a comment\nprint(2)\n\n\n2\n\n\n'x'\n\nraw\n\n"
        "## Cars\n\na: 1\n\n## Cars"
    )
    assert headings_in(made) == [
        ("Cars", "Cars", "## Cars"),
        ("Cars", "", "## Cars"),  # an address leads to the first of them
    ]
    assert targets_of(made) == ["a/keys"]
    assert made.fields == {"language": "python", "author": ["Ada"]}


def test_a_notebook_of_the_third_format():
    cells = [
        {"cell_type": "heading", "level": 1, "source": "Rates"},
        {"cell_type": "code", "input": "x", "outputs": [{"text": "y"}]},
    ]
    made = document(read, "r.ipynb", json.dumps({"worksheets": [{"cells": cells}]}))
    assert (made.title, made.text.strip()) == ("Rates", "x\n\ny")


def test_a_notebook_without_headings_is_called_by_its_file():
    made = document(read, "r.ipynb", '{"cells": [{"cell_type": "code", "source": "# c"}, 3, {}]}')
    assert (made.title, made.text) == ("r", "# c")
    assert headings_in(made) == [("r", "", "# c")]


@pytest.mark.parametrize("content", ["{", "{}", "[]", '{"cells": {}}', "[" * 100_000, "7"])
def test_what_is_no_notebook_is_a_bad_record(content: str):
    assert reason("n.ipynb", content).startswith(("not JSON", "is not a notebook"))
