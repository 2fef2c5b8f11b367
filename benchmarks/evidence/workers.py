"""Swaps made by processes, as tokens, while others are learned from."""

import itertools
import json
import lzma
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from evidence.batches import Tokens, tokenized
from evidence.lexicon import Lexicon
from evidence.packing import Passages
from evidence.pairs import Maker, Pair
from evidence.swaps import Stock
from tokenizers import Tokenizer

TASK: Final = 64
"""Passages that a process makes swaps of at a time."""
_N_HELD: Final = 300
"""Passages whose swaps are measured."""

Row = dict[str, Any]


class Swaps:
    """Processes that make swaps of passages as tokens."""

    maker: Maker
    tokenizer: Tokenizer

    def __init__(self, folder: Path, n_passages: int, n_stock: int) -> None:
        packed = (folder / "passages.xz").read_bytes()
        related = json.loads(lzma.decompress((folder / "lexicon.xz").read_bytes()))
        self.held = Passages(packed, 0, _N_HELD)
        self.passages = Passages(packed, _N_HELD, _N_HELD + n_passages)
        self.stock = Stock.learned(Lexicon(related), self.passages[:n_stock])
        Swaps.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        Swaps.tokenizer.no_truncation()
        Swaps.tokenizer.no_padding()
        Swaps.maker = Maker(self.passages, self.stock, random.Random(0))

    @staticmethod
    def made(seed: int, chosen: Sequence[int], longest: int) -> Tokens:
        """The pairs of some passages."""
        maker = Swaps.maker
        maker.draw = random.Random(seed)
        pairs = [pair for at in chosen for pair in maker.of(maker.passages[at])]
        return tokenized(Swaps.tokenizer, pairs, longest)

    def tasks(self, n_passages: int) -> Iterator[tuple[int, list[int]]]:
        """Yield seeds and passages to make pairs of, epoch after epoch, each in a new order."""
        done = 0
        for epoch in itertools.count():
            order = list(range(len(self.passages)))
            random.Random(epoch).shuffle(order)
            for first in range(0, len(order), TASK):
                if done >= n_passages:
                    return
                yield done, order[first : first + TASK]
                done += TASK

    def measured_pairs(self) -> list[Row]:
        """Swaps of passages that are not learned from."""
        held = Maker(self.held, self.stock, random.Random(1))
        return [
            {"set": f"swaps {one.kind.split()[0]}", "claim": one.claim, "label": one.label,
             "evidence": [one.evidence], "way": one.kind, "fold": -1, "trains": False}
            for passage in self.held[:]
            for one in held.of(passage)
        ]  # fmt: skip


def tokens_of(pairs: list[Pair], longest: int) -> Tokens:
    """Pairs as tokens, in a process that has the tokenizer."""
    return tokenized(Swaps.tokenizer, pairs, longest)
