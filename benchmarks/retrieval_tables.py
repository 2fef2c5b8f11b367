"""Tables of what retrieval finds: by retriever, setting, program and size of a corpus."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from table_cells import Run, change, markdown, percent, percentiles

from hippohover.retrieval.reranking.rerank import weights_sha256


def retrieval_table(run: Run) -> str:
    """Every retriever of one run: its encoder, all_gold_found@21 by gold titles, recall, times."""
    arms: dict[str, dict[str, Any]] = dict(run.get("retrievers", {}))
    sample: dict[str, Any] = run.get("sample", {"retrievers": {}})
    for name, arm in sample["retrievers"].items():
        arms[f"{name}, on a sample of {sample['n']}"] = arm
    arms = {name.replace("hipporag2", "hipporag2 (no LLM filter)"): a for name, a in arms.items()}
    sizes = sorted({k for arm in arms.values() for k in arm["all_gold_found@21"]} - {"all"})
    header = [
        "retriever",
        "encoder",
        *(f"{size} gold titles" for size in sizes),
        "recall@21",
        "all gold @100",
        "recall @100 / @300",
        "p50 / p95 ms",
    ]
    rows: list[list[str]] = []
    for name, arm in arms.items():
        rows.append(
            [
                name,
                run["recipe"]["encoder"] if name.startswith(_BY_VECTORS) else "-",
                *(percent(arm["all_gold_found@21"].get(size)) for size in sizes),
                percent(arm["recall@21"]["all"]),
                percent(arm["all_gold_found@100"]["all"]),
                f"{100 * arm['recall@100']['all']['value']:.1f} / "
                f"{100 * arm['candidate_recall@300']['all']['value']:.1f}",
                percentiles(arm["latency_ms"]),
            ]
        )
    return markdown(header, rows) + _of_earlier_weights(run)


def _of_earlier_weights(run: Run) -> str:
    """What is to be said of a result that was measured with other weights than those that ship."""
    measured = run["rerank_weights_sha256"]
    if measured == weights_sha256():
        return ""
    return (
        f"\nOlder measurement: `ppr` with earlier weights ({measured[:8]}) and seeds, the others "
        "with the names that were found then. It is to be repeated.\n"
    )


def domains_table(run: Run) -> str:
    """Every set of every domain: each retriever, and ``ppr`` beside the best baseline."""
    tables: list[str] = []
    for recipe, cells in run["recipes"].items():
        rows = [_domain_row(key, cell) for key, cell in cells["sets"].items() if _is_plain(cell)]
        for name in ("pooled", "mean"):
            label = {"pooled": "all domains' own claims, pooled", "mean": "mean over domains"}[name]
            gains = (change(cells[f"{name}@{k}"]) for k in (21, 100))
            rows.append([f"**{label}**", *[""] * len(_SHOWN), *gains])
        header = [
            f"`{recipe}`: set (n)",
            *_SHOWN,
            "ppr minus best baseline, @21",
            "ppr minus best baseline, @100",
        ]
        tables.append(markdown(header, rows))
    return "\n".join(tables)


def found_table(wikipedia: Mapping[str, Run], domains: Run) -> str:
    """all_gold_found@21 of every retriever that ships, a row a set; Wikipedia's by gold titles.

    Parameters
    ----------
    wikipedia : mapping of str to dict
        Runs of ``hover_retrieval.py``, by what their rows are called.
    domains : dict
        What ``domains.py`` wrote; its first recipe is shown.
    """
    rows: list[list[str]] = []
    for name, run in wikipedia.items():
        arms = [run["retrievers"][shown]["all_gold_found@21"] for shown in _SHOWN]
        for size in sorted(arms[0].keys() - {"all"}):
            cells = [arm[size] for arm in arms]
            rows.append([f"{name}, {size} titles", f"{cells[0]['n']:,}", *_found(cells)])
    sets: dict[str, Run] = next(iter(domains["recipes"].values()))["sets"]
    for key, cell in sets.items():
        if _is_plain(cell):
            cells = [cell["retrievers"][shown]["all_gold_found@21"] for shown in _SHOWN]
            rows.append([_SETS.get(key, key), f"{cell['n']:,}", *_found(cells)])
    return markdown(["`all_gold_found@21`, %", "n", *_SHOWN], rows)


def _found(cells: Sequence[dict[str, float]]) -> list[str]:
    """The first with its interval, the others without."""
    return [percent(cells[0]), *(f"{100 * cell['value']:.1f}" for cell in cells[1:])]


def domain_details(run: Run) -> str:
    """Of every set: @5, by gold titles, headings shown, samples, and claims written otherwise."""
    header = ["set", "retriever", "n", "one per document", "all gold @21", "@5", "recall @5"]
    header += [
        "by gold titles @21",
        "gold heading shown",
        "claims that found nothing",
        "search ms p50 / p95",
    ]
    header += ["difference to claims as written"]
    tables: list[str] = []
    for recipe, cells in run["recipes"].items():
        arms = [
            (key, name, arm)
            for key, cell in cells["sets"].items()
            for name, arm in cell["retrievers"].items()
        ]
        # Where no gold names a passage, there is nothing to tell of passages.
        parts = [metric for metric in _OF_PASSAGES if any(metric in arm for *_, arm in arms)]
        rows = [
            [*_detail_row(key, name, arm), *(percent(arm.get(metric)) for metric in parts)]
            for key, name, arm in arms
        ]
        tables.append(markdown([f"`{recipe}`: {header[0]}", *header[1:], *parts], rows))
    return "\n".join(tables)


_SHOWN: Final = ("ppr", "bm25", "dense", "hybrid")
_OF_PASSAGES: Final = ("all_passages_found@21", "passage_recall@21")
_DEPTHS: Final = (5, 21, 100)
"""Cut-offs of the differences between choices."""
_BY_VECTORS: Final = ("dense", "hybrid", "hipporag2")
"""Retrievers whose results depend on an index's encoder more than on anything else."""
_OFF: Final = "\\*"
_SETS: Final = {
    "exfever: exfever-claims-dev": "Wikipedia, EX-FEVER claims",
    "chats: chats-claims-dev": "chats",
    "obliqa: obliqa-claims-dev": "a regulator's rules",
    "obliqa: obliqa-claims-multi-dev": "the same, claims that need 2 or more rules",
    "obsidian: obsidian-claims-dev": "notes of a help site, prepared",
    "obsidian-vault: obsidian-claims-dev": "the same, the original folder",
    "peps: peps-claims-dev": "Python's enhancement proposals",
    "science: science-claims-dev": "science in plain sentences",
}
"""What the README calls the sets of ``domains.py``."""


