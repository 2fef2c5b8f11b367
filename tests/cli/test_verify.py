"""``verify`` and ``answer``: badges, signals, JSON, and what is refused."""

import json
import re
from pathlib import Path

import pytest

from hippohover.verification.signals import SIGNALS, ClaimContext, Reading, ShippedSignal
from tests.cli.command_samples import Command, assert_error
from tests.sources.local_search import FOUND, local_search
from tests.stub_server import chat, serving

CLAIM = "Mira Oldane appeared in Lantern Hill."
QUESTION = "Who was Mira Oldane of Lantern Hill?"
DRAFT = f"{CLAIM} She trained 17 elephants for <b>Paris</b> in 1850."


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    path = tmp_path / "draft.txt"
    path.write_text(f"\ufeff{DRAFT}\n", encoding="utf-8")
    return path


def asking(base: str) -> list[str]:
    return ["--lm", "openai/stub", "--lm-api-base", base]


def test_a_claim_has_a_badge_a_reason_and_evidence(
    hippohover: Command, encoded_toy_index: Path
) -> None:
    outcome = hippohover("verify", encoded_toy_index, CLAIM)
    assert (outcome.code, outcome.err) == (0, "")
    assert "[Supported 0." in outcome.out
    assert f"]  {CLAIM}" in outcome.out
    assert "the judge gives it" in outcome.out
    by_rules = hippohover("verify", encoded_toy_index, CLAIM, "--aggregator", "rules").out
    assert f"[Supported 0.87]  {CLAIM}" in by_rules
    assert "“Mira Oldane” has its words" in " ".join(by_rules.split())
    assert "Mira Oldane: Raised above a bakery" in outcome.out
    assert "1 claim, 1 supported, 0 of low confidence, 0 contradicted" in outcome.out
    assert "Final response" not in outcome.out


def test_words_that_are_not_held_are_marked_with_what_the_evidence_says(
    hippohover: Command, encoded_toy_index: Path
) -> None:
    said = hippohover("verify", encoded_toy_index, "Augusta Thornby drove the last train in 1951.")
    assert "✓ Augusta Thornby drove" in said.out
    assert "✗ 1951 (the evidence: 1936)" in " ".join(said.out.split())


def test_a_question_takes_one_line_and_open_claims_alone_no_final_response(
    hippohover: Command, encoded_toy_index: Path
) -> None:
    asked = hippohover("verify", encoded_toy_index, QUESTION).out
    assert asked == f"[No Claim]  {QUESTION}  it is a question, not a claim\n"
    open_ = hippohover("verify", encoded_toy_index, "Mira Oldane sings. Mira Oldane swam.").out
    assert "2 of low confidence" in open_
    assert "Final response" not in open_


def test_the_rates_are_printed_without_an_index(hippohover: Command) -> None:
    outcome = hippohover("verify", "--explain-rates")
    assert outcome.code == 0
    assert "Fool Me Twice" in " ".join(outcome.out.split())


def test_a_draft_has_a_final_response(
    hippohover: Command, encoded_toy_index: Path, draft: Path
) -> None:
    outcome = hippohover("verify", encoded_toy_index, "--draft", draft, "--signals")
    assert "[Low Confidence" in outcome.out
    assert "<b>Paris</b>" in outcome.out  # printed as it stands
    assert "Final response" in outcome.out
    assert "[low confidence]" in " ".join(outcome.out.split())
    assert "missing_information" in outcome.out
    assert "no NLI model" in outcome.out


