"""Noun phrases of a passage as names of entities.

A noun becomes the text of its phrase without leading articles. A phrase that refers to the
passage's own subject (its title, a part of the title, a pronoun, "the film") becomes the title. A
phrase that refers to an earlier name ("Hall", "the airport") becomes that name.
"""

from hippohover.indexing.triples.noun_spans import NOT_ENTITIES, NounSpans
from hippohover.language.parse import NAME_TAGS, SUBJECTS, Parse
from hippohover.names.normal_forms import entity_key, without_qualifier

_TOPIC_PRONOUNS = frozenset(["he", "she", "it", "they", "him", "her", "them"])
_ROLE_ENDINGS = ("er", "or", "ist", "ian", "man", "ess")  # "actor", not "track and field"
_SAME_KIND = tuple(
    frozenset(group.split())
    for group in (
        "film movie picture feature documentary short",
        "series show program programme sitcom drama season telenovela soap",
        "album record ep lp compilation soundtrack release",
        "song single track",
        "band group duo trio quartet ensemble",
        "city town village municipality settlement place community commune suburb township borough",
        "company firm corporation business manufacturer brand publisher retailer",
        "book novel novella story memoir work",
        "team club side franchise",
        "university college school institution academy institute",
        "magazine journal newspaper publication periodical",
        "game videogame",
        "play musical opera",
        "building house structure church",
        "station channel network",
        "battle war conflict",
    )
)
_TOPIC_KINDS = frozenset().union(*_SAME_KIND)


