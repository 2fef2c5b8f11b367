"""Sections that three documents repeat go behind the others, unless the claim asks for them."""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from hippohover.indexing.build import build
from hippohover.recipe import IndexRecipe, QuerySettings
from hippohover.retrieval.bm25 import Bm25
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.places import COMPARED, repeated_sections
from hippohover.retrieval.ranking import Ranking
from hippohover.retrieval.retrievers import Retrievers
from hippohover.retrieval.walk.candidates import Allowed
from tests.retrieval.toy_samples import retrievers_over

RECIPE = IndexRecipe.model_validate(
    {
        "name": "notes",
        "extractor": "between",
        "encoder": "none",
        "corpus": {"max_words": 40},
        "query": {"rerank": False},
    }
)
LICENCE = (
    "Permission is granted free of charge to any reader of the harbour handbook to copy, publish, "
    "lend and sell this page, provided that the notice above stands in every copy that is made."
)
TEXTS = {
    "Salt Road": "The Salt Road leads from the harbour of Velm to the mill, and carters keep it.",
    "Velm": "Velm lies on a river below three hills, and its oldest tower was built by weavers.",
    "Old Mill": "The Old Mill grinds barley for two valleys and stands empty in every dry summer.",
    "Iron Weir": "The Iron Weir holds back the spring flood, and its keeper lives in a low house.",
    "Heron Gate": "Through Heron Gate the fishers come at dawn, with baskets of eel and of crab.",
}
ABOUT_ROADS = "Which carters at Velm sell barley and eel by the river to a reader?"
ABOUT_COPIES = "May any reader of the handbook copy, publish or sell a page free of charge?"


def of_files(folder: Path, endings: Mapping[str, str]) -> HippoHover:
    """Return an engine over a Markdown file a text, each with an ending of its own or none."""
    corpus = folder / "notes"
    corpus.mkdir()
    for title, text in TEXTS.items():
        filler = " ".join(f"{title.split()[0]}{n}" for n in range(24))
        body = f"{text} {filler}\n\n{endings.get(title, '')}\n"
        (corpus / f"{title}.md").write_text(body, encoding="utf-8")
    return HippoHover.open(build(RECIPE, corpus=corpus, out=folder / "index", workers=1))


def licensed(folder: Path, n: int, heading: str = "## Licence") -> HippoHover:
    return of_files(folder, dict.fromkeys(list(TEXTS)[:n], f"{heading}\n\n{LICENCE}"))


def licences(engine: HippoHover, claim: str, k: int = 21, retriever: str = "ppr") -> list[int]:
    """Return the ranks at which copies of the licence stand in an answer."""
    found = engine.retrieve(claim, k=k, retriever=retriever).passages
    return [passage.rank for passage in found if "Permission" in passage.text]


@pytest.mark.parametrize("retriever", ["ppr", "bm25"])
def test_a_licence_of_three_documents_takes_no_place_before_others(tmp_path: Path, retriever: str):
    with licensed(tmp_path, 3) as engine:
        found = engine.retrieve(ABOUT_ROADS, retriever=retriever).passages
        n = len(found)
        assert licences(engine, ABOUT_ROADS, retriever=retriever) == [n - 2, n - 1, n]
        scores = [passage.score for passage in found]
        assert scores == sorted(scores, reverse=True)


def test_a_short_licence_that_documents_repeat_word_for_word_takes_none_either(tmp_path: Path):
    short = "## Licence\n\nPermission under CC BY 4.0, all rights reserved."
    with of_files(tmp_path, dict.fromkeys(list(TEXTS)[:3], short)) as engine:
        found = engine.retrieve(f"{ABOUT_ROADS} By which rights?").passages
        assert ["Permission" in one.text for one in found][-4:] == [False, True, True, True]
        assert sum("Permission" in one.text for one in found) == 3


def apart(engine: HippoHover) -> Retrievers:
    """Return retrievers that give each passage a place of its own."""
    settings = QuerySettings(rerank=False, one_per_document=False)
    return retrievers_over(engine.tables, settings)


