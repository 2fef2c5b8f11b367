"""The commands ``build`` and ``inspect``."""

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hippohover.cli.indexing.files_read import failures_in_words, files_in_words
from hippohover.cli.indexing.overview import found_themes, print_themes
from hippohover.cli.model import ModelOptions
from hippohover.cli.output import (
    console,
    counted,
    n_bytes_in_words,
    note,
    plain,
    print_json,
    progress,
    shortened,
)
from hippohover.errors import IndexDamagedError, ModelError, UsageError
from hippohover.recipe import IndexRecipe
from hippohover.recipe_files import load_recipe
from hippohover.store.layout import RANKING
from hippohover.store.manifest import Manifest
from hippohover.store.reader import StoredIndex

if TYPE_CHECKING:
    from hippohover.overview.themes import Themes

_SHOWN_FAILURES = 20
_LEAST_JOINED = 0.2
"""Share of passages, under which a graph joins next to nothing (docs/corpus.md)."""
_FEWEST_DOCUMENTS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What the command ``build`` is asked for."""

    recipe: str
    corpus: Path | None
    out: Path | None
    limit: int | None
    workers: int | None
    model: ModelOptions
    root: Path | None = None
    aliases: Path | None = None
    triples: Path | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_bad_share: float | None = None
    runner: str = "local"
    address: str | None = None

    def loaded(self) -> IndexRecipe:
        """The recipe, with the language model and aliases of the command line for its own."""
        recipe = load_recipe(self.recipe)
        if self.triples is not None:
            own = {"extractor": "file", "triples": str(self.triples)}
            recipe = recipe.model_copy(update=own)
        recipe = asking(recipe, self.model)
        globs = {"include": self.include, "exclude": self.exclude}
        given: dict[str, object] = {name: value for name, value in globs.items() if value}
        if self.max_bad_share is not None:
            given["max_bad_share"] = self.max_bad_share
        recipe = recipe.model_copy(update={"corpus": recipe.corpus.model_copy(update=given)})
        if self.aliases is None:
            return recipe
        from hippohover.names.aliases import read_aliases

        return recipe.model_copy(update={"aliases": read_aliases(self.aliases)})


def asking(recipe: IndexRecipe, model: ModelOptions) -> IndexRecipe:
    """A recipe with the language model of the command line over its own.

    An address alone replaces the recipe's: texts go where the caller says.
    """
    asks = recipe.extractor.startswith("llm")
    if not model.is_named and not (asks and recipe.language_model is not None):
        model.check_nothing_is_lost()
        return recipe
    if not asks:
        raise UsageError(
            f"recipe {recipe.name!r} has extractor {recipe.extractor!r}, which asks no "
            'language model: set extractor = "llm" in the recipe, or leave --lm out'
        )
    known = None if model.is_named else recipe.language_model
    return recipe.model_copy(update={"language_model": model.settings(known)})


def build_index(work: Work, *, as_json: bool) -> None:
    """Build, then say where the index is and what it holds."""
    from hippohover.indexing.build import build

    start = time.perf_counter()
    with progress() as report:
        root = build(
            work.loaded(),
            corpus=work.corpus,
            root=work.root,
            out=work.out,
            limit=work.limit,
            workers=work.workers,
            budget=work.model.budget(),
            progress=report,
            runner="ray" if work.runner == "ray" else "local",
            address=work.address,
        )
        seconds = time.perf_counter() - start
        stored = StoredIndex.open(root, progress=report)
    with stored:
        if as_json:
            print_json({"index": str(root), "seconds": seconds, **describe_index(stored)})
            return
        counts = stored.manifest.counts
        console().print(
            f"{plain(str(root))}  {stored.version}  built in {seconds:.1f} s: "
            f"{counted(counts['n_passages'], 'passage')}, "
            f"{counted(counts['n_entities'], 'entity', 'entities')}, "
            f"{counted(counts['n_facts'], 'fact')}, {counted(counts['n_edges'], 'edge')}"
        )
        note_what_is_missing(stored)


def note_what_is_missing(stored: StoredIndex) -> None:
    """Say on stderr what of a corpus is not in the version that was made of it."""
    read = _read(stored) or {}
    if files := files_in_words(read):
        note(files)
    parts: list[str] = []
    if n_duplicates := read.get("n_duplicates"):
        parts.append(counted(n_duplicates, "duplicate"))
    if n_empty := read.get("n_empty"):
        parts.append(counted(n_empty, "document without text", "documents without text"))
    if n_older := read.get("n_older"):
        parts.append(counted(n_older, "older version of a document", "older versions of documents"))
    if parts:
        note(f"left out {', '.join(parts)}")
    for said, n_files in read.get("understood", {}).items():
        note(f"{said} (in {n_files:,} files)" if n_files > 1 else said)
    if n_by_rules := stored.manifest.counts["n_extracted_by_rules"]:
        read_so = counted(n_by_rules, "passage was", "passages were")
        note(f"{read_so} read by rules, where the language model failed")
    if n_missing := _triples_file(stored).get("n_missing"):
        n_passages = stored.manifest.counts["n_passages"]
        of_all = counted(n_passages, "passage has", "passages have")
        note(f"{n_missing:,} of {of_all} no entry in the file of triples")
    if n_unusable := _triples_file(stored).get("n_unusable"):
        note(f"{n_unusable:,} entries and triples of the file were not of their form")
    _note_failures(stored, read)
    if loose := what_is_loose(stored.manifest):
        note(loose)
    if problem := (own_ranking(stored) or {}).get("problem"):
        note(problem)


def _note_failures(stored: StoredIndex, read: Mapping[str, Any]) -> None:
    """Say what of a corpus could not be read, and which passages failed."""
    failed = failures_in_words(
        read.get("n_bad_records", 0), read.get("reasons", {}), read.get("failures", [])
    )
    if failed:
        note(f"{failed}: hippohover inspect names them")
    if n_failed := stored.manifest.n_failures:
        note(f"{counted(n_failed, 'passage')} failed: hippohover inspect shows why")


def what_is_loose(manifest: Manifest) -> str:
    """Why a graph joins next to nothing, and what helps; "" of one that joins enough."""
    counts = manifest.counts
    n_passages, n_joined = counts["n_passages"], counts["n_passages_joined"]
    if counts["n_documents"] < _FEWEST_DOCUMENTS or n_joined >= _LEAST_JOINED * n_passages:
        return ""
    n_links, n_lost = counts["n_links"], counts["n_unresolved_links"]
    links = "no record has links"
    if n_links:
        links = f"{n_lost:,} of {n_links:,} links lead to no document"
    return (
        f"{n_joined:,} of {n_passages:,} passages are joined with another document: few texts hold "
        f"a name that another has too, and {links}; give links or aliases, or expect answers as by "
        "BM25"
    )


def estimate_index(work: Work, *, method: str, as_json: bool) -> None:
    """Say what the language model of a build would cost."""
    from hippohover.indexing.corpus.source import corpus_path
    from hippohover.indexing.estimate import estimate
    from hippohover.indexing.work_folder import cache_of

    recipe = work.loaded()
    cache = cache_of(work.out or Path("index") / recipe.name)
    forecast = estimate(
        recipe,
        corpus_path(recipe, work.corpus, cache),
        cache=cache,
        method="offline" if method == "offline" else "sample",
        limit=work.limit,
        budget=work.model.budget(),
    )
    if forecast.n_failed:
        note(f"the replies for {forecast.n_failed} of {forecast.n_sampled} passages cannot be used")
    if as_json:
        print_json(forecast.as_dict())
        return
    cost = "at an unknown price" if forecast.cost_usd is None else f"${forecast.cost_usd:,.2f}"
    source = (
        f"from {forecast.n_sampled} passages" if forecast.n_sampled else "from their length alone"
    )
    console().print(
        f"{forecast.n_passages:,} passages: about {forecast.input_tokens:,} tokens in, "
        f"{forecast.output_tokens:,} out, {cost}, {forecast.hours:,.1f} hours ({source})"
    )


def inspect_index(index: Path, *, verify: bool, communities: bool, as_json: bool) -> None:
    """Show an index; with ``verify`` an ``IndexDamagedError`` follows when a file is damaged."""
    problems: list[str] | None = None
    themes: Themes | None = None
    with progress() as report:
        stored = StoredIndex.open(index, check=not verify, progress=report)
        if verify:
            problems = stored.verify(lambda done, total: report("checking", done, total))
        if communities and not problems:
            themes = found_themes(stored, report)
    with stored:
        if problems is not None and (problem := (own_ranking(stored) or {}).get("problem")):
            problems.append(problem)
        if as_json:
            told = {} if themes is None else {"communities": themes.as_dict()}
            print_json({**describe_index(stored), **told, "problems": problems})
        else:
            _print_index(stored, problems)
            if themes is not None:
                print_themes(themes)
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise IndexDamagedError(f"{problems[0]}{more}")


def describe_index(stored: StoredIndex) -> dict[str, Any]:
    """Everything that is known of an index, ready for JSON."""
    manifest = stored.manifest
    return {
        "folder": str(stored.folder),
        "version": stored.version,
        "format_version": manifest.format_version,
        **manifest.counts,
        "edges": _edges(manifest),
        "note": what_is_loose(manifest) or None,
        "ranking": own_ranking(stored),
        "n_bytes": sum(stored.sizes().values()),
        "files": stored.sizes(),
        "recipe": manifest.recipe,
        "recipe_sha256": manifest.recipe_sha256,
        "models": manifest.models,
        "dimensions": manifest.dimensions,
        "n_failures": manifest.n_failures,
        "failures": manifest.failures,
        "read": _read(stored),
        "triples_file": _triples_file(stored) or None,
        "cache_n_bytes": _cache_bytes(stored),
        "unfinished_n_bytes": _cache_bytes(stored, unfinished=True),
    }


def own_ranking(stored: StoredIndex) -> dict[str, Any] | None:
    """What an index's own ranking was learned from, or the ``problem`` with it; None without."""
    root = stored.folder.parent
    if not (root / RANKING).exists():  # few have one, and what reads it takes a second to import
        return None
    from hippohover.retrieval.reranking.tuned import ranking_of

    try:
        ranking = ranking_of(None, root, stored.manifest.models.get("encoder", {}))
    except ModelError as error:
        return {"problem": str(error)}
    return None if ranking is None else ranking.origin()


