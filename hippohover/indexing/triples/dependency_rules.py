"""Rules that read triples from a dependency parse.

Every verb gives its subjects and its arguments; every noun gives what is said about it without
a verb (appositions, descriptions, possessives). A triple of two common nouns ("crowds",
"demonstrated in", "public areas") is left out: no other passage could name either of them.
"""

import re

from hippohover.indexing.triples.clauses import HEAD_TAGS, RELATIVE_TAGS, Clauses
from hippohover.indexing.triples.noun_phrases import NounPhrases
from hippohover.language.parse import MONTHS, NAME_TAGS, Parse
from hippohover.records import Triple

RULES_VERSION = "2"
_MONTH = "(?:" + "|".join(month.capitalize() for month in sorted(MONTHS)) + ")"
_DATE = rf"(?:\d{{1,2}} {_MONTH},? \d{{3,4}}|{_MONTH} \d{{1,2}}, ?\d{{3,4}}|\d{{3,4}})"
_LIFESPAN = re.compile(
    rf"\([^()]{{0,80}}?({_DATE})[^()–—-]{{0,40}}[–—-][^()\d]{{0,40}}({_DATE})[^()]{{0,60}}\)"
)
_PERSONAL = re.compile(r"\b(?:he|she|his|her|who)\b", re.IGNORECASE)
_BE = frozenset(["be", "is", "are", "was", "were", "been", "being", "'s", "'re", "am"])
_OWN_OBJECTS = frozenset(["dobj", "attr", "auxpass", "ccomp", "xcomp", "acomp"])
_MAX_NESTED = 4


