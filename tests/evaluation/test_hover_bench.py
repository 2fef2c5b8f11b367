"""The benchmark's loader for DSPy programs."""

import random
from pathlib import Path
from typing import Any

import dspy
import pytest

from hippohover.errors import UsageError
from hippohover.evaluation.hover import count_unique_docs, discrete_retrieval_eval, load_claims
from hippohover.evaluation.hover_bench import hoverBench
from hippohover.evaluation.splits import groups
from tests.evaluation.claim_samples import record, write


def bench_records(n: int, prefix: str = "b") -> list[dict[str, Any]]:
    """Two claims a question; every third question has two gold titles instead of three."""
    return [
        record(
            uid=f"{prefix}-{i}",
            claim=f"{prefix} claim {i}",
            hpqa_id=f"{prefix}-q{i // 2}",
            supporting_facts=[[f"{prefix} {i // 2} T{t}", t] for t in range(2 + (i // 2 % 3 > 0))],
        )
        for i in range(n)
    ]


def claims_of(examples: list[dspy.Example]) -> set[str]:
    return {example["claim"] for example in examples}


def test_the_bench_holds_the_claims_with_three_titles(tmp_path: Path):
    bench = hoverBench(write(tmp_path / "c.jsonl", bench_records(240)))
    parts = (bench.train, bench.dev, bench.test)
    assert [len(part) for part in parts] == [80, 40, 40]
    everything = [example for part in parts for example in part]
    assert all(count_unique_docs(example) == 3 for example in everything)
    assert len(claims_of(everything)) == 160
    example = everything[0]
    assert isinstance(example, dspy.Example)
    assert set(example.inputs().keys()) == {"claim"}
    assert set(example.labels().keys()) == {"supporting_facts", "label"}
    assert example["supporting_facts"][1]["value"] == 1


def test_no_question_is_on_two_sides_of_the_bench(tmp_path: Path):
    path = write(tmp_path / "c.jsonl", bench_records(240))
    group_of = {
        c.claim: g for c, g in zip(load_claims(path), groups(load_claims(path)), strict=True)
    }
    bench = hoverBench(path)
    sides = [
        {group_of[c] for c in claims_of(part)} for part in (bench.train, bench.dev, bench.test)
    ]
    assert not (sides[0] & sides[1] or sides[0] & sides[2] or sides[1] & sides[2])


def test_the_bench_with_a_test_file_keeps_its_questions_out_of_training(tmp_path: Path):
    path = write(tmp_path / "c.jsonl", bench_records(240))
    other = [*bench_records(20, "t"), record(uid="x", claim="leak", hpqa_id="b-q1")]
    bench = hoverBench(path, test_path=write(tmp_path / "t.jsonl", other))
    assert claims_of(bench.test) == {r["claim"] for r in other}
    learned = claims_of(bench.train) | claims_of(bench.dev)
    assert len(learned) == 160 - 2  # both claims of question b-q1 are left out
    assert not learned & {"b claim 2", "b claim 3"}
    assert len(bench.train) == pytest.approx(3 * len(bench.dev), abs=6)


def test_the_bench_is_repeatable_and_follows_its_seed(tmp_path: Path):
    path = write(tmp_path / "c.jsonl", bench_records(120))
    order = [example["claim"] for example in hoverBench(path).train]
    assert [example["claim"] for example in hoverBench(path).train] == order
    assert [example["claim"] for example in hoverBench(path, seed=1).train] != order
    assert order != sorted(order)


def test_the_bench_takes_other_numbers_of_titles(tmp_path: Path):
    bench = hoverBench(write(tmp_path / "c.jsonl", bench_records(240)), n_titles=2)
    assert len(bench.train) + len(bench.dev) + len(bench.test) == 80


def test_too_few_questions_are_an_error(tmp_path: Path):
    with pytest.raises(UsageError, match="2 groups of claims"):
        hoverBench(write(tmp_path / "c.jsonl", bench_records(8)))


def test_the_metric_works_in_dspys_own_evaluation(tmp_path: Path):
    class Fixed(dspy.Module):
        def forward(self, claim: str) -> dspy.Prediction:
            docs = [f"b 1 T{n} | some text" for n in range(3)]
            return dspy.Prediction(retrieved_docs=docs)

    bench = hoverBench(write(tmp_path / "c.jsonl", bench_records(240)))
    devset = bench.train + bench.dev + bench.test
    evaluate = dspy.Evaluate(devset=devset, metric=discrete_retrieval_eval, num_threads=1)
    result = evaluate(Fixed())
    assert result.score == pytest.approx(100 * 2 / 160, abs=0.01)


def test_global_random_numbers_are_left_alone(tmp_path: Path):
    path = write(tmp_path / "c.jsonl", bench_records(120))
    random.seed(5)
    before = random.getstate()
    hoverBench(path)
    assert random.getstate() == before
