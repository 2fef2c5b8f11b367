"""The section of a passage that an answer cites."""

import pytest

from hippohover.explanation.explain import explain
from hippohover.indexing.build import build
from hippohover.recipe import IndexRecipe
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.where import Condition

NOTE = """# House rules of Belbury

The house stands in Belbury.

## Rates

A guest pays five crowns.

## Hours

The door closes at ten.

### On Sundays

The door of the house closes at nine.
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> HippoHover:
    place = tmp_path_factory.mktemp("citing")
    (place / "notes").mkdir()
    (place / "notes" / "house.md").write_text(NOTE, encoding="utf-8")
    (place / "notes" / "plain.md").write_text("Nothing else is here.", encoding="utf-8")
    (place / "notes" / "fees.py").write_text(
        "def fee(x):\n    return 5 * x\n\n\ndef tip(y):\n    return y / 10\n", encoding="utf-8"
    )
    recipe = IndexRecipe(name="cited", extractor="between", encoder="none")
    return HippoHover.open(build(recipe, corpus=place / "notes", out=place / "i", workers=1))


@pytest.mark.parametrize(
    ("claim", "citation", "heading"),
    [
        ("What does a guest pay?", "house.md#Rates", "Rates"),
        ("At which hour does the door close?", "house.md#Hours", "Hours"),
        ("When does the door close on Sundays?", "house.md#On Sundays", "Hours > On Sundays"),
        ("Where does the house stand?", "house.md", ""),
        ("House rules", "house.md", ""),  # words of the title are no section's
        ("How is a tip found?", "fees.py", "fees.py > tip"),
        ("Nothing else", "plain.md", ""),
    ],
)
def test_an_answer_cites_the_section_that_holds_most_of_the_claim(
    engine: HippoHover, claim: str, citation: str, heading: str
):
    best = engine.retrieve(claim).passages[0]
    assert (best.citation, best.heading) == (citation, heading)
    assert best.metadata.get("heading", "") == heading


def test_an_explanation_cites_the_same(engine: HippoHover):
    asked = "What does a guest pay?"
    explained = explain(engine, asked, title="House rules of Belbury")
    assert explained.metadata["anchor"] == "Rates"


@pytest.mark.parametrize(
    "condition", ["heading=Rates", "anchor^=On Sun", "heading=Hours > On Sundays"]
)
def test_a_condition_is_met_by_any_section_of_a_passage(engine: HippoHover, condition: str):
    found = engine.retrieve("anything", where=[Condition.parse(condition)]).passages
    assert {one.title for one in found} <= {"House rules of Belbury"}
    asked = "Where does the house of Belbury stand?"
    [best] = engine.retrieve(asked, where=[Condition.parse(condition)]).passages
    field, _, value = condition.replace("^=", "=").partition("=")
    assert str(best.metadata[field]).startswith(value)
