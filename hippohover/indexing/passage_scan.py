"""One pass over passages: search terms, known names, phrases, and their triples.

A pass numbers what it finds by itself, and keeps strings with their hashes, so that passes over
other passages in other processes are independent; ``assemble`` joins them.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hippohover.language.name_forms import run_text
from hippohover.language.stemming import Stemmer
from hippohover.lexical import NO_TERM
from hippohover.names.gazetteer import Gazetteer
from hippohover.names.interning import hashed
from hippohover.names.key_table import key_hashes
from hippohover.names.normal_forms import entity_key, token_spans, tokens, with_next_letters
from hippohover.names.references import Reference, references
from hippohover.records import Passage, Triple

Found = dict[str, NDArray[Any] | Sequence[str]]
"""Columns of a scan; passages are numbered from 0 within it.

lengths, title_lengths : int32
    Tokens of title and text together, and of the title alone, by passage.
terms : int32
    Position in ``term`` of every token of title and text; ``NO_TERM`` for stop tokens.
term : str
    Distinct search terms, in the order in which they are first met; so are all strings below.
mentions : int32, rows of ``MENTION_WIDTH``
    Passage, name number, first token, token after the last. Tokens count from the title's first.
form_pairs : int32, rows of 2
    Passage and number of each name that the text has in other forms alone, by passage.
phrase : str
    Distinct entity keys of the phrases found.
phrase_pairs : int32, rows of 2
    Passage and position in ``phrase``, no two the same.
run_rows : int32; run_hashes : uint64
    Passages, and ``name_forms.run_hashes`` of the runs of each.
links : int32, rows of ``LINK_WIDTH``; link_hash : uint64, rows of ``LINK_HASHES``
    Passage, position in ``link_hash``, first token, token after the last: where the text has the
    linked name, else both its beginning. ``link_hash`` holds the hashes of its key, of the key of
    what stands behind the last slash of it, and of ``of_id`` of it.
references, reference_hash
    Likewise of ``references``: the hashes of its title's key, of its section's, and of its id.
argument, argument_display, predicate : str
    Distinct entity keys of subjects and objects, how each is first written, and predicates.
triples : int32, rows of ``TRIPLE_WIDTH``
    Positions of subject, predicate and object, passage, sentence.
"""

MENTION_WIDTH: Final = 4
LINK_WIDTH: Final = 4
LINK_HASHES: Final = 3
TRIPLE_WIDTH: Final = 5


def of_id(identifier: str) -> str:
    """Return the text to hash for a document's id, unlike any title or name."""
    return f"id {identifier}"


class PassageScanner:
    """Scans passages for the names of an index; use one object per process."""

    def __init__(self, names: Gazetteer) -> None:
        self._names = names
        self._stemmer = Stemmer(names.stems)

    def __call__(
        self,
        passages: Sequence[Passage],
        triples_of: Callable[[int, Passage], Sequence[Triple]] = lambda _, __: (),
    ) -> Found:
        """Scan passages into columns; ``triples_of`` gives the triples of each."""
        mentions: list[tuple[int, int, int, int]] = []
        forms: list[tuple[int, int]] = []
        phrases: dict[str, int] = {}
        runs = _RunNumbers()
        run_pairs: list[tuple[int, int]] = []
        phrase_pairs: list[tuple[int, int]] = []
        numbers = _TermNumbers(self._stemmer)
        terms: list[int] = []
        lengths: list[tuple[int, int]] = []
        stated: list[Sequence[Triple]] = []
        links, by_number = _Links(), _Links()
        for row, passage in enumerate(passages):
            # Names and phrases are looked for in the text alone; tokens count from the title's.
            title, _ = tokens(passage.title)
            heading, _ = tokens(passage.heading)
            text = self._names.read(passage.text)
            offset = len(title) + len(heading)
            mentions += [
                (row, name, offset + start, offset + stop) for name, start, stop in text.known
            ]
            forms += [(row, name) for name in sorted(text.formed())]
            keys = text.phrase_keys()
            phrase_pairs += [(row, phrases.setdefault(key, len(phrases))) for key in keys]
            whole = dict.fromkeys(runs[run.key] for run in text.runs)
            run_pairs += [(row, number) for number in whole]
            # Terms are those of both.
            units = with_next_letters(chain(title, heading, text.folded))
            terms += map(numbers.__getitem__, units)
            lengths.append((offset + len(text.folded), len(title)))
            links.add(row, links_of(passage), offset)
            by_number.add(row, references(passage), offset)
            stated.append(triples_of(row, passage))
        both = _rows(lengths, 2)
        of_runs = _rows(run_pairs, 2)
        of_runs = of_runs[of_runs[:, 1] >= 0]
        return {
            "lengths": both[:, 0].copy(),
            "title_lengths": both[:, 1].copy(),
            "terms": np.array(terms, np.int32),
            **_strings("term", numbers.vocabulary),
            "mentions": _rows(mentions, MENTION_WIDTH),
            "form_pairs": _rows(forms, 2),
            **_strings("phrase", list(phrases)),
            "phrase_pairs": _rows(phrase_pairs, 2),
            "run_rows": of_runs[:, 0].copy(),
            "run_hashes": key_hashes(runs.texts)[of_runs[:, 1]],
            **links.columns("link"),
            **by_number.columns("reference"),
            **_triples(stated),
        }


