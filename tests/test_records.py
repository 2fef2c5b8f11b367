"""Frozen values: they hold what they are given, and nothing changes them."""

import copy
import dataclasses
import pickle
from typing import Any

import pytest

from hippohover import chain_records, records
from hippohover.chain_records import Chain, ChainJoin, ChainPassage
from hippohover.records import (
    CandidateFact,
    ExtractionFailure,
    Passage,
    PassageId,
    RankedPassage,
    Retrieval,
    Seed,
    Trace,
    Triple,
)

PASSAGE = Passage(PassageId("00ff"), "Lisk", "Lisk is a town.")
TRIPLE = Triple("Lisk", "is", "town")
SEED = Seed("mention", "Lisk", 1.0)
CANDIDATE = CandidateFact(TRIPLE, 0.5, kept=True)
STOP = ChainPassage(
    pid="00ff",
    title="Lisk",
    part=1,
    rank=1,
    sentence="Lisk is a town.",
    answers=("Lisk",),
    is_named=True,
)
JOIN = ChainJoin(kind="mention", words="Lisk", sentence="Abel left Lisk.", start=0, forward=False)
ABEL = dataclasses.replace(STOP, pid="01ff", title="Abel", rank=2, answers=(), is_named=False)
CHAIN = Chain(passages=(STOP, ABEL), joins=(JOIN,), coverage=0.5, score=0.25)
RANKED = RankedPassage(1, PassageId("00ff"), "Lisk", "Lisk is a town.", 0.5)
TRACE = Trace(route="no-filter", seeds=(SEED,), facts=(TRIPLE,), n_candidates=3, seconds=0.1)
RETRIEVAL = Retrieval("Where is Lisk?", "ppr", (RANKED,), TRACE, (CHAIN,))
FAILURE = ExtractionFailure(PassageId("00ff"), "no parse")
EXAMPLES = [PASSAGE, FAILURE, TRIPLE, CANDIDATE, SEED, STOP, JOIN, CHAIN, RANKED, TRACE, RETRIEVAL]


def test_every_record_has_an_example_here():
    every = [*vars(records).values(), *vars(chain_records).values()]
    defined = {kind for kind in every if dataclasses.is_dataclass(kind)}
    assert {type(example) for example in EXAMPLES} == defined


@pytest.mark.parametrize("record", EXAMPLES, ids=lambda record: type(record).__name__)
def test_records_are_frozen_and_take_no_new_attribute(record: Any):  # noqa: ANN401
    for field in dataclasses.fields(record):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(record, field.name, None)
    with pytest.raises((AttributeError, TypeError)):
        record.extra = 1
    assert not hasattr(record, "__dict__")


@pytest.mark.parametrize("record", EXAMPLES, ids=lambda record: type(record).__name__)
def test_records_are_values(record: Any):  # noqa: ANN401
    crossed = pickle.loads(pickle.dumps(record))  # noqa: S301 - what a worker process does
    assert crossed == record == copy.deepcopy(record)
    assert hash(crossed) == hash(record)


def test_a_passage_of_a_whole_document_begins_at_its_start():
    assert (PASSAGE.part, PASSAGE.start, PASSAGE.links) == (0, 0, ())


def test_a_triple_is_of_the_first_sentence_unless_said():
    assert TRIPLE.sentence == 0
    assert Triple("a", "b", "c", 2) != Triple("a", "b", "c")


def test_an_answer_without_a_trace_took_no_filter_and_fell_back_on_nothing():
    trace = Retrieval("claim", "bm25", ()).trace
    assert trace == Trace(route="no-filter")
    assert (trace.seeds, trace.facts) == ((), ())
    assert (trace.n_candidates, trace.seconds, trace.lm_calls, trace.fallbacks) == (0, 0.0, 0, 0)


@pytest.mark.parametrize(
    ("joins", "summary"),
    [
        ([("mention", 0, True), ("link", 1, False)], "A → B ← C"),
        ([("name", 0, True), ("mention", 0, True)], "A = B; A → C"),
        ([("claim", 0, True), ("series", 1, False)], "A = B = C"),
        ([("mention", 0, False)], "A ← B"),
        ([], "A"),
    ],
)
def test_a_chain_is_written_on_one_line(joins: list[tuple[Any, int, bool]], summary: str):
    passages = tuple(dataclasses.replace(STOP, title=title) for title in "ABC"[: len(joins) + 1])
    told = [
        ChainJoin(kind=kind, words="", sentence="", start=start, forward=forward)
        for kind, start, forward in joins
    ]
    assert Chain(passages=passages, joins=tuple(told), coverage=1.0, score=1.0).summary() == summary


