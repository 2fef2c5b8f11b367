"""Encodes an index again: other vectors, and all else as it is.

Texts are encoded without the writers' lock, into the cache beside the index, so that others write
meanwhile and a stopped run continues where it was. Then, under the lock for a moment, the live
version is published again with these vectors; what was added in between is encoded there.

A version whose recipe still says ``"auto"`` awaits the vectors of a transformer: its build
published static ones, so that it answers at once.
"""

import json
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from hippohover.disk import door
from hippohover.disk.columns import chunks
from hippohover.indexing.counts import counts_of
from hippohover.indexing.encoder_check import COUNTS, sentences_found
from hippohover.indexing.own_models import OwnModels
from hippohover.indexing.updates.compaction import awaits_vectors, write_merged
from hippohover.indexing.updates.small_change import forget_opened
from hippohover.indexing.vector_stage import (
    remembering,
    write_fact_vectors,
    write_none,
    write_texts_vectors,
)
from hippohover.progress import Progress, silent
from hippohover.recipe import IndexRecipe
from hippohover.store.layout import ENCODED
from hippohover.store.manifest import ManifestFields
from hippohover.store.reader import StoredIndex
from hippohover.store.segments.opening import opened_tables
from hippohover.store.tables import IndexTables, array_file
from hippohover.store.versions import check_is_root, encoded_so_far, version_folder
from hippohover.store.writer import CompactedElsewhereError, IndexWriter, compacting
from hippohover.trust import remember, resolved
from hippohover.vectors.choice import AUTO, chosen
from hippohover.vectors.embedding import Encoder, load_encoder, save_encoder
from hippohover.vectors.own_encoder import OwnEncoder
from hippohover.vectors.static_encoder import StaticEncoder

_LOOK_SECONDS: Final = 0.2
_TEXTS_A_LOOK: Final = 128  # after as many it is seen whether the index was written or is gone
_VECTORS: Final = tuple(map(array_file, ("passage_codes", "passage_scales", "fact_vectors")))


def reencode(
    index: str | Path,
    encoder: str | Encoder = AUTO,
    *,
    beside: bool = False,
    workers: int | None = None,
    progress: Progress = silent,
) -> bool:
    """Give an index the vectors of another encoder, and publish; return whether it was another.

    All else stays: the index then answers as one that is built with that encoder. Others may write
    meanwhile. What a stopped run has encoded is kept for the next.

    Parameters
    ----------
    index : str or Path
        Folder of an index.
    encoder : str or Encoder
        A name as in a recipe, or one of your own. ``"auto"`` chooses by the number of passages.
    beside : bool
        Only if the index awaits the vectors of a build that did not wait.
    workers : int, optional
        Number of threads, by default one for each processor.
    progress : callable
        Called with (stage, done, total).

    Raises
    ------
    UsageError, ModelError, BuildError, IndexStoreError
        The live version stays.
    """
    root = Path(index)
    check_is_root(root)
    if beside and not awaits_vectors(root):
        return False
    own = OwnModels.of(None if isinstance(encoder, str) else encoder, None)
    given = IndexRecipe(encoder=encoder) if isinstance(encoder, str) else IndexRecipe()
    given = resolved(own.named_in(given))
    with ExitStack() as stack:
        told = stack.enter_context(_alone(root, progress))
        with StoredIndex.open(root, progress=progress) as stored:
            name = chosen(given.encoder, stored.manifest.counts["n_passages"])
        own.check(given.model_copy(update={"encoder": name}))
        model = own.encoder or load_encoder(name, threads=workers)
        encoding = _Encoding(root, name, model, beside)
        if not encoding.is_needed():
            return False
        known = None
        if encoding.model is not None:
            known = stack.enter_context(remembering(encoding.model, root))
            encoding.ahead(known, told)
        return encoding.publish(known, progress)


