"""What the tests of the rules share: passages read by the real parser, parses written down."""

from collections.abc import Sequence

from hippohover.indexing.triples.spacy_rules import SpacyTriples
from hippohover.records import Passage, PassageId, Triple

EXTRACTOR = SpacyTriples()

Fact = tuple[str, str, str]


def read(title: str, text: str) -> list[Triple]:
    return next(EXTRACTOR.extract([Passage(PassageId("p"), title, text)]))


def facts(title: str, text: str) -> set[Fact]:
    return {(t.subject, t.predicate, t.object) for t in read(title, text)}


def check_form(triples: Sequence[Triple]) -> None:
    for triple in triples:
        for part in (triple.subject, triple.predicate, triple.object):
            assert part
            assert part == " ".join(part.split())
        assert triple.subject.casefold() != triple.object.casefold()
        assert triple.sentence >= 0
