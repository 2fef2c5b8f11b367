"""Aliases: names that stand for another name, which their entities are merged with."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from hippohover.errors import UsageError
from hippohover.mentions import is_findable
from hippohover.names import entity_key
from hippohover.text_files import read_lines


class Merged(NamedTuple):
    """What aliases stand for.

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
    """Alias to name, by alias, from a text file with ``ALIAS<tab>NAME`` on each line.

    Raises
    ------
    UsageError
        The file cannot be read, a line has another form, or an alias stands for two names.
    """
    aliases: dict[str, str] = {}
    for line in read_lines(path):
        alias, tab, name = line.partition("\t")
        alias, name = alias.strip(), name.strip()
        if not (tab and alias and name) or "\t" in name:
            raise UsageError(f"{path}: {line[:80]!r}: write an alias, a tab, and the name")
        if aliases.setdefault(alias, name) != name:
            raise UsageError(
                f"{path}: {alias!r} stands for {aliases[alias]!r} and {name!r}: keep one"
            )
    return dict(sorted(aliases.items()))


def merge(aliases: Mapping[str, str]) -> Merged:
    """What each alias stands for in the end.

    Raises
    ------
    UsageError
        Two spellings of an alias stand for different names, aliases stand for one another, or
        one is no name that can be found in a text.
    """
    keys: dict[str, str] = {}
    written: dict[str, str] = {}
    for alias, name in sorted(aliases.items()):
        key, target = entity_key(alias), entity_key(name)
        for text, words in ((alias, key.split(" ")), (name, target.split(" "))):
            if words == [""] or not is_findable(words):
                raise UsageError(
                    f"alias {alias!r} of {name!r}: {text!r} cannot be found in a text: names have "
                    "1 to 16 words, and are no stop word alone"
                )
        if key == target:
            continue
        if keys.setdefault(key, target) != target:
            raise UsageError(
                f"alias {alias!r}: written in another way it stands for another name than {name!r}"
                ": keep one"
            )
        written.setdefault(target, name)
    ends = {key: _end(key, keys) for key in keys}
    return Merged(ends, {end: written[end] for end in sorted(set(ends.values()))})


def _end(key: str, keys: Mapping[str, str]) -> str:
    seen = [key]
    while (following := keys.get(seen[-1])) is not None:
        if following in seen:
            chain = " -> ".join(map(repr, [*seen, following]))
            raise UsageError(f"aliases stand for one another: {chain}: take a line out")
        seen.append(following)
    return seen[-1]
