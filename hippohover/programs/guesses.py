"""Questions that make a model guess, and what is read from its replies: hypotheses and queries."""

from collections.abc import Mapping, Sequence
from typing import Final

import dspy
import numpy as np
from pydantic import BaseModel, Field

from hippohover.errors import UsageError
from hippohover.names.sentences import sentence_spans
from hippohover.programs.evidence_scoring import overlaps
from hippohover.programs.hop_program import clean, plain_line, told
from hippohover.programs.hypothesis_run import Intent
from hippohover.records import RankedPassage

N_HYPOTHESES: Final = 4
MAX_QUERIES: Final = 10
_LONGEST_SHOWN: Final = 80


class HypothesisGenerator(dspy.Signature):
    """Guess what the evidence will say: different answers or readings, each as one statement.

    Each statement names what it is about, so that it can be searched for, and could be true.
    """

    claim: str = dspy.InputField(desc="A claim to check, or a question")
    documents: str = dspy.InputField(desc="Title and beginning of each document found so far")
    hypotheses: list[str] = dspy.OutputField(desc="4 statements")


class FurtherHypotheses(HypothesisGenerator):
    """Guess further what the evidence will say: answers or readings other than those known.

    Each statement names what it is about, so that it can be searched for, and could be true.
    """

    known: list[str] = dspy.InputField(desc="Statements that were guessed already")


class ChoiceHypotheses(dspy.Signature):
    """For each choice write one sentence that says why it is right, the choice in it verbatim."""

    question: str = dspy.InputField()
    choices: list[str] = dspy.InputField()
    hypotheses: list[str] = dspy.OutputField(desc="One sentence a choice, in their order")


class ChoiceScores(dspy.Signature):
    """Say how likely each choice is to be right, from 0 to 100, by the documents and by itself."""

    question: str = dspy.InputField()
    choices: list[str] = dspy.InputField()
    documents: str = dspy.InputField(desc="Title and beginning of each document found so far")
    scores: list[int] = dspy.OutputField(desc="One whole number a choice, in their order")


class HypothesisQuery(BaseModel):
    """A search query that would confirm or falsify a hypothesis."""

    hypothesis: int = Field(description="Number of the hypothesis, from 1")
    intent: Intent
    query: str = Field(description="Names and words that the evidence would hold")


class HypothesisQueries(dspy.Signature):
    """For each hypothesis write 2 or 3 short search queries: to confirm it, and to falsify it."""

    claim: str = dspy.InputField()
    hypotheses: list[str] = dspy.InputField()
    queries: list[HypothesisQuery] = dspy.OutputField(desc="At most 10 in all")


def check_choices(choices: Sequence[str]) -> None:
    """Refuse choices that could not be told apart, or not all be searched for."""
    if (n := len(choices)) > MAX_QUERIES:
        raise UsageError(f"{n} choices: give {MAX_QUERIES} or fewer, as each needs its own query")
    for choice in choices:
        if not isinstance(choice, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise UsageError(f"a choice is of type {type(choice).__name__}: give texts")
    plain = [plain_line(choice) for choice in choices]
    for at, choice in enumerate(plain):
        if not choice:
            raise UsageError(f"choice {at + 1} is blank: give each choice a text")
        if (first := plain.index(choice)) < at:
            raise UsageError(
                f"choices {first + 1} and {at + 1} are both {choice[:_LONGEST_SHOWN]!r}: give "
                "each choice once"
            )


def other_guesses(written: list[str] | None, grounded: str) -> list[str]:
    """Return guesses that differ from the evidence's statement, three at most."""
    guesses = clean(written, 2 * N_HYPOTHESES)
    return [guess for guess in guesses if guess != grounded][: N_HYPOTHESES - 1]


def shared_out(
    written: Sequence[HypothesisQuery], hypotheses: Sequence[str], choices: Sequence[str] = ()
) -> list[tuple[int, Intent, str]]:
    """Return (hypothesis from 0, intent, query), at most three each and ten in all.

    They are assigned in turn: each hypothesis gets its first confirming query, then each its
    first falsifying one, then the rest. A hypothesis without a confirming query is used as one
    itself; only the model can write a falsifying one. Each query for a choice contains the
    choice, word for word.
    """
    queries: list[dict[Intent, list[str]]] = [{"confirm": [], "falsify": []} for _ in hypotheses]
    for one in written:
        if 0 < one.hypothesis <= len(hypotheses) and (query := told(one.query)):
            queries[one.hypothesis - 1][one.intent].append(query)
    built: list[tuple[int, int, Intent, str]] = []  # the first number is whose turn it is
    for at, of_one in enumerate(queries):
        of_one["confirm"] = of_one["confirm"] or [hypotheses[at]]
        choice = choices[at] if choices else ""
        for turn, (intent, query) in enumerate(_alternating(of_one)[:3]):
            whole = query if choice in query else f"{choice} {query}"
            built.append((turn, at, intent, whole))
    built.sort(key=lambda one: one[0])
    return [(at, intent, query) for _, at, intent, query in built[:MAX_QUERIES]]


def _alternating(queries: Mapping[Intent, Sequence[str]]) -> list[tuple[Intent, str]]:
    """Alternate confirming and falsifying queries, confirming first."""
    intents: tuple[Intent, Intent] = ("confirm", "falsify")
    most = max(len(queries[intent]) for intent in intents)
    return [
        (intent, query)
        for number in range(most)
        for intent in intents
        for query in queries[intent][number : number + 1]
    ]


def most_supported_statement(passages: Sequence[RankedPassage]) -> str:
    """Return the first sentence of one of the ten best passages; "" where none has a text.

    That is the first sentence of the most cited passage, if passages have a ``citation_count``;
    else that of the passage whose first sentence has words that occur most in the others.
    """
    best = [passage for passage in passages[:10] if passage.text.strip()]
    texts = [passage.text for passage in best]
    statements = [text[slice(*sentence_spans(text)[0])].strip() for text in texts]
    if not statements:
        return ""
    cited = [_times_cited(passage) for passage in best]
    if max(cited) > 0:
        return statements[cited.index(max(cited))]
    shared = overlaps(texts, statements)
    np.fill_diagonal(shared, 0.0)
    return statements[int(np.argmax(shared.sum(axis=0)))]


def _times_cited(passage: RankedPassage) -> float:
    told_count = passage.metadata.get("citation_count")
    return told_count if isinstance(told_count, int | float) else 0
