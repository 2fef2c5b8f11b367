"""Texts in other encodings than UTF-8."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.disk.decoding import NOT_TEXT, decoded, encoding_of

SAMPLES = {
    "windows-1252": "Die Brücke in Nordhaven heißt „Alte Brücke“ – sie führt über den Fluß.",
    "windows-1251": "Старый город стоит на реке, мост построен инженером Петровым.",
    "koi8-r": "Старый город стоит на реке, мост построен инженером Петровым.",
    "gb18030": "老桥建于一九一二年，由工程师李明设计，在北京的东边。",
    "cp932": "古い橋は1912年に技師の田中によって建てられました。",
    "big5": "老橋建於一九一二年，由工程師李明設計，在台北的東邊。",
    "cp949": "오래된 다리는 1912년에 기사 김민수가 지었다.",
    "windows-1250": "Žlutý kůň běžel přes most, který postavil inženýr Novák.",
}


# Few words, of which another encoding would make something that reads worse.
SHORT = [
    ("windows-1252", "“Quoted” — 5 € per m²"),
    ("windows-1252", "Señor Núñez"),
    ("windows-1252", "Windows® and Excel®; Heron™"),
    ("windows-1252", "Wie geht´s? Ist´s gut? Hab´s."),
    ("windows-1252", "Il caffè è chiuso lunedì: non è più possibile. La città sarà in festa."),
    ("windows-1252", "Això és el port de l'illa; però què més? L'any passat va ser força bé."),
    ("windows-1252", "A naïve résumé – “5 € a día” – in the café’s window. " * 6),
    ("koi8-r", "мост"),
    ("koi8-u", "Привіт, світе!"),
    ("gb18030", "你好"),
    ("gb18030", "★标题\n→下一个"),
    ("cp932", "古い橋"),
    ("cp932", "■見出し\n●項目"),
    ("cp932", "ＮＨＫ放送は人々の声です。"),
    ("iso-8859-15", "Prix : 5 € à Liège."),
    ("iso-8859-2", "Łódź jest miastem w Polsce nad rzeką Łódką."),
    ("windows-1250", "Žlutý kůň"),
    ("windows-1253", "Καλημέρα κόσμε"),
    ("windows-1255", "שלום עולם"),
    ("windows-1256", "مرحبا بالعالم"),
    ("cp874", "สวัสดีชาวโลก"),
]


ENGLISH = "The keeper of the light was Ada Finch."
DAMAGED = [
    # One byte is damaged: the rest says what it is, or that it is nothing.
    (b"The keeper of the light was \xe0da Finch.", "windows-1252"),
    (b"The ke\xbceper of the light was Ada Finch.", "windows-1252"),
    (b"The\xd0 keeper of the light was Ada Finch.", "windows-1252"),
    (b"Heron Bridge was clos\xfed in the war.", "windows-1252"),
    (b"Heron Bridge was closed in the war\x92", "windows-1252"),
    (b"Heron Bridge was closed\x8f in the war.", "iso-8859-1"),
    (b"Is it \xd0 pounds?", "windows-1252"),
    ("Die Brücke heißt „Alte Brücke“.".encode("cp1252").replace(b"t", b"\xe2", 1), "windows-1252"),
    ("Старый город стоит на реке.".encode("koi8-r").replace(b"\xd2", b"\xff", 1), "koi8-r"),
    ("Старый город стоит на реке.".encode("koi8-r").replace(b"\xd2", b"e", 1), "koi8-r"),
    ("\ufeffAda Finch.".encode("utf-16-le").replace(b"F", b"\xff", 1), "utf-16-le"),
    ("老桥建于一九一二年，由李明设计。".encode("gb18030")[:-3] + b"\xff\xa3", ""),
    ("老桥建于一九一二年，由李明设计。".encode("gb18030").replace(b"\xc0", b" ", 1), ""),
    ("東京の駅は大きいです。".encode("cp932")[:-3] + b" \x81B", ""),
    ("Die Brücke heißt „Alte Brücke“.".encode().replace(b"\xc3", b"\xff", 1), ""),
    ("老桥建于一九一二年。".encode().replace(b"\xe8", b"\xff", 1), ""),
]


@pytest.mark.parametrize(("content", "encoding"), DAMAGED)
def test_a_damaged_byte_makes_no_other_language_of_a_text(content: bytes, encoding: str):
    if encoding:
        assert decoded(content)[1] == encoding
    else:
        with pytest.raises(UnicodeError, match=NOT_TEXT):
            decoded(content)


@pytest.mark.parametrize("place", [0, 1, 10, 18, 37])
def test_english_with_any_one_byte_else_is_of_the_west(place: int):
    content = ENGLISH.encode()
    said = [
        decoded(content[:place] + bytes([byte]) + content[place + 1 :])[1]
        for byte in range(0x80, 0x100)
    ]
    wanted = ("windows-1252", "iso-8859-1", "iso8859-15")  # the last for the sign of the euro
    others = [name for name in said if name not in wanted]
    assert len(others) <= 3
    assert all(name.startswith("windows-125") for name in others)  # no rare one


# One letter of theirs is enough for languages whose other letters say what they are.
ONE_LETTER = [
    ("windows-1250", "Nowy most jest długi i szeroki."),
    ("windows-1250", "Petr je doma a čte."),
    ("windows-1250", "Az ember nagyon erős volt ma."),
    ("windows-1254", "Bu bir ev ve bir kapı."),
    ("windows-1257", "Jonas gyvena Vilniuje, mieste prie upės."),
    ("windows-1252", "Hun bor i Malmö nu."),
    ("iso-8859-15", "The toll is 5 € for each car."),
]


@pytest.mark.parametrize(("encoding", "text"), [*SHORT, *ONE_LETTER])
def test_a_few_words_are_read(encoding: str, text: str):
    assert decoded(text.encode(encoding))[0] == text


@given(
    seed=st.integers(0, 2**32),
    n_bytes=st.integers(256, 3000),
    lowest=st.sampled_from([0, 0x20, 0x80, 0xA0, 0xC0]),
)
def test_bytes_drawn_at_random_are_no_text(seed: int, n_bytes: int, lowest: int):
    drawn = np.random.default_rng(seed)
    content = drawn.integers(lowest, 256, n_bytes, np.uint8).tobytes()
    with pytest.raises(UnicodeError, match="not text in any encoding"):
        decoded(content)


def test_control_codes_are_no_text_and_utf16_without_a_mark_is():
    with pytest.raises(UnicodeError):
        decoded(bytes(range(32)) * 10)
    assert decoded(b"page one\x0cpage two\x1a") == ("page one\x0cpage two\x1a", "")
    assert decoded("Ada Finch sailed.".encode("utf-16-le")) == ("Ada Finch sailed.", "utf-16-le")


@pytest.mark.parametrize("encoding", SAMPLES)
def test_what_is_no_utf8_is_read_as_what_it_most_likely_is(encoding: str):
    text, said = decoded(SAMPLES[encoding].encode(encoding))
    assert (text, said) == (SAMPLES[encoding], encoding)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_a_byte_order_mark_decides(encoding: str):
    assert decoded("\ufeffÜber\r\nuns".encode(encoding)) == ("Über\nuns", encoding)


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("iso-2022-jp-2", "灯台の記録。Senna の灯台守。\n"),
        ("iso-2022-jp-2", "The keeper of 灯台 is Ada."),
        ("iso-2022-kr", "등대 keeper 입니다."),
    ],
)
def test_escapes_of_old_mail_tell_its_encoding(encoding: str, text: str):
    content = text.encode(encoding.removesuffix("-2"))
    assert decoded(content) == (text, encoding)
    assert encoding_of(content[:-1]) == encoding


def test_escapes_of_a_terminal_tell_none():
    content = b"\x1b[31mred\x1b[0m and \x1b$ 5"
    assert decoded(content) == (content.decode(), "")


def test_utf8_is_not_noted():
    assert decoded(b"\xef\xbb\xbfone\r\ntwo\rthree\n") == ("one\ntwo\nthree\n", "")
    assert decoded("naïve".encode()) == ("naïve", "")
    assert decoded(b"") == ("", "")


@pytest.mark.parametrize(
    "content", [bytes(range(256)), b"\x89PNG\r\n\x1a\n" + bytes(40), b"\xff\xfe\x00\xd8"]
)
def test_what_is_no_text_is_an_error(content: bytes):
    with pytest.raises(UnicodeError):
        decoded(content)


@pytest.mark.parametrize("stray", [b"\xff", b"\x92", b"\xe9"])
@pytest.mark.parametrize("n", [1, 40])
@pytest.mark.parametrize("text", ["The mayor, Zoé Brandt, is née Müller. ", "Мост открыт. "])
def test_utf8_with_a_byte_that_is_none_is_read_as_nothing_else(text: str, n: int, stray: bytes):
    with pytest.raises(UnicodeError, match=NOT_TEXT):
        decoded((text * n).encode() + stray + b" The end.")


@pytest.mark.parametrize("encoding", [*SAMPLES, "utf-8", "utf-16-le"])
def test_the_encoding_of_a_head_that_is_cut_is_told(encoding: str):
    text = SAMPLES.get(encoding, "Ⓐⓑⓒ naïve")
    content = ("\ufeff" * encoding.startswith("utf-16") + text).encode(encoding)
    assert encoding_of(content * 3) == encoding
    assert encoding_of((content * 3)[:-1]) == encoding
    assert encoding_of(b"\xb3", "ISO-8859-2") == "iso-8859-2"
