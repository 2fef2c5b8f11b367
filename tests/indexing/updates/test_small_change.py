"""Updates that stand beside what was built: what is on disk, what is answered, and what is left."""

import random
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

import hippohover
from hippohover.errors import IndexDamagedError
from hippohover.explanation.explain import explain
from hippohover.indexing.build import build
from hippohover.indexing.updates import compaction, segment_maker, small_change
from hippohover.retrieval.engine import HippoHover
from hippohover.store import tables as tables_module
from hippohover.store.reader import StoredIndex
from hippohover.store.segments.opening import opened_tables
from tests.changing_world import RECIPE, Record, records, write_records
from tests.index_content import content_of, differences
from tests.indexing.update_samples import checksums

CLAIMS = [
    "Mira Oldane directed Lantern Hill.",
    "Who was born in Vellmouth and won the Harbour Cup?",
    "the old mill of Pavel Novak near Gullhaven",
]


@pytest.fixture(autouse=True)
def spare_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows to spare in small indexes too."""
    monkeypatch.setattr(tables_module, "LEAST_WITH_SPARE", 0)
    monkeypatch.setattr(tables_module, "SPARE_SHARE", 1)
    monkeypatch.setattr(compaction, "SPARE_SHARE", 1)


def built(some: Sequence[Record], out: Path) -> Path:
    path = write_records(out.with_suffix(".jsonl"), list(some))
    return build(RECIPE, corpus=path, out=out, workers=1)


def titled(n: int, seed: int = 0) -> list[Record]:
    """Records of different titles and without ids, which can be deleted by title."""
    some = {one["title"]: one for one in records(n, seed) if one["title"] and "id" not in one}
    return list(some.values())


def answers(root: Path) -> list[list[tuple[str, float]]]:
    engine = HippoHover.open(root)
    return [
        [(p.pid, round(p.score, 6)) for p in engine.search(claim, 50, name).passages]
        for name in ("ppr", "bm25")
        for claim in CLAIMS
    ]


def explanations(root: Path) -> list[dict[str, object]]:
    """Paths to what is found, in words: many are of one mass."""
    engine = HippoHover.open(root)
    return [
        {"seeds": asked.as_dict()["seeds"], "paths": [path.nodes for path in asked.paths]}
        for claim in CLAIMS
        for passage in engine.search(claim, 9).passages
        for asked in [explain(engine, claim, pid=passage.pid)]
    ]


def n_segments(root: Path) -> int:
    with StoredIndex.open(root) as stored:
        assert stored.verify() == []
        return stored.manifest.base.n_segments if stored.manifest.base else 0


def test_add_replace_and_delete_answer_as_a_build(tmp_path: Path):
    some = titled(600)
    base, new, later = some[:80], some[80:83], some[83:85]
    root = built(base, tmp_path / "i")
    hippohover.add(root, write_records(tmp_path / "new.jsonl", new))
    assert n_segments(root) == 1
    changed = [{**new[0], "text": "Another text of Mira Oldane, of Lantern Hill."}, *later]
    hippohover.add(root, write_records(tmp_path / "changed.jsonl", changed), replace=True)
    hippohover.delete(root, [base[0]["title"], new[1]["title"]])
    left = [*base[1:], new[2], *changed]
    fresh = built(left, tmp_path / "fresh")
    with StoredIndex.open(root) as one, StoredIndex.open(fresh) as other:
        contents = [content_of(opened_tables(stored)) for stored in (one, other)]
    assert differences(contents[0], contents[1]) == []
    assert answers(root) == answers(fresh)
    told = explanations(fresh)
    assert explanations(root) == told
    assert n_segments(root) >= 1
    assert hippohover.compact(root)
    assert n_segments(root) == 0
    assert answers(root) == answers(fresh)
    assert explanations(root) == told
    assert not hippohover.compact(root)


def test_aliases_are_a_build(tmp_path: Path):
    some = titled(600)
    root = built(some[:80], tmp_path / "i")
    hippohover.add(root, write_records(tmp_path / "new.jsonl", some[80:82]))
    assert hippohover.alias(root, {"Mira": "Mira Oldane"}, workers=1).built == "the aliases changed"
    assert n_segments(root) == 0
    more = write_records(tmp_path / "more.jsonl", some[82:83])
    assert hippohover.add(root, more, workers=1).built == "the recipe has aliases"
    assert n_segments(root) == 0
    assert hippohover.add(root, more, workers=1).built == ""  # all of it is there


@pytest.mark.parametrize(
    ("recipe", "why"),
    [
        ({"extractor": "file"}, "extractor = 'file' does not read passages by themselves"),
        ({"encoder": "custom:mine"}, "the encoder is one of your own"),
        ({"fact_vectors": True}, "the recipe has fact_vectors"),
        ({}, "no spare row is left for new passages"),
    ],
)
def test_why_an_index_takes_no_segments(tmp_path: Path, recipe: dict[str, object], why: str):
    root = built(titled(60)[:20], tmp_path / "i")
    with StoredIndex.open(root) as stored:
        assert small_change.why_built(stored, stored.recipe()) == ""
        counts = stored.manifest.counts
        if not recipe:
            counts["n_rows"] = counts["n_passages"] = 1000
        assert small_change.why_built(stored, stored.recipe().model_copy(update=recipe)) == why
        counts["n_rows"] = counts["n_passages"] = 999
        assert small_change.why_built(stored, stored.recipe()) == small_change.TOO_SMALL


def test_an_index_in_the_place_of_another_is_not_taken_for_it(tmp_path: Path):
    """Both have a version v000002 in the same folder, and this process changed the first alone."""
    some = titled(600)
    place, aside = tmp_path / "i", tmp_path / "aside"
    for first, root in ((80, place), (90, aside)):
        built(some[:first], root)
        hippohover.add(root, write_records(tmp_path / "new.jsonl", some[first : first + 1]))
    hippohover.add(place, write_records(tmp_path / "new.jsonl", some[100:101]))
    shutil.rmtree(place)
    shutil.copytree(aside, place)
    hippohover.add(place, write_records(tmp_path / "new.jsonl", some[101:102]))
    shutil.rmtree(aside / "v000002")
    assert answers(place) == answers(built([*some[:91], some[101]], tmp_path / "fresh"))


def test_a_base_stays_while_a_version_needs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(compaction, "MOST_BESIDE", 1 << 30)
    monkeypatch.setattr(compaction, "SPARE_SHARE", 0)
    some = titled(600)
    root = built(some[:80], tmp_path / "i")
    engine = HippoHover.open(root)
    for at in range(80, 83):
        hippohover.add(root, write_records(tmp_path / "new.jsonl", [some[at]]))
        assert engine.reload()
        assert engine.n_passages == len(engine.pids()) == len(engine.titles())
    assert (root / "v000001").exists()
    assert not (root / "v000002").exists()
    done = hippohover.collect_garbage(root)
    assert (done.kept, done.held) == (("v000001", "v000004"), ())
    hippohover.compact(root)
    assert {path.name for path in root.glob("v*")} == {"v000001", "v000004", "v000005"}
    engine.close()
    hippohover.collect_garbage(root)
    assert {path.name for path in root.glob("v*")} == {"v000005"}


def test_few_segments_stay_however_many_updates_there_were(tmp_path: Path):
    rng = random.Random(0)  # noqa: S311
    some = titled(600)
    root, there = built(some[:80], tmp_path / "i"), some[:80]
    for one in some[80:92]:
        hippohover.add(root, write_records(tmp_path / "new.jsonl", [one]))
        there.append(one)
        if rng.random() < 0.5:
            hippohover.delete(root, [there.pop(rng.randrange(len(there)))["title"]])
    assert n_segments(root) <= 4
    fresh = built(there, tmp_path / "fresh")
    assert answers(root) == answers(fresh)


def test_a_large_change_is_a_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(segment_maker, "MOST_TOUCHED", 0)
    some = titled(600)
    root = built(some[:80], tmp_path / "i")
    new = [{"title": "Number", "text": "Nobody."}, *some[80:82]]
    done = hippohover.add(root, write_records(tmp_path / "new.jsonl", new), workers=1)
    assert done.built.endswith("passages, and a segment at most 0")
    assert n_segments(root) == 0
    fresh = built([*some[:80], *new], tmp_path / "fresh")
    assert checksums(root) == checksums(fresh)


def test_what_failed_is_not_kept_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A change that this process could not publish is not there at its next one."""
    some = titled(600)
    root = built(some[:80], tmp_path / "i")
    with monkeypatch.context() as patch:
        patch.setattr(small_change, "save_segment", broken)
        with pytest.raises(OSError, match="broken"):
            hippohover.add(root, write_records(tmp_path / "new.jsonl", some[80:82]))
    hippohover.add(root, write_records(tmp_path / "other.jsonl", some[82:84]))
    assert n_segments(root) == 1
    assert answers(root) == answers(built([*some[:80], *some[82:84]], tmp_path / "fresh"))


def broken(*_: object) -> None:
    raise OSError("broken")


def test_a_base_that_changed_is_refused(tmp_path: Path):
    some = titled(600)
    root = built(some[:80], tmp_path / "i")
    hippohover.add(root, write_records(tmp_path / "new.jsonl", some[80:82]))
    path = root / "v000001" / "documents.npy"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(IndexDamagedError, match=r"documents\.npy"):
        StoredIndex.open(root)


def test_a_copy_without_the_base_is_told_what_to_copy(tmp_path: Path):
    root = built(titled(60), tmp_path / "i")
    path = write_records(tmp_path / "new.jsonl", [{"title": "New Mill", "text": "A new mill."}])
    hippohover.add(root, path)
    assert n_segments(root) == 1
    shutil.rmtree(root / "v000001")
    with pytest.raises(
        IndexDamagedError, match="v000001: is missing, and v000002 holds only changes"
    ):
        StoredIndex.open(root)
