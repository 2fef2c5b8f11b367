"""What all programs share: a run with its budget, and the form of answers."""

import inspect
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, ClassVar, Final, TypeAlias, cast

import dspy

from hippohover.errors import BudgetError, ReplyError, UsageError
from hippohover.evaluation.hover import MAX_RETRIEVED_DOCS, format_document
from hippohover.language_model.any_model import AnyModel, configured, counted
from hippohover.language_model.client import LanguageModel
from hippohover.language_model.ledger import Usage
from hippohover.programs.any_retriever import default_engine
from hippohover.programs.module import AwaitedModule
from hippohover.records import RankedPassage
from hippohover.retrieval.walk.claim import MAX_CLAIM_CHARS, check_claim, check_count
from hippohover.sources.beside import BesideSources
from hippohover.sources.router import SourceRouter, SourceRun
from hippohover.sources.search_engine import SearchEngine

PASSAGES_SHOWN: Final = 12
WORDS_SHOWN: Final = 30
_MOST_SHOWN: Final = 100
_MOST_WORDS_SHOWN: Final = 1000
REQUESTS_A_REPLY: Final = 3
"""Requests that one reply takes, at most: DSPy asks again, in JSON, for one it cannot read."""
_LONGEST_TOLD: Final = 1000


class MissingEvidence(dspy.Signature):
    """Write search queries for the evidence that the documents lack.

    Name in each query what the missing document is about: a name that a document holds, or the
    words that the claim describes it by. When nothing is missing, answer with an empty list.
    """

    claim: str = dspy.InputField()
    documents: str = dspy.InputField(desc="Title and beginning of each document found so far")
    queries: list[str] = dspy.OutputField(desc="At most 2 short queries")


@dataclass(frozen=True, slots=True)
class Limits:
    """What a program may spend on one claim; exceeding it is an error of the run.

    Attributes
    ----------
    searches : int
    calls : int
        Requests that a language model answers. A reply in the wrong form costs another one.
    tokens : int or None
        In and out, as the server counts them; None is no limit.
    """

    searches: int
    calls: int = 0
    tokens: int | None = None


@dataclass
class Run:
    """The work on one claim: its searches and questions, within a budget.

    Attributes
    ----------
    engine : SearchEngine
    retriever : str
        Name of the retriever that searches.
    limits : Limits
        Exceeding any of them raises ``BudgetError``.
    queries : list of str
        Queries of the searches, in order.
    found : list of tuple of RankedPassage
        What each search found.
    usage : Usage
        Cost of the calls of a language model.
    fallbacks : int
        Number of replies that could not be used.
    notes : mapping of str to list of str
        What a step of the program leaves to later ones.
    encoding_failure : str
        Why words were compared though there is an encoder; "" where they were not.
    """

    engine: SearchEngine
    retriever: str
    limits: Limits
    queries: list[str] = field(default_factory=list[str])
    found: list[tuple[RankedPassage, ...]] = field(default_factory=list[tuple[RankedPassage, ...]])
    usage: Usage = field(default_factory=Usage)
    fallbacks: int = 0
    notes: defaultdict[str, list[str]] = field(
        default_factory=lambda: defaultdict[str, list[str]](list), repr=False
    )
    encoding_failure: str = ""
    _known: dict[tuple[str, int], tuple[RankedPassage, ...]] = field(
        default_factory=dict[tuple[str, int], tuple[RankedPassage, ...]], repr=False
    )

    @property
    def n_left(self) -> int:
        """Searches left."""
        return self.limits.searches - len(self.queries)

    @property
    def sources(self) -> SourceRun | None:
        """Report of the sources beyond the index; None without any."""
        return self.engine.sources if isinstance(self.engine, BesideSources) else None

    @property
    def n_answers(self) -> int:
        """Number of answered requests, from a cache or not."""
        return self.usage.n_calls + self.usage.n_cached

    def search(self, query: str, depth: int) -> tuple[RankedPassage, ...]:
        """Find passages for a query, best first; ``BudgetError`` when no search is left.

        If a query was searched before, to the same depth, the same passages are returned without a
        search. A blank query finds nothing.
        """
        query = plain_line(query)[:MAX_CLAIM_CHARS]
        if (passages := self._known.get((query, depth))) is not None:
            return passages
        if self.n_left < 1:
            raise BudgetError(
                f"a program starts search {len(self.queries) + 1}, but declared only "
                f"{self.limits.searches}: fix the program, or declare more"
            )
        self.queries.append(query)
        passages = self.engine.search(query, depth, self.retriever).passages if query else ()
        self.found.append(passages)
        self._known[query, depth] = passages
        return passages

    def search_new(self, queries: Sequence[str], depth: int) -> None:
        """Search for the queries that were not searched before."""
        for query in queries:
            if query not in self.queries:
                self.search(query, depth)

    @property
    def newest(self) -> list[RankedPassage]:
        """What the searches found, each passage once, those of the last search first."""
        return distinct(list(chain.from_iterable(reversed(self.found))))

    def spend(self, usage: Usage) -> None:
        """Add the cost of language-model calls; ``BudgetError`` when it exceeds the limits."""
        self.usage += usage
        for what, spent, cap in (
            ("calls", self.n_answers, self.limits.calls),
            ("tokens", self.usage.n_tokens, self.limits.tokens),
        ):
            if cap is not None and spent > cap:
                raise BudgetError(
                    f"a program used {spent:,} {what} for a claim, but declared only {cap:,}: fix "
                    "the program, or declare more"
                )

    @property
    def cost_usd(self) -> float | None:
        """Cost in US dollars; None when the price of any call is not known."""
        return self.usage.known_cost_usd

    def as_dict(self) -> dict[str, Any]:
        """Return what was done, ready for JSON."""
        return {
            "queries": self.queries,
            "n_searches": len(self.queries),
            "calls": self.n_answers,
            "input_tokens": self.usage.input_tokens,
            "output_tokens": self.usage.output_tokens,
            "cost_usd": self.cost_usd,
            "fallbacks": self.fallbacks,
            "sources": None if self.sources is None else self.sources.as_dict(),
        }


