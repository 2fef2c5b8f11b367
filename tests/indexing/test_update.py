"""An index that was updated is the one that a build of the resulting corpus makes."""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hippohover.errors import (
    CorpusError,
    HippoHoverError,
    IndexDamagedError,
    IndexStoreError,
    UsageError,
)
from hippohover.indexing import build as build_module
from hippohover.indexing import triple_stage as extraction
from hippohover.indexing.build import build
from hippohover.indexing.triples import cache as triple_cache
from hippohover.indexing.triples.between import BetweenTriples
from hippohover.indexing.update import add, alias, delete
from hippohover.indexing.updates.changes import Update
from hippohover.indexing.workers.stage_cache import StageCache
from hippohover.names.gazetteer import Gazetteer
from hippohover.recipe import CorpusSettings
from hippohover.records import Passage, Triple
from hippohover.store.reader import StoredIndex
from hippohover.store.tables import IndexTables
from hippohover.store.writer import IndexWriter
from tests.encoder_samples import length_encoder
from tests.indexing.update_samples import FAST, WORLD, Row, built, checksums, corpus_of, version

ALIASES = [
    ("Mara", "Mara Lindqvist"), ("Silver Loom (film)", "Velmora"), ("the Loom", "Silver Loom"),
    ("Nobody Known", "Zyxwolf"), ("Otto Brenner", "O. B."),
]  # fmt: skip


# --- the same as a build -----------------------------------------------------------------------


def test_what_is_added_and_deleted(tmp_path: Path):
    root = built(WORLD[:3], tmp_path / "i")
    new = corpus_of(WORLD[2:], tmp_path / "new.jsonl")
    assert add(root, new) == Update(n_added=8, n_removed=0, n_known=1, n_passages=11)
    assert checksums(root) == checksums(built(WORLD, tmp_path / "all"))
    assert delete(root, ["Aldermoor", "Velmora"]) == Update(
        n_added=0, n_removed=6, n_known=0, n_passages=5
    )
    left = [row for row in WORLD if row["title"] not in {"Aldermoor", "Velmora"}]
    assert checksums(root) == checksums(built(left, tmp_path / "left"))
    assert version(root) == "v000003"


DOCUMENTS: list[Row] = [
    {"id": "a/weir", "title": "Pale Weir", "aliases": ["the Weir", "PW-1"],
     "text": "# One\nPale Weir is a lock. It is old, see [[b/ott]].\n## Two\nNobody knows it."},
    {"id": 7, "title": "Ott: a river", "text": "Ott runs by the Weir. It is long, slow and brown."},
    {"path": "b/ott", "title": "Ott", "text": "Ott is a name, of PW-1 and more.", "links": ["7"]},
    {"title": "Ott: a town", "text": "# Old\nA town.", "links": ["a/weir", "nowhere"]},
]  # fmt: skip


def test_documents_with_ids_aliases_headings_and_links(tmp_path: Path):
    root = built(DOCUMENTS[:1], tmp_path / "i")
    add(root, corpus_of(DOCUMENTS[1:], tmp_path / "new.jsonl"))
    assert checksums(root) == checksums(built(DOCUMENTS, tmp_path / "all"))
    with StoredIndex.open(root) as stored:
        counts = stored.manifest.counts
        assert (counts["n_links"], counts["n_unresolved_links"]) == (4, 1)
        assert counts["n_documents"] == 4
    delete(root, ["Pale Weir"])
    assert checksums(root) == checksums(built(DOCUMENTS[1:], tmp_path / "left"))


