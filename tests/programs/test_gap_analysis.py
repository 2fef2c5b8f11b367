"""Gap analysis: searches made in order, prompts, replies that go wrong, the ranking by names."""

from typing import Any

import pytest
from dspy.utils import DummyLM
from hypothesis import given
from hypothesis import strategies as st

from hippohover.language_model.client import LanguageModel
from hippohover.programs.gap_analysis import (
    DecompositionWithGapAnalysis,
    by_entities,
    distinct_titles,
    keep,
    page_of,
)
from hippohover.records import PassageId, RankedPassage
from tests.programs.program_samples import ScriptedSearch, model_of, passages_of

CLAIM = "The director of Lantern Hill was born in Vessby."
NAMES = {"Lantern Hill": 3, "Vessby": 9, "Mira Oldane": 2}
PARTS = {"sub_questions": '["Who directed Lantern Hill?", "Where was she born?"]'}
GAP = {"missing_information": '["where Mira Oldane was born"]', "query": "Lantern Hill director"}
READ = {
    "entities": '["Mira Oldane"]',
    "relationships": '["Mira Oldane - directed - Lantern Hill"]',
}
BRIDGES = {"bridging_entities": '["Mira Oldane", "Vessby Harbour"]'}
ROUND = {"missing_information": '["her town"]', "queries": '["Mira Oldane town", "b", "c", "d"]'}
LAST = {"missing_information": "[]", "queries": '["b", "e"]'}
SCRIPT = {
    "Who directed": ["Lantern Hill", "Decoy"],
    "Lantern Hill director": ["Lantern Hill", "Other"],
    "Mira Oldane": ["Mira Oldane"],
    "Vessby Harbour": ["Vessby Harbour"],
    "": ["Filler"],
}
ANSWERS = (PARTS, GAP, READ, BRIDGES, ROUND, READ, LAST)


def program_of(
    *answers: dict[str, Any],
    script: dict[str, list[str]] | None = None,
    **options: Any,  # noqa: ANN401
) -> tuple[DecompositionWithGapAnalysis, ScriptedSearch, LanguageModel]:
    engine, model = ScriptedSearch(script or SCRIPT, NAMES), model_of(*answers)
    return DecompositionWithGapAnalysis(engine, model, **options), engine, model


def titles_of(passages: tuple[RankedPassage, ...]) -> list[str]:
    return [passage.title for passage in passages]


def test_the_searches_in_their_order():
    program, engine, model = program_of(*ANSWERS)
    prediction = program(claim=CLAIM)
    assert [(query, depth) for query, depth, _ in engine.calls] == [
        ("Who directed Lantern Hill?", 18),
        ("Lantern Hill director", 18),
        ("Mira Oldane", 5),
        ("Vessby Harbour", 5),
        ("Mira Oldane town", 5),
        ("b", 5),
        ("c", 5),
        ("e", 5),  # "b" was searched before
    ]
    assert prediction.run.fallbacks == 0
    assert model.ledger.by_stage()["gap-analysis"].n_calls == prediction.run.usage.n_calls == 7
    assert set(titles_of(prediction.passages)) == {
        title for found in SCRIPT.values() for title in found
    }


def test_documents_that_match_names_come_first():
    program, _, _ = program_of(*ANSWERS)
    titles = titles_of(program(claim=CLAIM).passages)
    # "Lantern Hill" is a name of the claim, "Mira Oldane" one of the gaps, "Vessby" is in a title.
    assert set(titles[:3]) == {"Lantern Hill", "Mira Oldane", "Vessby Harbour"}
    assert set(titles[3:]) == {"Decoy", "Other", "Filler"}


def test_what_was_found_is_told_to_the_next_question():
    client = DummyLM([*ANSWERS])
    engine = ScriptedSearch(SCRIPT, NAMES)
    DecompositionWithGapAnalysis(engine, LanguageModel(client, name="d"))(claim=CLAIM)
    prompts = ["".join(m["content"] for m in call["messages"]) for call in client.history]
    assert "[1] Lantern Hill | Lantern Hill is a thing." in prompts[2]
    assert "Mira Oldane - directed - Lantern Hill" in prompts[4]
    assert "Vessby Harbour" in prompts[4]  # a bridge is known from then on
    assert all(CLAIM in prompt for prompt in prompts)


def test_without_any_reply_the_claim_is_searched_once():
    program, engine, _ = program_of({"prose": "well"})
    prediction = program(claim=CLAIM)
    assert [call[0] for call in engine.calls] == [CLAIM]
    assert prediction.run.fallbacks == 7
    assert titles_of(prediction.passages) == ["Filler"]


def test_scores_of_documents_rank_the_first_twelve():
    program, _, model = program_of(
        *ANSWERS, {"reasoning": "So.", "scores": "[1, 2, 3, 4, 5, 10]"}, score_documents=True
    )
    plain, _, _ = program_of(*ANSWERS)
    first = titles_of(plain(claim=CLAIM).passages)
    assert titles_of(program(claim=CLAIM).passages) == first[::-1]
    assert model.ledger.total().n_calls == 8


