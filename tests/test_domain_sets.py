"""Which claims are asked of which corpus, and how they are written otherwise."""

import json
from pathlib import Path
from typing import Any

import pytest
from domain_sets import AS_WRITTEN, content_sha256, corpora_of, files_of, sets_of, with_typos

CLAIM = "The lighthouse keeper wrote a letter."


def write_claims(path: Path, *records: dict[str, Any]) -> Path:
    facts = [["Lamp", 0], ["Oar", 0]]
    lines = [
        json.dumps({"uid": f"{path.stem}-{n}", "claim": CLAIM, "supporting_facts": facts} | record)
        for n, record in enumerate(records)
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_a_folder_names_its_corpora_and_their_claims(tmp_path: Path):
    for name in ("a-corpus.jsonl", "b-c-corpus.jsonl.gz", "README.md", "a-corpus.txt"):
        (tmp_path / name).touch()
    for name in ("a-claims-dev.jsonl", "a-claims-multi-dev.jsonl", "b-c-questions.jsonl"):
        write_claims(tmp_path / name, {})
    corpora = corpora_of(tmp_path, {"d": tmp_path / "elsewhere"})
    assert {name: path.name for name, path in corpora.items()} == {
        "a": "a-corpus.jsonl",
        "b-c": "b-c-corpus.jsonl.gz",
        "d": "elsewhere",
    }
    files = files_of(tmp_path, [("d", tmp_path / "one"), ("d", tmp_path / "two")])
    assert {name: [path.name for path in paths] for name, paths in files.items()} == {
        "a": ["a-claims-dev.jsonl", "a-claims-multi-dev.jsonl"],
        "b-c": ["b-c-questions.jsonl"],
        "d": ["one", "two"],
    }
    assert (corpora_of(None, {}), files_of(None, [])) == ({}, {})


def test_a_corpus_without_claims_takes_those_of_the_longest_name_that_begins_its_own(
    tmp_path: Path,
):
    files = {
        name: [write_claims(tmp_path / f"{name}-claims.jsonl", {})] for name in ("a", "a-b", "a-bc")
    }
    (lent,) = sets_of("a-b-vault", files)
    assert (lent.key, lent.is_own) == ("a-b-vault: a-b-claims", False)
    (own,) = sets_of("a-b", files)
    assert (own.key, own.is_own) == ("a-b: a-b-claims", True)
    with pytest.raises(SystemExit, match="ab has no claims: give --claims ab=FILE"):
        sets_of("ab", files)


@pytest.mark.parametrize(
    ("labels", "asked"),
    [
        (["SUPPORTED", "NOT_SUPPORTED", "SUPPORTED"], 3),  # HoVer's: gold is whole of both
        (["", "", ""], 3),
        (["SUPPORT", "REFUTE", "NOT ENOUGH INFO"], 1),
        (["SUPPORTED", "REFUTED", "SUPPORTED"], 2),
    ],
)
def test_labels_other_than_hovers_leave_supported_claims_alone(
    tmp_path: Path, labels: list[str], asked: int
):
    file = write_claims(tmp_path / "a-claims.jsonl", *({"label": label} for label in labels))
    (claims,) = sets_of("a", {"a": [file]})
    assert len(claims.claims) == asked


def test_no_supported_claim_is_an_error(tmp_path: Path):
    file = write_claims(tmp_path / "a-claims.jsonl", {"label": "REFUTE"})
    with pytest.raises(SystemExit, match="no claim is labelled as supported"):
        sets_of("a", {"a": [file]})


def test_headings_that_claims_ask_for(tmp_path: Path):
    asks = 'The note "A" links to another note that has a section "Set up (v1.2)". What is it?'
    file = write_claims(tmp_path / "a-claims.jsonl", {}, {"claim": asks})
    (written, lower) = sets_of("a", {"a": [file]}, ["lower"])
    assert written.headings() == {1: "Set up (v1.2)"}
    assert lower.headings() == written.headings()
    assert (written.variant, lower.key) == (AS_WRITTEN, "a: a-claims, lower")
    assert lower.claims[1].claim == asks.lower()
    assert lower.written[1] == asks


def test_two_words_are_mistyped_and_the_others_stay():
    for n in range(200):
        typed = with_typos(CLAIM, str(n)).split()
        changed = [(a, b) for a, b in zip(CLAIM.split(), typed, strict=True) if a != b]
        assert len(changed) == 2
        for before, after in changed:
            assert len(before.strip(".")) >= 6
            assert abs(len(before) - len(after)) <= 1
            kept = sorted(before)
            if len(after) == len(before):
                assert sorted(after) == kept  # two letters swapped
            else:
                assert set(after) <= set(before)
    assert len({with_typos(CLAIM, str(n)) for n in range(200)}) > 50


def test_typos_are_those_of_the_claim_whatever_the_file():
    assert with_typos(CLAIM, "a") == with_typos(CLAIM, "a") != with_typos(CLAIM, "b")


@pytest.mark.parametrize(
    ("claim", "n"), [("A short one is as it is.", 0), ("Only lighthouses.", 1)]
)
def test_a_claim_of_short_words_has_fewer_typos(claim: str, n: int):
    typed = with_typos(claim, "a")
    assert sum(a != b for a, b in zip(claim.split(), typed.split(), strict=True)) == n


def test_equal_letters_are_not_swapped():
    assert all(with_typos("aaaaaaa", str(n)) != "aaaaaaa" for n in range(30))


def test_the_sum_of_a_folder_is_of_names_and_contents(tmp_path: Path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.md").write_text("a", encoding="utf-8")
    sums = [content_sha256(tmp_path)]
    (tmp_path / "sub" / "a.md").rename(tmp_path / "sub" / "b.md")
    sums.append(content_sha256(tmp_path))
    (tmp_path / "sub" / "b.md").write_text("b", encoding="utf-8")
    sums += [content_sha256(tmp_path), content_sha256(tmp_path / "sub" / "b.md")]
    assert len(set(sums)) == 4
    assert content_sha256(tmp_path) == sums[2]
