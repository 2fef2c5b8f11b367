"""Optimised filters and programs as JSON files, with the versions that made them."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from pydantic import TypeAdapter

from hippohover.disk.text_files import write_lines
from hippohover.errors import UsageError, in_a_line
from hippohover.language_model.any_model import AnyModel
from hippohover.programs.by_name import PROGRAMS
from hippohover.programs.evidence_scoring import EvidenceScorer
from hippohover.programs.hop_program import HopProgram, Limits
from hippohover.programs.hypothesis import HypothesisDriven
from hippohover.programs.module import named_as_now
from hippohover.programs.settings import Scoring, checked_settings, settings_of
from hippohover.retrieval.facts.filter import FactFilter
from hippohover.sources.router import SourceRouter
from hippohover.sources.search_engine import SearchEngine

if TYPE_CHECKING:
    import dspy

    from hippohover.programs.optimize import Optimised

_FILTER: Final = "hippohover-filter-1"
_PROGRAM: Final = "hippohover-program-1"
_NO_ENGINE: Final[Any] = SimpleNamespace(encode=None)
"""Engine of a program that is only looked at."""

LoadedT = TypeVar("LoadedT")


def save_filter(
    path: Path, optimised: "Optimised[FactFilter]", *, made_with: dict[str, str]
) -> None:
    """Write a filter as JSON, with library versions; ``UsageError`` if that fails.

    The file holds no key and no address.
    """
    content = {"prompt": optimised.program.prompt, "made_with": _made_with(optimised, made_with)}
    _write(path, _FILTER, content, optimised.program)


def other_versions(path: Path) -> str:
    """Return a file's versions that differ from the installed ones: "dspy 1.0"."""
    try:
        made: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["made_with"]
        told = {name: str(made[name]) for name in ("dspy", "hippohover")}
    except (OSError, ValueError, KeyError, TypeError):
        return "unknown versions"
    return ", ".join(
        f"{name} {release}" for name, release in told.items() if release != _version(name)
    )


def load_filter(path: Path) -> FactFilter:
    """Load the filter that ``save_filter`` wrote: its prompts are the same, byte for byte.

    Raises
    ------
    UsageError
        The file cannot be read, or is not such a filter.
    """

    def fill(content: dict[str, Any]) -> FactFilter:
        fact_filter = FactFilter(content.get("prompt", "own"))
        fact_filter.load_state(_checked(content["program"], fact_filter))
        return fact_filter

    return _read(path, _FILTER, "optimize-filter", fill)


def save_program(
    path: Path, optimised: "Optimised[HopProgram]", *, made_with: dict[str, str]
) -> None:
    """Write a program as JSON, as ``save_filter`` does a filter: its prompts and settings.

    The engine, the model, the sources and an encoder or a service of its scorer are given again
    when it is loaded.
    """
    program = optimised.program
    content: dict[str, Any] = {
        "name": program.name,
        "settings": settings_of(program),
        "made_with": _made_with(optimised, made_with),
    }
    if program.limits != program.declared:
        content["limits"] = asdict(program.limits)
    if isinstance(program, HypothesisDriven):
        content["scoring"] = Scoring.of(program).model_dump()
    _write(path, _PROGRAM, content, program)


def load_program(path: Path, engine: SearchEngine, model: AnyModel | None = None) -> HopProgram:
    """Load the program that ``save_program`` wrote, with the same prompts and settings.

    Files without settings, of earlier versions, have the defaults.

    Raises
    ------
    UsageError
        The file cannot be read or is not such a program, or there is no language model.
    """
    return _asking(_from_file(path, engine, model))


def named_program(
    name: str,
    engine: SearchEngine,
    model: AnyModel | None = None,
    *,
    retriever: str | None = None,
    sources: SourceRouter | None = None,
    scorer: EvidenceScorer | None = None,
) -> HopProgram:
    """Return a program by its name, or from a file that ``save_program`` wrote.

    Parameters
    ----------
    name : str
        One of ``PROGRAMS``, or the path of a file that ends in ``.json``.
    retriever : str, optional
        Retriever that it searches with; by default the file's, or the program's own.
    sources : SourceRouter, optional
        As in ``HopProgram``: the caller, not a file, names what is searched beyond the index.
    scorer : EvidenceScorer, optional
        How ``hypothesis`` weighs evidence; by default with the index's encoder.

    Raises
    ------
    UsageError
        It is unknown or cannot be read, or it asks a language model and there is none.
    """
    program = _asking(_made(name, engine, model))
    program.retriever = retriever or program.retriever
    program.sources = sources
    if scorer is not None and isinstance(program, HypothesisDriven):
        program.scorer = scorer
    return program


