"""Code: its definitions as headings, its imports as links, its text as it is."""

import pytest

from hippohover.indexing.corpus.readers.texts import source_code
from hippohover.indexing.corpus.readers.texts.source_code import PythonCode, read
from tests.indexing.corpus.readers.texts.text_samples import document, headings_in, targets_of

SCRIPT = """import { a } from './lib/a.js'
const b = require('../b')
// class Not
export default class Ledger {
  sync() {}
}
export async function pay(x) {}
const fee = async (car) => 2
const number = 3
"""

GO = "package main\n\nfunc (l *Ledger) Sync(a int) error {\n}\n\ntype Fee struct {\n}\n"
RUST = "pub(crate) fn pay<T>(x: T) -> u8 {\n}\npub struct Fee;\nimpl Fee {\n    fn of() {}\n}\n"
C = (
    '#include "fee.h"\nstatic int\n'
    "int pay(int a,\n        int b)\n{\n  if (a) return 0;\n}\nint x = f(2);\n"
)
SHELL = "#!/bin/sh\n# a comment\npay() {\n  echo 1\n}\nfunction sync_all {\n}\n"
SQL = 'create table if not exists "Fees" (id int);\nSELECT 1;\nCREATE OR REPLACE VIEW a.b AS x;\n'
YAML = "# a comment\nname: bridge\nservice ports:\n  - port: 80\nhttp://x\n"
TOML = 'version = 1\n[project]\nname = "x"\n[[tool.fees]]\nrate = [1]\n'
LATEX = r"""\documentclass{article}
\title{On herons}
\begin{document}
\input{parts/one}
\section*{Intro}
Herons \emph{stand}. % \section{No}
\subsection[Short]{Of wings}
\include{end.tex}
"""
JAVA = "package a;\npublic final class Ledger {\n  class Inner {}\n}\ninterface Fee {}\n"
RUBY = "module Fees\n  class A\n  end\nend\ndef pay?(x)\nend\n"

PYTHON = (
    '"""Syncs the ledger."""\n# a comment\nimport json\nfrom .fees import rate\n'
    "from billing.client import Bank\nfrom .. import web\n\n@cached\ndef pay(x):\n"
    "    def inner(): pass\n\nclass Ledger:\n    async def sync(self): ...\n"
)


@pytest.mark.parametrize(
    ("place", "text", "headings", "targets"),
    [
        ("src/pay.ts", SCRIPT, ["Ledger", "pay", "fee"], ["src/lib/a.js", "b"]),
        ("main.go", GO, ["Sync", "Fee"], []),
        ("a/fee.rs", RUST, ["pay", "Fee", "Fee"], []),
        ("a/pay.c", C, ["pay"], ["a/fee.h"]),
        ("pay.sh", SHELL, ["pay", "sync_all"], []),
        ("fees.sql", SQL, ["Fees", "a.b"], []),
        ("a/Ledger.java", JAVA, ["Ledger", "Fee"], []),
        ("deploy.yaml", YAML, ["name", "service ports"], []),
        ("a/fees.toml", TOML, ["project", "tool.fees"], []),
        ("fees.rb", RUBY, ["Fees", "pay?"], []),
    ],
)
def test_definitions_are_headings(place: str, text: str, headings: list[str], targets: list[str]):
    made = document(read, place, text)
    name = place.rpartition("/")[2]
    assert made.title == name
    assert made.id == place
    assert made.aliases == tuple(dict.fromkeys((place.partition(".")[0], name.partition(".")[0])))
    assert made.text == text
    assert [path for path, _, _ in headings_in(made)] == [
        name,
        *(f"{name} > {heading}" for heading in headings),
    ]
    assert all(
        heading in line
        for heading, (_, _, line) in zip(headings, headings_in(made)[1:], strict=True)
    )
    assert targets_of(made) == targets


def test_a_packed_file_has_its_definitions():
    assert [of[0] for of in headings_in(document(read, "a/fee.rs.gz", RUST))[1:]] == [
        "fee.rs.gz > pay", "fee.rs.gz > Fee", "fee.rs.gz > Fee",
    ]  # fmt: skip


def test_latex_has_its_title_sections_and_parts():
    made = document(read, "a/paper.tex", LATEX)
    assert (made.title, made.aliases, made.id) == (
        "On herons",
        ("a/paper", "paper", "paper.tex"),
        "a/paper.tex",
    )
    assert [path for path, _, _ in headings_in(made)][1:] == [
        "paper.tex > Intro",
        "paper.tex > Of wings",
    ]
    assert targets_of(made) == ["a/parts/one.tex", "a/end.tex"]


