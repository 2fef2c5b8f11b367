"""Source code, settings, LaTeX: the text as it is, definitions as headings, imports as links.

Python is read by its own grammar. Of other languages lines are looked at that begin a definition at
the top of a file: with tree-sitter each of them would be a package more.
"""

import ast
import re
import tomllib
import unicodedata
import warnings
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from posixpath import join
from typing import Any, Final

from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.known_names import KNOWN
from hippohover.indexing.corpus.markup import path_link
from hippohover.indexing.corpus.readers.documents import Marked, Section, text_document
from hippohover.indexing.corpus.records import Link, Records

_PYTHON: Final = (".py", ".pyi", ".pyw")
_LANGUAGES: Final[dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("languages.toml").read_text("utf-8")
)


def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern with its parts in their places."""
    return re.compile(re.sub(r"\{\{(\w+)\}\}", lambda of: _LANGUAGES["parts"][of[1]], pattern))


_DEFINITIONS, _BELOW = (
    {
        suffix: [*map(_compiled, family.get(name, []))]
        for family in _LANGUAGES["families"].values()
        for suffix in family["suffixes"].split()
    }
    for name in ("patterns", "below")
)
"""By suffixes: what begins a definition; and a line, and the definition below it."""

SUFFIXES: Final = (*_PYTHON, ".tex", *_DEFINITIONS)
_OTHER: Final = ".java"  # as which a file of another name, "a.rs.gz", is read

_LATEX_INPUT = re.compile(r"^[ \t]*\\(?:input|include|subfile)\{([^{}\n]{1,300})\}", re.M)
_CITE = re.compile(
    r"\\\w{0,20}cite\w{0,20}\*?(?:\[[^\[\]\n]{0,200}\]){0,2}\{([^{}\n]{1,500})\}", re.I
)
_BESIDE = r"[\"'](\.{1,2}/[^\"'\n]{1,300})[\"']"
_IMPORT = re.compile(
    rf"\bfrom\s*{_BESIDE}|\brequire\(\s*{_BESIDE}|^import\s+{_BESIDE}"
    r"|^[ \t]*#[ \t]*include[ \t]*\"([^\"\n]{1,300})\"",
    re.M,
)
_BEGINS: Final = ("_", "[", "\\")  # what else than a letter opens a definition
_MAX_LINE_CHARS: Final = 1000  # a longer one is made by a program
_OF_ITS_FOLDER: Final = ("__init__", "__main__", "index", "main", "mod", "lib")

_MAX_CHARS: Final = 2**20
"""A longer text is not parsed: its tree would take a hundred times as much memory."""

_PYTHON_DEFINITION = re.compile(r"^(?:class|def|async[ \t]+def)[ \t]+(\w{1,200})", re.M)

_HEADING = re.compile(
    r"^[ \t]*\\(?:part|chapter|(?:sub){0,2}section|frametitle)\*?[ \t]*(?:\[[^\[\]\n]{0,200}\])?"
    r"[ \t]*\n?[ \t]*(?=\{)|^[ \t]*\\begin\{frame\}(?:<[^<>\n]{0,30}>)?(?:\[[^\[\]\n]{0,200}\])?"
    r"(?=\{)",
    re.M,
)
_TITLE = re.compile(r"^[ \t]*\\title\*?[ \t]*(?:\[[^\[\]]{0,300}\])?[ \t]*\n?[ \t]*(?=\{)", re.M)
_LONGEST: Final = 1000  # characters between braces

_COMMENT = re.compile(r"(?<!\\)%[^\n]*\n?[ \t]*")
_NO_WORDS = re.compile(
    r"\\(?:thanks|footnote(?:mark|text)?|label|index|vspace|hspace|inst|href|url)"
    r"\*?[ \t]*(?:\[[^\[\]]{0,100}\])?(?=\{)"
)
_FOR_PDF = re.compile(r"\\texorpdfstring[ \t]*(?=\{)")
_ACCENT = re.compile(
    r"\\(?:([\"'`^~=.])|([uvHcdbkr])(?=[ {]))[ ]?(?:\{\\?([A-Za-z])\}|\\?([A-Za-z]))"
)
_ACCENTS: Final = dict(zip(KNOWN["latex"]["marks"], KNOWN["latex"]["accents"], strict=True))
_LETTERS: Final[dict[str, str]] = KNOWN["latex"]["letters"]
_COMMAND = re.compile(r"\\([A-Za-z]+)\*?(?:[ \t]+|\[[^\[\]]{0,100}\](?=\{)|\{\})?")
_SIGN = re.compile(r"\\([&%$#_{}])|\\\\(?:\[[^\[\]]{0,20}\])?|\\[,;:!/ @-]|~")


def read(file: SourceFile) -> Records:
    """Yield the document of a file of code."""
    text = file.text()
    name = PurePosixPath(file.place).name
    # The file itself is the outermost heading: no line with "#" is one then.
    sections = [Section(0, 1, name)]
    links: list[Link] = []
    if file.suffix in _PYTHON:
        code = PythonCode(text, file.place)
        sections += code.sections
        links = code.links
    elif file.suffix == ".tex":
        sections += (Section(at, 2, words) for at, words in latex_headings(text))
        for match in _LATEX_INPUT.finditer(text):
            links += path_link(match.start(), f"{match[1].removesuffix('.tex')}.tex", file.folder)
        cited = (
            (at.start(), key.strip()) for at in _CITE.finditer(text) for key in at[1].split(",")
        )
        links += (Link(at, key) for at, key in cited if key)
    else:
        sections += _sections(text, file.suffix)
        for match in _IMPORT.finditer(text):
            links += path_link(match.start(), next(filter(None, match.groups())), file.folder)
    folder = PurePosixPath(file.folder).name
    in_folder = file.stem in _OF_ITS_FOLDER and bool(folder)
    title = join(folder, name) if in_folder else name
    names = _paths(
        PurePosixPath(file.folder) if in_folder else PurePosixPath(file.folder, file.stem)
    )
    titles = (latex_title(text) if file.suffix == ".tex" else "", title)
    yield text_document(file, Marked(text, sections, links), titles=titles, names=names)


def _paths(path: PurePosixPath) -> list[str]:
    """Return what imports and texts call a file: its path without suffix, and that path's ends.

    Ends of three parts and fewer: Java's "org.quay.Crane" is one, below folders of any name.
    """
    return [join(*path.parts[-n:]) for n in (len(path.parts), 3, 2, 1) if len(path.parts) >= n > 0]


def _sections(text: str, suffix: str) -> Iterator[Section]:
    """Yield definitions that begin a line of a text, in various languages."""
    suffix = suffix if suffix in _DEFINITIONS else _OTHER
    patterns, type_and_name = _DEFINITIONS[suffix], _BELOW[suffix]
    offset = 0
    before = ""
    for line in text.split("\n"):
        if len(line) <= _MAX_LINE_CHARS and (line[:1].isalpha() or line[:1] in _BEGINS):
            match = next(filter(None, (pattern.match(line) for pattern in patterns)), None)
            below = type_and_name[1].match(line) if type_and_name and not match else None
            if below and type_and_name[0].match(before):
                yield Section(offset - len(before) - 1, 2, below["name"])
            elif match:
                said = match.groupdict()
                yield Section(offset, 2, (said["name"] or said["other"]).strip('"`[]'))
        offset += len(line) + 1
        before = line if len(line) <= _MAX_LINE_CHARS else ""


# Python: classes, functions and methods from its syntax tree, and imported modules


class PythonCode:
    """Definitions and imports of a Python text; ``place`` is its file.

    Attributes
    ----------
    sections : list of Section
    links : list of Link
        To modules beside or above: of others nobody knows that they are in the corpus.
    """

    def __init__(self, text: str, place: str) -> None:
        self.sections: list[Section] = []
        self.links: list[Link] = []
        self._place = PurePosixPath(place)
        tree = _parsed_python(text)
        if tree is None:
            matches = _PYTHON_DEFINITION.finditer(text)
            self.sections = [Section(match.start(), 2, match[1]) for match in matches]
            return
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._define(tree, 2)
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                self._link(node, [alias.name for alias in node.names], 0)
            elif isinstance(node, ast.ImportFrom):
                modules = [node.module] if node.module else [alias.name for alias in node.names]
                self._link(node, modules, node.level)
        self.links.sort()

    def _define(self, node: ast.AST, level: int) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                first = min([child.lineno, *(mark.lineno for mark in child.decorator_list)])
                self.sections.append(Section(self._starts[first - 1], level, child.name))
                if isinstance(child, ast.ClassDef) and level == 2:
                    self._define(child, level + 1)

    def _link(self, node: ast.stmt, modules: list[str], level: int) -> None:
        folders = self._place.parts[:-1]
        for module in modules:
            path = module.replace(".", "/")
            if level:
                path = "/".join([*folders[: len(folders) - level + 1], path])
            elif (first := module.partition(".")[0]) in folders:
                path = "/".join([*folders[: folders.index(first)], path])
            else:
                continue
            self.links.extend(path_link(self._starts[node.lineno - 1], f"/{path}", ""))


def _parsed_python(text: str) -> ast.Module | None:
    """Parse a text; return None where it is in another Python, or too long."""
    if len(text) > _MAX_CHARS:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


# Titles and headings of LaTeX: what stands in braces, without its commands


def latex_title(text: str) -> str:
    """Return the words of the title that a text gives itself; "" without one."""
    match = _TITLE.search(text)
    return latex_words(_braced(text, match.end())) if match else ""


def latex_headings(text: str) -> Iterator[tuple[int, str]]:
    """Yield where a part, section or slide begins, and the words of its heading."""
    for match in _HEADING.finditer(text):
        if words := latex_words(_braced(text, match.end())):
            yield match.start(), words


def _braced(text: str, start: int) -> str:
    """Return what stands in the braces that open at a place; "" where they do not close."""
    depth = 0
    at = start
    while at < min(start + _LONGEST, len(text)):
        if text[at] == "\\":
            at += 1
        else:
            depth += (text[at] == "{") - (text[at] == "}")
        at += 1
        if not depth:
            return text[start + 1 : at - 1]
    return ""


def latex_words(source: str) -> str:
    r"""Return the words of a line of LaTeX: "The \emph{Heron}" is "The Heron"."""
    source = _COMMENT.sub("", source)
    while match := _NO_WORDS.search(source):
        end = match.end() + len(_braced(source, match.end())) + 2
        source = f"{source[: match.start()]} {source[end:]}"
    while match := _FOR_PDF.search(source):  # two versions of the same: the second is plain
        end = match.end() + len(_braced(source, match.end())) + 2
        source = source[: match.start()] + source[end:]
    source = _ACCENT.sub(_accented, source)
    source = _SIGN.sub(_sign, source)
    source = _COMMAND.sub(lambda command: _LETTERS.get(command[1], ""), source)
    source = re.sub(r"[{}\ue000\ue001]", lambda brace: _BRACES.get(brace[0], ""), source)
    source = source.replace("---", "—").replace("--", "–").replace("``", "“").replace("''", "”")
    return " ".join(source.split()).replace(" ,", ",")


_BRACES: Final = {"\ue000": "{", "\ue001": "}"}


def _sign(match: re.Match[str]) -> str:
    written = {"{": "\ue000", "}": "\ue001"}.get(match[1] or "", match[1])
    return written or ("" if match[0] in ("\\-", "\\/", "\\!", "\\@") else " ")


def _accented(match: re.Match[str]) -> str:
    mark = _ACCENTS[match[1] or match[2]]
    return unicodedata.normalize("NFC", (match[3] or match[4]) + mark)
