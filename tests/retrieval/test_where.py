"""Conditions: how they are written, which passages meet them, and that as many come back."""

import json
from pathlib import Path

import numpy as np
import pytest

from hippohover.errors import NotInIndexError, UsageError
from hippohover.indexing.build import build
from hippohover.recipe import CorpusSettings, IndexRecipe
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.registry import RETRIEVERS
from hippohover.retrieval.retrievers import Retrievers
from hippohover.retrieval.where import Condition, allowed_rows
from tests.indexing.corpus.readers.office.office_samples import lines_pdf
from tests.retrieval.toy_samples import TOY_CLAIMS, UNKNOWN_WORDS, WordEncoder

SHIPS = (Condition("title", frozenset("MSH"), prefix=True),)
RECORDS = [
    {"title": "Mist Ferry", "text": "The Mist Ferry crossed to Ort.", "lang": "en", "year": 1901},
    {"title": "Ort", "text": "Ort is a port of the Mist Ferry.", "lang": "en", "year": 1850},
    {"title": "Ört", "text": "Ort ist ein Hafen.", "lang": "de", "year": 1850},
    {"title": "Isk", "text": "Nothing of all that.", "lang": "de"},
]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> HippoHover:
    place = tmp_path_factory.mktemp("where")
    corpus = place / "c.jsonl"
    corpus.write_text("".join(f"{json.dumps(one)}\n" for one in RECORDS), encoding="utf-8")
    recipe = IndexRecipe(
        name="kept", extractor="between", encoder="none",
        corpus=CorpusSettings(metadata=("lang", "year")),
    )  # fmt: skip
    return HippoHover.open(build(recipe, corpus=corpus, out=place / "i", workers=1))


def titles(engine: HippoHover, *conditions: str, claim: str = "The Mist Ferry went to Ort."):
    where = [Condition.parse(one) for one in conditions]
    return {passage.title for passage in engine.retrieve(claim, where=where).passages}


def test_how_conditions_are_written(tmp_path: Path):
    (tmp_path / "ids.txt").write_text("\ufeffa1\n\n b2 \r\n", encoding="utf-8")
    assert Condition.parse("title^=The = of") == Condition("title", frozenset(["The = of"]), True)
    assert Condition.parse("lang=a@b") == Condition("lang", frozenset(["a@b"]))
    assert Condition.parse("lang!=en") == Condition("lang", frozenset(["en"]), negated=True)
    assert Condition.parse("a!b=c!=d") == Condition("a!b", frozenset(["c!=d"]))
    assert Condition.parse("year >= 1900") == Condition("year", frozenset([" 1900"]), order=">=")
    assert Condition.parse("title=a<1>=2") == Condition("title", frozenset(["a<1>=2"]))
    assert Condition.parse("lang=") == Condition("lang", frozenset([""]))
    assert Condition.parse(f"pid@{tmp_path}/ids.txt") == Condition("pid", frozenset(["a1", "b2"]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lang", "condition 'lang' cannot be read: write FIELD=VALUE"),
        ("=en", "condition '=en' cannot be read"),
        ("year>=soon", r"'soon' after >= is neither a number nor a date: write 1901"),
        ("pid@nowhere.txt", r"nowhere\.txt: No such file"),
        (f"pid@{__file__}/x", "Not a directory"),
        ("pid@/dev/null", "/dev/null: is empty: write one entry on each line"),
    ],
)
def test_what_is_no_condition(text: str, message: str):
    with pytest.raises(UsageError, match=message):
        Condition.parse(text)


