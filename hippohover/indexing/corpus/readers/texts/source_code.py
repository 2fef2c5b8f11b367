"""Source code, settings, LaTeX: the text as it is, definitions as headings, imports as links.

Python is read by its own grammar. Of other languages lines are looked at that begin a definition at
the top of a file: with tree-sitter each of them would be a package more.
"""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from posixpath import join
from typing import Final

from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.markup import path_link
from hippohover.indexing.corpus.readers.documents import (
    Marked,
    Section,
    text_document,
)
from hippohover.indexing.corpus.readers.texts.parsing.latex_words import (
    latex_headings,
    latex_title,
)
from hippohover.indexing.corpus.readers.texts.parsing.python_code import PythonCode
from hippohover.indexing.corpus.records import BadRecord, Document, Link

_C: Final = (".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".m", ".mm", ".cu")
_SCRIPT: Final = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".vue", ".svelte")
_SHELL: Final = (".sh", ".bash", ".zsh", ".fish", ".ksh")
_PYTHON: Final = (".py", ".pyi", ".pyw")
_OTHERS: Final = (
    ".java", ".go", ".rs", ".cs", ".rb", ".php", ".swift", ".kt", ".kts", ".scala", ".lua", ".pl",
    ".pm", ".r", ".jl", ".ex", ".exs", ".erl", ".hs", ".dart", ".groovy", ".proto", ".ps1", ".zig",
)  # fmt: skip
_YAML: Final = (".yaml", ".yml")
_SECTIONED: Final = (".toml", ".ini", ".cfg", ".conf")
SUFFIXES: Final = (
    *_PYTHON, *_SCRIPT, *_C, *_SHELL, ".sql", *_YAML, *_SECTIONED, ".tex", ".bib", *_OTHERS
)  # fmt: skip

_WORD = r"(?P<name>[A-Za-z_$][\w$]{0,100}(?:(?:::|\.)~?[A-Za-z_]\w{0,100}){0,8}[?!]?)"
_BEFORE = (
    r"(?:(?:export|default|public|private|protected|internal|static|abstract|final|sealed|async"
    r"|partial|open|data|case|pub(?:\([a-z]{1,9}\))?|unsafe|const|inline|declare|local)\s+){0,6}"
)
_KINDS = (
    r"(?:class|interface|enum(?:\s+class)?|struct|trait|union|record|namespace|module|defmodule"
    r"|object|type|function\*?|fn|func|fun|impl|protocol|extension|mod|def|defp|sub|message|service)"
)
# func (r *Ledger) Sync(; const sync = async (a) =>; sync() {; CREATE TABLE IF NOT EXISTS a.b.
_DEFINITION = re.compile(rf"{_BEFORE}{_KINDS}\s+(?:\([^()\n]{{0,100}}\)\s*)?{_WORD}")
_ASSIGNED = re.compile(
    rf"(?:export\s+)?(?:const|let|var)\s+{_WORD}\s*(?::[^=\n]{{1,200}})?="
    r"\s*(?:async\s+)?(?:function\b|\([^()\n]{0,300}\)\s*(?::[^=\n]{1,100})?=>|\w{1,60}\s*=>)"
)
_NO_C = r"(?!(?:if|for|while|switch|return|else|do|case|using|typedef|goto)\b)"
# int pay(int a) { return a; }; and what goes on in the next line
_PARAMETERS = r"\s*\([^;{}\n]{0,500}(?:\)[ \t]*(?:\w[\w \t]{0,60})?\{[^\n]{0,800}|\)[^;\n]{0,60})?$"
_OF_C = re.compile(rf"{_NO_C}[A-Za-z_][\w \t*&:<>,]{{0,200}}?[ \t*&]{_WORD}{_PARAMETERS}")
# As GNU writes it: the type, and below it the name at the beginning of a line.
_BELOW_ITS_TYPE = re.compile(rf"{_NO_C}{_WORD}{_PARAMETERS}")
_TYPE = re.compile(rf"{_NO_C}[A-Za-z_][\w \t*&:<>,]{{0,200}}$")
_OF_SHELL = re.compile(rf"(?:function\s+{_WORD}|(?P<other>[A-Za-z_][\w-]{{0,100}})\s*\(\s*\))")
_OF_SQL = re.compile(
    r"CREATE\s+(?:OR\s+REPLACE\s+)?(?:TEMP(?:ORARY)?\s+|UNIQUE\s+|MATERIALIZED\s+){0,2}"
    r"(?:TABLE|VIEW|FUNCTION|PROCEDURE|INDEX|TRIGGER|TYPE|SCHEMA|SEQUENCE)\s+"
    r"(?:IF\s+NOT\s+EXISTS\s+)?(?P<name>[\w.\"`\[\]]{1,200})",
    re.I,
)
_OF_YAML = re.compile(r"(?P<name>[A-Za-z_][\w .-]{0,100}):(?=\s|$)")
_OF_SECTIONED = re.compile(r"\[{1,2}(?P<name>[^\[\]\n]{1,100})\]")
_LATEX_INPUT = re.compile(r"^[ \t]*\\(?:input|include|subfile)\{([^{}\n]{1,300})\}", re.M)
_OF_BIBTEX = re.compile(r"@\w{1,20}\{\s*(?P<name>[^,\s{}]{1,100})")
_BESIDE = r"[\"'](\.{1,2}/[^\"'\n]{1,300})[\"']"
_IMPORT = re.compile(
    rf"\bfrom\s*{_BESIDE}|\brequire\(\s*{_BESIDE}|^import\s+{_BESIDE}"
    r"|^[ \t]*#[ \t]*include[ \t]*\"([^\"\n]{1,300})\"",
    re.M,
)
_ONLY: Final = (
    {".sql": _OF_SQL, ".bib": _OF_BIBTEX}
    | dict.fromkeys(_YAML, _OF_YAML)
    | dict.fromkeys(_SECTIONED, _OF_SECTIONED)
)
_BEGINS: Final = ("_", "[", "\\", "@")  # what else than a letter opens a definition
_MAX_LINE_CHARS: Final = 1000  # a longer one is made by a program
_OF_ITS_FOLDER: Final = ("__init__", "__main__", "index", "main", "mod", "lib")


