"""Whole files of each kind, which fuzzing damages; and what any document of a text keeps to."""

import json
from itertools import pairwise
from types import ModuleType
from typing import Final

from hippohover.indexing.corpus.files.globs import EVERY
from hippohover.indexing.corpus.formats import documents_in
from hippohover.indexing.corpus.passages import CorpusCounts, PassageMaking
from hippohover.indexing.corpus.readers.texts import (
    asciidoc,
    chat_exports,
    html,
    mail,
    markdown,
    notebook,
    org,
    plain,
    restructured_text,
    source_code,
    subtitles,
)
from hippohover.indexing.corpus.records import BadRecord, PassedOver, Understood, clean_text
from tests.indexing.corpus.readers.texts import (
    test_asciidoc,
    test_chat_exports,
    test_chat_logs,
    test_html,
    test_mail,
    test_markdown,
    test_notebook,
    test_org,
    test_restructured_text,
    test_source_code,
    test_subtitles,
)
from tests.indexing.corpus.readers.texts.text_samples import source

_MAIL = test_mail.message("Re: Größe", test_mail.REPLY, Message_ID="<2@x>", In_Reply_To="<1@x>")
_HTML_MAIL = test_mail.message("Rates", "plain")
_HTML_MAIL.add_alternative(test_html.PAGE, subtype="html")
_HTML_MAIL.add_attachment(b"\0\1", maintype="image", subtype="png", filename="b.png")
_BORDER = b"From a@x Tue Jan  5 09:30:00 2026\n"
_NOTEBOOK = {"cells": test_notebook.CELLS, "metadata": test_notebook.METADATA, "nbformat": 4}

FILES: Final[dict[str, tuple[ModuleType, tuple[str | bytes, ...]]]] = {
    "a/b.md": (markdown, (test_markdown.NOTE, test_markdown.POST, test_markdown.README)),
    "a/b.html": (html, (test_html.PAGE, test_html.TABLES, test_html.OLD)),
    "a/b.txt": (plain, (test_chat_logs.PLAIN, test_chat_logs.ANDROID, test_chat_logs.IPHONE)),
    "a/b.eml": (
        mail,
        (_MAIL.as_bytes(), _HTML_MAIL.as_bytes(), test_mail.with_attachments().as_bytes()),
    ),
    "a/b.mbox": (mail, (b"\n".join([_BORDER + _MAIL.as_bytes()] * 2) + _HTML_MAIL.as_bytes(),)),
    "a/b.json": (
        chat_exports,
        tuple(
            json.dumps(chat)
            for chat in (
                test_chat_exports.SLACK,
                test_chat_exports.DISCORD,
                test_chat_exports.TELEGRAM,
            )
        ),
    ),
    "a/b.rst": (restructured_text, (test_restructured_text.PAGE, test_restructured_text.TABLES)),
    "a/b.adoc": (asciidoc, (test_asciidoc.PAGE, test_asciidoc.TABLES)),
    "a/b.org": (org, (test_org.PAGE,)),
    "a/b.ipynb": (notebook, (json.dumps(_NOTEBOOK),)),
    "a/b.srt": (subtitles, (test_subtitles.SRT, test_subtitles.VTT)),
    "a/b.py": (source_code, (test_source_code.PYTHON, "def f(a, *, b=1): ...\n" * 5)),
    "a/b.ts": (source_code, (test_source_code.SCRIPT, test_source_code.JAVA)),
    "a/b.c": (source_code, (test_source_code.C, test_source_code.GO)),
    "a/b.yaml": (source_code, (test_source_code.YAML, test_source_code.TOML)),
    "a/b.tex": (source_code, (test_source_code.LATEX,)),
}
"""By the place of the file: its reader, and what such files hold."""


def read_file(place: str, data: bytes) -> None:
    """Read a file, and make passages of what is no failure."""
    made = [
        record
        for record in documents_in(source(place, data), EVERY)
        if not isinstance(record, PassedOver | Understood)
    ]
    for record in made:
        if isinstance(record, BadRecord):
            assert record.reason.isprintable(), repr(record.reason)
            assert len(record.reason) < 200
            continue
        assert record.title == " ".join(record.title.split()) != ""
        assert record.text == clean_text(record.text)
        record.text.encode()
        for placed in (record.headings, record.links):
            assert all(one.offset <= other.offset for one, other in pairwise(placed))
            assert all(0 <= part.offset <= len(record.text) for part in placed)
        json.dumps(dict(record.fields))
    making = PassageMaking(max_words=5, hides_titles=False, metadata=())
    for _ in making.documents(made, CorpusCounts()):
        pass