def unbound_program(name: str) -> HopProgram:
    """Return a program by its name or from a file, with its settings and prompts, to look at.

    It has no engine and no language model, and answers nothing. Raises as ``named_program``.
    """
    return _made(name, _NO_ENGINE, None)


def _made(name: str, engine: SearchEngine, model: AnyModel | None) -> HopProgram:
    """Return a program by its name or from a file."""
    if name.endswith(".json"):
        return _from_file(Path(name), engine, model)
    if name not in PROGRAMS:
        raise UsageError(
            f"program {name!r} is unknown: name one of {', '.join(PROGRAMS)}, or a file of "
            "hippohover optimize-program"
        )
    return PROGRAMS[name](engine, model)


def _from_file(path: Path, engine: SearchEngine, model: AnyModel | None) -> HopProgram:
    return _read(path, _PROGRAM, "optimize-program", partial(_filled, engine, model))


def _asking(program: HopProgram) -> HopProgram:
    """Return the program, once it is known that it has a language model if it asks one."""
    if program.declared.calls:
        program.asked()  # or the first claim would be late to hear of it
    return program


def _filled(engine: SearchEngine, model: AnyModel | None, content: dict[str, Any]) -> HopProgram:
    """Return the program that a file's content describes."""
    kind = PROGRAMS[content["name"]]
    program = kind(engine, model, **checked_settings(kind, _settings(content)))
    program.load_state(_checked(named_as_now(content["program"], program), program))
    if "limits" in content:
        program.limits = TypeAdapter(Limits).validate_python(content["limits"])
    if isinstance(program, HypothesisDriven) and "scoring" in content:
        program.scorer = Scoring.model_validate(content["scoring"]).scorer(program.engine)
    return program


def _settings(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings in a file: of earlier versions, the few that these kept."""
    if "settings" in content:
        return content["settings"]
    shown = content.get("shown", {})
    kept = {
        "retriever": content.get("retriever"),
        "n_shown": shown.get("passages"),
        "n_words": shown.get("words"),
        "coverage": content.get("coverage"),
    }
    return {name: value for name, value in kept.items() if value is not None}


def _write(path: Path, form: str, content: dict[str, Any], program: "dspy.Module") -> None:
    whole = {"format": form, **content, "program": _without_model(program.dump_state())}
    write_lines(path, [json.dumps(whole, indent=1, ensure_ascii=False)])


def _read(
    path: Path, form: str, command: str, fill: Callable[[dict[str, Any]], LoadedT]
) -> LoadedT:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] != form:
            raise ValueError(f"format {content['format']!r}, not {form!r}")
        return fill(content)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}): check the path") from error
    except UsageError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        what = f"is not a file of hippohover {command} ({in_a_line(error)})"
        raise UsageError(f"{path}: {what}: make it again") from error


def _made_with(optimised: "Optimised[Any]", more: dict[str, str]) -> dict[str, Any]:
    return {
        "hippohover": _version("hippohover"),
        "dspy": _version("dspy"),
        "n_claims": optimised.n,
        "all_gold_found@21": {"before": optimised.before, "after": optimised.after},
        **more,
    }


def _checked(state: dict[str, Any], program: "dspy.Module") -> dict[str, Any]:
    """Return a state that the program can load; ``ValueError`` names the problem.

    DSPy loads anything, and breaks when it asks.
    """
    for name, predictor in cast("list[tuple[str, Any]]", program.named_predictors()):
        part = state[name]
        demos, signature = part["demos"], part["signature"]
        wanted: dict[str, Any] = predictor.signature.fields
        if not isinstance(demos, list) or not all(
            isinstance(demo, dict) and wanted.keys() & demo.keys() for demo in demos
        ):
            raise ValueError(f"{name}.demos is not a list of examples of {', '.join(wanted)}")
        if not isinstance(signature["instructions"], str):
            raise ValueError(f"{name}.signature.instructions is not a text")
        fields = signature["fields"]
        if not isinstance(fields, list) or len(fields) != len(wanted):
            raise ValueError(f"{name}.signature.fields are not {len(wanted)}")
        if not all(
            isinstance(field[key], str) for field in fields for key in ("prefix", "description")
        ):
            raise ValueError(f"{name}.signature.fields: a prefix or description is not a text")
    return _without_model(state)


def _without_model(state: dict[str, Any]) -> dict[str, Any]:
    """Return a program's state without a language model, which the user chooses."""
    return {
        name: {**part, "lm": None} if isinstance(part, dict) else part
        for name, part in state.items()
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
