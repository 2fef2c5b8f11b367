"""Tests for a retriever, an encoder, an extractor or a source of your own; for pytest.

class TestMine(EncoderSuite):
    def make(self) -> Encoder:
        return MyEncoder()
"""

import json
import os
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import Any, Final

import numpy as np

from hippohover.adapters.extras import needed
from hippohover.errors import HippoHoverError
from hippohover.evaluation.evaluate import RetrievalEngine
from hippohover.indexing.triples.cache import extract_each
from hippohover.indexing.triples.extractor import OwnTriples, TripleExtractor
from hippohover.metadata import web_address
from hippohover.records import ExtractionFailure, Passage, Triple, passage_id
from hippohover.sources.document import LONGEST_TEXT, Source, SourceDocument
from hippohover.vectors.embedding import Encoder
from hippohover.vectors.own_encoder import OwnEncoder

with needed("pytest", of=__name__, extra="testing"):
    import pytest

# Tests assert, and say by their names what they hold: no docstring, no other error.
# ruff: noqa: S101

TEXTS = [
    "Mira Oldane was born in Vellmouth.",
    "The Orle is a river.",
    "Löwenzahn, 海, and e\u0301tat",
    "a",
    "The Orle is a river. " * 40,
]


_ELSEWHERE: Final = """
import importlib, json, sys
sys.path[:], module, name = json.loads(sys.argv[1])
try:
    suite = getattr(importlib.import_module(module), name)()
    suite.make()
except (ImportError, AttributeError):
    sys.exit(3)
print(suite.digest())
"""


def _digest_elsewhere(suite: object) -> str:
    """Return what ``digest`` of a suite is in a process where Python's hashes of words differ."""
    kind = type(suite)
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    found = subprocess.run(  # noqa: S603
        [
            sys.executable,
            "-c",
            _ELSEWHERE,
            json.dumps([sys.path, kind.__module__, kind.__qualname__]),
        ],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=False,
    )
    if found.returncode == 3:
        pytest.skip(
            f"another process cannot use {kind.__qualname__}: define it in a module, and let "
            "make() need no fixture"
        )
    assert found.returncode == 0, found.stderr
    return found.stdout.split()[-1]


class RetrieverSuite(ABC):
    """What evaluation, programs and adapters expect of a retriever.

    Attributes
    ----------
    retriever : str
        Name under which it is asked.
    claims : sequence of str
        At least two claims for which it finds something, not the same.
    """

    retriever: str = "ppr"
    claims: Sequence[str] = (
        "The head of the company that ran the Hexley Flyer was hard of hearing.",
        "Mira Oldane directed Lantern Hill.",
    )

    @abstractmethod
    def make(self) -> RetrievalEngine:
        """Make the retriever, ready to answer; called once a test."""

    def test_it_finds_something(self) -> None:
        engine = self.make()
        for claim in self.claims:
            answer = engine.retrieve(claim, 5, self.retriever)
            assert answer.passages, f"nothing is found for {claim!r}"
            assert (answer.claim, answer.retriever) == (claim, self.retriever)
            assert all(one.text for one in answer.passages), "a passage has no text"

    def test_claims_are_told_apart(self) -> None:
        engine = self.make()
        answers = [engine.retrieve(claim, 21, self.retriever).passages for claim in self.claims]
        ranked = {tuple(one.pid for one in passages) for passages in answers}
        assert len(ranked) > 1, "every claim has the same answer"

    def test_no_more_come_back_than_are_asked_for(self) -> None:
        engine = self.make()
        for k in (1, 2, 21):
            assert len(engine.retrieve(self.claims[0], k, self.retriever).passages) <= k

    def test_ranks_count_from_1_and_scores_never_rise(self) -> None:
        passages = self.make().retrieve(self.claims[0], 21, self.retriever).passages
        assert [one.rank for one in passages] == list(range(1, len(passages) + 1))
        scores = [one.score for one in passages]
        assert np.isfinite(scores).all()
        assert scores == sorted(scores, reverse=True)

    def test_a_passage_comes_back_once(self) -> None:
        passages = self.make().search(self.claims[0], 100, self.retriever).passages
        assert len({one.pid for one in passages}) == len(passages)

    def test_fewer_are_the_first_of_more(self) -> None:
        engine = self.make()
        all_pids = [one.pid for one in engine.retrieve(self.claims[0], 21, self.retriever).passages]
        for k in (1, 3, 10):
            first = engine.retrieve(self.claims[0], k, self.retriever).passages
            assert [one.pid for one in first] == all_pids[:k]

    def test_another_process_answers_alike(self) -> None:
        assert _digest_elsewhere(self) == self.digest(), (
            "answers depend on the process, as hash() and the order of a set do"
        )

    def digest(self) -> str:
        """Return a digest of the answers to the claims."""
        engine = self.make()
        answers = [engine.retrieve(claim, 21, self.retriever).passages for claim in self.claims]
        told = [[(one.pid, one.score) for one in passages] for passages in answers]
        return sha256(repr(told).encode()).hexdigest()

    def test_a_deeper_search_begins_as_the_answer_does(self) -> None:
        engine = self.make()
        answer = engine.retrieve(self.claims[0], 21, self.retriever).passages
        deeper = engine.search(self.claims[0], 50, self.retriever).passages
        assert [one.pid for one in deeper[: len(answer)]] == [one.pid for one in answer]

    def test_titles_are_those_of_the_index(self) -> None:
        engine = self.make()
        known = set(engine.titles())
        found = engine.retrieve(self.claims[0], 21, self.retriever).passages
        assert {one.title for one in found} <= known

    def test_a_claim_asked_twice_is_answered_alike(self) -> None:
        engine = self.make()
        first = engine.retrieve(self.claims[0], 21, self.retriever)
        engine.retrieve(self.claims[1], 21, self.retriever)
        assert engine.retrieve(self.claims[0], 21, self.retriever).passages == first.passages

    def test_threads_are_answered_as_one_is(self) -> None:
        engine = self.make()
        wanted = [engine.retrieve(claim, 5, self.retriever).passages for claim in self.claims]
        with ThreadPoolExecutor(4) as pool:
            jobs = [pool.submit(engine.retrieve, c, 5, self.retriever) for c in [*self.claims] * 4]
        assert [job.result().passages for job in jobs] == wanted * 4

    def test_what_is_no_claim_is_refused_and_not_answered_with_nothing(self) -> None:
        with pytest.raises(ValueError, match=r"\S"):
            self.make().retrieve("   ", 5, self.retriever)


