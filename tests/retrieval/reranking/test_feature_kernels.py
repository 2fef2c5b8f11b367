"""The compiled loops by hand, on two or three passages."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from hippohover.retrieval.reranking.feature_kernels import (
    CONTEXT_TOKENS,
    LINK,
    OPENING_TOKENS,
    PAIR,
    TEXT,
    TEXT_FEATURES,
    pair_code,
    read_links,
    read_pairs,
    read_texts,
)
from hippohover.spans import spans_of

CLAIM_TERMS = np.array([2, 5, 4098 + 4], np.int64)
SHARES = np.array([0.5, 0.3, 0.2], np.float32)
TERM_RARITY = np.arange(1, 5001, dtype=np.float32)
"""Rarity of term t is t + 1."""


def indptr_of(lists: list[list[int]]) -> NDArray[np.int64]:
    return np.cumsum([0, *map(len, lists)]).astype(np.int64)


def flat(lists: list[list[int]]) -> NDArray[np.int32]:
    return np.array([value for one in lists for value in one], np.int32)


def by_prior(
    fill: Callable[[NDArray[np.float64], NDArray[np.float64]], None],
    prior: list[float],
    n_columns: int,
) -> NDArray[np.float64]:
    """What is filled by one prior: the same alone and behind another one."""
    other = [0.25 + 0.5 * (at % 2) for at in range(len(prior))]
    alone, both = (np.zeros((n, len(prior), n_columns)) for n in (1, 2))
    fill(np.array([prior]), alone)
    fill(np.array([other, prior]), both)
    assert both[1].tolist() == alone[0].tolist()
    return alone[0]


def texts(
    passages: list[list[int]],
    titles: list[int],
    rows: list[int],
    prior: list[float],
    more: list[list[int]] | None = None,
) -> NDArray[np.float64]:
    called = more or [[]] * len(rows)

    def fill(priors: NDArray[np.float64], text: NDArray[np.float64]) -> None:
        read_texts(
            np.array(rows, np.int64), priors, CLAIM_TERMS, SHARES, indptr_of(passages),
            flat(passages), np.array(titles, np.int32), TERM_RARITY,
            indptr_of(called), flat(called).astype(np.int64), text,
        )  # fmt: skip

    return by_prior(fill, prior, len(TEXT))


def test_words_of_one_passage():
    """Title: claim term 2, a stop token, term 6; then 2 again, 5, and 6 (a slot of 4102)."""
    [found] = texts([[9], [2, -1, 6, 2, 5, 6]], [0, 3], [1], [0.7])
    assert found.tolist() == pytest.approx([0.8, 3 / 10, 1, 1, 5, 2.0, 2.0])


def test_words_that_a_passage_is_called_by_count_as_its_own():
    """Term 5 is in neither text; the second is called "5 2"."""
    found = texts([[2, 9], [2, 9]], [1, 1], [0, 1], [0.5, 0.5], more=[[], [5, 2]])
    plain, called = (dict(zip(TEXT_FEATURES, row, strict=True)) for row in found.tolist())
    assert called["claim_share"] - plain["claim_share"] == pytest.approx(float(SHARES[1]))
    assert (called["title_share"], called["title_terms"], called["title_terms_missing"]) == (
        1,
        2,
        0,
    )
    assert called["n_terms"] == plain["n_terms"] == 2
    assert called["unshared"] == pytest.approx(plain["unshared"] + 1)
    ordered = pairs([[2, 9], [2, 9]], [1, 1], [0, 1], [0.5, 0.5], more=[[], [5, 2]])
    assert ordered[:, PAIR.pair_share].tolist() == [0.0, 0.75]
    opened = ordered[:, PAIR.opening_share]
    assert opened[1] - opened[0] == pytest.approx(float(SHARES[1]))


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
) -> NDArray[np.float64]:
    """Links of some candidates; mentions by passage, owners by entity."""

    def fill(priors: NDArray[np.float64], filled: NDArray[np.float64]) -> None:
        order = np.argsort(rows, kind="stable")
        read_links(
            np.array(rows, np.int64), order, priors, CLAIM_TERMS, SHARES,
            indptr_of(passages), flat(passages), np.array(titles, np.int32),
            spans_of(np.array(list(map(len, mentions)), np.int64)),
            np.array([m for one in mentions for m in one], np.int32).reshape(-1, 3),
            spans_of(np.array(list(map(len, owners)), np.int64)), flat(owners), filled,
        )  # fmt: skip

    return by_prior(fill, prior, len(LINK))


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


def pairs(
    passages: list[list[int]],
    titles: list[int],
    rows: list[int],
    prior: list[float],
    more: list[list[int]] | None = None,
) -> NDArray[np.float64]:
    """Of the claim "2 5 4102": two pairs, of which the second weighs a quarter."""
    codes = np.array([pair_code(0, 1, 3), pair_code(1, 2, 3)], np.int64)
    called = more or [[]] * len(rows)

    def fill(priors: NDArray[np.float64], filled: NDArray[np.float64]) -> None:
        read_pairs(
            np.array(rows, np.int64), priors, CLAIM_TERMS, SHARES, codes,
            np.array([0.75, 0.25], np.float32), indptr_of(passages), flat(passages),
            np.array(titles, np.int32), indptr_of(called),
            flat(called).astype(np.int64), filled,
        )  # fmt: skip

    return by_prior(fill, prior, len(PAIR))


def test_a_pair_has_one_code_in_either_order_and_codes_rise_with_its_places():
    places = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    codes = [pair_code(first, second, 4) for first, second in places]
    assert codes == [pair_code(second, first, 4) for first, second in places]
    assert codes == [1, 2, 3, 6, 7, 11]
    assert [divmod(code, 4) for code in codes] == places


@pytest.mark.parametrize(
    ("words", "share"),
    [
        ([2, 5], 0.75),
        ([5, 2], 0.75),
        ([5, 9, 2], 0.75),
        ([5, 9, 9, 2], 0.0),
        ([5, -1, 9, -1, -1, 2], 0.75),
        ([4102, 2, 5], 1.0),
        ([2, 5, 9, 2, 5], 0.75),
        ([2, 4102], 0.0),  # the claim has a word between them
        ([2, 2, 6, 5], 0.75),  # 6 has the slot of 4102
        ([2, 6], 0.0),
        ([5, 5], 0.0),
    ],
)
def test_a_pair_is_held_with_one_word_between_at_most(words: list[int], share: float):
    [found] = pairs([[9], [9, *words, 9]], [0, 1], [1], [0.5])
    assert found[PAIR.pair_share] == pytest.approx(share)
    assert found[PAIR.pair_unshared] == pytest.approx(share)
    [found] = pairs([[9], [*words]], [0, 1], [1], [0.5])  # from the title into the text too
    assert found[PAIR.pair_share] == pytest.approx(share)


def test_shared_pairs_are_worth_what_the_others_lack():
    """The first pair is in all three, the second in the second alone."""
    passages = [[2, 5], [2, 5, 4102], [5, 2], [9]]
    found = pairs(passages, [0] * 4, [0, 1, 2, 3], [1.0, 0.5, 0.25, 1.0])
    assert found[:, PAIR.pair_share].tolist() == pytest.approx([0.75, 1.0, 0.75, 0.0])
    unshared = [0.75 * (1 - 0.5), 0.75 * (1 - 1) + 0.25, 0.75 * (1 - 1), 0.0]
    assert found[:, PAIR.pair_unshared].tolist() == pytest.approx(unshared)


def test_a_passage_opens_with_its_title_and_some_tokens_stop_tokens_included():
    """Title 4102 9; then 2 is the last token of the opening, and 5 the first behind it."""
    pad = [-1, *[9] * (OPENING_TOKENS - 2)]
    found = pairs([[4102, 9, *pad, 2, 5]], [2], [0], [1.0])
    assert found[0, PAIR.opening_share] == pytest.approx(0.2 + 0.5)
    found = pairs([[4102, 9, *pad, 2, 5]], [3], [0], [1.0])  # the title is one token longer
    assert found[0, PAIR.opening_share] == pytest.approx(1.0)


def test_a_short_passage_does_not_open_with_the_next():
    found = pairs([[2], [5]], [1, 1], [0], [1.0])
    assert found[0].tolist() == pytest.approx([0.0, 0.0, 0.5, 0.5])


def test_shared_openings_are_worth_what_the_others_lack():
    """Term 2 opens both; the second has it behind its opening alone in a third."""
    late = [*[9] * OPENING_TOKENS, 2]
    found = pairs([[2, 5], [2], late], [0] * 3, [0, 1, 2], [0.5, 0.25, 1.0])
    assert found[:, PAIR.opening_share].tolist() == pytest.approx([0.8, 0.5, 0.0])
    unshared = [0.5 * (1 - 0.25) + 0.3, 0.5 * (1 - 0.5), 0.0]
    assert found[:, PAIR.opening_unshared].tolist() == pytest.approx(unshared)
