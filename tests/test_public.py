"""The public names: what runs, what type checkers see, and what importing the package costs."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import hippohover
from hippohover import errors

ROOT = Path(__file__).parent.parent

HEAVY = [
    "bm25s",
    "dspy",
    "faiss",
    "igraph",
    "lightgbm",
    "model2vec",
    "networkx",
    "numba",
    "numpy",
    "pandas",
    "pyarrow",
    "pydantic",
    "scipy",
    "sentence_transformers",
    "spacy",
    "torch",
    "transformers",
    "typer",
]


@pytest.mark.parametrize("name", sorted(set(hippohover.__all__) - {"__version__"}))
def test_every_public_name_is_the_thing_of_that_name(name: str):
    assert getattr(hippohover, name).__name__ == name


def test_every_error_is_public():
    def below(error: type[Exception]) -> set[str]:
        return {error.__name__}.union(*map(below, error.__subclasses__()))

    of_errors = {name for name in vars(errors) if name.endswith("Error")}
    assert below(hippohover.HippoHoverError) >= of_errors
    assert of_errors <= set(hippohover.__all__)


def test_dir_gives_all_of_them():
    assert dir(hippohover) == hippohover.__all__


def test_what_checkers_see_has_the_home_that_runs():
    tree = ast.parse(Path(hippohover.__file__).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    seen = {
        one.name: node.module.partition(".")[2]
        for node in imports
        if node.module and node.module.startswith("hippohover.")
        for one in node.names
    }
    assert seen == vars(hippohover)["_HOMES"]


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'helpers'"):
        _ = hippohover.helpers  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]


def test_importing_the_package_imports_nothing_heavy():
    code = "import hippohover, sys; print(' '.join(sys.modules))"
    loaded = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert "hippohover" in loaded
    assert not set(HEAVY) & set(loaded)


@pytest.mark.slow  # a type checker reads what the package is made of
def test_type_checkers_see_what_runs_and_nothing_else(tmp_path: Path):
    """Strict, in code of a user: each name is known with its type, and a slip is found."""
    names = sorted(set(hippohover.__all__) - {"__version__"})
    of_star = [f"_{name} = {name}" for name in names]
    (tmp_path / "user.py").write_text(
        "\n".join(["import hippohover", *(f"{name} = hippohover.{name}" for name in names)])
        + "\nversion: str = hippohover.__version__\n"
        + "passages: list[hippohover.Passage] = []\n"
    )
    (tmp_path / "star.py").write_text("\n".join(["from hippohover import *", *of_star]) + "\n")
    (tmp_path / "slip.py").write_text("import hippohover\n\nhippohover.biuld()\n")
    settings = {"typeCheckingMode": "strict", "extraPaths": [str(ROOT)]}
    settings |= {"reportWildcardImportFromLibrary": False, "reportPrivateUsage": False}
    settings |= {"reportMissingTypeStubs": False}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable]
    command += ["--outputjson", "-p", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    said = [
        (Path(one["file"]).name, one.get("rule"), one["message"])
        for one in json.loads(done.stdout)["generalDiagnostics"]
    ]
    of_slip = {(rule, message) for file, rule, message in said if file == "slip.py"}
    slip = '"biuld" is not a known attribute of module "hippohover"'
    assert ("reportAttributeAccessIssue", slip) in of_slip
    assert [one for one in said if one[0] != "slip.py"] == []
    run = [sys.executable, str(tmp_path / "star.py")]
    subprocess.run(run, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True)  # noqa: S603
