"""Triples are extracted once; what fails is told, and tried again."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hippohover.errors import BuildError, ModelError
from hippohover.indexing.triples import cache as triple_cache
from hippohover.indexing.triples.cache import (
    ExtractionFailure,
    cache_key,
    extract_all,
    extract_each,
)
from hippohover.indexing.workers.stage_cache import StageCache
from hippohover.records import Passage, PassageId, Triple


class Extractor:
    """(title, says, text) of each passage; raises on a text that holds "bad"."""

    name = "test"

    def __init__(self, version: str = "1", error: Exception | None = None) -> None:
        self.version = version
        self.error = error or ValueError("cannot\nread this")
        self.asked: list[str] = []

    def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple]]:
        for passage in passages:
            self.asked.append(passage.pid)
            if "bad" in passage.text:
                raise self.error
            yield [Triple(passage.title or "?", "says", passage.text, len(passage.text))]


def passages(n: int, *, bad: Sequence[int] = ()) -> list[Passage]:
    return [
        Passage(PassageId(f"p{row}"), f"T{row}", "bad" if row in bad else f"text {row}")
        for row in range(n)
    ]


@pytest.fixture(autouse=True)
def small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten passages are several tasks."""
    monkeypatch.setattr(triple_cache, "_PASSAGES_A_TASK", 3)


def extracted(
    path: Path,
    all_passages: list[Passage],
    extractor: Extractor,
    *,
    workers: int = 1,
    failures: list[ExtractionFailure] | None = None,
) -> list[list[Triple]]:
    done: list[int] = []

    def failed(failure: ExtractionFailure, passage: Passage) -> list[Triple]:
        assert failure.pid == passage.pid
        if failures is not None:
            failures.append(failure)
        return [Triple("in", "its", "stead")]

    found = list(
        extract_all(
            all_passages,
            extractor,
            cache_path=path / "triples.sqlite",
            workers=workers,
            on_done=done.append,
            on_failure=None if failures is None else failed,
        )
    )
    assert sum(done) == len(all_passages) == len(found)
    return found


@pytest.mark.parametrize("workers", [1, 2])
def test_triples_come_in_the_order_of_the_passages(tmp_path: Path, workers: int):
    ten = passages(10)
    expected = list(Extractor().extract(ten))
    assert extracted(tmp_path, ten, Extractor(), workers=workers) == expected
    assert extracted(tmp_path, ten, Extractor(), workers=workers) == expected


def test_nothing_is_extracted_twice(tmp_path: Path):
    first, second = Extractor(), Extractor()
    extracted(tmp_path, passages(5), first)
    extracted(tmp_path, passages(10), second)
    assert first.asked == [f"p{row}" for row in range(5)]
    assert second.asked == [f"p{row}" for row in range(5, 10)]


@pytest.mark.parametrize(
    "kept", [b"", b"{}", b"[1]", b'[["a", "b"]]', b'[["", "b", "c", 0]]', b'[["a", "b", "c", -1]]',
             b"[" * 9999, b'[["\xff", "b", "c", 0]]']
)  # fmt: skip
def test_what_a_cache_holds_and_is_no_triple_is_extracted_again(tmp_path: Path, kept: bytes):
    expected = extracted(tmp_path, passages(4), Extractor())
    with closing(StageCache(tmp_path / "triples.sqlite")) as cache:
        cache.put([(cache_key("p1", "T1"), kept)], "1")
    again = Extractor()
    assert extracted(tmp_path, passages(4), again) == expected
    assert again.asked == ["p1"]


def test_another_version_extracts_again_beside_the_first(tmp_path: Path):
    extracted(tmp_path, passages(4), Extractor("1"))
    other = Extractor("2")
    extracted(tmp_path, passages(4), other)
    assert len(other.asked) == 4
    third = Extractor("1")
    extracted(tmp_path, passages(4), third)
    assert third.asked == []


def test_a_hidden_title_has_triples_of_its_own(tmp_path: Path):
    shown = passages(2)
    hidden = [replace(passage, title="") for passage in shown]
    extracted(tmp_path, shown, Extractor())
    found = extracted(tmp_path, hidden, Extractor())
    assert [triples[0].subject for triples in found] == ["?", "?"]
    assert len({cache_key(one.pid, one.title) for one in [*shown, *hidden]}) == 4


def test_a_stopped_extraction_goes_on_where_it_was(tmp_path: Path):
    first = extract_all(
        passages(9), Extractor(), cache_path=tmp_path / "triples.sqlite", workers=1,
        on_done=lambda _: None,
    )  # fmt: skip
    for _ in range(4):  # into the second task
        next(first)
    first.close()  # pyright: ignore[reportAttributeAccessIssue]
    rest = Extractor()
    extracted(tmp_path, passages(9), rest)
    assert rest.asked == ["p6", "p7", "p8"]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failure_is_told_and_the_other_passages_go_on(tmp_path: Path, workers: int):
    ten = passages(10, bad=[1, 4, 5])
    failures: list[ExtractionFailure] = []
    found = extracted(tmp_path, ten, Extractor(), workers=workers, failures=failures)
    instead = [Triple("in", "its", "stead")]
    assert [row for row, triples in enumerate(found) if triples == instead] == [1, 4, 5]
    assert [str(failure) for failure in failures] == [
        f"passage p{row}: no triples (ValueError: cannot read this)" for row in (1, 4, 5)
    ]


