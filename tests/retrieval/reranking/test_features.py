"""Every feature of every candidate, against a plain re-implementation on the toy index."""

import math
from bisect import bisect_left
from dataclasses import replace
from itertools import pairwise
from operator import neg
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hippohover.indexing.build import build
from hippohover.names.titles import TitleKind
from hippohover.recipe import IndexRecipe, QuerySettings
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.reranking.feature_kernels import OPENING_TOKENS
from hippohover.retrieval.reranking.features import (
    FEATURES,
    SECOND_FEATURES,
    FeatureReader,
    joined_share,
    matrix,
)
from hippohover.retrieval.walk.candidates import NO_RANK, Candidates
from hippohover.retrieval.walk.claim import ReadClaim
from hippohover.spans import lengths_of
from hippohover.store.tables import IndexArrays
from tests.retrieval.toy_samples import TOY_CLAIMS, retrievers_over, use_encoder, with_vectors

LINKS = 7


def words_of(arrays: IndexArrays, row: int) -> list[int]:
    return arrays.terms[arrays.term_indptr[row] : arrays.term_indptr[row + 1]].tolist()


def term_rarity(arrays: IndexArrays, term: int) -> float:
    df = int(arrays.term_df[term])
    return math.log((arrays.n_passages + 1) / (df + 0.5))


def shares_of(claim: ReadClaim) -> dict[int, float]:
    total = float(claim.rarity.sum())
    return {int(t): float(r) / total for t, r in zip(claim.terms, claim.rarity, strict=True)}


def plain_texts(
    arrays: IndexArrays, share: dict[int, float], rows: list[int], prior: list[float]
) -> list[list[float]]:
    holders: dict[int, list[int]] = {
        term: [at for at, row in enumerate(rows) if term in set(words_of(arrays, row))]
        for term in share
    }
    table: list[list[float]] = []
    for at, row in enumerate(rows):
        words = words_of(arrays, row)
        title = [t for t in words[: arrays.title_lengths[row]] if t >= 0]
        inside = [t for t in title if t in share]
        held = [t for t in share if at in holders[t]]
        total = sum(term_rarity(arrays, t) for t in title)
        others = [max((prior[o] for o in holders[t] if o != at), default=0.0) for t in held]
        table.append([
            sum(share[t] for t in held),
            sum(term_rarity(arrays, t) for t in inside) / total if total else 0.0,
            len(title) - len(inside),
            len(inside),
            sum(t >= 0 for t in words),
            sum(1 - other for other in others),
            sum(1 / len(holders[t]) for t in held),
        ])  # fmt: skip
    return table


def plain_links(
    arrays: IndexArrays, share: dict[int, float], rows: list[int], prior: list[float]
) -> list[list[float]]:
    table = [[0.0] * LINKS for _ in rows]
    for at, row in enumerate(rows):
        words = words_of(arrays, row)
        title = int(arrays.title_lengths[row])
        span = slice(*arrays.mention_spans[row])
        for entity, first, last in arrays.mentions[span].tolist():
            near = [*words[max(title, first - 10) : first], *words[last : last + 10]]
            context = sum(share[t] for t in set(near) if t in share)
            owned = slice(*arrays.owner_spans[entity])
            owners: list[int] = arrays.owner_passages[owned].tolist()
            for target in (rows.index(owner) for owner in owners if owner in rows):
                if target == at:
                    continue
                there, back = prior[at] / len(owners), prior[target] / len(owners)
                into, out = table[target], table[at]
                into[0] += there
                into[1:4] = [
                    max(into[1], there), max(into[2], context), max(into[3], context * there)
                ]  # fmt: skip
                out[4] += back
                out[5:7] = [max(out[5], back), max(out[6], context * back)]
    return table


