"""Which files of a folder were read, which were not, and why, in words."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, Final

from hippohover.cli.output import counted

_MOST_NAMED: Final = 6
_MOST_REASONS: Final = 6
_RECORD_OF_FILE: Final = re.compile(r"(?::(?: (?:row|item|page) )?\d+|\[\d+\])$")


def files_in_words(read: Mapping[str, Any]) -> str:
    """Describe the files that ``CorpusCounts`` counts on one line; "" without any."""
    if not read.get("n_files") and not read.get("passed_over"):
        return ""
    n_files: dict[str, int] = read["n_files"]
    words = f"read {counted(sum(n_files.values()), 'file')}{_listed(n_files)}"
    if passed_over := read["passed_over"]:
        n = sum(sum(by_suffix.values()) for by_suffix in passed_over.values())
        words += f"; passed over {n:,}: {'; '.join(_reasons(passed_over))}"
    if encodings := read["encodings"]:
        more = ", ..." if len(encodings) > 1 else ""
        words += f"; {len(encodings):,} not in UTF-8 ({encodings[0]}{more})"
    return words


def same_in_words(read: Mapping[str, Any]) -> str:
    """Describe documents that say the same as others on one line; "" without any."""
    n, same = read.get("n_same", 0), read.get("same", [])
    if not n:
        return ""
    named = [*same[:_MOST_NAMED], *(["..."] if n > _MOST_NAMED else [])]
    says = "document says" if n == 1 else "documents say"
    return f"{n:,} {says} the same as another, which answers for both: {', '.join(named)}"


def failures_in_words(n_failed: int, reasons: Mapping[str, int], failures: Sequence[str]) -> str:
    """Describe unread files on one line, by reason and suffix; "" without any.

    Parameters
    ----------
    n_failed : int
    reasons : mapping of str to int
        How many there are for each.
    failures : sequence of str
        The first of them: "notes/a.pdf: why".
    """
    if not n_failed:
        return ""
    order = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    named = [f"{reason}{_of_suffixes(reason, failures)}" for reason, _ in order[:_MOST_REASONS]]
    named += ["..."] if len(order) > _MOST_REASONS else []
    return f"{n_failed:,} failed: {'; '.join(named)}"


def failures_named(n_failed: int, failures: Sequence[str]) -> str:
    """Name the first failures, where no version keeps them; "" without any."""
    named = list(failures[:_MOST_REASONS])
    named += ["..."] if n_failed > len(named) else []
    return f"{n_failed:,} failed: {'; '.join(named)}" if n_failed else ""


def _of_suffixes(reason: str, failures: Sequence[str]) -> str:
    """Name the suffixes of the files that failed for a reason, if they are known."""
    said = f": {reason.removesuffix('…')}"
    places = (failure.partition(said)[0] for failure in failures if said in failure)
    files = (_RECORD_OF_FILE.sub("", place) for place in places)
    return _listed(Counter(PurePosixPath(file).suffix.lower() for file in files))


def _reasons(passed_over: Mapping[str, Mapping[str, int]]) -> Iterable[str]:
    """Return each reason with what it applies to, the most frequent first."""
    order = sorted(passed_over.items(), key=lambda item: (-sum(item[1].values()), item[0]))
    return (f"{reason}{_listed(by_suffix)}" for reason, by_suffix in order)


def _listed(by_suffix: Mapping[str, int]) -> str:
    order = sorted(by_suffix.items(), key=lambda item: (-item[1], item[0]))
    named = [f"{_suffix_in_words(suffix, n)} {n:,}" for suffix, n in order[:_MOST_NAMED]]
    rest = sum(n for _, n in order[_MOST_NAMED:])
    named += [f"others {rest:,}"] if rest else []
    return f" ({', '.join(named)})" if named else ""


def _suffix_in_words(suffix: str, n: int) -> str:
    if suffix == "/":
        return "folder" if n == 1 else "folders"
    return suffix or "no suffix"
