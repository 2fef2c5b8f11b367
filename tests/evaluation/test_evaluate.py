"""The evaluation run over a scripted engine: what is called, counted, timed and reported."""

import json
import time
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from hippohover.errors import IndexDamagedError, UsageError
from hippohover.evaluation.evaluate import (
    EvaluationSettings,
    PassageTitles,
    Report,
    evaluate,
    render_table,
)
from hippohover.evaluation.hover import GoldClaim, MissingGold
from hippohover.evaluation.metrics import all_gold_found, recall
from hippohover.records import PassageId, RankedPassage, Retrieval, Trace
from tests.evaluation.claim_samples import claim

QUICK = EvaluationSettings(n_warmups=0)


def retrieval(
    claim: str, retriever: str, titles: Sequence[str], *, hide: bool = False
) -> Retrieval:
    """A ranking of these titles, each passage's pid ``p-`` and its title."""
    passages = tuple(
        RankedPassage(i, PassageId(f"p-{t}"), "" if hide else t, f"Text of {t}.", 1.0 / i)
        for i, t in enumerate(titles, start=1)
    )
    return Retrieval(claim, retriever, passages, Trace(route="no-filter", lm_calls=2, fallbacks=1))


class ScriptedEngine:
    """Ranks as it was told; keeps a list of its calls."""

    def __init__(
        self,
        rankings: dict[str, dict[str, list[str]]],
        *,
        held: Sequence[str] = (),
        hide: bool = False,
        seconds: float = 0.0,
    ) -> None:
        self.rankings = rankings
        self.held = held
        self.hide = hide
        self.seconds = seconds
        self.calls: list[tuple[str, str, str, int]] = []

    def retrieve(self, claim: str, k: int = 21, retriever: str = "ppr") -> Retrieval:
        self.calls.append(("retrieve", retriever, claim, k))
        time.sleep(self.seconds)
        return self._ranking(claim, retriever, k)

    def search(self, query: str, depth: int = 100, retriever: str = "ppr") -> Retrieval:
        self.calls.append(("search", retriever, query, depth))
        return self._ranking(query, retriever, depth)

    def titles(self) -> Sequence[str]:
        if self.hide:
            return [""] * 5
        return self.held or [t for r in self.rankings.values() for ts in r.values() for t in ts]

    def _ranking(self, claim: str, retriever: str, depth: int) -> Retrieval:
        titles = self.rankings[retriever][claim][:depth]
        return retrieval(claim, retriever, titles, hide=self.hide)


def ranked(gold_at: dict[int, str], n: int = 120) -> list[str]:
    """``n`` rows of filler with titles put at rows, from 1."""
    return [gold_at.get(row, f"filler {row}") for row in range(1, n + 1)]


CLAIMS = [
    claim("a", "Bell", "Skell"),
    claim("b", "Bell", "Côte", "Mural"),
    claim("c", "Lamp", "Oar"),
]
RANKINGS = {
    "bm25": {
        "claim a": ranked({1: "The Bell", 30: "Skell"}),
        "claim b": ranked({1: "Bell", 2: "Côte", 110: "Mural"}),
        "claim c": ranked({5: "Lamp", 21: "Oar"}),
    },
    "ppr": {
        "claim a": ranked({1: "Bell", 21: "Skell"}),
        "claim b": ranked({3: "Bell", 22: "Co\u0302te", 100: "Mural"}),
        "claim c": ranked({2: "Lamp", 3: "Oar"}),
    },
}
BOTH = EvaluationSettings(retrievers=("bm25", "ppr"), n_warmups=0)


def value(report: Report, retriever: str, metric: str, group: str = "all") -> float:
    return report.retrievers[retriever].metrics[metric][group].value


