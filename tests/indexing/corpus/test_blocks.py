"""A corpus that is read in blocks: the passages and counts of one that is read as a stream."""

import bz2
import gzip
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hippohover.errors import CorpusError
from hippohover.indexing.corpus import blocks as reading
from hippohover.indexing.corpus import lines as lines_module
from hippohover.indexing.corpus import passage_store
from hippohover.indexing.corpus import stream as corpus_module
from hippohover.indexing.corpus.blocks import CorpusBlocks, ReadStage
from hippohover.indexing.corpus.formats import LINE_FORMATS
from hippohover.indexing.corpus.passage_store import PassageStore
from hippohover.indexing.corpus.passages import CorpusCounts, PassageMaking
from hippohover.indexing.corpus.source import passage_source
from hippohover.indexing.corpus.stream import cut_corpus, line_format
from hippohover.indexing.workers.runners import LocalRunner
from hippohover.recipe import IndexRecipe
from hippohover.records import ExtractionFailure, Passage
from tests.indexing.corpus.corpus_samples import (
    WRITERS,
    Sample,
    json_line,
    read_corpus,
    tar_bytes,
    write_hotpotqa,
    write_jsonl,
)
from tests.indexing.work_samples import nothing

MAKING = PassageMaking(max_words=0, hides_titles=False, metadata=())
ANY = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])

