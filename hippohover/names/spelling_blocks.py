"""Blocks of names with nearly the same spelling.

Names are in the same block if they are equal without blanks, without word order, or without
initials and "jr", "sr". A 64-bit hash identifies a block: its spelling would cost a hundred bytes
per name.
"""

from typing import Final

from hippohover.names.key_table import key_hashes

N_BLOCKS: Final = 3
"""Blocks of a name, at most."""

MAX_BLOCK: Final = 8
"""Names in one block beyond which the block says nothing and is left out."""


def spelling_blocks(key: str) -> list[int]:
    """Return the hashes of the blocks that a name is in, ascending."""
    words = key.split(" ")
    if len(key) < 5 or len(words) > 12:
        return []
    blocks = {"=" + "".join(words)}
    if len(words) > 1:
        blocks.add("~" + " ".join(sorted(words)))
        full = [word for word in words if len(word) > 1 and word not in ("jr", "sr")]
        if len(full) > 1:
            blocks.add("-" + " ".join(full))
    return sorted(map(int, key_hashes(list(blocks))))