def test_a_failed_passage_is_tried_again(tmp_path: Path):
    extracted(tmp_path, passages(5, bad=[2]), Extractor(), failures=[])
    again = Extractor()
    failures: list[ExtractionFailure] = []
    extracted(tmp_path, passages(5), again, failures=failures)
    assert again.asked == ["p2"]
    assert failures == []


def test_without_a_hearer_a_failure_stops(tmp_path: Path):
    with pytest.raises(BuildError, match="passage p2: no triples"):
        extracted(tmp_path, passages(5, bad=[2]), Extractor())


def test_what_the_package_raises_itself_goes_through(tmp_path: Path):
    with pytest.raises(ModelError, match="gone"):
        extracted(tmp_path, passages(5, bad=[2]), Extractor(error=ModelError("gone")), failures=[])


def test_want_of_memory_is_no_failure_of_a_passage(tmp_path: Path):
    failures: list[ExtractionFailure] = []
    with pytest.raises(MemoryError, match="3 GiB"):
        extracted(
            tmp_path, passages(5, bad=[2]), Extractor(error=MemoryError("3 GiB")), failures=failures
        )
    assert failures == []


def test_an_extractor_that_answers_too_little_fails_on_each_passage():
    class Short(Extractor):
        def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple]]:
            yield from ([] for _ in passages[1:])

    answers = extract_each(passages(2), Short())
    assert [str(answer) for answer in answers] == [
        f"passage p{row}: no triples (ValueError: 0 answers for 1 passages)" for row in (0, 1)
    ]


def test_an_extractor_without_an_end_fails_on_each_passage():
    class Endless(Extractor):
        def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple]]:
            while True:
                yield []

    answers = extract_each(passages(2), Endless())
    assert [str(answer) for answer in answers] == [
        f"passage p{row}: no triples (ValueError: too many answers for 1 passages)"
        for row in (0, 1)
    ]


def test_a_reason_is_cut():
    (failure,) = extract_each(passages(1, bad=[0]), Extractor(error=ValueError("x" * 9000)))
    assert isinstance(failure, ExtractionFailure)
    assert len(failure.reason) < 200


def test_ctrl_c_is_no_failure_of_a_passage(tmp_path: Path):
    class Stopped(Extractor):
        def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple]]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        extracted(tmp_path, passages(2), Stopped(), failures=[])


def test_no_passages_are_no_error(tmp_path: Path):
    assert extracted(tmp_path, [], Extractor()) == []


def test_a_file_that_is_no_cache_is_named(tmp_path: Path):
    (tmp_path / "triples.sqlite").write_bytes(b"not a database, surely" * 100)
    with pytest.raises(BuildError, match=r"triples\.sqlite.*delete the file"):
        extracted(tmp_path, passages(2), Extractor())


def test_a_folder_in_its_place_is_named(tmp_path: Path):
    (tmp_path / "triples.sqlite").mkdir()
    with pytest.raises(BuildError, match=r"triples\.sqlite"):
        extracted(tmp_path, passages(2), Extractor())


@settings(
    max_examples=min(25, settings().max_examples),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(place=st.integers(0, 10_000), bit=st.integers(0, 7))
def test_a_flipped_bit_of_a_row_changes_no_triple(tmp_path: Path, place: int, bit: int):
    expected = extracted(tmp_path, passages(2), Extractor())
    with sqlite3.connect(tmp_path / "triples.sqlite") as connection:
        [(result,)] = connection.execute("SELECT result FROM results LIMIT 1").fetchall()
        data = bytearray(result)
        data[place % len(data)] ^= 1 << bit
        connection.execute("UPDATE results SET result = ?", (bytes(data),))
    connection.close()
    assert extracted(tmp_path, passages(2), Extractor()) == expected


TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@settings(
    max_examples=min(25, settings().max_examples),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(triples=st.lists(st.builds(Triple, TEXT, TEXT, TEXT, st.integers(0, 9)), max_size=4))
def test_what_was_extracted_comes_back_as_it_was(tmp_path: Path, triples: list[Triple]):
    class Once(Extractor):
        def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple]]:
            yield from (triples for _ in passages)

    version = repr(triples)
    assert extracted(tmp_path, passages(1), Once(version)) == [triples]
    again = Extractor(version)
    assert extracted(tmp_path, passages(1), again) == [triples]
    assert again.asked == []
