"""reStructuredText: headings, labels, links of roles and directives, tables."""

import pytest

from hippohover.indexing.corpus.readers.texts.restructured_text import read
from tests.indexing.corpus.readers.texts.text_samples import document, headings_in, targets_of

PAGE = """:Author: Ada
   Finch
:date: 2026-03-01

.. _heron-bridge:

============
Heron Bridge
============

.. contents::
   :local:

Text with :doc:`the rules <../rules/keys>`, :ref:`rates <rates-2026>`, :pep:`8`, ``code``,
:class:`~a.b.Span`, `site <https://x.org>`_, `file <b.rst>`_, guide_, foo_bar_ and::

    code *here*

.. _guide: docs/guide.rst
.. |logo| image:: logo.png
.. a comment
   that goes on

.. _rates-2026:

Rates
-----
.. note:: Look
   here.

.. code-block:: python
   :linenos:

   x = `1`_

.. include:: more.txt

Sub ``part``
~~~~~~~~~~~~
.. toctree::
   :maxdepth: 2

   intro
   Second <second/index>

End.
"""

TABLES = """+------+-------+
| A    | B     |
+======+=======+
| 1    | two   |
|      | lines |
+------+-------+
| 3    |       |
+------+-------+

=====  ====
Name   Fee
=====  ====
cars   2
vans   3
       more
=====  ====

.. list-table:: Fees
   :header-rows: 1

   * - X
     - Y
   * - 1
     - :doc:`two
       </t>`
"""


def test_a_page_of_documentation():
    page = document(read, "a/c/heron.rst", PAGE)
    assert page.title == "Heron Bridge"
    assert page.aliases == ("heron-bridge", "rates-2026", "heron")
    assert page.fields == {"author": "Ada Finch", "date": "2026-03-01"}
    assert page.text.strip() == (
        "Text with the rules, rates, PEP 8, code,\nSpan, site, file, guide, foo_bar_ and:\n\n"
        "    code *here*\n\nRates\n\nLook\n   here.\n\n   x = `1`_\n\nSub part\n\nEnd."
    )
    assert headings_in(page) == [
        ("Rates", "rates-2026", "Rates"),
        ("Rates > Sub part", "sub-part", "Sub part"),
    ]
    assert targets_of(page) == [
        "a/rules/keys",
        "rates-2026",
        "PEP 8",
        "a/c/b",
        "a/c/docs/guide",
        "a/c/more",
        "a/c/intro",
        "a/c/second/index",
    ]
    assert page.text[page.links[0].offset :].startswith("the rules")


def test_rows_of_tables_say_their_header():
    page = document(read, "tables.rst", TABLES)
    assert page.text.split("\n") == [
        "A: 1; B: two lines",
        "A: 3",
        "",
        "Name: cars; Fee: 2",
        "Name: vans; Fee: 3 more",
        "",
        "X: 1; Y: two",
    ]
    assert targets_of(page) == ["t"]


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("Title\n=====\nText", "\nText"),
        ("Text\n\n----\n\nMore", "Text\n\nMore"),
        ("a snake_case_ and __init__ and x_", "a snake_case_ and __init__ and x_"),
        (".. raw:: html\n\n   <b>x</b>\n\nText", "Text"),
        (".. py:function:: f(x)\n\n   Does it.", "f(x)\n\n   Does it."),
        ("- a\n- b\n\n  c", "- a\n- b\n\n  c"),
        (".. include:: /etc/passwd\n\nText", "Text"),
        ("..\n", ""),
    ],
)
def test_what_are_words(written: str, text: str):
    assert document(read, "w.rest", written).text == text


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (
            ':header: "Ship", Fee\n\n   Heron, "2, or 3"\n   Ott, 5',
            "Ship: Heron; Fee: 2, or 3\nShip: Ott; Fee: 5",
        ),
        (":header-rows: 1\n   :delim: ;\n\n   Ship; Fee\n   Heron; 2", "Ship: Heron; Fee: 2"),
        ("\n   Heron, 2\n   Ott, 5", "Heron; 2\nOtt; 5"),
        (":file: rates.csv", ""),
    ],
)
def test_a_table_of_separated_values_is_rows(table: str, expected: str):
    page = document(read, "a.rst", f"Before.\n\n.. csv-table:: Fees\n   {table}\n\nAfter.")
    rows = " ".join(page.text.split())
    assert rows == " ".join(f"Before. {expected} After.".split())


def test_sections_are_called_as_docutils_does_and_a_second_of_the_same_words_not_at_all():
    titles = ["3.2 Übersicht", "Rates", "Rates", "料金"]  # docutils numbers the second by chance
    text = "Text.\n\n" + "".join(f"{title}\n{'=' * 20}\n\nx\n\n" for title in titles)
    assert [anchor for _, anchor, _ in headings_in(document(read, "a.rst", text))] == [
        "ubersicht", "rates", "", ""
    ]  # fmt: skip


NOTES = """Weirs
=====

The |owner| met [1]_ and agreed [Fenn1998]_, but [#late]_ and |none|.

.. |owner| replace:: Weir Board of Ott
.. a comment of nobody

.. [1] The board met at Ott Hall
   under Ida Fenn.

.. [Fenn1998] Ida Fenn, `Weirs <https://x.org>`_, 1998.
.. [#late]
   Except in winter.

   A second paragraph.
"""


def test_footnotes_and_citations_are_text():
    page = document(read, "a.rst", NOTES)
    assert " ".join(page.text.split()) == (
        "The Weir Board of Ott met [1] and agreed [Fenn1998], but [#late] and |none|. "
        "[1] The board met at Ott Hall under Ida Fenn. [Fenn1998] Ida Fenn, Weirs, 1998. "
        "[#late] Except in winter. A second paragraph."
    )
