"""Names in every script: what is built from its letters is indexed, named in a claim and found.

``unicodedata`` knows no scripts, but the first word of a letter's name tells its block: "CHAKMA
LETTER AA". So does that of a mark; where a block has none, the general ones stand in its names.
"""

import unicodedata
from collections import defaultdict
from functools import cache
from itertools import chain
from random import Random
from typing import NamedTuple

import pytest

from hippohover.indexing.build import build
from hippohover.names.normal_forms import entity_key
from hippohover.recipe import IndexRecipe, QuerySettings
from hippohover.retrieval.engine import HippoHover

RECIPE = IndexRecipe(
    name="scripts", extractor="between", encoder="none", query=QuerySettings(rerank=False)
)
N_TITLES = 3
N_WORDS = 3
MOST_LETTERS = 5  # fifteen letters: where each is a token of its own, a name may have sixteen


class Script(NamedTuple):
    """Letters and combining marks whose names begin with one word."""

    letters: list[str]
    marks: list[str]


@cache
def scripts() -> dict[str, Script]:
    """Every assigned letter, by the first word of its name."""
    found: defaultdict[str, Script] = defaultdict(lambda: Script([], []))
    for char in map(chr, range(0x110000)):
        kind = unicodedata.category(char)[0]
        if kind in "LM" and (name := unicodedata.name(char, "")):
            found[name.split()[0]][kind == "M"].append(char)
    return {name: script for name, script in found.items() if script.letters}


def titles_of(name: str) -> list[str]:
    """Three names of three words, in NFC, always the same; one where there are few letters.

    Each begins as a name does, in upper case or in a script without case, if the block lets it.
    """
    letters, marks = scripts()[name]
    random = Random(name)  # noqa: S311
    marks = marks or [chr(code) for code in range(0x300, 0x30D)]
    capitals = [char for char in letters if not char.upper()[0].islower()] or letters
    titles: list[str] = []
    for _ in range(N_TITLES if len(letters) > N_TITLES else 1):
        words = [
            random.choice(capitals).upper()[0]
            + random.choice(letters)
            + random.choice(marks)
            + "".join(random.choices(letters, k=random.randint(1, MOST_LETTERS - 2)))
            for _ in range(N_WORDS)
        ]
        titles.append(unicodedata.normalize("NFC", " ".join(words)))
    return titles


def spellings(title: str) -> list[str]:
    return [unicodedata.normalize("NFC", title), unicodedata.normalize("NFD", title)]


def test_the_scripts_are_there():
    found = scripts()
    assert len(found) > 150
    assert {"LATIN", "ARABIC", "CJK", "HANGUL", "DEVANAGARI", "CHAKMA", "ADLAM"} <= found.keys()
    assert sum(len(script.letters) for script in found.values()) > 100_000


def test_a_key_is_stable_however_a_name_is_spelled():
    for title in chain.from_iterable(map(titles_of, scripts())):
        key = entity_key(title)
        assert {entity_key(spelling) for spelling in (*spellings(title), key)} == {key}
        assert len(key) >= N_WORDS


@pytest.mark.slow
@pytest.mark.parametrize("name", scripts())
def test_a_key_is_stable_with_every_letter_and_mark(name: str):
    letters, marks = scripts()[name]
    marks = marks or ["\u0301", "\u0323\u0302", "\u0345"]
    n = max(len(letters), len(marks))
    for at in range(n):
        text = f"x{letters[at % len(letters)]}{marks[at % len(marks)]}"
        key = entity_key(text)
        assert {entity_key(spelling) for spelling in (*spellings(text), key)} == {key}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> HippoHover:
    """An index of one text for all titles: only its name tells a passage from the others."""
    folder = tmp_path_factory.mktemp("scripts")
    corpus = folder / "corpus"
    corpus.mkdir()
    titles = chain.from_iterable(map(titles_of, scripts()))
    for number, title in enumerate(titles):
        text = f"# {title}\n\nIt is a place that travellers describe.\n"
        (corpus / f"{number:04}.md").write_text(text, encoding="utf-8")
    return HippoHover.open(build(RECIPE, corpus=corpus, out=folder / "index"))


@pytest.mark.slow
def test_titles_come_back_as_they_were(engine: HippoHover):
    written = list(chain.from_iterable(map(titles_of, scripts())))
    assert len(set(map(entity_key, written))) == len(written)
    assert sorted(engine.titles()) == sorted(written)


@pytest.mark.slow
@pytest.mark.parametrize("name", scripts())
def test_a_claim_that_names_a_passage_finds_it(engine: HippoHover, name: str):
    for title in titles_of(name):
        for spelling in spellings(title):
            claim = f"Nobody knows who built {spelling} by the sea."
            assert engine.retrieve(claim, k=1).passages[0].title == title, spelling
            assert title in engine.names_in(claim)  # whatever the case of its first letter
