"""What the page shows beside an answer."""

import re
from pathlib import Path
from typing import Any

import pytest

from hippohover.indexing.build import build
from hippohover.recipe import EdgeWeights, IndexRecipe
from hippohover.retrieval.engine import HippoHover
from hippohover.testing.indexes import built
from hippohover.web.highlights import Highlighter, tells_number
from hippohover.web.showing import Showing
from tests.overview.overview_samples import tables_at

LONG = "The ferry left at dawn with nobody on it. " * 12
NOTES = {
    "harbour.md": "# Harbour\n\nThe harbour has a crane, built with [[Ida Fenn]].\n\n"
    f"## Opening\n\n{LONG}It opened in 1911. The mayor wept.\n\n## Closing\n\n{LONG}It closed.\n",
    "ida.md": "# Ida Fenn\n\nIda Fenn was an engineer. She was born in Carvick.\n",
    "bridge.md": "# Heron Bridge\n\nHeron Bridge was drawn by Ida Fenn. It is long.\n",
    "mill.md": "# Mill\n\nThe wheel of it was repaired by Ida Fenn.\n",
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> HippoHover:
    folder = tmp_path_factory.mktemp("notes")
    for name, text in NOTES.items():
        (folder / name).write_text(text, encoding="utf-8")
    recipe = IndexRecipe(name="notes", encoder="none")
    return HippoHover.open(build(recipe, corpus=folder, out=folder.with_name("ix"), workers=1))


def shown(engine: HippoHover, claim: str, title: str) -> dict[str, Any]:
    passages = engine.retrieve(claim).as_dict()["passages"]
    Showing(engine.tables).add_to(claim, passages)
    return next(one for one in passages if one["title"] == title)


def marked(passage: dict[str, Any]) -> list[str]:
    return [passage["text"][start:stop] for start, stop in passage["highlights"]]


def test_sentences_with_the_words_asked_are_marked(engine: HippoHover) -> None:
    assert marked(shown(engine, "Where was Ida Fenn born?", "Ida Fenn")) == [
        "She was born in Carvick."
    ]


def test_a_number_is_marked_where_one_is_asked(engine: HippoHover) -> None:
    passage = shown(engine, "In which year did the harbour open?", "Harbour")
    assert "It opened in 1911." in marked(passage)


def test_a_sentence_that_names_another_document_found_is_marked(engine: HippoHover) -> None:
    claim = "What do Heron Bridge and Mill have in common?"
    assert marked(shown(engine, claim, "Heron Bridge")) == ["Heron Bridge was drawn by Ida Fenn."]


def test_a_text_that_says_nothing_of_it_begins_marked(engine: HippoHover) -> None:
    passages = engine.retrieve("Ida Fenn").as_dict()["passages"][:1]
    Showing(engine.tables).add_to("zanzibar", passages)
    assert passages[0]["highlights"][0][0] == 0
    assert len(passages[0]["highlights"]) == 1


FOOTER = "Text of the Weir Club, licensed under CC BY-NC 3.0. Ask before you print it."
CLUBS = [
    ("Otter Weir", f"Otter Weir is made of larch.\n\nIt was closed in 1874.\n\n{FOOTER}"),
    ("Heron Weir", f"Heron Weir has two gates\n{FOOTER}"),
    ("Stoat Weir", f"{FOOTER}"),
]


def told(texts: list[tuple[str, str]], near_copies: int = 0) -> list[dict[str, Any]]:
    return [
        {"title": title, "text": text, "near_copy": at >= len(texts) - near_copies}
        for at, (title, text) in enumerate(texts)
    ]


def test_what_three_passages_repeat_is_never_marked(engine: HippoHover) -> None:
    passages = told(CLUBS)
    claim = "When was what the Weir Club prints closed?"
    best = Highlighter(engine.tables.arrays.lexical).add_to(claim, passages)
    assert [marked(one) for one in passages] == [
        ["It was closed in 1874."],
        ["Heron Weir has two gates"],
        [],
    ]
    assert best == ["It was closed in 1874.", "Heron Weir has two gates", ""]


def test_what_near_copies_repeat_is_marked(engine: HippoHover) -> None:
    text = "The gate of Otter Weir was shut by Ada Rill. It is green."
    passages = told([("Otter Weir", text)] * 4, near_copies=3)
    Highlighter(engine.tables.arrays.lexical).add_to("Who shut the gate of Otter Weir?", passages)
    assert all(marked(one) == ["The gate of Otter Weir was shut by Ada Rill."] for one in passages)


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("Shared under CC BY-NC-ND 2.5.", False),
        ("Shared as CC-BY 4.0 International", False),
        ("Its code is GPL-3.0 or Apache License, Version 2.0.", False),
        ("Made with Lathe v7.2 and version 12 of Plane, build 1.0.9.", False),
        ("© 1999-2021, Copyright (c) 2003 the club", False),
        ("See https://weirs.example/2011/04 and page 17.", False),
        ("The weir is 4.0 metres long.", True),
        ("It opened on 3.11.1904.", True),
        ("Version 2 of the GPL came in 1991.", True),
        ("The season 1931 was wet.", True),
        ("Its licence was sold by 12 owners.", True),
    ],
)
def test_numbers_of_licences_and_versions_count_nothing(text: str, *, tells: bool) -> None:
    assert tells_number(text) is tells


