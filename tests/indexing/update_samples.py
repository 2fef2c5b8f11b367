"""A small corpus that updates change, indexes of it, and their checksums."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from hippohover.indexing.build import build
from hippohover.recipe import CorpusSettings, IndexRecipe
from hippohover.store.reader import StoredIndex

FAST = IndexRecipe(
    name="fast", extractor="between", encoder="none", corpus=CorpusSettings(max_words=12)
)

Row = Mapping[str, object]

WORLD: list[Row] = [
    {"title": "Mara Lindqvist", "text": "Mara Lindqvist, born in Aldermoor, met Otto Brenner."},
    {"title": "Otto Brenner", "text": "Otto Brenner made Velmora with Mara Lindqvist."},
    {"title": "Velmora", "text": "Velmora is a film by Otto Brenner.", "links": ["Aldermoor"],
     "links_of": 1},
    {"title": "Aldermoor", "text": "Aldermoor is a town on the Silver Loom. It is old and small. "
     "Mara Lindqvist was born there, and Otto Brenner died there. Nobody knows why it is so."},
    {"title": "Aldermoor", "text": "Aldermoor is a film too, made by Otto Brenner in the rain."},
    {"title": "Silver Loom", "text": "The Silver Loom is a river. It is long and slow.",
     "links": ["Aldermoor", "Nowhere"]},
    {"title": "Silver Loom (film)", "text": "Silver Loom is a film with Mara Lindqvist."},
    {"title": "Zyxwolf", "text": "Zyxwolf knows nobody at all."},
]  # fmt: skip


def corpus_of(rows: Sequence[Row], path: Path) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def built(rows: Sequence[Row], root: Path, recipe: IndexRecipe = FAST) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    return build(recipe, corpus=corpus_of(rows, root.parent / "all.jsonl"), out=root, workers=1)


def checksums(root: Path) -> bytes:
    """The manifest as it stands on disk: it holds the checksum of every file."""
    with StoredIndex.open(root) as stored:
        assert stored.verify() == []
        return (stored.folder / "manifest.json").read_bytes()


def version(root: Path) -> str:
    return (root / "CURRENT").read_text().split()[0]