def test_fields_of_the_corpus(engine: HippoHover):
    assert titles(engine, "lang=en") == {"Mist Ferry", "Ort"}
    assert titles(engine, "year=1850") == {"Ort", "Ört"}
    assert titles(engine, "year=1850", "lang=de") == {"Ört"}
    assert titles(engine, "title^=O") == {"Ort"}
    assert titles(engine, "title^=O\u0308") == {"Ört"}  # as the index writes it, in NFC
    assert titles(engine, "lang=de") == {"Ört", "Isk"}  # though no word of Isk is in the claim
    assert titles(engine, "lang=de", claim=UNKNOWN_WORDS) == {"Ört", "Isk"}
    assert titles(engine, "year>1850") == {"Mist Ferry"}
    assert titles(engine, "year>=1850", "year<1900", "lang=en") == {"Ort"}
    assert titles(engine, "year<=1850-12-31") == {"Ort", "Ört"}
    pid = engine.pids()[0]
    assert titles(engine, f"pid={pid}") == {engine.titles()[0]}


def test_what_is_kept_comes_back_as_the_record_had_it(engine: HippoHover):
    passages = engine.retrieve("The Mist Ferry went to Ort.").passages
    kept = {passage.title: passage.metadata for passage in passages}
    assert kept["Mist Ferry"] == {"lang": "en", "year": 1901}
    assert engine.retrieve(UNKNOWN_WORDS, where=[Condition.parse("title=Isk")]).passages[
        0
    ].metadata == {"lang": "de"}


def test_a_field_or_a_value_that_is_not_there_is_named(engine: HippoHover, toy_engine: HippoHover):
    with pytest.raises(
        UsageError, match=r"no field 'place': name one of title, pid, id, heading, lang, year"
    ):
        titles(engine, "place=Ort")
    with pytest.raises(UsageError, match="meets lang is 'fr' and year is '1850': relax"):
        titles(engine, "lang=fr", "year=1850")
    with pytest.raises(UsageError, match="meets title is 'Mist Fery': did you mean 'Mist Ferry'"):
        titles(engine, "title=Mist Fery")
    with pytest.raises(UsageError, match="title is 'Isk' and lang is 'en': relax"):
        titles(engine, "title=Isk", "lang=en")
    with pytest.raises(UsageError, match="title is 'Qqq': relax"):
        titles(engine, "title=Qqq")
    with pytest.raises(UsageError, match=r"meets lang > '3': relax"):
        titles(engine, "lang>3")
    with pytest.raises(
        UsageError, match="no field 'lang': name one of title, pid, id, heading, or build"
    ):
        titles(toy_engine, "lang=en")


def test_a_field_that_no_record_has_is_met_by_none(tmp_path: Path):
    (tmp_path / "c.jsonl").write_text(json.dumps(RECORDS[0]), encoding="utf-8")
    recipe = IndexRecipe(encoder="none", corpus=CorpusSettings(metadata=("lang", "language")))
    engine = HippoHover.open(build(recipe, corpus=tmp_path / "c.jsonl", out=tmp_path / "i"))
    with pytest.raises(NotInIndexError, match="no passage of the index meets language is 'en'"):
        titles(engine, "language=en")
    assert titles(engine, "lang=en") == {"Mist Ferry"}


@pytest.mark.parametrize("name", RETRIEVERS)
@pytest.mark.parametrize("claim", TOY_CLAIMS[::40])
def test_what_is_allowed_keeps_its_order_and_fills_the_answer(
    encoded: tuple[Retrievers, WordEncoder], name: str, claim: str
):
    retrievers, _ = encoded
    allowed = np.flatnonzero(allowed_rows(retrievers.tables, SHIPS))
    n = len(allowed)
    assert 21 < n < retrievers.arrays.n_passages
    ranked = [row for row in retrievers(name, claim, 1000).rows.tolist() if row in set(allowed)]
    found = retrievers(name, claim, 1000, SHIPS)
    assert sorted(found.rows.tolist()) == allowed.tolist()
    assert bool(np.all(np.diff(found.scores) <= 0))
    if name != "hybrid":  # which fuses by ranks, of those that are allowed
        assert found.rows[: len(ranked)].tolist() == ranked
    for k in (1, 21):
        assert retrievers(name, claim, k, SHIPS).rows.tolist() == found.rows[:k].tolist()


