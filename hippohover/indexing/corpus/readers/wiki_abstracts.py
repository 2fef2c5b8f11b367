"""DSPy's wiki.abstracts.2017: a tar of JSON lines ``{"title", "text": [sentences]}``."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from hippohover.indexing.corpus.files.archives import archive_members
from hippohover.indexing.corpus.lines import LineFormat, Piece, line_pieces
from hippohover.indexing.corpus.records import BadRecord, Document, make_document


def _pieces(path: Path) -> Iterator[Piece]:
    for member, content in archive_members(path, ".jsonl"):
        yield from line_pieces(content, f"{path.name}:{member}")


def _abstract(record: dict[str, object], place: str) -> Document | BadRecord:
    document = make_document(record.get("title"), record.get("text"), place, unescape=True)
    return document._replace(fields=record) if isinstance(document, Document) else document


read: Final = LineFormat(_pieces, _abstract)
