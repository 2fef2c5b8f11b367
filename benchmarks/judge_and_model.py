"""What does the model of evidence add to the verifier's judge, on sets that neither had seen?

    python benchmarks/judge_and_model.py INDEX LABELLED.jsonl.xz --claims HOVER-DEV \\
        --claims EXFEVER-DEV --out benchmarks/results/judge_and_model.json

LABELLED is what ``evidence.labelled`` writes. Each claim is given its evidence; of HoVer and
EX-FEVER, the passages of its gold titles. The judge's trees had not seen the claim, and what the
model says is by weights that had not: those of a run that left out its source, or, for claims of
several hops, their fold (``evidence/chances.npz``). A logistic regression of the two is learned
over the sets that train, each counting alike, and measured on claims of other folds, and on sets
that only measure. Its coefficients are those of ``verification/signals.py``.

Rows are kept in files of lines beside ``--out``; stopped, a run goes on from there.
"""

import argparse
import json
import lzma
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import numpy as np
from measurement import read_rows, run_script
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from verifier import gold_passages

from hippohover.evaluation.hover import load_claims
from hippohover.names.normal_forms import normal_title
from hippohover.records import PassageId, RankedPassage
from hippohover.retrieval.engine import HippoHover
from hippohover.tuning.judge import calibration_error
from hippohover.verification.evidence import Evidence
from hippohover.verification.verifier import Verifier

Row = dict[str, Any]
Floats = NDArray[np.float64]
N_ROWS: Final = 2000
N_FOLDS: Final = 5
TRAINING: Final = {
    "fever": "fever", "fever-symmetric": "fever", "fever elsewhere": "fever",
    "negation SNLI": "logic", "negation MNLI": "logic", "hover": "fold", "exfever": "fold",
}  # fmt: skip
"""Sets to learn from, and which weights had not seen them."""
MEASURING: Final = ("fool-me-twice-dev", "climate-fever-dev", "covid-fact")
CHANCES: Final = Path(__file__).parent / "evidence" / "chances.npz"
_SUPPORTED, _REFUTED = 0, 2


def labelled(path: Path) -> list[Row]:
    """The labelled pairs that are used, each with its place among all of them."""
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        rows: list[Row] = [{**json.loads(line), "at": at} for at, line in enumerate(lines)]
    found: list[Row] = []
    for name in (*TRAINING, *MEASURING):
        own = [row for row in rows if row["set"] == name]
        found += sorted(own, key=lambda row: crc32(row["claim"].encode()))[:N_ROWS]
    return found


def no_model(claim: str, evidence: Evidence) -> None:
    """The model of evidence, where it is left out."""
    del claim, evidence


def judged(engine: HippoHover, rows: Sequence[Row], gold: dict[str, Any], file: Path) -> Floats:
    """What the judge says of each row, without the model."""
    done = {row["at"]: row["judged"] for row in read_rows(file, {"n": len(rows)})}
    verifier = Verifier(engine, model=no_model)
    with file.open("a", encoding="utf-8") as lines:
        for row in rows:
            if row["at"] not in done:
                given = gold.get(row["uid"]) if row["set"] in ("hover", "exfever") else None
                passages = given or [RankedPassage(1, PassageId("e"), "", row["evidence"][0], 0.0)]
                said = verifier.verify_claim(row["claim"], passages=passages)
                value = said.verified_claims[0].confidence_breakdown["judged_support"]["value"]
                done[row["at"]] = value or 0.0
                lines.write(json.dumps({"at": row["at"], "judged": done[row["at"]]}) + "\n")
    return np.array([done[row["at"]] for row in rows])


def told(rows: Sequence[Row]) -> Floats:
    """What the model says of each row, shape (n, 3): by weights that had not seen it."""
    with np.load(CHANCES) as file:
        chances = {
            name: file[name].astype(float) for name in file if name not in ("names", "labels")
        }
    found: list[Floats] = []
    for row in rows:
        weights = TRAINING.get(row["set"], "main")
        found.append(chances[f"fold{row['fold']}" if weights == "fold" else weights][row["at"]])
    return np.clip(np.array(found), 0.0, 1.0)


