"""Writes an index into the configuration of a client of MCP."""

import json
import shutil
import sys
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import count
from pathlib import Path
from typing import Any, cast

from hippohover.cli.output import console, note, plain, print_json
from hippohover.errors import UsageError


@dataclass(frozen=True, slots=True)
class Client:
    """The file where a client keeps its servers, and the table in it."""

    file: Path
    table: str


@cache
def clients() -> dict[str, Client]:
    """Read the clients that are known, by name."""
    known = tomllib.loads(files("hippohover.cli").joinpath("mcp_clients.toml").read_text("utf-8"))
    system = "macos" if sys.platform == "darwin" else "file"
    return {
        name: Client(Path(one.get(system, one["file"])).expanduser(), one["table"])
        for name, one in known.items()
    }


def install(name: str, index: Path, options: list[str], *, dry_run: bool) -> None:
    """Add the server of an index to a client's configuration, beside what is there.

    A copy of the file is kept. ``UsageError`` for a file that is no JSON object.
    """
    client, screen = clients()[name], console()
    arguments = ["-m", "hippohover", "mcp", str(index.resolve()), *options]
    own = {f"hippohover-{index.resolve().name}": {"command": sys.executable, "args": arguments}}
    if dry_run:
        note(f"{client.file} would have this, beside what it has; nothing was written")
        print_json({client.table: own})
        return
    before = _read(client)
    after = {**before, client.table: {**before.get(client.table, {}), **own}}
    if after == before:
        screen.print(f"{plain(str(client.file))} has it already")
        return
    copy = _keep(client.file)
    _write(client.file.resolve(), after)
    screen.print(f"{plain(str(client.file))}: added {', '.join(own)}; start {name} again")
    if copy is not None:
        note(f"what it was before is in {copy}")


def _read(client: Client) -> dict[str, Any]:
    """Return what a configuration says; empty if there is none."""
    try:
        text = client.file.read_text("utf-8")
    except FileNotFoundError:
        return {}
    try:
        said: object = json.loads(text) if text.strip() else {}
    except ValueError as error:
        raise UsageError(
            f"{client.file}: is not plain JSON ({error}): add by hand what --dry-run prints to "
            f"{client.table!r} in it"
        ) from error
    servers = cast("dict[str, object]", said).get(client.table, {}) if isinstance(said, dict) else 0
    if not isinstance(servers, dict):
        raise UsageError(f"{client.file}: {client.table!r} in it is no JSON object: fix that file")
    return cast("dict[str, Any]", said)


def _write(file: Path, said: dict[str, Any]) -> None:
    """Write a configuration whole or not at all, for those who could read it before."""
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(f".{file.name}.new")
    beside.touch(mode=0o600)
    beside.write_text(json.dumps(said, indent=2, ensure_ascii=False) + "\n", "utf-8")
    if file.exists():
        shutil.copymode(file, beside)
    beside.replace(file)


def _keep(file: Path) -> Path | None:
    """Copy a file beside itself under a new name; None if it is not there."""
    if not file.exists():
        return None
    names = (file.with_name(f"{file.name}.before-{n}") for n in count(1))
    copy = next(name for name in names if not name.exists())
    shutil.copy2(file, copy)
    return copy
