"""The commands that build, change and look at an index, and their options."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hippohover.cli.options import (
    Address,
    Estimate,
    Index,
    Json,
    Runner,
    Workers,
    asks_model,
)

if TYPE_CHECKING:
    from hippohover.cli.model import ModelOptions


@asks_model(extracts=True)
def build(  # noqa: PLR0913, PLR0917  # one argument an option
    recipe: Annotated[
        str,
        typer.Argument(
            help="A TOML file, or one that ships: default, default-fast, hover-core, ..., "
            "hover-full-fast."
        ),
    ] = "default",
    corpus: Annotated[
        Path | None, typer.Option(help="File or folder of documents; replaces the recipe's.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Default: index/<recipe name>.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Documents to read at most.")] = None,
    aliases: Annotated[
        Path | None, typer.Option(help="Lines of ALIAS<tab>NAME; replaces the recipe's aliases.")
    ] = None,
    triples: Annotated[
        Path | None,
        typer.Option(help="HippoRAG's openie_results_*.json, in the place of an extractor."),
    ] = None,
    include: Annotated[
        list[str] | None,
        typer.Option(help="Read only the files of a folder that match this glob. Repeatable."),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(help="Read no file of a folder that matches this glob. Repeatable."),
    ] = None,
    workers: Workers = None,
    runner: Runner = "local",
    address: Address = None,
    estimate: Estimate = None,
    json: Json = False,
    *,
    model: "ModelOptions",
) -> None:
    """Build an index and publish it; the old version stays live until then.

    Example:  hippohover build --corpus my-documents/ --out index/mine
    """
    from hippohover.cli.indexing.build import Work, build_index, estimate_index

    work = Work(
        recipe=recipe,
        corpus=corpus,
        out=out,
        limit=limit,
        workers=workers,
        model=model,
        aliases=aliases,
        triples=triples,
        include=tuple(include or ()),
        exclude=tuple(exclude or ()),
        runner=runner,
        address=address,
    )
    if estimate is not None:
        estimate_index(work, method=estimate, as_json=json)
    else:
        build_index(work, as_json=json)


@asks_model(extracts=True)
def add(
    index: Index,
    corpus: Annotated[Path, typer.Argument(help="File or folder of documents.")],
    workers: Workers = None,
    json: Json = False,
    *,
    model: "ModelOptions",
) -> None:
    """Add documents to an index: the same, byte for byte, as one built with them.

    Example:  hippohover add index/mine new-documents.jsonl
    """
    from hippohover.cli.indexing.update import add_documents

    add_documents(index, corpus, workers=workers, model=model, as_json=json)


def delete(
    index: Index,
    title: Annotated[list[str] | None, typer.Option(help="May be repeated.")] = None,
    file: Annotated[
        Path | None, typer.Option("--from", help="Text file with a title a line.")
    ] = None,
    workers: Workers = None,
    json: Json = False,
) -> None:
    """Delete the documents of these titles from an index.

    Example:  hippohover delete index/mine --title "Lantern Hill"
    """
    from hippohover.cli.indexing.update import delete_documents

    if not title and file is None:
        raise typer.BadParameter("give --title T, or --from FILE")
    delete_documents(index, title or [], file, workers=workers, as_json=json)


def alias(
    index: Index,
    file: Annotated[
        Path | None, typer.Argument(help="Lines of ALIAS<tab>NAME; none takes all aliases out.")
    ] = None,
    workers: Workers = None,
    json: Json = False,
) -> None:
    """Merge the entities of names that mean the same; a line taken out comes apart again.

    Example:  hippohover alias index/mine aliases.tsv
    """
    from hippohover.cli.indexing.update import replace_aliases

    replace_aliases(index, file, workers=workers, as_json=json)


def gc(
    index: Index,
    keep: Annotated[
        int, typer.Option(min=1, help="Newest versions that stay; a publish leaves two.")
    ] = 1,
    json: Json = False,
) -> None:
    """Remove old versions that no reader holds, and what the cache keeps for them alone.

    Example:  hippohover gc index/mine --keep 2
    """
    from hippohover.cli.indexing.update import collect

    collect(index, keep=keep, as_json=json)


def inspect(
    index: Index,
    verify: Annotated[bool, typer.Option("--verify", help="Check every checksum.")] = False,
    json: Json = False,
) -> None:
    """Show what an index holds: counts, sizes, recipe, models, failures.

    Example:  hippohover inspect index/mine --verify
    """
    from hippohover.cli.indexing.build import inspect_index

    inspect_index(index, verify=verify, as_json=json)