def plain_pairs(
    arrays: IndexArrays, claim: ReadClaim, rows: list[int], prior: list[float]
) -> list[list[float]]:
    """Pairs of the claim, and its terms in openings: weights, then weights less other priors."""
    share = shares_of(claim)
    rarity = {int(t): float(r) for t, r in zip(claim.terms, claim.rarity, strict=True)}
    words: list[int] = claim.sequence.tolist()
    pairs = {frozenset(pair) for pair in pairwise(words) if len(set(pair)) == 2}
    total = sum(min(rarity[t] for t in pair) for pair in pairs)
    weights = {pair: min(rarity[t] for t in pair) / total for pair in pairs}
    near: list[set[frozenset[int]]] = []
    opening: list[set[int]] = []
    for row in rows:
        text = words_of(arrays, row)
        spoken = [t for t in text if t >= 0]
        near.append({frozenset(p) for d in (1, 2) for p in zip(spoken, spoken[d:], strict=False)})
        opening.append(set(text[: arrays.title_lengths[row] + OPENING_TOKENS]))

    def credit(at: int, held: list[set[Any]], weight: dict[Any, float]) -> list[float]:
        mine = [key for key in weight if key in held[at]]
        others = [
            max((prior[o] for o in range(len(rows)) if o != at and key in held[o]), default=0.0)
            for key in mine
        ]
        left = (weight[key] * (1 - other) for key, other in zip(mine, others, strict=True))
        return [sum(weight[key] for key in mine), sum(left)]

    return [
        [*credit(at, near, weights), *credit(at, opening, share)]  # pyright: ignore[reportArgumentType]
        for at in range(len(rows))
    ]


def ranks_of(scores: list[float]) -> list[int]:
    descending = sorted(scores, reverse=True)
    return [bisect_left(descending, -score, key=neg) for score in scores]


def log_share(scores: NDArray[np.float64]) -> list[float]:
    best = max(scores.tolist())
    return [math.log(score / best + 2e-9) for score in scores.tolist()]


def plain_names(arrays: IndexArrays, claim: ReadClaim, row: int) -> list[float]:
    heads = arrays.title_entities[row].tolist()
    named = [head >= 0 and head in claim.entities for head in heads]
    own = [head for head, is_named in zip(heads, named, strict=True) if is_named]
    own = own or [head for head in heads if head >= 0]
    assert len(named) == len(TitleKind)
    named[TitleKind.HEAD] |= named.pop(TitleKind.TAIL)
    told = [*map(float, named)]
    if not own:
        return [*told, 0.0, 0.0]
    rare = max(math.log(arrays.n_passages / max(int(arrays.entity_df[own[0]]), 1)), 0.01)
    owners = len(arrays.owner_passages[slice(*arrays.owner_spans[own[0]])])
    return [*told, rare, owners]


def plain_features(arrays: IndexArrays, claim: ReadClaim, c: Candidates) -> list[list[float]]:
    best = max(c.walk.tolist())
    prior = [math.sqrt(walk / best) for walk in c.walk.tolist()]
    rows: list[int] = c.rows.tolist()
    share = shares_of(claim)
    texts = plain_texts(arrays, share, rows, prior)
    links = plain_links(arrays, share, rows, prior)
    pairs = plain_pairs(arrays, claim, rows, prior)
    bm25 = [score / max(*c.bm25.tolist(), 1e-9) for score in c.bm25.tolist()]
    ranks = zip(c.bm25_rank.tolist(), c.dense_rank.tolist(), strict=True)
    simple = ranks_of([1 / (60 + by_words) + 1 / (60 + dense) for by_words, dense in ranks])
    similarity: list[float] = c.similarity.tolist()
    walks = [log_share(walk) for walk in (c.walk, c.entity_walk, c.passage_walk)]
    n_owned = int(np.count_nonzero(lengths_of(arrays.owner_spans[claim.entities])))
    documents: list[int] = arrays.documents[rows].tolist()
    table: list[list[float]] = []
    for at, row in enumerate(rows):
        same = [other for other in range(len(rows)) if documents[other] == documents[at]]
        table.append([
            *texts[at], *links[at], *pairs[at],
            walks[0][at], c.walk_rank[at],
            walks[1][at], c.entity_walk_rank[at],
            walks[2][at], c.passage_walk_rank[at],
            bm25[at], c.bm25_rank[at], c.dense_rank[at], simple[at],
            *plain_names(arrays, claim, row),
            len(claim.terms), len(claim.entities), n_owned,
            similarity[at], ranks_of(similarity)[at],
            *(max(values[other] for other in same) for values in (walks[0], bm25, similarity)),
            len(same),
        ])  # fmt: skip
    return table


