"""The toy corpus is sound: its claims can be answered, and not by matching words alone."""

import json
import math
import re
import shutil
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TypedDict

import pytest
import Stemmer  # pyright: ignore[reportMissingImports]

import hippohover.toy
from hippohover.errors import CorpusError
from hippohover.names.normal_forms import entity_key, normal_title, without_qualifier
from hippohover.names.sentences import sentence_spans
from hippohover.toy import toy_claims_path, toy_corpus_path


class ToyClaim(TypedDict):
    """One line of claims.jsonl."""

    uid: str
    claim: str
    supporting_facts: list[tuple[str, int]]
    label: str
    num_hops: int
    hpqa_id: str


@cache
def corpus_lines() -> tuple[dict[str, str], ...]:
    lines = toy_corpus_path().read_text(encoding="utf-8").splitlines()
    return tuple(json.loads(line) for line in lines)


@cache
def text_of() -> dict[str, str]:
    return {line["title"]: line["text"] for line in corpus_lines()}


@cache
def claims() -> tuple[ToyClaim, ...]:
    lines = toy_claims_path().read_text(encoding="utf-8").splitlines()
    return tuple(json.loads(line) for line in lines)


def gold_titles(claim: ToyClaim) -> list[str]:
    return list(dict.fromkeys(title for title, _ in claim["supporting_facts"]))


@cache
def padded_key(text: str) -> str:
    """Folded tokens of a text with blanks around each, so that ``in`` compares whole words."""
    return f" {entity_key(text)} "


def names(text: str, title: str) -> bool:
    """Whether running text holds the title, with or without its bracketed qualifier."""
    return any(padded_key(form) in padded_key(text) for form in (title, without_qualifier(title)))


def reached(claim: str, titles: Collection[str], texts: dict[str, str]) -> set[str]:
    """Gold titles that a reader reaches from those the claim names, by names in gold passages."""
    found = {title for title in titles if names(claim, title)}
    while True:
        linked = {
            title
            for title in set(titles) - found
            if any(names(texts[f], title) or names(texts[title], f) for f in found)
        }
        if not linked:
            return found
        found |= linked


# ------------------------------------------------------------------------------------ passages


def test_there_are_enough_passages_with_unique_titles():
    titles = [line["title"] for line in corpus_lines()]
    assert len(titles) >= 240
    assert len({normal_title(title) for title in titles}) == len(titles)


def test_lines_hold_a_title_and_a_text_and_nothing_else():
    for line in corpus_lines():
        assert list(line) == ["title", "text"]
        assert line == {key: value.strip() for key, value in line.items()}
        assert all(unicodedata.is_normalized("NFC", value) for value in line.values())


def test_titles_are_sorted_so_that_a_change_shows_where_it_was_made():
    titles = [line["title"] for line in corpus_lines()]
    assert titles == sorted(titles, key=lambda title: (title.casefold(), title))


def test_passages_are_two_to_four_sentences_of_25_to_60_words():
    for title, text in text_of().items():
        assert 2 <= len(sentence_spans(text)) <= 4, title
        assert 25 <= len(text.split()) <= 60, title


def test_texts_differ_also_in_their_first_sentences():
    openings = [text[slice(*sentence_spans(text)[0])] for text in text_of().values()]
    assert len(set(openings)) == len(openings)


def test_some_titles_differ_only_by_their_qualifier():
    bare = Counter(without_qualifier(title) for title in text_of())
    assert sum(n >= 2 for n in bare.values()) >= 8
    assert bare["Lantern Hill"] == 4


def test_some_surnames_are_shared():
    last = Counter(title.split()[-1] for title in text_of() if re.fullmatch(r"\w+ \w+", title))
    assert sum(n >= 2 for n in last.values()) >= 15


@pytest.mark.parametrize("script", ["GREEK", "ARABIC", "CJK"])
def test_titles_in_other_scripts_have_a_look_alike(script: str):
    titles = [t for t in text_of() if unicodedata.name(t[0]).startswith(script)]
    assert len(titles) >= 2


def test_passages_name_each_other():
    texts = text_of()
    linked = [
        title
        for title, text in texts.items()
        if any(other != title and names(text, other) for other in texts)
    ]
    assert len(linked) >= 0.8 * len(texts)


# -------------------------------------------------------------------------------------- claims


def test_claims_have_hovers_fields_and_unique_ids():
    fields = ["uid", "claim", "supporting_facts", "label", "num_hops", "hpqa_id"]
    for claim in claims():
        assert list(claim) == fields
        assert claim["label"] in {"SUPPORTED", "NOT_SUPPORTED"}
        assert re.fullmatch(r"toy-q-\d\d", claim["hpqa_id"])
    assert len({claim["uid"] for claim in claims()}) == len(claims()) >= 60
    assert len({claim["claim"] for claim in claims()}) == len(claims())


def test_every_gold_title_and_sentence_exists():
    for claim in claims():
        for title, sentence in claim["supporting_facts"]:
            assert title in text_of(), claim["uid"]
            assert 0 <= sentence < len(sentence_spans(text_of()[title])), claim["uid"]


def test_supporting_facts_are_not_repeated():
    for claim in claims():
        facts = [tuple(fact) for fact in claim["supporting_facts"]]
        assert len(set(facts)) == len(facts), claim["uid"]


