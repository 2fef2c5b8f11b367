"""Numbers documents: which passages form one, follow each other, or link to another."""

from collections.abc import Callable, Iterable
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hippohover.disk.columns import Columns
from hippohover.indexing.entity_numbers import EntityNumbers
from hippohover.indexing.passage_scan import LINK_HASHES, LINK_WIDTH, of_id
from hippohover.indexing.sequences import Member, members_in, pairs_in_order
from hippohover.names.interning import ABSENT, StringInterner, hashed
from hippohover.names.titles import TitleKind


class DocumentNumbers:
    """Documents, numbered in the order of their first passage.

    Passages of one id in one file are one document; without ids, those of one title; else each is
    its own.

    Parameters
    ----------
    tables : iterable of pyarrow.Table
        Passages, chunk by chunk.
    entities : EntityNumbers
        Known names of the same passages.

    Attributes
    ----------
    numbers : ndarray of int32, shape (n_passages,)
        Number of each passage's document.
    n_links, n_unresolved_links : int
        Links and references found by ``links``, and links that lead to no document.
    """

    def __init__(
        self,
        tables: Iterable[Any],  # of pyarrow, which has no types
        entities: EntityNumbers,
    ) -> None:
        self._entities = entities
        self._ids = StringInterner()
        documents = StringInterner()
        every = [np.zeros(0, np.int32)]
        of_ids = [np.zeros(0, np.int32)]
        parts = [np.zeros(0, np.int32)]
        self._members: list[Member] = []
        for table in tables:
            self._members += members_in(table, count(sum(map(len, parts))))
            columns = [table.column(name).to_pylist() for name in ("document", "title", "pid")]
            names = [
                of_id(document) if document else f"title {title}" if title else f"pid {pid}"
                for document, title, pid in zip(*columns, strict=True)
            ]
            of_ids.append(self._ids.add(*hashed(names))[0])
            if "path" in table.column_names:
                paths = table.column("path").to_pylist()
                names = [
                    _in_file(name, path) if document else name
                    for name, document, path in zip(names, columns[0], paths, strict=True)
                ]
            every.append(documents.add(*hashed(names))[0])
            parts.append(table.column("part").to_numpy())
        self.numbers, self._parts = np.concatenate(every), np.concatenate(parts)
        # What a link to an id leads to: the title of its document.
        self._titles = np.full(len(self._ids), ABSENT, np.int32)
        # Without one, its id as a name, which is its own, else what its text opens with.
        of_passages = np.concatenate(of_ids)
        for kind in (TitleKind.OPENING, TitleKind.ALIAS, TitleKind.FULL):
            owners = entities.owners[entities.owners[:, 2] == kind][::-1]
            self._titles[of_passages[owners[:, 0]]] = owners[:, 1]
        self.n_links = self.n_unresolved_links = 0

    def neighbours(self) -> NDArray[np.int32]:
        """Return pairs of consecutive passages of a document, lower row first."""
        places = (self.numbers.astype(np.int64) << 32) | self._parts
        # Of records that share a title and have no ids nobody knows whose part is whose.
        places, rows, n = np.unique(places, return_index=True, return_counts=True)
        alone = n == 1
        follows = alone[1:] & alone[:-1] & (np.diff(places) == 1)
        pairs = np.column_stack([rows[:-1][follows], rows[1:][follows]])
        return np.sort(pairs, axis=1).astype(np.int32)

    def sequences(self, terms_of: Callable[[int], set[int]]) -> NDArray[np.int32]:
        """Return pairs of passages whose documents follow each other in series, lower row first.

        ``terms_of`` gives the distinct search terms of a row's text.
        """
        pairs = np.array(list(pairs_in_order(self._members, terms_of)), np.int32).reshape(-1, 2)
        return np.sort(pairs, axis=1)

    def links(self, columns: Columns) -> NDArray[np.int32]:
        """Return links and references of a scan, with known names as targets.

        Links that lead nowhere are counted; a number without a title is not a reference.
        """
        links, references = (self._resolved(columns, name) for name in ("link", "reference"))
        led = [links[links[:, 1] != ABSENT], references[references[:, 1] != ABSENT]]
        self.n_links += len(links) + len(led[1])
        self.n_unresolved_links += len(links) - len(led[0])
        return np.concatenate(led)

    def _resolved(self, columns: Columns, name: str) -> NDArray[np.int32]:
        """Resolve links of one kind; one that leads nowhere becomes ``ABSENT``."""
        links = columns.numbers(f"{name}s", np.int32, width=LINK_WIDTH).copy()
        targets = columns.numbers(f"{name}_hash", np.uint64, width=LINK_HASHES)
        n_known = self._entities.n_known
        # The whole path or name, else what stands behind its last slash, else an id.
        target = np.append(self._titles, np.int32(ABSENT))[self._ids.numbers(targets[:, 2].copy())]
        for column in (1, 0):
            numbers = self._entities.numbers(targets[:, column].copy())
            is_known = (numbers >= 0) & (numbers < n_known)
            target[is_known] = numbers[is_known]
        links[:, 1] = target[links[:, 1]]
        return links


def link_targets(
    columns: Columns, first_row: int
) -> list[tuple[NDArray[np.uint64], NDArray[np.int32]]]:
    """Return hashes of what the passages of a scan may link to, and their rows."""
    parts: list[tuple[NDArray[np.uint64], NDArray[np.int32]]] = []
    for name in ("link", "reference"):
        links = columns.numbers(f"{name}s", np.int32, width=LINK_WIDTH)
        targets = columns.numbers(f"{name}_hash", np.uint64, width=LINK_HASHES)[links[:, 1]]
        parts.append((targets.ravel(), np.repeat(links[:, 0] + np.int32(first_row), LINK_HASHES)))
    return parts


def _in_file(name: str, path: str | None) -> str:
    """Return a document's name with its file: a.pdf and a.docx share names.

    Without a file it is the name.
    """
    return f"{name}\0{path}" if path else name
