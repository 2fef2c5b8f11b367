"""Imports point one way: read from the syntax trees, late imports inside functions included."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

REPOSITORY = Path(__file__).parents[1]
PACKAGE = "hippohover"

LEVELS = [
    {
        "chain_records",
        "errors",
        "hidden_text",
        "kernels",
        "metadata",
        "processors",
        "progress",
        "records",
        "rendering",
        "secret_keys",
        "spans",
        "toy",
        "user_cache",
        "version",
    },
    {"disk", "recipe", "recipe_files", "trust"},
    {"language_model", "names"},
    {"language"},
    {"entity_graph", "graph_builder", "lexical", "vectors"},
    {"store"},
    {"indexing.corpus.files", "indexing.corpus.known_names", "indexing.workers", "retrieval.facts"},
    {
        "indexing.corpus.fields",
        "indexing.corpus.lines",
        "indexing.corpus.markup",
        "indexing.corpus.records",
        "retrieval.walk",
    },
    {"indexing.corpus.readers", "retrieval.reranking"},
    {"indexing.corpus", "indexing.triples"},
    {"indexing", "retrieval"},
    {"evaluation", "explanation", "overview", "sources", "verification"},
    {"programs", "tuning"},
    {
        "cli.claims",
        "cli.model",
        "cli.options",
        "cli.output",
        "cli.settings",
        "cli.standard_input",
        "cli.which_index",
        "web",
        "adapters",
        "testing",
    },
    {"cli.indexing"},
    {"cli"},
    {"__main__"},
]
"""A part imports its own level and those before it; ``toy`` is package data and its paths.

A part is a module or a folder; of a folder and what is listed inside it, the longer name counts.
"""

STRANGERS = [
    {"indexing", "retrieval"},
    {"language_model", "names"},
    {"entity_graph", "vectors"},
    {"indexing.corpus", "indexing.triples"},
]
"""Parts that never import each other: they meet in a level below."""

WRAPPED = {
    "faiss": {"vectors/faiss_index.py"},
    "igraph": {"entity_graph.py"},
    "matplotlib": {"rendering/figures.py"},
    "fastapi": {"web/"},
    "mcp": {"web/mcp.py", "web/mcp_http.py", "web/stdio.py"},
    "spacy": {"language/spacy_models.py"},
    "watchfiles": {"indexing/updates/watching.py"},
    "lightgbm": {"tuning/learning.py"},
    "numba": {"kernels.py"},
    "pypdfium2": {"indexing/corpus/readers/office/pdf_lines.py"},
    "torch": {"verification/nli.py"},
    "sentence_transformers": {"vectors/embedding.py"},
    "onnxruntime": {"vectors/onnx_model.py"},
    "ray": {"indexing/workers/ray_driver.py"},
    "mwparserfromhell": {"indexing/corpus/readers/records/mediawiki.py"},
    "mwxml": {"indexing/corpus/readers/records/mediawiki.py"},
    "zstandard": {"store/text_store.py"},
    "markdown_it": {"indexing/corpus/readers/texts/markdown_blocks.py"},
    "lxml": {
        "indexing/corpus/readers/office/",
        "indexing/corpus/readers/texts/html.py",
        "indexing/corpus/readers/html_walk.py",
        "sources/arxiv.py",
    },
    "httpx": {"sources/fetching.py"},
    "openai": {"language_model/embedding_endpoint.py"},
    "dspy": {
        "programs/",
        "language_model/",
        "indexing/triples/language_model.py",
        "retrieval/facts/filter.py",
        "retrieval/facts/reference.py",
        "verification/judging.py",
        "evaluation/hover.py",
        "evaluation/hover_bench.py",
        "adapters/dspy.py",
        "testing/language_model.py",
    },
    "ir_datasets": {"evaluation/ir_data_sets.py"},
    "langchain_core": {"adapters/langchain.py"},
    "llama_index": {"adapters/llamaindex.py"},
    "haystack": {"adapters/haystack.py"},
    "pyterrier": {"adapters/pyterrier.py"},
    "txtai": {"adapters/txtai.py"},
    "beir": {"adapters/beir.py"},
    "mteb": {"adapters/mteb.py"},
    "pytest": {"testing/"},
    "hypothesis": {"testing/"},
}
"""Library -> the files (or, ending in "/", folders) that alone may import it."""

LATE = {
    "faiss",
    "igraph",
    "markdown_it",
    "matplotlib",
    "lxml",
    "spacy",
    "watchfiles",
    "lightgbm",
    "pypdfium2",
    "torch",
    "onnxruntime",
    "sentence_transformers",
    "ray",
    "httpx",
    "openai",
    "ir_datasets",
    "mwparserfromhell",
    "mwxml",
}
"""Slow to import, so only inside functions, or for type checkers."""

BANNED_WORDS = {"util", "utils", "helper", "helpers", "common", "misc"}


class Import(NamedTuple):
    """``file`` imports ``target`` at ``line``; ``late`` inside a function or for types alone.

    ``whole`` says that the statement is neither relative nor of a star.
    """

    file: str
    line: int
    target: str
    late: bool
    whole: bool

    def __str__(self) -> str:
        return f"{self.file}:{self.line} imports {self.target}"


def modules_of(root: Path) -> dict[str, str]:
    """Dotted name -> path below the package folder, of every module below ``root``."""
    names: dict[str, str] = {}
    for path in sorted((root / PACKAGE).rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        dotted = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        names[dotted] = path.relative_to(root / PACKAGE).as_posix()
    return names


def imports_of(root: Path) -> list[Import]:
    """Every import statement of the package; relative ones as absolute names."""
    found: list[Import] = []
    modules = modules_of(root)
    for module, file in modules.items():
        tree = ast.parse((root / PACKAGE / file).read_text(encoding="utf-8"), file)
        package = module if file.endswith("__init__.py") else module.rpartition(".")[0]
        for node, late in with_lateness(tree):
            targets = targets_of(node, package, modules)
            found += [Import(file, node.lineno, target, late, is_whole(node)) for target in targets]
    return found


def with_lateness(
    node: ast.AST, late: bool = False
) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            continue  # an expression holds no statement
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, late
        function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        for_types = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)
        yield from with_lateness(child, late or function or for_types)


def is_whole(node: ast.Import | ast.ImportFrom) -> bool:
    relative = isinstance(node, ast.ImportFrom) and node.level > 0
    return not relative and all(alias.name != "*" for alias in node.names)


def targets_of(
    node: ast.Import | ast.ImportFrom, package: str, modules: dict[str, str]
) -> list[str]:
    """Dotted names that the statement imports; a name that is no module counts as its module."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    base = node.module or ""
    if node.level:
        above = package.split(".")[: len(package.split(".")) - node.level + 1]
        base = ".".join([*above, *([node.module] if node.module else [])])
    inner = [f"{base}.{alias.name}" for alias in node.names]
    return [name if name in modules else base for name in inner]


