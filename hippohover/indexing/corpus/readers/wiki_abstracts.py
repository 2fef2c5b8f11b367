"""DSPy's wiki.abstracts.2017: a tar of JSON lines ``{"title", "text": [sentences]}``."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from hippohover.indexing.corpus.fields import Shape
from hippohover.indexing.corpus.files.archives import archive_members
from hippohover.indexing.corpus.lines import LineFormat, Piece, line_pieces
from hippohover.indexing.corpus.records import BadRecord, Document, make_document
from hippohover.recipe import CorpusFields


def _pieces(path: Path) -> Iterator[Piece]:
    for member, content in archive_members(path, ".jsonl"):
        yield from line_pieces(content, f"{path.name}:{member}")


def _documents(record: dict[str, object], place: str) -> tuple[Document | BadRecord]:
    document = make_document(record.get("title"), record.get("text"), place, unescape=True)
    return (document._replace(fields=record) if isinstance(document, Document) else document,)


def _shape(_path: Path, _fields: CorpusFields) -> Shape:
    return Shape(_documents)


read: Final = LineFormat(_pieces, _shape)