def _ranking_in_words(own: dict[str, Any]) -> str:
    file, day = own["claims_file"], own["written"][:10]
    of, on = f" of {file}" if file else "", f" on {day}" if day else ""
    return f"its own, learned from {own['n_claims']:,} claims{of}{on}"


def _read(stored: StoredIndex) -> dict[str, Any] | None:
    """What the reading of the corpus counted, of a build or of an ``add``; the log alone says."""
    from pydantic import TypeAdapter, ValidationError

    from hippohover.indexing.corpus.stream import CorpusCounts

    try:
        counts = TypeAdapter(CorpusCounts).validate_python((stored.log() or {}).get("read"))
    except ValidationError:  # a deletion reads nothing, and a log has no checksum
        return None
    return asdict(counts)


def _triples_file(stored: StoredIndex) -> dict[str, Any]:
    """What a build's log says of the file that its triples are from."""
    of_file = (stored.log() or {}).get("triples_file")
    return of_file if isinstance(of_file, dict) else {}


def _cache_bytes(stored: StoredIndex, *, unfinished: bool = False) -> int:
    """Size of what later builds and updates need not make again, or of an unfinished one's part."""
    from hippohover.indexing.work_folder import WORK, cache_of

    cache = cache_of(stored.folder.parent)
    files = (cache / WORK if unfinished else cache).rglob("*")
    return sum(path.stat().st_size for path in files if path.is_file())