def _is_plain(cell: dict[str, Any]) -> bool:
    return cell["variant"] == "as written"


def _domain_row(key: str, cell: dict[str, Any]) -> list[str]:
    arms: dict[str, dict[str, Any]] = cell["retrievers"]
    row = [f"{key} ({cell['n']:,})"]
    for name in _SHOWN:
        arm = arms.get(name)
        if arm is None:
            row.append("-")
            continue
        metrics = ("all_gold_found@21", "recall@21", "all_gold_found@100")
        shown = " / ".join(f"{100 * arm[metric]['value']:.1f}" for metric in metrics)
        row.append(shown + ("" if arm["one_per_document"] else f" {_OFF}"))
    for k in (21, 100):
        gain = cell.get(f"difference@{k}")
        row.append(f"{change(gain)}, {gain['against']}" if gain else "-")
    return row


def _detail_row(key: str, name: str, arm: dict[str, Any]) -> list[str]:
    sizes = (f"{k}: {100 * cell['value']:.1f}" for k, cell in arm["by_gold_titles"].items())
    same = arm.get("ppr_on_the_same")
    return [
        key,
        name,
        f"{arm['n']:,}",
        "yes" if arm["one_per_document"] else "no",
        percent(arm["all_gold_found@21"])
        + (f", ppr on the same claims {percent(same)}" if same else ""),
        percent(arm["all_gold_found@5"]),
        percent(arm["recall@5"]),
        ", ".join(sizes),
        percent(arm.get("headings")),
        f"{arm['n_found_nothing']}",
        percentiles(arm["search_ms"]),
        change(arm.get("against as written")),
    ]


def ablation_table(run: Run) -> str:
    """Every arm of an ablation."""
    arms: dict[str, dict[str, Any]] = run["arms"]
    sizes = sorted(next(iter(arms.values()))["all_gold_found@21"])
    header = [
        "arm",
        *(f"{s} gold titles @21" for s in sizes),
        *(f"{s} gold titles @300" for s in sizes),
        "difference to the walk",
        "difference to the default",
    ]
    rows: list[list[str]] = []
    for name, arm in arms.items():
        rows.append(
            [
                name,
                *(percent(arm["all_gold_found@21"][size]) for size in sizes),
                *(f"{100 * arm['all_gold_found@300'][size]['value']:.1f}" for size in sizes),
                change(arm["difference_to_walk@21"]),
                change(arm.get("difference_to_default@21")),
            ]
        )
    return markdown(header, rows)


