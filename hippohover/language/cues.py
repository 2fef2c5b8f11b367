"""Words that change what a clause says: they deny, hedge or oppose it, or exchange its roles."""

import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property
from importlib.resources import files
from itertools import combinations
from typing import Any, Final, TypeVar

from hippohover.language.stemming import shared_stemmer
from hippohover.names.normal_forms import tokens

Phrase = tuple[str, ...]
Read = TypeVar("Read")

_WORD = re.compile(r"\d+(?:[.,]\d+)+|[^\W_]+(?:['’][^\W_]+)*|[.!?;:,()–—]")
_NOT: Final = "n't"
_ENDINGS: Final = ("ed",)


def _listed(read: Callable[[list[Any]], Read], *places: str) -> cached_property[Read]:
    """Declare what is read, when it is first asked for, from some lists of ``cues.toml``."""
    return cached_property(lambda _: read([line for place in places for line in _list(place)]))


def _phrases(lines: Iterable[str]) -> frozenset[Phrase]:
    return frozenset(tuple(line.split()) for line in lines)


def _words(lines: Iterable[str]) -> frozenset[str]:
    return frozenset(lines)


def _each_word(lines: Iterable[str]) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


def _stems(words: Sequence[str]) -> list[str]:
    stems = shared_stemmer().unremembered(words)
    return [stem or word for word, stem in zip(words, stems, strict=True)]


def _stem_set(words: Sequence[str]) -> frozenset[str]:
    return frozenset(_stems(words))


def _pairs(pairs: Iterable[Sequence[str]]) -> dict[str, frozenset[str]]:
    """Return pairs in both directions, by the stems of their first words."""
    found: dict[str, set[str]] = {}
    for pair in pairs:
        first, second = _stems([word.split()[0] for word in pair])
        found.setdefault(first, set()).add(second)
        found.setdefault(second, set()).add(first)
    return {one: frozenset(others) for one, others in found.items()}


def _alike(lines: Iterable[str | Sequence[str]]) -> dict[str, frozenset[str]]:
    """Return the words of each line in both directions, by their stems."""
    split = (line.split() if isinstance(line, str) else line for line in lines)
    return _pairs(pair for line in split for pair in combinations(line, 2))


