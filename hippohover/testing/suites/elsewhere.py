"""Asks for a suite's digest in another process, and has the texts that suites read."""

import json
import os
import subprocess
import sys
from typing import Final

from hippohover.adapters.extras import needed

with needed("pytest", of="hippohover.testing.suites", extra="testing"):
    import pytest

TEXTS: Final = [
    "Mira Oldane was born in Vellmouth.",
    "The Orle is a river.",
    "Löwenzahn, 海, and e\u0301tat",
    "a",
    "...",
    "🜂",
    "The Orle is a river. " * 40,
]
"""Short and long ones, of several scripts, and two without a word."""

_ELSEWHERE: Final = """
import importlib, json, sys
sys.path[:], module, name = json.loads(sys.argv[1])
try:
    suite = getattr(importlib.import_module(module), name)()
    suite.make()
except (ImportError, AttributeError):
    sys.exit(3)
print(suite.digest())
"""


def digest_elsewhere(suite: object) -> str:
    """Return what ``digest`` of a suite is in a process where Python's hashes of words differ."""
    kind = type(suite)
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    found = subprocess.run(  # noqa: S603
        [
            sys.executable,
            "-c",
            _ELSEWHERE,
            json.dumps([sys.path, kind.__module__, kind.__qualname__]),
        ],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=False,
    )
    if found.returncode == 3:
        pytest.skip(
            f"another process cannot use {kind.__qualname__}: define it in a module, and let "
            "make() need no fixture"
        )
    assert found.returncode == 0, found.stderr  # noqa: S101
    return found.stdout.split()[-1]
