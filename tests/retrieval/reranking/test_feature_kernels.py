"""The compiled loops by hand, on two or three passages."""

import numpy as np
import pytest
from numpy.typing import NDArray

from hippohover.retrieval.reranking.feature_kernels import (
    CONTEXT_TOKENS,
    LINK,
    TEXT,
    read_links,
    read_texts,
)

CLAIM_TERMS = np.array([2, 5, 4098 + 4], np.int64)
SHARES = np.array([0.5, 0.3, 0.2], np.float32)
TERM_RARITY = np.arange(1, 5001, dtype=np.float32)
"""Rarity of term t is t + 1."""


def indptr_of(lists: list[list[int]]) -> NDArray[np.int64]:
    return np.cumsum([0, *map(len, lists)]).astype(np.int64)


def flat(lists: list[list[int]]) -> NDArray[np.int32]:
    return np.array([value for one in lists for value in one], np.int32)


def texts(
    passages: list[list[int]], titles: list[int], rows: list[int], prior: list[float]
) -> NDArray[np.float32]:
    text = np.zeros((len(rows), len(TEXT)), np.float32)
    read_texts(
        np.array(rows, np.int64), np.array(prior), CLAIM_TERMS, SHARES, indptr_of(passages),
        flat(passages), np.array(titles, np.int32), TERM_RARITY, text,
    )  # fmt: skip
    return text


def test_words_of_one_passage():
    """Title: claim term 2, a stop token, term 6; then 2 again, 5, and 6 (a slot of 4102)."""
    [found] = texts([[9], [2, -1, 6, 2, 5, 6]], [0, 3], [1], [0.7])
    assert found.tolist() == pytest.approx([0.8, 3 / 10, 1, 1, 5, 2.0, 2.0])


def test_shared_terms_are_worth_what_the_others_lack():
    """Term 2 is in all three, 5 in the first alone, the last term in the second and third."""
    passages = [[2, 5], [2, 4102], [4102, 2, 2]]
    found = texts(passages, [0, 0, 0], [0, 1, 2], [1.0, 0.5, 0.25])
    assert found[:, TEXT.claim_share].tolist() == pytest.approx([0.8, 0.7, 0.7])
    unshared = [(1 - 0.5) + 1, (1 - 1) + (1 - 0.25), (1 - 1) + (1 - 0.5)]
    assert found[:, TEXT.unshared].tolist() == pytest.approx(unshared)
    assert found[:, TEXT.unusual].tolist() == pytest.approx(
        [1 / 3 + 1, 1 / 3 + 1 / 2, 1 / 3 + 1 / 2]
    )


def test_equal_priors_leave_no_best():
    found = texts([[2], [2]], [0, 0], [0, 1], [0.5, 0.5])
    assert found[:, TEXT.unshared].tolist() == pytest.approx([0.5, 0.5])


def test_a_passage_without_words():
    assert not texts([[], [2]], [0, 0], [0], [1.0]).any()
    assert texts([[2]], [0], [], []).shape == (0, len(TEXT))


def links(
    passages: list[list[int]],
    titles: list[int],
    *,
    mentions: list[list[tuple[int, int, int]]],
    owners: list[list[int]],
    rows: list[int],
    prior: list[float],
) -> NDArray[np.float32]:
    """Links of some candidates; mentions by passage, owners by entity."""
    filled = np.zeros((len(rows), len(LINK)), np.float32)
    order = np.argsort(rows, kind="stable")
    read_links(
        np.array(rows, np.int64), order, np.array(prior), CLAIM_TERMS, SHARES,
        indptr_of(passages), flat(passages), np.array(titles, np.int32),
        np.cumsum([0, *map(len, mentions)]).astype(np.int64),
        np.array([m for one in mentions for m in one], np.int32).reshape(-1, 3),
        indptr_of(owners), flat(owners), filled,
    )  # fmt: skip
    return filled


def test_one_names_the_other():
    """Passage 0: title 4102, text "5 [name] 2 2". Its name belongs to passages 1 and 7."""
    passages = [[4102, 5, 8, 2, 2], [8], [], [], [], [], [], [9]]
    found = links(
        passages,
        [1, *[0] * 7],
        mentions=[[(0, 2, 3)], *[[]] * 7],
        owners=[[1, 7]],
        rows=[1, 0],
        prior=[0.4, 0.6],
    )
    context = 0.8  # 5 before and 2 behind, once; the title does not count
    assert found[0].tolist() == pytest.approx([0.3, 0.3, context, context * 0.3, 0, 0, 0])
    assert found[1].tolist() == pytest.approx([0, 0, 0, 0, 0.2, 0.2, context * 0.2])


def test_context_ends_after_some_tokens():
    """Claim term 2 is one token too far before and behind, 5 is just near enough."""
    pad = [9] * (CONTEXT_TOKENS - 1)
    text = [2, 5, *pad, 8, *pad, 4102, 2]
    name = 1 + CONTEXT_TOKENS
    mention = (0, name, name + 1)
    found = links(
        [text, [8]], [0, 0], mentions=[[mention], []], owners=[[1]], rows=[0, 1], prior=[1.0, 1.0]
    )
    assert found[1, LINK.in_context] == pytest.approx(0.3 + 0.2)


def test_several_mentions_add_up_and_the_best_context_counts():
    passages = [[8, *[9] * 30, 2, 8], [8]]
    found = links(
        passages,
        [0, 0],
        mentions=[[(0, 0, 1), (0, 32, 33)], []],
        owners=[[1]],
        rows=[0, 1],
        prior=[0.5, 1.0],
    )
    assert found[1, : LINK.out_sum].tolist() == pytest.approx([1.0, 0.5, 0.5, 0.25])
    assert found[0, LINK.out_sum :].tolist() == pytest.approx([2.0, 1.0, 0.5])


def test_a_name_of_no_candidate_links_nothing():
    """Row 4097 + 3 shares a slot with candidate 4; and nobody names itself."""
    passages: list[list[int]] = [[8]] * 4200
    mentions: list[list[tuple[int, int, int]]] = [[] for _ in passages]
    mentions[4] = [(0, 0, 1), (1, 0, 1)]
    found = links(
        passages, [0] * 4200, mentions=mentions, owners=[[4100], [4]], rows=[4, 9], prior=[1.0, 1.0]
    )
    assert not found.any()
