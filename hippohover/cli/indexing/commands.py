"""The commands that build, change and look at an index, and their options."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hippohover.cli.options import (
    Address,
    Estimate,
    Index,
    Json,
    Root,
    Runner,
    StdinTitle,
    Workers,
    asks_model,
    one_of,
)
from hippohover.cli.standard_input import corpus_typed

if TYPE_CHECKING:
    from hippohover.cli.model import ModelOptions


@asks_model(extracts=True)
def build(  # noqa: PLR0913, PLR0917  # one argument an option
    recipe: Annotated[
        str,
        typer.Argument(
            help="A TOML file, or one that ships: default, default-spacy, hover-core, ..., "
            "hover-full-fast."
        ),
    ] = "default",
    corpus: Annotated[
        Path | None,
        typer.Option(help="File or folder of documents, - is stdin; replaces the recipe's."),
    ] = None,
    title: StdinTitle = None,
    root: Root = None,
    out: Annotated[Path | None, typer.Option(help="Default: index/<recipe name>.")] = None,
    limit: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Read at most this many documents.")
    ] = None,
    aliases: Annotated[
        Path | None, typer.Option(help="Lines of ALIAS<tab>NAME; replaces the recipe's aliases.")
    ] = None,
    triples: Annotated[
        Path | None,
        typer.Option(
            help="Take the facts from HippoRAG's openie_results_*.json instead of extracting them."
        ),
    ] = None,
    include: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN",
            help="Read only the files of a folder that match this glob. Repeatable.",
        ),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN", help="Read no file of a folder that matches this glob. Repeatable."
        ),
    ] = None,
    max_bad_share: Annotated[
        float | None,
        typer.Option(
            metavar="N",
            min=0,
            max=1,
            help="Share of files or records that may fail; replaces the recipe's.",
        ),
    ] = None,
    workers: Workers = None,
    runner: Runner = "local",
    address: Address = None,
    estimate: Estimate = None,
    json: Json = False,
    *,
    model: "ModelOptions",
) -> None:
    """Build an index from your documents. An older version stays live until the new one is whole.

    Example:  hippohover build --corpus my-documents/ --out index/mine
    """
    from hippohover.cli.indexing.build import Work, build_index, estimate_index

    with corpus_typed(corpus, title) as path:
        work = Work(
            recipe=recipe,
            corpus=path,
            root=root,
            out=out,
            limit=limit,
            workers=workers,
            model=model,
            aliases=aliases,
            triples=triples,
            include=tuple(include or ()),
            exclude=tuple(exclude or ()),
            max_bad_share=max_bad_share,
            runner=runner,
            address=address,
        )
        if estimate is not None:
            estimate_index(work, method=estimate, as_json=json)
        else:
            build_index(work, as_json=json)


@asks_model(extracts=True)
def add(  # noqa: PLR0913, PLR0917
    index: Index,
    corpus: Annotated[
        Path, typer.Argument(help="File or folder of documents; - is stdin, JSON lines or a text.")
    ],
    replace: Annotated[
        bool | None,
        typer.Option(
            "--replace/--keep-both",
            help="Replace a document that has the same id, or else title; or keep both. "
            "Default: replace with a folder or --root, else keep both.",
        ),
    ] = None,
    title: StdinTitle = None,
    root: Root = None,
    workers: Workers = None,
    json: Json = False,
    *,
    model: "ModelOptions",
) -> None:
    """Add documents to an index. It then answers as if it had been built with them.

    Example:  hippohover add index/mine new-documents.jsonl
    """
    from hippohover.cli.indexing.update import add_documents

    with corpus_typed(corpus, title) as path:
        add_documents(
            index,
            path or corpus,
            replace=replace,
            root=root,
            workers=workers,
            model=model,
            as_json=json,
        )


@asks_model(extracts=True)
def sync(  # noqa: PLR0913, PLR0917
    index: Index,
    folder: Annotated[Path, typer.Argument(help="Folder of documents.")],
    watch: Annotated[
        bool,
        typer.Option(
            "--watch",
            help="Keep running, and update whenever the folder changes; stop with Ctrl-C.",
        ),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")
    ] = False,
    take_over: Annotated[
        bool,
        typer.Option(
            "--take-over",
            help="Also delete documents that are not from this folder, even if these are all.",
        ),
    ] = False,
    workers: Workers = None,
    json: Json = False,
    *,
    model: "ModelOptions",
) -> None:
    """Make an index equal a folder. Adds, replaces and deletes documents.

    Example:  hippohover sync index/mine my-documents/
    """
    from hippohover.cli.indexing.sync import Syncing, sync_always, sync_once

    if watch and dry_run:
        raise typer.BadParameter("give --watch or --dry-run, not both")
    (sync_always if watch else sync_once)(
        Syncing(
            index=index,
            folder=folder,
            model=model,
            dry_run=dry_run,
            take_over=take_over,
            workers=workers,
            as_json=json,
        )
    )


def delete(
    index: Index,
    title: Annotated[
        list[str] | None,
        typer.Option(metavar="TITLE", help="Title of a document to delete; may be repeated."),
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--from", help="Text file with one title per line.")
    ] = None,
    workers: Workers = None,
    json: Json = False,
) -> None:
    """Delete documents from an index by title.

    Example:  hippohover delete index/mine --title "Lantern Hill"
    """
    from hippohover.cli.indexing.update import delete_documents

    if not title and file is None:
        raise typer.BadParameter("give --title T, or --from FILE")
    delete_documents(index, title or [], file, workers=workers, as_json=json)


def alias(
    index: Index,
    file: Annotated[
        Path | None,
        typer.Argument(help="Lines of ALIAS<tab>NAME; without a file all aliases are removed."),
    ] = None,
    workers: Workers = None,
    json: Json = False,
) -> None:
    """Treat an alias and its name as one entity. Without its line in the file, they are two again.

    Example:  hippohover alias index/mine aliases.tsv
    """
    from hippohover.cli.indexing.update import replace_aliases

    replace_aliases(index, file, workers=workers, as_json=json)


def gc(
    index: Index,
    keep: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="How many of the newest versions to keep; each update adds two.",
        ),
    ] = 1,
    json: Json = False,
) -> None:
    """Remove old versions that no reader holds. Also removes what is cached only for them.

    Example:  hippohover gc index/mine --keep 2
    """
    from hippohover.cli.indexing.update import collect

    collect(index, keep=keep, as_json=json)


def compact(
    index: Index,
    rebuild: Annotated[
        bool,
        typer.Option(
            "--rebuild",
            help="Build the index again from its passages: the same bytes as a new build.",
        ),
    ] = False,
    beside: Annotated[
        bool,
        typer.Option(
            "--beside", help="Do not block other updates. What they change meanwhile is not merged."
        ),
    ] = False,
    workers: Workers = None,
    json: Json = False,
) -> None:
    """Merge the small updates of an index into it.

    Updates, `sync --watch` and `serve --follow` do this when there are many. Answers stay the same.

    Example:  hippohover compact index/mine
    """
    from hippohover.cli.indexing.update import compact_index

    if rebuild and beside:
        raise typer.BadParameter("give --rebuild or --beside, not both")
    compact_index(index, rebuild=rebuild, beside=beside, workers=workers, as_json=json)


def inspect(
    index: Index,
    verify: Annotated[bool, typer.Option("--verify", help="Check every checksum.")] = False,
    communities: Annotated[
        bool,
        typer.Option(
            "--communities", help="Show its themes: groups of documents that name each other."
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Show what an index holds. Counts, sizes, recipe, models and failures.

    Example:  hippohover inspect index/mine --verify
    """
    from hippohover.cli.indexing.inspection import inspect_index

    inspect_index(index, verify=verify, communities=communities, as_json=json)


def export(  # noqa: PLR0913, PLR0917
    index: Index,
    out: Annotated[
        Path, typer.Option(help="File to write; for parquet, a new folder with two tables.")
    ],
    format_: Annotated[
        str,
        typer.Option(
            "--format",
            callback=one_of("graphml", "gexf", "parquet"),
            help="One of graphml (networkx, Neo4j, yEd), gexf (Gephi), parquet (any size).",
        ),
    ],
    communities: Annotated[
        bool, typer.Option("--communities", help="Give each node the number of its community.")
    ] = False,
    text: Annotated[bool, typer.Option("--text", help="Give each passage its text.")] = False,
    json: Json = False,
) -> None:
    """Write the graph of an index to files. Programs such as Gephi can read them.

    Example:  hippohover export index/mine --format graphml --out mine.graphml
    """
    from hippohover.cli.indexing.overview import export_index

    export_index(index, out, format_, communities=communities, texts=text, as_json=json)
