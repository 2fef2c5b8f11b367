"""Compares a corpus with an index: which passages come, go and stay."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Final, Literal, NamedTuple, Self

import pyarrow as pa

from hippohover.indexing.corpus.passage_table import (
    is_in,
    passages_in,
    place_in_folder,
    stored_passages,
    with_no_texts,
)
from hippohover.indexing.corpus.passages import CorpusCounts
from hippohover.indexing.corpus.versions import DocumentNames, own_name
from hippohover.indexing.updates.repeats import Repeats, holder_of
from hippohover.records import Passage
from hippohover.store.tables import IndexTables

Taking = Literal["beside", "replace", "equal"]
"""What happens to documents of the index: those with the ids of new documents stay beside these, or
are replaced by them; or all are replaced, and those that are not read are removed."""

KINDS: Final = ("added", "replaced", "deleted")

_ROW: Final = re.compile(r"(?P<file>.+)#\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """The result of an update.

    Attributes
    ----------
    n_added, n_removed : int
        Passages that came and went.
    n_known : int
        Passages that were to be added and are in the index.
    n_passages : int
        Passages of the live version now.
    n_differing : int
        Of those known, how many came with other fields, links or aliases: those of the index stay.
    n_replaced : int
        Documents of the index whose place a document of the same id took.
    n_repeats : int
        Passages of documents that say what another document of the index says, or no longer do:
        what they say of themselves came, or went. It answers once that one goes.
    n_beside : int
        Documents of the index beside which another text of the same id came: both answer. Of what
        takes the place of others, these are of other files.
    n_namesakes : int
        Documents of the index with an id, beside which another of their title came without one.
    n_failed : int
        Records and files that could not be read.
    failures : tuple of str
        The first 100 of them: "notes/a.pdf: why".
    built : str
        Why the next version was built from all passages instead of a segment; empty if it is a
        segment, or nothing was published.
    """

    n_added: int
    n_removed: int
    n_known: int
    n_passages: int
    n_differing: int = 0
    n_replaced: int = 0
    n_repeats: int = 0
    n_beside: int = 0
    n_namesakes: int = 0
    n_failed: int = 0
    failures: tuple[str, ...] = ()
    built: str = field(default="", compare=False)  # a dry run cannot say

    @property
    def is_change(self) -> bool:
        """Whether the next version differs."""
        return bool(self.n_added or self.n_removed or self.n_repeats)

    def with_failures(self, counts: CorpusCounts) -> Self:
        """Return the same with the records that could not be read."""
        return replace(self, n_failed=counts.n_bad_records, failures=tuple(counts.failures))


class DocumentChange(NamedTuple):
    """A document that came, was replaced by another of its id, or went.

    Attributes
    ----------
    kind : {"added", "replaced", "deleted"}
    document : str
        Its id, or the path of the file that it is; empty where the title alone names it.
    title : str
        Its title; empty where titles are hidden.
    """

    kind: str
    document: str
    title: str

    def __str__(self) -> str:
        """Return its path or id, and the title of a table's row, whose number may change."""
        named = self.document or self.title
        is_row = self.title and _ROW.fullmatch(self.document)
        return f"{named} ({self.title})" if is_row else named


class Difference(NamedTuple):
    """The difference between an index's passages and those that it should have.

    Attributes
    ----------
    gone : set of str
        Ids of the passages of the index that go; a passage of the same id may come.
    new : list of Passage
    repeats : Repeats
        Those that the index shall have.
    update : Update
    changes : tuple of DocumentChange
        In the order of the kinds, ids and titles.
    """

    gone: set[str]
    new: list[Passage]
    repeats: Repeats
    update: Update
    changes: tuple[DocumentChange, ...]

    def passages(self, old: IndexTables) -> Iterator[Passage]:
        """Yield the passages that the index should have, each before those that say the same."""
        left = (passage for passage in stored_passages(old) if passage.pid not in self.gone)
        return chain(left, self.new, self.repeats.passages())


