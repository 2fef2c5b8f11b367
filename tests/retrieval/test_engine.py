"""The engine on the toy index: its bounds, its records, and several threads at once."""

import copy
import gc
import json
import os
import shutil
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hippohover.errors import IndexDamagedError, IndexStoreError, ModelError, UsageError
from hippohover.indexing.build import build
from hippohover.indexing.update import add, delete
from hippohover.language_model.client import LanguageModel
from hippohover.language_model.opening import open_language_model
from hippohover.recipe import (
    MAX_RANKED_PASSAGES,
    MAX_SEARCH_DEPTH,
    LanguageModelSettings,
    QuerySettings,
)
from hippohover.records import Retrieval
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.facts.filter import FactFilter
from hippohover.retrieval.facts.pool import ROUTE_WITHOUT_FILTER
from hippohover.retrieval.reranking import rerank
from hippohover.testing.indexes import TOY_RECIPE
from hippohover.toy import toy_corpus_path
from tests.index_samples import seal_manifest
from tests.retrieval.toy_samples import TOY_CLAIMS, UNKNOWN_WORDS, forget_weights, write_weights
from tests.stub_server import Reply, StubServer, chat, serving


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("engine") / "weights"
    write_weights(folder, {claim: at % 5 for at, claim in enumerate(TOY_CLAIMS[::2])})
    return folder


