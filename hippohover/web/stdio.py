"""Serves MCP over stdin and stdout, and answers lines that are no message of it."""

import json
import os
import sys
from collections.abc import AsyncIterator
from typing import Any, Final, cast

import anyio
from mcp.server.mcpserver import MCPServer
from mcp.server.stdio import stdio_server
from mcp.types import jsonrpc_message_adapter
from pydantic import ValidationError

_PARSE_ERROR: Final = -32700
_INVALID_REQUEST: Final = -32600


def serve(server: MCPServer) -> None:
    """Serve until the end of stdin. What anything else prints goes to stderr."""
    wire = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with (
        open(wire, "w", encoding="utf-8") as written,  # noqa: PTH123
        open(sys.stdin.fileno(), encoding="utf-8", errors="replace", closefd=False) as read,
    ):
        anyio.run(_served, server, anyio.wrap_file(read), anyio.wrap_file(written))


async def _served(server: MCPServer, read: Any, written: Any) -> None:  # noqa: ANN401
    stdout = _Lines(written)
    stdin = cast("anyio.AsyncFile[str]", _Messages(read, stdout))
    low = server._lowlevel_server  # pyright: ignore[reportPrivateUsage]  # as its run_stdio_async
    async with stdio_server(stdin, cast("anyio.AsyncFile[str]", stdout)) as (incoming, outgoing):
        await low.run(incoming, outgoing, low.create_initialization_options())


class _Lines:
    """Writes whole lines, though two tasks write."""

    def __init__(self, file: "anyio.AsyncFile[str]") -> None:
        self._file = file
        self._lock = anyio.Lock()

    async def write(self, line: str) -> None:
        async with self._lock:
            await self._file.write(line)
            await self._file.flush()

    async def flush(self) -> None:
        """Do nothing: each line was flushed."""


class _Messages:
    """Yields lines that are messages, and answers the others with an error."""

    def __init__(self, file: "anyio.AsyncFile[str]", answers: _Lines) -> None:
        self._file = file
        self._answers = answers

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in self._file:
            error = _error_of(line)
            if not error:
                yield line
            elif line.strip():
                await self._answers.write(f"{json.dumps(error)}\n")


def _error_of(line: str) -> dict[str, Any]:
    """Return the answer to a line that is no message; empty for a message."""
    try:
        jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        is_json = error.errors()[0]["type"] != "json_invalid"
    else:
        return {}
    given: Any = json.loads(line) if is_json else None
    asked = cast("dict[str, Any]", given).get("id") if isinstance(given, dict) else None
    code = _INVALID_REQUEST if is_json else _PARSE_ERROR
    said = "is no request of JSON-RPC 2.0" if is_json else "is not JSON"
    return {
        "jsonrpc": "2.0",
        "id": asked if isinstance(asked, str | int) else None,
        "error": {"code": code, "message": f"the line {said}: send one message a line"},
    }
