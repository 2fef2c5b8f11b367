"""Triples that a stopped build read, and those that it could not: what the next one does again."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from hippohover.indexing import build as build_module
from hippohover.indexing import triple_stage as extraction
from hippohover.indexing.build import build
from hippohover.indexing.triples import cache as triple_cache
from hippohover.indexing.triples.extractor import BetweenTriples
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
