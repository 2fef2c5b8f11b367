"""The encoder of a recipe that leaves the choice to the build, and what another would cost."""

from typing import Final

from hippohover.vectors.embedding import MINILM, MINILM_STATIC

AUTO: Final = "auto"
MOST_ENCODED: Final = 20_000
"""Passages up to which the transformer is chosen: the longest that a build makes, 250 words, then
take three minutes on two cores, and those of Wikipedia one."""

_WORDS_A_SECOND: Final = 12_000  # that a core encodes, in passages of 35 words and of 250 alike
_MINUTE: Final = 60


def chosen(name: str, n_passages: int) -> str:
    """Return the name of the encoder that a recipe with that name gets for so many passages."""
    if name != AUTO:
        return name
    return MINILM if n_passages <= MOST_ENCODED else MINILM_STATIC


def in_words(n_passages: int, n_words: float, workers: int, *, later: bool) -> str:
    """Say which encoder ``AUTO`` chose and why, and what the other costs."""
    seconds = n_words / _WORDS_A_SECOND / workers
    minutes = f"{seconds / _MINUTE:,.0f} minutes"
    about = f"about {minutes if seconds >= 2 * _MINUTE else f'{seconds:.0f} s'}"
    if n_passages > MOST_ENCODED:
        return (
            f"encoder {MINILM_STATIC}, as for more than {MOST_ENCODED:,} passages: {MINILM} would "
            f"take {about} more (hippohover reencode INDEX --encoder {MINILM})"
        )
    if later:
        return (
            f"encoder {MINILM_STATIC} until {MINILM} has encoded the {n_passages:,} passages in "
            f"the background, {about}: inspect shows how far it is, and build --wait waits"
        )
    return (
        f"encoder {MINILM}, as for up to {MOST_ENCODED:,} passages: {MINILM_STATIC} would take "
        f"{about} less"
    )