class TripleRules:
    """Reads the triples of one parsed passage."""

    def __init__(self, parse: Parse, phrases: NounPhrases) -> None:
        self._parse = parse
        self._phrases = phrases
        self._found: dict[tuple[str, str, str], int] = {}
        self._clauses = Clauses(parse, phrases)

    def triples(self, first_sentence: int = 0) -> list[Triple]:
        """Return distinct triples in text order; sentences start at ``first_sentence``."""
        parse = self._parse
        self._read_lifespan()
        for token, tag in enumerate(parse.tags):
            if parse.is_verb(token):
                self._read_verb(token)
            elif tag in HEAD_TAGS:
                self._read_noun(token)
        return [Triple(s, p, o, first_sentence + n) for (s, p, o), n in self._found.items()]

    def _read_verb(self, verb: int) -> None:
        subjects = self._clauses.subjects_of(verb)
        predicate = self._clauses.predicate(verb) if subjects else ""
        if not predicate:
            return
        for middle, noun in self._clauses.arguments(verb):
            whole = f"{predicate} {middle}" if middle else predicate
            for subject in subjects:
                self._read_object(subject, whole, noun, verb=predicate)
        self._read_role(verb)

    def _read_object(self, subject: str, predicate: str, noun: int, *, verb: str) -> None:
        phrases = self._phrases
        for member in phrases.coordinated(noun):
            named = phrases.named_apposition(member)
            names = phrases.names(member if named < 0 else named)
            for name in names:
                self._add(subject, predicate, name, member)
            if names:
                self._read_nested(subject, predicate, member, verb=verb)

    def _read_nested(self, subject: str, predicate: str, noun: int, *, verb: str) -> None:
        """Read facts that end in a name inside the object: (X, is capital of, France)."""
        parse, phrases = self._parse, self._phrases
        stack = [(noun, predicate, 0)]
        while stack:
            outer, before, depth = stack.pop()
            named = phrases.is_proper(outer)
            whole = verb if named else f"{before} {self._clauses.without_owner(outer)}"
            for middle, inner in self._clauses.attached(outer):
                if named and middle == "of" and parse.tags[outer] in NAME_TAGS:
                    continue
                like = middle in ("such as", "including", "like")
                for member in phrases.coordinated(inner):
                    if phrases.is_name(member):
                        joint = before if like else f"{whole} {middle}"
                        self._add(subject, joint, phrases.name(member), member)
                    if depth < _MAX_NESTED and not named:
                        stack.append((member, f"{whole} {middle}", depth + 1))

    def _read_role(self, verb: int) -> None:
        """Read a copula with a role as its subject: "The current editor is Ann Lee"."""
        parse, phrases, word = self._parse, self._phrases, self._parse.words[verb]
        attributes = parse.below(verb, frozenset(("attr",))) if word in _BE else []
        own = parse.subjects(verb)[:1] if attributes else []
        if not own or phrases.is_name(own[0]) or phrases.is_topic(own[0]):
            return
        owner, role = self._role(own[0]) if parse.tags[own[0]] in HEAD_TAGS else ("", "")
        for child in attributes:
            for member in phrases.coordinated(child):
                if phrases.is_name(member) and role:
                    self._add(owner, f"{role} {word}", phrases.name(member), member)
                    self._read_nested(phrases.name(member), word, own[0], verb=word)

    def _role(self, noun: int) -> tuple[str, str]:
        """Return a role and whose it is: "its editor", "the source of the river"."""
        phrases = self._phrases
        for middle, inner in self._clauses.attached(noun):
            if middle == "of" and (phrases.is_name(inner) or phrases.is_topic(inner)):
                return phrases.name(inner), phrases.core(noun)
        return self._clauses.owner(noun) or phrases.topic, self._clauses.without_owner(noun)

    def _read_lifespan(self) -> None:
        """Read a lifespan: "Ann Lee (3 May 1850 – 4 June 1900) was ..."."""
        parse, topic = self._parse, self._phrases.topic
        lifespan = _LIFESPAN.search(parse.text, 0, 300)
        if not lifespan or not topic:
            return
        is_person = _PERSONAL.search(parse.text) is not None
        for date, (life, span) in zip(
            lifespan.groups(), (("born", "from"), ("died", "until")), strict=True
        ):
            joint = "on" if date[-5:-4] == " " else "in"
            self._add(topic, f"{life} {joint}" if is_person else span, date, 0)

    def _read_noun(self, noun: int) -> None:
        parse = self._parse
        for child in parse.children[noun]:
            label = parse.deps[child]
            if label == "appos":
                self._read_apposition(noun, child)
            elif label == "relcl":
                self._read_object_relative(noun, child)
            elif label == "prep" and self._phrases.is_name(noun):
                self._read_attachment(noun, child)
        if parse.tags[noun] in NAME_TAGS and parse.deps[noun] != "compound":
            what = self._phrases.description(noun)
            if what:
                self._add(self._phrases.name(noun), "is", what, noun)
        self._read_possession(noun)

    def _read_apposition(self, noun: int, child: int) -> None:
        phrases = self._phrases
        if phrases.is_name(noun) and not phrases.is_name(child):
            for member in phrases.coordinated(child):
                for name in self._clauses.names(noun):
                    self._describe(name, member)
        elif phrases.is_name(child) and not phrases.is_name(noun):
            self._describe(phrases.name(child), noun)
        elif phrases.is_place_pair(noun, child):
            self._add(phrases.name(noun), "is in", phrases.name(child), child)

    def _describe(self, name: str, noun: int) -> None:
        """Read what an apposition says of a name: "Ann Lee, a painter", "Ann Lee, his wife"."""
        owner = self._clauses.owner(noun)
        if owner:
            self._add(owner, f"has {self._clauses.without_owner(noun)}", name, noun)
            return
        if self._parse.tags[noun] in ("NN", "NNS"):
            for what in self._phrases.names(noun):
                self._add(name, "is", what, noun)
        self._read_nested(name, "is", noun, verb="is")

    def _read_attachment(self, noun: int, prep: int) -> None:
        phrases = self._phrases
        for middle, inner in self._clauses.prepositional(prep, ""):
            is_month = self._parse.words[inner].lower() in MONTHS
            if middle != "of" and phrases.is_proper(inner) and not is_month:
                for member in phrases.coordinated(inner):
                    self._add(phrases.name(noun), f"is {middle}", phrases.name(member), member)

    def _read_object_relative(self, noun: int, verb: int) -> None:
        """Read a relative clause whose object is the noun: "the novel that X wrote"."""
        parse = self._parse
        own = [s for s in parse.subjects(verb) if parse.tags[s] not in RELATIVE_TAGS]
        if not own or not parse.is_verb(verb):
            return
        middle = ""
        for child in parse.children[verb]:
            label, tag = parse.deps[child], parse.tags[child]
            if tag == "WRB" or (label in _OWN_OBJECTS and tag not in RELATIVE_TAGS):
                return
            asked = any(parse.tags[c] in ("WDT", "WP") for c in parse.children[child])
            if label == "prep" and asked:
                middle = parse.words[child].lower()
        predicate = f"{self._clauses.predicate(verb)} {middle}".strip()
        for subject in self._clauses.names_of_subjects(own, verb):
            for name in self._clauses.referents(noun, verb):
                self._add(subject, predicate, name, verb)

    def _read_possession(self, noun: int) -> None:
        """Read a possession: "his wife Y" and "X's album Y"."""
        phrases = self._phrases
        owner = self._clauses.owner(noun)
        if not owner:
            return
        named = phrases.named_apposition(noun)
        if named >= 0:
            has = f"has {self._clauses.without_owner(noun)}"
            for member in phrases.coordinated(named):
                self._add(owner, has, phrases.name(member), noun)
        elif what := phrases.description(noun):
            what = what.rpartition("'s ")[2] or what
            self._add(owner, f"has {what}", phrases.name(noun), noun)

    def _add(self, subject: str, predicate: str, obj: str, token: int) -> None:
        if not subject or not obj or subject.casefold() == obj.casefold():
            return
        if subject in self._phrases.common and obj in self._phrases.common:
            return  # nothing in it that another passage could name
        key = (" ".join(subject.split()), " ".join(predicate.split()), " ".join(obj.split()))
        if all(key):
            self._found.setdefault(key, self._parse.sentences[token])
