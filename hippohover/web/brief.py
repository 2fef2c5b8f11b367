"""Answers for a language model: each thing once, in JSON without blanks, within some tokens."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from hippohover.hidden_text import without_hidden
from hippohover.metadata import OWN_NAMES
from hippohover.web.highlights import Told

_BYTES_A_TOKEN: Final = 3.5
"""Fewer than the 4 of English prose: code, tables and names take more tokens, and letters of other
scripts have two or three bytes and are about one token each."""
_MOST_OF_SENTENCE: Final = 500
"""Characters of a marked sentence that are shown of a shortened passage: a table has no full stop,
and is one sentence."""
_EVIDENCE_TOLD: Final = 3
_LEFT: Final = 60
"""Tokens that saying what was cut takes."""
_GAP: Final = " … "


def written(value: object) -> str:
    """Write an answer as JSON for a model: without blanks, and without hidden characters."""
    return without_hidden(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def n_tokens(value: object) -> int:
    """Estimate how many tokens of a model an answer has."""
    return int(len(written(value).encode("utf-8", "replace")) / _BYTES_A_TOKEN) + 1


def brief_answer(told: Mapping[str, Any], max_tokens: int) -> dict[str, Any]:
    """Return an answer of ``Service.retrieve`` within ``max_tokens``.

    Passages are shortened to their marked sentences before one is left out, the last ones first;
    ``cut`` says which.
    """
    head: dict[str, Any] = {}
    if chains := [_chain(chain) for chain in told["chains"] if chain["joins"]]:
        head["chains"] = chains
    if told["by_similarity"]:
        head["note"] = "no name and no search term of it is in the index: nearest by similarity"
    if told["source_failures"]:
        head["failed"] = told["source_failures"]
    room = max_tokens - n_tokens(head)
    passages, cut = _fitting(told["passages"], room)
    return {**head, "passages": passages, **({"cut": cut} if cut else {})}


def _chain(told: Told) -> dict[str, Any]:
    """Return a chain by its titles, and the words that join each to an earlier one.

    Its sentences stand in the passages, and its ``pids`` say which those are.
    """
    return {
        "path": told["summary"],
        "pids": [passage["pid"] for passage in told["passages"]],
        "joined_by": [join["words"] or join["kind"] for join in told["joins"]],
    }


def _fitting(passages: Sequence[Told], room: int) -> tuple[list[dict[str, Any]], str]:
    """Return passages that fit, best first, and what was cut; the first one is always there."""
    whole = [_passage(one, one["text"]) for one in passages]
    short = [_passage(one, marked(one)) for one in passages]
    if sum(map(n_tokens, whole)) <= room or not whole:
        return whole, ""
    room -= _LEFT
    costs = [n_tokens(one) for one in short]
    n = max(1, next((n for n in range(len(costs), 0, -1) if sum(costs[:n]) <= room), 1))
    left, shown = room - sum(costs[:n]), short[:n]
    for at in range(n):
        more = n_tokens(whole[at]) - costs[at]
        if more <= left:
            shown[at], left = whole[at], left - more
    if left < 0:  # the first passage alone is too long
        n_chars = max(0, len(shown[0]["text"]) + int(left * _BYTES_A_TOKEN))
        shown[0]["text"] = shown[0]["text"][:n_chars] + "…"
    return shown, _said([at + 1 for at in range(n) if shown[at] is not whole[at]], len(whole) - n)


def _said(shortened: Sequence[int], n_dropped: int) -> str:
    parts = [
        f"shortened to their best sentences: passages {', '.join(map(str, shortened))}"
        if shortened
        else "",
        f"left out: {n_dropped} more" if n_dropped else "",
    ]
    return f"{'; '.join(filter(None, parts))} (read gives whole texts, max_tokens more room)"


def _passage(told: Told, text: str) -> dict[str, Any]:
    """Return a passage with what is not said already, and nothing that is empty."""
    metadata: Mapping[str, Any] = told["metadata"]
    place = "" if told["citation"] == told["title"] else told["citation"]
    others = [_place_of(other) for other in told["others"]]
    fields = {name: value for name, value in metadata.items() if name not in (*OWN_NAMES, "url")}
    found = {
        "title": told["title"],
        "pid": told["pid"],
        "place": place,
        "heading": "" if told["heading"].rpartition(" > ")[2] in place else told["heading"],
        "part": f"{told['part']} of {told['n_parts']}" if told["n_parts"] > 1 else "",
        "source": told["source"],
        "link": told["link"],
        "fields": fields,
        "text": text,
        "others": list(dict.fromkeys(other for other in others if other != place)),
    }
    return {name: value for name, value in found.items() if value}


def _place_of(other: Told) -> str:
    """Return a further passage by its place in the document, a near-copy by its title."""
    if other["near_copy"]:
        return f"near-copy: {other['title']}"
    page = other["metadata"].get("page")
    within = ", ".join(filter(None, (other["heading"], f"p. {page}" if page else "")))
    return within or f"part {other['part']}"


def marked(told: Told) -> str:
    """Return the marked sentences of a passage; its beginning without any."""
    text, spans = told["text"], told["highlights"]
    sentences = [text[start:stop] for start, stop in spans] or [text]
    shown = _GAP.join(one[:_MOST_OF_SENTENCE].strip() for one in sentences)
    begins, ends = (spans[0][0], spans[-1][1]) if spans else (0, len(text))
    is_cut = not spans or ends < len(text.rstrip())
    before, after = _GAP.lstrip() * (begins > 0), _GAP.rstrip() * is_cut
    return f"{before}{shown}{after}" if len(shown) < len(text) else text


def brief_verdicts(verification: Mapping[str, Any], max_tokens: int) -> dict[str, Any]:
    """Return verdicts on the claims of a text, each with its evidence, within ``max_tokens``.

    Evidence is left out before a claim is, the weakest first; ``cut`` says what.
    """
    claims = list(
        zip(
            verification["claims"],
            verification["answer"]["claims"],
            verification["claim_evidence_pairs"],
            strict=True,
        )
    )
    told: list[dict[str, Any]] = []
    for n in range(_EVIDENCE_TOLD, -1, -1):
        told = [_verdict(verification, *one, n_evidence=n) for one in claims]
        answer: dict[str, Any] = {"claims": told}
        if n < _EVIDENCE_TOLD:
            answer["cut"] = f"of the evidence of each claim, {n} of up to {_EVIDENCE_TOLD} are told"
        if n_tokens(answer) <= max_tokens:
            return answer
    left = max_tokens - _LEFT
    fits = [left := left - n_tokens(one) for one in told]
    n = max(1, sum(room >= 0 for room in fits))
    return {"claims": told[:n], "cut": f"all evidence, and {len(told) - n} claims at the end"}


def _verdict(
    verification: Mapping[str, Any], claim: Told, decision: Told, pair: Told, *, n_evidence: int
) -> dict[str, Any]:
    titles, citations = verification["titles"], verification["citations"]
    evidence: list[dict[str, Any]] = []
    for span in pair["evidence_spans"][:n_evidence]:
        title, place = titles[span["doc_id"]], citations[span["doc_id"]]
        own = {} if place == title else {"place": place}
        evidence.append({"title": title, **own, "text": span["text"]})
    confidence = confidence_of(decision)
    return {
        "claim": claim["text"],
        "verdict": decision["status"],
        **({} if confidence is None else {"confidence": round(confidence, 2)}),
        "why": decision["rationale"],
        **({"evidence": evidence} if evidence else {}),
    }


def confidence_of(decision: dict[str, Any]) -> float | None:
    """Return the confidence that the page shows with the verdict; None if it has none."""
    name = {"Supported": "overall_confidence", "Contradictory": "contradict_prob"}
    shown = name.get(decision["status"])
    return None if shown is None else decision["confidence"][shown]
