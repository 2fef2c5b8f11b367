"""Words that change what a clause says: they deny, hedge or oppose it, or exchange its roles."""

import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import combinations
from typing import Any, Final

from hippohover.language.stemming import Stemmer
from hippohover.names.normal_forms import tokens

Phrase = tuple[str, ...]
Stem = Callable[[Sequence[str]], list[str]]

_WORD = re.compile(r"\d+(?:[.,]\d+)+|[^\W_]+(?:['’][^\W_]+)*|[.!?;:,()–—]")
_NOT: Final = "n't"
_ENDINGS: Final = ("ed",)


@dataclass(frozen=True, slots=True)
class Amount:
    """What some comparatives compare.

    Attributes
    ----------
    more, less : frozenset of str
        Words: with the one A has more of it than B, with the other less.
    units : frozenset of str
        Kinds of unit of its numbers; "date" for a time.
    beside : frozenset of str
        Stems of the words that stand beside them.
    """

    more: frozenset[str]
    less: frozenset[str]
    units: frozenset[str]
    beside: frozenset[str]


@dataclass(frozen=True)
class Cues:
    """The lists of ``cues.toml``, ready to be looked up.

    Attributes
    ----------
    deny, deny_verbs, deny_clause, frames, affirm, behind, things : frozenset of tuple of str
        Words of each phrase.
    denying, lifted, bans : frozenset of str
    dropped, reports, hedge, unreal, past, no_effect : frozenset of tuple of str
        Words of each phrase.
    opposites, converse : mapping of str to frozenset of str
        Stem -> stems that say the opposite, or the same of B and A.
    measures : mapping of str to frozenset of str
        Stem -> stems that name the same measure: "population", "inhabitants".
    one_valued : mapping of str to frozenset of str
        Stem of the first word of a relation that has one value -> the words that its value follows.
    """

    deny: frozenset[Phrase]
    deny_verbs: frozenset[Phrase]
    deny_clause: frozenset[Phrase]
    frames: frozenset[Phrase]
    affirm: frozenset[Phrase]
    behind: frozenset[Phrase]
    things: frozenset[Phrase]
    near: frozenset[Phrase]
    """Phrases that reach no further than up to the next verb."""
    denying: frozenset[str]
    lifted: frozenset[str]
    bans: frozenset[str]
    dropped: frozenset[Phrase]
    reports: frozenset[Phrase]
    hedge: frozenset[Phrase]
    unreal: frozenset[Phrase]
    past: frozenset[Phrase]
    no_effect: frozenset[Phrase]
    opposites: dict[str, frozenset[str]]
    converse: dict[str, frozenset[str]]
    symmetric: frozenset[str]
    amounts: tuple[Amount, ...]
    measures: dict[str, frozenset[str]]
    fields: dict[str, frozenset[str]]
    """Stem of a field's name -> stems that a sentence tells it with: "author", "written"."""
    one_valued: dict[str, frozenset[str]]
    makers: frozenset[str]
    """Stems of what those are called."""
    kin: dict[str, str]
    """Stem -> stem of the word that stands for it: "mother", "parent"."""
    repeated: frozenset[str]
    """Stems of those that may have another value at another time: "married to"."""
    plain_valued: frozenset[str]
    """Stems of nouns that have one value, which is no name: "currency"."""
    inverse: dict[str, frozenset[str]]
    """Stem of a verb -> prepositions with which A and B change places: "A starred in B"."""
    made_by: frozenset[str]
    """Stems of nouns right behind which "by" says who made it."""
    speech: frozenset[str]
    """Verbs that report somebody's words."""
    speech_with_that: frozenset[str]
    """Those of them that do so before "that" alone."""
    verbs: frozenset[str]
    questions: frozenset[str]
    orders: frozenset[str]
    pronouns: frozenset[str]
    nationalities: frozenset[str]
    together: tuple[frozenset[str], ...]
    forms: dict[str, frozenset[str]]
    """Stem -> stems of the other forms of an irregular verb: "stole", "stealing"."""
    doers: dict[str, frozenset[str]]
    """Stem of a verb or of who does it -> the others: "written", "author"."""
    effects: frozenset[str]
    """Stems of verbs that say what something does: without an effect it does not."""
    turning: dict[str, str]
    """Words of the pairs to their stems, stop words too: "before", "after", "first"."""

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
        elif word.endswith(_NOT):
            found += [(word.removesuffix(_NOT), start, stop), (_NOT, start, stop)]
        else:
            found.append((word.removesuffix("'s").removesuffix("'"), start, stop))
    return found


def word_list(name: str) -> frozenset[str]:
    """Return one of the lists of single words."""
    words: list[str] = _told()["words"][name]
    return frozenset(words)


