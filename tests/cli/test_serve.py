"""What ``serve`` and ``mcp`` refuse before they begin."""

import socket
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cli.command_samples import Command, assert_error


def test_beyond_this_machine_a_token_is_needed(
    hippohover: Command, toy_index: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("HIPPOHOVER_TOKEN", raising=False)
    assert_error(
        hippohover("serve", toy_index, "--host", "0.0.0.0", "--port", "0"),  # noqa: S104
        "--host 0.0.0.0", "HIPPOHOVER_TOKEN",
    )  # fmt: skip
    assert_error(
        hippohover("serve", toy_index, "--host", "no.such.invalid"), "no.such.invalid, port"
    )
    monkeypatch.setenv("HIPPOHOVER_TOKEN", "h\u00f6ren")
    assert_error(hippohover("serve", toy_index, "--port", "0"), "HIPPOHOVER_TOKEN", "ASCII")
    monkeypatch.setenv("OURS", " \n")
    assert_error(hippohover("serve", toy_index, "--host", "::", "--token-variable", "OURS"), "OURS")


def test_what_cannot_be_is_said(hippohover: Command, toy_index: Path, tmp_path: Path):
    assert_error(hippohover("serve", tmp_path / "none", "--port", "0"), "none")
    assert_error(hippohover("serve", toy_index, "--rate", "fast"), "--rate 'fast'", "60/minute")
    assert_error(hippohover("serve", toy_index, "--rate", "0/minute"), "'0/minute'", "1 or more")
    assert_error(hippohover("serve", toy_index, "--port", "70000"), "--port", code=2)
    assert_error(hippohover("serve", toy_index, "--time-limit", "0"), "--time-limit", code=2)
    assert_error(
        hippohover("serve", toy_index, "--port", "0", "--rules", tmp_path / "no.toml"), "no.toml"
    )
    assert_error(
        hippohover("serve", toy_index, "--port", "0", "--nli", tmp_path / "no"), "no such folder"
    )
    assert_error(
        hippohover("serve", toy_index, "--port", "0", "--documents", tmp_path / "no"),
        "is not a folder",
    )
    serve = ("serve", toy_index, "--port", "0")
    assert_error(hippohover(*serve, "--source", "google"), "source 'google' is unknown")
    assert_error(hippohover(*serve, "--program", "hypothesis"), "asks a language model")
    assert_error(hippohover(*serve, "--program", "ppr"), "name one of", code=2)
    assert_error(hippohover("mcp", tmp_path / "none"), "none")
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
    assert_error(hippohover(command, toy_index), "uvicorn", "pip install 'hippohover[web]'")