PARTS = {part: level for level, parts in enumerate(LEVELS) for part in parts}


def part_of(name: str) -> str:
    """Part of a dotted name or a file: "indexing" of "hippohover/indexing/build.py"."""
    bare = name.removeprefix(f"{PACKAGE}.").replace("/", ".").removesuffix(".py")
    words = bare.removesuffix(".__init__").split(".")
    prefixes = (".".join(words[:n]) for n in range(len(words), 0, -1))
    return next((prefix for prefix in prefixes if prefix in PARTS), words[0])


def level_of(part: str) -> int:
    if part not in PARTS:
        raise AssertionError(f"{PACKAGE}/{part} stands in no level: give it one in LEVELS")
    return PARTS[part]


def inside(part: str, folders: set[str]) -> str:
    """The folder of these that a part is, or stands in; "" when there is none."""
    return next((name for name in folders if f"{part}.".startswith(f"{name}.")), "")


def is_inside(target: str) -> bool:
    return target == PACKAGE or target.startswith(f"{PACKAGE}.")


# --- the rules, each a list of what breaks it ------------------------------------------------


def wrong_ways(imports: list[Import]) -> list[str]:
    found: list[str] = []
    for one in imports:
        if not is_inside(one.target) or one.file == "__init__.py":
            continue
        if one.target == PACKAGE:
            found.append(f"{one}: the package only re-exports; import the module itself")
            continue
        here, there = part_of(one.file), part_of(one.target)
        strange = here != there and any(
            {inside(here, parts), inside(there, parts)} == parts for parts in STRANGERS
        )
        if level_of(there) > level_of(here) or strange:
            found.append(str(one))
    return found