def candidates_of(rows: list[int], walk: list[float]) -> Candidates:
    n = len(rows)
    one = np.zeros(n)
    return Candidates(
        rows=np.array(rows, np.int64),
        walk=np.array(walk),
        entity_walk=one,
        passage_walk=one,
        bm25=one,
        walk_rank=np.arange(float(n)),
        entity_walk_rank=one + NO_RANK,
        passage_walk_rank=one + NO_RANK,
        bm25_rank=one + NO_RANK,
        dense_rank=one + NO_RANK,
        similarity=np.zeros(n, np.float32),
    )


@pytest.mark.parametrize("claim", TOY_CLAIMS[::9])
def test_all_columns_on_the_toy_index(toy_engine: HippoHover, claim: str):
    retrievers = toy_engine.retrievers
    walked = retrievers.ppr.walk(claim)
    found = retrievers.ppr.candidates(walked)
    features = retrievers.ppr.features(walked.claim, found)
    assert features.dtype == np.float32
    assert features.shape == (len(found.rows), len(FEATURES))
    expected = np.array(plain_features(retrievers.arrays, walked.claim, found))
    for column, name in enumerate(FEATURES):
        theirs = pytest.approx(expected[:, column], rel=1e-4, abs=1e-5)
        assert features[:, column] == theirs, name


@pytest.mark.parametrize("claim", TOY_CLAIMS[::9])
def test_all_columns_of_the_second_scoring(toy_engine: HippoHover, claim: str):
    """Beside the first columns: the prior's columns for two other priors, and the second walk."""
    retrievers = toy_engine.retrievers
    arrays = retrievers.arrays
    walked = retrievers.ppr.walk(claim)
    found = retrievers.ppr.candidates(walked)
    scores = np.sin(np.arange(len(found.rows)))
    second = retrievers.ppr.second_walk(walked, found, scores)
    again = retrievers.ppr.second_candidates(walked, found, scores, second)
    features = retrievers.ppr.second_features(walked.claim, again)
    assert features.shape == (len(again.first.rows), len(SECOND_FEATURES))
    assert features[:, : len(FEATURES)].tolist() == (
        retrievers.ppr.features(walked.claim, again.first).tolist()
    )
    rows: list[int] = again.first.rows.tolist()
    share = shares_of(walked.claim)
    pairs = plain_pairs(arrays, walked.claim, rows, again.sureness.tolist())
    expected: list[list[float]] = [[pairs[at][1], pairs[at][3]] for at in range(len(rows))]
    best = max(again.walk.tolist())
    for prior in (again.sureness.tolist(), [math.sqrt(w / best) for w in again.walk.tolist()]):
        texts = plain_texts(arrays, share, rows, prior)
        links = plain_links(arrays, share, rows, prior)
        for at, columns in enumerate(expected):
            columns += [texts[at][5], *links[at]]
    walk, passage_walk = log_share(again.walk), log_share(again.passage_walk)
    for at, columns in enumerate(expected):
        columns += [
            again.score[at], again.score_rank[at], again.sureness[at],
            walk[at], again.walk_rank[at], passage_walk[at],
        ]  # fmt: skip
    table = np.array(expected)
    for column, name in enumerate(SECOND_FEATURES[len(FEATURES) :]):
        theirs = pytest.approx(table[:, column], rel=1e-4, abs=1e-5)
        assert features[:, len(FEATURES) + column] == theirs, name


