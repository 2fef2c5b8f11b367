"""Pairs as token ids, in batches of like length."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from evidence.pairs import Pair
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor

LENGTHS: Final = (32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512)
UNKNOWN: Final = -100
"""The mark of a token that nothing is known of."""
_LONGEST_CLAIM: Final = 128


@dataclass
class Tokens:
    """Pairs as one run of ids, with where each begins."""

    ids: NDArray[np.uint16]
    marks: NDArray[np.int8]
    ends: NDArray[np.int64]
    """Where each pair ends among the ids."""
    claims: NDArray[np.int16]
    """How many of the first ids of each pair are the claim's."""
    labels: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.ends)

    @classmethod
    def joined(cls, parts: Sequence["Tokens"]) -> "Tokens":
        """All pairs of some parts."""
        offsets = np.cumsum([0, *(len(one.ids) for one in parts)])
        ends = [one.ends + offset for one, offset in zip(parts, offsets, strict=False)]
        return cls(
            np.concatenate([one.ids for one in parts]),
            np.concatenate([one.marks for one in parts]),
            np.concatenate(ends),
            np.concatenate([one.claims for one in parts]),
            np.concatenate([one.labels for one in parts]),
        )

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many ids each pair has."""
        return np.diff(self.ends, prepend=0)


def tokenized(tokenizer: Tokenizer, pairs: Sequence[Pair], longest: int) -> Tokens:
    """Pairs as ids: the claim, then the evidence as far as there is room."""
    claims = tokenizer.encode_batch([one.claim for one in pairs], add_special_tokens=False)
    texts = tokenizer.encode_batch([one.evidence for one in pairs], add_special_tokens=False)
    start, stop = tokenizer.encode("").ids
    ids: list[int] = []
    marks: list[int] = []
    ends: list[int] = []
    sizes: list[int] = []
    for pair, claim, text in zip(pairs, claims, texts, strict=True):
        words = claim.ids[:_LONGEST_CLAIM]
        rest = text.ids[: longest - len(words) - 3]
        ids += [start, *words, stop, *rest, stop]
        sizes.append(len(words) + 2)
        if pair.marks is None:
            marks += [UNKNOWN] * (len(words) + len(rest) + 3)
        else:
            held = [
                next((m for first, last, m in pair.marks if first < end and begin < last), 0)
                for begin, end in claim.offsets[:_LONGEST_CLAIM]
            ]
            marks += [UNKNOWN, *held, *[UNKNOWN] * (len(rest) + 2)]
        ends.append(len(ids))
    return Tokens(
        np.array(ids, np.uint16),
        np.array(marks, np.int8),
        np.array(ends, np.int64),
        np.array(sizes, np.int16),
        np.array([one.label for one in pairs], np.int8),
    )


@dataclass
class Batch:
    """Pairs of like length, filled up to one."""

    ids: Tensor
    sides: Tensor
    is_word: Tensor
    marks: Tensor
    labels: Tensor
    """-1 for a pair that fills up a batch."""


class Table:
    """Pairs on a device, where batches are gathered, so that a step sends nothing there.

    Pair 0 is one word that counts nothing: it fills up batches, so that all of one length have
    one shape and can be replayed as one recorded graph. What has been put stays at one address
    as long as there is room.
    """

    def __init__(self, device: str, n_words: int, n_pairs: int) -> None:
        self.device = device
        self._reserve(n_words, n_pairs)

    def _reserve(self, n_words: int, n_pairs: int) -> None:
        self.words = torch.zeros(n_words + 1, dtype=torch.int32, device=self.device)
        self.rows = torch.zeros((4, n_pairs + 1), dtype=torch.int64, device=self.device)
        self.words[0] = 101
        self.rows[:, 0] = torch.tensor([0, 1, 1, -1])  # start, size, size of the claim, label

    def put(self, tokens: Tokens) -> None:
        """Put pairs in place of those that are there; pair n is then row n + 1."""
        n_words, n_pairs = len(tokens.ids), len(tokens)
        if n_words >= len(self.words) or n_pairs >= self.rows.shape[1]:
            self._reserve(n_words, n_pairs)
        codes = np.where(tokens.marks == UNKNOWN, 0, tokens.marks + 1).astype(np.int32)
        words = tokens.ids.astype(np.int32) | (codes << 16)
        starts = tokens.ends - tokens.lengths + 1
        columns = (starts, tokens.lengths, tokens.claims, tokens.labels)
        rows = np.stack([one.astype(np.int64) for one in columns])
        self.words[1 : n_words + 1].copy_(torch.from_numpy(words))
        self.rows[:, 1 : n_pairs + 1].copy_(torch.from_numpy(rows))

    def batch(self, rows: Tensor, length: int) -> Batch:
        """Gather rows, each filled up to a length."""
        start, size, claim, label = self.rows[:, rows].unsqueeze(-1).unbind(0)
        column = torch.arange(length, device=rows.device)
        is_word = column < size
        places = (start + column).clamp(max=len(self.words) - 1)
        words = self.words[places] * is_word
        codes = words >> 16
        marks = (codes - 1).long().masked_fill(codes == 0, UNKNOWN)
        sides = ((column >= claim) & is_word).long()
        return Batch((words & 0xFFFF).long(), sides, is_word, marks, label[:, 0])


Plan = list[tuple[int, NDArray[np.int64]]]
"""Of each batch its length and its rows of a table."""


def planned(
    lengths: NDArray[np.int64], chosen: NDArray[np.int64], n_tokens: int, draw: random.Random | None
) -> Plan:
    """Plan batches of about as many tokens, in an order that is drawn, or by length."""
    if draw:
        chosen = np.random.default_rng(draw.randrange(1 << 30)).permutation(chosen)
    bucket = np.searchsorted(np.array(LENGTHS), lengths[chosen])
    plan: Plan = []
    for at, length in enumerate(LENGTHS):
        rows = chosen[bucket == at] + 1
        size = max(1, n_tokens // length)
        plan += [(length, rows[n : n + size]) for n in range(0, len(rows), size)]
    if draw:
        draw.shuffle(plan)
    return plan
