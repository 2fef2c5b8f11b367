"""Parses written down, for tests of what reads them."""

from hippohover.language.parse import Parse


def parse_of(
    words: list[str], tags: list[str], deps: list[str], heads: list[int], *, text: str = ""
) -> Parse:
    """A parse of words in one sentence: those of ``text``, or with one blank between two."""
    text = text or " ".join(words)
    starts: list[int] = []
    at = 0
    for word in words:
        starts.append(text.index(word, at))
        at = starts[-1] + len(word)
    parse = Parse(
        text=text,
        starts=starts,
        ends=[start + len(word) for start, word in zip(starts, words, strict=True)],
        words=words,
        tags=tags,
        deps=deps,
        heads=heads,
        sentences=[0] * len(words),
    )
    parse.repair_verbs_taken_for_names()
    return parse


def written(text: str, tokens: str) -> Parse:
    """A parse written down: "word/tag/label/head" for each token of the text."""
    words, tags, deps, heads = zip(*(token.rsplit("/", 3) for token in tokens.split()), strict=True)
    return parse_of(list(words), list(tags), list(deps), [int(head) for head in heads], text=text)
