"""Write the tables of README.md and benchmarks/README.md from benchmarks/results.

python benchmarks/tables.py            # rewrites the text between the marks
python benchmarks/tables.py --check    # exit code 1 when it is not what the results say
"""

import argparse
import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from model_tables import (
    evidence_table,
    fact_candidates_table,
    fact_filter_table,
    hypothesis_table,
    passages_table,
    triples_table,
    verifier_table,
)
from retrieval_tables import (
    ablation_table,
    choices_table,
    domain_details,
    domains_table,
    found_table,
    growth_table,
    hops_table,
    iterative_bm25_table,
    local_walk_table,
    passage_length_table,
    peers_table,
    published_table,
    reranking_table,
    retrieval_table,
    tuning_table,
)
from size_tables import (
    against_table,
    build_table,
    grown_lists_table,
    install_sentence,
    install_table,
    lists_table,
    replicas_table,
    row_table,
    scale_table,
    sizes_tables,
    stores_table,
    updates_table,
)
from table_cells import Run

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"
_MARKED = re.compile(r"(<!-- results: [^>]*-->\n).*?(<!-- end of results -->)", re.DOTALL)


class Section(NamedTuple):
    """A table of each result whose file's name matches: the transformer's first, then by name.

    A title names fields of the result in braces, or is made from it.
    """

    title: str | Callable[[Run], str]
    files: str
    table: Callable[[Run], str]

    def texts(self, heading: str = "") -> list[str]:
        """The tables, each below its title."""
        found = RESULTS.glob(self.files)
        files = sorted(found, key=lambda file: ("-minilm-" not in file.name, file.name))
        runs = [result(file.name) for file in files]
        return [f"{heading}{self._title(run)}\n\n{self.table(run)}" for run in runs]

    def _title(self, run: Run) -> str:
        return self.title.format_map(run) if isinstance(self.title, str) else self.title(run)


def growth(run: Run) -> str:
    """Title of the published method's table."""
    n = next(iter(run["indexes"].values()))["n"]
    return f"The published method (HippoRAG 2) as the corpus grows, `{run['claims']}`, n = {n}"


def fact_filter(run: Run) -> str:
    """Title of the fact filter's table."""
    return f"The fact filter, {asked(run)}, {model(run)}, n = {run['n']}"


def local_walk(run: Run) -> str:
    """Title of the local walk's table."""
    n = next(iter(run["against_1e-07"].values()))["n"]
    return f"The local walk, {asked(run)}, n = {n}, compared with eps 1e-07"


def verifier(run: Run) -> str:
    """Title of the verifier's table."""
    evidence = f"{run['evidence']} evidence{', names swapped' if run['swapped'] else ''}"
    return f"The verifier, {asked(run)}, {evidence}, {model(run)}, n = {run['rules']['n']}"


def asked(run: Run) -> str:
    """The index of a run, and its claims."""
    return f"{run['index']}, `{run['claims']}`"


def model(run: Run) -> str:
    """The language model of a run."""
    return run["language_model"] or "no model"


