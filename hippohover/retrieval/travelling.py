"""What an open engine keeps when it is pickled, as for a process pool."""

import pickle
from typing import Any

from hippohover.errors import UsageError
from hippohover.progress import Progress, silent
from hippohover.vectors.embedding import Encoder


def check_travels(*, encoder: Encoder | None, progress: Progress, asks: bool) -> None:
    """Raise ``UsageError`` that names a part of the engine that cannot be pickled.

    Parameters
    ----------
    encoder : Encoder or None
        One of the user's own.
    progress : callable
    asks : bool
        Whether the engine asks a language model.
    """
    if asks:
        raise UsageError(
            "an engine with a language model cannot be pickled, for its key stays in this process: "
            "open the index where it is used, with a language model made there"
        )
    if progress is not silent:
        _check("progress callback", progress)
    if encoder is not None:
        _check(f"encoder {encoder.name!r}", encoder)


def _check(what: str, value: Any) -> None:  # noqa: ANN401
    try:
        pickle.dumps(value)
    except Exception as error:  # objects raise whatever they like
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise UsageError(
            f"the {what} of the engine cannot be pickled ({reason:.200}): make it a class or "
            "function of a module, or open the index where it is used"
        ) from error
