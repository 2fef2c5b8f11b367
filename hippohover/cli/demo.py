"""The command ``demo``: builds, asks and measures a small invented world."""

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hippohover.cli.options import option
from hippohover.cli.output import console, evaluation_table, plain, progress
from hippohover.evaluation.evaluate import EvaluationSettings, evaluate
from hippohover.evaluation.hover import GoldClaim, load_claims
from hippohover.evaluation.report import Report
from hippohover.indexing.build import build
from hippohover.names.normal_forms import normal_title
from hippohover.retrieval.engine import HippoHover
from hippohover.toy import toy_claims_path, toy_corpus_path

if TYPE_CHECKING:
    from rich.console import Console

CLAIMS_SHOWN: Final = ("toy-007", "toy-059", "toy-024")
"""Uids of the claims that are answered: with 2, 3 and 4 gold titles."""

RETRIEVERS: Final = ("ppr", "bm25")
_PASSAGES_SHOWN = 5
_WIDTH = 100
_BM25_DEPTH = 100


def run_demo(
    out: Path | None = option(None, "Keep the index in this folder; else it is removed."),
) -> None:
    """Try it on a small invented world. Answers three claims, shows paths, evaluates.

    Example:  hippohover demo
    """
    if out is not None:
        _run(out)
        return
    with tempfile.TemporaryDirectory(prefix="hippohover-demo-") as folder:
        _run(Path(folder) / "toy")


def toy_recipe_path() -> Path:
    """Return the recipe of the toy index."""
    return toy_corpus_path().with_name("recipe.toml")


def _run(out: Path) -> None:
    screen = console()
    screen.width = min(screen.width, _WIDTH)
    start = time.perf_counter()
    with progress() as report_progress:
        root = build(toy_recipe_path(), corpus=toy_corpus_path(), out=out, progress=report_progress)
    engine = HippoHover.open(root)
    counts = engine.manifest.counts
    screen.print("\nA small invented world", style="bold")
    screen.print(
        f"{counts['n_passages']} passages -> {counts['n_entities']:,} entities, "
        f"{counts['n_facts']:,} facts, {counts['n_edges']:,} edges, "
        f"indexed in {time.perf_counter() - start:.1f} s"
    )
    claims = load_claims(toy_claims_path())
    by_uid = {claim.uid: claim for claim in claims}
    for number, uid in enumerate(CLAIMS_SHOWN, start=1):
        _show_claim(screen, engine, number=number, claim=by_uid[uid])
    screen.print(
        "● gold   bm25: its rank by words alone   A → B: A names B   A ← B: B names A", style="dim"
    )
    settings = EvaluationSettings(RETRIEVERS, n_warmups=5)
    with progress() as report_progress:
        report = evaluate(
            engine, claims, settings, progress=lambda done, n: report_progress("claims", done, n)
        )
    screen.print()
    screen.print(evaluation_table(report))
    _show_end(screen, report, out, seconds=time.perf_counter() - start)
    engine.close()


def _show_claim(screen: "Console", engine: HippoHover, *, number: int, claim: GoldClaim) -> None:
    """Print a claim: its first passages, gold ones marked, each with its path."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    passages = engine.retrieve(claim.claim).passages
    by_words = {
        passage.pid: str(passage.rank)
        for passage in engine.search(claim.claim, _BM25_DEPTH, "bm25").passages
    }
    gold = {normal_title(title) for title in claim.gold_titles}
    screen.print(f"\n{number}. {plain(claim.claim)}", style="bold")
    table = Table(box=SIMPLE_HEAD, pad_edge=False, expand=True, header_style="dim")
    table.add_column("", width=1)
    table.add_column("", width=2, justify="right")
    table.add_column("bm25", width=4, justify="right")
    table.add_column("passage", ratio=3)
    table.add_column("the path that brought it there", ratio=7)
    for passage in passages[:_PASSAGES_SHOWN]:
        is_gold = normal_title(passage.title) in gold
        table.add_row(
            Text("●", style="green") if is_gold else "",
            str(passage.rank),
            by_words.get(passage.pid, "-"),
            Text(plain(passage.title), style="bold green" if is_gold else ""),
            Text(plain(passage.path.summary()) if passage.path else ""),
        )
    screen.print(table)
    screen.print(_where_gold_is([p.title for p in passages], claim), style="dim")


def _where_gold_is(titles: Sequence[str], claim: GoldClaim) -> str:
    """Return how many gold titles are found, and the ranks that the table omits."""
    ranks = {normal_title(title): rank for rank, title in reversed([*enumerate(titles, 1)])}
    places = {title: ranks.get(normal_title(title)) for title in claim.gold_titles}
    n_found = sum(rank is not None for rank in places.values())
    line = f"{n_found} of {len(places)} gold titles among {len(titles)}"
    below = [
        f"{plain(title)} at {rank}"
        for title, rank in places.items()
        if rank is not None and rank > _PASSAGES_SHOWN
    ]
    return f"{line}: {', '.join(below)}" if below else line


def _show_end(screen: "Console", report: Report, out: Path, *, seconds: float) -> None:
    latency = ", ".join(
        f"{name} {part.latency_p50_ms:.1f} ms" for name, part in report.retrievers.items()
    )
    screen.print("share of the claims, and its 95 % interval", style="dim")
    screen.print(f"one claim: {latency} (median)   whole demo: {seconds:.1f} s", style="dim")
    if out.is_dir() and not str(out).startswith(tempfile.gettempdir()):
        screen.print(f"the index stays in {plain(str(out))}", style="dim")
    asked = 'hippohover ask FOLDER "your question"'
    screen.print(f"next, on your own documents: {asked}", style="dim")
