"""What does a language model's choice among the facts change?

    python benchmarks/fact_filter.py INDEX CLAIMS --lm gguf:MODEL.gguf --n 60 \\
        --cache replies --out benchmarks/results/fact_filter-dev.json

Arms, on the same claims, drawn with a fixed seed: ``no-filter``; ``top-k``, the five most similar
facts with the mass that kept facts have; ``filter-N``, a choice among the N most similar;
the same asked in the words of HippoRAG 2 (``hipporag2's prompt``), and ``optimised``, with
``--filter``, the file that optimize-filter wrote; and ``hipporag2`` without and with the filter,
which chooses among five there as published, under both prompts. Without ``--lm``, only the
arms that ask no model, which can take all claims. For each: all gold titles found among 21, its
paired difference to ``no-filter`` (of ``hipporag2-filter-5`` to ``hipporag2``), the share of claims
whose 21 passages are others, precision and recall of the kept facts (a fact is right when a passage
that states it is gold; recall is over the right ones among the candidates), calls, tokens, seconds.

Stopped, it goes on where it was: arms that the file of ``--out`` holds are kept, replies stay in
the cache.
"""

import argparse
import json
import platform
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from measurement import run_script
from numpy.typing import NDArray

from hippohover.evaluation.hover import GoldClaim, load_claims
from hippohover.evaluation.intervals import mean, paired_difference, share
from hippohover.evaluation.metrics import all_gold_found
from hippohover.language_model.client import LanguageModel
from hippohover.language_model.ledger import Usage
from hippohover.language_model.opening import open_language_model
from hippohover.names.normal_forms import normal_title
from hippohover.programs.saved import load_filter
from hippohover.recipe import FactFilterSettings, LanguageModelSettings, QuerySettings
from hippohover.records import Retrieval
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.facts.choice import STAGE
from hippohover.retrieval.facts.filter import FactFilter
from hippohover.spans import lengths_of

K = 21
SEED = 20_261_122


class FactSources:
    """Which passages state a fact, by its words."""

    def __init__(self, engine: HippoHover) -> None:
        self._tables = engine.tables
        arrays = self._tables.arrays
        stated = np.asarray(arrays.passage_facts[:, 0])
        self._order: NDArray[np.int64] = np.argsort(stated, kind="stable")
        self._facts = stated[self._order]
        self._passages = np.repeat(np.arange(arrays.n_rows), lengths_of(arrays.fact_spans))
        self._titles = [normal_title(title) for title in engine.titles()]

    def are_right(self, rows: Sequence[int], gold: set[str]) -> list[bool]:
        """Whether a passage with a gold title states each fact."""
        return [bool(gold & self._titles_of(row)) for row in rows]

    def _titles_of(self, fact: int) -> set[str]:
        start, stop = np.searchsorted(self._facts, [fact, fact + 1])
        return {self._titles[row] for row in self._passages[self._order[start:stop]].tolist()}


def drawn(claims: Sequence[GoldClaim], n: int) -> list[GoldClaim]:
    """``n`` claims, drawn once for all arms."""
    places = np.random.default_rng(SEED).permutation(len(claims))[:n]
    return [claims[place] for place in sorted(places.tolist())]


