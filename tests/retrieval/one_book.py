"""One handbook of many sections, in one file or split over several, and questions of two hops.

Who looks after a thing is said in one section, where that person came from in another, which is
called by neither. Names are made up, and drawn by a seed.
"""

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Final

N_QUESTIONS: Final = 40
_FIRST: Final = ("Ana", "Brun", "Cele", "Dov", "Elin", "Faro", "Gita", "Hale", "Iven", "Jule")
_LAST: Final = ("Ashrow", "Birken", "Corvell", "Dunmere", "Estwick", "Fallon", "Grent", "Holmark")
_THINGS: Final = ("lantern", "crane", "tollgate", "sluice", "granary", "belfry", "smithy", "kiln")
_KINDS: Final = ("upper", "lower", "north", "south", "east", "west", "old", "new")
_TOWNS: Final = ("Vel", "Sar", "Tol", "Mir", "Dun", "Kes", "Lor", "Hav")
_ENDS: Final = ("mouth", "wick", "stead", "fold", "bridge")
_FILLING: Final = (
    "The bell is struck at dawn, and the tally is read aloud.",
    "Nails are counted on the last day of each week.",
    "A wet rope is hung in the loft until it is dry.",
    "Whoever comes late signs below the others.",
    "Lamps are trimmed before they are lit.",
)


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and what the sections say that it needs."""

    text: str
    first: str
    second: str


def handbook(n_sections: int, seed: int = 7) -> tuple[list[tuple[str, str]], list[Question]]:
    """Sections, heading and text, in a drawn order; and questions that need two of them each."""
    drawn = random.Random(seed)  # noqa: S311
    things = [f"{kind} {thing}" for thing in _THINGS for kind in _KINDS]
    people = [f"{first} {last}" for first in _FIRST for last in _LAST]
    towns = [start + end for start in _TOWNS for end in _ENDS]
    for names in (things, people, towns):
        drawn.shuffle(names)
    sections: list[tuple[str, str]] = []
    questions: list[Question] = []
    for number, (thing, person, town) in enumerate(
        zip(things[:N_QUESTIONS], people, towns, strict=False)
    ):
        keeps, came = f"{person} has the care of it", f"{person} was sent from {town}"
        sections.append((f"The {thing}", f"For the {thing}: {keeps}. {_filling(drawn)}"))
        sections.append((f"Leaf {number}", f"{_filling(drawn)} It is said that {came}."))
        asked = f"Which town was the one who has the care of the {thing} sent from?"
        questions.append(Question(asked, keeps, came))
    for number in range(n_sections - len(sections)):
        sections.append((f"Custom {number}", f"{_filling(drawn)} {_filling(drawn)}"))
    drawn.shuffle(sections)
    return sections, questions


def split(sections: list[tuple[str, str]], n_files: int, folder: Path) -> Path:
    """Write the sections into so many files of about the same number of them."""
    written = [f"## {heading}\n\n{text}\n" for heading, text in sections]
    folder.mkdir()
    for at in range(n_files):
        content = "\n".join([f"# Book {at}\n", *written[at::n_files]])
        (folder / f"book-{at}.md").write_text(content, encoding="utf-8")
    return folder


def _filling(drawn: random.Random) -> str:
    return " ".join(drawn.sample(_FILLING, 3))