def _relations(lines: Iterable[str]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in lines:
        word, preposition = line.split()
        found.setdefault(_stems([word])[0], set()).add(preposition)
    return {one: frozenset(others) for one, others in found.items()}


def _first_of_line(lines: Iterable[Sequence[str]]) -> dict[str, str]:
    return {stem: _stems(line)[0] for line in lines for stem in _stems(line)}


def _stem_of_each(pairs: Iterable[Sequence[str]]) -> dict[str, str]:
    words = sorted({phrase.split()[0] for pair in pairs for phrase in pair})
    return dict(zip(words, _stems(words), strict=True))


def _groups(lines: Iterable[Sequence[str]]) -> tuple[frozenset[str], ...]:
    return tuple(map(frozenset, lines))


class Cues:
    """The lists of ``cues.toml``, ready to be looked up.

    A ``Phrase`` is the words of one; a mapping is from a stem to the stems that belong to it.
    """

    deny = _listed(_phrases, "polarity.before", "polarity.verbs", "polarity.things")
    deny_verbs = _listed(_phrases, "polarity.verbs")
    deny_clause = _listed(_phrases, "polarity.whole")
    frames = _listed(_phrases, "polarity.frames")
    affirm = _listed(_phrases, "polarity.affirms")
    behind = _listed(_phrases, "polarity.behind")
    things = _listed(_phrases, "polarity.things")
    near = _listed(_phrases, "polarity.things", "hedges.undone")
    """Phrases that reach no further than up to the next verb."""
    denying = _listed(_words, "polarity.denying")
    lifted = _listed(_words, "polarity.lifted")
    bans = _listed(_words, "polarity.bans")
    dropped = _listed(_phrases, "polarity.dropped")
    reports = _listed(_phrases, "polarity.reports")
    hedge = _listed(_phrases, "hedges.before", "hedges.past", "hedges.undone")
    past = _listed(_phrases, "hedges.past")
    opposites = _listed(_pairs, "opposites.pairs")
    """Those that say the opposite."""
    converse = _listed(_pairs, "opposites.converse")
    """Those that say the same of B and A."""
    symmetric = _listed(_words, "opposites.symmetric")
    measures = _listed(_alike, "measures.alike")
    """Those that name the same measure: "population", "inhabitants"."""
    fields = _listed(_alike, "measures.fields")
    """Of a field's name those that a sentence tells it with: "author", "written"."""
    one_valued = _listed(_relations, "relations.one_valued")
    """First word of a relation that has one value -> the words that its value follows."""
    kin = _listed(_first_of_line, "relations.kin")
    """Stem of the word that stands for it: "mother", "parent"."""
    repeated = _listed(_stem_set, "relations.repeated")
    """Stems of those that may have another value at another time: "married to"."""
    plain_valued = _listed(_stem_set, "relations.plain_valued")
    """Stems of nouns that have one value, which is no name: "currency"."""
    inverse = _listed(_relations, "opposites.inverse")
    """Verb -> prepositions with which A and B change places: "A starred in B"."""
    made_by = _listed(_stem_set, "relations.made_by")
    """Stems of nouns right behind which "by" says who made it."""
    speech = _listed(_words, "speech.verbs", "speech.with_that")
    """Verbs that report somebody's words."""
    verbs = _listed(_words, "words.verbs")
    orders = _listed(_words, "words.orders")
    pronouns = _listed(_words, "words.pronouns")
    nationalities = _listed(_words, "nationalities.names")
    together = _listed(_groups, "nationalities.together")
    forms = _listed(_alike, "verbs.irregular")
    """The other forms of an irregular verb: "stole", "stealing"."""
    irregular = _listed(_each_word, "verbs.irregular")
    doers = _listed(_alike, "verbs.doers")
    """A verb or who does it -> the others: "written", "author"."""
    turning = _listed(_stem_of_each, "opposites.pairs", "opposites.converse")
    """Words of the pairs to their stems, stop words too: "before", "after", "first"."""

    @cached_property
    def turns(self) -> dict[str, dict[Phrase, str]]:
        """First word -> phrases that begin with it -> their effect, of several the first."""
        found: dict[str, dict[Phrase, str]] = {}
        for kind, phrases in (
            ("affirm", self.affirm),
            ("frame", self.frames),
            ("clause", self.deny_clause),
            ("deny", self.deny),
            ("hedge", self.hedge),
        ):
            for phrase in phrases:
                found.setdefault(phrase[0], {}).setdefault(phrase, kind)
        return found

    def is_verb(self, word: str) -> bool:
        """Return whether a word may be a predicate: by the list, or by its ending."""
        return word in self.verbs or (word.endswith(_ENDINGS) and len(word) > 3)


def words_of(text: str) -> list[tuple[str, int, int]]:
    """Split a text into words and marks with places: "isn't" is two words, "Ida's" one."""
    found: list[tuple[str, int, int]] = []
    for match in _WORD.finditer(text):
        word, start, stop = match[0].replace("’", "'").casefold(), *match.span()
        if not word.isascii() and word[0].isalnum():
            word = " ".join(tokens(word)[0]) or word
        if word == "cannot":
            found += [("can", start, stop), ("not", start, stop)]
        elif word.endswith(_NOT) and word != _NOT:  # alone, there is no verb before it
            found += [(word.removesuffix(_NOT), start, stop), (_NOT, start, stop)]
        else:
            found.append((word.removesuffix("'s").removesuffix("'"), start, stop))
    return found


def word_list(name: str) -> frozenset[str]:
    """Return one of the lists of single words."""
    return frozenset[str](_list(f"words.{name}"))


def _list(place: str) -> list[Any]:
    section, name = place.split(".")
    return _told()[section][name]


@cache
def _told() -> dict[str, Any]:
    return tomllib.loads((files("hippohover.language") / "cues.toml").read_text("utf-8"))


@cache
def cues() -> Cues:
    """Return the shipped cues."""
    return Cues()
