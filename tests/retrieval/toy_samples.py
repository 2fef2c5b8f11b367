"""What the tests of retrieval share: toy claims, an encoder of words, small learned weights."""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hippohover.evaluation.hover import load_claims
from hippohover.names.normal_forms import tokens
from hippohover.recipe import QuerySettings
from hippohover.retrieval.index_vectors import IndexVectors
from hippohover.retrieval.reranking import rerank
from hippohover.retrieval.reranking.features import FEATURES, SECOND_FEATURES
from hippohover.retrieval.reranking.trees import save_trees
from hippohover.retrieval.retriever import RetrieverContext
from hippohover.retrieval.retrievers import Retrievers
from hippohover.store.tables import IndexTables
from hippohover.toy import toy_claims_path
from hippohover.tuning.lightgbm_text import trees_of
from hippohover.vectors.embedding import Encoder
from hippohover.vectors.unit_vectors import UnitVectors

if TYPE_CHECKING:
    from lightgbm import Booster

TOY_CLAIMS = [claim.claim for claim in load_claims(toy_claims_path())]
WALK = QuerySettings(rerank=False, eps=1e-5)
WITH_FACTS = QuerySettings.model_validate({"rerank": False, "fact_mass": 1.0, "dense_mass": 0.0})
UNKNOWN_WORDS = "Zyxwv qqfjord brgltx"
"""A claim of which the toy index knows no word."""


class WordEncoder:
    """The sum of one random vector a word, scaled to length 1; 0 for unknown words."""

    name = "words"
    dim = 32
    fingerprint = "none"

    def __init__(self, texts: Sequence[str]) -> None:
        words = sorted({word for text in texts for word in tokens(text)[0]})
        self._numbers = {word: number for number, word in enumerate(words)}
        self._vectors = np.random.default_rng(5).standard_normal((len(words), self.dim))

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), self.dim), np.float32)
        for at, text in enumerate(texts):
            known = [self._numbers[word] for word in tokens(text)[0] if word in self._numbers]
            total = self._vectors[known].sum(axis=0)
            rows[at] = total / max(float(np.linalg.norm(total)), 1e-9)
        return rows


def passage_fields(rows: NDArray[np.floating[Any]]) -> dict[str, NDArray[Any]]:
    """The arrays of an index that hold these vectors of its passages."""
    vectors = UnitVectors.of(rows)
    return {"passage_codes": vectors.codes, "passage_scales": vectors.scales}


def with_vectors(tables: IndexTables) -> tuple[IndexTables, WordEncoder]:
    """The same tables with vectors of passages and facts, and the encoder of them."""
    passages = list(tables.texts)
    names: list[str] = tables.entities.column("name").to_pylist()
    predicates: list[str] = tables.predicates.column("name").to_pylist()
    facts = [f"{names[s]} {predicates[p]} {names[o]}" for s, p, o in tables.arrays.facts.tolist()]
    encoder = WordEncoder(passages)
    arrays = replace(
        tables.arrays,
        **passage_fields(encoder.encode(passages)),
        fact_vectors=encoder.encode(facts).astype(np.float16),
    )
    return replace(tables, arrays=arrays), encoder


def retrievers_over(
    tables: IndexTables,
    settings: QuerySettings,
    *,
    encoder: Encoder | None = None,
    **context: Any,  # noqa: ANN401
) -> Retrievers:
    """Retrievers of tables in memory; without an encoder, of a folder that does not exist."""
    vectors = IndexVectors(tables, Path("none"), encoder=encoder)
    return Retrievers(
        RetrieverContext(tables=tables, settings=settings, vectors=vectors, **context)
    )


def use_encoder(monkeypatch: pytest.MonkeyPatch, encoder: WordEncoder) -> None:
    """Have retrievers open this encoder, whatever the folder."""

    def open_it(folder: Path) -> WordEncoder:
        return encoder

    monkeypatch.setattr("hippohover.retrieval.index_vectors.open_encoder", open_it)


def write_weights(
    folder: Path, folds: dict[str, int], names: Sequence[str] = FEATURES
) -> dict[str, "Booster"]:
    """Trees in the format of the shipped weights, and what they were made of, by name.

    ``names`` are the columns of the first scoring. ``folds`` says which claims were learned from,
    and the fold of each.
    """
    folder.mkdir(parents=True)
    learned = small_trees(tuple(names))
    trees = {name: trees_of(one.model_to_string()) for name, one in learned.items()}
    save_trees(folder / rerank.TREES, trees)
    digests = {rerank.claim_digest(claim): fold for claim, fold in folds.items()}
    (folder / rerank.CLAIMS).write_text(json.dumps(digests), encoding="utf-8")
    return learned


@cache
def small_trees(names: tuple[str, ...]) -> dict[str, "Booster"]:
    """Trees of these columns and of those of the second scoring, learned once; read them only."""
    import lightgbm

    parameters = {"num_leaves": 8, "min_data_in_leaf": 5, "verbose": -1, "num_threads": 1}
    stems = ["all", *(f"without-{fold}" for fold in range(rerank.N_FOLDS))]
    stages = {"first": names, "second": SECOND_FEATURES}
    columns_of = {f"{stage}-{stem}": stages[stage] for stage in stages for stem in stems}
    learned: dict[str, Booster] = {}
    for seed, (name, columns) in enumerate(columns_of.items()):
        random = np.random.default_rng(seed)
        features = random.normal(0, 3, (400, len(columns))).astype(np.float32)
        labels = features @ random.normal(size=len(columns)).astype(np.float32)
        data = lightgbm.Dataset(features, labels, feature_name=list(columns))
        learned[name] = lightgbm.train(parameters, data, 20)
    return learned


def forget_weights() -> None:
    """Have the weights read again at the next call."""
    for name in ("_folds_seen", "_trees"):
        vars(rerank)[name].cache_clear()
