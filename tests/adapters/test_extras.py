"""A module that needs an extra says which, as commands do."""

import subprocess
import sys

import pytest

from hippohover.adapters.extras import needed
from hippohover.errors import as_installed

EXTRAS = {
    "hippohover.adapters.langchain": ("langchain_core", "langchain-core", "langchain"),
    "hippohover.adapters.llamaindex": ("llama_index", "llama-index-core", "llamaindex"),
    "hippohover.adapters.haystack": ("haystack", "haystack-ai", "haystack"),
    "hippohover.adapters.pyterrier": ("pyterrier", "pyterrier", "pyterrier"),
    "hippohover.adapters.txtai": ("txtai", "txtai", "txtai"),
    "hippohover.adapters.beir": ("beir", "beir", "beir"),
    "hippohover.adapters.mteb": ("mteb", "mteb", "mteb"),
    "hippohover.testing.suites": ("pytest", "pytest", "testing"),
    "hippohover.testing.fixtures": ("pytest", "pytest", "testing"),
    "hippohover.testing.strategies": ("hypothesis", "hypothesis", "testing"),
    "hippohover.testing.machine": ("hypothesis", "hypothesis", "testing"),
}
"""Module -> what it imports, the package that brings it, and the extra that installs this."""

_IMPORT_ALL = """
import importlib, sys
for pair in sys.argv[1:]:
    sys.modules[pair.partition("=")[2]] = None
for pair in sys.argv[1:]:
    try:
        importlib.import_module(pair.partition("=")[0])
    except ImportError as error:
        print(error)
"""


def test_each_module_without_its_extra_says_what_to_install():
    pairs = [f"{module}={library}" for module, (library, _, _) in EXTRAS.items()]
    run = subprocess.run(  # noqa: S603
        [sys.executable, "-c", _IMPORT_ALL, *pairs], capture_output=True, text=True, check=True
    )
    assert run.stdout.splitlines() == [
        as_installed(f"{module} needs {package}: pip install 'hippohover[{extra}]'")
        for module, (_, package, extra) in EXTRAS.items()
    ]


def test_the_message_keeps_what_is_missing_and_its_kind():
    with (
        pytest.raises(ModuleNotFoundError, match=r"^mine needs no-such-package: pip") as caught,
        needed("no-such-package", of="mine", extra="mine"),
    ):
        import no_such_package  # pyright: ignore[reportMissingImports, reportUnusedImport]  # noqa: F401
    assert caught.value.name == "no_such_package"


def test_another_error_is_left_as_it_is():
    with pytest.raises(ZeroDivisionError), needed("no-such-package", of="mine", extra="mine"):
        _ = 1 / 0
