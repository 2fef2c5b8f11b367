"""What an index holds, for who goes through it by hand: documents, names, and their neighbours."""

from collections.abc import Sequence
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import NotInIndexError, UsageError
from hippohover.explanation.lookup import PassageLookup
from hippohover.metadata import citation
from hippohover.overview.mentioned import Mentions, distinct
from hippohover.retrieval.engine import HippoHover
from hippohover.store.near_titles import did_you_mean
from hippohover.web.brief import n_tokens

Which = Literal["document", "passage", "before", "after"]
_NAMES_LOOKED_AT: Final = 60
_PLACES_SAID: Final = 5

Rows = NDArray[np.int64]


class Browsing:
    """One version of an index, read passage by passage; safe from several threads."""

    def __init__(self, engine: HippoHover) -> None:
        self._engine = engine
        self._tables = engine.tables
        self._retrievers = engine.retrievers
        self._lookup = PassageLookup(engine.retrievers)
        self._mentions = Mentions(engine.tables)

    def is_of(self, engine: HippoHover) -> bool:
        """Return whether this is the version that an engine answers from."""
        return self._retrievers is engine.retrievers

    def read(self, name: str, which: Which, part: int, max_tokens: int) -> dict[str, Any]:
        """Return passages of a document, in order, as many as have room.

        Parameters
        ----------
        name : str
            A title, an id or a path of a document, or the pid of one of its passages.
        which : {"document", "passage", "before", "after"}
            With a pid, the others name that passage, the one before it or the one after it.
        part : int
            The first passage of the document that is returned, from 1.
        max_tokens : int
            ``next_part`` says where to go on, if not all had room.

        Raises
        ------
        NotInIndexError
            There is no such document or passage.
        UsageError
            Several documents go by that title.
        """
        row = self._row_of(name)
        rows = self._document(row)
        first = part - 1
        if which != "document":
            first = rows.index(row) + {"before": -1, "passage": 0, "after": 1}[which]
        if not 0 <= first < len(rows):
            raise NotInIndexError(f"{name!r:.80} has {len(rows)} passages: none is there")
        wanted = rows[first:] if which == "document" else rows[first : first + 1]
        return self._within(wanted, len(rows), max_tokens)

    def names(self, text: str) -> dict[str, Any]:
        """Return the names of a text that the index knows, and in how many passages each is."""
        return {"names": self._engine.names_in(text)}

    def neighbours(self, name: str, n: int) -> dict[str, Any]:
        """Return what is joined with a name, a title or a pid: at most ``n`` passages and names.

        Of a title or a pid, the passages are those that a short walk from it reaches best; of
        another name, some that mention it. The names are those that they mention most.
        """
        rows = self._rows_of(name)
        if len(rows):
            pid = self._tables.passages.column("pid")[int(rows[0])].as_py()
            near = self._engine.linked(pid, n)
            passages = [{"title": one.title, "pid": one.pid, "place": one.citation} for one in near]
        else:
            entities = self._retrievers.read_claim(name).entities.tolist()
            rows = np.array([row for one in entities for row in self._mentions.naming(one)])
            if not len(rows):
                raise NotInIndexError(f"no name and no title of the index is in {name!r:.80}")
            passages = [self._place(row) for row in np.unique(rows).tolist()[:n]]
        named = self._mentions.most_named(rows.astype(np.int64))[:_NAMES_LOOKED_AT]
        names = (self._mentions.name_of(entity) for entity in named.tolist())
        return {"passages": passages, "names": list(distinct(names, n, [name]))}

    def _rows_of(self, name: str) -> Rows:
        """Return the passages that a pid, an id, a path or a title names, the first that does."""
        for column in ("pid", "title", "document", "path"):
            rows = self._tables.rows_equal(column, name)
            if len(rows):
                return rows
        return self._lookup.of_title(name)

    def _row_of(self, name: str) -> int:
        rows = self._rows_of(name)
        if not len(rows):
            raise NotInIndexError(
                f"no document of the index is {name!r:.80}: "
                f"{did_you_mean(self._lookup.near_titles(name))}"
            )
        documents = self._tables.arrays.documents[rows]
        if len(np.unique(documents)) > 1:
            places = sorted({self._place(row)["pid"] for row in rows.tolist()})
            raise UsageError(
                f"{len(np.unique(documents))} documents go by {name!r:.80}: give a pid, "
                f"such as {', '.join(places[:_PLACES_SAID])}"
            )
        return int(rows[np.argmin([self._tables.part_of(row) for row in rows.tolist()])])

    def _document(self, row: int) -> list[int]:
        documents = self._tables.arrays.documents
        rows = np.flatnonzero(documents == documents[row]).tolist()
        return sorted(rows, key=self._tables.part_of)

    def _place(self, row: int) -> dict[str, Any]:
        title, metadata = self._tables.node_name(row), self._tables.metadata_of(row)
        pid = self._tables.passages.column("pid")[row].as_py()
        return {"title": title, "pid": pid, "place": citation(title, metadata)}

    def _within(self, rows: Sequence[int], n_parts: int, max_tokens: int) -> dict[str, Any]:
        place = self._place(rows[0])
        answer: dict[str, Any] = {"title": place["title"], "place": place["place"], "passages": []}
        left = max_tokens - n_tokens(answer)
        for row in rows:
            part = self._tables.part_of(row)
            pid, text = self._place(row)["pid"], self._tables.texts[row]
            told = {"part": f"{part} of {n_parts}", "pid": pid, "text": text}
            left -= n_tokens(told)
            if left < 0 and answer["passages"]:
                return {**answer, "next_part": part}
            answer["passages"].append(told)
        return answer
