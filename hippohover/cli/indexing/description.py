"""A description of an index, in words and as JSON."""

from dataclasses import asdict
from typing import Any

from hippohover.disk import door
from hippohover.disk.errors import reads
from hippohover.errors import IndexDamagedError
from hippohover.store.layout import RANKING
from hippohover.store.manifest import LEAST_WORTH, Manifest
from hippohover.store.reader import StoredIndex
from hippohover.store.versions import encoded_so_far
from hippohover.trust import is_confirmed, outside
from hippohover.vectors.choice import AUTO, chosen
from hippohover.vectors.embedding import MINILM
from hippohover.vectors.multilingual import MULTILINGUAL

_LEAST_JOINED = 0.2
"""Share of passages, under which a graph joins next to nothing (docs/corpus.md)."""
_FEWEST_DOCUMENTS = 10


def describe_index(stored: StoredIndex) -> dict[str, Any]:
    """Describe an index, ready for JSON."""
    manifest = stored.manifest
    return {
        "folder": str(stored.folder),
        "version": stored.version,
        "format_version": manifest.format_version,
        **manifest.counts,
        "edges": edges_by_type(manifest),
        "note": "; ".join(notes_on(manifest)) or None,
        "vectors": vectors_in_words(stored) or None,
        "ranking": own_ranking(stored),
        "n_bytes": sum(stored.sizes().values()),
        "files": stored.sizes(),
        "recipe": manifest.recipe,
        "recipe_sha256": manifest.recipe_sha256,
        "models": manifest.models,
        "outside": [
            {"setting": name, "value": value, "confirmed": is_confirmed(stored.root, name, value)}
            for name, value in outside(stored.recipe()).items()
        ],
        "dimensions": manifest.dimensions,
        "n_failures": manifest.n_failures,
        "failures": manifest.failures,
        "read": read_counts(stored),
        "triples_file": triples_file(stored) or None,
        "cache_n_bytes": cache_bytes(stored),
        "unfinished_n_bytes": cache_bytes(stored, unfinished=True),
    }


def notes_on(manifest: Manifest) -> list[str]:
    """Say what its maker should know of an index, a line each."""
    return list(filter(None, (what_is_loose(manifest), what_is_not_compared(manifest))))


def what_is_loose(manifest: Manifest) -> str:
    """Say that a graph joins almost nothing, and what helps; "" if it joins enough."""
    counts = manifest.counts
    n_passages, n_joined = counts["n_passages"], counts["n_passages_joined"]
    if counts["n_documents"] < _FEWEST_DOCUMENTS or n_joined >= _LEAST_JOINED * n_passages:
        return ""
    n_links, n_lost = counts["n_links"], counts["n_unresolved_links"]
    links = "no record has links"
    if n_links:
        links = f"{n_lost:,} of {n_links:,} links lead to no document"
    return (
        f"{n_joined:,} of {n_passages:,} passages are joined with another document: few texts "
        f"share a name, and {links}: give links or aliases, or expect answers no better than BM25's"
    )


def what_is_not_compared(manifest: Manifest) -> str:
    """Say that ``ppr`` does not count the encoder, and why; "" if it does."""
    if manifest.encoder_worth >= LEAST_WORTH:
        return ""
    asked, by_words, by_vectors = (
        manifest.counts[f"n_{name}"]
        for name in ("sentences_asked", "found_by_words", "found_by_vectors")
    )
    seen = (
        f"of {asked} sentences taken out of them, vectors find the rest of {by_vectors} and words "
        f"that of {by_words}"
    )
    if manifest.is_beyond_ascii and not by_words:
        seen = "it is of English, and their letters are of another script"
    return (
        f"the encoder hardly knows these texts: {seen}; ppr goes without vectors: give an encoder "
        f"of their language, as {MULTILINGUAL} is of 16 (pip install 'hippohover[multilingual]'; "
        f"hippohover reencode INDEX --encoder {MULTILINGUAL})"
    )


def vectors_in_words(stored: StoredIndex) -> str:
    """Say how far an index is whose vectors are to come, or that it grew past the number for them.

    "" where a build would choose the encoder that it has.
    """
    n = stored.manifest.counts["n_passages"]
    name = stored.recipe().encoder
    if name == AUTO:
        has = stored.manifest.models.get("encoder", {}).get("name", "none")
        encoded = encoded_so_far(stored.root)
        far = "to come, and nothing encodes it now: hippohover reencode INDEX goes on"
        if encoded is not None:
            far = f"on its way: {encoded[0]:,} of {encoded[1] or n:,}"
        return f"{has}, {chosen(AUTO, n)} {far}"
    if name == MINILM and chosen(AUTO, n) != MINILM:
        return f"{name}, and a build takes {chosen(AUTO, n)} for as many passages"
    return ""


def own_ranking(stored: StoredIndex) -> dict[str, Any] | None:
    """Describe an index's own ranking, or its ``problem``; None without one."""
    root = stored.root
    if door.status(root / RANKING) is None:  # few have one, and what reads it is slow to import
        return None
    from hippohover.retrieval.reranking.tuned import ranking_of

    try:
        ranking = ranking_of(None, root, stored.manifest.models.get("encoder", {}))
    except IndexDamagedError as error:
        return {"problem": str(error)}
    return None if ranking is None else ranking.origin()


def read_counts(stored: StoredIndex) -> dict[str, Any] | None:
    """Return the counts of reading the corpus, from the log of a build or an ``add``."""
    from hippohover.indexing.corpus.passages import logged_counts

    counts = logged_counts(stored.log())
    return None if counts is None else asdict(counts)


def triples_file(stored: StoredIndex) -> dict[str, Any]:
    """Return what a build's log says of its triples file."""
    of_file = (stored.log() or {}).get("triples_file")
    return of_file if isinstance(of_file, dict) else {}


def cache_bytes(stored: StoredIndex, *, unfinished: bool = False) -> int:
    """Return the bytes kept for later builds and updates, or for an unfinished one."""
    from hippohover.indexing.work_folder import WORK, cache_of

    cache = cache_of(stored.root)
    folder = cache / WORK if unfinished else cache
    with reads(folder):
        files = door.files_below(folder) if door.is_folder(folder) else ()
        return sum(status.st_size for _, status in files)


def edges_by_type(manifest: Manifest) -> dict[str, int]:
    """Count edges by type."""
    return {
        name.removeprefix("n_").removesuffix("_edges"): n
        for name, n in manifest.counts.items()
        if name.endswith("_edges") and name != "n_edges"
    }
