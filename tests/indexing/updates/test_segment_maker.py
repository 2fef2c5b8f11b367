"""Segments make of an index what a build makes of the same passages, whatever comes and goes."""

import random
from collections.abc import Callable, Collection
from pathlib import Path

import pytest

from hippohover.entity_graph import type_scale, type_weights
from hippohover.graph_builder import MAX_TERM_PASSAGES
from hippohover.indexing.build import build
from hippohover.indexing.corpus.passage_table import stored_passages
from hippohover.indexing.updates import names_changed, sequences_changed
from hippohover.indexing.updates.changed_index import NotSmallError
from hippohover.indexing.updates.segment_maker import make_segment
from hippohover.recipe import IndexRecipe
from hippohover.records import Passage
from hippohover.store import tables as tables_module
from hippohover.store.reader import StoredIndex
from hippohover.store.segments.application import apply
from hippohover.store.segments.compaction import write_compacted
from hippohover.store.segments.merge import merged
from hippohover.store.segments.revision import Revision
from hippohover.store.segments.segment import Segment
from hippohover.store.tables import IndexTables
from hippohover.store.version_files import VersionFiles
from tests.changing_world import JOINING, RECIPE, Record, joined_records, records, write_records
from tests.index_content import content_of, differences

LONG = "old red blue green grey pink gold tin lead hall"  # too long a name to have forms
SCALE = type_scale(type_weights(RECIPE.query.weights))


