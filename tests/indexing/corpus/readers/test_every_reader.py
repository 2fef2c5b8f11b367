"""What the reader of any format keeps to: whole, empty, cut, damaged or hostile files."""

from functools import partial
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.indexing.corpus.files.globs import EVERY
from hippohover.indexing.corpus.formats import documents_in
from hippohover.indexing.corpus.markup import heading_words, links, without_code
from hippohover.indexing.corpus.readers.documents import marked_sections, nested
from hippohover.indexing.corpus.records import Document
from tests.fuzz_growth import excess
from tests.indexing.corpus.kinds import conversations, packed, texts
from tests.indexing.corpus.readers.texts.fuzz_samples import read_file
from tests.indexing.corpus.readers.texts.test_chat_logs import PLAIN
from tests.indexing.corpus.readers.texts.text_samples import source

FILES: Final = {
    place: content.encode() if isinstance(content, str) else content
    for place, content in (texts.FILES | conversations.FILES | packed.FILES).items()
}
MARKUP: Final = (
    ".md",
    ".html",
    ".rst",
    ".adoc",
    ".org",
    ".txt",
    ".srt",
    ".tex",
    ".py",
    ".c",
    ".ts",
)
SIGNS: Final = "#[]()!|`~*_<>&%{} \t\n\"'\\-=+ab./:;1\0é"

# What a search that goes back for every character would not end on, by the suffix of the file.
HOSTILE: Final[dict[str, list[str]]] = {
    ".md": [
        "<a " * 30_000, "<!--" * 30_000, "<h1>" * 20_000, "<h1>a</h2>" * 10_000, "%% " * 30_000,
        "[x" * 30_000, "[![a][b]" * 20_000, "import a\n" * 20_000, "export const\n" * 10_000,
        "&a" * 30_000, "<a href=" * 20_000, "|a" * 10_000 + "\n" + "|-" * 10_000 + "\n|b",
        "[a]: b\n" * 10_000, "a|b\n-|-\n\n" * 5_000, "# a {#" * 20_000, "# a\n" * 20_000,
        "> " * 30_000, "{{< ref " * 10_000, "{% link " * 10_000, "{doc}`" * 10_000, "(a" * 30_000,
        "{{ site.url }}" * 5_000, "{{ 'a" * 10_000, "{/*" * 20_000, "<table>\n" * 20_000,
        "<table " * 20_000, " ^a" * 30_000, "> ^" * 20_000, " " * 50_000 + "^",
        "<table><td>a</table>\n" * 3_000, "<!-- a -->" * 30_000, "# a" + " " * 100_000 + "b",
        "<style></style>" * 20_000, "**a**: b\n" * 20_000, "a\n: b\n\n" * 20_000, "**a" * 30_000,
        "# a?\nb\n" * 20_000, "a" + " " * 50_000 + "\n: b",
        "".join(f"**{n:05}**: b\n" for n in range(9_000)),
    ],
    ".html": [
        "<a>" * 30_000, "<b>" * 30_000, "<p><b>" * 10_000, "<table><tr><td>" * 10_000,
        "<!--" * 30_000, "".join(f"<p><font a={n}>" for n in range(5_000)), "<ul><li>" * 10_000,
        "&#" * 30_000, "<table>" + "<tr><th>a<td rowspan=99 colspan=99>b" * 3_000, "<h1>" * 20_000,
        "<p a" + " b=c" * 100_000, "<li><a href='#'>x</a>" * 10_000, "<meta charset" * 10_000,
    ],
    ".rst": [
        "`" * 50_000, ":a:`b" * 20_000, "a\n=\n" * 20_000, "+-" * 30_000, "= " * 30_000,
        "_" * 50_000, ".. a::\n" * 20_000, ".. _a: b\n" * 20_000, "=\n" * 30_000,
        "\n".join(" " * n for n in range(300)), "|a" * 30_000, ".. [a" * 20_000, "[a]_" * 20_000,
        "+-+\n|a|\n" * 10_000, "== ==\na b\n" * 10_000, "+-+\n" + "|a|\n" * 50_000,
        "== ==\na b\n" + "  c\n" * 50_000, "`a" + " " * 100_000 + "b`_",
        ".. list-table::\n\n   * - a\n" + "       b\n" * 50_000,
    ],
    ".adoc": [
        "<<" * 30_000, "xref:a[" * 20_000, "|===\n" + "|a" * 50_000, "[" * 50_000,
        "----\n" * 20_001, "image:" * 20_000, "[[a]]\n" * 20_000, "= a\n" * 20_000,
        "https://" * 20_000, "`" * 50_000, "|===\n|a\n" + "b\n" * 50_000,
    ],
    ".org": [
        "[[" * 30_000, "=a " * 30_000, "|a" * 50_000, "|-\n" * 20_000, "* a\n" * 20_000,
        "*" * 50_000, ":PROPERTIES:\n" * 20_000, "#+a:" * 20_000, "#+begin_src\n" * 20_000,
        "* a :" + "b:" * 50_000, "* a" + " " * 100_000 + "b",
    ],
    ".txt": [
        "\n \n" * 50_000, "\n\nx\n" * 50_000, "a: b\n" * 30_000, "a:" * 50_000,
        "a" * 100_000 + ": b", "\n\nab\n==" * 50_000,
        *(f"{text}\n{PLAIN * 3}" + "x\n" * 9
          for text in ("1:11 " + "a " * 100_000, "1:11 a:\n" * 30_000, "1" * 100_000)),
    ],
    ".bib": [
        "@a{b,c={" * 20_000, "@a{b,c={\n" * 20_000, "@a{b," + 'c="{' * 20_000,
        "@a{b,c=d" + "#d" * 9_000,
        "@a{b,t={" + "\\footnote{" * 4_000, "@string{a = b # }\n" * 9_000, "@" * 50_000,
    ],
    ".yaml": [
        "- a: b\n" * 20_000, "- " * 50_000, "- a: " + "[ " * 50_000, "\n" * 50_000, " \n" * 50_000,
        "# \n" * 30_000, "- ? " * 20_000, "a:\n" * 20_000, "- &a {b: *a}\n" * 9_000, "%\n" * 30_000,
    ],
    ".srt": ["<v " * 50_000, "1:" * 50_000, "<a" * 50_000, "0:1.0-->0:1\na\n\n" * 10_000],
    ".c": [
        "a " * 50_000, "int a(" * 20_000, "export " * 20_000, "const a: b" * 10_000,
        "a::" * 30_000, "from './" * 20_000, "a\n" * 50_000, "a*&" * 30_000,
        "create or " * 20_000, "a(\n" * 20_000,
    ],
    "in any text": [
        "[[" * 50_000, "[a](" * 50_000, '[a](b "' + 'c "' * 50_000, "[a](" + " " * 100_000,
        "x" + "`" * 100_000, "# a" + " " * 100_000 + "b", "# " + "*" * 100_000, "```" * 30_000,
        "[![a](b)" * 20_000, "` `` " * 20_000, "[a](" + "(" * 100_000, "[[a|" * 30_000,
        "# " + "_a " * 50_000,
    ],
}  # fmt: skip


