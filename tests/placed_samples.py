"""The toy index with places: files, pages and anchors for some of its passages, and the files."""

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from hippohover.indexing.corpus.passage_table import passage_table, stored_passages
from hippohover.store.manifest import ManifestFields
from hippohover.store.reader import StoredIndex
from hippohover.store.tables import IndexArrays, IndexTables, array_file
from hippohover.store.writer import IndexWriter

PLACES: dict[str, dict[str, Any]] = {
    "Augusta Thornby": {"path": "people/augusta.pdf", "page": 12},
    "Dario Fenn": {"path": "cups/fenn.pdf", "page": 2, "document": "d7"},
    "1934 Harbour Cup Final": {"path": "cups/1934 & 50 %.html", "anchor": "The day"},
    "1952 Harbour Cup Final": {"path": "cups/README"},
    "Lena Fenn": {"path": "cups/gone.txt"},
    "Brackwater": {"path": "../secret.txt"},
}
ATTACK = (
    "<!doctype html><title>Final</title><script>window.ran = 1; fetch('/v1/index')</script>"
    "<img src=x onerror=window.ran=2><p style='height: 3000px'>Long.</p>"
    "<h2 id='The day'>The day</h2>"
)
PDF = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
    b"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\n"
    b"trailer<</Root 1 0 R>>\n%%EOF\n"
)


def write_placed(toy_index: Path, out: Path) -> Path:
    """A copy of the toy index whose passages stand where ``PLACES`` says."""
    with StoredIndex.open(toy_index) as stored, IndexWriter(out) as writer:
        tables = IndexTables.open(stored)
        passages = [replace(one, **PLACES.get(one.title, {})) for one in stored_passages(tables)]
        for array in fields(IndexArrays):
            writer.save_array(array_file(array.name), getattr(tables.arrays, array.name))
        writer.save_table("passages.arrow", passage_table(passages).drop_columns(["text"]))
        for name in ("entities", "predicates"):
            writer.save_table(f"{name}.arrow", getattr(tables, name))
        writer.publish(
            ManifestFields(**{n: getattr(stored.manifest, n) for n in ManifestFields.model_fields})
        )
    return out


def write_files(folder: Path) -> Path:
    """The files in a new folder, and one beside it that nobody may read."""
    cups = folder / "cups"
    cups.mkdir(parents=True)
    (cups / "fenn.pdf").write_bytes(PDF)
    (cups / "1934 & 50 %.html").write_text(ATTACK, encoding="utf-8")
    (cups / "README").write_text("<script>window.ran = 3</script> żółw", encoding="utf-8")
    (cups / "unindexed.txt").write_text("Not of the index.", encoding="utf-8")
    (folder.parent / "secret.txt").write_text("Secret.", encoding="utf-8")
    return folder
