"""The estimated cost of triples by a language model, before any call."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from operator import attrgetter
from pathlib import Path
from typing import Final, Literal

from hippohover.errors import CorpusError, RecipeError, ReplyError, UsageError
from hippohover.indexing.corpus.stream import read_corpus
from hippohover.language_model.ledger import Budget, Usage
from hippohover.language_model.opening import open_language_model
from hippohover.recipe import IndexRecipe, LanguageModelSettings
from hippohover.records import ExtractionFailure, Passage

N_SAMPLED: Final = 20

_CHARS_A_TOKEN: Final = 4.0  # of English text, by rule of thumb
_OUTPUT_SHARE: Final = 1.5  # tokens of names and triples, for each token of a passage: assumed
_OFFLINE_SECONDS: Final = 6.0  # a passage's two calls, assumed


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The estimated cost of a build's language-model calls.

    Attributes
    ----------
    method : {"sample", "offline"}
        From the calls for some passages, or only from the length of the texts.
    n_passages, n_sampled : int
    input_tokens, output_tokens : int
    cost_usd : float or None
        None when the price of the model is not known.
    hours : float
        With as many passages side by side as the recipe says.
    n_failed : int
        Passages of the sample whose replies could not be used: the build would lack them.
    """

    method: str
    n_passages: int
    n_sampled: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    hours: float
    n_failed: int = 0

    def as_dict(self) -> dict[str, str | int | float | None]:
        return asdict(self)


def estimate(  # noqa: PLR0913
    recipe: IndexRecipe,
    corpus: Path,
    *,
    cache: Path,
    method: Literal["sample", "offline"] = "sample",
    limit: int | None = None,
    budget: Budget | None = None,
) -> Estimate:
    """Estimate the cost of a build with ``extractor = "llm"``.

    Parameters
    ----------
    cache : Path
        Folder of replies: those for the sample are kept there, so the build that follows does
        not pay for them again.
    method : {"sample", "offline"}
        Ask for 20 passages spread over the corpus, or for none.

    Raises
    ------
    RecipeError
        The recipe asks no language model.
    ModelError
        It does not answer, or no reply of the sample can be used.
    CorpusError, BudgetError
    """
    settings = recipe.language_model
    if settings is None or not recipe.extractor.startswith("llm"):
        asks = "without a model to ask" if settings is None else f"beside model {settings.name!r}"
        raise RecipeError(
            f"recipe {recipe.name!r}: extractor {recipe.extractor!r} {asks} costs nothing: set "
            'extractor = "llm" in the recipe, and name a model there or by --lm, to estimate'
        )
    passages = sorted(read_corpus(corpus, recipe.corpus, limit=limit), key=attrgetter("pid"))
    if not passages:
        raise CorpusError(f"{corpus}: holds no passage: there is nothing to estimate")
    if method == "offline":
        return _offline(passages, settings)
    sampled = spread(passages, N_SAMPLED)
    with open_language_model(settings, cache=cache, budget=budget) as model:
        from hippohover.indexing.triples.language_model import STAGE, LanguageModelTriples

        read = list(LanguageModelTriples(model, parallel=settings.parallel).extract(sampled))
        usage = model.ledger.by_stage().get(STAGE, Usage())
    if usage.n_cached and not usage.n_calls:
        raise UsageError(
            f"every reply for the sample is in {cache} already, so nothing was measured: use "
            "--estimate=offline, or another --out"
        )
    failures = [answer for answer in read if isinstance(answer, ExtractionFailure)]
    if len(failures) == len(sampled):
        raise ReplyError(
            f"no reply for the {len(sampled)} passages of the sample can be used ({failures[0]}): "
            "try another language model"
        )
    asked = (usage.n_calls + usage.n_cached) / max(usage.n_calls, 1)  # kept replies cost too
    scale = asked * len(passages) / len(sampled)
    return Estimate(
        method="sample",
        n_passages=len(passages),
        n_sampled=len(sampled),
        input_tokens=round(usage.input_tokens * scale),
        output_tokens=round(usage.output_tokens * scale),
        cost_usd=None if usage.n_unpriced else usage.cost_usd * scale,
        hours=usage.seconds * scale / settings.parallel / 3600,
        n_failed=len(failures),
    )


def spread(passages: Sequence[Passage], n: int) -> list[Passage]:
    """Return ``n`` passages at equal distances, or all of them if there are fewer."""
    if len(passages) <= n:
        return list(passages)
    return [passages[at * len(passages) // n] for at in range(n)]


def _offline(passages: Sequence[Passage], settings: LanguageModelSettings) -> Estimate:
    from hippohover.indexing.triples.language_model import prompt_chars
    from hippohover.language_model.client import cost_of

    text = sum(len(passage.title) + 1 + len(passage.text) for passage in passages) / _CHARS_A_TOKEN
    names = 0.25 * _OUTPUT_SHARE * text  # they are sent back with the second question
    n_in = round(2 * text + names + len(passages) * prompt_chars() / _CHARS_A_TOKEN)
    n_out = round(_OUTPUT_SHARE * text)
    hours = len(passages) * _OFFLINE_SECONDS / settings.parallel / 3600
    cost = cost_of(settings, n_in, n_out)
    return Estimate(
        method="offline",
        n_passages=len(passages),
        n_sampled=0,
        input_tokens=n_in,
        output_tokens=n_out,
        cost_usd=cost,
        hours=hours,
    )