def test_the_ranking_by_hand():
    passages = (
        *passages_of("Plain"),
        RankedPassage(2, PassageId("t"), "Text", "Of the Salt Road and Ada.", 1.0),
        RankedPassage(3, PassageId("a"), "Ada (singer)", "She sang.", 1.0),
        RankedPassage(4, PassageId("r"), "Salt Road", "A film. Salt Road!", 1.0),
    )
    ranked = by_entities(passages, in_claim=["Salt Road"], in_gaps=["Ada"])
    # Text: 1 + 1 + 2; Ada: 2; Salt Road: 2; Plain: 0
    assert titles_of(tuple(ranked)) == ["Text", "Ada (singer)", "Salt Road", "Plain"]
    assert by_entities(passages, in_claim=[], in_gaps=["!!"]) == list(passages)
    assert by_entities((), in_claim=["a"], in_gaps=[]) == []


def test_what_a_bridge_found_first_stays_in_the_answer():
    """ "Oda" matches no name: by names alone the twenty that do would push it out."""
    named = [f"Lantern Hill {i}" for i in range(18)]
    script = SCRIPT | {"Who directed": named, "Lantern Hill director": ["Vessby", "Vessby Bay"]}
    script |= {"Mira Oldane": ["Oda", "Odo"], "Vessby Harbour": ["Lantern Hill 3"]}
    kept, _, _ = program_of(*ANSWERS, script=script, k=12)
    plain, _, _ = program_of(*ANSWERS, script=script, k=12, keep_bridges=False)
    by_names = titles_of(plain(claim=CLAIM).passages)
    assert "Oda" not in by_names
    assert titles_of(kept(claim=CLAIM).passages) == [*by_names[:11], "Oda"]  # and "Odo" is none


@pytest.mark.parametrize(
    ("name", "titles", "kept"),
    [
        ("Vessby", ["Vessby Harbour", "Isk", "Vessby"], "Vessby"),
        ("vessby", ["Vessby Harbour", "Vessby (town)"], "Vessby (town)"),
        ("Vessby (town)", ["Vessby", "Vessby (town)", "Vessby (song)"], "Vessby (town)"),
        ("Vessby", ["Vessby (song)", "Vessby"], "Vessby"),
        ("Vessby", ["Vessby Harbour", "Isk"], "Vessby Harbour"),
        ("!!", ["??", "Isk"], "??"),
    ],
)
def test_the_page_of_a_bridge_is_that_of_its_name(name: str, titles: list[str], kept: str):
    assert page_of(name, passages_of(*titles)).title == kept


def test_those_that_are_wanted_take_the_last_places():
    ranked = passages_of(*"ABCDEF")
    e, f, a, nowhere = (passages_of(*t)[0] for t in ("E", "F", "A", "X"))
    kept = keep(ranked, [e, a, nowhere], 3)
    assert titles_of(tuple(kept)) == ["A", "B", "E", "C", "D", "F"]
    assert titles_of(tuple(keep(ranked, [e, f, a], 2))) == ["A", "E", "B", "C", "D", "F"]
    assert keep(ranked, [], 3) == list(ranked)
    assert keep((), [a], 3) == []
    assert titles_of(tuple(keep(ranked[:2], [a], 3))) == ["A", "B"]


@given(st.lists(st.integers(0, 9), unique=True), st.sets(st.integers(0, 9)), st.integers(1, 9))
def test_keeping_loses_and_doubles_none(ranked: list[int], wanted: set[int], k: int):
    passages = [passages_of(str(n))[0] for n in ranked]
    kept = keep(passages, [passages_of(str(n))[0] for n in wanted], k)
    assert sorted(titles_of(tuple(kept))) == sorted(map(str, ranked))
    among = wanted & set(ranked)
    first = {int(passage.title) for passage in kept[:k]}
    assert len(first & among) == min(len(among), k)


def test_a_title_counts_once_and_passages_without_one_each():
    parts = (
        RankedPassage(1, PassageId("a1"), "The Skell", "One part.", 1.0),
        RankedPassage(2, PassageId("a2"), "the  skell", "Another.", 1.0),
        RankedPassage(3, PassageId("b1"), "", "No title.", 1.0),
        RankedPassage(4, PassageId("b2"), "", "Nor here.", 1.0),
    )
    assert [passage.pid for passage in distinct_titles(parts)] == ["a1", "b1", "b2"]


def test_a_name_matches_whole_words_alone():
    passage = RankedPassage(1, PassageId("p"), "Adamant", "Not Adam.", 1.0)
    other = RankedPassage(2, PassageId("q"), "Q", "It is Ada.", 1.0)
    assert by_entities([passage, other], in_claim=["Ada"], in_gaps=[]) == [other, passage]