def cycle(imports: list[Import], modules: dict[str, str]) -> list[str]:
    """Modules of one import cycle, or nothing."""
    names = {file: module for module, file in modules.items()}
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for one in imports:
        if is_inside(one.target):
            sorter.add(names[one.file], one.target)
    try:
        sorter.prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def out_of_their_wrapping(imports: list[Import]) -> list[str]:
    found: list[str] = []
    for one in imports:
        allowed = WRAPPED.get(one.target.split(".")[0], {""})
        if not any(one.file == place or (place[-1:] in ("/", "") and one.file.startswith(place))
                   for place in allowed):  # fmt: skip
            found.append(str(one))
    return found


def too_early(imports: list[Import]) -> list[str]:
    return [str(one) for one in imports if one.target.split(".")[0] in LATE and not one.late]


def badly_named(modules: dict[str, str]) -> list[str]:
    return [
        file
        for module, file in modules.items()
        if BANNED_WORDS & set(module.replace(".", "_").split("_"))
    ]


# --- the package keeps them ------------------------------------------------------------------


@cache
def package_imports() -> list[Import]:
    return imports_of(REPOSITORY)


def test_every_import_points_down():
    assert wrong_ways(package_imports()) == []


def test_every_part_has_a_level():
    parts = {part_of(file) for file in modules_of(REPOSITORY).values()} - {"__init__"}
    assert parts <= set(PARTS), "give the new part a level in LEVELS"


def test_there_is_no_cycle():
    assert cycle(package_imports(), modules_of(REPOSITORY)) == []


def test_each_heavy_library_is_imported_in_its_own_file():
    assert out_of_their_wrapping(package_imports()) == []


def test_slow_libraries_are_imported_late():
    assert too_early(package_imports()) == []


def test_no_module_is_a_drawer_for_odds_and_ends():
    assert badly_named(modules_of(REPOSITORY)) == []


def test_every_level_names_a_part_that_there_is():
    parts = {part_of(file) for file in modules_of(REPOSITORY).values()}
    assert set(PARTS) <= parts


def test_every_test_stands_in_a_folder_of_the_package():
    """Tests of ``hippohover/names/`` stand in ``tests/names/``; the root has those of all of it."""
    folders = {Path(file).parent for file in modules_of(REPOSITORY).values()}
    tests = REPOSITORY / "tests"
    of_tests = {path.relative_to(tests).parent for path in tests.rglob("test_*.py")}
    assert of_tests <= folders


def test_no_file_is_longer_than_a_reader_holds_in_the_head():
    long = {
        file: n
        for file in modules_of(REPOSITORY).values()
        if (n := len((REPOSITORY / PACKAGE / file).read_text(encoding="utf-8").splitlines())) > 500
    }
    assert long == {}


def test_the_package_folder_holds_no_relative_or_star_import():
    assert [str(one) for one in package_imports() if not one.whole] == []


def test_importing_the_package_imports_nothing_slow():
    """In a new process: what the command line pays before it prints its help."""
    slow = sorted(LATE | {"dspy", "numba", "scipy", "networkx"})
    code = f"import sys, {PACKAGE}; print(*[name for name in {slow} if name in sys.modules])"
    run = subprocess.run(  # noqa: S603 - our own text
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=REPOSITORY, check=True
    )
    assert run.stdout.split() == []


# --- and the rules can be broken -------------------------------------------------------------


def package_in(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / PACKAGE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("recipe.py", "import hippohover.lexical"),
        ("recipe.py", "from hippohover import lexical"),
        ("recipe.py", "from hippohover.lexical import LexicalIndex"),
        ("recipe.py", "def f():\n    from hippohover.lexical import LexicalIndex"),
        ("recipe.py", "from . import lexical"),
        ("recipe.py", "from .lexical import LexicalIndex"),
        ("lexical.py", "import hippohover"),
        ("names/titles.py", "from hippohover.language_model.client import LanguageModel"),
        ("names/titles.py", "from hippohover.store import reader"),
        ("indexing/build.py", "from hippohover.retrieval.walk.seeds import seeds"),
        ("indexing/corpus/lines.py", "from hippohover.retrieval.walk import seeds"),
        ("indexing/corpus/lines.py", "from hippohover.indexing import build"),
        ("indexing/corpus/lines.py", "from hippohover.indexing.triples.cache import x"),
        ("retrieval/walk/seeds.py", "from ...indexing import build"),
        ("retrieval/walk/seeds.py", "from ..engine import HippoHover"),
        ("entity_graph.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"
         "    from hippohover.retrieval.walk.seeds import Seeds"),
        ("explanation/page.py", "async def f():\n    import hippohover.programs.ppr as x"),
        ("cli/output.py", "import hippohover.cli.commands"),
        ("programs/ppr.py", "from hippohover.cli import main"),
    ],
)  # fmt: skip
def test_an_import_that_points_up_is_found(tmp_path: Path, file: str, text: str):
    files = dict.fromkeys(
        ["__init__.py", "recipe.py", "lexical.py", "language_model/client.py", "store/reader.py",
         "indexing/__init__.py", "indexing/build.py", "indexing/triples/cache.py",
         "retrieval/walk/seeds.py", "retrieval/engine.py", "retrieval/__init__.py",
         "programs/ppr.py", "cli/__init__.py", "cli/commands.py"], "",
    )  # fmt: skip
    root = package_in(tmp_path, {**files, file: text})
    assert len(wrong_ways(imports_of(root))) == 1


