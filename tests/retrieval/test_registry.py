"""Retrievers by name: those of this package, and one that another package brings."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Never

import pytest

import hippohover
from hippohover.errors import UsageError
from hippohover.retrieval import registry
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.registry import RETRIEVERS, retriever_class, retriever_names
from hippohover.retrieval.where import Condition
from hippohover.testing.suites import RetrieverSuite

MODULE = '''
import numpy as np

import hippohover

class Shortest(hippohover.Retriever):
    """Passages with a word of the claim, those of the shortest texts first."""

    def __call__(self, claim, depth, allowed=None):
        terms = self.context.read_claim(claim).terms
        arrays = self.context.tables.arrays
        found = arrays.lexical.scores(terms) > 0
        if allowed is not None:
            found &= allowed
        rows = np.flatnonzero(found)
        lengths = np.array([len(self.context.tables.texts[row]) for row in rows.tolist()])
        order = np.lexsort((arrays.passage_keys[rows], lengths))[:depth]
        return hippohover.Ranking(rows=rows[order], scores=-lengths[order] * 1.0, n_candidates=1)

anything = 5
'''
ENTRIES = """[hippohover.retrievers]
shortest = other_package:Shortest
nothing = other_package:anything
lost = other_package.lost:Lost
bm25 = other_package:anything
"""
ASKED = """
import json, sys
from pathlib import Path
from starlette.testclient import TestClient
from typer.testing import CliRunner
from hippohover import HippoHover
from hippohover.cli.commands import app
from hippohover.web.server import make_app
from hippohover.web.service import Service

index, claim = sys.argv[1:]
told = {"loaded": "other_package" in sys.modules}
ran = CliRunner().invoke(app, ["query", index, claim, "--retriever", "shortest", "--json"])
told["cli"] = json.loads(ran.stdout)
told["help"] = CliRunner().invoke(app, ["query", index, claim, "--retriever", "x"]).output
with HippoHover.open(index) as engine:
    told["library"] = [one.pid for one in engine.retrieve(claim, 5, "shortest").passages]
    with TestClient(make_app(Service(engine)), base_url="http://127.0.0.1") as client:
        body = {"claim": claim, "k": 5, "retriever": "shortest"}
        told["http"] = client.post("/v1/retrieve", json=body).json()
        told["status"] = client.get("/v1/index").json()
print(json.dumps(told))
"""
CLAIM = "Mira Oldane directed Lantern Hill."


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an installed package that brings retrievers: one sound, two broken."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "other_package.py").write_text(MODULE, encoding="utf-8")
    told = folder / "other_package-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: other-package\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text(ENTRIES, encoding="utf-8")
    return folder


@pytest.fixture
def installed(site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package is on the path, and no name is remembered from before, nor after."""
    monkeypatch.syspath_prepend(site)
    forget()
    yield
    forget()


def forget() -> None:
    for name in ("_imported", "_entry_points"):
        vars(registry)[name].cache_clear()


class OfAnother(RetrieverSuite):
    retriever = "shortest"
    engine: HippoHover

    def make(self) -> HippoHover:
        return self.engine


@pytest.mark.usefixtures("installed")
def test_a_retriever_of_another_package_is_asked_by_its_name(toy_engine: HippoHover):
    assert retriever_names() == (*RETRIEVERS, "lost", "nothing", "shortest")
    assert "other_package" not in sys.modules
    suite = OfAnother()
    OfAnother.engine = toy_engine
    for name in dir(suite):
        if name.startswith("test_") and name != "test_another_process_answers_alike":
            getattr(suite, name)()
    here = [Condition.parse("title^=The ")]
    for scope in ("answers", "walk"):
        answer = toy_engine.retrieve(CLAIM, 5, "shortest", where=here, scope=scope)
        assert answer.passages
        assert all(one.title.startswith("The ") for one in answer.passages)


@pytest.mark.usefixtures("installed")
def test_it_is_asked_through_library_command_and_http(toy_index: Path, site: Path):
    ran = subprocess.run(  # noqa: S603
        [sys.executable, "-c", ASKED, str(toy_index), CLAIM],
        env={**os.environ, "PYTHONPATH": f"{site}:{Path(hippohover.__file__).parents[1]}"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    told: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    assert not told["loaded"]
    pids = told["library"]
    assert len(pids) == 5
    assert [one["pid"] for one in told["http"]["passages"]] == pids
    assert [one["pid"] for one in told["cli"]["passages"]][:5] == pids
    assert "shortest" in told["status"]["retrievers"]
    assert "shortest" in told["help"]


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("lost", r"'lost' of the package other-package cannot be imported \(ModuleNotFoundError"),
        ("nothing", "'nothing' of the package other-package is other_package:anything, which is"),
        ("unheard", "'unheard' is unknown: name one of ppr, bm25, .*, lost, nothing, shortest$"),
    ],
)
def test_what_is_broken_is_one_error_and_only_where_it_is_asked(
    toy_engine: HippoHover, name: str, reason: str
):
    with pytest.raises(UsageError, match=reason):
        toy_engine.retrieve(CLAIM, 5, name)
    assert toy_engine.retrieve(CLAIM, 5, "bm25").passages  # ours, whoever takes its name


@pytest.mark.parametrize("name", RETRIEVERS)
def test_every_name_of_ours_is_a_retriever(name: str):
    assert issubclass(retriever_class(name), hippohover.Retriever)


def test_a_published_method_without_its_extra_is_one_error(monkeypatch: pytest.MonkeyPatch):
    def lack(_module: str) -> Never:
        raise ModuleNotFoundError("No module named 'scipy'", name="scipy")

    monkeypatch.setattr(registry, "import_module", lack)
    found = registry._imported.__wrapped__  # pyright: ignore[reportPrivateUsage]
    said = r"'hipporag2' needs scipy: pip install '\S*\[baselines\]', or name another"
    with pytest.raises(UsageError, match=said):
        found("hipporag2")
