"""Reads JSON value by value from a stream of any length."""

import codecs
import json
import re
from collections.abc import Iterator
from typing import IO, Final

from hippohover.disk.errors import json_problem
from hippohover.errors import CorpusError
from hippohover.indexing.corpus.files.streams import (
    CHUNK_BYTES,
    MAX_RECORD_BYTES,
    one_line,
    too_long,
)
from hippohover.indexing.corpus.records import BadRecord

_JSON_BLANKS = re.compile(r"[ \t\n\r]*")
_ESCAPED_BYTE = re.compile("[\udc80-\udcff]")
_JSON = json.JSONDecoder()
_ERRORS: Final = "surrogateescape"

Value = tuple[object, bool]
"""A value, and whether its bytes were UTF-8."""


class JsonStream:
    """JSON values, decoded one after another from a stream.

    An array or an object cannot be entered again after a syntax error, so such an error is a
    ``CorpusError``. Among values one after another it is a bad one, where a later line begins with
    a brace: there it goes on. ``encoding`` is what it is in, where that is not UTF-8.

    ijson 3.6 is three to four times as fast, but dies of a number of 5,000 digits (a segmentation
    fault), has no bound (20,000 brackets take 957 MB) and ends at bytes that are not UTF-8.
    """

    def __init__(self, stream: IO[bytes], place: str) -> None:
        self._stream = stream
        self._place = place
        self._decoder: codecs.IncrementalDecoder | None = None
        self._text = ""
        self._at = 0
        self._n_items = 0
        self.encoding = ""

    def sign(self) -> str:
        """Return the next character that is not a blank, without taking it; "" at the end."""
        while True:
            blanks = _JSON_BLANKS.match(self._text, self._at)
            self._at = blanks.end() if blanks else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._fill():
                return ""

    def value(self) -> Value:
        """Return the next value, whole."""
        value = self._value(None)
        assert value is not None  # noqa: S101  (there is no bound but that of a record)
        return value

    def short_value(self, most_chars: int) -> Value | None:
        """Return the next value, or a ``BadRecord`` in its place.

        None, and nothing is taken, of one that goes on after so many.
        """
        return self._value(most_chars, goes_on=True)

    def values(self) -> Iterator[Value]:
        """Yield all values to the end, separated by blanks; a BadRecord for a broken one."""
        while self.sign():
            value = self._value(None, goes_on=True)
            assert value is not None  # noqa: S101  (as above)
            yield value

    def open(self, bracket: str) -> str:
        """Enter an array or an object; return what is next in it."""
        self._take(bracket)
        return self.sign()

    def items(self) -> Iterator[Value]:
        """Yield the items of an opened array, to its closing bracket."""
        if self.sign() == "]":
            self._at += 1
            return
        yield self.value()
        while self._take(",]") == ",":
            yield self.value()

    def names(self) -> Iterator[str]:
        """Yield the names in an opened object; take the value after each."""
        if self.sign() == "}":
            self._at += 1
            return
        more = True
        while more:
            name, _ = self.value()
            if not isinstance(name, str):
                raise self.broken("a name that is no text")
            self._take(":")
            yield name
            more = self._take(",}") == ","

    def end(self) -> None:
        """Raise ``CorpusError`` where more is left."""
        if self.sign():
            raise self.broken("more text after the end")

    def broken(self, problem: str) -> CorpusError:
        """Make the error for invalid JSON."""
        return CorpusError(
            f"{one_line(self._place)}: not whole JSON ({one_line(problem)} "
            f"at item {self._n_items}): fix it, or fetch it again"
        )

    def _value(self, most_chars: int | None, *, goes_on: bool = False) -> Value | None:
        self.sign()
        self._n_items += 1
        while True:
            try:
                value, end = _JSON.raw_decode(self._text, self._at)
            except (ValueError, RecursionError) as error:
                is_syntax = isinstance(error, json.JSONDecodeError)
                if goes_on and is_syntax and self._skip_to_line(error.pos):
                    return self._bad(error.msg), True
                if is_syntax and most_chars and len(self._text) - self._at > most_chars:
                    self._n_items -= 1
                    return None
                if is_syntax and self._fill():  # it may only have been cut by the buffer's end
                    continue
                if goes_on and is_syntax and self._skip_to_line(self._at + 2):
                    return self._bad(error.msg), True  # it took the next record into itself
                raise self.broken(error.msg if is_syntax else json_problem(error)) from error
            if end == len(self._text) and self._fill():
                continue  # "12" may go on as "123"
            is_utf8 = _ESCAPED_BYTE.search(self._text, self._at, end) is None
            self._at = end
            return value, is_utf8

    def _skip_to_line(self, broken_at: int) -> bool:
        """Skip to the next line that begins with a brace; False where none is read yet.

        What the buffer's end has cut is broken behind its last line that begins so.
        """
        line_end = self._text.find("\n{", max(broken_at - 1, self._at))
        if line_end < 0:
            return False
        self._at = line_end + 1
        return True

    def _bad(self, problem: str) -> BadRecord:
        return BadRecord(
            f"{self._place}: item {self._n_items}", f"not JSON ({one_line(problem, longest=80)})"
        )

    def _take(self, wanted: str) -> str:
        sign = self.sign()
        if not sign or sign not in wanted:
            raise self.broken(f"expected one of {wanted!r}, found {sign!r}")
        self._at += 1
        return sign

    def _fill(self) -> bool:
        """Drop what was taken and at least double the rest; return False at the stream's end."""
        rest = self._text[self._at :]
        if len(rest) > MAX_RECORD_BYTES:
            raise too_long(f"{self._place}: item {self._n_items}")
        chunk = self._stream.read(max(CHUNK_BYTES, len(rest)))
        if self._decoder is None:  # UTF-16 and UTF-32 show in the first four bytes
            name = json.detect_encoding(chunk)
            self.encoding = "" if name.startswith("utf-8") else name
            self._decoder = codecs.getincrementaldecoder(self.encoding or "utf-8-sig")(_ERRORS)
        self._text = rest + self._decoder.decode(chunk, final=not chunk)
        self._at = 0
        return bool(chunk)
