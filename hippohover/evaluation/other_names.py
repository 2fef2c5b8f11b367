"""Replaces other names of documents in gold, such as a file's, by titles."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from hippohover.evaluation.hover import GoldClaim, missing_gold
from hippohover.names.normal_forms import normal_title


def titles_by_other_names(
    passages: Any,  # noqa: ANN401  (Arrow has no types)
    claims: Sequence[GoldClaim],
) -> dict[str, str]:
    """Map gold titles that no document has to the title of the document so named.

    Other names of a document are its aliases, its id and path, and the last parts of these, the
    name of its file with the suffix and without; a name that several documents share names none of
    them.

    Parameters
    ----------
    passages : pyarrow.Table
        As ``HippoHover.tables.living`` is.
    claims : sequence of GoldClaim
        Their gold is by title.
    """
    missing = missing_gold(claims, passages.column("title").to_pylist())
    wanted = {normal_title(gold.title): gold.title for gold in missing}
    if not wanted:
        return {}
    owners: dict[str, set[tuple[str, str]]] = {}
    columns = [passages.column(name).to_pylist() for name in ("title", "document", "aliases")]
    has_paths = "path" in passages.column_names
    paths = passages.column("path").to_pylist() if has_paths else [""] * len(passages)
    for title, document, aliases, path in zip(*columns, paths, strict=True):
        files = {PurePosixPath(name).name for name in (document, path or "")}
        for name in {document, path or "", *files, *aliases}:
            if name and (normal := normal_title(name)) in wanted:
                owners.setdefault(wanted[normal], set()).add((title, document))
    return {gold: next(iter(some))[0] for gold, some in owners.items() if len(some) == 1}


def by_titles(claims: Sequence[GoldClaim], titles: Mapping[str, str]) -> list[GoldClaim]:
    """Replace some gold titles in the claims, each once."""
    if not titles:
        return list(claims)
    normal = {normal_title(name): title for name, title in titles.items()}
    renamed: list[GoldClaim] = []
    for claim in claims:
        gold = [normal.get(normal_title(name), name) for name in claim.gold_titles]
        once: dict[str, str] = {}
        for name in gold:
            once.setdefault(normal_title(name), name)
        parts = tuple(
            replace(part, name=normal.get(normal_title(part.name), part.name))
            for part in claim.parts
        )
        renamed.append(replace(claim, gold_titles=tuple(once.values()), parts=parts))
    return renamed
