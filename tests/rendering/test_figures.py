"""Files of figures: which endings they have, the same bytes each time, what is refused."""

import sys
from pathlib import Path

import pytest

from hippohover.errors import UsageError
from hippohover.rendering.figures import FORMATS, check_format, new_figure, save


@pytest.mark.parametrize("name", [*(f"a{suffix}" for suffix in FORMATS), "a.SVG", "b.c.Pdf"])
def test_pictures_are_known_by_their_ending(name: str):
    check_format(Path(name))


@pytest.mark.parametrize("name", ["a", "a.gif", ".png", "a.png.txt"])
def test_another_ending_is_refused_before_anything_is_drawn(name: str):
    with pytest.raises(
        UsageError, match=r"give the picture a name that ends in \.png, \.svg, \.pdf"
    ):
        check_format(Path(name))


@pytest.mark.parametrize("suffix", [".png", ".pdf"])
def test_a_figure_is_the_same_bytes_each_time(tmp_path: Path, suffix: str):
    figure = new_figure(2, 1)
    figure.text(0.5, 0.5, "霧")  # a letter that the font may lack is no warning
    for name in ("a", "b"):
        save(figure, tmp_path / f"{name}{suffix}")
    assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()


def test_what_cannot_be_written_or_drawn_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(UsageError, match=r"a\.png: cannot be written .No such file"):
        save(new_figure(1, 1), tmp_path / "none" / "a.png")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(UsageError, match=r"pip install '\S*\[pictures\]'"):
        new_figure(1, 1)