def test_imports_that_point_down_are_none_of_these(tmp_path: Path):
    root = package_in(
        tmp_path,
        {
            "__init__.py": "from hippohover.retrieval.engine import HippoHover",
            "errors.py": "import json",
            "recipe.py": "from hippohover.errors import UsageError",
            "lexical.py": "from hippohover.names.key_table import KeyTable",
            "names/key_table.py": "from hippohover.names import normal_forms",
            "names/normal_forms.py": "",
            "retrieval/__init__.py": "",
            "retrieval/engine.py": "from .walk import seeds\nfrom ..lexical import LexicalIndex",
            "retrieval/walk/seeds.py": "from hippohover.names.normal_forms import entity_key",
            "cli/indexing/build.py": "from hippohover.cli.output import console",
            "cli/output.py": "def f():\n    from hippohover.programs import ppr",
            "programs/ppr.py": "import hippohover.evaluation.hover",
            "evaluation/hover.py": "",
        },
    )
    imports = imports_of(root)
    assert wrong_ways(imports) == []
    assert cycle(imports, modules_of(root)) == []


def test_a_part_without_a_level_is_named(tmp_path: Path):
    root = package_in(tmp_path, {"attic.py": "from hippohover.errors import UsageError"})
    with pytest.raises(AssertionError, match="attic stands in no level"):
        wrong_ways(imports_of(root))


def test_a_cycle_is_found_even_when_it_is_late(tmp_path: Path):
    root = package_in(
        tmp_path,
        {
            "lexical.py": "import hippohover.entity_graph",
            "entity_graph.py": "from hippohover.vectors import nearest",
            "vectors/nearest.py": "def f():\n    from hippohover.lexical import LexicalIndex",
        },
    )
    found = cycle(imports_of(root), modules_of(root))
    assert {name.split(".")[1] for name in found} == {"lexical", "entity_graph", "vectors"}


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("retrieval/walk/seeds.py", "import faiss", 1),
        ("vectors/faiss_index.py", "def f():\n    import faiss", 0),
        ("vectors/nearest.py", "import faiss", 1),
        ("web/server.py", "from dspy.teleprompt import GEPA", 1),
        ("programs/deep/ppr.py", "import dspy", 0),
        ("indexing/triples/language_model.py", "import dspy", 0),
        ("indexing/triples/spacy_rules.py", "import spacy.tokens", 1),
        ("names/mentions.py", "import numpy", 0),
        ("names/mentions.py", "import torchvision", 0),
    ],
)
def test_a_library_out_of_its_file_is_found(tmp_path: Path, file: str, text: str, expected: int):
    root = package_in(tmp_path, {file: text})
    assert len(out_of_their_wrapping(imports_of(root))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import torch", 1),
        ("if True:\n    from torch import nn", 1),
        ("class A:\n    import torch", 1),
        ("def f():\n    import torch", 0),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch", 0),
        ("import typing as t\nif t.TYPE_CHECKING:\n    import torch", 0),
    ],
)
def test_an_early_import_of_a_slow_library_is_found(tmp_path: Path, text: str, expected: int):
    assert (
        len(too_early(imports_of(package_in(tmp_path, {"vectors/embedding.py": text})))) == expected
    )


@pytest.mark.parametrize(
    "file", ["utils.py", "indexing/helpers.py", "web/common/x.py", "text_utils.py"]
)
def test_a_drawer_for_odds_and_ends_is_found(tmp_path: Path, file: str):
    assert badly_named(modules_of(package_in(tmp_path, {file: "", "commoner.py": ""}))) == [file]
