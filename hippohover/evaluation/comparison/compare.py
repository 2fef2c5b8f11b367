"""Measures indexes, retrievers or settings on sets of claims, as IR research does.

Each arm ranks every claim once, as deep as the largest cut-off. Runs and qrels are written in
TREC's format, and ir_measures computes nDCG, reciprocal rank and recall from these files, so any
other tool finds the same.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from hippohover.errors import UsageError
from hippohover.evaluation.comparison.significance import Difference, against_first, corrected
from hippohover.evaluation.documents import IndexDocuments
from hippohover.evaluation.evaluate import PassageTitles, RetrievalEngine, compared
from hippohover.evaluation.hover import GoldClaim
from hippohover.evaluation.intervals import Estimate, estimate_of
from hippohover.evaluation.metrics import all_gold_found
from hippohover.evaluation.parts import part_ranks, passage_figures
from hippohover.evaluation.trec import chains_file, write_chains, write_qrels, write_run
from hippohover.recipe import MAX_SEARCH_DEPTH
from hippohover.records import Retrieval

MEASURES: Final = ("nDCG", "MRR", "recall", "all_gold_found")
OF_PASSAGES: Final = ("passage_recall", "all_passages_found")
"""Measured too where the claims of every set name parts of documents."""
_OF_IR_MEASURES: Final = {"nDCG": "nDCG", "MRR": "RR", "recall": "R"}


@dataclass(frozen=True, slots=True)
class Arm:
    """An arm of a comparison: a named retriever of an engine.

    Attributes
    ----------
    name : str
    engine : RetrievalEngine
    retriever : str
    documents : IndexDocuments or None
        Of the engine's index, where its documents or the gold of claims have ids.
    """

    name: str
    engine: RetrievalEngine
    retriever: str = "ppr"
    documents: IndexDocuments | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """One measure of one arm on one set of claims.

    Attributes
    ----------
    estimate : Estimate
        Its mean, in [0, 1], with a 95 % interval.
    difference : Difference or None
        From the first arm; None of the first itself.
    """

    estimate: Estimate
    difference: Difference | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """All that was measured.

    Attributes
    ----------
    arms, measures : tuple of str
        In the order asked for; the others are tested against the first arm.
    cells : mapping
        Set of claims -> arm -> measure, as ``"nDCG@21"`` -> ``Cell``.
    n_tests : int
        Tests that the correction is over: those in which a claim differs, each once.
    """

    arms: tuple[str, ...]
    measures: tuple[str, ...]
    cells: Mapping[str, Mapping[str, Mapping[str, Cell]]] = field(repr=False)
    n_tests: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Return the comparison, ready for JSON."""
        return {
            "arms": list(self.arms),
            "measures": list(self.measures),
            "correction": "Holm, over the tests in which a claim differs, each once",
            "n_tests": self.n_tests,
            "sets": {
                name: {
                    arm: {
                        measure: {
                            **cell.estimate.as_dict(),
                            "difference": cell.difference and cell.difference.as_dict(),
                        }
                        for measure, cell in by_measure.items()
                    }
                    for arm, by_measure in by_arm.items()
                }
                for name, by_arm in self.cells.items()
            },
        }


def measure_names(cutoffs: Sequence[int], *, by_passage: bool = False) -> list[str]:
    """Return ``nDCG@5``, ..., by measure, then cut-off, which must be in range."""
    if not cutoffs or len(set(cutoffs)) < len(cutoffs):
        raise UsageError(f"cut-offs are {list(cutoffs)}: name one or more, each once")
    for cutoff in cutoffs:
        if not 1 <= cutoff <= MAX_SEARCH_DEPTH:
            raise UsageError(f"cut-off {cutoff} is out of range: give 1 to {MAX_SEARCH_DEPTH:,}")
    names = MEASURES + OF_PASSAGES * by_passage
    return [f"{name}@{cutoff}" for name in names for cutoff in sorted(cutoffs)]


