"""``query`` and ``explain``: one claim or a file of them, for people and for programs."""

import json
import re
from pathlib import Path

import pytest

from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.where import Condition
from hippohover.testing.indexes import TOY_RECIPE, build_toy
from hippohover.toy import toy_claims_path
from tests.cli.command_samples import CLAIM, FAST_RECIPE, Command, assert_error, write_corpus
from tests.sources.local_search import FOUND, local_search


def test_query_json_is_what_programs_read(hippohover: Command, toy_index: Path) -> None:
    found = hippohover("query", toy_index, CLAIM, "-k", 7, "--json").json
    assert list(found) == ["claim", "route", "retriever", "chains", "passages", "seconds"]
    assert (found["claim"], found["route"], found["retriever"]) == (CLAIM, "no-filter", "ppr")
    assert [one["rank"] for one in found["passages"]] == list(range(1, 8))
    keys = ["rank", "title", "heading", "text", "score", "pid", "near_copy", "metadata", "source"]
    assert list(found["passages"][0]) == [*keys, "citation", "n_near_copies", "path", "others"]
    assert found["seconds"] > 0
    expected = HippoHover.open(toy_index).retrieve(CLAIM, 7)
    assert [one["title"] for one in found["passages"]] == [p.title for p in expected.passages]


def test_what_is_only_similar_is_said_to_be(
    hippohover: Command, encoded_toy_index: Path, tmp_path: Path
) -> None:
    told = hippohover("query", encoded_toy_index, "zzqx")
    assert "no name and no search term of this text is in the index" in told.err
    (tmp_path / "claims.txt").write_text("zzqx\nLantern Hill\n", encoding="utf-8")
    several = hippohover("query", encoded_toy_index, "--file", "claims.txt")
    assert "no name and no search term of 1 claim is in the index" in several.err
    assert "similarity" not in hippohover("query", encoded_toy_index, "Lantern Hill").err


def test_query_for_people(hippohover: Command, toy_index: Path) -> None:
    outcome = hippohover("query", toy_index, CLAIM, "--retriever", "bm25", "-k", 3)
    assert outcome.code == 0
    assert "  1  Hexley Flyer" in outcome.out
    assert "by bm25 in" in outcome.out
    assert max(map(len, outcome.out.splitlines())) <= 100


def test_a_claim_that_is_too_long_is_refused(hippohover: Command, toy_index: Path) -> None:
    claim = "x" * 100_000
    assert_error(hippohover("query", toy_index, claim), "the claim")
    assert_error(hippohover("explain", toy_index, claim, "--title", "Isk"), "the claim")


@pytest.mark.parametrize("claim", ["?!", "\x00\x1b[31m", "霧の港", "نجمة الملح", "[red]x[/red]"])
def test_strange_claims_get_an_answer(hippohover: Command, toy_index: Path, claim: str) -> None:
    assert hippohover("query", toy_index, claim).code == 0
    assert hippohover("query", toy_index, claim, "--json").json["claim"] == claim


def test_where_some_passages_may_answer(hippohover: Command, toy_index: Path) -> None:
    asked = ("query", toy_index, CLAIM, "--where", "title^=L", "--where", "title^=La")
    found = hippohover(*asked, "--json").json["passages"]
    assert {one["title"][:2] for one in found} == {"La"}
    out = hippohover("query", toy_index, "--file", toy_claims_path(), "-k", 3, *asked[3:]).out
    answers = [json.loads(line)["passages"] for line in out.splitlines()]
    assert {one["title"][:2] for answer in answers for one in answer} == {"La"}


