"""What ``serve`` and ``mcp`` refuse before they begin."""

import socket
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cli.command_samples import Command, assert_error


def test_a_port_that_is_taken_is_named(hippohover: Command, toy_index: Path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert_error(hippohover("serve", toy_index, "--port", port), f"port {port}")


@pytest.mark.parametrize("command", ["serve", "mcp"])
def test_without_the_extra_the_way_to_it_is_said(
    hippohover: Command, toy_index: Path, monkeypatch: pytest.MonkeyPatch, command: str
):
    def found(name: str) -> object:
        return None if name == "uvicorn" else find_spec(name)

    monkeypatch.setattr("hippohover.cli.serve.find_spec", found)
    assert_error(hippohover(command, toy_index), "uvicorn", "pip install '", "[web]'")
