from pathlib import Path

import pytest
from PIL import Image

from hippohover.errors import UsageError
from hippohover.evaluation.comparison.drawing import draw_comparison
from tests.evaluation.comparison.comparison_samples import comparison
from tests.index_samples import refused


def test_there_is_a_row_of_pictures_a_set(tmp_path: Path):
    draw_comparison(comparison(), tmp_path / "a.png")
    with Image.open(tmp_path / "a.png") as picture:
        assert picture.size == (1632, 720)


def test_names_with_dollars_are_drawn_as_they_are(tmp_path: Path):
    draw_comparison(comparison(second="$x^{"), tmp_path / "a.svg")
    assert (tmp_path / "a.svg").stat().st_size > 1000


def test_the_axis_below_says_what_it_is(tmp_path: Path):
    draw_comparison(comparison(), tmp_path / "a.svg")
    drawn = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert drawn.count("<!-- cut-off (number of passages) -->") == 4


def test_another_ending_is_refused(tmp_path: Path):
    with refused(UsageError, r"give the picture a name that ends in"):
        draw_comparison(comparison(), tmp_path / "a.gif")


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path):
    with pytest.raises(UsageError, match="cannot be written"):
        draw_comparison(comparison(), tmp_path / "no" / "a.png")
