"""The suite passes sources that are sound, and fails each that is not."""

import re
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import pytest

from hippohover.sources.arxiv import Arxiv
from hippohover.sources.by_name import SOURCES
from hippohover.sources.document import Source, SourceDocument
from hippohover.sources.fetching import Fetcher
from hippohover.sources.http_search import HttpSearch, HttpSearchSettings
from hippohover.testing.suites import SourceSuite
from tests.sources.reply_samples import ARXIV, BRAVE, OPEN_ALEX, SCHOLAR, Service, Shelf, document


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
        return SOURCES["semantic-scholar"](Service([SCHOLAR]).transport)


class TestOpenAlex(TestArxiv):
    def make(self) -> Source:
        return SOURCES["openalex"](Service([OPEN_ALEX]).transport)


class TestBrave(TestArxiv):
    def make(self) -> Source:
        return SOURCES["brave"](Service([BRAVE]).transport)


class TestAnySearch(TestArxiv):
    def make(self) -> Source:
        settings = HttpSearchSettings(name="any", address="https://any.example/?q={query}")
        page = {"title": "T", "text": "x", "url": "https://any.example/1"}
        return HttpSearch(settings, Service([[page]]).transport)


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
    with pytest.raises(AssertionError, match=r"\w+ \w+"):
        getattr(Suite(), name)()


class TestOneOfOtherThings(SourceSuite):
    queries = ("salt of Sok",)

    def make(self) -> Source:
        return Shelf([document("Salt")])


class OfSalt(SourceSuite):
    """A source of other things, whose author did not set ``queries``."""

    def make(self) -> Source:
        return Shelf([document("Salt")])


class Dicts(Shelf):
    def search(self, query: str, k: int) -> Any:  # noqa: ANN401
        return [asdict(one) for one in SOUND[:k]] if query.strip() else []


class OfDicts(SourceSuite):
    def make(self) -> Source:
        return Dicts()


class CitesDicts(SourceSuite):
    def make(self) -> Source:
        cited: Any = {"Tides": [{"title": "Orle"}]}
        return Shelf(SOUND, cited)


@pytest.mark.parametrize(
    ("suite", "fails", "words"),
    [
        (OfSalt, "test_it_finds_something_under_its_name", "of the Orle': set `queries` to some"),
        (
            OfDicts,
            "test_it_finds_something_under_its_name",
            r"search\(\) gave .* dict where a",
        ),
        (CitesDicts, "test_references_are_documents_those_cited", r"references\(\) gave .* dict"),
    ],
)
def test_one_test_fails_and_others_are_skipped(suite: type[SourceSuite], fails: str, words: str):
    failed: list[str] = []
    for test in [one for one in dir(suite) if one.startswith("test_")]:
        try:
            getattr(suite(), test)()
        except (AssertionError, pytest.fail.Exception) as error:
            assert re.search(words, str(error)), str(error)
            failed.append(test)
        except pytest.skip.Exception as skipped:
            assert re.search(words, str(skipped)), str(skipped)
    assert len(failed) == 1
    assert failed[0].startswith(fails)