class EncoderSuite(ABC):
    """What a build, an update and an engine expect of an encoder."""

    @abstractmethod
    def make(self) -> Encoder:
        """Make the encoder; called twice in a test."""

    def rows(self, texts: Sequence[str]) -> Any:  # noqa: ANN401  (an array)
        return OwnEncoder(self.make()).encode(texts)  # which checks shape, type and lengths

    def test_it_says_its_name_dimension_and_fingerprint(self) -> None:
        encoder = self.make()
        assert OwnEncoder(encoder).dim == encoder.dim
        assert OwnEncoder(self.make()).fingerprint == OwnEncoder(encoder).fingerprint

    def test_rows_are_unit_vectors_or_zeros(self) -> None:
        rows = self.rows(TEXTS)
        lengths = np.linalg.norm(rows, axis=1)
        assert rows.dtype == np.float32
        assert (np.isclose(lengths, 1, atol=1e-3) | (lengths == 0)).all()
        assert (lengths > 0).any(), "no text has a vector"

    def test_texts_are_told_apart(self) -> None:
        assert len({row.tobytes() for row in self.rows(TEXTS)}) > 1, "every text has one vector"

    def test_a_text_has_one_vector_in_any_company_and_order(self) -> None:
        together = self.rows(TEXTS)
        for text, row in zip(TEXTS, together, strict=True):
            assert np.array_equal(self.rows([text])[0], row), f"{text[:40]!r} has another alone"
        assert np.array_equal(self.rows(TEXTS[::-1]), together[::-1])

    def test_no_texts_have_no_rows(self) -> None:
        assert self.rows([]).shape == (0, self.make().dim)

    def test_two_that_are_made_alike_encode_alike(self) -> None:
        assert np.array_equal(self.make().encode(TEXTS), self.make().encode(TEXTS))

    def test_threads_are_served_as_one_is(self) -> None:
        encoder = self.make()
        wanted = np.asarray(encoder.encode(TEXTS))
        with ThreadPoolExecutor(4) as pool:
            jobs = [pool.submit(encoder.encode, TEXTS) for _ in range(8)]
        assert all(np.array_equal(job.result(), wanted) for job in jobs)

    def test_another_process_encodes_alike(self) -> None:
        assert _digest_elsewhere(self) == self.digest(), (
            "vectors depend on the process, as hash() does"
        )

    def digest(self) -> str:
        """Return a digest of the vectors of some texts."""
        return sha256(np.ascontiguousarray(self.rows(TEXTS)).tobytes()).hexdigest()


def passages_of(texts: Sequence[str]) -> list[Passage]:
    """Make passages of these texts, titled by number."""
    return [
        Passage(passage_id(f"Title {number}", text, 0), f"Title {number}", text)
        for number, text in enumerate(texts)
    ]


