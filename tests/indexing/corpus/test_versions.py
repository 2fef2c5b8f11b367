"""Of the versions of a document the newest alone is in an index, however its corpus is read."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hippohover.errors import CorpusError
from hippohover.indexing.corpus import lines as lines_module
from hippohover.indexing.corpus import passage_store
from hippohover.indexing.corpus import stream as corpus_module
from hippohover.indexing.corpus.passage_store import PassageStore
from hippohover.indexing.corpus.passages import CorpusCounts
from hippohover.indexing.corpus.records import Document
from hippohover.indexing.corpus.source import CorpusStream, passage_source
from hippohover.indexing.corpus.stream import read_corpus
from hippohover.indexing.corpus.versions import (
    DocumentNames,
    Versions,
    older_among,
    own_name,
    seconds_of,
    without_older,
)
from hippohover.indexing.workers.runners import LocalRunner
from hippohover.recipe import CorpusSettings, IndexRecipe
from hippohover.records import Passage, passage_id
from tests.indexing.corpus.corpus_samples import json_line
from tests.indexing.work_samples import nothing

RECIPE = IndexRecipe(name="r", corpus=CorpusSettings(max_words=2, max_bad_share=1))
DATES = [None, "2024-01-01", "2024", "2023-12-31", "soon", 1704067201, []]

ROWS = st.lists(
    st.one_of(
        st.fixed_dictionaries(
            {
                "title": st.sampled_from("TU"),
                "text": st.sampled_from(["A b. C d.", "A b. E f.", ""]),
            },
            optional={
                "id": st.sampled_from(["1", 1, "2", ""]),
                "date": st.sampled_from(DATES),
                "links": st.lists(st.sampled_from("TU"), max_size=1),
            },
        ),
        st.just({"title": "no text"}),
    ),
    min_size=1,
    max_size=14,
)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks, pieces and runs of next to nothing."""
    monkeypatch.setattr(corpus_module, "_BLOCK_BYTES", 200)
    monkeypatch.setattr(lines_module, "BUFFER_BYTES", 60)
    monkeypatch.setattr(passage_store, "_PASSAGES_A_RUN", 2)


def written(folder: Path, rows: Sequence[object], name: str) -> Path:
    path = folder / name
    path.write_bytes(b"".join(map(json_line, rows)))
    return path


def stored(
    path: Path, folder: Path, *, stream: bool = False, workers: int = 1
) -> tuple[list[Passage], CorpusCounts]:
    """Passages and counts of a corpus, read in blocks or as a stream; the folder is emptied."""
    folder.mkdir(exist_ok=True)
    counts = CorpusCounts()
    source = passage_source(RECIPE, path, 10**6 if stream else None, counts)
    assert isinstance(source, CorpusStream) == stream
    store: PassageStore = source.write(
        folder, LocalRunner(workers), passages_a_chunk=3, progress=nothing
    )
    passages = list(store)
    files = sorted(folder.iterdir())
    assert len(files) == store.n_chunks + 1  # the last is of those that say the same
    for file in files:
        file.unlink()
    return passages, counts


def newest(rows: Sequence[object]) -> list[object]:
    """The rows without older versions: what a corpus has that was cleaned by hand."""
    last: dict[str, tuple[float, int]] = {}
    names: dict[int, str] = {}
    for number, row in enumerate(rows):
        assert isinstance(row, dict)
        name = str(row.get("id", ""))  # pyright: ignore[reportUnknownArgumentType]
        if name and row.get("text"):
            names[number] = name
            last[name] = max(last.get(name, (-np.inf, -1)), (seconds_of(row.get("date")), number))
    return [row for at, row in enumerate(rows) if at not in names or last[names[at]][1] == at]


