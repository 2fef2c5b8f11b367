"""Frames of a parsed sentence: a verb, and who or what has which part in it.

"Its library, designed by Ann Roe, holds maps" has two: of *design* the library is what, and Ann Roe
who; of *hold* the library is who, and maps are what. A form of "be" joins who and what it is, and
so does an apposition.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from hippohover.language.cues import cues
from hippohover.language.parse import Parse

PhraseKind = Literal["name", "noun", "number", "quality"]

_MAX_WORDS: Final = 200
"""Words and marks of a sentence that has frames: a longer one is a list or a table."""
WHO: Final = "who"
WHAT: Final = "what"
IS: Final = "is"

_ACTIVE: Final = frozenset(["nsubj", "csubj"])
_PASSIVE: Final = frozenset(["nsubjpass", "csubjpass"])
_AUXILIARIES: Final = frozenset(["aux", "auxpass"])
_COMPLEMENTS: Final = frozenset(["attr", "acomp", "oprd"])
_SHARE_A_SUBJECT: Final = frozenset(["conj", "xcomp", "advcl", "ccomp"])
_RELATIVES: Final = frozenset(["WDT", "WP"])
_POSSESSIVE: Final = "WP$"
_CLAUSES: Final = frozenset(["relcl", "acl", "advcl"])
_BESIDE: Final = _CLAUSES | {"conj", "cc", "appos", "punct", "preconj"}
"""Arcs to what is joined to a noun and does not belong to its phrase."""
_THE: Final = frozenset(["the", "this", "these"])
_A: Final = frozenset(["a", "an"])
_POSSESSIVES: Final = frozenset(["its", "his", "her", "their"])


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun with the words that belong to it.

    Attributes
    ----------
    stems : frozenset of str
        A pronoun's, and those of "the film", are the title's as well.
    around : frozenset of str
        Those, and the stems of appositions and of nouns that are joined to it; of "the body" the
        title's, whose body it may be.
    counted : frozenset of str
        Those of ``stems`` that are numbers, or what they count.
    kind : {"name", "noun", "number", "quality"}
        Of the noun; a pronoun is a name, and "large" a quality.
    any_of_them : bool
        Whether it is "a" or "an" one.
    """

    stems: frozenset[str]
    around: frozenset[str]
    counted: frozenset[str]
    kind: PhraseKind
    any_of_them: bool

    @property
    def words(self) -> frozenset[str]:
        """Stems without numbers and what they count, which have checks of their own."""
        return self.stems - self.counted

    @property
    def digits(self) -> frozenset[str]:
        """Numbers in digits."""
        return frozenset(stem for stem in self.counted if stem.isdigit())

    def is_in(self, stems: Collection[str]) -> bool:
        """Return whether all of its words are among some stems, in any form."""
        return all(not forms_of(stem).isdisjoint(stems) for stem in self.words)


@dataclass(frozen=True, slots=True)
class ParsedFrame:
    """A verb with its parts.

    Attributes
    ----------
    predicate : str
        Stem of the verb; "" for a form of "be".
    roles : mapping of str to tuple of Phrase
        "who", "what" and "is"; and what follows a preposition, by the preposition.
    denied : bool
        Also by a verb that governs it: "refused to sign".
    modal : str
        "must", "may"; "" without one.
    """

    predicate: str
    roles: Mapping[str, tuple[Phrase, ...]]
    denied: bool
    modal: str = ""

    @property
    def parts(self) -> Iterator[tuple[str, Phrase]]:
        """Each phrase with its role."""
        for role, phrases in self.roles.items():
            for phrase in phrases:
                yield role, phrase

    def around(self, role: str) -> frozenset[str]:
        """Return the stems of all phrases of a role, and around them."""
        return frozenset[str]().union(*(one.around for one in self.roles.get(role, ())))

    def has(self, role: str, phrase: Phrase) -> bool:
        """Return whether a phrase of a role has all words of another one."""
        return any(phrase.is_in(one.around) for one in self.roles.get(role, ()))


