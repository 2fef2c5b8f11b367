"""Commands that ask a language model, over a real socket."""

import json
import threading
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from hippohover.toy import toy_claims_path
from tests.cli.command_samples import (
    FILTERED,
    MISSING,
    Command,
    asking,
    assert_error,
    write_corpus,
)
from tests.stub_server import chat, completion, send, serving

CLAIM = "The director of Lantern Hill was born in Vellmouth."


def test_query_shows_what_became_of_the_facts(hippohover: Command, encoded_toy_index: Path) -> None:
    with serving([FILTERED]) as stub:
        outcome = hippohover("query", encoded_toy_index, CLAIM, "--trace", *asking(stub.api_base))
    assert outcome.code == 0
    assert "Facts (filter-empty)" in outcome.out
    assert outcome.out.count("dropped") == 20
    assert "invented Mira Oldane | x | y" in outcome.out
    assert "1 language-model calls, 0 fallbacks" in outcome.out
    assert outcome.err.startswith("note: openai/stub: 1 calls, 70 tokens in, 30 out, ")


def test_query_in_json_has_a_trace_when_asked(hippohover: Command, encoded_toy_index: Path) -> None:
    with serving([FILTERED]) as stub:
        asked = hippohover(
            "query", encoded_toy_index, CLAIM, "--trace", "--json", *asking(stub.api_base)
        )
        facts = [one["fact"] for one in asked.json["trace"]["candidate_facts"]]
        assert len(facts) == 20
        stub.replies = [chat("", fact_after_filter=json.dumps({"fact": [facts[3], facts[1]]}))]
        kept = hippohover(
            "query", encoded_toy_index, CLAIM, "--trace", "--json", *asking(stub.api_base)
        )
        plain = hippohover("query", encoded_toy_index, CLAIM, "--json", *asking(stub.api_base))
    assert asked.json["route"] == "filter-empty"
    assert asked.json["trace"]["invented_facts"] == [["Mira Oldane", "x", "y"]]
    assert kept.json["route"] == plain.json["route"] == "filtered"
    shown = kept.json["trace"]["candidate_facts"]
    assert [one["fact"] for one in shown if one["kept"]] == [facts[1], facts[3]]
    assert "trace" not in plain.json
    assert kept.json["passages"] == plain.json["passages"]


def test_without_a_language_model_there_is_no_filter(
    hippohover: Command, encoded_toy_index: Path
) -> None:
    outcome = hippohover("query", encoded_toy_index, CLAIM, "--json", "--trace")
    assert outcome.json["route"] == "no-filter"
    candidates = outcome.json["trace"]["candidate_facts"]
    assert len(candidates) == 20
    assert not any(candidate["kept"] for candidate in candidates)
    similarities = [candidate["similarity"] for candidate in candidates]
    assert similarities == sorted(similarities, reverse=True)
    printed = hippohover("query", encoded_toy_index, CLAIM, "--trace").out
    assert "Lantern Hill" in printed.partition("Facts (no-filter)")[2]
    assert "dropped" not in printed  # nobody chose
    untraced = hippohover("query", encoded_toy_index, CLAIM, "--json").json
    assert untraced["passages"] == outcome.json["passages"]


def test_a_failure_falls_back_or_fails_as_told(
    hippohover: Command, encoded_toy_index: Path
) -> None:
    with serving([400]) as stub:
        options = asking(stub.api_base)
        walked = hippohover("query", encoded_toy_index, CLAIM, "--json", "--trace", *options)
        failed = hippohover(
            "query", encoded_toy_index, CLAIM, *options, "--on-filter-failure", "fail"
        )
    assert walked.json["route"] == "filter-failed"
    assert walked.json["trace"]["fallbacks"] == 1
    assert "refused a request" in walked.json["trace"]["failure"]
    assert walked.json["passages"]
    assert failed.code == 1
    assert failed.err.startswith("error: openai/stub refused a request")
    assert failed.err.count("\n") == 1


