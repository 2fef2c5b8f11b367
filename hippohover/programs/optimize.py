"""Optimises the fact filter by the walk's results, and programs by what they find."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final, Generic, Literal, TypeVar

import dspy
from dspy.utils.exceptions import LMError

from hippohover.errors import LanguageModelError, ModelError, UsageError
from hippohover.evaluation.hover import MAX_RETRIEVED_DOCS, GoldClaim
from hippohover.evaluation.intervals import share
from hippohover.evaluation.metrics import all_gold_found, gold_ranks
from hippohover.language_model.client import LanguageModel
from hippohover.language_model.ledger import Usage
from hippohover.programs.hop_program import HopProgram
from hippohover.programs.hypothesis import HypothesisDriven
from hippohover.programs.hypothesis_run import HypothesisRun, is_covered
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.facts.choice import LanguageModelChooser
from hippohover.retrieval.facts.filter import FactFilter

Optimizer = Literal["bootstrap", "mipro", "gepa"]
OPTIMIZERS: Final[tuple[Optimizer, ...]] = ("bootstrap", "mipro", "gepa")

_SEED: Final = 9
_N_CANDIDATES: Final = 6
"""Of prompts, in the setting "light" of MIPROv2 and GEPA; the next five are of MIPROv2 alone."""
_BATCH: Final = 35
_MOST_VALIDATED: Final = 100
_VALIDATED_SHARE: Final = 0.8
_FULL_EVERY: Final = 5
_ABOUT_DATA: Final = 12
_A_PROPOSAL: Final = 3
"""Requests for a prompt: what the program does, what the prompt is for, and the prompt."""
_REFLECTED_ON: Final = 3
"""Claims that GEPA shows its model when it asks for a better prompt."""

ModuleT = TypeVar("ModuleT", bound=dspy.Module)


class FilteredRetrieval(dspy.Module):
    """One retrieval whose facts the program's own filter chooses; the object to optimise.

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
        """Return titles of an answer's passages, best first, and the route of the choice."""
        settings = self.engine.retrievers.settings
        choose = LanguageModelChooser(
            self.model, self.filter, settings.filter, n_top=settings.n_facts
        )
        ranking = self.engine.retrievers.ppr.choosing_with(choose)(claim, MAX_RETRIEVED_DOCS)
        titles = self.engine.tables.passages.column("title").take(ranking.rows).to_pylist()
        return dspy.Prediction(titles=titles, route=ranking.choice.route)


@dataclass(frozen=True, slots=True)
class Optimised(Generic[ModuleT]):
    """An optimised filter or program, and its result on the claims that optimised it.

    Attributes
    ----------
    program : FactFilter or HopProgram
    before, after : float
        ``all_gold_found@21``, in [0, 1].
    n : int
        Number of claims.
    """

    program: ModuleT
    before: float
    after: float
    n: int


def optimise_filter(
    engine: HippoHover, model: LanguageModel, claims: Sequence[GoldClaim], optimizer: Optimizer
) -> Optimised[FactFilter]:
    """Optimise a filter on claims; the metric is ``all_gold_found@21`` after the walk.

    Raises
    ------
    UsageError
        There are too few claims, or the optimizer is unknown.
    ModelError
        The optimizer needs a package that is not installed.
    LanguageModelError
        The model answered no request.
    """
    result = _optimised(FilteredRetrieval(engine, model), model, claims, optimizer)
    return Optimised(result.program.filter, result.before, result.after, result.n)


def optimise_program(
    program: HopProgram, claims: Sequence[GoldClaim], optimizer: Optimizer
) -> Optimised[HopProgram]:
    """Optimise a program that asks a language model, by ``all_gold_found@21``.

    The coverage of a ``HypothesisDriven`` program is set to what its hypotheses reach on the same
    claims. Raises as ``optimise_filter``.
    """
    if not program.declared.calls:
        raise UsageError(f"{program.name} asks no language model: it has no prompt to optimise")
    model = program.asked()
    if isinstance(program, HypothesisDriven) and claims:
        # First: it decides whether hypotheses are guessed or gaps filled, and so what is optimised.
        covered = hypothesis_coverage(program.deepcopy(), claims)
        program = program.deepcopy()
        program.coverage = covered
    return _optimised(program, model, claims, optimizer)


def n_requests(program: HopProgram | FilteredRetrieval, n_claims: int, optimizer: Optimizer) -> int:
    """Return how many requests an optimisation makes at most, if every reply can be read.

    Claims are answered before and after it, to measure them, and meanwhile as often as DSPy's
    optimizer needs: replies in the cache of the language model cost nothing. MIPROv2 and GEPA also
    ask for prompts.
    """
    a_claim = sum(program.asks().values()) if isinstance(program, HopProgram) else 1
    n_prompts = len(program.predictors())
    n_trials = int(max(4 * n_prompts * math.log2(_N_CANDIDATES), 1.5 * _N_CANDIDATES))
    n_answers, n_asked = n_claims, 0
    if optimizer == "mipro":
        n_validated = min(max(1, int(_VALIDATED_SHARE * n_claims)), _MOST_VALIDATED)
        n_full = n_trials // _FULL_EVERY + 2
        n_answers = _N_CANDIDATES * n_claims + n_full * n_validated
        n_answers += n_trials * min(_BATCH, n_validated)
        n_asked = _ABOUT_DATA + n_prompts * _A_PROPOSAL * _N_CANDIDATES // 2
    elif optimizer == "gepa":
        nobody = dspy.LM("openai/none")  # it needs one to be made
        gepa = dspy.GEPA(metric=with_feedback, auto="light", reflection_lm=nobody)
        n_answers = gepa.auto_budget(n_prompts, _N_CANDIDATES, n_claims) + n_claims
        n_asked = n_answers // _REFLECTED_ON
    n_measured = 3 if isinstance(program, HypothesisDriven) else 2  # its coverage as well
    return (n_answers + n_measured * n_claims) * a_claim + n_asked


