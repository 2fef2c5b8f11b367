"""An index that was updated answers as one that is built of the same documents."""

import random
from pathlib import Path

import pytest

import hippohover
from hippohover.indexing.build import build
from hippohover.indexing.corpus.records import clean_title
from hippohover.recipe import IndexRecipe
from hippohover.retrieval.engine import HippoHover
from hippohover.store import tables as tables_module
from hippohover.store.reader import StoredIndex
from hippohover.store.segments.opening import opened_tables
from tests.changing_world import JOINING, RECIPE, Record, write_records
from tests.index_content import content_of, differences
from tests.kinds_of_corpora import KINDS


@pytest.fixture(autouse=True)
def spare_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows to spare in small indexes too."""
    monkeypatch.setattr(tables_module, "LEAST_WITH_SPARE", 0)
    monkeypatch.setattr(tables_module, "SPARE_SHARE", 1)


@pytest.mark.parametrize("kind", ["chats", "rules"])
def test_an_updated_index_answers_as_a_build(tmp_path: Path, kind: str):
    assert _is_updated(tmp_path, kind, seed=0, n=60)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", KINDS)
def test_indexes_of_every_kind_answer_as_a_build(tmp_path: Path, kind: str, seed: int):
    _is_updated(tmp_path, kind, seed, n=130)


def _is_updated(folder: Path, kind: str, seed: int, n: int) -> bool:
    """Compare an index that adds and deletes changed with a build; whether it has segments."""
    rng = random.Random(seed)  # noqa: S311
    recipe = JOINING if kind in {"joined", "rows"} else RECIPE
    every = KINDS[kind](n, seed)
    rng.shuffle(every)
    there, rest = every[: n * 4 // 5], every[n * 4 // 5 :]
    index = _built(folder / "updated", recipe, there)
    for _ in range(4):
        came = [rest.pop() for _ in range(rng.choice([1, 2, 4]))]
        hippohover.add(index, write_records(folder / "came.jsonl", came), replace=False, workers=1)
        there += came
        title = clean_title(rng.choice(there)["title"])
        if title:
            hippohover.delete(index, [title], workers=1)
            there = [one for one in there if clean_title(one["title"]) != title]
    rng.shuffle(there)
    fresh = _built(folder / "fresh", recipe, there)
    with StoredIndex.open(index) as one, StoredIndex.open(fresh) as other:
        updated, built = (content_of(opened_tables(stored)) for stored in (one, other))
        assert differences(updated, built) == []
        counts, wanted = one.manifest.counts, other.manifest.counts
        edges = {name for name in wanted if name.endswith("_edges")}
        assert {name: counts[name] for name in edges} == {name: wanted[name] for name in edges}
        assert one.manifest.series_share == other.manifest.series_share
        is_of_segments = one.manifest.base is not None
    texts = (str(one["text"]) for one in rng.sample(there, 15))
    claims = [text[start : start + 60] for text in texts for start in (0, len(text) // 2)]
    assert _answers(index, claims) == _answers(fresh, claims)
    return is_of_segments


def _built(out: Path, recipe: IndexRecipe, some: list[Record]) -> Path:
    return build(recipe, corpus=write_records(out.with_suffix(".jsonl"), some), out=out, workers=1)


def _answers(index: Path, claims: list[str]) -> list[list[tuple[str, float]]]:
    engine = HippoHover.open(index)
    return [
        [(one.pid, round(one.score, 6)) for one in engine.search(claim, 50, name).passages]
        for name in ("ppr", "bm25")
        for claim in claims
        if claim.strip()
    ]