def test_evaluate_reports_calls_fallbacks_and_costs(
    hippohover: Command, encoded_toy_index: Path, tmp_path: Path
) -> None:
    facts = [["Lantern Hill", 0], ["Mira Oldane", 0]]
    records = [
        {"uid": str(i), "claim": f"{CLAIM} {i}", "supporting_facts": facts} for i in range(3)
    ]
    (tmp_path / "c.json").write_text(json.dumps(records), encoding="utf-8")
    with serving([400, FILTERED]) as stub:
        options = [*asking(stub.api_base), "--lm-cache", "replies"]
        outcome = hippohover(
            "evaluate", encoded_toy_index, "c.json", "--json", "--out", "r.json", *options
        )
        again = hippohover("evaluate", encoded_toy_index, "c.json", "--json", *options)
    assert outcome.code == 0
    usage = outcome.json["language_model"]["stages"]["filter"]
    assert outcome.json["language_model"]["name"] == "openai/stub"
    assert (usage["n_calls"], usage["n_failed"]) == (3, 1)
    assert again.json["language_model"]["stages"]["filter"]["n_calls"] == 0
    assert "without --lm-cache" not in outcome.err
    assert json.loads((tmp_path / "r.json").read_text())["language_model"]["name"] == "openai/stub"


def test_a_cap_ends_the_command_with_one_line(hippohover: Command, encoded_toy_index: Path) -> None:
    with serving([FILTERED]) as stub:
        outcome = hippohover(
            "query", encoded_toy_index, CLAIM, *asking(stub.api_base), "--max-calls", "0"
        )
    assert outcome.code == 1
    assert outcome.err == (
        "error: max_calls = 0 is reached (0 spent): run again with a larger "
        "budget; replies in a cache are not paid for again\n"
    )
    assert stub.requests == []


def test_a_file_that_a_cap_ends_keeps_the_answers_so_far(
    hippohover: Command, encoded_toy_index: Path, tmp_path: Path
) -> None:
    claims = [f"{CLAIM} {number}" for number in range(5)]
    (tmp_path / "claims.txt").write_text("\n".join(claims), encoding="utf-8")
    command = ("query", encoded_toy_index, "--file", "claims.txt")
    with serving([FILTERED]) as stub:
        options = [*asking(stub.api_base), "--max-calls", "3"]
        outcome = hippohover(*command, "--out", "answers.jsonl", *options)
        assert len(stub.requests) == 3
    assert outcome.code == 1
    assert "max_calls = 3 is reached" in outcome.err
    assert "(answered before: 3 of 5 claims)" in outcome.err
    assert len((tmp_path / "answers.jsonl").read_text().splitlines()) == 3


def test_on_an_index_without_vectors_facts_are_compared_by_words(
    hippohover: Command, toy_index: Path
) -> None:
    with serving([FILTERED]) as stub:
        options = [*asking(stub.api_base), "--json", "--trace"]
        outcome = hippohover("query", toy_index, CLAIM, *options)
    assert outcome.code == 0
    trace = outcome.json["trace"]
    assert (trace["lm_calls"], len(trace["candidate_facts"])) == (1, 20)


def test_a_file_is_asked_about_side_by_side_in_order(
    hippohover: Command, encoded_toy_index: Path, tmp_path: Path
) -> None:
    """As many requests wait for each other as ``parallel`` says; answers keep the file's order."""
    claims = toy_claims_path().read_text(encoding="utf-8").splitlines(keepends=True)[:8]
    (tmp_path / "few.jsonl").write_text("".join(claims), encoding="utf-8")
    (tmp_path / "lm.toml").write_text("parallel = 4\nn_retries = 0\n")
    together = threading.Barrier(4, timeout=60)

    def answer(handler: BaseHTTPRequestHandler) -> None:
        together.wait()
        send(handler, completion(FILTERED))

    with serving([answer]) as stub:
        options = [*asking(stub.api_base), "--lm-settings", tmp_path / "lm.toml"]
        outcome = hippohover("query", encoded_toy_index, "--file", tmp_path / "few.jsonl", *options)
        report = hippohover(
            "evaluate", encoded_toy_index, tmp_path / "few.jsonl", "--json", *options
        )
    assert outcome.code == report.code == 0
    answered = [json.loads(line)["claim"] for line in outcome.out.splitlines()]
    assert answered == [json.loads(line)["claim"] for line in claims]
    assert report.json["retrievers"]["ppr"]["fallbacks"] == 0


# --- build -----------------------------------------------------------------------------------