Step: TypeAlias = Callable[[str, Any], bool | None]
"""A claim and its run -> whether to go on; the run is of the program's ``run_type``."""


class HopProgram(AwaitedModule):
    """Base of the programs: a subclass has ``steps`` that search, and ranks what they find.

    ``save_program`` keeps each argument of a constructor by name, except those in
    ``settings.GIVEN``: it reads an attribute of that name. DSPy's own ``save`` keeps only prompts.

    Parameters
    ----------
    engine : SearchEngine, optional
        Open engine, or what ``over`` makes of a retriever; shared, not copied into the program's
        saved state. By default, the index that ``HIPPOHOVER_INDEX`` names, else the ``rm`` that
        DSPy is configured with.
    model : LanguageModel or dspy.BaseLM, optional
        Model to ask; by default that of ``dspy.context`` or ``dspy.configure``. A predictor's own
        model, from ``set_lm``, comes before both.
    retriever : str
        Retriever of the engine that searches.
    k : int
        Passages to return, 21 at most.
    n_shown, n_words : int
        Number of passages that a language model is shown at once, and of words of each.
    sources : SourceRouter, optional
        Sources beyond the index that each search also asks. None by default.

    Attributes
    ----------
    limits : Limits
        ``declared``, unless it is replaced.
    """

    name: ClassVar[str]
    """Names the program in commands, results and the ledger."""
    declared: ClassVar[Limits]
    """The most that it may use for a claim. Without calls it needs no language model."""
    run_type: ClassVar[type[Run]] = Run
    """What a run of it keeps."""

    def __init__(
        self,
        engine: SearchEngine | None = None,
        model: AnyModel | None = None,
        *,
        retriever: str = "bm25",
        k: int = MAX_RETRIEVED_DOCS,
        n_shown: int = PASSAGES_SHOWN,
        n_words: int = WORDS_SHOWN,
        sources: SourceRouter | None = None,
        **unknown: object,
    ) -> None:
        super().__init__()
        _refuse(type(self), unknown)
        check_count("k", k, MAX_RETRIEVED_DOCS, ", the most that is judged")
        check_count("n_shown", n_shown, _MOST_SHOWN)
        check_count("n_words", n_words, _MOST_WORDS_SHOWN)
        self.n_shown = n_shown
        self.n_words = n_words
        self.engine = default_engine() if engine is None else engine
        self.model = None if model is None else counted(model)
        self.retriever = retriever
        self.k = k
        self.sources = sources
        self.limits = self.declared

    def forward(self, claim: str) -> dspy.Prediction:
        """Find passages for one claim.

        Returns
        -------
        dspy.Prediction
            ``retrieved_docs``, ``"title | text"`` strings, best first; ``passages``, the same as
            ``RankedPassage``, with 1 / rank as their scores; their ``titles``; and ``run``, the
            ``Run`` that found them.

        Raises
        ------
        BudgetError
            A cap of the language model is reached, or the program used more than it declared.
        LanguageModelError
            It does not answer.
        UsageError
            The claim is no text or blank, or the program asks a language model, and there is none.
        """
        check_question(claim)
        run = self.begin()
        found = self.gather(claim, run)[: self.k]  # ranks and scores are of their searches
        passages = tuple(
            replace(one, rank=rank, score=1 / rank) for rank, one in enumerate(found, start=1)
        )
        documents = [format_document(one.title, one.text, one.heading) for one in passages]
        titles = [passage.title for passage in passages]
        return dspy.Prediction(retrieved_docs=documents, passages=passages, titles=titles, run=run)

    def begin(self) -> Run:
        """Begin a run for one claim."""
        sources = self.sources
        engine = self.engine if sources is None else BesideSources(self.engine, sources.run())
        return self.run_type(engine, self.retriever, self.limits)

    def gather(self, claim: str, run: Run) -> Sequence[RankedPassage]:
        """Gather passages for a claim, best first: take the steps, then rank."""
        self.take(self.steps(), claim, run)
        return self.ranked(claim, run)

    def steps(self) -> Sequence[Step]:
        """Return what is done for a claim, in order."""
        raise NotImplementedError

    def ranked(self, claim: str, run: Run) -> Sequence[RankedPassage]:
        """Return what the steps have found, best first."""
        raise NotImplementedError

    def take(self, steps: Sequence[Step], claim: str, run: Run) -> None:
        """Take steps in order, to one that returns False."""
        for step in steps:
            if step(claim, run) is False:
                return

    def asks(self) -> Mapping[str, int]:
        """Return how often each predictor is asked for a claim, at most, if all replies fit."""
        return {}

    def ask(self, run: Run, predict: dspy.Module, /, **inputs: Any) -> Any:  # noqa: ANN401
        """Ask the language model; None, a fallback, where its reply has the wrong form."""
        answer, usage = None, Usage()
        model = self.asked(predict)
        try:
            with model.asking(self.name) as asking:
                try:
                    answer = predict(lm=model.lm, **inputs)
                finally:
                    usage = asking.usage
                asking.keep()
        except ReplyError:
            run.fallbacks += 1
        run.spend(usage)
        return answer

    def read(
        self,
        run: Run,
        predict: dspy.Predict,
        claim: str,
        documents: Sequence[RankedPassage] = (),
        /,
        **most: int,
    ) -> Any:  # noqa: ANN401
        """Ask, and note the texts in some fields of the reply, so many of each at most.

        Inputs are the claim, the documents, and what was noted before under an input's name.
        """
        known = {"claim": claim, "documents": self.shown(documents)}
        wanted: Mapping[str, object] = cast("Any", predict).signature.input_fields
        inputs = {name: known[name] if name in known else run.notes[name] for name in wanted}
        answer = self.ask(run, predict, **inputs)
        for name, n in most.items():
            run.notes[name] = clean([*run.notes[name], *clean(getattr(answer, name, None), n)], n)
        return answer

    def shown(self, passages: Sequence[RankedPassage]) -> str:
        """Show the first ``n_shown`` passages: a line for each, title and first ``n_words``."""
        lines: list[str] = []
        for number, passage in enumerate(passages[: self.n_shown], start=1):
            words = " ".join(passage.text.split()[: self.n_words])
            lines.append(f"[{number}] {format_document(passage.title, words, passage.heading)}")
        return "\n".join(lines)

    def asked(self, predict: dspy.Module | None = None) -> LanguageModel:
        """Return the language model to ask: the predictor's, else the program's, else DSPy's.

        ``UsageError`` where there is none.
        """
        own: AnyModel | None = predict.predictors()[0].lm if predict is not None else None
        if (model := counted(own) if own is not None else self.model or configured()) is None:
            raise UsageError(
                f"{self.name} asks a language model: name one with --lm (in Python: model=, or "
                "dspy.configure(lm=dspy.LM(...)))"
            )
        return model