def hops_table(run: Run) -> str:
    """Every arm of a comparison of programs: what it found, and what that took a claim."""
    arms: dict[str, dict[str, Any]] = run["arms"]
    sizes = sorted({k for arm in arms.values() for k in arm["all_gold_found@21"]} - {"all"})
    first = next(iter(arms))
    header = [
        "arm",
        *(f"{size} gold titles" for size in sizes),
        "recall@21",
        *(f"difference to {first}, {size} gold titles" for size in sizes),
        "searches per claim",
        "model calls per claim",
        "tokens per claim, in / out",
        "US$ per 1,000 claims",
        "seconds per claim",
        "fallbacks per claim",
        "claims that called a model",
        "won / lost",
    ]
    rows: list[list[str]] = []
    for name, arm in arms.items():
        whole = arm["difference"]["all"]
        rows.append(
            [
                name,
                *(percent(arm["all_gold_found@21"].get(size)) for size in sizes),
                percent(arm["recall@21"]["all"]),
                *(change(arm["difference"].get(size)) for size in sizes),
                f"{arm['n_searches']:.1f}",
                f"{arm['calls']:.1f}",
                f"{arm['input_tokens']:.0f} / {arm['output_tokens']:.0f}",
                f"{1000 * arm['usd']:.2f}",
                f"{arm['seconds']:.2f}",
                f"{arm['fallbacks']:.2f}",
                f"{100 * arm['asked']['value']:.0f} %",
                f"{whole['n_gained']} / {whole['n_lost']}",
            ]
        )
    return markdown(header, rows)


def growth_table(run: Run) -> str:
    """The published method beside ours, a row an index."""
    rows: list[list[str]] = []
    for found in run["indexes"].values():
        both = [found["all_gold_found@21"][name]["all"] for name in ("ppr", "hipporag2")]
        ms = map(percentiles, found["ms"].values())
        faster = f"{found['times_faster']:.1f}"
        rows.append([f"{found['n_passages']:,}", *map(percent, both), *ms, faster])
    header = [
        "passages",
        "ppr",
        "hipporag2",
        "ppr, p50 / p95 ms",
        "hipporag2, p50 / p95 ms",
        "ppr faster by a factor of",
    ]
    return markdown(header, rows)


def published_table(run: Run) -> str:
    """Both published methods that walk beside ``ppr``; rows with the larger encoder come first."""
    rows: list[list[str]] = []
    order = sorted(run["indexes"].values(), key=lambda found: found["encoder"] != "minilm")
    for found in order:
        what = f"{found['claims']}, {found['n_passages']:,} passages, n = {found['n']}"
        for name, arm in found["retrievers"].items():
            cells = [percent(arm[metric]) for metric in ("recall@5", "all_gold_found@21")]
            rows.append([what, found["encoder"], name, *cells])
    return markdown(["claims", "encoder", "retriever", "recall@5", "all gold @21"], rows)


def peers_table(run: Run) -> str:
    """Other programs on the same passages, beside the retrievers of the index."""
    rows: list[list[str]] = []
    for name, found in run["programs"].items():
        named = f"{name} {found['version']}" if "version" in found else f"`{name}`"
        cells = [percent(found[metric]) for metric in ("all_gold_found@21", "recall@5")]
        rows.append([named, *cells, change(found["ppr minus it, all_gold_found@21"])])
    heads = ["program", "all gold @21", "recall@5", "ppr minus this program, all gold @21"]
    return (
        f"{markdown(heads, rows)}\n\n{run['n']} claims of `{run['claims']}`, "
        f"{run['n_passages']:,} passages."
    )


def local_walk_table(run: Run) -> str:
    """How far answers by forward push are those of a smaller eps, and what that takes; a batch."""
    close, solved = (run[key] for key in run if key.startswith("against_"))
    rows: list[list[str]] = []
    for name, cell in close.items():
        rows.append(
            [
                name,
                *(percent(cell[key]) for key in ("same", "in_order", "shared")),
                change(cell["difference"]),
                f"{cell['p50_ms']:.0f}",
                f"{solved[name]['times_faster']:.0f}",
                percent(solved[name]["same"]),
            ]
        )
    n = next(iter(solved.values()))["n"]
    header = [
        "eps",
        "claims with the same 21 passages",
        "also in the same order",
        "share of the 21 in common",
        "difference in all gold found",
        "p50 ms",
        f"faster than PRPACK by a factor of (n = {n})",
        f"same 21 as PRPACK (n = {n})",
    ]
    batches = " and ".join(
        f"{rate:.0f} claims per second with {workers.replace('_', ' ')}"
        for workers, rate in run["claims_a_second"].items()
    )
    return f"{markdown(header, rows)}\nIn a batch: {batches}."


