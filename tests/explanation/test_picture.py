"""Pictures of a walk: what the graph holds, and files that are pictures."""

from dataclasses import replace
from pathlib import Path

import pytest

from hippohover.errors import UsageError
from hippohover.explanation.explain import Explanation, explain
from hippohover.explanation.layout import layout
from hippohover.explanation.picture import draw
from hippohover.explanation.words import PathEdge, PathNode, WalkPath
from hippohover.records import Triple
from hippohover.rendering.figures import FORMATS
from hippohover.retrieval.engine import HippoHover
from tests.retrieval.toy_samples import TOY_CLAIMS

ADA, ROAD, FILM = PathNode("entity", "Ada"), PathNode("entity", "Road"), PathNode("passage", "Road")
PATHS = (
    WalkPath((ADA, ROAD, FILM), (PathEdge(("fact",), (Triple("Ada", "sang in", "Road"),)),
                             PathEdge(("title", "source"), (Triple("Road", "is", "film"),))),
         "mention", 0.2, 0.5),
    WalkPath((ROAD, FILM), (PathEdge(("title", "source")),), "fact", 0.1, 0.2),
    WalkPath((FILM,), (), "passage", 0.1, 0.1),
)  # fmt: skip
SIGNS = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


def explanation_of(paths: tuple[WalkPath, ...]) -> Explanation:
    return Explanation(
        claim="Ada sang.",
        title="Road",
        pid="p",
        rank=1,
        score=0.4,
        seeds=(),
        paths=paths,
        reason="",
    )


@pytest.mark.parametrize("suffix", [*FORMATS, ".PNG"])
def test_a_picture_of_every_format(tmp_path: Path, suffix: str):
    file = tmp_path / f"walk{suffix}"
    draw(explanation_of(PATHS), file)
    content = file.read_bytes()
    assert content.startswith(SIGNS[suffix.lower()])
    assert len(content) > 2000


def test_names_are_drawn_as_they_stand(tmp_path: Path):
    odd = PathNode("entity", "A$AP $x^{2$ <b>&amp; 霧 \x1b[2J")
    path = replace(PATHS[0], nodes=(odd, ROAD, FILM))
    draw(explanation_of((path,)), tmp_path / "walk.svg")
    assert b"<b>" not in (tmp_path / "walk.svg").read_bytes()


def test_a_real_explanation_is_drawn(toy_engine: HippoHover, tmp_path: Path):
    claim = TOY_CLAIMS[0]
    title = toy_engine.retrieve(claim).passages[2].title
    explanation = explain(toy_engine, claim, title=title)
    assert len(layout(explanation.paths).edges) >= len(explanation.paths)
    draw(explanation, tmp_path / "walk.png")
    assert (tmp_path / "walk.png").stat().st_size > 5000


def test_what_cannot_be_drawn_is_named(tmp_path: Path):
    with pytest.raises(UsageError, match=r"walk\.gif: give the picture a name that ends in \.png"):
        draw(explanation_of(PATHS), tmp_path / "walk.gif")
    lost = replace(explanation_of(()), reason="the walk did not reach it")
    with pytest.raises(UsageError, match="'Road' has no path to draw: the walk did not reach it"):
        draw(lost, tmp_path / "walk.png")
    with pytest.raises(UsageError, match=r"cannot be written .No such file"):
        draw(explanation_of(PATHS), tmp_path / "nowhere" / "walk.png")
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(UsageError, match=r"pip install '\S*\[pictures\]'"):
        draw(explanation_of(PATHS), tmp_path / "walk.png")
