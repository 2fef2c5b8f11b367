"""Documents become passages: ids, splitting at sentence borders, links, counts."""

import hashlib
import re
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hippohover.indexing.corpus.borders import passage_spans
from hippohover.indexing.corpus.passages import (
    MAX_FAILURES_KEPT,
    CorpusCounts,
    FailedFiles,
    PassageMaking,
    passage_id,
)
from hippohover.indexing.corpus.records import BadRecord, Document, Heading, Link, Page
from hippohover.names.sentences import sentence_spans
from hippohover.records import Passage, PassageSection


def parts(document: Document | str, max_words: int = 0) -> list[Passage]:
    """Passages of one document."""
    record = Document("T", document) if isinstance(document, str) else document
    (passages,) = PassageMaking(max_words, False, ()).documents([record], CorpusCounts())
    return passages


def test_a_passage_id_is_a_hash_of_the_passage_alone():
    digest = hashlib.sha256("Ústí\x000\x00A town.".encode()).hexdigest()
    assert passage_id("Ústí", "A town.", 0) == digest[:16]
    others = {passage_id("Ústí", "A town.", 1), passage_id("Ústí", "A town", 0), digest[:16]}
    assert len(others | {passage_id("ÚstíA", " town.", 0)}) == 4
    assert passage_id("\ud800", "\udfff", 0)  # any text has one


def test_records_are_counted_by_their_kind_and_each_has_a_list():
    counts = CorpusCounts()
    records = [
        Document("T", "One."),
        BadRecord("f:2", "a reason"),
        Document("T", " \u3000"),
        Document("U", "Two."),
    ]
    passages = list(PassageMaking(0, False, ()).documents(records, counts))
    assert [[one.text for one in each] for each in passages] == [["One."], [], [], ["Two."]]
    assert counts == CorpusCounts(
        n_empty=1, n_bad_records=1, failures=["f:2: a reason"], reasons={"a reason": 1}
    )


def test_only_the_first_failures_are_named_each_on_a_line():
    counts = CorpusCounts()
    bad = [BadRecord(f"f\n:{n}", "x" * 500) for n in range(MAX_FAILURES_KEPT + 5)]
    list(PassageMaking(0, False, ()).documents(bad, counts))
    assert counts.n_bad_records == MAX_FAILURES_KEPT + 5
    assert len(counts.failures) == MAX_FAILURES_KEPT
    assert counts.failures[0].startswith("f :0: x")
    assert max(map(len, counts.failures)) == 240


def test_files_are_counted_with_what_they_bring_and_fail_by_their_share():
    paths = ["a.md", "b.mbox", "b.mbox/x.pdf", "b.mbox", "c.csv", "c.csv", "c.csv", "d.pdf"]
    bad = {2, 4, 5, 7}
    files = FailedFiles(0.5)
    for number, record in enumerate(files.over(BadRecord("", "", path) for path in paths)):
        assert record.path == paths[number]
        files.count(is_bad=number in bad)
    assert files.total() == (4, 2)  # c.csv and d.pdf
    assert FailedFiles(0).total() == (0, 0)


def test_a_field_that_is_kept_goes_with_every_part():
    making = PassageMaking(1, False, ("year",))
    good = Document("T", "One. Two.", fields={"year": 1911})
    other = good._replace(fields={"year": {"from": 1911}})
    passages, others = making.documents([good, other], CorpusCounts())
    assert [one.metadata for one in passages] == [(1911,), (1911,)]
    assert [one.metadata for one in others] == [('{"from": 1911}',), ('{"from": 1911}',)]


def test_hidden_titles_take_the_links_along_and_leave_the_id():
    document = Document("T", "By the Elm.", (Link(7, "Elm"),))
    (shown,) = parts(document)
    ((hidden,),) = PassageMaking(0, True, ()).documents([document], CorpusCounts())
    assert (shown.title, shown.links) == ("T", ("Elm",))
    assert (hidden.title, hidden.links) == ("", ())
    assert (hidden.pid, hidden.text) == (shown.pid, shown.text)


# --- splitting


def words_of(text: str) -> int:
    """Words as the documentation says: blanks part them, and each Chinese or Japanese character
    is one."""
    spaced = "".join(f" {c} " if "\u3040" <= c <= "\u9fff" else c for c in text)
    return len(spaced.split())


