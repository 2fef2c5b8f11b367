"""Options that several commands share, checks of them, and groups of options as dataclasses."""

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import MISSING, Field, field, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, cast, get_args, get_origin, get_type_hints

import typer

from hippohover import programs
from hippohover.retrieval.registry import is_retriever, retriever_names

MOST_PASSAGES = 21  # recipe.MAX_RANKED_PASSAGES, without importing pydantic for --help
OPTIMIZERS = ("bootstrap", "mipro", "gepa")
PROGRAMS = tuple(programs.PROGRAMS)


Index = Annotated[Path, typer.Argument(help="Folder of an index, as `build` prints it.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document, for programs.")]
Workers = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=1, help="Processes, or actors of Ray; default: as many as processors."
    ),
]


def one_of(
    *names: str, or_file: bool = False, or_retriever: bool = False, said: str = ""
) -> Callable[[Any], Any]:
    """Return a callback that refuses all but some names, and keeps each of several once.

    Parameters
    ----------
    *names : str
    or_file : bool
        Whether a file of optimize-program may stand in place of a name.
    or_retriever : bool
        Whether a retriever's name may, of this package or of an installed one.
    said : str
        What to give instead, for the message; by default one of the names. "{retrievers}" in it
        becomes the names of all retrievers.
    """
    said = said or f"name one of {', '.join(names) or '{retrievers}'}"
    said += ", or a file of optimize-program, which ends in .json" if or_file else ""

    def known(given: str | list[str] | None) -> str | list[str] | None:
        several = given if isinstance(given, list) else [given] if given is not None else []
        for name in several:
            is_file = or_file and name.endswith(".json")
            if name not in names and not is_file and not (or_retriever and is_retriever(name)):
                instead = said.replace("{retrievers}", ", ".join(retriever_names()))
                raise typer.BadParameter(f"{name!r} is unknown: {instead}")
        return list(dict.fromkeys(several)) if isinstance(given, list) else given

    return known


a_retriever = one_of(or_retriever=True)


def need_one(first: str, second: str, *, has_first: bool, has_second: bool) -> None:
    """Refuse neither and both of two ways to say one thing."""
    if has_first == has_second:
        both = ", not both" if has_first else ""
        raise typer.BadParameter(f"give {first} or {second}{both}")


def within_answer(k: int | None) -> int | None:
    """Refuse a number of passages that no answer has."""
    if k is not None and not 1 <= k <= MOST_PASSAGES:
        more = "; for more, call HippoHover.search in Python" if k > 0 else ""
        raise typer.BadParameter(f"{k} passages: give 1 to {MOST_PASSAGES}{more}")
    return k


ClaimColumn = Annotated[
    str | None, typer.Option(help="Field or column that holds the claims, if it is not recognised.")
]
Limit = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Use at most this many claims, the first ones."),
]
Sources = Annotated[
    list[str] | None,
    typer.Option(
        "--source",
        metavar="NAME|FILE",
        help="Also search a source: arxiv, semantic-scholar, openalex, brave, or a TOML file for "
        "another one (extra sources); may be repeated.",
        show_default=False,
    ),
]

SeveralRetrievers = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        callback=a_retriever,
        help=f"One of {', '.join(retriever_names())}; may be repeated, the others are compared "
        "with the first.",
    ),
]


def option(default: object, text: str, *names: str, **how: Any) -> Any:  # noqa: ANN401
    """Declare a field of a group, or a parameter, as an option with that help; ... requires it."""
    return _declared(default, typer.Option(*names, help=text, **how))


def argument(default: object, text: str, **how: Any) -> Any:  # noqa: ANN401
    """Declare a field of a group, or a parameter, as an argument with that help."""
    return _declared(default, typer.Argument(help=text, **how))


def _declared(default: object, info: object) -> Any:  # noqa: ANN401
    return field(default=MISSING if default is ... else default, metadata={"typer": info})


def flattened(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of the groups among its parameters.

    A group is a dataclass. Its fields are options if they are declared so, and those of groups
    inside it are too; others keep their defaults. Help lists them under its ``SECTION``, if it has
    one.
    """
    hints, declared = get_type_hints(command, include_extras=True), signature(command).parameters
    taken = {name: hints[name] for name in declared}

    @wraps(command)
    def flat(**given: Any) -> None:  # noqa: ANN401
        command(**{name: _gathered(name, kind, given) for name, kind in taken.items()})

    parameters = [
        parameter
        for name, kind in taken.items()
        for parameter in _parameters(name, kind, declared[name].default)
    ]
    flat.__signature__ = Signature(parameters)  # pyright: ignore[reportAttributeAccessIssue]
    flat.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return flat


def _fields(group: Any) -> Iterator[tuple[str, Any, object]]:  # noqa: ANN401
    """Yield name, annotation and default of each option, argument or group in a group."""
    hints = get_type_hints(group, include_extras=True)
    for one in fields(group):
        kind = hints[one.name]
        if one.metadata or is_dataclass(kind) or get_origin(kind) is Annotated:
            yield one.name, kind, one


def _parameters(
    name: str,
    kind: Any,  # noqa: ANN401
    default: object,
    section: str | None = None,
) -> Iterator[Parameter]:
    """Yield what typer sees of a parameter: itself, or the fields of a group."""
    if is_dataclass(kind):
        section = getattr(kind, "SECTION", section)
        for own in _fields(kind):
            yield from _parameters(*own, section)
        return
    if isinstance(default, Field):
        kind = Annotated[kind, default.metadata["typer"]] if default.metadata else kind
        kind = _under(section, kind) if section else kind
        default = Parameter.empty if default.default is MISSING else cast("object", default.default)
    yield Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind, default=default)


def _under(section: str, kind: Any) -> Any:  # noqa: ANN401
    """Return the annotation of an option that help lists under a title."""
    plain, info = get_args(kind)
    listed = copy(info)
    listed.rich_help_panel = section
    return Annotated[plain, listed]


def _gathered(name: str, kind: Any, given: dict[str, Any]) -> Any:  # noqa: ANN401
    """Return the value of a parameter, for a group with those of its fields."""
    if not is_dataclass(kind):
        return given[name]
    group = cast("Callable[..., Any]", kind)
    return group(**{name: _gathered(name, own, given) for name, own, _ in _fields(kind)})