@pytest.fixture
def reranking(
    toy_index: Path, weights: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[HippoHover]:
    """A freshly opened engine that re-ranks by small weights."""
    monkeypatch.setattr(rerank, "_FOLDER", str(weights))
    forget_weights()
    yield HippoHover.open(toy_index, settings=QuerySettings(rerank=True))
    forget_weights()


def untimed(answer: Retrieval) -> Retrieval:
    return replace(answer, trace=replace(answer.trace, seconds=0.0))


# --- answers ---------------------------------------------------------------------------------


def test_an_answer_is_whole(toy_engine: HippoHover):
    answer = toy_engine.retrieve(TOY_CLAIMS[0])
    assert (answer.claim, answer.retriever) == (TOY_CLAIMS[0], "ppr")
    assert len(answer.passages) == MAX_RANKED_PASSAGES
    assert [passage.rank for passage in answer.passages] == list(range(1, 22))
    titles, pids = toy_engine.titles(), toy_engine.pids()
    texts = toy_engine.tables.texts
    for passage in answer.passages:
        row = pids.index(passage.pid)
        assert (passage.title, passage.text) == (titles[row], texts[row])
    scores = [passage.score for passage in answer.passages]
    assert scores == sorted(scores, reverse=True)


def test_a_trace_says_how_an_answer_was_found(toy_engine: HippoHover):
    trace = toy_engine.retrieve(TOY_CLAIMS[0]).trace
    assert trace.route == ROUTE_WITHOUT_FILTER == "no-filter"
    assert {seed.kind for seed in trace.seeds} == {"mention", "passage"}
    assert trace.facts == ()
    assert MAX_RANKED_PASSAGES <= trace.n_candidates <= toy_engine.tables.arrays.n_passages
    assert trace.seconds > 0
    assert (trace.lm_calls, trace.fallbacks) == (0, 0)
    assert toy_engine.retrieve(TOY_CLAIMS[0], retriever="bm25").trace.seeds == ()


@pytest.mark.parametrize("retriever", [pytest.param("ppr", marks=pytest.mark.slow), "bm25"])
def test_fewer_is_a_prefix_of_more(toy_engine: HippoHover, reranking: HippoHover, retriever: str):
    for engine in (toy_engine, reranking):
        for claim in TOY_CLAIMS[::15]:
            deep = engine.search(claim, MAX_SEARCH_DEPTH, retriever).passages
            assert engine.retrieve(claim, 21, retriever).passages == deep[:21]
            assert engine.retrieve(claim, 5, retriever).passages == deep[:5]
            assert engine.search(claim, 1, retriever).passages == deep[:1]
            assert len({passage.pid for passage in deep}) == len(deep)


def test_a_claim_of_unknown_words_has_an_empty_answer(
    toy_engine: HippoHover, reranking: HippoHover
):
    for engine in (toy_engine, reranking):
        for retriever in ("ppr", "bm25"):
            answer = engine.retrieve(UNKNOWN_WORDS, retriever=retriever)
            assert answer.passages == ()
            assert (answer.trace.seeds, answer.trace.n_candidates) == ((), 0)
        assert engine.search(UNKNOWN_WORDS, 1000).passages == ()


def test_titles_and_pids_go_by_row(toy_engine: HippoHover):
    titles, pids = toy_engine.titles(), toy_engine.pids()
    assert len(titles) == len(pids) == len(set(pids)) == toy_engine.manifest.counts["n_passages"]
    assert list(pids) == sorted(pids)
    assert {"Mira Oldane", "Jonah Pell"} <= set(titles)


# --- bounds ----------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [0, -1, MAX_RANKED_PASSAGES + 1])
def test_k_has_bounds(toy_engine: HippoHover, k: int):
    with pytest.raises(UsageError, match=f"k is {k}: give 1 to 21"):
        toy_engine.retrieve(TOY_CLAIMS[0], k)


@pytest.mark.parametrize("depth", [0, -1, MAX_SEARCH_DEPTH + 1])
def test_depth_has_bounds(toy_engine: HippoHover, depth: int):
    with pytest.raises(UsageError, match=f"depth is {depth}: give 1 to 1000"):
        toy_engine.search(TOY_CLAIMS[0], depth)


@pytest.mark.parametrize("claim", ["", "  \n", "x" * 10_001])
def test_blank_and_long_claims_are_refused(toy_engine: HippoHover, claim: str):
    for ask in (toy_engine.retrieve, toy_engine.search):
        with pytest.raises(UsageError, match="the claim"):
            ask(claim)


@pytest.mark.parametrize("claim", [None, b"bytes", 7, "lone \ud800 surrogate"])
@pytest.mark.parametrize("retriever", ["ppr", "bm25"])
def test_what_is_no_text_is_no_claim(
    toy_engine: HippoHover,
    claim: Any,  # noqa: ANN401
    retriever: str,
):
    with pytest.raises(UsageError, match="the claim"):
        toy_engine.retrieve(claim, retriever=retriever)


@pytest.mark.parametrize("k", [2.5, True, "3", None])
def test_k_is_a_whole_number(toy_engine: HippoHover, k: Any):  # noqa: ANN401
    said = f"is {k!r}, of type {type(k).__name__}: give an int, 1 to"
    with pytest.raises(UsageError, match=f"k {said} 21"):
        toy_engine.retrieve("A claim.", k)
    with pytest.raises(UsageError, match=f"depth {said} 1000"):
        toy_engine.search("A claim.", k)
    with pytest.raises(UsageError, match=f"n {said} 1000"):
        toy_engine.linked(toy_engine.pids()[0], k)


def test_one_text_is_no_batch(toy_engine: HippoHover):
    with pytest.raises(UsageError, match="one str"):
        toy_engine.retrieve_batch("A claim.")


def test_no_index_is_an_error(tmp_path: Path):
    with pytest.raises(IndexStoreError):
        HippoHover.open(tmp_path)


# --- several at once -------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("fresh", [True, False])
def test_threads_answer_as_one_does(reranking: HippoHover, toy_index: Path, fresh: bool):
    """Eight threads on an engine that nobody has asked before, and on one that is warm."""
    serial = [untimed(reranking.retrieve(claim)) for claim in TOY_CLAIMS]
    forget_weights()
    engine = reranking
    if fresh:
        engine = HippoHover.open(toy_index, settings=QuerySettings(rerank=True))
    with ThreadPoolExecutor(8) as pool:
        answers = [untimed(answer) for answer in pool.map(engine.retrieve, TOY_CLAIMS)]
    assert answers == serial


@pytest.mark.parametrize("workers", [0, 1, 3])
def test_a_batch_keeps_the_order_of_its_claims(toy_engine: HippoHover, workers: int):
    claims = [*TOY_CLAIMS[:12], TOY_CLAIMS[3]]
    answers = toy_engine.retrieve_batch(claims, 7, "ppr", workers=workers)
    assert [untimed(answer) for answer in answers] == [
        untimed(toy_engine.retrieve(claim, 7)) for claim in claims
    ]
    assert toy_engine.retrieve_batch([], workers=workers) == []


def test_a_batch_with_a_bad_claim_is_refused(toy_engine: HippoHover):
    with pytest.raises(UsageError, match="claim is empty"):
        toy_engine.retrieve_batch([TOY_CLAIMS[0], " "])


# --- one engine ------------------------------------------------------------------------------


def test_a_copy_of_an_engine_is_itself(toy_engine: HippoHover):
    assert copy.deepcopy(toy_engine) is toy_engine
    assert copy.deepcopy({"engine": [toy_engine]})["engine"][0] is toy_engine


def test_settings_replace_the_recipes(toy_index: Path, toy_engine: HippoHover):
    other = HippoHover.open(
        toy_index, settings=QuerySettings.model_validate({"rerank": False, "mention_mass": 0.0})
    )
    assert toy_engine.retrievers.settings == QuerySettings(rerank=False)
    kinds = {seed.kind for seed in other.retrieve(TOY_CLAIMS[0]).trace.seeds}
    assert kinds == {"passage"}


def test_an_index_of_another_table_of_vectors_says_so_when_it_is_opened(
    encoded_toy_index: Path, tmp_path: Path
):
    root = Path(shutil.copytree(encoded_toy_index, tmp_path / "index"))
    path = root / "v000001" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["models"]["encoder"]["sha256"] = "ab" * 32
    seal_manifest(path.parent, json.dumps(manifest).encode())
    with pytest.raises(ModelError, match=r"another hippohover \(abababababab; .*index again"):
        HippoHover.open(root)


@pytest.mark.parametrize("settings", [None, QuerySettings()])
def test_an_index_of_a_recipe_with_other_keys_is_refused(
    toy_index: Path, tmp_path: Path, settings: QuerySettings | None
):
    folder = Path(shutil.copytree(toy_index, tmp_path / "i")) / "v000001"
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["recipe"]["query"]["third_walk"] = True
    seal_manifest(folder, json.dumps(manifest).encode())
    with pytest.raises(IndexDamagedError, match=r"query: third_walk: Extra inputs"):
        HippoHover.open(folder.parent, settings=settings)


@pytest.mark.slow
def test_a_reader_keeps_its_version_until_it_reloads(toy_index: Path, tmp_path: Path):
    root = Path(shutil.copytree(toy_index, tmp_path / "i"))
    engine = HippoHover.open(root)
    claim = "The Ostrava Pier is a landing in Vessby."
    (tmp_path / "new.jsonl").write_text(
        json.dumps({"title": "Ostrava Pier", "text": "Ostrava Pier is a landing in Vessby."})
    )
    assert not engine.reload()
    for _ in range(3):  # more versions than a publisher keeps
        add(root, tmp_path / "new.jsonl")
        assert "Ostrava Pier" not in engine.titles()
        assert all(one.title != "Ostrava Pier" for one in engine.retrieve(claim).passages)
        assert engine.reload()
        assert engine.retrieve(claim).passages[0].title == "Ostrava Pier"
        assert not engine.reload()
        delete(root, ["Ostrava Pier"])
        assert engine.retrieve(claim).passages[0].title == "Ostrava Pier"
        assert engine.reload()
    assert engine.manifest.counts["n_passages"] == len(engine.titles())
    pinned = HippoHover.open(root / engine.stored.version)
    add(root, tmp_path / "new.jsonl")
    assert not pinned.reload()


def test_an_index_that_is_made_again_in_its_place_is_another_version(
    toy_index: Path, tmp_path: Path
):
    """Both are v000001: the folder was removed and built again, or another one moved there."""
    root = Path(shutil.copytree(toy_index, tmp_path / "i"))
    engine = HippoHover.open(root)
    assert not engine.reload()
    root.rename(tmp_path / "old")
    with pytest.raises(IndexStoreError):
        engine.reload()
    assert engine.retrieve(TOY_CLAIMS[0]).passages
    corpus = tmp_path / "c.jsonl"
    corpus.write_text('{"title": "New Thing", "text": "New Thing stands in Vellmouth."}')
    build(TOY_RECIPE, corpus=corpus, out=root, workers=1)
    assert engine.reload()
    assert engine.titles() == ["New Thing"]
    assert not engine.reload()
    engine.close()


def test_a_reload_that_fails_leaves_the_engine_as_it_was(toy_index: Path, tmp_path: Path):
    root = Path(shutil.copytree(toy_index, tmp_path / "i"))
    engine = HippoHover.open(root)
    before = engine.retrieve(TOY_CLAIMS[0]).passages
    shutil.copytree(root / "v000001", root / "v000002")
    (root / "v000002" / "facts.npy").write_bytes(b"")
    (root / "CURRENT").write_text("v000002\n")
    with pytest.raises(IndexStoreError, match=r"facts\.npy"):
        engine.reload()
    assert engine.retrieve(TOY_CLAIMS[0]).passages == before


def test_a_warm_up_reads_every_byte_and_answers(toy_index: Path, tmp_path: Path):
    def n_read() -> int:
        return int(Path("/proc/self/io").read_text(encoding="ascii").split()[1])

    root = Path(shutil.copytree(toy_index, tmp_path / "i"))
    engine = HippoHover.open(root)
    before = n_read()
    answer = engine.warm_up()
    assert n_read() - before >= sum(engine.stored.sizes().values())
    assert answer.claim in engine.titles()
    assert answer.passages[0].title == answer.claim
    delete(root, [answer.claim])
    before = n_read()
    assert engine.reload(warm_up=True)
    assert n_read() - before >= sum(engine.stored.sizes().values())
    assert engine.warm_up().claim != answer.claim
    facts = engine.stored.folder / "facts.npy"
    whole = facts.read_bytes()
    facts.unlink()
    facts.write_bytes(whole[:-7])
    with pytest.raises(
        IndexDamagedError, match=rf"facts\.npy: .*it ends after {len(whole) - 7} bytes"
    ):
        engine.warm_up()
    facts.unlink()
    with pytest.raises(IndexDamagedError, match=r"facts\.npy: is missing"):
        engine.warm_up()


def test_a_version_that_was_let_go_of_keeps_no_file_open(toy_index: Path):
    """At once, not when Python next looks for circles: a server that reloads may run out first."""

    def n_open() -> int:
        return sum("toy" in os.path.realpath(file) for file in Path("/proc/self/fd").iterdir())

    gc.collect()  # what other tests have left
    before, engine = n_open(), HippoHover.open(toy_index)
    for retriever in ("ppr", "bm25"):
        engine.retrieve(TOY_CLAIMS[0], retriever=retriever)
    assert n_open() > before + 10
    gc.collect()
    gc.disable()
    try:
        engine.close()
        del engine
        assert n_open() == before
    finally:
        gc.enable()


@pytest.mark.slow
def test_threads_answer_by_one_version_or_the_other(toy_index: Path, tmp_path: Path):
    root = Path(shutil.copytree(toy_index, tmp_path / "i"))
    engine = HippoHover.open(root)
    before = engine.retrieve(TOY_CLAIMS[0]).passages
    (tmp_path / "new.jsonl").write_text(
        json.dumps({"title": "Zzyx", "text": f"Zzyx. {TOY_CLAIMS[0]}"})
    )
    add(root, tmp_path / "new.jsonl")
    after = HippoHover.open(root).retrieve(TOY_CLAIMS[0]).passages
    assert before != after
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(engine.retrieve, TOY_CLAIMS[0]) for _ in range(40)]
        engine.reload()
        asked += [pool.submit(engine.retrieve, TOY_CLAIMS[0]) for _ in range(10)]
    assert all(one.result().passages in (before, after) for one in asked)
    assert all(one.result().passages == after for one in asked[40:])


