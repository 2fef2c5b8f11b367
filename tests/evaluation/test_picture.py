"""Pictures of comparisons."""

from pathlib import Path

import pytest
from PIL import Image

from hippohover.errors import UsageError
from hippohover.evaluation.evaluate import EvaluationSettings, evaluate
from hippohover.evaluation.hover import load_claims
from hippohover.evaluation.picture import draw_report
from hippohover.evaluation.report import Report
from hippohover.rendering.figures import FORMATS
from hippohover.retrieval.engine import HippoHover
from hippohover.toy import toy_claims_path

SIGNS = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


@pytest.fixture(scope="module")
def report(toy_engine: HippoHover) -> Report:
    claims = load_claims(toy_claims_path())[:9]
    return evaluate(toy_engine, claims, EvaluationSettings(("ppr", "bm25"), n_warmups=0))


@pytest.mark.parametrize(
    "suffix",
    [pytest.param(one, marks=[] if one == ".png" else pytest.mark.slow) for one in FORMATS],
)
def test_a_picture_of_every_format(report: Report, tmp_path: Path, suffix: str):
    draw_report(report, "toy $x^{", tmp_path / f"a{suffix}")
    content = (tmp_path / f"a{suffix}").read_bytes()
    assert content.startswith(SIGNS[suffix])
    if suffix == ".png":
        draw_report(report, "toy $x^{", tmp_path / "b.png")
        assert content == (tmp_path / "b.png").read_bytes()
        with Image.open(tmp_path / "a.png") as picture:
            assert picture.size == (1320, 504)


def test_the_retrievers_are_named(report: Report, tmp_path: Path):
    import matplotlib as mpl

    with mpl.rc_context({"svg.fonttype": "none"}):
        draw_report(report, "toy", tmp_path / "a.svg")
    drawn = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert ">ppr<" in drawn
    assert ">bm25<" in drawn
    assert "toy, n = 9" in drawn


def test_another_ending_is_refused(report: Report, tmp_path: Path):
    with pytest.raises(UsageError, match=r"a\.gif: give the picture a name that ends in"):
        draw_report(report, "toy", tmp_path / "a.gif")