SENTENCES = st.lists(
    st.sampled_from(
        [
            "It is so.",
            "Why?",
            "Dr. Venn left the U.S. in May.",
            "文が一つ。",
            "word",
            "\n\n",
            "  ",
            "é!",
        ]
    ),
    max_size=12,
)


@given(sentences=SENTENCES, n_words=st.integers(1, 9))
def test_parts_are_short_enough_and_cover_the_document(sentences: list[str], n_words: int):
    text = " ".join([*sentences, "End."])
    passages = parts(text, n_words)
    assert [p.part for p in passages] == list(range(len(passages)))
    covered = 0
    for passage in passages:
        end = passage.start + len(passage.text)
        assert text[passage.start : end] == passage.text == passage.text.rstrip() != ""
        indentation = passage.text[: -len(passage.text.lstrip())]
        assert not indentation or text[: passage.start].endswith("\n")
        assert text[covered : passage.start].strip() == ""
        assert 1 <= words_of(passage.text) <= n_words
        covered = end
    assert text[covered:].strip() == ""
    assert len({p.pid for p in passages}) == len(passages)


@given(sentences=SENTENCES)
def test_parts_end_where_sentences_end_and_hold_as_many_as_fit(sentences: list[str]):
    text = " ".join([*sentences, "End."])
    spans = sentence_spans(text)
    n_words = max(words_of(text[start:end]) for start, end in spans)
    passages = parts(text, n_words)
    ends = {end for _, end in spans}
    assert {p.start + len(p.text) for p in passages} <= ends
    for one, following in pairwise(passages):
        first_end = next(end for _, end in spans if end > following.start)
        assert words_of(one.text) + words_of(text[following.start : first_end]) > n_words


def test_a_long_sentence_is_cut_between_words_and_its_rest_filled_up():
    passages = parts("One two three four five. Six.", 2)
    assert [p.text for p in passages] == ["One two", "three four", "five. Six."]


def test_unspaced_scripts_are_cut_between_characters():
    assert [p.text for p in parts("琥珀の塔", 3)] == ["琥珀の", "塔"]


def test_a_document_that_fits_is_not_split():
    assert [p.text for p in parts("One two. Three.", 3)] == ["One two. Three."]


def test_outer_blanks_are_cut_and_counted_in_the_offset():
    (passage,) = parts(" \n Tessel. \n")
    assert (passage.text, passage.start) == ("Tessel.", 3)


def test_each_part_has_the_links_of_its_own_words_each_once():
    links = (Link(7, "Elm"), Link(17, "Ott"), Link(8, "Elm"), Link(0, "Elm"), Link(99, "Far"))
    document = Document("T", "By the Elm. Near Ott.", links)
    assert [p.links for p in parts(document, 3)] == [("Elm",), ("Ott", "Far")]
    assert [p.links for p in parts(document)] == [("Elm", "Ott", "Far")]


def test_a_passage_has_the_heading_that_it_stands_under_and_what_its_document_is_called():
    text = "Before it.\n# One\nIn one.\n## Two\nIn two. Still two.\n# Three\nIn three."
    document = Document("T", text, id="a/b", aliases=("U",))
    passages = parts(document, 4)
    assert [(p.heading, p.text) for p in passages] == [
        ("", "Before it."),
        ("One", "# One\nIn one."),
        ("One > Two", "## Two\nIn two."),
        ("One > Two", "Still two."),
        ("Three", "# Three\nIn three."),
    ]
    assert {(p.document, p.aliases) for p in passages} == {("a/b", ("U",))}
    assert [p.text for p in parts(document)] == [text]


def test_a_short_section_is_no_passage_of_its_own():
    sentence = "One two three four five six seven eight nine ten. "
    text = f"# A\nShort.\n# B\n{sentence * 4}\n# C\n{sentence}\n# D\nEnd."
    passages = parts(text, 100)
    assert [p.heading for p in passages] == ["A", "C"]
    assert [p.text.count("#") for p in passages] == [2, 2]
    assert [p.text[:3] for p in passages] == ["# A", "# C"]


def test_sections_within_a_passage_are_told_with_their_tokens():
    text = "# A\nShort.\n# B\nTwo words.\n## Bb\nThree more words."
    [whole] = parts(text, 100)
    assert (whole.heading, whole.sections) == (
        "A",
        (PassageSection("B", "B", 3), PassageSection("B > Bb", "Bb", 4)),
    )
    *_, last = parts(text, 5)
    assert (last.heading, last.sections) == ("B > Bb", ())


