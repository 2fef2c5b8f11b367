"""Identifiers and quotations that one passage alone holds, and numbered parts."""

import numpy as np
import pytest

from hippohover.indexing.build import build
from hippohover.recipe import IndexRecipe
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.exact_keys import ExactKeys, keys_in

NOTES = {
    "Winch": "The winch HX-1007 was oiled. Ask ada.finch@mail.example about it.",
    "Pump": "The pump HX-1008 was oiled. Invoice 20250117 is paid.",
    "Crane": "The crane HX-2001 was oiled and the pump HX-1007 was seen.",
    "Calls": "Its error comes from parse_claim() at 10.2.0.7 in 2025.",
    "Bells": "Nobody rings the small bell of the east gate in winter.",
    "Gates": "The bell of the small gate rings, and the east bell too.",
    **{f"Note {at}": f"The log {at} was signed at noon by the winch." for at in range(40)},
}


@pytest.mark.parametrize(
    ("claim", "keys"),
    [
        ("Who oiled HX-1007, in 2025?", ["hx 1007"]),
        ("Is invoice 20250117 paid?", ["20250117"]),
        ('Who rings "the small bell"?', ["the small bell"]),
        ("Who rings „the small bell“ or «the bell»?", ["the small bell", "the bell"]),
        ("Where does parse_claim fail at 10.2.0.7?", ["parse claim", "10 2 0 7"]),
        ("Ask ada.finch@mail.example.", ["ada finch mail example"]),
        ("Anne-Marie O'Neill's well-known U.S. film of 1984 is 3.5 hours long", []),
    ],
)
def test_keys_are_codes_and_quotations(claim: str, keys: list[str]):
    assert keys_in(claim) == keys


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> HippoHover:
    folder = tmp_path_factory.mktemp("keys")
    (folder / "notes").mkdir()
    for title, text in NOTES.items():
        (folder / "notes" / f"{title}.md").write_text(f"# {title}\n\n{text}\n", encoding="utf-8")
    recipe = IndexRecipe(name="keys", extractor="none", encoder="none")
    return HippoHover.open(build(recipe, corpus=folder / "notes", out=folder / "i", workers=1))


@pytest.mark.parametrize(
    ("claim", "titles"),
    [
        ("the log of the winch HX-1008", ["Pump"]),
        ("the log of the winch HX-1007", []),  # two have it
        ("the log of the winch HX-9999", []),
        ("HX-2001, parse_claim and 20250117", ["Crane", "Calls", "Pump"]),
        ('the log of "the small bell"', ["Bells"]),
        ("10.2.0.7 or 10.2.0.8", ["Calls"]),
    ],
)
def test_what_alone_holds_a_key_comes_first(engine: HippoHover, claim: str, titles: list[str]):
    exact = ExactKeys(engine.tables)
    names = engine.tables.passages.column("title").to_pylist()
    assert [names[row] for row in exact(claim)] == titles
    found = engine.retrieve(claim, k=3).passages
    assert {passage.title for passage in found} >= set(titles)
    assert not titles or found[0].title == titles[0]


@pytest.fixture(scope="module")
def acts(tmp_path_factory: pytest.TempPathFactory) -> HippoHover:
    folder = tmp_path_factory.mktemp("acts")
    (folder / "law").mkdir()
    said = (
        "Who does not pay is liable under Article {}(2). " + "The warden of the port decides. " * 8
    )
    for act, first in (("Harbour Act", 1), ("Bridge Act", 4), ("Tide Act", 6), ("Quay Act", 6)):
        parts = [f"Article {at}\n\n{said.format(at % 9 + 1)}" for at in range(first, first + 6)]
        (folder / "law" / f"{act}.txt").write_text("\n\n".join(parts), encoding="utf-8")
    for name in ("Route 66", "Rule 11 Days", "Rule 12 Fees", "Rule 13 Rest"):
        text = f"# {name}\n\nIt is said of {name} in May that it stays."
        (folder / "law" / f"{name}.md").write_text(text, encoding="utf-8")
    recipe = IndexRecipe(name="acts", extractor="none", encoder="none")
    return HippoHover.open(build(recipe, corpus=folder / "law", out=folder / "i", workers=1))


@pytest.mark.parametrize(
    ("claim", "found"),
    [
        ("What does Article 2(2) say?", ["Harbour Act: Article 2"]),
        ("article 2 and Article 1", ["Harbour Act: Article 2", "Harbour Act: Article 1"]),
        ("What does Article 6 of the Quay Act say?", ["Quay Act: Article 6"]),  # four have one
        ("Article 6", []),
        ("Article 5", []),  # two acts have one
        ("Article 5 of the Bridge Act", ["Bridge Act: Article 5"]),
        ("By the Harbour Act, Article 5 is void.", ["Harbour Act: Article 5"]),
        ("Article 77 or Room 2", []),
        ("Who visited Route 66?", []),  # one file of such a name is no series
        ("What does Rule 12(1) say?", ["Rule 12 Fees: "]),
    ],
)
def test_a_numbered_part_that_is_named_comes_first(acts: HippoHover, claim: str, found: list[str]):
    exact, passages = ExactKeys(acts.tables), acts.tables.passages
    rows = exact(claim)
    titles, headings = (passages.column(name).take(rows) for name in ("title", "heading"))
    named = zip(titles.to_pylist(), headings.to_pylist(), strict=True)
    assert [f"{title}: {heading}" for title, heading in named] == found
    first = acts.retrieve(claim, k=1).passages[0]
    assert not found or f"{first.title}: {first.heading}" == found[0]


def test_only_what_is_allowed_is_found(engine: HippoHover):
    exact, n = ExactKeys(engine.tables), engine.tables.arrays.n_rows
    assert not len(exact("HX-1008", np.zeros(n, np.bool_)))
    assert len(exact("HX-1008", np.ones(n, np.bool_))) == 1
