"""The folder of a user for what is made once and can be made again."""

import os
from pathlib import Path


def user_cache() -> Path:
    """``$HIPPOHOVER_CACHE``, else ``$XDG_CACHE_HOME/hippohover``, else ``~/.cache/hippohover``."""
    if own := os.environ.get("HIPPOHOVER_CACHE"):
        return Path(own)
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not base.is_absolute():  # the XDG specification: such a path is to be ignored
        base = Path(os.path.expanduser("~/.cache"))  # noqa: PTH111  (never raises)
    return base / "hippohover"
