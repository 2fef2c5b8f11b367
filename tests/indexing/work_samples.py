"""What the tests of a build's stages share: work folders of small corpora, and what they make."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from hippohover.disk.columns import save_columns
from hippohover.indexing.assemble import Assembled, assemble
from hippohover.indexing.chunk_stages import ScanStage, save_triples
from hippohover.indexing.corpus.passage_store import PassageStore
from hippohover.indexing.entity_numbers import EntityNumbers
from hippohover.indexing.text_stage import write_texts
from hippohover.indexing.vector_stage import write_none
from hippohover.indexing.work_folder import WorkFolder
from hippohover.names.aliases import NOTHING_MERGED, Merged
from hippohover.names.gazetteer import Gazetteer
from hippohover.recipe import IndexRecipe
from hippohover.records import Passage, PassageId, Triple
from hippohover.store.reader import StoredIndex
from hippohover.store.tables import IndexTables
from hippohover.store.writer import IndexWriter
from tests.index_samples import fields_of


def pid(row: int) -> PassageId:
    """The id of a passage that stands at this row."""
    return PassageId(f"{row:016x}")


def nothing(done: int, total: int, /) -> None:
    """Progress that nobody follows."""


def work_of(
    cache: Path,
    passages: Sequence[Passage],
    *,
    size: int = 4096,
    metadata: Sequence[str] = (),
    made_by: Sequence[str] = (),
) -> WorkFolder:
    """Work folder of some passages, ``size`` of them a chunk."""

    def write(folder: Path) -> PassageStore:
        return PassageStore.write(
            folder, iter(passages), metadata, passages_a_chunk=size, progress=nothing
        )

    return WorkFolder.of(cache, write, made_by=made_by)


def name_entities(work: WorkFolder, merged: Merged = NOTHING_MERGED) -> EntityNumbers:
    """The known names of a work folder, saved there."""
    store = work.passages
    entities = EntityNumbers.of_names(map(store.chunk, range(store.n_chunks)), merged)
    names = Gazetteer({}, entities.n_tokens())
    names.add(entities.findable())
    names.save(work.names())
    save_columns(work.forms(), entities.forms())
    return entities


def scan(
    work: WorkFolder, triples: Mapping[int, Sequence[Triple]], extractor: str = "spacy"
) -> None:
    """Scan every chunk, with the triples of some rows."""
    first = 0
    for number in range(work.passages.n_chunks):
        length = work.passages.length(number)
        rows = range(first, first + length)
        if extractor == "spacy":
            save_triples(work.triples(number), [triples.get(row, ()) for row in rows])
        ScanStage(work, extractor)(number)
        first += length


def assembled(
    folder: Path,
    passages: Sequence[Passage],
    triples: Mapping[int, Sequence[Triple]],
    *,
    size: int = 4096,
    merged: Merged = NOTHING_MERGED,
) -> tuple[IndexTables, Assembled]:
    """Tables of some passages with these triples, by row, and what was counted."""
    work = work_of(folder / "cache", passages, size=size)
    entities = name_entities(work, merged)
    scan(work, triples)
    with IndexWriter(folder / "index") as writer:
        counted = assemble(work, entities, writer, IndexRecipe())
        write_texts(work, writer, workers=1)
        write_none(writer)
        writer.publish(fields_of())
    return IndexTables.open(StoredIndex.open(folder / "index")), counted
