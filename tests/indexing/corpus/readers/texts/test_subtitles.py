"""Subtitles: what is said, and when."""

from hippohover.indexing.corpus.readers.texts.subtitles import read
from tests.indexing.corpus.readers.texts.text_samples import document, headings_in, reason

SRT = (
    "\ufeff1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>Who owns</i>\r\nthe heron?\r\n\r\n"
    "2\r\n00:00:03,000 --> 00:00:04,000\r\n{\\an8}Ida &amp; Tom.\r\n\r\n"
    "3\r\n01:02:03,000 --> 01:02:04,000 X1:40\r\n2\r\n"
)
VTT = """WEBVTT - Rates

STYLE
::cue { color: red }

NOTE 00:00:01.000 --> 00:00:02.000
hidden

intro
00:01.000 --> 00:02.000 align:start
<v Ada>Two <c.loud>crowns</c>

00:02.000 --> 00:03.000
Two crowns
<00:02.500>and more

00:03.000 --> 00:04.000
and more
"""


def test_subtitles_of_a_film():
    made = document(read, "films/heron.srt", SRT)
    assert (made.title, made.id) == ("heron", "films/heron")
    assert made.text == "Who owns\nthe heron?\nIda & Tom.\n2"
    assert headings_in(made) == [("00:00:01", "t=1", "Who owns"), ("01:02:03", "t=3723", "2")]


def test_subtitles_of_a_talk():
    made = document(read, "talk.vtt", VTT)
    assert made.text == "Ada: Two crowns\nTwo crowns\nand more"
    assert headings_in(made) == [("00:00:01", "t=1", "Ada: Two crowns")]


def test_what_has_no_times_is_a_bad_record():
    assert reason("a.srt", "Words.\n\nMore.").startswith("has no line with times")
    assert document(read, "empty.vtt", "").text == ""