@pytest.mark.slow
@settings(
    max_examples=min(40, settings().max_examples),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_any_sequence_of_updates_equals_a_build(
    memory_folder: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
):
    place = memory_folder / "updates"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    rows = st.lists(st.sampled_from([*WORLD, *DOCUMENTS]), min_size=1, max_size=5)
    corpus = data.draw(rows, "first")
    recipe = FAST
    root = built(corpus, place / "i")
    for _ in range(data.draw(st.integers(1, 4), "updates")):
        titles = sorted({str(row["title"]) for row in corpus})
        gone = data.draw(st.lists(st.sampled_from(titles), max_size=2, unique=True), "gone")
        if data.draw(st.booleans(), "alias"):
            lines = data.draw(st.lists(st.sampled_from(ALIASES), max_size=3, unique=True), "lines")
            recipe = FAST.model_copy(update={"aliases": dict(sorted(lines))})
            alias(root, dict(lines), workers=1)
        elif gone and len(gone) < len(titles):
            delete(root, gone, workers=1)
            corpus = [row for row in corpus if row["title"] not in gone]
        else:
            new = data.draw(rows, "new")
            add(root, corpus_of(new, place / "new.jsonl"), workers=1)
            corpus = [*corpus, *new]
    assert checksums(root) == checksums(built(corpus, place / "all", recipe))


@pytest.mark.parametrize(
    "recipe", ["hidden", pytest.param("vectors", marks=pytest.mark.slow), "metadata"]
)
def test_hidden_titles_and_vectors_of_facts(tmp_path: Path, recipe: str):
    changed = {
        "hidden": {"corpus": CorpusSettings(titles="hidden")},
        "vectors": {"encoder": "minilm-static", "fact_vectors": True},
        "metadata": {"corpus": CorpusSettings(metadata=("links_of",))},
    }
    made = FAST.model_copy(update=changed[recipe])
    root = built(WORLD[:4], tmp_path / "i", made)
    add(root, corpus_of(WORLD, tmp_path / "new.jsonl"))
    assert checksums(root) == checksums(built(WORLD, tmp_path / "all", made))


@pytest.mark.slow
def test_a_parsed_index(tmp_path: Path):
    parsed = FAST.model_copy(update={"extractor": "spacy"})
    root = built(WORLD[:6], tmp_path / "i", parsed)
    add(root, corpus_of(WORLD[6:], tmp_path / "new.jsonl"))
    delete(root, ["Otto Brenner"])
    left = [row for row in WORLD if row["title"] != "Otto Brenner"]
    assert checksums(root) == checksums(built(left, tmp_path / "left", parsed))


def test_where_the_corpus_lies_does_not_count(tmp_path: Path):
    settings = FAST.corpus.model_copy(update={"path": str(tmp_path / "all.jsonl")})
    named = FAST.model_copy(update={"corpus": settings})
    given_ = built(WORLD, tmp_path / "1")
    of_recipe = build(named, out=tmp_path / "2")
    assert named.sha256 == FAST.sha256
    assert checksums(given_) == checksums(of_recipe)
    assert str(tmp_path).encode() not in checksums(of_recipe)


# --- the same document again -------------------------------------------------------------------


def test_a_document_takes_the_place_of_its_id(tmp_path: Path):
    root = built(DOCUMENTS, tmp_path / "i")
    new: Row = {**DOCUMENTS[0], "text": "Pale Weir is a lock. It fell, see [[b/ott]]."}
    corpus = corpus_of([new], tmp_path / "new.jsonl")
    done = add(root, corpus, replace=True)
    assert (done.n_added, done.n_removed, done.n_replaced, done.n_beside) == (1, 2, 1, 0)
    assert checksums(root) == checksums(built([new, *DOCUMENTS[1:]], tmp_path / "all"))
    assert add(root, corpus, replace=True) == Update(
        n_added=0, n_removed=0, n_known=1, n_passages=done.n_passages
    )
    assert version(root) == "v000002"


@pytest.mark.slow
def test_fields_links_and_names_are_replaced_with_the_text_left_as_it_is(tmp_path: Path):
    root = built(DOCUMENTS, tmp_path / "i")
    new: Row = {**DOCUMENTS[2], "links": ["a/weir"]}
    done = add(root, corpus_of([new], tmp_path / "new.jsonl"), replace=True)
    assert (done.n_added, done.n_removed, done.n_known, done.n_replaced) == (1, 1, 0, 1)
    rows = [*DOCUMENTS[:2], new, DOCUMENTS[3]]
    assert checksums(root) == checksums(built(rows, tmp_path / "all"))


@pytest.mark.slow
def test_without_an_id_the_title_is_it_and_of_another_kind(tmp_path: Path):
    root = built(WORLD, tmp_path / "i")
    new: list[Row] = [
        {"title": "Aldermoor", "text": "Aldermoor is gone."},
        {"title": "Velmora", "id": "v", "text": "Velmora is a town."},
    ]
    done = add(root, corpus_of(new, tmp_path / "new.jsonl"), replace=True)
    assert done.n_replaced == 1  # the film, which has no id, is another document than the town
    left = [row for row in WORLD if row["title"] != "Aldermoor"]
    assert checksums(root) == checksums(built([*left, *new], tmp_path / "all"))


def test_another_text_stands_beside_where_it_may_not_replace(tmp_path: Path):
    root = built(DOCUMENTS, tmp_path / "i")
    new: Row = {**DOCUMENTS[1], "text": "Ott runs dry."}
    done = add(root, corpus_of([new, DOCUMENTS[0]], tmp_path / "new.jsonl"))
    assert (done.n_added, done.n_removed, done.n_replaced, done.n_beside) == (1, 0, 0, 1)


@pytest.mark.parametrize("replacing", [True, False])
def test_what_has_no_id_stands_beside_what_has_one_and_is_counted(tmp_path: Path, replacing: bool):
    known: Row = {"title": "Ott", "id": "ott.md", "text": "Ott is a river."}
    root = built([*WORLD, known], tmp_path / "i")
    new: list[Row] = [{"title": "Ott", "text": "Ott runs dry."}, {"title": "Lo", "text": "Lo."}]
    done = add(root, corpus_of(new, tmp_path / "new.jsonl"), replace=replacing)
    assert (done.n_added, done.n_removed, done.n_namesakes) == (2, 0, 1)
    again = add(root, corpus_of(new, tmp_path / "new.jsonl"), replace=replacing)
    assert (again.n_known, again.n_namesakes) == (2, 0)


@pytest.mark.slow
def test_a_document_that_says_what_another_says_leaves_its_old_text(tmp_path: Path):
    rows: list[Row] = [
        {"id": "a", "title": "T", "text": "A is one."}, {"id": "b", "title": "T", "text": "B."},
    ]  # fmt: skip
    root = built(rows, tmp_path / "i")
    rows = [rows[0], {**rows[1], "text": "A is one."}]
    assert add(root, corpus_of(rows, tmp_path / "new.jsonl"), replace=True).n_removed == 1
    assert checksums(root) == checksums(built(rows, tmp_path / "all"))


def test_a_document_that_says_what_another_says_does_not_take_its_place(tmp_path: Path):
    rows: list[Row] = [{"id": "a", "title": "T", "text": "A."}, {"title": "U", "text": "B."}]
    root = built(rows, tmp_path / "i")
    copy: Row = {**rows[0], "id": "b"}
    done = add(root, corpus_of([copy], tmp_path / "new.jsonl"), replace=True)
    assert (done.n_known, done.n_added, done.n_repeats) == (1, 0, 1)
    assert version(root) == "v000002"
    assert checksums(root) == checksums(built([*rows, copy], tmp_path / "all"))


@pytest.mark.slow
def test_the_newest_of_what_is_added_takes_the_place(tmp_path: Path):
    root = built(DOCUMENTS, tmp_path / "i")
    new: list[Row] = [
        {"id": 7, "title": "Ott", "text": "Ott is newest.", "date": "2024-02-01"},
        {"id": "7", "title": "Ott", "text": "Ott is old.", "date": "2024-01-01"},
    ]
    done = add(root, corpus_of(new, tmp_path / "new.jsonl"), replace=True)
    assert done.n_replaced == 1
    with StoredIndex.open(root) as stored:
        assert (stored.log() or {})["read"]["n_older"] == 1
    rows = [DOCUMENTS[0], new[0], *DOCUMENTS[2:]]
    assert checksums(root) == checksums(built(rows, tmp_path / "all"))


def named(row: Row) -> object:
    return row.get("id", row.get("path", ("title", row["title"])))


AGAIN: list[Row] = [*WORLD, *DOCUMENTS] + [
    {**row, "text": f"{row['text']} {more}"}
    for row in [*WORLD, *DOCUMENTS]
    for more in ("It is old now.", "See [[Ott]].\n# More\nNo more.")
]


@pytest.mark.slow
@settings(
    max_examples=min(40, settings().max_examples),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_any_sequence_of_replacements_and_deletions_equals_a_build(
    memory_folder: Path, data: st.DataObject
):
    place = memory_folder / "replacements"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    rows = st.lists(st.sampled_from(AGAIN), min_size=1, max_size=5, unique_by=named)
    corpus = data.draw(rows, "first")
    root = built(corpus, place / "i")
    for _ in range(data.draw(st.integers(1, 4), "updates")):
        titles = sorted({str(row["title"]) for row in corpus})
        gone = data.draw(st.lists(st.sampled_from(titles), max_size=1), "gone")
        if gone and len(titles) > 1:
            delete(root, gone, workers=1)
            corpus = [row for row in corpus if row["title"] not in gone]
        new = data.draw(rows, "new")
        add(root, corpus_of(new, place / "new.jsonl"), replace=True, workers=1)
        names = {named(row) for row in new}
        corpus = [*(row for row in corpus if named(row) not in names), *new]
    assert checksums(root) == checksums(built(corpus, place / "all"))


# --- nothing twice -----------------------------------------------------------------------------


class Parser:
    """Stands where spaCy does, and knows which passages it was asked for."""

    name = "parser"
    version = "parser-1"
    asked: list[str] = []  # noqa: RUF012

    def __init__(self, model: str) -> None:
        assert model == "en_core_web_sm"

    def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple]]:
        Parser.asked += [passage.pid for passage in passages]
        return BetweenTriples(Gazetteer({})).extract(passages)


