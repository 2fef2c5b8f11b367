"""Sphinx's settings: pages in Markdown, which hold what is generated (docs/fill.py).

``sphinx-build -n -W --keep-going docs BUILD`` builds the site, ``sphinx-build -b doctest`` runs
its examples, ``sphinx-build -b linkcheck`` asks for links that lead outside.
"""

import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.util.nodes import make_refnode

sys.path.insert(0, str(Path(__file__).parent))

from doc_pages.contents import contents

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

project = "hippohover"
author = "The hippohover authors"
project_copyright = author
with (Path(__file__).parent.parent / "pyproject.toml").open("rb") as file:
    release = version = tomllib.load(file)["project"]["version"]

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.doctest",
    "sphinx.ext.napoleon",
]
exclude_patterns = ["_build"]
suppress_warnings = ["myst.header"]  # benchmarks/README.md goes from its title to the third level
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
highlight_language = "text"

napoleon_google_docstring = False
napoleon_use_param = False
napoleon_use_rtype = False
napoleon_use_ivar = True
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88

doctest_test_doctest_blocks = ""  # examples of docstrings are the tests' matter
trim_doctest_flags = True

html_theme = "furo"
html_title = f"hippohover {release}"
html_copy_source = False
html_show_sourcelink = False

linkcheck_anchors = True


def setup(app: "Sphinx") -> None:
    """Connect the contents of two pages, and names in signatures that have no page of their own."""

    def read(_app: "Sphinx", page: str, source: list[str]) -> None:
        if page in ("index", "errors"):
            source[0] += contents(source[0])

    app.connect("source-read", read)
    app.connect("missing-reference", _type_without_page)


def _type_without_page(
    app: "Sphinx", env: "BuildEnvironment", node: nodes.Element, shown: nodes.TextElement
) -> nodes.Node | None:
    """A type or an error of a docstring: linked if a page has it, and a type else plain text.

    Anything else that leads nowhere stays a warning, which -W makes an error.
    """
    if node.get("refdomain") != "py" or node.get("reftype") not in ("class", "obj", "exc"):
        return None
    target = str(node.get("reftarget", ""))
    module, _, name = target.rpartition(".")
    if module and not module.startswith("hippohover"):
        return shown  # pathlib.Path is no Path of a walk
    for full, known in sorted(env.domains.python_domain.objects.items()):
        if full.rpartition(".")[2] == name:
            place = str(node["refdoc"])
            return make_refnode(app.builder, place, known.docname, known.node_id, shown, full)
    return None if node["reftype"] == "exc" else shown
