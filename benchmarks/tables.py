"""Write the tables of README.md and benchmarks/README.md from benchmarks/results.

python benchmarks/tables.py            # rewrites the text between the marks
python benchmarks/tables.py --check    # exit code 1 when it is not what the results say
"""

import argparse
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"
_MARKED = re.compile(r"(<!-- results: [^>]*-->\n).*?(<!-- end of results -->)", re.DOTALL)


def percent(cell: dict[str, float] | None) -> str:
    """ "92.1 (90.3 to 93.6)" from fractions; a dash without a cell."""
    if cell is None:
        return "-"
    value, low, high = (100 * cell[key] for key in ("value", "low", "high"))
    return f"{value:.1f} ({low:.1f} to {high:.1f})"


def markdown(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    lines = [list(header)]
    lines += [["---"] * len(lines[0]), *(list(row) for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def retrieval_table(run: dict[str, Any]) -> str:
    """Every retriever of one run: all_gold_found@21 by gold titles, recall, latency."""
    arms: dict[str, dict[str, Any]] = dict(run.get("retrievers", {}))
    sample: dict[str, Any] = run.get("sample", {"retrievers": {}})
    for name, arm in sample["retrievers"].items():
        arms[f"{name}, on {sample['n']} of them"] = arm
    arms = {name.replace("hipporag2", "hipporag2 (no LLM filter)"): a for name, a in arms.items()}
    sizes = sorted({k for arm in arms.values() for k in arm["all_gold_found@21"]} - {"all"})
    header = ["retriever", *(f"{size} gold titles" for size in sizes), "recall@21", "@100, all",
              "recall @100 / @300", "p50 / p95 ms"]  # fmt: skip
    rows: list[list[str]] = []
    for name, arm in arms.items():
        latency = arm["latency_ms"]
        rows.append(
            [
                name,
                *(percent(arm["all_gold_found@21"].get(size)) for size in sizes),
                percent(arm["recall@21"]["all"]),
                percent(arm["all_gold_found@100"]["all"]),
                f"{100 * arm['recall@100']['all']['value']:.1f} / "
                f"{100 * arm['candidate_recall@300']['all']['value']:.1f}",
                f"{latency['p50']:.0f} / {latency['p95']:.0f}",
            ]
        )
    return markdown(header, rows)


def title_of(run: dict[str, Any]) -> str:
    """What a run measured, in a line."""
    n_passages = run["counts"]["n_passages"]
    return f"**{run['index']}** ({n_passages:,} passages), `{run['claims']}`, n = {run['n']}"


def ablation_table(run: dict[str, Any]) -> str:
    """Every arm of an ablation."""
    arms: dict[str, dict[str, Any]] = run["arms"]
    sizes = sorted(next(iter(arms.values()))["all_gold_found@21"])
    header = ["arm", *(f"{s} titles @21" for s in sizes), *(f"{s} @300" for s in sizes),
              "against the walk"]  # fmt: skip
    rows: list[list[str]] = []
    for name, arm in arms.items():
        change = arm["difference_to_walk@21"]
        rows.append(
            [
                name,
                *(percent(arm["all_gold_found@21"][size]) for size in sizes),
                *(f"{100 * arm['all_gold_found@300'][size]['value']:.1f}" for size in sizes),
                f"{100 * change['difference']:+.1f} ({100 * change['low']:+.1f} to "
                f"{100 * change['high']:+.1f})",
            ]
        )
    return markdown(header, rows)


def hops_table(run: dict[str, Any]) -> str:
    """Every arm of a comparison of programs: what it found, and what that took a claim."""
    arms: dict[str, dict[str, Any]] = run["arms"]
    sizes = sorted({k for arm in arms.values() for k in arm["all_gold_found@21"]} - {"all"})
    first = next(iter(arms))
    header = ["arm", *(f"{size} gold titles" for size in sizes), "recall@21",
              *(f"against {first}, {size} titles" for size in sizes), "searches", "calls",
              "tokens in / out", "US$ a thousand", "seconds", "fallbacks", "asked",
              "won / lost"]  # fmt: skip
    rows: list[list[str]] = []
    for name, arm in arms.items():
        whole = arm["difference"]["all"]
        changes = [arm["difference"].get(size) for size in sizes]
        rows.append(
            [
                name,
                *(percent(arm["all_gold_found@21"].get(size)) for size in sizes),
                percent(arm["recall@21"]["all"]),
                *("-" if c is None else f"{100 * c['difference']:+.1f} ({100 * c['low']:+.1f} to "
                  f"{100 * c['high']:+.1f})" for c in changes),
                f"{arm['n_searches']:.1f}",
                f"{arm['calls']:.1f}",
                f"{arm['input_tokens']:.0f} / {arm['output_tokens']:.0f}",
                f"{1000 * arm['usd']:.2f}",
                f"{arm['seconds']:.2f}",
                f"{arm['fallbacks']:.2f}",
                f"{100 * arm['asked']['value']:.0f} %",
                f"{whole['n_gained']} / {whole['n_lost']}",
            ]
        )  # fmt: skip
    return markdown(header, rows)


def hypothesis_table(run: dict[str, Any]) -> str:
    """What hypotheses, similarity and links gave."""
    rows: list[list[str]] = []
    for name, pairs in run["rank_correlation"].items():
        for kind, wanted in (("semantic", 0.65), ("overlap", 0.45)):
            cell = pairs[kind]
            rows.append([f"rank correlation of {kind} scores, {name}",
                         f"{cell['value']:.2f} ({cell['low']:.2f} to {cell['high']:.2f})",
                         f"{wanted:.2f}", f"{pairs['n_pairs']} pairs"])  # fmt: skip
    if runs := run.get("runs"):
        of_runs = f"{runs['n']} claims"
        links = runs["traversal"]
        rows.append(["claims of which a hypothesis names a bridge, %", percent(runs["coverage"]),
                     "90, at least 85", of_runs])  # fmt: skip
        for name in ("unique", "selected", "used"):
            least = f"{100 * links['least'][name]:.0f} %"
            rows.append([f"linked documents: {name}", f"{100 * links[name]:.0f} %", least,
                         f"{links['n']} claims"])  # fmt: skip
        for name, cell in runs["all_gold_found@21_by_difficulty"].items():
            rows.append([f"all gold found, {name} third, %", percent(cell), "-",
                         f"{cell['n']} claims"])  # fmt: skip
        won = ", ".join(f"{kind} {n}" for kind, n in runs["winners"].items())
        rows.append(["hypotheses that won", won, "-", of_runs])
    return markdown(["measure", "found", "wanted", "on"], rows)


def passages_table(run: dict[str, Any]) -> str:
    """The rules by the number of passages that a claim is held against."""
    rows = [[n, percent(found["auroc"]), percent(found["accuracy"])]
            for n, found in run["by_passages"].items()]  # fmt: skip
    return markdown(["passages", "auroc", "accuracy"], rows)


def verifier_table(run: dict[str, Any]) -> str:
    """The rules, beside the majority class and each signal alone."""
    rules = run["rules"]
    rows = [[name.replace("_", " "), percent(rules[name])]
            for name in ("accuracy", "majority", "macro_f1", "auroc", "calibration_error",
                         "hover_score") if name in rules]  # fmt: skip
    verdicts = ", ".join(f"{name} {n}" for name, n in rules["verdicts"].items())
    rows.append(["verdicts", verdicts])
    for name, cell in run.get("alone", {}).items():
        above = cell["rules_above"]
        rows.append([f"auroc of {name} alone (known for {cell['n']})",
                     f"{percent(cell['auroc'])}; the rules are {100 * above['value']:+.1f} "
                     f"({100 * above['low']:+.1f} to {100 * above['high']:+.1f})"])  # fmt: skip
    whole = rules.get("auroc", {}).get("value")
    for name, cell in run.get("without", {}).items():
        if cell["value"] != whole:
            rows.append([f"auroc of the rules without {name}", percent(cell)])
    if free := run.get("without_vetoes"):
        rows += [[f"{name.replace('_', ' ')} without vetoes", percent(free[name])]
                 for name in ("accuracy", "macro_f1", "hover_score")]  # fmt: skip
    return markdown(["measure", "%"], rows)


def growth_table(run: dict[str, Any]) -> str:
    """The published method beside ours, a row an index."""
    rows: list[list[str]] = []
    for found in run["indexes"].values():
        both = [found["all_gold_found@21"][name]["all"] for name in ("ppr", "hipporag2")]
        ms = [f"{one['p50']:.0f} / {one['p95']:.0f}" for one in found["ms"].values()]
        rows.append([f"{found['n_passages']:,}", *map(percent, both), *ms,
                     f"{found['times_faster']:.1f}"])  # fmt: skip
    header = ["passages", "ppr", "hipporag2", "ppr, p50 / p95 ms", "hipporag2, p50 / p95 ms",
              "times faster"]  # fmt: skip
    return markdown(header, rows)


def local_walk_table(run: dict[str, Any]) -> str:
    """How far answers by forward push are those of a smaller eps, and what that takes."""
    close, solved = (run[key] for key in run if key.startswith("against_"))
    rows: list[list[str]] = []
    for name, cell in close.items():
        lost = cell["difference"]
        rows.append([name, percent(cell["same"]), percent(cell["in_order"]),
                     percent(cell["shared"]),
                     f"{100 * lost['difference']:+.1f} ({100 * lost['low']:+.1f} to "
                     f"{100 * lost['high']:+.1f})",
                     f"{cell['p50_ms']:.0f}", f"{solved[name]['times_faster']:.0f}",
                     percent(solved[name]["same"])])  # fmt: skip
    n = next(iter(solved.values()))["n"]
    header = ["eps", "same 21", "in the same order", "places shared", "all gold found", "p50 ms",
              f"times faster than PRPACK (n = {n})", f"same 21 as PRPACK (n = {n})"]  # fmt: skip
    return markdown(header, rows)


def iterative_bm25_table(run: dict[str, Any]) -> str:
    """Every setting of the hops by BM25."""
    arms: dict[str, dict[str, Any]] = run["all_gold_found@21"]
    sizes = sorted(next(iter(arms.values())))
    rows = [[name, *(percent(arm[size]) for size in sizes)] for name, arm in arms.items()]
    return markdown(["passages", *(f"{size} titles" for size in sizes)], rows)


def fact_filter_table(run: dict[str, Any]) -> str:
    """Every arm of the fact filter: what it found, what it changed, which facts it kept."""
    rows: list[list[str]] = []
    for name, arm in run["arms"].items():
        change, usage = arm["paired"], arm["usage"]
        rows.append(
            [
                name,
                percent(arm["all_gold_found@21"]),
                f"{100 * change['difference']:+.1f} ({100 * change['low']:+.1f} to "
                f"{100 * change['high']:+.1f})",
                percent(arm["changed"]),
                percent(arm["fact_precision"]),
                percent(arm["fact_recall"]),
                str(arm["n_invented"]),
                f"{usage['n_calls'] + usage['n_cached']:.0f}",
                f"{usage['input_tokens']:.0f} / {usage['output_tokens']:.0f}",
            ]
        )
    header = ["arm", "all gold found", "difference", "21 passages changed", "facts, precision",
              "facts, recall", "invented", "calls", "tokens in / out"]  # fmt: skip
    return markdown(header, rows)


def reranking_table(run: dict[str, Any]) -> str:
    """What each stage of re-ranking gives, by index, claims and number of gold titles."""
    measured: dict[str, dict[str, dict[str, float]]] = run["measured"]
    arms = ["walk", "first scoring", "second scoring", "first candidates", "second candidates"]
    rows = [[name, *(percent(cell[arm]) for arm in arms)] for name, cell in measured.items()]
    return markdown(["index, claims / gold titles", *arms], rows)


def passage_length_table(run: dict[str, Any]) -> str:
    """What a longest passage of so many words gives."""
    arms: dict[str, dict[str, Any]] = run["max_words"]
    rows: list[list[str]] = []
    for words, arm in arms.items():
        found = [arm[kind]["all_gold_found@21"] for kind in ("walk", "re-ranked")]
        cells = [percent(one[size]) for one in found for size in ("all", "3", "4")]
        rows.append(["no limit" if words == "0" else words,
                     f"{arm['n_passages']:,}", *cells])  # fmt: skip
    kinds = [f"{kind}, {size}" for kind in ("walk", "re-ranked") for size in ("all", "3", "4")]
    return markdown(["words", "passages", *kinds], rows)


def triples_table(run: dict[str, Any]) -> str:
    """Agreement of the rule triples with a language model's, under both rules of matching."""
    rows = [
        [rule, *(percent(run[key][measure]) for measure in ("precision", "recall", "f1"))]
        for rule, key in (("names match in part", "matching_rule"), ("names are equal", "exact"))
    ]
    return markdown(["(subject, object) pairs", "precision", "recall", "F1"], rows)


def build_table(run: dict[str, Any]) -> str:
    """Wall time, its stages and peak memory of every build."""
    builds: dict[str, dict[str, Any]] = run["builds"]
    stages = ["read", "names", "scan", "triples", "graph", "vectors"]
    rows = [
        [
            name,
            f"{build['n_passages']:,}",
            f"{build['wall_seconds'] / 60:.1f}",
            *(f"{build['stage_seconds'].get(stage, 0):.0f}" for stage in stages),
            f"{build['peak_gib']:.1f}",
            build["note"],
        ]
        for name, build in builds.items()
    ]
    return markdown(["recipe", "passages", "minutes", *(f"{s}, s" for s in stages),
                     "peak GiB", "note"], rows)  # fmt: skip


def scale_table(run: dict[str, Any]) -> str:
    """Cost of builds and answers by size of the corpus."""
    rows: list[list[str]] = []
    for size in sorted(run["sizes"], key=int):
        cell = run["sizes"][size]
        build, queries, warmed_up = cell["build"], cell["queries"], cell["warmed_up"]
        rows.append([
            f"{build['counts']['n_passages']:,}",
            f"{build['counts']['n_edges'] / 1e6:.0f}",
            f"{build['wall_seconds'] / 60:.0f}",
            f"{max(build['stage_seconds'].values()) / 60:.0f}",
            f"{build['peak_gib']:.1f}",
            f"{build['index_bytes'] / 1e9:.1f}",
            f"{queries['open_seconds']:.1f}",
            f"{queries['first_answer_seconds']:.1f}",
            *(f"{queries['ms'][name]['p50']:.0f} / {queries['ms'][name]['p95']:.0f}"
              for name in ("cold", "warm")),
            f"{queries['dense_ms']['p50']:.0f} / {queries['dense_ms']['p95']:.0f}",
            f"{warmed_up['warm_up_seconds']:.0f}",
            f"{warmed_up['ms']['cold']['p50']:.0f} / {warmed_up['ms']['cold']['p95']:.0f}",
            f"{warmed_up['reader_gib']['VmRSS']:.1f} / {warmed_up['reader_gib']['VmHWM']:.1f}",
            cell["note"],
        ])  # fmt: skip
    return markdown(
        ["passages", "M edges", "minutes", "longest stage", "peak GiB", "index GB", "open, s",
         "first answer, s", "p50 / p95 ms, each claim first", "again", "`dense`",
         "warm-up, s", "then each claim first", "its reader, GiB: at the end / at most",
         "note"], rows)  # fmt: skip


PARTS: Final = {
    "the graph": ("graph_",),
    "postings": ("posting_",),
    "texts": ("text_",),
    "vectors of passages": ("passage_codes", "passage_scales"),
    "terms of passages": ("terms.npy", "term_indptr", "title_lengths"),
    "names and facts of passages, their titles and links": (
        "mention", "heads", "facts", "fact_indptr", "passage_facts", "passages", "predicates"),
}  # fmt: skip


def parts_table(run: dict[str, Any]) -> str:
    """What the largest index is made of."""
    build = run["sizes"][max(run["sizes"], key=int)]["build"]
    n_passages, whole = build["counts"]["n_passages"], build["index_bytes"]
    parts = {
        part: sum(n for file, n in build["file_bytes"].items() if file.startswith(beginnings))
        for part, beginnings in PARTS.items()
    }
    parts["all else"] = whole - sum(parts.values())
    return markdown(
        [f"{n_passages:,} passages", "bytes a passage", "%", "MB"],
        [[part, f"{n / n_passages:.0f}", f"{100 * n / whole:.0f}", f"{n / 1e6:,.0f}"]
         for part, n in parts.items()],
    )  # fmt: skip


def stores_table(run: dict[str, Any]) -> str:
    """What each store takes, by what it holds."""
    rows: list[list[str]] = []
    for part, quality in (("texts", "same"), ("bm25", "overlap"), ("vectors", "recall")):
        for name, cell in run[part].items():
            seconds = f"{cell['seconds']:.0f}" if "seconds" in cell else ""
            rows.append([
                part, name, f"{cell['bytes'] / run['n_passages']:.0f}", seconds,
                f"{cell['ms']:.2f}", f"{100 * cell[quality]:.1f}",
            ])  # fmt: skip
    return markdown(
        ["", "store", "bytes a passage", "made in, s", "ms a claim", "the same, %"], rows
    )


def quality_table(run: dict[str, Any]) -> str:
    """all_gold_found@21 by size of the corpus, and what the trend says of the full one."""
    cells = sorted(run["quality"].values(), key=lambda cell: cell["n_passages"])
    counts = sorted(set(cells[0]["all_gold_found@21"]) - {"all"})
    rows = [
        [f"{c['n_passages']:,}", *(percent(c["all_gold_found@21"][n]) for n in counts)]
        for c in cells
    ]
    full = [percent(run["trend"][n]["at_full_corpus"]) for n in counts]
    return markdown(["passages", *(f"{n} gold titles" for n in counts)],
                    [*rows, ["5,230,000, **extrapolated**", *full]])  # fmt: skip


def replicas_table(run: dict[str, Any]) -> str:
    """Answers and memory of one reader and of two."""
    rows: list[list[str]] = []
    for way, by_count in run["readers"].items():
        for n, cell in by_count.items():
            memory, latency = cell["readers_mib"], cell["latency_ms"]
            rows.append([
                way, n, f"{cell['answers_a_second']:.1f}",
                f"{latency['p50']:.0f} / {latency['p95']:.0f}", str(cell["n_errors"]),
                *(f"{memory[key] / 1024:.2f}"
                  for key in ("rss", "pss", "pss_of_files", "pss_of_its_own")),
                f"{cell['largest_peak_mib'] / 1024:.2f}",
                f"{cell['largest_peak_with_verifications_mib'] / 1024:.2f}",
                f"{cell['all_mib']['pss'] / 1024:.2f}",
            ])  # fmt: skip
    return markdown(
        ["by", "readers", "answers a second", "p50 / p95 ms", "errors", "RSS, summed, GiB",
         "PSS", "of it files", "its own", "RSS of one, at most",
         "then with verifications", "PSS with Ray's processes"], rows)  # fmt: skip


def load(pattern: str) -> list[dict[str, Any]]:
    """Results of that name, in the order of their names."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(RESULTS.glob(pattern))]


def readme_text() -> str:
    """The README's part: retrieval on every data set."""
    parts = [f"{title_of(run)}\n\n{retrieval_table(run)}" for run in load("hover-*.json")]
    intro = (
        "`all_gold_found@21` in %, with 95 % intervals: the share of claims whose gold titles\n"
        "are all among the 21 passages. No language model. The corpora are far smaller than the\n"
        "5.23 million passages of published figures, which these must not be put beside.\n"
        "Latencies are of two processor cores, some taken beside other work.\n\n"
    )
    parts += [
        "**What it takes**, by the recipe `default-fast`, of copies of wide under other names\n\n"
        + scale_table(run)
        for run in load("scale.json")
    ]
    return intro + "\n".join(parts)


def benchmarks_text() -> str:
    """The benchmarks' README: retrieval, then ablations."""
    parts = [f"### {title_of(run)}\n\n{retrieval_table(run)}" for run in load("hover-*.json")]
    parts += [
        f"### Ablation, {run['index']}, `{run['claims']}`, n = {run['n']}\n\n{ablation_table(run)}"
        for run in load("ablation-*.json")
    ]
    parts += [
        f"### The walk and programs that hop, {run['index']}, `{run['claims']}`, n = {run['n']}\n\n"
        f"{hops_table(run)}"
        for run in load("hops-*.json")
    ]
    parts += [
        f"### The published method as the corpus grows, `{run['claims']}`, "
        f"n = {next(iter(run['indexes'].values()))['n']}\n\n{growth_table(run)}"
        for run in load("against_hipporag2.json")
    ]
    parts += [
        f"### Hypotheses, {run['index']}, `{run['claims']}`\n\n{hypothesis_table(run)}"
        for run in load("hypothesis_report.json")
    ]
    parts += [
        f"### Hops by BM25, {run['index']}, `{run['claims']}`, n = {run['n']}\n\n"
        f"{iterative_bm25_table(run)}"
        for run in load("iterative_bm25.json")
    ]
    parts += [
        f"### The fact filter, {run['index']}, `{run['claims']}`, "
        f"{run['language_model'] or 'no model'}, n = {run['n']}\n\n"
        f"{fact_filter_table(run)}"
        for run in load("fact_filter-*.json")
    ]
    parts += [
        f"### The local walk, {run['index']}, `{run['claims']}`, "
        f"n = {next(iter(run['against_1e-07'].values()))['n']}, beside eps 1e-07\n\n"
        f"{local_walk_table(run)}\nA batch: "
        + " and ".join(
            f"{rate:.0f} claims a second with {workers.replace('_', ' ')}"
            for workers, rate in run["claims_a_second"].items()
        )
        + "."
        for run in load("local_walk-*.json")
    ]
    parts += [
        f"### The verifier, {run['index']}, `{run['claims']}`, {run['evidence']} evidence"
        f"{', names swapped' if run['swapped'] else ''}, {run['language_model'] or 'no model'}, "
        f"n = {run['rules']['n']}\n\n{verifier_table(run)}"
        for run in load("verifier-*.json")
    ]
    parts += [
        f"### Passages that a claim is held against, {run['index']}, `{run['claims']}`\n\n"
        f"{passages_table(run)}"
        for run in load("verifier_passages.json")
    ]
    parts += [
        f"### Re-ranking, on claims that the trees did not see\n\n{reranking_table(run)}"
        for run in load("train_reranker.json")
    ]
    parts += [
        f"### Triples, {run['n_passages']:,} MuSiQue passages\n\n{triples_table(run)}"
        for run in load("triples_f1.json")
    ]
    parts += [
        f"### Builds, on two processor cores\n\n{build_table(run)}"
        for run in load("build_cost.json")
    ]
    parts += [
        f"### Growth, on two processor cores\n\n{scale_table(run)}\n"
        f"{parts_table(run)}\n{quality_table(run)}"
        for run in load("scale.json")
    ]
    parts += [
        f"### Stores, {run['n_passages']:,} passages, n = {run['n']}\n\n{stores_table(run)}"
        for run in load("stores.json")
    ]
    parts += [
        f"### Readers of one index, {run['n_passages']:,} passages, `{run['claims']}`, "
        f"{run['n_clients']} clients, on two processor cores\n\n{replicas_table(run)}"
        for run in load("replicas*.json")
    ]
    parts += [
        f"### Longest passage, `{run['corpus']}`, n = {run['n']}\n\n{passage_length_table(run)}"
        for run in load("passage_length.json")
    ]
    return "\n".join(parts)


def main() -> int:
    """Write both files, or compare them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    check: bool = parser.parse_args().check
    wrong: list[str] = []
    for path, text in ((ROOT / "README.md", readme_text()),
                       (ROOT / "benchmarks" / "README.md", benchmarks_text())):  # fmt: skip
        old = path.read_text(encoding="utf-8")
        new = _MARKED.sub(lambda match, body=text: match[1] + "\n" + body + "\n" + match[2], old)
        if new != old:
            wrong.append(path.name)
            if not check:
                path.write_text(new, encoding="utf-8")
    if check and wrong:
        print(f"not what benchmarks/results says: {', '.join(wrong)}: run benchmarks/tables.py")
    return int(check and bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