class _TermNumbers(dict[str, int]):
    """Token to the number of its search term; terms are numbered as they are first met."""

    def __init__(self, stemmer: Stemmer) -> None:
        super().__init__()
        self.vocabulary: list[str] = []
        self._stemmer = stemmer
        self._numbers: dict[str, int] = {"": NO_TERM}

    def __missing__(self, token: str) -> int:
        (term,) = self._stemmer.terms((token,))
        number = self._numbers.setdefault(term, len(self.vocabulary))
        if number == len(self.vocabulary):
            self.vocabulary.append(term)
        self[token] = number
        return number


class _RunNumbers(dict[str, int]):
    """Run to the number of the text by which it is found as a whole; -1 where there is none."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._numbers: dict[str, int] = {"": -1}

    def __missing__(self, key: str) -> int:
        text = run_text(key)
        number = self[key] = self._numbers.setdefault(text, len(self.texts))
        if number == len(self.texts):
            self.texts.append(text)
        return number


class _Links:
    """The links of the corpus itself, and their places in the texts."""

    def __init__(self) -> None:
        self._targets: dict[tuple[str, str, str], int] = {}
        self._rows: list[tuple[int, int, int, int]] = []

    def add(self, row: int, links: Iterable[Reference], offset: int) -> None:
        """Add the links of a passage; ``offset`` is the token that its text begins with."""
        for title, section, identifier, start, stop in links:
            number = self._targets.setdefault((title, section, identifier), len(self._targets))
            self._rows.append((row, number, offset + start, offset + stop))

    def columns(self, name: str) -> Found:
        """Return links as columns; hashes in the order of the fields of ``Reference``."""
        targets = list(self._targets)
        by_name = [key_hashes([entity_key(target[at]) for target in targets]) for at in (0, 1)]
        ids = key_hashes([of_id(target[2]) for target in targets])
        return {
            f"{name}s": _rows(self._rows, LINK_WIDTH),
            f"{name}_hash": np.column_stack([*by_name, ids]).reshape(-1, LINK_HASHES),
        }


def links_of(passage: Passage) -> Iterator[Reference]:
    """Yield a passage's links: the whole, the part after the last slash, or an id."""
    if not passage.links:
        return
    starts = [start for start, _ in token_spans(passage.text)]
    for target in passage.links:
        place = passage.text.find(target)
        start = stop = 0
        if place >= 0:
            start, stop = (bisect_left(starts, at) for at in (place, place + len(target)))
        yield Reference(target, target.rpartition("/")[2], target, start, stop)


def _triples(stated: Sequence[Sequence[Triple]]) -> Found:
    arguments: dict[str, int] = {}
    displays: list[str] = []
    predicates: dict[str, int] = {}
    known: dict[str, int] = {}
    rows: list[tuple[int, int, int, int, int]] = []

    def number(written: str) -> int:
        """Return the number of an entity, cached: most names occur several times."""
        place = known.get(written)
        if place is None:
            place = known[written] = arguments.setdefault(entity_key(written), len(arguments))
            if place == len(displays):
                displays.append(written)
        return place

    # Subjects, predicates and objects are numbered in the order in which they are first met.
    for row, triples in enumerate(stated):
        for triple in triples:
            subject, target = number(triple.subject), number(triple.object)
            predicate = predicates.setdefault(triple.predicate, len(predicates))
            rows.append((subject, predicate, target, row, triple.sentence))
    return {
        **_strings("argument", list(arguments)),
        "argument_display": displays,
        **_strings("predicate", list(predicates)),
        "triples": _rows(rows, TRIPLE_WIDTH),
    }


def _strings(name: str, strings: list[str]) -> Found:
    hashes, checks = hashed(strings)
    return {name: strings, f"{name}_hash": hashes, f"{name}_check": checks}


def _rows(rows: Sequence[tuple[int, ...]], width: int) -> NDArray[np.int32]:
    return np.array(rows, np.int32).reshape(-1, width)
