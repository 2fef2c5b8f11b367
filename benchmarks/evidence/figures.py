"""What a run of ``train_evidence.py`` found, set by set, with intervals over claims.

    cd benchmarks; python -m evidence.figures RUN DATA results/evidence.json

RUN is the folder that the run wrote, DATA the one that it read. A figure of a set is by weights
that saw neither it nor its source: those that ship, where the set only measures; those of a run
that left the source out; and, for claims of several hops, those of a run that left out the fold
of the claim but not the set. The weights that ship, which are in bytes by rows, are run on some
sets again, beside the chances that those of the run gave.
"""

import json
import lzma
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from evidence.measures import Floats, auroc, counted, found_at, leaning
from evidence.sources import LONGEST, MEASURING, SOURCES, left_out
from evidence.weights import SHIPPED, hash_of, load_small, manifest
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Row = dict[str, Any]
N_RESAMPLES: Final = 500
_SHORT: Final = ("short claims", "short claims, sentences")
_AS_SHIPPED: Final = ("fool-me-twice-dev", "climate-fever-dev", *_SHORT)
_HOPS: Final = ("hover", "exfever")
_SWAPS: Final = "swaps of passages that were not learned from"
QUESTION: Final = "Can a small model tell what evidence says of a claim, on sets it never saw?"
SCORE: Final = "log(supported) - 1/2 log(refuted), each chance with 0.0001 added"
CHOSEN: Final = (
    "The half in the score was chosen on these sets. The rate, the numbers of epochs and of swaps, "
    "and the loss of which way evidence leans were set after an earlier run whose figures of these "
    "sets had been seen. Of this run the first candidate was taken: there was no time for the "
    "others. No set that nobody had looked at was measured."
)


class Found:
    """The chances that all weights of a run gave, and the pairs they are of."""

    def __init__(self, run: Path, data: Path) -> None:
        with np.load(run / "chances.npz") as file:
            self.chances = {name: file[name].astype(np.float64) for name in file
                            if name not in {"names", "labels"}}  # fmt: skip
            self.sets = np.array([str(name).split("\t")[0] for name in file["names"]])
            self.labels: Ints = file["labels"]
        with lzma.open(data / "labelled.jsonl.xz", "rt", encoding="utf-8") as lines:
            self.rows: list[Row] = [json.loads(line) for line in lines]
        if [row["set"] for row in self.rows] != list(self.sets[: len(self.rows)]):
            raise SystemExit("these are not the pairs that the run measured")
        self.results: Row = json.loads((run / "results.json").read_text(encoding="utf-8"))

    def figures(self) -> Iterator[Row]:
        """Yield the figures of each set."""
        for name in dict.fromkeys(self.sets[: len(self.rows)]):
            at = np.flatnonzero(self.sets == name)
            source = next((s for s in SOURCES if left_out(self.rows[at[0]], s)), "")
            saw = f"all but {source}" if source else "all that train"
            yield self._of(name, at, self.chances[source or "main"][at], saw)
            if name.startswith(_HOPS):
                yield self._of(name, at, self._by_folds(at), "all but the claim's fold")
        at = np.flatnonzero(np.char.startswith(self.sets, "swaps "))
        yield self._of(_SWAPS, at, self.chances["main"][at], "other passages")

    def _by_folds(self, at: Ints) -> Floats:
        return np.array([self.chances[f"fold{self.rows[one]['fold']}"][one] for one in at])

    def _of(self, name: str, at: Ints, chances: Floats, saw: str) -> Row:
        labels = self.labels[at]
        is_known = bool(at[0] < len(self.rows))
        texts = [self.rows[n]["claim"] if is_known else str(n) for n in at]
        _, claims = np.unique(texts, return_inverse=True)
        draws = list(resampled(claims, np.random.default_rng(0)))
        scores = {"score": leaning(chances), "supported_alone": chances[:, 0]}
        if is_known:
            scores["words_counted"] = counted([self.rows[n] for n in at])[:, 0]
        said: Row = {"set": name, "weights_saw": saw, "n": len(at), "claims": int(claims.max()) + 1,
                     "true": int((labels == 0).sum()), "refuted": int((labels >= 2).sum()),
                     "only_measures": is_known and not self.rows[at[0]]["trains"]}  # fmt: skip
        for key, score in scores.items():
            said[key] = measured_with_intervals(score, labels, draws)
        is_called = chances.argmax(1) == 0
        if is_known:
            ours, words = scores["score"], scores["words_counted"]
            said["above_words_counted"] = above(ours, words, labels, draws)
        parts = {"true": labels == 0, "others": labels != 0}
        said["called_supported"] = {key: round(float(is_called[part].mean()), 4)
                                    for key, part in parts.items() if part.any()}  # fmt: skip
        return said


