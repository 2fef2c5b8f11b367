"""Files of code are joined with what they import, in any language and below any folder."""

from pathlib import Path

from hippohover.entity_graph import EdgeType
from hippohover.indexing.build import build
from hippohover.recipe import IndexRecipe
from hippohover.store.reader import StoredIndex
from hippohover.store.tables import IndexTables

FILES = {
    # Python below a folder of sources, absolute and from beside; two files share a name.
    "src/mill/wheel.py": "from mill.tools.oil import press\nfrom .tools.rope import knot\n",
    "src/mill/tools/oil.py": "press = 1\n",
    "src/mill/tools/rope.py": "knot = 2\n",
    "src/mill/oil.py": "press = 3\n",
    # Scripts: from beside and above, and an index of a folder.
    "web/app/main.ts": "import { a } from './parts'\nconst b = require('../lib/tar')\n",
    "web/app/parts/index.ts": "export const a = 1\n",
    "web/lib/tar.js": "exports.b = 1\n",
    # C from beside, and from the top of its sources.
    "core/pump/valve.c": '#include "gauge.h"\n#include "hull/plank.h"\n',
    "core/pump/gauge.h": "int gauge;\n",
    "core/hull/plank.h": "int plank;\n",
    # By dots from the top, which is none of the corpus.
    "java/src/org/quay/Crane.java": "package org.quay;\nimport org.quay.load.Hook;\n",
    "java/src/org/quay/load/Hook.java": "package org.quay.load;\nclass Hook {}\n",
    # A path in a text.
    "notes/build.md": "The press is in src/mill/tools/oil.py, and nowhere else.\n",
}
JOINED = [
    ("src/mill/wheel.py", "src/mill/tools/oil.py"),
    ("src/mill/wheel.py", "src/mill/tools/rope.py"),
    ("web/app/main.ts", "web/app/parts/index.ts"),
    ("web/app/main.ts", "web/lib/tar.js"),
    ("core/pump/valve.c", "core/pump/gauge.h"),
    ("core/pump/valve.c", "core/hull/plank.h"),
    ("java/src/org/quay/Crane.java", "java/src/org/quay/load/Hook.java"),
    ("notes/build.md", "src/mill/tools/oil.py"),
]


def test_files_lead_to_what_they_import_and_name(tmp_path: Path):
    for name, text in FILES.items():
        path = tmp_path / "corpus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    recipe = IndexRecipe(encoder="none")
    build(recipe, corpus=tmp_path / "corpus", out=tmp_path / "index", workers=1)
    tables = IndexTables.open(StoredIndex.open(tmp_path / "index"))
    graph, paths = tables.arrays.graph, tables.passages.column("path").to_pylist()
    owners: dict[int, set[str]] = {}
    named: set[tuple[str, int]] = set()
    for row, path in enumerate(paths):
        for at in range(*graph.spans[row]):
            node, kind = int(graph.neighbours[at]), EdgeType(int(graph.types[at]))
            if kind == EdgeType.TITLE:
                owners.setdefault(node, set()).add(path)
            elif kind in (EdgeType.LINK, EdgeType.MENTION):
                named.add((path, node))
    alone = {(path, *owners[node]) for path, node in named if len(owners.get(node, ())) == 1}
    assert [pair for pair in JOINED if pair not in alone] == []
    assert ("src/mill/wheel.py", "src/mill/oil.py") not in alone
