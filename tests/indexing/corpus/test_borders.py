"""Where passages begin and end: at rows, headings and pages, whatever the text."""

import re
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hippohover.indexing.corpus.borders import passage_spans


def cut(text: str, max_words: int, *headings: str, pages: tuple[int, ...] = ()) -> list[str]:
    sections = [text.index(heading) for heading in headings]
    return [text[start:end] for start, end in passage_spans(text, max_words, sections, pages)]


def table(*, header: str = "Ship: ", n: int = 12) -> list[str]:
    """Rows of six words, in which a sentence ends."""
    return [f"{header}No. {row}; Note: Good. Berth {row}" for row in range(n)]


@pytest.mark.parametrize("max_words", range(7, 40))
@pytest.mark.parametrize("header", ["Ship: ", ""])
def test_a_long_table_is_cut_between_its_rows(max_words: int, header: str):
    rows = table(header=header)
    passages = cut("The fees.\n\n" + "\n".join(rows) + "\n\nThey rose. It is so.", max_words)
    assert len(passages) > 1
    lines = [line for passage in passages for line in passage.split("\n") if line]
    assert [line for line in lines if "Note" in line] == rows


def test_rows_that_do_not_say_a_header_are_told_by_their_cells():
    rows = ["Heron; 12 crowns. New; pier 3", "Ott; 9 crowns. Old; pier 1"]
    assert cut("\n".join(rows), 6) == rows


def test_lines_of_a_paragraph_are_no_rows():
    text = "One: two three\nfour. Five; six\nseven: eight. Nine."
    assert cut(text, 5) == ["One: two three\nfour.", "Five; six\nseven: eight. Nine."]
    assert cut("A: one.\n\nA: two.", 2) == ["A: one.", "A: two."]


def test_a_list_that_is_too_long_is_cut_between_its_items():
    text = "- one two\n- three four five six seven eight\n- nine"
    assert cut(text, 6) == ["- one two", "- three four five six seven", "eight\n- nine"]


def test_a_heading_goes_with_what_is_below_it():
    text = "Before it. So it is.\n\n## Fees\n\nShip 12 crowns."
    assert cut(text, 8, "## Fees") == ["Before it. So it is.", "## Fees\n\nShip 12 crowns."]
    # as many headings as there are in a row
    text = "Before it. So.\n\n# Port\n\n## Fees\n\nShip 12 crowns."
    assert cut(text, 7, "# Port", "## Fees") == [
        "Before it. So.",
        "# Port\n\n## Fees\n\nShip 12 crowns.",
    ]


def test_a_heading_goes_with_the_first_row_or_words_below_it():
    rows = "\n".join(table(n=3))
    passages = cut(f"Before it all.\n\n## Fees\n\n{rows}", 10, "## Fees")
    assert passages[:2] == ["Before it all.", f"## Fees\n\n{table(n=1)[0]}"]
    assert cut("## Fees\n\none two three four five", 4, "## Fees") == [
        "## Fees\n\none two",
        "three four five",
    ]


def test_a_heading_that_nothing_follows_is_text():
    assert cut("One two three.\n\n# End", 3, "# End") == ["One two three.", "# End"]
    assert cut("# End\n", 3, "# End") == ["# End"]


def test_a_heading_at_the_foot_of_a_page_stays_on_it():
    text = "One.\n\nFees\n\nTwo."
    pages = (0, text.index("Two"))
    assert cut(text, 9, "Fees", pages=pages) == ["One.\n\nFees", "Two."]


def test_a_short_section_stays_with_what_is_before_it():
    text = "# A\n\none two.\n\n# B\n\nthree."
    assert cut(text, 90, "# A", "# B") == [text]


LINES = st.lists(
    st.sampled_from(
        ["A: 1; B: Two. Three", "A: 2", "x; y; z", "", "# H", "words of a line", "End. New", " "]
    ),
    max_size=14,
)


@given(lines=LINES, max_words=st.integers(1, 12), blanks=st.booleans())
def test_passages_are_short_enough_and_hold_every_word(
    lines: list[str], max_words: int, blanks: bool
):
    text = "\n".join([*(["", " "] if blanks else []), *lines, "Last."])
    sections = [at for at in range(len(text)) if text.startswith("# H", at)]
    spans = passage_spans(text, max_words, sections)
    assert all(text[end:start].strip() == "" for (_, end), (start, _) in pairwise(spans))
    assert text[: spans[0][0]].strip() == text[spans[-1][1] :].strip() == ""
    for start, end in spans:
        assert text[start:end] == text[start:end].strip()
        assert len(text[start:end].split()) <= max_words


@given(lines=LINES, max_words=st.integers(12, 30))
def test_no_passage_ends_in_a_heading(lines: list[str], max_words: int):
    text = "\n".join([*lines, "Last."])
    sections = [at for at in range(len(text)) if text.startswith("# H", at)]
    at_once = max(len(run[0].split()) for run in re.finditer(r"(?:# H\s+)*", text))
    assume(at_once < max_words)  # else headings alone are a passage
    for start, end in passage_spans(text, max_words, sections):
        assert not text[start:end].endswith("# H")


def test_many_headings_in_a_row_stay_with_the_row_below_them():
    text = "\n".join(["# H"] * 4 + ["A: 1; B: Two. Three"] * 2 + ["Last."])
    sections = [at for at in range(len(text)) if text.startswith("# H", at)]
    assert [text[slice(*span)] for span in passage_spans(text, 12, sections)] == [
        "# H\n# H\n# H\n# H\nA: 1; B: Two.",
        "Three\nA: 1; B: Two. Three\nLast.",
    ]


def test_a_passage_that_begins_with_an_indented_line_keeps_its_indentation():
    text = "    if fast:\n        run(now, at, once)\n    else:\n        walk(now, or, later)\n"
    passages = [text[start:end] for start, end in passage_spans(text, 5)]
    assert passages[0].startswith("if fast:")  # a text is stripped as a whole
    assert [part for part in passages[1:] if part.startswith("    ")]
    assert "\n".join(passages) == text.strip()


@pytest.mark.parametrize("begins", ["sections", "pages"])
def test_no_passage_begins_before_its_section_or_page(begins: str):
    text = "One two three four.\n    Five six seven eight."
    at = text.index("Five")
    spans = passage_spans(text, 4, **{begins: [0, at]})
    assert [start for start, _ in spans] == [0, at]
