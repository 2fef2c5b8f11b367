"""Options that several commands share: what they take, and that help shows what is true."""

from collections.abc import Callable
from dataclasses import dataclass
from inspect import Parameter, signature
from pathlib import Path

import pytest
import typer

from hippohover.cli.model import FilteringModel, NeededModel
from hippohover.cli.options import (
    MOST_PASSAGES,
    OPTIMIZERS,
    PROGRAMS,
    Index,
    Json,
    flattened,
    option,
)
from hippohover.programs import by_name, optimize
from hippohover.recipe import MAX_RANKED_PASSAGES


def test_numbers_and_names_that_help_shows_are_the_real_ones() -> None:
    assert MOST_PASSAGES == MAX_RANKED_PASSAGES
    assert tuple(by_name.PROGRAMS) == PROGRAMS
    assert optimize.OPTIMIZERS == OPTIMIZERS


@dataclass(frozen=True, kw_only=True)
class Inner:
    """One option, and a field that is none."""

    limit: int = option(3, "The most.")
    kept: str = "as it is"


@dataclass(frozen=True, kw_only=True)
class Outer(Inner):
    """Makes an option of the field, has a group, and an option that is required."""

    kept: str = option("now", "An option.", "--keep")
    out: Path = option(..., "Where to.")
    json: Json = False
    model: FilteringModel


def flat() -> tuple[Callable[..., None], list[tuple[object, ...]]]:
    got: list[tuple[object, ...]] = []

    @flattened
    def command(index: Index, outer: Outer) -> None:
        got.append((index, outer))

    return command, got


def test_a_command_takes_groups_and_has_the_options_of_their_fields() -> None:
    command, got = flat()
    taken = signature(command).parameters
    assert list(taken)[:6] == ["index", "limit", "kept", "out", "json", "name"]
    assert taken["out"].default is taken["index"].default is Parameter.empty
    assert (taken["limit"].default, taken["kept"].default) == (3, "now")
    given = {name: one.default for name, one in taken.items()}
    command(**{**given, "index": Path("i"), "out": Path("o"), "fact_filter": Path("f.json")})
    model = FilteringModel(fact_filter=Path("f.json"))
    assert got == [(Path("i"), Outer(out=Path("o"), model=model))]


def test_a_field_without_an_option_keeps_its_default() -> None:
    @flattened
    def command(inner: Inner) -> None:
        assert inner == Inner(limit=7)

    assert list(signature(command).parameters) == ["limit"]
    command(limit=7)


def test_a_model_that_is_needed_must_be_named() -> None:
    assert NeededModel(name="openai/stub", max_calls=3).budget().max_calls == 3
    with pytest.raises(typer.BadParameter, match="name a language model"):
        NeededModel(max_calls=3)
