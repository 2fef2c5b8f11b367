"""JSON arrays, read item by item in bounded memory."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.errors import CorpusError
from hippohover.indexing.corpus.files.streams import damage_named
from hippohover.indexing.corpus.readers.records import json_stream
from hippohover.indexing.corpus.readers.records.json_stream import JsonStream

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


def read_array(content: bytes) -> list[tuple[object, bool]]:
    with damage_named("a.json"):
        source = JsonStream(io.BytesIO(content), "a.json")
        source.open("[")
        items = list(source.items())
        source.end()
        return items


@given(items=st.lists(JSON_VALUES), indent=st.none() | st.integers(0, 2), ascii_only=st.booleans())
@pytest.mark.parametrize("chunk", [1, 7, 2**20])
def test_an_array_is_read_as_the_json_module_reads_it(
    chunk: int, items: list[object], indent: int | None, ascii_only: bool
):
    content = json.dumps(items, indent=indent, ensure_ascii=ascii_only)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_stream, "CHUNK_BYTES", chunk)
        read = read_array(content.encode("utf-8", "surrogatepass"))
    assert [item for item, _ in read] == json.loads(content)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[",
        b"[1",
        b"[1,",
        b"[1,]",
        b"[1 2]",
        b"[,1]",
        b"[1]]",
        b"[1] x",
        b"[nope]",
        b'["open',
        b"\x00[1]",
        b"[" * 100_000,
        b'[{"a":' + b"[" * 100_000,
        b"[" + b"9" * 5_000 + b"]",
    ],
    ids=lambda content: repr(content[:12]),
)
def test_a_broken_array_is_an_error_on_one_line(content: bytes):
    with pytest.raises(CorpusError, match=r"^a\.json: not whole JSON") as caught:
        read_array(content)
    assert "\n" not in str(caught.value)


def test_an_item_that_is_not_utf8_is_marked_and_the_next_one_read():
    assert read_array(b'["\xff", "\\udc80", "ok"]') == [
        ("\udcff", False),
        ("\udc80", True),
        ("ok", True),
    ]


def test_an_item_above_the_bound_is_an_error(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(json_stream, "MAX_RECORD_BYTES", 64)
    monkeypatch.setattr(json_stream, "CHUNK_BYTES", 16)
    assert len(read_array(json.dumps(["x" * 40] * 9).encode())) == 9
    with pytest.raises(CorpusError, match=r"^a\.json: item 2: longer than"):
        read_array(json.dumps(["x", "y" * 200]).encode())
