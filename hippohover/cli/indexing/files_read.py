"""Which files of a folder were read, and which were not and why, in words."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from hippohover.cli.output import counted

_MOST_NAMED: Final = 6


def files_in_words(read: Mapping[str, Any]) -> str:
    """One line about the files that ``CorpusCounts`` counts; "" where there were none."""
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


def _reasons(passed_over: Mapping[str, Mapping[str, int]]) -> Iterable[str]:
    """Each reason with what it holds for, the commonest first."""
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
