"""The suites pass what is sound, and each fails what is not."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hippohover.errors import HippoHoverError
from hippohover.evaluation.evaluate import RetrievalEngine
from hippohover.indexing.triples.extractor import BetweenTriples, TripleExtractor
from hippohover.names.gazetteer import Gazetteer
from hippohover.records import (
    ExtractionFailure,
    Passage,
    PassageId,
    RankedPassage,
    Retrieval,
    Triple,
)
from hippohover.retrieval.engine import HippoHover
from hippohover.sources.arxiv import Arxiv
from hippohover.sources.brave import Brave
from hippohover.sources.document import Source, SourceDocument
from hippohover.sources.fetching import Fetcher
from hippohover.sources.http_search import HttpSearch, HttpSearchSettings
from hippohover.sources.open_alex import OpenAlex
from hippohover.sources.semantic_scholar import SemanticScholar
from hippohover.testing.own_models import HashedWords, IsA
from hippohover.testing.suites import (
    EncoderSuite,
    RetrieverSuite,
    SourceSuite,
    TripleExtractorSuite,
)
from hippohover.vectors.embedding import Encoder, load_encoder
from tests.sources.reply_samples import (
    ARXIV,
    BRAVE,
    OPEN_ALEX,
    SCHOLAR,
    Service,
    Shelf,
    document,
)


class TestTheWalk(RetrieverSuite):
    engine: HippoHover

    @pytest.fixture(autouse=True)
    def _engine(self, toy_engine: HippoHover) -> None:
        type(self).engine = toy_engine

    def make(self) -> RetrievalEngine:
        return self.engine


class TestBm25(TestTheWalk):
    retriever = "bm25"


class TestHashedWords(EncoderSuite):
    def make(self) -> Encoder:
        return HashedWords()


class TestTheTableThatShips(EncoderSuite):
    def make(self) -> Encoder:
        encoder = load_encoder("minilm-static")
        assert encoder is not None
        return encoder


class TestIsA(TripleExtractorSuite):
    def make(self) -> TripleExtractor:
        return IsA()


class TestWordsBetweenNames(TripleExtractorSuite):
    def make(self) -> TripleExtractor:
        return BetweenTriples(Gazetteer({}))


class TestAShelf(SourceSuite):
    def make(self) -> Source:
        cited = [document("B", citation_count=9), document("A", citation_count=2)]
        return Shelf([document("Tides"), document("Orle", year=2004)], {"Tides": cited})


class TestArxiv(SourceSuite):
    @pytest.fixture(autouse=True)
    def _unpaced(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Fetcher, "_pace", lambda fetcher: None)  # pyright: ignore[reportUnknownArgumentType, reportUnknownLambdaType]
        monkeypatch.setenv("BRAVE_API_KEY", "k")

    def make(self) -> Source:
        return Arxiv(Service([ARXIV]).transport)


class TestSemanticScholar(TestArxiv):
    def make(self) -> Source:
        return SemanticScholar(Service([SCHOLAR]).transport)


class TestOpenAlex(TestArxiv):
    def make(self) -> Source:
        return OpenAlex(Service([OPEN_ALEX]).transport)


class TestBrave(TestArxiv):
    def make(self) -> Source:
        return Brave(Service([BRAVE]).transport)


class TestAnySearch(TestArxiv):
    def make(self) -> Source:
        settings = HttpSearchSettings(name="any", address="https://any.example/?q={query}")
        page = {"title": "T", "text": "x", "url": "https://any.example/1"}
        return HttpSearch(settings, Service([[page]]).transport)


# --- and they fail what is not sound ----------------------------------------------------------


class Spoilt:
    """An engine whose answers are changed on their way."""

    def __init__(self, engine: HippoHover, spoil: Callable[..., Any]) -> None:
        self._engine = engine
        self._spoil = spoil
        self.n = 0

    def retrieve(self, claim: str, k: int = 21, retriever: str = "ppr") -> Retrieval:
        if not claim.strip():
            return Retrieval(claim, retriever, ())
        return self._changed(self._engine.retrieve(claim, k, retriever), k)

    def search(self, query: str, depth: int = 100, retriever: str = "ppr") -> Retrieval:
        return self._changed(self._engine.search(query, depth, retriever), depth)

    def titles(self) -> Sequence[str]:
        return self._engine.titles()

    def _changed(self, answer: Retrieval, k: int) -> Retrieval:
        self.n += 1
        return replace(answer, passages=tuple(self._spoil(answer.passages, k, self.n)))


Passages = tuple[RankedPassage, ...]


def as_they_are(passages: Passages, _k: int, _n: int) -> Passages:
    return passages


def none(_passages: Passages, _k: int, _n: int) -> Passages:
    return ()


def one_more(passages: Passages, _k: int, _n: int) -> Passages:
    return (*passages, passages[-1])


def upside_down(passages: Passages, _k: int, _n: int) -> Passages:
    return passages[::-1]


def by_k(passages: Passages, k: int, _n: int) -> Passages:
    return passages[k % 2 :]


def by_turn(passages: Passages, _k: int, n: int) -> Passages:
    return passages[n // 2 :]


def renamed(passages: Passages, _k: int, _n: int) -> Passages:
    return tuple(replace(one, title=f"{one.title}?") for one in passages)


def textless(passages: Passages, _k: int, _n: int) -> Passages:
    return tuple(replace(one, text="") for one in passages)


def always_one(passages: Passages, _k: int, _n: int) -> Passages:
    return tuple(replace(one, pid=PassageId(str(place))) for place, one in enumerate(passages))


@pytest.mark.parametrize(
    ("spoil", "test"),
    [
        (none, "test_it_finds_something"),
        (one_more, "test_no_more_come_back_than_are_asked_for"),
        (one_more, "test_a_passage_comes_back_once"),
        (upside_down, "test_ranks_count_from_1_and_scores_never_rise"),
        (by_k, "test_fewer_are_the_first_of_more"),
        (by_k, "test_a_deeper_search_begins_as_the_answer_does"),
        (renamed, "test_titles_are_those_of_the_index"),
        (by_turn, "test_a_claim_asked_twice_is_answered_alike"),
        (by_turn, "test_threads_are_answered_as_one_is"),
        (textless, "test_it_finds_something"),
        (always_one, "test_claims_are_told_apart"),
    ],
)
def test_a_retriever_that_is_not_sound_fails(
    toy_engine: HippoHover, spoil: Callable[..., Passages], test: str
):
    class Suite(RetrieverSuite):
        def make(self) -> RetrievalEngine:
            return Spoilt(toy_engine, spoil)

    with pytest.raises(AssertionError):
        getattr(Suite(), test)()


def test_a_retriever_that_answers_nothing_to_nothing_fails(toy_engine: HippoHover):
    class Suite(RetrieverSuite):
        def make(self) -> RetrievalEngine:
            return Spoilt(toy_engine, as_they_are)

    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        Suite().test_what_is_no_claim_is_refused_and_not_answered_with_nothing()


class ByBatch(HashedWords):
    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.roll(super().encode(texts), len(texts), axis=1)


class Fickle(HashedWords):
    n = 0

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        Fickle.n += 1
        return np.roll(super().encode(texts), Fickle.n, axis=1)


class Long(HashedWords):
    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return 2 * super().encode(texts)


class Empty(HashedWords):
    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return 0 * super().encode(texts)


class Constant(HashedWords):
    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.tile(super().encode(["a"]), (len(texts), 1))


class ByHash(HashedWords):
    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        turns = [hash(text) % self.dim for text in texts]
        return np.array(
            [np.roll(row, n) for row, n in zip(super().encode(texts), turns, strict=True)]
        )


class OfHashes(EncoderSuite):
    def make(self) -> Encoder:
        return ByHash()


class TiedByHash:
    """A retriever that orders passages of one score by hash."""

    def retrieve(self, claim: str, k: int = 21, retriever: str = "ppr") -> Retrieval:
        titles = sorted(("Orle", "Vessby", "Lantern Hill", "Hexley Flyer"), key=hash)[:k]
        passages = [
            RankedPassage(pid=PassageId(title), title=title, text=title, score=1.0, rank=rank)
            for rank, title in enumerate(titles, 1)
        ]
        return Retrieval(claim, retriever, tuple(passages))

    def search(self, query: str, depth: int = 100, retriever: str = "ppr") -> Retrieval:
        return self.retrieve(query, depth, retriever)

    def titles(self) -> Sequence[str]:
        return []


class OfTies(RetrieverSuite):
    def make(self) -> RetrievalEngine:
        return TiedByHash()


class Nameless(HashedWords):
    def __init__(self) -> None:
        super().__init__(name="two words")


@pytest.mark.parametrize(
    ("encoder", "test"),
    [
        (Nameless, "test_it_says_its_name_dimension_and_fingerprint"),
        (Long, "test_rows_are_unit_vectors_or_zeros"),
        (Empty, "test_rows_are_unit_vectors_or_zeros"),
        (Constant, "test_texts_are_told_apart"),
        (ByBatch, "test_a_text_has_one_vector_in_any_company_and_order"),
        (Fickle, "test_two_that_are_made_alike_encode_alike"),
        (Fickle, "test_threads_are_served_as_one_is"),
    ],
)
def test_an_encoder_that_is_not_sound_fails(encoder: type[HashedWords], test: str):
    class Suite(EncoderSuite):
        def make(self) -> Encoder:
            return encoder()

    with pytest.raises((AssertionError, HippoHoverError)):
        getattr(Suite(), test)()


def test_what_depends_on_the_process_fails():
    with pytest.raises(AssertionError, match="vectors depend on the process"):
        OfHashes().test_another_process_encodes_alike()
    with pytest.raises(AssertionError, match="answers depend on the process"):
        OfTies().test_another_process_answers_alike()
    with pytest.raises(AssertionError, match="triples depend on the process"):
        OfASet().test_another_process_finds_the_same()


def test_a_suite_that_another_process_cannot_use_says_so():
    class Suite(OfHashes): ...

    with pytest.raises(pytest.skip.Exception, match=r"cannot use .* need no fixture"):
        Suite().test_another_process_encodes_alike()


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

    with pytest.raises(AssertionError):
        getattr(Suite(), test)()


def test_a_suite_without_its_subject_cannot_be_made():
    with pytest.raises(TypeError, match="abstract"):
        EncoderSuite()  # pyright: ignore[reportAbstractUsage]


SOUND = [document("Tides"), document("Orle")]


class Unsteady(Shelf):
    def search(self, query: str, k: int) -> Sequence[SourceDocument]:
        self.calls.append(query)
        return SOUND[len(self.calls) % 2 :]


class Greedy(Shelf):
    def search(self, query: str, k: int) -> Sequence[SourceDocument]:
        return SOUND


@pytest.mark.parametrize(
    ("source", "test"),
    [
        (Shelf(), "test_it_finds_something_under_its_name"),
        (Shelf(SOUND, name="other"), "test_it_finds_something_under_its_name"),
        (Greedy(), "test_no_more_come_back_than_are_asked_for"),
        (Greedy(), "test_what_has_no_words_finds_nothing"),
        (
            Shelf([document("Orle", address="javascript:x")]),
            "test_documents_have_an_id_a_title_and",
        ),
        (Shelf([document("Orle", document_id="")]), "test_documents_have_an_id_a_title_and"),
        (Shelf([document("Orle", "two\nlines")]), "test_texts_are_plain_and_short"),
        (Shelf([document("Orle", "x" * 5000)]), "test_texts_are_plain_and_short"),
        (Shelf([document("Orle", year=20)]), "test_years_and_counts_are_numbers_that_there"),
        (Shelf([document("Orle", citation_count=-1)]), "test_years_and_counts_are_numbers_that"),
        (Shelf([document("Orle")] * 2), "test_a_document_is_found_once_a_search"),
        (Unsteady(), "test_a_query_asked_twice_finds_the_same"),
        (Unsteady(), "test_threads_are_served_as_one_is"),
        (
            Shelf(
                [document("Orle")],
                {"Orle": [document("A", citation_count=1), document("B", citation_count=2)]},
            ),
            "test_references_are_documents_those_cited_most_first",
        ),
    ],
)
def test_a_source_that_is_not_sound_fails(source: Source, test: str):
    class Suite(SourceSuite):
        def make(self) -> Source:
            return source

    (name,) = [one for one in dir(Suite) if one.startswith(test)]
    with pytest.raises(AssertionError):
        getattr(Suite(), name)()