def test_each_passage_has_its_place_in_its_document(engine: HippoHover) -> None:
    passages = engine.retrieve("When did the harbour open?").as_dict()["passages"]
    Showing(engine.tables).add_to("When did the harbour open?", passages)
    own = [one for one in passages if one["title"] == "Harbour"]
    places = {(one["part"], one["n_parts"]) for place in own for one in (place, *place["others"])}
    n = own[0]["n_parts"]
    assert n > 1
    assert places == {(part, n) for part in range(1, n + 1)}
    alone = shown(engine, "Where was Ida Fenn born?", "Ida Fenn")
    assert (alone["part"], alone["n_parts"]) == (1, 1)


def showing(rows: list[dict[str, Any]], folder: Path) -> Showing:
    return Showing(tables_at(built(rows, folder / "ix")))


def test_examples_are_what_the_links_of_the_index_answer(engine: HippoHover) -> None:
    examples = Showing(engine.tables).examples
    assert examples["titles"] == ["Ida Fenn"]
    assert examples["names"] == []
    assert examples["questions"] == ["What do Harbour and Heron Bridge have in common?"]


def test_titles_that_the_most_passages_of_others_mention_come_first(tmp_path: Path) -> None:
    rows = [
        {"title": "Telk", "text": "Telk is long. " * 200},
        {"title": "Oswick", "text": "A town."},
    ]
    rows += [{"title": f"walk {n}", "text": f"Go on to Oswick, {n} miles."} for n in range(3)]
    rows += [{"title": "last walk", "text": "Go on to Telk."}]
    assert showing(rows, tmp_path).examples["titles"] == ["Oswick", "Telk"]


def test_titles_that_share_a_word_with_all_the_others_make_questions(tmp_path: Path) -> None:
    subjects = ("Tolls", "Boats", "Oats", "Gates", "Bells", "Weirs")
    rows = [
        {
            "title": f"Rule {n}: {subject}",
            "text": f"See Rule {n % 6 + 1}, or Rule {(n + 1) % 6 + 1}.",
        }
        for n, subject in enumerate(subjects, 1)
    ]
    asked = showing(rows, tmp_path).examples["questions"]
    assert asked
    assert all(re.fullmatch(r"What do Rule \d and Rule \d have in common\?", one) for one in asked)


def test_names_are_shown_where_no_title_is_mentioned(tmp_path: Path) -> None:
    said = (
        "Ada Brunt saw it with {0}.",
        "They say that Ada Brunt saw it.",
        "He met Ada Brunt here.",
    )
    texts = [one.format("Ivo Marek") for one in said] + ["It was seen by Ivo Marek. She was late."]
    rows = [{"id": f"n-{n}", "title": f"n-{n}", "text": text} for n, text in enumerate(texts)]
    assert showing(rows, tmp_path).examples == {
        "titles": [],
        "names": ["Ada Brunt", "Ivo Marek"],
        "questions": [],
    }


def test_themes_are_found_once(engine: HippoHover, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Showing(engine.tables)
    found = shown.themes(EdgeWeights())
    monkeypatch.setattr("hippohover.web.showing.themes_of", None)
    assert shown.themes(EdgeWeights()) is found
    assert found.n_documents + found.n_alone == engine.tables.arrays.n_documents


def test_an_index_without_links_has_no_examples(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Alone\n\nNothing else.\n", encoding="utf-8")
    recipe = IndexRecipe(name="alone", encoder="none")
    path = build(recipe, corpus=tmp_path / "a.md", out=tmp_path / "ix", workers=1)
    showing = Showing(HippoHover.open(path).tables)
    assert showing.examples == {"titles": [], "names": [], "questions": []}
    nothing: list[dict[str, Any]] = []
    showing.add_to("nothing", nothing)
    assert nothing == []