def resampled(claims: Ints, draw: np.random.Generator) -> Iterator[Ints]:
    """Yield pairs as drawn by claims, all pairs of a claim together."""
    order = np.argsort(claims, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(claims[order])) + 1)
    for _ in range(N_RESAMPLES):
        chosen = draw.integers(0, len(parts), len(parts))
        yield np.concatenate([parts[n] for n in chosen])


def measured_with_intervals(score: Floats, labels: Ints, draws: Sequence[Ints]) -> Row:
    """How well a score tells true ones from refuted ones and from all others."""
    against, everyone = np.flatnonzero(labels != 1), np.arange(len(labels))
    ways: dict[str, tuple[Callable[[Floats, NDArray[np.bool_]], float], Ints]] = {
        "against_refuted": (auroc, against),
        "against_the_rest": (auroc, everyone),
        "true_at_5_percent_of_refuted": (found_at, against),
    }
    found: Row = {}
    for name, (way, wanted) in ways.items():
        if not 0 < (labels[wanted] == 0).sum() < len(wanted):
            found[name] = None
            continue
        is_wanted = np.isin(everyone, wanted)
        values = [way(score[at], labels[at] == 0) for at in (d[is_wanted[d]] for d in draws)]
        value = way(score[wanted], labels[wanted] == 0)
        said = (value, *np.nanpercentile(values, [2.5, 97.5]))
        keys = ("value", "low", "high")
        found[name] = {k: round(float(v) / 100, 4) for k, v in zip(keys, said, strict=True)}
    return found


def above(score: Floats, other: Floats, labels: Ints, draws: Sequence[Ints]) -> Row | None:
    """By how much more a score tells true ones from refuted ones than another does."""
    if not 0 < (labels == 0).sum() < (labels != 1).sum():
        return None

    def difference(at: Ints) -> float:
        kept = at[labels[at] != 1]
        return (auroc(score[kept], labels[kept] == 0) - auroc(other[kept], labels[kept] == 0)) / 100

    low, high = np.nanpercentile([difference(at) for at in draws], [2.5, 97.5])
    value = difference(np.arange(len(labels)))
    return {"difference": round(value, 4), "low": round(low, 4), "high": round(high, 4)}


def other_runs(found: Found) -> Row:
    """What other settings reach on the sets that only measure: against refuted, by the score."""
    said: Row = {}
    for run in found.chances:
        if run.startswith(("main", "swaps")):
            of = found.results["tables"][run]
            said[run] = {name: round(of[name]["with half of refuted, against refuted"] / 100, 3)
                         for name in (*MEASURING, *_SHORT)}  # fmt: skip
    return said


def as_shipped(found: Found, data: Path) -> Row:
    """What the weights that ship give on some sets, beside those of the run."""
    from evidence.batches import Table, tokenized
    from evidence.learning import chances
    from evidence.model import Evidence, read
    from evidence.pairs import Pair
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(data / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    model = read(Evidence(), load_small(SHIPPED))
    table = Table("cpu", 1000, 100)
    said: Row = {}
    for name in _AS_SHIPPED:
        at = np.flatnonzero(found.sets == name)
        rows = [found.rows[n] for n in at]
        pairs = [Pair(row["evidence"][0], row["claim"], row["label"]) for row in rows]
        tokens = tokenized(tokenizer, pairs, LONGEST)
        table.put(tokens)
        ours, theirs = chances(model, table, tokens.lengths), found.chances["main"][at]
        pair = found.labels[at] != 1
        is_true = found.labels[at][pair] == 0
        said[name] = {
            "n": len(at),
            "mean_difference_of_chances": round(float(np.abs(ours - theirs).mean()), 4),
            "other_verdict": round(float((ours.argmax(1) != theirs.argmax(1)).mean()), 4),
            **{key: round(auroc(leaning(one)[pair], is_true) / 100, 4)
               for key, one in (("against_refuted", ours), ("of_the_run", theirs))},
        }  # fmt: skip
    return said


def main() -> None:
    """Write the figures of a run."""
    run, data, out = map(Path, sys.argv[1:])
    found = Found(run, data)
    made = manifest(SHIPPED)
    said = {
        "question": QUESTION,
        "revision": made["revision"],
        "weights": f"evidence/{SHIPPED.name}",
        "weights_sha256": hash_of(SHIPPED),
        "settings": {"swaps": found.results["swaps"]["settings"], "labelled": made["settings"]},
        "pairs_learned_from": {
            "swaps": found.results["swaps"]["pairs"],
            "labelled and swaps": found.results["runs"]["main"]["pairs"],
        },
        "seconds": found.results["seconds"],
        "torch": made["torch"],
        "device": made["device"],
        "score": SCORE,
        "chosen": CHOSEN,
        "n_resamples": N_RESAMPLES,
        "sets": list(found.figures()),
        "other_runs": other_runs(found),
        "as_shipped": as_shipped(found, data),
    }
    out.write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
    print(out, out.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