def hypothesis_coverage(program: HypothesisDriven, claims: Sequence[GoldClaim]) -> float:
    """Return the share of claims with a guess that names a bridge: ``is_covered``."""
    program.coverage = 1.0  # or gaps would be filled at some claims, and nothing guessed
    runs: list[HypothesisRun] = [program(claim=claim.claim).run for claim in claims]
    covered = [
        is_covered(claim.claim, claim.gold_titles, run.guesses)
        for claim, run in zip(claims, runs, strict=True)
    ]
    return share([float(hit) for hit in covered]).value


def found_all(example: dspy.Example, prediction: dspy.Prediction, trace: object = None) -> bool:
    """Return whether an answer holds every gold title: the metric of bootstrap and MIPRO."""
    return bool(all_gold_found(prediction.titles, example.gold, MAX_RETRIEVED_DOCS))


def with_feedback(
    example: dspy.Example,
    prediction: dspy.Prediction,
    trace: object = None,
    pred_name: str | None = None,
    pred_trace: object = None,
) -> dspy.Prediction:
    """Return the metric for GEPA, with feedback on gold titles and searches."""
    ranks = gold_ranks(prediction.titles, example.gold)
    words = [
        f"{title!r} was found at rank {rank}" if rank else f"{title!r} was not found"
        for title, rank in zip(example.gold, ranks, strict=False)
    ]
    told = f"The answer needs to hold every one of: {'; '.join(words)}."
    if "route" in prediction and prediction.route != "filtered":
        told += f" No fact was kept ({prediction.route})."
    if "run" in prediction:
        told += f" Searched for: {'; '.join(prediction.run.queries)}."
    return dspy.Prediction(score=float(found_all(example, prediction)), feedback=told)


def _optimised(
    program: ModuleT, model: LanguageModel, claims: Sequence[GoldClaim], optimizer: Optimizer
) -> Optimised[ModuleT]:
    if not claims:
        raise UsageError("claims are empty: an optimisation needs one or more")
    if optimizer not in OPTIMIZERS:
        raise UsageError(f"optimizer {optimizer!r} is unknown: name one of {', '.join(OPTIMIZERS)}")
    examples = [
        dspy.Example(claim=claim.claim, gold=list(claim.gold_titles)).with_inputs("claim")
        for claim in claims
    ]
    _check_can_run(optimizer, len(claims))
    usage = model.ledger.total()
    before = _reached(program, examples)
    _check_answered(model, usage)
    with dspy.context(lm=model.lm):
        try:
            better = _compiled(program, examples, optimizer, model)
        except LMError as error:
            raise model.own_error(error) from error
    return Optimised(better, before, _reached(better, examples), len(claims))


def _check_can_run(optimizer: Optimizer, n_claims: int) -> None:
    """Refuse before anything is paid for: DSPy does so in the middle."""
    if optimizer != "mipro":
        return
    if find_spec("optuna") is None:
        raise ModelError("optimizer 'mipro' needs optuna: pip install 'hippohover[optimize]'")
    if n_claims < 2:
        raise UsageError("optimizer 'mipro' needs 2 claims or more: add some, or use bootstrap")


def _check_answered(model: LanguageModel, before: Usage) -> None:
    """Refuse a model that answered nothing: what was measured is the fallback."""
    now = model.ledger.total()
    answered = now.n_calls + now.n_cached > before.n_calls + before.n_cached
    n_failed = now.n_failed - before.n_failed
    if n_failed and not answered:
        raise LanguageModelError(f"no request of {n_failed} was answered: {model.last_failure}")


def _compiled(
    program: ModuleT, examples: list[dspy.Example], optimizer: Optimizer, model: LanguageModel
) -> ModuleT:
    teleprompter: Any
    if optimizer == "bootstrap":
        teleprompter = dspy.BootstrapFewShot(
            metric=found_all, max_bootstrapped_demos=4, max_labeled_demos=0
        )
        return teleprompter.compile(program, trainset=examples)
    if optimizer == "mipro":
        teleprompter = dspy.MIPROv2(
            metric=found_all,
            prompt_model=model.lm,
            task_model=model.lm,
            auto="light",
            max_bootstrapped_demos=4,
            max_labeled_demos=0,
            num_threads=1,
            seed=_SEED,
        )
    else:
        teleprompter = dspy.GEPA(
            metric=with_feedback,
            auto="light",
            reflection_lm=model.lm,
            num_threads=1,
            seed=_SEED,
        )
    return teleprompter.compile(program, trainset=examples)


def _reached(program: dspy.Module, examples: Sequence[dspy.Example]) -> float:
    return share(
        [float(found_all(example, program(claim=example.claim))) for example in examples]
    ).value