def _edges(manifest: Manifest) -> dict[str, int]:
    """Number of edges by type."""
    return {
        name.removeprefix("n_").removesuffix("_edges"): n
        for name, n in manifest.counts.items()
        if name.endswith("_edges") and name != "n_edges"
    }


def _print_index(stored: StoredIndex, problems: list[str] | None) -> None:
    from rich.table import Table

    manifest = stored.manifest
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2))
    table.add_column(style="bold")
    table.add_column(justify="right")
    table.add_column(style="dim")
    counts = manifest.counts
    for name in ("documents", "passages", "entities", "facts", "edges"):
        table.add_row(name, f"{counts[f'n_{name}']:,}", "")
    for kind, n in _edges(manifest).items():
        n_joined = counts.get(f"n_passages_joined_by_{kind}")
        told = "" if n_joined is None else f"join {n_joined:,} passages with another document"
        table.add_row(f"  {kind}", f"{n:,}", told)
    table.add_row("joined", f"{counts['n_passages_joined']:,}", "passages, by any of these")
    lost = f"{counts['n_unresolved_links']:,} lead to no document"
    table.add_row("links", f"{counts['n_links']:,}", lost if counts["n_links"] else "")
    if n_by_rules := counts["n_extracted_by_rules"]:
        table.add_row("by rules", f"{n_by_rules:,}", "passages that the language model failed at")
    sizes = sorted(stored.sizes().items(), key=lambda item: (-item[1], item[0]))
    largest = ", ".join(f"{name} {n_bytes_in_words(n)}" for name, n in sizes[:3])
    table.add_row("size", n_bytes_in_words(sum(n for _, n in sizes)), f"largest: {largest}")
    screen = console()
    screen.print(f"{plain(str(stored.folder))}  format {manifest.format_version}", style="bold")
    screen.print(table)
    screen.print(f"recipe  {manifest.recipe.get('name')}  {manifest.recipe_sha256[:12]}")
    for part, model in manifest.models.items():
        screen.print(f"{part}  {plain('  '.join(value[:40] for value in model.values()))}")
    if own := own_ranking(stored):
        told = own.get("problem") or _ranking_in_words(own)
        screen.print(f"ranking  {plain(told)}")
    screen.print(f"cache  {n_bytes_in_words(_cache_bytes(stored))}, for builds and updates")
    if n_unfinished := _cache_bytes(stored, unfinished=True):
        size = n_bytes_in_words(n_unfinished)
        screen.print(
            f"unfinished  {size} of it: a build runs, or was stopped and goes on if run again"
        )
    if loose := what_is_loose(manifest):
        screen.print(f"note  {loose}")
    if manifest.base is not None:
        screen.print(
            "note  entities, facts, edges and joined are counted as before the updates that stand "
            "beside: compact counts again"
        )
    _print_failures(stored)
    if problems is not None:
        screen.print("every checksum is right" if not problems else "DAMAGED")
        for problem in problems:
            screen.print(f"  {plain(problem)}")


def _print_failures(stored: StoredIndex) -> None:
    screen = console()
    read = _read(stored)
    if files := files_in_words(read or {}):
        screen.print(f"files  {plain(files)}")
    if read is not None:
        screen.print(
            f"left out  {counted(read['n_duplicates'], 'duplicate')}, {read['n_empty']:,} empty, "
            f"{counted(read['n_older'], 'older version')}"
        )
    bad = read or {"n_bad_records": 0, "failures": []}
    failures = [*bad["failures"], *stored.manifest.failures]
    screen.print(f"failures  {bad['n_bad_records'] + stored.manifest.n_failures:,}")
    for failure in failures[:_SHOWN_FAILURES]:
        screen.print(f"  {shortened(failure, 160)}")
    if len(failures) > _SHOWN_FAILURES:
        screen.print(f"  and {len(failures) - _SHOWN_FAILURES:,} more: see inspect --json")
