"""Triples that a stopped build read, and those that it could not: what the next one does again."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from hippohover.errors import CorpusError, HippoHoverError
from hippohover.indexing import build as build_module
from hippohover.indexing import triple_stage as extraction
from hippohover.indexing.build import build
from hippohover.indexing.triples import cache as triple_cache
from hippohover.indexing.triples.between import BetweenTriples
from hippohover.indexing.update import delete
from hippohover.names.gazetteer import Gazetteer
from hippohover.recipe import IndexRecipe
from hippohover.records import Passage, Triple
from hippohover.store.manifest import Manifest
from hippohover.store.reader import StoredIndex

RECIPE = IndexRecipe(name="parsed", extractor="spacy", encoder="none", max_failure_share=0.5)
TOWNS = ["Aldermoor", "Kestrel Bay", "Nordhaven", "Silver Loom", "Harrowgate"]


class Parser:
    """Stands where spaCy does; raises on passages whose text holds ``stumbles_at``."""

    name = "parser"
    version = "parser-1"
    stumbles_at = "nothing"

    def __init__(self, model: str) -> None:
        self._model = model

    def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple]]:
        for passage in passages:
            if Parser.stumbles_at in passage.text:
                raise RuntimeError("no such sentence")
            yield from BetweenTriples(Gazetteer({})).extract([passage])


def manifest(root: Path) -> Manifest:
    with StoredIndex.open(root) as stored:
        return stored.manifest


def stop_before_graph(stage: str, done: int, total: int, /) -> None:
    if stage == "graph":
        raise KeyboardInterrupt


def test_a_chunk_whose_triples_are_read_again_is_scanned_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(extraction, "SpacyTriples", Parser)
    monkeypatch.setattr(build_module, "_PASSAGES_A_CHUNK", 2)
    monkeypatch.setattr(triple_cache, "_PASSAGES_A_TASK", 2)
    corpus, root = tmp_path / "corpus.jsonl", tmp_path / "index"
    rows = [{"title": town, "text": f"{town} lies an hour from {TOWNS[at - 1]}."}
            for at, town in enumerate(TOWNS)]  # fmt: skip
    corpus.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    whole = manifest(build(RECIPE, corpus=corpus, out=tmp_path / "whole", workers=1))
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Parser, "stumbles_at", "Nordhaven lies")
        build(RECIPE, corpus=corpus, out=root, workers=1, progress=stop_before_graph)
    assert manifest(build(RECIPE, corpus=corpus, out=root, workers=1)) == whole


def write_towns(folder: Path, n: int) -> tuple[Path, Path]:
    """A corpus, and HippoRAG's file of its first passages."""
    corpus, file = folder / "corpus.jsonl", folder / "openie_results_ner_x.json"
    rows = [{"title": town, "text": f"{town} lies an hour from {TOWNS[at - 1]}."}
            for at, town in enumerate(TOWNS)]  # fmt: skip
    corpus.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    docs = [
        {"idx": str(at), "passage": f"{row['title']}\n{row['text']}", "extracted_entities": [],
         "extracted_triples": [[row["title"], "lies an hour from", TOWNS[at - 1]], ["bad"]]}
        for at, row in enumerate(rows[:n])
    ]  # fmt: skip
    file.write_text(json.dumps({"docs": docs, "avg_ent_chars": 9.5}), encoding="utf-8")
    return corpus, file


def test_triples_come_from_a_file_and_what_it_has_not_is_counted(tmp_path: Path):
    corpus, file = write_towns(tmp_path, 3)
    recipe = IndexRecipe(name="f", extractor="file", triples=str(file), encoder="none")
    root = build(recipe, corpus=corpus, out=tmp_path / "index", workers=1)
    with StoredIndex.open(root) as stored:
        assert stored.manifest.counts["n_triples"] == 3
        assert stored.manifest.models["extractor"]["name"] == "file"
        assert stored.manifest.models["extractor"]["version"].startswith("file-1-")
        assert str(tmp_path) not in json.dumps(stored.manifest.recipe)
        log = stored.log()
    assert log is not None
    assert log["triples_file"] == {"path": str(file), "n_missing": 2, "n_unusable": 3}
    removed = delete(root, [TOWNS[1]], workers=1)  # it is read again, from where it was
    assert (removed.n_removed, manifest(root).counts["n_triples"]) == (1, 2)
    file.unlink()
    with pytest.raises(CorpusError, match=r"openie_results_ner_x\.json: does not exist"):
        delete(root, [TOWNS[0]], workers=1)


def test_a_broken_entry_of_the_file_is_counted(tmp_path: Path):
    corpus, file = write_towns(tmp_path, 3)
    first, second, third = (
        json.dumps(entry, indent=1) for entry in json.loads(file.read_text())["docs"]
    )
    file.write_text("\n".join((first, second[:-9], third)), encoding="utf-8")
    recipe = IndexRecipe(name="f", extractor="file", triples=str(file), encoder="none")
    with StoredIndex.open(
        build(recipe, corpus=corpus, out=tmp_path / "index", workers=1)
    ) as stored:
        log = stored.log()
    assert log is not None
    assert log["triples_file"] == {"path": str(file), "n_missing": 3, "n_unusable": 3}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "name it in the recipe .* or with --triples FILE"),
        (b'{"docs": []}', "no triples of passages: give HippoRAG's"),
        (b'[{"title": "T", "text": "x"}]', "no triples of passages"),
        (b'{"docs": [{"passage": "T\\nx", "extracted_triples": []}]}',
         "none of its 1 passages is one of the corpus"),
        (b'{"docs": [', "not whole JSON"),
    ],
)  # fmt: skip
def test_a_file_that_is_of_no_use_is_an_error(tmp_path: Path, content: bytes | None, words: str):
    corpus, file = write_towns(tmp_path, 3)
    if content is not None:
        file.write_bytes(content)
    path = None if content is None else str(file)
    recipe = IndexRecipe(name="f", extractor="file", triples=path, encoder="none")
    with pytest.raises(HippoHoverError, match=words) as caught:
        build(recipe, corpus=corpus, out=tmp_path / "index", workers=1)
    assert str(caught.value).isprintable()
