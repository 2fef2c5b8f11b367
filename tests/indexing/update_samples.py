"""A small corpus that updates change, and what the tests of it share with users' tests."""

from pathlib import Path

from hippohover.testing.indexes import FAST, Row, built, checksums, corpus_of

__all__ = ["FAST", "WORLD", "Row", "built", "checksums", "corpus_of", "version"]

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


def version(root: Path) -> str:
    return (root / "CURRENT").read_text().split()[0]
