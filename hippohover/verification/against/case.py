"""A claim and the sentences of its passages, read once for all signals."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum
from typing import Final

from hippohover.language.antecedents import with_antecedents
from hippohover.language.clause_parts import main_clauses, parts_of
from hippohover.language.clauses import ClauseReader
from hippohover.language.cues import cues, word_list
from hippohover.language.frames import ParsedSentence
from hippohover.language.parser import Parses
from hippohover.language.quantities.quantity import Quantity
from hippohover.language.said import Said, name_runs
from hippohover.names.mentions import STOP_TOKENS
from hippohover.names.normal_forms import tokens
from hippohover.names.sentences import sentence_spans
from hippohover.verification.against.checks import findings_of
from hippohover.verification.against.comparison import SHORT, Comparison
from hippohover.verification.against.descriptions import named
from hippohover.verification.against.fillers import other_fillers
from hippohover.verification.against.findings import EvidenceSentence, Finding
from hippohover.verification.against.numbers import held_otherwise, numbers_held
from hippohover.verification.against.scattered import scattered_words
from hippohover.verification.against.values import said_of_no_other
from hippohover.verification.payloads import EvidenceChunk
from hippohover.verification.terms import Encode, TermReader

MAX_SENTENCES: Final = 400
"""Sentences that a claim is compared with: more are no evidence of one thing."""
MAX_WORDS_PARSED: Final = 16
"""Words and marks of a claim that is compared by its parse: a longer one says several things."""
MAX_PARSED: Final = 16
"""Sentences that are parsed for it: those with most of its words."""
MOST_NAMED: Final = 3
"""Descriptions within one another that are named: as many as a claim of four documents has."""
_ARTICLES: Final = word_list("articles")
_STOP_WORTH: Final = 0.05


@dataclass(frozen=True, slots=True)
class Part:
    """A clause of a claim, and the evidence for and against it.

    Attributes
    ----------
    text : str
    share : float
        Largest share of its words, by rarity, that one sentence holds, [0, 1].
    at : int
        Place of that sentence; -1 where there is none.
    findings : tuple of Finding
    """

    text: str
    share: float
    at: int
    findings: tuple[Finding, ...]

    @property
    def against(self) -> Finding | None:
        """Strongest finding against it."""
        return min(self.findings, key=lambda one: not one.sure, default=None)

    @property
    def shown(self) -> int:
        """Place of the sentence that contradicts it, else of the one that holds most of it."""
        return self.at if self.against is None else self.against.sentence


class Case:
    """One claim against the sentences of its passages.

    Parameters
    ----------
    text : str
    chunks : sequence of EvidenceChunk
        Sentences of the passages; at most 400 are read.
    titles : mapping of str to str
    read : TermReader
    encode : callable, optional
    parses : callable, optional
        Sentences to their parses, by which the claim is cut into clauses; by marks without one.
    about : str
        What a pronoun of the claim stood for, in whose place it is; "" without.
    n_named : int
        Names that stand in it for descriptions; from ``MOST_NAMED`` on no other is sought.
    """

    def __init__(  # noqa: PLR0913
        self,
        text: str,
        chunks: Sequence[EvidenceChunk],
        titles: Mapping[str, str],
        read: TermReader,
        *,
        encode: Encode | None = None,
        parses: Parses | None = None,
        about: str = "",
        n_named: int = 0,
    ) -> None:
        self.text = text
        self.chunks = tuple(chunks[:MAX_SENTENCES])
        self.encode = encode
        self._parses = parses
        self._about = about
        self._n_named = n_named
        self._titles = titles
        self._terms = read
        self._read = ClauseReader()
        self._rarity: dict[str, float] = {}
        self._alike: dict[tuple[str, str], float] = {}

    @cached_property
    def told(self) -> list[EvidenceSentence]:
        """What each sentence says."""
        known = cues().pronouns
        titles = {
            doc: frozenset(stem for stem in self._read(self._titles[doc]).stems if stem)
            for doc in {chunk.doc_id for chunk in self.chunks}
        }
        found: list[EvidenceSentence] = []
        whole: dict[str, dict[str, frozenset[str]]] = {doc: {} for doc in titles}
        for one in self.chunks:
            said, names = self._read(one.text, self._names), whole[one.doc_id]
            runs = [[stem for stem in said.stems[a:b] if stem] for a, b in name_runs(said)]
            alone = {run[0] for run in runs if len(run) == 1}
            called = {stem: names[stem] for stem in alone if names.get(stem)}
            found.append(EvidenceSentence(said, titles[one.doc_id], known, not one.sent_id, called))
            for run in runs:
                if len(run) > 1:
                    name = frozenset(run)
                    same = names.setdefault(run[-1], name) == name
                    names[run[-1]] = name if same else frozenset()  # of brothers, neither is meant
        return found

    @cached_property
    def _names(self) -> list[str]:
        """Titles of the passages, without qualifiers: "Low Tide (film)"."""
        return [title.partition(" (")[0] for title in self._titles.values()]

    @cached_property
    def said(self) -> Said:
        """What the claim says, as a whole."""
        return self._read(self.text, self._names)

    @cached_property
    def parts(self) -> list[Part]:
        """The claim's clauses, each against the evidence; main clauses as they would be alone."""
        if self.clauses:
            return [part for clause in self.clauses for part in clause.parts]
        parts = [self._part(beside) for beside in self.comparisons]
        against = self._by_parse
        if self._n_named < MOST_NAMED:
            against += self._against_the_named
        if against:
            parts[-1] = replace(parts[-1], findings=(*parts[-1].findings, *against))
        return parts

    @cached_property
    def _against_the_named(self) -> tuple[Finding, ...]:
        """What speaks against the claim in the name of the one that it describes.

        Never sure: another may fit the description as well.
        """
        beside = Comparison(self.said, self.told, self.rarity, self.alike)
        found = named(beside)
        if found is None:
            return ()
        described, name, at = found
        start, stop = self.said.spans[described.start][0], self.said.spans[described.stop - 1][1]
        who = self._written(name, at)
        text = f"{self.text[:start]}{who}{self.text[stop:]}"
        case = self._of_text(text, named=1)
        others = [
            one
            for one in case.findings
            if one.kind != "scattered"
            and (one.sure or one.told.startswith("of ") or one in case._by_parse)
        ]
        is_short = len(self.said.words) <= SHORT and not {"and", "both"} & set(self.said.words)
        if not others and is_short:
            others = [one for one in case.findings if one.kind == "scattered"]
        return tuple(replace(one, told=f"of “{who}”, {one.told}", sure=False) for one in others)

    @cached_property
    def _by_parse(self) -> tuple[Finding, ...]:
        """What speaks against a short claim by its parse, where there is one."""
        is_short = len(self.said.words) <= MAX_WORDS_PARSED
        if self._parses is None or not is_short:
            return ()
        wanted = self.said.held.keys()
        shares = [self._worth(wanted & told.stems) for told in self.told]
        written = [at for at, told in enumerate(self.told) if not told.said.is_field]
        order = sorted(written, key=lambda at: (-shares[at], at))
        places = sorted(order[:MAX_PARSED])
        kinds = {
            chunk.doc_id: frozenset(told.said.held)
            for chunk, told in zip(self.chunks, self.told, strict=True)
            if told.lead
        }
        claim, *parses = self._parses([self.text, *(self.chunks[at].text for at in places)])
        evidence = [
            ParsedSentence(
                parse, self.told[at].title, kinds.get(self.chunks[at].doc_id, frozenset())
            )
            for at, parse in zip(places, parses, strict=True)
        ]
        known = frozenset[str]().union(*(told.stems for told in self.told))
        found = other_fillers(ParsedSentence(claim), evidence, known)
        if any(self.said.denied):  # by words that a parse has no arc for: "no", "no longer"
            found = [one for one in found if one.kind != "denied"]
        return tuple(replace(one, sentence=places[one.sentence]) for one in found)

    def _of_text(self, text: str, *, about: str = "", named: int = 0) -> "Case":
        """Return another claim beside the same sentences; ``named`` counts names put in it."""
        return Case(
            text,
            self.chunks,
            self._titles,
            self._terms,
            encode=self.encode,
            parses=self._parses,
            about=about,
            n_named=self._n_named + named,
        )

    def _written(self, name: frozenset[str], at: int) -> str:
        """Return a name as a passage's title has it, or a sentence."""
        title = self._titles[self.chunks[at].doc_id].partition(" (")[0]
        stems = {stem for stem in self._read(title).stems if stem}
        return title if name <= stems else self.told[at].said.written(name)

    @cached_property
    def clauses(self) -> "list[Case]":
        """The main clauses of a claim of one sentence, each as a claim by itself; or none.

        A pronoun in one is who the clause before it is about.
        """
        told = with_antecedents(main_clauses(self.text))
        if len(told) < 2 or len(sentence_spans(self.text)) > 1:
            return []
        return [self._of_text(one.text, about=one.name or self._about) for one in told]

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """Each clause of the claim beside all of the evidence."""
        if self.clauses:
            return [one for clause in self.clauses for one in clause.comparisons]
        parts = parts_of(self.text, self._parses)
        return [
            Comparison(
                self._read(part, self._names),
                self.told,
                self.rarity,
                self.alike,
                alone=len(parts) == 1,
            )
            for part in parts
        ]

    @cached_property
    def findings(self) -> list[Finding]:
        """Findings against any part, the certain ones first."""
        return sorted(
            (finding for part in self.parts for finding in part.findings),
            key=lambda one: not one.sure,
        )

    @cached_property
    def numbers(self) -> tuple[int, int]:
        """Quantities of the claim, and those of them in the evidence.

        One that clauses share counts once, and is held where one of them has it.
        """
        held: dict[Quantity, bool] = {}
        for one in self.comparisons:
            for quantity, has in numbers_held(one).items():
                alone = replace(quantity, start=0, stop=0)
                held[alone] = held.get(alone, False) or has
        return len(held), sum(held.values())

    @cached_property
    def otherwise(self) -> list[frozenset[str]]:
        """Terms that each sentence says in another form: "67,000,000", or open for not closed."""
        return [self._otherwise(at) for at in range(len(self.told))]

    @cached_property
    def held_otherwise(self) -> frozenset[str]:
        """Terms that some sentence says in another form."""
        return frozenset[str]().union(*self.otherwise)

    def _otherwise(self, at: int) -> frozenset[str]:
        found: set[str] = set()
        for one in self.comparisons:
            quantities, stems = held_otherwise(one, at)
            found |= set(stems)
            for quantity in quantities:
                words = tokens(one.claim.text[quantity.start : quantity.stop])[0]
                found |= {*self._terms.stems(words), *one.claim.stems_in(quantity)}
        return frozenset(found)

    def clause_of(self, part: Part) -> tuple[int, int]:
        """Return the characters of a part's shown sentence that say the claim, or contradict it."""
        if part.shown < 0:
            return 0, 0
        cue = "" if part.against is None else part.against.cue
        return self.told[part.shown].said.window(self._read(part.text).held.keys(), cue)

    def rarity(self, stem: str) -> float:
        """Return a stem's rarity as a share of the rarest one's, [0, 1]; low for a stop word."""
        if stem not in self._rarity:
            own = _STOP_WORTH if stem in STOP_TOKENS else self._terms.rarity_of(stem)
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

    def _part(self, beside: Comparison) -> Part:
        claim = beside.claim
        wanted = set(claim.held)
        total = self._worth(wanted)
        shares = [
            self._worth(wanted & (told.stems | otherwise))
            for told, otherwise in zip(self.told, self.otherwise, strict=True)
        ]
        best = max(range(len(shares)), key=shares.__getitem__, default=-1)
        share = min(1.0, shares[best] / total) if best >= 0 and total else float(best >= 0)
        of_others = said_of_no_other(
            beside, frozenset(stem for stem in self._read(self._about).stems if stem)
        )
        findings = (*findings_of(beside), *of_others) or (*scattered_words(beside),)
        if not beside.alone and _is_any_of_its_kind(claim):
            findings = tuple(replace(one, sure=False) for one in findings)
        return Part(claim.text, share, best, findings)

    def _worth(self, stems: Collection[str]) -> float:
        """Return a stem's exact worth, so that no order of a set changes a sum."""
        return fsum(self.rarity(stem) for stem in stems)


def _is_any_of_its_kind(claim: Said) -> bool:
    """Return whether a part is about "the team" that another part says which it is.

    What a sentence says of a team may be said of another one.
    """
    subject = claim.words[: claim.verb]
    written = claim.text.split(maxsplit=2)[1:2]
    return len(subject) == 2 and subject[0] in _ARTICLES and written[:1] == [subject[1]]