def test_known_answers_by_hand():
    report = evaluate(ScriptedEngine(RANKINGS), CLAIMS, BOTH)
    assert report.n == 3
    assert value(report, "bm25", "all_gold_found@21") == pytest.approx(1 / 3)
    assert value(report, "ppr", "all_gold_found@21") == pytest.approx(2 / 3)
    assert value(report, "bm25", "all_gold_found@100") == pytest.approx(2 / 3)
    assert value(report, "ppr", "all_gold_found@100") == 1.0
    assert value(report, "bm25", "recall@21") == pytest.approx((1 / 2 + 2 / 3 + 1) / 3)
    assert value(report, "ppr", "recall@21", "3") == pytest.approx(1 / 3)
    assert value(report, "ppr", "recall@21", "2") == 1.0
    assert value(report, "bm25", "all_gold_found@5") == 0.0
    assert value(report, "ppr", "all_gold_found@5") == pytest.approx(1 / 3)
    assert value(report, "ppr", "recall@5") == pytest.approx((1 / 2 + 1 / 3 + 1) / 3)
    assert report.retrievers["ppr"].n_found_nothing == 0
    assert report.paired["ppr"]["all"].difference == pytest.approx(1 / 3)
    assert list(report.retrievers["ppr"].metrics["recall@21"]) == ["all", "2", "3"]


def test_rows_hold_ranks_within_the_depth_searched():
    report = evaluate(ScriptedEngine(RANKINGS), CLAIMS, BOTH)
    assert [(row.uid, row.n_gold) for row in report.rows] == [("a", 2), ("b", 3), ("c", 2)]
    by_name = report.rows[1].measurements
    assert by_name["bm25"].ranks == {"Bell": 1, "Côte": 2, "Mural": None}
    assert by_name["ppr"].ranks == {"Bell": 3, "Côte": 22, "Mural": 100}
    assert by_name["ppr"].values["all_gold_found@21"] == 0.0
    json.dumps([row.as_dict() for row in report.rows])


def test_each_claim_gets_one_retrieve_and_one_search_after_the_warmups():
    engine = ScriptedEngine(RANKINGS)
    evaluate(engine, CLAIMS, EvaluationSettings(retrievers=("bm25", "ppr"), n_warmups=2))
    one_claim = [("retrieve", 21), ("search", 100)]
    one_retriever = [("retrieve", 21)] * 2 + one_claim * 3
    assert [(verb, depth) for verb, _, _, depth in engine.calls] == one_retriever * 2
    assert [name for _, name, _, _ in engine.calls] == ["bm25"] * 8 + ["ppr"] * 8
    assert [text for _, _, text, _ in engine.calls[:3]] == ["claim a", "claim b", "claim a"]


def test_warmups_default_to_twenty_and_are_not_counted():
    many = [claim(f"m{i}", "Bell", "Skell") for i in range(30)]
    rankings = {"ppr": {c.claim: ranked({1: "Bell"}) for c in many}}
    engine = ScriptedEngine(rankings, held=["Bell", "Skell"])
    report = evaluate(engine, many)
    assert len(engine.calls) == 20 + 2 * 30
    assert report.retrievers["ppr"].spent["lm_calls"] == 2 * 2 * 30  # asked again, to depth 100
    assert report.retrievers["ppr"].spent["fallbacks"] == 30


def test_without_depth_there_is_no_search():
    engine = ScriptedEngine(RANKINGS)
    report = evaluate(engine, CLAIMS, EvaluationSettings(depth=None, n_warmups=0))
    assert {verb for verb, *_ in engine.calls} == {"retrieve"}
    assert set(report.retrievers["ppr"].metrics) == {
        f"{metric}@{k}" for metric in ("all_gold_found", "recall") for k in (5, 21)
    }
    assert report.rows[1].measurements["ppr"].ranks == {"Bell": 3, "Côte": None, "Mural": None}


def test_the_deepest_search_serves_every_measure():
    engine = ScriptedEngine(RANKINGS)
    settings = EvaluationSettings(("bm25",), depth=50, n_candidates=115, n_warmups=0)
    report = evaluate(engine, CLAIMS, settings)
    assert [depth for _, _, _, depth in engine.calls] == [21, 115] * 3
    assert value(report, "bm25", "candidate_recall@115") == 1.0
    assert value(report, "bm25", "recall@50") == pytest.approx((1 + 2 / 3 + 1) / 3)
    assert report.rows[1].measurements["bm25"].ranks["Mural"] is None


def test_latency_is_the_time_of_retrieve():
    engine = ScriptedEngine(RANKINGS, seconds=0.02)
    latency = evaluate(engine, CLAIMS, QUICK).retrievers["ppr"].latency_p50_ms
    assert 20 <= latency < 20_000  # milliseconds, on a busy machine too


