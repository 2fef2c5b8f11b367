"""Streams of bzip2: as the standard library unpacks them, whatever is read at a time."""

import bz2
import io

import numpy as np
import pytest

from hippohover.indexing.corpus.files.streams import unpacked_bzip2


def test_bytes_are_unpacked_as_bz2_does():
    content = np.random.default_rng(0).integers(4, size=1_000_000, dtype=np.uint8).tobytes()
    packed = bz2.compress(content, 1) + bz2.compress(content[::-1])
    with unpacked_bzip2(io.BytesIO(packed)) as stream:
        assert stream.read() == content + content[::-1] == bz2.decompress(packed)


@pytest.mark.parametrize("n_bytes", [1, 10, 4096])
def test_packed_bytes_may_come_a_few_at_a_time(n_bytes: int):
    class Slow(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(n_bytes)

    packed = bz2.compress(b"one\n") + bytes(20) + bz2.compress(b"two\n") + bytes(5)
    with unpacked_bzip2(Slow(packed)) as stream:
        assert stream.read() == b"one\ntwo\n"


@pytest.mark.parametrize("cut", [0, 1, 4, 20])
def test_a_stream_without_its_end_is_an_error(cut: int):
    packed = bz2.compress(b"one\n")
    with unpacked_bzip2(io.BytesIO(packed[:cut])) as stream, pytest.raises(EOFError):
        stream.read()