def test_answers_outlive_a_closed_engine(toy_index: Path):
    engine = HippoHover.open(toy_index)
    answer = engine.retrieve(TOY_CLAIMS[0])
    engine.close()
    assert all(passage.text for passage in answer.passages)
    for ask in (lambda: engine.retrieve(TOY_CLAIMS[0]), engine.reload, engine.warm_up,
                lambda: engine.stored.array("heads.npy")):  # fmt: skip
        with pytest.raises(IndexStoreError, match="is closed: open the index again"):
            ask()


def test_an_engine_closes_at_the_end_of_a_with(toy_index: Path):
    with HippoHover.open(toy_index) as engine, suppress(KeyError):
        assert engine.retrieve(TOY_CLAIMS[0]).passages
        raise KeyError
    with pytest.raises(IndexStoreError, match="is closed: open the index again"):
        engine.retrieve(TOY_CLAIMS[0])


# --- with a language model -------------------------------------------------------------------


def kept_facts(facts: list[list[str]]) -> str:
    return chat("", fact_after_filter=json.dumps({"fact": facts}))


@contextmanager
def open_stub(replies: list[Reply]) -> Generator[tuple[StubServer, LanguageModel]]:
    with serving(replies) as stub:
        settings = LanguageModelSettings(name="openai/stub", api_base=stub.api_base)
        with open_language_model(settings) as model:
            yield stub, model


