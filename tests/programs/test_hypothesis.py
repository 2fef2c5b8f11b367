"""Hypotheses: what is guessed and asked, what evidence is kept, who wins, links, choices."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hippohover.errors import ModelError, SourceError, UsageError
from hippohover.language_model.client import LanguageModel
from hippohover.language_model.ledger import Usage
from hippohover.programs.evidence_scoring import EvidenceScorer, EvidenceScores
from hippohover.programs.guesses import most_supported_statement
from hippohover.programs.hypothesis import (
    HypothesisDriven,
)
from hippohover.programs.hypothesis_run import (
    TRAVERSAL_LABEL,
    HypothesisRun,
    TraversalYield,
    names_the_answer,
)
from hippohover.records import PassageId, RankedPassage
from hippohover.retrieval.engine import HippoHover
from hippohover.sources.router import SourceRouter
from tests.programs.program_samples import ScriptedSearch, model_of, passages_of
from tests.sources.reply_samples import Shelf, document

CLAIM = "The director of Lantern Hill was born in Vessby."
GUESSES = {"hypotheses": '["Mira Oldane directed it", "Ada Finch directed it", "Nobody did"]'}
QUERIES = {
    "queries": json.dumps(
        [
            {"hypothesis": 1, "intent": "confirm", "query": "Mira Oldane"},
            {"hypothesis": 1, "intent": "falsify", "query": "other director"},
            {"hypothesis": 2, "intent": "confirm", "query": "Ada Finch"},
        ]
    )
}
SCRIPT = {
    "Mira Oldane": ["Mira Oldane", "Lantern Hill"],
    "other director": ["Lantern Hill"],
    "Ada Finch": ["Ada Finch"],
    "Nobody": [],
    "Vessby": ["Lantern Hill", "Vessby"],
    "": ["Filler"],
}


class Linked(ScriptedSearch):
    """Knows links beside the script."""

    def __init__(self, script: Mapping[str, Sequence[str]]) -> None:
        super().__init__(script)
        self.links = {"Lantern Hill": ["Mira Oldane", "Harbour"], "Vessby": ["Harbour"]}

    def linked(self, pid: str, n: int = 5) -> tuple[RankedPassage, ...]:
        return passages_of(*self.links.get(pid, [])[:n])


def program_of(
    *answers: dict[str, Any],
    **options: Any,  # noqa: ANN401
) -> tuple[HypothesisDriven, Linked, LanguageModel]:
    engine, model = Linked(SCRIPT), model_of(*answers)
    return HypothesisDriven(engine, model, **options), engine, model


def run_of(program: HypothesisDriven, claim: str = CLAIM) -> HypothesisRun:
    run = program(claim=claim).run
    assert isinstance(run, HypothesisRun)
    return run


def test_four_hypotheses_of_which_the_last_is_the_statement_of_the_evidence():
    """Test (a) of the source: a list of four."""
    program, engine, _ = program_of(GUESSES, QUERIES)
    run = run_of(program)
    assert run.hypotheses == [
        "Mira Oldane directed it",
        "Ada Finch directed it",
        "Nobody did",
        "Vessby is a thing.",
    ]
    assert run.kinds == ["guess", "guess", "guess", "grounded"]
    # Hypotheses without a query of their own are searched for themselves.
    assert [call[0] for call in engine.calls] == [
        CLAIM, "Mira Oldane", "Ada Finch", "Nobody did", "Vessby is a thing.", "other director",
    ]  # fmt: skip
    assert engine.calls[0][1] == 30
    assert {call[1] for call in engine.calls[1:]} == {10}


def test_a_model_that_guesses_too_few_is_asked_once_more():
    few = {"hypotheses": '["Mira Oldane directed it", "Vessby is a thing."]'}
    more = {"hypotheses": '["Mira Oldane directed it", "Ada Finch did", "Nobody did", "Isk did"]'}
    program, _, model = program_of(few, more, QUERIES)
    run = run_of(program)
    assert run.hypotheses == [
        "Mira Oldane directed it", "Ada Finch did", "Nobody did", "Vessby is a thing.",
    ]  # fmt: skip
    assert model.ledger.by_stage()["hypothesis"].n_calls == 3
    program, _, _ = program_of(few, few, QUERIES)  # and no third time
    assert run_of(program).hypotheses == ["Mira Oldane directed it", "Vessby is a thing."]


def queries_of(*written: tuple[int, str, str]) -> dict[str, str]:
    keys = ("hypothesis", "intent", "query")
    return {"queries": json.dumps([dict(zip(keys, one, strict=True)) for one in written])}


def test_ten_queries_are_shared_in_turn_with_both_intents_first():
    written = [(1, "confirm", f"c1-{i}") for i in range(4)]
    written += [(1, "falsify", "f1"), (2, "falsify", "f2"), (2, "confirm", "c2")]
    written += [(3, "falsify", "f3"), (3, "falsify", "f3-2"), (3, "confirm", "c3")]
    written += [(4, "confirm", "c4"), (4, "falsify", "f4"), (5, "confirm", "of none")]
    program, engine, _ = program_of(queries_of(*written))
    run = HypothesisRun(engine, "bm25", program.limits)
    built = program.hypothesis_query_builder(CLAIM, ["A", "B", "C", "D"], run)
    assert built == [
        (0, "confirm", "c1-0"), (1, "confirm", "c2"), (2, "confirm", "c3"), (3, "confirm", "c4"),
        (0, "falsify", "f1"), (1, "falsify", "f2"), (2, "falsify", "f3"), (3, "falsify", "f4"),
        (0, "confirm", "c1-1"), (2, "falsify", "f3-2"),
    ]  # fmt: skip


def test_every_query_for_a_choice_holds_it():
    written = [(1, "confirm", "birthplace"), (1, "falsify", "was not Vessby"), (2, "falsify", "x")]
    program, engine, _ = program_of(queries_of(*written))
    run = HypothesisRun(engine, "bm25", program.limits)
    choices = ["Vessby", "Isk"]
    built = program.hypothesis_query_builder("Where?", ["Vessby it is", "Isk"], run, choices)
    assert built == [
        (0, "confirm", "Vessby birthplace"), (1, "confirm", "Isk"),
        (0, "falsify", "was not Vessby"), (1, "falsify", "Isk x"),
    ]  # fmt: skip


def test_documents_keep_what_brought_them():
    program, _, _ = program_of(GUESSES, QUERIES, traverse="never")
    evidence = run_of(program).evidence
    assert evidence["Mira Oldane"].found_by == {(0, "confirm")}
    assert evidence["Lantern Hill"].found_by == {(0, "confirm"), (0, "falsify"), (3, "confirm")}
    assert evidence["Ada Finch"].found_by == {(1, "confirm")}
    assert evidence["Vessby"].found_by == {(3, "confirm")}
    assert {one.label for one in evidence.values()} == {"search"}


def test_documents_of_the_winner_lead():
    program, _, _ = program_of(GUESSES, QUERIES)
    prediction = program(claim=CLAIM)
    run = prediction.run
    assert run.scored_by == "overlap"
    assert run.support is not None
    assert run.winner_kind == "grounded"
    assert prediction.passages[0].title == "Vessby"
    assert len({passage.pid for passage in prediction.passages}) == len(run.evidence)
    assert run.support.confirm_hits.tolist() == [2, 1, 0, 2]
    assert run.support.falsify_hits.tolist() == [1, 0, 0, 0]


def test_similarity_decides_where_there_is_an_encoder():
    def encode(texts: list[str]) -> Any:  # noqa: ANN401
        return np.array([[float("Ada" in t), float("Ada" not in t)] for t in texts], np.float32)

    scorer = EvidenceScorer(encode, on_timeout="fail")  # pyright: ignore[reportArgumentType]
    program, _, _ = program_of(GUESSES, QUERIES, scorer=scorer)
    run = run_of(program)
    assert run.scored_by == "semantic"
    assert run.support is not None
    assert run.support.net[1] == pytest.approx(1.0)  # one passage speaks for Ada Finch
    assert run.winner_kind == "guess"


def test_links_of_the_first_documents_are_followed_once_each():
    """Test (d) of the source: what was found before is no duplicate."""
    program, _, _ = program_of(GUESSES, QUERIES)
    run = run_of(program)
    assert run.evidence["Harbour"].label == TRAVERSAL_LABEL
    assert run.evidence["Mira Oldane"].label == "search"
    assert list(run.evidence).count("Harbour") == 1
    assert run.traversal == TraversalYield(unique=0.5, selected=1.0, used=1.0)


def test_links_are_an_option_when_ten_runs_gave_too_little():
    program, engine, _ = program_of(*[GUESSES, QUERIES] * 12)
    engine.links = {"Lantern Hill": ["Mira Oldane", "Vessby"]}  # nothing that is new
    runs = [run_of(program, f"{CLAIM} {number}") for number in range(11)]
    assert [run.traversal is None for run in runs] == [False] * 10 + [True]
    program.traverse = "always"
    assert run_of(program, "Vessby again").traversal is not None
    program.traverse = "never"
    assert run_of(program, "Vessby once more").traversal is None


def test_papers_lead_to_what_they_cite():
    papers = [
        document(f"Vessby paper number {n}", document_id=f"p{n}", year=2015) for n in range(5)
    ]
    cited = {
        f"p{n}": [document(f"Cited by number {n} as {i}", year=2015) for i in range(7)]
        for n in range(5)
        if n != 1  # of which it is not known what it cites
    }
    cited["p0"][0] = papers[2]  # which was found already
    shelf = Shelf(papers, cited)
    program, engine, _ = program_of(GUESSES, QUERIES)
    program.sources = SourceRouter([shelf])
    run = run_of(program)
    asked = [query for query, depth, _ in engine.calls if depth > 5]
    assert shelf.calls == asked  # and the index for titles of papers, which it might have
    assert {call[0].split(" number ")[0] for call in engine.calls if call[0] not in asked} == {
        "Vessby paper", "Cited by",
    }  # fmt: skip
    labels: dict[str, str] = {one.passage.pid: one.label for one in run.evidence.values()}
    traversed = [pid for pid, label in labels.items() if label == TRAVERSAL_LABEL]
    of_papers = [pid for pid in traversed if pid.startswith("shelf:")]
    assert len(of_papers) == 3 * 5 - 1  # three papers, five each, one of them no duplicate
    assert labels["shelf:p2"] == "search"
    assert "Harbour" in traversed  # links of the index are followed as before
    assert run.traversal is not None
    assert run.traversal.unique == pytest.approx((len(of_papers) + 1) / (len(of_papers) + 1 + 2))
    assert run.evidence[PassageId("shelf:p0")].passage.metadata["url"] == papers[0].address


def test_a_source_that_is_down_is_named_in_the_run():
    shelf = Shelf(fails=lambda: SourceError("shelf answered with HTTP 503: try later"))
    program, _, _ = program_of(GUESSES, QUERIES)
    program.sources = SourceRouter([shelf])
    run = run_of(program)
    assert run.as_dict()["sources"] == {
        "searches": {"shelf": 1},
        "failures": ["shelf answered with HTTP 503: try later"],
        "left_out": 0,
    }
    assert run.winner_kind


def test_choices_get_a_justification_that_holds_them():
    justified = {"hypotheses": '["Vessby is where she was born", "It was in a town"]'}
    program, _, _ = program_of(justified, {"queries": "[]"}, traverse="never")
    scores, run = program.answer_choices("Where was she born?", ["Vessby", "Isk", "Ort"], [0, 1, 0])
    assert run.hypotheses == ["Vessby is where she was born", "Isk It was in a town", "Ort"]
    assert run.kinds == ["choice"] * 3
    assert run.support is not None
    assert len(scores) == 3
    net = run.support.net
    scaled = (net - net.min()) / (net.max() - net.min())
    assert scores == pytest.approx(0.7 * np.array([0, 1, 0]) + 0.3 * scaled)


def test_the_model_is_asked_to_score_choices_where_nobody_did():
    justified = {"hypotheses": '["Vessby", "Isk"]'}
    program, _, _ = program_of(justified, {"queries": "[]"}, {"scores": "[120, 40]"})
    scores, run = program.answer_choices("Where was she born?", ["Vessby", "Isk"])
    given, _, _ = program_of(justified, {"queries": "[]"})
    assert scores == given.answer_choices("Where was she born?", ["Vessby", "Isk"], [1.0, 0.4])[0]
    assert run.fallbacks == 0
    for reply in ({"scores": "[7]"}, {"prose": "well"}):
        program, _, _ = program_of(justified, {"queries": "[]"}, reply)
        scores, run = program.answer_choices("Where was she born?", ["Vessby", "Isk"])
        assert run.fallbacks == 1
        assert min(scores) == pytest.approx(0.7 * 0.5)  # evidence alone decides


def test_choices_without_evidence_keep_the_models_scores():
    engine = Linked({})
    program = HypothesisDriven(engine, model_of({"prose": "well"}))
    scores, run = program.answer_choices("Qqq?", ["a", "b"], [0.2, 0.8])
    assert (scores, run.winner_kind) == ([0.2, 0.8], "")
    with pytest.raises(UsageError, match="2 choices and 1 scores"):
        program.answer_choices("q", ["a", "b"], [1.0])
    with pytest.raises(UsageError, match="1 choices"):
        program.answer_choices("q", ["a"], [1.0])
    for score in (float("nan"), 1.5):
        with pytest.raises(UsageError, match=rf"has the score {score}: give numbers in"):
            program.answer_choices("q", ["a", "b"], [0.5, score])


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ([f"choice {n}" for n in range(11)], "11 choices: give 10 or fewer"),
        (["Isk", "Vessby", " Isk "], "choices 1 and 3 are both 'Isk': give each choice once"),
        (["Isk", " "], "choice 2 is blank"),
        (["", ""], "choice 1 is blank"),
    ],
)
def test_choices_that_cannot_all_be_told_apart_and_searched_are_refused(
    choices: list[str], said: str
):
    program, engine, model = program_of(GUESSES, QUERIES)
    with pytest.raises(UsageError, match=said):
        program.answer_choices("Where?", choices)
    assert (engine.calls, model.ledger.total().n_calls) == ([], 0)


def test_each_of_ten_choices_is_searched_for():
    program, engine, _ = program_of({"prose": "well"}, traverse="never")
    choices = [f"choice {n}" for n in range(10)]
    program.answer_choices("Where?", choices, [0.5] * 10)
    assert [call[0] for call in engine.calls[1:]] == choices


def test_without_any_reply_the_statement_of_the_evidence_is_searched():
    program, engine, _ = program_of({"prose": "well"})
    run = run_of(program)
    assert run.fallbacks == 2
    assert run.hypotheses == ["Vessby is a thing."]
    assert [call[0] for call in engine.calls] == [CLAIM, "Vessby is a thing."]


def test_by_default_the_encoder_of_the_index_weighs_evidence(encoded_toy_index: Path):
    engine = HippoHover.open(encoded_toy_index)
    program = HypothesisDriven(engine, model_of(GUESSES, QUERIES), traverse="never")
    run = run_of(program)
    assert run.scored_by == "semantic"
    assert engine.encode is not None
    assert np.linalg.norm(engine.encode(["Isk", "Vessby"]), axis=1) == pytest.approx(1)
    off = HypothesisDriven(engine, model_of(GUESSES, QUERIES), scorer=EvidenceScorer(None))
    assert run_of(off).scored_by == "overlap"


def test_the_environment_turns_similarity_off(
    encoded_toy_index: Path, monkeypatch: pytest.MonkeyPatch
):
    engine = HippoHover.open(encoded_toy_index)
    off = [(value, "overlap") for value in ("0", "off", "False", "no")]
    for value, kind in [*off, ("1", "semantic"), ("", "semantic")]:
        monkeypatch.setenv("HIPPOHOVER_SEMANTIC_SCORING", value)
        program = HypothesisDriven(engine, model_of(GUESSES, QUERIES), traverse="never")
        run = run_of(program)
        assert (run.scored_by, run.fallbacks) == (kind, 0)


def test_a_scorer_that_is_given_is_used_whatever_the_environment_says(
    encoded_toy_index: Path, monkeypatch: pytest.MonkeyPatch
):
    engine = HippoHover.open(encoded_toy_index)
    given = [(EvidenceScorer(engine.encode), "semantic"), (EvidenceScorer(None), "overlap")]
    for value in ("0", "1"):
        monkeypatch.setenv("HIPPOHOVER_SEMANTIC_SCORING", value)
        for scorer, kind in given:
            program = HypothesisDriven(engine, model_of(GUESSES, QUERIES), scorer=scorer)
            assert run_of(program).scored_by == kind


def test_an_encoder_that_fails_is_a_fallback_of_the_run():
    def encode(texts: Sequence[str]) -> Any:  # noqa: ANN401
        raise ModelError("no encoder")

    program, _, _ = program_of(GUESSES, QUERIES, scorer=EvidenceScorer(encode))
    run = run_of(program)
    assert (run.scored_by, run.fallbacks) == ("overlap", 1)
    assert run.as_dict()["encoding_failure"].startswith("encoding ")
    plain, _, _ = program_of(GUESSES, QUERIES)
    assert run_of(plain).fallbacks == 0


def test_vectors_that_failed_only_for_the_papers_are_told_too():
    failing = iter([True])

    def encode(texts: Sequence[str]) -> Any:  # noqa: ANN401
        if next(failing, False):
            raise ModelError("no encoder yet")
        return np.eye(len(texts), 40, dtype=np.float32)

    program, _, _ = program_of(GUESSES, QUERIES, scorer=EvidenceScorer(encode))
    program.sources = SourceRouter([Shelf([document("A paper", f"It is of {CLAIM}")])])
    run = run_of(program)
    assert (run.scored_by, run.fallbacks) == ("semantic", 1)
    assert "no encoder yet" in run.encoding_failure


def test_where_hypotheses_seldom_name_a_bridge_gaps_are_filled():
    missing = [
        {"queries": '["Mira Oldane", "other director"]'},
        {"queries": f'["Ada Finch", "{CLAIM}"]'},
    ]
    program, engine, model = program_of(*missing, coverage=0.84)
    run = run_of(program)
    assert [call[0] for call in engine.calls] == [
        CLAIM, "Mira Oldane", "other director", "Ada Finch",
    ]  # fmt: skip
    assert (run.hypotheses, run.winner_kind) == ([CLAIM], "claim")
    assert set(run.evidence) == {"Lantern Hill", "Vessby", "Mira Oldane", "Ada Finch"}
    assert model.ledger.by_stage()["hypothesis"].n_calls == 2
    trusted, engine, _ = program_of(GUESSES, QUERIES, coverage=0.85)
    assert len(run_of(trusted).hypotheses) == 4


def test_gaps_are_filled_by_itself_when_20_runs_seldom_name_what_answers_rest_on():
    program, _, _ = program_of(*[GUESSES, QUERIES] * 25)
    assert run_of(program, f"{CLAIM} 0").is_covered is True
    program.covered.extend([True] * 16 + [False] * 3)
    assert (len(program.covered), program.fills_gaps) == (20, False)  # 17 of 20 are 85 %
    program.covered.append(False)
    assert program.fills_gaps
    run = run_of(program, f"{CLAIM} 1")
    assert (run.winner_kind, run.is_covered) == ("claim", None)
    assert len(program.covered) == 20
    program.coverage = 1.0  # what was validated goes before
    assert not program.fills_gaps


def switching(*modes: bool) -> list[dict[str, Any]]:
    """Return replies for runs that test hypotheses (true) or fill gaps."""
    gaps = [{"queries": '["Mira Oldane"]'}, {"queries": "[]"}]
    return [reply for tests in modes for reply in ([GUESSES, QUERIES] if tests else gaps)]


def test_every_fifth_run_tests_hypotheses_again_until_they_come_back():
    modes = [False] * 4 + [True] + [False] * 4 + [True] + [True] * 3
    program, _, _ = program_of(*switching(*modes))
    program.covered.extend([False] * 5 + [True] * 15)
    kinds: list[list[str]] = []
    for n in range(13):
        run = run_of(program, f"{CLAIM} {n}")
        assert run.filled_gaps == run.as_dict()["filled_gaps"] == (run.is_covered is None)
        kinds.append(run.as_dict()["kinds"])
    assert [kind != ["claim"] for kind in kinds] == modes
    assert not program.fills_gaps


def test_a_coverage_that_was_validated_is_not_measured_again():
    program, _, _ = program_of(*switching(*[False] * 6), coverage=0.2)
    assert all(run_of(program, f"{CLAIM} {n}").filled_gaps for n in range(6))


def test_links_are_tried_again_at_every_fifth_run():
    program, _, _ = program_of(*switching(*[True] * 11))
    program.yields.extend([TraversalYield(0.0, 0.0, 0.0)] * 10)
    followed = [run_of(program, f"{CLAIM} {n}").traversal is not None for n in range(10)]
    assert followed == [False] * 4 + [True] * 6  # one that pays breaks the row


def test_a_sentence_of_the_evidence_itself_covers_nothing():
    program, _, _ = program_of({"hypotheses": '["x is y", "y is z", "z is x"]'}, QUERIES)
    run = run_of(program)
    assert run.hypotheses[-1] not in run.guesses
    assert (len(run.guesses), run.is_covered) == (3, False)


def test_fewer_than_20_runs_change_nothing():
    program, _, _ = program_of(GUESSES, QUERIES)
    program.covered.extend([False] * 19)
    assert not program.fills_gaps


def test_an_answer_that_no_hypothesis_names_is_not_covered():
    answer = passages_of("Lantern Hill", "Vessby", "Mira Oldane", "Ada Finch")
    assert names_the_answer(CLAIM, answer, ["Mira Oldane directed it"])
    assert not names_the_answer(CLAIM, answer, ["Ada Finch directed it"])  # not of the first three
    assert names_the_answer(CLAIM, answer[:2], ["no name"])  # the claim names all of them


def test_what_a_service_embeds_is_part_of_the_cost():
    usage = Usage(n_calls=1, input_tokens=700, cost_usd=0.25)

    class Paid(EvidenceScorer):
        def passage_embed_score(self, *args: Any, **options: Any) -> EvidenceScores:  # noqa: ANN401
            return replace(super().passage_embed_score(*args, **options), usage=usage)

    program, _, _ = program_of(GUESSES, QUERIES, scorer=Paid(None))
    told = run_of(program).as_dict()
    assert (told["embedded_tokens"], told["embedding_usd"]) == (700, 0.25)
    assert told["cost_usd"] is None  # nobody knows what the calls cost
    assert run_of(program).embedding == usage


def test_a_run_as_json_has_it():
    program, _, _ = program_of(GUESSES, QUERIES)
    found = json.loads(json.dumps(run_of(program).as_dict()))
    assert found["winner_kind"] == "grounded"
    support = run_of(program_of(GUESSES, QUERIES)[0]).support
    assert support is not None
    assert found["confidence"] == support.confidence > 0.05
    assert HypothesisRun(program.engine, "bm25", program.limits).confidence == 0
    assert found["traversal"] == {"unique": 0.5, "selected": 1.0, "used": 1.0}
    assert (len(found["hypotheses"]), found["scored_by"], found["calls"]) == (4, "overlap", 2)
    plain, _, _ = program_of(GUESSES, QUERIES, traverse="never")
    assert run_of(plain).as_dict()["traversal"] is None


def test_quantities_are_kept_as_anchors():
    program, engine, _ = program_of({"prose": "well"})
    text = "It is 94.2% of 12 km."
    engine.search = lambda query, depth=100, retriever="ppr": type(  # pyright: ignore[reportAttributeAccessIssue]
        "R", (), {"passages": (RankedPassage(1, PassageId("q"), "Q", text, 1.0),)}
    )()
    assert run_of(program).evidence["q"].quantitative_anchors == ("94.2%", "12 km")


def test_the_statement_that_the_others_hold_most():
    texts = ["Isk is old. A.", "The Orm flows by Isk. B.", "By Isk the Orm flows. C.", "Ort."]
    passages = [RankedPassage(i, PassageId(str(i)), "", t, 1.0) for i, t in enumerate(texts)]
    assert most_supported_statement(passages) == "The Orm flows by Isk."
    assert most_supported_statement([]) == ""
    counts: list[object] = [3, 41, "many", 7]
    cited = [
        replace(p, metadata={"citation_count": n}) for p, n in zip(passages, counts, strict=True)
    ]
    assert most_supported_statement(cited[::-1]) == "The Orm flows by Isk."
    assert most_supported_statement([cited[0], cited[3], passages[2]]) == "Ort."
    assert most_supported_statement([cited[2], *passages]) == "By Isk the Orm flows."
    assert most_supported_statement(passages_of("A")) == "A is a thing."


def test_linked_passages_of_a_real_index(toy_engine: HippoHover):
    first = toy_engine.retrieve(CLAIM).passages[0]
    linked = toy_engine.linked(first.pid, 5)
    assert len(linked) == 5
    assert first.pid not in {passage.pid for passage in linked}
    assert [passage.score for passage in linked] == sorted((p.score for p in linked), reverse=True)
    assert toy_engine.linked(first.pid, 3) == linked[:3]
    with pytest.raises(UsageError, match="no passage of the index has the pid 'none'"):
        toy_engine.linked("none")
    with pytest.raises(UsageError, match="n is 0"):
        toy_engine.linked(first.pid, 0)
