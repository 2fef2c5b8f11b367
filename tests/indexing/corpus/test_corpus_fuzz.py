"""Whatever the bytes of a corpus: passages that hold what they promise, or a CorpusError."""

import bz2
import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from hippohover.errors import CorpusError
from hippohover.indexing.corpus.records import clean_text
from tests.indexing.corpus.corpus_samples import FILE_FORMATS, WRITERS, read_corpus

QUICK = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
    max_examples=min(30, settings().max_examples),
)


def read_any(path: Path, format_name: str = "auto") -> None:
    """Read what may be damaged: passages that hold what they promise, or a CorpusError."""
    try:
        for passage in read_corpus(path, format=format_name, max_words=5, max_bad_share=0.5):
            assert passage.title
            assert passage.text == clean_text(passage.text).strip() != ""
            passage.text.encode()
    except CorpusError as error:
        assert "\n" not in str(error)


@QUICK
@given(content=st.binary(max_size=300) | st.text().map(str.encode))
@example(content=b"[" * 100_000)
@example(content=b"\x1f\x8b\x08\x00" + b"\0" * 40)
@example(content=b"BZh91AY&SY" + b"\0" * 40)
@example(content=b"SQLite format 3\0" + b"\0" * 400)
@pytest.mark.parametrize("name", [*FILE_FORMATS, "auto"])
def test_random_bytes_raise_nothing_else(tmp_path: Path, name: str, content: bytes):
    path = tmp_path / "any"
    path.write_bytes(content)
    read_any(path, name)


@QUICK
@given(content=st.binary(max_size=300))
@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_random_bytes_packed_raise_nothing_else(
    tmp_path: Path, pack: Callable[[bytes], bytes], content: bytes
):
    path = tmp_path / "any"
    path.write_bytes(pack(content))
    for name in ("auto", *FILE_FORMATS):
        read_any(path, name)  # pyright: ignore[reportArgumentType]


@pytest.fixture(scope="module")
def sound_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A whole file of each format."""
    return {
        name: WRITERS[name](tmp_path_factory.mktemp(name)).read_bytes() for name in FILE_FORMATS
    }


@st.composite
def damages(draw: st.DrawFn, whole: bytes) -> bytes:
    """``whole``, cut, with bits turned, and with pieces removed, put in or doubled."""
    content = bytearray(whole[: draw(st.just(len(whole)) | st.integers(0, len(whole)))])
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(content)))
        kind = draw(st.sampled_from(["turn", "turn", "take", "put", "double"]))
        if kind == "turn" and at < len(content):
            content[at] ^= 1 << draw(st.integers(0, 7))
        elif kind == "take":
            del content[at : at + draw(st.integers(1, 600))]
        elif kind == "put":
            content[at:at] = draw(st.binary(max_size=20))
        else:
            content[at:at] = content[: draw(st.integers(0, 1000))]
    return bytes(content)


@QUICK
@given(data=st.data())
@pytest.mark.parametrize("name", FILE_FORMATS)
def test_damaged_files_raise_nothing_else(
    tmp_path: Path, sound_files: dict[str, bytes], name: str, data: st.DataObject
):
    path = tmp_path / "damaged"
    path.write_bytes(data.draw(damages(sound_files[name])))
    read_any(path, name)


@pytest.mark.slow
@settings(QUICK, max_examples=300)
@given(data=st.data())
@pytest.mark.parametrize("name", FILE_FORMATS)
def test_many_damaged_files_raise_nothing_else(
    tmp_path: Path, sound_files: dict[str, bytes], name: str, data: st.DataObject
):
    path = tmp_path / "damaged"
    path.write_bytes(data.draw(damages(sound_files[name])))
    read_any(path, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", FILE_FORMATS)
def test_a_file_cut_anywhere_is_refused(tmp_path: Path, sound_files: dict[str, bytes], name: str):
    whole, path = sound_files[name], tmp_path / "cut"
    for n_bytes in range(0, len(whole), max(1, len(whole) // 800)):
        path.write_bytes(whole[:n_bytes])
        with pytest.raises(CorpusError):
            list(read_corpus(path, format=name))


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=4,
)
RECORDS = st.fixed_dictionaries(
    {}, optional={"title": JSON, "text": JSON, "links": JSON, "text_with_links": JSON, "idx": JSON}
)


@QUICK
@given(records=st.lists(RECORDS | JSON, max_size=4), is_array=st.booleans())
def test_records_of_any_shape_raise_nothing_else(
    tmp_path: Path, records: list[object], is_array: bool
):
    path = tmp_path / ("c.json" if is_array else "c.jsonl")
    lines = [json.dumps(r) for r in records]
    path.write_text(f"[{','.join(lines)}]" if is_array else "\n".join(lines), encoding="utf-8")
    read_any(path)