def test_no_passage_is_parsed_or_encoded_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    encoded: list[str] = []
    keep = StageCache.put

    def put(self: object, found: object, made_by: str) -> None:
        rows = list(found)  # pyright: ignore[reportArgumentType, reportUnknownVariableType]
        encoded.extend(key for key, _ in rows)  # pyright: ignore[reportUnknownVariableType]
        keep(self, rows, made_by)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(extraction, "SpacyTriples", Parser)
    monkeypatch.setattr(StageCache, "put", put)
    monkeypatch.setattr(triple_cache, "_PASSAGES_A_TASK", 2)
    monkeypatch.setattr(build_module, "load_encoder", length_encoder)
    Parser.asked = []
    recipe = FAST.model_copy(update={"extractor": "spacy", "encoder": "minilm"})
    root = built(WORLD[:5], tmp_path / "i", recipe)
    delete(root, ["Aldermoor"], workers=1)
    add(root, corpus_of(WORLD[3:], tmp_path / "new.jsonl"), workers=1)
    assert len(Parser.asked) == len(set(Parser.asked)) == 11
    assert len(encoded) == len(set(encoded)) == 24  # triples, vectors, two sentences asked


# --- what is refused ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Index of the whole world; read it only."""
    return built(WORLD, tmp_path_factory.mktemp("world") / "i")


