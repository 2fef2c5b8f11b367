"""What counts as mentioned: what stands as written, by itself, in passages of other documents."""

from pathlib import Path

import numpy as np
import pytest

from hippohover.overview.mentioned import Mentions, distinct, is_shown
from hippohover.store.tables import IndexTables
from hippohover.store.text_store import TextStore
from hippohover.testing.indexes import built
from tests.overview.overview_samples import tables_at

PLACES = ("Carvick", "Telk", "Oswick", "Vessby")
SAID = {
    "Lake Sarn": "The boats of {0} are moored at Lake Sarn in winter.",
    "She Is": "Ada came to {0} late. She is a pilot.",
    "Look Out": "Look out for the ferry at {0}.",
    "Ton": "The TON has Tonnes of oats in {0}.",
    "Tide!": "The tide is high at {0}, says the Tide Office.",
    "Larch": "The firm Larch Brothers of {0} sells doors.",
    "Rule 12: Tolls of barges": "In {0} one pays as Rule 12 says.",
    "Night Ferry (opera)": "The choir of {0} sang in Night Ferry last year.",
    "Upper weir": "Near {0} the upper weir is shut.",
    "Dawn": 'They showed "To Live by Dawn" in {0}.',
}
ROWS = [{"title": title, "text": f"A text on it, number {n}."} for n, title in enumerate(SAID)] + [
    {"title": f"{place} {n}", "text": said.format(place)}
    for n, said in enumerate(SAID.values())
    for place in PLACES
]


@pytest.fixture(scope="module")
def mentions(tmp_path_factory: pytest.TempPathFactory) -> Mentions:
    return Mentions(tables_at(built(ROWS, tmp_path_factory.mktemp("mentioned") / "index")))


def row_of(tables: IndexTables, title: str) -> int:
    return int(tables.rows_equal("title", title)[0])


def named(mentions: Mentions, name: str) -> int:
    """The entity of a name."""
    tables = mentions.tables
    names = [name.casefold() for name in tables.entities.column("name").to_pylist()]
    return names.index(name.casefold())


@pytest.mark.parametrize(
    ("title", "is_mentioned"),
    [
        ("Lake Sarn", True),
        ("She Is", False),
        ("Look Out", False),
        ("Ton", False),
        ("Tide!", False),
        ("Larch", False),
        ("Rule 12: Tolls of barges", True),
        ("Night Ferry (opera)", True),
        ("Upper weir", True),
        ("Dawn", False),
        ("Carvick 1", False),
    ],
)
def test_a_title_is_mentioned_where_others_write_it_by_itself(
    mentions: Mentions, title: str, *, is_mentioned: bool
):
    assert mentions.has_title(row_of(mentions.tables, title)) is is_mentioned


def test_a_name_before_a_colon_is_that_of_its_document(mentions: Mentions):
    title = "Rule 12: Tolls of barges"
    assert mentions.mentioned_title(named(mentions, "Rule 12")) == title
    assert mentions.short_title(row_of(mentions.tables, title)) == "Rule 12"
    assert mentions.short_title(row_of(mentions.tables, "Lake Sarn")) == "Lake Sarn"


def test_what_stands_before_a_dash_or_two_colons_names_no_document(tmp_path: Path):
    rows = [
        {"title": "Telk - Vessby Line War", "text": "It was short."},
        {"title": "Oswick: a history", "text": "It is long."},
        {"title": "Oswick: a guide", "text": "It is short."},
        {"title": "note", "text": "Go from Telk to Oswick, then back to Telk."},
    ]
    mentions = Mentions(tables_at(built(rows, tmp_path / "index")))
    assert [mentions.mentioned_title(named(mentions, one)) for one in ("Telk", "Oswick")] == [
        "",
        "",
    ]
    short = mentions.short_title(row_of(mentions.tables, "Oswick: a guide"))
    assert short == "Oswick: a guide"
    assert not mentions.has_title(row_of(mentions.tables, short))


def test_a_link_mentions_whatever_its_words_are(tmp_path: Path):
    rows = [
        {"id": "plan", "title": "Plan of 1911", "text": "It has two sheets."},
        {"id": "note", "title": "note", "text": "See the drawing.", "links": ["Plan of 1911"]},
    ]
    mentions = Mentions(tables_at(built(rows, tmp_path / "index")))
    assert mentions.has_title(row_of(mentions.tables, "Plan of 1911"))


def test_names_are_told_as_passages_write_them_within_sentences(tmp_path: Path):
    texts = [
        "ada brunt wrote it.",
        "It was written by Ada Brunt.",
        "The opera by Ada Brunt is long.",
        "They met Ada Brunt. Use the gate.",
        "A boat. Use the oar.",
        "A weir. Use the bridge.",
    ]
    rows = [{"id": f"n-{n}", "title": f"n-{n}", "text": text} for n, text in enumerate(texts)]
    mentions = Mentions(tables_at(built(rows, tmp_path / "index")))
    names = [mentions.name_of(one) for one in range(len(mentions.n_naming))]
    assert set(names) == {"", "Ada Brunt"}


def test_the_names_of_some_passages_come_by_how_many_have_them(mentions: Mentions):
    tables = mentions.tables
    rows = np.array([row_of(tables, title) for title in ("Carvick 0", "Telk 0")])
    assert mentions.most_named(rows)[0] == named(mentions, "Lake Sarn")
    assert len(mentions.most_named(rows[:0])) == 0


def test_few_texts_are_read_however_many_name_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    rows = [{"title": "Lake Sarn", "text": "It is deep."}]
    rows += [{"title": f"walk {n}", "text": f"Walk {n} ends at Lake Sarn."} for n in range(50)]
    mentions = Mentions(tables_at(built(rows, tmp_path / "index")))
    read: list[int] = []
    text_of = TextStore.__getitem__

    def counted(texts: TextStore, row: int) -> str:
        read.append(row)
        return text_of(texts, row)

    monkeypatch.setattr(TextStore, "__getitem__", counted)
    assert mentions.has_title(row_of(mentions.tables, "Lake Sarn"))
    assert len(read) == 8
    assert max(read) > 40  # not only of the first passages


@pytest.mark.parametrize("name", ["B", "4", "1999", "II", "XIV", "which", "she is", "4K", "水"])
def test_some_names_say_nothing_alone(name: str):
    assert not is_shown(name)


@pytest.mark.parametrize("name", ["UK", "World War II", "MTV", "水路", "Rule 12", "DC"])
def test_other_names_do(name: str):
    assert is_shown(name)


def test_names_differ_from_one_another_and_from_what_is_shown():
    names = ["italy", "", "Italy", "Rule 12", "night ferry", "Telk", "Carvick"]
    shown = ["Rule 12: Tolls", "Night Ferry (opera)"]
    assert distinct(names, 2, shown) == ("italy", "Telk")
    assert distinct(names, 9, shown) == ("italy", "Telk", "Carvick")
