"""A dependency parse as plain lists, and spans in it.

Readers look at every token many times. Lists of strings and integers, filled once from the
parser's arrays, are some ten times faster to read than the parser's token objects.
"""

from dataclasses import dataclass, field
from functools import cached_property

from hippohover.language.stemming import stem_of

MONTHS = frozenset(
    name.lower()
    for name in (
        *("January", "February", "March", "April", "May", "June"),
        *("July", "August", "September", "October", "November", "December"),
    )
)
NAME_TAGS = frozenset(("NNP", "NNPS"))
VERB_TAGS = frozenset(("VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD"))
FINITE_TAGS = frozenset(("VBD", "VBP", "VBZ"))
SUBJECTS = frozenset(("nsubj", "nsubjpass"))


@dataclass(kw_only=True)
class Parse:
    """Tokens of one text; every list has one item per token.

    Attributes
    ----------
    text : str
        What was parsed.
    starts, ends : list of int
        Character offsets in ``text``.
    words, tags, deps : list of str
        Surface form, Penn Treebank tag, ClearNLP dependency label.
    heads : list of int
        Number of the governing token; a root is its own head.
    sentences : list of int
        Number of the sentence, from 0.
    children : list of list of int
        Dependents in text order, made of ``heads``.
    """

    text: str
    starts: list[int]
    ends: list[int]
    words: list[str]
    tags: list[str]
    deps: list[str]
    heads: list[int]
    sentences: list[int]
    children: list[list[int]] = field(init=False)

    def __post_init__(self) -> None:
        self._link_children()

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """Stem of each word; "" for what tells nothing."""
        return tuple(map(stem_of, self.words))

    def slice(self, left: int, right: int) -> str:
        """Return the text of the tokens ``left`` to ``right``, both included."""
        return self.text[self.starts[left] : self.ends[right]]

    def left_edge(self, token: int) -> int:
        """Return the first token below ``token``."""
        while (below := self.children[token]) and below[0] < token:
            token = below[0]
        return token

    def right_edge(self, token: int) -> int:
        """Return the last token below ``token``."""
        while (below := self.children[token]) and below[-1] > token:
            token = below[-1]
        return token

    def below(self, token: int, labels: frozenset[str]) -> list[int]:
        """Return dependents of ``token`` with one of ``labels``."""
        deps = self.deps
        return [child for child in self.children[token] if deps[child] in labels]

    def subjects(self, verb: int) -> list[int]:
        """Return subjects of a verb itself, not those it shares with another verb.

        In "X, also called Y, is a church" the parser gives X to "called".
        """
        own = self.below(verb, SUBJECTS)
        if own:
            return own
        for child in self.children[verb]:
            if child > verb:
                break
            if self.deps[child] == "advcl" and self.tags[child] == "VBN":
                own += self.below(child, SUBJECTS)
        return own

    def is_named(self, token: int) -> bool:
        """Return whether a token is (part of) a proper name, a number or in another script."""
        if self.tags[token] in NAME_TAGS or self.tags[token] == "CD":
            return True
        word = self.words[token]
        return not word.isascii() and not word[0].islower()

    def is_verb(self, token: int) -> bool:
        """Return whether a token heads a clause."""
        return self.tags[token] in VERB_TAGS and self.deps[token] not in _NOT_CLAUSES

    def take_as_subject(self, left: int, right: int) -> None:
        """Undo the parser's reading of a title as a verb: "Gone is a film", "Lost was a hit"."""
        verb = right + 1
        if verb >= len(self) or self.tags[verb] not in FINITE_TAGS:
            return
        title = self.heads[verb]
        if not left <= title <= right:
            return
        above = self.heads[title]
        self.heads[verb] = verb if above == title else above
        self.deps[verb] = "ROOT" if above == title else self.deps[title]
        for token in self.children[title]:
            if token > verb:
                self.heads[token] = verb
        self.heads[title], self.deps[title], self.tags[title] = verb, "nsubj", "NNP"
        self._link_children()

    def _link_children(self) -> None:
        children: list[list[int]] = [[] for _ in self.words]
        for token, head in enumerate(self.heads):
            if head != token:
                children[head].append(token)
        self.children = children

    def repair_verbs_taken_for_names(self) -> None:
        """Undo the parser's reading of "The film stars Ann Lee" as one long name."""
        for verb, label in enumerate(self.deps):
            if label != "compound" or self.tags[verb] not in FINITE_TAGS:
                continue
            name = self.heads[verb]
            if name <= verb or self.tags[name] not in NAME_TAGS:
                continue
            self._put_verb_above(verb, name)
        self._link_children()

    def _put_verb_above(self, verb: int, name: int) -> None:
        above = self.heads[name]
        self.heads[verb] = verb if above == name else above
        self.deps[verb] = self.deps[name]
        self.heads[name], self.deps[name] = verb, "dobj"
        for token in range(verb):
            if self.heads[token] == name and self.deps[token] in SUBJECTS:
                self.heads[token] = verb
            elif self.heads[token] == name and token == verb - 1:
                self.heads[token], self.deps[token] = verb, "nsubj"


_NOT_CLAUSES = frozenset(
    ("aux", "auxpass", "amod", "compound", "pobj", "dobj", "nsubj", "attr", "case", "prep", "nmod")
)