def difference(
    old: IndexTables,
    repeats: Repeats,
    read: Sequence[Passage],
    names: DocumentNames,
    *,
    taking: Taking,
) -> Difference:
    """Compare an index with passages that were read.

    Of those of one id the first is the index's. ``repeats`` are the index's, ``names`` of the
    documents that were read, and of those that say the same as another. A document whose passages
    are in the index as they are is left alone.
    """
    new: dict[str, Passage] = {}
    others: list[Passage] = []  # that were read and say what another says
    for passage in read:
        if new.setdefault(passage.pid, passage) is not passage:
            others.append(replace(passage, text=""))
    read = list(new.values())
    gone: dict[str, Passage] = {}
    there: list[Passage] = []
    beside: set[str] = set()
    namesakes: set[tuple[str, str]] = set()
    n_known = n_differing = 0
    for passage in _concerned(old, new, names, all_of_it=taking == "equal"):
        there.append(passage)
        again = new.get(passage.pid)
        if taking == "beside" or (taking == "replace" and not _is_among(names, passage)):
            beside.add(_shared(passage))
            if passage.document:
                namesakes.add((passage.document, passage.title))
            if again is not None:
                n_known += 1
                is_remembered = again.document and holder_of(again) != holder_of(passage)
                n_differing += not is_remembered and _own(again) != _own(passage)
                others.append(replace(again, text=""))
                del new[passage.pid]
        elif again is not None and replace(again, text="") == passage:
            n_known += 1
            del new[passage.pid]
        else:
            gone[passage.pid] = passage
    before, after = _repeats(repeats, gone, others, names, taking)
    if taking == "replace":
        after = _put_first(old, there, gone, new, after)
    holders = set(map(holder_of, (one for one in there if one.pid not in gone)))
    holders |= set(map(holder_of, new.values()))
    after = [one for one in after if one.document and holder_of(one) not in holders]
    came, went = _but(after, before), _but(before, after)
    changes = _changes(
        [*gone.values(), *went],
        [*(replace(one, text="") for one in new.values()), *came],
        [*there, *before],
        [*read, *others],
        names,
    )
    titles = {one.title for one in new.values() if not one.document} - {""}
    update = Update(
        n_added=len(new),
        n_removed=len(gone),
        n_known=n_known,
        n_passages=old.arrays.n_passages - len(gone) + len(new),
        n_differing=n_differing,
        n_replaced=0 if taking == "beside" else sum(one.kind == "replaced" for one in changes),
        n_repeats=len(came) + len(went),
        n_beside=len(beside & set(map(_shared, new.values())) - {""}),
        n_namesakes=sum(title in titles for _, title in namesakes),
    )
    behind = repeats.but(went, came)
    return Difference(set(gone), list(new.values()), behind, update, changes)


def _repeats(
    repeats: Repeats,
    gone: Iterable[str],
    others: Sequence[Passage],
    names: DocumentNames,
    taking: Taking,
) -> tuple[list[Passage], list[Passage]]:
    """Return the repeats that a change may concern, before and after it."""
    if taking == "equal":
        return list(repeats.passages()), list(others)
    pids = chain(gone, (passage.pid for passage in others))
    before = repeats.concerned(pids, names.ids if taking == "replace" else ())
    if taking == "beside":
        known = set(map(holder_of, before))
        return before, [*before, *(one for one in others if holder_of(one) not in known)]
    again = {holder_of(one): one for one in others}
    stay = [one for one in before if holder_of(one) in again or not _is_among(names, one)]
    stay = [again.pop(holder_of(one), one) for one in stay]
    return before, [*stay, *again.values()]


def _put_first(
    old: IndexTables,
    there: Sequence[Passage],
    gone: dict[str, Passage],
    new: dict[str, Passage],
    repeats: Sequence[Passage],
) -> list[Passage]:
    """Assign each passage to the first document in a build's order that has it.

    Changes ``gone`` and ``new``; the repeats without those that are first, and with those that
    were.
    """
    held = {one.pid: one for one in there if one.pid not in gone} | new
    by_pid: dict[str, list[Passage]] = defaultdict(list)
    for one in repeats:
        by_pid[one.pid].append(one)
    left: list[Passage] = []
    for pid, some in by_pid.items():
        holder = held.get(pid)
        is_new = pid in new  # it comes behind what is there
        every = some if holder is None else [*some, holder] if is_new else [holder, *some]
        first = min(every, key=lambda one: place_in_folder(one.path))
        if first is not holder and (holder is not None or pid in gone):
            text = (
                old.texts[int(old.rows_equal("pid", pid)[0])] if pid not in new else new[pid].text
            )
            if holder is not None and not is_new:
                gone[pid] = holder
            new[pid] = replace(first, text=text)
        left += (replace(one, text="") for one in every if one is not first)
    return left


