"""Texts in frames: each comes back, whatever it was written in; a frame that is none is named."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from zstandard import ZstdCompressor

from hippohover.errors import IndexDamagedError
from hippohover.store.text_store import (
    DICTIONARY_BYTES,
    TextStore,
    dictionary_of,
    packed,
)
from tests.index_samples import refused

Bytes = NDArray[np.uint8]
NONE: Bytes = np.zeros(0, np.uint8)
SCRIPTS = [
    "Ada Lovelace was born in London.",
    "Лев Толстой родился в Ясной Поляне.",
    "夏目漱石は東京で生まれた。",
    "وُلد نجيب محفوظ في القاهرة.",
    "प्रेमचंद का जन्म लमही में हुआ।",
    "תל אביב \u200f(עיר)",
    "👩\u200d🚀 and 𝔊𝔬𝔱𝔥𝔦𝔠, e\u0301 and é",
    "a\0b\u2028c\r\nd\ufeff",
    "",
    " ",
]


def sentences(n: int) -> list[str]:
    """Texts with much in common, as the passages of an encyclopedia have."""
    places = ["Tarn Hollow", "Merrow", "Lantern Hill", "Asker"]
    return [
        f"{place} {number} is a village in the district of {places[number % 3]}, and was founded "
        f"in {1000 + 7 * number % 983} by the counts of {places[(number + 1) % 4]}."
        for number in range(n)
        for place in (places[number % 4],)
    ]


def store_of(texts: list[str], dictionary: Bytes) -> TextStore:
    frames = list(packed(texts, dictionary))
    indptr = np.zeros(len(frames) + 1, np.int64)
    np.cumsum([len(frame) for frame in frames], out=indptr[1:])
    return TextStore(
        indptr=indptr,
        frames=np.frombuffer(b"".join(frames), np.uint8),
        dictionary=dictionary,
    )


@pytest.fixture(scope="module")
def dictionary() -> Bytes:
    return dictionary_of(sentences(4000), 10**9)


# --- every text comes back -------------------------------------------------------------------


@given(st.lists(st.text(), max_size=12))
def test_any_texts_come_back(texts: list[str]):
    store = store_of(texts, dictionary_of(texts, 16 * sum(map(len, texts))))
    assert len(store) == len(texts)
    assert list(store) == texts
    assert [store[row] for row in reversed(range(len(texts)))] == texts[::-1]


@given(texts=st.lists(st.text(), max_size=12))
def test_any_texts_come_back_with_a_dictionary_of_others(texts: list[str], dictionary: Bytes):
    assert list(store_of(texts, dictionary)) == texts


@pytest.mark.parametrize("has_dictionary", [False, True])
def test_every_script_comes_back(dictionary: Bytes, has_dictionary: bool):
    texts = [*SCRIPTS, "x" * 3_000_000, "海" * 70_000]
    assert list(store_of(texts, dictionary if has_dictionary else NONE)) == texts


def test_texts_come_back_from_memory_maps(dictionary: Bytes, tmp_path: Path):
    texts = sentences(50)
    frames = list(packed(texts, dictionary))
    arrays: dict[str, NDArray[Any]] = {
        "indptr": np.cumsum([0, *map(len, frames)]),
        "frames": np.frombuffer(b"".join(frames), np.uint8),
        "dictionary": dictionary,
    }
    for name, array in arrays.items():
        np.save(tmp_path / f"{name}.npy", array)
        arrays[name] = np.load(tmp_path / f"{name}.npy", mmap_mode="r")
    assert list(TextStore(**arrays)) == texts


def test_rows_may_be_numbers_of_numpy(dictionary: Bytes):
    texts = sentences(4)
    store = store_of(texts, dictionary)
    assert [store[row] for row in np.array([2, 0], np.int32)] == [texts[2], texts[0]]


@pytest.mark.parametrize("texts", [[], ["one", "two", ""]])
def test_rows_out_of_range_are_refused(texts: list[str]):
    store = store_of(texts, NONE)
    for row in (-1, len(texts), len(texts) + 1):
        with pytest.raises(IndexError, match=f"row {row}: texts count from 0 to {len(texts) - 1}"):
            store[row]


# --- the dictionary --------------------------------------------------------------------------


@pytest.mark.parametrize("texts", [[], [""], ["a"], ["short"] * 3], ids=len)
def test_few_texts_have_no_dictionary(texts: list[str]):
    found = dictionary_of(texts, sum(map(len, texts)))
    assert (found.dtype, found.shape) == (np.uint8, (0,))
    assert list(store_of(texts, found)) == texts


def test_a_dictionary_is_the_first_of_the_texts():
    texts = sentences(400)
    joined = "".join(texts).encode()
    found = dictionary_of(texts, len(joined))
    assert found.tobytes() == joined[: len(joined) // 16]


def test_a_dictionary_has_an_end():
    seen: list[int] = []

    def texts() -> Iterator[str]:
        for number in range(100):
            seen.append(number)
            yield "x" * 100_000

    assert len(dictionary_of(texts(), 10**9)) == DICTIONARY_BYTES == 2**19
    assert len(seen) == 7


def test_texts_with_much_in_common_are_smaller_with_a_dictionary(dictionary: Bytes):
    others = sentences(4300)[4000:]
    n_bytes = sum(len(text.encode()) for text in others)
    with_it, without = (sum(map(len, packed(others, one))) for one in (dictionary, NONE))
    assert with_it < 0.5 * without < 0.5 * n_bytes
    assert list(store_of(others, dictionary)) == others


def test_the_same_texts_give_the_same_frames(dictionary: Bytes):
    texts = sentences(100)
    assert list(packed(texts, dictionary)) == list(packed(texts, dictionary.copy()))


# --- damage ----------------------------------------------------------------------------------


def with_frame(frame: bytes, dictionary: Bytes) -> TextStore:
    """Three texts, the frame of the second given."""
    frames = list(packed(["first", "second", "third"], dictionary))
    frames[1] = frame
    indptr = np.cumsum([0, *map(len, frames)])
    return TextStore(
        indptr=indptr,
        frames=np.frombuffer(b"".join(frames), np.uint8),
        dictionary=dictionary,
    )


DAMAGED = "the text of passage 1 cannot be unpacked: build the index again"


def good_frame(text: str, dictionary: Bytes) -> bytes:
    [frame] = packed([text], dictionary)
    return frame


@pytest.mark.parametrize("has_dictionary", [False, True])
def test_a_damaged_frame_is_named_and_leaves_the_others_alone(
    dictionary: Bytes, has_dictionary: bool
):
    used = dictionary if has_dictionary else NONE
    whole = good_frame(sentences(2)[1], used)
    too_large = bytes([*whole[:4], 0xE0, *(0x3F for _ in range(8)), *whole[6:]])
    for frame in (b"", b"no frame", whole[:-1], whole[:3], b"\xff" + whole[1:], too_large):
        store = with_frame(frame, used)
        with refused(IndexDamagedError, DAMAGED):
            store[1]
        with refused(IndexDamagedError, DAMAGED):
            list(store)
        assert (store[0], store[2]) == ("first", "third")


def test_a_frame_of_other_bytes_than_text_is_damaged():
    with refused(IndexDamagedError, DAMAGED):
        with_frame(ZstdCompressor().compress(b"\xff\xfe"), NONE)[1]


@given(
    edits=st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=4),
    cut=st.integers(0, 3),
)
def test_whatever_a_frame_holds_is_a_text_or_an_error_of_one_line(
    edits: list[tuple[int, int]], cut: int, dictionary: Bytes
):
    frame = bytearray(good_frame(sentences(3)[2], dictionary))
    for position, value in edits:
        frame[position % len(frame)] = value
    store = with_frame(bytes(frame[: len(frame) - cut]), dictionary)
    try:
        assert isinstance(store[1], str)
    except IndexDamagedError as error:
        assert str(error) == DAMAGED
    assert (store[0], store[2]) == ("first", "third")


# --- several threads -------------------------------------------------------------------------


def test_several_threads_read_at_once(dictionary: Bytes):
    texts = [text * (1 + number % 5) for number, text in enumerate(sentences(300))]
    store = store_of(texts, dictionary)
    orders = [np.random.default_rng(seed).permutation(len(texts)).tolist() for seed in range(16)]

    def read(order: list[int]) -> list[str]:
        return [store[row] for row in order]

    with ThreadPoolExecutor(8) as pool:
        for order, found in zip(orders, pool.map(read, orders), strict=True):
            assert found == [texts[row] for row in order]


def test_a_frame_that_unpacks_to_far_more_than_its_bytes_is_refused():
    frame = ZstdCompressor().compress(b" " * (1 << 25))
    bomb = TextStore(
        indptr=np.array([0, len(frame)], np.int64),
        frames=np.frombuffer(frame, np.uint8),
        dictionary=NONE,
    )
    assert len(frame) < 1 << 12
    with refused(IndexDamagedError, "the text of passage 0 cannot be unpacked"):
        bomb[0]


def test_a_long_text_that_repeats_itself_comes_back():
    text = "ab " * (1 << 22)
    store = store_of([text, "x"], NONE)
    assert (store[0] == text, store[1]) == (True, "x")
