"""Aliases: names that mean another name; their entities are merged."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from hippohover.disk.text_files import read_lines
from hippohover.errors import UsageError
from hippohover.names.mentions import MAX_NAME_CHARS, MAX_NAME_TOKENS, is_findable
from hippohover.names.normal_forms import entity_key

_CIRCLE_SHOWN = 5
_LONGEST_SHOWN = 80


class Merged(NamedTuple):
    """Names by alias, after merging.

    Attributes
    ----------
    keys : dict of str to str
        Entity key of an alias to that of the name at the end of its chain.
    written : dict of str to str
        How the names at the ends are written, by entity key.
    """

    keys: dict[str, str]
    written: dict[str, str]


NOTHING_MERGED = Merged({}, {})


def read_aliases(path: Path) -> dict[str, str]:
    """Read aliases from a text file with ``ALIAS<tab>NAME`` on each line; or none.

    Raises
    ------
    UsageError
        The file cannot be read, a line has another form, or an alias stands for two names.
    """
    aliases: dict[str, str] = {}
    for line in read_lines(path, or_none=True):
        alias, tab, name = line.partition("\t")
        alias, name = alias.strip(), name.strip()
        if not (tab and alias and name) or "\t" in name:
            raise UsageError(f"{path}: {line[:80]!r}: write an alias, a tab, and the name")
        if aliases.setdefault(alias, name) != name:
            raise UsageError(
                f"{path}: {_shown(alias)} stands for {_shown(aliases[alias])} and {_shown(name)}: "
                "keep one"
            )
    return dict(sorted(aliases.items()))


def merge(aliases: Mapping[str, str]) -> Merged:
    """Return the final name of each alias.

    Raises
    ------
    UsageError
        Two spellings of an alias stand for different names, aliases stand for one another, or one
        is not a name that can be found in a text.
    """
    keys: dict[str, str] = {}
    written: dict[str, str] = {}
    for alias, name in sorted(aliases.items()):
        if any(text.encode("utf-8", "ignore").decode() != text for text in (alias, name)):
            raise UsageError(f"alias {_shown(alias)}: holds a lone surrogate: fix its encoding")
        key, target = entity_key(alias), entity_key(name)
        for text, words in ((alias, key.split(" ")), (name, target.split(" "))):
            if words == [""] or not is_findable(words):
                raise UsageError(
                    f"alias {_shown(alias)} of {_shown(name)}: {_shown(text)} cannot be found in a "
                    f"text: names have 1 to {MAX_NAME_TOKENS} words of {MAX_NAME_CHARS:,} "
                    "characters at most, and are no stop word alone"
                )
        if key == target:
            continue
        if keys.setdefault(key, target) != target:
            raise UsageError(
                f"alias {_shown(alias)}: another spelling of it stands for a name other than "
                f"{_shown(name)}: keep one"
            )
        written.setdefault(target, name)
    ends = _ends(keys)
    return Merged(ends, {end: written[end] for end in sorted(set(ends.values()))})


def _ends(keys: Mapping[str, str]) -> dict[str, str]:
    """Return the name at the end of each key's chain."""
    ends: dict[str, str] = {}
    for first in keys:
        chain: dict[str, None] = {}
        key = first
        while key in keys and key not in ends:
            if key in chain:
                seen = list(chain)
                circle = [*seen[seen.index(key) :], key]
                more = " -> ..." if len(circle) > _CIRCLE_SHOWN else ""
                told = " -> ".join(map(_shown, circle[:_CIRCLE_SHOWN]))
                raise UsageError(f"aliases stand for one another: {told}{more}: remove a line")
            chain[key] = None
            key = keys[key]
        ends.update(dict.fromkeys(chain, ends.get(key, key)))
    return ends


def _shown(text: str) -> str:
    return repr(text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…")
