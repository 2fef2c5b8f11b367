"""Tuning on one's own claims: what is gained, on claims that were not seen, and when nothing is."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hippohover.errors import UsageError
from hippohover.evaluation.hover import GoldClaim
from hippohover.recipe import QuerySettings
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.reranking.rerank import claim_digest
from hippohover.tuning.tune import Tuning, tune
from tests.tuning.tuning_samples import few_trees, note_claims, shuffled_claims


@pytest.fixture
def few_suffice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take fewer claims and trees than would say what is sure, where each costs as much."""
    monkeypatch.setattr("hippohover.tuning.tune.LEAST_CLAIMS", 10)
    monkeypatch.setattr("hippohover.tuning.tune.ROUNDS", 10)


def n_found(engine: HippoHover, claims: list[GoldClaim]) -> int:
    answers = [[p.title for p in engine.retrieve(c.claim).passages] for c in claims]
    return sum(c.gold_titles[0] in titles for c, titles in zip(claims, answers, strict=True))


def test_claims_that_were_not_seen_gain(notes_index: Path, tuning: Tuning):
    claims = note_claims()
    plain = HippoHover.open(notes_index)
    assert n_found(plain, claims[60:]) == 0
    assert n_found(plain.ranking_by(tuning.ranking), claims[60:]) == 10
    assert tuning.helps
    assert tuning.gain.low > 0.9
    assert (tuning.before.value, tuning.after.value) == (0.0, 1.0)
    assert tuning.n_groups == tuning.gain.n == 60


@pytest.mark.slow
@pytest.mark.usefixtures("few_suffice")
def test_what_nothing_can_be_learned_of_gains_nothing(notes_index: Path):
    tuning = tune(HippoHover.open(notes_index), shuffled_claims()[:30])
    assert not tuning.helps
    assert tuning.gain.low <= 0
    assert tuning.as_dict()["helps"] is False


@pytest.mark.usefixtures("few_suffice")
def test_where_no_gold_is_among_the_best_there_is_no_gain(notes_index: Path):
    engine = HippoHover.open(notes_index)
    far = [engine.search(c.claim, 300).passages[250].title for c in note_claims(n_topics=20)]
    tuning = tune(engine, note_claims(far, n_topics=20))
    assert not tuning.helps
    assert (tuning.gain.n_gained, tuning.gain.n_lost) == (0, 0)
    assert not any(len(trees.roots) for trees in tuning.ranking.trees.values())


@pytest.mark.slow
def test_the_same_claims_give_the_same_file_whatever_the_engine_ranks_by(
    notes_index: Path, tuning: Tuning, tmp_path: Path
):
    tuned = HippoHover.open(notes_index, ranking=tuning.ranking)
    with few_trees():
        again = tune(tuned, note_claims()[:60])
    assert again.before == tuning.before
    tuning.ranking.save(tmp_path / "first.npz")
    again.ranking.save(tmp_path / "second.npz")
    assert (tmp_path / "first.npz").read_bytes() == (tmp_path / "second.npz").read_bytes()


@pytest.mark.usefixtures("few_suffice")
def test_every_claim_has_a_fold_and_groups_are_whole(notes_index: Path):
    claims = note_claims()[:15]
    pair = [replace(c, hpqa_id="one question") for c in claims[:2]]
    same_words = replace(claims[2], uid="again", claim=f"{claims[2].claim.upper()} ")
    tuning = tune(HippoHover.open(notes_index), [*pair, *claims[2:], same_words])
    folds = tuning.ranking.folds
    assert folds.keys() == {claim_digest(claim.claim) for claim in claims}
    assert set(folds.values()) == set(range(5))
    assert folds[claim_digest(pair[0].claim)] == folds[claim_digest(pair[1].claim)]
    assert (tuning.n_groups, tuning.gain.n) == (14, 16)


@pytest.mark.usefixtures("few_suffice")
def test_the_trees_that_measure_a_claim_did_not_see_its_fold(notes_index: Path):
    claims = note_claims()[:20]
    tuning = tune(HippoHover.open(notes_index), claims)
    folds = tuning.ranking.folds
    missed = [claim for claim in claims if folds[claim_digest(claim.claim)] == 0]
    others = [claim for claim in claims if claim not in missed]
    changed = [replace(c, gold_titles=(f"{c.gold_titles[0][:-2]}07",)) for c in missed]
    order = {claim.uid: at for at, claim in enumerate(claims)}
    again = tune(
        HippoHover.open(notes_index),
        sorted([*others, *changed], key=lambda claim: order[claim.uid]),
    )
    for stem in ("without-0", "without-1"):
        same = all(
            np.array_equal(getattr(again.ranking.trees[stem], field), getattr(trees, field))
            for trees in [tuning.ranking.trees[stem]]
            for field in ("roots", "features", "thresholds", "children", "leaves")
        )
        assert same == (stem == "without-0")


def test_the_best_200_have_a_new_order_and_the_others_their_own(notes_index: Path, tuning: Tuning):
    claim = note_claims()[63].claim
    plain = HippoHover.open(notes_index)
    tuned = plain.ranking_by(tuning.ranking)
    before, after = ([p.pid for p in e.search(claim, 300).passages] for e in (plain, tuned))
    assert len(before) == 300
    assert before[:200] != after[:200]
    assert set(before[:200]) == set(after[:200])
    assert before[200:] == after[200:]
    deep = tuned.search(claim, 300)
    assert [p.pid for p in tuned.retrieve(claim).passages] == after[:21]
    scores = [p.score for p in deep.passages]
    assert scores == sorted(scores, reverse=True)
    assert deep.trace.ranked_by == "tuned"


def few(claims: list[GoldClaim]) -> list[GoldClaim]:
    return claims[:49]


def refuted(claims: list[GoldClaim]) -> list[GoldClaim]:
    return [*claims[:49], *(replace(claim, label="REFUTE") for claim in claims[49:])]


def of_two_questions(claims: list[GoldClaim]) -> list[GoldClaim]:
    return [replace(claim, hpqa_id=str(at % 2)) for at, claim in enumerate(claims)]


def of_no_title(claims: list[GoldClaim]) -> list[GoldClaim]:
    return [replace(claim, gold_titles=("Nothing of this index",)) for claim in claims]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (few, "49 labelled claims: give 50"),
        (refuted, "49 labelled claims: give 50"),
        (of_two_questions, "for 2 groups"),
        (of_no_title, "holds no gold title of these claims"),
    ],
)
def test_claims_that_teach_nothing_are_one_clear_error(
    notes_index: Path, change: Callable[[list[GoldClaim]], list[GoldClaim]], words: str
):
    with pytest.raises(UsageError, match=words) as caught:
        tune(HippoHover.open(notes_index), change(note_claims()))
    assert "\n" not in str(caught.value)


def test_settings_without_a_ranking_have_none_to_tune(notes_index: Path):
    engine = HippoHover.open(notes_index, settings=QuerySettings(rerank=False))
    with pytest.raises(UsageError, match="rerank is false"):
        tune(engine, note_claims())


@pytest.mark.usefixtures("few_suffice")
def test_progress_counts_every_claim_three_times(notes_index: Path):
    told: list[tuple[str, int, int]] = []
    tune(
        HippoHover.open(notes_index),
        note_claims()[:10],
        progress=lambda stage, done, total: told.append((stage, done, total)),
    )
    assert told == [("claims", done, 30) for done in range(1, 31)]
