"""The indexes that ``domains.py`` asks: built in a work folder and used again, or given."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from domain_sets import ClaimSet, content_sha256, corpora_of, files_of, sets_of
from measurement import opens

import hippohover
from hippohover.evaluation.hover import missing_gold
from hippohover.indexing.build import build
from hippohover.names.normal_forms import normal_title
from hippohover.recipe import IndexRecipe
from hippohover.recipe_files import load_recipe
from hippohover.retrieval.engine import HippoHover

_BUILDING = ("indexing", "names", "store", "vectors")


@dataclass(frozen=True, kw_only=True)
class Domain:
    """A corpus, ready to be asked, under one recipe."""

    recipe: str
    index: Path
    sets: Sequence[ClaimSet]


def say(text: str) -> None:
    """Tell how far a run is."""
    print(text, file=sys.stderr, flush=True)


@cache
def code_sha256() -> str:
    """Of the code that builds an index: what it built before it changed is not used again."""
    package = Path(hippohover.__file__).parent
    files = [
        *package.glob("*.py"),
        *(f for part in _BUILDING for f in package.glob(f"{part}/**/*.py")),
    ]
    return sha256(b"".join(file.read_bytes() for file in sorted(files))).hexdigest()


def index_of(name: str, corpus: Path, recipe: IndexRecipe, work: Path) -> Path:
    """The index of a corpus in the work folder, built unless it is there."""
    index = work / f"{name}-{recipe.name}"
    mark = index.with_name(f"{index.name}.json")
    made_of = {
        "recipe_sha256": recipe.sha256,
        "corpus_sha256": content_sha256(corpus),
        "code_sha256": code_sha256(),
    }
    if mark.exists() and json.loads(mark.read_text(encoding="utf-8")) == made_of and opens(index):
        return index
    say(f"{index.name}: build")
    mark.unlink(missing_ok=True)
    build(recipe, corpus=corpus, out=index)
    mark.write_text(json.dumps(made_of) + "\n", encoding="utf-8")
    return index


def check_gold(index: Path, sets: Sequence[ClaimSet]) -> None:
    """Refuse claims whose gold the corpus does not hold: no retriever can find it."""
    engine = HippoHover.open(index)
    for claim_set in sets:
        titles = titles_of(engine, claim_set).values()
        if missing := missing_gold(claim_set.claims, titles):
            first = missing[0]
            raise SystemExit(
                f"error: {claim_set.file}: {len(missing)} gold titles are not in the corpus "
                f"{claim_set.corpus}, such as {first.title!r} of claim {first.uids[0]!r}: fix the "
                "claims or the corpus"
            )
    engine.close()


def titles_of(engine: HippoHover, claim_set: ClaimSet) -> dict[str, str]:
    """Title that each passage counts for, by its pid.

    Gold may name a document by the last part of its path, as a note is named in a vault, where
    its own title is another.
    """
    gold = {normal_title(title) for claim in claim_set.claims for title in claim.gold_titles}
    documents: list[str] = engine.tables.passages.column("document").to_pylist()
    titles: dict[str, str] = {}
    for pid, title, document in zip(engine.pids(), engine.titles(), documents, strict=True):
        name = document.rpartition("/")[2]
        by_path = normal_title(title) not in gold and normal_title(name) in gold
        titles[pid] = name if by_path else title
    return titles


def domains(arguments: argparse.Namespace) -> Iterator[Domain]:
    """Every corpus under every recipe: built, and its claims held against it."""
    folder: Path | None = arguments.folder
    indexes: dict[str, Path] = dict(arguments.index)
    corpora = corpora_of(folder, dict(arguments.corpus))
    files = files_of(folder, arguments.claims)
    wanted = set(arguments.only or [*corpora, *indexes])
    for name in sorted(wanted - corpora.keys() - indexes.keys()):
        raise SystemExit(
            f"error: no corpus is named {name}: name one of {', '.join([*corpora, *indexes])}"
        )
    lent = {name for name in files if name not in corpora and name not in indexes}
    for name in sorted(lent):
        say(f"{name}: has claims and no corpus, left out: give --corpus or --index {name}=PATH")
    recipes = [load_recipe(name) for name in arguments.recipe or ("default-fast", "default-spacy")]
    for name, index in indexes.items():
        if name in wanted:
            sets = sets_of(name, files, arguments.variants)
            check_gold(index, sets)
            yield Domain(recipe=recipe_of(index, recipes), index=index, sets=sets)
    for recipe in recipes:
        for name in sorted(corpora.keys() & wanted - indexes.keys()):
            sets = sets_of(name, files, arguments.variants)
            index = index_of(name, corpora[name], recipe, arguments.work)
            check_gold(index, sets)
            yield Domain(recipe=recipe.name, index=index, sets=sets)


def recipe_of(index: Path, recipes: Sequence[IndexRecipe]) -> str:
    """Name of the recipe that an index was built with, whatever name it went by there."""
    engine = HippoHover.open(index)
    own = engine.stored.recipe()
    engine.close()
    same = [recipe.name for recipe in recipes if _unnamed(recipe) == _unnamed(own)]
    return same[0] if same else own.name


def _unnamed(recipe: IndexRecipe) -> dict[str, Any]:
    """What decides the index but for how it is asked."""
    return {key: value for key, value in recipe.as_dict().items() if key not in ("name", "query")}
