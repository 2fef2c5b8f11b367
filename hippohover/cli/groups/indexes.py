"""What an index is built of, changed by and written to."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from hippohover.cli.options import Json, Workers, argument, one_of, option

Root = Annotated[
    Path | None,
    typer.Option(help="Folder that a single file belongs to; the file's path below it is its id."),
]
StdinTitle = Annotated[
    str | None, typer.Option("--title", help="Title of the text on stdin; not for JSON lines.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What an index is built of, and how."""

    recipe: str = argument(
        "default",
        "A TOML file, or one that ships: default, default-spacy, hover-core, ..., hover-full-fast.",
    )
    corpus: Path | None = option(
        None, "File or folder of documents, - is stdin; replaces the recipe's."
    )
    title: StdinTitle = None
    root: Root = None
    out: Path | None = option(None, "Default: index/<recipe name>.")
    limit: int | None = option(None, "Read at most this many documents.", metavar="N", min=1)
    aliases: Path | None = option(None, "Lines of ALIAS<tab>NAME; replaces the recipe's aliases.")
    triples: Path | None = option(
        None, "Take the facts from HippoRAG's openie_results_*.json instead of extracting them."
    )
    include: list[str] | None = option(
        None, "Read only the files of a folder that match this glob. Repeatable.", metavar="PATTERN"
    )
    exclude: list[str] | None = option(
        None, "Read no file of a folder that matches this glob. Repeatable.", metavar="PATTERN"
    )
    max_bad_share: float | None = option(
        None,
        "Share of files or records that may fail; replaces the recipe's.",
        metavar="N",
        min=0,
        max=1,
    )
    workers: Workers = None
    runner: str = option(
        "local",
        "What runs the stages: local, or ray (extra ray), on machines that share a disk.",
        callback=one_of("local", "ray"),
    )
    address: str | None = option(
        None,
        "HOST:PORT of Ray, or auto to find one on this machine; by default the build "
        "starts a Ray of its own, and stops it.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """The documents that are added to an index."""

    corpus: Path = argument(..., "File or folder of documents; - is stdin, JSON lines or a text.")
    replace: bool | None = option(
        None,
        "Replace a document that has the same id, or else title; or keep both. "
        "Default: replace with a folder or --root, else keep both.",
        "--replace/--keep-both",
    )
    title: StdinTitle = None
    root: Root = None
    workers: Workers = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Syncing:
    """An index and the folder that it equals afterwards."""

    index: Path = argument(..., "Folder of an index, as `build` prints it.")
    folder: Path = argument(..., "Folder of documents.")
    dry_run: bool = option(False, "Show what would change, and change nothing.", "--dry-run")
    take_over: bool = option(
        False,
        "Also delete documents that are not from this folder, even if these are all.",
        "--take-over",
    )
    workers: Workers = None
    as_json: Json = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What of a graph is written, and how."""

    out: Path = option(..., "File to write; for parquet, a new folder with two tables.")
    form: str = option(
        ...,
        "One of graphml (networkx, Neo4j, yEd), gexf (Gephi), parquet (any size).",
        "--format",
        callback=one_of("graphml", "gexf", "parquet"),
    )
    communities: bool = option(
        False, "Give each node the number of its community.", "--communities"
    )
    texts: bool = option(False, "Give each passage its text.", "--text")
