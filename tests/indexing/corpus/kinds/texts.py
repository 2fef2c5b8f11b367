"""Three files of each kind of text, as people have them: by their places in a folder."""

import json
from typing import Final

RULES: Final = """---
title: Rules of the bridge
aliases: [the rules]
tags: [bridge, toll]
date: 2024-03-01
---
# Rules

See [[heron|the bridge]], [fees](fees.md#cars) and ![a map](map.png).

## Fees

| Ship | Fee |
|------|----:|
| under 20 m | 2 |

### Night

Double.

```sh
# no heading
[no](link.md)
```
"""

PAGE: Final = """<!DOCTYPE html><html lang="en"><head><title>Rates | Heron Bridge</title>
<meta name="author" content="Ada Finch"><meta name="date" content="2024-03-01"></head><body>
<nav><a href="/">Home</a></nav><main><h1>Rates</h1><p>See
<a href="../md/rules.md#fees">the rules</a>, <a href="/txt/ferry.txt">the ferry</a>,
<a href="https://x.org">x</a>.</p><h2 id="cars">Cars</h2>
<table><tr><th>Size</th><th>Fee</th></tr><tr><td>small</td><td>2</td></tr></table>
<h3>Vans</h3><p>Three &amp; more.</p></main><footer>All rights</footer></body></html>"""

OLD_PAGE: Final = b"""<html><head><meta charset="iso-8859-1"><title>Caf\xe9 Brod</title></head>
<body><h1>Caf\xe9 Brod</h1><p>One
<p>Two<br>three<ul><li>a<li>b</ul><h2>Hours</h2>Noon.</body></html>"""

XHTML: Final = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1.dtd">
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Tower</title></head><body><div>
<p>琥珀の塔は1931年の小説です。</p><script>alert(1)</script></div></body></html>"""

RST: Final = """:author: Ada Finch
:date: 2024-03-01

.. _guide:

=====
Guide
=====

See :doc:`../md/rules`, :ref:`other-page` and `site <https://x.org>`__.

Set up
======

.. code-block:: sh

   # no heading

.. _hours:

Hours
-----

====  ===
Day   At
====  ===
Mon   9
====  ===
"""

ADOC: Final = """= Guide to the bridge
Ada Finch <ada@x.org>
v1, 2024-03-01

See xref:../md/rules.md#fees[the rules] and <<hours>>.

