"""Normal forms: equal to DSPy's where the metric needs it, total and stable over all of Unicode."""

import html
import itertools
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hippohover.names.normal_forms import (
    entity_key,
    normal_title,
    token_spans,
    tokens,
    tokens_and_breaks,
    without_qualifier,
    without_unseen,
)

ANY_TEXT = st.text(st.characters(exclude_categories=()))  # lone surrogates too
# Mixes that meet within one token: letters of many scripts, marks, width and ligature variants.
MIXED_TEXT = st.text(
    st.one_of(
        st.characters(categories=["Mn", "Mc", "Me"]),
        st.sampled_from(
            "aZ1_ßİıſæøđŁéΣςάйЁ中々ーｰｶﾊﾞﾟกำาລຳက်ខ្សहिन्दीﬁﬃ㍍ﷺﷻⅷ①²ªº⑶㋿\u037a\u0345\u200d\u200c\u00ad\u200b"
        ),
        st.sampled_from(" .-'&;()\u00a0\u3000\n"),
        st.characters(),
    ),
    max_size=12,
)
TITLES = st.one_of(ANY_TEXT, MIXED_TEXT, st.text(" aAnNtThHeE.&;#39x()-", max_size=14))


# Every one below the rarer ideographs, which begin at U+20000 and are all alike.
LETTERS_MARKS_AND_NUMBERS = [
    char for char in map(chr, range(0x20000)) if unicodedata.category(char)[0] in "LMN"
]


@pytest.fixture(scope="module")
def dspy_normalize_text() -> Callable[[str], str]:
    from dspy.evaluate import normalize_text

    return normalize_text


# --- normal_title ----------------------------------------------------------------------------


@given(TITLES)
@example("The Beatles (band)")
@example("AT&amp;T")
@example("Sigur Rós")
@example("İstanbul")
@example("A")
@example("!!!")
def test_normal_title_is_dspys_but_for_titles_that_dspy_makes_empty(
    dspy_normalize_text: Callable[[str], str], title: str
):
    unescaped = without_unseen(html.unescape(title))
    theirs = dspy_normalize_text(unescaped)
    bare = " ".join(unicodedata.normalize("NFD", unescaped).lower().split())
    assert normal_title(title) == (theirs or bare)


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("The,  Eiffel  Tower!", "eiffel tower"),
        ("An American Tail", "american tail"),
        ("Simon &amp; Garfunkel", "simon garfunkel"),
        ("Lantern Hill (1952 film)", "lantern hill 1952 film"),
        ("O'Brien", "obrien"),
        ("Beyonc\u00e9", "beyonce\u0301"),
        ("Beyonce\u0301", "beyonce\u0301"),
        ("東京", "東京"),
        ("Theatre", "theatre"),
        ("Ha\u00adfen&shy;amt\ufeff", "hafenamt"),
    ],
)
def test_normal_title_by_hand(title: str, expected: str):
    assert normal_title(title) == expected


def test_titles_of_punctuation_or_articles_alone_stay_apart():
    odd = ["!!!", "?", "*", "A", "The", "The The", "An", "(a)"]
    assert len({normal_title(title) for title in odd}) == len(odd)
    assert all(normal_title(title) for title in odd)


@pytest.mark.parametrize("title", ["Sigur Rós", "Łódź", "ラブライブ！", "The Who", "AC/DC", "!!!"])
def test_normal_title_of_a_normal_title_is_itself(title: str):
    assert normal_title(normal_title(title)) == normal_title(title)


# --- tokens ----------------------------------------------------------------------------------


@given(st.one_of(ANY_TEXT, MIXED_TEXT))
@example("")
@example("İİİ İstanbul")  # lower case is longer than the text
@example("ẞ ŉ ǰ ΐ ﬃ")
@example("0\u00ad and 19\u00ad32")
def test_tokens_spans_and_folded_tokens_go_together(text: str):
    folded, written = tokens(text)
    spans = token_spans(text)
    assert len(folded) == len(written) == len(spans)
    assert [without_unseen(text[start:stop]) for start, stop in spans] == written
    assert all(stop <= start for (_, stop), (start, _) in itertools.pairwise(spans))
    assert all(folded) and all(written)


@given(st.one_of(ANY_TEXT, MIXED_TEXT))
@example("a_b. C")
@example("é(ab)")
def test_breaks_take_nothing_from_the_tokens(text: str):
    folded, written, breaks = tokens_and_breaks(text)
    assert (folded, written) == tokens(text)
    assert breaks == sorted(breaks)
    assert all(0 <= at <= len(folded) for at in breaks)


