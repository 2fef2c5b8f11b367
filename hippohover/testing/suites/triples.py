"""The tests that every extractor of triples must pass."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from hashlib import sha256

from hippohover.errors import HippoHoverError
from hippohover.indexing.triples.cache import extract_each
from hippohover.indexing.triples.extractor import OwnTriples, TripleExtractor
from hippohover.records import ExtractionFailure, Passage, Triple, passage_id
from hippohover.testing.suites.elsewhere import TEXTS, digest_elsewhere

# Tests assert, and say by their names what they hold: no docstring, no other error.
# ruff: noqa: S101


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
        assert OwnTriples(self.make()).version == OwnTriples(self.make()).version, (
            "name or version differs when the extractor is made again"
        )

    def test_there_is_one_answer_a_passage(self) -> None:
        passages = passages_of(self.texts)
        for some in (passages, *([passage] for passage in passages)):
            answers = _unless_it_raises(self.make(), some)
            assert answers is None or len(answers) == len(some), (
                f"{len(some)} passages have {len(answers)} answers: give each one"
            )

    def test_it_finds_a_triple(self) -> None:
        answers = self.answers(passages_of(self.texts))
        reasons = {one.reason for one in answers if isinstance(one, ExtractionFailure)}
        assert any(isinstance(one, list) and one for one in answers), (
            f"no text gives a triple: set `texts` to some that do {sorted(reasons) or ''}".strip()
        )

    def test_a_failure_names_its_own_passage(self) -> None:
        passages = passages_of(self.texts)
        for passage, answer in zip(passages, self.answers(passages), strict=True):
            if isinstance(answer, ExtractionFailure):
                assert answer.pid == passage.pid, f"the failure of {passage.pid} names {answer.pid}"
                assert answer.reason, f"the failure of {passage.pid} has no reason"

    def test_sentences_are_those_of_the_text(self) -> None:
        from hippohover.names.sentences import sentence_spans

        passages = passages_of(self.texts)
        for passage, answer in zip(passages, self.answers(passages), strict=True):
            if isinstance(answer, list):
                n = max(1, len(list(sentence_spans(passage.text))))
                far = [triple for triple in answer if not 0 <= triple.sentence < n]
                assert not far, f"a text of {n} sentences, counted from 0, has {far[0]}"

    def test_a_passage_has_the_same_triples_in_any_company(self) -> None:
        passages = passages_of(self.texts)
        together = self.answers(passages)
        alone = [self.answers([passage])[0] for passage in passages]
        assert alone == together, "passages have other triples alone"
        assert self.answers(passages[::-1]) == together[::-1], (
            "passages have other triples in another order"
        )

    def test_no_passages_have_no_answers(self) -> None:
        assert self.answers([]) == [], "no passages have answers"

    def test_another_process_finds_the_same(self) -> None:
        assert digest_elsewhere(self) == self.digest(), "triples depend on the process, as sets do"

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
