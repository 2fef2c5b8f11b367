"""How far do the rule extractor's triples agree with a language model's?

Matching rule: within one passage, an extracted (subject, object) pair matches a reference pair
when both sides match in this order. Two names match when the token F1 of their normal forms
(``entity_key``, articles removed) is at least 0.5, or when one holds the other as a run of
whole tokens. Each pair is used once; the best matches are given away first. The predicate is
not compared. Counts are summed over passages before precision, recall and F1 are taken. The
interval resamples passages. "exact" asks for equal normal forms instead.

Usage: python benchmarks/triples_f1.py OPENIE_JSON_GZ [--out FILE] [--limit N]
"""

import argparse
import gzip
import json
import platform
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from measurement import run_script

from hippohover.indexing.triples.spacy_rules import SpacyTriples
from hippohover.names.normal_forms import entity_key
from hippohover.records import Passage, PassageId

Name = tuple[str, ...]
Pair = tuple[Name, Name]
ARTICLES = frozenset(("a", "an", "the"))
N_RESAMPLES = 2_000


def normal_name(text: str) -> Name:
    """Tokens of a name as they are compared."""
    tokens = entity_key(text).split()
    return tuple(token for token in tokens if token not in ARTICLES) or tuple(tokens)


def name_score(one: Name, other: Name) -> float:
    """1 for equal names, at least 0.5 for names that match by the rule, else 0."""
    if one == other:
        return 1.0
    shared = sum((Counter(one) & Counter(other)).values())
    f1 = 2 * shared / (len(one) + len(other))
    if f1 >= 0.5:
        return f1
    return 0.5 if shared and (_holds(one, other) or _holds(other, one)) else 0.0


def _holds(whole: Name, part: Name) -> bool:
    return any(whole[at : at + len(part)] == part for at in range(len(whole) - len(part) + 1))


def n_matched(found: Sequence[Pair], reference: Sequence[Pair], *, exact: bool) -> int:
    """Size of the greedy one-to-one assignment, best matches first."""
    if exact:
        return sum((Counter(found) & Counter(reference)).values())
    scored: list[tuple[float, int, int]] = []
    for i, (subject, obj) in enumerate(found):
        for j, (ref_subject, ref_obj) in enumerate(reference):
            left = name_score(subject, ref_subject)
            right = name_score(obj, ref_obj) if left else 0.0
            if left and right:
                scored.append((-(left + right), i, j))
    used_found: set[int] = set()
    used_reference: set[int] = set()
    for _, i, j in sorted(scored):
        if i not in used_found and j not in used_reference:
            used_found.add(i)
            used_reference.add(j)
    return len(used_found)


def prf(counts: np.ndarray) -> dict[str, float]:
    """Precision, recall and F1 of rows (matched, found, reference)."""
    matched, found, reference = (float(total) for total in counts.sum(axis=0))
    precision, recall = matched / max(found, 1), matched / max(reference, 1)
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / max(precision + recall, 1e-12),
    }


def with_intervals(counts: np.ndarray, *, seed: int) -> dict[str, dict[str, Any]]:
    """Each figure with its 95 % percentile bootstrap interval over passages."""
    generator = np.random.default_rng(seed)
    draws = [
        prf(counts[generator.integers(0, len(counts), len(counts))]) for _ in range(N_RESAMPLES)
    ]
    report: dict[str, dict[str, Any]] = {}
    for key, value in prf(counts).items():
        low, high = np.percentile([draw[key] for draw in draws], [2.5, 97.5])
        report[key] = {"value": round(value, 4), "low": round(low, 4), "high": round(high, 4)}
    return report


def load(path: Path, limit: int | None) -> tuple[list[Passage], list[list[Pair]]]:
    """Passages and their distinct reference pairs; malformed reference triples are left out."""
    documents = json.loads(gzip.decompress(path.read_bytes()))["docs"][:limit]
    passages: list[Passage] = []
    references: list[list[Pair]] = []
    for row, document in enumerate(documents):
        title, _, text = document["passage"].partition("\n")
        passages.append(Passage(PassageId(str(row)), title, text))
        triples = [t for t in document["extracted_triples"] if len(t) == 3]
        references.append(distinct_pairs([(str(s), str(o)) for s, _, o in triples]))
    return passages, references


def distinct_pairs(pairs: Sequence[tuple[str, str]]) -> list[Pair]:
    """Distinct normal pairs, in order."""
    return list(dict.fromkeys((normal_name(s), normal_name(o)) for s, o in pairs))


def measure(path: Path, *, limit: int | None = None, seed: int = 0) -> dict[str, Any]:
    """The whole report, ready for JSON."""
    passages, references = load(path, limit)
    extractor = SpacyTriples()
    start = time.perf_counter()
    triples = list(extractor.extract(passages))
    seconds = time.perf_counter() - start
    found = [distinct_pairs([(t.subject, t.object) for t in of_one]) for of_one in triples]
    report: dict[str, Any] = {
        "question": "agreement of (subject, object) pairs with GPT-3.5's triples",
        "extractor": extractor.name,
        "version": extractor.version,
        "n_passages": len(passages),
        "n_found_pairs": sum(map(len, found)),
        "n_reference_pairs": sum(map(len, references)),
        "passages_per_second": round(len(passages) / seconds, 1),
        "machine": f"{platform.machine()}, one process",
        "seed": seed,
    }
    for rule, exact in (("matching_rule", False), ("exact", True)):
        rows = [
            (n_matched(f, r, exact=exact), len(f), len(r))
            for f, r in zip(found, references, strict=True)
        ]
        report[rule] = with_intervals(np.array(rows), seed=seed)
    return report


def main() -> None:
    """Measure and write the report."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("openie", type=Path, help="gzipped JSON of passages with triples")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/triples_f1.json"))
    parser.add_argument("--limit", type=int, default=None, help="first N passages only")
    options = parser.parse_args()
    report = measure(options.openie, limit=options.limit)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    run_script(main)
