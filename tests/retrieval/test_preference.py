"""Ties among passages that say the same: who takes the place, and that nothing else moves."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from hippohover.errors import NotInIndexError, UsageError
from hippohover.recipe import CorpusSettings, QuerySettings
from hippohover.records import RankedPassage
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.places import COMPARED
from hippohover.retrieval.retrievers import Retrievers
from hippohover.store.reader import StoredIndex
from hippohover.store.tables import IndexTables
from tests.indexing.update_samples import FAST, Row, built
from tests.retrieval.toy_samples import WALK, retrievers_over

WEIR = "Pale Weir is a long weir of stone and iron on a slow brown river, which Ada Finch built."
QUESTION = "Who built Pale Weir of stone and iron?"
SEARCHES = [("bm25", QUESTION), ("ppr", QUESTION)]


def record(identifier: str, title: str, text: str, date: object = None, **more: object) -> Row:
    dated = {} if date is None else {"date": date}
    return {"id": identifier, "title": title, "text": text, **dated, **more}


WORLD = [
    record("old", "Report", WEIR, "2021", rank=3),
    record("other", "Ada Finch", "Ada Finch built Pale Weir and locks.", "2030", rank=9),
    record("new", "Memo", f"{WEIR} A slow brown river. So slow.", "2024-03-05", rank=10),
    record("none", "Sketch", f"{WEIR} A slow river."),
    record("mid", "Notice", f"{WEIR} A river.", "2024-03", rank="2"),
    record("t-old", "Lock", "The lock of Ada Finch had iron gates.", "1999"),
    record("t-new", "Lock", "Stone stairs are beside it.", "2001"),
    *(record(f"n-{n}", f"Note {n}", f"Stone {n} of it." + " It is." * n, "2031") for n in range(9)),
]  # fmt: skip


def tables_of(rows: Sequence[Row], root: Path, *fields: str, max_words: int = 0) -> IndexTables:
    corpus = CorpusSettings(max_words=max_words, metadata=fields)
    root = built(rows, root, FAST.model_copy(update={"corpus": corpus}))
    return IndexTables.open(StoredIndex.open(root))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> IndexTables:
    return tables_of(WORLD, tmp_path_factory.mktemp("prefer") / "i", "date", "rank")


def retrievers_of(tables: IndexTables, **changes: object) -> Retrievers:
    settings = QuerySettings.model_validate({**WALK.model_dump(), **changes})
    return retrievers_over(tables, settings)


def dates(tables: IndexTables, rows: object) -> list[str | None]:
    return tables.passages.column("metadata.date").take(rows).to_pylist()


def ids(tables: IndexTables, rows: object) -> list[str]:
    return tables.passages.column("document").take(rows).to_pylist()


def test_short_texts_of_the_same_words_say_the_same(tmp_path: Path):
    fee = "The fee of Orme is nine crowns for each ship after dark"
    rows = [
        record("a", "Notice A", f"{fee}.", "2020"),
        record("b", "Notice B", f"{fee}!", "2024"),
        record("c", "Notice C", f"{fee} and noon.", "2030"),
        record("d", "Ship", "A fee.", "2021"),
        record("e", "Ship of Orme", "A fee!", "2022"),
    ]
    tables = tables_of(rows, tmp_path / "i", "date")
    found = {
        prefer: ids(tables, retrievers_of(tables, prefer=prefer)("bm25", "fee of Orme", 9).rows)
        for prefer in ("date", "-date")
    }
    swapped = {"a": "b", "b": "a"}
    assert found["date"] == [swapped.get(one, one) for one in found["-date"]]
    assert found["date"].index("b") < found["date"].index("a")


COPIES = {"old", "new", "none", "mid"}
LOCKS = {"t-old", "t-new"}


@pytest.mark.parametrize(("name", "claim"), SEARCHES)
@pytest.mark.parametrize(
    ("prefer", "copies", "locks"),
    [
        ("date", ["new", "mid", "old", "none"], ["t-new", "t-old"]),
        ("-date", ["old", "mid", "new", "none"], ["t-old", "t-new"]),
        ("rank", ["new", "old", "mid", "none"], None),
        ("-rank", ["mid", "old", "new", "none"], None),
    ],
)
@pytest.mark.parametrize("one_per_document", [True, False])
def test_the_preferred_take_the_places_of_those_that_say_the_same(
    world: IndexTables,
    name: str,
    claim: str,
    prefer: str,
    copies: list[str],
    locks: list[str] | None,
    one_per_document: bool,
):
    changes = {"one_per_document": one_per_document}
    plain = retrievers_of(world, **changes)(name, claim, 21)
    found = retrievers_of(world, **changes, prefer=prefer)(name, claim, 21)
    before, after = ids(world, plain.rows), ids(world, found.rows)
    assert [one for one in after if one in COPIES] == copies
    assert [one for one in after if one in LOCKS] == (
        locks or [one for one in before if one in LOCKS]
    )
    for group in (COPIES, LOCKS):
        assert [one in group for one in after] == [one in group for one in before]
    others = [one for one in before if one not in COPIES | LOCKS]
    assert [one for one in after if one not in COPIES | LOCKS] == others
    assert found.scores.tobytes() == plain.scores.tobytes()


@pytest.mark.parametrize(("name", "claim"), SEARCHES)
def test_of_grouped_copies_the_preferred_one_is_shown(world: IndexTables, name: str, claim: str):
    plain = retrievers_of(world, near_copies="grouped")(name, claim, 21)
    found = retrievers_of(world, near_copies="grouped", prefer="date")(name, claim, 21)
    before, after = ids(world, plain.rows), ids(world, found.rows)
    assert [one for one in after if one in COPIES] == ["new"]
    place = after.index("new")
    assert before[place] in COPIES
    assert ids(world, found.others[place].rows) == ["mid", "old", "none"]
    assert [one for one in after if one in LOCKS] == ["t-new", "t-old"]
    assert found.scores.tobytes() == plain.scores.tobytes()


@pytest.mark.parametrize("near_copies", ["apart", "grouped"])
@pytest.mark.parametrize("one_per_document", [True, False])
@pytest.mark.parametrize("name", ["bm25", "ppr"])
def test_the_first_of_more_places_are_those_of_fewer(
    world: IndexTables,
    name: str,
    near_copies: str,
    one_per_document: bool,
):
    retrievers = retrievers_of(
        world, near_copies=near_copies, one_per_document=one_per_document, prefer="date"
    )
    deep = retrievers(name, QUESTION, 1000)
    assert ids(world, deep.rows[:1]) != ["old"]
    for depth in (1, 2, 3, 21):
        found = retrievers(name, QUESTION, depth)
        assert found.rows.tolist() == deep.rows[:depth].tolist()
        assert found.scores.tolist() == deep.scores[:depth].tolist()
        assert len(found.others) == min(len(deep.others), depth)


def test_behind_the_compared_nothing_changes_places(tmp_path: Path):
    rows = [
        record(f"d-{n:03}", f"Title {n % 2}", "Weir. " + "So. " * n, str(n))
        for n in range(COMPARED + 9)
    ]
    tables = tables_of(rows, tmp_path / "i", "date")
    plain = retrievers_of(tables)("bm25", "Weir", 1000)
    found = retrievers_of(tables, prefer="date")("bm25", "Weir", 1000)
    # Every other one has the one title.
    before, after = (dates(tables, found.rows) for found in (plain, found))
    compared = np.array(before[:COMPARED], np.int64)
    expected = compared.copy()
    for title in (0, 1):
        of_title = compared % 2 == title
        expected[of_title] = -np.sort(-compared[of_title])
    assert after[:COMPARED] == list(map(str, expected.tolist())) != before[:COMPARED]
    assert after[COMPARED:] == before[COMPARED:]


def test_a_document_takes_its_passages_with_it_and_only_its_best_says_the_same(tmp_path: Path):
    rows = [
        record("old", "Weir", "The old weir of Ort is a weir of Ort. " * 3, "1999"),
        record("new", "Weir", "A weir. Nothing is here. " * 4, "2001"),
        record("else", "Ort", "Ort has one weir.", "2002"),
    ]
    tables = tables_of(rows, tmp_path / "i", "date", max_words=9)
    claim = "The old weir of Ort"
    plain, found = (
        retrievers_of(tables, prefer=prefer)("bm25", claim, 3) for prefer in ("", "date")
    )
    assert ids(tables, plain.rows) == ["old", "else", "new"]
    assert ids(tables, found.rows) == ["new", "else", "old"]
    assert [set(ids(tables, others.rows)) for others in found.others] == [{"new"}, set(), {"old"}]
    assert found.scores.tolist() == plain.scores.tolist()
    for score, others in zip(found.scores, found.others, strict=True):
        assert bool(np.all(others.scores <= score))
    apart = retrievers_of(tables, one_per_document=False)("bm25", claim, 21)
    swapped = retrievers_of(tables, one_per_document=False, prefer="date")("bm25", claim, 21)
    moved = np.flatnonzero(apart.rows != swapped.rows)
    assert sorted(ids(tables, swapped.rows[moved])) == ["new", "old"]
    assert ids(tables, swapped.rows[moved[:1]]) == ["new"]


def test_records_of_one_title_without_ids_are_ordered_too(tmp_path: Path):
    rows: list[Row] = [
        {"title": "Ort", "text": "Ort has a weir of stone.", "date": "2001"},
        {"title": "Ort", "text": "Ort has a harbour, and no weir today.", "date": "2024"},
        {"title": "Ort", "text": "Ort has nothing."},
    ]
    tables = tables_of(rows, tmp_path / "i", "date")
    claim = "Ort has a weir of stone"
    for prefer, expected in (("date", ["2024", "2001", None]), ("-date", ["2001", "2024", None])):
        found = retrievers_of(tables, prefer=prefer)("bm25", claim, 21)
        assert [*dates(tables, found.rows), *dates(tables, found.others[0].rows)] == expected


def test_of_a_record_only_the_best_passage_moves(tmp_path: Path):
    rows: list[Row] = [
        {"title": "Ort", "text": "Ort has a weir. Ort has a weir. So it is today.", "date": "2001"},
        {"title": "Ort", "text": "Ort is far. Nobody has it. It is dull.", "date": "2024"},
    ]
    tables = tables_of(rows, tmp_path / "i", "date", max_words=4)
    plain, found = (
        retrievers_of(tables, prefer=prefer)("bm25", "Ort has a weir, it is", 21)
        for prefer in ("", "date")
    )
    before, after = (
        np.concatenate([ranking.rows, ranking.others[0].rows]) for ranking in (plain, found)
    )
    years = dates(tables, before)
    assert (years[0], years.count("2001"), years.count("2024")) == ("2001", 3, 3)
    place = years.index("2024")
    before[[0, place]] = before[[place, 0]]
    assert after.tolist() == before.tolist()


def test_the_passages_of_two_versions_change_places_with_their_copies(tmp_path: Path):
    first, second = (" ".join(f"{word}{n}" for n in range(12)) for word in ("stone", "iron"))
    rows = [
        record("old", "Weir", f"Pale {first}. Pale {second}.", "1999"),
        record("new", "Weir", f"Pale pale {first}. Pale pale {second}.", "2001"),
    ]
    tables = tables_of(rows, tmp_path / "i", "date", max_words=14)
    for prefer, expected in (("date", ["new", "old"]), ("-date", ["old", "new"])):
        search = retrievers_of(tables, one_per_document=False, prefer=prefer)
        found = search("bm25", f"Pale {first} iron1 iron2", 21)
        assert ids(tables, found.rows) == expected * 2
        assert found.scores[1] > found.scores[2]


def test_what_the_claim_names_apart_keeps_its_place(tmp_path: Path):
    rows = [record("a", "Mill A", WEIR, "1999"), record("b", "Mill B", WEIR, "2001")]
    tables = tables_of(rows, tmp_path / "i", "date")
    claim = "Mill A and Mill B are Pale Weir"
    plain = retrievers_of(tables)("bm25", claim, 21)
    for prefer, expected in (("date", ["b", "a"]), ("-date", ["a", "b"])):
        search = retrievers_of(tables, prefer=prefer)
        assert ids(tables, search("bm25", "Pale Weir of stone", 21).rows) == expected
        assert search("bm25", claim, 21).rows.tolist() == plain.rows.tolist()


# --- without the setting -----------------------------------------------------------------------


def without_metadata(passages: Sequence[RankedPassage]) -> str:
    return repr([
        (one.pid, one.rank, one.title, one.score, one.near_copy, without_metadata(one.others))
        for one in passages
    ])  # fmt: skip


def test_without_the_setting_answers_are_those_of_an_index_without_the_field(tmp_path: Path):
    answers: list[str] = []
    for fields in ((), ("date", "rank")):
        place = tmp_path / str(len(fields))
        corpus = CorpusSettings(max_words=0, metadata=fields)
        root = built(WORLD, place / "i", FAST.model_copy(update={"corpus": corpus}))
        for near_copies in ("apart", "grouped"):
            settings = QuerySettings(rerank=False, near_copies=near_copies)
            engine = HippoHover.open(root, settings=settings)
            for name in ("bm25", "ppr"):
                found = engine.retrieve(QUESTION, 21, name).passages
                answers.append(without_metadata(found))
            engine.close()
    assert answers[:4] == answers[4:]
    assert len(set(answers)) == 4


@pytest.mark.parametrize("name", ["bm25", "ppr"])
@pytest.mark.parametrize("near_copies", ["apart", "grouped"])
def test_where_nothing_says_the_same_nothing_moves(tmp_path: Path, name: str, near_copies: str):
    rows = [
        record(f"n-{n}", f"Note {n}", f"Stone {n} of the weir. " + "So it is. " * n, str(n))
        for n in range(30)
    ]
    tables = tables_of(rows, tmp_path / "i", "date", max_words=9)
    plain, found = (
        retrievers_of(tables, near_copies=near_copies, prefer=prefer)(name, "Stone of the weir", 21)
        for prefer in ("", "date")
    )
    assert found.rows.tobytes() == plain.rows.tobytes()
    assert found.scores.tobytes() == plain.scores.tobytes()


# --- refusals ----------------------------------------------------------------------------------


@pytest.mark.parametrize("prefer", ["day", "-day", "title", "pid", "id"])
def test_a_field_that_the_index_does_not_keep_is_named(world: IndexTables, prefer: str):
    field = prefer.removeprefix("-")
    with pytest.raises(UsageError, match=rf"prefer is '{prefer}', .* no field '{field}': name one "
                       "of date, rank, or build it with corpus.metadata"):  # fmt: skip
        retrievers_of(world, prefer=prefer)


def test_an_engine_does_not_open_with_such_a_field(toy_index: Path):
    with pytest.raises(NotInIndexError, match=r"no field 'date': build it with corpus\.metadata"):
        HippoHover.open(toy_index, settings=QuerySettings(prefer="date"))


def test_nothing_found_has_no_ties(world: IndexTables):
    search = retrievers_of(world, prefer="date")
    for name in ("ppr", "bm25"):
        assert len(search(name, "Zyxwv qqfjord brgltx", 21).rows) == 0