@pytest.mark.parametrize("retriever", ["ppr", "dense", "hybrid"])
def test_an_answer_without_any_word_asked_says_so(encoded_toy_index: Path, retriever: str):
    with HippoHover.open(encoded_toy_index) as engine:
        unknown = engine.retrieve("What is a zzqx?", 3, retriever)
        assert unknown.passages
        assert unknown.trace.by_similarity
        assert unknown.as_dict(trace=True)["trace"]["by_similarity"]
        for known in ("the lantern of zzqx", "Lanternn"):  # a slip is searched as what it means
            assert not engine.retrieve(known, 3, retriever).trace.by_similarity


def test_an_answer_of_nothing_is_not_by_similarity(toy_engine: HippoHover):
    nothing = toy_engine.retrieve("zzqx")
    assert (nothing.passages, nothing.trace.by_similarity) == ((), False)


def test_kept_facts_are_in_the_trace_and_among_the_seeds(encoded_toy_index: Path):
    facts = [["Mira Oldane", "x", "Lantern Hill"]]
    plain = HippoHover.open(encoded_toy_index)
    with open_stub([kept_facts(facts)]) as (_, model):
        engine = HippoHover.open(encoded_toy_index, language_model=model)
        asked = engine.retrieve(TOY_CLAIMS[0])
        assert asked.trace.route == "filter-empty"
        candidates = [one.fact for one in asked.trace.candidate_facts]
        similarities = [one.similarity for one in asked.trace.candidate_facts]
        assert len(candidates) == 20
        assert similarities == sorted(similarities, reverse=True)
        assert asked.trace.invented_facts == (("Mira Oldane", "x", "Lantern Hill"),)
        assert asked.passages == plain.retrieve(TOY_CLAIMS[0]).passages
        chosen = [
            [one.subject, one.predicate, one.object] for one in (candidates[4], candidates[2])
        ]
    with open_stub([kept_facts(chosen)]) as (_, model):
        engine = HippoHover.open(encoded_toy_index, language_model=model)
        answer = engine.retrieve(TOY_CLAIMS[0]).trace
    assert (answer.route, answer.lm_calls, answer.fallbacks) == ("filtered", 1, 0)
    assert list(answer.facts) == [candidates[4], candidates[2]]
    assert [one.fact for one in answer.candidate_facts if one.kept] == [
        candidates[2],
        candidates[4],
    ]
    assert any(seed.kind == "fact" for seed in answer.seeds) or all(
        end in {seed.label for seed in answer.seeds} for end in chosen[0][::2]
    )