@pytest.mark.parametrize(
    ("text", "stretches"),
    [
        ("one two", ["one two"]),
        ("seen there. Two", ["seen there", "two"]),
        ("in St. Ives", ["in st ives"]),
        ("one, two", ["one", "two"]),
        ("one (two) three", ["one", "two", "three"]),
        ('said "two" once', ["said", "two", "once"]),
        ("one-two – three", ["one two", "three"]),
        ("really?! Yes", ["really", "yes"]),
        ("one\ntwo", ["one", "two"]),
    ],
)
def test_a_break_stands_where_a_name_ends(text: str, stretches: list[str]):
    folded, _, breaks = tokens_and_breaks(text)
    edges = itertools.pairwise(sorted({0, *breaks, len(folded)}))
    assert [" ".join(folded[start:stop]) for start, stop in edges] == stretches


@given(MIXED_TEXT)
@example("㍍")
@example("ﷺ")
@example("中\u0345")
@example("นำ")
@example("ﾊﾞ")
def test_a_folded_token_is_one_token_and_folds_to_itself(text: str):
    for token in tokens(text)[0]:
        assert tokens(token)[0] == [token]


def test_every_letter_has_a_key_of_one_token_that_folds_to_itself():
    for char in LETTERS_MARKS_AND_NUMBERS:
        folded, _ = tokens(char)
        if not entity_key(char) or any(tokens(token)[0] != [token] for token in folded):
            pytest.fail(f"U+{ord(char):04X} {char!r} gives {folded!r}")


