"""How claims are answered, and passages explained."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import typer

from hippohover.cli.options import (
    MOST_PASSAGES,
    ClaimColumn,
    Json,
    Sources,
    a_retriever,
    argument,
    need_one,
    option,
    within_answer,
)
from hippohover.cli.settings import SetOverrides
from hippohover.retrieval.registry import RETRIEVERS


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Which passages may be answers."""

    where: list[str] | None = option(
        None,
        "Which passages may be answers: FIELD=VALUE, FIELD^=PREFIX, FIELD@FILE, or "
        "FIELD>=BOUND (<=, >, <); all conditions must hold.",
        metavar="CONDITION",
    )
    scope: Literal["answers", "walk"] | None = option(
        None,
        "What --where limits: answers (default), or walk: other passages are then not used at all.",
        show_default=False,
    )

    def __post_init__(self) -> None:
        """Refuse a scope of nothing."""
        if self.scope and not self.where:
            raise typer.BadParameter("--scope says what --where limits: give --where too")

    def parsed(self) -> dict[str, Any]:
        """Return the arguments ``where`` and ``scope`` of the library's functions."""
        from hippohover.retrieval.where import Condition

        conditions = [Condition.parse(text) for text in self.where or ()]
        return {"where": conditions, "scope": self.scope or "answers"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """How a claim is answered."""

    k: int = option(MOST_PASSAGES, f"Passages, 1 to {MOST_PASSAGES}.", "-k", callback=within_answer)
    retriever: str = option("ppr", f"One of {', '.join(RETRIEVERS)}.", callback=a_retriever)
    bounds: Bounds
    overrides: SetOverrides
    source: Sources = None

    def __post_init__(self) -> None:
        """Refuse bounds of what a source finds."""
        if self.source and self.bounds.where:
            raise typer.BadParameter(
                "--where applies only to passages of the index: leave --source out"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A claim or a file of claims to answer, and how and where answers are shown."""

    claim: str | None = argument(None, "A claim or a question, in words.")
    file: Path | None = option(
        None, "Many claims: JSON, CSV, TSV, TREC topics, or text, one claim per line; - is stdin."
    )
    claim_column: ClaimColumn = None
    out: Path | None = option(
        None, "With --file: write the answers here, as JSON lines, not to stdout."
    )

    trace: bool = option(False, "Show the candidate facts and which were used.", "--trace")
    as_json: Json = False

    def __post_init__(self) -> None:
        """Refuse both a claim and a file, neither, and what goes with the other one."""
        claim, file = self.claim, self.file
        need_one(
            "a claim", "--file CLAIMS", has_first=claim is not None, has_second=file is not None
        )
        if claim == "-":
            raise typer.BadParameter(
                "- is not a claim: use --file - to read claims from standard input"
            )
        if self.out is not None and file is None:
            raise typer.BadParameter("--out goes with --file; for one claim use --json")
        if self.claim_column is not None and file is None:
            raise typer.BadParameter("--claim-column goes with --file")


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageExplained:
    """Which passage of which answer is explained, and where its paths are drawn."""

    claim: str = argument(..., "A claim or a question, in words.")
    title: str | None = option(None, "Title of the passage.")
    pid: str | None = option(None, "Id of the passage, if titles are hidden.")
    png: Path | None = option(None, "Draw the paths into a .png, .svg or .pdf file.")
    html: Path | None = option(None, "Write the paths as an HTML page, drawn and in words.")
    as_json: Json = False

    def __post_init__(self) -> None:
        """Refuse both names of a passage, and neither."""
        title, pid = self.title, self.pid
        need_one("--title T", "--pid ID", has_first=title is not None, has_second=pid is not None)
