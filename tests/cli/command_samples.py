"""What the tests of the commands share: how one ended, a claim, a recipe, a corpus, replies."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tests.stub_server import chat

CLAIM = "The head of the company that ran the Hexley Flyer was hard of hearing."
FILTERED = chat("", fact_after_filter=json.dumps({"fact": [["Mira Oldane", "x", "y"]]}))
MISSING = chat("", queries=json.dumps(["Mira Oldane"]))
"""Replies of a language model: facts that it keeps, queries for what is missing."""

FAST_RECIPE = 'name = "small"\nextractor = "between"\nencoder = "none"\n[query]\nrerank = false\n'


class Outcome(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401
        return json.loads(self.out)


Command = Callable[..., Outcome]


def asking(base: str) -> list[str]:
    """Options of a command that asks the language model there."""
    return ["--lm", "openai/stub", "--lm-api-base", base]


def write_corpus(path: Path, documents: list[tuple[str, str]]) -> Path:
    lines = [json.dumps({"title": title, "text": text}) for title, text in documents]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def assert_error(outcome: Outcome, *words: str, code: int = 1) -> None:
    """One line on stderr, none on stdout, no traceback."""
    assert outcome.code == code, outcome
    assert outcome.out == ""
    assert outcome.err.startswith("error: ")
    assert outcome.err.count("\n") == 1
    assert "Traceback" not in outcome.err
    assert "unexpected" not in outcome.err
    for word in words:
        assert word in outcome.err
