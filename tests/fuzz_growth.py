"""Growth of what a text costs: each reader of a text takes four times as long for four times of it.

    python -m tests.fuzz_growth [--size 100000] [--reader NAME]

A unit of words, signs or quotes is repeated until a text is full, and read; the steps that go back
are in the engine of ``re``, which counts none, so that processor time is compared with itself.
"""

import argparse
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stderr, suppress
from dataclasses import replace
from functools import cache, partial
from io import StringIO
from typing import Final

from hippohover.cli.claims import read_queries
from hippohover.errors import HippoHoverError
from hippohover.indexing.corpus.files.globs import EVERY
from hippohover.indexing.corpus.formats import documents_in
from hippohover.indexing.passage_scan import PassageScanner
from hippohover.indexing.triples.between import BetweenTriples
from hippohover.names.gazetteer import Gazetteer
from hippohover.names.normal_forms import entity_key, normal_title, tokens_and_breaks
from hippohover.names.sentences import sentence_spans
from hippohover.records import Passage, PassageId
from hippohover.retrieval.engine import HippoHover
from hippohover.verification.verifier import Draft, Verifier
from hippohover.web.service import Service
from tests.fuzz_targets import put, toy_index
from tests.indexing.corpus.corpus_samples import read_corpus
from tests.indexing.corpus.readers.texts.text_samples import source

_FACTOR: Final = 10
"""Four times the text may cost ten times the work, and not sixteen."""
_LEAST_SECONDS: Final = 0.05

WORDS: Final = (
    "a ", "A ", "not ", "no ", "and ", "that ", "the house that ", "who ", "because ", "may ",
    "He said that ", "it is not true that ", "the director of ", "Ann, ", "Ann and ", "Ann's ",
    "was born in 1990 ", "more than 2 ", "between 1 and ", "first ", "lantern hill ",
    "Lantern Hill ", "X is a Y. ", "A. ", "A.B. ", "Mr. ", "e.g. ", "Is it? ", "1 ", "1990 ",
    "1/2 ",
    "1,000", "1.1.", "10 % ", "$1 ", "10:30 ", "2020-01-01 ", "1e9", "5 km/h ", "\u00bd", "\u5341",
    "\u6d77", "\u4e2d\u3002", "\ud55c\uad6d ", "\u0627", "\u0e01\u0e33", "\u0939\u093f", "e\u0301",
    "\u0301", "\U0001f600", "\U0001f1e9", "\ufdfa", "\u200b", "a\u00adb", "\u00df",
)  # fmt: skip
SIGNS: Final = (
    ".", ". ", "!", "? ", ",", ", ", ";", "; ", ":", "-", " - ", "\u2014", "_", "*", "**", "#",
    "# ",
    "@", "a@b.", "a@", "&", "&amp;", "&#", "%", "$", "=", "+", "~", "`", "``", "|", "||", "/", "\\",
    "^", "<", ">", "<a", "<a>", "</a>", "<!--", "-->", "<p", "<td>", "(", ")", "()", "(a) ", "[",
    "]",
    "[1]", "[1,", "[a](", "![a](b)", "[[a|", "{", "}", "{{",
    "{%", '"', '" ', '""', '",', '"a",', "'",
    "' ", "\u201c", "\u201d", "\u2018a\u2019 ", "\u00ab", "\u300c", "\u00a9", "(c) ", "http://a.b/",
    "www.a ", "mailto:a@b ",
)  # fmt: skip
LINES: Final = (
    "\n", "\n\n", " \n", "\r\n", "\r", "\t", " ", "\u00a0", "\x0b", "\x1f", "\u2028", "a\n",
    "A\n\n",
    "# a\n", "> ---\na\n", "> ---\nFrom a\n", "a```\n> ---\n", "> > ---\n> a\n",
    "- a\n", "1. a\n", "1) a\n", "> a\n", "a\n=\n", "---\n", "|a|b|\n", "a,b\n", 'a,"b\n',
    "a: b\n", ": ", "Subject: a\n", "From a\n", ">From ", "--a\n", "=?utf-8?q?a?= ", "=20", "=\n",
    "On a wrote:\n", '{"a":1}\n', '{"a":', "[", "12:30 a: b\n", "00:00 --> 00:01\na\n\n", "```\n",
    "~~~\n", ".. a::\n", ":a:`b` ", "def a():\n", "import a\n", "a(", "a::b", "/*", "//", "%a\n",
    "\\a{", "$a$", "1.1 a\n", "Chapter 1\n", "copyright 1 ", "license, ",
)  # fmt: skip
UNITS: Final = (*WORDS, *SIGNS, *LINES)

