"""Stages of one chunk: what they leave in its file, and when they must do it again."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.disk.columns import Columns, save_columns
from hippohover.errors import IndexDamagedError, ModelError, UsageError
from hippohover.indexing import chunk_stages
from hippohover.indexing.chunk_stages import (
    ScanStage,
    TripleStage,
    VectorStage,
    is_whole,
    load_triples,
    save_triples,
)
from hippohover.indexing.passage_scan import PassageScanner
from hippohover.indexing.triples.between import BetweenTriples
from hippohover.indexing.work_folder import WorkFolder
from hippohover.names.gazetteer import Gazetteer
from hippohover.records import Passage, Triple
from hippohover.store.tables import passage_text
from hippohover.vectors.embedding import save_encoder
from hippohover.vectors.unit_vectors import UnitVectors
from tests.encoder_samples import LengthEncoder, small_encoder
from tests.index_samples import refused
from tests.indexing.work_samples import name_entities, pid, work_of

WORLD = [
    ("Velmora", "Velmora is a drama made by Mara Lindqvist in Aldermoor."),
    ("Mara Lindqvist", "Mara Lindqvist met Otto Brenner in Velmora."),
    ("", "Otto Brenner was born in Aldermoor."),
    ("Aldermoor", "Aldermoor is a town."),
]
PASSAGES = [Passage(pid(row), title, text) for row, (title, text) in enumerate(WORLD)]
TRIPLES = [
    [Triple("Mara", "made", "Velmora", 0)], [],
    [Triple("Otto", "born in", "Aldermoor", 1), Triple("Ötto", "", "\0", 2)],
]  # fmt: skip


@pytest.fixture
def work(tmp_path: Path) -> WorkFolder:
    made = work_of(tmp_path, PASSAGES, size=3)
    name_entities(made)
    return made


def facts(work: WorkFolder, number: int) -> list[tuple[int, str, str, str, int]]:
    """(row, subject, predicate, object, sentence) that a scan left."""
    found = Columns(work.found(number))
    arguments = found.strings("argument_display").to_pylist()
    predicates = found.strings("predicate").to_pylist()
    return [
        (row, arguments[s], predicates[p], arguments[o], sentence)
        for s, p, o, row, sentence in found.numbers("triples", np.int32, width=5).tolist()
    ]


# --- triples -----------------------------------------------------------------------------------

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
STATED = st.lists(
    st.lists(st.builds(Triple, TEXT, TEXT, TEXT, st.integers(0, 99)), max_size=3), max_size=5
)


@given(STATED)
def test_triples_come_back_by_passage(memory_folder: Path, stated: list[list[Triple]]):
    save_triples(memory_folder / "t", stated)
    assert load_triples(memory_folder / "t") == stated


def test_a_file_is_whole_when_it_is_there_and_names_no_failure(tmp_path: Path):
    path = tmp_path / "t"
    assert not is_whole(path)
    save_triples(path, TRIPLES, ["passage 3: no triples"])
    assert not is_whole(path)
    assert load_triples(path) == TRIPLES
    save_triples(path, TRIPLES)
    assert is_whole(path)
    save_columns(path, {"failures": []})
    assert is_whole(path)


# --- the scan ----------------------------------------------------------------------------------


def test_what_a_scan_finds_is_what_the_scanner_finds(work: WorkFolder):
    stage, names = ScanStage(work, "none"), Gazetteer.open(work.names())
    for number in (1, 0):  # in any order
        assert stage(number) == []
        found = Columns(work.found(number))
        expected = PassageScanner(names)(PASSAGES[3 * number : 3 * number + 3])
        for name, column in expected.items():
            if isinstance(column, np.ndarray):
                left = found.numbers(name, column.dtype.type)
                assert left.dtype == column.dtype
                assert left.tolist() == column.reshape(-1).tolist(), name
            else:
                assert found.strings(name).to_pylist() == column, name
        assert is_whole(work.found(number))
        assert facts(work, number) == []


def test_triples_that_were_read_ahead_are_taken(work: WorkFolder):
    save_triples(work.triples(0), TRIPLES)
    stage = ScanStage(work, "spacy")
    stage(0)
    with refused(IndexDamagedError, r"triples-00001\.arrow: is missing"):
        stage(1)  # without them it would be a passage that states nothing
    assert facts(work, 0) == [
        (0, "Mara", "made", "Velmora", 0), (2, "Otto", "born in", "Aldermoor", 1),
        (2, "Otto", "", "\0", 2),  # one entity, written as it was first
    ]  # fmt: skip


def test_words_between_names_are_read_where_the_recipe_wants_them(work: WorkFolder):
    names = Gazetteer.open(work.names())
    stage = ScanStage(work, "between")
    for number in (0, 1):
        stage(number)
        rows = PASSAGES[3 * number : 3 * number + 3]
        stated = list(BetweenTriples(names).extract(rows))
        assert [(row, s, p, o, at) for row, s, p, o, at in facts(work, number)] == [
            (row, *triple)
            for row, triples in enumerate(stated)
            for triple in map(tuple_of, triples)
        ]
    assert (1, "Mara Lindqvist", "met", "Otto Brenner", 0) in facts(work, 0)


def tuple_of(triple: Triple) -> tuple[str, str, str, int]:
    return triple.subject, triple.predicate, triple.object, triple.sentence


class Stumbling(BetweenTriples):
    def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple]]:
        for passage in passages:
            if "Otto" in passage.text:
                raise RuntimeError("no such\nsentence")
            yield from super().extract([passage])


def test_a_passage_that_cannot_be_read_is_a_failure_and_the_others_go_on(
    work: WorkFolder, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as patch:
        patch.setattr(chunk_stages, "BetweenTriples", Stumbling)
        stage = ScanStage(work, "between")
        failures = [*stage(0), *stage(1)]
    assert [failure.pid for failure in failures] == [pid(1), pid(2)]
    said = Columns(work.found(0)).strings("failures").to_pylist()
    assert said == [str(failure) for failure in failures]
    assert {row for row, *_ in facts(work, 0)} == {0}
    assert not is_whole(work.found(0))
    assert is_whole(work.found(1))
    assert ScanStage(work, "between")(0) == []
    assert is_whole(work.found(0))
    assert {row for row, *_ in facts(work, 0)} == {0, 1, 2}


def test_an_error_that_concerns_every_passage_is_raised_and_leaves_no_file(
    work: WorkFolder, monkeypatch: pytest.MonkeyPatch
):
    class Refusing(BetweenTriples):
        def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple]]:
            raise UsageError("fix the recipe")

    monkeypatch.setattr(chunk_stages, "BetweenTriples", Refusing)
    with pytest.raises(UsageError, match="fix the recipe"):
        ScanStage(work, "between")(0)
    assert not work.found(0).exists()


# --- a parser's triples, where there is no cache -----------------------------------------------


def stumbling() -> Stumbling:
    return Stumbling(Gazetteer({}))


def test_a_parser_of_its_own_reads_a_chunk_and_names_what_it_cannot_read(
    work: WorkFolder, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(chunk_stages, "_PASSAGES_AT_ONCE", 2)
    work.found(0).write_bytes(b"of other triples")
    failures = TripleStage(work, stumbling, Stumbling.version)(0)
    assert [failure.pid for failure in failures] == [pid(1), pid(2)]
    expected = list(BetweenTriples(Gazetteer({})).extract(PASSAGES[:1]))
    assert load_triples(work.triples(0)) == [*expected, [], []]
    assert not is_whole(work.triples(0))
    assert not work.found(0).exists()
    assert TripleStage(work, stumbling, Stumbling.version)(1) == []
    assert is_whole(work.triples(1))


def test_a_parser_of_another_version_is_refused(work: WorkFolder):
    with pytest.raises(ModelError, match=r"'between-3' and not 'other': install .* every node"):
        TripleStage(work, stumbling, "other")


# --- vectors -----------------------------------------------------------------------------------


def test_vectors_are_those_of_the_passages_of_the_chunk(work: WorkFolder):
    encoder = LengthEncoder()
    stage = VectorStage(work, encoder)
    for number in (1, 0):
        stage(number)
        texts = [
            passage_text(title, "", text) for title, text in WORLD[3 * number : 3 * number + 3]
        ]
        columns = Columns(work.vectors(number, encoder.fingerprint))
        codes = columns.numbers("codes", np.int8, width=encoder.dim)
        found = UnitVectors(codes, columns.numbers("scales", np.float32))
        expected = UnitVectors.of(LengthEncoder().encode(texts))
        assert found[:].tolist() == expected[:].tolist()
        assert is_whole(work.vectors(number, encoder.fingerprint))
    assert len(encoder.asked) == 4


def test_an_encoder_from_the_work_folder_gives_the_same_vectors(work: WorkFolder):
    save_encoder(small_encoder(), work.encoder())
    assert VectorStage.opened(work, small_encoder().name)(0) == []
    opened = work.vectors(0, small_encoder().fingerprint).read_bytes()
    VectorStage(work, small_encoder())(0)
    assert work.vectors(0, small_encoder().fingerprint).read_bytes() == opened