def test_the_toy_index_moves_every_column_but_the_similarity(toy_engine: HippoHover):
    retrievers = toy_engine.retrievers
    tables: list[np.ndarray[tuple[int, ...], np.dtype[np.float32]]] = []
    for claim in TOY_CLAIMS[::9]:
        walked = retrievers.ppr.walk(claim)
        tables.append(retrievers.ppr.features(walked.claim, retrievers.ppr.candidates(walked)))
    widths = np.ptp(np.concatenate(tables), axis=0).tolist()
    flat = {name for name, width in zip(FEATURES, widths, strict=True) if not width}
    assert flat <= {
        *("similarity", "similarity_rank", "document_similarity", "dense_rank"),
        *("named_opening", "named_head", "named_alias", "document_passages"),
    }


def test_the_features_of_a_candidate_do_not_depend_on_the_order(toy_engine: HippoHover):
    retrievers = toy_engine.retrievers
    walked = retrievers.ppr.walk(TOY_CLAIMS[1])
    found = retrievers.ppr.candidates(walked)
    mixed = np.random.default_rng(3).permutation(len(found.rows))
    other = Candidates(**{name: values[mixed] for name, values in vars(found).items()})
    assert retrievers.ppr.features(walked.claim, other) == pytest.approx(
        retrievers.ppr.features(walked.claim, found)[mixed], rel=1e-5, abs=1e-6
    )


def test_no_candidates_and_no_known_claim(toy_engine: HippoHover):
    read = FeatureReader(toy_engine.tables.arrays)
    claim = toy_engine.retrievers.read_claim(TOY_CLAIMS[0])
    assert read(claim, candidates_of([], [])).shape == (0, len(FEATURES))
    unknown = toy_engine.retrievers.read_claim("zyxwv")
    features = read(unknown, candidates_of([0, 5], [0.0, 0.0]))
    assert bool(np.isfinite(features).all())
    assert not features[:, FEATURES.index("claim_share")].any()


def test_an_index_in_which_no_passage_has_a_name(toy_engine: HippoHover):
    """As with hidden titles: entities are phrases alone."""
    arrays = toy_engine.tables.arrays
    bare = replace(
        arrays,
        title_entities=np.full_like(arrays.title_entities, -1),
        owner_spans=np.zeros_like(arrays.owner_spans),
        owner_passages=np.zeros(0, np.int32),
        mention_spans=np.zeros_like(arrays.mention_spans),
        mentions=np.zeros((0, 3), np.int32),
    )
    claim = toy_engine.retrievers.read_claim(TOY_CLAIMS[0])
    features = FeatureReader(bare)(claim, candidates_of([0, 5], [0.5, 0.25]))
    names = [FEATURES.index(name) for name in ("named_full", "name_rarity", "name_owners")]
    assert not features[:, names].any()


def test_similarity_is_the_cosine(toy_engine: HippoHover, monkeypatch: pytest.MonkeyPatch):

    tables, encoder = with_vectors(toy_engine.tables)
    use_encoder(monkeypatch, encoder)
    retrievers = retrievers_over(tables, QuerySettings())
    walked = retrievers.ppr.walk(TOY_CLAIMS[2])
    found = retrievers.ppr.candidates(walked)
    vectors = tables.arrays.passage_vectors[found.rows].astype(np.float64)
    expected = vectors @ encoder.encode([TOY_CLAIMS[2]])[0]
    features = retrievers.ppr.features(walked.claim, found)
    assert features[:, FEATURES.index("similarity")] == pytest.approx(expected, abs=5e-5)
    assert expected.max() > 0.3


@pytest.mark.parametrize("name", ["in_sum", "out_sum"])
def test_a_candidate_is_joined_with_another_where_a_link_has_a_weight(name: str):
    features = np.ones((5, len(FEATURES)), np.float32)
    columns = [FEATURES.index("in_sum"), FEATURES.index("out_sum")]
    features[:, columns] = 0.0
    assert joined_share(features) == 0.0
    features[:2, FEATURES.index(name)] = 0.001
    assert joined_share(features) == 0.4
    assert joined_share(features[:4]) == 0.5
    assert joined_share(features[:0]) == 0.0


