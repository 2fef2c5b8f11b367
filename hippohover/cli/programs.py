"""Programs that answer as retrievers do, and what they search and score with."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from hippohover.cli.options import PROGRAMS, Sources, a_retriever, one_of, option
from hippohover.cli.settings import Scoring

if TYPE_CHECKING:
    from hippohover.language_model.client import LanguageModel
    from hippohover.programs.hop_program import HopProgram
    from hippohover.retrieval.engine import HippoHover
    from hippohover.sources.router import SourceRouter

SearchWith = Annotated[
    str | None,
    typer.Option(
        callback=a_retriever,
        help="Retriever that programs search with; by default bm25, and ppr for ppr+hops.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Programs:
    """Programs by their names or files, and what they search and score with."""

    SECTION: ClassVar = "Programs"

    program: Sequence[str] | None = None
    search_with: SearchWith = None
    scoring: Scoring

    def opened(
        self, engine: "HippoHover", model: "LanguageModel | None", sources: "SourceRouter | None"
    ) -> "dict[str, HopProgram]":
        """Open the programs by name; without any, does not import DSPy."""
        if not self.program:
            return {}
        from hippohover.programs.saved import named_program

        scorer = self.scoring.scorer(model)
        return {
            name: named_program(
                name, engine, model, retriever=self.search_with, sources=sources, scorer=scorer
            )
            for name in self.program
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedPrograms(Programs):
    """Programs that a server offers."""

    program: list[str] | None = option(
        None,
        f"Offer a program too, by its name: {', '.join(PROGRAMS)}; may be repeated.",
        metavar="NAME",
        callback=one_of(*PROGRAMS),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredPrograms(Programs):
    """Programs that are measured beside the retrievers."""

    program: list[str] | None = option(
        None,
        f"Measure a program too: {', '.join(PROGRAMS)}, or a file of optimize-program; "
        "may be repeated.",
        metavar="NAME",
        callback=one_of(*PROGRAMS, or_file=True),
    )
    source: Sources = None
    estimate: bool = option(
        False, "Estimate what the programs would cost, without asking a model.", "--estimate"
    )

    def __post_init__(self) -> None:
        """Refuse what is about programs where there are none."""
        if self.source and not self.program:
            raise typer.BadParameter(
                "--source is searched only by programs: name one with --program"
            )
        if self.estimate and not self.program:
            raise typer.BadParameter("--estimate applies only to programs: name one with --program")
