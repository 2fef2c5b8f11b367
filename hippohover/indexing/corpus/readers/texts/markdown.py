"""Markdown: front matter, headings with anchors, links, tables as rows; tags are no words.

What stands inside of a line stays as it is written, ``[[links]]`` and callouts of vaults too, but
for HTML, comments and the names of references.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.markup import (
    heading_words,
    links,
    path_link,
    without_code,
    without_suffix,
)
from hippohover.indexing.corpus.readers.documents import (
    Marked,
    Section,
    numbered,
    shows_no_words,
    text_document,
    without_title,
)
from hippohover.indexing.corpus.readers.entries import with_entries
from hippohover.indexing.corpus.readers.html_walk import html_marked
from hippohover.indexing.corpus.readers.texts.front_matter import split_front_matter
from hippohover.indexing.corpus.readers.texts.html import html_root
from hippohover.indexing.corpus.readers.texts.inline_html import (
    Edit,
    Edited,
    inline_html,
    inline_references,
)
from hippohover.indexing.corpus.readers.texts.markdown_blocks import blocks_of
from hippohover.indexing.corpus.records import (
    Link,
    Records,
    Understood,
    UnreadableError,
    clean_title,
    names_in,
)

SUFFIXES: Final = (".md", ".markdown", ".mdx")

_MOST_ABOVE: Final = 10_000  # characters of badges
_TABLE_TAG: Final = re.compile(r"<table[\s>]", re.I)
_TABLE: Final = re.compile(
    r"^[ ]{0,3}<table[\s>](?:(?!<table[\s>]|</table>).){0,200000}?</table>[ \t]*$",
    re.I | re.M | re.S,
)
_OPENING: Final = re.compile(r"^(?:[ ]{0,3}#[ \t]|[^\n]{1,200}\n=+[ \t]*$)", re.M)
_TARGET: Final = r"(?:\([^()\n]{0,500}\)|\[[^\[\]\n]{0,200}\])"
_PICTURE: Final = rf"!\[[^\[\]\n]{{0,200}}\]{_TARGET}"
_BADGES: Final = re.compile(rf"\[[ ]?{_PICTURE}[ ]?\]{_TARGET}|{_PICTURE}")
_COMMENT: Final = re.compile(r"<!--.{0,5000}?-->|^\{%[^\n]{0,500}%\}[ \t]*$", re.M | re.S)
_ANCHOR = re.compile(r"[ \t]{0,20}\{[ \t]{0,20}#([\w:.-]{1,100})[^{}\n]{0,100}\}[ \t#]*$")

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


def read(file: SourceFile) -> Records:
    """Yield the document of a Markdown file."""
    written = file.text()
    fields, text, is_broken = split_front_matter(written)
    if is_broken:
        yield Understood("front matter that is no YAML or TOML was read line by line")
    given = fields.get("title")
    title = str(given) if isinstance(given, str | int | float) else ""
    whole = marked_text(_without_badges(without_anchors(text)), file.folder)
    whole = whole._replace(sections=list(numbered(whole.sections)))
    heading, marked = without_title(whole, title)
    front = written[: len(written) - len(text)]
    marked = marked._replace(links=[*_links_above(front, fields, file.folder), *marked.links])
    titles = (title, heading)
    names = [*names_in(fields.get("aliases")), *names_in(fields.get("alias")), *labels(text)]
    document = text_document(file, marked, titles=titles, names=names, fields=fields)
    yield from with_entries(document, marked.sections)


def _links_above(front: str, fields: Mapping[str, object], folder: str) -> Iterator[Link]:
    """Yield links of front matter: in any field, quoted or not, and the list ``links``."""
    found = [link.title for link in links(front, folder, is_markdown=True)]
    plain = [
        name for name in names_in(fields.get("links")) if "](" not in name and "[[" not in name
    ]
    for name in plain:
        is_path = "/" in name or without_suffix(name) != name
        found += (
            [link.title for link in path_link(0, name, folder)] if is_path else [clean_title(name)]
        )
    for title in dict.fromkeys(found):
        if title and title[0] not in "\"'":  # a list within a list of TOML or JSON
            yield Link(0, title)


def _without_badges(text: str) -> str:
    """Remove pictures above the heading that opens a text, if nothing else is there."""
    opening = _OPENING.search(text, 0, _MOST_ABOVE)
    above = text[: opening.start()] if opening else ""
    bare = _BADGES.sub("", above)
    return bare + text[len(above) :] if shows_no_words(_COMMENT.sub("", bare)) else text


def marked_text(text: str, folder: str) -> Marked:
    """Read a Markdown text of a folder, which its links start from."""
    blocks = blocks_of(_with_rows_of_html(with_plain_links(text, folder)))
    prose = without_code(blocks.prose)
    tags = inline_html(prose, folder)
    names = inline_references(prose, blocks.references, folder)
    sections, anchors = _with_anchors(blocks.text, blocks.sections)
    edited = Edited(blocks.text, [*tags.edits, *names.edits, *anchors])
    placed = (Link(edited.place(offset), title) for offset, title in tags.links + names.links)
    return Marked(
        edited.text,
        list(_called(edited, _of_both(edited, sections, tags.sections))),
        sorted([*links(edited.text, folder, is_markdown=True), *placed]),
    )


def _with_rows_of_html(text: str) -> str:
    """Replace an HTML table's tags by its rows, each with its header."""
    if not _TABLE_TAG.search(text):
        return text
    edits: list[Edit] = []
    for table in _TABLE.finditer(without_code(text)):
        try:
            root = html_root(text[table.start() : table.end()])
        except UnreadableError:
            continue
        for link in root.iter("a"):  # a link of a line of Markdown
            if (address := link.get("href")) and (words := "".join(link.itertext()).strip()):
                tail = link.tail
                link.clear()
                link.text, link.tail = f"[{words}]({address})", tail
        edits.append(Edit(*table.span(), f"\n{html_marked(root, '').text}\n"))
    return Edited(text, edits).text


