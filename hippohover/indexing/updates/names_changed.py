"""Names that appear, vanish or change owners, and the passages affected."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow.compute as arrow
from numpy.typing import NDArray

from hippohover.entity_graph import KNOWN, EdgeType
from hippohover.indexing.entity_numbers import MAX_HEAD_TITLES
from hippohover.indexing.passage_scan import of_id
from hippohover.indexing.updates.changed_index import ChangedIndex, NotSmallError
from hippohover.indexing.updates.stop_words import Pattern, holders_of
from hippohover.language.name_forms import (
    MAX_NAMES,
    addresses,
    held_words,
    name_hashes,
    name_words,
)
from hippohover.lexical import NO_TERM
from hippohover.names.affixes import SAMPLED, learn_affixes
from hippohover.names.key_table import key_hashes
from hippohover.names.mentions import CaseRule, case_rule, is_findable
from hippohover.names.normal_forms import entity_key, tokens
from hippohover.names.titles import IN_PART, TitleKind, title_keys
from hippohover.store.segments.hash_places import places_of

_MOST_HOLDERS: Final = 100_000
FEW_HOLDERS: Final = 200
"""So many passages are scanned as soon as their texts are looked at."""

_NEAR: Final = 5  # tokens: a form has no more connectors in a row


@dataclass(frozen=True)
class Name:
    """A key that new or removed passages have.

    Attributes
    ----------
    number : int
        Of its entity before; -1 without one.
    was_known, is_known : bool
    owners : tuple of int
        Ids of all passages that go by it then.
    written : str
    """

    key: str
    hash: int
    number: int
    was_known: bool
    is_known: bool
    owners: tuple[int, ...]
    written: str


class _Bearer(NamedTuple):
    """A passage with a key: its id, its spelling of it, keys of its title and head; or its row."""

    id: int
    written: str = ""
    title: str = ""
    head: int = 0  # hash of it, where the key is behind it
    row: int = -1


class NamesChanged:
    """The state after a change of the keys that come and go.

    Attributes
    ----------
    names : dict of str to Name
    """

    def __init__(self, standing: ChangedIndex) -> None:
        self._s = standing
        self._stays = standing.stays()
        proper, parts = self._new_bearers()
        keys = list(parts)
        self._new_parts = dict(zip(key_hashes(keys).tolist(), parts.values(), strict=True))
        self._of_head: dict[int, bool] = {}
        passages = [*standing.changed, *standing.passages(self._behind_other_heads())]
        keys = dict.fromkeys(name.key for passage in passages for name in title_keys(passage))
        hashes = dict(zip(keys, key_hashes(list(keys)).tolist(), strict=True))
        old_parts = self._old_parts(hashes.values())
        self.names = {
            key: self._name(key, value, proper.get(key, []), old_parts.get(value, []))
            for key, value in hashes.items()
        }
        self._check_affixes()

    def _new_bearers(self) -> tuple[dict[str, list[_Bearer]], dict[str, list[_Bearer]]]:
        """Return new passages by their keys, and those with the keys as parts of titles."""
        proper: dict[str, list[_Bearer]] = {}
        parts: dict[str, list[_Bearer]] = {}
        for key, passage in zip(self._s.new_keys, self._s.new, strict=True):
            own = title_keys(passage)
            head = next((name.key for name in own if name.kind == TitleKind.HEAD), "")
            for name in own:
                kind = parts if name.kind in IN_PART else proper
                behind = int(key_hashes([head])[0]) if name.kind == TitleKind.TAIL else 0
                bearer = _Bearer(key, name.written, own[0].key, behind)
                kind.setdefault(name.key, []).append(bearer)
        return proper, parts

    def _behind_other_heads(self) -> list[int]:
        """Return rows that stay and whose title begins with what names few, and did not or does."""
        changed = (name for one in self._s.changed for name in title_keys(one))
        heads = key_hashes([name.key for name in changed if name.kind == TitleKind.HEAD])
        found: list[int] = []
        for head in np.unique(heads).tolist():
            rows = places_of(self._s.arrays.head_hashes, [head])
            old = [
                _Bearer(0, row=row) for row in rows[self._s.arrays.documents[rows] >= 0].tolist()
            ]
            if self._is_of_many(old) != self._is_no_name(head):
                found += rows[self._stays[rows]].tolist()
        return found

    def _is_no_name(self, head: int) -> bool:
        """Return whether more titles begin with a head then than it can name."""
        if head not in self._of_head:
            rows = places_of(self._s.arrays.head_hashes, [head])
            old = [_Bearer(0, row=row) for row in rows[self._stays[rows]].tolist()]
            new = (one for one in self._new_parts.get(head, ()) if not one.head)
            self._of_head[head] = self._is_of_many([*old, *new])
        return self._of_head[head]

    def _is_of_many(self, bearers: Iterable[_Bearer]) -> bool:
        return len({self._title_of(bearer) for bearer in bearers}) > MAX_HEAD_TITLES

    def _old_parts(self, hashes: Iterable[int]) -> dict[int, list[_Bearer]]:
        """Return passages that were there, by the hashes of parts of their titles."""
        arrays, wanted = self._s.arrays, np.array(list(hashes), np.uint64)
        rows = places_of(arrays.head_hashes, wanted)
        tails = places_of(arrays.tail_hashes, wanted)
        tails = tails[arrays.tail_rows[tails] >= 0]
        of_tails = arrays.tail_rows[tails]
        every = zip(
            [*arrays.head_hashes[rows].tolist(), *arrays.tail_hashes[tails].tolist()],
            [*rows.tolist(), *of_tails.tolist()],
            [*[0] * len(rows), *arrays.head_hashes[of_tails].tolist()],
            strict=True,
        )
        found: dict[int, list[_Bearer]] = {}
        for value, row, head in every:
            bearer = _Bearer(int(arrays.passage_keys[row]), row=row, head=head)
            found.setdefault(value, []).append(bearer)
        return found

    def _name(self, key: str, value: int, came: list[_Bearer], old: list[_Bearer]) -> Name:
        """Return a key's state afterwards: a name if a passage has it, or part of few titles."""
        s, arrays = self._s, self._s.arrays
        number = s.number(key)
        was_known = s.is_known(number)
        bearers = came
        if was_known:
            rows = arrays.owner_passages[slice(*arrays.owner_spans[number])]
            own = rows[self._stays[rows] & ~np.isin(rows, [part.row for part in old])]
            bearers = [_Bearer(int(arrays.passage_keys[row]), row=row) for row in own.tolist()]
            bearers += came
        if not bearers:
            parts = [part for part in old if self._stays[part.row]]
            parts += self._new_parts.get(value, [])
            bearers = [p for p in parts if not p.head or self._is_no_name(p.head)]
            bearers = [] if self._is_of_many(bearers) else bearers
        written = self._written(key, min(bearers)) if bearers else ""
        owners = tuple(bearer.id for bearer in bearers)
        return Name(key, value, number, was_known, bool(bearers), owners, written)

    def _title_of(self, bearer: _Bearer) -> int | str:
        """Return what identifies a passage's title: its entity, or a key without one."""
        if bearer.row >= 0:
            return int(self._s.arrays.title_entities[bearer.row, TitleKind.FULL])
        number = self._s.number(bearer.title)
        return number if number >= 0 else bearer.title

    def _written(self, key: str, bearer: _Bearer) -> str:
        """Return the spelling of the first passage with a key."""
        if bearer.row < 0:
            return bearer.written
        [passage] = self._s.passages([bearer.row])
        return next(name.written for name in title_keys(passage) if name.key == key)

    # --- who notices

    def touched(self) -> set[int]:
        """Return rows of passages that stay and may name something else afterwards."""
        arrays = self._s.arrays
        found: set[int] = set()
        moved: list[int] = []
        for name in self.names.values():
            found.update(self._other_owners(name))
            comes = name.is_known and not name.was_known
            if name.is_known and name.was_known:
                comes = case_rule(name.written) != case_rule(self._s.written(name.number))
            if comes and _is_in_texts(name):
                found.update(self._holders(name))
            if name.was_known and (comes or not name.is_known):
                found.update(self._naming(name.number))
            moved += [name.hash] * (name.is_known != name.was_known)
            found.update(self._with_other_forms(name))
        ids = {of_id(passage.document) for passage in self._s.changed if passage.document}
        places = places_of(arrays.target_hashes, [*moved, *key_hashes(sorted(ids)).tolist()])
        found.update(arrays.target_rows[places].tolist())
        return {row for row in found if row >= 0 and self._stays[row]}

    def _with_other_forms(self, name: Name) -> list[int]:
        """Return rows of passages that may hold another form of a name that comes or goes."""
        before = name_hashes(self._s.written(name.number)) if name.was_known else []
        then = name_hashes(name.written) if name.is_known else []
        if set(before) == set(then):
            return []
        arrays = self._s.arrays
        rows = arrays.run_rows[places_of(arrays.run_hashes, {*before, *then})].tolist()
        for word in held_words(name.key, name.written):
            n = self._n_with_word(word)
            least, most = sorted((n, n + self._moved_words[word]))
            if least <= MAX_NAMES:
                words = name_words(name.key, name.written or name.key)
                # Where too many names come to have it, it says nothing of any other one either.
                held, is_said = self._with_words(word), most <= MAX_NAMES
                rows += self._beside(held, word, words) if is_said else held
        return rows

    def _beside(self, rows: list[int], word: str, words: Sequence[str]) -> list[int]:
        """Return rows whose texts may have a word of a name in a form of it: with another one.

        Looking at a word's neighbours takes a tenth of the time that reading a text takes.
        """
        if len(rows) <= FEW_HOLDERS or any(map(str.isdecimal, words)):
            return rows
        others = frozenset(one[0] for one in words if one != word)
        texts = self._s.tables.texts
        return [row for row in rows if _stands_beside(*tokens(texts[row]), word, others)]

    @cached_property
    def _moved_words(self) -> Counter[str]:
        """By how many more names each word is had then."""
        moved: Counter[str] = Counter()
        for name in self.names.values():
            if name.is_known != name.was_known and name_hashes(name.written or name.key):
                for word in held_words(name.key, name.written):
                    moved[word] += 1 if name.is_known else -1
        return moved

    def _n_with_word(self, word: str) -> int:
        """Count the names that have a word, before the change."""
        arrays = self._s.arrays
        names = arrays.form_names[places_of(arrays.form_hashes, key_hashes([word]))]
        return int(np.count_nonzero(arrays.entity_standing[names] == KNOWN))

    def _other_owners(self, name: Name) -> list[int]:
        """Return rows of passages that have a name only before or only afterwards."""
        arrays = self._s.arrays
        before: set[int] = set()
        if name.was_known:
            rows = arrays.owner_passages[slice(*arrays.owner_spans[name.number])]
            before.update(arrays.passage_keys[rows].tolist())
        return self._s.revision.rows_of(sorted(before ^ set(name.owners))).tolist()

    def _naming(self, number: int) -> list[int]:
        """Return rows of passages that name or link an entity."""
        graph = self._s.arrays.graph
        own = slice(*graph.spans[graph.n_passages + number])
        named = np.isin(graph.types[own], (EdgeType.MENTION, EdgeType.FORM, EdgeType.LINK))
        return graph.neighbours[own][named].tolist()

    def _holders(self, name: Name) -> list[int]:
        """Return rows of passages that have the words of a name in a row.

        Many passages may have them only in lower case, like "movies"; they are left out if the name
        does not count in lower case.
        """
        rows = self._with_words(name.key)
        is_never = case_rule(name.written) == CaseRule.NEVER and name.key.isascii()
        if len(rows) <= FEW_HOLDERS or not is_never:
            return rows
        pattern, texts = Pattern(name.key.split(" ")), self._s.tables.texts
        return [row for row in rows if "&" in texts[row] or pattern.may_be_in(texts[row])]

    def _with_words(self, key: str) -> list[int]:
        arrays, lexical = self._s.arrays, self._s.arrays.lexical
        terms = self._s.stemmer.in_a_row(key.split(" "))
        numbers = self._s.revision.numbers("term", key_hashes([term for term in terms if term]))
        if not len(numbers):
            return holders_of(key.split(" "), self._s.tables)
        if (numbers < 0).any():
            return []
        rarest, *others = sorted(set(numbers.tolist()), key=lambda n: int(arrays.term_df[n]))
        rows = lexical.holders(rarest)
        for number in others:
            holders = lexical.holders(number)  # ascending, and so are the rows
            at = np.minimum(np.searchsorted(holders, rows), max(len(holders) - 1, 0))
            rows = rows[holders[at] == rows] if len(holders) else rows[:0]
        if len(rows) > _MOST_HOLDERS:
            raise NotSmallError(
                f"the words of a new name are in more than {_MOST_HOLDERS:,} passages"
            )
        of_terms = iter(numbers.tolist())
        wanted = [next(of_terms) if term else NO_TERM for term in terms]
        texts = (arrays.terms[slice(*arrays.term_indptr[row : row + 2])] for row in rows.tolist())
        held = [_follow(text, wanted) for text in texts]
        return rows[np.array(held, np.bool_)].tolist()

    def _check_affixes(self) -> None:
        """Raise if names and texts beyond ASCII teach affixes now."""
        moved = (name for name in self.names.values() if name.is_known != name.was_known)
        if all(name.key.isascii() for name in moved) and not self._is_other_sample():
            return
        s, arrays = self._s, self._s.arrays
        keys = set(map(entity_key, filter(may_stay_beyond_ascii, self._written_beyond_ascii())))
        keys -= {name.key for name in self.names.values() if not name.is_known}
        keys |= {name.key for name in self.names.values() if name.is_known}
        first = arrays.by_key(np.flatnonzero(self._stays))[:SAMPLED].tolist()
        rows = {int(arrays.passage_keys[row]): row for row in first}
        new = dict(zip(s.new_keys, s.new, strict=True))
        sample = sorted([*rows, *new])[:SAMPLED]
        read = (new[key].text if key in new else s.tables.texts[rows[key]] for key in sample)
        if any(learn_affixes(keys, (text for text in read if not text.isascii()))):
            raise NotSmallError("names have affixes now")

    def _written_beyond_ascii(self) -> list[str]:
        """Return spellings of the known names that are not plain ASCII."""
        is_known = self._s.arrays.entity_standing == KNOWN
        written = self._s.revision.written_beyond(_may_be_beyond_ascii)
        return [text for entity, text in written if is_known[entity]]

    def _is_other_sample(self) -> bool:
        """Return whether a passage with words beyond ASCII enters or leaves the sample."""
        keys, there = self._s.arrays.passage_keys, self._s.arrays.documents >= 0
        there[sorted(self._s.gone)] = True
        before, then = keys[there], keys[self._stays]
        then = np.concatenate([then, np.array(self._s.new_keys, np.uint64)])
        moved = set(_least(before, SAMPLED).tolist()) ^ set(_least(then, SAMPLED).tolist())
        changed = {int(one.pid, 16): one.text for one in self._s.changed}
        rows = self._s.revision.rows_of(sorted(moved - changed.keys())).tolist()
        texts = [
            *(self._s.tables.texts[row] for row in rows),
            *map(changed.get, moved & changed.keys()),
        ]
        folded = (tokens(text)[0] for text in texts if text and may_stay_beyond_ascii(text))
        return any(not word.isascii() for words in folded for word in words)


