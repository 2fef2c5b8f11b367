"""Options that several commands share: what they take, and that help shows what is true."""

from inspect import signature
from pathlib import Path
from typing import Any

import pytest
import typer

from hippohover.cli.model import ModelOptions
from hippohover.cli.options import MOST_PASSAGES, OPTIMIZERS, PROGRAMS, asks_model
from hippohover.programs import by_name, optimize
from hippohover.recipe import MAX_RANKED_PASSAGES
from tests.cli.command_samples import CLAIM, Command, assert_error


def test_numbers_and_names_that_help_shows_are_the_real_ones() -> None:
    assert MOST_PASSAGES == MAX_RANKED_PASSAGES
    assert tuple(by_name.PROGRAMS) == PROGRAMS
    assert optimize.OPTIMIZERS == OPTIMIZERS


@pytest.mark.parametrize("k", [0, -1, 22, 1000])
def test_k_out_of_range_is_refused_and_above_it_with_the_way_to_more(
    hippohover: Command, toy_index: Path, k: int
) -> None:
    outcome = hippohover("query", toy_index, CLAIM, "-k", k)
    assert_error(outcome, "1 to 21", code=2)
    assert ("HippoHover.search" in outcome.err) == (k > 21)


@pytest.mark.parametrize(
    ("command", "option"),
    [
        (("query", "i", "c"), "--retriever"),
        (("evaluate", "i", "c"), "--program"),
        (("verify", "i"), "--retriever"),
        (("verify", "i"), "--contradicted"),
        (("optimize-filter", "i", "c"), "--optimizer"),
        (("query", "i", "c"), "--on-filter-failure"),
    ],
)
def test_a_name_that_is_unknown_is_repeated_with_those_that_are_known(
    hippohover: Command, command: tuple[str, ...], option: str
) -> None:
    outcome = hippohover(*command, option, "m\u00e4gic")
    assert_error(outcome, "'mägic' is unknown: name ", code=2)


def asked(**given: object) -> dict[str, Any]:
    """What a command gets that asks a model, of the options that were given."""
    got: dict[str, Any] = {}

    @asks_model(required=True, filters=True)
    def command(index: Path, model: ModelOptions) -> None:
        got.update(index=index, model=model)

    assert list(signature(command).parameters)[:2] == ["index", "lm"]
    command(index=Path("i"), **given)
    return got


def test_the_options_of_a_model_reach_a_command_as_one() -> None:
    got = asked(lm="openai/stub", filter=Path("f.json"), max_calls=3)
    assert got["index"] == Path("i")
    assert (got["model"].name, got["model"].caps.calls) == ("openai/stub", 3)
    with pytest.raises(typer.BadParameter, match="name a language model"):
        asked(max_calls=3)