@settings(
    max_examples=min(40, settings().max_examples),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(ROWS)
def test_a_corpus_is_read_as_one_without_older_versions(
    memory_folder: Path, rows: list[dict[str, object]]
):
    kept = newest(rows)
    folder = memory_folder / "store"
    try:
        clean = stored(written(memory_folder, kept, "clean.jsonl"), folder)
    except CorpusError:
        return
    path = written(memory_folder, rows, "all.jsonl")
    in_blocks, as_stream = stored(path, folder), stored(path, folder, stream=True)
    assert in_blocks == as_stream
    assert in_blocks[0] == clean[0]
    assert in_blocks[1].n_older == len(rows) - len(kept)
    in_blocks[1].n_older = 0
    in_blocks[1].failures = clean[1].failures = []  # they name lines, which are others
    assert in_blocks[1] == clean[1]


@pytest.mark.slow
def test_workers_do_not_decide_which_version_stays(tmp_path: Path):
    rows = [
        {"id": at % 9, "title": f"T{at % 9}", "text": f"Text {at}. Of all.", "date": 1950 + at % 7}
        for at in range(200)
    ]
    path = written(tmp_path, rows, "c.jsonl")
    one, two = (stored(path, tmp_path / "s", workers=workers) for workers in (1, 2))
    assert one == two == stored(path, tmp_path / "s", stream=True)
    assert one[1].n_older == 191


def test_the_part_that_two_versions_share_stays(tmp_path: Path):
    """It came first with the older one, and another document has it too."""
    rows = [
        {"id": "a", "title": "T", "text": "A b. C d."},
        {"id": "b", "title": "T", "text": "A b. E f."},
        {"id": "a", "title": "T", "text": "G h. E f."},
    ]
    path = written(tmp_path, rows, "c.jsonl")
    for stream in (False, True):
        passages, counts = stored(path, tmp_path / "s", stream=stream)
        assert {(p.text, p.document) for p in passages} == {
            ("A b.", "b"), ("E f.", "b"), ("G h.", "a"),
        }  # fmt: skip
        assert (counts.n_documents, counts.n_duplicates, counts.n_older) == (2, 1, 1)


def test_a_limit_counts_what_is_read_the_first_time(tmp_path: Path):
    rows = [{"id": "a", "title": "T", "text": f"{at}."} for at in range(3)]
    path = written(tmp_path, [*rows, {"title": "U", "text": "x"}], "c.jsonl")
    counts = CorpusCounts()
    read = partial(read_corpus, path, RECIPE.corpus, limit=2)

    def titles(versions: Versions) -> list[str]:
        counts.clear()
        return [passage.text for passage in read(counts=counts, versions=versions)]

    assert without_older(titles, Versions()) == ["1."]
    assert (counts.n_documents, counts.n_older) == (1, 1)


def test_files_of_one_name_are_no_versions_of_one_another(tmp_path: Path):
    (tmp_path / "n").mkdir()
    for name in ("a.md", "a.txt"):
        (tmp_path / "n" / name).write_text(f"Text of {name}.")
    passages, counts = stored(tmp_path / "n", tmp_path / "s", stream=True)
    assert {passage.document for passage in passages} == {"a"}
    assert (counts.n_documents, counts.n_older) == (2, 0)


def names_of(*documents: Document, by_path: bool = True) -> DocumentNames:
    names = DocumentNames(by_path=by_path)
    versions = Versions(names)
    for number, document in enumerate(documents):
        versions.add(number, document)
    assert len(versions.columns()[0]) == sum(bool(document.id) for document in documents)
    return names


def test_names_are_of_all_documents_with_text():
    names = names_of(Document("T", "x"), Document("T", "y", id="t"))
    assert (names.ids, names.titles) == ({"t"}, {"T"})
    assert names.hold("", "T", "") and names.hold("t", "else", "any/path.csv")
    assert not names.hold("", "t", "")
    assert not names.hold("T", "T", "")


def test_files_that_differ_in_their_suffix_are_told_apart_and_so_are_tables_of_a_folder():
    note = Document("x", "y", id="a/x", path="a/x.md")
    row = Document("x", "y", id="7", path="a/rows.csv")
    names = names_of(note, row)
    assert names.hold("a/x", "x", "a/x.md") and names.hold("7", "x", "a/rows.csv")
    assert not names.hold("a/x", "x", "a/x.txt")
    assert not names.hold("7", "x", "a/more.csv")
    assert names.hold("a/x", "x", "")  # of an index that has no paths
    alone = names_of(note, row, by_path=False)
    assert alone.hold("7", "x", "a/more.csv")
    assert not alone.hold("a/x", "x", "a/x.txt")


@pytest.mark.parametrize(
    ("identifier", "path", "own"),
    [
        ("a/x", "a/x.md", "a/x.md"),
        ("a/x#3", "a/x.log", "a/x.log#3"),
        ("t.csv#3", "t.csv", "t.csv#3"),
        ("a/xy", "a/x.md", ""),
        ("7", "t.csv", ""),
        ("x", "", ""),
        ("", "x.md", ""),
    ],
)
def test_a_document_may_have_its_id_of_its_file(identifier: str, path: str, own: str):
    assert own_name(identifier, path) == own


def test_nothing_is_older_than_nothing():
    none = np.zeros(0)
    assert older_among(none.astype(np.uint64), none, none.astype(np.int64)).tolist() == []


def test_equal_texts_whose_ids_come_of_them_are_no_versions():
    same = Document("T", "A b. ", id=passage_id("T", "A b.", 0))
    versions = Versions()
    for number, document in enumerate([same, same, same._replace(text="Else."), same]):
        versions.add(number, document)
    versions.settle(4)
    assert versions.older == frozenset()  # one alone has the id and another text
