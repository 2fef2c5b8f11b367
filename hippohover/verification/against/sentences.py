"""The sentences of some passages, read once for every claim that is compared with them."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Final

from hippohover.language.clauses import ClauseReader
from hippohover.language.cues import cues
from hippohover.language.quantities.reader import quantities_in
from hippohover.language.sentence import Sentence, name_runs
from hippohover.names.mentions import STOP_TOKENS
from hippohover.verification.against.findings import EvidenceSentence
from hippohover.verification.statements.statements import Statement
from hippohover.verification.terms import Encode, TermReader

MAX_SENTENCES: Final = 400
"""Sentences that a claim is compared with: more are no evidence of one thing."""
MAX_CHARS: Final = 60_000
"""Characters of these: twice those of 21 passages of 250 words."""
_STOP_WORTH: Final = 0.05


class Sentences:
    """Sentences of passages, and what their words are worth.

    Parameters
    ----------
    chunks : sequence of Statement
        At most 400 are read, and 60,000 characters.
    titles : mapping of str to str
        doc_id -> title.
    terms : TermReader
    encode : callable, optional
    """

    def __init__(
        self,
        chunks: Sequence[Statement],
        titles: Mapping[str, str],
        terms: TermReader,
        *,
        encode: Encode | None = None,
    ) -> None:
        ends = accumulate(len(one.said) for one in chunks[:MAX_SENTENCES])
        self.chunks = tuple(chunks[: sum(end <= MAX_CHARS for end in ends)])
        self.terms = terms
        self.encode = encode
        self.titles = titles
        self._reader = ClauseReader()
        self._names = [title.partition(" (")[0] for title in titles.values()]
        self._rarity: dict[str, float] = {}
        self._alike: dict[tuple[str, str], float] = {}

    def read(self, text: str) -> Sentence:
        """Read what a sentence says; a title without its qualifier, "(film)", is a name in it."""
        return self._reader(text, self._names)

    def stems(self, text: str) -> frozenset[str]:
        """Return the stems of a text, names or not."""
        return frozenset(stem for stem in self._reader(text).stems if stem)

    @cached_property
    def told(self) -> list[EvidenceSentence]:
        """What each sentence says."""
        known = cues().pronouns
        abouts = {about: self.stems(about) for about in {one.about for one in self.chunks}}
        above = {about: tuple(quantities_in(about)) for about in abouts}
        found: list[EvidenceSentence] = []
        whole: dict[str, dict[str, frozenset[str]]] = {one.doc_id: {} for one in self.chunks}
        for one in self.chunks:
            said, names = self.read(one.said), whole[one.doc_id]
            runs = [[stem for stem in said.stems[a:b] if stem] for a, b in name_runs(said)]
            alone = {run[0] for run in runs if len(run) == 1}
            called = {stem: names[stem] for stem in alone if names.get(stem)}
            found.append(
                EvidenceSentence(
                    said, abouts[one.about], known, not one.sent_id, above[one.about], called
                )
            )
            for run in runs:
                if len(run) > 1:
                    name = frozenset(run)
                    same = names.setdefault(run[-1], name) == name
                    names[run[-1]] = name if same else frozenset()  # of brothers, neither is meant
        return found

    def written(self, name: frozenset[str], at: int) -> str:
        """Return a name as the title of a sentence's passage has it, or the sentence."""
        title = self.titles[self.chunks[at].doc_id].partition(" (")[0]
        return title if name <= self.stems(title) else self.told[at].said.written(name)

    def rarity(self, stem: str) -> float:
        """Return a stem's rarity as a share of the rarest one's, [0, 1]; low for a stop word."""
        if stem not in self._rarity:
            own = _STOP_WORTH if stem in STOP_TOKENS else self.terms.rarity_of(stem)
            self._rarity[stem] = own
        return self._rarity[stem]

    def alike(self, first: str, second: str) -> float:
        """Return the cosine of two words; 0 without an encoder."""
        if self.encode is None:
            return 0.0
        if (first, second) not in self._alike:
            a, b = self.encode([first, second])
            self._alike[first, second] = float(a @ b)
        return self._alike[first, second]
