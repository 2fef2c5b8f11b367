"""Subtitles: the words, without numbers and times; a heading every few minutes."""

import html
import re
from collections.abc import Iterator
from typing import Final

from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.readers.documents import text_document
from hippohover.indexing.corpus.readers.text_builder import TextBuilder
from hippohover.indexing.corpus.records import Records, UnreadableError, clean_title

SUFFIXES: Final = (".srt", ".vtt")

SECTION_SECONDS: Final = 120
"""How much a section holds, so that an answer says when it was said."""

_TIMES = re.compile(
    r"[ \t]*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,]\d{1,3}[ \t]*-->[ \t]*[\d:]{4,10}"
)
_SPEAKER = re.compile(r"<v(?:\.[\w.]{0,60})?[ \t]{1,20}([^<>\n]{1,100})>")
_TAG = re.compile(r"</?[A-Za-z0-9:.]{1,12}(?:[ .][^<>\n]{0,200})?>|\{\\[^{}\n]{0,100}\}")
_BLOCK = re.compile(r"(?:NOTE|STYLE|REGION)(?:\s|$)")


def read(file: SourceFile) -> Records:
    """Yield the document of a film's or talk's subtitles."""
    text = file.text()
    builder = TextBuilder(file.folder)
    last, section = "", -1
    for seconds, lines in _cues(text):
        for said in map(_words, lines):
            if said and said != last:  # what rolls up is shown twice
                if seconds // SECTION_SECONDS != section:
                    section = seconds // SECTION_SECONDS
                    builder.new_line()
                    builder.section(1, _clock(seconds), f"t={seconds}")
                builder.line(said)
                last = said
    marked = builder.marked()
    if text.strip() and not marked.sections:
        raise UnreadableError("has no line with times (00:01:02,000 --> ...): check the file")
    yield text_document(file, marked)


def _cues(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield seconds and lines of each cue; a number or a name may come before the times."""
    for block in re.split(r"\n[ \t]*\n", text):
        lines = block.split("\n")
        tried = [] if _BLOCK.match(block) else [_TIMES.match(line) for line in lines[:3]]
        for at, times in enumerate(tried):
            if times:
                hours, minutes, seconds = (int(part or 0) for part in times.groups())
                yield hours * 3600 + minutes * 60 + seconds, lines[at + 1 :]
                break


def _words(line: str) -> str:
    line = _SPEAKER.sub(lambda speaker: f"{speaker[1]}: ", line)
    return clean_title(html.unescape(_TAG.sub("", line)))


def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
