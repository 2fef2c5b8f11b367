"""A corpus of two themes and a note that names nothing."""

from pathlib import Path

from hippohover.recipe import EdgeWeights
from hippohover.store.reader import StoredIndex
from hippohover.store.tables import IndexTables

ROWS = [
    {"title": "Orrin Vale", "text": "Orrin Vale is a valley. Lake Sarn and Mount Teld lie in it."},
    {"title": "Lake Sarn", "text": "Lake Sarn fills the end of Orrin Vale below Mount Teld."},
    {"title": "Mount Teld", "text": "Mount Teld stands over Orrin Vale and Lake Sarn."},
    {"title": "Ada Brunt", "text": "Ada Brunt wrote Night Ferry with Ivo Marek."},
    {"title": "Night Ferry", "text": "Night Ferry is an opera. Ada Brunt and Ivo Marek wrote it."},
    {"title": "Ivo Marek", "text": "Ivo Marek met Ada Brunt before Night Ferry."},
    {"title": "A recipe", "text": "cut the bread and eat it."},
]
LONELY = [{"title": f"note {n}", "text": f"bread number {n} is eaten."} for n in range(40)]
"""So many more that a name of ten documents is none of everybody's."""
WEIGHTS = EdgeWeights()


def tables_at(root: Path) -> IndexTables:
    return IndexTables.open(StoredIndex.open(root))
