"""``evaluate``: the report, its files and its notes.

Not named test_evaluate, as the evaluation has: pytest takes one test file of a name.
"""

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hippohover.cli.evaluate import with_display_names
from hippohover.evaluation.evaluate import EvaluationSettings, evaluate
from hippohover.evaluation.hover import load_claims
from hippohover.programs.hop_chain import HoverMultiHop
from hippohover.programs.optimize import Optimised
from hippohover.programs.saved import save_program
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.reranking import rerank
from hippohover.toy import toy_claims_path, toy_corpus_path
from tests.cli.command_samples import (
    FAST_RECIPE,
    Command,
    Outcome,
    asking,
    assert_error,
    write_corpus,
)
from tests.programs.program_samples import ScriptedSearch, model_of
from tests.sources.local_search import local_search
from tests.stub_server import Reply, chat, send, serving


def test_evaluate_json(hippohover: Command, toy_index: Path, tmp_path: Path) -> None:
    outcome = hippohover(
        "evaluate", toy_index, toy_claims_path(), "--retriever", "ppr", "--retriever", "bm25",
        "--limit", 12, "--json", "--out", "report.json", "--run-out", "run.trec",
        "--qrels-out", "qrels", "--candidates", 50,
    )  # fmt: skip
    assert outcome.code == 0
    found = outcome.json
    assert found["n"] == 12
    assert list(found["retrievers"]) == ["ppr", "bm25"]
    ppr = found["retrievers"]["ppr"]
    assert {"all_gold_found@21", "recall@21", "all_gold_found@100", "candidate_recall@50"} <= set(
        ppr
    )
    assert set(ppr["all_gold_found@21"]) == {"all", "2", "3", "4"}
    assert set(ppr["all_gold_found@21"]["all"]) == {"value", "low", "high", "n"}
    assert set(ppr["latency_ms"]) == {"p50", "p95"}
    assert (ppr["lm_calls"], ppr["fallbacks"]) == (0, 0)
    assert found["paired"]["bm25"]["versus"] == "ppr"
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert len(report["claims"]) == 12
    assert report["retrievers"] == found["retrievers"]
    run_lines = (tmp_path / "run.trec").read_text(encoding="utf-8").splitlines()
    assert {line.split()[0] for line in run_lines} <= {f"toy-{n:03}" for n in range(1, 13)}
    assert all(line.split()[5] == "ppr" for line in run_lines)
    assert len((tmp_path / "qrels").read_text(encoding="utf-8").splitlines()) >= 24


def test_a_bad_claim_is_refused_before_the_first_is_measured(
    hippohover: Command, toy_index: Path, tmp_path: Path
) -> None:
    lines = toy_claims_path().read_text(encoding="utf-8").splitlines()[:3]
    last = {**json.loads(lines[-1]), "uid": "too-long", "claim": "word " * 3000}
    claims = tmp_path / "claims.jsonl"
    claims.write_text("\n".join([*lines[:2], json.dumps(last)]), encoding="utf-8")
    outcome = hippohover("evaluate", toy_index, claims, "--out", "report.json")
    assert_error(outcome, "claims.jsonl", "'too-long'", "15,000 characters")
    assert not (tmp_path / "report.json").exists()


def test_evaluate_for_people(hippohover: Command, toy_index: Path) -> None:
    outcome = hippohover("evaluate", toy_index, toy_claims_path(), "--limit", 6)
    assert outcome.code == 0
    assert outcome.err == ""
    assert "all_gold_found@21" in outcome.out
    assert max(map(len, outcome.out.splitlines())) <= 100


def test_programs_are_measured_beside_retrievers(hippohover: Command, toy_index: Path) -> None:
    asked = ("evaluate", toy_index, toy_claims_path(), "--limit", 12, "--program", "iterative-bm25")
    found = hippohover(*asked, "--retriever", "ppr", "--search-with", "ppr", "--json").json
    assert list(found["retrievers"]) == ["ppr", "iterative-bm25"]
    assert "all_gold_found@100" not in found["retrievers"]["ppr"]  # a program has its 21 alone
    assert found["retrievers"]["iterative-bm25"]["all_gold_found@21"]["all"]["n"] == 12


