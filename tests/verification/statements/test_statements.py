"""What passages state, piece by piece: each says by itself what it is about."""

from pathlib import Path

import pytest

from hippohover.indexing.build import build
from hippohover.recipe import IndexRecipe
from hippohover.records import PassageId, RankedPassage
from hippohover.retrieval.engine import HippoHover
from hippohover.verification.statements.neighbours import with_neighbours
from hippohover.verification.statements.statements import statements_of
from hippohover.verification.verifier import Draft, Verifier

CASES = [
    ("Ada Brook", "Joined in May 2020. Leads the dock team.",
     ["Ada Brook joined in May 2020.", "Ada Brook leads the dock team."]),
    ("Ada Brook", "Cards were lost. Compared with May, sales rose. This shows it.",
     ["Cards were lost.", "Compared with May, sales rose.", "This shows it."]),
    ("Pier", "Now closed at night. It is long.", ["Pier now closed at night.", "It is long."]),
    ("Shop", "We do not sell:\n\n- rye bread\n- milk",
     ["We do not sell:", "We do not sell rye bread", "We do not sell milk"]),
    ("Lens", "Seats: 6\nBuilt: 1904\nSealing: none\nStep-free: yes\nZoom: no",
     ["6 Seats", "Built: 1904", "no Sealing", "Step-free", "not Zoom"]),
    ("Boats", "Boat: Punt; Seats: 6; Covered: no", ["Boat: Punt, 6 Seats, not Covered"]),
    ("Wiki", "Was it certified? No. It was not tested.",
     ["It was not certified.", "It was not tested."]),
    ("Wiki", "Q: Can minors join?\nA: No, members must be 18.",
     ["Minors can not join.", "members must be 18."]),
    ("Wiki", "Is it sold abroad?\nYes, in ten lands.", ["It is sold abroad, in ten lands."]),
    ("Wiki", "Who teaches it?\nAnn Roe.\n\nWho will fix it?\nDario.",
     ["Ann Roe teaches it.", "Dario will fix it."]),
    ("Wiki", "How deep may beginners go?\n18 metres.\n\nWhen does the pool open?\nIn May.",
     ["Beginners may go 18 metres deep.", "The pool open in May."]),
    ("Wiki", "Is it true that the dam broke?\n\nWill it be rebuilt?", []),
    ("Log", "Jonas: I ordered my filter.", ["Jonas ordered Jonas's filter."]),
    ("Log", "Ida: Rest. Now I'm fixing it.", ["Ida: Rest.", "Now Ida is fixing it."]),
    ("Log", "Ida: Did you call?\nBo: Not yet.", ["Bo did not call: Not yet."]),
    ("Log", "> Was it right?\nNo, but it was 20 euros.", ["It was not right.", "it was 20 euros."]),
    ("Ann", "Spouse: Dan Orr (m. 1999)", ["Spouse: Dan Orr (m. 1999)"]),
    ("Ann", "Has never exhibited abroad.", ["Ann has never exhibited abroad."]),
    ("Log, Jonas", "Jonas: No.", []),
]  # fmt: skip


def of(title: str, text: str):
    passage = RankedPassage(1, PassageId("p"), title, text, 1.0)
    return statements_of([passage], retriever="ppr", source="toy")


@pytest.mark.parametrize(("title", "text", "said"), CASES)
def test_a_piece_says_by_itself_what_stands_there(title: str, text: str, said: list[str]):
    found = of(title, text)
    assert [one.said for one in found] == said
    assert all(text[one.char_start : one.char_end] == one.text for one in found)


def test_what_stands_above_a_piece_is_what_it_is_about():
    text = "## Rules\n\n- No dogs.\n\n### Fees\n\n- **Punt**: 4 pounds\n\n## Past\n\nLong."
    assert [(one.about, one.said) for one in of("Boathouse", text)] == [
        ("Boathouse, Rules", "No dogs."),
        ("Boathouse, Rules, Fees, Punt", "Punt: 4 pounds"),
        ("Boathouse, Past", "Long."),
    ]
    [row] = of("Prices", "Boat: Punt; Seats: 6")
    assert row.about == "Prices, Punt"


def test_a_message_is_read_with_the_question_before_it(tmp_path: Path):
    (tmp_path / "chats").mkdir()
    lines = ["08:02] Ida: Was the boiler serviced?", "08:05] Bo: No.", "08:09] Ida: Pity."]
    text = "".join(f"[2025-01-13 {line}\n" for line in lines)
    (tmp_path / "chats" / "heating.txt").write_text(text, "utf-8")
    index = build(IndexRecipe(), corpus=tmp_path / "chats", out=tmp_path / "index", workers=1)
    with HippoHover.open(index) as engine:
        for asked in ("Was the boiler serviced?", "No."):
            alone = [one for one in engine.retrieve("boiler Bo", 3).passages if asked in one.text]
            both = with_neighbours(engine, alone)
            said = [one.said for one in statements_of(both, retriever="ppr", source="")]
            assert said == ["The boiler was not serviced."]
        [claim] = Verifier(engine).verify(Draft("The boiler was serviced.")).answer.claims
        assert claim.status != "Supported"
        [claim] = Verifier(engine).verify(Draft("The boiler was not serviced.")).answer.claims
        assert claim.status == "Supported"