def points(judge: Floats, model: Floats) -> Floats:
    """What the regression reads, shape (n, 3), as ``verification.signals.moved`` does."""
    little = 0.001
    inside = np.log((judge + little) / (1 + little - judge))
    supports, open_, refutes = np.log(model + little).T
    return np.stack([inside, supports - open_, refutes - open_], axis=1)


def learned(x: Floats, y: NDArray[np.bool_], sets: NDArray[np.str_]) -> LogisticRegression:
    """The regression, to which each set counts alike."""
    counts = {name: (sets == name).sum() for name in np.unique(sets)}
    weights = np.array([1000 / counts[name] for name in sets])
    return LogisticRegression(max_iter=2000).fit(x, y, sample_weight=weights)


def figures(truth: NDArray[np.int64], sure: Floats) -> Row:
    """The measures of one set."""
    true, refuted = truth == _SUPPORTED, truth >= _REFUTED
    found: Row = {"n": len(truth), "true": int(true.sum())}
    if true.any() and refuted.any():
        either = true | refuted
        found["against_refuted"] = float(roc_auc_score(true[either], sure[either]))
        found["true_at_5_percent_of_refuted"] = float(
            (sure[true] > np.quantile(sure[refuted], 0.95)).mean()
        )
    if true.any() and not true.all():
        found["against_the_rest"] = float(roc_auc_score(true, sure))
    found["called_supported"] = {
        "true": float((sure[true] > 0.5).mean()) if true.any() else None,
        "others": float((sure[~true] > 0.5).mean()) if not true.all() else None,
    }
    found["calibration_error"] = calibration_error(true, sure)
    return found


def passages_of(engine: HippoHover, files: Sequence[Path]) -> dict[str, list[RankedPassage]]:
    """Passages of each claim's gold titles, by its uid."""
    claims = [claim for path in files for claim in load_claims(path)]
    by_title = gold_passages(engine, claims)
    return {
        claim.uid: [p for t in claim.gold_titles for p in by_title.get(normal_title(t), [])]
        for claim in claims
    }


def compared(rows: Sequence[Row], judge: Floats, model: Floats) -> Iterator[tuple[str, Row]]:
    """Yield the figures of each set, by the judge, the model, and both; and what both learned."""
    sets = np.array([row["set"] for row in rows])
    truth = np.array([row["label"] for row in rows])
    fold = np.array([crc32(row["claim"].encode()) % N_FOLDS for row in rows])
    fold = np.where([row["fold"] >= 0 for row in rows], [row["fold"] for row in rows], fold)
    x, trains = points(judge, model), np.isin(sets, [*TRAINING])
    everything = learned(x[trains], truth[trains] == _SUPPORTED, sets[trains])
    both = everything.predict_proba(x)[:, 1]
    for one in range(N_FOLDS):
        kept, own = trains & (fold != one), trains & (fold == one)
        without = learned(x[kept], truth[kept] == _SUPPORTED, sets[kept])
        both[own] = without.predict_proba(x[own])[:, 1]
    for name in dict.fromkeys(sets.tolist()):
        at = sets == name
        lean = 1 / (1 + np.exp(-(x[at, 1] - x[at, 2] / 2)))
        arms = {"judge": judge[at], "model": lean, "both": both[at]}
        yield name, {arm: figures(truth[at], sure) for arm, sure in arms.items()}
    coefficients: list[float] = np.ravel(everything.coef_).tolist()
    yield "learned", {"base": np.ravel(everything.intercept_).tolist()[0], "of": coefficients}


def main() -> None:
    """Judge what is not judged yet, learn, and summarise."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("index", type=Path)
    parser.add_argument("labelled", type=Path)
    parser.add_argument("--claims", type=Path, action="append", required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    engine = HippoHover.open(arguments.index)
    rows = labelled(arguments.labelled)
    gold = passages_of(engine, arguments.claims)
    judge = judged(engine, rows, gold, arguments.out.with_suffix(".rows.jsonl"))
    model = told(rows)
    result: Row = {"question": (__doc__ or "").partition("\n")[0], "sets": {}}
    for name, found in compared(rows, judge, model):
        result["sets" if name != "learned" else "learned"] = (
            {**result["sets"], name: found} if name != "learned" else found
        )
        print(name, json.dumps(found))
    arguments.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    run_script(main)
