"""One claim of the toy corpus, followed through the program step by step."""

import re
from collections.abc import Callable, Iterator, Sequence
from html import unescape
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from doc_pages.drawing import (
    Arrow,
    Bar,
    Link,
    Stop,
    arrows,
    bars,
    chains,
    marked_text,
    two_columns,
)
from hippohover.entity_graph import OF_PHRASES, EdgeType
from hippohover.evaluation.hover import load_claims
from hippohover.explanation.explain import Explainer
from hippohover.explanation.words import WalkPath
from hippohover.names.normal_forms import entity_key, normal_title, token_spans, tokens
from hippohover.retrieval.engine import HippoHover
from hippohover.toy import toy_claims_path

CLAIM: Final = "toy-059"
"""Uid of the claim: one of those that ``hippohover demo`` answers, with three gold titles."""

_SHOWN: Final = 10
_KINDS: Final = (EdgeType.TITLE, EdgeType.MENTION, *OF_PHRASES)
_IN_WORDS: Final = {"mention": "named", "passage": "shares words", "fact": "of a fact"}
_OF_SEEDS: Final = (("mention", "from names of the claim"), ("passage", "from passages"))

Rows = NDArray[np.int64]


class WorkedExample:
    """What the program does with the claim, in parts that a page asks for by name.

    Parameters
    ----------
    index : Path
        The toy index.

    Attributes
    ----------
    pictures : dict of str to str
        File names and SVG texts of the pictures that the parts show.
    """

    def __init__(self, index: Path) -> None:
        self.pictures: dict[str, str] = {}
        self._engine = HippoHover.open(index)
        self._ppr = self._engine.retrievers.ppr
        self._tables = self._engine.tables
        self._arrays = self._tables.arrays
        claim = next(one for one in load_claims(toy_claims_path()) if one.uid == CLAIM)
        self._claim = claim.claim
        self._run = self._ppr.run(self._claim)
        self._walked = self._run.walked
        if self._run.second is None:
            raise ValueError("the example's walk was not taken up again: choose another claim")
        self._second = self._run.second
        titles = [normal_title(one) for one in self._engine.titles()]
        self._gold = [titles.index(normal_title(one)) for one in claim.gold_titles]
        self._parts: dict[str, Callable[[], str]] = {
            "claim": self._said,
            "passages": self._passages,
            "facts": self._facts,
            "graph": self._graph,
            "seeds": self._seeds,
            "walk": self._walk,
            "second seeds": self._second_seeds,
            "second walk": self._second_walk,
            "ranking": self._ranking,
            "paths": self._paths,
        }

    def part(self, name: str) -> str:
        """Markdown of one part; ``ValueError`` when there is none of that name."""
        if name not in self._parts:
            raise ValueError(f"the worked example has no part {name!r}: fix the page")
        return self._parts[name]()

    def _figure(self, name: str, picture: str, caption: str) -> str:
        """A picture, kept as ``images/example-NAME.svg``, and what it shows."""
        file = f"example-{name.replace(' ', '-')}.svg"
        self.pictures[file] = picture
        title = re.search(r"<title[^>]*>(.*?)</title>", picture)
        return f"![{unescape(title[1]) if title else ''}](images/{file})\n\n*{caption}*"

    def close(self) -> None:
        """Let go of the index."""
        self._engine.close()

    def _said(self) -> str:
        names = ", ".join(f"*{self._title(row)}*" for row in self._gold)
        return f"> {self._claim}\n\nThe passages that support it are {names}."

    def _passages(self) -> str:
        texts = [self._tables.texts[row] for row in self._gold]
        shown = [
            marked_text(self._title(row), text, list(_names_in(text, self._names_of(row))))
            for row, text in zip(self._gold, texts, strict=True)
        ]
        marks = "**their own names**, *names of other passages* and `phrases`"
        return "\n>\n".join(shown) + (
            f"\n\nThe three passages, with marks for {marks} that another passage has too."
        )

    def _facts(self) -> str:
        groups: list[tuple[str, Sequence[Arrow]]] = []
        for row in self._gold:
            start, stop = self._arrays.fact_spans[row]
            stated = np.unique(self._arrays.passage_facts[start:stop, 0]).astype(np.int64)
            facts = [Arrow(*one.words()) for one in self._tables.triples(stated)]
            groups.append((self._title(row), facts))
        return self._figure(
            "facts",
            arrows(groups, title="The facts of the three passages"),
            "Subject, predicate and object of each fact: the words between two names.",
        )

    def _graph(self) -> str:
        graph = self._arrays.graph
        entities: dict[int, int] = {}
        links: list[Link] = []
        for at, row in enumerate(self._gold):
            entries = slice(*graph.spans[row])
            for node, kind in zip(
                graph.neighbours[entries].tolist(), graph.types[entries].tolist(), strict=True
            ):
                place = entities.setdefault(node, len(entities))
                links.append(Link(at, place, EdgeType(kind).name.lower()))
        left = [(self._title(row), True) for row in self._gold]
        n = self._arrays.n_passages
        right = [
            f"{self._tables.node_name(node)} ({self._arrays.entity_df[node - n]})"
            for node in entities
        ]
        present = {link.kind for link in links}
        legend = [
            (kind.name.lower(), kind.name.lower())
            for kind in EdgeType
            if kind.name.lower() in present
        ]
        return self._figure(
            "graph",
            two_columns(left, right, links, legend, title="The graph around the three passages"),
            "The three passages, the entities that they are joined with, and the edges between "
            "them. The brackets say how many passages of the corpus name an entity.",
        )

    def _seeds(self) -> str:
        seeds = self._ppr(self._claim, 1).seeds[:_SHOWN]
        gold = {self._title(row) for row in self._gold}
        rows = [Bar(seed.label, ((seed.kind, seed.mass),), seed.label in gold) for seed in seeds]
        return self._figure(
            "seeds",
            bars(rows, _OF_SEEDS, title="The strongest seeds of the claim"),
            f"Where the walk begins: the {len(rows)} strongest seeds. The weights of all seeds sum "
            "to 1.",
        )

    def _walk(self) -> str:
        rows, both = self._walked.both
        from_entities = dict(zip(*_listed(self._walked.entity), strict=True))
        scores = dict(zip(rows.tolist(), both.tolist(), strict=True))
        drawn = [
            self._bar(row, from_entities.get(row, 0.0), scores[row])
            for row in self._walked.best[:_SHOWN].tolist()
        ]
        return self._figure(
            "walk",
            bars(drawn, _OF_SEEDS, title="The best passages of the first walk"),
            "Scores of the first walk: the probability that it ends at a passage. In bold: the "
            "passages that support the claim.",
        )

    def _second_seeds(self) -> str:
        seeds = self._second.seeds
        n = self._arrays.n_passages
        order = np.argsort(-seeds.mass, kind="stable")[:_SHOWN]
        rows = [
            Bar(
                self._tables.node_name(node),
                (("passage" if node < n else "mention", mass),),
                node in self._gold,
            )
            for node, mass in zip(
                seeds.nodes[order].tolist(), seeds.mass[order].tolist(), strict=True
            )
        ]
        return self._figure(
            "second seeds",
            bars(rows, _OF_SEEDS, title="The strongest seeds of the second walk"),
            "Seeds of the second walk: half of the mass is on the names of the claim, half on the "
            "twelve best-scored passages.",
        )

    def _second_walk(self) -> str:
        second = self._second
        rows, both = _listed(second.both)
        scores = dict(zip(rows, both, strict=True))
        of_passages = dict(zip(rows, second.passage.tolist(), strict=True))
        drawn = [
            self._bar(row, scores[row] - of_passages[row], scores[row])
            for row in second.best[:_SHOWN].tolist()
        ]
        return self._figure(
            "second walk",
            bars(drawn, _OF_SEEDS, title="The best passages of the second walk"),
            "Scores of the second walk.",
        )

    def _ranking(self) -> str:
        ranking = self._ppr.ranking(self._run, _SHOWN)
        steps = (
            self._walked.bm25[0],
            self._walked.best,
            self._run.first[0],
            self._second.best,
        )
        lines = [
            "| rank | passage | score | BM25 | walk | first scoring | second walk |",
            "| ---: | --- | ---: | ---: | ---: | ---: | ---: |",
        ]
        for rank, (row, score) in enumerate(
            zip(ranking.rows.tolist(), ranking.scores.tolist(), strict=True), start=1
        ):
            name = self._title(row)
            shown = f"**{name}**" if row in self._gold else name
            places = " | ".join(_rank_in(step, row) for step in steps)
            lines.append(f"| {rank} | {shown} | {score:.2f} | {places} |")
        return "\n".join(lines)

    def _paths(self) -> str:
        explainer = Explainer(self._engine.retrievers)
        drawn = [
            _stops(path, normal_title(self._title(row)))
            for row in self._gold
            for path in explainer.paths(self._run, row)
        ]
        return self._figure(
            "paths",
            chains(drawn, title="The strongest path to each of the three passages"),
            "The strongest path from the claim to each of the three passages.",
        )

    def _bar(self, row: int, from_entities: float, score: float) -> Bar:
        parts = (("mention", from_entities), ("passage", score - from_entities))
        return Bar(self._title(row), parts, row in self._gold)

    def _title(self, row: int) -> str:
        return self._tables.node_name(row)

    def _names_of(self, row: int) -> dict[str, str]:
        """Keys of the entities that a passage is joined with by its words, and by which edge."""
        graph = self._arrays.graph
        entries = slice(*graph.spans[row])
        found: dict[str, str] = {}
        for node, kind in zip(
            graph.neighbours[entries].tolist(), graph.types[entries].tolist(), strict=True
        ):
            if kind in _KINDS:
                key = entity_key(self._tables.node_name(node))
                found.setdefault(key, EdgeType(kind).name.lower())
        return found


