"""Which passages stand for which, by hand and against plain sets."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hippohover.records import Passage
from hippohover.retrieval.places import originals, stand_ins
from hippohover.store.tables import IndexTables
from tests.indexing.work_samples import assembled, pid

WORDS = [
    "weir", "lock", "river", "bridge", "stone", "iron", "tower", "mill", "elm", "ash", "heron",
    "crane", "gate", "wall", "keeper",
]  # fmt: skip
PATTERN = f"Village {{0}} has a {' '.join(WORDS)} oak pine hill road farm {{0}}"


def tables_of(folder: Path, *passages: tuple[str, str]) -> IndexTables:
    rows = [Passage(pid(row), title, text) for row, (title, text) in enumerate(passages)]
    return assembled(folder, rows, {})[0]


def found_of(tables: IndexTables, named: list[int] | None = None, n: int = 21) -> list[int]:
    rows = np.arange(tables.arrays.n_passages)
    names = np.array([-1] * len(rows) if named is None else named, np.int32)
    return stand_ins(tables.arrays, rows, names, n).tolist()


def test_copies_are_known_by_their_words(empty_folder: Path):
    text = " ".join(WORDS)
    tables = tables_of(
        empty_folder,
        ("Report", f"{text} oak."),
        ("Other", "Nothing of it is here."),
        ("Draft", f"The {text} of an oak, pine"),  # 16 of 17 terms
        ("Note", " ".join(WORDS[:9])),
        ("Memo", " ".join(WORDS[:9])),  # too short to say
        ("Report (old)", " ".join(WORDS[:13])),  # 13 of 16 terms, of one name
        ("Sketch", " ".join(WORDS[:13])),  # as many, of no common name; yet all of the line above
    )
    assert found_of(tables) == [0, 1, 0, 3, 4, 0, 6]


def test_articles_of_one_pattern_are_no_copies(empty_folder: Path):
    villages = [(name, PATTERN.format(name)) for name in ("Velm", "Orsk")]
    files = [(f"File {n}", PATTERN.format(name)) for n, name in enumerate(("Isk", "Ulm"))]
    assert found_of(tables_of(empty_folder, *villages, *files)) == [0, 1, 2, 2]


def test_what_the_claim_names_apart_stays_apart(empty_folder: Path):
    text = " ".join(WORDS)
    tables = tables_of(empty_folder, ("A b", text), ("C d", text), ("E f", text))
    assert found_of(tables) == [0, 0, 0]
    assert found_of(tables, named=[0, 1, -1]) == [0, 1, 0]
    assert found_of(tables, named=[0, 0, 1]) == [0, 0, 2]


def test_behind_enough_places_nobody_looks_for_copies(empty_folder: Path):
    text = " ".join(WORDS)
    tables = tables_of(empty_folder, ("A", text), ("B", "Else."), ("C", text), ("D", "So."))
    assert found_of(tables, n=3) == [0, 1, 0, 3]
    assert found_of(tables, n=2) == [0, 1, 2, 3]


def test_passages_of_one_document_are_no_copies(empty_folder: Path):
    text = " ".join(WORDS)
    rows = [Passage(pid(row), "A", f"{text} {row}", part=row) for row in range(2)]
    assert found_of(assembled(empty_folder, rows, {})[0]) == [0, 1]


def test_the_original_takes_the_place_of_its_best_copy(empty_folder: Path):
    text = " ".join(WORDS)
    tables = tables_of(
        empty_folder,
        ("Weir (copy 1)", text), ("Weir (copy 2)", text), ("Elm", text), ("Weir", text),
    )  # fmt: skip
    rows = np.arange(4)
    found = np.array(found_of(tables))
    assert found.tolist() == [0, 0, 0, 0]
    assert originals(tables.arrays, rows, found).tolist() == [3, 1, 2, 0]
    alone = np.arange(4)
    assert originals(tables.arrays, rows, alone).tolist() == [0, 1, 2, 3]


TEXTS = st.lists(st.sampled_from(WORDS), min_size=8, max_size=40).map(" ".join)


@settings(
    max_examples=min(50, settings().max_examples),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(texts=st.lists(TEXTS, min_size=1, max_size=6), n=st.integers(1, 6))
def test_groups_are_those_of_plain_sets(memory_folder: Path, texts: list[str], n: int):
    place = memory_folder / "copies"
    shutil.rmtree(place, ignore_errors=True)
    tables = tables_of(place, *((f"T{row}", text) for row, text in enumerate(texts)))
    sets = [set(text.split()) for text in texts]
    firsts: list[int] = []
    expected: list[int] = []
    for row, own in enumerate(sets):
        alike = [
            first
            for first in firsts
            if min(len(own), len(sets[first])) >= 10
            and len(own & sets[first]) >= 0.9 * len(own | sets[first])
        ]
        done = len(firsts) == n
        expected.append(alike[0] if alike and not done else row)
        if not alike and not done:
            firsts.append(row)
    assert found_of(tables, n=n) == expected


@pytest.mark.parametrize("n", [1, 21])
def test_nothing_ranked_has_no_copies(empty_folder: Path, n: int):
    tables = tables_of(empty_folder, ("A", "So."))
    none = np.zeros(0, np.int64)
    assert stand_ins(tables.arrays, none, none.astype(np.int32), n).tolist() == []
    assert originals(tables.arrays, none, none).tolist() == []