@pytest.mark.slow
def test_a_scope_bounds_the_walk(hippohover: Command, toy_index: Path) -> None:
    where = ("--where", "title^=L", "--scope", "walk")
    found = hippohover("query", toy_index, CLAIM, *where, "--json").json["passages"]
    engine = HippoHover.open(toy_index)
    conditions = [Condition.parse("title^=L")]
    answer = engine.retrieve(CLAIM, where=conditions, scope="walk")
    assert [one["pid"] for one in found] == [one.pid for one in answer.passages]
    out = hippohover("query", toy_index, "--file", toy_claims_path(), "-k", 3, *where).out
    answers = [json.loads(line)["passages"] for line in out.splitlines()]
    assert {one["title"][0] for answer in answers for one in answer} == {"L"}
    asked = ("explain", toy_index, CLAIM, "--title", "Lunn Valley Railway")
    explained = hippohover(*asked, *where, "--json").json
    assert [seed["label"] for seed in explained["seeds"]] == [
        seed.label for seed in answer.trace.seeds
    ]
    outside = ("explain", toy_index, CLAIM, "--title", "Hexley Flyer")
    assert_error(hippohover(*outside, *where), "no passage that meets the conditions has the title")
    out = hippohover(*outside, "--where", "title^=L").out
    assert "it does not meet the conditions: the walk may pass it" in out
    engine.close()