def test_claims_that_found_nothing_are_counted(
    hippohover: Command, toy_index: Path, tmp_path: Path
) -> None:
    words = ["Qqq zzz xxx.", "The Hexley Flyer."]
    facts = [["Isk", 0]]
    lines = [{"uid": w, "claim": w, "supporting_facts": facts} for w in words]
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    asked = ("evaluate", toy_index, "c.jsonl", "--retriever", "bm25")
    found = hippohover(*asked, "--json").json["retrievers"]["bm25"]
    assert (found["n_found_nothing"], found["n_without_gold"]) == (1, 2)
    assert "1 / 2" in hippohover(*asked).out


def test_a_narrow_screen_tells_the_measures_apart(
    hippohover: Command, toy_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = hippohover("evaluate", toy_index, toy_claims_path(), "--limit", 30).out
    assert max(map(len, shown.splitlines())) <= 80
    for measure in ("all_gold_found@21", "all_gold_found@100", "recall@21", "recall@100"):
        assert measure in shown
    assert "…" not in shown


def test_evaluate_says_what_the_index_does_not_hold(
    hippohover: Command, toy_index: Path, tmp_path: Path
) -> None:
    facts = [["Nowhere [x]", 0], ["Isk", 0], ["Elsewhere", 1]]
    record = {"uid": "u", "claim": "Isk is a town.", "supporting_facts": facts}
    (tmp_path / "c.json").write_text(json.dumps([record]), encoding="utf-8")
    outcome = hippohover("evaluate", toy_index, "c.json", "--json", "--out", "r.json")
    assert outcome.code == 0
    assert outcome.err == (
        "note: gold titles that are not in the index, counted as not found: 2 (claims that ask "
        "for them: 1): 'Nowhere [x]', 'Elsewhere'\n"
    )
    assert outcome.json["missing_gold"] == {"n_titles": 2, "n_claims": 1}
    assert outcome.json["retrievers"]["ppr"]["recall@21"]["all"]["value"] == pytest.approx(1 / 3)
    report = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert [one["title"] for one in report["missing_titles"]] == ["Nowhere [x]", "Elsewhere"]


def test_evaluate_says_which_titles_its_metric_takes_for_one(
    hippohover: Command, tmp_path: Path
) -> None:
    titles = ("Kestrel", "Kestrel#", "The Kestrel", "Aldermoor")
    corpus = write_corpus(tmp_path / "t.jsonl", [(title, f"{title} is old.") for title in titles])
    (tmp_path / "small.toml").write_text(FAST_RECIPE, encoding="utf-8")
    assert hippohover("build", "small.toml", "--corpus", corpus, "--out", "index").code == 0
    record = {"uid": "u", "claim": "Is it old?", "supporting_facts": [["Kestrel#", 0]]}
    (tmp_path / "c.json").write_text(json.dumps([record]), encoding="utf-8")
    outcome = hippohover("evaluate", "index", "c.json")
    told = "note: titles of the index that the metric cannot tell from others: 3, such as "
    assert outcome.err.startswith(told)
    assert all(repr(title) in outcome.err for title in titles[:3])


def test_what_a_full_disk_does_not_take_is_shown(hippohover: Command, toy_index: Path) -> None:
    asked = ("evaluate", toy_index, toy_claims_path(), "--limit", 3, "--out", "/dev/full")
    outcome = hippohover(*asked)
    assert outcome.code == 1
    assert outcome.err == (
        "error: /dev/full: cannot be written (No space left on device): check the path\n"
    )
    assert "all_gold_found@21" in outcome.out
    assert hippohover(*asked, "--json").json["n"] == 3


def test_hidden_titles_are_judged_by_pid(hippohover: Command, tmp_path: Path) -> None:
    documents = [("Ada Finch", "A singer of Isk."), ("Salt Road", "A film with the singer.")]
    corpus = write_corpus(tmp_path / "c.jsonl", documents)
    for name in ("shown", "hidden"):
        toml = f'{FAST_RECIPE}[corpus]\ntitles = "{name}"\n'
        (tmp_path / f"{name}.toml").write_text(toml, encoding="utf-8")
        assert hippohover("build", f"{name}.toml", "--corpus", corpus, "--out", name).code == 0
    facts = [["Ada Finch", 0], ["Salt Road", 0]]
    record = {"uid": "u", "claim": "The singer was in a film.", "supporting_facts": facts}
    (tmp_path / "q.json").write_text(json.dumps([record]), encoding="utf-8")
    blind = hippohover("evaluate", "hidden", "q.json", "--json")
    assert "counted as not found: 2 " in blind.err
    seen = hippohover("evaluate", "hidden", "q.json", "--titles-from", "shown", "--json")
    assert seen.err == ""
    assert seen.json["retrievers"]["ppr"]["recall@21"]["all"]["value"] == 1.0


BEIR = [
    {"_id": "d1", "title": "Ada Finch", "text": "Ada Finch is a singer of Isk."},
    {"_id": "d/2", "title": "Salt Road", "text": "Salt Road is a film with Ada Finch."},
    {"_id": "d3", "title": "Salt Road", "text": "Salt Road is a lane in Vessby."},
]


@pytest.fixture
def beir(hippohover: Command, tmp_path: Path) -> Path:
    """Index of a corpus as BEIR writes it, with queries and qrels beside it."""
    lines = "".join(json.dumps(one) + "\n" for one in BEIR)
    (tmp_path / "corpus.jsonl").write_text(lines, encoding="utf-8")
    queries = [{"_id": "q1", "text": "Salt Road of Ada Finch"}, {"_id": "q2", "text": "zzz"}]
    lines = "".join(json.dumps(one) + "\n" for one in queries)
    (tmp_path / "queries.jsonl").write_text(lines, encoding="utf-8")
    judged = "query-id\tcorpus-id\tscore\nq1\td/2\t1\nq1\td1\t2\nq1\td3\t0\nq2\td9\t1\n"
    (tmp_path / "test.tsv").write_text(judged, encoding="utf-8")
    (tmp_path / "small.toml").write_text(FAST_RECIPE, encoding="utf-8")
    assert hippohover("build", "small.toml", "--corpus", "corpus.jsonl", "--out", "ix").code == 0
    return tmp_path / "ix"


def test_gold_by_id(hippohover: Command, beir: Path) -> None:
    asked = ("evaluate", beir, "queries.jsonl", "--qrels", "test.tsv", "--retriever", "bm25")
    done = hippohover(*asked, "--json", "--out", "r.json", "--run-out", "run", "--qrels-out", "q")
    read = "read 2 claims: text as claim, _id as uid, gold by id from test.tsv"
    assert done.json["understood"] == read
    assert done.err == (
        f"note: {read}\n"
        "note: gold ids that are not in the index, counted as not found: 1 (claims that ask for "
        "them: 1): 'd9'\n"
        "note: claims without any passage, and so without a line in run: 1: 'q2'\n"
    )
    report = json.loads((beir.parent / "r.json").read_text(encoding="utf-8"))
    ranks = report["claims"][0]["retrievers"]["bm25"]["ranks"]
    assert set(ranks) == {"d/2", "d1"} and all(ranks.values())
    run = [line.split() for line in (beir.parent / "run").read_text().splitlines()]
    assert {row[0] for row in run} == {"q1"}
    assert {row[2]: int(row[3]) for row in run}.items() >= ranks.items()
    assert (beir.parent / "q").read_text() == "q1 0 d/2 1\nq1 0 d1 1\nq2 0 d9 1\n"


def test_gold_may_name_passages(hippohover: Command, beir: Path) -> None:
    facts = [{"title": "Salt Road", "text": BEIR[2]["text"]}, {"title": "Salt Road", "page": 7}]
    record = {"uid": "q1", "claim": "Salt Road", "supporting_facts": facts}
    (beir.parent / "c.json").write_text(json.dumps([record]), encoding="utf-8")
    done = hippohover("evaluate", beir, "c.json", "--json")
    assert done.err.splitlines()[1:] == [
        "note: gold passages that no document of that name holds, counted as not found: 1: "
        "'Salt Road, p. 7'"
    ]
    found = done.json["retrievers"]["ppr"]
    assert found["all_gold_found@21"]["all"]["value"] == 1.0
    assert found["all_passages_found@21"]["all"]["value"] == 0.0
    assert found["passage_recall@21"]["all"]["value"] == 0.5
    assert "passage_recall@21" in hippohover("evaluate", beir, "c.json").out
    texts = [{"text": "a lane in Vessby"}, {"text": "never said"}]
    (beir.parent / "t.json").write_text(json.dumps([record | {"supporting_facts": texts}]))
    done = hippohover("evaluate", beir, "t.json", "--json")
    assert "gold ids that are not in the index, counted as not found: 1" in done.err
    assert done.json["retrievers"]["ppr"]["recall@21"]["all"]["value"] == 0.5


def test_runs_hold_the_ids_of_the_corpus_where_gold_is_by_title_too(
    hippohover: Command, beir: Path
) -> None:
    record = {"uid": "q1", "claim": "Ada Finch", "supporting_facts": [["Salt Road", 0]]}
    (beir.parent / "c.json").write_text(json.dumps([record]), encoding="utf-8")
    asked = ("evaluate", beir, "c.json", "--retriever", "bm25")
    assert hippohover(*asked, "--run-out", "run", "--qrels-out", "q").err.count("note") == 0
    judged = (beir.parent / "q").read_text().splitlines()
    assert sorted(judged) == ["q1 0 d/2 1", "q1 0 d3 1"]
    assert {line.split()[2] for line in (beir.parent / "run").read_text().splitlines()} == {
        "d1",
        "d/2",
    }


def test_claims_without_gold_are_refused(hippohover: Command, beir: Path) -> None:
    assert_error(hippohover("evaluate", beir, "queries.jsonl"), "give --qrels FILE")
    lost = hippohover("evaluate", beir, "corpus.jsonl", "--qrels", "test.tsv")
    assert_error(lost, "looks like a corpus (title, text)")


def test_supporting_paragraphs_are_told_apart_by_their_text(
    hippohover: Command, beir: Path
) -> None:
    texts = [one["text"] for one in BEIR]
    paragraphs = [
        {
            "idx": at,
            "title": BEIR[at]["title"],
            "paragraph_text": texts[at],
            "is_supporting": at > 1,
        }
        for at in range(3)
    ]
    record = {"id": "2hop__1", "question": "Is Salt Road in Vessby?", "paragraphs": paragraphs}
    (beir.parent / "m.jsonl").write_text(json.dumps(record), encoding="utf-8")
    done = hippohover("evaluate", beir, "m.jsonl", "--retriever", "bm25", "--json", "--out", "r")
    assert "gold by passage from paragraphs" in done.json["understood"]
    report = json.loads((beir.parent / "r").read_text(encoding="utf-8"))
    (rank,) = report["claims"][0]["retrievers"]["bm25"]["ranks"].values()
    found = hippohover("query", beir, record["question"], "--retriever", "bm25", "--json").json
    assert found["passages"][rank - 1]["text"] == BEIR[2]["text"]


def test_people_are_told_that_hipporag2_runs_without_its_filter(toy_engine: HippoHover) -> None:
    claims = load_claims(toy_claims_path())[:3]
    found = evaluate(toy_engine, claims, EvaluationSettings(("ppr", "bm25"), n_warmups=0))
    renamed = replace(
        found,
        retrievers={"ppr": found.retrievers["ppr"], "hipporag2": found.retrievers["bm25"]},
        paired={"hipporag2": found.paired["bm25"]},
    )
    shown = with_display_names(renamed)
    assert list(shown.retrievers) == ["ppr", "hipporag2 (no LLM filter)"]
    assert shown.retrievers["hipporag2 (no LLM filter)"] is found.retrievers["bm25"]
    assert list(shown.paired) == ["hipporag2 (no LLM filter)"]
    assert shown.rows is found.rows


@pytest.fixture
def learned_from(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[str]]:
    """The shipped weights, as if learned from the first two claims of the toy."""
    claims = [claim.claim for claim in load_claims(toy_claims_path())[:2]]
    shipped = Path(rerank.__file__).with_name("weights")
    folder = Path(shutil.copytree(shipped, tmp_path / "weights"))
    folds = dict.fromkeys(map(rerank.claim_digest, claims), 1)
    (folder / "claims.json").write_text(json.dumps(folds), encoding="utf-8")
    kept = [vars(rerank)[name] for name in ("_folds_seen", "_trees")]
    monkeypatch.setattr(rerank, "_FOLDER", str(folder))
    for cached in kept:
        cached.cache_clear()
    yield claims
    for cached in kept:
        cached.cache_clear()


@pytest.mark.usefixtures("learned_from")
def test_claims_that_the_weights_were_learned_from_are_noted(
    hippohover: Command, tmp_path: Path
) -> None:
    recipe = tmp_path / "ranked.toml"
    recipe.write_text(FAST_RECIPE.replace("rerank = false", "rerank = true"), encoding="utf-8")
    corpus = ("--corpus", toy_corpus_path())
    assert hippohover("build", recipe, *corpus, "--out", "ranked").code == 0
    asked = ("evaluate", "ranked", toy_claims_path(), "--limit", 5)
    assert hippohover(*asked).err == (
        "note: the re-ranking weights were learned from 2 of the 5 claims: each of these is "
        "scored by trees that did not see its group\n"
    )
    assert hippohover(*asked, "--retriever", "bm25").err == ""


def test_weights_that_are_not_used_are_not_noted(
    hippohover: Command, learned_from: list[str], toy_index: Path
) -> None:
    assert all(map(rerank.was_learned_from, learned_from))
    assert hippohover("evaluate", toy_index, toy_claims_path(), "--limit", 5).err == ""


def test_programs_search_sources_too(hippohover: Command, toy_index: Path, tmp_path: Path) -> None:
    command = ("evaluate", toy_index, toy_claims_path(), "--limit", 2)
    asking = (*command, "--program", "iterative-bm25")
    with local_search(tmp_path) as (notes, asked):
        outcome = hippohover(*asking, "--source", notes)
    assert outcome.code == 0
    assert asked
    with local_search(tmp_path, status=503) as (notes, _):
        outcome = hippohover(*asking, "--source", notes)
    assert "source notes answered with HTTP 503: try later (" in outcome.err


HYPOTHESES = chat("", hypotheses=json.dumps(["Mira Oldane did", "Nobody did", "It was the sea"]))
QUERIES = chat("", queries="[]")


def hypothesis_on(hippohover: Command, index: Path, *options: object) -> Outcome:
    """An evaluation of the program on two claims, with a model that guesses the same."""

    def answer(body: dict[str, Any]) -> Reply:
        return QUERIES if "[[ ## queries ## ]]" in body["messages"][0]["content"] else HYPOTHESES

    with serving(answer=answer) as stub:
        return hippohover(
            "evaluate", index, toy_claims_path(), "--limit", 2, "--program", "hypothesis",
            *asking(stub.api_base), *options,
        )  # fmt: skip


def test_coverage_and_yield_are_written_for_each_run(
    hippohover: Command, encoded_toy_index: Path, tmp_path: Path
) -> None:
    outcome = hypothesis_on(hippohover, encoded_toy_index, "--out", "report.json")
    assert outcome.code == 0
    assert "note: hypothesis: hypotheses name a document that the answer rests on in" in outcome.err
    told = json.loads((tmp_path / "report.json").read_text())["programs"]["hypothesis"]
    assert told["health"]["n_runs"] == len(told["runs"]) == 2
    for run in told["runs"].values():
        assert run["is_covered"] in (True, False)
        assert set(run["traversal"]) == {"unique", "selected", "used"}
        assert run["scored_by"] == "semantic"


def test_evidence_is_weighed_by_words_where_that_is_asked_for(
    hippohover: Command, encoded_toy_index: Path
) -> None:
    told = hypothesis_on(hippohover, encoded_toy_index, "--no-semantic-scoring", "--json").json
    runs = told["programs"]["hypothesis"]["runs"].values()
    assert [(run["scored_by"], run["fallbacks"]) for run in runs] == [("overlap", 0)] * 2
    refused = hypothesis_on(
        hippohover, encoded_toy_index, "--no-semantic-scoring", "--embedder", "x"
    )
    assert_error(refused, "--no-semantic-scoring turns embeddings off, and --embedder sets them")


def test_a_service_embeds_and_is_paid_for(
    hippohover: Command, encoded_toy_index: Path, tmp_path: Path
) -> None:
    def embed(body: dict[str, Any]) -> Reply:
        rows = [[1.0, float("Mira" in text)] for text in body["input"]]
        data = [{"object": "embedding", "index": i, "embedding": v} for i, v in enumerate(rows)]
        usage = {"prompt_tokens": 500, "total_tokens": 500}
        whole = {"object": "list", "data": data, "model": "x", "usage": usage}
        return lambda handler: send(handler, json.dumps(whole).encode())

    with serving(answer=embed) as stub:
        (tmp_path / "own.toml").write_text(
            f'name = "x"\napi_base = "{stub.api_base}"\ntimeout_seconds = 60.0\n'
            "usd_per_million_tokens = 20.0\n",
            encoding="utf-8",
        )
        outcome = hypothesis_on(hippohover, encoded_toy_index, "--embedder", "own.toml", "--json")
        told = outcome.json
    runs = list(told["programs"]["hypothesis"]["runs"].values())
    assert [run["scored_by"] for run in runs] == ["semantic"] * 2
    assert runs[0]["embedded_tokens"] == 500
    assert runs[0]["embedding_usd"] == pytest.approx(0.01)
    stages = told["language_model"]["stages"]
    n, n_embedded = stages["hypothesis"]["n_calls"], stages["embeddings"]["n_calls"]
    assert n_embedded >= 1
    noted = " ".join(outcome.err.split())  # each by its own name
    assert f"note: openai/stub: {n} calls" in noted
    assert f"note: embeddings of the service: {n_embedded} calls, {500 * n_embedded:,} tok" in noted


def test_a_service_that_is_down_leaves_words_and_counts(
    hippohover: Command, encoded_toy_index: Path, tmp_path: Path
) -> None:
    (tmp_path / "own.toml").write_text(
        'name = "x"\napi_base = "http://127.0.0.1:9/v1"\n', encoding="utf-8"
    )
    told = hypothesis_on(hippohover, encoded_toy_index, "--embedder", "own.toml", "--json").json
    runs = told["programs"]["hypothesis"]["runs"].values()
    assert [(run["scored_by"], run["fallbacks"]) for run in runs] == [("overlap", 1)] * 2


def test_an_estimate_asks_nobody(hippohover: Command, toy_index: Path, tmp_path: Path) -> None:
    (tmp_path / "lm.toml").write_text(
        'name = "openai/x"\nusd_per_million_input = 1.0\nusd_per_million_output = 4.0\n',
        encoding="utf-8",
    )
    (tmp_path / "own.toml").write_text(
        'name = "e"\nusd_per_million_tokens = 0.02\n', encoding="utf-8"
    )
    command = ("evaluate", toy_index, toy_claims_path(), "--limit", 10, "--estimate")
    asked = (*command, "--program", "hypothesis", "--program", "iterative-bm25")
    priced = ("--lm-settings", "lm.toml", "--embedder", "own.toml")
    lines = " ".join(hippohover(*asked, *priced).out.split())
    assert "hypothesis: about 20 calls," in lines
    assert "tokens embedded by e: $0.00" in lines
    assert "iterative-bm25: about 0 calls, 0 tokens in and 0 out: $0.0000" in lines
    told = hippohover(*asked, *priced, "--json").json
    assert told["n_claims"] == 10
    whole = told["programs"]["hypothesis"]
    assert whole["usd_total"] == pytest.approx(whole["usd"] + whole["usd_embedded"])
    unknown = " ".join(hippohover(*asked).out.split())
    assert "at an unknown price" in unknown
    assert "embedded" not in unknown


def test_an_estimate_is_of_the_program_that_a_file_holds(
    hippohover: Command, toy_index: Path, tmp_path: Path
) -> None:
    program = HoverMultiHop(ScriptedSearch({}), model_of(), score_documents=True, n_shown=24)
    save_program(tmp_path / "own.json", Optimised(program, 0, 1, 3), made_with={})
    command = ("evaluate", toy_index, toy_claims_path(), "--limit", 10, "--estimate", "--json")
    told = hippohover(*command, "--program", "hop-chain", "--program", "own.json").json["programs"]
    assert (told["hop-chain"]["calls"], told["own.json"]["calls"]) == (50, 60)
    assert told["own.json"]["input_tokens"] > 1.5 * told["hop-chain"]["input_tokens"]