@pytest.fixture
def n_chains(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many claims the signal that no rule names was read of, as the only number."""
    counted = [0]
    read = SIGNALS["hop_completeness"]

    def counting(context: ClaimContext) -> Reading:
        counted[0] += 1
        return read(context)

    shipped = ShippedSignal(counting, 1.0, of_evidence=False)
    monkeypatch.setitem(SIGNALS, "hop_completeness", shipped)
    return counted


@pytest.mark.parametrize(
    ("options", "n"), [([], 0), (["--signals"], 1), (["--json"], 1), (["--rules", "rules.toml"], 1)]
)
def test_a_signal_is_read_where_a_rule_or_a_person_reads_it(
    hippohover: Command, encoded_toy_index: Path, n_chains: list[int], options: list[str], n: int
) -> None:
    Path("rules.toml").write_text(
        "[base]\nsupport = 1\ncontradict = 0\n[verdict]\nsupported_from = 0.5\n"
        "contradicted_from = 0.5\n[bands]\nhigh = 0.7\nmedium = 0.4\n[[rule]]\nname = 'chain'\n"
        "signal = 'hop_completeness'\nfrom = 0\nto = 1\nsupport = 1\n",
        encoding="utf-8",
    )
    outcome = hippohover("verify", encoded_toy_index, CLAIM, *options)
    assert (outcome.code, n_chains) == (0, [n])
    assert ("hop_completeness" in outcome.out) == (n == 1)


def test_evidence_is_cited_by_its_page(hippohover: Command, placed_index: Path) -> None:
    Path("draft.txt").write_text("Dario Fenn was a forward from Brackwater.", encoding="utf-8")
    shown = hippohover("verify", placed_index, "--draft", "draft.txt").out
    assert "    cups/fenn.pdf, p. 2: Dario Fenn" in shown
    assert "[1] cups/fenn.pdf, p. 2: Dario Fenn" in shown


def test_json_is_the_whole_verification(
    hippohover: Command, encoded_toy_index: Path, draft: Path
) -> None:
    found = hippohover("verify", encoded_toy_index, "--draft", draft, "--json").json
    assert found["draft_response"].strip() == DRAFT
    assert [one["status"] for one in found["answer"]["claims"]] == ["Supported", "Low Confidence"]
    assert found["answer"]["version"] == "pipeline_v0.3"
    for claim in found["verified_claims"]:
        assert list(claim["confidence_breakdown"]) == list(SIGNALS)


def test_a_language_model_judges_and_its_death_is_told(
    hippohover: Command, encoded_toy_index: Path, draft: Path
) -> None:
    with serving([chat("", verdict="contradicted")]) as stub:
        said = hippohover("verify", encoded_toy_index, CLAIM, *asking(stub.api_base))
    assert "[Contradictory" in said.out
    assert "note: openai/stub: 1 calls" in said.err
    with serving([chat("", verdict="supported"), "gone"]) as stub:
        died = hippohover(
            "verify", encoded_toy_index, "--draft", draft, "--max-calls", "0",
            *asking(stub.api_base),
        )  # fmt: skip
    assert died.code == 0
    assert "note: a model failed; what was done before is shown: max_calls" in died.err
    assert "2 claims" in died.out


def test_rules_of_ones_own(hippohover: Command, encoded_toy_index: Path, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(
        "rule = []\n[base]\nsupport = -9\ncontradict = -9\n[verdict]\nsupported_from = 0.5\n"
        "contradicted_from = 0.5\n[bands]\nhigh = 0.7\nmedium = 0.4\n",
        encoding="utf-8",
    )
    outcome = hippohover("verify", encoded_toy_index, CLAIM, "--rules", rules)
    assert "[Low Confidence]" in outcome.out


def test_an_answer_is_written_and_verified(hippohover: Command, encoded_toy_index: Path) -> None:
    with serving([chat("", answer=f"{CLAIM} [1]")]) as stub:
        options = [*asking(stub.api_base), "--nli", "/none"]
        assert_error(hippohover("answer", encoded_toy_index, "Who?", *options), "no such folder")
    replies = [chat("", answer=f"{CLAIM} [1]"), chat("", verdict="supported")]
    with serving(replies) as stub:
        outcome = hippohover(
            "answer", encoded_toy_index, "Where did Mira Oldane appear?", *asking(stub.api_base)
        )
    assert outcome.code == 0
    assert "[Supported" in outcome.out
    assert f"{CLAIM} [1]" in outcome.out


def test_a_program_may_find_the_evidence(hippohover: Command, encoded_toy_index: Path) -> None:
    options = ("--retriever", "iterative-bm25")
    assert hippohover("verify", encoded_toy_index, CLAIM, *options).code == 0


def test_a_draft_that_is_too_long(
    hippohover: Command, encoded_toy_index: Path, tmp_path: Path
) -> None:
    long = tmp_path / "long.txt"
    long.write_text("a" * 1_000_000, encoding="utf-8")
    assert_error(hippohover("verify", encoded_toy_index, "--draft", long), "100,000 characters")


def test_no_payload_is_left_out_of_json(hippohover: Command, encoded_toy_index: Path) -> None:
    found = hippohover("verify", encoded_toy_index, CLAIM, "--json")
    assert json.loads(found.out)["claim_evidence_pairs"][0]["evidence_spans"]


def test_a_draft_cut_within_a_character_is_too_long_and_no_bad_text(
    hippohover: Command, toy_index: Path, tmp_path: Path
) -> None:
    (tmp_path / "long.txt").write_text("xä" * 2**21, encoding="utf-8")
    outcome = hippohover("verify", toy_index, "--draft", tmp_path / "long.txt")
    assert_error(outcome, "long.txt: the draft has more than 100,000 characters")


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("Was the ferry late?",
         "[No Claim]  Was the ferry late?  it is a question, not a claim"),
        ("Was the ferry late? Who rowed it?", "no claim, 2 questions"),
        ("Who rowed it? List the towns.", "no claim, 1 question, 1 sentence without a claim"),
    ],
)  # fmt: skip
def test_questions_are_not_counted_as_claims(
    hippohover: Command, toy_index: Path, text: str, counts: str
) -> None:
    assert hippohover("verify", toy_index, text).out.splitlines()[-1] == counts


def test_a_text_is_split_as_on_the_page_and_taken_as_one_claim_where_asked(
    hippohover: Command, encoded_toy_index: Path
) -> None:
    text = f"{CLAIM} Is she tall?"
    split = hippohover("verify", encoded_toy_index, text)
    assert "1 claim, 1 supported, 0 of low confidence, 0 contradicted, 1 question" in split.out
    assert "[No Claim]  Is she tall?" in split.out
    assert "it is a question, not a claim" in split.out
    assert "Final response" in split.out
    whole = hippohover("verify", encoded_toy_index, text, "--split", "whole")
    assert whole.out.endswith("it is a question, not a claim\n")  # it ends as one
    whole = hippohover("verify", encoded_toy_index, f"Is she tall? {CLAIM}", "--split", "whole")
    assert "1 claim, " in whole.out


def test_a_claim_may_begin_with_a_dash(hippohover: Command, encoded_toy_index: Path) -> None:
    text = "- Lantern Hill is a film.\n- Is she tall?"
    found = hippohover("verify", encoded_toy_index, text)
    assert "]  Lantern Hill is a film." in found.out
    assert "[No Claim]  Is she tall?" in found.out


def test_an_answer_is_written_for_cite_eval(
    hippohover: Command, encoded_toy_index: Path, tmp_path: Path
) -> None:
    with serving([chat("", answer=f"{CLAIM} [1]"), chat("", verdict="supported")]) as stub:
        made = hippohover(
            "answer", encoded_toy_index, QUESTION, *asking(stub.api_base),
            "--cite-eval", tmp_path / "cited.json",
        )  # fmt: skip
    assert made.code == 0, made.err
    [example] = json.loads((tmp_path / "cited.json").read_text(encoding="utf-8"))
    assert example["query"] == QUESTION
    assert "[1]" in example["pred"]
    assert example["passages"][0]["title"]


def test_evidence_comes_from_sources_too(
    hippohover: Command, encoded_toy_index: Path, tmp_path: Path
) -> None:
    claim = "Mira Oldane measured the tides of the Orle."
    for retriever in ("ppr", "iterative-bm25"):
        with local_search(tmp_path) as (notes, asked):
            options = ("--retriever", retriever, "--source", notes, "--json")
            told = hippohover("verify", encoded_toy_index, claim, *options).json
        assert asked
        assert told["answer"]["claims"][0]["status"] == "Supported"
        cited = told["citations"]["notes:https://notes.example/orle"]
        assert cited == "Tides of the Orle Estuary, https://notes.example/orle"
        (chunk,) = [one for one in told["evidence"].values() if one["source"] == "notes"]
        assert (chunk["text"], chunk["score_ppr"]) == (FOUND["text"], None)
    with local_search(tmp_path, status=503) as (notes, _):
        outcome = hippohover("verify", encoded_toy_index, claim, "--source", notes)
    assert outcome.err == "note: source notes answered with HTTP 503: try later (1 run)\n"


def test_a_contradiction_says_how_sure_it_is(hippohover: Command, encoded_toy_index: Path) -> None:
    outcome = hippohover("verify", encoded_toy_index, "Lantern Hill was directed by Mira Oldane.")
    found = re.search(r"\[Contradictory (\d\.\d\d)\]", outcome.out)
    assert found is not None, outcome.out
    assert float(found[1]) > 0.5
