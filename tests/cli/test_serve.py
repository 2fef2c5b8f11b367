"""What ``serve`` and ``mcp`` refuse before they begin."""

import json
import socket
import stat
from importlib.util import find_spec
from pathlib import Path

import pytest

from hippohover.cli.running import run
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


def test_an_index_is_written_into_a_clients_configuration(
    toy_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / ".mcp.json"
    mine = {"mcpServers": {"other": {"command": "x", "env": {"KEY": "ü"}}}, "theme": 1.5}
    file.write_text(json.dumps(mine), "utf-8")
    file.chmod(0o600)
    command = ["mcp", str(toy_index), "--install", "claude-code"]
    assert run([*command, "--dry-run"]) == 0
    assert json.loads(file.read_text("utf-8")) == mine
    assert [run(command), run(command), run([*command, "--writable"])] == [0, 0, 0]
    said = json.loads(file.read_text("utf-8"))
    own = said["mcpServers"].pop(f"hippohover-{toy_index.resolve().name}")
    assert said == mine
    assert own["args"][-2:] == [str(toy_index.resolve()), "--writable"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    copies = sorted(path.name for path in tmp_path.glob(".mcp.json.*"))
    assert copies == [".mcp.json.before-1", ".mcp.json.before-2"]
    assert json.loads((tmp_path / copies[0]).read_text("utf-8")) == mine


@pytest.mark.parametrize("text", ["{ // mine\n}", '{"mcpServers": []}', "[1]"])
def test_a_configuration_that_cannot_be_merged_stays(
    toy_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
):
    monkeypatch.chdir(tmp_path)
    Path(".mcp.json").write_text(text, "utf-8")
    assert run(["mcp", str(toy_index), "--install", "claude-code"]) == 1
    assert Path(".mcp.json").read_text("utf-8") == text