class NounPhrases(NounSpans):
    """Names the noun phrases of one passage.

    Parameters
    ----------
    parse : Parse
        The parsed text.
    title : str
        Title of the passage, or "" when titles are hidden: then the subject of the first
        sentence stands for it.
    topic : str, optional
        Overrides what ``title`` gives: what an earlier part of the same text is about.
    """

    def __init__(self, parse: Parse, title: str, *, topic: str = "") -> None:
        super().__init__(parse, topic or " ".join(without_qualifier(title).split()))
        self.common: set[str] = set()  # names given out that hold no proper name or number
        self._names: dict[int, str] = {}
        self._kinds: frozenset[str] = frozenset()
        self._topic_keys: frozenset[str] = frozenset()
        self._full_key: list[str] = []
        self._proper_by_word = self._index_proper_names()
        self.topic = self.topic or self._first_subject()
        self._topic_keys = _short_forms(self.topic)
        self._full_key = entity_key(self.topic).split()
        self._kinds = self._find_kinds()
        self._names.clear()  # those were found without the kinds

    def name(self, noun: int) -> str:
        """Return the entity that a noun means, or "" when it means none."""
        name = self._names.get(noun)
        if name is None:
            name = self._names[noun] = self._find_name(noun)
        return name

    def _find_name(self, noun: int) -> str:
        tag = self.parse.tags[noun]
        if noun in self.topic_spans:
            return self.topic
        if tag == "PRP":
            return self.topic if self.parse.words[noun].lower() in _TOPIC_PRONOUNS else ""
        if tag in NOT_ENTITIES:
            return ""
        return self.unit_text(noun) or self._phrase_name(noun)

    def _phrase_name(self, noun: int) -> str:
        left, right = self.span(noun)
        if self._is_topic_noun(noun, left, right):
            return self.topic
        text = self._own_name(noun)
        earlier = -1 if text == self.topic else self._earlier_name(noun, left, right)
        if earlier >= 0:
            return self.unit_text(earlier) or self._own_name(earlier)
        if not any(map(self.is_name, range(left, right + 1))):
            self.common.add(text)
        return text

    def _own_name(self, noun: int) -> str:
        """Return the name in a phrase by itself, without looking back."""
        text = self.text_of(*self.span(noun))
        return self.topic if self._is_topic_name(noun, text) else text

    def names(self, noun: int) -> list[str]:
        """Return names of a noun: two for "American drummer and record producer"."""
        parse = self.parse
        for child in parse.children[noun]:
            joined = child + 1 < noun and parse.tags[child + 1] == "CC"
            is_role = parse.deps[child] == "nmod" and parse.words[child].endswith(_ROLE_ENDINGS)
            if joined and is_role and not self.is_name(noun):
                left, right = self.span(noun)
                both = [self.text_of(left, child), self.text_of(child + 2, right)]
                self.common.update(both)
                return both
        name = self.name(noun)
        return [name] if name else []

    def is_topic(self, noun: int) -> bool:
        """Return whether a noun means the passage's own subject."""
        return self.name(noun) == self.topic != ""

    def _is_topic_noun(self, noun: int, left: int, right: int) -> bool:
        """Return whether a phrase is "the film" in a passage about a film."""
        parse = self.parse
        if left == noun or right != noun or parse.words[left].lower() not in ("the", "this"):
            return False
        if self.named_apposition(noun) >= 0:
            return False
        between = range(left + 1, noun)
        if len(between) > 1 or any(parse.tags[token] != "NN" for token in between):
            return False
        if any(parse.deps[child] in ("relcl", "acl") for child in parse.children[noun]):
            return False
        if self._kinds:
            return parse.words[noun].lower() in self._kinds
        return parse.deps[noun] in SUBJECTS and parse.words[noun].lower() in _TOPIC_KINDS

    def _is_topic_name(self, noun: int, text: str) -> bool:
        if self.parse.tags[noun] not in NAME_TAGS:
            return False
        key = entity_key(text)
        if key in self._topic_keys:
            return True
        full, tokens = self._full_key, key.split()
        if not 2 <= len(full) < len(tokens):
            return False
        if tokens[: len(full)] == full:  # "Ann Lee CIE"
            return all(word.isupper() and len(word) <= 4 for word in text.split()[len(full) :])
        return tokens[-1] == full[-1] and set(full) <= set(tokens)  # "Ann Mary Lee"

    def _index_proper_names(self) -> dict[str, list[int]]:
        """Index the last words of proper names of two or more words, and their places."""
        parse = self.parse
        table: dict[str, list[int]] = {}
        for noun, tag in enumerate(parse.tags):
            is_last = tag in NAME_TAGS and parse.deps[noun] != "compound"
            if is_last and noun and parse.tags[noun - 1] in NAME_TAGS:
                table.setdefault(parse.words[noun].lower(), []).append(noun)
        return table

    def _earlier_name(self, noun: int, left: int, right: int) -> int:
        """Return the token of the name that "Hall" or "the airport" means; else -1."""
        parse = self.parse
        places = self._proper_by_word.get(parse.words[noun].lower(), ())
        earlier = max((place for place in places if place < noun), default=noun)
        if right != noun or not 0 <= noun - left <= 1 or earlier >= left:
            return -1
        first = "" if noun == left else parse.words[left].lower()
        if parse.tags[noun] in NAME_TAGS:
            return earlier if first in ("", "the") else -1
        refers = first in ("the", "this") and self.named_apposition(noun) < 0
        return earlier if refers else -1

    def _first_subject(self) -> str:
        parse = self.parse
        for token, label in enumerate(parse.deps):
            if label in SUBJECTS and parse.tags[token] != "PRP" and (text := self.name(token)):
                return text
        return ""

    def _find_kinds(self) -> frozenset[str]:
        """Find nouns for the kind of the subject: "X is a rock band" -> band, group..."""
        parse = self.parse
        for token, label in enumerate(parse.deps):
            if label != "attr" or parse.is_named(token):
                continue
            subjects = parse.subjects(parse.heads[token])
            if not subjects or not self.is_topic(subjects[0]):
                continue
            kinds = {parse.words[n].lower() for n in self.coordinated(token)}
            for group in _SAME_KIND:
                if not kinds.isdisjoint(group):
                    kinds |= group
            return frozenset(kinds)
        return frozenset()


def _short_forms(topic: str) -> frozenset[str]:
    """Return short names of a text's subject: a surname, a town without its state."""
    forms = {entity_key(topic)}
    words = topic.split()
    if len(words) > 1 and len(words[-1]) > 2 and words[-1][0].isupper():
        forms.add(entity_key(words[-1]))
    before_comma = topic.partition(",")[0]
    forms.add(entity_key(before_comma))
    return frozenset(form for form in forms if form)
