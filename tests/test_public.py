"""The public names, and what importing the package costs."""

import subprocess
import sys

import pytest

import hippohover

HEAVY = [
    "bm25s",
    "dspy",
    "faiss",
    "igraph",
    "lightgbm",
    "model2vec",
    "networkx",
    "numba",
    "numpy",
    "pandas",
    "pyarrow",
    "pydantic",
    "scipy",
    "sentence_transformers",
    "spacy",
    "torch",
    "transformers",
    "typer",
]


def test_the_public_names_are_pinned():
    assert hippohover.__all__ == [
        "Condition",
        "HippoHover",
        "HippoHoverError",
        "IndexRecipe",
        "Passage",
        "QuerySettings",
        "RankedPassage",
        "Retrieval",
        "Trace",
        "Triple",
        "add",
        "alias",
        "build",
        "delete",
    ]
    assert dir(hippohover) == hippohover.__all__


@pytest.mark.parametrize("name", hippohover.__all__)
def test_every_public_name_is_the_thing_of_that_name(name: str):
    assert getattr(hippohover, name).__name__ == name


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'helpers'"):
        _ = hippohover.helpers  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]


def test_importing_the_package_imports_nothing_heavy():
    code = "import hippohover, sys; print(' '.join(sys.modules))"
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert "hippohover" in done.stdout.split()
    assert not set(HEAVY) & set(done.stdout.split())
