"""The commands that build, change and look at an index."""

from dataclasses import replace
from pathlib import Path

import typer

from hippohover.cli.groups.indexes import Added, Exported, Syncing, Work
from hippohover.cli.model import RecipeModel
from hippohover.cli.options import Index, Json, Workers, argument, one_of, option
from hippohover.cli.standard_input import corpus_typed


def build(
    work: Work,
    estimate: str | None = option(
        None,
        "Estimate the cost of a language model's triples: sample asks it about 20 "
        "passages, offline does not ask it.",
        callback=one_of("sample", "offline", said="give --estimate or --estimate=offline"),
        metavar="[=sample|offline]",
    ),
    as_json: Json = False,
    *,
    model: RecipeModel,
) -> None:
    """Build an index from your documents. An older version stays live until the new one is whole.

    Example:  hippohover build --corpus my-documents/ --out index/mine
    """
    from hippohover.cli.indexing.build import build_index, estimate_index

    with corpus_typed(work.corpus, work.title) as path:
        work = replace(work, corpus=path)
        if estimate is not None:
            estimate_index(work, model, method=estimate, as_json=as_json)
        else:
            build_index(work, model, as_json=as_json)


def add(index: Index, added: Added, model: RecipeModel, as_json: Json = False) -> None:
    """Add documents to an index. It then answers as if it had been built with them.

    Example:  hippohover add index/mine new-documents.jsonl
    """
    from hippohover.cli.indexing.update import add_documents

    with corpus_typed(added.corpus, added.title) as path:
        add_documents(index, path or added.corpus, added, model, as_json=as_json)


def sync(
    syncing: Syncing,
    watch: bool = option(
        False, "Keep running, and update whenever the folder changes; stop with Ctrl-C.", "--watch"
    ),
    *,
    model: RecipeModel,
) -> None:
    """Make an index equal a folder. Adds, replaces and deletes documents.

    Example:  hippohover sync index/mine my-documents/
    """
    from hippohover.cli.indexing.sync import sync_always, sync_once

    if watch and syncing.dry_run:
        raise typer.BadParameter("give --watch or --dry-run, not both")
    (sync_always if watch else sync_once)(syncing, model)


def delete(
    index: Index,
    title: list[str] | None = option(
        None, "Title of a document to delete; may be repeated.", metavar="TITLE"
    ),
    file: Path | None = option(None, "Text file with one title per line.", "--from"),
    workers: Workers = None,
    as_json: Json = False,
) -> None:
    """Delete documents from an index by title.

    Example:  hippohover delete index/mine --title "Lantern Hill"
    """
    from hippohover.cli.indexing.update import delete_documents

    if not title and file is None:
        raise typer.BadParameter("give --title T, or --from FILE")
    delete_documents(index, title or [], file, workers=workers, as_json=as_json)


def alias(
    index: Index,
    file: Path | None = argument(
        None, "Lines of ALIAS<tab>NAME; without a file all aliases are removed."
    ),
    workers: Workers = None,
    as_json: Json = False,
) -> None:
    """Treat an alias and its name as one entity. Without its line in the file, they are two again.

    Example:  hippohover alias index/mine aliases.tsv
    """
    from hippohover.cli.indexing.update import replace_aliases

    replace_aliases(index, file, workers=workers, as_json=as_json)


def gc(
    index: Index,
    keep: int = option(
        1, "How many of the newest versions to keep; each update adds two.", metavar="N", min=1
    ),
    as_json: Json = False,
) -> None:
    """Remove old versions that no reader holds. Also removes what is cached only for them.

    Example:  hippohover gc index/mine --keep 2
    """
    from hippohover.cli.indexing.update import collect

    collect(index, keep=keep, as_json=as_json)


def compact(
    index: Index,
    rebuild: bool = option(
        False,
        "Build the index again from its passages: the same bytes as a new build.",
        "--rebuild",
    ),
    beside: bool = option(
        False, "Do not block other updates. What they change meanwhile is not merged.", "--beside"
    ),
    workers: Workers = None,
    as_json: Json = False,
) -> None:
    """Merge the small updates of an index into it.

    Updates, `sync --watch` and `serve --follow` do this when there are many. Answers stay the same.

    Example:  hippohover compact index/mine
    """
    from hippohover.cli.indexing.update import compact_index

    if rebuild and beside:
        raise typer.BadParameter("give --rebuild or --beside, not both")
    compact_index(index, rebuild=rebuild, beside=beside, workers=workers, as_json=as_json)


def inspect(
    index: Index,
    verify: bool = option(False, "Check every checksum.", "--verify"),
    communities: bool = option(
        False, "Show its themes: groups of documents that name each other.", "--communities"
    ),
    as_json: Json = False,
) -> None:
    """Show what an index holds. Counts, sizes, recipe, models and failures.

    Example:  hippohover inspect index/mine --verify
    """
    from hippohover.cli.indexing.inspection import inspect_index

    inspect_index(index, verify=verify, communities=communities, as_json=as_json)


def export(index: Index, exported: Exported, as_json: Json = False) -> None:
    """Write the graph of an index to files. Programs such as Gephi can read them.

    Example:  hippohover export index/mine --format graphml --out mine.graphml
    """
    from hippohover.cli.indexing.overview import export_index

    export_index(index, exported, as_json=as_json)


COMMANDS = (build, add, sync, delete, alias, compact, gc, inspect, export)
"""In the order of the help."""