def read(file: SourceFile) -> Iterator[Document | BadRecord]:
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
    else:
        sections += _sections(text, file.suffix)
        for match in _IMPORT.finditer(text):
            links += path_link(match.start(), next(filter(None, match.groups())), file.folder)
    folder = PurePosixPath(file.folder).name
    in_folder = file.stem in _OF_ITS_FOLDER and bool(folder)
    title = join(folder, name) if in_folder else name
    names = (file.folder, folder) if in_folder else ()
    titles = (latex_title(text) if file.suffix == ".tex" else "", title)
    yield text_document(file, Marked(text, sections, links), titles=titles, names=names)


def _sections(text: str, suffix: str) -> Iterator[Section]:
    """Yield definitions that begin a line of a text, in various languages."""
    patterns = [_DEFINITION]
    if suffix in _C:
        patterns.append(_OF_C)
    elif suffix in _SCRIPT:
        patterns.append(_ASSIGNED)
    elif suffix in _SHELL:
        patterns = [_OF_SHELL]
    elif suffix in _ONLY:
        patterns = [_ONLY[suffix]]
    offset = 0
    before = ""
    for line in text.split("\n"):
        if len(line) <= _MAX_LINE_CHARS and (line[:1].isalpha() or line[:1] in _BEGINS):
            match = next(filter(None, (pattern.match(line) for pattern in patterns)), None)
            below = _BELOW_ITS_TYPE.match(line) if suffix in _C and not match else None
            if below and _TYPE.match(before):
                yield Section(offset - len(before) - 1, 2, below["name"])
            elif match:
                said = match.groupdict()
                yield Section(offset, 2, (said["name"] or said["other"]).strip('"`[]'))
        offset += len(line) + 1
        before = line if len(line) <= _MAX_LINE_CHARS else ""
