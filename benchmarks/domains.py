"""What do the retrievers find on documents and questions that are not Wikipedia's?

    python benchmarks/domains.py FOLDER --work WORK --out benchmarks/results/domains.jsonl \\
        --index exfever=INDEX --corpus obsidian-vault=FOLDER

A domain is a corpus with its claims: ``NAME-corpus.jsonl[.gz]`` of FOLDER with every
``NAME-claims*.jsonl`` and ``NAME-questions*.jsonl``, or ``--corpus NAME=FILE_OR_FOLDER`` with
``--claims NAME=FILE``. A corpus without claims takes those of the longest name that begins its own
up to a dash; such a set has its row, and counts in no mean over sets. ``--index NAME=PATH`` is a
corpus that stands indexed, and is measured by the recipe that it was built with alone, and by the
ranking that ships, whether or not it carries one of its own. Gold names a document by its title,
or by the last part of its path.

Each corpus is built by each ``--recipe`` in WORK, where an index is used again as long as recipe,
corpus and the code that builds are the same. ``ppr`` is asked as the recipe says; each baseline
with ``query.one_per_document`` on and off, and the setting that finds more at 21 counts. Claims are
searched to depth 100, whose first 21 are the answer. Of files that label claims otherwise than
HoVer does, supported claims alone are asked. ``--variants lower,typos`` asks every set in lower
case and with two typos too.

What is measured goes, a line each, into the file of ``--out``: uids, ranks of the gold titles in
their order, numbers. A run that was stopped goes on there. What the file holds of the same index,
claims, settings and weights is kept, whatever code measured it: its revision is told, and
``--again RETRIEVER`` measures again. Means, intervals and differences go beside it, into ``.json``,
of which ``tables.py`` makes the tables.
"""

import argparse
import json
import platform
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np
from domain_indexes import Domain, domains, say
from domain_ranks import judge_by_the_same_trees, measure
from domain_sets import VARIANTS, ClaimSet
from domain_summary import BASELINES, Cell, Record, summary
from measurement import at_least, check_out, read_rows, run_script
from retrieval_tables import domain_details, domains_table

from hippohover.cli.settings import changed
from hippohover.evaluation.splits import groups
from hippohover.recipe import QuerySettings
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.registry import RETRIEVERS
from hippohover.retrieval.reranking import rerank
from hippohover.retrieval.reranking.tuned import SHIPPED

QUESTION = "What do the retrievers find on documents and questions that are not Wikipedia's?"


@dataclass(frozen=True, kw_only=True)
class Run:
    """What was asked for, and what is measured so far."""

    out: Path
    retrievers: Sequence[str]
    sampled: Sequence[str]
    n_sample: int
    changes: Sequence[str]
    again: set[str]
    kept: dict[str, Cell]

    def keep(self, cell: Cell) -> None:
        """Append a cell, or a set's line, to the results, unless it stands there."""
        if self.kept.get(cell["key"]) == cell:
            return
        self.kept[cell["key"]] = cell
        with self.out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(cell) + "\n")


def set_line(sets: Sequence[ClaimSet], own: ClaimSet) -> Cell:
    """What a set's claims have in common with the others of its domain, without a word of them.

    Groups are numbered over all sets of the corpus.
    """
    claims = [claim for other in sets for claim in other.claims]
    names = groups(claims)
    numbers = {name: at for at, name in enumerate(dict.fromkeys(names))}
    group_of = {claim.uid: numbers[name] for claim, name in zip(claims, names, strict=True)}
    return {
        "key": own.key,
        "corpus": own.corpus,
        "claims": own.file.name.partition(".")[0],
        "variant": own.variant,
        "is_own": own.is_own,
        "claims_sha256": own.sha256,
        "uids": [claim.uid for claim in own.claims],
        "groups": [group_of[claim.uid] for claim in own.claims],
        "n_gold": [len(claim.gold_titles) for claim in own.claims],
        "heading_places": list(own.headings()),
        "n_scored_by_unseen_trees": sum(map(rerank.was_learned_from, own.written)),
    }


def measure_domain(run: Run, domain: Domain) -> None:
    """Every set of a corpus by every retriever, with the settings that count for it."""
    own = HippoHover.open(domain.index)
    settings = changed(own.stored.recipe().query, run.changes)
    documents = own.tables.arrays.documents
    one_passage_each = len(np.unique(documents)) == own.n_passages
    own.close()
    for name in (*run.retrievers, *run.sampled):
        both = name in BASELINES and not one_passage_each
        for one_per_document in (True, False) if both else (settings.one_per_document,):
            chosen = settings.model_copy(update={"one_per_document": one_per_document})
            measure_arm(run, domain, name, chosen)


