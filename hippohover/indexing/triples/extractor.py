"""What a triple extractor is, and the one that needs no parser."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from hippohover.names.gazetteer import Gazetteer
from hippohover.names.normal_forms import token_spans, without_qualifier
from hippohover.names.sentences import sentence_spans
from hippohover.records import ExtractionFailure, Passage, Triple

_MAX_PREDICATE_TOKENS = 6
_OPENING_TOKENS = 3


class TripleExtractor(Protocol):
    """Reads (subject, predicate, object) triples from passages.

    Attributes
    ----------
    name : str
        Which extractor it is, as a recipe names it.
    version : str
        Changes whenever the same passage could give other triples: part of a cache key.
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple] | ExtractionFailure]:
        """One list of triples a passage, or its failure, in the order of the passages."""
        ...


class BetweenTriples:
    """Facts from the words between names: (subject of the sentence, words before, name).

    The subject is the name that opens the sentence (within its first three tokens), else the
    passage's title. Every later name of the sentence is an object; the predicate is the up to
    six words between the name before it and itself. A name without a word before it gives none.

    Parameters
    ----------
    names : Gazetteer
        What counts as a name beside capitalised phrases.
    """

    name = "between"
    version = "between-2"

    def __init__(self, names: Gazetteer) -> None:
        self._names = names

    def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple]]:
        for passage in passages:
            yield self._read(passage)

    def _read(self, passage: Passage) -> list[Triple]:
        text = passage.text
        names = self._names.read(text)
        places = [(start, stop) for _, start, stop in names.known]
        places += [(start, stop) for _, start, stop in names.phrases]
        places.sort()
        spans = token_spans(text)
        title = without_qualifier(passage.title)
        triples: list[Triple] = []
        at = 0
        first_token = 0
        for sentence, (_, end) in enumerate(sentence_spans(text)):
            inside: list[tuple[int, int]] = []
            while at < len(places) and spans[places[at][0]][0] < end:
                inside.append(places[at])
                at += 1
            title = title or (_surface(text, spans, inside[0]) if inside else "")
            triples += _sentence_triples(
                text, spans, inside, title=title, first=first_token, sentence=sentence
            )
            while first_token < len(spans) and spans[first_token][0] < end:
                first_token += 1
        return triples


def _sentence_triples(  # noqa: PLR0913
    text: str,
    spans: Sequence[tuple[int, int]],
    names: Sequence[tuple[int, int]],
    *,
    title: str,
    first: int,
    sentence: int,
) -> Iterator[Triple]:
    subject = title
    before = first
    for start, stop in names:
        if start - first < _OPENING_TOKENS and before == first:
            subject = _surface(text, spans, (start, stop))
        elif subject and start > before:
            from_token = max(before, start - _MAX_PREDICATE_TOKENS)
            predicate = _surface(text, spans, (from_token, start))
            yield Triple(subject, predicate, _surface(text, spans, (start, stop)), sentence)
        before = stop


def _surface(text: str, spans: Sequence[tuple[int, int]], place: tuple[int, int]) -> str:
    """The text of some tokens as written, whitespace collapsed."""
    return " ".join(text[spans[place[0]][0] : spans[place[1] - 1][1]].split())
