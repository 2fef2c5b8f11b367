"""The suite passes encoders that are sound, and fails each that is not."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from hippohover.errors import HippoHoverError
from hippohover.testing.own_models import HashedWords
from hippohover.testing.suites import EncoderSuite
from hippohover.vectors.embedding import Encoder, load_encoder


class TestHashedWords(EncoderSuite):
    def make(self) -> Encoder:
        return HashedWords()


class TestTheTableThatShips(EncoderSuite):
    def make(self) -> Encoder:
        encoder = load_encoder("minilm-static")
        assert encoder is not None
        return encoder


class ByBatch(HashedWords):
    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.roll(super().encode(texts), len(texts), axis=1)


class Fickle(HashedWords):
    n = 0

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        Fickle.n += 1
        return np.roll(super().encode(texts), Fickle.n, axis=1)


class Long(HashedWords):
    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return 2 * super().encode(texts)


class Empty(HashedWords):
    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return 0 * super().encode(texts)


class DividesByNothing(HashedWords):
    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = super().encode(texts)
        rows[~rows.any(axis=1)] = np.nan
        return rows


class Constant(HashedWords):
    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.tile(super().encode(["a"]), (len(texts), 1))


class ByHash(HashedWords):
    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        turns = [hash(text) % self.dim for text in texts]
        return np.array(
            [np.roll(row, n) for row, n in zip(super().encode(texts), turns, strict=True)]
        )


class OfHashes(EncoderSuite):
    def make(self) -> Encoder:
        return ByHash()


class Nameless(HashedWords):
    def __init__(self) -> None:
        super().__init__(name="two words")


@pytest.mark.parametrize(
    ("encoder", "test"),
    [
        (Nameless, "test_it_says_its_name_dimension_and_fingerprint"),
        (Long, "test_rows_are_unit_vectors_or_zeros"),
        (Empty, "test_rows_are_unit_vectors_or_zeros"),
        (DividesByNothing, "test_rows_are_unit_vectors_or_zeros"),
        (Constant, "test_texts_are_told_apart"),
        (ByBatch, "test_a_text_has_one_vector_in_any_company_and_order"),
        (Fickle, "test_two_that_are_made_alike_encode_alike"),
        (Fickle, "test_threads_are_served_as_one_is"),
    ],
)
def test_an_encoder_that_is_not_sound_fails(encoder: type[HashedWords], test: str):
    class Suite(EncoderSuite):
        def make(self) -> Encoder:
            return encoder()

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
