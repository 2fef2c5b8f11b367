"""Writes a graph of ONNX: nodes and weights, in the bytes of protocol buffers."""

import struct
from collections.abc import Sequence
from typing import Any, Final

from numpy.typing import NDArray

_OPSET: Final = 17
_IR_VERSION: Final = 8
_TYPES: Final = {"float32": 1, "uint8": 2, "int64": 7}
_FLOAT, _INT, _INTS = 1, 2, 7  # of attributes


class OnnxGraph:
    """A graph that is written node by node; its one input is ``input_ids``, (1, tokens)."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._n = 0

    def node(
        self,
        kind: str,
        *inputs: str | NDArray[Any],
        to_output: str = "",
        **settings: float | Sequence[int],
    ) -> str:
        """Add a node; arrays are weights. Returns the name of its output."""
        names = [one if isinstance(one, str) else self._weights(one) for one in inputs]
        name = to_output or self._new()
        told = [field(1, one) for one in names]
        told += [field(2, name), field(4, kind)]
        told += [field(5, _attribute(*setting)) for setting in settings.items()]
        self._parts.append(field(1, b"".join(told)))
        return name

    def layers(self, x: str, *weights: NDArray[Any], beside: NDArray[Any]) -> str:
        """Add two layers, the first of which is cut at 0, beside a projection; returns the sum."""
        first = self.node("Relu", self.node("MatMul", x, weights[0]))
        return self.node(
            "Add", self.node("MatMul", first, weights[1]), self.node("MatMul", x, beside)
        )

    def content(self, *, dim: int) -> bytes:
        """Return the model's file, of which ``sentence_embedding`` is the output, (1, dim)."""
        ids = field(11, _value("input_ids", "int64", (1, "tokens")))
        output = field(12, _value("sentence_embedding", "float32", (1, dim)))
        graph = b"".join([*self._parts, field(2, "graph"), ids, output])
        opset = field(1, "") + field(2, _OPSET)
        return field(1, _IR_VERSION) + field(7, graph) + field(8, opset)

    def _new(self) -> str:
        self._n += 1
        return f"x{self._n}"

    def _weights(self, array: NDArray[Any]) -> str:
        name = self._new()
        told = [field(1, n) for n in array.shape]
        told += [field(2, _TYPES[str(array.dtype)]), field(8, name), field(9, array.tobytes())]
        self._parts.append(field(5, b"".join(told)))
        return name


def field(number: int, value: str | bytes | int) -> bytes:
    """Return a field of a message of protocol buffers."""
    if isinstance(value, int):
        return _number(number << 3) + _number(value)
    content = value.encode() if isinstance(value, str) else value
    return _number(number << 3 | 2) + _number(len(content)) + content


def fields_of(content: bytes) -> list[tuple[int, bytes]]:
    """Return the fields of a message but those of whole numbers: their numbers and contents."""
    found: list[tuple[int, bytes]] = []
    at = 0
    while at < len(content):
        tag, at = _read_number(content, at)
        if tag & 7 == 0:
            _, at = _read_number(content, at)
            continue
        size = {1: 8, 5: 4}.get(tag & 7)
        if size is None:
            size, at = _read_number(content, at)
        found.append((tag >> 3, content[at : at + size]))
        at += size
    return found


def _attribute(name: str, value: float | Sequence[int]) -> bytes:
    told = field(1, name)
    if isinstance(value, float):
        return told + _number(2 << 3 | 5) + struct.pack("<f", value) + field(20, _FLOAT)
    if isinstance(value, int):
        return told + field(3, value) + field(20, _INT)
    return told + b"".join(field(8, one) for one in value) + field(20, _INTS)


def _value(name: str, kind: str, shape: Sequence[int | str]) -> bytes:
    sizes = (field(1, one) if isinstance(one, int) else field(2, one) for one in shape)
    dims = b"".join(field(1, size) for size in sizes)
    return field(1, name) + field(2, field(1, field(1, _TYPES[kind]) + field(2, dims)))


def _number(value: int) -> bytes:
    """Write a number of 0 or more, seven bits a byte."""
    low = bytearray()
    while value > 127:
        low.append(value & 127 | 128)
        value >>= 7
    return bytes([*low, value])


def _read_number(content: bytes, at: int) -> tuple[int, int]:
    """Return a number and the place behind it."""
    value = shift = 0
    while True:
        byte = content[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at
