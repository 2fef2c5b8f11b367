"""The suite passes extractors that are sound, and fails each that is not."""

from collections.abc import Iterator, Sequence

import pytest

from hippohover.indexing.triples.extractor import BetweenTriples, TripleExtractor
from hippohover.names.gazetteer import Gazetteer
from hippohover.records import ExtractionFailure, Passage, Triple
from hippohover.testing.own_models import IsA
from hippohover.testing.suites import TripleExtractorSuite


class TestIsA(TripleExtractorSuite):
    def make(self) -> TripleExtractor:
        return IsA()


class TestWordsBetweenNames(TripleExtractorSuite):
    def make(self) -> TripleExtractor:
        return BetweenTriples(Gazetteer({}))


class FromASet(IsA):
    def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple] | ExtractionFailure]:
        for passage in passages:
            yield [Triple(passage.title, "has", word) for word in {*passage.text.split()}]


class OfASet(TripleExtractorSuite):
    def make(self) -> TripleExtractor:
        return FromASet()


class TestOneThatStumbles(TripleExtractorSuite):
    def make(self) -> TripleExtractor:
        return IsA(stumbles="Title 2")


class OneShort(IsA):
    def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple] | ExtractionFailure]:
        yield from list(super().extract(passages))[1:]


class OneShortOfMany(IsA):
    def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple] | ExtractionFailure]:
        yield from list(super().extract(passages))[: max(1, len(passages) - 1)]


class Silent(IsA):
    def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple] | ExtractionFailure]:
        for _ in passages:
            yield []


class FarSentence(IsA):
    def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple] | ExtractionFailure]:
        for passage in passages:
            yield [Triple(passage.title, "is", "far", sentence=99)]


class FailsForAnother(IsA):
    def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple] | ExtractionFailure]:
        for _ in passages:
            yield ExtractionFailure(passages[0].pid, "lost")


class InCompany(IsA):
    def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple] | ExtractionFailure]:
        for passage in passages:
            yield [Triple(passage.title, "stands with", str(len(passages)))]


@pytest.mark.parametrize(
    ("extractor", "test"),
    [
        (OneShort, "test_there_is_one_answer_a_passage"),
        (OneShortOfMany, "test_there_is_one_answer_a_passage"),
        (Silent, "test_it_finds_a_triple"),
        (FarSentence, "test_sentences_are_those_of_the_text"),
        (FailsForAnother, "test_a_failure_names_its_own_passage"),
        (InCompany, "test_a_passage_has_the_same_triples_in_any_company"),
    ],
)
def test_an_extractor_that_is_not_sound_fails(extractor: type[IsA], test: str):
    class Suite(TripleExtractorSuite):
        def make(self) -> TripleExtractor:
            return extractor()

    with pytest.raises(AssertionError, match=r"\w+ \w+"):
        getattr(Suite(), test)()


def test_triples_in_the_order_of_a_set_fail():
    with pytest.raises(AssertionError, match="triples depend on the process"):
        OfASet().test_another_process_finds_the_same()
