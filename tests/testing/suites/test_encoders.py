"""The suite passes encoders that are sound, and fails each that is not."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from hippohover.errors import HippoHoverError
from hippohover.testing.own_models import HashedWords
from hippohover.testing.suites import EncoderSuite
from hippohover.vectors.embedding import Encoder, load_encoder

Rows = NDArray[np.float32]
FIRST = np.eye(1, HashedWords.dim, dtype=np.float32)


class TestHashedWords(EncoderSuite):
    def make(self) -> Encoder:
        return HashedWords()


class TestTheTableThatShips(EncoderSuite):
    def make(self) -> Encoder:
        encoder = load_encoder("minilm-static")
        assert encoder is not None
        return encoder


class Spoilt(HashedWords):
    """An encoder whose rows are changed on their way; ``n`` counts how often it was asked."""

    n = 0

    def __init__(self, change: Callable[[Rows, Sequence[str], int], Rows]) -> None:
        super().__init__()
        self._change = change

    def encode(self, texts: Sequence[str]) -> Rows:
        Spoilt.n += 1
        return self._change(super().encode(texts), texts, Spoilt.n)


def nan_for_zeros(rows: Rows, _texts: Sequence[str], _n: int) -> Rows:
    rows[~rows.any(axis=1)] = np.nan
    return rows


def turned_by_hash(rows: Rows, texts: Sequence[str], _n: int) -> Rows:
    turned = [np.roll(row, hash(one) % 64) for row, one in zip(rows, texts, strict=True)]
    return np.array(turned).reshape(rows.shape)


SPOILT: dict[str, Encoder] = {
    "no name": HashedWords(name="two words"),
    "long": Spoilt(lambda rows, texts, n: 2 * rows),
    "empty": Spoilt(lambda rows, texts, n: 0 * rows),
    "divides by nothing": Spoilt(nan_for_zeros),
    "constant": Spoilt(
        lambda rows, texts, n: np.tile(np.eye(1, 64, dtype=np.float32), (len(texts), 1))
    ),
    "by batch": Spoilt(lambda rows, texts, n: np.roll(rows, len(texts), axis=1)),
    "fickle": Spoilt(lambda rows, texts, n: np.roll(rows, n, axis=1)),
}


class OfHashes(EncoderSuite):
    def make(self) -> Encoder:
        return Spoilt(turned_by_hash)


@pytest.mark.parametrize(
    ("encoder", "test"),
    [
        ("no name", "test_it_says_its_name_dimension_and_fingerprint"),
        ("long", "test_rows_are_unit_vectors_or_zeros"),
        ("empty", "test_rows_are_unit_vectors_or_zeros"),
        ("divides by nothing", "test_rows_are_unit_vectors_or_zeros"),
        ("constant", "test_texts_are_told_apart"),
        ("by batch", "test_a_text_has_one_vector_in_any_company_and_order"),
        ("fickle", "test_two_that_are_made_alike_encode_alike"),
        ("fickle", "test_threads_are_served_as_one_is"),
    ],
)
def test_an_encoder_that_is_not_sound_fails(encoder: str, test: str):
    class Suite(EncoderSuite):
        def make(self) -> Encoder:
            return SPOILT[encoder]

    with pytest.raises((AssertionError, HippoHoverError), match=r"\w+ \w+"):
        getattr(Suite(), test)()


def test_vectors_by_hash_fail():
    with pytest.raises(AssertionError, match="vectors depend on the process"):
        OfHashes().test_another_process_encodes_alike()


def test_a_suite_that_another_process_cannot_use_says_so():
    class Suite(OfHashes): ...

    with pytest.raises(pytest.skip.Exception, match=r"cannot use .* need no fixture"):
        Suite().test_another_process_encodes_alike()


def test_a_suite_without_its_subject_cannot_be_made():
    with pytest.raises(TypeError, match="abstract"):
        EncoderSuite()  # pyright: ignore[reportAbstractUsage]
