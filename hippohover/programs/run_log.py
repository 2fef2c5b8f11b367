"""Records of programs' runs, kept by claim, and summaries of them."""

import threading
from collections.abc import Mapping
from typing import Any, Final

from hippohover.programs.hop_program import Run

SHARES: Final = ("unique", "selected", "used")
"""Fields of ``TraversalYield``."""


class RunLog:
    """Runs of one evaluation; safe from several threads. A repeated claim counts once."""

    def __init__(self) -> None:
        self._runs: dict[str, dict[str, dict[str, Any]]] = {}
        self._lock = threading.Lock()

    def note(self, name: str, claim: str, run: Run) -> None:
        """Keep the record of a program's run for a claim."""
        with self._lock:
            self._runs.setdefault(name, {})[claim] = run.as_dict()

    def as_dict(self) -> dict[str, Any]:
        """Return each program's ``runs``, by claim, and its ``health``, as JSON has them."""
        with self._lock:
            return {
                name: {"health": health_of(runs), "runs": runs} for name, runs in self._runs.items()
            }


def health_of(runs: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the coverage of runs for JSON, and the mean yield of following links.

    Each None where no run tells it. Coverage is that of the ``n_measured`` runs that tested
    hypotheses; ``n_filled_gaps`` others filled gaps instead.
    """
    covered = [run["is_covered"] for run in runs.values() if run.get("is_covered") is not None]
    failures = [run["encoding_failure"] for run in runs.values() if run.get("encoding_failure")]
    traversals = [run["traversal"] for run in runs.values() if run.get("traversal")]
    return {
        "n_runs": len(runs),
        "n_filled_gaps": sum(bool(run.get("filled_gaps")) for run in runs.values()),
        "n_measured": len(covered),
        "coverage": sum(covered) / len(covered) if covered else None,
        "n_encoding_failures": len(failures),
        "encoding_failure": failures[0] if failures else None,
        "n_traversed": len(traversals),
        "traversal": {
            share: sum(one[share] for one in traversals) / len(traversals) for share in SHARES
        }
        if traversals
        else None,
    }


def health_in_words(health: Mapping[str, Any]) -> str:
    """Describe the health on one line; "" if no run has any."""
    parts: list[str] = []
    if health["coverage"] is not None:
        share, n = f"{health['coverage']:.0%}", health["n_measured"]
        parts.append(
            f"hypotheses name a document that the answer rests on in {share} of {n:,} runs"
        )
    if n := health["n_filled_gaps"]:
        parts.append(
            f"{n:,} of {health['n_runs']:,} runs filled gaps instead of testing hypotheses"
        )
    if n := health["n_encoding_failures"]:
        parts.append(
            f"words were compared instead of vectors in {n:,} of {health['n_runs']:,} runs "
            f"({health['encoding_failure']})"
        )
    if health["traversal"] is not None:
        unique, selected, used = (health["traversal"][share] for share in SHARES)
        parts.append(
            f"of linked documents {unique:.0%} were new, {selected:.0%} of these were weighed, "
            f"{used:.0%} of those were in the answer"
        )
    return "; ".join(parts)