def compare(
    arms: Sequence[Arm],
    sets: Mapping[str, Sequence[GoldClaim]],
    cutoffs: Sequence[int],
    *,
    runs: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Rank all claims by all arms, measure and test.

    Parameters
    ----------
    arms : sequence of Arm
        One or more; the others are tested against the first, claim by claim.
    sets : mapping of str to sequence of GoldClaim
    cutoffs : sequence of int
        1 to 1,000.
    runs : Path, optional
        Folder that gets ``SET.qrels`` and ``SET.ARM.run`` in TREC's form.
    progress : callable, optional
        Called with (rankings done, rankings to do).

    Raises
    ------
    UsageError
        There is no arm or no claim, two arms share a name, a cut-off is out of range, or
        ir_measures is not installed.
    """
    names = [arm.name for arm in arms]
    if not names or len(set(names)) < len(names):
        raise UsageError(f"arms are {names}: name one or more, each once")
    if empty := [name for name, claims in sets.items() if not claims] or ([] if sets else ["none"]):
        raise UsageError(f"claims of {', '.join(empty)} are empty: a comparison needs one or more")
    by_passage = all(any(claim.parts for claim in claims) for claims in sets.values())
    measures = measure_names(cutoffs, by_passage=by_passage)
    n_steps = len(arms) * sum(map(len, sets.values()))
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        if progress:
            progress(done, n_steps)

    values = {
        (name, arm.name): _values(arm, claims, cutoffs, (name, runs), step)
        for name, claims in sets.items()
        for arm in arms
    }
    return _tested(names, list(sets), measures, values)


_Values = Mapping[str, Sequence[float]]
"""Measure -> its value of each claim."""


def _tested(
    arms: Sequence[str],
    sets: Sequence[str],
    measures: Sequence[str],
    values: Mapping[tuple[str, str], _Values],
) -> Comparison:
    places = [(one, arm, name) for one in sets for arm in arms[1:] for name in measures]
    pairs = {
        (one, arm, name): (tuple(values[one, arms[0]][name]), tuple(values[one, arm][name]))
        for one, arm, name in places
    }
    differences = {place: against_first(*pair) for place, pair in pairs.items()}
    # What another cut-off or arm does not change is one test, and without a difference none.
    tests = {
        place: (place[0], place[2].partition("@")[0], pair)
        for place, pair in pairs.items()
        if pair[0] != pair[1]
    }
    raw = {test: differences[place] for place, test in tests.items()}
    done = dict(zip(raw, corrected(list(raw.values())), strict=True))
    differences |= {place: done[test] for place, test in tests.items()}
    cells = {
        one: {
            arm: {
                name: Cell(
                    estimate_of(name, values[one, arm][name]), differences.get((one, arm, name))
                )
                for name in measures
            }
            for arm in arms
        }
        for one in sets
    }
    return Comparison(tuple(arms), tuple(measures), cells, len(done))


def _values(
    arm: Arm,
    claims: Sequence[GoldClaim],
    cutoffs: Sequence[int],
    files: tuple[str, Path | None],
    step: Callable[[], None],
) -> _Values:
    """Compute all measures of an arm on a set; save run and qrels if asked."""
    rankings: list[Retrieval] = []
    for claim in claims:
        try:
            rankings.append(arm.engine.search(claim.claim, max(cutoffs), arm.retriever))
        except UsageError as error:  # "this index has no facts": of several, it names which
            raise type(error)(f"{arm.name}: {error}") from error
        step()
    titles_of = _titles_of(arm, claims)
    name, kept = files
    with TemporaryDirectory(prefix="hippohover-") as scratch:
        folder = kept or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        qrels, run = folder / f"{name}.qrels", folder / f"{name}.{arm.name}.run"
        write_qrels(qrels, claims, arm.documents)
        write_run(
            run,
            claims,
            rankings,
            name=arm.name,
            titles_of=titles_of,
            documents=arm.documents,
        )
        write_chains(chains_file(run), claims, rankings, arm.documents)
        found = _read_by_ir_measures(qrels, run, cutoffs)
    titles = [titles_of(ranking) for ranking in rankings]
    of_parts = [
        part_ranks(claim.gold_parts, ranking.passages, ranked, titles_of.normal)
        for claim, ranking, ranked in zip(claims, rankings, titles, strict=True)
    ]
    for cutoff in cutoffs:
        found[f"all_gold_found@{cutoff}"] = [
            all_gold_found(ranked, claim.gold, cutoff, titles_of.normal)
            for ranked, claim in zip(titles, claims, strict=True)
        ]
        figures = [passage_figures(ranks, cutoff) for ranks in of_parts]
        found |= {name: [one[name] for one in figures] for name in figures[0]}
    return found


def _titles_of(arm: Arm, claims: Sequence[GoldClaim]) -> PassageTitles:
    """Return what passages count for: ids if gold is by id, else titles."""
    if not any(claim.gold_ids for claim in claims):
        return PassageTitles(None, compared(claims))
    if arm.documents is None:
        raise UsageError(f"{arm.name}: gold of the claims is by id, and no documents are given")
    return PassageTitles(arm.documents.gold_pids(claims), compared(claims))


def _read_by_ir_measures(qrels: Path, run: Path, cutoffs: Sequence[int]) -> dict[str, list[float]]:
    """Map each measure to its value for each query, in the order of the qrels."""
    try:
        import ir_measures
    except ImportError as error:
        raise UsageError(
            "comparing needs ir_measures: pip install 'hippohover[compare]'"
        ) from error
    judged = list(ir_measures.read_trec_qrels(str(qrels)))
    queries = list(dict.fromkeys(one.query_id for one in judged))
    wanted = {
        f"{name}@{cutoff}": getattr(ir_measures, theirs) @ cutoff
        for name, theirs in _OF_IR_MEASURES.items()
        for cutoff in cutoffs
    }
    ranked = list(ir_measures.read_trec_run(str(run)))
    by_query: dict[tuple[str, str], float] = {}
    if ranked:  # a run without a line found nothing, and no tool reads an empty file
        for one in ir_measures.iter_calc(list(wanted.values()), judged, ranked):
            by_query[str(one.measure), one.query_id] = float(one.value)
    return {
        name: [by_query.get((str(measure), query), 0.0) for query in queries]
        for name, measure in wanted.items()
    }
