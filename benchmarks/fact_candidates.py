"""Which twenty facts should a language model choose from?

    python benchmarks/fact_candidates.py INDEX CLAIMS --n 300 \\
        --out benchmarks/results/fact_candidates-core.json

Orders of the hundred facts near a claim, no model asked: ``closest``, by similarity, as the product
has it; ``sentence``, at most one of a sentence and subject first; ``new end``, those first that
lead to a name with passages of its own which neither the claim nor a fact before has; and both. Of
the first 5 and 20 of each: the share that a gold passage states (precision), the share of gold
titles that state one (stated) and whose name is an end of one (named), and for how many claims that
is all.
"""

import argparse
import json
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import numpy as np
from fact_filter import FactSources, drawn
from measurement import run_script

from hippohover.evaluation.hover import GoldClaim, load_claims
from hippohover.evaluation.intervals import mean, share
from hippohover.names.normal_forms import normal_title
from hippohover.retrieval.engine import HippoHover
from hippohover.spans import lengths_of
from hippohover.store.tables import IndexArrays

N_NEAR = 100
DEPTHS = (5, 20)

Facts = list[int]


def one_a_sentence(facts: Sequence[int], place_of: Callable[[int], tuple[int, ...]]) -> Facts:
    """The first fact of each place, then the others."""
    seen: set[tuple[int, ...]] = set()
    first: Facts = []
    others: Facts = []
    for fact in facts:
        place = place_of(fact)
        (others if place in seen else first).append(fact)
        seen.add(place)
    return first + others


def new_ends_first(
    facts: Sequence[int], ends_of: Callable[[int], set[int]], known: Collection[int]
) -> Facts:
    """Facts with an end that neither the claim nor a fact before has, then the others."""
    seen = set(known)
    first: Facts = []
    others: Facts = []
    for fact in facts:
        new = ends_of(fact) - seen
        (first if new else others).append(fact)
        seen |= new
    return first + others


class FactPlaces:
    """Where facts stand, and where they lead."""

    def __init__(self, arrays: IndexArrays, titles: Sequence[str]) -> None:
        self._arrays = arrays
        self._stated = np.asarray(arrays.passage_facts)
        self._order = np.argsort(self._stated[:, 0], kind="stable")
        self._facts = self._stated[self._order, 0]
        self._passages = np.repeat(np.arange(arrays.n_rows), lengths_of(arrays.fact_spans))
        self._titles = titles

    def place_of(self, fact: int) -> tuple[int, ...]:
        """Passage, sentence and subject of a fact, where it is stated first."""
        at = int(self._order[np.searchsorted(self._facts, fact)])
        sentence, subject = int(self._stated[at, 1]), int(self._arrays.facts[fact, 0])
        return int(self._passages[at]), sentence, subject

    def ends_of(self, fact: int) -> set[int]:
        """Ends of a fact that have passages of their own."""
        ends = {int(end) for end in self._arrays.facts[fact, [0, 2]]}
        return {end for end in ends if self._owners(end)}

    def titles_at(self, fact: int) -> set[str]:
        """Titles of the passages that the ends of a fact name."""
        return {self._titles[row] for end in self.ends_of(fact) for row in self._owners(end)}

    def _owners(self, entity: int) -> list[int]:
        if entity >= len(self._arrays.owner_spans):
            return []
        start, stop = self._arrays.owner_spans[entity].tolist()
        return self._arrays.owner_passages[start:stop].tolist()


class Bench:
    """An index, and what is measured of each order of a claim's facts."""

    def __init__(self, index: Path) -> None:
        settings = HippoHover.open(index).retrievers.settings
        near = settings.filter.model_copy(update={"n_candidates": N_NEAR})
        wanted = settings.model_copy(update={"filter": near})
        self.engine = HippoHover.open(index, settings=wanted)
        titles = [normal_title(title) for title in self.engine.titles()]
        self._facts = FactPlaces(self.engine.tables.arrays, titles)
        self._sources = FactSources(self.engine)

    def orders(self, claim: str) -> dict[str, Facts]:
        """The facts near a claim, in each order."""
        choice = self.engine.retrievers.ppr.unchosen(claim)
        near = choice.candidates.rows.tolist()
        known = self.engine.retrievers.read_claim(claim).entities.tolist()
        by_sentence = one_a_sentence(near, self._facts.place_of)
        return {
            "closest": near,
            "sentence": by_sentence,
            "new end": new_ends_first(near, self._facts.ends_of, known),
            "sentence, new end": new_ends_first(by_sentence, self._facts.ends_of, known),
        }

    def measured(self, claim: GoldClaim, facts: Sequence[int]) -> dict[str, float]:
        """What the facts offer of a claim's gold."""
        gold = {normal_title(title) for title in claim.gold_titles}
        right = self._sources.are_right(facts, gold)
        stated = {title for title in gold if any(self._sources.are_right(facts, {title}))}
        named = gold & {title for fact in facts for title in self._facts.titles_at(fact)}
        return {
            "precision": sum(right) / max(len(right), 1),
            "stated": len(stated) / len(gold),
            "named": len(named) / len(gold),
            "all_stated": float(stated == gold),
            "all_named": float(named == gold),
        }


def main() -> None:
    """Measure every order on the same claims."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("index", type=Path)
    parser.add_argument("claims", type=Path)
    parser.add_argument("--n", type=int, default=300)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    bench = Bench(arguments.index)
    claims = drawn(load_claims(arguments.claims), arguments.n)
    rows: dict[str, list[dict[str, float]]] = {}
    for claim in claims:
        for name, facts in bench.orders(claim.claim).items():
            for depth in DEPTHS:
                measured = bench.measured(claim, facts[:depth])
                rows.setdefault(f"{name} @ {depth}", []).append(measured)
    arms = {
        name: {
            key: (share if key.startswith("all") else mean)([row[key] for row in done]).as_dict()
            for key in done[0]
        }
        for name, done in rows.items()
    }
    result = {
        "question": "Which twenty facts should a language model choose from?",
        "index": bench.engine.manifest.recipe["name"],
        "recipe_sha256": bench.engine.manifest.recipe_sha256,
        "claims": arguments.claims.stem,
        "uids": [claim.uid for claim in claims],
        "n": len(claims),
        "arms": arms,
    }
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(result) + "\n", encoding="utf-8")
    for name, arm in arms.items():
        print(name, {key: round(100 * value["value"], 1) for key, value in arm.items()})


if __name__ == "__main__":
    run_script(main)