@pytest.mark.parametrize(
    ("written", "words"),
    [
        (r"{\textbf{Weirs} of Ott}", "Weirs of Ott"),
        ("{Weirs\n  of Ott\\thanks{Paid by {Ida} Fenn.}}", "Weirs of Ott"),
        ("[Short]{Weirs \\\\ of % a comment\n Ott}", "Weirs of Ott"),
        (r"{Weirs \& Boats, 5\,\% of {\LaTeX} and \TeX{}}", "Weirs & Boats, 5 % of LaTeX and TeX"),
        (r"{Stra{\ss}e nach M\"unchen, \'{E}t\'e, \v{C}apek, fa\c{c}ade}",
         "Straße nach München, Été, Čapek, façade"),
        (r"{The \texorpdfstring{$x^2$}{square} of~Ott---1931--32}", "The square of Ott—1931–32"),
        (r"{A\footnote{Of {Ott}.}\label{sec:a}}", "A"),
        (r"{A set \{a, b\}}", "A set {a, b}"),
        ("\n{Weirs}", "Weirs"),
        ("{Weirs", "a"),
    ],
)  # fmt: skip
def test_titles_and_headings_of_latex_are_words(written: str, words: str):
    made = document(read, "a.tex", f"\\title{written}\n")
    assert made.title == (words if words != "a" else "a.tex")
    for command in (r"\section", r"  \subsection*", r"\frametitle", r"\begin{frame}"):
        made = document(read, "a.tex", f"Text.\n{command}{written}\nMore.\n")
        if not written.startswith("\n"):
            said = [path for path, _, _ in headings_in(made)][1:]
            assert said == ([f"a.tex > {words}"] if words != "a" else [])


def test_python_is_read_by_its_grammar():
    made = document(read, "src/billing/ledger.py", PYTHON)
    assert made.title == "ledger.py"
    assert made.text == PYTHON
    assert headings_in(made) == [
        ("ledger.py", "", '"""Syncs the ledger."""'),
        ("ledger.py > pay", "", "@cached"),
        ("ledger.py > Ledger", "", "class Ledger:"),
        ("ledger.py > Ledger > sync", "", "    async def sync(self): ..."),
    ]
    assert targets_of(made) == ["src/billing/fees", "src/billing/client", "src/web"]


def test_a_package_is_called_by_its_folder():
    made = document(read, "src/billing/__init__.py", "x = 1\n")
    assert (made.title, made.aliases) == (
        "billing/__init__.py",
        ("src/billing", "billing", "__init__"),
    )


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("print 'old'\ndef pay(x):\n    pass\n", ["a.py", "a.py > pay"]),
        ("x = '\\d'\nassert (1, 'always')\n", ["a.py"]),
        ("(" * 3000, ["a.py"]),
        ("-" * 100_000 + "1", ["a.py"]),
        ("a = 1\0", ["a.py"]),
    ],
)
def test_any_python_is_read(text: str, headings: list[str]):
    assert [path for path, _, _ in headings_in(document(read, "a.py", text))] == headings


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("static int\npay (int a)\n{\n  return a;\n}\n", ["pay"]),
        ("static char const *\npay (int a,\n     int b)\n{\n}\n", ["pay"]),
        ("int\npay (a)\n     int a;\n{\n}\n", ["pay"]),
        ("int pay(int x) { return x; }\n", ["pay"]),
        ("int Fee::pay(int x) const { return x; }\n", ["Fee::pay"]),
        ("int pay(int x) {\n}\nint\nmain (void) { return 0; }\n", ["pay", "main"]),
        ("int pay(int x);\n\nEXPORT (pay)\nelse\nprint (a)\n", []),
        ("a = b\npay (2);\n", []),
    ],
)
def test_functions_of_c_in_any_style_are_headings(text: str, names: list[str]):
    for suffix in (".c", ".cpp"):
        made = document(read, f"a{suffix}", text)
        assert [path for path, _, _ in headings_in(made)][1:] == [
            f"a{suffix} > {name}" for name in names
        ]


# What Python code defines and imports


def test_a_long_text_is_not_parsed(monkeypatch: pytest.MonkeyPatch):
    text = "class A:\n    def b(self): ...\n"
    assert [section.words for section in PythonCode(text, "a.py").sections] == ["A", "b"]
    monkeypatch.setattr(source_code, "_MAX_CHARS", 10)
    assert [section.words for section in PythonCode(text, "a.py").sections] == ["A"]


def test_an_import_from_above_the_corpus_stays_in_it():
    links = PythonCode("from ....x import y\nimport os\nimport a.b\n", "a/c.py").links
    assert [link.title for link in links] == ["x", "a/b"]


def test_what_a_text_cites_are_links():
    text = "See~\\cite{finch2024} and \\citep[p.~3][]{ott, kerr1999,}; \\textcite{x}."
    assert targets_of(document(read, "a/p.tex", text)) == ["finch2024", "ott", "kerr1999", "x"]