def test_a_title_the_index_lacks_counts_as_not_found_and_is_told_before():
    engine = ScriptedEngine(RANKINGS, held=["Bell", "Skell", "Lamp"])
    told: list[Sequence[MissingGold]] = []

    def on_start(missing: Sequence[MissingGold]) -> None:
        assert engine.calls == []
        told.append(missing)

    report = evaluate(engine, CLAIMS, QUICK, on_start=on_start)
    expected = [
        MissingGold("Côte", ("b",)),
        MissingGold("Mural", ("b",)),
        MissingGold("Oar", ("c",)),
    ]
    assert told == [expected]
    assert list(report.missing) == expected
    assert report.n == 3
    assert report.as_dict()["missing_gold"] == {"n_titles": 3, "n_claims": 2}


def test_a_missing_title_lowers_the_mean_and_is_not_dropped():
    lost = [claim("a", "Bell", "Nowhere")]
    report = evaluate(ScriptedEngine({"ppr": {"claim a": ranked({1: "Bell"})}}), lost, QUICK)
    assert value(report, "ppr", "recall@21") == 0.5
    assert value(report, "ppr", "all_gold_found@100", "2") == 0.0


def test_nothing_is_missing_when_all_titles_are_held():
    told: list[Sequence[MissingGold]] = []
    assert evaluate(ScriptedEngine(RANKINGS), CLAIMS, BOTH, on_start=told.append).missing == ()
    assert told == [[]]


def test_progress_counts_every_claim_of_every_retriever():
    steps: list[tuple[int, int]] = []
    evaluate(
        ScriptedEngine(RANKINGS),
        CLAIMS,
        BOTH,
        progress=lambda done, todo: steps.append((done, todo)),
    )
    n_calls = 2 * (len(CLAIMS) + BOTH.n_warmups)
    assert steps == [(i, n_calls) for i in range(1, n_calls + 1)]


def test_more_passages_than_asked_for_do_not_count():
    class Greedy(ScriptedEngine):
        def retrieve(self, claim: str, k: int = 21, retriever: str = "ppr") -> Retrieval:
            return super().retrieve(claim, 1_000, retriever)

    report = evaluate(Greedy(RANKINGS), CLAIMS, QUICK)
    assert value(report, "ppr", "all_gold_found@21") == pytest.approx(2 / 3)


def test_an_engines_error_is_passed_on():
    class Broken(ScriptedEngine):
        def search(self, query: str, depth: int = 100, retriever: str = "ppr") -> Retrieval:
            raise IndexDamagedError("graph.npy is short")

    with pytest.raises(IndexDamagedError, match=r"graph\.npy"):
        evaluate(Broken(RANKINGS), CLAIMS, QUICK)


def test_no_claims_are_an_error():
    with pytest.raises(UsageError, match="claims are empty"):
        evaluate(ScriptedEngine(RANKINGS), [])


# --- judged by pid --------------------------------------------------------------------------------


def test_hidden_titles_are_judged_by_pid():
    gold = ("Bell", "Skell", "Côte", "Mural", "Lamp", "Oar")
    pids = {title.lower(): [f"p-{title}", f"p-The {title}", f"p-{title}-2"] for title in gold}
    pids["Côte"] = ["p-Co\u0302te", "p-Côte"]
    shown = evaluate(ScriptedEngine(RANKINGS), CLAIMS, BOTH)
    settings = EvaluationSettings(("bm25", "ppr"), n_warmups=0, gold_pids=pids)
    hidden = evaluate(ScriptedEngine(RANKINGS, hide=True), CLAIMS, settings)
    assert hidden.missing == ()
    for name in ("bm25", "ppr"):
        assert hidden.retrievers[name].metrics == shown.retrievers[name].metrics
    assert hidden.rows[1].measurements["ppr"].ranks == shown.rows[1].measurements["ppr"].ranks


def test_hidden_titles_without_pids_are_all_missing():
    report = evaluate(ScriptedEngine(RANKINGS, hide=True), CLAIMS, BOTH)
    assert len(report.missing) == 6
    assert value(report, "ppr", "recall@21") == 0.0