def test_headings_of_a_record_are_taken_before_those_of_its_text():
    document = Document("T", "First.\n# Hash\nLast.", headings=(Heading(7, "Given"),))
    assert [p.heading for p in parts(document, 1)][-1] == "Given"


def test_a_passage_has_the_file_the_page_it_begins_on_and_the_place_of_its_heading():
    document = Document(
        "T",
        "One. Two. Three. Four.",
        headings=(Heading(5, "A", "a-1"), Heading(17, "A > B")),
        path="in/t.pdf",
        pages=(Page(4, 11), Page(10, 13), Page(11, 14)),
    )
    assert [(p.text, p.path, p.page, p.heading, p.anchor) for p in parts(document, 1)] == [
        ("One.", "in/t.pdf", 0, "", ""),
        ("Two.", "in/t.pdf", 11, "A", "a-1"),
        ("Three.", "in/t.pdf", 13, "A", "a-1"),
        ("Four.", "in/t.pdf", 14, "A > B", ""),
    ]
    [whole] = parts(document._replace(headings=(), pages=()))
    assert (whole.path, whole.page, whole.anchor) == ("in/t.pdf", 0, "")
    ((hidden, *_),) = PassageMaking(0, True, ()).documents([document], CorpusCounts())
    assert hidden.path == ""


def test_a_page_begins_a_passage_however_short_the_one_before_is():
    """But a sentence that goes on over the border stays whole, on the page that it begins on."""
    text = "Agenda\n\nWho owns it. The heron is Ida's. It is old.\n\nThe end"
    turns = (0, text.index("Who"), text.index("Ida"), text.index("The end"), len(text))
    pages = tuple(Page(offset, number) for number, offset in enumerate(turns, 1))
    document = Document("T", text, pages=pages)
    assert [(p.page, p.text) for p in parts(document, 250)] == [
        (1, "Agenda"),
        (2, "Who owns it. The heron is Ida's."),
        (3, "It is old."),
        (4, "The end"),
    ]
    assert [p.page for p in parts(document, 3)] == [1, 2, 2, 3, 3, 4]
    assert [p.page for p in parts(document, 0)] == [1]  # it is never split
    one_page = document._replace(pages=pages[:1])
    assert [p.page for p in parts(one_page, 250)] == [1]


def test_words_of_a_markdown_heading_are_its_anchor():
    (_, rates) = parts("# Old\n" + "One. " * 43 + "\n## Rates of *1901*\nTwo.", 45)
    assert (rates.heading, rates.anchor) == ("Old > Rates of 1901", "Rates of 1901")


def test_links_stand_in_the_text_where_the_record_gives_none():
    text = "By [[Elm#x|the elm]]. Near [Ott](ott.md)."
    assert [p.links for p in parts(text, 3)] == [("Elm",), ("ott",)]
    assert [p.links for p in parts(Document("T", text, (Link(0, "Far"),)))] == [("Far",)]


def test_what_tells_a_title_is_hidden_with_it():
    document = Document("T", "See [[Elm]].", (Link(0, "Elm"),), id="t", aliases=("U",))
    (passages,) = PassageMaking(0, True, ()).documents([document], CorpusCounts())
    assert [(p.title, p.aliases, p.links, p.document) for p in passages] == [("", (), (), "t")]


def test_what_an_answer_answers_is_a_link_of_its_first_passage():
    document = Document("T", "By [[Elm]]. Then more.", reply_to="m-1")
    linked = [passage.links for passage in parts(document, 2)]
    assert linked[0] == ("Elm", "m-1")
    assert all("m-1" not in links for links in linked[1:])


# Where passages begin and end: at rows, headings and pages, whatever the text


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


def test_a_line_that_is_all_of_a_section_and_a_sentence_is_no_heading():
    lines = [f"Art. {at}. " + "Whoever moors here pays. " * 9 for at in range(1, 4)]
    text = "\n".join(map(str.rstrip, lines))
    sections = [text.index(line[:7]) for line in lines]
    spans = passage_spans(text, 60, sections)
    assert [text[start:end][:7] for start, end in spans] == ["Art. 1.", "Art. 2.", "Art. 3."]


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
