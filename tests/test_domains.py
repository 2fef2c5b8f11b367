"""``benchmarks/domains.py``, run on small domains of our own."""

import gzip
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import domains
import pytest
from domain_ranks import judge_by_the_same_trees
from domain_sets import ClaimSet

from hippohover.evaluation.evaluate import EvaluationSettings, evaluate
from hippohover.evaluation.hover import load_claims
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.reranking import rerank
from hippohover.tuning.tune import Tuning
from tests.tuning.tuning_samples import note_claims, write_claims

RECIPE = 'name = "small"\nextractor = "between"\nencoder = "none"\n[query]\nrerank = false\n'
LAMPS = [
    ("Lamp Hall", "Lamp Hall is a lighthouse. Its keeper was Ada Finch."),
    ("Ada Finch", "Ada Finch was born in Vessby and wrote letters."),
    ("Vessby", "Vessby is a town by the sea. It has a mill."),
    ("Oar House", "Oar House is a museum of boats."),
]
NOTES = [
    ("Sync", "Sync keeps notes. See Settings.\n\n## Set up\n\nOpen the window and sign in."),
    ("Settings", "Settings are a window.\n\n## Deleted files\n\nWhat becomes of a file."),
]
HEADING = 'The note "Sync" links to another note that has a section "Deleted files". What is it?'


