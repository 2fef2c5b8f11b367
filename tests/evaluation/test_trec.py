"""Run and qrels files, read back by ir_measures and compared with our own metric."""

import ast
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import ir_measures
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hippohover.evaluation.trec as trec_module
from hippohover.chain_records import Chain, ChainPassage
from hippohover.disk import door
from hippohover.errors import UsageError
from hippohover.evaluation.documents import IndexDocuments
from hippohover.evaluation.evaluate import PassageTitles
from hippohover.evaluation.metrics import as_written, recall
from hippohover.evaluation.qrels import document_id
from hippohover.evaluation.trec import (
    chains_file,
    query_ids,
    write_chains,
    write_qrels,
    write_run,
)
from hippohover.names.normal_forms import normal_title
from hippohover.records import PassageId, RankedPassage, Retrieval
from tests.evaluation.claim_samples import claim


def ranking(*titles: str, score: float = 1.0) -> Retrieval:
    """Every passage has the same score: the order is the only truth."""
    passages = (
        RankedPassage(i, PassageId(f"pid{i}"), t, "text", score) for i, t in enumerate(titles, 1)
    )
    return Retrieval("claim", "ppr", tuple(passages))


def measured(folder: Path, measure: str) -> dict[str, float]:
    """Query -> value, as ir_measures reads the two files."""
    qrels = list(ir_measures.read_trec_qrels(str(folder / "qrels")))
    run = list(ir_measures.read_trec_run(str(folder / "run")))
    name, cutoff = measure.split("@")
    results = ir_measures.iter_calc([getattr(ir_measures, name) @ int(cutoff)], qrels, run)
    return {result.query_id: float(result.value) for result in results}


def test_the_lines_are_trecs(tmp_path: Path):
    claims = [claim("u 1", "The Bell (film)", "Café Skell")]
    write_qrels(tmp_path / "qrels", claims)
    write_run(tmp_path / "run", claims, [ranking("Mural", "Bell (Film)")], name="my run")
    assert (
        tmp_path / "qrels"
    ).read_text() == "u%201 0 bell%20film 1\nu%201 0 cafe%CC%81%20skell 1\n"
    assert (tmp_path / "run").read_text() == (
        "u%201 Q0 mural 1 2 my%20run\nu%201 Q0 bell%20film 2 1 my%20run\n"
    )


def test_the_chains_stand_beside_the_run_under_its_query_ids(tmp_path: Path):
    stop = ChainPassage(
        pid="a", title="Bell", part=1, rank=1, sentence="", answers=("bell",), is_named=True
    )
    chain = Chain(passages=(stop,), joins=(), coverage=1.0, score=1.0)
    rankings = [replace(ranking("Bell"), chains=(chain,)), ranking("Mural")]
    claims = [claim("u 1", "Bell"), claim("u 1", "Mural")]
    file = chains_file(tmp_path / "my.run")
    write_chains(file, claims, rankings)
    assert file.name == "my.run.chains.jsonl"
    assert [json.loads(line) for line in file.read_text().splitlines()] == [
        {"query": "u%201", "chains": [chain.as_dict()]},
        {"query": "u%201#2", "chains": []},
    ]


def test_a_title_stands_once_at_its_best_row_and_no_row_moves(tmp_path: Path):
    claims = [claim("u", "Skell")]
    write_run(tmp_path / "run", claims, [ranking("Bell", "The Bell", "Skell", "bell", "Skell")])
    rows = [line.split() for line in (tmp_path / "run").read_text().splitlines()]
    assert [row[2] for row in rows] == ["bell", "bell#2", "skell", "bell#3", "skell#2"]
    assert [row[3] for row in rows] == ["1", "2", "3", "4", "5"]
    scores = [float(row[4]) for row in rows]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 5


def test_ids_hold_no_blank_and_can_be_read_back():
    for title in ("A/B #2", "東京 タワー", "tab\there", "no\u00a0break", "100%", "pid:1"):
        identifier = document_id(title)
        assert identifier.isascii()
        assert not set(identifier) & set(" \t#:/")
        assert unquote(identifier) == normal_title(title)


def test_a_repeated_uid_gets_its_own_query():
    assert query_ids([claim("u"), claim("v"), claim("u"), claim("u#2")]) == [
        "u",
        "v",
        "u#2",
        "u%232",
    ]


def test_ir_measures_finds_the_same_recall(tmp_path: Path):
    rng = np.random.default_rng(11)
    pool = [f"The Title {i} (film)" for i in range(60)]
    claims = [
        claim(f"uid-{i}", *(pool[j] for j in rng.choice(60, size=2 + i % 3, replace=False)))
        for i in range(50)
    ]
    # Drawn with replacement: titles repeat, as the parts of a split document do.
    runs = [ranking(*(pool[j].upper() for j in rng.choice(60, size=100))) for _ in claims]
    write_qrels(tmp_path / "qrels", claims)
    write_run(tmp_path / "run", claims, runs)
    for k in (1, 5, 21, 100):
        ours = {
            c.uid: recall([p.title for p in run.passages], c.gold_titles, k)
            for c, run in zip(claims, runs, strict=True)
        }
        assert measured(tmp_path, f"R@{k}") == pytest.approx(ours)
    assert 0.1 < np.mean(list(measured(tmp_path, "R@21").values())) < 0.6


