"""The commands ``verify`` and ``answer``."""

import json
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, cast

import typer

from hippohover.cli.model import ModelOptions, NeededModel, note_usage, opened_engine
from hippohover.cli.options import (
    PROGRAMS,
    Json,
    Sources,
    argument,
    need_one,
    one_of,
    option,
)
from hippohover.cli.output import (
    check_can_write,
    console,
    counted,
    note,
    plain,
    print_json,
    progress,
    shortened,
)
from hippohover.cli.settings import Overrides, Scoring, note_failures, opened_sources
from hippohover.cli.which_index import OfIndex
from hippohover.errors import UsageError
from hippohover.retrieval.registry import retriever_names

if TYPE_CHECKING:
    from hippohover.language_model.client import LanguageModel
    from hippohover.verification.aggregator import LearnedAggregator, RuleAggregator
    from hippohover.verification.judge.learned import LearnedJudge
    from hippohover.verification.nli import NliJudge
    from hippohover.verification.payloads import ClaimDecision, MarkedWords
    from hippohover.verification.result import Verification
    from hippohover.verification.verifier import Retrieve, Verifier

_STYLES = {
    "Supported": "bold green",
    "Contradictory": "bold red",
    "Low Confidence": "bold yellow",
    "No Claim": "dim",
}
_MARKS = {"held": ("✓", ""), "not said": ("?", "yellow"), "contradicted": ("✗", "red strike")}
_EVIDENCE_SHOWN = 3
_TEXT_SHOWN = 160
_MOST_BYTES = 4 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """What judges claims, and where evidence is found."""

    SECTION: ClassVar = "Judging"

    nli: str | None = option(
        None, "NLI model of Hugging Face, by folder or from the local cache; else --lm judges."
    )
    rules: Path | None = option(None, "TOML file of rules, instead of those that ship.")
    aggregator: str | None = option(
        None, "What decides: learned, rules (with --rules), or a file of `tune-verifier`."
    )
    overrides: Overrides
    source: Sources = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verifying(Judging):
    """How texts are verified, and with which retriever or program evidence is found."""

    retriever: str = option(
        "ppr",
        f"Retriever that finds evidence: {', '.join(retriever_names())}; or a program.",
        callback=one_of(
            *PROGRAMS,
            or_file=True,
            or_retriever=True,
            said=f"name a retriever ({{retrievers}}), a program ({', '.join(PROGRAMS)})",
        ),
    )
    contradicted: str = option(
        "suppress",
        "What to do with a contradicted claim in the final text: suppress or warn.",
        callback=one_of("suppress", "warn"),
    )
    split: str = option(
        "sentences",
        "How a text is split: sentences, model, or whole for one claim.",
        callback=one_of("sentences", "model", "whole"),
    )
    scoring: Scoring


