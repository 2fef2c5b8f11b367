"""How often is a verdict wrong, and how often does a true claim get one?

    python benchmarks/verdict_rates.py INDEX --set "Fool Me Twice=fool-me-twice-dev.jsonl.gz" \\
        --set "Climate-FEVER=climate-fever-dev.jsonl.gz" --out benchmarks/results/verdict_rates.json

Each line of a set has a claim, its evidence and a label: SUPPORTED; REFUTED, or NOT_SUPPORTED where
what is refuted and what is open are not told apart; NOT_ENOUGH_INFO. Nothing that ships has learned
from these sets or their sources. Of each set the first claims by the checksum of their words are
verified as users have it, with their evidence given as one passage; INDEX says how rare words are.
The pairs of ``short_claims.json`` are verified in an index of their own, and retrieval finds the
evidence. Counted are verdicts by label. ``hippohover verify --explain-rates`` prints the counts,
from a copy of them that ``--out`` writes beside the verifier as well.

Rows are kept in a file of lines beside ``--out``; stopped, a run goes on from there.
"""

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from zlib import crc32

from domains import revision
from measurement import at_least, check_out, read_rows, run_script
from short_claims import CLAIMS, verdict

from hippohover.indexing.build import build
from hippohover.recipe import IndexRecipe
from hippohover.records import PassageId, RankedPassage
from hippohover.retrieval.engine import HippoHover
from hippohover.verification import rates
from hippohover.verification.verifier import Verifier

Row = dict[str, Any]
TRUTHS: Final = {
    "SUPPORTED": "true", "REFUTED": "false", "NOT_SUPPORTED": "false", "NOT_ENOUGH_INFO": "open",
}  # fmt: skip


def chosen(file: Path, most: int) -> list[Row]:
    """The first claims of a set by the checksum of their words, each with its place."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows: list[Row] = [{**json.loads(line), "at": at} for at, line in enumerate(lines)]
    return sorted(rows, key=lambda row: (crc32(row["claim"].encode()), row["at"]))[:most]


def given(verifier: Verifier, name: str, rows: Sequence[Row], done: Sequence[Row]) -> Iterator[Row]:
    """Yield the verdict on each claim with its own evidence, where it is not there yet."""
    known = {row["at"] for row in done if row["set"] == name}
    for row in rows:
        if row["at"] not in known:
            passage = RankedPassage(1, PassageId("e"), "", row["evidence"], 0.0)
            [one] = verifier.verify_claim(row["claim"], passages=[passage]).answer.claims
            yield {
                "set": name, "at": row["at"], "truth": TRUTHS[row["label"]], "said": one.status,
            }  # fmt: skip


def short(texts: Row) -> Iterator[Row]:
    """Yield the verdict on each claim of the pairs, with the evidence that is found."""
    with TemporaryDirectory(prefix="hippohover-") as made:
        corpus = Path(made) / "passages.jsonl"
        corpus.write_text("".join(f"{json.dumps(row)}\n" for row in texts["passages"]), "utf-8")
        engine = HippoHover.open(
            build(IndexRecipe(), corpus=corpus, out=Path(made) / "index", workers=1)
        )
        verifier = Verifier(engine)
        for pair in texts["pairs"]:
            for truth in ("true", "false"):
                yield {
                    "set": rates.SHORT, "truth": truth, "said": verdict(verifier, pair[truth]),
                }  # fmt: skip


def counted(rows: Sequence[Row]) -> list[Row]:
    """Verdicts of each set by what its claims are."""
    return [
        {
            "name": name,
            "verdicts": {
                truth: dict(sorted(Counter(row["said"] for row in own).items()))
                for truth in ("true", "false", "open")
                if (own := [row for row in rows if (row["set"], row["truth"]) == (name, truth)])
            },
        }
        for name in dict.fromkeys(row["set"] for row in rows)
    ]


def main() -> None:
    """Verify what is not verified yet, count and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("index", type=Path)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=FILE")
    parser.add_argument("--most", type=at_least(1), default=500, help="claims of each set")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    check_out(arguments.out)
    verifier = Verifier(HippoHover.open(arguments.index))
    file = arguments.out.with_suffix(".rows.jsonl")
    rows = read_rows(file, {"revision": revision(), "most": arguments.most})
    with file.open("a", encoding="utf-8") as lines:
        for one in arguments.set:
            name, _, path = one.partition("=")
            for row in given(verifier, name, chosen(Path(path), arguments.most), rows):
                lines.write(json.dumps(row) + "\n")
                rows.append(row)
    rows += short(json.loads(CLAIMS.read_text(encoding="utf-8")))
    sets = counted(rows)
    question = (__doc__ or "").partition("\n")[0]
    result = {"question": question, "revision": revision(), "most": arguments.most, "sets": sets}
    arguments.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    rates.FILE.write_text(json.dumps(sets, indent=1) + "\n", encoding="utf-8")
    for line in rates.lines(rates.read()):
        print(*line, sep="\t")


if __name__ == "__main__":
    run_script(main)
