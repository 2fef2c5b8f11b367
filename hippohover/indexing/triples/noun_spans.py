"""Finds noun phrases in a text, and nouns that are joined to one another."""

from bisect import bisect_left

from hippohover.language.parse import FINITE_TAGS, MONTHS, NAME_TAGS, Parse

MAX_PHRASE_TOKENS = 14
MAX_COORDINATED = 100
MAX_LINKS = 8
"""Steps up or down a tree: parses of lists and broken text can be deeper than sense is."""

_LEFT_MODIFIERS = frozenset(
    ["amod", "compound", "nummod", "nmod", "poss", "quantmod", "advmod", "det", "predet", "neg",
     "npadvmod"]
)  # fmt: skip
_RIGHT_MODIFIERS = frozenset(("nummod", "nmod", "compound"))
_DETERMINERS = ("the", "a", "an", "this", "that", "these", "those")
_POSSESSIVES = ("its", "his", "her", "their", "my", "our", "your")
_MARKS = (*",:;-–—()[]\"“”‘’'„«»", "``", "''")
_NOT_LEADING = frozenset(_DETERMINERS + _POSSESSIVES + _MARKS)
_OPENING_QUOTES = frozenset(('"', "``", "“", "«", "„", "「", "『"))
_CLOSING_QUOTES = frozenset(('"', "''", "”", "»", "“", "」", "』"))
_NAME_PREPOSITIONS = frozenset(("of",))
NOT_ENTITIES = frozenset(
    ["WDT", "WP", "WP$", "WRB", "EX", "RB", "RBR", "RBS", "IN", "DT", "PDT", "TO", "CC", "UH", ".",
     ",", ":", "-LRB-", "-RRB-", "``", "''", "HYPH", "NFP", "_SP", "PRP$", "POS", "MD"]
)  # fmt: skip


