"""Reads a claim's gold as data sets write it: titles, evidence, paragraphs."""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from hippohover.disk.errors import json_or_none
from hippohover.errors import CorpusError
from hippohover.evaluation.parts import GoldPart
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
_TEXTS: Final = "reference_contexts"
_OF_A_FACT: Final = {
    "title": ("title", "key"),
    "sentence": ("value", "sent_id"),
    "heading": ("heading", "section"),
    "page": ("page",),
    "text": ("text", "passage"),
    "id": ("id", "_id", "pid"),
}
"""What a supporting fact that is an object tells, and the fields that it may stand in."""


class Gold(NamedTuple):
    """What must be found for a claim.

    ``facts`` are (title, sentence number); ``ids`` names the passage of each fact, if the file has
    its text. Both are empty if the file says that there is no evidence.
    """

    facts: tuple[Fact, ...]
    ids: tuple[str, ...]
    source: str
    """Where it stands: "by title from supporting_facts"."""
    parts: tuple[GoldPart, ...] = ()
    """The parts of documents that it names; empty where it names documents alone."""


def gold_of(fields: Mapping[str, object], where: str) -> Gold:
    """Read the gold of one claim.

    ``supporting_facts`` as pairs (HoVer, HotpotQA, 2Wiki), as objects, or as two lists (the Hub);
    FEVER's ``evidence``, all its sets together; ``paragraphs`` or ``contexts`` that are marked as
    supporting (MuSiQue, HippoRAG), which are told apart by their texts. A supporting fact names a
    passage too by a heading in place of the sentence's number, by its heading, page or text in an
    object, or by its sentence in ``context``. Where each has the id of its document, it is gold,
    and where each is a text alone, as those of ``reference_contexts`` (Ragas), the text is.

    Raises
    ------
    CorpusError
        There is none of these, or it has the wrong form.
    """
    if fields.get("supporting_facts") is None:
        if fields.get("evidence") is not None:
            facts = tuple(dict.fromkeys(_evidence(fields["evidence"], where)))
            return Gold(facts, (), "by title from evidence")
        if isinstance(texts := fields.get(_TEXTS), list):
            facts = [{"text": text} for text in cast("list[object]", texts)]
            return _supporting({"supporting_facts": facts}, where)._replace(
                source=f"by text from {_TEXTS}"
            )
        for name in ("paragraphs", "contexts"):
            if isinstance(fields.get(name), list):
                return _marked(cast("list[object]", fields[name]), name, where)
    return _supporting(fields, where)


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
    names = ("supporting_facts", "evidence", _TEXTS, "paragraphs", "contexts")
    return any(fields.get(name) is not None for name in names)


def _supporting(fields: Mapping[str, object], where: str) -> Gold:
    value = fields.get("supporting_facts")
    pairs = _pairs(value)
    if not isinstance(pairs, list) or not pairs:
        raise CorpusError(
            f"{where}: supporting_facts is {show(value)}: give [[title, sentence], ...], at least"
            " one (HoVer's test file has none: use its dev file)"
        )
    sentences = _sentences(fields.get("context"))
    named = [_fact(fact, sentences, where) for fact in cast("list[object]", pairs)]
    ids = dict.fromkeys(part.name for _, part, is_by_id in named if is_by_id)
    if ids and not all(is_by_id for _, _, is_by_id in named):
        raise CorpusError(
            f"{where}: some supporting facts have an id: give one to each, or to none"
        )
    parts = tuple(dict.fromkeys(part for _, part, _ in named))
    is_named = bool(ids) or any(part.is_named for part in parts)
    is_hubs = not (isinstance(value, list) and value and isinstance(value[0], list))
    source = f"by {'id' if ids else 'title'}{' and passage' * is_named} from supporting_facts"
    source += ", as on the Hub" if is_hubs and not is_named else ""
    facts = () if ids else tuple(fact for fact, _, _ in named)
    return Gold(facts, tuple(ids), source, parts if is_named else ())


def _sentences(context: object) -> dict[Fact, str]:
    """Read the texts of sentences by title and number; none where they are in another form."""
    if isinstance(context, dict):
        lists: list[Any] = [context.get("title"), context.get("sentences")]
        context = list(zip(*lists, strict=False)) if all(map(_is_list, lists)) else None
    texts: dict[Fact, str] = {}
    for item in cast("list[object]", context) if isinstance(context, list) else ():
        match item:
            case [str(title), [*sentences]]:
                for at, text in enumerate(cast("list[object]", sentences)):
                    if is_words(text):
                        texts[title, at] = cast("str", text)
            case _:
                pass
    return texts


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _pairs(value: object) -> object:
    """Return pairs of two lists, or of text; any other value as it is."""
    if isinstance(value, str) and value[:1] in ("[", "{"):
        value = json_or_none(value) or value
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


def _fact(fact: object, sentences: Mapping[Fact, str], where: str) -> tuple[Fact, GoldPart, bool]:
    """Read a supporting fact: title and sentence, the part that it names, whether it is by id."""
    told: dict[str, Any] = {}
    match fact:
        case [str(title), str(heading)]:
            told = {"title": title, "heading": heading}
        case [str(title), sentence]:
            told = {"title": title, "sentence": sentence}
        case {}:
            fields = cast("dict[str, object]", fact)
            told = {
                name: fields[key]
                for name, keys in _OF_A_FACT.items()
                for key in keys
                if fields.get(key) is not None
            }
        case _:
            pass
    if not _is_told(told):
        raise CorpusError(
            f"{where}: a supporting fact is {show(fact)}: give [title, sentence number from 0], "
            "[title, heading], or an object with title or id, heading, page and text"
        )
    pair: Fact = told.get("title", ""), told.get("sentence", 0)
    part = GoldPart(
        name=str(told.get("id") or told.get("title") or told.get("text")),
        heading=told.get("heading", ""),
        page=told.get("page", 0),
        text=told.get("text") or sentences.get(pair, ""),
    )
    return pair, part, "id" in told or "title" not in told


def _is_told(told: Mapping[str, Any]) -> bool:
    """Return whether a fact names a document, and all that it tells has the right form."""
    checks = {"title": _is_named, "sentence": is_count, "page": is_count, "id": _is_id}
    return bool(told.keys() & {"title", "id", "text"}) and all(
        checks.get(name, is_words)(value) for name, value in told.items()
    )


def _is_named(title: object) -> bool:
    return isinstance(title, str) and is_title(title)


def _is_id(value: object) -> bool:
    return is_words(value) or is_count(value)


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
    parts: dict[str, GoldPart] = {}
    for at, paragraph in enumerate(paragraphs):
        match paragraph:
            case {"is_supporting": True, "title": str(title)} if is_title(title):
                fields = cast("dict[str, object]", paragraph)
                text = fields.get("paragraph_text") or fields.get("text")
                if not isinstance(text, str) or not _is_unicode(text):
                    raise CorpusError(f"{where}: {name}[{at}] has no text: give its paragraph_text")
                clean = unicodedata.normalize("NFC", " ".join(without_unseen(title).split()))
                pid = passage_id(clean, text.strip(), 0)
                if pid not in parts:
                    facts.append((title, at))
                    parts[pid] = GoldPart(name=pid, text=text)
            case {"is_supporting": True}:
                raise CorpusError(f"{where}: {name}[{at}] has no title: give it one")
            case _:
                pass
    source = f"by passage from {name}"
    return Gold(tuple(facts), tuple(parts), source, tuple(parts.values()))


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