def test_the_reference_is_filtered_too(encoded_toy_index: Path):
    with open_stub([kept_facts([])]) as (_, model):
        engine = HippoHover.open(encoded_toy_index, language_model=model)
        empty = engine.retrieve(TOY_CLAIMS[0], retriever="hipporag2")
        by_similarity = engine.retrieve(TOY_CLAIMS[0], retriever="dense")
        assert [one.pid for one in empty.passages] == [one.pid for one in by_similarity.passages]
        assert (empty.trace.route, len(empty.trace.candidate_facts)) == ("filter-empty", 5)
        first = empty.trace.candidate_facts[0].fact
    with open_stub([kept_facts([[first.subject, first.predicate, first.object]])]) as (_, model):
        engine = HippoHover.open(encoded_toy_index, language_model=model)
        kept = engine.retrieve(TOY_CLAIMS[0], retriever="hipporag2")
    assert kept.trace.route == "filtered"
    assert kept.trace.facts == (first,)


def test_a_deeper_search_of_the_reference_pays_nothing_again(encoded_toy_index: Path):
    with open_stub([kept_facts([])]) as (stub, model):
        engine = HippoHover.open(encoded_toy_index, language_model=model)
        answer = engine.retrieve(TOY_CLAIMS[0], retriever="hipporag2")
        deeper = engine.search(TOY_CLAIMS[0], 100, "hipporag2")
    assert len(stub.requests) == answer.trace.lm_calls == 1
    assert deeper.trace.lm_calls == 0
    assert deeper.trace.route == answer.trace.route