class NounSpans:
    """Spans of the noun phrases of one text.

    Parameters
    ----------
    parse : Parse
        The parsed text.
    topic : str
        What the text is about; its mentions count as one name each. May be empty.
    """

    def __init__(self, parse: Parse, topic: str) -> None:
        self.parse = parse
        self.topic = topic
        self.topic_spans: dict[int, tuple[int, int]] = {}
        self.quotes: dict[int, tuple[int, int]] = {}
        self.topic_ends: set[int] = set()
        self._mark_quoted()
        if topic:
            self._mark_mentions()

    def is_unit(self, noun: int) -> bool:
        """Return whether a noun heads a mention of the title, or a quoted title."""
        return noun in self.topic_spans or noun in self.quotes

    def is_name(self, noun: int) -> bool:
        """Return whether a noun's phrase is the name of something, a number or a date."""
        return self.is_unit(noun) or self.parse.is_named(noun)

    def is_proper(self, noun: int) -> bool:
        """Return whether a noun's phrase is a name, not a number."""
        return self.is_unit(noun) or (self.is_name(noun) and self.parse.tags[noun] != "CD")

    def text_of(self, left: int, right: int) -> str:
        """Return tokens' text without leading articles and outer punctuation; "" when empty."""
        words = self.parse.words
        while left < right and words[left].lower() in _NOT_LEADING:
            left += 1
        while left < right and (words[right] in _NOT_LEADING or words[right] == "."):
            right -= 1
        text = self.parse.slice(left, right)
        if "(" in text and ")" not in text:
            text = text.partition("(")[0].rstrip() or text
        return text if text.lower() not in _NOT_LEADING else ""

    def unit_text(self, noun: int) -> str:
        """Return the text of a topic mention or quoted title that the noun heads, or ""."""
        if noun in self.topic_spans:
            return self.topic
        return self.text_of(*self.quotes[noun]) if noun in self.quotes else ""

    def core(self, noun: int) -> str:
        """Return a noun's phrase up to the noun itself: "capital" of "the capital of France"."""
        is_unit = self.is_unit(noun)
        return self.unit_text(noun) if is_unit else self.text_of(self.left_of(noun), noun)

    def span(self, noun: int) -> tuple[int, int]:
        """Return the first and last token of a noun's phrase, "of" phrases included."""
        left = self.left_of(noun)
        if self.parse.tags[noun] in NAME_TAGS:
            left = max(left, self.name_start(noun, left))
        right = self._tight_right(noun)
        for _ in range(MAX_LINKS):
            inner = self._of_noun(noun, right)
            if inner < 0:
                break
            end = self._tight_right(inner)
            if end - left >= MAX_PHRASE_TOKENS:
                break
            noun, right = inner, end
        return left, right

    def name_start(self, noun: int, left: int | None = None) -> int:
        """Return where the proper name begins in "American actor Tom Hanks": at "Tom"."""
        parse = self.parse
        first = self.left_of(noun) if left is None else left
        for token in range(noun - 1, first - 1, -1):
            if parse.tags[token] in ("NN", "NNS") and parse.words[token].islower():
                after = token + 1
                return after if parse.tags[after] in NAME_TAGS else first
        return first

    def description(self, noun: int) -> str:
        """Return the words before a name: "American actor" of "American actor Tom Hanks"."""
        if self.parse.tags[noun] not in NAME_TAGS or self.is_unit(noun):
            return ""
        left = self.left_of(noun)
        start = self.name_start(noun, left)
        return self.text_of(left, start - 1) if start > left else ""

    def coordinated(self, noun: int) -> list[int]:
        """Return a noun and what commas and conjunctions join to it, in text order."""
        parse = self.parse
        nouns = [noun]
        for member in nouns:
            if len(nouns) >= MAX_COORDINATED:
                break
            for child in parse.children[member]:
                if child > member and self._joins(member, child):
                    nouns.append(child)
        unit = self.topic_spans.get(noun) or self.quotes.get(noun)
        if unit:
            return [noun, *(n for n in nouns[1:] if not unit[0] <= n <= unit[1])]
        return nouns

    def is_place_pair(self, noun: int, child: int) -> bool:
        """Return whether "Springfield, Illinois" follows a preposition of place."""
        parse = self.parse
        before = parse.words[parse.heads[noun]].lower() if parse.deps[noun] == "pobj" else ""
        return (
            before in ("in", "at", "from", "near", "to")
            and parse.words[self.left_of(child) - 1] == ","
            and self.parse.tags[child] in NAME_TAGS
        )

    def named_apposition(self, noun: int) -> int:
        """Return the name's token in "the song Hello" or "his wife, the actress Mary"; else -1."""
        parse = self.parse
        for _ in range(MAX_LINKS):
            if self.is_name(noun):
                return -1
            after = [c for c in parse.children[noun] if c > noun and parse.deps[c] == "appos"]
            for child in after:
                if self.is_name(child):
                    return child
            if not after:
                return -1
            noun = after[0]
        return -1

    def left_of(self, noun: int) -> int:
        """Return the first token of a noun's phrase."""
        parse = self.parse
        if noun and parse.words[noun].lower() in MONTHS and parse.tags[noun - 1] == "CD":
            return noun - 1
        for child in parse.children[noun]:
            if child >= noun:
                break
            if parse.deps[child] in _LEFT_MODIFIERS:
                return parse.left_edge(child)
        return noun

    def _tight_right(self, noun: int) -> int:
        """Return the last token of a name or date with a tail: "Apollo 11"."""
        parse = self.parse
        right = noun
        if parse.words[noun].lower() in MONTHS:
            return self._date_end(noun)
        for child in parse.children[noun]:
            if child <= right:
                continue
            if parse.deps[child] not in _RIGHT_MODIFIERS or parse.left_edge(child) != right + 1:
                break
            right = parse.right_edge(child)
        return right

    def _date_end(self, month: int) -> int:
        parse = self.parse
        end = month
        last = len(parse) - 1
        for _ in range(2):
            if end < last and parse.tags[end + 1] == "CD":
                end += 1
            elif end + 1 < last and parse.words[end + 1] == "," and parse.tags[end + 2] == "CD":
                end += 2
        return end

    def _of_noun(self, noun: int, right: int) -> int:
        parse = self.parse
        if right + 1 >= len(parse):
            return -1
        word = parse.words[right + 1].lower()
        if word not in _NAME_PREPOSITIONS and not self._is_award(noun, right, word):
            return -1
        if parse.heads[right + 1] != noun:
            return -1
        inner = [c for c in parse.children[right + 1] if parse.deps[c] == "pobj"]
        if len(inner) != 1 or parse.tags[inner[0]] in NOT_ENTITIES or parse.tags[inner[0]] == "PRP":
            return -1
        return inner[0]

    def _is_award(self, noun: int, right: int, word: str) -> bool:
        """Return whether "for" belongs to a name: "Academy Award for Best Actor"."""
        parse = self.parse
        return (
            word == "for"
            and parse.tags[noun] in NAME_TAGS
            and right + 2 < len(parse)
            and parse.words[right + 2][0].isupper()
        )

    def _joins(self, member: int, child: int) -> bool:
        parse = self.parse
        tag, between = parse.tags[child], parse.words[member + 1 : child]
        if tag in ("PRP", "WP", "WDT", "RB", "IN") or "(" in between:
            return False
        if parse.deps[child] == "conj":
            return not (parse.is_verb(child) and tag in FINITE_TAGS)
        # The parser often reads "Ann Lee, Bo Day and Cy Fox" as an apposition.
        return (
            parse.deps[child] == "appos"
            and {tag, parse.tags[member]} <= NAME_TAGS
            and parse.words[child].lower() not in MONTHS
            and not self.is_place_pair(member, child)
        )

    def _mark_quoted(self) -> None:
        words = self.parse.words
        opened = -1
        for token, word in enumerate(words):
            if opened >= 0 and word in _CLOSING_QUOTES:
                first = words[opened + 1][0]
                is_title = first.isalnum() and not first.islower()
                if is_title and 0 < token - opened - 1 <= MAX_PHRASE_TOKENS:
                    self._mark(self.quotes, opened + 1, token - 1)
                opened = -1
            elif opened < 0 and word in _OPENING_QUOTES:
                opened = token

    def _mark_mentions(self) -> None:
        parse = self.parse
        at = parse.text.find(self.topic)
        while at >= 0:
            end = at + len(self.topic)
            left, right = bisect_left(parse.starts, at), bisect_left(parse.ends, end)
            if parse.starts[left : left + 1] == [at] and parse.ends[right : right + 1] == [end]:
                parse.take_as_subject(left, right)
                self._mark(self.topic_spans, left, right)
                self.topic_ends.add(right)
            at = parse.text.find(self.topic, end)

    def _mark(self, table: dict[int, tuple[int, int]], left: int, right: int) -> None:
        """Note a span at the tokens that could be its head: those attached outside of it."""
        for token in range(left, right + 1):
            head = self.parse.heads[token]
            if head == token or not left <= head <= right:
                table[token] = (left, right)