@cache
def _told() -> dict[str, Any]:
    return tomllib.loads((files("hippohover.language") / "cues.toml").read_text("utf-8"))


@cache
def cues() -> Cues:
    """Return the shipped cues."""
    told = _told()
    polarity, words, opposites = told["polarity"], told["words"], told["opposites"]
    stemmer = Stemmer()

    def stem(words: Sequence[str]) -> list[str]:
        return [one or word for word, one in zip(words, stemmer.unremembered(words), strict=True)]

    return Cues(
        deny=_phrases([*polarity["before"], *polarity["verbs"], *polarity["things"]]),
        deny_verbs=_phrases(polarity["verbs"]),
        deny_clause=_phrases(polarity["whole"]),
        frames=_phrases(polarity["frames"]),
        affirm=_phrases(polarity["affirms"]),
        behind=_phrases(polarity["behind"]),
        reports=_phrases(polarity["reports"]),
        things=_phrases(polarity["things"]),
        near=_phrases([*polarity["things"], *told["hedges"]["undone"]]),
        denying=frozenset(polarity["denying"]),
        lifted=frozenset(polarity["lifted"]),
        bans=frozenset(polarity["bans"]),
        dropped=_phrases(polarity["dropped"]),
        hedge=_phrases(
            [line for one in ("before", "past", "undone") for line in told["hedges"][one]]
        ),
        unreal=_phrases(told["hedges"]["unreal"]),
        past=_phrases(told["hedges"]["past"]),
        no_effect=_phrases(polarity["no_effect"]),
        opposites=_pairs(opposites["pairs"], stem),
        converse=_pairs(opposites["converse"], stem),
        symmetric=frozenset(opposites["symmetric"]),
        amounts=tuple(
            Amount(
                more=frozenset(one["more"]),
                less=frozenset(one["less"]),
                units=frozenset(one["units"]),
                beside=frozenset(stem(one["beside"])),
            )
            for one in told["comparatives"]["amounts"]
        ),
        measures=_alike(told["measures"]["alike"], stem),
        fields=_alike(told["measures"]["fields"], stem),
        one_valued=_relations(told["relations"]["one_valued"], stem),
        makers=frozenset(stem(told["relations"]["makers"])),
        kin={one: stem(line)[0] for line in told["relations"]["kin"] for one in stem(line)},
        repeated=frozenset(stem(told["relations"]["repeated"])),
        plain_valued=frozenset(stem(told["relations"]["plain_valued"])),
        inverse=_relations(opposites["inverse"], stem),
        made_by=frozenset(stem(told["relations"]["made_by"])),
        speech=frozenset([*told["speech"]["verbs"], *told["speech"]["with_that"]]),
        speech_with_that=frozenset(told["speech"]["with_that"]),
        verbs=frozenset(words["verbs"]),
        questions=frozenset(words["questions"]),
        orders=frozenset(words["orders"]),
        pronouns=frozenset(words["pronouns"]),
        nationalities=frozenset(told["nationalities"]["names"]),
        together=tuple(frozenset(group) for group in told["nationalities"]["together"]),
        forms=_alike(map(str.split, told["verbs"]["irregular"]), stem),
        doers=_alike(map(str.split, told["verbs"]["doers"]), stem),
        effects=frozenset(stem(polarity["effects"])),
        turning=_turning([*opposites["pairs"], *opposites["converse"]], stem),
    )


def _phrases(lines: Iterable[str]) -> frozenset[Phrase]:
    return frozenset(tuple(line.split()) for line in lines)


def _pairs(pairs: Iterable[tuple[str, str]], stem: Stem) -> dict[str, frozenset[str]]:
    """Return pairs in both directions, by the stems of their first words."""
    found: dict[str, set[str]] = {}
    for pair in pairs:
        first, second = stem([word.split()[0] for word in pair])
        found.setdefault(first, set()).add(second)
        found.setdefault(second, set()).add(first)
    return {one: frozenset(others) for one, others in found.items()}


def _alike(lines: Iterable[Sequence[str]], stem: Stem) -> dict[str, frozenset[str]]:
    """Return the words of each line in both directions, by their stems."""
    return _pairs([pair for line in lines for pair in combinations(line, 2)], stem)


def _relations(lines: Iterable[str], stem: Stem) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in lines:
        word, preposition = line.split()
        found.setdefault(stem([word])[0], set()).add(preposition)
    return {one: frozenset(others) for one, others in found.items()}


def _turning(pairs: Iterable[tuple[str, str]], stem: Stem) -> dict[str, str]:
    words = sorted({phrase.split()[0] for pair in pairs for phrase in pair})
    return dict(zip(words, stem(words), strict=True))
