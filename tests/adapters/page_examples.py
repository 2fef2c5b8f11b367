"""Examples of docs/frameworks.md and docs/start, run where their framework is installed."""

import doctest
import re
from pathlib import Path
from typing import Any

from hippohover.recipe import IndexRecipe

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "frameworks.md"


def recipe_of(keys: dict[str, Any]) -> IndexRecipe:
    """A recipe without vectors: it is built at once."""
    return IndexRecipe.model_validate({"encoder": "none", **keys})


def examples_of(section: str, page: str) -> list[doctest.Example]:
    """Examples of a section of a page, in order."""
    return _examples(page.partition(f"\n## {section}\n")[2].partition("\n## ")[0])


def run_section(section: str) -> int:
    """Run the examples of a section here; how many there are.

    ``AssertionError`` where one does not give what the page says, or there is none.
    """
    return _run(examples_of(section, PAGE.read_text(encoding="utf-8")), section, PAGE)


def run_page(name: str) -> int:
    """Run all examples of a page of docs/start here; how many there are."""
    path = DOCS / "start" / f"{name}.md"
    return _run(_examples(path.read_text(encoding="utf-8")), name, path)


def _examples(text: str) -> list[doctest.Example]:
    blocks = re.findall(r"^```(?:pycon|\{doctest\})\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [one for block in blocks for one in doctest.DocTestParser().get_examples(block)]


def _run(examples: list[doctest.Example], name: str, path: Path) -> int:
    assert examples, f"{path} has no example under {name!r}"
    test = doctest.DocTest(examples, {}, name, str(path), 0, None)
    said: list[str] = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    failed, tried = runner.run(test, out=said.append)
    assert not failed, "".join(said)
    return tried
