"""Links and anchors of Hugo, Jekyll, MyST (for Sphinx) and Obsidian in Markdown."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from hippohover.indexing.corpus.markup import without_code

_QUOTED: Final = r"[\"'](?P<{}>[^\"'`<>{{}}\n]{{1,500}})[\"']"
_HUGO: Final = (
    r"\{\{[<%][ \t]{0,9}(?:rel)?ref[ \t]{1,9}(?:path[ \t]{0,9}=[ \t]{0,9})?"
    rf"(?:{_QUOTED.format('hugo')}|(?P<bare>[^\s\"'`<>{{}}]{{1,500}}))[^<>{{}}\n]{{0,200}}[>%]\}}\}}"
)
_BASE: Final = r"(?:\{\{[ \t]{0,9}(?:site|page)\.\w{1,40}[ \t]{0,9}\}\})?"
_JEKYLL: Final = (
    rf"{_BASE}\{{%-?[ \t]{{0,9}}(?:link[ \t]{{1,9}}(?P<link>[^%{{}}\n]{{1,500}}?)"
    r"|post_url[ \t]{1,9}(?P<post>[^%{}\n]{1,500}?))[ \t]{0,9}-?%\}"
)
_LIQUID: Final = (
    rf"{_BASE}\{{\{{-?[ \t]{{0,9}}{_QUOTED.format('url')}[ \t]{{0,9}}\|[ \t]{{0,9}}"
    r"(?:relative|absolute)_url[ \t]{0,9}-?\}\}"
)
_BASED: Final = r"(?<=[(\"'])\{\{[ \t]{0,9}(?:site|page)\.\w{0,20}url[ \t]{0,9}\}\}(?=/)"
_LINK = re.compile(f"{_HUGO}|{_JEKYLL}|{_LIQUID}|{_BASED}")
_ROLE = re.compile(
    r"\{(?P<role>doc|ref|numref|any|term|download)\}"
    r"`(?:(?P<shown>[^`<>\n]{1,300}?)[ \t]{0,9}<(?P<to>[^`<>\n]{1,300})>"
    r"|(?P<name>[^`<>\n]{1,300}))`"
)
_LABEL = re.compile(r"^[ ]{0,3}\((?P<label>[\w.:/-]{1,100})\)=[ \t]*$", re.M)

# At the end of a block, where [[Note#^rates-1931]] leads to; "x ^2" is arithmetic.
_BLOCK_ID = re.compile(
    r"(?:^(?P<quote>[> \t]{0,20})|(?<![ \t])[ \t]{1,99})"
    r"\^(?!\d{1,4}[ \t]*$)[A-Za-z0-9-]{2,60}[ \t]{0,99}$",
    re.M,
)


def with_plain_links(text: str, folder: str) -> str:
    """Write links of site makers as Markdown's, with a path or, in brackets, a name."""
    if "{" not in text:
        return text
    text = _replaced(text, _LINK.finditer(without_code(text)), folder)
    fenced = _without_fences(text) if "}`" in text else ""
    return _replaced(text, _ROLE.finditer(fenced), folder)


def labels(text: str) -> Sequence[str]:
    """Return names that lines ``(name)=`` give to places in a text."""
    return [match["label"] for match in _LABEL.finditer(without_code(text))] if ")=" in text else ()


def without_anchors(text: str) -> str:
    """Remove these lines, and the ids of blocks: they are no words."""
    found = [*_LABEL.finditer(without_code(text))] if ")=" in text else []
    found += _BLOCK_ID.finditer(without_code(text)) if "^" in text else ()
    parts, at = list[str](), 0
    for match in sorted(found, key=lambda match: match.start()):
        parts += [text[at : match.start()], match.groupdict().get("quote") or ""]
        at = match.end()
    return "".join([*parts, text[at:]])


def _without_fences(text: str) -> str:
    """Blank what stands in blocks of code, and leave spans of it as they are."""
    prose = without_code(text)
    lines = zip(text.split("\n"), prose.split("\n"), strict=True)
    return "\n".join(line if plain.strip() else plain for line, plain in lines)


def _replaced(text: str, matches: Iterable[re.Match[str]], folder: str) -> str:
    parts, at = list[str](), 0
    for match in matches:
        parts += [text[at : match.start()], _written(match.groupdict(), folder)]
        at = match.end()
    return "".join([*parts, text[at:]])


def _written(found: dict[str, str | None], folder: str) -> str:
    if target := found.get("to") or found.get("name"):
        shown = (found["shown"] or target).strip()
        is_path = found["role"] in ("doc", "download")
        return f"[{shown}]({target})" if is_path else f"[[{target}|{shown}]]"
    if address := found.get("hugo") or found.get("bare"):
        return f"{_content_above(folder)}{address}" if address.startswith("/") else address
    if post := found.get("post"):
        return f"/_posts/{post.strip('/')}.md"
    path = (found.get("link") or found.get("url") or "").strip()
    return f"/{path.lstrip('/')}" if path else ""  # of the site's own address nothing is left


def _content_above(folder: str) -> str:
    """Return the folder of a Hugo site's content that holds a folder: "/content"; "" if none."""
    above, name, _ = f"/{folder}/".rpartition("/content/")
    return f"{above}/content" if name else ""
