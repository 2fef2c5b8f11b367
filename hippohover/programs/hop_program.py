"""What programs that search several times share: a run with its budget, the form of answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol

import dspy

from hippohover.errors import BudgetError, ReplyError, UsageError
from hippohover.evaluation.evaluate import RetrievalEngine
from hippohover.evaluation.hover import MAX_RETRIEVED_DOCS, format_document
from hippohover.language_model.ledger import Usage
from hippohover.records import RankedPassage

if TYPE_CHECKING:
    from hippohover.language_model.client import LanguageModel

MAX_PASSAGES_SHOWN: Final = 12
MAX_WORDS_SHOWN: Final = 30
_LONGEST_QUERY: Final = 1000


class SearchEngine(RetrievalEngine, Protocol):
    """What programs ask of an engine."""

    @property
    def n_passages(self) -> int:
        """Number of passages of the index."""
        ...

    def names_in(self, text: str) -> Mapping[str, int]:
        """Names of passages that a text holds, and how many passages hold each."""
        ...

    def linked(self, pid: str, n: int = 5) -> tuple[RankedPassage, ...]:
        """The passages best linked with one."""
        ...


@dataclass
class Run:
    """One claim on its way through a program: what was searched and asked, within a budget.

    Attributes
    ----------
    engine : SearchEngine
    retriever : str
        Name of the retriever that searches.
    max_searches : int
        A further search raises ``BudgetError``.
    queries : list of str
        Queries of the searches, in order.
    found : list of tuple of RankedPassage
        What each search found.
    usage : Usage
        What language-model calls took.
    fallbacks : int
        Replies that could not be used, and were done without.
    """

    engine: SearchEngine
    retriever: str
    max_searches: int
    queries: list[str] = field(default_factory=list[str])
    found: list[tuple[RankedPassage, ...]] = field(default_factory=list[tuple[RankedPassage, ...]])
    usage: Usage = field(default_factory=Usage)
    fallbacks: int = 0

    @property
    def n_left(self) -> int:
        """Searches that may still be made."""
        return self.max_searches - len(self.queries)

    def search(self, query: str, depth: int) -> tuple[RankedPassage, ...]:
        """Passages for a query, best first; ``BudgetError`` when no search is left.

        What a language model wrote is cut to 1,000 characters that a text may hold; nothing is
        found for a query of which nothing is left.
        """
        if self.n_left < 1:
            raise BudgetError(
                f"a program wants search {len(self.queries) + 1}, and declared "
                f"{self.max_searches}: mend the program, or declare more"
            )
        query = plain_line(query)[:_LONGEST_QUERY]
        self.queries.append(query)
        passages = self.engine.search(query, depth, self.retriever).passages if query else ()
        self.found.append(passages)
        return passages


class HopProgram(dspy.Module):
    """Base of the programs: subclasses say in ``gather`` which passages they find for a claim.

    Parameters
    ----------
    engine : SearchEngine
        Open engine; shared, not copied into the program's saved state.
    model : LanguageModel, optional
        Who is asked; programs that ask need one.
    retriever : str
        Retriever of the engine that searches.
    k : int
        Passages to return, 21 at most.
    """

    name: ClassVar[str]
    """Names the program in commands, results and the ledger."""
    max_searches: ClassVar[int]
    """Searches that it makes for a claim, at most."""
    run_type: ClassVar[type[Run]] = Run
    """What a run of it keeps."""
    asks: ClassVar[bool] = True
    """Whether it needs a language model."""

    def __init__(
        self,
        engine: SearchEngine,
        model: "LanguageModel | None" = None,
        *,
        retriever: str = "bm25",
        k: int = MAX_RETRIEVED_DOCS,
    ) -> None:
        super().__init__()
        if not 1 <= k <= MAX_RETRIEVED_DOCS:
            raise UsageError(f"k is {k}: give 1 to {MAX_RETRIEVED_DOCS}, the most that is judged")
        if self.asks and model is None:
            raise UsageError(f"{self.name} asks a language model: name one")
        self.engine = engine
        self.model = model
        self.retriever = retriever
        self.k = k

    def forward(self, claim: str) -> dspy.Prediction:
        """Passages for one claim.

        Returns
        -------
        dspy.Prediction
            ``retrieved_docs``, ``"title | text"`` strings, best first; ``passages``, the same as
            ``RankedPassage``; and ``run``, the ``Run`` that found them.

        Raises
        ------
        BudgetError
            A cap of the language model is reached.
        LanguageModelError
            It does not answer.
        """
        run = self.run_type(self.engine, self.retriever, self.max_searches)
        passages = tuple(self.gather(claim, run)[: self.k])
        documents = [format_document(passage.title, passage.text) for passage in passages]
        return dspy.Prediction(retrieved_docs=documents, passages=passages, run=run)

    def gather(self, claim: str, run: Run) -> Sequence[RankedPassage]:
        """Passages for a claim, best first."""
        raise NotImplementedError

    def ask(self, run: Run, predict: dspy.Predict, /, **inputs: Any) -> Any:  # noqa: ANN401
        """Answer of the language model, or None where its reply has another form: a fallback."""
        assert self.model is not None  # noqa: S101  (checked when the program was made)
        usage = Usage()
        try:
            with self.model.asking(self.name) as asking:
                try:
                    answer = predict(**inputs)
                finally:
                    usage = asking.usage
                asking.keep()
        except ReplyError:
            run.fallbacks += 1
            return None
        finally:
            run.usage += usage
        return answer

    def ask_scores(
        self,
        run: Run,
        predict: dspy.Predict,
        passages: Sequence[RankedPassage],
        **inputs: Any,  # noqa: ANN401
    ) -> list[int]:
        """A score of each passage that is shown, in one call; none, a fallback, if they misfit."""
        asked = passages[:MAX_PASSAGES_SHOWN]
        answer = self.ask(run, predict, documents=shown(asked), **inputs)
        scores: list[int] = getattr(answer, "scores", None) or []
        if len(scores) == len(asked):
            return scores
        run.fallbacks += answer is not None
        return []


class ProgramPipeline(dspy.Module):
    """A program with its retriever: each program's file has one, named as LangProBe runs it.

    Parameters
    ----------
    engine : SearchEngine
    model : LanguageModel
    retriever : str
        Stands where the sources have ColBERTv2.
    """

    program_type: ClassVar[type[HopProgram]]

    def __init__(
        self, engine: SearchEngine, model: "LanguageModel", retriever: str = "hybrid"
    ) -> None:
        super().__init__()
        self.program = self.program_type(engine, model, retriever=retriever)

    def forward(self, claim: str) -> dspy.Prediction:
        """As ``HopProgram``."""
        return self.program(claim=claim)


def distinct(passages: Sequence[RankedPassage]) -> list[RankedPassage]:
    """Passages in order, each once."""
    first: dict[str, RankedPassage] = {}
    for passage in passages:
        first.setdefault(passage.pid, passage)
    return list(first.values())


def shown(passages: Sequence[RankedPassage]) -> str:
    """Passages as a language model reads them: a line each of the first 12, title and 30 words."""
    lines = [
        f"[{number}] {passage.title} | {' '.join(passage.text.split()[:MAX_WORDS_SHOWN])}"
        for number, passage in enumerate(passages[:MAX_PASSAGES_SHOWN], start=1)
    ]
    return "\n".join(lines)


def plain_line(text: str) -> str:
    """A text of a reply on one line, without the lone surrogates that no passage holds."""
    return " ".join(text.encode("utf-8", "ignore").decode().split())


def clean(texts: object, most: int) -> list[str]:
    """Texts of a reply: distinct, on one line, none blank, at most so many."""
    listed = texts if isinstance(texts, list) else []
    plain = [plain_line(text) for text in listed if isinstance(text, str)]
    return list(dict.fromkeys(text for text in plain if text))[:most]
