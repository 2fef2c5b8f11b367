"""The items of a JSON array, one after another."""

import codecs
import json
import re
from collections.abc import Iterator
from typing import IO

from hippohover.errors import CorpusError
from hippohover.indexing.corpus.files.streams import (
    CHUNK_BYTES,
    MAX_RECORD_BYTES,
    one_line,
    too_long,
)

_JSON_BLANKS = re.compile(r"[ \t\n\r]*")
_ESCAPED_BYTE = re.compile("[\udc80-\udcff]")
_JSON = json.JSONDecoder()


class JsonArray:
    """The items of one JSON array, decoded one after another from a stream.

    Iterating yields (item, whether its bytes were UTF-8). An array cannot be entered again
    after a syntax error, so such an error is a ``CorpusError`` and not a bad record.

    ijson 3.6 is three to four times as fast, but dies of a number of 5,000 digits (a segmentation
    fault), has no bound (20,000 brackets take 957 MB) and ends at bytes that are not UTF-8.
    """

    def __init__(self, stream: IO[bytes], place: str) -> None:
        self._stream = stream
        self._place = place
        self._decode = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape").decode
        self._text = ""
        self._at = 0
        self._n_items = 0

    def __iter__(self) -> Iterator[tuple[object, bool]]:
        self._take("[")
        if self._next() == "]":
            self._at += 1
        else:
            yield self._item()
            while self._take(",]") == ",":
                yield self._item()
        if self._next():
            raise self._broken("more text after the array")

    def _item(self) -> tuple[object, bool]:
        self._next()
        self._n_items += 1
        while True:
            try:
                item, end = _JSON.raw_decode(self._text, self._at)
            except (ValueError, RecursionError) as error:
                is_syntax = isinstance(error, json.JSONDecodeError)
                if is_syntax and self._fill():  # it may only have been cut by the buffer's end
                    continue
                raise self._broken(error.msg if is_syntax else str(error)) from error
            if end == len(self._text) and self._fill():
                continue  # "12" may go on as "123"
            is_utf8 = _ESCAPED_BYTE.search(self._text, self._at, end) is None
            self._at = end
            return item, is_utf8

    def _take(self, wanted: str) -> str:
        sign = self._next()
        if not sign or sign not in wanted:
            raise self._broken(f"expected one of {wanted!r}, found {sign!r}")
        self._at += 1
        return sign

    def _next(self) -> str:
        """The next character that is not a blank, not yet taken; "" at the end."""
        while True:
            blanks = _JSON_BLANKS.match(self._text, self._at)
            self._at = blanks.end() if blanks else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._fill():
                return ""

    def _fill(self) -> bool:
        """Drop what was taken and at least double the rest; False at the end of the stream."""
        rest = self._text[self._at :]
        if len(rest) > MAX_RECORD_BYTES:
            raise too_long(f"{self._place}: item {self._n_items}")
        chunk = self._stream.read(max(CHUNK_BYTES, len(rest)))
        self._text = rest + self._decode(chunk, final=not chunk)
        self._at = 0
        return bool(chunk)

    def _broken(self, problem: str) -> CorpusError:
        return CorpusError(
            f"{one_line(self._place)}: not a whole JSON array ({one_line(problem)} "
            f"at item {self._n_items}): mend it, or fetch it again"
        )
