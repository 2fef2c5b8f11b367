"""The documentation, as far as it can be checked without Sphinx: what is generated, and links."""

import re
import tomllib
from importlib import import_module
from pathlib import Path

import check_links
import pytest
from doc_pages import collections, commands, drawing, levels, messages, pdfs, settings
from doc_pages.command_runs import CommandRuns
from doc_pages.placeholders import END, PLACEHOLDER, Generators, fill
from pydantic import BaseModel

import hippohover
from hippohover.cli.options import PROGRAMS
from hippohover.entity_graph import EdgeType
from hippohover.language_model.embedding_endpoint import EmbeddingSettings
from hippohover.recipe import IndexRecipe, LanguageModelSettings
from hippohover.retrieval.registry import RETRIEVERS
from hippohover.sources.http_search import HttpSearchSettings
from tests.test_imports import LEVELS, PARTS

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(path for part in (".", "start", "errors") for path in DOCS.glob(f"{part}/*.md"))
FIGURE = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?(?![\w.]*\w)")


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", check_links.MARKDOWN)
def test_relative_links_of_the_readmes_name_files(name: str) -> None:
    assert check_links.faults_of_markdown(ROOT / name) == []


def test_a_link_to_a_file_that_is_not_there_is_a_fault(tmp_path: Path) -> None:
    text = "[a](there.md#part) ![b](not.png) [c](https://example.org) `[d](code)`\n\n[e](#top)\n"
    file = tmp_path / "page.md"
    file.write_text(text, encoding="utf-8")
    (tmp_path / "there.md").touch()
    assert check_links.faults_of_markdown(file) == [f"{file}: not.png: no such file"]


def test_links_of_a_site_are_followed_to_their_anchors(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<h1 id="top">A</h1><a href="b.html#here">1</a><a href="b.html#gone">2</a>'
        '<a href="c.html">3</a><a href="#top">4</a><a href="https://example.org">5</a>',
        encoding="utf-8",
    )
    (tmp_path / "b.html").write_text('<p id="here"><img src="https://example.org/x.png"></p>')
    (tmp_path / "own.css").write_text("@import 'https://example.org/font.css';")
    assert check_links.faults_of_site(tmp_path) == [
        "a.html: b.html#gone: no such place on that page",
        "a.html: c.html: no such file",
        "b.html: loads https://example.org/x.png from elsewhere",
        "own.css: loads https://example.org/font.css from elsewhere",
    ]


def test_a_site_without_pages_is_a_fault(tmp_path: Path) -> None:
    assert check_links.faults_of_site(tmp_path) == [f"{tmp_path}: holds no page"]


def test_every_command_has_a_section_with_its_options() -> None:
    text = commands.commands_in_markdown()
    assert commands.command_names() == re.findall(r"^## (\S+)$", text, re.MULTILINE)
    assert {"build", "query", "explain", "verify", "demo"} <= set(commands.command_names())
    build = text.partition("## build")[2].partition("\n## ")[0]
    for option in ("--corpus", "--aliases", "--estimate", "--lm", "--max-cost", "recipe"):
        assert f"- `{option}" in build


def test_every_key_of_a_recipe_is_described() -> None:
    for table, model in settings.TABLES.items():
        text = settings.settings_in_markdown(table)
        assert text.count("\n- ") + 1 == len(model.model_fields)
        assert f"generated: settings {table} -->" in page("settings")
    assert "- `query.damping`: *number, at least 0, at most 0.99, default `0.8`.* 1 - restart" in (
        settings.settings_in_markdown("query")
    )


def test_a_key_that_no_docstring_describes_is_an_error() -> None:
    class Forgetful(BaseModel):
        """A table.

        Attributes
        ----------
        known : int
            It is.
        """

        known: int = 1
        unknown: int = 2

    with pytest.raises(ValueError, match=r"Forgetful does not describe \['unknown'\]"):
        settings.meanings_of(Forgetful)


def test_every_environment_variable_is_on_the_page_of_settings() -> None:
    sources = "".join(path.read_text() for path in (ROOT / "hippohover").rglob("*.py"))
    assert set(re.findall(r"HIPPOHOVER_[A-Z_]+", sources)) == set(
        re.findall(r"HIPPOHOVER_[A-Z_]+", page("settings"))
    )


def test_commands_and_names_that_the_pages_show_exist() -> None:
    for one in PAGES:
        text = one.read_text(encoding="utf-8")
        for name in re.findall(
            r"(?:<!-- (?:run|fails): |\$ (?:\S*/)?)hippohover ([a-z][a-z-]+)", text
        ):
            assert name in commands.command_names(), one.name
    assert all(f"`{name}`" in page("programs") for name in PROGRAMS)
    assert all(
        f"`{name}`" in "".join(map(page, ["corpus", "limits"])) for name in [*RETRIEVERS][2:]
    )
    assert all(f"`{kind.name.lower()}`" in page("how-it-works") for kind in EdgeType)


