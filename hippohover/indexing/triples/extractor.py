"""The protocol of a triple extractor, and the check of a user's own."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from hippohover.names.sentences import sentence_spans
from hippohover.recipe import own_name, own_text
from hippohover.records import ExtractionFailure, Passage, Triple

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
