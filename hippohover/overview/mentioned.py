"""Which titles and names the passages of others mention, and as what they write them."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import OF_PHRASES, OUTSIDE, EdgeType
from hippohover.names.mentions import STOP_TOKENS
from hippohover.names.normal_forms import token_spans, tokens, without_qualifier
from hippohover.names.titles import TitleKind, head_of
from hippohover.spans import lengths_of, places_in
from hippohover.store.tables import IndexTables

_TEXTS_READ: Final = 8
"""Of each name, spread over all passages that name it: what bounds the time, not the corpus."""
_ROWS_LOOKED_AT: Final = 64
_ROWS_COUNTED: Final = 1000
_NAMING: Final = (EdgeType.MENTION, EdgeType.FORM, EdgeType.LINK, *OF_PHRASES, EdgeType.SOURCE)
_OF_TITLE: Final = (TitleKind.FULL, TitleKind.BARE, TitleKind.HEAD, TitleKind.TAIL)
_NUMERAL: Final = re.compile(r"\d+|X{0,3}(?:IX|IV|V?I{0,3})")
_BEFORE: Final = re.compile(r"(\w+)[ -]$")
_AFTER: Final = re.compile(r"(?:['’]s)?[ -](\w+)")
_QUOTE_BEFORE: Final = re.compile(r"[\"“„`]$")
_QUOTE_AFTER: Final = re.compile(r"[.,!?]?[\"”“`]")
_BEGINS_SENTENCE: Final = re.compile(r"(?:^|[.!?:\n])[\s\"'“‘*_#>-]*$")
_LOOKED_BACK: Final = 40


class Mentions:
    """Reads how a few passages of other documents write a title or a name.

    The graph joins a passage with a name by the name's normal form: "She is" with "She Is", and
    "TV" with "&TV". Only what stands as written, by itself, is mentioned.
    """

    def __init__(self, tables: IndexTables) -> None:
        self.tables = tables

    @cached_property
    def n_naming(self) -> NDArray[np.int64]:
        """How many passages that do not go by it name each entity, shape (n_entities,)."""
        arrays = self.tables.arrays
        n = arrays.entity_df.astype(np.int64)
        n[: len(arrays.owner_spans)] -= lengths_of(arrays.owner_spans)
        n[: len(arrays.entity_standing)][arrays.entity_standing == OUTSIDE] = 0
        return n

    def title_of(self, entity: int) -> str:
        """Return the title that is an entity's name, whole or in part; "" without one.

        What a title has before its colon names its document only if it names no other one.
        """
        arrays = self.tables.arrays
        rows = arrays.owner_passages[slice(*arrays.owner_spans[entity].tolist())]
        of_one = len(np.unique(arrays.documents[rows])) == 1
        for kind in (TitleKind.FULL, TitleKind.HEAD, TitleKind.TAIL)[: 3 if of_one else 1]:
            for row in rows[arrays.title_entities[rows, kind] == entity][:1].tolist():
                title = self.tables.node_name(row)
                return title if kind is not TitleKind.HEAD or _before_colon(title) else ""
        return ""

    def short_title(self, row: int) -> str:
        """Return a passage's title up to its colon where that names this document alone."""
        title = self.tables.node_name(row)
        head = int(self.tables.arrays.title_entities[row, TitleKind.HEAD])
        is_known = head >= 0 and self.title_of(head) == title
        return (is_known and _before_colon(title)) or title

    def has_title(self, row: int) -> bool:
        """Return whether others mention the title of a passage, in one of its forms."""
        title = self.tables.node_name(row)
        entities = self.tables.arrays.title_entities[row].tolist()
        if self.short_title(row) == title:
            entities[TitleKind.HEAD] = -1
        return is_shown(title) and any(
            entities[kind] >= 0
            and self.n_naming[entities[kind]] > 0
            and 2 * len(self._mentioning(entities[kind], form)) > len(self.naming(entities[kind]))
            for kind, form in zip(
                _OF_TITLE, (*_forms(title), self._written_as(entities[TitleKind.TAIL])), strict=True
            )
        )

    def mentioned_title(self, entity: int) -> str:
        """Return ``title_of`` an entity, if others mention it; else ""."""
        return self.title_of(entity) if self.by_title(entity) else ""

    def by_title(self, entity: int) -> list[int]:
        """Return those of ``naming`` that mention ``title_of`` an entity; none if most do not."""
        title = self.title_of(entity)
        rows = self._mentioning(entity, title, self._written_as(entity)) if is_shown(title) else []
        return rows if 2 * len(rows) > len(self.naming(entity)) else []

    def name_of(self, entity: int) -> str:
        """Return an entity's name as passages write it; "" if it is no name to most of them.

        A name begins with a capital, or is of a script without; it does so within sentences.
        """
        name = self.tables.node_name(self.tables.arrays.n_rows + entity)
        rows = self.naming(entity)
        forms = Counter(
            form
            for row in rows
            for form in set(self._written(row, name, within=True))
            if not form[0].islower()
        )
        best, n = max(forms.items(), key=lambda one: (one[1], one[0]), default=("", 0))
        return best if 2 * n > len(rows) and is_shown(best) else ""

    def most_named(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return entities that some passages name, those of most of them first."""
        arrays = self.tables.arrays
        spans = arrays.graph_spans[_spread(rows, _ROWS_COUNTED)]
        every = places_in(spans)
        every = every[np.isin(arrays.graph_types[every], _NAMING)]
        named, n = np.unique(arrays.graph_neighbours[every], return_counts=True)
        named, n = named[named >= arrays.n_rows], n[named >= arrays.n_rows]
        return named[np.argsort(-n, kind="stable")].astype(np.int64) - arrays.n_rows

    def naming(self, entity: int) -> list[int]:
        """Return up to 8 passages of other documents that name an entity, in order."""
        arrays = self.tables.arrays
        start, stop = arrays.graph_spans[arrays.n_rows + entity].tolist()
        kinds = arrays.graph_types[start:stop]
        near = arrays.graph_neighbours[start:stop]
        own = near[kinds == EdgeType.TITLE]
        rows = _spread(np.flatnonzero(np.isin(kinds, _NAMING)), _ROWS_LOOKED_AT)
        rows = np.unique(near[rows])
        documents = arrays.documents
        return _spread(rows[~np.isin(documents[rows], documents[own])], _TEXTS_READ).tolist()

    def _mentioning(self, entity: int, *forms: str) -> list[int]:
        """Return those of ``naming`` that link an entity, or write a form of its title.

        The first letter of several words may be in another case: "the graph view".
        """
        arrays = self.tables.arrays
        start, stop = arrays.graph_spans[arrays.n_rows + entity].tolist()
        is_link = arrays.graph_types[start:stop] == EdgeType.LINK
        linking = set(arrays.graph_neighbours[start:stop][is_link].tolist())
        return [
            row
            for row in self.naming(entity)
            if row in linking or any(self._writes(row, form) for form in forms if form)
        ]

    def _written_as(self, entity: int) -> str:
        return self.tables.node_name(self.tables.arrays.n_rows + entity) if entity >= 0 else ""

    def _writes(self, row: int, title: str) -> bool:
        other = title[0].swapcase() + title[1:] if " " in title else title
        return any(form in (title, other) for form in self._written(row, title))

    def _written(self, row: int, name: str, *, within: bool = False) -> Iterator[str]:
        """Yield every way in which a passage writes a name, where it stands by itself.

        Parameters
        ----------
        row : int
        name : str
            In any case; blanks in it stand for hyphens and ends of lines too.
        within : bool
            Whether to leave out what a sentence begins with.
        """
        text = self.tables.texts[row]
        pattern = r"[\s-]+".join(map(re.escape, name.split()))
        for match in re.finditer(pattern, text, re.IGNORECASE):
            start, stop = match.span()
            if _stands_alone(text, start, stop) and not (within and _begins(text, start)):
                yield " ".join(match[0].split())


def is_shown(name: str) -> bool:
    """Return whether a name says something alone: not "B", "4", "II" or "which"."""
    words, written = tokens(name)
    return (
        sum(map(str.isalpha, name)) > 1
        and not all(map(_NUMERAL.fullmatch, written))
        and not STOP_TOKENS.issuperset(words)
    )


def distinct(names: Iterable[str], n: int, shown: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the first names that differ from each other by more than their case.

    Parameters
    ----------
    names : iterable of str
    n : int
        How many to return at most.
    shown : iterable of str
        Titles that are shown beside them: no name is one of these, or its part before a colon.
    """
    seen = {form.casefold() for title in shown for form in _forms(title)}
    found: list[str] = []
    for name in names:
        if len(found) == n:
            break
        if name and name.casefold() not in seen:
            found.append(name)
            seen.add(name.casefold())
    return tuple(found)


def _forms(title: str) -> tuple[str, str, str]:
    """Return a title whole, without its qualifier, and up to its colon ("" without one)."""
    return title, without_qualifier(title), _before_colon(title)


def _before_colon(title: str) -> str:
    """Return the part of a title before its first colon; "" without one.

    A dash joins as often as it explains: "New York – New Jersey Line War" is not about New York.
    """
    head = head_of(title)
    return head if title[len(head) :].lstrip()[:1] in (":", "：") else ""


def _stands_alone(text: str, start: int, stop: int) -> bool:
    """Return whether a stretch is no part of a word, a longer name, a date or a quoted title."""
    if _joined(text, start) or _joined(text, stop):
        return False
    head = text[max(0, start - _LOOKED_BACK) : start]
    if bool(_QUOTE_BEFORE.search(head)) != bool(_QUOTE_AFTER.match(text, stop)):
        return False
    before, after = _BEFORE.search(head), _AFTER.match(text, stop)
    # "See", "Thanks" and "The" are in upper case for another reason.
    is_other = before and (
        before[1].lower() in STOP_TOKENS or _begins(text, start - len(before[0]))
    )
    if before and not is_other and _is_of_name(before[1]):
        return False
    return not (after and _is_of_name(after[1]))


def _joined(text: str, at: int) -> bool:
    """Return whether a word goes on there."""
    return 0 < at < len(text) and token_spans(text[at - 1 : at + 1]) == [(0, 2)]


def _is_of_name(word: str) -> bool:
    return word[0].isupper() or word[0].isdigit()


def _begins(text: str, start: int) -> bool:
    return bool(_BEGINS_SENTENCE.search(text[max(0, start - _LOOKED_BACK) : start]))


def _spread(rows: NDArray[np.integer], n: int) -> NDArray[np.integer]:
    """Return up to ``n`` of some rows, at equal distances."""
    return rows if len(rows) <= n else rows[np.linspace(0, len(rows) - 1, n).astype(np.int64)]
