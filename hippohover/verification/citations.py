"""Answers with bracketed citations, and the form in which CiteEval reads them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final, Literal, get_args

from hippohover.errors import UsageError
from hippohover.verification.claims import without_mark, without_markers
from hippohover.verification.payloads import (
    CitationFormatterOutput,
    CitedPassage,
    CiteEvalSystemExample,
    Claim,
    FormatterNotes,
)

CiteEvalMode = Literal["Full", "Cited"]

METHOD: Final = "right_span_insertion_v1"


def format_citations(
    text: str,
    claims: Sequence[Claim],
    cited: Mapping[str, Sequence[str]],
    passages: Mapping[str, CitedPassage],
    contradicted: Collection[str] = (),
) -> CitationFormatterOutput:
    """Put citations at the right end of every claim that has evidence.

    Parameters
    ----------
    text : str
        The answer that the claims' spans count in. Markers that it has are replaced.
    cited : mapping of str to sequence of str
        Claim id -> ids of the passages that support it, best first.
    passages : mapping of str to CitedPassage
        By id, in the order in which they shall be numbered. Those of equal text are one.
    contradicted : collection of str
        Claim ids that are left out.
    """
    number_of_text: dict[str, int] = {}
    number_of: dict[str, int] = {}
    listed: list[CitedPassage] = []
    wanted = {doc for docs in cited.values() for doc in docs}
    for doc, passage in passages.items():
        if doc not in wanted:
            continue
        if passage.text not in number_of_text:
            listed.append(passage)
            number_of_text[passage.text] = len(listed)
        number_of[doc] = number_of_text[passage.text]
    parts: list[str] = []
    citation_map: dict[str, list[int]] = {}
    at = 0
    for claim in claims:
        start, stop = claim.answer_char_span
        if claim.claim_id in contradicted:
            between = without_mark(text[at:start])
            parts.append(between if between.strip() else "")
            at = stop
            continue
        numbers = list(dict.fromkeys(number_of[doc] for doc in cited.get(claim.claim_id, ())))
        if numbers:
            citation_map[claim.claim_id] = numbers
        marks = "".join(f"[{number}]" for number in numbers)
        words = without_markers(text[start:stop]).text
        parts += [text[at:start], f"{words} {marks}".rstrip()]
        at = stop
    parts.append(text[at:])
    merged = len(number_of_text) < len(number_of)
    return CitationFormatterOutput(
        formatted_text="".join(parts).strip() if contradicted else "".join(parts),
        citation_map=citation_map,
        passages=listed,
        notes=FormatterNotes(merged_redundant=merged, method=METHOD),
    )


def cite_eval_example(
    example_id: str,
    query: str,
    formatted: CitationFormatterOutput,
    mode: CiteEvalMode = "Full",
) -> CiteEvalSystemExample:
    """Return an answer in the form of CiteEval's system evaluation.

    Raises
    ------
    UsageError
        In the mode "Cited", which judges cited statements alone, nothing is cited.
    """
    if mode not in get_args(CiteEvalMode):
        raise UsageError(f"mode {mode!r} is unknown: name Full or Cited")
    if mode == "Cited" and not formatted.citation_map:
        raise UsageError(f"example {example_id!r} cites nothing: CiteEval's mode Cited needs that")
    return CiteEvalSystemExample(
        id=example_id, query=query, passages=formatted.passages, pred=formatted.formatted_text
    )