[#hours]
== Hours

|===
|Day |At

|Mon |9
|===

=== Night

Closed.
"""

ORG: Final = """#+TITLE: Notes on the bridge
#+AUTHOR: Ada Finch
#+DATE: 2024-03-01

See [[file:../md/rules.md][the rules]].

* Rates
:PROPERTIES:
:CUSTOM_ID: rates
:END:
| Ship | Fee |
|------+-----|
| cars | 2 |
** DONE Night
Double.
"""

MDX: Final = """import Tabs from '@theme/Tabs'

# Start

<Tabs>
<TabItem value="a">Text in a tab.</TabItem>
</Tabs>

See [rules](../md/rules.md).
"""


def notebook(*cells: tuple[str, str], **metadata: object) -> str:
    """A notebook of Jupyter with these kinds and sources."""
    made = [{"cell_type": kind, "source": text, "metadata": {}} for kind, text in cells]
    return json.dumps({"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


def old_notebook() -> str:
    """One of the third format."""
    cells = [
        {"cell_type": "heading", "level": 1, "source": ["Old"]},
        {"cell_type": "markdown", "source": ["Words."]},
    ]
    return json.dumps({"nbformat": 3, "worksheets": [{"cells": cells}]})


FILES: Final[dict[str, str | bytes]] = {
    "txt/minutes 2024-03-05.txt": "Minutes of the board\n====================\n\nPresent: Ada."
    "\n\nRates\n-----\nSee [the rules](../md/rules.md#fees) and [[Heron Bridge]].\n",
    "txt/ferry.txt": "Die Fähre über die Elm fährt täglich.\r\n\r\nJörg.\r\n".encode("cp1252"),
    "txt/tide.txt": "\ufeffTides\n\n# Spring\nNoon.\n\n# Neap\nNight.\n".encode("utf-16-le"),
    "text/a.text": "One line only",
    "text/b.text": "1. Scope\n\nThis applies to ships.\n\n1.1 Terms\n\nA ship floats.\n",
    "text/poem.text": "琥珀の塔は1931年の小説です。\n作者は森田 梢です。\n".encode("shift_jis"),
    "log/server.log": "2024-01-05 10:22:33,100 INFO worker: started\n"
    "2024-01-05 10:22:34,100 ERROR worker: lost the link\n"
    "2024-01-05 10:22:35,100 INFO worker: again\n",
    "log/ship.log": "Wind NW 5. Made fast at Port Senna.\nWind N 3. Sailed.\n",
    "log/empty lines.log": "\n\n\nOnly one.\n\n\n",
    "bare/README": "Heron tools\n===========\n\nTools for the bridge. See `docs/guide.md`.\n",
    "bare/LICENSE": "MIT License\n\nCopyright (c) 2024 Ada Finch\n",
    "bare/CHANGES": "1.2\n---\n\n- The bridge opens earlier.\n",
    "md/rules.md": RULES,
    "md/index.md": '\ufeff+++\ntitle = "All notes"\ndate = 2024-03-02\n+++\n\n- [Rules](rules.md)\n'
    "- [Site](https://x.org)\n",
    "md/2024/README.md": "Bridge 2024\n===========\n\nText with a [ref][r].\n\nOpening\n-------\n\n"
    "At noon.\n\n[r]: ../rules.md\n",
    "markdown/a.markdown": "No heading at all, but *words*.\n",
    "markdown/b.markdown": "## Second level first\n\nText.\n\n# Then first\n\nMore.\n",
    "markdown/c.markdown": '<h1 align="center">Heron</h1>\n\n<details><summary>More</summary>\n\n'
    "Hidden text.\n\n</details>\n\n> [!NOTE]\n> Closed on Sunday.\n",
    "mdx/a.mdx": MDX,
    "mdx/b.mdx": "---\nid: start\ntitle: Getting started\n---\n\nexport const x = 1\n\n"
    "{/* hidden */}\n\nWords.\n\n## Set up {#setup}\n\nMore.\n",
    "mdx/c.mdx": '# One <Badge text="new" />\n\nText.\n',
    "html/rates.html": PAGE,
    "html/index.htm": OLD_PAGE,
    "html/page.xhtml": XHTML,
    "rst/guide.rst": RST,
    "rst/index.rst": "Manual\n######\n\n.. toctree::\n\n   guide\n   Notes <../md/index>\n\n"
    "Intro\n*****\n\nText.\n",
    "rst/plain.rest": "Only a paragraph with *emphasis* and ``code``.\n",
    "adoc/guide.adoc": ADOC,
    "adoc/plain.asciidoc": "Only a paragraph with *bold* and `code`.\n",
    "adoc/README.adoc": "= Tools\n\n== Install\n\n----\n# no heading\n----\n\n"
    "include::part.adoc[]\n",
    "org/notes.org": ORG,
    "org/todo.org": "* TODO Call the ferryman\nSCHEDULED: <2024-03-05 Tue>\nAbout it.\n"
    "* Paint\nGreen.\n",
    "org/plain.org": "Words alone.\n",
    "ipynb/rates.ipynb": notebook(
        ("markdown", "# Rates of 2024\n\nSee [rules](../md/rules.md)."),
        ("code", "# a comment\nfee = 2"),
        ("markdown", "## Cars\n\nTwo."),
        kernelspec={"language": "python"},
    ),
    "ipynb/code.ipynb": notebook(("code", "x = 1\nx")),
    "ipynb/old.ipynb": old_notebook(),
    "code/billing/ledger.py": '"""Syncs the ledger."""\nfrom .fees import rate\n\n\ndef pay(x):\n'
    "    return rate(x)\n\n\nclass Ledger:\n    def sync(self): ...\n",
    "code/billing/__init__.py": '"""Bills."""\n',
    "code/odd.py": "print 'of Python 2'\n",
    "code/pay.ts": "import { a } from './lib/a.js'\nexport default class Ledger {\n  sync() {}\n}\n"
    "export const fee = (car: Car): number => 2\n",
    "code/main.go": "package main\n\nfunc (l *Ledger) Sync(a int) error {\n}\n\n"
    "type Fee struct {\n}\n",
    "code/fee.c": '#include "fee.h"\n\nint pay(int a)\n{\n  return a;\n}\n',
    "code/schema.sql": "CREATE TABLE fees (id int);\n",
    "code/run.sh": "#!/bin/sh\n# a comment\npay() {\n  echo 1\n}\n",
    "code/Makefile": "all:\n\tcc fee.c\n",
    "tex/paper.tex": "\\title{On herons}\n\\section{Intro}\nThey \\emph{stand}.\n\\input{part}\n",
    "tex/part.tex": "\\subsection{Wings}\nTwo.\n",
    "tex/refs.bib": "@article{finch2024,\n  title = {The heron},\n}\n",
    "lists/faq.md": "# Harbour\n\nAsk us.\n\n## Where may I moor?\n\nAt [pier four](../a.md).\n\n"
    "## Who holds the key?\n\nAda Finch.\n\n## When does the gate shut?\n\nAt noon.\n",
    "lists/glossary.txt": "Bollard: a post for ropes\nCapstan: a drum that hauls\n"
    "Fender: a pad at the side\n",
    "lists/crew.yaml": "- name: Ada Finch\n  task: lamps\n- name: Ott Lund\n  task: ropes\n",
    "settings/deploy.yaml": "# the bridge\nname: bridge\nports:\n  - 80\n",
    "settings/bridge.toml": "[project]\nname = 'bridge'\n\n[tool.rates]\ncars = 2\n",
    "settings/old.ini": "[bridge]\nopen = noon\n",
}  # fmt: skip