@pytest.fixture
def root(template: Path, tmp_path: Path) -> Path:
    """Index of the whole world, this test's own."""
    return Path(shutil.copytree(template, tmp_path / "i"))


def test_what_is_there_already_publishes_nothing(root: Path, tmp_path: Path):
    assert add(root, corpus_of(WORLD[:2], tmp_path / "new.jsonl")) == Update(
        n_added=0, n_removed=0, n_known=2, n_passages=11
    )
    assert version(root) == "v000001"
    assert not list(root.glob(".building*"))


@pytest.mark.parametrize(
    ("titles", "words"),
    [
        (
            ["Nobody"],
            "no passage of the index has the title 'Nobody', so nothing was deleted: copy",
        ),
        (["Zyxwolf", "nobody", "Nobody"], "the title 'Nobody', nor 1 more of those given, so"),
        (["silver loom"], "'silver loom', so nothing was deleted: did you mean 'Silver Loom'"),
        (
            ["Silver Lom"],
            "nothing was deleted: did you mean 'Silver Loom', 'Silver Loom (film)'?",
        ),
        ([str(row["title"]) for row in WORLD], "nothing would be left"),
    ],
)
def test_titles_that_cannot_be_deleted(root: Path, titles: list[str], words: str):
    before = checksums(root)
    with pytest.raises(UsageError) as raised:
        delete(root, titles)
    assert words in str(raised.value)
    assert checksums(root) == before
    assert version(root) == "v000001"


def test_no_title_deletes_nothing(root: Path):
    assert delete(root, []) == Update(n_added=0, n_removed=0, n_known=0, n_passages=11)
    assert version(root) == "v000001"


def test_a_title_in_another_unicode_form_is_the_same(tmp_path: Path):
    rows = [*WORLD, {"title": "Łódź\u0301 Cafe\u0301", "text": "It is a place."}]
    root = built(rows, tmp_path / "i")
    assert delete(root, ["  Łódź\u0301  Café "]).n_removed == 1


def test_hidden_titles_cannot_be_deleted(tmp_path: Path):
    hidden = FAST.model_copy(update={"corpus": CorpusSettings(titles="hidden")})
    root = built(WORLD, tmp_path / "i", hidden)
    with pytest.raises(UsageError, match="hides its titles"):
        delete(root, ["Velmora"])


@pytest.mark.parametrize("corpus", ["missing.jsonl", "bad.jsonl", "empty.jsonl"])
def test_a_corpus_that_cannot_be_read_changes_nothing(root: Path, tmp_path: Path, corpus: str):
    (tmp_path / "bad.jsonl").write_text("{}\n{}\n")
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(CorpusError, match=corpus):
        add(root, tmp_path / corpus)
    assert version(root) == "v000001"
    assert not list(root.glob(".building*"))


