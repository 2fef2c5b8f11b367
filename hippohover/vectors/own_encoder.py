"""Encoders of the user's own: Python objects, given to a build and to an engine."""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import HippoHoverError, ModelError, UsageError, in_a_line
from hippohover.recipe import is_own, own_name, own_text
from hippohover.vectors.embedding import Encoder
from hippohover.vectors.static_encoder import PACKAGED, check_packaged, check_texts

_LENGTH_TOLERANCE: Final = 1e-3


class OwnEncoder:
    """A user's encoder, whose rows are checked; an ``embedding.Encoder``.

    Its fingerprint is one of name, dimension and the fingerprint given, so that what is kept of it
    is never taken for what another encoder of the same weights gave.

    Raises
    ------
    UsageError
        A name, dimension or fingerprint is missing or cannot be used.
    """

    def __init__(self, encoder: Encoder) -> None:
        self.name = own_name("encoder", encoder)
        dim: object = getattr(encoder, "dim", None)
        if isinstance(dim, bool) or not isinstance(dim, int | np.integer) or dim < 1:
            raise UsageError(f"encoder {self.name!r} has dim {dim!r}: give a whole number above 0")
        fingerprint = own_text("encoder", encoder, "fingerprint")
        self.dim = int(dim)
        told = json.dumps([self.name, self.dim, fingerprint])
        self.fingerprint = sha256(told.encode()).hexdigest()
        self._encoder = encoder

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the rows that the encoder gives.

        ``ModelError`` if it fails, or they are not unit vectors.
        """
        check_texts(self.name, texts)
        if not len(texts):
            return np.zeros((0, self.dim), np.float32)
        rows = self._rows(list(texts))
        wanted = (len(texts), self.dim)
        if rows.shape != wanted:
            raise ModelError(
                f"encoder {self.name!r} gave rows of shape {rows.shape}: give shape {wanted}"
            )
        lengths = np.linalg.norm(rows, axis=1)
        wrong = ~((np.abs(lengths - 1) < _LENGTH_TOLERANCE) | (lengths == 0))
        if wrong.any():
            raise ModelError(
                f"encoder {self.name!r} gave a row of length {lengths[wrong][0]:g}: scale each to "
                "length 1, or give zeros for a text in which nothing is known"
            )
        return rows

    def _rows(self, texts: list[str]) -> NDArray[np.float32]:
        try:
            given = self._encoder.encode(texts)
            rows = np.asarray(given)
        except (HippoHoverError, MemoryError):
            raise
        except Exception as error:  # it may raise anything, and numpy at what it gives
            raise ModelError(f"encoder {self.name!r} failed ({in_a_line(error)})") from error
        if rows.dtype.kind not in "fiu" or np.ma.isMaskedArray(given):
            kind = "masked rows" if np.ma.isMaskedArray(given) else f"rows of type {rows.dtype}"
            raise ModelError(f"encoder {self.name!r} gave {kind}: give plain real numbers")
        return rows.astype(np.float32, copy=False)


def encoder_of_index(given: Encoder | None, built_with: Mapping[str, str]) -> OwnEncoder | None:
    """Return the encoder given for an index; None where the index has its own.

    Parameters
    ----------
    built_with : mapping
        What the manifest says of the encoder; empty where there is none.

    Raises
    ------
    ModelError
        It is not the one that the index was built with, or that one is not given; or the index
        was built with an encoder that another release has.
    UsageError
        The index needs none.
    """
    name = built_with.get("name", "none")
    if given is None:
        if is_own(name):
            raise ModelError(
                f"this index was built with encoder {name!r}, an object of Python, which no "
                "command has: open it from Python with HippoHover.open(..., encoder=...)"
            )
        if name in PACKAGED:
            check_packaged(name, built_with["sha256"])
        return None
    own = OwnEncoder(given)
    if not is_own(name):
        raise UsageError(
            f"this index was built with encoder {name!r} and not with {own.name!r}: leave encoder "
            "out, or build the index again"
        )
    if (own.name, own.fingerprint) != (name, built_with["sha256"]):
        other = f"{own.name!r}" if own.name != name else "one of other dimension or fingerprint"
        raise ModelError(
            f"this index was built with encoder {name!r} and not with {other}: give that one, or "
            "build the index again"
        )
    return own