def _of_both(edited: Edited, own: Sequence[Section], tags: Sequence[Section]) -> list[Section]:
    """Merge headings of Markdown and HTML; next to Markdown's, only an HTML title counts."""
    if own and tags and edited.text[: edited.place(tags[0].offset)].strip():
        return list(own)
    return sorted([*own, *(tags[:1] if own else tags)])


def _with_anchors(text: str, sections: Sequence[Section]) -> tuple[list[Section], list[Edit]]:
    """Return sections with their lines' anchors, ``## Rates {#rates}``, and these places."""
    named: list[Section] = []
    edits: list[Edit] = []
    for section in sections:
        start = section.offset
        line = text[start : _line_end(text, start)]
        match = _ANCHOR.search(line)
        named.append(section._replace(anchor=match[1]) if match else section)
        if match:
            edits.append(Edit(start + match.start(), start + match.end()))
    return named, edits


def _called(edited: Edited, sections: Sequence[Section]) -> Iterator[Section]:
    """Yield sections with places and names after the edits; their words are their anchors."""
    for section in sections:
        offset = edited.place(section.offset)
        line = section.words or edited.text[offset : _line_end(edited.text, offset)]
        words = heading_words(line)
        yield Section(offset, section.level, words, section.anchor or words)


def _line_end(text: str, offset: int) -> int:
    end = text.find("\n", offset)
    return len(text) if end < 0 else end


# Links and anchors of Hugo, Jekyll, MyST (for Sphinx) and Obsidian in Markdown


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
    return Edited(text, (Edit(*m.span(), m.groupdict().get("quote") or "") for m in found)).text


def _without_fences(text: str) -> str:
    """Blank what stands in blocks of code, and leave spans of it as they are."""
    prose = without_code(text)
    lines = zip(text.split("\n"), prose.split("\n"), strict=True)
    return "\n".join(line if plain.strip() else plain for line, plain in lines)


def _replaced(text: str, matches: Iterable[re.Match[str]], folder: str) -> str:
    return Edited(text, (Edit(*m.span(), _written(m.groupdict(), folder)) for m in matches)).text


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
