"""Use an installed hippohover as its users do, away from any clone; the gate runs this.

python tests/installed.py BIN/hippohover EMPTY_FOLDER
"""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

CLAIM = "The director of Lantern Hill was born in Vellmouth."


def run(command: list[str], folder: Path) -> str:
    """What a command prints; it must end well."""
    print("$", *command[:1], *command[1:], flush=True)
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603
    return done.stdout


def ask(address: str, path: str, body: object | None = None) -> bytes:
    """The body of an answer of the server, which must be a good one."""
    data = None if body is None else json.dumps(body).encode()
    asked = urllib.request.Request(  # noqa: S310
        address + path, data, {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(asked, timeout=60) as answer:  # noqa: S310
        return answer.read()


def main() -> None:
    """demo, query, serve."""
    command, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir()
    os.environ["HIPPOHOVER_CACHE"] = str(folder / "cache")
    print(run([command, "demo", "--out", "toy"], folder))
    found = json.loads(run([command, "query", "toy", CLAIM, "--json"], folder))
    assert not (folder / "cache").exists(), (
        "something was compiled: the wheel lacks its machine code"
    )
    titles = [passage["title"] for passage in found["passages"]]
    assert "Lantern Hill (1962 film)" in titles, titles
    server = subprocess.Popen(  # noqa: S603
        [command, "serve", "toy", "--port", "0"], cwd=folder, stderr=subprocess.PIPE, text=True
    )
    try:
        assert server.stderr is not None
        line = server.stderr.readline()
        print(line, end="")
        address = re.search(r"http://[^/]+", line)
        assert address, line + server.stderr.read()
        assert b"<!doctype html>" in ask(address[0], "/")
        for file in ("page.js", "style.css", "walk.js"):
            assert ask(address[0], f"/static/{file}")
        answer = json.loads(ask(address[0], "/v1/retrieve", {"claim": CLAIM}))
        assert [passage["title"] for passage in answer["passages"]] == titles
        server.send_signal(signal.SIGTERM)
        assert server.wait(60) == 0
    finally:
        server.kill()
    print("the installed package answers by demo, query and serve")


if __name__ == "__main__":
    main()