def test_a_title_without_pids_is_missing():
    settings = EvaluationSettings(n_warmups=0, gold_pids={"bell": ["p-Bell"], "skell": []})
    report = evaluate(ScriptedEngine(RANKINGS, hide=True), CLAIMS[:1], settings)
    assert [gold.title for gold in report.missing] == ["Skell"]
    assert value(report, "ppr", "recall@21") == 0.5


def test_passage_titles_by_pid_count_parts_once():
    titles_of = PassageTitles({"bell": ["p-1", "p-2"], "skell": ["p-3"]})
    passages = [RankedPassage(i, PassageId(f"p-{i}"), "", "t", 0.0) for i in (2, 9, 1, 3)]
    assert titles_of(Retrieval("c", "ppr", tuple(passages))) == ["bell", "", "bell", "skell"]


def test_a_pid_of_two_titles_is_an_error():
    assert PassageTitles({"Bell": ["p-1"], "the bell": ["p-1"]}) is not None
    with pytest.raises(UsageError, match="p-1 is under 'bell' and 'skell'"):
        PassageTitles({"bell": ["p-1"], "skell": ["p-1"]})


def test_gold_by_id_is_judged_by_the_pids_of_its_documents():
    claims = [replace(CLAIMS[0], gold_ids=("A-1", "a1", "The 9"))]
    pids = {"A-1": ["p-Bell"], "a1": ["p-filler 4", "p-filler 2"], "The 9": []}
    settings = EvaluationSettings(n_warmups=0, gold_pids=pids)
    report = evaluate(ScriptedEngine(RANKINGS), claims, settings)
    assert value(report, "ppr", "recall@21", "3") == pytest.approx(2 / 3)
    assert report.rows[0].measurements["ppr"].ranks == {"A-1": 1, "a1": 2, "The 9": None}
    assert report.missing == (MissingGold("The 9", ("a",)),)
    with pytest.raises(UsageError, match="by id: give gold_pids"):
        evaluate(ScriptedEngine(RANKINGS), claims, QUICK)


# --- settings -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"retrievers": ()}, "name one or more"),
        ({"retrievers": ("ppr", "ppr")}, "each once"),
        ({"depth": 21}, "depth is 21: give more than 21"),
        ({"depth": 0}, "depth is 0"),
        ({"n_candidates": 0}, "n_candidates is 0"),
        ({"n_warmups": -1}, "n_warmups is -1"),
    ],
)
def test_settings_out_of_range_are_an_error(settings: dict[str, object], message: str):
    with pytest.raises(UsageError, match=message):
        EvaluationSettings(**settings)  # pyright: ignore[reportArgumentType]


TITLES = st.sampled_from(["Bell", "The Bell", "Skell", "Côte", "Lamp", "Oar", "Mural"])


@given(
    st.lists(
        st.tuples(
            st.lists(TITLES, max_size=30), st.lists(TITLES, min_size=1, max_size=3, unique=True)
        ),
        min_size=1,
        max_size=5,
    )
)
@hypothesis_settings(max_examples=min(25, hypothesis_settings().max_examples), deadline=None)
def test_the_report_is_the_mean_of_the_metric_functions(
    cases: list[tuple[list[str], list[str]]],
):
    claims: list[GoldClaim] = []
    for number, (_, gold) in enumerate(cases):
        distinct = [t for t in gold if t != "The Bell" or "Bell" not in gold]
        claims.append(claim(str(number), *distinct))
    rankings = {"ppr": {c.claim: titles for c, (titles, _) in zip(claims, cases, strict=True)}}
    report = evaluate(ScriptedEngine(rankings), claims, QUICK)
    for metric, function in (("all_gold_found", all_gold_found), ("recall", recall)):
        for k in (21, 100):
            each = [function(rankings["ppr"][c.claim], c.gold_titles, k) for c in claims]
            assert value(report, "ppr", f"{metric}@{k}") == pytest.approx(sum(each) / len(each))


def test_the_report_can_be_shown():
    table = render_table(evaluate(ScriptedEngine(RANKINGS), CLAIMS, BOTH))
    assert table.row_count == 2 * 13 + 1
