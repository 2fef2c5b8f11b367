"""Whether every link leads somewhere: those of a built site, and those of Markdown files.

``python docs/check_links.py SITE`` reads all pages of a site that ``sphinx-build`` made, and the
READMEs; it prints what leads nowhere and ends with 1. Addresses outside are not asked for, so it
needs no network: ``sphinx-build -b linkcheck docs BUILD`` asks for them. A page that would load
something from elsewhere when it is read is an error here.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from markdown_it import MarkdownIt

ROOT: Final = Path(__file__).parent.parent
MARKDOWN: Final = (
    "README.md",
    "index/README.md",
    "benchmarks/README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")),
)
_LOADING: Final = {"img", "script", "iframe", "source", "video", "audio", "embed"}
_LOADED: Final = {"stylesheet", "icon", "preload", "preconnect", "shortcut icon", "manifest"}


@dataclass
class Page:
    """Links, places that can be linked to, and what is loaded when the page is read."""

    links: list[str] = field(default_factory=list[str])
    anchors: set[str] = field(default_factory=set[str])
    loaded: list[str] = field(default_factory=list[str])


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page = Page()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.page.anchors.update(given[name] for name in ("id", "name") if name in given)
        if tag == "a" and "href" in given:
            self.page.links.append(given["href"])
        elif tag in _LOADING and "src" in given:
            self.page.loaded.append(given["src"])
        elif tag == "link" and given.get("rel") in _LOADED:
            self.page.loaded.append(given["href"])


def faults_of_site(site: Path) -> list[str]:
    """What leads nowhere in a built site, a line each."""
    pages = {path.resolve(): _read(path) for path in sorted(site.rglob("*.html"))}
    faults: list[str] = []
    for path, page in pages.items():
        place = path.relative_to(site.resolve())
        for link in (*page.links, *page.loaded):
            faults += [f"{place}: {link}: {why}" for why in _fault(path, link, pages)]
        faults += [f"{place}: loads {one} from elsewhere" for one in page.loaded if _leads_out(one)]
    for style in sorted(site.rglob("*.css")):
        for one in re.findall(r"(?:url\(|@import)\s*[\"']?(https?:[^\"')]+)", style.read_text()):
            faults.append(f"{style.relative_to(site)}: loads {one} from elsewhere")
    return faults if pages else [f"{site}: holds no page"]


def faults_of_markdown(path: Path) -> list[str]:
    """Relative links of a Markdown file that name no file, a line each."""
    return [
        f"{path}: {link}: no such file"
        for link in links_of_markdown(path.read_text(encoding="utf-8"))
        if not _leads_out(link) and (name := unquote(urlsplit(link).path))
        if not (path.parent / name).exists()
    ]


def links_of_markdown(text: str) -> Iterator[str]:
    """Addresses of links and pictures, but for what stands in code."""
    for block in MarkdownIt().enable("table").parse(text):
        for token in block.children or ():
            target = token.attrGet("href") or token.attrGet("src")
            if isinstance(target, str):
                yield target


def _read(path: Path) -> Page:
    reader = _Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    return reader.page


def _leads_out(link: str) -> bool:
    return bool(urlsplit(link).scheme or urlsplit(link).netloc)


def _fault(path: Path, link: str, pages: dict[Path, Page]) -> Iterator[str]:
    parts = urlsplit(link)
    if _leads_out(link):
        return
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        target /= "index.html"
    anchor = unquote(parts.fragment)
    if not target.exists():
        yield "no such file"
    elif anchor and target in pages and anchor not in pages[target].anchors:
        yield "no such place on that page"


def main(arguments: list[str]) -> int:
    """Check, print, and say how it ended."""
    if len(arguments) != 1:
        print("usage: python docs/check_links.py SITE")
        return 2
    faults = faults_of_site(Path(arguments[0]))
    for name in MARKDOWN:
        faults += faults_of_markdown(ROOT / name)
    print("\n".join(faults) if faults else "every link leads somewhere")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
