"""The gallery's tables: what the index of each public collection holds, and what is found in it.

They are read off ``benchmarks/results``, so the page says what was measured; no text of a
collection is shown.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

_RESULTS: Final = Path(__file__).parents[2] / "benchmarks" / "results"
_SIMPLE: Final = ("bm25", "dense", "hybrid")

COLLECTIONS: Final[dict[str, tuple[str, ...]]] = {
    "wikipedia": ("hover-wide-fast-dev", "hover-wide-fast-hotpot", "exfever: exfever-claims-dev"),
    "peps": ("peps: peps-claims-dev",),
    "notes": ("obsidian-vault: obsidian-claims-dev", "obsidian: obsidian-claims-dev"),
    "rules": ("obliqa: obliqa-claims-dev", "obliqa: obliqa-claims-multi-dev"),
    "chats": ("chats: chats-claims-dev",),
    "science": ("science: science-claims-dev",),
}
"""Questions of each collection: a file of ``hover_retrieval.py``, or a set of ``domains.py``."""

_QUESTIONS: Final = {
    "hover-wide-fast-dev": "HoVer, 2 to 4 titles",
    "hover-wide-fast-hotpot": "HotpotQA, 2 titles",
    "exfever: exfever-claims-dev": "EX-FEVER",
    "peps: peps-claims-dev": "over 2 or 3 proposals",
    "obsidian-vault: obsidian-claims-dev": "over 2 or 3 notes, with their links",
    "obsidian: obsidian-claims-dev": "the same, without the links",
    "obliqa: obliqa-claims-dev": "over 1 to 5 rules",
    "obliqa: obliqa-claims-multi-dev": "of them over 2 rules or more",
    "chats: chats-claims-dev": "over 1 to 11 turns",
    "science: science-claims-dev": "over 2 to 15 sentences",
}


class Found(NamedTuple):
    """What was found for the questions of one set: fractions of the questions."""

    questions: str
    n: int
    value: float
    low: float
    high: float
    simple: str
    simple_value: float
    gain: tuple[float, float, float]
    counts: dict[str, int]


def collections_in_markdown() -> str:
    """One row for the first questions of each collection."""
    header = ["collection", "documents", "named", "linked", "`ppr`", "best of the others", "gain"]
    rows = [
        [
            f"[{name}](#{name})",
            f"{found.counts['n_documents']:,}",
            _joined(found, "mention"),
            _joined(found, "link"),
            _percent(found.value),
            f"{_percent(found.simple_value)} `{found.simple}`",
            _gain(found),
        ]
        for name in COLLECTIONS
        for found in [next(_found(name))]
    ]
    return _table(header, rows)


def collection_in_markdown(name: str) -> str:
    """What the index of a collection holds, and what is found for each set of its questions."""
    sets = list(_found(name))
    counts = sets[0].counts
    held = (
        f"The index holds {counts['n_documents']:,} documents in {counts['n_passages']:,} "
        f"passages, {counts['n_entities']:,} names and {counts['n_facts']:,} facts. "
        f"{_joined(sets[0], 'mention')} of the passages name another document or are named by one, "
        f"and {_joined(sets[0], 'link')} are joined with one by a link."
    )
    header = ["questions", "n", "`ppr`", "best of the others", "gain"]
    rows = [
        [
            found.questions,
            f"{found.n:,}",
            f"{_percent(found.value)} ({100 * found.low:.1f} to {100 * found.high:.1f})",
            f"{_percent(found.simple_value)} `{found.simple}`",
            _gain(found),
        ]
        for found in sets
    ]
    return f"{held}\n\n{_table(header, rows)}"


def _found(name: str) -> Iterator[Found]:
    domains: dict[str, Any] = _result("domains")["recipes"]["default-fast"]["sets"]
    for key in COLLECTIONS[name]:
        yield _of_set(key, domains[key]) if key in domains else _of_run(key, _result(key))


def _of_set(key: str, cell: dict[str, Any]) -> Found:
    """From a set of ``domains.py``."""
    arms = {name: arm["all_gold_found@21"] for name, arm in cell["retrievers"].items()}
    gain = cell["difference@21"]
    interval = gain["difference"], gain["low"], gain["high"]
    return _row(key, arms, gain["against"], interval, cell["retrievers"]["ppr"]["counts"])


def _of_run(key: str, run: dict[str, Any]) -> Found:
    """From a file of ``hover_retrieval.py``, whose differences are the others' to ``ppr``."""
    arms = {name: arm["all_gold_found@21"]["all"] for name, arm in run["retrievers"].items()}
    simple = max(_SIMPLE, key=lambda name: arms[name]["value"])
    lost = run["paired"][simple]
    interval = -lost["difference"], -lost["high"], -lost["low"]
    return _row(key, arms, simple, interval, run["counts"])


def _row(
    key: str,
    arms: dict[str, dict[str, float]],
    simple: str,
    gain: tuple[float, float, float],
    counts: dict[str, int],
) -> Found:
    ppr = arms["ppr"]
    interval = ppr["value"], ppr["low"], ppr["high"]
    return Found(
        _QUESTIONS[key], int(ppr["n"]), *interval, simple, arms[simple]["value"], gain, counts
    )


def _result(name: str) -> dict[str, Any]:
    return json.loads((_RESULTS / f"{name}.json").read_text(encoding="utf-8"))


def _joined(found: Found, kind: str) -> str:
    """Share of the passages that edges of a kind join with another document."""
    share = found.counts[f"n_passages_joined_by_{kind}"] / found.counts["n_passages"]
    return f"{100 * share:.0f} %"


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def _gain(found: Found) -> str:
    """ "+15.2 (+8.4 to +22.7)", and whether it may be chance."""
    value, low, high = (100 * one for one in found.gain)
    chance = "" if low > 0 else ", may be chance"
    return f"{value:+.1f} ({low:+.1f} to {high:+.1f}){chance}"


def _table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
