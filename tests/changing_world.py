"""A made-up corpus that is changed at random: notes that name each other, some of several parts."""

import json
import random
from pathlib import Path
from typing import Any

from hippohover.recipe import IndexRecipe

Record = dict[str, Any]

RECIPE = IndexRecipe.model_validate(
    {
        "name": "changing",
        "encoder": "none",
        "extractor": "between",
        "corpus": {"metadata": ["year"]},
    }
)

JOINING = IndexRecipe.model_validate(
    RECIPE.as_dict() | {"corpus": {"metadata": ["year"], "join": ["reeve"]}}
)
"""The same, of ``joined_records``."""

_FIRST = [
    "Mira",
    "Anna",
    "Tomas",
    "Ilka",
    "Oren",
    "Bettina",
    "Karel",
    "Lucia",
    "Pavel",
    "Greta",
    "Jonas",
    "Elsa",
]
_LAST = [
    "Oldane",
    "Crowle",
    "Weiss",
    "Varga",
    "Moss",
    "Lindqvist",
    "Soromenho",
    "Adler",
    "Brandt",
    "Novak",
    "Fenn",
    "Hale",
]
_PLACES = [
    "Vellmouth",
    "Gullhaven",
    "Tolluna",
    "Aldermoor",
    "Velmora",
    "Dunmarrow",
    "Skarholt",
    "Eastwick",
]
_KINDS = [
    "Lantern",
    "Harbour",
    "Winter",
    "Mill",
    "Raven",
    "Silver",
    "Hollow",
    "Quiet",
    "Iron",
    "Summer",
]
_NOUNS = [
    "Hill",
    "Song",
    "Trade",
    "House",
    "Letters",
    "Bridge",
    "Garden",
    "Cup",
    "Archive",
    "Line",
]
_SPACES = ("OPS", "HR", "Docs | Guides", *_PLACES[:2])
_VERBS = ("directed", "was born in", "wrote about", "sold the mill to", "won", "lived near")
_WORDS = [
    "the",
    "old",
    "river",
    "road",
    "stood",
    "where",
    "nobody",
    "had",
    "kept",
    "a",
    "record",
    "of",
    "who",
    "went",
    "there",
    "before",
]


def record(number: int, rng: random.Random) -> Record:
    """A document: its title may be another's name with something behind it, or have a head.

    Some begin with the name of a space, which is no part of their name where several do.
    """
    name = made_name(rng)
    title = rng.choice(
        [
            name,
            name,
            f"{name} ({rng.choice(_PLACES)})",
            f"{name}: {made_name(rng)}",
            f"{made_name(rng)} II",
        ]
    )
    if rng.random() < 0.2:
        title = f"{rng.choice(_SPACES)} : {title}"
    parts = [made_text(rng) for _ in range(rng.choice([1, 1, 1, 6]))]
    found: Record = {"title": title, "text": " ".join(parts), "year": 1900 + number % 90}
    if rng.random() < 0.3:
        found["id"] = f"doc-{number}"
    if rng.random() < 0.2:
        found["links"] = [made_name(rng), f"doc-{rng.randrange(number + 1)}"]
    if rng.random() < 0.1:
        found["title"] = ""
    return found


def made_name(rng: random.Random) -> str:
    person = f"{rng.choice(_FIRST)} {rng.choice(_LAST)}"
    work = f"{rng.choice(_KINDS)} {rng.choice(_NOUNS)}"
    return rng.choice([person, work, rng.choice(_PLACES), f"the {work.lower()}", work])


def _form(rng: random.Random) -> str:
    """Another form of what may be a name."""
    first, last = rng.choice(_FIRST), rng.choice(_LAST)
    kind, noun = rng.choice(_KINDS), rng.choice(_NOUNS)
    return rng.choice(
        [f"{first[0]}. {last}", f"Mr {last}", f"{first} Q. {last}", f"{last} and {first}",
         f"{kind}{noun}", f"{kind} {noun}s", f"{noun} of {kind}", f"{kind} {noun} 2"]
    )  # fmt: skip


def made_text(rng: random.Random) -> str:
    sentences: list[str] = []
    for _ in range(rng.randrange(2, 6)):
        words = [made_name(rng), rng.choice(_VERBS), made_name(rng), *rng.sample(_WORDS, 5)]
        if rng.random() < 0.4:
            words.append(_form(rng))
        if rng.random() < 0.3:
            words.append(rng.choice(_PLACES))
        sentences.append(" ".join(words) + ".")
    return " ".join(sentences)


def turn(number: int, rng: random.Random) -> Record:
    """A turn of one of two talks, with words of what it is about for four turns."""
    talk, at = divmod(number, 2)[::-1]
    about = " ".join(f"{word}{talk}{at // 4}" for word in ("weir", "lock", "barge", "toll"))
    title = f"Talk {talk + 1}, turn {at}"
    return {"title": title, "text": f"{made_text(rng)} They spoke of {about}.", "year": 1900}


def records(n: int, seed: int) -> list[Record]:
    rng = random.Random(seed)  # noqa: S311
    return [record(number, rng) for number in range(n)]


def joined_records(n: int, seed: int) -> list[Record]:
    """Records of which every third is a turn of one of two talks, and most have a reeve."""
    rng = random.Random(seed)  # noqa: S311
    every = [turn(at // 3, rng) if at % 3 == 0 else one for at, one in enumerate(records(n, seed))]
    # Names of others, numbers, what few have, what most have.
    reeves = [lambda: made_name(rng), lambda: rng.randrange(9), lambda: f"R-{rng.randrange(n)}"]
    return [
        one | {"reeve": rng.choice(reeves)()} if rng.random() < 0.7 else one | {"reeve": "Common"}
        for one in every
    ]


def write_records(path: Path, some: list[Record]) -> Path:
    path.write_text("".join(f"{json.dumps(one)}\n" for one in some), encoding="utf-8")
    return path
