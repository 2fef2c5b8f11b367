"""An explanation as HTML: drawn, told in words, and safe to open."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from hippohover.errors import UsageError
from hippohover.explanation.explain import Explanation, explain
from hippohover.explanation.words import PathNode
from hippohover.retrieval.engine import HippoHover
from tests.retrieval.toy_samples import TOY_CLAIMS


@pytest.fixture(scope="module")
def explanation(toy_engine: HippoHover) -> Explanation:
    claim = TOY_CLAIMS[6]
    return explain(toy_engine, claim, pid=toy_engine.retrieve(claim).passages[1].pid)


def test_the_page_tells_all_paths(explanation: Explanation, tmp_path: Path):
    explanation.write_page(tmp_path / "walk.html")
    page = (tmp_path / "walk.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert page.count("<svg") == 1
    assert "rank 2, score" in page
    assert page.count("claim -&gt;") == len(explanation.paths)
    assert not re.search(r"<script|(?:src|href)=", page)


def test_names_are_shown_as_they_stand(explanation: Explanation, tmp_path: Path):
    odd = PathNode("entity", '<img src=x onerror="alert(1)">霧\x1b[2J')
    path = explanation.paths[0]
    hostile = replace(explanation, paths=(replace(path, nodes=(odd, *path.nodes[1:])),))
    hostile.write_page(tmp_path / "walk.html")
    page = (tmp_path / "walk.html").read_text(encoding="utf-8")
    assert "<img" not in page
    assert "\x1b" not in page
    assert "霧" in page


def test_an_explanation_without_paths_says_why(toy_engine: HippoHover):
    title = toy_engine.retrieve(TOY_CLAIMS[0]).passages[0].title
    found = explain(toy_engine, "Zyxwv qqfjord brgltx", title=title)
    assert not found.paths
    html = found._repr_html_()  # pyright: ignore[reportPrivateUsage]  # what notebooks call
    assert "<svg" not in html
    assert "the walk did not reach it" in html


def test_notebooks_show_the_same(explanation: Explanation, toy_engine: HippoHover):
    assert "<svg" in explanation._repr_html_()  # pyright: ignore[reportPrivateUsage]
    found = toy_engine.retrieve(TOY_CLAIMS[0], 3)
    assert found._repr_html_().count("<tr>") == 4  # pyright: ignore[reportPrivateUsage]


def test_a_page_that_cannot_be_written_is_named(explanation: Explanation, tmp_path: Path):
    with pytest.raises(UsageError, match=r"none/walk\.html: cannot be written"):
        explanation.write_page(tmp_path / "none" / "walk.html")
