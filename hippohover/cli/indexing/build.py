"""The command ``build``."""

import shlex
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from hippohover.cli.indexing.description import (
    describe_index,
    notes_on,
    own_ranking,
    read_counts,
    triples_file,
)
from hippohover.cli.indexing.files_read import failures_in_words, files_in_words, same_in_words
from hippohover.cli.model import ModelOptions, RecipeModel
from hippohover.cli.options import Json, Workers, argument, one_of, option
from hippohover.cli.output import (
    console,
    counted,
    note,
    plain,
    print_json,
    progress,
    suggest,
)
from hippohover.cli.standard_input import corpus_typed
from hippohover.errors import UsageError
from hippohover.recipe import CorpusSettings, IndexRecipe
from hippohover.recipe_files import describe, load_recipe
from hippohover.store.reader import StoredIndex

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
        "A folder or a file of documents; or a recipe: a TOML file, or one that ships (default, "
        "default-spacy, hover-core, ..., hover-full-fast).",
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
    join: list[str] | None = option(
        None,
        "Join passages that have the same value in this field of the records, such as a ticket "
        "or an author. Repeatable.",
        metavar="FIELD",
    )
    max_bad_share: float | None = option(
        None,
        "Share of files or records that may fail; replaces the recipe's.",
        metavar="N",
        min=0,
        max=1,
    )
    wait: bool = option(
        False,
        "Publish once all vectors are made. Default: those of a transformer, where there are many, "
        "are made in the background.",
        "--wait",
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

    def __post_init__(self) -> None:
        """Take documents in place of a recipe for the corpus; the index is called as they are."""
        documents = Path(self.recipe)
        if self.corpus is not None or documents.suffix == ".toml" or not documents.exists():
            return
        name = documents.resolve().name.partition(".")[0] or "documents"
        own = {"recipe": "default", "corpus": documents, "out": self.out or Path("index", name)}
        for field, value in own.items():
            object.__setattr__(self, field, value)


def build_or_estimate(
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
    with corpus_typed(work.corpus, work.title) as path:
        work = replace(work, corpus=path)
        if estimate is not None:
            estimate_index(work, model, method=estimate, as_json=as_json)
        else:
            build_index(work, model, as_json=as_json)


def _with(corpus: CorpusSettings, given: dict[str, object]) -> CorpusSettings:
    """Return settings with those of the command line; ``UsageError`` where one is refused."""
    try:
        return CorpusSettings.model_validate(corpus.model_dump() | given)
    except ValidationError as error:
        raise UsageError(f"--{describe(error)}") from error


def recipe_of(work: Work, model: ModelOptions) -> IndexRecipe:
    """Load the recipe, with the command line's language model and aliases."""
    recipe = load_recipe(work.recipe)
    if work.triples is not None:
        own = {"extractor": "file", "triples": str(work.triples)}
        recipe = recipe.model_copy(update=own)
    recipe = asking(recipe, model)
    globs = {"include": tuple(work.include or ()), "exclude": tuple(work.exclude or ())}
    given: dict[str, object] = {name: value for name, value in globs.items() if value}
    if work.max_bad_share is not None:
        given["max_bad_share"] = work.max_bad_share
    if work.join:
        given["join"] = tuple(dict.fromkeys((*recipe.corpus.join, *work.join)))
    recipe = recipe.model_copy(update={"corpus": _with(recipe.corpus, given)})
    if work.aliases is None:
        return recipe
    from hippohover.names.aliases import read_aliases

    return recipe.model_copy(update={"aliases": read_aliases(work.aliases)})


def asking(recipe: IndexRecipe, model: ModelOptions) -> IndexRecipe:
    """Return a recipe with the command line's language model.

    An address given alone replaces the recipe's: texts go where the caller says.
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


def build_index(work: Work, model: ModelOptions, *, as_json: bool) -> None:
    """Build, then print where the index is and what it holds."""
    from hippohover.indexing.build import build

    start = time.perf_counter()
    with progress() as report:
        root = build(
            recipe_of(work, model),
            corpus=work.corpus,
            root=work.root,
            out=work.out,
            limit=work.limit,
            workers=work.workers,
            budget=model.budget(),
            progress=report,
            runner="ray" if work.runner == "ray" else "local",
            address=work.address,
            wait=work.wait,
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
            f"{counted(counts['n_documents'], 'document')}, "
            f"{counted(counts['n_passages'], 'passage')}, "
            f"{counted(counts['n_entities'], 'entity', 'entities')}, "
            f"{counted(counts['n_facts'], 'fact')}, {counted(counts['n_edges'], 'edge')}"
        )
        note_what_is_missing(stored)
    suggest(f'hippohover query {shlex.quote(str(root))} "your question"', "ask it")


def note_what_is_missing(stored: StoredIndex) -> None:
    """Report on stderr what is missing from the version, compared with the corpus."""
    read = read_counts(stored) or {}
    for said in filter(None, ((stored.log() or {}).get("encoder"), files_in_words(read))):
        note(said)
    parts: list[str] = []
    if n_duplicates := read.get("n_duplicates"):
        parts.append(counted(n_duplicates, "duplicate"))
    if n_empty := read.get("n_empty"):
        parts.append(counted(n_empty, "document without text", "documents without text"))
    if n_older := read.get("n_older"):
        parts.append(counted(n_older, "older version of a document", "older versions of documents"))
    if parts:
        note(f"left out {', '.join(parts)}")
    if same := same_in_words(read):
        note(same)
    for said, n_files in read.get("understood", {}).items():
        note(f"{said} (in {n_files:,} files)" if n_files > 1 else said)
    if n_by_rules := stored.manifest.counts["n_extracted_by_rules"]:
        read_so = counted(n_by_rules, "passage was", "passages were")
        note(f"{read_so} read by rules, where the language model failed")
    if n_missing := triples_file(stored).get("n_missing"):
        n_passages = stored.manifest.counts["n_passages"]
        of_all = counted(n_passages, "passage has", "passages have")
        note(f"{n_missing:,} of {of_all} no entry in the file of triples")
    if n_unusable := triples_file(stored).get("n_unusable"):
        note(f"{n_unusable:,} entries and triples of the file had the wrong form")
    _note_failures(stored, read)
    for line in notes_on(stored.manifest):
        note(line)
    if problem := (own_ranking(stored) or {}).get("problem"):
        note(problem)


def _note_failures(stored: StoredIndex, read: Mapping[str, Any]) -> None:
    """Report what of a corpus could not be read, and which passages failed."""
    failed = failures_in_words(
        read.get("n_bad_records", 0), read.get("reasons", {}), read.get("failures", [])
    )
    if failed:
        note(f"{failed}: hippohover inspect names them")
    if n_failed := stored.manifest.n_failures:
        note(f"{counted(n_failed, 'passage')} failed: hippohover inspect shows why")


def estimate_index(work: Work, model: ModelOptions, *, method: str, as_json: bool) -> None:
    """Estimate what the language model of a build would cost."""
    from hippohover.indexing.corpus.source import corpus_path
    from hippohover.indexing.estimate import estimate
    from hippohover.indexing.work_folder import cache_of

    recipe = recipe_of(work, model)
    cache = cache_of(work.out or Path("index") / recipe.name)
    forecast = estimate(
        recipe,
        corpus_path(recipe, work.corpus, cache),
        cache=cache,
        method="offline" if method == "offline" else "sample",
        limit=work.limit,
        budget=model.budget(),
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
