"""Questions with paragraphs as a corpus: HotpotQA, 2WikiMultihopQA, MuSiQue, HippoRAG's.

A paragraph stands under many questions: equal ones become one passage, as equal documents do.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Final, cast

from hippohover.indexing.corpus.fields import RecordFields, first_words
from hippohover.indexing.corpus.records import (
    BadRecord,
    Document,
    is_object_list,
    is_text_list,
    make_document,
)
from hippohover.records import passage_id

_CLAIMS: Final = ("question", "query", "claim")
_PARAGRAPHS: Final = ("paragraphs", "context", "contexts")
_TEXTS: Final = ("paragraph_text", "text")

Paragraph = tuple[object, object, bool]
"""Title, text or sentences, and whether its text is its id."""


def is_claim(record: RecordFields) -> bool:
    """Return whether a record asks or claims something."""
    return any(isinstance(record.get(name), str) for name in _CLAIMS)


def is_question(record: RecordFields) -> bool:
    """Return whether a record asks something of paragraphs that it holds."""
    return is_claim(record) and any(True for _ in _paragraphs(record))


def paragraphs_of(record: dict[str, object], place: str) -> Iterator[Document | BadRecord]:
    """Yield the paragraphs under a question.

    The title names them where a data set has one paragraph a title; in MuSiQue 647 titles have
    more, and the id of its one passage is that of a paragraph.
    """
    n_paragraphs = 0
    for n_paragraphs, (title, text, by_text) in enumerate(_paragraphs(record), 1):
        whole = " ".join(map(str.strip, text)) if is_text_list(text) else text
        document = make_document(title, whole, f"{place}, paragraph {n_paragraphs}")
        if isinstance(document, Document):
            fields = {"title": title, "text": text}
            identifier = passage_id(document.title, document.text.strip(), 0) if by_text else ""
            document = document._replace(id=identifier, fields=fields)
        yield document
    if not n_paragraphs:
        yield BadRecord(place, "no question with paragraphs")


def _paragraphs(record: RecordFields) -> Iterator[Paragraph]:
    for name in _PARAGRAPHS:
        value = record.get(name)
        if isinstance(value, str):
            held = list(_held_by(_unpacked(value)))
            yield from held or [(record.get("title") or first_words(value), value, True)]
        else:
            yield from _held_by(value)


def _unpacked(text: str) -> object:
    """Parse a text that is JSON, as the Hub stores 2WikiMultihopQA; None for other text."""
    try:
        return json.loads(text) if text.lstrip()[:1] in {"[", "{"} else None
    except (ValueError, RecursionError):
        return None


def _held_by(value: object) -> Iterator[Paragraph]:
    """Yield the paragraphs of a list of records or pairs, or of columns."""
    if is_object_list(value):
        for item in value:
            yield item.get("title"), _text(item), True
    elif isinstance(value, dict):
        yield from _of_columns(cast("dict[str, object]", value))
    elif isinstance(value, list):
        for item in cast("list[object]", value):
            pair = cast("list[object]", item) if isinstance(item, list) else []
            if len(pair) == 2 and isinstance(pair[0], str) and isinstance(pair[1], list):
                yield pair[0], pair[1], False


def _of_columns(columns: Mapping[str, object]) -> Iterator[Paragraph]:
    """Yield paragraphs in the Hub's form: ``{"title": [...], "sentences": [[...], ...]}``."""
    titles, texts = columns.get("title"), columns.get("sentences")
    if isinstance(titles, list) and isinstance(texts, list):
        pairs = zip(cast("list[object]", titles), cast("list[object]", texts), strict=False)
        for title, sentences in pairs:
            yield title, sentences, False


def _text(paragraph: Mapping[str, object]) -> object:
    return next((paragraph[name] for name in _TEXTS if name in paragraph), None)