def test_an_answer_has_the_keys_that_programs_read():
    answer: dict[str, Any] = {
        "claim": "Where is Lisk?",
        "route": "no-filter",
        "retriever": "ppr",
        "chains": [CHAIN.as_dict()],
        "passages": [
            {"rank": 1, "title": "Lisk", "heading": "", "text": "Lisk is a town.", "score": 0.5,
             "pid": "00ff", "near_copy": False, "metadata": {}, "source": "",
             "citation": "Lisk", "n_near_copies": 0, "path": None, "others": []}
        ],
        "seconds": 0.1,
    }  # fmt: skip
    assert RETRIEVAL.as_dict() == answer
    trace = dataclasses.replace(
        TRACE, candidate_facts=(CANDIDATE,), invented_facts=(("a", "b", "c"),), lm_calls=2
    )
    assert dataclasses.replace(RETRIEVAL, trace=trace).as_dict(trace=True) == {
        **answer,
        "trace": {
            "candidate_facts": [
                {"fact": ["Lisk", "is", "town"], "similarity": 0.5, "kept": True}
            ],
            "invented_facts": [["a", "b", "c"]],
            "failure": "", "fallback": "", "ranked_by": "", "corrections": [],
            "source_failures": [],
            "encoding_failure": "",
            "by_similarity": False,
            "searches": 1, "lm_calls": 2, "fallbacks": 0,
            "input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0,
        },
    }  # fmt: skip


def ranked(rank: int, heading: str = "", others: tuple[RankedPassage, ...] = ()) -> RankedPassage:
    return RankedPassage(rank, PassageId("00ff"), "Lisk", "A town.", 0.5, heading, others)


def test_others_are_counted_and_named_by_their_headings():
    assert ranked(1).others_in_words() == ""
    assert ranked(1, others=(ranked(2),)).others_in_words() == "+ 1 more passage of it"
    others = (ranked(2, "Keys"), ranked(3), ranked(4, "Lock"), ranked(5, "Keys"))
    assert ranked(1, others=others).others_in_words() == "+ 4 more passages of it: Keys; Lock"
    paged = [dataclasses.replace(one, metadata={"page": one.rank}) for one in others[:2]]
    place = ranked(1, others=tuple(paged))
    assert place.others_in_words() == "+ 2 more passages of it: Keys, p. 2; p. 3"


def test_near_copies_are_told_by_their_titles():
    copies = tuple(dataclasses.replace(ranked(n, "Keys"), near_copy=True) for n in (3, 4))
    assert ranked(1, others=copies[:1]).others_in_words() == "+ 1 near-copy: Lisk"
    many = dataclasses.replace(ranked(1, others=copies[:1]), n_near_copies=6)
    assert many.others_in_words() == "+ 6 near-copies: Lisk; ..."
    place = ranked(1, others=(ranked(2, "Keys"), *copies))
    assert place.others_in_words() == "+ 1 more passage of it: Keys + 2 near-copies: Lisk"
    assert [one["near_copy"] for one in place.as_dict()["others"]] == [False, True, True]


def test_metadata_go_along_and_say_where_a_passage_stands():
    told = {"id": "7", "path": "a/lisk.pdf", "page": 2, "year": 1901, "old": True}
    other = dataclasses.replace(ranked(2), metadata={"path": "a/lisk.pdf", "page": 4})
    place = dataclasses.replace(ranked(1, others=(other,)), metadata=told)
    assert (place.as_dict()["metadata"], place.citation) == (told, "a/lisk.pdf, p. 2")
    assert [one["citation"] for one in place.as_dict()["others"]] == ["a/lisk.pdf, p. 4"]
    assert place != ranked(1, others=(other,))
    assert hash(copy.deepcopy(place)) == hash(place)


def test_a_notebook_shows_headings_and_others():
    place = ranked(1, "Keys > Old", (ranked(2, "Lock"),))
    shown = Retrieval("claim", "ppr", (place,))._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert "Lisk &gt; Keys &gt; Old" in shown
    assert "A town. + 1 more passage of it: Lock" in shown
    assert place.as_dict()["others"] == [ranked(2, "Lock").as_dict()]