RECORDS = st.one_of(
    st.fixed_dictionaries(
        {"title": st.sampled_from("TUV"), "text": st.sampled_from(["A b. C d.", "A b. E f.", ""])},
        optional={
            "year": st.sampled_from([1911, "1911", None, []]),
            "links": st.lists(st.sampled_from("TU"), max_size=2),
        },
    ),
    st.sampled_from([{"title": "no text"}, {"title": "", "text": "A b."}, [], "text"]),
)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks, pieces and runs of next to nothing."""
    monkeypatch.setattr(corpus_module, "_BLOCK_BYTES", 300)
    monkeypatch.setattr(lines_module, "BUFFER_BYTES", 100)
    monkeypatch.setattr(passage_store, "_PASSAGES_A_RUN", 3)


def in_blocks(
    path: Path, folder: Path, making: PassageMaking = MAKING, share: float = 1.0, workers: int = 1
) -> tuple[PassageStore, CorpusCounts]:
    """Store and counts; nothing but its files is left in the folder."""
    folder.mkdir()
    name = line_format(path)
    assert name is not None
    blocks = CorpusBlocks(path, name, making, share)
    store = blocks.write(folder, LocalRunner(workers), passages_a_chunk=4, progress=nothing)
    left = {file.name for file in folder.iterdir()}
    chunks = {f"passages-{number:05d}.arrow" for number in range(store.n_chunks)}
    assert left == {"repeats.arrow", *chunks}
    return store, blocks.counts


def as_stream(
    path: Path, making: PassageMaking = MAKING, share: float = 1.0
) -> tuple[list[Passage], CorpusCounts]:
    counts = CorpusCounts()
    stream = read_corpus(
        path, max_words=making.max_words, max_bad_share=share, metadata=making.metadata,
        titles="hidden" if making.hides_titles else "shown", counts=counts,
    )  # fmt: skip
    return sorted(stream, key=lambda passage: passage.pid), counts


def refused(work: object, *arguments: object, **named: object) -> str:
    assert callable(work)
    with pytest.raises(CorpusError) as caught:
        work(*arguments, **named)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- the same as a stream ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("workers", "name"),
    [
        *((1, name) for name in LINE_FORMATS),
        *(
            pytest.param(2, name, marks=[] if name == "jsonl" else pytest.mark.slow)
            for name in LINE_FORMATS
        ),
    ],
)
def test_every_format_of_lines_gives_the_passages_of_its_stream(
    tmp_path: Path, name: str, workers: int
):
    path = WRITERS[name](tmp_path)
    store, counts = in_blocks(path, tmp_path / "store", workers=workers)
    assert (list(store), counts) == as_stream(path)
    assert counts.n_documents > 3


@pytest.mark.parametrize("workers", [1, 2])
def test_fields_are_found_once_and_handed_to_every_block(tmp_path: Path, workers: int):
    rows = [{"docid": n, "contents": f"Text {n} of the mill."} for n in range(40)]
    path = lines(tmp_path, [*rows, {"docid": 41, "text": "Not this."}])
    store, counts = in_blocks(path, tmp_path / "store", workers=workers)
    assert (list(store), counts) == as_stream(path)
    assert sorted(p.document for p in store) == sorted(str(n) for n in range(40))
    assert counts.understood == {"read docid as id, contents as text; no title": 1}
    assert counts.reasons == {'field "contents" is missing among docid, text': 1}


@ANY
@given(
    st.lists(RECORDS, min_size=1, max_size=30),
    st.builds(PassageMaking, st.sampled_from([0, 2]), st.booleans(), st.just(())),
    st.sampled_from([0.0, 0.3, 1.0]),
)
def test_records_of_any_kind_give_the_same_passages_and_counts(
    memory_folder: Path, records: list[object], making: PassageMaking, share: float
):
    path = memory_folder / "c.jsonl"
    path.write_bytes(b"\xef\xbb\xbf\n" + b"".join(map(json_line, records)).replace(b"[]", b"{"))
    folder = memory_folder / "store"
    try:
        expected = as_stream(path, making, share)
    except CorpusError as error:
        assert refused(in_blocks, path, folder, making, share) == str(error)
    else:
        store, counts = in_blocks(path, folder, making, share)
        assert (list(store), counts) == expected
    finally:
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()


@pytest.mark.parametrize("workers", [1, 2])
def test_of_equal_passages_the_first_of_the_corpus_is_kept(tmp_path: Path, workers: int):
    """They differ in what their ids do not hold: links and fields."""
    rows = [
        {"title": f"T{at % 7}", "text": f"Text {at % 7}.", "links": [f"L{at}"], "year": at}
        for at in range(200)
    ]
    path = tmp_path / "c.jsonl.gz"
    path.write_bytes(gzip.compress(b"".join(map(json_line, rows))))
    making = replace(MAKING, metadata=("year",))
    store, counts = in_blocks(path, tmp_path / "store", making, workers=workers)
    assert (list(store), counts) == as_stream(path, making)
    assert {one.links for one in store} == {(f"L{at}",) for at in range(7)}
    assert {one.metadata for one in store} == {(at,) for at in range(7)}
    assert (counts.n_documents, counts.n_passages, counts.n_duplicates) == (7, 7, 193)


def test_failures_name_their_lines_and_a_hundred_are_kept(tmp_path: Path):
    rows = [
        {"title": f"T{at}"} if at % 3 else {"title": f"T{at}", "text": "x"} for at in range(300)
    ]
    path = tmp_path / "c.jsonl"
    path.write_bytes(b"".join(map(json_line, rows)))
    _, counts = in_blocks(path, tmp_path / "store")
    assert counts == as_stream(path)[1]
    assert counts.failures[99].startswith("c.jsonl:150: ")
    assert (len(counts.failures), counts.n_bad_records) == (100, 200)


def test_a_folder_of_shards_says_how_many_files_were_read(tmp_path: Path):
    folder = tmp_path / "shards"
    folder.mkdir()
    for number in range(3):
        row = {"title": f"T{number}", "text": "x"}
        (folder / f"part-{number}.jsonl").write_bytes(json_line(row))
    store, counts = in_blocks(folder, tmp_path / "store")
    assert (len(list(store)), counts.n_files) == (3, {".jsonl": 3})


def test_a_folder_of_beir_says_what_of_it_is_read(tmp_path: Path):
    folder = tmp_path / "beir"
    folder.mkdir()
    (folder / "corpus.jsonl").write_bytes(json_line({"_id": "d", "title": "T", "text": "x"}))
    (folder / "queries.jsonl").write_bytes(json_line({"_id": "q", "text": "who"}))
    counts = CorpusCounts()
    passage_source(IndexRecipe(name="b"), folder, None, counts)
    assert any("corpus.jsonl" in said for said in counts.understood)


# --- how a corpus is cut -------------------------------------------------------------------------


def test_blocks_are_of_their_size_and_hold_all_lines(tmp_path: Path):
    rng = random.Random(3)  # noqa: S311
    lines = [
        json_line({"title": str(at), "text": "x" * rng.choice((1, 90, 400))}) for at in range(99)
    ]
    path = tmp_path / "c.jsonl"
    path.write_bytes(b"".join(lines))
    blocks = list(cut_corpus(path, "jsonl"))
    pieces = [piece for block in blocks for piece in block]
    assert b"".join(piece.content for piece in pieces) == b"".join(lines)
    assert all(piece.content.endswith(b"\n") for piece in pieces)
    ended = [b"".join(lines).find(piece.content) for piece in pieces]
    firsts = [b"".join(lines)[:at].count(b"\n") + 1 for at in ended]
    assert [piece.first for piece in pieces] == firsts
    sizes = [[len(piece.content) for piece in block] for block in blocks]
    assert all(sum(of_block[:-1]) < 300 <= sum(of_block) for of_block in sizes[:-1])


def test_a_member_that_unpacks_to_much_is_cut_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(lines_module, "_MOST_PACKED_BYTES", 150)
    path = write_hotpotqa(tmp_path)
    expected = as_stream(path)
    pieces = [piece for block in cut_corpus(path, "hotpotqa") for piece in block]
    assert not any(piece.is_packed for piece in pieces)
    assert {piece.first for piece in pieces} > {1}
    store, counts = in_blocks(path, tmp_path / "store")
    monkeypatch.setattr(lines_module, "_MOST_PACKED_BYTES", 1 << 20)
    assert all(piece.is_packed for block in cut_corpus(path, "hotpotqa") for piece in block)
    assert (list(store), counts) == expected == as_stream(path)


@pytest.mark.parametrize("name", WRITERS)
def test_a_format_that_is_not_of_lines_is_not_cut(tmp_path: Path, name: str):
    assert line_format(WRITERS[name](tmp_path)) == (name if name in LINE_FORMATS else None)


def test_names_of_members_may_be_of_any_bytes(tmp_path: Path):
    path = tmp_path / "c.tar.bz2"
    member = bz2.compress(b"{}\n" + json_line({"title": "T", "text": ["x"]}))
    path.write_bytes(bz2.compress(tar_bytes([("a\udcff\n.bz2", member)])))
    _, counts = in_blocks(path, tmp_path / "store")
    assert counts == as_stream(path)[1]
    assert counts.n_bad_records == 1


# --- what is refused -----------------------------------------------------------------------------


def lines(folder: Path, rows: Sequence[object]) -> Path:
    path = folder / "c.jsonl"
    path.write_bytes(b"".join(map(json_line, rows)))
    return path


def test_the_share_of_bad_records_is_checked_at_each_from_the_hundredth_on(tmp_path: Path):
    good = [{"title": str(at), "text": "x"} for at in range(400)]
    bad = [{"title": "T"}] * 300
    path = lines(tmp_path, [*good[:50], *bad, *good])
    said = refused(in_blocks, path, tmp_path / "store", MAKING, 0.66)
    assert "98 of 148 records are bad" in said
    assert said == refused(as_stream, path, MAKING, 0.66)
    early = lines(tmp_path, [*bad[:2], *good])  # 2 of 2, but in the end 2 of 402
    assert in_blocks(early, tmp_path / "early", share=0.01)[1].n_bad_records == 2


@pytest.mark.parametrize(
    ("rows", "share"),
    [([{"title": "T", "text": " "}], 0.0), ([{"title": "T"}], 1.0), ([{"title": "T"}], 0.5)],
)
def test_a_corpus_without_documents_is_refused_as_a_stream_is(
    tmp_path: Path, rows: list[object], share: float
):
    path = lines(tmp_path, rows)
    said = refused(in_blocks, path, tmp_path / "store", MAKING, share)
    assert said == refused(as_stream, path, MAKING, share)


def test_a_field_that_no_record_has_is_said(tmp_path: Path):
    path = lines(tmp_path, [{"title": str(at), "text": "x", "lang": "en"} for at in range(50)])
    making = replace(MAKING, metadata=("lang", "year"))
    store, counts = in_blocks(path, tmp_path / "store", making)
    assert counts.understood == {"no record has the field 'year': check corpus.metadata": 1}
    assert {passage.metadata for passage in store} == {("en", None)}


@pytest.mark.parametrize("workers", [1, 2])
def test_damage_is_named_wherever_it_is_met(tmp_path: Path, workers: int):
    def cut_short(path: Path) -> Path:
        path.write_bytes(path.read_bytes()[:-20])
        return path

    samples = [Sample(f"T{at}", ("x" * 50,)) for at in range(99)]
    outer = cut_short(write_jsonl(tmp_path, samples))
    said = refused(in_blocks, outer, tmp_path / "1", workers=workers)
    assert "corpus.jsonl.gz: ends too early" in said
    inner = tmp_path / "c.tar.bz2"
    member = bz2.compress(b"".join(json_line({"title": "T", "text": ["x"]}) for _ in range(9)))
    inner.write_bytes(bz2.compress(tar_bytes([("a.bz2", member), ("b.bz2", member[:-9])])))
    said = refused(in_blocks, inner, tmp_path / "2", workers=workers)
    assert said == refused(as_stream, inner)
    assert "c.tar.bz2:b.bz2: ends too early" in said


def test_a_field_that_only_a_duplicate_has_is_said(tmp_path: Path):
    path = lines(tmp_path, [{"title": "T", "text": "x"}, {"title": "T", "text": "x", "lang": "en"}])
    _, counts = in_blocks(path, tmp_path / "store", replace(MAKING, metadata=("lang",)))
    assert list(counts.understood) == ["no record has the field 'lang': check corpus.metadata"]


# --- a worker that was killed --------------------------------------------------------------------


def test_a_block_whose_worker_was_killed_with_its_work_done_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = write_jsonl(tmp_path)
    expected = as_stream(path)
    n_read: list[int] = []

    class KilledBehindItsLastStep(ReadStage):
        def __call__(self, number: int) -> list[ExtractionFailure]:
            assert super().__call__(number) == []
            return super().__call__(number)

        def _read(self, raw: Path, block: Path, number: int) -> None:
            n_read.append(number)
            super()._read(raw, block, number)

    monkeypatch.setattr(reading, "ReadStage", KilledBehindItsLastStep)
    store, counts = in_blocks(path, tmp_path / "store")
    assert (list(store), counts) == expected
    assert n_read == list(range(len(n_read)))
    assert len(n_read) > 1
