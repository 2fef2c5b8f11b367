"""What a release is made of: its version, its files, its workflow."""

import os
import re
import tomllib
from pathlib import Path
from typing import Any

import yaml

import hippohover

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RELEASE = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
WORKFLOW: dict[Any, Any] = yaml.safe_load(RELEASE)
SCRIPT = ROOT / ".ci" / "release"


def commands(job: str) -> str:
    return "\n".join(step.get("run", "") for step in WORKFLOW["jobs"][job]["steps"])


def pythons() -> list[str]:
    names = PROJECT["project"]["classifiers"]
    return [name.rpartition(" ")[2] for name in names if re.search(r":: 3\.\d+$", name)]


def test_the_version_is_the_one_that_the_changelog_begins_with():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    [first, *_] = re.findall(r"^## (\S+)", changelog, re.MULTILINE)
    assert first == PROJECT["project"]["version"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", first)
    assert hippohover.__version__


def test_files_are_tried_on_every_python_that_is_promised():
    tried = re.findall(r"python(3\.\d+)", commands("build"))
    assert sorted(set(tried)) == pythons()
    gate = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    assert gate["jobs"]["gate"]["strategy"]["matrix"]["python"] == pythons()


def test_what_is_published_is_what_was_tried():
    jobs = WORKFLOW["jobs"]
    assert jobs["publish"]["needs"] == "build"
    names = [
        step.get("with", {}).get("name")
        for job in ("build", "publish")
        for step in jobs[job]["steps"]
    ]
    assert names.count("dist") == 2
    assert "build" not in commands("publish")


def test_the_documentation_is_made_before_anything_is_published():
    installed = re.search(r"install -e \"\.\[(.*?)\]\"", commands("build"))
    assert installed is not None
    assert set(installed[1].split(",")) >= {"docs", "documents"}  # its examples read a PDF
    assert "sphinx-build" in commands("build")
    assert "sphinx-build" not in commands("docs")


def test_publishing_keeps_no_secret_and_has_few_rights():
    assert "secrets." not in RELEASE
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert WORKFLOW["jobs"]["publish"]["permissions"] == {"id-token": "write"}
    assert WORKFLOW["jobs"]["publish"]["environment"] == "pypi"


def test_a_release_is_a_tag_of_the_version():
    assert WORKFLOW[True]["push"]["tags"] == ["v*"]  # YAML reads "on" as true
    assert 'test "$GITHUB_REF_NAME" = "v$(sed' in commands("build")
    expression = re.search(r"sed -n '(.*?)' pyproject", commands("build"))
    assert expression is not None
    assert expression[1] == r's/^version = "\(.*\)"$/\1/p'
    assert re.findall(
        r'^version = "(.*)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE
    ) == [PROJECT["project"]["version"]]


def test_the_script_publishes_nothing():
    text = SCRIPT.read_text(encoding="utf-8")
    assert os.access(SCRIPT, os.X_OK)
    assert "upload" not in text
    assert "tests/installed.py" in text


def test_the_sdist_has_what_its_tests_read():
    included = PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    for name in ("/tests", "/Dockerfile", "/.dockerignore", "/.github", "/.ci", "/docs"):
        assert name in included, name
        assert (ROOT / name[1:]).exists()


def test_every_extra_is_told_of():
    """A page or a message names it; those of developers stand in the guide."""
    told = "".join(
        path.read_text(encoding="utf-8")
        for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]
    )
    told += "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "hippohover").rglob("*.py")
    )
    for extra in PROJECT["project"]["optional-dependencies"]:
        assert re.search(rf"\[(?:\w+,)*{extra}(?:,\w+)*\]|extra `+{extra}`", told), extra