def _but(some: Iterable[Passage], others: Iterable[Passage]) -> list[Passage]:
    known = set(others)
    return [one for one in some if one not in known]


def _is_among(names: DocumentNames, passage: Passage) -> bool:
    return names.hold(passage.document, passage.title, passage.path)


def _shared(passage: Passage) -> str:
    """Return a name that two documents can share: that of its file, if it has one."""
    if passage.document:
        own = own_name(passage.document, passage.path)
        return f"file {own}" if own else f"id {passage.document}"
    return f"title {passage.title}" if passage.title else ""


def _changes(
    gone: Sequence[Passage],
    new: Sequence[Passage],
    there: Sequence[Passage],
    read: Sequence[Passage],
    names: DocumentNames,
) -> tuple[DocumentChange, ...]:
    """Return what happened to documents whose passages come or go, and new titles.

    Rows of a table without ids are numbered: of those that others were left out or put in before,
    nothing is told.
    """
    reported = _Reported(gone, there, read, names)
    stay = set(gone) & set(new)  # some say what another said alone before, or no longer alone
    before: dict[str, list[Passage]] = defaultdict(list)
    for passage in gone:
        before[passage.pid].append(passage)
    moved = {one.pid for one in new if any(_is_moved(other, one) for other in before[one.pid])}
    came_or_went = chain(((one, False) for one in gone), ((one, True) for one in new))
    every = ((one, came) for one, came in came_or_went if one not in stay and one.pid not in moved)
    kinds: dict[tuple[str, str], DocumentChange] = {}
    for passage, came in every:
        name = reported.name(passage)
        key = (name, "" if name else passage.pid)  # without a name each passage is its own
        again = name in (reported.there if came else reported.read)
        kind = "replaced" if again else "added" if came else "deleted"
        called = own_name(passage.document, passage.path) or passage.document
        kinds[key] = DocumentChange(kind, called, passage.title)
    return tuple(sorted(kinds.values(), key=lambda change: (KINDS.index(change.kind), change)))


class _Reported:
    """Documents' names in a report, those in the index, and those that were read."""

    def __init__(
        self,
        gone: Iterable[Passage],
        there: Sequence[Passage],
        read: Sequence[Passage],
        names: DocumentNames,
    ) -> None:
        before, now = set(map(_reported, there)), set(map(_reported, read))
        moved = {
            one.document
            for one in read
            if _reported(one) not in before and not own_name(one.document, one.path)
        }
        self._by_id = {
            one.document
            for one in gone
            if _reported(one) not in now
            and not _numbered_in(one)
            and (_is_among(names, one) or one.document in moved)
        }
        self.there = set(map(self.name, there)) - {""}
        self.read = set(map(self.name, read)) - {""}

    def name(self, passage: Passage) -> str:
        """Return only its id if it was in another file, or in none."""
        is_by_id = bool(passage.document) and passage.document in self._by_id
        return f"id {passage.document}" if is_by_id else _reported(passage)


def _concerned(
    old: IndexTables, new: Iterable[str], names: DocumentNames, *, all_of_it: bool
) -> Iterator[Passage]:
    """Yield an index's passages, without texts: all, or those of ids or documents read.

    A title is looked for whether its document has an id or not.
    """
    table = old.living if all_of_it else old.passages
    if not all_of_it:
        chosen = is_in(table.column("pid"), new) | is_in(table.column("document"), names.ids)
        chosen |= is_in(table.column("title"), names.titles)
        table = table.filter(pa.array(chosen & old.is_there))
    return passages_in(with_no_texts(table))


def _reported(passage: Passage) -> str:
    """Return a document's name in a report: a table's row by its file and title."""
    file = _numbered_in(passage)
    if file and passage.title:
        return f"row {file} {passage.title}"
    if passage.document:
        return f"id {passage.document} in {passage.path}"
    return f"title {passage.title}" if passage.title else ""


def _numbered_in(passage: Passage) -> str:
    """Return the file of a row that is named by its number; "" for other documents."""
    row = _ROW.fullmatch(own_name(passage.document, passage.path) or passage.document)
    return row["file"] if row else ""


def _is_moved(one: Passage, other: Passage) -> bool:
    """Return whether passages of one text are the same row under another number."""
    file = _numbered_in(one)
    return bool(file) and file == _numbered_in(other) and _own(one) == _own(other)


def _own(passage: Passage) -> tuple[object, ...]:
    """Return what a passage has beside its text."""
    return passage.links, passage.aliases, passage.metadata
