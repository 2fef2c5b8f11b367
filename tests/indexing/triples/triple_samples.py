"""What the tests of the rules share: passages read by the real parser, parses written down."""

from collections.abc import Sequence

from hippohover.indexing.triples.dependency_parse import DependencyParse
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


def parse_of(
    words: list[str], tags: list[str], deps: list[str], heads: list[int], *, text: str = ""
) -> DependencyParse:
    """A parse of words in one sentence: those of ``text``, or with one blank between two."""
    text = text or " ".join(words)
    starts: list[int] = []
    at = 0
    for word in words:
        starts.append(text.index(word, at))
        at = starts[-1] + len(word)
    return DependencyParse(
        text=text,
        starts=starts,
        ends=[start + len(word) for start, word in zip(starts, words, strict=True)],
        words=words,
        tags=tags,
        deps=deps,
        heads=heads,
        sentences=[0] * len(words),
    )


def written(text: str, tokens: str) -> DependencyParse:
    """A parse written down: "word/tag/label/head" for each token of the text."""
    words, tags, deps, heads = zip(*(token.rsplit("/", 3) for token in tokens.split()), strict=True)
    return parse_of(list(words), list(tags), list(deps), [int(head) for head in heads], text=text)
