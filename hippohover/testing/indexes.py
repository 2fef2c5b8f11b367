"""Small corpora as files, their indexes, and a comparison of two indexes."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from hippohover.indexing.build import build
from hippohover.recipe import CorpusSettings, IndexRecipe
from hippohover.store.reader import StoredIndex
from hippohover.toy import toy_corpus_path

Row: TypeAlias = Mapping[str, object]
"""A record of a corpus: ``title`` and ``text``, and what else a recipe reads."""

FAST: Final = IndexRecipe(
    name="fast", extractor="between", encoder="none", corpus=CorpusSettings(max_words=12)
)
"""No parser and no encoder, and passages so short that a document has several."""

TOY_RECIPE: Final = IndexRecipe.model_validate(
    {"name": "toy", "extractor": "between", "encoder": "none", "query": {"rerank": False}}
)
"""No parser, no encoder, no learned weights: half a second to build."""


def corpus_of(rows: Sequence[Row], path: Path) -> Path:
    """Write a corpus as JSON lines; return the path."""
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def built(rows: Sequence[Row], root: Path, recipe: IndexRecipe = FAST) -> Path:
    """Build the index of these records in a folder, in this process; return the folder."""
    root.mkdir(parents=True, exist_ok=True)
    return build(recipe, corpus=corpus_of(rows, root.parent / "all.jsonl"), out=root, workers=1)


def build_toy(recipe: IndexRecipe, out: Path) -> Path:
    """Build the index of the toy world that ships with the package; return its folder."""
    return build(recipe, corpus=toy_corpus_path(), out=out)


def checksums(root: Path) -> bytes:
    """Read the manifest from disk: it holds the checksum of every file.

    ``IndexDamagedError`` or ``AssertionError`` if a file differs from the manifest.
    """
    with StoredIndex.open(root) as stored:
        assert stored.verify() == [], stored.verify()  # noqa: S101
        return (stored.folder / "manifest.json").read_bytes()