def test_the_architecture_names_every_room() -> None:
    rooms = {path.parent.name for path in (ROOT / "hippohover").glob("*/__init__.py")}
    assert sorted(room for room in rooms if f"`{room}`" not in page("architecture")) == []


def blocks(language: str) -> list[str]:
    """What stands in fenced blocks of a language, on all pages."""
    pattern = re.compile(rf"^```{language}\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    return [found for one in PAGES for found in pattern.findall(one.read_text(encoding="utf-8"))]


def test_recipes_that_the_pages_show_are_recipes() -> None:
    tables = [tomllib.loads(block) for block in blocks("toml")]
    others = {"project", "verdict"}  # a pyproject.toml of others, the rules of verdicts
    tables = [table for table in tables if not others & set(table)]
    assert len(tables) >= 4
    for table in tables:  # one without a part of its own is for --lm-settings, or for --source
        model = LanguageModelSettings if "api_base" in table else IndexRecipe
        model = HttpSearchSettings if "address" in table else model
        model = EmbeddingSettings if "usd_per_million_tokens" in table else model
        assert model.model_validate(table).name == table["name"]


def test_python_that_the_pages_show_and_do_not_run_names_what_there_is() -> None:
    for block in blocks("python"):
        compile(block, "a page", "exec")
        assert set(re.findall(r"hippohover\.([A-Z]\w+)", block)) <= set(hippohover.__all__)
        for module, names in re.findall(r"^from (hippohover\S*) import (.+)$", block, re.MULTILINE):
            for name in names.split(", "):
                assert hasattr(import_module(module), name)


def test_the_guide_shows_the_levels_that_imports_are_held_to() -> None:
    assert levels.levels() == LEVELS
    picture = levels.levels_in_markdown()
    assert all(picture.index("cli") < picture.index(part) for part in ("web", "store", "errors"))
    assert {word for word in picture.split() if word.isascii()} - {"```text", "```"} == set(PARTS)
    assert levels.guide_with_levels() == levels.GUIDE.read_text(encoding="utf-8"), (
        "run python docs/fill.py"
    )


def test_the_citation_names_the_version_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {project['version']}\n" in citation
    assert f"\n  - name: {project['authors'][0]['name']}\n" in citation


def test_the_guide_names_files_and_tables_that_there_are() -> None:
    text = levels.GUIDE.read_text(encoding="utf-8")
    for path in re.findall(r"`((?:hippohover|tests|benchmarks|docs|\.ci)/[^`\s]*)`", text):
        assert (ROOT / path).exists(), path
    for name in re.findall(r"`((?:cli|web|programs)/\w+\.py)`", text):
        assert (ROOT / "hippohover" / name).exists(), name


def test_every_public_name_is_documented_once() -> None:
    documented = re.findall(r"^\.\. \S+:: hippohover\.(\w+)(?:\(.*\))?$", page("api"), re.MULTILINE)
    assert sorted(documented) == sorted([*hippohover.__all__, "errors"])  # the tree of errors


def test_readers_are_told_of_public_names_alone() -> None:
    """Programs, adapters and sources have packages of their own, for they import more."""
    own = r"(?!(?:programs|adapters|sources|testing)\b)"
    deep = re.compile(rf"hippohover\.{own}[a-z_]+\.\w+|from hippohover\.{own}.*")
    for path in (*PAGES, ROOT / "README.md"):
        text = PLACEHOLDER.sub("", path.read_text(encoding="utf-8"))  # a listing may know more
        assert deep.findall(text) == [], path.name


def test_every_comment_of_a_page_that_generates_is_understood() -> None:
    for one in PAGES:
        text = one.read_text(encoding="utf-8")
        found = list(PLACEHOLDER.finditer(text))
        assert len(found) == text.count("<!-- ") - text.count(END), one.name
        assert {match["kind"] or "file" for match in found} <= {"generated", "run", "fails", "file"}
        assert all(match["old"] for match in found if match["kind"]), "run python docs/fill.py"


@pytest.mark.parametrize("name", ["limits", "departures"])
def test_figures_of_the_limits_stand_where_they_were_measured(name: str) -> None:
    measured = "".join(
        (ROOT / name).read_text(encoding="utf-8")
        for name in ("README.md", "index/README.md", "benchmarks/README.md")
    )
    figures = [one for one in FIGURE.findall(page(name)) if "." in one or "," in one]
    assert len(figures) > 5
    assert [one for one in figures if one not in measured] == []


def test_what_a_page_shows_is_kept_where_it_differs_in_durations_alone() -> None:
    generators = Generators()
    try:
        shown = fill("<!-- run: hippohover query index/toy Lanternmoor -->", generators)
        slow = re.sub(r"in \d+ ms", "in 99999 ms", shown)
        assert slow != shown
        assert fill(slow, generators) == slow
        other = shown.replace("ranked in", "passages in")
        assert other != shown
        assert "99999" not in fill(other, generators)
        assert " ranked in " in fill(other, generators)
    finally:
        generators.close()


def test_a_picture_says_in_words_what_it_shows() -> None:
    rows = [drawing.Bar("A & B", (("mention", 0.25), ("passage", 0.5)), is_gold=True)]
    shown = drawing.bars(rows, [("mention", "names")], title="Scores <of> a walk")
    assert "Scores &lt;of&gt; a walk</title>" in shown
    assert "A &amp; B 0.750</desc>" in shown
    assert 'role="img"' in shown


ERROR_PAGES = sorted((DOCS / "errors").glob("*.md"))


def test_messages_of_the_pages_of_errors_are_the_programs() -> None:
    texts = messages.texts_of(ROOT / "hippohover")
    said = [re.match(r"# `(.+)`\n", path.read_text(encoding="utf-8")) for path in ERROR_PAGES]
    assert len(said) > 25
    assert [
        one and one[1] for one in said if not (one and any(one[1] in text for text in texts))
    ] == []


@pytest.mark.parametrize("path", ERROR_PAGES, ids=lambda path: path.stem)
def test_a_page_of_an_error_says_why_and_what_to_do(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert re.search(r"\n\*\*Why:\*\* .*\n\n\*\*What to do:\*\* ", text, re.DOTALL)
    assert f"](errors/{path.stem}.md)\n" in page("errors")


def test_a_formatted_text_is_known_without_its_values(tmp_path: Path) -> None:
    code = 'raise ValueError(f"{n} of {n + 1} "\n    f"are bad: {n:.1%}", "fix")\n'
    (tmp_path / "one.py").write_text(code)
    assert {"… of … are bad: …", "fix"} <= set(messages.texts_of(tmp_path))


def test_a_command_of_the_pages_fails_where_the_page_says_so_and_nowhere_else() -> None:
    runs = CommandRuns()
    try:
        shown = runs.refused("hippohover query nowhere Who?")
        assert "$ hippohover query nowhere Who?\nerror: nowhere: is not a folder" in shown
        assert "index/toy/v000001" in runs.shown("hippohover inspect index/toy | head -2")
        with pytest.raises(ValueError, match="ended well, and the page says that it fails"):
            runs.refused("hippohover inspect index/toy")
        with pytest.raises(ValueError, match=r"ended with 1: .*is not a folder"):
            runs.shown("hippohover query nowhere Who?")
        with pytest.raises(ValueError, match="'ls' is no command of hippohover"):
            runs.shown("ls")
    finally:
        runs.close()


def test_the_page_of_the_verifier_shows_a_true_claim_supported_and_false_ones_contradicted() -> (
    None
):
    claims = re.findall(
        r'^<!-- run: (hippohover verify index/toy ".*?") ?', page("verification"), re.M
    )
    runs = CommandRuns()
    try:
        verdicts = [re.findall(r"^\[(\w+)", runs.shown(one), re.MULTILINE) for one in claims]
    finally:
        runs.close()
    assert verdicts == [["Supported"], ["Contradictory"], ["Contradictory"]]


def test_a_file_of_the_pages_that_is_a_pdf_has_its_pages(tmp_path: Path) -> None:
    from pypdfium2 import PdfDocument

    (tmp_path / "one.pdf").write_bytes(
        pdfs.pdf_of(f"The ferry (sails)\nat noon.\n{pdfs.NEXT_PAGE}\nPage two.\n")
    )
    with PdfDocument(tmp_path / "one.pdf") as document:
        texts = [one.get_textpage().get_text_range() for one in document]
        assert document.get_metadata_dict()["Title"] == "The ferry (sails)"
    assert [" ".join(text.split()) for text in texts] == ["The ferry (sails) at noon.", "Page two."]


@pytest.mark.parametrize("name", collections.COLLECTIONS)
def test_the_gallery_shows_each_collection_as_the_readme_does(name: str) -> None:
    assert f"generated: collection {name} -->" in page("gallery")
    assert f"\n## {name}\n" in page("gallery")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = collections.collection_in_markdown(name).splitlines()[4:]
    of_domains = rows[2:] if name == "wikipedia" else rows
    if name != "wikipedia":
        assert len(rows) == len(collections.COLLECTIONS[name])
    for row in of_domains:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert f"| {cells[1]} | {cells[2].replace(' %', '')} |" in readme


def test_a_gain_whose_interval_holds_zero_may_be_chance() -> None:
    rows = collections.collections_in_markdown().splitlines()[2:]
    assert len(rows) == len(collections.COLLECTIONS)
    for row in rows:
        low = re.search(r"\(([+-][\d.]+) to [+-][\d.]+\)", row)
        assert low is not None
        assert ("may be chance" in row) == (float(low[1]) <= 0)


def test_the_front_page_names_each_page_to_start_from() -> None:
    named = re.findall(r"^\| \[[^]]+\]\((start/\w+)\.md\) \|", page("index"), re.MULTILINE)
    assert named == [
        f"start/{one}" for one in ("pdfs", "hipporag", "paper", "langchain", "service")
    ]
    assert {f"start/{one.stem}" for one in DOCS.glob("start/*.md")} == set(named)
