"""Settings that are given for one run."""

from pathlib import Path

import pytest

from hippohover.cli.settings import Scoring, changed
from hippohover.recipe import QuerySettings
from hippohover.toy import toy_claims_path
from tests.cli.command_samples import CLAIM, Command


def test_values_are_tomls_and_words_need_no_quotes() -> None:
    found = changed(
        QuerySettings(),
        [
            "query.damping=0.5",
            "query.damping = 0.85",
            "query.rerank=false",
            "query.n_facts=7",
            "query.solver=prpack",
            'query.filter.on_empty="top-k"',
            "query.filter.on_failure=fail",
            "query.filter.prompt=hipporag2",
            "query.weights.fact=1",
            "query.prefer=-pub_date",
        ],
    )
    assert (found.damping, found.rerank, found.n_facts) == (0.85, False, 7)
    assert (found.solver, found.weights.fact) == ("prpack", 1.0)
    assert (found.filter.on_empty, found.filter.on_failure) == ("top-k", "fail")
    assert found.filter.prompt == "hipporag2"
    assert found.weights.mention == QuerySettings().weights.mention
    assert found.prefer == "-pub_date"
    assert not changed(found, ['query.prefer=""']).prefer


def test_commands_take_settings(hippohover: Command, toy_index: Path) -> None:
    asked = ("evaluate", toy_index, toy_claims_path(), "--limit", 12, "--json")
    plain = hippohover(*asked).json
    bound = hippohover(*asked, "--set", "query.damping=0", "--out", "r.json").json
    assert bound["settings"] == ["query.damping=0"]
    assert "settings" not in plain
    found = [one["retrievers"]["ppr"]["recall@100"]["all"]["value"] for one in (plain, bound)]
    assert found[0] > found[1]
    query = ("query", toy_index, CLAIM, "--json")
    scores = [
        [passage["score"] for passage in hippohover(*query, *changes).json["passages"]]
        for changes in ((), ("--set", "query.damping=0"))
    ]
    assert scores[0] != scores[1]


def test_a_file_of_claims_is_answered_with_settings(
    hippohover: Command, toy_index: Path, tmp_path: Path
) -> None:
    (tmp_path / "c.txt").write_text(CLAIM, encoding="utf-8")
    answers = [
        hippohover("query", toy_index, "--file", "c.txt", *changes).json["passages"]
        for changes in ((), ("--set", "query.damping=0"))
    ]
    assert answers[0] != answers[1]


def test_an_embedder_that_is_named_is_used_whatever_the_environment_says(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setenv("HIPPOHOVER_SEMANTIC_SCORING", "0")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    scorer = Scoring(embedder="any").scorer(None)
    assert scorer is not None
    assert scorer.encodes
    words = Scoring(by_words=True).scorer(None)
    assert words is not None
    assert not words.encodes
    assert Scoring().scorer(None) is None  # the program decides
