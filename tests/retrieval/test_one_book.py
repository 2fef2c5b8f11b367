"""What one long document answers: its passages take places as documents do."""

from pathlib import Path

import pytest

from hippohover.indexing.build import build
from hippohover.recipe import IndexRecipe
from hippohover.retrieval.engine import HippoHover
from tests.retrieval.one_book import N_QUESTIONS, Question, handbook, split

RECIPE = IndexRecipe(name="book", extractor="between", encoder="none")


def n_found(engine: HippoHover, questions: list[Question]) -> int:
    """For how many questions both sections are shown among 21 passages."""
    found = 0
    for question in questions:
        shown = " ".join(passage.text for passage in engine.retrieve(question.text).passages)
        found += question.first in shown and question.second in shown
    return found


@pytest.mark.parametrize(
    ("n_files", "n_sections"),
    [
        (1, 120),
        *(
            pytest.param(n_files, n_sections, marks=pytest.mark.slow)
            for n_files, n_sections in (
                (3, 120),
                (6, 120),
                (12, 120),
                (30, 120),
                (120, 120),
                (300, 300),
            )
        ),
    ],
)
def test_two_sections_are_found_however_they_are_split(
    n_files: int, n_sections: int, tmp_path: Path
):
    sections, questions = handbook(n_sections)
    corpus = split(sections, n_files, tmp_path / "book")
    with HippoHover.open(build(RECIPE, corpus=corpus, out=tmp_path / "ix", workers=1)) as engine:
        assert len(engine.retrieve(questions[0].text).passages) == 21
        assert n_found(engine, questions) >= 0.95 * N_QUESTIONS
