"""Use an installed hippohover as its users do, away from any clone; the gate runs this.

python tests/installed.py BIN/hippohover NEW_FOLDER [--serve]
"""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.parse
import urllib.request
from importlib.metadata import distribution
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


def refused(command: list[str], folder: Path) -> str:
    """The one line that a command is refused with."""
    done = subprocess.run(  # noqa: S603
        command, cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0, done.stdout
    assert "Traceback" not in done.stderr, done.stderr
    return done.stderr


def write_notes(folder: Path) -> None:
    """Eight notes that name each other."""
    folder.mkdir()
    for n in range(8):
        text = f"Note {n} was written by Mira Oldane in Vellmouth, after Note {(n + 1) % 8}."
        (folder / f"{n}.md").write_text(f"# Note {n}\n\n{text}\n")


def first_answer(command: str, folder: Path) -> None:
    """An index of a few notes is small, and nothing is compiled for it or for its answers."""
    write_notes(folder / "notes")
    before = os.times()
    run([command, "build", "--corpus", "notes", "--out", "ix"], folder)
    built = os.times()
    run([command, "query", "ix", "Who wrote Note 3?"], folder)
    asked = os.times()
    print(f"processor time: build {cpu(before, built):.2f} s, query {cpu(built, asked):.2f} s")
    (folder / "minilm.toml").write_text('name = "minilm"\nencoder = "minilm"\n')
    run([command, "build", "minilm.toml", "--corpus", "notes", "--out", "by-minilm"], folder)
    n_bytes = sum(path.stat().st_size for path in (folder / "ix").rglob("*") if path.is_file())
    assert n_bytes < 1_000_000, n_bytes
    assert not (folder / "cache" / "compiled").exists(), (
        "something was compiled: the wheel lacks its code"
    )


def cpu(before: os.times_result, after: os.times_result) -> float:
    """Seconds of processor time of the processes that ended in between."""
    return sum(after[2:4]) - sum(before[2:4])


def ask_for_extras(command: str, folder: Path) -> None:
    """What the plain install lacks is named by the extra that has it."""
    told = distribution("hippohover").read_text("direct_url.json")
    source = urllib.parse.urlsplit(json.loads(told)["url"]).path if told else "hippohover"
    install = f"pip install '{urllib.parse.unquote(source)}["
    (folder / "model").mkdir()
    (folder / "model" / "model.safetensors").write_bytes(b"")
    encoder = f"encoder = {json.dumps(str(folder / 'model'))}"
    for recipe, extra in ((encoder, "encoders"), ('extractor = "spacy"', "spacy")):
        (folder / f"{extra}.toml").write_text(f'name = "{extra}"\n{recipe}\n')
        said = refused([command, "build", f"{extra}.toml", "--corpus", "notes"], folder)
        assert f"{install}{extra}]'" in said, said
        assert said.count("\n") == 1, said
    said = refused([command, "verify", "ix", "Note 3 is blue.", "--nli", "some/model"], folder)
    assert f"{install}encoders]'" in said, said
    said = refused([command, "query", "ix", "Note 3", "--retriever", "hipporag2"], folder)
    assert f"{install}baselines]'" in said, said


def main() -> None:
    """A first answer, demo, query; what the extras have, or, with ``--serve``, the page."""
    command, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir()
    os.environ["HIPPOHOVER_CACHE"] = str(folder / "cache")
    first_answer(command, folder)
    print(run([command, "demo", "--out", "toy"], folder))
    found = json.loads(run([command, "query", "toy", CLAIM, "--json"], folder))
    titles = [passage["title"] for passage in found["passages"]]
    assert "Lantern Hill (1962 film)" in titles, titles
    if "--serve" in sys.argv[3:]:
        serve(command, folder, titles)
    else:
        ask_for_extras(command, folder)
    print("the installed package answers")


def serve(command: str, folder: Path, titles: list[str]) -> None:
    """The page, its files, and an answer over HTTP with these titles."""
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


if __name__ == "__main__":
    main()
