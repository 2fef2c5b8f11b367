"""Made-up corpora of several kinds, in which names, words and numbers repeat by chance."""

import random
from collections.abc import Callable, Mapping
from typing import Final

from tests.changing_world import Record, joined_records, made_name, made_text, records

_SYLLABLES: Final = {
    "latin": "ka lo mi ru ten sar vel dor",
    "cyrillic": "ка ло ми ру тен сар вел дор",
    "greek": "κα λο μι ρυ τεν σαρ",
    "han": "山 川 河 林 田 木 石 水 火 金 城 市 東 西 南 北",
    "hangul": "가 나 다 라 마 바 사 아 자",
    "devanagari": "क ख ग घ च छ ज",
}
_CODES: Final = ("ab12cd34ef", "192.168.0.{}", "read_file()", "/usr/lib/x{}", "HX-100{}")


def _word(rng: random.Random, script: str = "latin") -> str:
    return "".join(rng.choices(_SYLLABLES[script].split(), k=rng.choice([2, 3, 3])))


def chats(n: int, seed: int) -> list[Record]:
    """Turns of talks of 25 turns: four turns in a row share words."""
    rng = random.Random(seed)  # noqa: S311
    people = [_word(rng).title() for _ in range(4)]
    topics = [[_word(rng) for _ in range(5)] for _ in range(n // 4 + 1)]
    return [
        {
            "title": f"{people[at // 25 % 4]} and others, conversation {at // 25}, D1:{at % 25}",
            "text": f"(1:{10 + at % 12} pm on {1 + at // 25} May) {rng.choice(people)}: "
            f"{' '.join([*rng.sample(topics[at // 4], 4), *(_word(rng) for _ in range(6))])}? "
            f"{_word(rng).title()} {rng.choice(people)}.",
        }
        for at in range(n)
    ]


def rules(n: int, seed: int) -> list[Record]:
    """Numbered rules of five documents, some of several passages, which cite each other."""
    rng = random.Random(seed)  # noqa: S311
    return [
        {
            "title": f"Document {at // 7 % 5}, {at // 7}.{at % 7}",
            "id": f"rule-{at}",
            "text": " ".join(
                f"{made_text(rng)} See Rule {rng.randrange(n // 7 + 1)}.{rng.randrange(7)}."
                for _ in range(rng.choice([1, 1, 4]))
            ),
        }
        for at in range(n)
    ]


def rows(n: int, seed: int) -> list[Record]:
    """Orders of a table."""
    rng = random.Random(seed)  # noqa: S311
    names = [made_name(rng) for _ in range(9)]
    return [
        {
            "title": f"Order {at}",
            "id": f"orders.csv#{at}",
            "text": f"customer: {rng.choice(names)}. part: HX-{rng.randrange(1000, 1000 + n // 2)}",
            "reeve": rng.choice(names),
        }
        for at in range(n)
    ]


def untitled(n: int, seed: int) -> list[Record]:
    """Texts without titles, with codes."""
    rng = random.Random(seed)  # noqa: S311
    codes = [code.format(at) for code in _CODES for at in range(9)]
    return [{"title": "", "text": f"{made_text(rng)} {rng.choice(codes)}"} for _ in range(n)]


def facts(n: int, seed: int) -> list[Record]:
    """Plain sentences without names."""
    rng = random.Random(seed)  # noqa: S311
    words = [_word(rng) for _ in range(60)]
    return [
        {"title": f"fact-{at:05d}", "text": f"{' '.join(rng.choices(words, k=9))} of 4 ions."}
        for at in range(n)
    ]


def variants(n: int, seed: int) -> list[Record]:
    """Names that are spelt in several ways, in titles, links and texts."""
    rng = random.Random(seed)  # noqa: S311
    names = [made_name(rng) for _ in range(25)]

    def spelt() -> str:
        name = rng.choice(names)
        others = (name.replace("e", "é"), name.lower(), name.replace(" ", ""), f"{name} IV")
        return rng.choice((name, name, *others, f"{name}s", f"St. {name}", f"{name} 4"))

    return [
        {"title": spelt(), "text": f"{made_text(rng)} {spelt()} saw {spelt()}.", "links": [spelt()]}
        for _ in range(n)
    ]


def of_script(script: str) -> Callable[[int, int], list[Record]]:
    """Texts in a script, four in five of them titled with a name."""
    blank = "" if script == "han" else " "

    def made(n: int, seed: int) -> list[Record]:
        rng = random.Random(seed)  # noqa: S311
        names = [blank.join(_word(rng, script).title() for _ in range(2)) for _ in range(n)]
        words = [_word(rng, script) for _ in range(50)]
        return [
            {
                "title": name if rng.random() < 0.8 else "",
                "text": blank.join([*rng.choices(words, k=6), *rng.choices(names, k=2)]) + ".",
            }
            for name in names
        ]

    return made


KINDS: Final[Mapping[str, Callable[[int, int], list[Record]]]] = {
    "titled": records,
    "joined": joined_records,
    "chats": chats,
    "rules": rules,
    "rows": rows,
    "untitled": untitled,
    "facts": facts,
    "variants": variants,
    **{script: of_script(script) for script in _SYLLABLES},
}
"""Makers of corpora by kind: (number of documents, seed) -> records."""