def write_lines(path: Path, records: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "\n".join(map(json.dumps, records))
    content = text.encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


def corpus(documents: list[tuple[str, str]]) -> list[dict[str, Any]]:
    return [{"title": title, "text": text} for title, text in documents]


def a_claim(uid: str, claim: str, *titles: str, **others: str) -> dict[str, Any]:
    facts = [[title, 0] for title in titles]
    return {"uid": uid, "claim": claim, "supporting_facts": facts} | others


CLAIMS = [
    a_claim("lamps-1", "The keeper of Lamp Hall was born in Vessby.", "Ada Finch", "Lamp Hall"),
    a_claim("lamps-2", "The birthplace of Ada Finch has a mill.", "Ada Finch", "Vessby"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two domains, one of them with two files of claims, and claims without a corpus."""
    folder = tmp_path / "data"
    write_lines(folder / "lamps-corpus.jsonl", corpus(LAMPS))
    write_lines(folder / "notes-corpus.jsonl.gz", corpus(NOTES))
    write_lines(folder / "lamps-claims-dev.jsonl", CLAIMS)
    write_lines(folder / "lamps-questions.jsonl", [a_claim("q", "Where are boats?", "Oar House")])
    asks = [a_claim("heading-1", HEADING, "Sync", "Settings", kind="heading")]
    write_lines(folder / "notes-claims.jsonl", asks)
    write_lines(folder / "ghost-claims.jsonl", [a_claim("g", "A ghost.", "Ghost")])
    (tmp_path / "small.toml").write_text(RECIPE, encoding="utf-8")
    return folder


def run(monkeypatch: pytest.MonkeyPatch, folder: Path, *options: object) -> list[dict[str, Any]]:
    """The lines that a run of the script leaves."""
    here = folder.parent
    asked = [folder, "--work", here / "work", "--out", here / "out.jsonl"]
    asked += ["--recipe", here / "small.toml", "--retriever", "ppr", "--retriever", "bm25"]
    monkeypatch.setattr(sys, "argv", ["domains.py", *map(str, (*asked, *options))])
    domains.main()
    return [json.loads(line) for line in (here / "out.jsonl").read_text("utf-8").splitlines()]


def cells(lines: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {line["key"]: line for line in lines if "ranks" in line}


def test_every_domain_is_measured_and_no_text_is_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    lines = run(monkeypatch, folder)
    assert lines[0]["rerank_weights_sha256"] == rerank.weights_sha256()
    sets = {line["key"]: line for line in lines if "uids" in line}
    assert set(sets) == {"lamps: lamps-claims-dev", "lamps: lamps-questions", "notes: notes-claims"}
    assert sets["lamps: lamps-claims-dev"]["uids"] == ["lamps-1", "lamps-2"]
    assert len(set(sets["lamps: lamps-claims-dev"]["groups"])) == 2
    assert sets["lamps: lamps-questions"]["groups"] == [2]  # numbered over both files
    # A document of one passage has no other place to give: one setting is measured.
    arms = {key.rpartition(" | ")[0] for key in cells(lines)}
    assert len(arms) == len(cells(lines)) == 6
    printed = capsys.readouterr()
    assert "ghost: has claims and no corpus, left out" in printed.err
    assert "| lamps: lamps-claims-dev (2) |" in printed.out
    written = [(folder.parent / name).read_text("utf-8") for name in ("out.jsonl", "out.json")]
    texts = [claim["claim"] for claim in CLAIMS] + [title for title, _ in LAMPS + NOTES]
    assert [text for text in texts if any(text in file for file in written)] == []
    result = json.loads(written[1])
    found = result["recipes"]["small"]["sets"]["lamps: lamps-claims-dev"]
    assert found["retrievers"]["ppr"]["all_gold_found@21"]["value"] == 1.0
    assert found["retrievers"]["ppr"]["counts"]["n_passages"] == 4
    assert result["recipes"]["small"]["mean@21"]["n_domains"] == 2


def test_an_index_with_a_ranking_of_its_own_is_measured_by_the_one_that_ships(
    folder: Path, monkeypatch: pytest.MonkeyPatch, notes_index: Path, tuning: Tuning
):
    index = Path(shutil.copytree(notes_index, folder.parent / "own"))
    tuning.ranking.save(index / "ranking.npz")
    claims = write_claims(folder.parent / "own.jsonl", note_claims()[60:])
    options = ("--index", f"own={index}", "--claims", f"own={claims}", "--only", "own")
    (cell,) = [
        cell
        for cell in cells(run(monkeypatch, folder, *options)).values()
        if cell["retriever"] == "ppr"
    ]
    shipped = HippoHover.open(notes_index)
    for claim, ranks in zip(note_claims()[60:], cell["ranks"], strict=True):
        titles = [passage.title for passage in shipped.search(claim.claim).passages]
        assert ranks == [titles.index(title) + 1 for title in claim.gold_titles]
        assert ranks[0] > 21


def test_ranks_are_those_of_evaluate(folder: Path, monkeypatch: pytest.MonkeyPatch):
    lines = run(monkeypatch, folder, "--only", "lamps")
    engine = HippoHover.open(folder.parent / "work" / "lamps-small")
    claims = load_claims(folder / "lamps-claims-dev.jsonl")
    report = evaluate(engine, claims, EvaluationSettings(("ppr", "bm25"), n_warmups=0))
    for name in ("ppr", "bm25"):
        (cell,) = [
            cell
            for cell in cells(lines).values()
            if cell["retriever"] == name and cell["set"] == "lamps: lamps-claims-dev"
        ]
        expected = [list(row.measurements[name].ranks.values()) for row in report.rows]
        assert cell["ranks"] == expected


def test_a_run_that_was_stopped_goes_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    whole = run(monkeypatch, folder)
    out = folder.parent / "out.jsonl"
    text = out.read_text("utf-8").splitlines(keepends=True)
    out.write_text("".join(text[:-2]) + text[-2][:40], encoding="utf-8")  # the last line was cut
    capsys.readouterr()
    again = run(monkeypatch, folder)
    said = capsys.readouterr().err
    assert said.count(": kept, measured at revision ") == 4
    assert ": build" not in said
    untimed = [[cell | {"ms": 0} for cell in cells(lines).values()] for lines in (whole, again)]
    assert untimed[0] == untimed[1]
    run(monkeypatch, folder, "--again", "bm25")
    assert capsys.readouterr().err.count(": kept, ") == 3


@pytest.mark.slow
def test_what_a_changed_corpus_or_file_of_claims_was_measured_on_is_measured_anew(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    run(monkeypatch, folder)
    write_lines(folder / "lamps-corpus.jsonl", corpus([*LAMPS, ("Mill", "Mill is a mill.")]))
    write_lines(folder / "notes-claims.jsonl", [a_claim("n", "A window.", "Settings")])
    capsys.readouterr()
    lines = run(monkeypatch, folder)
    said = capsys.readouterr().err
    assert ("lamps-small: build" in said, "notes-small: build" in said) == (True, False)
    assert "kept" not in said
    assert {line["counts"]["n_passages"] for line in cells(lines).values()} == {5, 2}
    monkeypatch.setattr("domain_indexes.code_sha256", lambda: "other code")
    run(monkeypatch, folder)
    said = capsys.readouterr().err
    assert said.count(": build") == 2
    assert said.count("kept") == 6  # the same index came of it


def test_results_of_other_weights_or_settings_are_not_mixed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    run(monkeypatch, folder, "--only", "lamps")
    with pytest.raises(SystemExit, match="with settings"):
        run(monkeypatch, folder, "--set", "query.damping=0.5")
    monkeypatch.setattr(rerank, "weights_sha256", lambda: "other")
    with pytest.raises(SystemExit, match="rerank_weights_sha256"):
        run(monkeypatch, folder)


def test_a_gold_title_that_no_document_has_is_one_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    write_lines(folder / "lamps-claims-dev.jsonl", [*CLAIMS, a_claim("x", "A ghost.", "Ghost")])
    with pytest.raises(SystemExit, match=r"1 gold titles .* corpus lamps, such as 'Ghost' .* 'x'"):
        run(monkeypatch, folder)


def test_an_index_and_a_folder_are_domains_too(folder: Path, monkeypatch: pytest.MonkeyPatch):
    run(monkeypatch, folder, "--only", "lamps")
    vault = folder.parent / "vault"
    vault.mkdir()
    for title, text in NOTES:
        opening = "# What a note says of itself\n" if title == "Sync" else ""
        content = f"{opening}{text}\n\n{'More words. ' * 300}"
        (vault / f"{title}.md").write_text(content, encoding="utf-8")  # gold is the note's name
    (folder.parent / "out.jsonl").unlink()
    built = folder.parent / "work" / "lamps-small"
    options = ["--index", f"ghost={built}", "--claims", f"ghost={folder}/lamps-claims-dev.jsonl"]
    options += ["--corpus", f"notes-vault={vault}", "--only", "ghost", "--only", "notes-vault"]
    found = cells(run(monkeypatch, folder, *options))
    assert {cell["set"] for cell in found.values()} == {
        "ghost: lamps-claims-dev",
        "notes-vault: notes-claims",
    }
    assert {cell["recipe"] for cell in found.values()} == {"small"}
    vaults = [cell for cell in found.values() if "vault" in cell["set"]]
    assert [(cell["retriever"], cell["one_per_document"]) for cell in vaults] == [
        ("ppr", True),
        ("bm25", True),
        ("bm25", False),
    ]
    assert vaults[0]["headings_found"] == [1]
    assert None not in vaults[0]["ranks"][0]
    with pytest.raises(SystemExit, match="no corpus is named nobody: name one of lamps"):
        run(monkeypatch, folder, "--only", "nobody")


def test_a_sample_and_variants(folder: Path, monkeypatch: pytest.MonkeyPatch):
    options = ["--sampled", "bm25", "--sample", 1, "--variants", "lower,typos", "--only", "lamps"]
    lines = run(monkeypatch, folder, *options)
    bm25 = [cell for cell in cells(lines).values() if cell["retriever"] == "bm25"]
    assert [len(cell["ranks"]) for cell in bm25] == [1] * 6
    assert {line["variant"] for line in lines if "uids" in line} == {"as written", "lower", "typos"}
    with pytest.raises(SystemExit):
        run(monkeypatch, folder, "--variants", "upper")


def test_a_heading_counts_in_a_gold_document_alone(folder: Path, monkeypatch: pytest.MonkeyPatch):
    write_lines(folder / "notes-claims.jsonl", [a_claim("h", HEADING, "Sync")])
    found = cells(run(monkeypatch, folder, "--only", "notes"))
    assert [cell["headings_found"] for cell in found.values()] == [[0], [0]]


def test_a_claim_written_otherwise_is_judged_by_trees_that_never_saw_its_group(
    monkeypatch: pytest.MonkeyPatch, folder: Path
):
    folds = {rerank.claim_digest(CLAIMS[0]["claim"]): 3}
    monkeypatch.setattr(rerank, "_folds_seen", lambda: folds)
    claims = tuple(load_claims(folder / "lamps-claims-dev.jsonl"))
    written = tuple(claim.claim for claim in claims)
    typed = tuple(
        type(claim)(
            uid=claim.uid,
            claim=f"x{claim.claim}",
            gold_titles=claim.gold_titles,
            supporting_facts=claim.supporting_facts,
        )
        for claim in claims
    )
    judge_by_the_same_trees(
        ClaimSet(
            corpus="lamps",
            file=folder,
            variant="typos",
            is_own=True,
            claims=typed,
            written=written,
            sha256="",
        )
    )
    assert rerank.was_learned_from(typed[0].claim)
    assert folds[rerank.claim_digest(typed[0].claim)] == 3
    assert not rerank.was_learned_from(typed[1].claim)


def test_a_text_in_the_results_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch):
    write_lines(folder / "notes-claims.jsonl", [a_claim("n", "A window.", "Settings")])
    monkeypatch.setattr(domains, "revision", lambda: "Settings")
    with pytest.raises(SystemExit, match="would hold a text of the corpus, 'Settings'"):
        run(monkeypatch, folder, "--only", "notes")
