"""Files of claims for the commands."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from hippohover.cli.claims import Query, read_queries, titled
from hippohover.errors import CorpusError
from hippohover.evaluation.hover import GoldClaim
from hippohover.retrieval.engine import HippoHover
from tests.index_samples import refused

RECORDS = [{"uid": "a", "claim": "One thing."}, {"claim": "Two 霧.", "supporting_facts": []}]


def write(tmp_path: Path, content: str | bytes) -> Path:
    path = tmp_path / "claims"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(path: Path) -> list[Query]:
    return read_queries(path, max_chars=100)


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(RECORDS),
        "\n".join(map(json.dumps, RECORDS)) + "\n\n",
        b"\xef\xbb\xbf" + json.dumps(RECORDS, indent=1).encode(),
        gzip.compress(json.dumps(RECORDS).encode(), mtime=0),
    ],
)
def test_hovers_form(tmp_path: Path, content: str | bytes) -> None:
    found = read(write(tmp_path, content))
    assert [(one.uid, one.claim) for one in found] == [("a", "One thing."), (None, "Two 霧.")]


def test_plain_text_has_one_claim_a_line(tmp_path: Path) -> None:
    path = write(tmp_path, "One thing.\n\n  Two, \u2028three. \r\n")
    assert read(path) == [
        Query("One thing.", None, f"{path}:1"),
        Query("Two, \u2028three.", None, f"{path}:3"),
    ]


def test_a_claim_may_begin_with_a_bracket(tmp_path: Path) -> None:
    path = write(tmp_path, "[The] director was born in Vellmouth.\nOne thing.")
    assert [one.claim for one in read(path)] == [
        "[The] director was born in Vellmouth.",
        "One thing.",
    ]


def test_the_name_of_a_file_says_what_it_is(tmp_path: Path) -> None:
    text = '["Odd"] is a song.\n{x} is a set.'
    (tmp_path / "c.txt").write_text(text, encoding="utf-8")
    assert [one.claim for one in read(tmp_path / "c.txt")] == text.split("\n")
    for name in ("c.jsonl", "c.json", "c.jsonl.gz"):
        lines = ["a comment", json.dumps(RECORDS[0])]
        (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
        with pytest.raises(CorpusError, match=rf"{name}:1: not JSON"):
            read(tmp_path / name)


def test_a_uid_may_be_a_number(tmp_path: Path) -> None:
    records = [{"uid": 7, "claim": "A."}, {"uid": True, "claim": "B."}]
    assert [one.uid for one in read(write(tmp_path, json.dumps(records)))] == ["7", None]


def test_without_a_uid_the_place_is_named(tmp_path: Path) -> None:
    lines = read(write(tmp_path, "One thing.\n\nTwo.\n"))
    assert [one.named() for one in lines] == [{"line": 1}, {"line": 3}]
    array = read(write(tmp_path, json.dumps(RECORDS)))
    assert [one.named() for one in array] == [{"uid": "a"}, {"item": 1}]


def test_what_was_understood_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tsv = read(write(tmp_path, "1048585\tWho?\n2\tWhy?\n"))
    assert [(one.uid, one.claim) for one in tsv] == [("1048585", "Who?"), ("2", "Why?")]
    said = "note: read 2 claims: TSV, second column as claim, first column as uid\n"
    assert capsys.readouterr().err == said
    read(write(tmp_path, json.dumps(RECORDS)))
    assert capsys.readouterr().err == ""


def test_the_column_of_claims_may_be_named(tmp_path: Path) -> None:
    path = write(tmp_path, "no,phrase\n1,Who?\n")
    with pytest.raises(CorpusError, match="columns no, phrase: name one with --claim-column"):
        read(path)
    (one,) = read_queries(path, max_chars=100, claim_column="phrase")
    assert (one.claim, one.named()) == ("Who?", {"line": 2})


def test_claims_by_id_get_titles_where_titles_are_looked_at(
    toy_engine: HippoHover, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = GoldClaim(uid="a", claim="c", gold_titles=(), supporting_facts=())
    claims = [replace(bare, gold_ids=(toy_engine.pids()[3],)), replace(bare, gold_ids=("none",))]
    (found,) = titled(claims, toy_engine)
    assert found.gold == (toy_engine.titles()[3],)
    assert capsys.readouterr().err.endswith("the index has none of their gold ids: 1\n")
    assert titled([found], toy_engine) == [found]


@pytest.mark.parametrize(
    ("content", "message"),
    [("[" * 100_000, "claims: not JSON"), ("a\n" + "x" * 101, "claims:2: the claim has 101 char")],
)
def test_what_is_too_deep_or_too_long_is_refused(
    tmp_path: Path, content: str, message: str
) -> None:
    with refused(CorpusError, message):
        read(write(tmp_path, content))
