"""A claim's own words, each with how the evidence has it."""

from pathlib import Path

import pytest

from hippohover.records import PassageId, RankedPassage
from hippohover.retrieval.engine import HippoHover
from hippohover.verification.verifier import Draft, Verifier

PASSAGES = {
    "Granite Bank": "Became a client in 2019. They pay in Swiss francs.",
    "Beacon": "The queue flood stopped Beacon for 71 minutes. Billing twice cost 48,000 euros.",
    "Tim Lenz": "Tim Lenz joined in March 2021. He speaks Polish, German and a little Czech.",
    "Low Tide": "Low Tide is a film directed by Ann Venn.",
    "Ann Venn": "Ann Venn was born in Carvick. She is not a pilot. She teaches.",
}


@pytest.fixture
def passages() -> tuple[RankedPassage, ...]:
    told = enumerate(PASSAGES.items(), start=1)
    return tuple(RankedPassage(at, PassageId(t), t, text, 1.0) for at, (t, text) in told)


@pytest.fixture(scope="module")
def engine(encoded_toy_index: Path) -> HippoHover:
    return HippoHover.open(encoded_toy_index)


@pytest.mark.parametrize(
    ("claim", "marked"),
    [
        ("Tim Lenz joined in March 2021.", ["+Tim Lenz joined in March 2021"]),
        ("Tim Lenz joined in March 2022.", ["+Tim Lenz joined", "!March 2022=March 2021"]),
        ("Granite Bank pays in euros.", ["+Granite Bank pays", "?euros=Swiss francs"]),
        ("Tim Lenz speaks Polish, German and French. [1]",
         ["+Tim Lenz speaks Polish, German", "?French=a little Czech"]),
        ("The queue flood stopped Beacon for 2 hours.",
         ["+queue flood stopped Beacon", "?2 hours=71 minutes"]),
        ("Ann Venn is a pilot.", ["+Ann Venn", "!pilot=not pilot"]),
        ("Ann Venn sings.", ["+Ann Venn", "?sings"]),
        ("Ann Venn taught the painter.", ["+Ann Venn taught", "?painter"]),
        ("Ann Venn is a teacher and no swimmer.", ["+Ann Venn", "+teacher", "?swimmer"]),
        ("The director of Low Tide was born in Carvick.",
         ["+director of Low Tide", "+born in Carvick"]),
    ],
)  # fmt: skip
def test_each_word_is_held_or_not_said_or_contradicted(
    engine: HippoHover, passages: tuple[RankedPassage, ...], claim: str, marked: list[str]
):
    found = Verifier(engine).verify(Draft(claim, passages=passages))
    marks = found.marks["c_0001"]
    signs = {"held": "+", "not said": "?", "contradicted": "!"}
    told = [f"{signs[one.mark]}{one.text}{one.said and f'={one.said}'}" for one in marks]
    assert told == marked
    assert all(claim[slice(*one.span)] == one.text for one in marks)
    assert all(one.evidence in found.evidence for one in marks if one.evidence)
    assert found.as_dict()["marks"]["c_0001"][0]["mark"] == marks[0].mark


def test_a_word_behind_a_pronoun_is_marked_where_it_stands(
    engine: HippoHover, passages: tuple[RankedPassage, ...]
):
    draft = Draft("Ann Venn was born in Carvick. She was born in Dover.", passages=passages)
    marks = Verifier(engine).verify(draft).marks["c_0002"]
    assert [(one.text, one.mark, one.said) for one in marks] == [
        ("born", "held", ""), ("Dover", "contradicted", "Carvick"),
    ]  # fmt: skip
