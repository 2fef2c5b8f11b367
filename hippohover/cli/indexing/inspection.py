"""The command ``inspect``."""

from typing import TYPE_CHECKING, Any

from hippohover import trust
from hippohover.cli.indexing.description import (
    cache_bytes,
    describe_index,
    edges_by_type,
    notes_on,
    own_ranking,
    read_counts,
    triples_file,
    vectors_in_words,
)
from hippohover.cli.indexing.files_read import files_in_words, same_in_words
from hippohover.cli.indexing.overview import found_themes, print_themes
from hippohover.cli.options import Json, option
from hippohover.cli.output import (
    console,
    counted,
    n_bytes_in_words,
    plain,
    print_json,
    progress,
    shortened,
)
from hippohover.cli.which_index import THE_DEFAULT, TheIndex
from hippohover.errors import IndexDamagedError, as_installed
from hippohover.store.reader import StoredIndex
from hippohover.store.segments.opening import content_problems
from hippohover.vectors.choice import AUTO

if TYPE_CHECKING:
    from hippohover.overview.themes import Themes

_SHOWN_FAILURES = 20


def inspect_index(
    index: TheIndex = THE_DEFAULT,
    verify: bool = option(False, "Check every checksum.", "--verify"),
    communities: bool = option(
        False, "Show its themes: groups of documents that name each other.", "--communities"
    ),
    confirm: bool = option(
        False,
        "Let updates and queries of this index, here, use the model, address, variable and encoder "
        "that it names: do so if you know where it comes from.",
        "--confirm",
    ),
    as_json: Json = False,
) -> None:
    """Show what an index holds. Counts, sizes, recipe, models and failures.

    Example:  hippohover inspect index/mine --verify
    """
    problems: list[str] | None = None
    themes: Themes | None = None
    with progress() as report:
        stored = StoredIndex.open(index, check=not verify, progress=report)
        if verify:
            problems = stored.verify(lambda done, total: report("checking", done, total))
            problems = problems or content_problems(stored)
        if communities and not problems:
            themes = found_themes(stored, report)
    with stored:
        if confirm and not problems:
            trust.confirm(stored.root, stored.recipe(), triples_file(stored).get("path"))
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
    for kind, n in edges_by_type(manifest).items():
        n_joined = counts.get(f"n_passages_joined_by_{kind}")
        told = "" if n_joined is None else f"join {n_joined:,} passages with another document"
        table.add_row(f"  {kind}", f"{n:,}", told)
    table.add_row("joined", f"{counts['n_passages_joined']:,}", "passages, by any of these")
    lost = f"{counts['n_unresolved_links']:,} lead to no document"
    table.add_row("links", f"{counts['n_links']:,}", lost if counts["n_links"] else "")
    if n_by_words := counts.get("n_found_by_words"):
        told = f"sentences found by vectors, {n_by_words:,} by words: what vectors count"
        table.add_row("encoder", f"{counts['n_found_by_vectors']:,}", told)
    if n_by_rules := counts["n_extracted_by_rules"]:
        table.add_row("by rules", f"{n_by_rules:,}", "passages that the language model failed at")
    sizes = sorted(stored.sizes().items(), key=lambda item: (-item[1], item[0]))
    largest = ", ".join(f"{name} {n_bytes_in_words(n)}" for name, n in sizes[:3])
    table.add_row("size", n_bytes_in_words(sum(n for _, n in sizes)), f"largest: {largest}")
    screen = console()
    screen.print(f"{plain(str(stored.folder))}  format {manifest.format_version}", style="bold")
    screen.print(table)
    screen.print(f"recipe  {manifest.recipe['name']}  {manifest.recipe_sha256[:12]}")
    _print_models(stored)
    if vectors := vectors_in_words(stored):
        screen.print(f"vectors  {vectors}")
    if own := own_ranking(stored):
        told = own.get("problem") or _ranking_in_words(own)
        screen.print(f"ranking  {plain(told)}")
    screen.print(f"cache  {n_bytes_in_words(cache_bytes(stored))}, for builds and updates")
    if n_unfinished := cache_bytes(stored, unfinished=True):
        size = n_bytes_in_words(n_unfinished)
        screen.print(
            f"unfinished  {size}: a build is running, or was stopped and continues if run again"
        )
    for note in notes_on(manifest):
        screen.print(f"note  {note}")
    if manifest.base is not None:
        screen.print(
            "note  entities, facts, edges and joined do not count the small updates: compact "
            "counts again"
        )
    _print_failures(stored)
    if problems is not None:
        screen.print("every checksum is right" if not problems else "DAMAGED")
        for problem in problems:
            screen.print(f"  {plain(problem)}")


def _print_models(stored: StoredIndex) -> None:
    """Print what reads passages and claims: what is used is what the recipe names."""
    recipe, screen = stored.recipe(), console()
    said = {"extractor": recipe.extractor}
    said |= {} if recipe.encoder == AUTO else {"encoder": recipe.encoder}
    for part, model in stored.manifest.models.items():
        about = {**model, "name": said.get(part, model.get("name", ""))}.values()
        screen.print(f"{part}  {plain('  '.join(value[:40] for value in about))}")
    for name, value in trust.outside(recipe).items():
        told = value if name != "triples" else triples_file(stored).get("path")
        is_confirmed = trust.is_confirmed(stored.root, name, value)
        which = "confirmed" if is_confirmed else "not confirmed, and so not used"
        screen.print(f"{which}  {plain(trust.in_words(name, told))}")


def _print_failures(stored: StoredIndex) -> None:
    screen = console()
    read = read_counts(stored)
    if files := files_in_words(read or {}):
        screen.print(f"files  {plain(files)}")
    if read is not None:
        screen.print(
            f"left out  {counted(read['n_duplicates'], 'duplicate')}, {read['n_empty']:,} empty, "
            f"{counted(read['n_older'], 'older version')}"
        )
    if same := same_in_words(read or {}):
        screen.print(f"the same  {plain(same)}")
    bad = read or {"n_bad_records": 0, "failures": []}
    failures = [*bad["failures"], *stored.manifest.failures]
    screen.print(f"failures  {bad['n_bad_records'] + stored.manifest.n_failures:,}")
    for failure in failures[:_SHOWN_FAILURES]:
        screen.print(f"  {shortened(as_installed(failure), 160)}")
    if len(failures) > _SHOWN_FAILURES:
        screen.print(f"  and {len(failures) - _SHOWN_FAILURES:,} more: see inspect --json")


def _ranking_in_words(own: dict[str, Any]) -> str:
    file, day = own["claims_file"], own["written"][:10]
    of, on = f" of {file}" if file else "", f" on {day}" if day else ""
    return f"its own, learned from {own['n_claims']:,} claims{of}{on}"
