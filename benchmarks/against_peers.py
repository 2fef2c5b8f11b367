"""What do other programs find in the same passages, where they are installed?

    python -m venv peers/bm25s && peers/bm25s/bin/pip install bm25s
    python benchmarks/against_peers.py INDEX CLAIMS --peer bm25s=peers/bm25s/bin/python \\
        --work WORK --out against_peers.json

Each ``--peer NAME=PYTHON`` is asked in a process of its own, by the Python that has it, for their
requirements exclude each other's: ``bm25s``, ``hipporag``, ``lightrag`` (``peer_programs.py``). Of
the last two, ``--llm``, ``--llm-url``, ``--encoder`` and ``--encoder-url`` name the models that
they ask; indexing a corpus asks a language model about every passage, so begin with few.

A program gets title and text of every passage of INDEX and answers with passages, so that all find
the same things; ``ppr`` and the other retrievers of INDEX answer beside it. Shares are of claims,
paired differences ``ppr`` minus the program, intervals 95 %. Seconds are of the machine as it was.
"""

import argparse
import json
import platform
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from domains import revision
from measurement import Row, at_least, check_out, run_script

from hippohover.evaluation.hover import GoldClaim, load_claims
from hippohover.evaluation.intervals import mean, paired_difference, share
from hippohover.evaluation.metrics import all_gold_found, recall
from hippohover.indexing.corpus.passage_table import stored_passages
from hippohover.retrieval.engine import HippoHover
from hippohover.store.tables import passage_text

PROGRAM = Path(__file__).with_name("peer_programs.py")
DEPTH = 100
MODELS = ("llm", "llm-url", "encoder", "encoder-url")
"""Options that say what the programs ask."""


def write_lines(path: Path, rows: Sequence[Row]) -> None:
    """Write objects as JSON lines."""
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def passages_of(engine: HippoHover) -> dict[str, tuple[str, str]]:
    """Title and whole text of every passage, by pid."""
    return {
        str(one.pid): (one.title, passage_text(one.title, one.heading, one.text))
        for one in stored_passages(engine.tables)
    }


def answers_of(
    name: str, python: str, work: Path, models: Mapping[str, str]
) -> tuple[Row, list[Row]]:
    """What a program says of itself, and a row of each claim; kept in ``work``."""
    out = work / f"{name}.answers.jsonl"
    if not out.exists():
        half = out.with_suffix(".half")
        files = [str(work / "passages.jsonl"), str(work / "claims.jsonl"), str(half)]
        more = [word for one, value in models.items() for word in (f"--{one}", value)]
        where = ["--work", str(work / name), "--k", str(DEPTH)]
        command = [python, str(PROGRAM), name, *files, *where, *more]
        if code := subprocess.run(command, check=False).returncode:  # noqa: S603
            raise SystemExit(f"error: {name} ended with exit code {code}: see what it printed")
        half.rename(out)
    about, *rows = map(json.loads, out.read_text(encoding="utf-8").splitlines())
    return about, rows


def own_answers(engine: HippoHover, retriever: str, claims: Sequence[GoldClaim]) -> list[Row]:
    """The same rows by a retriever of the index."""
    engine.retrieve(claims[0].claim, retriever=retriever)  # what a first call prepares for long
    rows: list[Row] = []
    for claim in claims:
        found = engine.search(claim.claim, DEPTH, retriever=retriever)
        pids = [one.pid for one in found.passages]
        rows.append({"uid": claim.uid, "seconds": found.trace.seconds, "pids": pids})
    return rows


def outcomes(
    rows: Sequence[Row], claims: Sequence[GoldClaim], titles: dict[str, str]
) -> dict[str, list[float]]:
    """Of each claim: whether all gold titles are among 21, the recall of five, seconds."""
    by_uid = {row["uid"]: row for row in rows}
    found: dict[str, list[float]] = {"all_gold_found@21": [], "recall@5": [], "seconds": []}
    for claim in claims:
        row = by_uid[claim.uid]
        ranked = [titles[pid] for pid in row["pids"]]
        found["all_gold_found@21"].append(all_gold_found(ranked, claim.gold_titles, 21))
        found["recall@5"].append(recall(ranked, claim.gold_titles, 5))
        found["seconds"].append(row["seconds"])
    return found


def cell(found: dict[str, list[float]], of_ppr: dict[str, list[float]]) -> dict[str, Any]:
    """Shares of a program, and how much more ``ppr`` finds."""
    gold, five = "all_gold_found@21", "recall@5"
    return {
        gold: share(found[gold]).as_dict(),
        five: mean(found[five]).as_dict(),
        f"ppr minus it, {gold}": paired_difference(found[gold], of_ppr[gold]).as_dict(),
        "p50_ms": round(1000 * float(np.median(found["seconds"])), 2),
    }


def main() -> None:
    """Ask every program, and write what each found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("index", type=Path)
    parser.add_argument("claims", type=Path)
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=PYTHON")
    parser.add_argument("--retriever", action="append", default=[], help="ppr, and these")
    parser.add_argument("--n", type=at_least(1), default=100, help="the first claims (100)")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    for name in MODELS:
        parser.add_argument(f"--{name}")
    asked = parser.parse_args()
    given = {name: getattr(asked, name.replace("-", "_")) for name in MODELS}
    models = {name: value for name, value in given.items() if value is not None}
    check_out(asked.out)
    claims = [claim for claim in load_claims(asked.claims) if claim.gold_titles][: asked.n]
    with HippoHover.open(asked.index) as engine:
        passages = passages_of(engine)
        titles = {pid: title for pid, (title, _) in passages.items()}
        asked.work.mkdir(parents=True, exist_ok=True)
        texts = [{"pid": pid, "text": text} for pid, (_, text) in passages.items()]
        write_lines(asked.work / "passages.jsonl", texts)
        questions = [{"uid": claim.uid, "claim": claim.claim} for claim in claims]
        write_lines(asked.work / "claims.jsonl", questions)
        every = {
            name: outcomes(own_answers(engine, name, claims), claims, titles)
            for name in ("ppr", *asked.retriever)
        }
        encoder = engine.manifest.models.get("encoder", {}).get("name", "")
    result: dict[str, Any] = {}
    for name, found in every.items():
        result[name] = {"encoder": encoder, **cell(found, every["ppr"])}
    for peer in asked.peer:
        name, _, python = peer.partition("=")
        about, rows = answers_of(name, python, asked.work, models)
        result[name] = {**about, **cell(outcomes(rows, claims, titles), every["ppr"])}
    whole = {
        "question": "What do other programs find in the same passages?",
        "claims": asked.claims.name,
        "n": len(claims),
        "n_passages": len(passages),
        "models": models,
        "revision": revision(),
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "programs": result,
    }
    asked.out.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    run_script(main)
