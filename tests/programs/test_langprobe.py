"""The package in ``examples/``: LangProBe's paths resolve, its pipeline is made bare and scored."""

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dspy
import pytest
from dspy.utils import DummyLM

from hippohover.errors import UsageError
from hippohover.evaluation.hover import count_unique_docs, discrete_retrieval_eval
from hippohover.evaluation.hover_bench import hoverBench
from hippohover.programs import gap_analysis, hop_chain
from hippohover.programs.by_name import PROGRAMS
from hippohover.toy import toy_claims_path

PIPELINE = "langProBe.hover.hover_pipeline.HoverMultiHopPipeline"
METRIC = "langProBe.hover.hover_utils.discrete_retrieval_eval"
CLAIM = "The head of the company that ran the Hexley Flyer was hard of hearing."
GOLD = ["Hexley Flyer", "Lunn Valley Railway", "Augusta Thornby"]


def named(path: str) -> Any:  # noqa: ANN401
    """What a dotted path names, as a runner of LangProBe's programs finds it."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "examples"))
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "langProBe"]:
        del sys.modules[name]


def test_both_paths_resolve_and_the_bare_pipeline_is_scored(
    toy_index: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HIPPOHOVER_INDEX", str(toy_index))
    pipeline = named(PIPELINE)()
    assert isinstance(pipeline, hop_chain.HoverMultiHopPipeline)
    assert named(METRIC) is discrete_retrieval_eval
    pipeline.program.retriever = "ppr"
    gold = [[title, 0] for title in GOLD]
    example = dspy.Example(claim=CLAIM, supporting_facts=gold).with_inputs("claim")
    evaluate = dspy.Evaluate(devset=[example], metric=named(METRIC), num_threads=1)
    answers = [
        {"hop_chain": '["flyer -> company"]', "concrete_entities": '["Hexley Flyer"]'},
        {"is_complete": "False", "missing_hop": "company"},
        {"query": "company that ran the Hexley Flyer"},
        {"is_complete": "True", "missing_hop": ""},
    ]
    with dspy.context(lm=DummyLM(answers)):
        assert evaluate(pipeline).score == 100.0


def test_the_environment_names_the_other_program(toy_index: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HIPPOHOVER_INDEX", str(toy_index))
    monkeypatch.setenv("HIPPOHOVER_PROGRAM", "gap-analysis")
    assert isinstance(named(PIPELINE)(), gap_analysis.HoverMultiHopPipeline)
    pipeline = importlib.import_module("langProBe.hover.hover_pipeline")
    assert pipeline.GapAnalyzer is gap_analysis.GapAnalyzer
    for name in pipeline.__all__:
        assert getattr(pipeline, name) is getattr(gap_analysis, name)


@pytest.mark.parametrize("name", ["hop-chain", "gap-analysis"])
def test_the_import_lines_of_langprobe_run(name: str, monkeypatch: pytest.MonkeyPatch):
    """As its own packages, and programs written for it, have them."""
    monkeypatch.setenv("HIPPOHOVER_PROGRAM", name)
    monkeypatch.delenv("HIPPOHOVER_INDEX", raising=False)
    names: dict[str, Any] = {}
    exec(  # noqa: S102
        "from langProBe.benchmark import Benchmark, BenchmarkMeta\n"
        "from langProBe.hover import benchmark\n"
        "from langProBe.hover.hover_data import hoverBench\n"
        "from langProBe.hover.hover_program import HoverMultiHop, HoverMultiHopPredict\n"
        "from langProBe.hover.hover_pipeline import HoverMultiHopPipeline\n"
        "from langProBe.hover.hover_utils import count_unique_docs, discrete_retrieval_eval\n",
        names,
    )
    (meta,) = names["benchmark"]
    assert isinstance(meta, names["BenchmarkMeta"])
    assert issubclass(meta.benchmark, names["Benchmark"])
    assert type(meta.program[0]) is PROGRAMS[name]
    assert meta.metric is discrete_retrieval_eval
    with pytest.raises(AttributeError, match="no attribute 'other'"):
        named("langProBe.hover.other")


@pytest.mark.parametrize("first", ["checkout", "examples"])
def test_it_lives_beside_a_checkout_of_langprobe(
    first: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    package = tmp_path / "langProBe"
    (package / "other").mkdir(parents=True)
    (package / "benchmark.py").write_text("ORIGIN = 'checkout'\nclass Benchmark: ...\n")
    (package / "other" / "__init__.py").write_text("from langProBe.benchmark import ORIGIN\n")
    if first == "checkout":
        monkeypatch.syspath_prepend(str(tmp_path))
    else:
        monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    assert named("langProBe.other.ORIGIN") == "checkout"
    assert named("langProBe.benchmark.ORIGIN") == "checkout"
    assert named(METRIC) is discrete_retrieval_eval
    assert issubclass(
        named("langProBe.hover.hover_data.hoverBench"), named("langProBe.benchmark.Benchmark")
    )


def test_an_unknown_program_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HIPPOHOVER_PROGRAM", "hope")
    with pytest.raises(UsageError, match="HIPPOHOVER_PROGRAM is 'hope': set it to hop-chain or"):
        named(PIPELINE)


def test_without_an_index_the_variable_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("HIPPOHOVER_INDEX", raising=False)
    with pytest.raises(UsageError, match="HIPPOHOVER_INDEX is not set and DSPy has no retriever"):
        named(PIPELINE)()


def test_the_data_set_is_made_bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    bench = named("langProBe.hover.hover_data.hoverBench")
    monkeypatch.delenv("HIPPOHOVER_CLAIMS", raising=False)
    with pytest.raises(UsageError, match="HIPPOHOVER_CLAIMS is not set: set it to a file"):
        bench()
    monkeypatch.setenv("HIPPOHOVER_CLAIMS", str(toy_claims_path()))
    monkeypatch.delenv("HIPPOHOVER_TEST_CLAIMS", raising=False)
    ours = hoverBench(toy_claims_path())
    assert [one.claim for one in bench().test] == [one.claim for one in ours.test]
    monkeypatch.setenv("HIPPOHOVER_TEST_CLAIMS", str(toy_claims_path()))
    with pytest.raises(UsageError, match="groups of claims to split"):
        bench()
    assert named("langProBe.hover.hover_utils.count_unique_docs") is count_unique_docs


@pytest.fixture
def many_claims(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> int:
    """A file of 900 claims, each of a question of its own; how many of them may be trained on."""
    path = tmp_path / "claims.json"
    claims = [
        {
            "uid": f"u{n}",
            "claim": f"Claim {n} is about the harbour {n} of Isk.",
            "supporting_facts": [[f"Harbour {n}{part}", 0] for part in "abc"],
            "label": "SUPPORTED",
            "num_hops": 3,
            "hpqa_id": f"q{n}",
        }
        for n in range(900)
    ]
    path.write_text(json.dumps(claims), encoding="utf-8")
    monkeypatch.setenv("HIPPOHOVER_CLAIMS", str(path))
    monkeypatch.delenv("HIPPOHOVER_TEST_CLAIMS", raising=False)
    ours = hoverBench(path)
    return len(ours.train) + len(ours.dev)


def claims_of(examples: list[dspy.Example]) -> set[str]:
    return {one.claim for one in examples}


@pytest.mark.parametrize(
    ("mode", "n_tested"), [("full", None), ("lite", 500), ("tiny", 200), ("test", 50)]
)
def test_the_data_set_has_langprobes_modes_and_sets(many_claims: int, mode: str, n_tested: int):
    bench = named("langProBe.hover.hover_data.hoverBench")(dataset_mode=mode)
    n = 60 if mode == "test" else many_claims
    assert len(bench.get_dataset()) == len(bench.dataset) == n
    assert bench.max_testset_size == n_tested
    assert len(bench.get_test_set()) == min(len(bench.test), n_tested or len(bench.test))
    assert len(bench.get_dev_set()) == min(n // 2, 300)
    assert len(bench.val_set) == min(3 * n // 4 - n // 2, 150)
    assert len(bench.get_train_set()) == min(n - 3 * n // 4, 150)
    sets = [bench.dev_set, bench.val_set, bench.train_set, bench.test_set]
    assert len(set.union(*map(claims_of, sets))) == sum(map(len, sets))
    assert all(claims_of(one) <= claims_of(bench.dataset) for one in sets[:3])
    assert list(bench.test_set[0].inputs()) == ["claim"]
    again = named("langProBe.hover.hover_data.hoverBench")(mode)
    assert [one.claim for one in again.test_set] == [one.claim for one in bench.test_set]


def test_a_mode_that_langprobe_has_not_is_named():
    with pytest.raises(UsageError, match="dataset_mode is 'huge': name one of full, lite, tiny, t"):
        named("langProBe.hover.hover_data.hoverBench")(dataset_mode="huge")


def test_a_data_set_of_ones_own_says_what_it_has_to_set():
    benchmark: Any = named("langProBe.benchmark.Benchmark")

    class Own(benchmark):
        def init_dataset(self) -> None:
            self.dataset = [dspy.Example(claim="c").with_inputs("claim")]

    with pytest.raises(UsageError, match=r"^Own\.init_dataset: set dataset and test_set$"):
        Own()