@pytest.mark.parametrize("n_titles", [2, 3, 4])
def test_there_are_enough_claims_with_each_number_of_gold_titles(n_titles: int):
    chosen = [claim for claim in claims() if claim["num_hops"] == n_titles]
    assert len(chosen) >= 15
    assert all(len(gold_titles(claim)) == n_titles for claim in chosen)
    labels = Counter(claim["label"] for claim in chosen)
    assert min(labels["SUPPORTED"], labels["NOT_SUPPORTED"]) >= 6


def test_gold_passages_form_a_chain_that_begins_in_the_claim():
    for claim in claims():
        gold = set(gold_titles(claim))
        assert reached(claim["claim"], gold, text_of()) == gold, claim["uid"]


def test_a_passage_that_nothing_names_breaks_the_chain():
    texts = {"A": "A met Bo (ship).", "Bo (ship)": "Bo sank.", "C": "C is nowhere."}
    assert reached("A sank.", list(texts), texts) == {"A", "Bo (ship)"}


def test_claims_name_only_one_or_two_of_their_gold_titles():
    for claim in claims():
        named = [title for title in gold_titles(claim) if names(claim["claim"], title)]
        assert 1 <= len(named) <= 2, claim["uid"]


def test_claims_of_one_question_grow_out_of_each_other():
    gold: dict[str, list[set[str]]] = {}
    for claim in claims():
        gold.setdefault(claim["hpqa_id"], []).append(set(gold_titles(claim)))
    for hpqa_id, sets in gold.items():
        ordered = sorted(sets, key=len)
        assert all(a < b for a, b in pairwise(ordered)), hpqa_id


# --------------------------------------------------------------------------- room for the walk


def tokens_of(text: str) -> list[str]:
    stems: list[str] = Stemmer.Stemmer("english").stemWords(re.findall(r"\w+", text.lower()))
    return stems


def bm25_ranking(query: str, documents: Sequence[Counter[str]]) -> list[int]:
    """Document numbers, best first, by BM25 with k1 0.9 and b 0.4 (Robertson's formula)."""
    mean_length = sum(doc.total() for doc in documents) / len(documents)
    scores = [0.0] * len(documents)
    for term in tokens_of(query):
        n_with = sum(term in doc for doc in documents)
        idf = math.log(1 + (len(documents) - n_with + 0.5) / (n_with + 0.5))
        for i, doc in enumerate(documents):
            saturation = doc[term] + 0.9 * (1 - 0.4 + 0.4 * doc.total() / mean_length)
            scores[i] += idf * doc[term] * 1.9 / saturation
    return sorted(range(len(documents)), key=lambda i: (-scores[i], i))


@cache
def bm25_titles() -> dict[str, list[str]]:
    """All titles for each claim's uid, best first."""
    documents = [Counter(tokens_of(f"{title} {text}")) for title, text in text_of().items()]
    titles = list(text_of())
    return {
        claim["uid"]: [titles[i] for i in bm25_ranking(claim["claim"], documents)]
        for claim in claims()
    }


def share_found(k: int, hops: Collection[int]) -> float:
    chosen = [claim for claim in claims() if claim["num_hops"] in hops]
    return sum(
        set(gold_titles(claim)) <= set(bm25_titles()[claim["uid"]][:k]) for claim in chosen
    ) / len(chosen)


def test_bm25_ranks_the_passage_that_holds_the_rare_word_first():
    documents = [
        Counter(tokens_of(text)) for text in ("the boat", "the eels", "the boat, the boat")
    ]
    assert bm25_ranking("eel", documents) == [1, 0, 2]
    assert bm25_ranking("a boat", documents) == [2, 0, 1]


def test_bm25_leaves_room_in_the_first_21():
    assert share_found(21, {3, 4}) <= 0.75


def test_bm25_leaves_more_room_in_the_first_5():
    assert share_found(5, {3, 4}) <= 0.30


def test_bm25_is_not_hopeless():
    assert share_found(21, {2}) >= 0.75
    assert share_found(21, {3, 4}) >= 0.25


# --------------------------------------------------------------------------------------- files


def test_paths_are_real_files_with_unix_line_ends():
    for path in (toy_corpus_path(), toy_claims_path()):
        content = path.read_bytes()
        assert content.endswith(b"\n")
        assert b"\r" not in content
        assert b"\\u" not in content  # names stay readable in the file


def test_missing_data_is_an_error_that_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def empty_folder(_package: str) -> Path:
        return tmp_path

    monkeypatch.setattr(hippohover.toy, "files", empty_folder)
    with pytest.raises(CorpusError, match=r"corpus\.jsonl is missing") as caught:
        toy_corpus_path()
    assert "\n" not in str(caught.value)


def test_paths_do_not_depend_on_the_working_folder(tmp_path: Path):
    root = Path(hippohover.toy.__file__).parents[1]
    package = tmp_path / "site" / "hippohover"
    package.mkdir(parents=True)
    for name in ("__init__.py", "errors.py", "secret_keys.py"):
        (package / name).write_text("" if name == "__init__.py" else (root / name).read_text())
    shutil.copytree(root / "toy", package / "toy", ignore=shutil.ignore_patterns("__pycache__"))
    code = "from hippohover.toy import *; print(toy_corpus_path()); print(toy_claims_path())"
    env = {"PYTHONPATH": str(tmp_path / "site")}
    run = [sys.executable, "-c", code]
    printed = subprocess.run(run, cwd=tmp_path, env=env, text=True, capture_output=True, check=True)  # noqa: S603
    assert [Path(line) for line in printed.stdout.splitlines()] == [
        package / "toy" / "corpus.jsonl",
        package / "toy" / "claims.jsonl",
    ]