def measure_arm(run: Run, domain: Domain, name: str, settings: QuerySettings) -> None:
    """One retriever with claim_set setting on every set of a corpus, but for what is kept."""
    engine = HippoHover.open(domain.index, settings=settings, ranking=SHIPPED)
    manifest = engine.stored.folder / "manifest.json"
    for claim_set in domain.sets:
        places = sample(len(claim_set.claims), run.n_sample if name in run.sampled else None)
        cell: Cell = {
            "key": f"{claim_set.key} | {domain.recipe} | {name} | {settings.one_per_document}",
            "set": claim_set.key,
            "recipe": domain.recipe,
            "retriever": name,
            "one_per_document": settings.one_per_document,
            "index_sha256": sha256(manifest.read_bytes()).hexdigest(),
            "claims_sha256": claim_set.sha256,
            "places": None if len(places) == len(claim_set.claims) else places,
        }
        before = run.kept.get(cell["key"], {})
        if name not in run.again and before.items() >= cell.items():
            say(f"{cell['key']}: kept, measured at revision {before['revision']}")
            continue
        cell |= {
            "recipe_sha256": engine.manifest.recipe_sha256,
            "counts": engine.manifest.counts,
            "revision": revision(),
            "machine": f"{platform.machine()}, Python {platform.python_version()}",
        }
        judge_by_the_same_trees(claim_set)
        run.keep(cell | measure(engine, claim_set, places, name, cell["key"]))
    engine.close()


def sample(n_claims: int, n: int | None) -> list[int]:
    """Places of ``n`` claims drawn with a fixed seed, in their order; all when None."""
    if n is None or n >= n_claims:
        return list(range(n_claims))
    return sorted(np.random.default_rng(0).choice(n_claims, n, replace=False).tolist())


@cache
def revision() -> str:
    """The git revision that is measured, with a plus where files differ from it."""
    done = subprocess.run(
        ["git", "describe", "--always", "--abbrev=7", "--dirty=+", "--exclude=*"],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parent,
    )
    return done.stdout.strip() or "unknown"


def check_holds_no_text(lines: Sequence[Record], sets: Sequence[ClaimSet]) -> None:
    """Refuse to write what is not ours: no claim and no title, but uids and numbers."""
    claims = [claim for claim_set in sets for claim in claim_set.claims]
    texts = {claim.claim for claim in claims} | {t for c in claims for t in c.gold_titles}
    own = {claim.uid for claim in claims} | set(RETRIEVERS)
    if found := set(_texts(lines)) & (texts - own):
        raise SystemExit(f"error: results would hold a text of the corpus, {min(found)!r}")


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, content in value.items():
            yield str(key)
            yield from _texts(content)
    elif isinstance(value, Sequence):
        for content in value:
            yield from _texts(content)


def _named(text: str) -> tuple[str, Path]:
    name, equals, path = text.partition("=")
    if not name or not equals or not path:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=PATH")
    if not Path(path).exists():
        raise argparse.ArgumentTypeError(f"{path!r} is not there")
    return name, Path(path)


def _variants(text: str) -> list[str]:
    names = text.split(",")
    if not set(names) <= VARIANTS.keys():
        raise argparse.ArgumentTypeError(f"{text!r}: name {' or '.join(VARIANTS)}, or both by a ,")
    return names


def options() -> argparse.ArgumentParser:
    """The options of the script."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--out", type=Path, required=True, help="a .jsonl file")
    parser.add_argument("--work", type=Path, required=True, help="folder of the indexes")
    for option in ("corpus", "claims", "index"):
        parser.add_argument(
            f"--{option}", action="append", type=_named, default=[], metavar="NAME=PATH"
        )
    parser.add_argument("--recipe", action="append", help="default-fast and default-spacy")
    parser.add_argument("--only", action="append", metavar="NAME", help="corpora to measure")
    parser.add_argument("--retriever", action="append", choices=RETRIEVERS)
    parser.add_argument("--sampled", action="append", choices=RETRIEVERS, default=[])
    parser.add_argument("--sample", type=at_least(1), default=200, help="claims of a sample (200)")
    parser.add_argument("--variants", type=_variants, default=[], help="lower,typos")
    parser.add_argument("--again", action="append", choices=RETRIEVERS, default=[])
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    return parser


def main() -> None:
    """Build, measure, write, and print the tables."""
    parser = options()
    arguments = parser.parse_args()
    out: Path = arguments.out
    if out.suffix != ".jsonl":
        parser.error("--out: name a file that ends in .jsonl")
    check_out(out)
    arguments.work.mkdir(parents=True, exist_ok=True)
    identity: Record = {
        "question": QUESTION,
        "rerank_weights_sha256": rerank.weights_sha256(),
        "settings": arguments.set,
        "n_sample": arguments.sample,
    }
    run = Run(
        out=out,
        retrievers=[
            name
            for name in arguments.retriever or ("ppr", *BASELINES)
            if name not in arguments.sampled
        ],
        sampled=arguments.sampled,
        n_sample=arguments.sample,
        changes=arguments.set,
        again=set(arguments.again),
        kept={cell["key"]: cell for cell in read_rows(out, identity)},
    )
    ready = list(domains(arguments))
    if not ready:
        raise SystemExit("error: there is nothing to measure: give a folder, --corpus or --index")
    for domain in ready:
        for claim_set in domain.sets:
            run.keep(set_line(domain.sets, claim_set))
        measure_domain(run, domain)
    sets = [claim_set for domain in ready for claim_set in domain.sets]
    result = identity | summary(list(run.kept.values()))
    lines = [identity, *run.kept.values()]  # of each cell, the last
    check_holds_no_text([*lines, result], sets)
    out.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    text = json.dumps(result, indent=1) + "\n"
    out.with_suffix(".json").write_text(text, encoding="utf-8")
    print(domains_table(result), domain_details(result), sep="\n")


if __name__ == "__main__":
    run_script(main)