def print_rates(asked: bool) -> None:
    """Print the rates and end the command, if they were asked for."""
    if not asked:
        return
    from rich.table import Table

    from hippohover.verification import rates

    table = Table(*rates.HEADER, box=None, padding=(0, 2, 1, 0))
    for line in rates.lines(rates.read()):
        table.add_row(*line)
    console().print(table)
    raise typer.Exit


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenText(OfIndex):
    """A text to verify, typed or in a file."""

    claim: str | None = argument(None, "A text, verified sentence by sentence.")
    draft: Path | None = option(None, "Text file to verify; - is stdin.")
    explain_rates: bool = option(
        False,
        "Print how often verdicts were wrong on labelled sets, and true claims supported.",
        "--explain-rates",
        callback=print_rates,
        is_eager=True,
    )

    def __post_init__(self) -> None:
        """Refuse both a text and a file, and neither."""
        draft = self.draft
        claim = self.named(self.claim, is_whole=draft is not None)
        object.__setattr__(self, "claim", claim)
        need_one(
            "a text", "--draft FILE", has_first=claim is not None, has_second=draft is not None
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What is printed of a verification."""

    signals: bool = option(False, "Show every raw signal of each claim.", "--signals")
    as_json: Json = False

    @property
    def all_signals(self) -> bool:
        """Whether to print signals that perhaps no rule has read."""
        return self.as_json or self.signals


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafting(OfIndex):
    """A question that a model answers."""

    question: str | None = argument(None, "A question, in words.")
    samples: int = option(
        0, "Draft this many further answers, to check consistency.", metavar="N", min=0, max=10
    )
    cite_eval: Path | None = option(
        None, "Write the cited answer to this file, in CiteEval's format."
    )

    def __post_init__(self) -> None:
        """Refuse to answer nothing."""
        question = self.named(self.question, is_whole=False)
        if question is None:
            raise typer.BadParameter("give a question, in words")
        object.__setattr__(self, "question", question)


def verify_text(given: GivenText, how: Verifying, shown: Shown, model: ModelOptions) -> None:
    """Check claims against the index. Says which it supports, by which evidence and why.

    Example:  hippohover verify index/mine "The director of Lantern Hill was born in Vessby."
    """
    text = given.claim or "" if given.draft is None else read_draft(given.draft)
    opened = _opened(given.index, how, model, all_signals=shown.all_signals)
    with opened as (verifier, asked, _):
        from hippohover.verification.verifier import Draft

        whole = how.split == "whole"
        verification = verifier.verify_claim(text) if whole else verifier.verify(Draft(text))
        note_usage(asked)
    _print(verification, shown, final=given.draft is not None or len(verification.claims) > 1)


def answer_question(drafting: Drafting, how: Verifying, shown: Shown, model: NeededModel) -> None:
    """Answer a question with a language model. It sees what is found; its answer is verified.

    Example:  hippohover answer index/mine "Where was the director of Lantern Hill born?" --lm NAME
    """
    if drafting.cite_eval is not None:
        check_can_write(drafting.cite_eval)
    opened = _opened(drafting.index, how, model, all_signals=shown.all_signals)
    with opened as (verifier, asked, retrieve):
        assert asked is not None  # noqa: S101  (--lm is required)
        from hippohover.verification.answer import write_draft

        draft = write_draft(
            verifier.engine,
            asked,
            drafting.question or "",
            retrieve=retrieve,
            retriever=how.retriever,
            n_samples=drafting.samples,
        )
        verification = verifier.verify(draft)
        note_usage(asked)
    if drafting.cite_eval is not None:
        write_cite_eval(drafting.cite_eval, verification)
    _print(verification, shown, final=True)


def write_cite_eval(path: Path, verification: "Verification") -> None:
    """Write the cited answer in the form that CiteEval evaluates: an array of one example."""
    from hippohover.disk.text_files import write_whole
    from hippohover.verification.citations import cite_eval_example

    query = verification.query
    example = cite_eval_example(query.id, query.text, verification.formatted)
    text = json.dumps([example.model_dump(mode="json")], indent=1, ensure_ascii=False)
    write_whole(path, f"{text}\n".encode())


def deciding(
    how: Judging,
) -> "tuple[RuleAggregator | LearnedAggregator, LearnedJudge | None]":
    """Return what decides, by name, and the judge of a file; None for the shipped one."""
    from hippohover.verification.aggregator import LearnedAggregator, RuleAggregator, Rules
    from hippohover.verification.judge.learned import LearnedJudge, Weights

    name, rules = how.aggregator, how.rules
    by_rules = RuleAggregator(Rules.read(rules))
    if name == "rules" or (name is None and rules is not None):
        return by_rules, None
    if name is None or name == "learned":
        return LearnedAggregator(by_rules), None
    if not Path(name).is_file():
        raise UsageError(
            f"--aggregator {name}: is not a file: name learned or rules, or write that file with "
            f"`hippohover tune-verifier INDEX CLAIMS --out {name}`"
        )
    return LearnedAggregator(by_rules), LearnedJudge(Weights.read(Path(name)))


def read_draft(path: Path) -> str:
    """Read a draft; "-" is stdin. ``UsageError`` if it is not text, or far too long."""
    from hippohover.verification.claims import MAX_DRAFT_CHARS

    try:
        if str(path) == "-":
            content = sys.stdin.buffer.read(_MOST_BYTES + 1)
        else:
            with path.open("rb") as file:
                content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:  # not decoded: it may be cut within a character
            raise _too_long(path)
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}): check the path") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: is not UTF-8 text: save it as UTF-8") from error
    if len(text) > MAX_DRAFT_CHARS:
        raise _too_long(path)
    return text


def _too_long(path: Path) -> UsageError:
    from hippohover.verification.claims import MAX_DRAFT_CHARS

    return UsageError(
        f"{path}: the draft has more than {MAX_DRAFT_CHARS:,} characters: give at most that many, "
        "in parts"
    )


@contextmanager
def _opened(
    index: Path, how: Verifying, model: ModelOptions, *, all_signals: bool
) -> Generator[tuple["Verifier", "LanguageModel | None", "Retrieve"]]:
    from hippohover.programs.by_name import PROGRAMS, WithPrograms
    from hippohover.programs.saved import named_program
    from hippohover.sources.beside import WithSources
    from hippohover.verification.signals import SIGNALS
    from hippohover.verification.verifier import Verifier

    aggregator, learned = deciding(how)
    read = SIGNALS.keys() if all_signals else aggregator.signals
    judge = opened_judge(how.nli)
    sources = opened_sources(how.source)
    with (
        progress() as report,
        opened_engine(index, model, report, how.overrides, filters=False) as (engine, asked),
    ):
        retrieve: Retrieve = engine.retrieve
        if sources is not None:
            retrieve = WithSources(engine, sources).retrieve
        if how.retriever in PROGRAMS or how.retriever.endswith(".json"):
            program = named_program(
                how.retriever, engine, asked, sources=sources, scorer=how.scoring.scorer(asked)
            )
            retrieve = WithPrograms(engine, {how.retriever: program}).retrieve
        yield (
            Verifier(
                engine,
                nli=judge or judging_model(asked),
                judge=learned,
                all_scores=all_signals,
                aggregator=aggregator,
                signals={name: signal for name, signal in SIGNALS.items() if name in read},
                retrieve=retrieve,
                retriever=how.retriever,
                contradicted=cast("Literal['suppress', 'warn']", how.contradicted),
                split=_splitter(how, asked),
            ),
            asked,
            retrieve,
        )
    note_failures(sources)


def opened_judge(name: str | None) -> "NliJudge | None":
    """Open the Hugging Face model of that name, if there is one."""
    if name is None:
        return None
    from hippohover.verification.nli import HuggingFaceNli

    return HuggingFaceNli(name)


def judging_model(model: "LanguageModel | None") -> "NliJudge | None":
    """Return the language model as a judge, if there is one."""
    if model is None:
        return None
    from hippohover.verification.judging import LanguageModelNli

    return LanguageModelNli(model)


def _splitter(
    how: Verifying, model: "LanguageModel | None"
) -> "Callable[[str], Sequence[str]] | None":
    if how.split != "model":
        return None
    if model is None:
        raise UsageError("--split model needs a language model: name one with --lm")
    from hippohover.verification.judging import parts_by_model

    def split(text: str) -> Sequence[str]:
        return parts_by_model(model, text)

    return split


def _print(verification: "Verification", shown: Shown, *, final: bool) -> None:
    if verification.failure:
        note(f"a model failed; what was done before is shown: {verification.failure}")
    if shown.as_json:
        print_json(verification.as_dict())
        return
    from rich.padding import Padding
    from rich.text import Text

    screen = console()
    for number, decision in enumerate(verification.answer.claims):
        claim = verification.claims[number]
        head = _badge(decision)
        head.append(f"  {plain(claim.text)}")
        rationale = Text(plain(decision.rationale), style="dim")
        if decision.status == "No Claim":
            screen.print(Text("  ").join([head, rationale]))
            continue
        screen.print(head)
        _print_marks(verification.marks[claim.claim_id])
        screen.print(Padding(rationale, (0, 0, 0, 4), expand=False))
        for span in verification.pairs[number].evidence_spans[:_EVIDENCE_SHOWN]:
            line = Text(f"{plain(verification.citations[span.doc_id])}: ", style="bold")
            line.append(shortened(span.text, _TEXT_SHOWN), style="not bold")
            screen.print(Padding(line, (0, 0, 0, 4), expand=False))
        if shown.signals:
            _print_signals(verification, number)
    stats = verification.answer.summary_stats
    if final and stats.supported_high + stats.supported_low + stats.contradicted:
        screen.print("\nFinal response", style="bold")
        screen.print(Text(plain(verification.final_response) or "(nothing is left)"))
        cited = zip(verification.sources, verification.formatted.passages, strict=True)
        for number, (source, passage) in enumerate(cited, start=1):
            told = f"[{number}] {plain(source)}: {passage.text}"
            screen.print(Text(shortened(told, _TEXT_SHOWN), style="dim"))
    if stats.claims_total > stats.no_claim or stats.no_claim > 1:
        screen.print(", ".join(_counts(verification)), style="dim")


def _counts(verification: "Verification") -> list[str]:
    """Count the claims by verdict, and what is no claim by what it is."""
    from hippohover.language.claim_kinds import QUESTION

    stats = verification.answer.summary_stats
    n_claims = stats.claims_total - stats.no_claim
    n_questions = sum(one.rationale == QUESTION for one in verification.answer.claims)
    n_others = stats.no_claim - n_questions
    verdicts = [
        counted(n_claims, "claim"),
        f"{stats.supported_high + stats.supported_low} supported",
        f"{stats.insufficient} of low confidence",
        f"{stats.contradicted} contradicted",
    ]
    return [
        *(verdicts if n_claims else ["no claim"]),
        *([counted(n_questions, "question")] if n_questions else []),
        *([f"{counted(n_others, 'sentence')} without a claim"] if n_others else []),
    ]


def _badge(decision: "ClaimDecision"):  # noqa: ANN202  (rich is imported late)
    from rich.text import Text

    sure = {
        "Supported": f" {decision.confidence.overall_confidence:.2f}",
        "Contradictory": f" {decision.confidence.contradict_prob:.2f}",
    }
    told = f"{decision.status}{sure.get(decision.status, '')}"
    return Text(f"[{told}]", style=_STYLES[decision.status])


def _print_marks(marks: "Sequence[MarkedWords]") -> None:
    """Print a claim's words with signs, if not all of them are held, and what is said instead."""
    from rich.padding import Padding
    from rich.text import Text

    if all(one.mark == "held" for one in marks):
        return
    line = Text()
    for one in marks:
        sign, style = _MARKS[one.mark]
        line.append(f"{sign} {plain(one.text)}", style)
        instead = f"the evidence: {plain(one.said)}" if one.said else one.mark
        line.append("  " if one.mark == "held" else f" ({instead})  ", "dim")
    console().print(Padding(line, (0, 0, 0, 4), expand=False))


def _print_signals(verification: "Verification", number: int) -> None:
    """Print every raw signal of a claim, or why there is none."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2), show_header=False)
    for name, reading in verification.verified_claims[number].confidence_breakdown.items():
        value = reading["value"]
        told = f"{value:.3f}" if isinstance(value, float) else "-"
        table.add_row("", name, told, Text(plain(str(reading["reason"] or "")), style="dim"))
    console().print(table)
