"""The protocol of a triple extractor, and the one that needs no parser."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from hippohover.names.gazetteer import Gazetteer
from hippohover.names.normal_forms import without_qualifier
from hippohover.names.sentences import sentence_spans
from hippohover.recipe import own_name, own_text
from hippohover.records import ExtractionFailure, Passage, Triple

_MAX_PREDICATE_TOKENS = 6
_OPENING_TOKENS = 3
_MAX_SENTENCES = 2**31


class TripleExtractor(Protocol):
    """Reads (subject, predicate, object) triples from passages.

    It is called with several passages at a time, in this process or, if there are many passages, in
    forked ones. A passage's triples must not depend on the other passages of a call.

    Attributes
    ----------
    name : str
        Its name: letters, digits and any of ``._:@/+-``, 100 at most.
    version : str
        Must change whenever a passage may give other triples: kept triples are looked up by it.
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple] | ExtractionFailure]:
        """Return each passage's triples, or why it failed, in passage order.

        If it raises on a passage by itself, that passage counts as failed. An error of hippohover,
        such as a ``ModelError``, ends the build.
        """
        ...


class OwnTriples:
    """A user's extractor, whose triples are checked; a ``TripleExtractor``.

    Its version begins with its name, so that what is kept of it is never taken for what another
    extractor read. ``UsageError`` where it has no name or no version.
    """

    def __init__(self, extractor: TripleExtractor) -> None:
        self.name = own_name("extractor", extractor)
        self.version = f"{self.name} {own_text('extractor', extractor, 'version')}"
        self._extractor = extractor

    def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple] | ExtractionFailure]:
        """Yield its triples; ``ValueError`` for an invalid one, which counts as a failure."""
        for answer in self._extractor.extract(passages):
            failed = isinstance(answer, ExtractionFailure)
            yield answer if failed else [_whole(triple) for triple in answer]


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
        places = [(start, stop) for _, start, stop in (*names.known, *names.phrases)]
        places.sort()
        words = _Words(text, names.starts, names.stops)
        title = without_qualifier(passage.title)
        triples: list[Triple] = []
        at = first = 0
        for sentence, (_, end) in enumerate(sentence_spans(text)):
            following = bisect_left(names.starts, end, first)
            inside: list[tuple[int, int]] = []
            while at < len(places) and places[at][0] < following:
                inside.append(places[at])
                at += 1
            title = title or (words(*inside[0]) if inside else "")
            triples += _sentence_triples(words, inside, title, first=first, sentence=sentence)
            first = following
        return triples


class _Words:
    """Gives the words between two tokens as a text writes them, blanks collapsed."""

    def __init__(self, text: str, starts: Sequence[int], stops: Sequence[int]) -> None:
        self._text, self._starts, self._stops = text, starts, stops
        self._is_even = text == " ".join(text.split())

    def __call__(self, start: int, stop: int) -> str:
        words = self._text[self._starts[start] : self._stops[stop - 1]]
        return words if self._is_even else " ".join(words.split())


def placed_triples(text: str, raw_triples: Sequence[tuple[str, str, str]]) -> list[Triple]:
    """Return distinct complete triples, each with its sentence's number."""
    sentences = [text[start:stop].casefold() for start, stop in sentence_spans(text)]
    triples: dict[Triple, None] = {}
    for parts in raw_triples:
        subject, predicate, target = (" ".join(part.split()) for part in parts)
        if subject and predicate and target:
            sentence = _sentence(sentences, subject.casefold(), target.casefold())
            triples.setdefault(Triple(subject, predicate, target, sentence))
    return list(triples)


def _sentence(sentences: Sequence[str], subject: str, target: str) -> int:
    """Return the first sentence with both ends, else with one, else the first."""
    for wanted in ((subject, target), (target,), (subject,)):
        for number, sentence in enumerate(sentences):
            if all(word in sentence for word in wanted):
                return number
    return 0


def _whole(triple: object) -> Triple:
    """Collapse whitespace in a triple; ``ValueError`` for one that no index can hold."""
    if not isinstance(triple, Triple):
        raise ValueError(f"{triple!r:.80} is not a Triple")
    parts = [" ".join(part.split()) for part in triple.words()]
    if not all(part.encode() for part in parts):  # UnicodeEncodeError of a lone surrogate
        raise ValueError(f"{triple!r:.80} has an empty part")
    if type(triple.sentence) is not int or not 0 <= triple.sentence < _MAX_SENTENCES:
        raise ValueError(f"{triple!r:.80} has no number of a sentence")
    return Triple(*parts, sentence=triple.sentence)


def _sentence_triples(
    words: Callable[[int, int], str],
    names: Sequence[tuple[int, int]],
    title: str,
    *,
    first: int,
    sentence: int,
) -> Iterator[Triple]:
    subject = title
    before = first
    for start, stop in names:
        if start - first < _OPENING_TOKENS and before == first:
            subject = words(start, stop)
        elif subject and start > before:
            predicate = words(max(before, start - _MAX_PREDICATE_TOKENS), start)
            yield Triple(subject, predicate, words(start, stop), sentence)
        before = stop