SUFFIXES: Final = (
    ".csv", ".tsv", ".txt", ".md", ".html", ".eml", ".mbox", ".jsonl", ".json", ".xml", ".rst",
    ".adoc", ".org", ".srt", ".py", ".c", ".ts", ".tex", ".yaml", ".ipynb", ".wikiextractor",
)  # fmt: skip


def _file(suffix: str, text: str) -> None:
    for _ in documents_in(source(f"a{suffix}", text), EVERY):
        pass


def _claims(suffix: str, text: str) -> None:
    with redirect_stderr(StringIO()):
        read_queries(put(f"claims{suffix}", text.encode()), max_chars=10_000)


def _passages(text: str) -> None:
    for _ in read_corpus(put("a.txt", text.encode()), format="folder", max_words=250):
        pass


def _scan(text: str) -> None:
    names = Gazetteer({"lantern hill": 0, "pia nordahl quist": 1, "a a a": 2, "1 1": 3})
    passage = Passage(PassageId("0"), "Lantern Hill", text)
    PassageScanner(names)([passage])
    list(BetweenTriples(names).extract([passage]))


def _names(text: str) -> None:
    for read in (entity_key, normal_title, tokens_and_breaks, sentence_spans):
        read(text)


@cache
def _opened() -> tuple[HippoHover, Service]:
    """The toy index, and what answers requests about it, warmed up."""
    engine = HippoHover.open(toy_index())
    service = Service(engine)
    service.verify("Lantern Hill was directed by Pia Nordahl-Quist in 1990.", "ppr")
    return engine, service


def _verify(text: str, *, whole: bool = False) -> None:
    _opened()[1].verify(text, "ppr", whole=whole)


def _query(text: str) -> None:
    _opened()[1].retrieve(text[:10_000], 21, "ppr")


def _explain(text: str) -> None:
    _opened()[1].explain("Lantern Hill", title=text)


def _evidence(text: str) -> None:
    engine, _ = _opened()
    [passage] = engine.retrieve("Lantern Hill", 1).passages
    held = replace(passage, text=f"Lantern Hill was directed by Ann. {text}")
    Verifier(engine).verify(Draft("Lantern Hill was directed by Tim in 1990.", passages=(held,)))


READERS: Final[dict[str, Callable[[str], object]]] = {
    "verify": _verify,
    "verify-whole": partial(_verify, whole=True),
    "query": _query,
    "explain": _explain,
    "evidence": _evidence,
    "names": _names,
    "passages": _passages,
    "scan": _scan,
    **{f"claims{suffix}": partial(_claims, suffix) for suffix in ("", ".csv", ".txt", ".jsonl")},
    **{suffix: partial(_file, suffix) for suffix in SUFFIXES},
}


def seconds(read: Callable[[str], object], text: str, most: int) -> float:
    """The least processor time of several readings: what else runs does not count."""
    taken: list[float] = []
    for _ in range(most):
        begin = time.process_time()
        with suppress(HippoHoverError):
            read(text)
        taken.append(time.process_time() - begin)
    return min(taken)


def excess(read: Callable[[str], object], quarter: str, text: str) -> float:
    """How many times more a text costs than is allowed for its quarter; up to 1 is well."""
    whole = seconds(read, text, 1)
    if whole < _LEAST_SECONDS:
        return 0.0
    allowed = _FACTOR * seconds(read, quarter, 3) + _LEAST_SECONDS
    return min(whole, seconds(read, text, 1)) / allowed if whole > allowed else whole / allowed


def excess_of(reader: str, unit: str, size: int) -> float:
    """The same for a text of one unit."""
    quarter, text = (unit * (n // len(unit) + 1) for n in (size // 4, size))
    return excess(READERS[reader], quarter[: size // 4], text[:size])


def main() -> int:
    """The command; 1 when something grows faster than its text."""
    parser = argparse.ArgumentParser(description="Find readers that a text makes quadratic.")
    parser.add_argument("--size", type=int, default=100_000, help="characters of a text")
    parser.add_argument("--reader", action="append", choices=list(READERS))
    options = parser.parse_args()
    found = 0
    for reader in options.reader or READERS:
        worst = max((excess_of(reader, unit, options.size), unit) for unit in UNITS)
        found += worst[0] > 1
        print(f"{reader:<16}{worst[0]:>8.2f}  {worst[1]!r}", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