def test_the_reference_asks_in_its_own_words(encoded_toy_index: Path):
    with open_stub([kept_facts([])]) as (stub, model):
        engine = HippoHover.open(encoded_toy_index, language_model=model)
        engine.retrieve(TOY_CLAIMS[0], retriever="hipporag2")
        engine.retrieve(TOY_CLAIMS[0])
        settings = engine.retrievers.settings
        asked = settings.filter.model_copy(update={"prompt": "hipporag2"})
        wanted = settings.model_copy(update={"filter": asked})
        other = HippoHover.open(encoded_toy_index, settings=wanted, language_model=model)
        other.retrieve(TOY_CLAIMS[0])
        given = HippoHover.open(
            encoded_toy_index, language_model=model, fact_filter=FactFilter("own")
        )
        given.retrieve(TOY_CLAIMS[1], retriever="hipporag2")
    told = [request["messages"][0]["content"] for request in stub.requests]
    published = ["high-stakes question-answering system" in one for one in told]
    assert published == [True, False, True, False]  # a filter that is given has its own words


def test_candidates_are_shown_without_anybody_to_choose(encoded_toy_index: Path, toy_index: Path):
    claim = TOY_CLAIMS[0]
    with open_stub([kept_facts([])]) as (_, model):
        asked = HippoHover.open(encoded_toy_index, language_model=model).retrieve(claim).trace
    engine = HippoHover.open(encoded_toy_index)
    assert engine.candidate_facts(claim) == asked.candidate_facts
    assert engine.retrieve(claim).trace.candidate_facts == ()
    assert len(engine.retrieve(claim, retriever="hipporag2").trace.candidate_facts) == 5
    by_words = HippoHover.open(toy_index).candidate_facts(claim)  # of an index without vectors
    assert len(by_words) == 20
    with pytest.raises(UsageError, match="the claim is empty"):
        engine.candidate_facts(" ")


def test_other_retrievers_ask_nobody(encoded_toy_index: Path):
    with open_stub([kept_facts([])]) as (stub, model):
        engine = HippoHover.open(encoded_toy_index, language_model=model)
        for name in ("bm25", "dense", "hybrid"):
            assert engine.retrieve(TOY_CLAIMS[0], retriever=name).trace.route == "no-filter"
    assert stub.requests == []


def test_the_same_claim_is_asked_about_once(encoded_toy_index: Path):
    with open_stub([kept_facts([])]) as (stub, model):
        engine = HippoHover.open(encoded_toy_index, language_model=model)
        answers = [
            *engine.retrieve_batch(TOY_CLAIMS[:6], workers=4),
            *(engine.search(claim, 100) for claim in TOY_CLAIMS[:6]),
        ]
    assert len(stub.requests) == 6
    assert sum(answer.trace.lm_calls for answer in answers) == 6


def test_where_the_transformer_encodes_texts_the_table_encodes_words(
    toy_engine: HippoHover, encoded_toy_index: Path, tmp_path: Path
):
    recipe = TOY_RECIPE.model_copy(update={"encoder": "minilm"})
    built = build(recipe, corpus=toy_corpus_path(), out=tmp_path / "index", workers=1)
    by_table, by_transformer = HippoHover.open(encoded_toy_index), HippoHover.open(built)
    assert by_table.encode_words is not None
    assert by_transformer.encode is not None
    assert by_transformer.encode_words is not None
    wanted = by_table.encode_words(["river"])
    np.testing.assert_array_equal(by_transformer.encode_words(["river"]), wanted)
    assert by_transformer.encode(["river"]).shape == (1, 384)
    assert toy_engine.encode_words is None