@given(st.text(st.characters(max_codepoint=127)))
@example("\x1f.A")
@example("\v.A")
def test_ascii_text_has_the_same_tokens_beside_other_scripts(text: str):
    folded, written = tokens(text)
    assert tokens(f"{text} é") == ([*folded, "e"], [*written, "é"])
    assert token_spans(f"{text} é")[:-1] == token_spans(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tokyo's St. Mary-le-Bow, 1984!", ["tokyo", "s", "st", "mary", "le", "bow", "1984"]),
        ("東京タワー", ["東", "京", "タ", "ワ", "ー"]),
        ("人々 AB", ["人", "々", "ab"]),
        ("スーパーAB", ["ス", "ー", "パ", "ー", "ab"]),
        ("ｶﾞﾗｽ", ["ガ", "ラ", "ス"]),
        ("กรุงเทพ", ["ก", "รุ", "ง", "เ", "ท", "พ"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("שלום עולם", ["שלום", "עולם"]),
        ("Ｆｕｌｌ ｗｉｄｔｈ", ["full", "width"]),
        ("E = mc²", ["e", "mc"]),
        ("I ❤\ufe0f NY 👩\u200d🚀", ["i", "ny"]),
        ("C, C++, C# (.NET), F#-like, Ed+.", ["c", "c++", "c#", ".net", "f#", "like", "ed+"]),
        (
            "C++17 A+++ 1+1 50+ x#1 a.net ...so #9",
            ["c", "17", "a", "1", "1", "50", "x", "1", "a", "net", "so", "9"],
        ),
        ("“.NET” é C#", [".net", "e", "c#"]),
        ("snake_case, __main__ and a‿b", ["snake", "case", "main", "and", "a", "b"]),
        ("", []),
        (" \n\t.", []),
        ("\ufeffHa\u00adfen\u00adamt \u200b of Kas\u200bpar\u2060.", ["hafenamt", "of", "kaspar"]),
        ("Ha\u00ad\nfen, page\u00ad\n12 a\nb", ["hafen", "page", "12", "a", "b"]),
        ("C\u00ad \u00adx", ["c", "x"]),
        ("می\u200cخواهم क्\u200dष", ["می\u200cخواهم", "क्\u200dष"]),
    ],
)
def test_tokens_by_hand(text: str, expected: list[str]):
    assert tokens(text)[0] == expected


def test_unseen_characters_are_in_the_place_of_a_token_alone():
    text = "The Ha\u00adfen\u00ad\namt, Kas\u200bpar"
    assert tokens(text)[1] == ["The", "Hafenamt", "Kaspar"]
    assert [text[start:end] for start, end in token_spans(text)] == [
        "The",
        "Ha\u00adfen\u00ad\namt",
        "Kas\u200bpar",
    ]
    assert tokens_and_breaks(text) == (*tokens(text), [2, 3])
    assert entity_key(text) == "the hafenamt kaspar"


def test_written_tokens_keep_case_and_marks():
    assert tokens("The ÉCOLE of İzmir") == (
        ["the", "ecole", "of", "izmir"],
        ["The", "ÉCOLE", "of", "İzmir"],
    )


# --- entity_key ------------------------------------------------------------------------------


@given(st.one_of(ANY_TEXT, MIXED_TEXT, st.text("&#;lgtampx0123456789 ()", max_size=12)))
@example("⑶")
@example("⑶中")
@example("&amp;amp;lt;")
@example("\u0345")
@example("¨")
def test_the_key_of_a_key_is_itself(name: str):
    key = entity_key(name)
    assert entity_key(key) == key


@given(st.one_of(ANY_TEXT, MIXED_TEXT))
@example(".À")  # no ".NET": an accent is of the letter
def test_the_key_does_not_depend_on_how_marks_are_written(name: str):
    composed, apart = (unicodedata.normalize(form, name) for form in ("NFC", "NFD"))
    assert entity_key(composed) == entity_key(apart) == entity_key(name)


@given(st.one_of(ANY_TEXT, MIXED_TEXT))
def test_a_key_is_the_folded_tokens_joined(name: str):
    folded, _ = tokens(html.unescape(name))
    if folded:
        assert entity_key(name) == " ".join(folded)


@given(st.one_of(ANY_TEXT, MIXED_TEXT))
def test_only_blank_names_have_an_empty_key(name: str):
    blank = not html.unescape(name).split()
    assert (entity_key(name) == "") == blank


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Beyoncé", "BEYONCE"),
        ("Łódź", "łodz"),  # the barred l is a letter of its own, on both sides
        ("Dvořák", "Dvorak"),
        ("Μαρία Κάλλας", "ΜΑΡΙΑ ΚΑΛΛΑΣ"),
        ("Ёлкин", "елкин"),
        ("Straße", "STRASSE"),
        ("İstanbul", "istanbul"),
        ("Cafe\u0301", "Caf\u00e9"),
        ("AT&amp;T", "AT&T"),
        ("  Spider-Man ", "spider man"),
        ("ﬁlm", "film"),
        ("Ｎｉｎｔｅｎｄｏ", "Nintendo"),
        ("ﾊﾞﾝﾄﾞ", "バンド"),
        ("！！！", "!!!"),
        ("\u0625\u0eb9", "\u0627\u0eb9\u0655"),  # NFC and NFD, a sign of Lao on an Arabic letter
    ],
)
def test_spellings_of_one_name_share_a_key(one: str, other: str):
    assert entity_key(one) == entity_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("が", "か"),  # a mark that is a letter's own in Japanese
        ("हिन्दी", "हन्द"),
        ("ไม้", "ไม"),
        ("שָׁלוֹם", "שלום"),
        ("Łódź", "Lodz"),
        ("Ørsted", "Orsted"),
        ("!!!", "???"),
        ("Foo (film)", "Foo"),
        ("C#", "C"),
        ("C++", "C#"),
        (".NET", "Net"),
    ],
)
def test_other_names_have_other_keys(one: str, other: str):
    assert entity_key(one) != entity_key(other)


# --- without_qualifier -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Unbreakable (film)", "Unbreakable"),
        ("Unbreakable(film) ", "Unbreakable"),
        ("Foo (bar) (1952 film)", "Foo (bar)"),
        ("(film)", "(film)"),
        ("  (film)", "  (film)"),
        ("千と千尋（映画）", "千と千尋"),
        ("Foo (bar) baz", "Foo (bar) baz"),
        ("Foo (bar", "Foo (bar"),
        ("Foo ((bar))", "Foo ((bar))"),
        ("Foo ()", "Foo"),
        ("Foo  ", "Foo  "),
        ("", ""),
    ],
)
def test_without_qualifier(title: str, expected: str):
    assert without_qualifier(title) == expected


@given(ANY_TEXT)
def test_without_qualifier_is_a_beginning_and_never_blank_for_a_title(title: str):
    bare = without_qualifier(title)
    assert title.startswith(bare)
    assert bool(bare.strip()) == bool(title.strip())


@pytest.mark.parametrize("part", [" ", "(", ")", "(a", " (", "( )"])
def test_hostile_titles_have_the_forms_of_short_ones(part: str):
    """In linear time too: ``benchmarks/linear_time.py``."""
    title = f"a{part * 10_000}x"
    assert without_qualifier(title) == title
    assert entity_key(title) == ("a " * 10_000 + "ax" if "a" in part else "a x")
    assert normal_title(title).endswith("x")