def check_question(text: object) -> None:
    """Refuse what is no text, or blank; a program cuts and cleans a text itself."""
    if not isinstance(text, str) or not text.strip():
        check_claim(text)


def _refuse(kind: type[HopProgram], unknown: Mapping[str, object]) -> None:
    """Refuse arguments that a program does not have, with those that it has."""
    if unknown:
        known = ", ".join(sorted(keyword_parameters(kind)))
        raise UsageError(f"{kind.name} has no option {next(iter(unknown))!r}: give {known}")


def keyword_parameters(kind: type[HopProgram]) -> dict[str, inspect.Parameter]:
    """Return the arguments of a program's constructors that are given by name.

    A default of a subclass comes before one of its base.
    """
    found: dict[str, inspect.Parameter] = {}
    for one in kind.__mro__:
        if issubclass(one, HopProgram):
            for name, parameter in inspect.signature(one.__init__).parameters.items():
                if parameter.kind is parameter.KEYWORD_ONLY:
                    found.setdefault(name, parameter)
    return found


def distinct(passages: Sequence[RankedPassage]) -> list[RankedPassage]:
    """Return passages in order, each once."""
    first: dict[str, RankedPassage] = {}
    for passage in passages:
        first.setdefault(passage.pid, passage)
    return list(first.values())


def plain_line(text: str) -> str:
    """Put a text on one line, without the lone surrogates that no passage holds."""
    return " ".join(text.encode("utf-8", "ignore").decode().split())


def told(reply: object) -> str:
    """Put a reply's text on one line, cut to 1,000 characters; empty without one."""
    return plain_line(reply)[:_LONGEST_TOLD] if isinstance(reply, str) else ""


def clean(texts: object, most: int) -> list[str]:
    """Clean a reply's texts as ``told``: distinct, none blank, at most so many."""
    listed = texts if isinstance(texts, list) else []
    plain = [told(text) for text in listed]
    return list(dict.fromkeys(text for text in plain if text))[:most]
