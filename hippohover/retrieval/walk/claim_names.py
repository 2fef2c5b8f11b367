"""Words of a claim -> the entities that they name, in any case."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import KNOWN, OF_PHRASES, EdgeType
from hippohover.graph_builder import phrase_type
from hippohover.language.name_forms import NameForms
from hippohover.language.stemming import Stemmer
from hippohover.names.affixes import Stems, with_others
from hippohover.names.key_table import ABSENT
from hippohover.names.mentions import (
    MAX_NAME_TOKENS,
    CaseRule,
    Mention,
    find_by_lookup,
    find_phrases,
    is_findable,
    turned_round,
)
from hippohover.store.tables import IndexArrays

_NAME_SHARE: Final = 0.5
"""Share of the passages with some words that must have them as a name, for these to be one in
lower case: half keeps "Paris" and refuses "Actor"."""

_LENIENT_SHARE: Final = 0.1
"""The same for a single word of a claim whose case says nothing."""

_PASSAGES_READ: Final = 300


class Words(NamedTuple):
    """Tokens of a claim, folded and as written, and the places where a name ends."""

    folded: Sequence[str]
    written: Sequence[str]
    breaks: Sequence[int]

    def is_of_one_case(self) -> bool:
        """Return whether letters are all small or all capital, so that case shows no names."""
        text = "".join(self.written)
        return text.lower() != text.upper() and text in {text.lower(), text.upper()}


class ClaimNames:
    """Finds names of claims in one index; safe from several threads."""

    def __init__(
        self,
        arrays: IndexArrays,
        stemmer: Stemmer,
        forms: NameForms | None = None,
    ) -> None:
        self._forms = forms
        self._numbers_of: Callable[[Sequence[str]], NDArray[np.int32]] = arrays.names.numbers
        self._lexical = arrays.lexical
        self._entity_df = arrays.entity_df
        self._standing = arrays.entity_standing
        self._spans = arrays.graph_spans[arrays.n_rows :]
        self._edge_types = arrays.graph_types
        self._rules = arrays.gazetteer_rules
        self._by_key: Callable[[NDArray[np.int32]], NDArray[np.int32]] = arrays.by_key
        self._stemmer = stemmer
        self._stems = Stems.of_bytes(arrays.name_affixes)

    def __call__(self, words: Words) -> dict[int, str]:
        """Return the entities that a claim names and that have edges, with a key of each.

        In ascending order. First those that are written as names, as in a passage. Then, in the
        words that are left, known names and terms in any case, where the corpus has these words
        mostly as a name. Where the case says nothing, a claim has phrases in any case too.
        """
        stems = self._stems.of(words.folded) if self._stems.has_any else words.folded
        numbers = self._numbers(words.folded)
        numbers |= self._numbers(stems) if stems is not words.folded else {}
        known = self._known(numbers)
        shows_names = not words.is_of_one_case()
        mentions: list[Mention] = []
        entities: set[int] = set()
        of_forms: dict[int, str] = {}
        if shows_names:
            mentions = find_by_lookup(words.folded, words.written, known)
            if stems is not words.folded:
                mentions = with_others(mentions, find_by_lookup(stems, words.written, known))
            forms = self._other_forms(words, mentions)
            of_forms = {name: " ".join(words.folded[at:stop]) for name, at, stop in forms}
            mentions += forms
            phrases = find_phrases(words.folded, words.written, mentions, words.breaks)
            entities = {mention.name for mention in mentions}
            entities.update(numbers.get(" ".join(stems[a:b]), ABSENT) for _, a, b in phrases)
        lookup = self._known(numbers, (EdgeType.TERM,) if shows_names else OF_PHRASES)
        of_forms |= self._in_any_case(words, stems, mentions, lookup)
        # Of two spellings in one claim the longer has the words of the other, as a rule.
        keys = of_forms | {numbers[key]: key for key in sorted(numbers, key=len)}
        found = (entities | of_forms.keys()) - {ABSENT}
        return {entity: keys.get(entity, "") for entity in sorted(found)}

    def _known(
        self, numbers: Mapping[str, int], others: Sequence[EdgeType] = ()
    ) -> Callable[[str], int]:
        """Keep known names among the numbers of keys, values of fields, phrases of some types."""

        def known(key: str) -> int:
            number = numbers.get(key, ABSENT)
            if number == ABSENT or self._standing[number] == KNOWN or self._is_value(number):
                return number
            is_other = others and phrase_type(key, int(self._entity_df[number])) in others
            return number if is_other else ABSENT

        return known

    def _is_value(self, number: int) -> bool:
        """Return whether passages are joined by an entity that they have in a field."""
        return EdgeType.JOIN in self._edge_types[slice(*self._spans[number])]

    def _other_forms(self, words: Words, taken: Sequence[Mention]) -> list[Mention]:
        if self._forms is None:
            return []
        runs = find_phrases(words.folded, words.written, taken, words.breaks, with_numbers=True)
        runs += turned_round(runs)
        return [Mention(name, at, stop) for key, at, stop in runs for name in self._forms(key)]

    def _numbers(self, folded: Sequence[str]) -> dict[str, int]:
        """Return numbers of n-grams that are keys of entities that texts name."""
        grams = {
            " ".join(folded[start:stop])
            for start in range(len(folded))
            for stop in range(start + 1, min(len(folded), start + MAX_NAME_TOKENS) + 1)
        }
        keys = list(grams)
        numbers = self._numbers_of(keys)
        named = np.flatnonzero(numbers != ABSENT)
        named = named[self._rules[numbers[named]] != CaseRule.NOWHERE].tolist()
        return {keys[at]: int(numbers[at]) for at in named}

    def _in_any_case(
        self,
        words: Words,
        stems: Sequence[str],
        taken: Sequence[Mention],
        lookup: Callable[[str], int],
    ) -> dict[int, str]:
        """Return the leftmost-longest names in words outside of mentions, and what says them.

        Where the case says nothing, they may be said without their articles. Any other form is too
        much: of 600 HoVer claims in lower case 127 would name what they do not mean, and two would
        lose a document of the first 21.
        """
        folded = words.folded
        free = [True] * len(folded)
        for mention in taken:
            free[mention.start : mention.stop] = [False] * (mention.stop - mention.start)
        names: dict[int, str] = {}
        start = 0
        lenient = words.is_of_one_case()
        while start < len(folded):
            end = start
            while end < min(len(folded), start + MAX_NAME_TOKENS) and free[end]:
                end += 1
            for stop in range(end, start, -1):
                run = folded[start:stop]
                number = lookup(" ".join(run))
                if number == ABSENT and stems is not folded:
                    number = lookup(" ".join(stems[start:stop]))
                meant = () if number == ABSENT else (number,)
                if not meant and lenient and self._forms is not None:
                    meant = self._forms.without_article(" ".join(run))
                if meant and all(self._is_name(run, one, lenient=lenient) for one in meant):
                    names |= dict.fromkeys(meant, " ".join(run))
                    start = stop - 1
                    break
            start += 1
        return names

    def _is_name(self, words: Sequence[str], number: int, *, lenient: bool) -> bool:
        """Return whether the corpus has these words mostly as a name."""
        terms = self._stemmer.in_a_row(words)
        n_terms = len(terms) - terms.count("")
        if not n_terms or not is_findable(words):
            return False
        if n_terms > 1 and lenient:
            return True
        share = _LENIENT_SHARE if lenient else _NAME_SHARE
        return bool(self._entity_df[number] >= share * self._n_passages_with(terms))

    def _n_passages_with(self, terms: Sequence[str]) -> float:
        """Estimate how many passages hold terms in a row, stop tokens included."""
        lexical = self._lexical
        numbers = lexical.vocabulary.numbers(terms)
        real = np.unique(numbers[[bool(term) for term in terms]]).astype(np.int64)
        if real[0] == ABSENT:
            return 0.0
        rarest = real[np.argsort(lexical.document_frequency(real), kind="stable")]
        rows = lexical.holders(int(rarest[0]))
        if len(rarest) == 1:
            return float(len(rows))
        others = lexical.holders(int(rarest[1]))
        at = np.minimum(np.searchsorted(others, rows), len(others) - 1)
        both = rows[others[at] == rows]
        step = 1 + len(both) // _PASSAGES_READ
        read = both if step == 1 else self._by_key(both)[::step]
        n = sum(lexical.follow(row, numbers) for row in read.tolist())
        return n * len(both) / max(len(read), 1)
