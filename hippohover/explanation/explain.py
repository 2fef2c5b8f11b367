"""A ranked passage -> the paths to it, or the reason why it is missing."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from hippohover.disk.text_files import write_lines
from hippohover.entity_graph import EdgeType, type_scale, type_weights
from hippohover.errors import NotInIndexError, UsageError
from hippohover.explanation.lookup import PassageLookup
from hippohover.explanation.page import walk_elements
from hippohover.explanation.paths import NodePath, WalkSteps, strongest_paths
from hippohover.explanation.places import in_places
from hippohover.explanation.words import PathEdge, PathNode, WalkPath
from hippohover.language.claim_kinds import called
from hippohover.metadata import Metadata, MetadataValue, citation
from hippohover.recipe import MAX_RANKED_PASSAGES
from hippohover.records import Seed, Triple
from hippohover.rendering.html import as_html, element, page
from hippohover.retrieval.engine import HippoHover, check_conditions, check_scope
from hippohover.retrieval.passage_metadata import PassageMetadata
from hippohover.retrieval.places import COMPARED
from hippohover.retrieval.ranking import PprRun
from hippohover.retrieval.retrievers import Retrievers
from hippohover.retrieval.scope_tables import ScopedTables
from hippohover.retrieval.walk.candidates import Walked
from hippohover.retrieval.walk.seeds import joined_seeds
from hippohover.retrieval.where import Condition, Scope
from hippohover.store.near_titles import did_you_mean
from hippohover.store.tables import IndexTables

_PATHS = 5
_FACTS_AN_EDGE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a passage has its rank.

    Attributes
    ----------
    claim, title : str
        As asked; ``title`` is the passage's own once it is found.
    pid : str or None
        None when the index has no such passage.
    rank : int or None
        From 1, in the whole ranking; None when the passage is not in it.
    score : float or None
    seeds : tuple of Seed
        Where the walk started, strongest first.
    paths : tuple of WalkPath
        Strongest first.
    reason : str
        Why the passage is not in an answer; empty when it is.
    near_titles : tuple of str
        Titles that the index does hold, when it does not hold this one.
    metadata : mapping of str to (str, int, float or bool)
        As in ``RankedPassage``.
    """

    claim: str
    title: str
    pid: str | None
    rank: int | None
    score: float | None
    seeds: tuple[Seed, ...]
    paths: tuple[WalkPath, ...]
    reason: str
    near_titles: tuple[str, ...] = ()
    metadata: Metadata = field(default_factory=dict[str, MetadataValue], hash=False)

    @property
    def citation(self) -> str:
        """Where the passage is, in words: "report.pdf, p. 12"; else its title."""
        return citation(self.title, self.metadata)

    def check_found(self) -> None:
        """Raise ``NotInIndexError``, with similar titles, without the passage."""
        if self.pid is None:
            raise NotInIndexError(f"{self.reason}: {did_you_mean(self.near_titles)}")

    def as_dict(self) -> dict[str, Any]:
        """Return the explanation, ready for JSON."""
        return {
            "claim": self.claim,
            "title": self.title,
            "pid": self.pid,
            "rank": self.rank,
            "score": self.score,
            "reason": self.reason,
            "metadata": dict(self.metadata),
            "citation": self.citation,
            "seeds": [seed.as_dict() for seed in self.seeds],
            "paths": [path.as_dict() for path in self.paths],
        }

    def _repr_html_(self) -> str:
        """Draw the paths and write them in words, for a notebook."""
        return as_html(*self._elements())

    def write_page(self, file: Path) -> None:
        """Write it as an HTML page that runs nothing and fetches nothing.

        ``UsageError`` when the file cannot be written.
        """
        title = f"{self.title or '(untitled)'}: why it was found"
        write_lines(file, [page(title, *self._elements())])

    def _elements(self) -> list[Element]:
        place = self.reason
        if self.rank is not None:
            place = f"rank {self.rank:,}, score {self.score:.4g}. {place}"
        return [
            element("h1", self.title or "(untitled)"),
            element("p", element("em", self.claim)),
            element("p", place),
            *([element("p", self.citation)] if self.citation != self.title else []),
            *walk_elements(self.paths, self.seeds),
        ]


def explain(
    engine: HippoHover,
    claim: str | PprRun,
    *,
    title: str | None = None,
    pid: str | None = None,
    where: Sequence[Condition] = (),
    scope: Scope = "answers",
) -> Explanation:
    """Explain how ``ppr``'s walk reached a passage, or the best one of a title.

    Parameters
    ----------
    engine : HippoHover
    claim : str or PprRun
        A claim; or the run of ``HippoHover.retrieve_run``, to explain the same walk that ranked,
        without a second one and without asking a language model again.
    title, pid : str, optional
        The passage, by one of the two.
    where, scope
        As in ``HippoHover.retrieve``, for a claim; a run has its own.

    Raises
    ------
    UsageError
        Not exactly one of ``title`` and ``pid`` is given, the claim or the scope is refused, or
        conditions are given beside a run.
    NotInIndexError
        As in ``HippoHover.retrieve``, for conditions.
    """
    explainer = Explainer(engine.retrievers)
    return explainer.explain(claim, title=title, pid=pid, where=where, scope=scope)


