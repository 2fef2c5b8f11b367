"""Claims in languages that the verifier does not know: numbers decide, and nothing else does."""

from collections.abc import Sequence

import pytest

from hippohover.records import PassageId, RankedPassage
from hippohover.retrieval.engine import HippoHover
from hippohover.verification.evidence_model import reads
from hippohover.verification.languages import UNKNOWN
from hippohover.verification.payloads import Nli
from hippohover.verification.verifier import Verifier

TOLD = {
    "de": "Das Museum Halmer wurde 1903 gegründet. Montags ist es geschlossen. Ida Roth leitet es.",
    "ru": "Музей Хальмер был основан в 1903 году. По понедельникам он закрыт.",
    "zh": "哈默博物馆成立于1903年。它属于市政府。",
    "tr": "Halmer Müzesi 1903 yılında kuruldu. Pazartesi günleri kapalıdır.",
    "en": "The Halmer Museum was founded in 1903. It is closed on Mondays. Ida Roth runs it.",
}
SAME, OTHER, OPEN = "Supported", "Contradictory", "Low Confidence"


@pytest.mark.parametrize(
    ("language", "claim", "status"),
    [
        ("de", "Das Museum Halmer wurde 1903 gegründet.", SAME),
        ("de", "Das Museum Halmer wurde 1951 gegründet.", OTHER),
        ("de", "Das Museum Halmer wurde nicht 1951 gegründet.", OPEN),
        ("de", "Das Museum Halmer wurde nicht 1903 gegründet.", OPEN),
        ("de", "Eva Roth leitet es.", OPEN),
        ("de", "Montags ist das Museum Halmer geschlossen.", OPEN),
        ("ru", "Музей Хальмер был основан в 1951 году.", OTHER),
        ("ru", "Музей Хальмер не был основан в 1903 году.", OPEN),
        ("zh", "哈默博物馆成立于1951年。", OTHER),
        ("zh", "哈默博物馆不属于市政府。", OPEN),
        ("tr", "Halmer Müzesi 1951 yılında kuruldu.", OTHER),
        ("tr", "Halmer Müzesi pazartesi günleri açıktır.", OPEN),
    ],
)
def test_numbers_decide_and_what_else_differs_leaves_it_open(
    toy_engine: HippoHover, language: str, claim: str, status: str
):
    [decision] = Verifier(toy_engine).verify_claim(claim, passages=given(language)).answer.claims
    assert decision.status == status
    assert UNKNOWN in decision.rationale


def given(language: str) -> list[RankedPassage]:
    return [RankedPassage(1, PassageId("m"), "Halmer", TOLD[language], 1.0)]


def test_english_is_known_and_a_short_text_is_not_another_language_for_one_rare_word():
    assert [one for one in TOLD if reads(TOLD[one])] == ["en"]
    assert reads("Ida Roth defenestrated Halmer.", "Halmer")


class Knowing:
    """A model that knows German."""

    name = "knowing"
    by_sentence = False

    def judge(self, sentences: Sequence[str], claim: str) -> tuple[Nli, ...]:
        del sentences, claim
        return (Nli(entail=0.98, contradict=0.01, neutral=0.01),)


def test_a_model_of_ones_own_may_know_the_language(toy_engine: HippoHover):
    claim = "Montags ist das Museum geschlossen."
    verifier = Verifier(toy_engine, nli=Knowing())
    [decision] = verifier.verify_claim(claim, passages=given("de")).answer.claims
    assert UNKNOWN not in decision.rationale
