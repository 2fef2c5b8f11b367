"""Examples of docs/frameworks.md, run where their framework is installed."""

import doctest
import re
from pathlib import Path
from typing import Any

from hippohover.recipe import IndexRecipe

PAGE = Path(__file__).parents[2] / "docs" / "frameworks.md"


def recipe_of(keys: dict[str, Any]) -> IndexRecipe:
    """A recipe without vectors: it is built at once."""
    return IndexRecipe.model_validate({"encoder": "none", **keys})


def examples_of(section: str, page: str) -> list[doctest.Example]:
    """Examples of a section of a page, in order."""
    text = page.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```(?:pycon|\{doctest\})\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [one for block in blocks for one in doctest.DocTestParser().get_examples(block)]


def run_section(section: str) -> int:
    """Run the examples of a section here; how many there are.

    ``AssertionError`` where one does not give what the page says, or there is none.
    """
    examples = examples_of(section, PAGE.read_text(encoding="utf-8"))
    assert examples, f"docs/frameworks.md has no example under {section!r}"
    test = doctest.DocTest(examples, {}, section, str(PAGE), 0, None)
    said: list[str] = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    failed, tried = runner.run(test, out=said.append)
    assert not failed, "".join(said)
    return tried