def _is_in_texts(name: Name) -> bool:
    """Return whether a name is searched in texts."""
    return is_findable(name.key.split(" ")) and case_rule(name.written) != CaseRule.NOWHERE


def _may_be_beyond_ascii(texts: Any) -> Any:  # noqa: ANN401  (Arrow has no types)
    is_plain = arrow.call_function("string_is_ascii", [texts])
    has_entity = arrow.call_function("match_substring", [texts], arrow.MatchSubstringOptions("&"))
    return arrow.call_function("or", [arrow.call_function("invert", [is_plain]), has_entity])


def may_stay_beyond_ascii(text: str) -> bool:
    """Return whether a text may have tokens that do not fold to ASCII, as "é" does."""
    return "&" in text or (not text.isascii() and any(map(_stays, set(text))))


@cache
def _stays(character: str) -> bool:
    """Return whether a character may be in a folded token, and is not ASCII there."""
    folded = tokens(character)[0]
    if folded:
        return not all(map(str.isascii, folded))
    return not character.isascii() and unicodedata.category(character)[0] in "MC"


def _least(keys: NDArray[np.uint64], n: int) -> NDArray[np.uint64]:
    return np.partition(keys, n - 1)[:n] if len(keys) > n else keys


def _stands_beside(
    folded: Sequence[str], written: Sequence[str], word: str, others: frozenset[str]
) -> bool:
    """Return whether a capitalised word stands near one that another word of its name may be.

    That one begins with one of some letters, or is a form of address.
    """
    for at, token in enumerate(folded):
        if token.startswith(word[:4]) and not written[at][0].islower():
            near = [
                *range(max(at - _NEAR, 0), at),
                *range(at + 1, min(at + _NEAR + 1, len(folded))),
            ]
            if any(
                folded[one] in addresses()
                or (folded[one][0] in others and not written[one][0].islower())
                for one in near
            ):
                return True
    return False


def _follow(terms: NDArray[np.int32], wanted: list[int]) -> bool:
    """Return whether terms follow each other in a passage."""
    n = len(terms) - len(wanted) + 1
    if n <= 0:
        return False
    stands = terms[:n] == wanted[0]
    for at, term in enumerate(wanted[1:], start=1):
        stands &= terms[at : n + at] == term
    return bool(stands.any())


Names = Mapping[str, Name]
