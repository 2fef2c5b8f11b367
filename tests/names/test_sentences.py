"""Sentence borders: the rules one by one, then what must hold for any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.names.sentences import sentence_spans


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


RULES = {  # a border is a bar
    "plain": "One. |Two! |Three? |Four",
    "blanks": "  Blank ends.\t|Here. \n",
    "titles": "She met Dr. Orla Venn, Mrs. Pell and Gen. Ott. |They left.",
    "cases of law": "In Roe v. Orr, the judge dissented. |It was appealed.",
    "initials": "J. R. R. Tolm and C.S. Lowe wrote it. |A. Venn drew it.",
    "initials after a comma and a dash": "The cast was Moore, C. C. H. Pound and K.–L. Ott.",
    "decimals": "The wall is 4.5 km long. |It cost 1.250.000 crowns.",
    "a decimal at the end": "It needs Loam 3.8. |Sedge 4.3 is out. |See 1.2.3. |Done.",
    "a number before a heading": "4.2. Moss of Velm",
    "before numbers": "He ranked No. 6 in vol. 2 on Dec. 24. |He said no. |Then he left.",
    "c.": "Born c. 1204, d. 1260.  |She reigned.",
    "acronyms": "It is in the U.S. state of Kant. |He moved to the U.S. |In May he died.",
    "abbreviation before a name": "The U.S. Navy and Pell Bros. Ltd. Shipping met. |It sank.",
    "an initial that ends its sentence": "She studied under George I. |The king died.",
    "ellipsis": "They waited... and left. |Then... |Nothing.",
    "quotes and brackets": 'He asked "Why?" and left. |"Go." |She went. |(It rained.) |They slept.',
    "!": "Yahoo! is a firm. |It is old.",
    "a bracket goes on": "The gun (Model of 1931 г. ) was heavy. |It shot.",
    "a number that opens the sentence": "1. FC Elm is a club. |2. FC Elm was one.",
    "year": "It began in 1939. |He left.",
    "dots inside words": "See node.js.org or a.Zero. |Express works.",
    "Japanese": "琥珀の塔は小説です。|作者は森田「梢。」|です！|本当？|はい",
    "runs of stops": "真的？！|她走了。。。|好",
    "Chinese, then Latin": "这是iPhone。|iPad也是。",
    "Arabic": "هل وصل؟ |نعم وصل. |ثم غادر۔ |انتهى",
    "Hindi": "यह नगर है। |वह नदी है॥ |अंत",
    "a blank line ends, a line break does not":
        "A heading\n\n|lower text, hard\nwrapped. |End\n \n|of it",
    "CRLF": "It ended. \r\n\r\n|lower",
    "blank line wins": "Met Dr.\n\n|Venn came",
}  # fmt: skip


@pytest.mark.parametrize("name", RULES)
def test_rules(name: str):
    text = RULES[name].replace("|", "")
    assert split(text) == [sentence.strip() for sentence in RULES[name].split("|")]


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
