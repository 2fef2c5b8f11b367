"""Write what is generated into the pages: ``python docs/fill.py``; ``--check`` only compares.

A page holds each command's output between a comment that names the command and ``<!-- end -->``, so
that it reads the same in the repository and on the site.
"""

import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS))

from doc_pages.levels import GUIDE, guide_with_levels  # noqa: E402
from doc_pages.placeholders import Generators, fill  # noqa: E402


def main(arguments: list[str]) -> int:
    """Write, or with ``--check`` name what differs; 1 if a page differs."""
    check = "--check" in arguments
    made = {path: text for path, text in _made().items() if _standing(path) != text}
    if not check:
        for path, text in made.items():
            path.write_text(text, encoding="utf-8")
    done = "differs from the program: run python docs/fill.py" if check else "written"
    for path in made:
        print(f"{path.relative_to(DOCS.parent)}: {done}")
    return int(bool(made) and check)


def _made() -> dict[Path, str]:
    """Every page and picture as the program makes it now."""
    generators = Generators()
    try:
        pages = sorted(DOCS.rglob("*.md"))
        made = {path: fill(path.read_text(encoding="utf-8"), generators) for path in pages}
        pictures = {DOCS / "images" / name: text for name, text in generators.pictures.items()}
        return made | pictures | {GUIDE: guide_with_levels()}
    finally:
        generators.close()


def _standing(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
