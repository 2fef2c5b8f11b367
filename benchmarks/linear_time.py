"""Does reading stay linear in the length of a hostile text?

    python benchmarks/linear_time.py --result benchmarks/results/linear_time.json

Each reader takes texts that a scan with one backtrack too many reads in the square of their length,
and the same four times as long: in one run, so that a slow machine slows both. Written is the
ratio of the processor times, the least of five each. A scan of linear time takes 4 times, or less
where its start counts; a quadratic one 16. Above ``MOST`` the script ends with an error.
"""

import argparse
import gc
import json
import platform
import tarfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from measurement import check_out, run_script

from hippohover.errors import HippoHoverError
from hippohover.indexing.corpus.files.tar import archive_members
from hippohover.names.gazetteer import Gazetteer
from hippohover.names.normal_forms import entity_key, normal_title, tokens, without_qualifier
from hippohover.names.sentences import sentence_spans
from hippohover.programs.quantities import quantitative_claim_extractor
from hippohover.verification.claims import rule_sentence_split_v1

GROWTH: Final = 4
MOST: Final = 8.0

Text = tuple[str, str, str]
"""What a text begins with, what is repeated, what it ends with."""

_PARAGRAPH: Final = (
    "Orlo Vant (4 May 1850 – 1911) was a glass painter from Tessel. In 1877 he moved to the "
    "U.S. state of Kant, where Dr. Venn taught him. His windows are in St. Elm's Church. "
)
_NAMES: Final = Gazetteer({"york": 0, "new york": 1})


def title_forms(title: str) -> None:
    """Every form of a title."""
    without_qualifier(title)
    entity_key(title)
    normal_title(title)


def named(text: str) -> None:
    """Known names of a text."""
    _NAMES.find(*tokens(text))


def refused_pax_header(said: str) -> None:
    """An archive whose first header says this."""
    header = tarfile.TarInfo("pax")
    header.type, header.size = tarfile.XHDTYPE, len(said)
    padding = bytes(-len(said) % tarfile.BLOCKSIZE)
    with TemporaryDirectory() as folder:
        path = Path(folder, "a.tar")
        path.write_bytes(header.tobuf(tarfile.GNU_FORMAT) + said.encode() + padding)
        with suppress(HippoHoverError, tarfile.ReadError):
            list(archive_members(path, ".x"))


def around(*parts: str, first: str = "", last: str = "") -> list[Text]:
    """Texts of one beginning and one end."""
    return [(first, part, last) for part in parts]


CASES: Final[list[tuple[str, Callable[[str], object], int, list[Text]]]] = [
    (
        "sentences",
        sentence_spans,
        20_000,
        [
            *around(".", ".'", "J. ", "。", "\n ", "x\n" + " " * 50, _PARAGRAPH),
            *around("'", first="."),
            *around(" ", first="x.\n", last="x"),
            *around("\n ", last="x"),
            *around("(", first="J. "),
            *around("(", last=". x"),
        ],
    ),
    (
        "sentences of a draft",
        rule_sentence_split_v1,
        10_000,
        around(" ", "\n", "\u00a0", "[1 ", first="One", last="two [1]."),
    ),
    (
        "forms of a title",
        title_forms,
        25_000,
        around(" ", "(", ")", "(a", " (", "( )", first="a", last="x"),
    ),
    ("known names", named, 10_000, around("Of New York and York. ")),
    (
        "quantities",
        quantitative_claim_extractor,
        5_000,
        around("1", "111 ", "1,", "1.1", "1:", "1 x 10^", "12345 %", "CI 1 to "),
    ),
    ("a pax header", refused_pax_header, 2**14, around("1")),
]
"""What is read, by what, so many repetitions, of what."""


def processor_seconds(read: Callable[[str], object], text: str) -> float:
    """Least of five, without the garbage collector, whose time grows with all there is."""

    def once() -> float:
        gc.collect()
        begin = time.process_time()
        read(text)
        return time.process_time() - begin

    gc.disable()
    try:
        return min(once() for _ in range(5))
    finally:
        gc.enable()


def rows(share: float) -> Iterator[dict[str, Any]]:
    """One measurement a text, of ``share`` times its repetitions."""
    for name, read, n, texts in CASES:
        for first, part, last in texts:
            few = max(1, round(n * share))
            short, long = (first + part * times + last for times in (few, GROWTH * few))
            seconds = processor_seconds(read, short)
            ratio = processor_seconds(read, long) / seconds
            yield {
                "reads": name,
                "text": f"{first}{part:.20} ... {last}",
                "n_chars": [len(short), len(long)],
                "seconds": round(seconds, 6),
                "ratio": round(ratio, 2),
            }


def main() -> None:
    """Measure, write, and fail where a ratio is too high."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--result", type=Path)
    parser.add_argument("--share", type=float, default=1.0, help="of the texts' length")
    arguments = parser.parse_args()
    if arguments.result:
        check_out(arguments.result)
    measured: list[dict[str, Any]] = []
    for row in rows(arguments.share):
        measured.append(row)
        print(f"{row['ratio']:6.2f}  {row['seconds']:.6f} s  {row['reads']}: {row['text']!r}")
    highest = max(row["ratio"] for row in measured)
    result = {
        "question": "Does reading stay linear in the length of a hostile text?",
        "growth": GROWTH,
        "most": MOST,
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "highest_ratio": highest,
        "rows": measured,
    }
    if arguments.result:
        arguments.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    if highest > MOST:
        raise SystemExit(f"error: a ratio of {highest} is above {MOST}")


if __name__ == "__main__":
    run_script(main)