def main() -> None:
    """Measure the arms that are asked for and are not there yet."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("index", type=Path)
    parser.add_argument("claims", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--lm")
    parser.add_argument("--lm-api-base")
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--timeout-seconds", type=float, default=1800.0)
    parser.add_argument("--n", type=int, default=60)
    parser.add_argument("--candidates", type=int, action="append", help="5 and 20")
    parser.add_argument("--fact-mass", type=float, action="append", help="the default's")
    parser.add_argument("--filter", type=Path, help="a filter that was optimised")
    parser.add_argument("--facts", type=int, default=5, help="of the arm top-k")
    parser.add_argument("--no-reference", action="store_true", help="leave hipporag2 out")
    arguments = parser.parse_args()
    claims = drawn(load_claims(arguments.claims), arguments.n)
    with ExitStack() as stack:
        model = None
        if arguments.lm is not None:
            settings = LanguageModelSettings(
                name=arguments.lm, api_base=arguments.lm_api_base,
                timeout_seconds=arguments.timeout_seconds,
            )  # fmt: skip
            model = stack.enter_context(open_language_model(settings, cache=arguments.cache))
        bench = Bench(arguments.index, arguments.claims.stem, claims, model, arguments.out)
        bench.run("no-filter", bench.opened())
        masses: list[float] = arguments.fact_mass or [FactFilterSettings().fact_mass]
        for mass in masses:
            name = "top-k" if arguments.facts == 5 else f"top-{arguments.facts}"
            bench.run(
                f"{name}, mass {mass:g}", bench.opened(fact_mass=mass, n_facts=arguments.facts)
            )
            for n in (arguments.candidates or [5, 20]) if model is not None else ():
                one = FactFilterSettings(n_candidates=n, fact_mass=mass)
                name = f"filter-{n}, mass {mass:g}"
                bench.run(name, bench.opened(filter=one, asks=True))
                published = one.model_copy(update={"prompt": "hipporag2"})
                bench.run(f"{name}, hipporag2's prompt", bench.opened(filter=published, asks=True))
                if arguments.filter is not None:
                    optimised = load_filter(arguments.filter)
                    engine = bench.opened(filter=one, asks=True, fact_filter=optimised)
                    bench.run(f"{name}, optimised", engine)
        if model is not None and not arguments.no_reference:
            reference = FactFilterSettings(n_candidates=5)
            bench.run("hipporag2", bench.opened(), retriever="hipporag2")
            for name, fact_filter in (
                ("hipporag2-filter-5, own prompt", FactFilter("own")),
                ("hipporag2-filter-5, hipporag2's prompt", FactFilter("hipporag2")),
            ):
                engine = bench.opened(filter=reference, asks=True, fact_filter=fact_filter)
                bench.run(name, engine, retriever="hipporag2", versus="hipporag2")


class Bench:
    """Arms on the same claims, written after each."""

    def __init__(
        self,
        index: Path,
        name: str,
        claims: Sequence[GoldClaim],
        model: LanguageModel | None,
        out: Path,
    ) -> None:
        self._index = index
        self._claims = claims
        self._model = model
        self._out = out
        plain = HippoHover.open(index)
        self._settings = plain.retrievers.settings
        self._sources = FactSources(plain)
        self._rows_of_facts = _rows_of_facts(plain)
        identity = {
            "question": "What does a language model's choice among the facts change?",
            "index": plain.manifest.recipe["name"],
            "recipe_sha256": plain.manifest.recipe_sha256,
            "claims": name,
            "language_model": None if model is None else model.name,
            "seed": SEED,
            "uids": [claim.uid for claim in claims],
            "machine": f"{platform.machine()}, Python {platform.python_version()}",
        }
        self._result: dict[str, Any] = {**identity, "n": len(claims), "arms": {}}
        if out.exists():
            earlier = json.loads(out.read_text(encoding="utf-8"))
            if {key: earlier.get(key) for key in identity} == identity:
                self._result = earlier
                for arm in earlier["arms"].values():
                    for row in arm["rows"]:
                        if "pids" in row:  # of a file that an older version wrote
                            row["answer"] = digest(row.pop("pids"))

    def opened(
        self,
        *,
        asks: bool = False,
        fact_filter: FactFilter | None = None,
        **settings: Any,  # noqa: ANN401
    ) -> HippoHover:
        """The index with some settings changed, and the language model if it ``asks`` one."""
        wanted: QuerySettings = self._settings.model_copy(update=settings)
        return HippoHover.open(
            self._index, settings=wanted, language_model=self._model if asks else None,
            fact_filter=fact_filter,
        )  # fmt: skip

    def run(
        self, name: str, engine: HippoHover, *, retriever: str = "ppr", versus: str = "no-filter"
    ) -> None:
        """One arm, unless it is there already."""
        if name in self._result["arms"]:
            return
        before = self._usage()
        answers: list[Retrieval] = []
        for claim in self._claims:
            answers.append(engine.retrieve(claim.claim, K, retriever))
            if len(answers) % 10 == 0:
                print(f"{name}: {len(answers)} of {len(self._claims)}", file=sys.stderr, flush=True)
        rows = [
            self._row(claim, answer) for claim, answer in zip(self._claims, answers, strict=True)
        ]
        first = rows if name == versus else self._result["arms"].get(versus, {}).get("rows", rows)
        spent = _difference(self._usage(), before)
        self._result["arms"][name] = {**_summary(rows, first), "usage": spent, "rows": rows}
        self._out.parent.mkdir(parents=True, exist_ok=True)
        self._out.write_text(json.dumps(self._result, ensure_ascii=False) + "\n", encoding="utf-8")
        shown = {key: self._result["arms"][name][key] for key in _SHOWN}
        print(name, json.dumps(shown), flush=True)

    def _row(self, claim: GoldClaim, answer: Retrieval) -> dict[str, Any]:
        gold = {normal_title(title) for title in claim.gold_titles}
        candidates = answer.trace.candidate_facts
        words = [(one.fact.subject, one.fact.predicate, one.fact.object) for one in candidates]
        right = self._sources.are_right([self._rows_of_facts(one) for one in words], gold)
        kept = [one.kept for one in candidates]
        titles = [passage.title for passage in answer.passages]
        return {
            "uid": claim.uid,
            "n_gold": len(claim.gold_titles),
            "found": all_gold_found(titles, claim.gold_titles, K),
            "answer": digest([passage.pid for passage in answer.passages]),
            "route": answer.trace.route,
            "n_kept": sum(kept),
            "n_right": sum(right),
            "n_right_kept": sum(a and b for a, b in zip(kept, right, strict=True)),
            "n_invented": len(answer.trace.invented_facts),
            "lm_calls": answer.trace.lm_calls,
            "seconds": round(answer.trace.seconds, 3),
        }

    def _usage(self) -> Usage:
        if self._model is None:
            return Usage()
        return self._model.ledger.by_stage().get(STAGE, Usage())


def digest(pids: Sequence[str]) -> str:
    """Tells the sets of passages of two answers apart."""
    return blake2b(" ".join(sorted(pids)).encode(), digest_size=8).hexdigest()


_SHOWN = ("all_gold_found@21", "paired", "changed", "fact_precision", "fact_recall", "routes")


def _summary(rows: list[dict[str, Any]], first: list[dict[str, Any]]) -> dict[str, Any]:
    paired = paired_difference([r["found"] for r in first], [r["found"] for r in rows])
    changed = [a["answer"] != b["answer"] for a, b in zip(first, rows, strict=True)]
    precisions = [r["n_right_kept"] / r["n_kept"] for r in rows if r["n_kept"]]
    recalls = [r["n_right_kept"] / min(r["n_right"], 4) for r in rows if r["n_right"]]
    routes = sorted({r["route"] for r in rows})
    return {
        "all_gold_found@21": share([r["found"] for r in rows]).as_dict(),
        "paired": {
            "difference": paired.difference,
            "low": paired.low,
            "high": paired.high,
            "p": paired.p,
            "n_gained": paired.n_gained,
            "n_lost": paired.n_lost,
        },
        "changed": share([float(one) for one in changed]).as_dict(),
        "fact_precision": mean(precisions).as_dict() if precisions else None,
        "fact_recall": mean(recalls).as_dict() if recalls and precisions else None,
        "n_invented": sum(r["n_invented"] for r in rows),
        "routes": {route: sum(r["route"] == route for r in rows) for route in routes},
    }


def _difference(after: Usage, before: Usage) -> dict[str, float]:
    return {key: value - before.as_dict()[key] for key, value in after.as_dict().items()}


def _rows_of_facts(engine: HippoHover) -> Callable[[tuple[str, str, str]], int]:
    """Row of a fact by its words."""
    names = engine.tables.entities.column("name").to_pylist()
    predicates = engine.tables.predicates.column("name").to_pylist()
    entity_of = dict(zip(names, range(len(names)), strict=True))
    predicate_of = dict(zip(predicates, range(len(predicates)), strict=True))
    facts = np.asarray(engine.tables.arrays.facts)
    order = np.lexsort((facts[:, 2], facts[:, 1], facts[:, 0]))

    def row_of(words: tuple[str, str, str]) -> int:
        wanted = (entity_of[words[0]], predicate_of[words[1]], entity_of[words[2]])
        start, stop = 0, len(order)
        for column, value in enumerate(wanted):
            part = facts[order[start:stop], column]
            low, high = np.searchsorted(part, [value, value + 1])
            start, stop = start + int(low), start + int(high)
        return int(order[start])

    return row_of


if __name__ == "__main__":
    run_script(main)