def iterative_bm25_table(run: Run) -> str:
    """Every setting of the hops by BM25."""
    arms: dict[str, dict[str, Any]] = run["all_gold_found@21"]
    sizes = sorted(next(iter(arms.values())))
    rows = [[name, *(percent(arm[size]) for size in sizes)] for name, arm in arms.items()]
    names = ("all claims" if size == "all" else f"{size} gold titles" for size in sizes)
    return markdown(["passages", *names], rows)


def reranking_table(run: Run) -> str:
    """What each stage of re-ranking gives, by index, claims and number of gold titles."""
    measured: dict[str, dict[str, dict[str, float]]] = run["measured"]
    arms = ["walk", "first scoring", "second scoring", "first candidates", "second candidates"]
    rows = [[name, *(percent(cell[arm]) for arm in arms)] for name, cell in measured.items()]
    return markdown(["index, claims / gold titles", *arms], rows)


def tuning_table(run: Run) -> str:
    """What each half of the claims says of its own tuning, and what that gives the other half."""
    rows: list[list[str]] = []
    for gold in ("as written", "shuffled"):
        splits: list[dict[str, Any]] = run[gold.replace(" ", "_")]["splits"]
        for split in splits:
            for half in split["halves"]:
                own = half["tuning"]
                said = "" if own["helps"] else ", no gain"
                rows.append(
                    [
                        f"{gold}, split {split['seed']}",
                        f"{own['gain']['n']}: {change(own['gain'])}{said}",
                        *_tuned(half["other"]),
                    ]
                )
            if gold == "as written":  # where the shipped ranking finds nothing, both say nothing
                both = _tuned(split["both"])
                rows.append([f"{gold}, split {split['seed']}", "both halves", *both])
    header = [
        "gold",
        "claims used to tune, and their own gain",
        "other claims, n",
        "shipped",
        "tuned",
    ]
    return markdown([*header, "gain", "won / lost"], rows) + _of_earlier_weights(run)


def _tuned(cell: dict[str, Any]) -> list[str]:
    gain = cell["gain"]
    shares = (percent(cell[when]) for when in ("before", "after"))
    return [f"{gain['n']}", *shares, change(gain), f"{gain['n_gained']} / {gain['n_lost']}"]


def passage_length_table(run: Run) -> str:
    """What a longest passage of so many words gives."""
    arms: dict[str, dict[str, Any]] = run["max_words"]
    rows: list[list[str]] = []
    for words, arm in arms.items():
        found = [arm[kind]["all_gold_found@21"] for kind in ("walk", "re-ranked")]
        cells = [percent(one[size]) for one in found for size in ("all", "3", "4")]
        limit = "no limit" if words == "0" else words
        rows.append([limit, f"{arm['n_passages']:,}", *cells])
    kinds = [
        f"{kind}, {size} gold titles".replace("all gold titles", "all claims")
        for kind in ("walk", "re-ranked")
        for size in ("all", "3", "4")
    ]
    return markdown(["words", "passages", *kinds], rows)


def choices_table(run: Run) -> str:
    """Every set by every arm that no setting names, but for arms that change no claim of it."""
    sets: dict[str, Any] = run["sets"]
    header = [
        "set (n)",
        "arm",
        "all gold @21",
        *(f"difference to the default, @{depth}" for depth in _DEPTHS),
    ]
    rows: list[list[str]] = []
    for key, cell in sets.items():
        rows += [
            [
                f"{key} ({cell['n']:,})",
                name,
                percent(arm["all_gold_found@21"]),
                *(change(arm[f"difference@{depth}"]) for depth in _DEPTHS),
            ]
            for name, arm in cell["arms"].items()
            if name == "default" or _changes(arm)
        ]
    return markdown(header, rows)


def _changes(arm: dict[str, Any]) -> bool:
    """Whether an arm gained or lost any claim of a set."""
    differences = [arm[f"difference@{depth}"] for depth in _DEPTHS]
    return any(cell["low"] or cell["high"] or cell["difference"] for cell in differences)
