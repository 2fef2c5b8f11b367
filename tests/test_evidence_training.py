"""What a model of evidence learns from is rightly labelled, and its weights are those measured."""

import json
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tables
from evidence import numbers_and_dates as numbers
from evidence.breaking import NOT_ENOUGH, NOT_SUPPORTED, REFUTED, SUPPORTED, Breaking
from evidence.figures import measured_with_intervals, resampled
from evidence.lexicon import Lexicon
from evidence.measures import auroc, found_at
from evidence.packing import Passages, packed
from evidence.pairs import Maker, Pair
from evidence.sentences import DENIED, HELD, UNSAID, Passage, Sentence, Span, passage_of, written
from evidence.swaps import Keeping, Pieces, Stock
from evidence.weights import (
    SHIPPED,
    hash_of,
    header,
    load_small,
    manifest,
    read_run,
    small,
)
from safetensors.numpy import save

FIGURES: dict[str, Any] = tables.result("evidence.json")

# A word a line: tag, relation, number of its head, lemma of a verb, "B" or "I" with kind of name.
FOUNDED = """
Ann NNP compound 1 - BPERSON
Roe NNP nsubj 2 - IPERSON
founded VBD ROOT 2 found O
three CD nummod 5 - BCARDINAL
small JJ amod 5 - O
schools NNS dobj 2 - O
in IN prep 2 - O
Grane NNP pobj 6 - BGPE
in IN prep 2 - O
1920 CD pobj 8 - BDATE
. . punct 2 - O
"""
OPENED = """
The DT det 2 - O
old JJ amod 2 - O
bridge NN nsubjpass 5 - O
was VBD auxpass 5 be O
not RB neg 5 - O
opened VBN ROOT 5 open O
by IN agent 5 - O
Tom NNP compound 8 - BPERSON
Vale NNP pobj 6 - IPERSON
on IN prep 5 - O
4 CD nummod 11 - BDATE
May NNP pobj 9 - IDATE
1931 CD nummod 11 - IDATE
. . punct 5 - O
"""
LEAVE = """
Most JJS amod 1 - O
members NNS nsubj 3 - O
may MD aux 3 may O
leave VB ROOT 3 leave O
the DT det 5 - O
guild NN dobj 3 - O
after IN prep 3 - O
the DT det 8 - O
vote NN pobj 6 - O
. . punct 3 - O
"""
MET = """
Lena NNP compound 1 - BPERSON
Moss NNP nsubj 2 - IPERSON
met VBD ROOT 2 meet O
Kit NNP compound 4 - BPERSON
Barr NNP dobj 2 - IPERSON
in IN prep 2 - O
Grane NNP pobj 5 - BGPE
. . punct 2 - O
"""


def sentence(text: str, *, is_first: bool = True) -> Sentence:
    rows = [line.split() for line in text.strip().splitlines()]
    words, tags, relations, heads, lemmas, names = zip(*rows, strict=True)
    starts = [at for at, name in enumerate(names) if name[0] == "B"]
    ends = [next(n for n in range(at + 1, len(names) + 1) if "".join(names[n : n + 1])[:1] != "I")
            for at in starts]  # fmt: skip
    spans = [Span(at, end, names[at][1:]) for at, end in zip(starts, ends, strict=True)]
    return Sentence(
        "Ann Roe",
        words,
        [word != "." and after != "." for word, after in zip(words, [*words[1:], ""], strict=True)],
        tags,
        relations,
        [int(head) for head in heads],
        ["" if lemma == "-" else lemma for lemma in lemmas],
        spans,
        is_first=is_first,
    )


SENTENCES = [sentence(text) for text in (FOUNDED, OPENED, LEAVE, MET)]


