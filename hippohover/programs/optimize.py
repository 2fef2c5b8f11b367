"""Optimise the fact filter by what the walk makes of its choice; save and load it as JSON."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final, Literal

import dspy

from hippohover.errors import ModelError, UsageError
from hippohover.evaluation.hover import MAX_RETRIEVED_DOCS, Claim
from hippohover.evaluation.metrics import all_gold_found, gold_ranks, share
from hippohover.language_model.client import LanguageModel
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.fact_choice import LanguageModelChooser
from hippohover.retrieval.fact_filter import FactFilter
from hippohover.text_files import write_lines

Optimizer = Literal["bootstrap", "mipro", "gepa"]
OPTIMIZERS: Final[tuple[Optimizer, ...]] = ("bootstrap", "mipro", "gepa")

_FORMAT: Final = "hippohover-filter-1"
_SEED: Final = 9


class FilteredRetrieval(dspy.Module):
    """One retrieval whose facts are chosen by the program's own filter: what is optimised.

    Parameters
    ----------
    engine : HippoHover
    model : LanguageModel
    """

    def __init__(self, engine: HippoHover, model: LanguageModel) -> None:
        super().__init__()
        self.engine = engine
        self.model = model
        self.filter = FactFilter()

    def forward(self, claim: str) -> dspy.Prediction:
        """Titles of the passages of an answer, best first, and the route of the choice."""
        settings = self.engine.retrievers.settings
        choose = LanguageModelChooser(
            self.model, self.filter, settings.filter, n_top=settings.n_facts
        )
        ranking = self.engine.retrievers.ppr.choosing_with(choose)(claim, MAX_RETRIEVED_DOCS)
        titles = self.engine.tables.passages.column("title").take(ranking.rows).to_pylist()
        return dspy.Prediction(titles=titles, route=ranking.choice.route)


@dataclass(frozen=True, slots=True)
class Optimised:
    """An optimised filter, and what it reached on the claims that it was optimised on.

    Attributes
    ----------
    fact_filter : FactFilter
    before, after : float
        ``all_gold_found@21``, in [0, 1].
    n : int
        Claims.
    """

    fact_filter: FactFilter
    before: float
    after: float
    n: int


def optimise_filter(
    engine: HippoHover, model: LanguageModel, claims: Sequence[Claim], optimizer: Optimizer
) -> Optimised:
    """Optimise a filter on claims; the metric is ``all_gold_found@21`` after the walk.

    Raises
    ------
    UsageError
        There is no claim, or the optimizer is unknown.
    ModelError
        The optimizer needs a package that is not installed.
    """
    if not claims:
        raise UsageError("claims are empty: an optimisation needs one or more")
    if optimizer not in OPTIMIZERS:
        raise UsageError(f"optimizer {optimizer!r} is unknown: name one of {', '.join(OPTIMIZERS)}")
    examples = [
        dspy.Example(claim=one.claim, gold=list(one.gold_titles)).with_inputs("claim")
        for one in claims
    ]
    program = FilteredRetrieval(engine, model)
    before = _reached(program, examples)
    with dspy.context(lm=model.lm):
        better = _compiled(program, examples, optimizer, model)
    return Optimised(better.filter, before, _reached(better, examples), len(claims))


def save_filter(path: Path, optimised: Optimised, *, made_with: dict[str, str]) -> None:
    """Write a filter as JSON, with the versions that it was made with; ``UsageError`` if it fails.

    The file holds no key and no address.
    """
    content = {
        "format": _FORMAT,
        "made_with": {
            "hippohover": _version("hippohover"),
            "dspy": _version("dspy"),
            "n_claims": optimised.n,
            "all_gold_found@21": {"before": optimised.before, "after": optimised.after},
            **made_with,
        },
        "program": _without_model(optimised.fact_filter.dump_state()),
    }
    write_lines(path, [json.dumps(content, indent=1, ensure_ascii=False)])


def load_filter(path: Path) -> FactFilter:
    """Filter that ``save_filter`` wrote: it asks the same, byte for byte.

    Raises
    ------
    UsageError
        The file cannot be read, or is no such filter.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] != _FORMAT:
            raise ValueError(f"format {content['format']!r}, not {_FORMAT!r}")
        fact_filter = FactFilter()
        fact_filter.load_state(_without_model(content["program"]))  # nor one of the file's
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}): check the path") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise UsageError(
            f"{path}: is no filter of hippohover optimize-filter ({reason}): make it again"
        ) from error
    return fact_filter


def found_all(example: dspy.Example, prediction: dspy.Prediction, trace: object = None) -> bool:
    """Whether an answer holds every gold title: the metric of bootstrap and MIPRO."""
    return bool(all_gold_found(prediction.titles, example.gold, MAX_RETRIEVED_DOCS))


def with_feedback(
    example: dspy.Example,
    prediction: dspy.Prediction,
    trace: object = None,
    pred_name: str | None = None,
    pred_trace: object = None,
) -> dspy.Prediction:
    """The same for GEPA, with a word on each gold title."""
    ranks = gold_ranks(prediction.titles, example.gold)
    words = [
        f"{title!r} was found at rank {rank}" if rank else f"{title!r} was not found"
        for title, rank in zip(example.gold, ranks, strict=False)
    ]
    told = f"The walk from the kept facts needs to reach every one of: {'; '.join(words)}."
    if prediction.route != "filtered":
        told += f" No fact was kept ({prediction.route})."
    return dspy.Prediction(score=float(found_all(example, prediction)), feedback=told)


def _compiled(
    program: FilteredRetrieval,
    examples: list[dspy.Example],
    optimizer: Optimizer,
    model: LanguageModel,
) -> FilteredRetrieval:
    teleprompter: Any
    if optimizer == "bootstrap":
        teleprompter = dspy.BootstrapFewShot(
            metric=found_all, max_bootstrapped_demos=4, max_labeled_demos=0
        )
        return teleprompter.compile(program, trainset=examples)
    try:
        if optimizer == "mipro":
            teleprompter = dspy.MIPROv2(
                metric=found_all, prompt_model=model.lm, task_model=model.lm, auto="light",
                max_bootstrapped_demos=4, max_labeled_demos=0, num_threads=1, seed=_SEED,
            )  # fmt: skip
        else:
            teleprompter = dspy.GEPA(
                metric=with_feedback, auto="light", reflection_lm=model.lm, num_threads=1,
                seed=_SEED,
            )  # fmt: skip
        return teleprompter.compile(program, trainset=examples)
    except ImportError as error:
        raise ModelError(
            f"optimizer {optimizer!r} needs a package that is not installed ({error}): "
            "pip install 'hippohover[optimize]'"
        ) from error


def _reached(program: FilteredRetrieval, examples: Sequence[dspy.Example]) -> float:
    return share([float(found_all(one, program(claim=one.claim))) for one in examples]).value


def _without_model(state: dict[str, Any]) -> dict[str, Any]:
    """A program's state without a language model: which one is asked is for the user to say."""
    return {
        name: {**part, "lm": None} if isinstance(part, dict) else part
        for name, part in state.items()
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