@given(
    titles=st.lists(st.sampled_from(["Bell", "The Bell", "Skell", "Lamp", "東 京"]), max_size=30),
    gold=st.lists(st.sampled_from(["bell", "Skell", "Oar", "東 京"]), min_size=1, unique=True),
    k=st.integers(1, 30),
)
@settings(
    max_examples=min(30, settings().max_examples),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_recall_is_the_same_for_any_ranking(
    tmp_path: Path, titles: list[str], gold: list[str], k: int
):
    # The second claim keeps the run from being empty.
    claims = [claim("one", *gold), claim("two", "Lamp")]
    write_qrels(tmp_path / "qrels", claims)
    write_run(tmp_path / "run", claims, [ranking(*titles), ranking("Lamp")])
    expected = {"one": pytest.approx(recall(titles, gold, k)), "two": 1.0}
    assert measured(tmp_path, f"R@{k}") == expected


def test_a_claim_without_passages_counts_as_nothing_found(tmp_path: Path):
    claims = [claim("a", "Bell"), claim("b", "Bell")]
    write_qrels(tmp_path / "qrels", claims)
    write_run(tmp_path / "run", claims, [ranking(), ranking("Bell")])
    assert measured(tmp_path, "R@21") == {"a": 0.0, "b": 1.0}


def test_hidden_titles_are_written_by_pid(tmp_path: Path):
    claims = [claim("a", "The Bell", "Skell")]
    hidden: Sequence[str] = ["", "", "", ""]
    titles_of = PassageTitles({"bell": ["pid2", "pid4"], "skell": ["pid9"]})
    write_run(tmp_path / "run", claims, [ranking(*hidden)], titles_of=titles_of)
    ids = [line.split()[2] for line in (tmp_path / "run").read_text().splitlines()]
    assert ids == ["pid:pid1", "bell", "pid:pid3", "bell#2"]
    write_qrels(tmp_path / "qrels", claims)
    assert measured(tmp_path, "R@21") == {"a": 0.5}


DOCUMENTS = IndexDocuments(
    titles=["The Bell", "Skell", "Bell", "Lamp"],
    pids=["pid1", "pid2", "pid3", "pid4"],
    ids=["d/1", "d 2%", "d#3", ""],
    parts=[0, 0, 0, 0],
)


def test_documents_are_written_by_the_ids_that_they_have(tmp_path: Path):
    claims = [claim("PLAIN:1", "Bell", "Skell", "Oar")]
    run = [ranking("The Bell", "Skell", "Bell", "Lamp")]
    write_qrels(tmp_path / "qrels", claims, DOCUMENTS)
    write_run(tmp_path / "run", claims, run, documents=DOCUMENTS)
    judged = [line.split() for line in (tmp_path / "qrels").read_text().splitlines()]
    assert {row[0] for row in judged} == {"PLAIN:1"}
    assert [row[2] for row in judged] == ["d/1", "d#3", "d%202%25", "oar"]
    rows = [line.split()[2] for line in (tmp_path / "run").read_text().splitlines()]
    assert rows == ["d/1", "d%202%25", "d#3", "lamp"]


def test_gold_by_id_is_written_as_its_owner_writes_it(tmp_path: Path):
    own = replace(claim("q:1", "Bell"), gold_ids=("d/1", "pid4"))
    titles_of = PassageTitles({"d/1": ["pid1", "pid2"], "pid4": ["pid4"]}, as_written)
    write_qrels(tmp_path / "qrels", [own], DOCUMENTS)
    run = [ranking("The Bell", "Skell", "Bell", "Lamp")]
    write_run(tmp_path / "run", [own], run, titles_of=titles_of, documents=DOCUMENTS)
    assert (tmp_path / "qrels").read_text() == "q:1 0 d/1 1\nq:1 0 pid4 1\n"
    rows = [line.split()[2] for line in (tmp_path / "run").read_text().splitlines()]
    assert rows == ["d/1", "d/1#2", "d#3", "pid4"]
    assert measured(tmp_path, "R@21") == {"q:1": 1.0}


def test_files_are_utf8_and_replaced(tmp_path: Path):
    for _ in range(2):
        write_run(tmp_path / "run", [claim("ü", "Bell")], [ranking("Bell")])
    assert (tmp_path / "run").read_bytes() == b"%C3%BC Q0 bell 1 1 hippohover\n"


def test_rankings_must_match_claims(tmp_path: Path):
    with pytest.raises(UsageError, match="1 rankings for 2 claims"):
        write_run(tmp_path / "run", [claim("a"), claim("b")], [ranking("Bell")])
    assert not (tmp_path / "run").exists()


def test_a_path_that_cannot_be_written_is_an_error(tmp_path: Path):
    with pytest.raises(UsageError, match="cannot be written"):
        write_qrels(tmp_path / "none" / "qrels", [claim("a", "Bell")])
    with pytest.raises(UsageError, match="cannot be written"):
        write_run(tmp_path, [claim("a")], [ranking("Bell")])


def test_evaluation_imports_no_retrieval_and_of_indexing_the_readers_of_files_alone():
    folder = Path(trec_module.__file__).parent
    imported: set[str] = set()
    for file in folder.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                imported.add(node.module)
            elif isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
    readers = ("hippohover.indexing.corpus.readers.records.", "hippohover.indexing.corpus.files.")
    ours = {
        name.split(".")[1]
        for name in imported
        if name.startswith("hippohover.") and not name.startswith(readers)
    }
    assert ours == {"disk", "errors", "names", "processors", "records", "rendering", "evaluation"}


def test_an_older_file_stays_whole_when_the_new_one_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "qrels"
    path.write_text("old\n", encoding="utf-8")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(door, "replace", full)
    with pytest.raises(UsageError, match="No space left"):
        write_qrels(path, [claim("u", "Isk")])
    monkeypatch.undo()
    assert path.read_text(encoding="utf-8") == "old\n"
    assert [one.name for one in tmp_path.iterdir()] == ["qrels"]
