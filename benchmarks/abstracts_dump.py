"""An archive in the layout of HotpotQA's abstracts, made of other documents.

A tar.bz2 of ``enwiki-20171001-pages-meta-current-withlinks-abstracts/XX/wiki_NN.bz2``, each packed
JSON lines; see https://hotpotqa.github.io/wiki-readme.html. Equal documents give equal bytes.
"""

import bz2
import html
import io
import json
import re
import tarfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase
from typing import Any, Final
from urllib.parse import quote

from hippohover.disk.columns import chunks
from hippohover.names.gazetteer import Gazetteer
from hippohover.names.normal_forms import entity_key, token_spans, tokens, without_qualifier
from hippohover.names.sentences import sentence_spans

TOP: Final = "enwiki-20171001-pages-meta-current-withlinks-abstracts"

_MEMBERS_A_FOLDER: Final = 100
_TOKEN: Final = re.compile(r'<a href="[^"]*">|</a>|\w+|[^\w\s]')

Text = tuple[str, str]
"""Title and text of a document."""


@dataclass(frozen=True)
class Dump:
    """What an archive holds."""

    n_documents: int
    n_members: int
    n_links: int


def write_dump(documents: Sequence[Text], to: Path, *, documents_a_member: int) -> Dump:
    """Write the archive; a text links the first place where it names another document."""
    linker = _Linker([title for title, _ in documents])
    n_members = n_links = 0
    with tarfile.open(to, "w:bz2", format=tarfile.GNU_FORMAT) as archive:
        numbered = enumerate(documents, 1)
        for n_members, some in enumerate(chunks(numbered, documents_a_member), 1):
            records = [_record(number, title, text, linker) for number, (title, text) in some]
            n_links += sum(s.count("<a href=") for one in records for s in one["text_with_links"])
            lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
            content = bz2.compress(lines.encode())
            member = tarfile.TarInfo(_member_name(n_members - 1))
            member.size = len(content)  # its other fields are the same for ever: no time, no owner
            archive.addfile(member, io.BytesIO(content))
    return Dump(len(documents), n_members, n_links)


def _member_name(number: int) -> str:
    """AA/wiki_00 to AA/wiki_99, then AB/wiki_00."""
    folder, file = divmod(number, _MEMBERS_A_FOLDER)
    first, second = divmod(folder, len(ascii_uppercase))
    return f"{TOP}/{ascii_uppercase[first]}{ascii_uppercase[second]}/wiki_{file:02d}.bz2"


def _record(number: int, title: str, text: str, linker: "_Linker") -> dict[str, Any]:
    spans = _whole_spans(text)
    sentences = [text[start:end] for start, end in spans]
    linked = linker.linked(number - 1, text, spans)
    return {
        "id": str(number),
        "url": f"https://en.wikipedia.org/wiki?curid={number}",
        "title": html.escape(title, quote=False),
        "text": sentences,
        "charoffset": _offsets(sentences),
        "text_with_links": linked,
        "charoffset_with_links": _offsets(linked),
    }


def _whole_spans(text: str) -> list[tuple[int, int]]:
    """Spans of sentences that hold every character: a blank goes to the sentence behind it."""
    ends = [end for _, end in sentence_spans(text)]
    ends[-1:] = [len(text)]
    return list(zip([0, *ends], ends, strict=False))


def _offsets(sentences: Iterable[str]) -> list[list[tuple[int, int]]]:
    """Spans of the tokens of each sentence, counted from where the first one begins."""
    found: list[list[tuple[int, int]]] = []
    before = 0
    for sentence in sentences:
        spans = [match.span() for match in _TOKEN.finditer(sentence)]
        found.append([(before + start, before + end) for start, end in spans])
        before += len(sentence)
    return found


class _Linker:
    """Makes links of names of documents."""

    def __init__(self, titles: Sequence[str]) -> None:
        self._titles = titles
        numbers: dict[str, int] = {}
        for form in (str, without_qualifier):  # the title itself is taken before a shortened one
            for number, title in enumerate(titles):
                numbers.setdefault(entity_key(form(title)), number)
        self._names = Gazetteer(numbers)

    def linked(self, own: int, text: str, sentences: Iterable[tuple[int, int]]) -> list[str]:
        """Sentences of a document with its links."""
        links = list(self._links(own, text))
        found: list[str] = []
        for start, end in sentences:
            parts, at = [""], start
            for target, begin, stop in links:
                if start <= begin and stop <= end:
                    anchor = f'<a href="{quote(target)}">{text[begin:stop]}</a>'
                    parts += [text[at:begin], anchor]
                    at = stop
            found.append("".join([*parts, text[at:end]]))
        return found

    def _links(self, own: int, text: str) -> Iterator[tuple[str, int, int]]:
        """Title, start and end of the first mention of each other document."""
        spans = token_spans(text)
        seen = {own}
        for number, first, stop in self._names.find(*tokens(text)):
            if number not in seen:
                seen.add(number)
                yield self._titles[number], spans[first][0], spans[stop - 1][1]
