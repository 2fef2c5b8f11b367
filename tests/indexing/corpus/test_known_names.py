"""The lists of names that others give."""

import re

import pytest

from hippohover.indexing.corpus.formats import FILE_READERS
from hippohover.indexing.corpus.known_names import KNOWN, one_of

LISTS = [
    names for part in ("files", "records", "pages") for names in KNOWN[part].values()
]  # fmt: skip


@pytest.mark.parametrize("names", LISTS)
def test_a_list_has_each_name_once_and_is_a_pattern(names: list[str]):
    assert len(set(names)) == len(names)
    assert re.compile(one_of(names)).groups == 0


def test_no_suffix_that_is_passed_over_has_a_reader():
    suffixes = " ".join(KNOWN["without_reader"].values()).split()
    assert len(set(suffixes)) == len(suffixes)
    assert FILE_READERS.keys().isdisjoint(suffixes)
    assert all(suffix == suffix.lower() and suffix[0] == "." for suffix in suffixes)