class _Encoding:
    """One run: to which encoder, and whether only where its vectors are awaited."""

    def __init__(self, root: Path, name: str, model: Encoder | None, beside: bool) -> None:
        self._root, self._name, self._beside = root, name, beside
        self.model = model

    def is_needed(self) -> bool:
        """Return whether the live version has other vectors, or awaits some."""
        with StoredIndex.open(self._root, check=False) as stored:
            recipe, models = stored.manifest.recipe, stored.manifest.models
        if self._beside or recipe["encoder"] == AUTO:
            return recipe["encoder"] == AUTO
        made_by = "" if self.model is None else self.model.fingerprint
        return models.get("encoder", {}).get("sha256", "") != made_by

    def ahead(self, encoder: Encoder, told: Callable[[int, int], None]) -> None:
        """Encode the passages of the live version into the cache; begin again if that changes."""
        while not isinstance(encoder, StaticEncoder) and self.is_needed():
            with StoredIndex.open(self._root) as stored:
                done, n = 0, stored.manifest.counts["n_passages"]
                for some in chunks(opened_tables(stored).passage_texts(), _TEXTS_A_LOOK):
                    encoder.encode(some)
                    if not stored.is_at(version_folder(self._root)):
                        break
                    done += len(some)
                    told(min(done, n), n)
                else:
                    return

    def publish(self, encoder: Encoder | None, progress: Progress) -> bool:
        """Publish the live version with the vectors of the encoder; return whether it did."""
        with (
            IndexWriter(self._root, for_a_moment=True) as writer,
            StoredIndex.open(self._root, progress=progress) as stored,
        ):
            if not self.is_needed():
                return False
            forget_opened()
            if stored.manifest.base is None:
                _link_all(stored, writer)
            else:
                write_merged(stored, stored.manifest.base.n_segments, writer)
            recipe = stored.recipe().model_copy(update={"encoder": self._name})
            fields = _write_vectors(stored, writer, recipe, encoder)
            if self.model is not None and not isinstance(self.model, OwnEncoder):
                with writer.writing("encoder") as folder:
                    save_encoder(self.model, folder)
            writer.publish(fields, partial(progress, "publish"))
        remember(self._root, recipe, part="encoder")
        return True


@contextmanager
def _alone(root: Path, progress: Progress) -> Generator[Callable[[int, int], None]]:
    """Wait for who else encodes or compacts; yield what is told how many passages are encoded."""
    with ExitStack() as stack:
        files = None
        while files is None:
            try:
                files = stack.enter_context(compacting(root))
            except CompactedElsewhereError:
                progress("vectors", *(encoded_so_far(root) or (0, 0)))
                time.sleep(_LOOK_SECONDS)

        def told(done: int, total: int) -> None:
            with files.writing(ENCODED) as path, door.opened(path, "wb") as file:
                file.write(json.dumps([done, total]).encode())
            progress("vectors", done, total)

        told(0, 0)
        yield told


def _link_all(stored: StoredIndex, writer: IndexWriter) -> None:
    """Take over all files of a version, and its log."""
    for name in stored.manifest.files:
        with writer.writing(name) as path:
            door.link(stored.folder / name, path)
    writer.log.update(stored.log() or {})


def _write_vectors(
    stored: StoredIndex, writer: IndexWriter, recipe: IndexRecipe, encoder: Encoder | None
) -> ManifestFields:
    """Replace the vectors of what was written, and describe all of it."""
    tables, before = IndexTables.open(writer), stored.manifest
    for name in (*_VECTORS, "encoder"):
        door.remove(writer.folder / name)
    counts = {name: n for name, n in before.counts.items() if name not in COUNTS}
    models = {part: model for part, model in before.models.items() if part != "encoder"}
    if encoder is None:
        write_none(writer)
    else:
        n, n_facts = len(tables.passages), len(tables.arrays.facts) if recipe.fact_vectors else 0
        write_texts_vectors(tables.passage_texts(), n, encoder, writer, lambda _: None)
        write_fact_vectors(n_facts, encoder, writer, lambda _: None)
        counts |= sentences_found(IndexTables.open(writer), encoder)
        models["encoder"] = {"name": encoder.name, "sha256": encoder.fingerprint}
    return before.but(
        recipe=recipe.as_dict(),
        recipe_sha256=recipe.sha256,
        models=models,
        counts=counts | counts_of(tables),
        dimensions={"encoder": 0 if encoder is None else encoder.dim},
        base=None,
    )
