"""Corpora without titles, for ``domains.py``: what does ``ppr`` find where documents have no names?

    python benchmarks/untitled_corpora.py FOLDER OUT
    python benchmarks/domains.py OUT --work WORK --out benchmarks/results/untitled.jsonl \\
        --recipe default-fast

Every ``NAME-corpus.jsonl[.gz]`` of FOLDER is written to OUT with numbers in the place of titles, as
BEIR's records have, and every set of its claims with these numbers for gold titles. Nothing else of
a record is kept. A text may still hold the names that it had.
"""

import argparse
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from domain_sets import corpora_of, files_of
from measurement import run_script

from hippohover.names.normal_forms import normal_title

_FIRST = 100_000  # a number of a few digits may stand in a text


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Objects of a file of JSON lines, packed or not."""
    content = path.read_bytes()
    text = gzip.decompress(content) if path.suffix == ".gz" else content
    return map(json.loads, text.decode().splitlines())


def without_titles(corpus: Path, to: Path) -> dict[str, str]:
    """Write a corpus without its titles; the number that stands for each, by its normal form."""
    numbers: dict[str, str] = {}
    with to.open("w", encoding="utf-8") as out:
        for record in rows(corpus):
            number = numbers.setdefault(normal_title(record["title"]), str(_FIRST + len(numbers)))
            out.write(json.dumps({"_id": number, "text": record["text"]}) + "\n")
    return numbers


def with_numbers(claims: Path, to: Path, numbers: dict[str, str]) -> None:
    """Write claims with numbers for gold titles."""
    with to.open("w", encoding="utf-8") as out:
        for claim in rows(claims):
            facts = [
                [numbers[normal_title(title)], sentence]
                for title, sentence in claim["supporting_facts"]
            ]
            out.write(json.dumps({**claim, "supporting_facts": facts}) + "\n")


def main() -> None:
    """Write every corpus of the folder that has claims."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    folder, out = arguments.folder, arguments.out
    out.mkdir(parents=True, exist_ok=True)
    claims = files_of(folder, ())
    for name, corpus in corpora_of(folder, {}).items():
        numbers = without_titles(corpus, out / f"{name}-corpus.jsonl")
        for file in claims.get(name, ()):
            with_numbers(file, out / file.name, numbers)


if __name__ == "__main__":
    run_script(main)
