"""Write down which forms of arguments the compiled loops are called with.

    python benchmarks/loop_forms.py --out hippohover/compiled-loops.txt

builds and updates a small index, asks it in every way, and writes each loop's forms, one a line: a
wheel holds machine code for these (``hatch_build.py``).
"""

import argparse
import tempfile
from contextlib import closing
from pathlib import Path

from hippohover import Condition
from hippohover.indexing.build import build
from hippohover.indexing.update import add, delete
from hippohover.kernels import LOOPS, UNSHIPPED
from hippohover.recipe import IndexRecipe, QuerySettings
from hippohover.retrieval.engine import HippoHover
from hippohover.store.tables import LEAST_WITH_SPARE
from hippohover.toy import toy_corpus_path

CLAIM = "The director of Lantern Hill was born in Vellmouth."
N_FOR_SEGMENTS = LEAST_WITH_SPARE  # so many passages more, and updates are segments
RETRIEVERS = ("ppr", "bm25", "dense", "hybrid", "hipporag2")


def use_all(folder: Path) -> None:
    """Call the loops as builds, updates and retrievers do, in this process."""
    query = QuerySettings(near_copies="grouped")
    recipe = IndexRecipe(name="toy", extractor="between", query=query)
    corpus = folder / "corpus.jsonl"
    more = (f'{{"title": "Note {n}", "text": "Vellmouth, {n}."}}\n' for n in range(N_FOR_SEGMENTS))
    corpus.write_text(toy_corpus_path().read_text("utf-8") + "".join(more), encoding="utf-8")
    root = build(recipe, corpus=corpus, out=folder / "index", workers=1)
    notes = folder / "notes.jsonl"
    notes.write_text('{"title": "A note", "text": "Lantern Hill, of which Vellmouth speaks."}\n')
    add(root, notes, workers=1)
    delete(root, ["A note"], workers=1)
    with closing(HippoHover.open(root)) as engine:
        for retriever in RETRIEVERS:
            engine.search(CLAIM, 21, retriever)
        where = [Condition.parse("title^=L")]
        engine.retrieve(CLAIM)
        engine.retrieve(CLAIM, where=where)
        engine.retrieve(CLAIM, where=where, scope="walk")


def forms_used() -> set[str]:
    """``LOOP FORM`` of each call that machine code can ship for."""
    for loop in LOOPS:
        loop.forms.clear()
    with tempfile.TemporaryDirectory() as folder:
        use_all(Path(folder))
    return {f"{loop.name} {form}" for loop in LOOPS for form in loop.forms if UNSHIPPED not in form}


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, required=True)
    out: Path = parser.parse_args().out
    out.write_text("".join(f"{line}\n" for line in sorted(forms_used())))


if __name__ == "__main__":
    main()