def test_where_no_index_is_none_is_made(tmp_path: Path):
    new = corpus_of(WORLD, tmp_path / "new.jsonl")
    for place in (tmp_path / "none", tmp_path):
        with pytest.raises(HippoHoverError, match="index"):
            add(place, new)
    assert not (tmp_path / "none").exists()
    assert not (tmp_path / ".lock").exists()


def test_a_version_is_no_index_to_add_to(root: Path, tmp_path: Path):
    with pytest.raises(IndexStoreError, match="name the index itself"):
        add(root / "v000001", corpus_of(WORLD, tmp_path / "new.jsonl"))


def test_a_second_writer_is_refused(root: Path):
    with IndexWriter(root), pytest.raises(IndexStoreError, match="is being written by process"):
        delete(root, ["Velmora"])
    assert delete(root, ["Velmora"]).n_removed == 1


def test_a_damaged_index_is_not_built_upon(root: Path):
    file = root / "v000001" / "passages.arrow"
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    with pytest.raises(IndexDamagedError, match=r"passages\.arrow"):
        delete(root, ["Velmora"])
    assert version(root) == "v000001"


@pytest.mark.parametrize("workers", [0, -1])
def test_workers_are_checked(root: Path, workers: int):
    with pytest.raises(UsageError, match="workers"):
        delete(root, ["Velmora"], workers=workers)


def test_the_log_says_what_was_done(root: Path, tmp_path: Path):
    delete(root, ["Velmora"])
    with StoredIndex.open(root) as stored:
        log = stored.log() or {}
    told = asdict(Update(n_added=0, n_removed=1, n_known=0, n_passages=10))
    del told["failures"], told["built"]
    assert log["update"] == told
    add(root, corpus_of([*WORLD[2:4], {"title": "x", "text": " "}], tmp_path / "new.jsonl"))
    with StoredIndex.open(root) as stored:
        log = stored.log() or {}
        tables = IndexTables.open(stored)
    assert log["corpus"] == str(tmp_path / "new.jsonl")
    assert (log["read"]["n_documents"], log["read"]["n_empty"]) == (2, 1)
    assert np.array(tables.passages.column("pid")).tolist() == sorted(
        tables.passages.column("pid").to_pylist()
    )


WITH_LANG = FAST.model_copy(update={"corpus": CorpusSettings(metadata=("lang",))})
TWO: list[Row] = [
    {"title": "A", "text": "A is one.", "lang": "en"}, {"title": "B", "text": "B is two."},
]  # fmt: skip


def test_other_fields_of_a_known_text_are_told_and_not_taken(tmp_path: Path):
    root = built(TWO, tmp_path / "i", WITH_LANG)
    before = checksums(root)
    changed: list[Row] = [{**TWO[0], "lang": "fr"}, {**TWO[1], "links": ["A"]}]
    assert add(root, corpus_of(changed, tmp_path / "c.jsonl")) == Update(
        n_added=0, n_removed=0, n_known=2, n_passages=2, n_differing=2
    )
    assert add(root, corpus_of([{**TWO[0], "aliases": ["AA"]}], tmp_path / "e.jsonl")) == Update(
        n_added=0, n_removed=0, n_known=1, n_passages=2, n_differing=1
    )
    assert checksums(root) == before
    assert add(root, corpus_of(TWO, tmp_path / "d.jsonl")) == Update(
        n_added=0, n_removed=0, n_known=2, n_passages=2, n_differing=0
    )


def test_the_last_document_with_a_field_can_be_deleted(tmp_path: Path):
    root = built(TWO, tmp_path / "i", WITH_LANG)
    assert delete(root, ["A"]) == Update(n_added=0, n_removed=1, n_known=0, n_passages=1)
    assert add(root, corpus_of(TWO, tmp_path / "c.jsonl")) == Update(
        n_added=1, n_removed=0, n_known=1, n_passages=2
    )


def test_titles_in_one_text_are_refused(root: Path):
    with pytest.raises(UsageError, match=r"titles is one str: give a list, \['Velmora'\]"):
        delete(root, "Velmora")


def test_a_word_without_end_is_a_title_and_no_name(tmp_path: Path):
    """The table of names has no room to waste on it."""
    long = "A" * 1_000_000
    rows: list[Row] = [{"title": long, "text": "x y"}, {"title": "B", "text": f"{long} {long}."},
                       {"title": "C", "text": f"{long} is here."}]  # fmt: skip
    root = built(rows, tmp_path / "i")
    with StoredIndex.open(root) as stored:
        assert stored.manifest.counts["n_passages"] == 3
    with pytest.raises(UsageError, match=r"1 to 16 words of 1,000 characters at most") as refused:
        alias(root, {long: "B"})
    assert len(str(refused.value)) < 500
