"""What an index holds in any of its texts, no command sends to a terminal as controls."""

import io
import json
import re
from pathlib import Path
from typing import Any, Final

import pytest

from hippohover.cli.output import console, plain_streams, progress
from hippohover.recipe import CorpusSettings
from hippohover.testing.indexes import FAST, Row, built
from tests.cli.command_samples import Command
from tests.index_samples import seal_manifest

CONTROLS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
POISON: Final = "\x1b[31m\x1b]0;owned\x07\x9b2J\x08\r\u202e"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_styles_are_kept_and_the_controls_of_texts_are_not(monkeypatch: pytest.MonkeyPatch):
    from rich.table import Table

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    out, err = Terminal(), Terminal()
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.setattr("sys.stderr", err)
    with plain_streams():
        table = Table(title=f"a{POISON}b")
        table.add_column(f"c{POISON}d")
        table.add_row(f"e{POISON}f")
        console().print(f"g{POISON}h", table, style="bold")
        print(f"i{POISON}j\ttab\r\nline")
        with progress() as report:
            report(f"k{POISON}l", 1, 2)
    assert "\x1b[1m" in out.getvalue()
    styles = re.compile(r"\x1b\[[\d;?]*[A-Za-z]")
    for stream in (out, err):
        assert "\x1b[31m\x1b" not in stream.getvalue()
        assert not CONTROLS.search(styles.sub("", stream.getvalue()).replace("\r", ""))
    assert "i[31m]0;owned2J j\ttab\r\nline" in out.getvalue()


@pytest.fixture
def poisoned(tmp_path: Path) -> Path:
    """An index with controls in every kind of text that it holds."""
    rows: list[Row] = [
        {"title": f"Lund{POISON}{n}", "text": f"Lund{n}{POISON} lies by Isk{POISON}.",
         "id": f"id{POISON}{n}", "kind": f"k{POISON}", "url": f"http://x/{POISON}",
         "aliases": [f"The{POISON}{n}"]}
        for n in range(3)
    ]  # fmt: skip
    recipe = FAST.model_copy(update={"corpus": CorpusSettings(metadata=("kind", "url"))})
    root = built(rows, tmp_path / f"in{POISON}dex", recipe)
    version = root / "v000001"
    manifest = json.loads((version / "manifest.json").read_bytes())
    manifest["failures"], manifest["n_failures"] = [POISON] * 3, 3
    manifest["models"] = {POISON: {"name": POISON, "sha256": POISON}, "extractor": {"name": POISON}}
    manifest["dimensions"][POISON] = 1
    seal_manifest(version, json.dumps(manifest).encode())
    log: dict[str, Any] = json.loads((version / "build_log.json").read_bytes())
    log |= {"corpus": POISON, "made_of": [POISON], "triples_file": {"path": POISON}}
    log["read"] |= {"failures": [POISON], "n_bad_records": 1, "reasons": {POISON: 1},
                    "understood": {POISON: 2}}  # fmt: skip
    (version / "build_log.json").write_text(json.dumps(log))
    return root


ARGUMENTS: Final = (
    ["inspect", "INDEX"],
    ["inspect", "INDEX", "--verify", "--communities"],
    ["inspect", "INDEX", "--confirm"],
    ["inspect", "INDEX", "--json"],
    ["query", "INDEX", "Where is Lund1?"],
    ["query", "INDEX", "Where is Lund1?", "--json"],
    ["query", "INDEX", "Lund1", "--retriever", "dense"],
    ["query", "INDEX", "Lund1", "--where", "no=1"],
    ["explain", "INDEX", "Where is Lund1?", "--title", f"Lund{POISON}1"],
    ["verify", "INDEX", "Lund1 lies by Isk."],
    ["export", "INDEX", "--out", "graph.graphml"],
    ["add", "INDEX", "new.jsonl"],
    ["delete", "INDEX", "--title", "Lund"],
    ["delete", "INDEX", "--title", f"N{POISON}"],
    ["alias", "INDEX", "aliases.tsv"],
    ["sync", "INDEX", "folder"],
    ["sync", "INDEX", "folder", "--dry-run", "--take-over"],
    ["compact", "INDEX"],
    ["compact", "INDEX", "--rebuild"],
    ["gc", "INDEX"],
    ["compare", "INDEX", "--claims", "claims.jsonl"],
    ["evaluate", "INDEX", "claims.jsonl"],
)


def test_no_command_prints_controls(poisoned: Path, tmp_path: Path, hippohover: Command):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / f"a{POISON}.md").write_text(f"# {POISON}\n\nLund {POISON}")
    (tmp_path / "new.jsonl").write_text(json.dumps({"title": f"N{POISON}", "text": POISON}))
    (tmp_path / "aliases.tsv").write_text(f"a{POISON}\tLund")
    claim = {"claim": "Lund1 lies by Isk.", "uid": POISON, "supporting_facts": [[f"N{POISON}", 0]]}
    (tmp_path / "claims.jsonl").write_text(json.dumps(claim))
    n_done = 0
    for arguments in ARGUMENTS:
        done = hippohover(*(poisoned if word == "INDEX" else word for word in arguments))
        assert not CONTROLS.search(done.out + done.err), (arguments, done)
        assert done.out or done.err
        assert "unexpected" not in done.err, (arguments, done)
        n_done += done.code == 0
    assert n_done >= 15  # the others end in an error that quotes what is poisoned
