"""Lines that ``domains.py`` has written -> means, intervals and differences of every set."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from hippohover.evaluation.intervals import (
    interval,
    mean,
    paired_difference,
    resampled_means,
    share,
)

Record = dict[str, Any]
Cell = Record
"""A line of one set, recipe, retriever and setting."""
Ranks = Sequence[Sequence[int | None]]

BASELINES: Final = ("bm25", "dense", "hybrid")
MAIN: Final = 21
MANY: Final = 5
"""From so many gold titles on, claims stand together."""
DEPTHS: Final = (21, 100)
"""Depths at which ``ppr`` is held against the best baseline."""


def summary(lines: Sequence[Cell]) -> Record:
    """What the tables are made of: by recipe, every set, every domain, and all of them.

    Of a baseline's two settings that counts which finds all gold of more claims at 21: of a set,
    where the set is looked at, and of all sets of a domain, where that is. The best baseline is
    the best at the depth that is looked at.
    """
    sets = {line["key"]: line for line in lines if "uids" in line}
    cells = [line for line in lines if "ranks" in line and line["set"] in sets]
    recipes = list(dict.fromkeys(cell["recipe"] for cell in cells))
    return {
        "revisions": sorted({cell["revision"] for cell in cells}),
        "machines": sorted({cell["machine"] for cell in cells}),
        "recipes": {
            recipe: _of_recipe(sets, [cell for cell in cells if cell["recipe"] == recipe])
            for recipe in recipes
        },
    }


def _of_recipe(sets: Mapping[str, Record], cells: Sequence[Cell]) -> Record:
    asked = {key: line for key, line in sets.items() if any(cell["set"] == key for cell in cells)}
    counted = [
        line for line in asked.values() if line["is_own"] and line["variant"] == "as written"
    ]
    by_domain: dict[str, list[Record]] = {}
    for line in counted:
        by_domain.setdefault(line["corpus"], []).append(line)
    domains = {name: _Outcomes(lines, cells) for name, lines in by_domain.items()}
    alone = [_Outcomes([line], cells) for line in counted]
    result: Record = {
        "sets": {key: _of_set(line, asked, cells) for key, line in asked.items()},
        "domains": {name: outcomes.differences() for name, outcomes in domains.items()},
    }
    for k in DEPTHS:
        result[f"pooled@{k}"] = _pooled(alone, k)
        result[f"mean@{k}"] = _mean_over_domains(list(domains.values()), k)
    return result


class _Outcomes:
    """All that was measured of some sets of one domain on all of their claims.

    Attributes
    ----------
    groups : list of str
        Group of each claim, the sets one after the other.
    chosen : dict of str to dict of str to Cell
        Retriever -> key of a set -> its cell, by the setting that counts.
    """

    def __init__(self, lines: Sequence[Record], cells: Sequence[Cell]) -> None:
        self._lines = lines
        self.groups = [f"{line['corpus']} {group}" for line in lines for group in line["groups"]]
        keys = {line["key"] for line in lines}
        by_arm: dict[tuple[str, bool], dict[str, Cell]] = {}
        for cell in cells:
            if cell["set"] in keys and cell["places"] is None:
                arm = cell["retriever"], cell["one_per_document"]
                by_arm.setdefault(arm, {})[cell["set"]] = cell
        self.chosen: dict[str, dict[str, Cell]] = {}
        for (name, _), arm in sorted(by_arm.items(), key=lambda item: not item[0][1]):
            if len(arm) == len(keys) and (
                name not in self.chosen
                or self._n_found(arm, MAIN) > self._n_found(self.chosen[name], MAIN)
            ):
                self.chosen[name] = arm

    def found(self, name: str, k: int) -> list[float]:
        """Whether all gold of each claim is among the first ``k``."""
        return self._found(self.chosen[name], k)

    def best(self, k: int) -> str | None:
        """The baseline that finds all gold of most claims."""
        names = [name for name in BASELINES if name in self.chosen]
        if "ppr" not in self.chosen or not names:
            return None
        return max(names, key=lambda name: self._n_found(self.chosen[name], k))

    def differences(self) -> Record:
        """``ppr`` minus the best baseline at each depth, over groups of claims."""
        result: Record = {"n": len(self.groups)}
        for k in DEPTHS:
            if best := self.best(k):
                paired = paired_difference(self.found(best, k), self.found("ppr", k), self.groups)
                result[f"difference@{k}"] = {"against": best} | paired.as_dict()
        return result

    def change(self, k: int) -> list[float]:
        """What ``ppr`` gains on the best baseline, a claim."""
        best = self.best(k)
        if best is None:
            return []
        pairs = zip(self.found("ppr", k), self.found(best, k), strict=True)
        return [ppr - other for ppr, other in pairs]

    def _found(self, arm: Mapping[str, Cell], k: int) -> list[float]:
        return [
            float(_all_within(ranks, k))
            for line in self._lines
            for ranks in arm[line["key"]]["ranks"]
        ]

    def _n_found(self, arm: Mapping[str, Cell], k: int) -> float:
        return sum(self._found(arm, k))


def _of_set(line: Record, sets: Mapping[str, Record], cells: Sequence[Cell]) -> Record:
    outcomes = _Outcomes([line], cells)
    written = f"{line['corpus']}: {line['claims']}"
    result: Record = {
        key: line[key] for key in ("corpus", "claims", "variant", "is_own", "claims_sha256")
    }
    result["n_scored_by_unseen_trees"] = line["n_scored_by_unseen_trees"]
    result |= outcomes.differences()
    result["retrievers"] = {
        name: _of_cell(line, arm[line["key"]]) for name, arm in outcomes.chosen.items()
    }
    if line["variant"] != "as written" and written in sets:
        before = _Outcomes([sets[written]], cells)
        for name, cell in result["retrievers"].items():
            if name in before.chosen:
                paired = paired_difference(
                    before.found(name, MAIN), outcomes.found(name, MAIN), outcomes.groups
                )
                cell["against as written"] = paired.as_dict()
    sampled = [cell for cell in cells if cell["set"] == line["key"] and cell["places"] is not None]
    for cell in sampled:
        result["retrievers"][cell["retriever"]] = _of_sample(line, cell, outcomes)
    return result


def _of_cell(line: Record, cell: Cell) -> Record:
    places = cell["places"] or range(len(line["uids"]))
    n_gold = [line["n_gold"][place] for place in places]
    ranks: Ranks = cell["ranks"]
    result: Record = {
        "one_per_document": cell["one_per_document"],
        "n": len(ranks),
        "counts": cell["counts"],
        "recipe_sha256": cell["recipe_sha256"],
        "revision": cell["revision"],
        "n_found_nothing": cell["n_found_nothing"],
        "search_ms": cell["ms"],
    }
    for k in (5, *DEPTHS):
        result[f"all_gold_found@{k}"] = share([_all_within(r, k) for r in ranks]).as_dict()
    for k in (5, MAIN):
        result[f"recall@{k}"] = mean([_recall(r, k) for r in ranks]).as_dict()
    sizes = [str(n) if n < MANY else f"{MANY} or more" for n in n_gold]
    result["by_gold_titles"] = {
        size: share(
            [_all_within(r, MAIN) for r, own in zip(ranks, sizes, strict=True) if own == size]
        ).as_dict()
        for size in sorted(set(sizes))
    }
    if parts := cell.get("part_ranks"):
        found = [_all_within(rows, MAIN) for rows in parts]
        result[f"all_passages_found@{MAIN}"] = share(found).as_dict()
        result[f"passage_recall@{MAIN}"] = mean([_recall(rows, MAIN) for rows in parts]).as_dict()
    if cell["headings_found"]:
        result["headings"] = share(cell["headings_found"]).as_dict()
    return result


def _of_sample(line: Record, cell: Cell, outcomes: _Outcomes) -> Record:
    """A retriever on a sample of the claims, and ``ppr`` on the same."""
    result = _of_cell(line, cell)
    if "ppr" in outcomes.chosen:
        found = outcomes.found("ppr", MAIN)
        result["ppr_on_the_same"] = share([found[place] for place in cell["places"]]).as_dict()
    return result


def _pooled(sets: Sequence[_Outcomes], k: int) -> Record | None:
    """Mean over the claims of all sets, each against the best baseline of its set."""
    change = [gain for outcomes in sets for gain in outcomes.change(k)]
    if not change:
        return None
    groups = [group for outcomes in sets if outcomes.best(k) for group in outcomes.groups]
    low, high = interval(resampled_means(change, groups))
    return {"difference": float(np.mean(change)), "low": low, "high": high, "n": len(change)}


def _mean_over_domains(domains: Sequence[_Outcomes], k: int) -> Record | None:
    """Mean of the domains' differences; groups are drawn within each domain."""
    compared = [(outcomes.change(k), outcomes.groups) for outcomes in domains if outcomes.best(k)]
    if not compared:
        return None
    resampled = [
        resampled_means(change, groups, seed=at) for at, (change, groups) in enumerate(compared)
    ]
    low, high = interval(np.mean(resampled, axis=0))
    value = float(np.mean([np.mean(change) for change, _ in compared]))
    return {"difference": value, "low": low, "high": high, "n_domains": len(compared)}


def _all_within(ranks: Sequence[int | None], k: int) -> bool:
    return all(rank is not None and rank <= k for rank in ranks)


def _recall(ranks: Sequence[int | None], k: int) -> float:
    return sum(rank is not None and rank <= k for rank in ranks) / len(ranks)
