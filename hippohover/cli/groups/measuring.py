"""Claims with gold, and what is measured, compared or optimised on them."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from hippohover.cli.groups.programs import SearchWith
from hippohover.cli.options import (
    OPTIMIZERS,
    PROGRAMS,
    ClaimColumn,
    Json,
    Limit,
    a_retriever,
    argument,
    one_of,
    option,
)
from hippohover.cli.settings import SetOverrides
from hippohover.retrieval.registry import RETRIEVERS

if TYPE_CHECKING:
    from hippohover.evaluation.hover import ClaimsFile


SeveralRetrievers = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        callback=a_retriever,
        help=f"One of {', '.join(RETRIEVERS)}; may be repeated, the others are compared with the "
        "first.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimsSource:
    """A file of claims with gold, as it was typed."""

    claims: Path = argument(
        ...,
        "Claims with gold: HoVer, HotpotQA, 2Wiki, MuSiQue, FEVER; BEIR or TREC with "
        "--qrels; or ir_datasets:NAME.",
    )
    qrels: Path | None = option(
        None, "Documents relevant to each claim, by ids, in TREC's or BEIR's format."
    )
    claim_column: ClaimColumn = None

    def read(self) -> "ClaimsFile":
        """Read claims as ``read_claims``; say on stderr how other formats were read."""
        from hippohover.cli.output import note
        from hippohover.evaluation.hover import read_claims

        claims = read_claims(self.claims, qrels=self.qrels, claim_column=self.claim_column)
        if not claims.is_hovers:
            note(claims.understood)
        return claims


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What is measured on which claims."""

    source: ClaimsSource
    retriever: SeveralRetrievers = None
    limit: Limit = None
    candidates: int | None = option(
        None, "Add recall at this depth.", metavar="N", min=22, max=1000
    )
    titles_from: Path | None = option(
        None, "If titles are hidden: an index of the same corpus that shows them."
    )
    overrides: SetOverrides

    @property
    def retrievers(self) -> list[str]:
        """The retrievers that are measured: the walk if none is named."""
        return self.retriever or ["ppr"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outputs:
    """Where results go besides the screen; None for nowhere."""

    out: Path | None = option(None, "Write the report, and a row per claim, as JSON.")
    run_out: Path | None = option(None, "TREC run of the first retriever, to depth 100.")
    qrels_out: Path | None = option(None, "TREC qrels of the claims.")
    plot: Path | None = option(None, "Draw the comparison into a .png, .svg or .pdf file.")
    as_json: Json = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What is compared on which claims, and where results go.

    Settings of an arm each are ``"query.damping=0.85 query.rerank=false"``; "" changes none.
    """

    claims: list[Path] = option(
        ..., "Claims with gold, in any format of evaluate; may be repeated.", metavar="FILE"
    )
    qrels: list[Path] | None = option(
        None,
        "Relevant documents by ids; one file for each --claims, in their order.",
        metavar="FILE",
    )
    claim_column: ClaimColumn = None
    retriever: SeveralRetrievers = None
    variant: list[str] | None = option(
        None,
        "Settings to compare, such as 'query.damping=0.85 query.rerank=false'; '' keeps "
        "those of the index, and is called as-built in the table; may be repeated.",
        metavar="SETTINGS",
    )
    at: list[str] | None = option(
        None, "Cut-offs, 1 to 1,000: --at 5,21,100, the default; may be repeated.", metavar="N"
    )
    limit: Limit = None
    form: Literal["text", "markdown", "latex", "csv"] = option(
        "text", "Format of the printed table: text, markdown, latex or csv."
    )
    out: list[Path] | None = option(
        None, "Write the table too: .txt, .md, .tex or .csv; may be repeated.", metavar="FILE"
    )
    runs: Path | None = option(None, "Folder for TREC runs and qrels of all arms and sets.")
    plot: Path | None = option(None, "Draw the measures into a .png, .svg or .pdf file.")
    as_json: Json = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimised:
    """The filter, or the program, that is optimised on which claims, and where it goes."""

    source: ClaimsSource
    program: str | None = None
    out: Path = option(..., "JSON file of the filter, for --filter.")
    optimizer: str = option(
        "bootstrap", f"One of {', '.join(OPTIMIZERS)}.", callback=one_of(*OPTIMIZERS)
    )
    search_with: str | None = None
    limit: Limit = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimisedProgram(Optimised):
    """A program that is optimised on which claims, and where it goes."""

    program: str = option(
        ...,
        f"One of {', '.join(PROGRAMS[1:])}; or a file that this command wrote, to "
        "continue from it.",
        callback=one_of(*PROGRAMS, or_file=True),
    )
    out: Path = option(..., "JSON file of the program, for evaluate --program.")
    search_with: SearchWith = None
