"""The suite passes extractors that are sound, and fails each that is not."""

from collections.abc import Callable, Iterator, Sequence

import pytest

from hippohover.indexing.triples.between import BetweenTriples
from hippohover.indexing.triples.extractor import TripleExtractor
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


Answers = list[list[Triple] | ExtractionFailure]


class Spoilt(IsA):
    """An extractor whose answers are changed on their way."""

    def __init__(self, change: Callable[[Answers, Sequence[Passage]], Answers]) -> None:
        super().__init__()
        self._change = change

    def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple] | ExtractionFailure]:
        yield from self._change(list(super().extract(passages)), passages)


class OfASet(TripleExtractorSuite):
    def make(self) -> TripleExtractor:
        return Spoilt(
            lambda answers, passages: [
                [Triple(one.title, "has", word) for word in {*one.text.split()}] for one in passages
            ]
        )


class TestOneThatStumbles(TripleExtractorSuite):
    def make(self) -> TripleExtractor:
        return IsA(stumbles="Title 2")


@pytest.mark.parametrize(
    ("extractor", "test"),
    [
        (Spoilt(lambda answers, _: answers[1:]), "test_there_is_one_answer_a_passage"),
        (
            Spoilt(lambda answers, passages: answers[: max(1, len(passages) - 1)]),
            "test_there_is_one_answer_a_passage",
        ),
        (Spoilt(lambda _, passages: [[] for _ in passages]), "test_it_finds_a_triple"),
        (
            Spoilt(lambda _, passages: [[Triple(p.title, "is", "far", 99)] for p in passages]),
            "test_sentences_are_those_of_the_text",
        ),
        (
            Spoilt(lambda _, ones: [ExtractionFailure(ones[0].pid, "lost") for _ in ones]),
            "test_a_failure_names_its_own_passage",
        ),
        (
            Spoilt(lambda _, ones: [[Triple(p.title, "of", str(len(ones)))] for p in ones]),
            "test_a_passage_has_the_same_triples_in_any_company",
        ),
    ],
)
def test_an_extractor_that_is_not_sound_fails(extractor: TripleExtractor, test: str):
    class Suite(TripleExtractorSuite):
        def make(self) -> TripleExtractor:
            return extractor

    with pytest.raises(AssertionError, match=r"\w+ \w+"):
        getattr(Suite(), test)()


def test_triples_in_the_order_of_a_set_fail():
    with pytest.raises(AssertionError, match="triples depend on the process"):
        OfASet().test_another_process_finds_the_same()
