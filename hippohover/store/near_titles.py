"""Titles similar to one that an index does not hold."""

import difflib
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippohover.language.stemming import Stemmer
from hippohover.lexical import top_rows
from hippohover.names.affixes import Stems
from hippohover.names.key_table import ABSENT
from hippohover.names.normal_forms import entity_key, tokens
from hippohover.names.spelling import spellings
from hippohover.store.tables import IndexArrays, IndexTables

_PATH: Final = "path"
_SHOWN: Final = 5
_MAX_CHARS: Final = 500
_MAX_WORDS: Final = 8  # in which a slip is looked for
_LONGEST_WORD: Final = 40
_MAX_SPELLINGS: Final = 5  # of a word that no passage holds
_POOL: Final = 200
_COMPARE_ALL: Final = 20_000  # titles that difflib compares in well under a second


def near_titles(tables: IndexTables, title: str) -> tuple[str, ...]:
    """Return at most 5 titles, nearest first: of that name, similar spelling, same words.

    A document is near by any of its names: its title, its further names, its path.

    Only titles to which the index's names and words lead are compared, so that it takes no longer
    in an index of millions. If they lead nowhere, all titles of a small index are compared.
    """
    words = entity_key(title).split() if len(title) <= _MAX_CHARS else []
    if not words:
        return ()
    slips = [
        " ".join([*words[:at], spelling, *words[at + 1 :]])
        for at, word in enumerate(words[:_MAX_WORDS])
        for spelling in _spellings(word)
    ]
    same = _titles(tables, owners_of(tables, [" ".join(words)]))
    slipped = owners_of(tables, slips, most=_SHOWN)
    of_words = _of_words(tables.arrays, tokens(title)[0])
    rows = np.concatenate([slipped, of_words])
    same += _titles(tables, tables.rows_equal(_PATH, title))
    found = [*same, *_closest(title, _titles_of_names(tables, rows), 0.5)]
    if not found and tables.arrays.n_counted <= _COMPARE_ALL:
        every = np.flatnonzero(tables.arrays.documents >= 0)
        found = _closest(title, _titles_of_names(tables, every), 0.6)
    return tuple(dict.fromkeys(found))[:_SHOWN]


def did_you_mean(titles: Sequence[str]) -> str:
    """Write a message about similar titles, or about none."""
    return f"did you mean {', '.join(map(repr, titles))}?" if titles else "check its spelling"


def owners_of(
    tables: IndexTables, keys: Sequence[str], *, most: int | None = None
) -> NDArray[np.int64]:
    """Return passages with any of the names, ascending, ``most`` per name."""
    arrays = tables.arrays
    numbers = np.unique(arrays.names.numbers(keys))
    spans = arrays.owner_spans[numbers[numbers != ABSENT]].tolist()
    owners = [arrays.by_key(arrays.owner_passages[start:stop])[:most] for start, stop in spans]
    return np.unique(np.concatenate([np.zeros(0, np.int32), *owners])).astype(np.int64)


def _of_words(arrays: IndexArrays, words: Sequence[str]) -> NDArray[np.int64]:
    """Return the best passages for a title's words, with unknown words corrected."""
    lexical, stemmer = arrays.lexical, Stemmer(Stems.of_bytes(arrays.name_affixes))
    terms = stemmer.terms(words)
    known = lexical.query_terms(terms)
    unknown = [
        word
        for word, term in zip(words, terms, strict=True)
        if term and not len(lexical.query_terms([term]))
    ]
    meant: list[NDArray[np.int64]] = []
    for word in unknown[:_MAX_WORDS]:
        some = lexical.query_terms(stemmer.unremembered(_spellings(word)))
        meant.append(some[np.argsort(-lexical.document_frequency(some), kind="stable")])
    every = np.unique(np.concatenate([known, *(some[:_MAX_SPELLINGS] for some in meant)]))
    return top_rows(lexical.scores(every), _POOL, lexical.keys)


def _spellings(word: str) -> list[str]:
    return spellings(word) if len(word) <= _LONGEST_WORD else []


def _closest(title: str, titles: dict[str, str], cutoff: float) -> list[str]:
    """Return titles with the most similar names, ignoring case, most similar first."""
    written = {name.casefold(): titles[name] for name in reversed(titles)}
    close = difflib.get_close_matches(title.casefold(), written, n=_SHOWN, cutoff=cutoff)
    return [written[like] for like in close]


def _titles_of_names(tables: IndexTables, rows: NDArray[np.int64]) -> dict[str, str]:
    """Return passages' titles by their names: titles before other names, then paths."""
    columns = [name for name in ("aliases", _PATH) if name in tables.passages.column_names]
    read = tables.passages.select(["title", *columns]).take(rows).to_pydict()
    titles: list[str] = read["title"]
    names = {title: title for title in titles if title}
    for further, title in zip(read.get("aliases", ()), titles, strict=False):
        names |= {name: title for name in further if title and name not in names}
    for path, title in zip(read.get(_PATH, ()), titles, strict=False):
        if title and path:
            names.setdefault(path, title)
    return names


def _titles(tables: IndexTables, rows: NDArray[np.int64]) -> list[str]:
    titles: list[str] = tables.passages.column("title").take(rows).to_pylist()
    return [title for title in titles if title]
