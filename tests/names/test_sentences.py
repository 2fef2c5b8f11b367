"""Sentence borders: the rules one by one, then what must hold for any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.names.sentences import sentence_spans


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        pytest.param("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"], id="plain"),
        pytest.param("  Blank ends.\tHere. \n", ["Blank ends.", "Here."], id="blanks"),
        pytest.param(
            "She met Dr. Orla Venn, Mrs. Pell and Gen. Ott. They left.",
            ["She met Dr. Orla Venn, Mrs. Pell and Gen. Ott.", "They left."],
            id="titles",
        ),
        pytest.param(
            "In Roe v. Orr, the judge dissented. It was appealed.",
            ["In Roe v. Orr, the judge dissented.", "It was appealed."],
            id="cases of law",
        ),
        pytest.param(
            "J. R. R. Tolm and C.S. Lowe wrote it. A. Venn drew it.",
            ["J. R. R. Tolm and C.S. Lowe wrote it.", "A. Venn drew it."],
            id="initials",
        ),
        pytest.param(
            "The cast was Moore, C. C. H. Pound and K.–L. Ott.",
            ["The cast was Moore, C. C. H. Pound and K.–L. Ott."],
            id="initials after a comma and a dash",
        ),
        pytest.param(
            "The wall is 4.5 km long. It cost 1.250.000 crowns.",
            ["The wall is 4.5 km long.", "It cost 1.250.000 crowns."],
            id="decimals",
        ),
        pytest.param(
            "It needs Loam 3.8. Sedge 4.3 is out. See 1.2.3. Done.",
            ["It needs Loam 3.8.", "Sedge 4.3 is out.", "See 1.2.3.", "Done."],
            id="a decimal at the end",
        ),
        pytest.param("4.2. Moss of Velm", ["4.2. Moss of Velm"], id="a number before a heading"),
        pytest.param(
            "He ranked No. 6 in vol. 2 on Dec. 24. He said no. Then he left.",
            ["He ranked No. 6 in vol. 2 on Dec. 24.", "He said no.", "Then he left."],
            id="before numbers",
        ),
        pytest.param(
            "Born c. 1204, d. 1260.  She reigned.",
            ["Born c. 1204, d. 1260.", "She reigned."],
            id="c.",
        ),
        pytest.param(
            "It is in the U.S. state of Kant. He moved to the U.S. In May he died.",
            ["It is in the U.S. state of Kant.", "He moved to the U.S.", "In May he died."],
            id="acronyms",
        ),
        pytest.param(
            "The U.S. Navy and Pell Bros. Ltd. Shipping met. It sank.",
            ["The U.S. Navy and Pell Bros. Ltd. Shipping met.", "It sank."],
            id="abbreviation before a name",
        ),
        pytest.param(
            "She studied under George I. The king died.",
            ["She studied under George I.", "The king died."],
            id="an initial that ends its sentence",
        ),
        pytest.param(
            "They waited... and left. Then... Nothing.",
            ["They waited... and left.", "Then...", "Nothing."],
            id="ellipsis",
        ),
        pytest.param(
            'He asked "Why?" and left. "Go." She went. (It rained.) They slept.',
            ['He asked "Why?" and left.', '"Go."', "She went.", "(It rained.)", "They slept."],
            id="quotes and brackets",
        ),
        pytest.param("Yahoo! is a firm. It is old.", ["Yahoo! is a firm.", "It is old."], id="!"),
        pytest.param(
            "The gun (Model of 1931 г. ) was heavy. It shot.",
            ["The gun (Model of 1931 г. ) was heavy.", "It shot."],
            id="a bracket goes on",
        ),
        pytest.param(
            "1. FC Elm is a club. 2. FC Elm was one.",
            ["1. FC Elm is a club.", "2. FC Elm was one."],
            id="a number that opens the sentence",
        ),
        pytest.param("It began in 1939. He left.", ["It began in 1939.", "He left."], id="year"),
        pytest.param(
            "See node.js.org or a.Zero. Express works.",
            ["See node.js.org or a.Zero.", "Express works."],
            id="dots inside words",
        ),
        pytest.param(
            "琥珀の塔は小説です。作者は森田「梢。」です！本当？はい",
            ["琥珀の塔は小説です。", "作者は森田「梢。」", "です！", "本当？", "はい"],
            id="Japanese",
        ),
        pytest.param(
            "真的？！她走了。。。好", ["真的？！", "她走了。。。", "好"], id="runs of stops"
        ),
        pytest.param(
            "这是iPhone。iPad也是。", ["这是iPhone。", "iPad也是。"], id="Chinese, then Latin"
        ),
        pytest.param(
            "هل وصل؟ نعم وصل. ثم غادر۔ انتهى",
            ["هل وصل؟", "نعم وصل.", "ثم غادر۔", "انتهى"],
            id="Arabic",
        ),
        pytest.param("यह नगर है। वह नदी है॥ अंत", ["यह नगर है।", "वह नदी है॥", "अंत"], id="Hindi"),
        pytest.param(
            "A heading\n\nlower text, hard\nwrapped. End\n \nof it",
            ["A heading", "lower text, hard\nwrapped.", "End", "of it"],
            id="a blank line ends, a line break does not",
        ),
        pytest.param("It ended. \r\n\r\nlower", ["It ended.", "lower"], id="CRLF"),
        pytest.param("Met Dr.\n\nVenn came", ["Met Dr.", "Venn came"], id="blank line wins"),
    ],
)
def test_rules(text: str, sentences: list[str]):
    assert split(text) == sentences


@pytest.mark.parametrize("text", ["", " ", "\n\n \t", "\u2003"])
def test_blank_text_has_no_sentence(text: str):
    assert sentence_spans(text) == []


@pytest.mark.parametrize("text", [".", "...", "\n.\n", "。", "x"])
def test_any_other_text_has_one(text: str):
    assert split(text) == [text.strip()]


TEXTS = st.text(
    st.sampled_from(list("aAbZ19 \n\t\r.!?…。！？؟۔।\"'”)」(«,-–éßЖя字かא\u0301\u200f\x85"))
    | st.characters()
)


@given(TEXTS)
def test_spans_cover_the_text_once_in_order_without_outer_blanks(text: str):
    spans = sentence_spans(text)
    covered = 0
    for start, end in spans:
        assert covered <= start < end <= len(text)
        assert text[covered:start].strip() == ""
        assert text[start:end] == text[start:end].strip() != ""
        covered = end
    assert text[covered:].strip() == ""


@given(TEXTS)
def test_blanks_around_a_text_only_shift_its_spans(text: str):
    shifted = [(start + 3, end + 3) for start, end in sentence_spans(text)]
    assert sentence_spans(f" \n {text} \n") == shifted


@given(
    st.lists(st.sampled_from(["She won.", "Is it so?", "It fell!", "他走了。", "The U.S. won it."]))
)
def test_sentences_joined_by_a_blank_are_found_again(sentences: list[str]):
    assert split(" ".join(sentences)) == sentences


@pytest.mark.parametrize(
    "text",
    [
        "." * 3_000,
        ".'" * 1_500,
        "." + "'" * 3_000,
        "\n " * 1_500 + "x",
        "x.\n" + " " * 3_000 + "x",
        ("x\n" + " " * 100) * 30,
        "J. " + "(" * 3_000,
        "J. " * 1_000,
        "。" * 3_000,
        "(" * 3_000 + ". x",
    ],
    ids=lambda text: repr(text[:6]),
)
def test_hostile_texts_are_split(text: str):
    """In linear time too: ``benchmarks/linear_time.py``."""
    spans = sentence_spans(text)
    assert spans[0][0] == len(text) - len(text.lstrip())
    assert "".join("".join(text[start:stop] for start, stop in spans).split()) == "".join(
        text.split()
    )


def test_a_long_text_is_split_as_its_paragraph():
    paragraph = (
        "Orlo Vant (4 May 1850 – 1911) was a glass painter from Tessel. In 1877 he moved to the "
        "U.S. state of Kant, where Dr. Venn taught him. His windows are in St. Elm's Church. "
    )
    assert len(sentence_spans(paragraph * 500)) == 3 * 500
