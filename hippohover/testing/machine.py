"""A state machine for hypothesis: after every change an index equals a new build.

class TestUpdates(IndexMachine.TestCase):
    settings = hypothesis.settings(max_examples=20, stateful_step_count=5, deadline=None)
"""

import shutil
import tempfile
from pathlib import Path
from typing import Any

from hippohover.adapters.extras import needed
from hippohover.indexing.update import add, alias, delete
from hippohover.recipe import IndexRecipe
from hippohover.testing.indexes import FAST, built, checksums, corpus_of

with needed("hypothesis", of=__name__, extra="testing"):
    from hypothesis import strategies as st
    from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from hippohover.testing.strategies import corpora, names


class IndexMachine(RuleBasedStateMachine):
    """Adds, replaces and deletes documents, changes aliases, and builds again after each.

    Make a subclass with another ``recipe`` to test your own.

    Attributes
    ----------
    recipe : IndexRecipe
        How the index is built; the machine sets the aliases.
    """

    recipe: IndexRecipe = FAST

    def __init__(self) -> None:
        super().__init__()
        self._folder = Path(tempfile.mkdtemp(prefix="hippohover-"))
        self._root = self._folder / "index"
        self._rows: list[dict[str, Any]] = []
        self._now = self.recipe

    @initialize(rows=corpora(min_size=1, max_size=4, ids=True))
    def _build(self, rows: list[dict[str, Any]]) -> None:
        self._rows = rows
        built(rows, self._root, self._now)

    @rule(rows=corpora(max_size=2, ids=True))
    def add(self, rows: list[dict[str, Any]]) -> None:
        """Add documents under ids that are new."""
        fresh = [{**row, "id": f"{row['id']}-{len(self._rows)}"} for row in rows]
        add(self._root, self._written(fresh), replace=True, workers=1)
        self._replace(fresh)

    @rule(rows=corpora(max_size=3, ids=True))
    def replace(self, rows: list[dict[str, Any]]) -> None:
        """Add documents under ids that may be there."""
        add(self._root, self._written(rows), replace=True, workers=1)
        self._replace(rows)

    @precondition(lambda self: len({row["title"] for row in self._rows}) > 1)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        """Delete one title, and never the last."""
        title = data.draw(st.sampled_from(sorted({str(row["title"]) for row in self._rows})))
        delete(self._root, [title], workers=1)
        self._rows = [row for row in self._rows if row["title"] != title]

    @rule(lines=st.dictionaries(names(), names(), max_size=2))
    def alias(self, lines: dict[str, str]) -> None:
        """Replace the aliases by new ones."""
        wanted = {one: other for one, other in lines.items() if one != other}
        alias(self._root, wanted, workers=1)
        self._now = self.recipe.model_copy(update={"aliases": dict(sorted(wanted.items()))})

    @invariant()
    def is_what_a_build_makes(self) -> None:
        """Check that every file of the index equals that of a build of today's documents."""
        if self._rows:
            again = self._folder / "again"
            shutil.rmtree(again, ignore_errors=True)
            assert checksums(self._root) == checksums(built(self._rows, again, self._now))  # noqa: S101

    def teardown(self) -> None:
        """Remove what was built."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _written(self, rows: list[dict[str, Any]]) -> Path:
        return corpus_of(rows, self._folder / "new.jsonl")

    def _replace(self, rows: list[dict[str, Any]]) -> None:
        names_of_new = {row["id"] for row in rows}
        kept = [row for row in self._rows if row["id"] not in names_of_new]
        self._rows = [*kept, *rows]