def draw(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - no secret


def passage(one: Sentence) -> Passage:
    subject = "Ann Roe" if one is SENTENCES[0] else "Lena Moss"
    return Passage(subject, "", [one])


def subject_first(one: Sentence) -> Pieces:
    """The sentence with the title as one piece where it is the subject, as claims have it."""
    pieces = one.pieces()
    title = passage(one).subject
    if " ".join(one.words[:2]) == title:
        pieces = [pieces[1]._replace(text=title), *pieces[2:]]
    return pieces


@pytest.fixture
def stock() -> Stock:
    related = {
        "N": {"guild": {"s": ["union"], "h": ["group"], "b": ["club"]},
              "bridge": {"s": ["span"], "h": ["structure"], "b": ["tower"]}},
        "J": {"small": {"a": ["large"], "s": ["little"]}, "old": {"a": ["new"], "s": ["aged"]}},
        "V": {}, "R": {},
    }  # fmt: skip
    lexicon = Lexicon(related, {("found", "VBN"): "founded", ("meet", "VBN"): "met"})
    return Stock(
        lexicon,
        names={"PERSON": ["Eda Lind", "Jo Marsh"], "GPE": ["Merrow"], "DATE": ["1887"]},
        units={"NNS": ["wells"]},
        words={"NN": ["ferry"], "NNS": ["gardens"], "JJ": ["wooden"], "VBD": ["sold"],
               "VBN": ["painted"], "VB": ["praise"]},
        phrases=[("near", "the", "mill")],
    )  # fmt: skip


BREAKING = [
    ("filler", {REFUTED, NOT_SUPPORTED}), ("number", {REFUTED}), ("unit", {NOT_SUPPORTED}),
    ("antonym", {REFUTED}), ("sibling", {NOT_SUPPORTED}), ("word", {NOT_SUPPORTED}),
    ("role", {NOT_SUPPORTED}), ("polarity", {REFUTED}), ("modality", {NOT_SUPPORTED}),
    ("quantifier", {REFUTED, NOT_SUPPORTED}), ("opposite", {NOT_SUPPORTED}),
    ("added", {NOT_ENOUGH}), ("bound", {REFUTED}), ("subject", {NOT_ENOUGH}),
    ("verb", {NOT_SUPPORTED}), ("modifier", {NOT_ENOUGH}), ("day", {REFUTED}),
]  # fmt: skip
ARTICLES = {"a", "an"}


def test_every_way_of_breaking_is_tried_here(stock: Stock):
    ways = Breaking(SENTENCES[0], passage(SENTENCES[0]), stock, draw(0)).weights
    assert {name for name, _ in BREAKING} == set(ways)


@pytest.mark.parametrize(("way", "labels"), BREAKING)
def test_a_broken_claim_differs_in_the_exchanged_words_alone(
    way: str, labels: set[int], stock: Stock
):
    n_found = 0
    for one in SENTENCES:
        for pieces in (one.pieces(), subject_first(one)):
            for seed in range(20):
                breaking = Breaking(one, passage(one), stock, draw(seed))
                found = getattr(breaking, way)(pieces)
                if not found:
                    continue
                n_found += 1
                changed, label = found
                assert label in labels
                assert written(changed)[0] != written(pieces)[0]
                marked = [piece for piece in changed if piece.mark != HELD]
                assert marked
                assert {piece.mark for piece in marked} == {
                    UNSAID if label == NOT_ENOUGH else DENIED
                }
                kept = [piece.text for piece in changed if piece.mark == HELD]
                was = [piece.text for piece in pieces]
                left = iter(word for word in was if word not in ARTICLES)
                assert all(word in left for word in kept if word not in ARTICLES)  # in their order
    assert n_found


KEPT = {
    "synonym": {"Ann Roe founded three little schools in Grane in 1920.",
                "The aged bridge was not opened by Tom Vale on 4 May 1931.",
                "The old span was not opened by Tom Vale on 4 May 1931.",
                "Most members may leave the union after the vote."},
    "wider": {"Most members may leave the group after the vote."},
    "number": {"Ann Roe founded 3 small schools in Grane in 1920."},
    "date": {"The old bridge was not opened by Tom Vale on May 4, 1931.",
             "The old bridge was not opened by Tom Vale in May 1931.",
             "The old bridge was not opened by Tom Vale in 1931.",
             "The old bridge was not opened by Tom Vale in the 1930s."},
    "moved": {"In Grane, Ann Roe founded three small schools in 1920.",
              "After the vote, most members may leave the guild.",
              "On 4 May 1931, the old bridge was not opened by Tom Vale.",
              "In Grane, Lena Moss met Kit Barr."},
    "passive": {"Three small schools were founded by Ann Roe in Grane in 1920.",
                "Kit Barr was met by Lena Moss in Grane."},
}  # fmt: skip


def test_every_way_of_keeping_says_the_same(stock: Stock):
    for way, expected in KEPT.items():
        said: set[str] = set()
        for one in SENTENCES:
            for seed in range(20):
                keeping = Keeping(one, passage(one), stock, draw(seed))
                changed = getattr(keeping, way)(one.pieces())
                if changed:
                    text, marks = written(changed)
                    assert not marks
                    said.add(text)
        assert said == expected, way


def test_a_bound_is_kept_or_broken_as_it_says(stock: Stock):
    for seed in range(60):
        holds, fails = numbers.bounds("30", draw(seed))
        for text, is_kept in ((holds, True), (fails, False)):
            word, bound = text.rsplit(" ", 1)
            is_above = word in {"more than", "over", "at least"}
            assert (int(bound) < 30 if is_above else int(bound) > 30) is is_kept
    keeping = Keeping(SENTENCES[0], passage(SENTENCES[0]), stock, draw(1))
    kept = keeping.bound(SENTENCES[0].pieces())
    assert kept is not None
    assert "three" not in written(kept)[0]


def test_another_number_or_day_is_another():
    for seed in range(60):
        way = draw(seed)
        for word in ("7", "seven", "1920", "4,000", "third", "21st", "2.5"):
            assert numbers.another(word, way) != word
        assert numbers.another_day("4 May 1931", way) not in {"", "4 May 1931"}
    assert numbers.rewritten("seven") == "7"


def made(stock: Stock, seed: int) -> list[Pair]:
    passages = [passage(one) for one in (SENTENCES[0], SENTENCES[3], SENTENCES[1])]
    maker = Maker(passages, stock, draw(seed))
    return [pair for _ in range(40) for one in passages for pair in maker.of(one)]


def test_pairs_are_the_same_by_their_seed(stock: Stock):
    assert made(stock, 1) == made(stock, 1)
    assert made(stock, 1) != made(stock, 2)


def test_marks_of_pairs_agree_with_their_labels(stock: Stock):
    pairs = made(stock, 0)
    shapes = {pair.kind.split()[0] for pair in pairs}
    assert shapes >= {"plain", "world", "question", "said", "bare", "elsewhere"}
    for pair in pairs:
        if pair.label == SUPPORTED:
            assert not pair.marks, pair
        elif pair.marks is not None:
            assert pair.marks, pair
        for start, end, mark in pair.marks or []:
            assert pair.claim[start:end].strip()
            assert mark in {UNSAID, DENIED}
    assert {pair.label for pair in pairs} == {SUPPORTED, NOT_ENOUGH, REFUTED, NOT_SUPPORTED}


def test_measures_of_order():
    is_true = np.array([True, True, False, False])
    assert auroc(np.array([4.0, 3.0, 2.0, 1.0]), is_true) == 100
    assert auroc(np.array([1.0, 1.0, 1.0, 1.0]), is_true) == 50
    assert found_at(np.array([4.0, 1.5, 2.0, 1.0]), is_true) == 50


def test_claims_are_drawn_whole():
    claims = np.array([0, 0, 1, 2, 2, 2])
    for drawn in list(resampled(claims, np.random.default_rng(0)))[:50]:
        counts = np.bincount(drawn, minlength=6)
        assert all(len(set(counts[claims == claim])) == 1 for claim in range(3))
    score = np.array([3.0, 2.0, 1.0, 0.0, 0.5, 0.2])
    labels = np.array([0, 0, 2, 1, 1, 1])
    found = measured_with_intervals(score, labels, [np.arange(6)])
    assert found["against_refuted"] == {"value": 1, "low": 1, "high": 1}


def test_small_weights_are_near_to_what_they_were():
    rng = np.random.default_rng(0)
    state = {"a.weight": rng.normal(size=(8, 5)).astype(np.float32),
             "a.bias": rng.normal(size=5).astype(np.float32)}  # fmt: skip
    found = read_run(save(small(state)))
    units = np.abs(state["a.weight"]).max(1, keepdims=True) / 127
    assert (np.abs(found["a.weight"] - state["a.weight"]) <= 0.51 * units).all()
    assert np.array_equal(found["a.bias"], state["a.bias"])


def test_numbers_of_two_bytes_are_read():
    head = {"a": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}}
    text = json.dumps(head).encode()
    data = len(text).to_bytes(8, "little") + text + np.array([0x3F80, 0xC000], "<u2").tobytes()
    assert read_run(data)["a"].tolist() == [1, -2]


