"""Pairs as token ids, in batches of like length."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from pairs import Pair
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
    start, stop = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
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

    rows: NDArray[np.int64]
    ids: Tensor
    sides: Tensor
    is_word: Tensor
    marks: Tensor
    labels: Tensor

    def to(self, device: str) -> "Batch":
        """The batch on a device."""
        moved: dict[str, Any] = {"rows": self.rows}
        for name in ("ids", "sides", "is_word", "marks", "labels"):
            tensor: Tensor = getattr(self, name)
            moved[name] = tensor.pin_memory().to(device, non_blocking=True) \
                if device == "cuda" else tensor  # fmt: skip
        return Batch(**moved)


Plan = list[tuple[int, NDArray[np.int64]]]
"""Of each batch its length and its rows."""


def planned(tokens: Tokens, n_tokens: int, draw: random.Random | None) -> Plan:
    """Plan batches of about as many tokens, in an order that is drawn, or by length."""
    bucket = np.searchsorted(np.array(LENGTHS), tokens.lengths)
    order = np.arange(len(tokens))
    if draw:
        order = np.random.default_rng(draw.randrange(1 << 30)).permutation(len(tokens))
    plan: Plan = []
    for at, length in enumerate(LENGTHS):
        rows = order[bucket[order] == at]
        size = max(1, n_tokens // length)
        plan += [(length, rows[n : n + size]) for n in range(0, len(rows), size)]
    if draw:
        draw.shuffle(plan)
    return plan


def filled(tokens: Tokens, rows: NDArray[np.int64], length: int) -> Batch:
    ends, sizes = tokens.ends[rows], tokens.lengths[rows]
    column = np.arange(length)[None]
    is_word = column < sizes[:, None]
    places = np.minimum((ends - sizes)[:, None] + column, len(tokens.ids) - 1)
    ids = np.where(is_word, tokens.ids[places].astype(np.int64), 0)
    marks = np.where(is_word, tokens.marks[places].astype(np.int64), UNKNOWN)
    sides = (column >= tokens.claims[rows][:, None]) & is_word
    return Batch(
        rows,
        torch.from_numpy(ids),
        torch.from_numpy(sides.astype(np.int64)),
        torch.from_numpy(is_word),
        torch.from_numpy(marks),
        torch.from_numpy(tokens.labels[rows].astype(np.int64)),
    )