def test_the_others_keep_their_scores_and_repeated_sections_have_the_lowest(tmp_path: Path):
    with licensed(tmp_path, 3) as engine:
        retrievers = apart(engine)
        plain = retrievers.named("bm25")(ABOUT_ROADS, COMPARED)
        found = retrievers("bm25", ABOUT_ROADS, COMPARED)
    own = dict(zip(plain.rows.tolist(), plain.scores.tolist(), strict=True))
    texts = [engine.tables.texts[row] for row in plain.rows.tolist()]
    copies = [row for row, text in zip(own, texts, strict=True) if "Permission" in text]
    others = [row for row in own if row not in copies]
    assert len(copies) == 3
    assert plain.rows.tolist()[: len(others)] != others
    assert found.rows.tolist() == others + copies
    lowest = plain.scores[-1]
    assert found.scores.tolist() == [own[row] for row in others] + [lowest] * 3


def test_as_many_passages_are_compared_for_every_depth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    depths: list[int] = []
    with licensed(tmp_path, 3) as engine:
        retrievers = apart(engine)
        bm25 = Bm25.__call__

        def searched(self: Bm25, claim: str, depth: int, allowed: Allowed = None) -> Ranking:
            depths.append(depth)
            return bm25(self, claim, depth, allowed)

        monkeypatch.setattr(Bm25, "__call__", searched)
        assert len(retrievers("bm25", ABOUT_ROADS, 1).rows) == 1
    assert depths == [COMPARED]


def test_two_documents_may_quote_each_other(tmp_path: Path):
    with licensed(tmp_path, 2) as engine:
        assert licences(engine, ABOUT_ROADS)


def test_a_claim_that_asks_for_the_licence_gets_it(tmp_path: Path):
    with licensed(tmp_path, 4) as engine:
        assert licences(engine, ABOUT_COPIES)[0] == 1


def test_an_answer_is_the_beginning_of_a_longer_one(tmp_path: Path):
    with licensed(tmp_path, 4) as engine:
        whole = [passage.pid for passage in engine.retrieve(ABOUT_ROADS).passages]
        for k in range(1, len(whole)):
            found = engine.retrieve(ABOUT_ROADS, k=k).passages
            assert [passage.pid for passage in found] == whole[:k]


def test_a_claim_that_finds_nothing_is_no_failure(tmp_path: Path):
    with licensed(tmp_path, 4) as engine:
        assert not engine.retrieve("zzyzx qqq", retriever="bm25").passages


def test_sections_under_other_headings_and_other_texts_are_not_repeated(tmp_path: Path):
    headings = ("Licence", "Licence", "Licence", "Terms", "Terms")
    endings = {
        title: f"## {heading}\n\n{LICENCE}" for title, heading in zip(TEXTS, headings, strict=True)
    }
    with of_files(tmp_path, endings) as engine:
        tables = engine.tables
        rows = np.arange(tables.arrays.n_passages)
        found = repeated_sections(tables, rows, np.zeros(0, np.int64))
        copies = {tables.passages["title"][row].as_py() for row in np.flatnonzero(found).tolist()}
        assert copies == set(list(TEXTS)[:3])
        assert int(found.sum()) == 3


def test_passages_without_a_heading_are_no_sections(tmp_path: Path):
    corpus = tmp_path / "notes"
    corpus.mkdir()
    for title in TEXTS:
        ending = " ".join(f"{title.split()[0]}{n}" for n in range(24))
        (corpus / f"{title}.md").write_text(f"{LICENCE}\n\n## Further\n\n{ending}\n")
    with HippoHover.open(build(RECIPE, corpus=corpus, out=tmp_path / "index")) as engine:
        assert engine.tables.has_headings
        rows = np.arange(engine.tables.arrays.n_passages)
        assert not repeated_sections(engine.tables, rows, np.zeros(0, np.int64)).any()


def test_records_without_headings_keep_their_places(tmp_path: Path):
    corpus = tmp_path / "records.jsonl"
    rows = [{"title": title, "text": f"{text} {LICENCE}"} for title, text in TEXTS.items()]
    rows += [{"title": f"Copy {n}", "text": LICENCE} for n in range(4)]
    corpus.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    with HippoHover.open(build(RECIPE, corpus=corpus, out=tmp_path / "index")) as engine:
        assert not engine.tables.has_headings
        copies = "Which copy of the harbour handbook may carters sell?"
        assert len(licences(engine, copies)) >= 4