class ParsedSentence:
    """A parsed sentence of a claim, or of a passage.

    Parameters
    ----------
    parse : Parse
    title : frozenset of str
        Stems of its passage's title, for which pronouns stand; empty for a claim.
    kinds : frozenset of str
        Stems of what the passage calls its subject first: "the film" stands for the title then.
    """

    def __init__(
        self,
        parse: Parse,
        title: frozenset[str] = frozenset(),
        kinds: frozenset[str] = frozenset(),
    ) -> None:
        self.title = title
        self.own = frozenset(stem for stem in parse.stems if stem)
        self._parse = parse
        self._kinds = kinds | title
        self._words = [word.casefold() for word in parse.words]
        self._below = parse.children

    def written(self, stems: Collection[str]) -> str:
        """Return its words with some stems, as they are written."""
        words = zip(self._parse.stems, self._parse.words, strict=True)
        return " ".join(word for stem, word in words if stem in stems)

    @cached_property
    def frames(self) -> list[ParsedFrame]:
        """Frames of its verbs in their order, then those of its appositions; none if it is long."""
        if len(self._words) > _MAX_WORDS:
            return []
        tags, arcs = self._parse.tags, self._parse.deps
        places = range(len(tags))
        verbs = [at for at in places if tags[at].startswith("VB") and arcs[at] not in _AUXILIARIES]
        found = [self._frame(at) for at in verbs]
        for at in places:
            if arcs[at] == "appos":
                one, other = self._phrase(self._parse.heads[at]), self._phrase(at)
                found.append(ParsedFrame("", {WHO: (one,), IS: (other,)}, denied=False))
                found.append(ParsedFrame("", {WHO: (other,), IS: (one,)}, denied=False))
        return found

    @cached_property
    def frames_both_ways(self) -> list[ParsedFrame]:
        """Frames, and those of "A is B" as "B is A" too."""
        joined = [one for one in self.frames if not one.predicate and {WHO, IS} <= one.roles.keys()]
        return [*self.frames, *map(_turned, joined)]

    def _frame(self, verb: int) -> ParsedFrame:
        roles: dict[str, list[Phrase]] = {}
        for role, noun in [*self._subjects(verb, frozenset()), *self._objects(verb)]:
            same = [] if role == IS else map(self._phrase, self._same(noun))
            roles.setdefault(role, []).extend([*self._group(noun), *same])
        denied = self._is_denied(verb)
        kept = {role: tuple(phrases) for role, phrases in roles.items()}
        modals = [at for at in self._below[verb] if self._parse.tags[at] == "MD"]
        modal = self._words[modals[0]] if modals else ""
        return ParsedFrame(self._parse.stems[verb], kept, denied, modal)

    def _is_denied(self, verb: int) -> bool:
        """Return whether a verb is denied, or one that governs it: "does not think that it is"."""
        if any(self._parse.deps[at] == "neg" for at in self._below[verb]):
            return not any(self._words[at] == "until" for at in self._below[verb])
        head = self._parse.heads[verb]
        if self._parse.deps[verb] not in {"ccomp", "xcomp"} or head == verb:
            return False
        return (self._words[head],) in cues().deny_verbs or self._is_denied(head)

    def _subjects(self, verb: int, seen: frozenset[int]) -> list[tuple[str, int]]:
        """Return who does it, or what it is done to, by the verb's own subject or a shared one."""
        arcs, tags, head = self._parse.deps, self._parse.tags, self._parse.heads[verb]
        own = [at for at in self._below[verb] if arcs[at] in _ACTIVE | _PASSIVE]
        if own:
            return [
                (
                    WHAT if arcs[at] in _PASSIVE else WHO,
                    head if tags[at] in _RELATIVES and arcs[verb] == "relcl" else at,
                )
                for at in own
            ]
        if arcs[verb] == "acl":
            return [(WHAT if tags[verb] == "VBN" else WHO, head)]
        if arcs[verb] not in _SHARE_A_SUBJECT or head in seen | {verb}:
            return []
        if any(tags[at] in _RELATIVES | {_POSSESSIVE} for at in range(head, verb)):
            return []  # the parse lost "whose abbot gave"
        role = WHAT if self._is_passive(verb) else WHO
        governed = [at for at in self._below[head] if arcs[at] == "dobj"]
        if arcs[verb] == "xcomp" and governed:  # "asks clients to check it": they check
            return [(role, at) for at in governed]
        return [(role, at) for _, at in self._subjects(head, seen | {verb})]

    def _is_passive(self, verb: int) -> bool:
        """Return whether a verb is passive, as one joined to a passive is: "built and sold"."""
        arcs, tags, head = self._parse.deps, self._parse.tags, self._parse.heads[verb]
        below = {arcs[at] for at in self._below[verb]}
        if "auxpass" in below or "aux" in below:
            return "auxpass" in below
        joined = arcs[verb] == "conj" and tags[verb] == tags[head] == "VBN"
        return joined and any(arcs[at] == "auxpass" for at in self._below[head])

    def _objects(self, verb: int) -> Iterator[tuple[str, int]]:
        """Yield the verb's other nouns with their roles."""
        arcs, tags, head = self._parse.deps, self._parse.tags, self._parse.heads[verb]
        n_objects = 0
        for at in self._below[verb]:
            if arcs[at] == "dobj":
                n_objects += 1
                is_relative = tags[at] in _RELATIVES and arcs[verb] == "relcl"
                yield WHAT, head if is_relative else at
            elif arcs[at] in _COMPLEMENTS:
                yield IS, at
            elif arcs[at] == "agent":
                yield from ((WHO, noun) for _, noun in self._behind(at))
            elif arcs[at] in {"prep", "dative"} or (arcs[at] == "conj" and tags[at] == "IN"):
                yield from self._behind(at)
        subjects = [at for at in self._below[verb] if arcs[at] in _ACTIVE]
        asks = any(tags[at] in _RELATIVES | {"WRB", _POSSESSIVE} for at in self._below[verb])
        if arcs[verb] == "relcl" and subjects and not n_objects and not asks:
            yield WHAT, head  # "the bridge she built"

    def _behind(self, preposition: int) -> Iterator[tuple[str, int]]:
        """Yield nouns that a preposition governs, with its word."""
        for at in self._below[preposition]:
            if self._parse.deps[at] == "pobj":
                yield self._words[preposition], at
            elif self._parse.deps[at] in {"prep", "pcomp", "conj"}:
                yield from self._behind(at)

    def _group(self, noun: int) -> list[Phrase]:
        """Return a noun's phrase, and those of the nouns that are joined to it."""
        nouns = [noun]
        for one in nouns:  # a list may be as long as the sentence: no recursion
            nouns += [at for at in self._below[one] if self._parse.deps[at] in {"conj", "appos"}]
        return [self._phrase(one) for one in nouns]

    def _same(self, noun: int) -> list[int]:
        """Return nouns that a noun is said to be: "Ann Roe is a painter who lives in Telk"."""
        arcs, heads = self._parse.deps, self._parse.heads
        if arcs[noun] == "appos":
            return [heads[noun]]
        while arcs[noun] in {"pobj", "prep"}:  # "is a novel by Ann Roe, published in 1990"
            noun = heads[noun]
        below = self._below[heads[noun]] if arcs[noun] == "attr" else []
        return [at for at in below if arcs[at] in _ACTIVE]

    def _phrase(self, noun: int) -> Phrase:
        """Return a noun with what belongs to it."""
        below = self._below[noun]
        stems = self._stems(noun, _BESIDE) | self._named(noun)
        the = any(self._words[at] in _THE for at in below)
        counted = {
            self._parse.stems[at]
            for at in self._places(noun, _BESIDE)
            if self._is_number(at) or any(self._is_number(one) for one in self._below[at])
        }
        return Phrase(
            stems=stems,
            around=stems | self._stems(noun, _CLAUSES) | (self.title if the else frozenset()),
            counted=frozenset(counted),
            kind=self._kind(noun),
            any_of_them=any(self._words[at] in _A for at in below),
        )

    def _kind(self, noun: int) -> PhraseKind:
        if self._is_number(noun) or any(self._is_number(at) for at in self._below[noun]):
            return "number"
        if self._parse.tags[noun].startswith("JJ"):
            return "quality"
        is_name = self._parse.tags[noun].startswith("NNP") or self._is_pronoun(noun)
        return "name" if is_name or self._is_the_title(noun) else "noun"

    def _named(self, noun: int) -> frozenset[str]:
        """Return the title's stems, and a subject's, where a noun stands for them."""
        if self._is_the_title(noun):
            return self.title
        own = self._stems(noun, _BESIDE)
        is_name = self._parse.tags[noun].startswith("NNP")
        return self.title if is_name and own and own <= self.title else frozenset()

    def _is_the_title(self, noun: int) -> bool:
        """Return whether a noun stands for the passage's title: "the film"."""
        below = self._below[noun]
        names = any(self._parse.tags[at].startswith("NNP") for at in below)
        the = any(self._words[at] in _THE for at in below)
        return bool(self.title) and the and not names and self._parse.stems[noun] in self._kinds

    def _is_number(self, at: int) -> bool:
        return self._parse.tags[at] == "CD" or self._words[at][:1].isdigit()

    def _is_pronoun(self, at: int) -> bool:
        return self._words[at] in cues().pronouns or self._words[at] in _POSSESSIVES

    def _stems(self, noun: int, without: frozenset[str]) -> frozenset[str]:
        found: set[str] = set()
        for at in self._places(noun, without):
            if self._parse.tags[at] != "POS":
                found |= self.title if self._is_pronoun(at) else {self._parse.stems[at]} - {""}
        return frozenset(found)

    def _places(self, noun: int, without: frozenset[str]) -> list[int]:
        """Return the places of a noun and of what is below it, some arcs aside."""
        found = [noun]
        for one in found:
            found += [at for at in self._below[one] if self._parse.deps[at] not in without]
        return found


def _turned(frame: ParsedFrame) -> ParsedFrame:
    """Return that B is A, of the frame that A is B."""
    roles = {**frame.roles, WHO: frame.roles[IS], IS: frame.roles[WHO]}
    return ParsedFrame("", roles, frame.denied, frame.modal)


def forms_of(stem: str) -> set[str]:
    """Return a stem with the other forms of an irregular verb, and its converses."""
    known = cues()
    return {stem, *known.forms.get(stem, ()), *known.converse.get(stem, ())}