def _names_in(text: str, names: dict[str, str]) -> Iterator[tuple[int, int, str]]:
    """Where a text holds names, the longest first found: start, stop, type of edge."""
    folded, _ = tokens(text)
    spans = token_spans(text)
    longest = max((len(key.split(" ")) for key in names), default=0)
    at = 0
    while at < len(folded):
        for n in range(longest, 0, -1):
            kind = names.get(" ".join(folded[at : at + n]))
            if kind is not None and at + n <= len(folded):
                yield spans[at][0], spans[at + n - 1][1], kind
                at += n
                break
        else:
            at += 1


def _stops(path: WalkPath, gold: str) -> list[Stop]:
    labels = [_IN_WORDS[path.seed], *(_label(edge.types) for edge in path.edges), ""]
    nodes = [("the claim", "claim"), *((node.name, node.kind) for node in path.nodes)]
    return [
        Stop(name, "gold" if kind == "passage" and normal_title(name) == gold else kind, label)
        for (name, kind), label in zip(nodes, labels, strict=True)
    ]


def _label(types: Sequence[str]) -> str:
    return " + ".join(types)


def _listed(scored: tuple[Rows, NDArray[np.float64]]) -> tuple[list[int], list[float]]:
    return scored[0].tolist(), scored[1].tolist()


def _rank_in(ranking: Rows, row: int) -> str:
    found = np.flatnonzero(ranking == row)
    return str(int(found[0]) + 1) if len(found) else "-"
