"""A state machine for hypothesis: after every change an index equals a new build.

TestUpdates = IndexMachine.TestCase
TestUpdates.settings = settings(TestUpdates.settings, max_examples=8, stateful_step_count=5)
"""

import math
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from hippohover.adapters.extras import needed
from hippohover.indexing.update import add, alias, delete
from hippohover.indexing.updates import compaction
from hippohover.indexing.updates.changes import Update
from hippohover.recipe import IndexRecipe
from hippohover.records import PassageId
from hippohover.retrieval.engine import HippoHover
from hippohover.store import tables
from hippohover.testing.indexes import FAST, built, checksums, corpus_of

with needed("hypothesis", of=__name__, extra="testing"):
    from hypothesis import strategies as st
    from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from hippohover.testing.strategies import corpora, names

_N_CLAIMS: Final = 4
_MILLIONTH: Final = 1e-6


class IndexMachine(RuleBasedStateMachine):
    """Adds, replaces and deletes documents, changes aliases, and builds again after each.

    Small indexes take segments here, as otherwise only those of 1,000 passages do. Make a subclass
    with another ``recipe`` to test your own.

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
        self._is_build = True
        self._patched = ExitStack()
        for module, name, value in (
            (tables, "LEAST_WITH_SPARE", 0),
            (tables, "SPARE_SHARE", 1),
            (compaction, "SPARE_SHARE", 1),
        ):
            self._patched.enter_context(patch.object(module, name, value))

    @initialize(rows=corpora(min_size=1, max_size=4, ids=True))
    def _build(self, rows: list[dict[str, Any]]) -> None:
        self._rows = rows
        built(rows, self._root, self._now)

    @rule(rows=corpora(max_size=2, ids=True))
    def add(self, rows: list[dict[str, Any]]) -> None:
        """Add documents under ids that are new."""
        fresh = [{**row, "id": f"{row['id']}-{len(self._rows)}"} for row in rows]
        self._updated(add(self._root, self._written(fresh), replace=True, workers=1))
        self._replace(fresh)

    @rule(rows=corpora(max_size=3, ids=True))
    def replace(self, rows: list[dict[str, Any]]) -> None:
        """Add documents under ids that may be there."""
        self._updated(add(self._root, self._written(rows), replace=True, workers=1))
        self._replace(rows)

    @precondition(lambda self: len({row["title"] for row in self._rows}) > 1)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        """Delete one title, and never the last."""
        title = data.draw(st.sampled_from(sorted({str(row["title"]) for row in self._rows})))
        self._updated(delete(self._root, [title], workers=1))
        self._rows = [row for row in self._rows if row["title"] != title]

    @rule(lines=st.dictionaries(names(), names(), max_size=2))
    def alias(self, lines: dict[str, str]) -> None:
        """Replace the aliases by new ones."""
        wanted = {one: other for one, other in lines.items() if one != other}
        self._updated(alias(self._root, wanted, workers=1))
        self._now = self.recipe.model_copy(update={"aliases": dict(sorted(wanted.items()))})

    @invariant()
    def is_what_a_build_makes(self) -> None:
        """Compare the index with a build of today's documents.

        Every file of a build equals that of the other; a segment answers alike, with scores equal
        to a millionth.
        """
        if not self._rows:
            return
        again = self._folder / "again"
        shutil.rmtree(again, ignore_errors=True)
        built(self._rows, again, self._now)
        if self._is_build:
            assert checksums(self._root) == checksums(again), "files differ from those of a build"  # noqa: S101
        else:
            checksums(self._root)
            self._answers_as(again)

    def teardown(self) -> None:
        """Remove what was built."""
        self._patched.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _updated(self, update: Update) -> None:
        if update.is_change or update.built:
            self._is_build = bool(update.built)

    def _answers_as(self, again: Path) -> None:
        titles = sorted({str(row["title"]) for row in self._rows})
        with HippoHover.open(self._root) as engine, HippoHover.open(again) as other:
            for retriever in ("ppr", "bm25"):
                for claim in titles[:_N_CLAIMS]:
                    found, wanted = (
                        {
                            one.pid: one.score
                            for one in asked.search(claim, 1000, retriever).passages
                        }
                        for asked in (engine, other)
                    )
                    assert _are_alike(found, wanted), (  # noqa: S101
                        f"{retriever} answers {claim!r} with {found}, and a build with {wanted}"
                    )

    def _written(self, rows: list[dict[str, Any]]) -> Path:
        return corpus_of(rows, self._folder / "new.jsonl")

    def _replace(self, rows: list[dict[str, Any]]) -> None:
        names_of_new = {row["id"] for row in rows}
        kept = [row for row in self._rows if row["id"] not in names_of_new]
        self._rows = [*kept, *rows]


def _are_alike(found: Mapping[PassageId, float], wanted: Mapping[PassageId, float]) -> bool:
    return found.keys() == wanted.keys() and all(
        math.isclose(score, wanted[pid], rel_tol=_MILLIONTH, abs_tol=_MILLIONTH)
        for pid, score in found.items()
    )