def test_the_weights_are_those_of_the_figures():
    assert SHIPPED.parents[1] / FIGURES["weights"] == SHIPPED
    assert hash_of(SHIPPED) == FIGURES["weights_sha256"]
    assert manifest(SHIPPED)["revision"] == FIGURES["revision"]
    assert FIGURES["settings"]["labelled"] == manifest(SHIPPED)["settings"]


def test_the_weights_have_the_shapes_of_the_encoder():
    found = load_small(SHIPPED)
    assert {name: found[name].shape for name in ("words.weight", "positions.weight",
            "sides.weight", "verdict.weight", "word_verdict.weight")} == {
        "words.weight": (30522, 384), "positions.weight": (512, 384), "sides.weight": (2, 384),
        "verdict.weight": (3, 1152), "word_verdict.weight": (3, 384),
    }  # fmt: skip
    layers = {name.split(".")[1] for name in found if name.startswith("layers.")}
    assert layers == set("012345")
    assert all(value.dtype == np.float32 and np.isfinite(value).all() for value in found.values())
    large = [one for name, one in header(SHIPPED.read_bytes()).items()
             if name != "__metadata__" and np.prod(one["shape"]) > 40_000]  # fmt: skip
    assert {one["dtype"] for one in large} == {"I8"}


def test_the_manifest_names_no_machine():
    said = manifest(SHIPPED)
    assert {"data", "out", "state"}.isdisjoint(said["arguments"])
    texts = re.findall(r'"([^"]*)"', json.dumps(said))
    assert not [text for text in texts if Path(text).is_absolute()]
    assert set(said["hashes"]) >= {"labelled.jsonl.xz", "passages.xz", "tokenizer.json"}