LLM_RECIPE = 'name = "small"\nextractor = "llm"\nencoder = "none"\n[query]\nrerank = false\n'
EXTRACTED = chat("", names='["Isk"]', triples='[["Isk", "is", "a town"]]')


def llm_corpus(folder: Path, n: int = 30) -> list[object]:
    documents = [(f"Town {i}", f"Town {i} is a town by the sea.") for i in range(n)]
    (folder / "llm.toml").write_text(LLM_RECIPE, encoding="utf-8")
    return ["build", "llm.toml", "--corpus", write_corpus(folder / "c.jsonl", documents)]


@pytest.mark.slow
def test_build_estimates_before_it_spends(hippohover: Command, tmp_path: Path) -> None:
    command = llm_corpus(tmp_path)
    with serving([EXTRACTED]) as stub:
        options = [*asking(stub.api_base), "--out", "i"]
        offline = hippohover(*command, "--estimate=offline", "--json", *options)
        assert stub.requests == []
        sample = hippohover(*command, "--estimate", "--json", *options)
        assert len(stub.requests) == 40
        spoken = hippohover(*command, "--estimate", "--limit", "0", *options)
        again = hippohover(*command, "--estimate", *options)
        assert hippohover(*command, "--json", *options).code == 0
        assert len(stub.requests) == 60  # what the estimate asked is not asked again
    assert (offline.json["method"], offline.json["n_passages"]) == ("offline", 30)
    assert offline.json["cost_usd"] is None
    assert offline.json["input_tokens"] > 30 * 100
    assert (sample.json["method"], sample.json["n_sampled"]) == ("sample", 20)
    assert (sample.json["input_tokens"], sample.json["output_tokens"]) == (4200, 1800)
    assert spoken.code == 2
    assert "nothing was measured" in again.err


def test_build_is_capped_and_goes_on(hippohover: Command, tmp_path: Path) -> None:
    command = llm_corpus(tmp_path)
    with serving([EXTRACTED]) as stub:
        options = [*asking(stub.api_base), "--out", "i"]
        capped = hippohover(*command, *options, "--max-calls", "21")
        assert len(stub.requests) == 21
        done = hippohover(*command, *options, "--json")
        assert len(stub.requests) == 60
    assert capped.code == 1
    assert capped.err.startswith("error: max_calls = 21 is reached")
    assert done.json["n_failed_extractions"] == 0


# --- programs --------------------------------------------------------------------------------


