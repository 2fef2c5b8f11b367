"""Clauses of a parsed text: the subject of a verb, its predicate and its arguments."""

from collections.abc import Iterator

from hippohover.indexing.triples.noun_phrases import NounPhrases
from hippohover.indexing.triples.noun_spans import MAX_LINKS
from hippohover.language.parse import FINITE_TAGS, MONTHS, NAME_TAGS, SUBJECTS, Parse

_CONJUNCTS = frozenset(("conj",))
_POSSESSORS = frozenset(("poss",))
_PREPOSITIONS = frozenset(("prep",))
HEAD_TAGS = frozenset(("NN", "NNS", "NNP", "NNPS", "CD", "FW"))
RELATIVE_TAGS = frozenset(("WDT", "WP", "WRB"))
_PLACING = frozenset(("from", "in", "at", "for"))
_IDIOMS = frozenset(["addition", "order", "fact", "example", "particular", "general"])
_SHARE_A_SUBJECT = ("conj", "ccomp", "xcomp", "advcl")
_TOPIC_POSSESSIVES = frozenset(["his", "her", "its", "their"])


class Clauses:
    """Reads the clauses of one parsed passage."""

    def __init__(self, parse: Parse, phrases: NounPhrases) -> None:
        self._parse = parse
        self._phrases = phrases
        self._subjects: dict[int, list[str]] = {}
        self._depth = 0  # of referents within referents

    def subjects_of(self, verb: int) -> list[str]:
        if verb not in self._subjects:
            self._subjects[verb] = self._find_subjects(verb)
        return self._subjects[verb]

    def names(self, noun: int) -> list[str]:
        phrases = self._phrases
        names: list[str] = []
        for member in phrases.coordinated(noun):
            named = phrases.named_apposition(member)
            owner = self.owner(member)
            name = phrases.name(member if named < 0 else named)
            if named < 0 and owner and name and not phrases.is_name(member):
                name = f"{owner}'s {self.without_owner(member)}"
            names += [name] if name else []
        return names

    def names_of_subjects(self, own: list[int], verb: int) -> list[str]:
        names: list[str] = []
        for subject in own:
            tag, word = self._parse.tags[subject], self._parse.words[subject].lower()
            is_relative = tag in RELATIVE_TAGS or word == "that"
            names += self._antecedents(verb) if is_relative else self.names(subject)
        return names

    def referents(self, noun: int, clause: int) -> list[str]:
        """Return the entities of the noun that a clause modifies.

        In "Gone is a film directed by X" the film is Gone.
        """
        if self._depth > MAX_LINKS:
            return self.names(noun)
        self._depth += 1
        try:
            return self._find_referents(noun, clause)
        finally:
            self._depth -= 1

    def _find_referents(self, noun: int, clause: int) -> list[str]:
        parse = self._parse
        for _ in range(MAX_LINKS):
            if self._phrases.is_name(noun):
                origin = self._noun_with_origin(noun) if self._is_about_origin(clause) else -1
                if origin < 0:
                    break
                noun = origin
            head, label = parse.heads[noun], parse.deps[noun]
            if label == "attr" and (own := parse.subjects(head)):
                return self.names_of_subjects(own, head)
            if label == "attr" and parse.is_verb(head):
                return self.subjects_of(head)
            if label != "appos" and not (label == "conj" and parse.deps[head] in ("attr", "appos")):
                break
            noun = head
        return self.names(noun)

    def predicate(self, verb: int) -> str:
        """Return a verb group without auxiliaries, with "not", particles and verbs above it."""
        parse = self._parse
        words: list[str] = []
        for _ in range(MAX_LINKS):
            auxiliaries, particles, negations = (
                [parse.words[c] for c in parse.below(verb, frozenset([label]))]
                for label in ("aux", "prt", "neg")
            )
            word = parse.words[verb]
            group = [*auxiliaries, word] if word in ("be", "been", "being") else [word]
            words = [*(["not"] if negations else []), *group, *particles, *words]
            head = parse.heads[verb]
            if parse.deps[verb] != "xcomp" or not parse.is_verb(head):
                break
            words = ["to", *words] if "to" in auxiliaries else words
            verb = head
        return " ".join(words)

    def arguments(self, verb: int) -> list[tuple[str, int]]:
        """Return pairs of connecting words ("by", "known for") and the argument's noun."""
        parse = self._parse
        for _ in range(MAX_LINKS):
            pairs = self._own_arguments(verb)
            if pairs:
                return pairs
            for child in parse.below(verb, _CONJUNCTS):  # "written and directed by X"
                if child - verb <= 3 and parse.tags[child] == parse.tags[verb]:
                    verb = child
                    break
            else:
                break
        return []

    def _own_arguments(self, verb: int) -> list[tuple[str, int]]:
        pairs: list[tuple[str, int]] = []
        taken = ""
        for child in self._parse.children[verb]:
            for middle, noun in self._argument(child):
                pairs.append((f"{taken} {middle}".strip(), noun))
            taken = taken or self._light_object(child)
        return pairs

    def attached(self, token: int, before: str = "") -> Iterator[tuple[str, int]]:
        """Yield the joint and the noun of each preposition below a token."""
        for prep in self._parse.below(token, _PREPOSITIONS):
            yield from self.prepositional(prep, before)

    def prepositional(self, prep: int, before: str) -> Iterator[tuple[str, int]]:
        """Yield pairs of the joint ("from within") and the noun after a preposition."""
        parse = self._parse
        waiting = [(prep, before)]
        for preposition, first in waiting:
            middle = f"{first} {parse.words[preposition].lower()}".strip()
            for child in parse.children[preposition]:
                label = parse.deps[child]
                if label == "pobj" or (label == "pcomp" and parse.tags[child] in NAME_TAGS):
                    if parse.words[child] not in _IDIOMS:
                        yield middle, child
                elif len(waiting) > MAX_LINKS:
                    continue
                elif label == "prep":
                    waiting.append((child, middle))
                elif label == "conj" and parse.tags[child] == "IN":
                    waiting.append((child, first))

    def owner(self, noun: int) -> str:
        """Return the possessor of a noun, or ""."""
        parse = self._parse
        child = next((one for one in parse.below(noun, _POSSESSORS) if one < noun), -1)
        if child < 0:
            return ""
        if parse.tags[child] == "PRP$":
            means_topic = parse.words[child].lower() in _TOPIC_POSSESSIVES
            return self._phrases.topic if means_topic else ""
        if parse.tags[child] == "WP$":
            return next(iter(self._antecedents(self._clause_of(noun))), "")
        return self._phrases.name(child)

    def without_owner(self, noun: int) -> str:
        """Return the phrase of a noun without its possessor: "wife" of "his wife"."""
        parse = self._parse
        named = [one for one in parse.below(noun, _POSSESSORS) if parse.tags[one] != "PRP$"]
        start = parse.right_edge(named[0]) + 1 if named else noun + 1
        return parse.slice(start, noun) if start <= noun else self._phrases.core(noun)

    def _find_subjects(self, verb: int) -> list[str]:
        parse = self._parse
        for _ in range(MAX_LINKS):
            own = parse.subjects(verb)
            if own:
                return self.names_of_subjects(own, verb)
            if parse.tags[verb] in FINITE_TAGS and verb - 1 in self._phrases.topic_ends:
                return [self._phrases.topic]  # a title in a script that the parser cannot read
            head, label = parse.heads[verb], parse.deps[verb]
            if label in ("acl", "relcl"):
                return self.referents(head, verb)
            if label == "pcomp":
                head = parse.heads[head]
                if parse.deps[head] in ("acomp", "dobj"):
                    head = parse.heads[head]
            elif label not in (*_SHARE_A_SUBJECT, "dep"):
                return []
            if head == verb or not parse.is_verb(head):
                about_noun = label == "advcl" and parse.tags[head] in HEAD_TAGS
                return self.referents(head, verb) if about_noun else []
            verb = head
        return []

    def _antecedents(self, verb: int) -> list[str]:
        """Return what "who", "which" or "that" refers to in the clause of ``verb``."""
        parse = self._parse
        for _ in range(MAX_LINKS):
            if parse.deps[verb] in ("relcl", "acl"):
                return self.referents(parse.heads[verb], verb)
            if parse.heads[verb] == verb or parse.deps[verb] not in _SHARE_A_SUBJECT:
                return []
            verb = parse.heads[verb]
        return []

    def _noun_with_origin(self, place: int) -> int:
        """Return the noun that "who" means in "a sailor from Belgium, who"; else -1."""
        parse = self._parse
        for _ in range(MAX_LINKS):
            prep = parse.heads[place]
            if parse.deps[place] != "pobj" or parse.words[prep].lower() not in _PLACING:
                return -1
            place = parse.heads[prep]
            if parse.deps[place] in ("attr", "appos") and not self._phrases.is_name(place):
                return place
        return -1

    def _is_about_origin(self, clause: int) -> bool:
        """Return whether a clause after a place may be about its thing: ", who", ", built by"."""
        parse = self._parse
        if parse.deps[clause] == "acl":
            return parse.words[parse.left_edge(clause) - 1] == ","
        return any(parse.words[s].lower() == "who" for s in parse.below(clause, SUBJECTS))

    def _light_object(self, child: int) -> str:
        """Return the object that forms a predicate with its verb: "part" of "took part in"."""
        parse = self._parse
        is_common = parse.tags[child] in ("NN", "NNS") and not self._phrases.is_name(child)
        core = self.without_owner(child) if is_common and parse.deps[child] == "dobj" else ""
        return core if core.count(" ") <= 2 else ""

    def _argument(self, child: int) -> Iterator[tuple[str, int]]:
        label, word = self._parse.deps[child], self._parse.words[child]
        tag, is_month = self._parse.tags[child], word.lower() in MONTHS
        if label in ("dobj", "oprd", "attr") and tag not in RELATIVE_TAGS:
            yield "", child
        elif label in ("prep", "agent", "dative"):
            yield from self.prepositional(child, "")
        elif label in ("acomp", "advmod"):
            yield from self.attached(child, word)
        elif label == "npadvmod" and (is_month or tag == "CD"):
            yield ("on" if is_month else "in"), child

    def _clause_of(self, noun: int) -> int:
        for _ in range(MAX_LINKS):
            if self._parse.is_verb(noun):
                break
            noun = self._parse.heads[noun]
        return noun
