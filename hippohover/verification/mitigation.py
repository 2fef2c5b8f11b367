"""Verdicts -> the text for a reader: claims removed, flagged or kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from hippohover.verification.claims import without_mark, without_markers
from hippohover.verification.payloads import Claim, Status

WARNING: Final = "[Warning: The following claim contradicts the source]"
FLAG: Final = "[low confidence]"
FLAG_OF_SEVERAL: Final = "[low confidence, {} sentences]"

Contradicted = Literal["suppress", "warn"]

REMOVED: Final = "removed_contradicted_claims"
WARNED: Final = "warned_of_contradicted_claims"
FLAGGED: Final = "flagged_low_confidence_claims"


@dataclass(frozen=True, slots=True)
class Mitigated:
    """The final text, and what was done: of ``REMOVED``, ``WARNED`` and ``FLAGGED``."""

    final_response: str
    actions: tuple[str, ...]


def mitigate(
    text: str,
    claims: Sequence[Claim],
    status: Mapping[str, Status],
    *,
    cited: Mapping[str, Sequence[int]] | None = None,
    contradicted: Contradicted = "suppress",
) -> Mitigated:
    """Remove what sources contradict from a text, and flag what they leave open.

    Several sentences of a line that are left open, one after the other, have one flag.

    Parameters
    ----------
    claims : sequence of Claim
        With their spans in ``text``, in order.
    status : mapping of str to Status
        Claim id -> verdict.
    cited : mapping of str to sequence of int
        Claim id -> numbers that a supported claim cites; markers that the text has are left out.
    contradicted : {"suppress", "warn"}
        Leave such claims out, or set the warning before them.
    """
    parts: list[str] = []
    actions: list[str] = []
    at = n_open = 0
    for number, claim in enumerate(claims):
        start, stop = claim.answer_char_span
        between, words = text[at:start], without_markers(text[start:stop]).text
        at = stop
        verdict = status[claim.claim_id]
        if verdict == "Contradictory" and contradicted == "suppress":
            actions.append(REMOVED)
            between = without_mark(between)
            parts.append(between if between.strip() else "")
            continue
        if verdict == "Contradictory":
            actions.append(WARNED)
            words = f"{WARNING} {words}"
        elif verdict == "Low Confidence":
            actions.append(FLAGGED)
            n_open += 1
            if not _is_next_open(text, claims[number : number + 2], status):
                words = f"{words} {FLAG if n_open == 1 else FLAG_OF_SEVERAL.format(n_open)}"
                n_open = 0
        else:
            marks = "".join(f"[{number}]" for number in (cited or {}).get(claim.claim_id, ()))
            words = f"{words} {marks}".rstrip()
        parts += [between, words]
    parts.append(text[at:])
    return Mitigated("".join(parts).strip(), tuple(dict.fromkeys(actions)))


def _is_next_open(text: str, claims: Sequence[Claim], status: Mapping[str, Status]) -> bool:
    """Return whether the claim behind the first is left open too, on the same line."""
    if len(claims) < 2 or status[claims[1].claim_id] != "Low Confidence":
        return False
    first, second = (claim.answer_char_span for claim in claims)
    return "\n" not in text[first[1] : second[0]]