TRUE = "Ann Roe was born in Port Grane."
FALSE = "Ann Roe was born in Merrow."


@pytest.mark.torch
def test_the_weights_tell_a_true_claim_from_a_false_one():
    import torch
    from distillation import minilm_folder
    from evidence.batches import Table, tokenized
    from evidence.learning import chances
    from evidence.model import Evidence, read
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(minilm_folder() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    evidence = "Ann Roe: Ann Roe was born in 1920 in Port Grane."
    tokens = tokenized(tokenizer, [Pair(evidence, claim, 0) for claim in (TRUE, FALSE)], 448)
    table = Table("cpu", 1000, 10)
    table.put(tokens)
    model = read(Evidence(), load_small(SHIPPED))
    true, false = chances(model, table, tokens.lengths)
    assert true.argmax() == SUPPORTED
    assert false.argmax() != SUPPORTED
    assert true[0] > 0.8
    assert false[0] < 0.2
    words = table.batch(torch.tensor([2]), int(tokens.lengths[1]))
    with torch.inference_mode():
        verdicts = model.eval()(words.ids, words.sides, words.is_word)[1][0].softmax(-1)
    claim = tokenizer.encode(FALSE, add_special_tokens=False).tokens
    held = verdicts[1 : len(claim) + 1, HELD]
    assert held[claim.index("born")] > 0.8
    assert held[claim.index("mer")] < 0.5


def test_packed_passages_are_read_back_as_they_were():
    row = {
        "title": "Ann Roe", "link": "Port Grane", "text": "Ann Roe sailed.",
        "i": [0, 4, 8, 14], "n": [3, 3, 6, 1], "head": [1, 2, 2, 2], "sent": [1, 0, 0, 0],
        "tag": ["NNP", "NNP", "VBD", "."], "dep": ["compound", "nsubj", "ROOT", "punct"],
        "ent": ["PERSON", "PERSON", "", ""], "lem": ["Ann", "Roe", "sail", "."],
    }  # fmt: skip
    other = {**row, "title": "Bo Venn", "link": None}
    read = Passages(packed([row, other]))
    assert read.titles == ["Ann Roe", "Bo Venn"]
    assert read[0] == passage_of(row)
    assert [*Passages(packed([row, other]), 1)] == [passage_of({**other, "link": ""})]