class TripleExtractorSuite(ABC):
    """What a build and an update expect of an extractor.

    Attributes
    ----------
    texts : sequence of str
        Texts that it reads; it must find triples in some.
    """

    texts: Sequence[str] = TEXTS

    @abstractmethod
    def make(self) -> TripleExtractor:
        """Make the extractor; called twice in a test."""

    def answers(self, passages: Sequence[Passage]) -> list[list[Triple] | ExtractionFailure]:
        return extract_each(passages, OwnTriples(self.make()))  # as a build does; checks triples

    def test_it_says_its_name_and_version(self) -> None:
        assert OwnTriples(self.make()).version == OwnTriples(self.make()).version

    def test_there_is_one_answer_a_passage(self) -> None:
        passages = passages_of(self.texts)
        for some in (passages, *([passage] for passage in passages)):
            answers = _unless_it_raises(self.make(), some)
            assert answers is None or len(answers) == len(some)

    def test_it_finds_a_triple(self) -> None:
        answers = self.answers(passages_of(self.texts))
        assert any(isinstance(one, list) and one for one in answers), "no text gives a triple"

    def test_a_failure_names_its_own_passage(self) -> None:
        passages = passages_of(self.texts)
        for passage, answer in zip(passages, self.answers(passages), strict=True):
            if isinstance(answer, ExtractionFailure):
                assert answer.pid == passage.pid
                assert answer.reason

    def test_sentences_are_those_of_the_text(self) -> None:
        from hippohover.names.sentences import sentence_spans

        passages = passages_of(self.texts)
        for passage, answer in zip(passages, self.answers(passages), strict=True):
            if isinstance(answer, list):
                n = max(1, len(list(sentence_spans(passage.text))))
                assert all(0 <= triple.sentence < n for triple in answer)

    def test_a_passage_has_the_same_triples_in_any_company(self) -> None:
        passages = passages_of(self.texts)
        together = self.answers(passages)
        assert [self.answers([passage])[0] for passage in passages] == together
        assert self.answers(passages[::-1]) == together[::-1]

    def test_no_passages_have_no_answers(self) -> None:
        assert self.answers([]) == []

    def test_another_process_finds_the_same(self) -> None:
        assert _digest_elsewhere(self) == self.digest(), "triples depend on the process, as sets do"

    def digest(self) -> str:
        """Return a digest of the triples of some texts."""
        return sha256(repr(self.answers(passages_of(self.texts))).encode()).hexdigest()


def _unless_it_raises(
    extractor: TripleExtractor, passages: Sequence[Passage]
) -> list[list[Triple] | ExtractionFailure] | None:
    try:
        return list(OwnTriples(extractor).extract(passages))
    except HippoHoverError:  # which ends a build
        raise
    except Exception:  # a passage counts as failed
        return None


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
            found = source.search(query, 5)
            assert found, f"nothing is found for {query!r}"
            assert {one.source for one in found} == {source.name}

    def test_no_more_come_back_than_are_asked_for(self) -> None:
        source = self.make()
        for k in (1, 2, 10):
            assert len(source.search(self.queries[0], k)) <= k

    def test_documents_have_an_id_a_title_and_an_address(self) -> None:
        for one in self.found():
            assert one.document_id
            assert one.title.strip()
            assert web_address(one.address), f"{one.address!r} is no address of the web"

    def test_texts_are_plain_and_short(self) -> None:
        for one in self.found():
            for text in (one.title, one.text):
                assert text == " ".join(text.split()), "blanks are doubled, or lines are broken"
                assert text.isprintable()
                assert len(text) <= LONGEST_TEXT

    def test_years_and_counts_are_numbers_that_there_are(self) -> None:
        for one in self.found():
            assert one.year is None or 1000 <= one.year <= 3000
            assert one.citation_count is None or one.citation_count >= 0

    def test_a_document_is_found_once_a_search(self) -> None:
        found = self.make().search(self.queries[0], 10)
        assert len({one.document_id for one in found}) == len(found)

    def test_a_query_asked_twice_finds_the_same(self) -> None:
        source = self.make()
        assert list(source.search(self.queries[0], 5)) == list(source.search(self.queries[0], 5))

    def test_references_are_documents_those_cited_most_first(self) -> None:
        source = self.make()
        for one in source.search(self.queries[0], 3):
            counts = [cited.citation_count or 0 for cited in source.references(one.document_id)]
            assert counts == sorted(counts, reverse=True)

    def test_what_has_no_words_finds_nothing(self) -> None:
        assert list(self.make().search(" ", 5)) == []

    def test_threads_are_served_as_one_is(self) -> None:
        source = self.make()
        wanted = list(source.search(self.queries[0], 5))
        with ThreadPoolExecutor(4) as pool:
            jobs = [pool.submit(source.search, self.queries[0], 5) for _ in range(4)]
        assert [list(job.result()) for job in jobs] == [wanted] * 4

    def found(self) -> list[SourceDocument]:
        """Search for the queries; return what they find, and what the first of it cites."""
        source = self.make()
        found = [one for query in self.queries for one in source.search(query, 10)]
        return [*found, *source.references(found[0].document_id)]
