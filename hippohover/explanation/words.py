"""A path of the walk, in words."""

from dataclasses import dataclass
from typing import Any

from hippohover.metadata import titled
from hippohover.records import Triple

_SEED_WORDS = {
    "mention": "named in the {}",
    "passage": "shares words with the {}",
    "fact": "in a fact close to the {}",
}


_EDGE_WORDS = {
    "link": "links",
    "neighbour": "follows in the same document",
    "sequence": "follows in the same series",
    "join": "has in a field",
}


@dataclass(frozen=True, slots=True)
class PathNode:
    """A stop of the walk.

    Attributes
    ----------
    kind : str
        ``"passage"`` or ``"entity"``.
    name : str
        That of a passage is its title.
    part : int
        Which passage of its document it is, from 1.
    """

    kind: str
    name: str
    part: int = 1

    def __str__(self) -> str:
        return f'"{self.name}"' if self.kind == "entity" else titled(self.name, self.part)


@dataclass(frozen=True, slots=True)
class PathEdge:
    """What joins two nodes: names of edge types, and facts where a fact joins them."""

    types: tuple[str, ...]
    facts: tuple[Triple, ...] = ()

    def __str__(self) -> str:
        return f"-[{self.words()}]->"

    def words(self) -> str:
        """Return the types, each by its name or in words: ``"mention+links"``."""
        return "+".join(_EDGE_WORDS.get(name, name) for name in self.types)


@dataclass(frozen=True, slots=True)
class WalkPath:
    """A path that the walk takes from a seed to a passage.

    Attributes
    ----------
    nodes : tuple of PathNode
        From the seed to the passage, both included.
    edges : tuple of PathEdge
        One fewer than nodes.
    seed : str
        ``"mention"``, ``"passage"`` or ``"fact"``: what made the first node a seed.
    mass : float
        Probability that the walk goes this way and ends.
    share : float
        Share of the passage's score in the walk that this path explains, in [0, 1].
    asked : str
        What to call the text that was asked: ``"claim"``, ``"question"`` or ``"query"``.
    """

    nodes: tuple[PathNode, ...]
    edges: tuple[PathEdge, ...]
    seed: str
    mass: float
    share: float
    asked: str = "claim"

    def as_dict(self) -> dict[str, Any]:
        """Return the path, ready for JSON."""
        return {
            "sentence": self.sentence(),
            "summary": self.summary(),
            "seed": self.seed,
            "nodes": [
                {"kind": node.kind, "name": node.name, "part": node.part} for node in self.nodes
            ],
            "edges": [
                {"types": list(edge.types), "facts": [fact.words() for fact in edge.facts]}
                for edge in self.edges
            ],
            "mass": self.mass,
            "share": self.share,
        }

    def sentence(self) -> str:
        """Write each step: ``claim -> "Ada Finch" (named in the claim) -[mention]-> Salt Road``."""
        words = [f"{self.asked} -> {self.nodes[0]} ({self._seed_words()})"]
        for edge, node in zip(self.edges, self.nodes[1:], strict=True):
            words.append(f"{edge} {node}")
        return " ".join(words)

    def summary(self) -> str:
        """Write the path for a reader: a passage and its name count as one step.

        ``Mira Oldane (named in the claim) ← Lantern Hill (film) → Ada Finch``: ``A → B`` when A
        names or links B, ``A ← B`` when B names or links A, ``A = B`` when a fact, a shared name or
        their document joins them.
        """
        stops, signs = _merged(self)
        words = [f"{stops[0]} ({self._seed_words()})"]
        words += (f"{sign} {node}" for sign, node in zip(signs, stops[1:], strict=True))
        return " ".join(words)

    def _seed_words(self) -> str:
        return _SEED_WORDS[self.seed].format(self.asked)


def _merged(path: WalkPath) -> tuple[list[PathNode], list[str]]:
    """Leave out entities that name a neighbouring passage; put signs between the nodes."""
    stops, signs = [path.nodes[0]], list[str]()
    for edge, node in zip(path.edges, path.nodes[1:], strict=True):
        if "title" in edge.types:
            # The passage stands for its name, whichever of the two came first.
            if node.kind == "entity":
                continue
            if stops[-1].kind == "entity":
                stops[-1] = node
                continue
        signs.append(_sign(stops[-1], node, edge))
        stops.append(node)
    return stops, signs


def _sign(before: PathNode, after: PathNode, edge: PathEdge) -> str:
    of_two_names = before.kind == after.kind == "entity"
    if of_two_names or not {"title", "neighbour", "sequence"}.isdisjoint(edge.types):
        return "="
    return "→" if after.kind == "entity" else "←"
