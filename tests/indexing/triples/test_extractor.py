"""An extractor of one's own: its name for a cache, and what is checked of its triples."""

from collections.abc import Iterator, Sequence
from typing import Any, cast

import pytest

from hippohover.errors import UsageError
from hippohover.indexing.triples.cache import extract_each
from hippohover.indexing.triples.extractor import OwnTriples
from hippohover.records import ExtractionFailure, Passage, PassageId, Triple
from tests.indexing.triples.test_between import passage, read


class Answering:
    """Gives one answer for each passage."""

    name = "answering"
    version = "1"

    def __init__(self, answer: object) -> None:
        self._answer: Any = answer

    def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple] | ExtractionFailure]:
        for _ in passages:
            yield self._answer


def test_an_extractor_of_ones_own_is_named_for_a_cache():
    own = OwnTriples(Answering([]))
    assert (own.name, own.version) == ("custom:answering", "custom:answering 1")


def test_its_triples_come_as_it_gives_them_with_whitespace_collapsed():
    given = [Triple(" Otto\nBrenner ", "made", "Velmora", 3)]
    failure = ExtractionFailure(PassageId("p"), "too dark to read")
    assert read("...", extractor=OwnTriples(Answering(given))) == [
        Triple("Otto Brenner", "made", "Velmora", 3)
    ]
    assert list(OwnTriples(Answering(failure)).extract([passage("...")])) == [failure]


@pytest.mark.parametrize(
    "answer",
    [
        None,
        [("Otto", "made", "Velmora")],
        [Triple("", "made", "Velmora")],
        [Triple("Otto", " ", "Velmora")],
        [Triple("Otto", "made", "\ud800")],
        [Triple("Otto", "made", "Velmora", -1)],
        [Triple("Otto", "made", "Velmora", 2**31)],
        [Triple("Otto", "made", "Velmora", cast("int", 2.5))],
        [Triple("Otto", cast("str", 5), "Velmora")],
    ],
)
def test_what_is_no_triple_is_a_failure_of_its_passage(answer: object):
    (failure,) = extract_each([passage("...")], OwnTriples(Answering(answer)))
    assert isinstance(failure, ExtractionFailure)


@pytest.mark.parametrize(
    ("field", "value"), [("name", "a b"), ("version", ""), ("version", 1), ("version", "\ud800")]
)
def test_a_name_or_version_that_cannot_be_used_is_an_error(field: str, value: object):
    extractor = Answering([])
    setattr(extractor, field, value)
    with pytest.raises(UsageError, match=f"has (the )?{field}"):
        OwnTriples(extractor)
