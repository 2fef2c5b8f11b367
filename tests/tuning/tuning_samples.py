"""A corpus on which the ranking that ships is wrong in one way, and claims that show it."""

import json
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from hippohover.evaluation.hover import GoldClaim
from hippohover.indexing.build import build
from hippohover.recipe import IndexRecipe

N_TOPICS = 70
N_NOTES = 30
RECIPE = IndexRecipe.model_validate({"name": "notes", "extractor": "between", "encoder": "none"})

_FILLING = "it was then said again by those who had come to hear of it before the others did so"


@contextmanager
def few_trees() -> Generator[None]:
    """Learn as few as will do: what the notes show is seen in the first of them."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("hippohover.tuning.tune.ROUNDS", 20)
        yield


def topics(n: int = N_TOPICS) -> list[str]:
    """Words that stand in no other language, all of the same length."""
    random = np.random.default_rng(0)
    drawn = random.choice(list("bcdfgklmnprst"), (n, 6))
    return [f"{''.join(word)}{at:03}" for at, word in enumerate(drawn)]


def write_notes(path: Path, n_topics: int = N_TOPICS) -> Path:
    """Corpus of notes, thirty a topic, that each say its word once; the first is the longest.

    What is longest stands last by BM25 and the walk, and is what the claims ask for.
    """
    lines: list[str] = []
    for topic in topics(n_topics):
        for at in range(N_NOTES):
            text = f"of {topic} " + _FILLING * (3 if at == 0 else 1)
            lines.append(json.dumps({"title": f"{topic} {at:02}", "text": text}))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def build_notes(folder: Path) -> Path:
    """Index of the notes."""
    return build(RECIPE, corpus=write_notes(folder / "notes.jsonl"), out=folder / "index")


def note_claims(golds: Sequence[str] | None = None, n_topics: int = N_TOPICS) -> list[GoldClaim]:
    """A claim a topic; ``golds`` in the place of the titles that they ask for."""
    golds = golds or [f"{topic} 00" for topic in topics(n_topics)]
    return [
        GoldClaim(
            uid=f"c{at}",
            claim=f"what was said of {topic}",
            gold_titles=(gold,),
            supporting_facts=((gold, 0),),
        )
        for at, (topic, gold) in enumerate(zip(topics(n_topics), golds, strict=True))
    ]


def shuffled_claims() -> list[GoldClaim]:
    """The same claims with the gold of another note of their topic, drawn."""
    random = np.random.default_rng(1)
    return note_claims([f"{topic} {random.integers(N_NOTES):02}" for topic in topics()])


def write_claims(path: Path, claims: Sequence[GoldClaim]) -> Path:
    """The claims in HoVer's form."""
    lines = [
        json.dumps(
            {"uid": c.uid, "claim": c.claim, "supporting_facts": [*map(list, c.supporting_facts)]}
        )
        for c in claims
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
