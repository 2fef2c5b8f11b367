import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import ir_measures
import pytest

from hippohover.errors import NotInIndexError, UsageError
from hippohover.evaluation.comparison.compare import Arm, compare, measure_names
from hippohover.evaluation.documents import IndexDocuments
from hippohover.evaluation.hover import GoldClaim, load_claims
from hippohover.evaluation.metrics import recall
from hippohover.evaluation.parts import GoldPart
from hippohover.records import Retrieval
from hippohover.retrieval.engine import HippoHover
from hippohover.toy import toy_claims_path
from tests.evaluation.claim_samples import claim
from tests.index_samples import refused
from tests.programs.program_samples import ScriptedSearch

SCRIPT = {"first": ["A", "X", "B"], "second": ["X", "Y"], "third": []}


CLAIMS = [
    claim("1", "A", "B", words="first"),
    claim("2", "A", words="second"),
    claim("3", "C", words="third"),
]


def toy(n: int = 20) -> Sequence[GoldClaim]:
    return load_claims(toy_claims_path())[:n]


def test_measures_by_hand():
    done = compare([Arm("a", ScriptedSearch(SCRIPT))], {"set": CLAIMS}, [1, 3])
    cells = {name: cell.estimate.value for name, cell in done.cells["set"]["a"].items()}
    assert cells["MRR@1"] == cells["MRR@3"] == pytest.approx(1 / 3)
    assert cells["recall@1"] == pytest.approx(0.5 / 3)
    assert cells["recall@3"] == pytest.approx(1 / 3)
    assert cells["all_gold_found@1"] == 0
    assert cells["all_gold_found@3"] == pytest.approx(1 / 3)
    dcg, best = 1 + 0.5, 1 + 1 / 1.5849625
    assert cells["nDCG@3"] == pytest.approx(dcg / best / 3)


def test_passages_are_measured_where_every_set_names_some():
    parts = (GoldPart(name="A", text="never said"), GoldPart(name="A"))
    named = [replace(claim, parts=parts) for claim in CLAIMS]
    arm = Arm("a", ScriptedSearch(SCRIPT))
    done = compare([arm], {"set": named}, [3])
    assert done.measures[-2:] == ("passage_recall@3", "all_passages_found@3")
    assert done.cells["set"]["a"]["all_passages_found@3"].estimate.value == 0
    assert done.cells["set"]["a"]["passage_recall@3"].estimate.value == pytest.approx(1 / 6)
    assert len(compare([arm], {"set": named, "other": CLAIMS}, [3]).measures) == 4


def test_every_claim_counts_and_none_that_found_nothing_is_left_out():
    done = compare([Arm("a", ScriptedSearch(SCRIPT))], {"set": CLAIMS}, [3])
    assert {cell.estimate.n for cell in done.cells["set"]["a"].values()} == {3}
    empty = compare([Arm("a", ScriptedSearch({}))], {"set": CLAIMS}, [3])
    assert {cell.estimate.value for cell in empty.cells["set"]["a"].values()} == {0}


def test_recall_of_ir_measures_is_our_own(toy_engine: HippoHover):
    done = compare([Arm("ppr", toy_engine)], {"toy": toy()}, [5, 21])
    for k in (5, 21):
        own = [
            recall([p.title for p in toy_engine.search(c.claim, 21).passages], c.gold_titles, k)
            for c in toy()
        ]
        found = done.cells["toy"]["ppr"][f"recall@{k}"].estimate.value
        assert found == pytest.approx(sum(own) / len(own))


def test_the_others_are_tested_against_the_first(toy_engine: HippoHover):
    arms = [Arm("ppr", toy_engine), Arm("bm25", toy_engine, "bm25"), Arm("again", toy_engine)]
    cells = compare(arms, {"toy": toy(30)}, [5]).cells["toy"]
    assert all(cell.difference is None for cell in cells["ppr"].values())
    again = cells["again"]["recall@5"].difference
    worse = cells["bm25"]["recall@5"].difference
    assert again is not None
    assert worse is not None
    assert (again.value, again.p_corrected) == (0, 1)
    assert worse.value < 0
    assert worse.p < worse.p_corrected <= 8 * worse.p


def test_what_cannot_differ_is_no_test():
    worse = ScriptedSearch({**SCRIPT, "second": ["A"]})
    same, other = Arm("same", ScriptedSearch(SCRIPT)), Arm("other", worse)
    first = Arm("a", ScriptedSearch(SCRIPT))
    assert compare([first, same], {"set": CLAIMS}, [1, 3]).n_tests == 0
    once = compare([first, other], {"set": CLAIMS}, [5])
    assert once.n_tests == 4
    again = compare([first, same, other], {"set": CLAIMS}, [5, 50])  # no more is found below 5
    assert again.n_tests == 4
    for measure, cell in once.cells["set"]["other"].items():
        assert again.cells["set"]["other"][measure] == cell
        deeper = measure.replace("@5", "@50")
        assert again.cells["set"]["other"][deeper].difference == cell.difference


