"""An index as a whole: ``inspect --communities`` and the command ``export``."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from hippohover.cli.options import Json, one_of, option
from hippohover.cli.output import console, counted, plain, print_json, progress
from hippohover.cli.which_index import THE_DEFAULT, TheIndex
from hippohover.progress import Progress
from hippohover.store.reader import StoredIndex

if TYPE_CHECKING:
    from hippohover.overview.themes import Themes


def found_themes(stored: StoredIndex, report: Progress) -> "Themes":
    """Find the themes of an index."""
    from hippohover.overview.themes import themes_of
    from hippohover.store.segments.opening import opened_tables

    report("finding communities", 0, 1)
    themes = themes_of(opened_tables(stored), stored.recipe().query.weights)
    report("finding communities", 1, 1)
    return themes


def print_themes(themes: "Themes") -> None:
    """Print the number of themes on a line, and each of the largest on two."""
    screen = console()
    n_shown = len(themes.largest)
    shown = f"; the largest {n_shown}:" if themes.n_themes > n_shown else ":" * bool(n_shown)
    screen.print(
        f"themes  {counted(themes.n_themes, 'group')} of {counted(themes.n_documents, 'document')}"
        f" that are joined; {themes.n_alone:,} stand alone{shown}"
    )
    for theme in themes.largest:
        titles = f": {_listed(theme.titles)}" if theme.titles else ""
        screen.print(f"  {counted(theme.n_documents, 'document')}{titles}")
        if theme.names:
            screen.print(f"    names: {_listed(theme.names)}")


def _listed(names: "tuple[str, ...]") -> str:
    return plain("; ".join(names))


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


def export_index(exported: Exported, index: TheIndex = THE_DEFAULT, as_json: Json = False) -> None:
    """Write the graph of an index to files. Programs such as Gephi can read them.

    Example:  hippohover export index/mine --format graphml --out mine.graphml
    """
    from hippohover.overview.export import GraphFormat, export_graph

    with progress() as report:
        report("writing the graph", 0, 1)
        written = export_graph(
            index,
            exported.out,
            format=cast("GraphFormat", exported.form),
            communities=exported.communities,
            texts=exported.texts,
        )
        report("writing the graph", 1, 1)
    if as_json:
        print_json({"out": str(exported.out), **asdict(written)})
    else:
        n = f"{counted(written.n_nodes, 'node')}, {counted(written.n_edges, 'edge')}"
        console().print(f"{plain(str(exported.out))}  {n}")