class Explainer:
    """Explains rankings of one version of an index; keeps the degrees of its graph.

    Attributes
    ----------
    tables : IndexTables
        The version's.
    """

    def __init__(self, retrievers: Retrievers) -> None:
        self.tables = retrievers.tables
        self._retrievers = retrievers
        self._lookup = PassageLookup(retrievers)
        self._ppr = retrievers.ppr
        self._arrays = retrievers.arrays
        scale = type_scale(type_weights(retrievers.settings.weights))
        degrees = retrievers.ppr.degrees
        self._steps = WalkSteps(self._arrays.graph, scale, degrees, _order_of(self.tables))

    def run(self, claim: str, where: Sequence[Condition] = (), scope: Scope = "answers") -> PprRun:
        """Walk from a claim, once for all of its explanations.

        Parameters and errors as of ``explanation.explain``.
        """
        check_scope(scope)
        part, allowed = self._retrievers.bounded(check_conditions(where), scope)
        return part.ppr.run(claim, allowed)

    def explain(
        self,
        claim: str | PprRun,
        *,
        title: str | None = None,
        pid: str | None = None,
        where: Sequence[Condition] = (),
        scope: Scope = "answers",
    ) -> Explanation:
        """Explain a passage as ``explain`` does, by an earlier run if one is given.

        Raises
        ------
        UsageError
            As there, or the run is of another version of the index.
        """
        if (title is None) == (pid is None):
            raise UsageError("give either a title or a pid")
        if where and not isinstance(claim, str):
            raise UsageError("the run has its own conditions: give the claim, or no conditions")
        run = self.run(claim, where, scope) if isinstance(claim, str) else claim
        return self._of(run)._explained(run, title, pid, where)

    def _explained(
        self, run: PprRun, title: str | None, pid: str | None, where: Sequence[Condition]
    ) -> Explanation:
        claim = run.walked.claim.text
        ranking = self._ppr.ranking(run, self._arrays.n_passages)
        ranked = in_places(self._retrievers.places(claim, ranking, COMPARED), ranking)
        asked = title if title is not None else pid or ""
        rows = (self._lookup.of_title if title is not None else self._lookup.of_pid)(asked)
        if not len(rows):
            near = self._lookup.near_titles(asked) if title is not None else ()
            is_scoped = isinstance(self.tables, ScopedTables)
            place = "that meets the conditions" if is_scoped else "of the index"
            name = "title" if title is not None else "pid"
            return Explanation(
                claim=claim,
                title=asked,
                pid=None,
                rank=None,
                score=None,
                seeds=ranking.seeds,
                paths=(),
                reason=f"no passage {place} has the {name} {asked!r}",
                near_titles=near,
            )
        places = np.flatnonzero(np.isin(ranked.rows, rows))
        rows = _allowed_first(rows, run.walked.allowed)
        row = int(ranked.rows[places[0]]) if len(places) else int(rows[0])
        rank = int(ranked.ranks[places[0]]) if len(places) else None
        paths = self._paths(run, row, _PATHS)
        return Explanation(
            claim=claim,
            title=self.tables.passages.column("title")[row].as_py(),
            pid=self.tables.passages.column("pid")[row].as_py(),
            rank=rank,
            score=float(ranked.scores[places[0]]) if len(places) else None,
            seeds=ranking.seeds,
            paths=paths,
            reason=_reason(run, row, rank, int(ranked.ranks[-1:].sum()), has_path=bool(paths)),
            metadata=PassageMetadata.of_claim(self.tables, claim, where).metadata_of(row),
        )

    def paths(self, run: PprRun, row: int, *, n: int = 1) -> tuple[WalkPath, ...]:
        """Return the strongest paths of a walk to a passage, ``n`` at most.

        Where the walk from the claim's own seeds has none, those of the second walk.

        Parameters
        ----------
        run : PprRun
            From ``PprRetriever.run``; it serves for all passages of a claim.
        row : int
            Row of the passage.
        """
        return self._of(run)._paths(run, row, n)

    def _paths(self, run: PprRun, row: int, n: int) -> tuple[WalkPath, ...]:
        walked, steps, damping = run.walked, self._steps, self._retrievers.settings.damping
        seeds = joined_seeds(walked.entity_seeds, walked.passage_seeds, walked.entity_share)
        reached = walked.both
        paths = strongest_paths(steps, seeds, target=row, damping=damping, n=n)
        if not paths and run.second is not None:
            seeds, reached = run.second.seeds, run.second.both
            damping = self._ppr.numbers.second_damping
            paths = strongest_paths(steps, seeds, target=row, damping=damping, n=n)
        at = np.flatnonzero(reached[0] == row)
        score = float(reached[1][at[0]]) if len(at) else 0.0
        return tuple(self._path(walked, path, score) for path in paths)

    def explains(self, run: PprRun) -> bool:
        """Return whether a run is of this version of the index."""
        tables = run.tables
        return (tables.whole if isinstance(tables, ScopedTables) else tables) is self.tables

    def _of(self, run: PprRun) -> "Explainer":
        """Return what explains a run: this, or the same over the scope that it walked in."""
        if not self.explains(run):
            raise UsageError(
                "the run is of another version of the index: explain it with an Explainer made "
                "from the same engine.retrievers, or give the claim"
            )
        if isinstance(run.tables, ScopedTables):
            return Explainer(self._retrievers.over(run.tables))
        return self

    def _path(self, walked: Walked, path: NodePath, score: float) -> WalkPath:
        n, steps = self._arrays.n_rows, self._steps
        nodes = tuple(
            PathNode("passage", self.tables.node_name(node), self.tables.part_of(node))
            if node < n
            else PathNode("entity", self.tables.node_name(node))
            for node in path.nodes
        )
        edges = tuple(
            PathEdge(tuple(kind.name.lower() for kind in steps.types(*ends)), self._facts(*ends))
            for ends in zip(path.nodes[:-1], path.nodes[1:], strict=True)
        )
        first = path.nodes[0]
        named = bool(np.isin(first - n, walked.claim.entities))
        seed = "passage" if first < n else "mention" if named else "fact"
        share = min(1.0, path.mass / score) if score > 0 else 0.0
        return WalkPath(nodes, edges, seed, path.mass, share, called(walked.claim.text))

    def _facts(self, one: int, other: int) -> tuple[Triple, ...]:
        """Return the facts that join two nodes, in words."""
        n = self._arrays.n_rows
        kinds = self._steps.types(one, other)
        first, second = sorted((one, other))
        if EdgeType.SOURCE in kinds:
            rows = self._stated_by(np.array([first], np.int32))
            joins = (self._arrays.facts[rows][:, [0, 2]] == second - n).any(axis=1)
        elif EdgeType.FACT in kinds:  # whoever states it is linked with both
            rows = self._stated_by(np.intersect1d(self._sources(first), self._sources(second)))
            ends = np.sort(self._arrays.facts[rows][:, [0, 2]], axis=1)
            joins = (ends == (first - n, second - n)).all(axis=1)
        else:
            return ()
        # In an order that the numbers of facts do not decide: an update gives others than a build.
        facts = self.tables.triples(rows[joins])
        return tuple(sorted(facts, key=astuple)[:_FACTS_AN_EDGE])

    def _sources(self, node: int) -> NDArray[np.int32]:
        """Return the passages that state facts of an entity, ascending."""
        graph = self._steps.graph
        row = slice(*graph.spans[node])
        return graph.neighbours[row][graph.types[row] == EdgeType.SOURCE]

    def _stated_by(self, passages: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the facts that at least one of the passages states, ascending."""
        spans, facts = self._arrays.fact_spans[passages].tolist(), self._arrays.passage_facts
        parts = [facts[start:stop, 0] for start, stop in spans]
        return np.unique(np.concatenate([np.zeros(0, np.int32), *parts])).astype(np.int64)


def _order_of(tables: IndexTables) -> NDArray[np.uint64]:
    """Return each node's key: a passage's id, or the hash of an entity's key.

    Names that only a scope has come first, in the order in which its texts have them.
    """
    arrays = tables.arrays
    order = np.zeros(arrays.n_rows + len(arrays.entity_df), np.uint64)
    order[: arrays.n_rows] = arrays.passage_keys
    keys = arrays.names.table  # of an alias, the last one counts that is written: the least
    order[arrays.n_rows + keys.values[::-1]] = keys.hashes[::-1]
    if isinstance(tables, ScopedTables):
        first_new = len(order) - len(tables.new_keys)
        order[first_new:] = np.arange(first_new, len(order), dtype=np.uint64)
    return order


def _allowed_first(rows: NDArray[np.int64], allowed: NDArray[np.bool_] | None) -> NDArray[np.int64]:
    """Return the passages of one title, those first that may be answers."""
    return rows if allowed is None else rows[np.argsort(~allowed[rows], kind="stable")]


def _reason(run: PprRun, row: int, rank: int | None, n_ranked: int, *, has_path: bool) -> str:
    allowed = run.walked.allowed
    if allowed is not None and not allowed[row]:
        return "it does not meet the conditions: the walk may pass it, but it cannot be an answer"
    if rank is None and has_path:
        return "the walk did not reach it: the paths to it are too weak"
    if rank is None:
        return "the walk did not reach it: no short path leads there from a seed"
    if rank > MAX_RANKED_PASSAGES:
        return (
            f"reached, but ranked {rank:,} of {n_ranked:,}: an answer holds the first "
            f"{MAX_RANKED_PASSAGES}"
        )
    return ""
