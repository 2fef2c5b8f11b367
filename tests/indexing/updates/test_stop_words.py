"""Texts that hold a name of stop words alone: none is left out."""

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hippohover.entity_graph import EdgeType, type_scale, type_weights
from hippohover.indexing.build import build
from hippohover.indexing.corpus.passage_table import stored_passages
from hippohover.indexing.updates import names_changed, segment_maker
from hippohover.indexing.updates.segment_maker import make_segment
from hippohover.indexing.updates.stop_words import Pattern, holders_of
from hippohover.names.gazetteer import Gazetteer
from hippohover.names.mentions import case_rule
from hippohover.store import tables as tables_module
from hippohover.store.reader import StoredIndex
from hippohover.store.segments.revision import Revision
from hippohover.store.tables import IndexTables
from tests.changing_world import RECIPE, Record, records, write_records
from tests.index_content import content_of, differences

NAME = "Be the One"
WORDS = (
    "be",
    "the",
    "one",
    "ONE",
    "The",
    "Be",
    "b\u00e9",
    "One's",
    "o",
    "\u4e00",
    "won",
    ".Be",
    "one+",
)
GAPS = (" ", " ", "-", "_", ", ", ". ", "\u00a0", "", "\u200d", "\u0301 ", "(", "&nbsp;")


@pytest.fixture
def tables(tmp_path: Path) -> IndexTables:
    texts = [
        "A song, Be the One, was heard.", "Whoever will be the one.", "Be The One",
        "To be one of the",
        "caf\u00e9: Be the One", "Could be the one and only", "Maybe the one", "Be the. One came.",
    ]  # fmt: skip
    rows: list[Record] = [
        {"title": f"Town {n}", "text": text, "year": 1} for n, text in enumerate(texts)
    ]
    build(RECIPE, corpus=write_records(tmp_path / "c.jsonl", rows), out=tmp_path / "i", workers=1)
    return IndexTables.open(StoredIndex.open(tmp_path / "i"))


def test_capital_words_one_behind_the_other_are_found(tables: IndexTables):
    rows = holders_of(["be", "the", "one"], tables)
    assert sorted(tables.passages.column("title")[row].as_py() for row in rows) == [
        f"Town {n}" for n in (0, 2, 4, 7)
    ]
    assert holders_of(["be", "the", "one", "who", "was"], tables) == []


@given(st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(GAPS)), max_size=8))
@example(
    [("Be", " "), ("the", " "), ("b\u00e9", "\u4e00"), ("Be", "\u200d"), ("the", " "), ("one", "")]
)
def test_no_text_that_names_it_is_left_out(parts: list[tuple[str, str]]):
    text = "".join(word + gap for word, gap in parts)
    names = Gazetteer({"be the one": 0})
    names.follow(np.array([case_rule(NAME)], np.uint8))
    if names.read(text).known:
        assert Pattern(["be", "the", "one"]).may_be_in(text)


def test_an_index_that_gets_such_a_name_is_as_one_that_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(tables_module, "LEAST_WITH_SPARE", 0)
    monkeypatch.setattr(tables_module, "SPARE_SHARE", 1)
    rng = random.Random(0)  # noqa: S311
    there = records(84, 0)
    for one in rng.sample(there, 20):
        one["text"] += f" Nobody sang {NAME} as she did."
    new: Record = {"title": NAME, "text": "Be the One is a song of Mira Oldane.", "year": 1}

    def built(some: list[Record], name: str) -> IndexTables:
        corpus = write_records(tmp_path / f"{name}.jsonl", some)
        build(RECIPE, corpus=corpus, out=tmp_path / name, workers=1)
        return IndexTables.open(StoredIndex.open(tmp_path / name))

    base, fresh = built(there, "base"), built([*there, new], "fresh")
    revision = Revision(base, type_scale(type_weights(RECIPE.query.weights)))
    [passage] = [one for one in stored_passages(fresh) if one.title == NAME]
    make_segment(revision, [passage], [], recipe=RECIPE, encoder=None)
    assert differences(content_of(revision.tables()), content_of(fresh)) == []
    assert np.count_nonzero(fresh.arrays.graph.types == EdgeType.MENTION) >= 20


def test_a_name_whose_word_many_passages_have_in_small_letters_touches_those_that_name_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(tables_module, "LEAST_WITH_SPARE", 0)
    monkeypatch.setattr(tables_module, "SPARE_SHARE", 1)
    monkeypatch.setattr(names_changed, "FEW_HOLDERS", 3)
    monkeypatch.setattr(segment_maker, "MOST_TOUCHED", 30)
    there = records(84, 0)
    says = [" She liked movies.", " A movie was shown.", " Movies! were shown.", " The Movies ran.",
            " caf&eacute; Movie&shy;s.", " MOVIES were loud."]  # fmt: skip
    for at, one in enumerate(there):
        one["text"] += says[0] if at > 20 else says[at % len(says)]
    new: Record = {"title": "Movies!", "text": "Movies! is a song of Mira Oldane.", "year": 1}

    def built(some: list[Record], name: str) -> IndexTables:
        corpus = write_records(tmp_path / f"{name}.jsonl", some)
        build(RECIPE, corpus=corpus, out=tmp_path / name, workers=1)
        return IndexTables.open(StoredIndex.open(tmp_path / name))

    base, fresh = built(there, "base"), built([*there, new], "fresh")
    revision = Revision(base, type_scale(type_weights(RECIPE.query.weights)))
    [passage] = [one for one in stored_passages(fresh) if one.title == "Movies!"]
    make_segment(revision, [passage], [], recipe=RECIPE, encoder=None)
    assert differences(content_of(revision.tables()), content_of(fresh)) == []


@given(st.lists(st.tuples(st.sampled_from((*WORDS, "Won", "WON", "A")), st.sampled_from(GAPS))))
def test_no_text_that_names_one_word_is_left_out(parts: list[tuple[str, str]]):
    text = "".join(word + gap for word, gap in parts)
    names = Gazetteer({"won": 0})
    names.follow(np.array([case_rule("Won")], np.uint8))
    if names.read(text).known:
        assert "&" in text or Pattern(["won"]).may_be_in(text)