def test_a_program_asks_the_model_and_the_retrievers_do_not(
    hippohover: Command, encoded_toy_index: Path, tmp_path: Path
) -> None:
    with serving([MISSING]) as stub:
        asked = (
            "evaluate", encoded_toy_index, toy_claims_path(), "--limit", 8, "--retriever", "ppr",
            "--program", "ppr+hops", *asking(stub.api_base),
        )  # fmt: skip
        found = hippohover(*asked, "--json").json["retrievers"]
        shown = hippohover(*asked)
        n = len(stub.requests)
    assert (found["ppr"]["lm_calls"], found["ppr"]["searches"]) == (0, 8)
    hops = found["ppr+hops"]
    assert hops["lm_calls"] >= 1  # a warm-up would have paid for some of them twice
    assert n == 2 * hops["lm_calls"]
    assert (hops["input_tokens"], hops["output_tokens"]) == (70 * n // 2, 30 * n // 2)
    assert hops["cost_usd"] is None  # of a model that nobody knows a price for
    assert hops["searches"] == 8 + hops["lm_calls"]
    assert "tokens in / out" in shown.out
    assert (
        "no --lm-cache: if this run is stopped, its replies are lost and paid for again"
        in shown.err
    )
    with serving([MISSING]) as stub:
        refused = hippohover(*asked[:-4], *asking(stub.api_base), "--filter", "f.json")
    assert refused.code == 1
    assert "only the program uses the language model" in refused.err


# --- nothing is ignored ----------------------------------------------------------------------


def test_an_estimate_counts_replies_that_are_kept_already(
    hippohover: Command, tmp_path: Path
) -> None:
    command = llm_corpus(tmp_path)
    with serving([EXTRACTED]) as stub:
        options = [*asking(stub.api_base), "--out", "i"]
        assert hippohover(*command, *options, "--max-calls", "21").code == 1
        found = hippohover(*command, "--estimate", "--json", *options)
    assert (found.json["input_tokens"], found.json["output_tokens"]) == (4200, 1800)


def test_all_settings_of_a_language_model_come_from_a_file(
    hippohover: Command, encoded_toy_index: Path, tmp_path: Path
) -> None:
    with serving([FILTERED]) as stub:
        file = tmp_path / "lm.toml"
        file.write_text(
            f'name = "openai/stub"\napi_base = "{stub.api_base}"\ntemperature = 0.7\n'
            "usd_per_million_input = 10\nusd_per_million_output = 10\n"
        )
        args = ("query", encoded_toy_index, CLAIM, "--lm-settings", file)
        outcome = hippohover(*args, "--max-cost", 1)
        other = hippohover(*args, "--lm", "openai/other")
    assert (outcome.code, other.code) == (0, 0)
    assert "openai/stub: 1 calls, 70 tokens in, 30 out, $0.0010" in outcome.err
    assert [one["model"] for one in stub.requests] == ["stub", "other"]
    assert stub.requests[0]["temperature"] == 0.7


def test_an_address_alone_replaces_the_recipes(hippohover: Command, tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "c.jsonl", [("Isk", "Isk lies by Ort.")])
    with serving([503]) as wrong, serving([chat("", names="[]", triples="[]")]) as right:
        (tmp_path / "r.toml").write_text(
            'extractor = "llm"\nencoder = "none"\n[language_model]\nname = "openai/stub"\n'
            f'api_base = "{wrong.api_base}"\nn_retries = 0\n'
        )
        outcome = hippohover(
            "build", tmp_path / "r.toml", "--corpus", corpus, "--out", tmp_path / "i",
            "--lm-api-base", right.api_base,
        )  # fmt: skip
    assert outcome.code == 0
    assert wrong.requests == []
    assert len(right.requests) == 2


def test_a_fallback_is_said_on_stderr(
    hippohover: Command, encoded_toy_index: Path, tmp_path: Path
) -> None:
    claims = toy_claims_path().read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "few.jsonl").write_text("".join(claims[:5]), encoding="utf-8")
    with serving([400]) as stub:
        args = ("query", encoded_toy_index, *asking(stub.api_base))
        one = hippohover(*args, CLAIM)
        many = hippohover(*args, "--file", tmp_path / "few.jsonl")
    assert "the choice among facts was skipped (filter-failed): openai/stub" in one.err
    assert "the choice among facts was skipped for 5 claims (refused 5): openai/stub" in many.err


def test_passages_read_by_rules_instead_are_counted(hippohover: Command, tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "c.jsonl", [("Isk", "Isk lies by Ort.")])
    (tmp_path / "r.toml").write_text('extractor = "llm+rules"\nencoder = "none"\n')
    with serving(["no form at all"]) as stub:
        args = ("build", tmp_path / "r.toml", "--corpus", corpus, "--out", tmp_path / "i")
        outcome = hippohover(*args, *asking(stub.api_base))
        estimated = hippohover(*args[:-1], tmp_path / "j", "--estimate", *asking(stub.api_base))
    assert outcome.code == 0
    assert "1 passage was read by rules, where the language model failed" in outcome.err
    assert "by rules" in hippohover("inspect", tmp_path / "i").out
    assert_error(estimated, "no reply for the 1 passages of the sample can be used")


def test_a_language_model_that_a_recipe_does_not_ask_is_no_error(
    hippohover: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HIPPOHOVER_LM_SETTINGS", str(tmp_path / "none.toml"))
    corpus = write_corpus(tmp_path / "c.jsonl", [("Isk", "Isk lies by Ort.")])
    (tmp_path / "r.toml").write_text(
        'extractor = "between"\nencoder = "none"\n[language_model]\nname = "openai/stub"\n'
    )
    args = ("build", tmp_path / "r.toml", "--corpus", corpus, "--out", tmp_path / "i")
    assert hippohover(*args).code == 0
    assert_error(hippohover(*args, "--lm", "openai/x"), "asks no language model")
    assert_error(hippohover(*args, "--max-calls", 3), "--max-calls needs a language model")