def read(suffix: str, text: str) -> list[Document]:
    """The documents of a file of that suffix; what any text is searched for where there is none."""
    if suffix.startswith("."):
        records = documents_in(source(f"a{suffix}", text), EVERY)
        return [record for record in records if isinstance(record, Document)]
    assert len(without_code(text)) == len(text)
    nested(marked_sections(text))
    links(text)
    heading_words(text[:200_000])
    return []


def quarter_of(text: str) -> str:
    """A text of the same kind: of many lines the first, of few their beginnings."""
    lines = text.split("\n")
    if len(lines) < 10:
        return "\n".join(line[: len(line) // 4] + line[-9:] for line in lines)
    return "\n".join([*lines[: len(lines) // 4], *lines[-9:]])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        pytest.param(suffix, text, id=f"{kind} {text[:12]!r}")
        for kind, some in HOSTILE.items()
        for text in some
        for suffix in ((".c", ".js", ".py") if kind == ".c" else (kind,))
    ],
)
def test_no_text_is_read_over_and_over(suffix: str, text: str):
    """Four times the text may cost ten times the work, and not sixteen."""
    assert excess(partial(read, suffix), quarter_of(text), text) <= 1


@pytest.mark.parametrize("place", FILES)
def test_a_whole_file_has_documents_that_keep_what_they_promise(place: str):
    read_file(place, FILES[place])


ONE_OF_EACH: Final = sorted(
    {place.partition("/")[0]: place for place in FILES if not place.endswith(".pdf")}.values()
)
"""A file of each kind; those of PDF are read by a process each."""


@pytest.mark.parametrize("place", ONE_OF_EACH)
@pytest.mark.parametrize("share", [0, 0.3, 0.7])
def test_an_empty_or_cut_file_is_text_or_one_named_failure(place: str, share: float):
    read_file(place, FILES[place][: int(share * len(FILES[place]))])


@pytest.mark.parametrize("place", ONE_OF_EACH)
def test_bytes_that_are_no_such_file_are_text_or_one_named_failure(place: str):
    read_file(place, bytes(range(256)))


@pytest.mark.parametrize("suffix", MARKUP)
@given(text=st.text(st.sampled_from(SIGNS), max_size=100))
def test_any_text_is_read(suffix: str, text: str):
    read_file(f"a{suffix}", text.encode())


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-8-sig"])
@pytest.mark.parametrize("suffix", MARKUP)
def test_a_text_in_another_encoding_is_the_same(suffix: str, encoding: str):
    text = "1\n00:01.000 --> 00:02.000\nGröße der Brücke\n"
    bom = "\ufeff" * (encoding == "utf-16-be")
    [plain] = read(suffix, text)
    [made] = documents_in(source(f"a{suffix}", (bom + text).encode(encoding)), EVERY)
    assert isinstance(made, Document)
    assert bool(made.encoding) == encoding.startswith("utf-16")
    assert made._replace(encoding="") == plain