def test_what_an_arm_refuses_names_the_arm():
    class Refusing(ScriptedSearch):
        def search(self, query: str, depth: int = 100, retriever: str = "ppr") -> Retrieval:
            raise NotInIndexError("this index has no facts")

    arms = [Arm("good", ScriptedSearch(SCRIPT)), Arm("bare", Refusing(SCRIPT))]
    with refused(NotInIndexError, "^bare: this index has no facts$"):
        compare(arms, {"set": CLAIMS}, [5])


def test_runs_and_qrels_stay_and_say_the_same_to_others(toy_engine: HippoHover, tmp_path: Path):
    done = compare([Arm("ppr", toy_engine)], {"toy": toy()}, [21], runs=tmp_path / "runs")
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == [
        "toy.ppr.run",
        "toy.ppr.run.chains.jsonl",
        "toy.qrels",
    ]
    read = ir_measures.calc_aggregate(
        [ir_measures.nDCG @ 21],
        list(ir_measures.read_trec_qrels(str(tmp_path / "runs" / "toy.qrels"))),
        list(ir_measures.read_trec_run(str(tmp_path / "runs" / "toy.ppr.run"))),
    )
    expected = done.cells["toy"]["ppr"]["nDCG@21"].estimate.value
    assert next(iter(read.values())) == pytest.approx(expected)


def test_an_arm_is_searched_once_a_claim_as_deep_as_needed():
    engine = ScriptedSearch(SCRIPT)
    seen: list[tuple[int, int]] = []
    compare(
        [Arm("a", engine), Arm("b", engine, "bm25")],
        {"one": CLAIMS, "two": CLAIMS[:1]},
        [1, 50],
        progress=lambda done, n: seen.append((done, n)),
    )
    assert len(engine.calls) == 8
    assert {depth for _, depth, _ in engine.calls} == {50}
    assert seen == [(number, 8) for number in range(1, 9)]


def test_claims_of_one_uid_are_kept_apart():
    twice = [claim("1", "A", words="first"), claim("1", "A", words="second")]
    done = compare([Arm("a", ScriptedSearch(SCRIPT))], {"set": twice}, [3])
    assert done.cells["set"]["a"]["recall@3"].estimate.value == 0.5


def test_gold_by_ids_needs_documents(toy_engine: HippoHover):
    by_id = [replace(one, gold_ids=(one.gold_titles[0],)) for one in toy(3)]
    with refused(UsageError, "gold of the claims is by id, and no documents are given"):
        compare([Arm("ppr", toy_engine)], {"toy": by_id}, [5])
    documents = IndexDocuments.of(toy_engine.tables.passages)
    done = compare([Arm("ppr", toy_engine, documents=documents)], {"toy": by_id}, [100])
    assert done.cells["toy"]["ppr"]["recall@100"].estimate.value == 1


def test_a_comparison_is_ready_for_json(toy_engine: HippoHover):
    arms = [Arm("ppr", toy_engine), Arm("bm25", toy_engine, "bm25")]
    told = compare(arms, {"toy": toy(4)}, [5]).as_dict()
    assert told["arms"] == ["ppr", "bm25"]
    assert told["sets"]["toy"]["ppr"]["nDCG@5"]["difference"] is None
    assert set(told["sets"]["toy"]["bm25"]["nDCG@5"]) == {"value", "low", "high", "n", "difference"}


@pytest.mark.parametrize("cutoffs", [[], [5, 5], [0], [1001]])
def test_cutoffs_out_of_range_are_refused(cutoffs: list[int]):
    with pytest.raises(UsageError, match="cut-off"):
        measure_names(cutoffs)


def test_what_cannot_be_compared_is_refused(monkeypatch: pytest.MonkeyPatch):
    engine = ScriptedSearch(SCRIPT)
    with refused(UsageError, "arms are"):
        compare([], {"set": CLAIMS}, [5])
    with refused(UsageError, "each once"):
        compare([Arm("a", engine), Arm("a", engine)], {"set": CLAIMS}, [5])
    with refused(UsageError, "claims of set are empty"):
        compare([Arm("a", engine)], {"set": []}, [5])
    with refused(UsageError, "claims of none are empty"):
        compare([Arm("a", engine)], {}, [5])
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with refused(UsageError, r"pip install '\S*\[compare\]'"):
        compare([Arm("a", engine)], {"set": CLAIMS}, [5])
