"""Texts in other encodings than UTF-8."""

import pytest

from hippohover.indexing.corpus.files.decoding import decoded, encoding_of

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


@pytest.mark.parametrize("encoding", SAMPLES)
def test_what_is_no_utf8_is_read_as_what_it_most_likely_is(encoding: str):
    text, said = decoded(SAMPLES[encoding].encode(encoding))
    assert (text, said) == (SAMPLES[encoding], encoding)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_a_byte_order_mark_decides(encoding: str):
    assert decoded("\ufeffÜber\r\nuns".encode(encoding)) == ("Über\nuns", encoding)


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


@pytest.mark.parametrize("encoding", [*SAMPLES, "utf-8", "utf-16-le"])
def test_the_encoding_of_a_head_that_is_cut_is_told(encoding: str):
    text = SAMPLES.get(encoding, "Ⓐⓑⓒ naïve")
    content = ("\ufeff" * encoding.startswith("utf-16") + text).encode(encoding)
    assert encoding_of(content * 3) == encoding
    if encoding.startswith("utf"):
        assert encoding_of((content * 3)[:-1]) == encoding
    assert encoding_of(b"\xb3", "ISO-8859-2") == "iso-8859-2"
