"""Qrels, which list the documents relevant to each claim, and ids in their form."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, cast
from urllib.parse import quote

from hippohover.disk.errors import not_json
from hippohover.errors import CorpusError
from hippohover.evaluation.claims_files import claims_content, decoded, text_lines
from hippohover.names.normal_forms import normal_title

_BLANK: Final = re.compile(r"\s")
_BLANK_OR_PERCENT: Final = re.compile(r"[\s%]")


def read_qrels(path: Path) -> dict[str, tuple[str, ...]]:
    """Read each claim's relevant document ids, by claim id, in file order.

    Parameters
    ----------
    path : Path
        TREC's ``QUERY 0 DOCUMENT RELEVANCE``, BEIR's ``QUERY<tab>DOCUMENT<tab>SCORE`` with or
        without a header, or JSON ``{QUERY: {DOCUMENT: SCORE}}``; packed by gzip, bzip2 or xz,
        or not. A document counts from a relevance above 0 on.

    Raises
    ------
    CorpusError
        The file cannot be read, a line of it is none of these, or nothing in it is relevant.
    """
    content, name = claims_content(path, "qrels"), str(path)
    is_json = content.lstrip()[:1] == b"{"
    relevant: dict[str, dict[str, None]] = {}
    for query, document, relevance in (_of_json if is_json else _of_lines)(content, name):
        if relevance > 0:
            relevant.setdefault(query, {})[document] = None
    if not relevant:
        raise CorpusError(
            f"{name}: no document is relevant to a claim: give TREC's or BEIR's qrels"
        )
    return {query: tuple(documents) for query, documents in relevant.items()}


def document_id(title: str) -> str:
    """Percent-encode the normal form of a title: ``"The Who (band)"`` -> ``"who%20band"``."""
    return quote(normal_title(title), safe="")


def own_id(name: str) -> str:
    """Return an id as written; encode blanks and percent signs if it has blanks."""
    return _BLANK_OR_PERCENT.sub(lambda sign: quote(sign[0]), name) if _BLANK.search(name) else name


def _of_lines(content: bytes, name: str) -> Iterator[tuple[str, str, float]]:
    for number, (line, place) in enumerate(text_lines(content, name)):
        cells = [cell.strip() for cell in line.split("\t")] if "\t" in line else line.split()
        relevance = _number(cells[-1])
        if len(cells) not in (3, 4) or (relevance is None and number):
            raise CorpusError(
                f"{place}: is not a line of qrels: give QUERY 0 DOCUMENT RELEVANCE, or "
                "QUERY<tab>DOCUMENT<tab>SCORE"
            )
        if relevance is not None:  # else it is the header
            yield cells[0], cells[-2], relevance


def _of_json(content: bytes, name: str) -> Iterator[tuple[str, str, float]]:
    try:
        whole = cast("object", json.loads(decoded(content, name)))
    except (ValueError, RecursionError) as error:
        if "Extra data" in str(error):
            what = "is JSON lines, as claims are: give qrels as lines of TREC or as one object"
        else:
            what = f"{not_json(error)}: give qrels as one object"
        raise CorpusError(f"{name}: {what}") from error
    for query, judged in cast("Mapping[str, object]", whole).items():
        if not isinstance(judged, dict):
            raise CorpusError(f'{name}: looks like JSON, but is not {{"QUERY": {{"DOCUMENT": 1}}}}')
        for document, score in cast("Mapping[str, object]", judged).items():
            if not isinstance(score, int | float):
                raise CorpusError(f"{name}: a score of {ascii(query)[:40]} is not a number: fix it")
            yield query, document, score


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