@pytest.mark.parametrize("claim", TOY_CLAIMS[::40])
def test_re_ranked_answers_hold_what_is_allowed(reranked: Retrievers, claim: str):
    allowed = np.flatnonzero(allowed_rows(reranked.tables, SHIPS))
    found = reranked("ppr", claim, 1000, SHIPS)
    assert sorted(found.rows.tolist()) == allowed.tolist()
    assert bool(np.all(np.diff(found.scores) <= 0))
    everything = (Condition("title", frozenset([""]), prefix=True),)
    free, held = reranked("ppr", claim, 21), reranked("ppr", claim, 21, everything)
    assert held.rows.tolist() == free.rows.tolist()
    assert held.scores.tolist() == free.scores.tolist()


def test_values_are_compared_as_an_index_writes_its_own(engine: HippoHover):
    assert titles(engine, "title= Mist \u00a0 Ferry ") == {"Mist Ferry"}
    assert titles(engine, "title=Mi\u00adst Fer\u200bry") == {"Mist Ferry"}
    assert titles(engine, "title=O\u0308rt") == {"Ört"}
    assert titles(engine, "title^=Mist  ") == {"Mist Ferry"}
    with pytest.raises(NotInIndexError, match="meets title begins with 'Or ': relax"):
        titles(engine, "title^=Or ")


@pytest.mark.parametrize("values", ["en", None, 3, [1901], ["a", "\ud800"]])
def test_values_that_are_no_texts_are_refused(values: object):
    with pytest.raises(UsageError, match=r"give a set of texts|is not a text|lone surrogate"):
        Condition("lang", values)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("values", "prefix", "order"),
    [(["1", "2"], False, "<"), (["1"], True, "<"), (["1"], False, "=")],
)
def test_a_range_has_an_order_and_one_bound(values: list[str], prefix: bool, order: str):
    with pytest.raises(
        UsageError, match=r"a range takes one value, and no prefix|order '=' is unknown"
    ):
        Condition("year", frozenset(values), prefix, order)


def test_a_list_of_values_will_do():
    given = ["en", "de"]
    assert Condition("lang", given) == Condition("lang", frozenset(given))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("where", ["lang=en", ["lang=en"], Condition("lang", frozenset(["en"]))])
def test_conditions_of_another_kind_are_refused(engine: HippoHover, where: object):
    for call in (engine.retrieve, engine.search):
        with pytest.raises(UsageError, match="give a list of Condition"):
            call("The Mist Ferry", where=where)  # pyright: ignore[reportArgumentType]


def test_what_an_answer_cites_can_be_a_condition(tmp_path: Path):
    folder = tmp_path / "notes"
    (folder / "sea").mkdir(parents=True)
    (folder / "sea" / "Ferry.md").write_text(
        "---\nyear: 1930\nended: true\n---\nThe Mist Ferry crossed to Ort.\n\n## Rates\n"
        + "The Mist Ferry to Ort costs a crown. " * 12
    )
    (folder / "Ort.txt").write_text("Ort is a port of the Mist Ferry.")
    recipe = IndexRecipe(
        name="kept", extractor="between", encoder="none",
        corpus=CorpusSettings(max_words=60, metadata=("year", "ended")),
    )  # fmt: skip
    engine = HippoHover.open(build(recipe, corpus=folder, out=tmp_path / "i", workers=1))
    [found] = engine.retrieve("Where is Ort?", where=[Condition.parse("id=Ort")]).passages
    assert found.metadata["path"] == "Ort.txt"
    assert titles(engine, "path^=sea/") == titles(engine, "year>=1930") == {"Ferry"}
    assert titles(engine, "ended=true", "anchor=Rates", "heading=Rates") == {"Ferry"}
    where = [Condition.parse("year=1930")]
    [ferry] = engine.retrieve("The Mist Ferry", k=1, where=where).passages
    assert (ferry.metadata["year"], ferry.metadata["ended"]) == (1930, True)
    with pytest.raises(NotInIndexError, match="no field 'page'"):
        titles(engine, "page=1")


