"""Where a build's corpus is, and how it is read: by the recipe, from real files and a server."""

import hashlib
from pathlib import Path

import pytest

from hippohover.errors import CorpusError, DownloadError
from hippohover.indexing.corpus.blocks import CorpusBlocks
from hippohover.indexing.corpus.passages import CorpusCounts, PassageMaking
from hippohover.indexing.corpus.source import CorpusStream, corpus_path, passage_source
from hippohover.indexing.corpus.stream import read_corpus
from hippohover.indexing.workers.runners import LocalRunner
from hippohover.recipe import CorpusSettings, IndexRecipe
from tests.indexing.corpus.corpus_samples import SAMPLES, WRITERS, write_jsonl, write_sqlite
from tests.indexing.corpus.file_server import serving
from tests.indexing.work_samples import nothing


def recipe(**settings: object) -> IndexRecipe:
    return IndexRecipe(name="mine", corpus=CorpusSettings.model_validate(settings))


def described(file: Path, **changes: object) -> IndexRecipe:
    """A recipe that names a file, its size and its sum."""
    content = file.read_bytes()
    facts = {"n_bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    return recipe(**{"path": str(file), **facts, **changes})


def titles_of(source: CorpusStream | CorpusBlocks, folder: Path) -> list[str]:
    """Titles of its passages, sorted."""
    (folder / "store").mkdir()
    store = source.write(folder / "store", LocalRunner(1), passages_a_chunk=2, progress=nothing)
    return sorted(passage.title for passage in store)


# --- how it is read


@pytest.mark.parametrize("name", WRITERS)
def test_a_corpus_of_lines_is_read_in_blocks_and_any_other_as_a_stream(tmp_path: Path, name: str):
    counts = CorpusCounts()
    source = passage_source(recipe(), WRITERS[name](tmp_path), None, counts)
    if name in {"jsonl", "hotpotqa", "wiki-abstracts"}:
        assert isinstance(source, CorpusBlocks)
        assert source.format_name == name
    else:
        assert not isinstance(source, CorpusBlocks)
        assert titles_of(source, tmp_path) == sorted(sample.title for sample in SAMPLES)
        assert counts.n_passages == len(SAMPLES)


def test_blocks_know_what_the_recipe_says(tmp_path: Path):
    counts = CorpusCounts()
    settings = recipe(max_words=3, titles="hidden", metadata=["year"], max_bad_share=0.5)
    source = passage_source(settings, write_jsonl(tmp_path), None, counts)
    assert isinstance(source, CorpusBlocks)
    assert source.making == PassageMaking(3, True, ("year",))
    assert source.max_bad_share == 0.5
    assert source.counts is counts


def test_a_limit_makes_a_stream_of_what_could_be_cut(tmp_path: Path):
    source = passage_source(recipe(), write_jsonl(tmp_path), 2, CorpusCounts())
    assert not isinstance(source, CorpusBlocks)
    assert titles_of(source, tmp_path) == sorted(sample.title for sample in SAMPLES[:2])


def test_a_field_that_no_record_has_is_said_at_the_end_of_a_stream(tmp_path: Path):
    counts = CorpusCounts()
    source = passage_source(recipe(metadata=["year"]), write_sqlite(tmp_path), None, counts)
    assert not isinstance(source, CorpusBlocks)
    assert titles_of(source, tmp_path)
    assert counts.understood == {"no record has the field 'year': check corpus.metadata": 1}


def test_the_format_that_a_recipe_names_is_checked_before_anything_is_read(tmp_path: Path):
    with pytest.raises(CorpusError, match="format 'xml' is unknown"):
        passage_source(recipe(format="xml"), write_jsonl(tmp_path), None, CorpusCounts())
    path = write_jsonl(tmp_path).rename(tmp_path / "corpus.db")
    source = passage_source(recipe(format="jsonl"), path, None, CorpusCounts())
    assert isinstance(source, CorpusBlocks)


def test_passages_are_made_as_the_recipe_says(tmp_path: Path):
    path = write_jsonl(tmp_path)
    passages = list(read_corpus(path, recipe(max_words=4, titles="hidden").corpus))
    assert {passage.title for passage in passages} == {""}
    assert max(len(passage.text.split()) for passage in passages) == 4


# --- where it is


def test_the_corpus_that_is_given_goes_before_that_of_the_recipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HOME", str(tmp_path))
    own = described(write_jsonl(tmp_path), n_bytes=1)  # wrong, but nobody asks
    assert corpus_path(own, "~/other", tmp_path) == tmp_path / "other"
    assert corpus_path(own, tmp_path / "given", tmp_path) == tmp_path / "given"


def test_the_recipes_own_file_is_checked_against_what_it_says_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = write_jsonl(tmp_path)
    assert corpus_path(described(path), None, tmp_path) == path
    monkeypatch.setenv("HOME", str(tmp_path))
    assert corpus_path(described(path, path="~/corpus.jsonl.gz"), None, tmp_path) == path
    for key, wrong in (("n_bytes", 7), ("sha256", "0" * 64)):
        with pytest.raises(CorpusError, match=rf"its {key} is .*'mine' wants: fix corpus.{key} "):
            corpus_path(described(path, **{key: wrong}), None, tmp_path)


def test_a_folder_and_what_is_missing_have_no_sum(tmp_path: Path):
    for name in (".", "gone.jsonl"):
        own = recipe(path=str(tmp_path / name), n_bytes=1, sha256="0" * 64)
        assert corpus_path(own, None, tmp_path) == tmp_path / name


def test_a_recipe_without_a_corpus_asks_for_one(tmp_path: Path):
    url = "https://example.org/c.jsonl"
    for settings in (
        {},
        {"url": url},
        {"url": url, "n_bytes": 5},
        {"url": url, "sha256": "0" * 64},
    ):
        with pytest.raises(CorpusError, match=r"'mine' names no corpus: give one with --corpus"):
            corpus_path(recipe(**settings), None, tmp_path)


@pytest.mark.parametrize("named", [True, False])
def test_what_is_not_here_is_fetched_and_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: bool
):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    reports: list[tuple[str, int, int]] = []

    def progress(stage: str, done: int, total: int, /) -> None:
        reports.append((stage, done, total))

    original = write_jsonl(tmp_path)
    to = tmp_path / "own" / "c.gz" if named else tmp_path / "cache" / "corpus.bin"
    with serving(original.read_bytes()) as server:
        own = described(original, path=str(to) if named else None, url=server.url)
        assert corpus_path(own, None, tmp_path / "cache", progress) == to
        assert to.read_bytes() == original.read_bytes()
        assert corpus_path(own, None, tmp_path / "cache") == to
    n_bytes = len(to.read_bytes())
    assert reports[-1] == ("download", n_bytes, n_bytes)
    assert len(server.requests) == 1  # the second time it was there


def test_a_download_that_is_not_what_was_wanted_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    original = write_jsonl(tmp_path)
    with serving(original.read_bytes()[::-1]) as server, pytest.raises(DownloadError):
        corpus_path(described(original, path=None, url=server.url), None, tmp_path / "cache")
    assert not (tmp_path / "cache" / "corpus.bin").exists()
