"""Each signal: its value on small cases, its range, and the reason when there is none."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from hippohover.retrieval.engine import HippoHover
from hippohover.verification.against.compared_claim import ComparedClaim
from hippohover.verification.evidence import Evidence
from hippohover.verification.payloads import Nli
from hippohover.verification.signals import (
    SIGNALS,
    ClaimContext,
    GeneratorMetadata,
    Reading,
    share_held,
)
from hippohover.verification.statements.statements import Statement
from hippohover.verification.terms import TermReader, Terms


def chunk(doc: str, text: str, rank: int = 1) -> Statement:
    return Statement(
        doc_id=doc, sent_id=0, text=text, char_start=0, char_end=len(text), rank=rank,
        source="toy", version="v", about=f"Title{doc}", said=text,
    )  # fmt: skip


@pytest.fixture
def read(toy_engine: HippoHover) -> TermReader:
    return TermReader(toy_engine.tables.arrays.lexical)


def context_of(read: TermReader, text: str, *sentences: str, names: tuple[str, ...] = ()):
    chunks = tuple(chunk(f"d{at}", sentence) for at, sentence in enumerate(sentences))
    titles = {one.doc_id: f"Title{one.doc_id}" for one in chunks}
    evidence = Evidence(chunks, titles)
    return ClaimContext(text=text, terms=read(text), evidence=evidence, read=read, names=names)


def value(name: str, context: ClaimContext) -> float | None:
    return SIGNALS[name](context).value


def test_every_signal_says_what_it_returns():
    assert all(signal.__doc__ for signal in SIGNALS.values())


def test_coverage_of_words_weighs_rarity(read: TermReader):
    rare = context_of(read, "zyxzyx film", "A film.")
    common = context_of(read, "zyxzyx film", "A zyxzyx.")
    few, many = value("coverage_tokens", rare), value("coverage_tokens", common)
    assert few is not None
    assert many is not None
    assert 0 < few < 0.5 < many < 1
    assert few + many == pytest.approx(1)
    assert value("coverage_tokens", context_of(read, "film", "Films.")) == 1.0
    told = SIGNALS["coverage_tokens"](context_of(read, "the of", "A film."))
    assert told == Reading(None, "the claim holds no term that tells anything")


def test_all_of_a_claim_is_never_more_than_all():
    """However its rarities are rounded when they are added."""
    rng = np.random.default_rng(0)
    for n in range(1, 60):
        stems = tuple(f"stem{at}" for at in range(n))
        terms = Terms(stems, stems, np.log(1 + rng.random(n) * 1e5))
        assert share_held(terms, terms).value == 1.0


def test_missing_information_is_in_rarest_words_and_less_where_something_is_like_it(
    read: TermReader,
):
    context = context_of(read, "zyxzyx film", "A film of boats.")
    assert value("missing_information", context) == pytest.approx(1.0)  # none is rarer
    known = value("missing_information", context_of(read, "film", "Boats."))
    assert known is not None
    assert 0 < known < 1

    def alike(words: object) -> np.ndarray:
        return np.ones((len(words), 1), np.float32) * 0.5**0.5  # pyright: ignore

    close = replace(context, encode=alike)  # pyright: ignore[reportArgumentType]
    assert value("missing_information", close) == pytest.approx(0.5)
    assert value("missing_information", context_of(read, "A film", "Films.")) == 0.0


def test_names_and_numbers(read: TermReader):
    context = context_of(read, "Isk in 1961 and 7", "Isk, 1961, at 7.", names=("Isk", "Ort"))
    assert value("coverage_entities", context) == 0.5
    assert value("coverage_numbers", context) == 1.0
    assert value("numeric_check", context) == 1.0
    other = context_of(read, "Isk in 1962 and 7", "Isk, seven.")
    assert (value("coverage_numbers", other), value("numeric_check", other)) == (0.5, 0.0)
    assert "no name" in SIGNALS["coverage_entities"](other).reason
    assert "no number" in SIGNALS["numeric_check"](context_of(read, "Isk", "x")).reason


def test_a_negation_that_the_evidence_has_not(read: TermReader):
    assert value("negation_mismatch", context_of(read, "It never rained", "It rained.")) == 1.0
    assert (
        value("negation_mismatch", context_of(read, "It never rained", "It did not rain.")) == 0.0
    )
    assert value("negation_mismatch", context_of(read, "It rained", "It did not rain.")) == 0.0


def test_a_chain_without_its_bridge_falls_apart(read: TermReader):
    context = context_of(read, "claim", "one", "two", names=("Film", "Town", "River"))

    def connected(*names: set[str]) -> float | None:
        by_doc = {f"d{at}": frozenset(some) for at, some in enumerate(names)}
        return value("hop_completeness", replace(context, names_of=by_doc.__getitem__))

    assert connected({"Film", "Ada"}, {"Ada", "Town"}) == pytest.approx(2 / 3)
    assert connected({"Film", "Ada"}, {"Eve", "Town"}) == 0.0
    assert connected({"Film", "Ada"}, {"Ada", "Town", "River"}) == 1.0
    assert value("hop_completeness", context) == 0.0
    assert "fewer than two" in SIGNALS["hop_completeness"](replace(context, names=("A",))).reason


def test_citations(read: TermReader):
    context = replace(context_of(read, "grey fog", "x"), cited=("grey", "fog", ""))
    assert value("citation_integrity", context) == 1.0
    match = value("citation_span_match", context)
    assert match is not None
    assert 0.5 <= match < 1
    assert value("citation_integrity", replace(context, cited=())) == 0.0
    assert value("citation_span_match", replace(context, cited=())) == 0.0
    assert "cites nothing" in SIGNALS["citation_integrity"](replace(context, cited=None)).reason


def test_what_the_writer_said_of_its_tokens(read: TermReader):
    context = context_of(read, "fog", "x")
    sure = replace(context, generated=GeneratorMetadata((-0.5, -1.5), (0.2, 0.4)))
    assert value("entropy_score", sure) == pytest.approx(1.0)
    assert value("mean_entropy", sure) == pytest.approx(0.3)
    silent = replace(context, generated=GeneratorMetadata())
    other = replace(context, generated=GeneratorMetadata(reason="told otherwise"))
    assert SIGNALS["entropy_score"](other).reason == "told otherwise"
    assert "gave no log-prob" in SIGNALS["entropy_score"](silent).reason
    assert "no alternatives" in SIGNALS["mean_entropy"](silent).reason
    assert "not written here" in SIGNALS["entropy_score"](context).reason


def test_samples(read: TermReader):
    context = context_of(read, "fog", "x")
    assert value("consistency_score", replace(context, samples=("fog", "sun"))) == 0.5
    assert value("consistency_variance", replace(context, samples=("fog", "sun"))) == 0.25
    assert value("consistency_score", replace(context, samples=("fogs",))) == 0.0
    assert (
        "fewer than two" in SIGNALS["consistency_variance"](replace(context, samples=("x",))).reason
    )
    assert "no samples" in SIGNALS["consistency_score"](context).reason


def test_judgements(read: TermReader):
    said = (
        Nli(entail=0.7, contradict=0.1, neutral=0.2),
        Nli(entail=0.1, contradict=0.6, neutral=0.3),
    )
    context = replace(context_of(read, "fog", "x", "y"), nli=said, nli_reason="some model")
    assert value("max_contradiction_prob", context) == 0.6
    assert value("max_entailment_prob", context) == 0.7
    assert value("entailment_ratio", context) == 0.5
    assert SIGNALS["entailment_ratio"](context).reason == "some model"
    whole = replace(context, nli=said[:1], nli_by_sentence=False)
    assert value("max_entailment_prob", whole) == 0.7
    assert value("entailment_ratio", whole) is None
    assert "one verdict on all" in SIGNALS["entailment_ratio"](whole).reason
    nobody = replace(context, nli=None, nli_reason="no NLI model")
    assert {SIGNALS[name](nobody) for name in ("entailment_ratio", "max_entailment_prob")} == {
        Reading(None, "no NLI model")
    }


@pytest.mark.parametrize("name", SIGNALS)
def test_nothing_is_invented_without_evidence(read: TermReader, name: str):
    reading = SIGNALS[name](context_of(read, "never 7 fogs", names=("A", "B")))
    assert reading.value is None
    assert reading.reason


def even(_: ComparedClaim) -> Reading:
    return Reading(0.5)


def told(said: Nli) -> Callable[[str, Evidence], Nli]:
    """A model of evidence that says one thing of all claims."""

    def model(claim: str, evidence: Evidence) -> Nli:
        del claim, evidence
        return said

    return model


@pytest.mark.parametrize("name", SIGNALS)
def test_values_are_in_their_range(read: TermReader, name: str):
    context = replace(
        context_of(read, "never 7 fogs of Isk", "fog", names=("Isk", "Ort")),
        generated=GeneratorMetadata((-0.1,), (0.3,)), samples=("fog", "isk"), cited=("fog",),
        nli=(Nli(entail=1, contradict=0, neutral=0),), judge=even,
        model=told(Nli(entail=0.2, contradict=0.3, neutral=0.5)),
    )  # fmt: skip
    found = SIGNALS[name](context).value
    assert found is not None
    assert 0 <= found <= SIGNALS[name].highest


def test_what_the_model_says_moves_the_judge(read: TermReader):
    context = replace(context_of(read, "fogs of Isk", "fog"), judge=even)
    assert SIGNALS["judged_support"](context).value == 0.5

    def said(entail: float, contradict: float) -> float:
        said = Nli(entail=entail, contradict=contradict, neutral=1 - entail - contradict)
        found = SIGNALS["judged_support"](replace(context, model=told(said)))
        assert found.value is not None
        assert found.reason.endswith("with the model")
        return found.value

    assert said(0.9, 0.02) > 0.5 > said(0.1, 0.1) > said(0.1, 0.8)
    assert SIGNALS["model_support"](context).reason == "no model of evidence for this claim"