def test_a_page_is_a_number_to_a_condition(tmp_path: Path):
    corpus = tmp_path / "tide.pdf"
    corpus.write_bytes(lines_pdf([f"The Mist Ferry came to Ort on day {n}." for n in (1, 2, 3)]))
    recipe = IndexRecipe(
        name="p", extractor="between", encoder="none", corpus=CorpusSettings(max_words=60)
    )
    engine = HippoHover.open(build(recipe, corpus=corpus, out=tmp_path / "i", workers=1))
    answer = engine.retrieve("The Mist Ferry came", where=[Condition.parse("page>=3")])
    assert [passage.metadata["page"] for passage in answer.passages] == [3]
    answer = engine.retrieve("The Mist Ferry came", where=[Condition.parse("page=2")])
    assert [passage.metadata["page"] for passage in answer.passages] == [2]


def test_a_field_that_is_kept_under_a_name_of_ours_is_the_corpus_own(tmp_path: Path):
    corpus = tmp_path / "c.jsonl"
    rows = [{**record, "page": f"p{at}"} for at, record in enumerate(RECORDS)]
    corpus.write_text("".join(f"{json.dumps(one)}\n" for one in rows), encoding="utf-8")
    recipe = IndexRecipe(
        name="kept", extractor="between", encoder="none", corpus=CorpusSettings(metadata=("page",))
    )
    engine = HippoHover.open(build(recipe, corpus=corpus, out=tmp_path / "i", workers=1))
    assert titles(engine, "page=p1") == {"Ort"}
    assert titles(engine, "field.page=p1") == {"Ort"}  # as an answer calls it
    with pytest.raises(NotInIndexError, match=r"'field\.id'"):
        titles(engine, "field.id=p1")


def test_a_negated_condition_is_met_by_all_others(engine: HippoHover):
    every = {str(record["title"]) for record in RECORDS}
    assert titles(engine, "lang!=en") == every - titles(engine, "lang=en")
    assert "Isk" in titles(engine, "year!=1850")  # it has no year


def test_what_is_excluded_by_title_or_pid_is_no_answer(engine: HippoHover):
    claim = "The Mist Ferry went to Ort."
    first, second = engine.retrieve(claim, 2).passages
    left = engine.retrieve(claim, exclude=[first.title, second.pid]).passages
    assert not {first.pid, second.pid} & {one.pid for one in left}
    assert len(left) == len(RECORDS) - 2
    with pytest.raises(UsageError, match="give a list"):
        engine.retrieve(claim, exclude="Ort")


@pytest.mark.parametrize("seed", ["Mist Ferry", "MIST FERRY", "What is the Mist Ferry?"])
def test_a_walk_starts_at_its_seeds_too(engine: HippoHover, seed: str):
    claim = "Nothing of all that."
    assert not [one for one in engine.retrieve(claim).trace.seeds if one.kind == "mention"]
    found = engine.retrieve(claim, seeds=[seed])
    assert "Mist Ferry" in {one.label for one in found.trace.seeds if one.kind == "mention"}
    assert "Mist Ferry" in {one.title for one in found.passages[:2]}


def test_a_pid_is_a_seed_by_its_title_and_an_unknown_name_is_refused(engine: HippoHover):
    [ort] = [one for one in engine.retrieve("Ort").passages if one.title == "Ort"]
    claim = "Nothing of all that."
    assert engine.retrieve(claim, seeds=[ort.pid]).passages == (
        engine.retrieve(claim, seeds=["Ort"]).passages
    )
    with pytest.raises(NotInIndexError, match="Zyxwv"):
        engine.retrieve(claim, seeds=["Zyxwv"])
    with pytest.raises(UsageError, match="bm25 does not walk"):
        engine.retrieve(claim, 3, "bm25", seeds=["Ort"])
