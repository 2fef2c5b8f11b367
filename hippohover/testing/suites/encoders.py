"""The tests that every encoder must pass."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import Any

import numpy as np

from hippohover.testing.suites.elsewhere import TEXTS, digest_elsewhere
from hippohover.vectors.embedding import Encoder
from hippohover.vectors.own_encoder import OwnEncoder

# Tests assert, and say by their names what they hold: no docstring, no other error.
# ruff: noqa: S101


class EncoderSuite(ABC):
    """What a build, an update and an engine expect of an encoder."""

    @abstractmethod
    def make(self) -> Encoder:
        """Make the encoder; called twice in a test."""

    def rows(self, texts: Sequence[str]) -> Any:  # noqa: ANN401  (an array)
        return OwnEncoder(self.make()).encode(texts)  # which checks shape, type and lengths

    def test_it_says_its_name_dimension_and_fingerprint(self) -> None:
        encoder = self.make()
        assert OwnEncoder(encoder).dim == encoder.dim, f"dim is {encoder.dim!r}: give an int"
        assert OwnEncoder(self.make()).fingerprint == OwnEncoder(encoder).fingerprint, (
            "name, dim or fingerprint differs when the encoder is made again"
        )

    def test_rows_are_unit_vectors_or_zeros(self) -> None:
        rows = self.rows(TEXTS)
        lengths = np.linalg.norm(rows, axis=1)
        assert rows.dtype == np.float32, f"rows are {rows.dtype}, not float32"
        sound = np.isclose(lengths, 1, atol=1e-3) | (lengths == 0)
        assert sound.all(), f"lengths of rows are neither 1 nor 0: {lengths[~sound]}"
        assert (lengths > 0).any(), "no text has a vector"

    def test_texts_are_told_apart(self) -> None:
        assert len({row.tobytes() for row in self.rows(TEXTS)}) > 1, "every text has one vector"

    def test_a_text_has_one_vector_in_any_company_and_order(self) -> None:
        together = self.rows(TEXTS)
        for text, row in zip(TEXTS, together, strict=True):
            assert np.array_equal(self.rows([text])[0], row), f"{text[:40]!r} has another alone"
        assert np.array_equal(self.rows(TEXTS[::-1]), together[::-1]), (
            "texts have other vectors in another order"
        )

    def test_no_texts_have_no_rows(self) -> None:
        shape = self.rows([]).shape
        assert shape == (0, self.make().dim), f"no texts give rows of shape {shape}"

    def test_two_that_are_made_alike_encode_alike(self) -> None:
        assert np.array_equal(self.make().encode(TEXTS), self.make().encode(TEXTS)), (
            "texts have other vectors when the encoder is made again"
        )

    def test_threads_are_served_as_one_is(self) -> None:
        encoder = self.make()
        wanted = np.asarray(encoder.encode(TEXTS))
        with ThreadPoolExecutor(4) as pool:
            jobs = [pool.submit(encoder.encode, TEXTS) for _ in range(8)]
        assert all(np.array_equal(job.result(), wanted) for job in jobs), (
            "texts have other vectors when four threads ask at once"
        )

    def test_another_process_encodes_alike(self) -> None:
        assert digest_elsewhere(self) == self.digest(), (
            "vectors depend on the process, as hash() does"
        )

    def digest(self) -> str:
        """Return a digest of the vectors of some texts."""
        return sha256(np.ascontiguousarray(self.rows(TEXTS)).tobytes()).hexdigest()
