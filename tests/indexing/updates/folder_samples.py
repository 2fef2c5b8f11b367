"""A folder of notes that tests change, and indexes that are built of it again."""

from collections.abc import Mapping
from pathlib import Path

from hippohover.indexing.build import build
from hippohover.recipe import IndexRecipe
from tests.indexing.update_samples import FAST

Notes = Mapping[str, str]
"""Path below the folder -> content."""

NOTES: Notes = {
    "Belbury.md": "---\ntitle: Belbury\ndate: 2024-01-01\n---\nBelbury is a town. See [[Vessby]].",
    "sea/Vessby.md": "# Vessby\nVessby is a port near Belbury. Its mayor is Ada Finch.",
    "sea/log.txt": "Ada Finch came to Vessby.",
}


def write_notes(folder: Path, notes: Notes) -> Path:
    """Make a folder of these files and no others; they are written where their content differs."""
    folder.mkdir(exist_ok=True)
    for path in sorted(folder.rglob("*.*")):
        if path.relative_to(folder).as_posix() not in notes:
            path.unlink()
    for name, content in notes.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != content:
            path.write_text(content, encoding="utf-8")
    return folder


def built_of(folder: Path, root: Path, recipe: IndexRecipe = FAST) -> Path:
    """Index of a folder."""
    return build(recipe, corpus=folder, out=root, workers=1)