@pytest.fixture(autouse=True)
def spare_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows to spare in small indexes too."""
    monkeypatch.setattr(tables_module, "LEAST_WITH_SPARE", 0)
    monkeypatch.setattr(tables_module, "SPARE_SHARE", 1)


class World:
    """Records of which some are in an index, which is built again after each change."""

    def __init__(
        self, folder: Path, every: list[Record], n: int, recipe: IndexRecipe = RECIPE
    ) -> None:
        self._folder, self._recipe = folder, recipe
        folder.mkdir(exist_ok=True)
        self._n_builds = 0
        self._there, self._rest = every[:n], every[n:]
        self.tables = self._built()

    def _built(self) -> IndexTables:
        self._n_builds += 1
        path = write_records(self._folder / f"{self._n_builds}.jsonl", self._there)
        out = self._folder / f"index-{self._n_builds}"
        build(self._recipe, corpus=path, out=out, workers=1)
        return IndexTables.open(StoredIndex.open(out))

    def change(self, rng: random.Random) -> tuple[list[Passage], list[str]]:
        """Passages that come, and ids of those that go; what is said otherwise does both."""
        before = {passage.pid: passage for passage in stored_passages(self.tables)}
        came = [
            self._rest.pop(rng.randrange(len(self._rest))) for _ in range(rng.choice([0, 1, 4]))
        ]
        n_gone = rng.choice([0, 1, 4])
        went = [self._there.pop(rng.randrange(len(self._there))) for _ in range(n_gone)]
        self._there, self._rest = self._there + came, self._rest + went
        self.tables = self._built()
        after = {passage.pid: passage for passage in stored_passages(self.tables)}
        new = [passage for pid, passage in after.items() if before.get(pid) != passage]
        return new, [pid for pid, passage in before.items() if after.get(pid) != passage]


def compacted(base: IndexTables, segment: Segment, folder: Path) -> IndexTables:
    """A new base of an old one and a segment."""
    revision = Revision(base, SCALE)
    apply(revision, segment)
    revision.write_names(segment.written)
    folder.mkdir()
    files = VersionFiles(folder)
    write_compacted(revision, files)
    return IndexTables.open(files)


@pytest.mark.parametrize(("make", "recipe"), [(records, RECIPE), (joined_records, JOINING)])
@pytest.mark.parametrize("seed", range(4))
def test_an_index_that_changes_is_as_one_that_is_built(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
    make: Callable[[int, int], list[Record]],
    recipe: IndexRecipe,
):
    """After each change, with all of them merged into one, and in a base made after each."""
    monkeypatch.setattr(names_changed, "FEW_HOLDERS", seed % 2 * 200)
    rng = random.Random(seed)  # noqa: S311
    world = World(tmp_path, make(170, seed), 130, recipe)
    base = renewed = world.tables
    revision = Revision(base, SCALE)
    assert differences(content_of(revision.tables()), content_of(base)) == []
    whole: Segment | None = None
    n_small = 0
    for _ in range(7):
        new, gone = world.change(rng)
        try:
            segment = make_segment(revision, new, gone, recipe=recipe, encoder=None)
            changed = Revision(renewed, SCALE)
            make_segment(changed, new, gone, recipe=recipe, encoder=None)
        except NotSmallError:
            base = renewed = world.tables
            revision, whole = Revision(base, SCALE), None
            continue
        n_small += 1
        fresh = content_of(world.tables)
        assert differences(content_of(changed.tables()), fresh) == []
        renewed = compacted(renewed, segment, tmp_path / f"renewed-{n_small}")
        assert differences(content_of(renewed), fresh) == []
        assert differences(content_of(revision.tables()), fresh) == []
        whole = segment if whole is None else merged(whole, segment)
        again = Revision(base, SCALE)
        apply(again, whole)
        again.write_names(whole.written)
        assert differences(content_of(again.tables()), fresh) == []
    assert n_small


def test_a_phrase_that_a_longer_name_covers_may_become_one(tmp_path: Path):
    """Of 21 passages that hold it, too many, one names something longer then: its text is read."""
    texts = [f"Number {n} is where Quiet Iron stood before, {LONG}." for n in range(20)]
    texts.append(f"Nobody saw Quiet Iron by night in {LONG} in those years.")
    there: list[Record] = [
        {"title": f"Town {n}", "text": text, "year": 1} for n, text in enumerate(texts)
    ]
    came: Record = {
        "title": f"Quiet Iron by Night in {LONG}",
        "text": "Number 1 is where it stood.",
        "year": 1,
    }
    world = World(tmp_path, [*there, came], 21)
    revision = Revision(world.tables, SCALE)
    fresh = World(tmp_path / "fresh", [*there, came], 22).tables
    new = [passage for passage in stored_passages(fresh) if passage.title == came["title"]]
    with pytest.raises(NotSmallError, match="a phrase that very many passages held"):
        make_segment(revision, new, [], recipe=RECIPE, encoder=None)


def test_a_code_is_a_term_while_few_passages_hold_it(tmp_path: Path):
    """The holder that is one too many turns the edges of all others, and leaves them again."""
    n = MAX_TERM_PASSAGES
    notes: list[Record] = [
        {"title": f"Note {at}", "text": f"Pump HX-1007 stood in hall {at} then.", "year": 1}
        for at in range(n + 1)
    ]
    few = World(tmp_path / "few", notes, n).tables
    more = World(tmp_path / "more", notes, n + 1).tables
    [extra] = [one for one in stored_passages(more) if one.title == f"Note {n}"]
    revision = Revision(few, SCALE)
    assert few.arrays.graph.edge_counts()["term"] >= n
    make_segment(revision, [extra], [], recipe=RECIPE, encoder=None)
    assert differences(content_of(revision.tables()), content_of(more)) == []
    assert more.arrays.graph.edge_counts()["term"] < n
    make_segment(revision, [], [extra.pid], recipe=RECIPE, encoder=None)
    assert differences(content_of(revision.tables()), content_of(few)) == []


def _turns(left_out: Collection[tuple[int, int]]) -> list[Record]:
    """Turns of three talks, which speak of one thing for four turns."""
    about = ["weirs", "bells", "ropes", "tides", "lamps", "gates", "mills", "wells"]
    return [
        {
            "title": f"Talk {talk}, turn {at}",
            "text": f"No {at}: {about[at // 4]} of {talk}, {at % 7}",
        }
        for talk in range(1, 4)
        for at in range(32)
        if (talk, at) not in left_out
    ]


@pytest.mark.parametrize(
    "moved",
    [[(2, 31)], [(2, 0)], [(1, 12)], [(1, 12), (1, 14)], [(1, 5), (2, 5)], [(3, 31), (3, 30)],
     [(1, 20), (1, 21), (1, 22)]],
)  # fmt: skip
@pytest.mark.parametrize("comes", [True, False])
def test_of_a_long_series_the_neighbours_alone_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moved: list[tuple[int, int]], *, comes: bool
):
    monkeypatch.setattr(sequences_changed, "MOST_READ", 0)
    monkeypatch.setattr(sequences_changed, "AROUND", 4)
    monkeypatch.setattr(sequences_changed, "pairs_in_order", None)  # which reads all
    every, fewer = _turns([]), _turns(moved)
    whole = World(tmp_path / "whole", every, len(every)).tables
    less = World(tmp_path / "less", fewer, len(fewer)).tables
    assert less.arrays.graph.edge_counts()["sequence"] > 80
    titles = {f"Talk {talk}, turn {at}" for talk, at in moved}
    passages = [one for one in stored_passages(whole) if one.title in titles]
    before, after = (less, whole) if comes else (whole, less)
    new, gone = (passages, []) if comes else ([], [one.pid for one in passages])
    revision = Revision(before, SCALE)
    make_segment(revision, new, gone, recipe=RECIPE, encoder=None)
    assert differences(content_of(revision.tables()), content_of(after)) == []


NUMBERED = {
    "heron.md": "# Heron\n\nIt brought 5 ships to Senna in 1984. [[5]]",
    "5.md": "A note about fog and rain.",
    "fog.md": "---\ntitle: '5'\n---\nFog is grey. Senna had 5 lamps.",
    "1984.md": "The year of the fog.",
    "lamps.md": "Of 5 lamps one burned in 1984. See [the year](1984.md).",
    **{f"town {n}.md": f"In town {n} nobody saw the harbour of Senna." for n in range(10, 64)},
}


def _of_files(folder: Path, names: Collection[str]) -> IndexTables:
    (folder / "notes").mkdir(parents=True)
    for name in names:
        (folder / "notes" / name).write_text(NUMBERED[name], encoding="utf-8")
    build(RECIPE, corpus=folder / "notes", out=folder / "index", workers=1)
    return IndexTables.open(StoredIndex.open(folder / "index"))


@pytest.mark.parametrize("moved", [["5.md"], ["fog.md"], ["5.md", "fog.md"], ["1984.md"]])
@pytest.mark.parametrize("comes", [True, False])
def test_numbers_that_are_names_of_files_come_and_go(
    tmp_path: Path, moved: list[str], *, comes: bool
):
    less, whole = (
        _of_files(tmp_path / "less", NUMBERED.keys() - set(moved)),
        _of_files(tmp_path / "whole", NUMBERED),
    )
    passages = [one for one in stored_passages(whole) if one.path in moved]
    before, after = (less, whole) if comes else (whole, less)
    new, gone = (passages, []) if comes else ([], [one.pid for one in passages])
    revision = Revision(before, SCALE)
    make_segment(revision, new, gone, recipe=RECIPE, encoder=None)
    assert differences(content_of(revision.tables()), content_of(after)) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_two_thousand_passages_that_change_often(tmp_path: Path, seed: int):
    rng = random.Random(seed)  # noqa: S311
    world = World(tmp_path, records(1500, seed), 1400)
    revision = Revision(world.tables, SCALE)
    n_small = 0
    for _ in range(12):
        new, gone = world.change(rng)
        try:
            make_segment(revision, new, gone, recipe=RECIPE, encoder=None)
        except NotSmallError:
            revision = Revision(world.tables, SCALE)
            continue
        n_small += 1
    fresh = content_of(world.tables)
    assert differences(content_of(revision.tables()), fresh) == []
    assert n_small > 6
