"""What triples by a language model will cost: from a sample, or from the texts alone."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.errors import BudgetError, CorpusError, RecipeError
from hippohover.indexing.build import build
from hippohover.indexing.estimate import N_SAMPLED, estimate, spread
from hippohover.language_model.ledger import Budget
from hippohover.recipe import IndexRecipe
from hippohover.records import Passage, PassageId
from tests.stub_server import chat, serving

EXTRACTED = chat("", names='["A"]', triples='[["A", "b", "C"]]')


def recipe_of(name: str = "openai/stub", **more: Any) -> IndexRecipe:  # noqa: ANN401
    return IndexRecipe.model_validate(
        {"name": "e", "extractor": "llm", "encoder": "none",
         "language_model": {"name": name, "n_retries": 0, "parallel": 2, **more}}
    )  # fmt: skip


def corpus_of(folder: Path, n: int, words: int = 10) -> Path:
    path = folder / "corpus.jsonl"
    lines = [{"title": f"Town {i}", "text": "It lies. " * words} for i in range(n)]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_sample_is_scaled_to_the_corpus_and_kept_for_the_build(tmp_path: Path):
    corpus, cache = corpus_of(tmp_path, 50), tmp_path / "i" / ".cache"
    with serving([EXTRACTED]) as stub:
        recipe = recipe_of(
            api_base=stub.api_base, usd_per_million_input=1.0, usd_per_million_output=2.0
        )
        found = estimate(recipe, corpus, cache=cache)
        assert len(stub.requests) == 2 * N_SAMPLED
        build(recipe, corpus=corpus, out=tmp_path / "i")
        assert len(stub.requests) == 2 * 50  # the sample was not asked again
    assert (found.method, found.n_passages, found.n_sampled) == ("sample", 50, N_SAMPLED)
    assert (found.input_tokens, found.output_tokens) == (50 * 2 * 70, 50 * 2 * 30)
    assert found.cost_usd == pytest.approx((50 * 2 * 70 + 2 * 50 * 2 * 30) / 1e6)
    assert 0 < found.hours < 1
    assert found.as_dict()["n_passages"] == 50


def test_a_small_corpus_is_asked_whole(tmp_path: Path):
    with serving([EXTRACTED]) as stub:
        recipe = recipe_of(api_base=stub.api_base)
        found = estimate(recipe, corpus_of(tmp_path, 3), cache=tmp_path)
        assert len(stub.requests) == 6
    assert (found.n_passages, found.n_sampled, found.cost_usd) == (3, 3, None)


def test_offline_asks_nothing_and_grows_with_the_texts(tmp_path: Path):
    recipe = recipe_of(usd_per_million_input=1.0, usd_per_million_output=2.0)
    small, large = (
        estimate(recipe, corpus_of(tmp_path, 40, words), cache=tmp_path, method="offline")
        for words in (10, 100)
    )
    assert (small.method, small.n_sampled) == ("offline", 0)
    assert large.input_tokens > small.input_tokens
    assert large.output_tokens > 5 * small.output_tokens
    assert large.cost_usd == pytest.approx((large.input_tokens + 2 * large.output_tokens) / 1e6)
    limited = estimate(recipe, corpus_of(tmp_path, 40), cache=tmp_path, method="offline", limit=10)
    assert limited.n_passages == 10
    assert limited.output_tokens == pytest.approx(small.output_tokens / 4, rel=0.05)


def test_prices_offline(tmp_path: Path):
    corpus = corpus_of(tmp_path, 2)
    for name, known in (("gguf:m.gguf", 0.0), ("openai/nobody-knows-this", None)):
        found = estimate(recipe_of(name), corpus, cache=tmp_path, method="offline")
        assert found.cost_usd == known
    known_to_litellm = estimate(
        recipe_of("openai/gpt-4.1-mini"), corpus, cache=tmp_path, method="offline"
    )
    assert (known_to_litellm.cost_usd or 0) > 0


def test_what_cannot_be_estimated_is_named(tmp_path: Path):
    corpus = corpus_of(tmp_path, 2)
    free = IndexRecipe.model_validate({"name": "e", "extractor": "between"})
    with pytest.raises(RecipeError, match=r"extractor 'between' .* costs nothing"):
        estimate(free, corpus, cache=tmp_path)
    (tmp_path / "empty.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(CorpusError, match=r"empty\.jsonl"):
        estimate(recipe_of(), tmp_path / "empty.jsonl", cache=tmp_path)
    with serving([EXTRACTED]) as stub, pytest.raises(BudgetError, match="max_calls = 1 is reached"):
        estimate(
            recipe_of(api_base=stub.api_base), corpus, cache=tmp_path, budget=Budget(max_calls=1)
        )


@given(st.integers(0, 100), st.integers(1, 30))
def test_a_sample_is_spread(n_passages: int, n: int):
    passages = [Passage(PassageId(str(i)), "", "x") for i in range(n_passages)]
    places = [int(one.pid) for one in spread(passages, n)]
    assert len(places) == min(n, n_passages)
    assert places == sorted(set(places))
    if n_passages > n:
        gaps = [b - a for a, b in pairwise(places)]
        assert not gaps or max(gaps) - min(gaps) <= 1
