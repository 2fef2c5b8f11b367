"""Reads a claim's gold as data sets write it: titles, evidence, paragraphs."""

import json
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, cast

from hippohover.errors import CorpusError
from hippohover.names.fever_titles import fever_title
from hippohover.names.normal_forms import normal_title, without_unseen
from hippohover.records import passage_id

Fact = tuple[str, int]

_HUB_PAGE: Final = "evidence_wiki_url"
_OF_EVIDENCE: Final = (
    _HUB_PAGE,
    "evidence_sentence_id",
    "evidence_annotation_id",
    "evidence_id",
)


class Gold(NamedTuple):
    """What must be found for a claim.

    ``facts`` are (title, sentence number); ``ids`` names the passage of each fact, if the file has
    its text. Both are empty if the file says that there is no evidence.
    """

    facts: tuple[Fact, ...]
    ids: tuple[str, ...]
    source: str
    """Where it stands: "by title from supporting_facts"."""


def gold_of(fields: Mapping[str, object], where: str) -> Gold:
    """Read the gold of one claim.

    ``supporting_facts`` as pairs (HoVer, HotpotQA, 2Wiki), as objects, or as two lists (the Hub);
    FEVER's ``evidence``, all its sets together; ``paragraphs`` or ``contexts`` that are marked as
    supporting (MuSiQue, HippoRAG), which are told apart by their texts.

    Raises
    ------
    CorpusError
        There is none of these, or it has the wrong form.
    """
    if fields.get("supporting_facts") is None:
        if fields.get("evidence") is not None:
            facts = tuple(dict.fromkeys(_evidence(fields["evidence"], where)))
            return Gold(facts, (), "by title from evidence")
        for name in ("paragraphs", "contexts"):
            if isinstance(fields.get(name), list):
                return _marked(cast("list[object]", fields[name]), name, where)
    facts = fields.get("supporting_facts")
    is_hubs = not (isinstance(facts, list) and facts and isinstance(facts[0], list))
    source = "by title from supporting_facts" + (", as on the Hub" if is_hubs else "")
    return Gold(_facts(facts, where), (), source)


def claims_of_hub(records: Sequence[tuple[object, str]]) -> Sequence[tuple[object, str]]:
    """Join rows of one claim: the Hub's FEVER has a row for each piece of evidence.

    Its pages and sentences become FEVER's own ``evidence``; rows of any other file stay.
    """
    if not any(isinstance(record, dict) and _HUB_PAGE in record for record, _ in records[:1]):
        return records
    claims: dict[tuple[str, str], dict[str, object]] = {}
    joined: list[tuple[object, str]] = []
    for record, place in records:
        fields = cast("dict[str, object]", record) if isinstance(record, dict) else {}
        key = str(fields.get("id")), str(fields.get("claim"))
        if key not in claims or not fields:
            own = {name: value for name, value in fields.items() if name not in _OF_EVIDENCE}
            claims[key] = {**own, "evidence": list[object]()}
            joined.append((claims[key] if fields else record, place))
        if page := fields.get(_HUB_PAGE):
            piece = [None, None, page, fields.get("evidence_sentence_id")]
            cast("list[object]", claims[key]["evidence"]).append(piece)
    return joined


def has_gold(fields: Mapping[str, object]) -> bool:
    """Return whether a record has a field for gold."""
    names = ("supporting_facts", "evidence", "paragraphs", "contexts")
    return any(fields.get(name) is not None for name in names)


def _facts(value: object, where: str) -> tuple[Fact, ...]:
    pairs = _pairs(value)
    if not isinstance(pairs, list) or not pairs:
        raise CorpusError(
            f"{where}: supporting_facts is {show(value)}: give [[title, sentence], ...], at least"
            " one (HoVer's test file has none: use its dev file)"
        )
    return tuple(_fact(fact, where) for fact in cast("list[object]", pairs))


def _pairs(value: object) -> object:
    """Return pairs of two lists, or of text; any other value as it is."""
    if isinstance(value, str) and value[:1] in ("[", "{"):
        try:
            value = cast("object", json.loads(value))
        except (ValueError, RecursionError):
            return value
    match value:
        case {"title": list(titles), "sent_id": list(numbers)} | {
            "key": list(titles),
            "value": list(numbers),
        }:
            titles, numbers = cast("list[object]", titles), cast("list[object]", numbers)
            if len(titles) == len(numbers):
                return [list(pair) for pair in zip(titles, numbers, strict=True)]
        case _:
            pass
    return value


def _fact(fact: object, where: str) -> Fact:
    match fact:
        case [str(title), sentence] | {"key": str(title), "value": sentence}:
            if is_title(title) and is_count(sentence):
                return title, cast("int", sentence)
        case _:
            pass
    raise CorpusError(
        f"{where}: a supporting fact is {show(fact)}: give [title, sentence number from 0]"
    )


def _evidence(value: object, where: str) -> list[Fact]:
    """Read FEVER's evidence, in sets or not; a set without a page becomes none."""
    if not isinstance(value, list):
        raise CorpusError(
            f"{where}: evidence is {show(value)}: give FEVER's [[[..., title, sentence], ...], ...]"
        )
    facts: list[Fact] = []
    for group in cast("list[object]", value):
        for item in cast("list[object]", group) if _is_set(group) else [group]:
            match item:
                case [*_, str(title), sentence] if is_title(fever_title(title)):
                    number = cast("int", sentence) if is_count(sentence) else 0
                    facts.append((fever_title(title), number))
                case [*_, None, _] | []:
                    pass
                case _:
                    raise CorpusError(
                        f"{where}: evidence holds {show(item)}: give FEVER's [..., title, sentence]"
                    )
    return facts


def _is_set(group: object) -> bool:
    return isinstance(group, list) and bool(group) and isinstance(group[0], list)


def _marked(paragraphs: list[object], name: str, where: str) -> Gold:
    facts: list[Fact] = []
    ids: list[str] = []
    for at, paragraph in enumerate(paragraphs):
        match paragraph:
            case {"is_supporting": True, "title": str(title)} if is_title(title):
                fields = cast("dict[str, object]", paragraph)
                text = fields.get("paragraph_text") or fields.get("text")
                if not isinstance(text, str) or not _is_unicode(text):
                    raise CorpusError(f"{where}: {name}[{at}] has no text: give its paragraph_text")
                clean = unicodedata.normalize("NFC", " ".join(without_unseen(title).split()))
                pid = passage_id(clean, text.strip(), 0)
                if pid not in ids:
                    facts.append((title, at))
                    ids.append(pid)
            case {"is_supporting": True}:
                raise CorpusError(f"{where}: {name}[{at}] has no title: give it one")
            case _:
                pass
    return Gold(tuple(facts), tuple(ids), f"by passage from {name}")


def show(value: object) -> str:
    """Shorten a value for a message, and cut deep lists and objects."""
    if isinstance(value, dict | list) and value:
        return f"a {type(value).__name__} of {len(cast('list[object]', value))}"
    return ascii(value)[:40]


def is_count(value: object) -> bool:
    """Return whether a value is a whole number from 0."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_title(title: str) -> bool:
    """Return whether a text can be a gold title: its normal form is not empty."""
    return bool(normal_title(title)) and _is_unicode(title)


def is_words(value: object) -> bool:
    """Return whether a value is a text that is not blank."""
    return isinstance(value, str) and bool(value.strip()) and _is_unicode(value)


def _is_unicode(text: str) -> bool:
    """Return False for lone surrogates, which JSON can spell and no file can hold."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