RETRIEVAL: Final = Section(
    "{index} ({counts[n_passages]:,} passages), `{claims}`, n = {n}",
    "hover-*.json",
    retrieval_table,
)
DOMAINS: Final = Section(
    "By domain: `all_gold_found@21` / recall@21 / `all_gold_found@100` in %. Star: this "
    "baseline finds more with `query.one_per_document` off. Intervals: over groups of claims that "
    "share two gold titles",
    "domains*.json",
    domains_table,
)
WIKIPEDIA: Final = {
    "Wikipedia, HoVer claims": "hover-wide-fast-dev.json",
    "Wikipedia, HotpotQA": "hover-wide-fast-hotpot.json",
}
BENCHMARKS: Final = (
    RETRIEVAL,
    DOMAINS,
    Section("By domain, in detail", "domains*.json", domain_details),
    Section("By domain, without titles", "untitled.json", domains_table),
    Section("Ablation, {index}, `{claims}`, n = {n}", "ablation-*.json", ablation_table),
    Section("Design choices without a setting", "choices.json", choices_table),
    Section(
        "The walk compared with multi-hop programs, {index}, `{claims}`, n = {n}",
        "hops-*.json",
        hops_table,
    ),
    Section(growth, "against_hipporag2.json", growth_table),
    Section("Published graph methods", "against_linearrag.json", published_table),
    Section("Other programs, unmodified", "against_peers.json", peers_table),
    Section("Hypotheses, {index}, `{claims}`", "hypothesis_report.json", hypothesis_table),
    Section(
        "Multi-hop search by BM25, {index}, `{claims}`, n = {n}",
        "iterative_bm25.json",
        iterative_bm25_table,
    ),
    Section(fact_filter, "fact_filter-*.json", fact_filter_table),
    Section(
        "Facts to choose from, {index}, `{claims}`, n = {n}, %",
        "fact_candidates-*.json",
        fact_candidates_table,
    ),
    Section(local_walk, "local_walk-*.json", local_walk_table),
    Section(verifier, "verifier-*.json", verifier_table),
    Section(
        "The verifier by number of passages compared with a claim, {index}, `{claims}`",
        "verifier_passages.json",
        passages_table,
    ),
    Section(
        "The model of evidence, given evidence, %. Star: a set from which nothing that "
        "ships may learn",
        "evidence.json",
        evidence_table,
    ),
    Section(
        "Re-ranking, on claims that the trees were not trained on",
        "train_reranker.json",
        reranking_table,
    ),
    Section(
        "Tuned on half of the claims, {corpus}, `{claims}`, n = {n}", "tune*.json", tuning_table
    ),
    Section("Triples, {n_passages:,} MuSiQue passages", "triples_f1.json", triples_table),
    Section("Builds, on two processor cores", "build_cost.json", build_table),
    Section(
        "Cost and quality as the corpus grows, on two processor cores", "scale.json", sizes_tables
    ),
    Section(
        "Cost alone: recipe `default-fast`, copies of wide under other names",
        "scale.json",
        scale_table,
    ),
    Section(
        "Inverted lists compared with comparing all vectors", "passage_lists.json", lists_table
    ),
    Section(
        "The same search alone, among vectors of copies of wide under other names",
        "passage_lists-grown.json",
        grown_lists_table,
    ),
    Section(
        "Install, {machine}, Python {python}; load: processes that wanted a processor",
        "install.json",
        install_table,
    ),
    Section("Updates, {n_passages:,} passages", "updates.json", updates_table),
    Section(
        "Random updates of `{corpus}`, compared with a build",
        "updates_against_a_build.json",
        against_table,
    ),
    Section("Consecutive updates of `{corpus}`", "updates_in_a_row.json", row_table),
    Section("Stores, {n_passages:,} passages, n = {n}", "stores.json", stores_table),
    Section(
        "Readers of one index, {n_passages:,} passages, `{claims}`, {n_clients} clients, on two "
        "processor cores",
        "replicas*.json",
        replicas_table,
    ),
    Section("Longest passage, `{corpus}`, n = {n}", "passage_length.json", passage_length_table),
)


def text_of(sections: Sequence[Section], heading: str = "") -> str:
    """All tables of a page."""
    return "\n".join(text for section in sections for text in section.texts(heading))


def readme() -> str:
    """The README's table, and what an install takes."""
    wikipedia = {name: result(file) for name, file in WIKIPEDIA.items()}
    found = found_table(wikipedia, result("domains.json"))
    return f"{found}\n{install_sentence(result('install.json'))}\n"


def result(file: str) -> Run:
    """What a script wrote."""
    return json.loads((RESULTS / file).read_text(encoding="utf-8"))


def main() -> int:
    """Write both files, or compare them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    check: bool = parser.parse_args().check
    pages = {
        ROOT / "README.md": readme(),
        ROOT / "benchmarks" / "README.md": text_of(BENCHMARKS, "### "),
    }
    wrong: list[str] = []
    for path, text in pages.items():
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
