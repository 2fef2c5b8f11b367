"""The tests that every source must pass."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from hippohover.metadata import web_address
from hippohover.sources.document import LONGEST_TEXT, Source, SourceDocument, documents_in

# Tests assert, and say by their names what they hold: no docstring, no other error.
# ruff: noqa: S101


class SourceSuite(ABC):
    """What a ``SourceRouter`` expects of a source; its replies must be repeatable.

    Attributes
    ----------
    queries : sequence of str
        Queries for which it finds something.
    """

    queries: Sequence[str] = ("tides of the Orle",)

    @abstractmethod
    def make(self) -> Source:
        """Make the source, ready to answer; called once a test."""

    def test_it_finds_something_under_its_name(self) -> None:
        source = self.make()
        for query in self.queries:
            try:
                found = documents_in(source.search(query, 5))
            except TypeError as error:
                raise pytest.fail.Exception(_of_another_kind("search", error)) from None
            assert found, f"nothing is found for {query!r}: set `queries` to some that it answers"
            names = {one.source for one in found}
            assert names == {source.name}, f"documents of source {source.name!r} name {names}"

    def test_no_more_come_back_than_are_asked_for(self) -> None:
        source = self.make()
        for k in (1, 2, 10):
            n_found = len(self.searched(source, k))
            assert n_found <= k, f"search(..., {k}) returned {n_found} documents"

    def test_documents_have_an_id_a_title_and_an_address(self) -> None:
        for one in self.found():
            assert one.document_id, f"{one.title!r} has no document_id"
            assert one.title.strip(), f"document {one.document_id!r} has no title"
            assert web_address(one.address), f"{one.address!r} is no address of the web"

    def test_texts_are_plain_and_short(self) -> None:
        for one in self.found():
            for text in (one.title, one.text):
                shown = f"{text!r:.80} of {one.document_id!r}"
                assert text == " ".join(text.split()), (
                    f"blanks are doubled, or lines are broken, in {shown}"
                )
                assert text.isprintable(), f"signs that cannot be printed are in {shown}"
                assert len(text) <= LONGEST_TEXT, (
                    f"{shown} has {len(text)} characters: cut it at {LONGEST_TEXT}"
                )

    def test_years_and_counts_are_numbers_that_there_are(self) -> None:
        for one in self.found():
            assert one.year is None or 1000 <= one.year <= 3000, (
                f"{one.title!r} has year {one.year}: give 1000 to 3000, or None"
            )
            assert one.citation_count is None or one.citation_count >= 0, (
                f"{one.title!r} has citation_count {one.citation_count}: give 0 or more, or None"
            )

    def test_a_document_is_found_once_a_search(self) -> None:
        ids = [one.document_id for one in self.searched(self.make(), 10)]
        assert len({*ids}) == len(ids), f"a document_id is found twice: {sorted(ids)}"

    def test_a_query_asked_twice_finds_the_same(self) -> None:
        source = self.make()
        assert self.searched(source, 5) == self.searched(source, 5), (
            f"{self.queries[0]!r} asked twice finds something else"
        )

    def test_references_are_documents_those_cited_most_first(self) -> None:
        source = self.make()
        for one in self.searched(source, 3):
            try:
                cited = documents_in(source.references(one.document_id))
            except TypeError as error:
                raise pytest.fail.Exception(_of_another_kind("references", error)) from None
            counts = [document.citation_count or 0 for document in cited]
            assert counts == sorted(counts, reverse=True), (
                f"what {one.document_id!r} cites has citation counts {counts}: most cited first"
            )

    def test_what_has_no_words_finds_nothing(self) -> None:
        found = list(self.make().search(" ", 5))
        assert found == [], f"a query without a word finds {len(found)} documents"

    def test_threads_are_served_as_one_is(self) -> None:
        source = self.make()
        wanted = self.searched(source, 5)
        with ThreadPoolExecutor(4) as pool:
            jobs = [pool.submit(self.searched, source, 5) for _ in range(4)]
        assert [job.result() for job in jobs] == [wanted] * 4, (
            "four threads that ask at once find something else"
        )

    def searched(self, source: Source, k: int, query: str = "") -> tuple[SourceDocument, ...]:
        """Search for a query, the first if none is given; skip the test if nothing is found.

        Only ``test_it_finds_something_under_its_name`` fails then.
        """
        query = query or self.queries[0]
        try:
            found = documents_in(source.search(query, k))
        except TypeError as error:
            pytest.skip(_of_another_kind("search", error))
        if not found:
            pytest.skip(f"nothing is found for {query!r}: set `queries` to some that it answers")
        return found

    def found(self) -> list[SourceDocument]:
        """Search for the queries; return what they find, and what the first of it cites."""
        source = self.make()
        found = [one for query in self.queries for one in self.searched(source, 10, query)]
        try:
            return [*found, *documents_in(source.references(found[0].document_id))]
        except TypeError as error:
            pytest.skip(_of_another_kind("references", error))


def _of_another_kind(method: str, error: TypeError) -> str:
    return f"{method}() {error}: return objects of hippohover.sources.SourceDocument"