def test_candidates_of_the_toy_index_name_each_other_and_strangers_do_not(toy_engine: HippoHover):
    """Of a passage that names others, with one of these and with one that it does not name."""
    arrays = toy_engine.tables.arrays
    read = toy_engine.retrievers.ppr.features
    claim = toy_engine.retrievers.read_claim(TOY_CLAIMS[0])
    named = [
        {
            int(owner)
            for entity, _, _ in arrays.mentions[slice(*arrays.mention_spans[row])]
            for owner in arrays.owner_passages[slice(*arrays.owner_spans[entity])]
        }
        for row in range(arrays.n_passages)
    ]
    row, other = next((r, o) for r, its in enumerate(named) for o in its if r not in named[o])
    stranger = next(
        one for one in range(len(named)) if one not in {*named[row], row} and row not in named[one]
    )
    for walk in ([0.5, 0.25], [0.0, 0.5], [0.5, 0.0]):
        assert joined_share(read(claim, candidates_of([row, other], walk)))
        assert not joined_share(read(claim, candidates_of([row, stranger], walk)))
    assert not joined_share(read(claim, candidates_of([row], [0.5])))


def test_a_name_without_a_column_or_a_column_without_a_name_is_refused():
    column = np.zeros(2)
    with pytest.raises(ValueError, match=r"without a column: b; .* no feature: none"):
        matrix({"a": column}, ("a", "b"))
    with pytest.raises(ValueError, match=r"without a column: none; .* no feature: c"):
        matrix({"a": column, "c": column}, ("a",))
    with pytest.raises(ValueError, match=r"without a column: b; .* no feature: c"):
        matrix({"a": column, "c": column}, ("a", "b"))


def test_columns_stand_in_the_order_of_the_names():
    columns = {"b": np.array([3.0, 4.0]), "a": np.array([1, 2])}
    found = matrix(columns, ("a", "b"))
    assert found.tolist() == [[1.0, 3.0], [2.0, 4.0]]
    assert found.dtype == np.float32


def test_a_column_of_another_length_is_refused():
    with pytest.raises(ValueError, match="shape"):
        matrix({"a": np.zeros(2), "b": np.zeros(1)}, ("a", "b"))


def test_no_feature_is_named_twice():
    assert len(set(SECOND_FEATURES)) == len(SECOND_FEATURES)


@pytest.mark.parametrize("name", ["ZX-41", "dray-notes", "The Gilded Dray"])
def test_a_further_name_that_no_text_has_is_as_good_as_the_title(tmp_path: Path, name: str):
    """Many people were born somewhere; one of them directed what has three names."""
    people = [(f"Person {n}", f"Person {n} was born in Town {n}.") for n in range(40)]
    notes = {title: f"# {title}\n\n{text}\n" for title, text in people}
    notes["dray-notes"] = (
        "---\ntitle: The Gilded Dray\naliases: [ZX-41]\n---\n"
        "It is a film that [[Person 7]] directed and that ran for a year.\n"
    )
    folder = tmp_path / "notes"
    folder.mkdir()
    for title, text in notes.items():
        (folder / f"{title}.md").write_text(text, encoding="utf-8")
    recipe = IndexRecipe(name="notes", extractor="between", encoder="none")
    with HippoHover.open(build(recipe, corpus=folder, out=tmp_path / "ix")) as engine:
        ppr = engine.retrievers.ppr
        walked = ppr.walk(f"Where was the director of {name} born?")
        candidates = ppr.candidates(walked)
        features = ppr.features(walked.claim, candidates)
        [row] = engine.tables.rows_equal("path", "dray-notes.md").tolist()
        [at] = np.flatnonzero(candidates.rows == row).tolist()
        film = dict(zip(FEATURES, features[at].tolist(), strict=True))
        others = np.delete(features, at, axis=0)[:, FEATURES.index("claim_share")]
    assert (film["named_full"], film["title_share"], film["title_terms_missing"]) == (1, 1, 0)
    assert film["claim_share"] > others.max()
