"""Parses: what is known of each word, and life without spaCy."""

import sys

import pytest

from hippohover.language.parser import MAX_CHARS, Parser
from hippohover.verification.judge import learned


def test_a_parser_that_is_not_installed_says_the_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "spacy", None)
    learned.shared_parser.cache_clear()
    try:
        parser, why = learned.shared_parser()
    finally:
        learned.shared_parser.cache_clear()
    assert parser is None
    assert why == "spaCy is not installed: pip install 'hippohover[spacy]'"


def test_words_have_stems_tags_and_heads_and_a_mark_has_no_stem():
    [parse] = Parser()(["Ann Lund taught Per Holm."])
    assert parse.stems == ("ann", "lund", "taught", "per", "holm", "")
    verb = parse.deps.index("ROOT")
    assert (parse.tags[verb], parse.heads[verb]) == ("VBD", verb)
    assert parse.slice(verb, verb) == "taught"


def test_a_sentence_is_cut_and_the_same_one_is_parsed_once():
    parser = Parser()
    [first, again] = parser(["word " * 1000, "word " * 1000])
    assert first is again
    assert first.ends[-1] <= MAX_CHARS
    assert parser(["word " * 1000])[0] is first