def test_query_file(hippohover: Command, toy_index: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    outcome = hippohover(
        "query",
        toy_index,
        "--file",
        toy_claims_path(),
        "--out",
        out,
        "-k",
        2,
        "--retriever",
        "bm25",
    )
    assert outcome.code == 0
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    claims = [json.loads(one) for one in toy_claims_path().read_text("utf-8").splitlines()]
    assert [(row["uid"], row["claim"]) for row in rows] == [(c["uid"], c["claim"]) for c in claims]
    engine = HippoHover.open(toy_index)
    for row in rows[:5]:
        expected = engine.retrieve(row["claim"], 2, "bm25")
        assert [one["title"] for one in row["passages"]] == [p.title for p in expected.passages]


def test_query_file_to_stdout(hippohover: Command, toy_index: Path, tmp_path: Path) -> None:
    (tmp_path / "claims.txt").write_text("Who sang?\nWho rode?\n", encoding="utf-8")
    lines = hippohover("query", toy_index, "--file", "claims.txt").out.splitlines()
    assert [json.loads(line)["claim"] for line in lines] == ["Who sang?", "Who rode?"]
    assert "uid" not in json.loads(lines[0])
    assert [json.loads(line)["line"] for line in lines] == [1, 2]


def test_query_file_with_a_named_column(
    hippohover: Command, toy_index: Path, tmp_path: Path
) -> None:
    (tmp_path / "claims.csv").write_text("no,phrase\n7,Who sang?\n", encoding="utf-8")
    asked = ("query", toy_index, "--file", "claims.csv", "--claim-column", "phrase")
    done = hippohover(*asked, "-k", 1)
    assert done.err == "note: read 1 claim: CSV, phrase as claim, number of its line as uid\n"
    assert json.loads(done.out)["claim"] == "Who sang?"


# --- explain


def test_what_was_asked_is_called_a_question_where_it_is_one(
    hippohover: Command, toy_index: Path
) -> None:
    out = hippohover("explain", toy_index, "Where was Mira Oldane born?", "--title", "Vessby").out
    assert "question -> " in out
    assert "claim" not in out
    nothing = hippohover("query", toy_index, "What is zzqx?").out
    assert "no search term of this question" in " ".join(nothing.split())


def test_explain(hippohover: Command, toy_index: Path) -> None:
    outcome = hippohover("explain", toy_index, CLAIM, "--title", "Augusta Thornby")
    assert outcome.code == 0
    assert outcome.out.startswith("Augusta Thornby  rank ")
    assert "claim -> " in outcome.out
    assert "Lunn Valley Railway" in outcome.out
    found = hippohover("explain", toy_index, CLAIM, "--title", "Augusta Thornby", "--json").json
    assert found["rank"] <= 21
    assert found["paths"][0]["nodes"][-1] == {
        "kind": "passage",
        "name": "Augusta Thornby",
        "part": 1,
    }
    by_pid = hippohover("explain", toy_index, CLAIM, "--pid", found["pid"], "--json").json
    assert by_pid == found


def test_query_and_explain_say_where_a_passage_stands(
    hippohover: Command, placed_index: Path
) -> None:
    shown = hippohover("query", placed_index, CLAIM).out
    assert "people/augusta.pdf, p. 12" in shown
    told = hippohover("explain", placed_index, CLAIM, "--title", "Augusta Thornby", "--json").json
    assert told["metadata"] == {"path": "people/augusta.pdf", "page": 12}
    assert told["citation"] == "people/augusta.pdf, p. 12"
    lines = hippohover("explain", placed_index, CLAIM, "--title", "Augusta Thornby").out
    assert "\npeople/augusta.pdf, p. 12\n" in lines


def test_people_are_told_that_hipporag2_has_no_filter(
    hippohover: Command, encoded_toy_index: Path
) -> None:
    shown = hippohover("query", encoded_toy_index, CLAIM, "--retriever", "hipporag2")
    assert "by hipporag2 (no LLM filter) in" in shown.out


def test_people_are_told_that_facts_are_encoded_each_time(
    hippohover: Command, encoded_toy_index: Path, tmp_path: Path
) -> None:
    line = r"encoded [\d,]+ facts for this run alone: .*fact_vectors = true"
    shown = hippohover("query", encoded_toy_index, CLAIM, "--retriever", "hipporag2")
    assert re.search(line, shown.err)
    assert "encoded" not in hippohover("query", encoded_toy_index, CLAIM).err
    recipe = TOY_RECIPE.model_copy(update={"encoder": "minilm-static", "fact_vectors": True})
    keeps = build_toy(recipe, tmp_path / "keeps")
    assert "encoded" not in hippohover("query", keeps, CLAIM, "--retriever", "hipporag2").err


@pytest.mark.slow
def test_explain_shows_paths_too_weak_to_count(
    hippohover: Command, toy_index: Path, tmp_path: Path
) -> None:
    titles = HippoHover.open(toy_index).titles()
    found = [
        hippohover("explain", toy_index, CLAIM, "--title", title, "--json").json
        for title in titles[::8]
    ]
    unreached = [one for one in found if one["rank"] is None]
    assert unreached
    for one in unreached:
        shown = hippohover("explain", toy_index, CLAIM, "--title", one["title"]).out
        assert "0.0%  " not in shown.partition("Strongest paths")[2]
        assert ("too weak to count" in shown) == bool(one["paths"])
        assert one["reason"].startswith("the walk did not reach it: ")
        assert ("too weak" in one["reason"]) == bool(one["paths"])


def test_explain_shows_eight_seeds_and_counts_the_rest(
    hippohover: Command, toy_index: Path
) -> None:
    asked = ("explain", toy_index, CLAIM, "--title", "Augusta Thornby")
    seeds = hippohover(*asked, "--json").json["seeds"]
    shown = hippohover(*asked).out
    assert len(seeds) > 9
    assert f"        and {len(seeds) - 8} smaller ones\n" in shown
    listed = shown.partition("Seeds of the walk\n")[2].splitlines()[:8]
    expected = [f"{s['mass']:>6.1%}  {s['kind']:<8}{s['label']}" for s in seeds[:8]]
    assert [line.rstrip() for line in listed] == expected
    assert [s["mass"] for s in seeds] == sorted((s["mass"] for s in seeds), reverse=True)


# --- text of passages


def test_long_passages_are_cut_and_nameless_ones_are_called_so(
    hippohover: Command, tmp_path: Path
) -> None:
    text = "Ada Finch sang " + "and sang " * 60 + "until the last."
    corpus = write_corpus(tmp_path / "c.jsonl", [("Ada Finch", text), ("Salt Road", "A film.")])
    toml = f'{FAST_RECIPE}[corpus]\ntitles = "hidden"\n'
    (tmp_path / "hidden.toml").write_text(toml, encoding="utf-8")
    assert hippohover("build", "hidden.toml", "--corpus", corpus).code == 0
    shown = hippohover("query", "index/small", "Ada Finch sang.", "-k", 1).out
    head, *lines, last = shown.splitlines()
    assert head == "  1  (untitled)"
    cut = " ".join(line.strip() for line in lines)
    assert cut.endswith("sang and…")
    assert 200 < len(cut) <= 220
    assert "until the last" not in shown
    assert last.startswith("1 of ")
    whole = hippohover("query", "index/small", "Ada Finch sang.", "-k", 1, "--json").json
    assert whole["passages"][0]["text"] == text


def test_a_place_shows_its_heading_and_what_else_there_is_of_its_document(
    hippohover: Command, recipe: Path, tmp_path: Path
) -> None:
    recipe.write_text(f"{FAST_RECIPE}[corpus]\nmax_words = 12\n", encoding="utf-8")
    text = "# Keys\nThe weir has two keys of iron.\n## Old\nThe old keys of the weir are lost.\n"
    corpus = write_corpus(
        tmp_path / "c.jsonl",
        [("Pale Weir", f"{text}# Lock\nThe weir has a lock."), ("Elm", "The weir has an elm.")],
    )
    assert hippohover("build", recipe, "--corpus", corpus).code == 0
    ask = ("query", "index/small", "Old keys of the weir", "--retriever", "bm25", "-k", 2)
    first, second = hippohover(*ask, "--json").json["passages"]
    assert (first["title"], first["heading"]) == ("Pale Weir", "Keys > Old")
    assert [(one["rank"], one["heading"]) for one in first["others"]] == [(2, "Keys"), (3, "Lock")]
    assert first["score"] > first["others"][0]["score"] > first["others"][1]["score"]
    assert (second["title"], second["heading"], second["others"]) == ("Elm", "", [])
    lines = [line.strip() for line in hippohover(*ask).out.splitlines()]
    assert lines[lines.index("1  Pale Weir") + 1 :][:3] == [
        "Keys > Old",
        "## Old The old keys of the weir are lost.",
        "+ 2 more passages of it: Keys; Lock",
    ]


def test_sources_are_searched_beside_the_index(
    hippohover: Command, toy_index: Path, tmp_path: Path
) -> None:
    with local_search(tmp_path) as (notes, asked):
        outcome = hippohover("query", toy_index, CLAIM, "-k", 4, "--source", notes)
        told = hippohover("query", toy_index, CLAIM, "--source", notes, "--json").json
    assert outcome.code == 0
    assert "Tides of the Orle Estuary, https://notes.example/orle" in outcome.out
    assert outcome.err == ""
    found = told["passages"][1]
    assert (found["source"], found["metadata"]["url"]) == ("notes", FOUND["url"])
    assert len(asked) == 2


def test_claims_of_a_file_are_searched_for_in_sources(
    hippohover: Command, toy_index: Path, tmp_path: Path
) -> None:
    (tmp_path / "claims.txt").write_text(
        "Who is Mira Oldane?\nWhere is Vessby?\n", encoding="utf-8"
    )
    with local_search(tmp_path) as (notes, asked):
        outcome = hippohover("query", toy_index, "--file", "claims.txt", "--source", notes)
    lines = [json.loads(line) for line in outcome.out.splitlines()]
    assert ["notes" in {one["source"] for one in line["passages"]} for line in lines] == [True] * 2
    assert len(asked) == 2


def test_a_source_that_is_down_is_named(
    hippohover: Command, toy_index: Path, tmp_path: Path
) -> None:
    with local_search(tmp_path, status=503) as (notes, _):
        outcome = hippohover("query", toy_index, CLAIM, "--source", notes)
    assert outcome.code == 0
    assert outcome.err == "note: source notes answered with HTTP 503: try later (1 run)\n"
    assert "Hexley Flyer" in outcome.out
