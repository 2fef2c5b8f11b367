"""Does an index that was changed at random answer as one that is built of what it then holds?

    python benchmarks/updates_against_a_build.py RECIPE CORPUS CLAIMS --work DIR --out OUT

An index of most documents of CORPUS, JSON lines, whose titles differ, is changed by a random
sequence of updates: documents come, go, and are replaced by others with their titles; what stands
beside the index is merged into a new base. Aliases are left out: with them each update is a build.
At some of the updates an index is built of the documents that are there then. Claims are asked of
both by each retriever, to depth 100: their passages must be the same, in one order, and scores
equal to 1e-6.
"""

import argparse
import json
import platform
import random
import shutil
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from domains import revision
from measurement import run_script
from updates import Row, lines_of, written

import hippohover
from hippohover.evaluation.hover import load_claims
from hippohover.store.reader import StoredIndex

RETRIEVERS = ("ppr", "bm25", "dense", "hybrid")
MOST = 30
"""Documents that an update is of."""

_HELD_BACK = 0.05  # of the documents, at first
_KINDS = {"add": 5, "delete": 4, "replace": 4, "compact": 1}


class Changing:
    """An index, and the documents that it is of."""

    def __init__(self, asked: argparse.Namespace) -> None:
        self._asked, self._rng = asked, random.Random(asked.seed)
        self.n_built = 0
        with lines_of(asked.corpus) as lines:
            every: list[Row] = [json.loads(line) for line in lines]
        self._rng.shuffle(every)
        n = round(len(every) * _HELD_BACK)
        self._rest = {row["title"]: row for row in every[:n]}
        self._there = {row["title"]: row for row in every[n:]}
        self.index = self.built(asked.work / "changed")

    def built(self, out: Path) -> Path:
        """An index that is built of the documents that are there, in an order of no meaning."""
        shutil.rmtree(out, ignore_errors=True)
        rows = [*self._there.values()]
        self._rng.shuffle(rows)
        return hippohover.build(self._asked.recipe, corpus=written(self._asked.work, rows), out=out)

    def update(self, kind: str) -> None:
        """Make an update at random."""
        some = self._some(self._there if kind in {"delete", "replace"} else self._rest)
        if kind == "compact":
            hippohover.compact(self.index)
        elif kind == "delete":
            self.n_built += bool(hippohover.delete(self.index, [r["title"] for r in some]).built)
            self._rest.update((row["title"], self._there.pop(row["title"])) for row in some)
        else:
            if kind == "replace":  # each says what another said, and a little more
                texts = [row["text"] for row in some]
                self._rng.shuffle(texts)
                some = [
                    {**row, "text": f"{text} {row['title']}."}
                    for row, text in zip(some, texts, strict=True)
                ]
            path = written(self._asked.work, some)
            self.n_built += bool(hippohover.add(self.index, path, replace=kind == "replace").built)
            for row in some:
                self._rest.pop(row["title"], None)
                self._there[row["title"]] = row

    def _some(self, rows: dict[str, Row]) -> list[Row]:
        return self._rng.sample([*rows.values()], self._rng.randint(1, MOST))


def compared(one: Path, other: Path, claims: Sequence[str]) -> dict[str, Row]:
    """How the answers of two indexes differ, by retriever."""
    found: dict[str, Row] = {}
    with (
        closing(hippohover.HippoHover.open(one)) as a,
        closing(hippohover.HippoHover.open(other)) as b,
    ):
        for retriever in RETRIEVERS:
            n_other, most = 0, 0.0
            for claim in claims:
                answers = [engine.search(claim, 100, retriever).passages for engine in (a, b)]
                pids = [[passage.pid for passage in answer] for answer in answers]
                n_other += pids[0] != pids[1]
                if pids[0] == pids[1]:
                    pairs = zip(*answers, strict=True)
                    most = max([most, *(abs(p.score - q.score) for p, q in pairs)])
            found[retriever] = {
                "n_claims": len(claims),
                "n_other_passages": n_other,
                "largest_difference_of_scores": most,
            }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare a changed index with a build.")
    parser.add_argument("recipe")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("claims", type=Path)
    parser.add_argument("--n", type=int, default=60, help="updates")
    parser.add_argument("--n-builds", type=int, default=4)
    parser.add_argument("--n-claims", type=int, default=150)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    asked.work.mkdir(parents=True, exist_ok=True)
    changing = Changing(asked)
    claims = [claim.claim for claim in load_claims(asked.claims)[: asked.n_claims]]
    rng = random.Random(asked.seed)
    kinds = rng.choices([*_KINDS], [*_KINDS.values()], k=asked.n)
    checks: list[Row] = []
    for number, kind in enumerate(kinds, start=1):
        changing.update(kind)
        if number * asked.n_builds % asked.n < asked.n_builds:
            fresh = changing.built(asked.work / "fresh")
            with StoredIndex.open(changing.index) as stored:
                base, counts = stored.manifest.base, stored.manifest.counts
            check: Row = {"n_updates": number, "n_passages": counts["n_passages"]}
            check["n_segments"] = base.n_segments if base else 0
            check["n_touched"] = sum(base.sizes) if base else 0
            checks.append({**check, "against a build": compared(changing.index, fresh, claims)})
            print(json.dumps(checks[-1]), flush=True)
    result: Row = {
        "revision": revision(),
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "corpus": asked.corpus.name,
        "seed": asked.seed,
        "updates": dict(Counter(kinds)),
        "n_built": changing.n_built,
        "checks": checks,
    }
    asked.out.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    run_script(main)
