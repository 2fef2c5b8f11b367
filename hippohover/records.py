"""Frozen values that one stage hands to the next."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final, NamedTuple, NewType

from hippohover.chain_records import Chain
from hippohover.metadata import Metadata, MetadataValue, citation, titled

PassageId = NewType("PassageId", str)
"""Stable text that names a passage: it depends only on the passage."""


def passage_id(title: str, text: str, part: int) -> PassageId:
    """Compute a passage's id from only the passage: 16 hexadecimal digits.

    The first 8 bytes of the SHA-256 of title, NUL, part, NUL, text in UTF-8.
    """
    content = f"{title}\0{part}\0{text}".encode("utf-8", "surrogatepass")
    return PassageId(sha256(content).hexdigest()[:16])


class PassageSection(NamedTuple):
    """A section that begins in a passage, and its number of tokens there."""

    heading: str
    anchor: str
    n_tokens: int


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a document: the unit that is indexed, ranked and returned.

    Attributes
    ----------
    pid : PassageId
        Id of the passage; see ``passage_id``.
    title : str
        Title of the document, as the corpus writes it. Empty when titles are hidden.
    text : str
        The passage's words, without the title.
    part : int
        0 for the first passage of a document, 1 for the next, and so on.
    start : int
        Offset in characters of ``text`` in the document's text.
    links : tuple of str
        Documents that this passage links to in the corpus, by title, name, id or path. Empty when
        it has no links.
    metadata : tuple of (str, int, float, bool or None)
        Values of the fields that the recipe keeps, in its order; None where a record has none.
    document : str
        Id or path of the document; empty if only its title names it.
    heading : str
        Headings above the text, outermost first: "Sync > Set up". Empty without one.
    aliases : tuple of str
        Further names of the document.
    path : str
        Path of the document's file below the corpus, with its suffix. Empty without a file.
    page : int
        Page on which the text begins, counted from 1; 0 if there are no pages.
    anchor : str
        The part after ``#`` in an address that leads to ``heading``. Empty without one.
    sections : tuple of PassageSection
        Sections that begin after the beginning of the text, in order.
    """

    pid: PassageId
    title: str
    text: str
    part: int = 0
    start: int = 0
    links: tuple[str, ...] = ()
    metadata: tuple[MetadataValue | None, ...] = ()
    document: str = ""
    heading: str = ""
    aliases: tuple[str, ...] = ()
    path: str = ""
    page: int = 0
    anchor: str = ""
    sections: tuple[PassageSection, ...] = ()


@dataclass(frozen=True, slots=True)
class Triple:
    """(subject, predicate, object) as extracted from one sentence of one passage.

    Attributes
    ----------
    subject, predicate, object : str
        Surface text with its own case and script, whitespace collapsed, never empty.
    sentence : int
        Number of the sentence in the passage's text, from 0.
    """

    subject: str
    predicate: str
    object: str
    sentence: int = 0

    def words(self) -> list[str]:
        """Return subject, predicate and object."""
        return [self.subject, self.predicate, self.object]


@dataclass(frozen=True, slots=True)
class Seed:
    """Where a walk starts.

    Attributes
    ----------
    kind : str
        ``"mention"``, ``"passage"`` or ``"fact"``: what put it there.
    label : str
        The entity's name or the passage's title.
    mass : float
        Share of the reset distribution, in (0, 1].
    part : int
        Of a passage: which of its document it is, from 1.
    """

    kind: str
    label: str
    mass: float
    part: int = 1

    @property
    def shown(self) -> str:
        """What to call it: an entity's name, or a passage's title and part."""
        return titled(self.label, self.part)

    def as_dict(self) -> dict[str, Any]:
        """Return the seed, ready for JSON."""
        return {"kind": self.kind, "label": self.label, "mass": self.mass, "part": self.part}


def _counted(names: Sequence[str], n: int, one: str, more: str) -> str:
    words = f"+ {one if n == 1 else f'{n} {more}'}"
    told = "; ".join([*dict.fromkeys(filter(None, names)), *(["..."] if n > len(names) else [])])
    return f"{words}: {told}" if told else words


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """One line of an answer; ``rank`` counts from 1, a higher ``score`` is better.

    Attributes
    ----------
    rank : int
    pid : PassageId
    title, text : str
    score : float
    heading : str
        Headings above the text, outermost first.
    others : tuple of RankedPassage
        Further passages of the same document, and of documents that nearly copy it, best first;
        their ranks start at 2.
    near_copy : bool
        Whether it is listed as a near-copy: its document is not that of the place.
    metadata : mapping of str to (str, int, float or bool)
        ``id``, ``path``, ``page``, ``anchor`` and ``heading`` as far as they are known, and the
        fields that the recipe keeps, by ``metadata.name_of_field``, as far as there is a value.
    n_near_copies : int
        How many documents that nearly copy its document it stands for; the best of them are listed.
    source : str
        Name of the source beyond the index that it comes from; empty for a passage of the index. If
        there is one, ``metadata`` has the address, as ``url``, and ``doi``, ``arxiv_id``, ``year``
        and ``citation_count`` as far as they are known.
    path : Chain or None
        Its best chain from what the claim names to this passage; None for passages of ``others``,
        of a source or a program, and behind the first 21 of an answer.
    """

    rank: int
    pid: PassageId
    title: str
    text: str
    score: float
    heading: str = ""
    others: "tuple[RankedPassage, ...]" = ()
    near_copy: bool = False
    metadata: Metadata = field(default_factory=dict[str, MetadataValue], hash=False)
    source: str = ""
    n_near_copies: int = 0
    path: Chain | None = None

    @property
    def citation(self) -> str:
        """Where it is, in words: "report.pdf, p. 12", "notes/x.md#Rates", else its title."""
        return citation(self.title, self.metadata)

    @property
    def place_within(self) -> str:
        """Its place in its document: "Rates, p. 12"; empty where neither is known."""
        page = self.metadata.get("page")
        return ", ".join(filter(None, (self.heading, f"p. {page}" if page else "")))

    def others_in_words(self) -> str:
        """Say how many others there are, by heading and page or title; "" without any."""
        own = [other.place_within for other in self.others if not other.near_copy]
        copies = [other.title for other in self.others if other.near_copy]
        return " ".join(
            _counted(names, max(n, len(names)), one, more)
            for names, n, one, more in (
                (own, 0, "1 more passage of it", "more passages of it"),
                (copies, self.n_near_copies, "1 near-copy", "near-copies"),
            )
            if names
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the passage, ready for JSON."""
        return {
            "rank": self.rank,
            "title": self.title,
            "heading": self.heading,
            "text": self.text,
            "score": self.score,
            "pid": self.pid,
            "near_copy": self.near_copy,
            "metadata": dict(self.metadata),
            "source": self.source,
            "citation": self.citation,
            "n_near_copies": self.n_near_copies,
            "path": self.path.as_dict() if self.path else None,
            "others": [other.as_dict() for other in self.others],
        }


@dataclass(frozen=True, slots=True)
class CandidateFact:
    """A fact that a language model could choose.

    Attributes
    ----------
    fact : Triple
    similarity : float
        Cosine of claim and fact.
    kept : bool
    """

    fact: Triple
    similarity: float
    kept: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """What happened on the way to an answer.

    Attributes
    ----------
    route : str
        How facts were chosen: ``"no-filter"``, without a language model; ``"filtered"``, by one;
        ``"filter-empty"``, it kept none; ``"filter-skipped"``, there was nothing worth asking
        about; ``"filter-failed"``, it gave no usable answer.
    seeds : tuple of Seed
        Strongest first; empty for retrievers that do not walk.
    facts : tuple of Triple
        Candidate facts whose entities became seeds, best first.
    n_candidates : int
        Passages that were scored before the ranking was cut.
    seconds : float
        Wall time of the call.
    lm_calls, fallbacks : int
        Calls of a language model, and stages that used their fallback.
    searches : int
        Number of rankings; for a program, of its searches.
    input_tokens, output_tokens : int
        Tokens of the calls, as the language model's server counts them.
    cost_usd : float or None
        Price of the calls; None when it is not known.
    candidate_facts : tuple of CandidateFact
        What the language model chose from, most similar first.
    invented_facts : tuple of tuple of str
        Facts in its answer that are not candidates.
    failure : str
        Why it gave no usable answer, or that it chose none, where the settings take the most
        similar facts instead; empty otherwise.
    fallback : str
        The same in one of a few terms, for counting: ``"no answer"``, ``"unreadable reply"``,
        ``"refused"``, ``"empty choice"``, or ``"not asked"``, because it failed to answer several
        times in a row.
    ranked_by : str
        What ``ppr`` ranked by: the learned ``"weights"``, where they outvote all other lists
        together; ``"fusion"`` of these lists; only the ``"walk"``, if the settings say so;
        ``"tuned"``, a ranking that ``tune`` learned on top of one of these.
        Empty for other retrievers.
    corrections : tuple of (str, str)
        Misspelt words of the claim, as typed and as searched.
    source_failures : tuple of str
        Sources beyond the index that did not answer, and why.
    encoding_failure : str
        Why a program compared words instead of vectors; "" if it did not have to.
    by_similarity : bool
        No name and no search term of the claim is in the index: its passages are only the nearest
        by similarity, and may have nothing to do with it.
    """

    route: str
    seeds: tuple[Seed, ...] = ()
    facts: tuple[Triple, ...] = ()
    n_candidates: int = 0
    seconds: float = 0.0
    lm_calls: int = 0
    fallbacks: int = 0
    searches: int = 1
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0
    candidate_facts: tuple[CandidateFact, ...] = ()
    invented_facts: tuple[tuple[str, ...], ...] = ()
    failure: str = ""
    fallback: str = ""
    ranked_by: str = ""
    corrections: tuple[tuple[str, str], ...] = ()
    source_failures: tuple[str, ...] = ()
    encoding_failure: str = ""
    by_similarity: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return what happened to the facts, the cost, and the corrected words."""
        facts = [
            {
                "fact": candidate.fact.words(),
                "similarity": candidate.similarity,
                "kept": candidate.kept,
            }
            for candidate in self.candidate_facts
        ]
        return {
            "candidate_facts": facts,
            "invented_facts": [list(words) for words in self.invented_facts],
            "failure": self.failure,
            "fallback": self.fallback,
            "ranked_by": self.ranked_by,
            "corrections": [list(pair) for pair in self.corrections],
            "source_failures": list(self.source_failures),
            "encoding_failure": self.encoding_failure,
            "by_similarity": self.by_similarity,
            **{name: getattr(self, name) for name in SPENT},
        }


SPENT: Final = (
    "searches",
    "lm_calls",
    "fallbacks",
    "input_tokens",
    "output_tokens",
    "cost_usd",
)
"""What a retrieval costs: fields of its ``Trace``."""


@dataclass(frozen=True, slots=True)
class Retrieval:
    """An answer to a claim.

    Attributes
    ----------
    claim, retriever : str
    passages : tuple of RankedPassage
        Best first.
    trace : Trace
        How they were found.
    chains : tuple of Chain
        The best chains of passages that answer the claim together, best first: at most three, each
        with a passage that no better one has. Of a program there are none.
    """

    claim: str
    retriever: str
    passages: tuple[RankedPassage, ...]
    trace: Trace = field(default_factory=lambda: Trace(route="no-filter"))
    chains: tuple[Chain, ...] = ()

    def as_dict(self, *, trace: bool = False) -> dict[str, Any]:
        """Return the answer, ready for JSON; with its candidate facts if asked for."""
        return {
            "claim": self.claim,
            "route": self.trace.route,
            "retriever": self.retriever,
            "chains": [chain.as_dict() for chain in self.chains],
            "passages": [passage.as_dict() for passage in self.passages],
            "seconds": self.trace.seconds,
            **({"trace": self.trace.as_dict()} if trace else {}),
        }

    def _repr_html_(self) -> str:
        """Write the passages as HTML for a notebook."""
        from hippohover.rendering.html import as_html, table

        rows = [
            [
                str(passage.rank),
                " > ".join(filter(None, (passage.title or "(untitled)", passage.heading))),
                " ".join(filter(None, (passage.text, passage.others_in_words()))),
                f"{passage.score:.3g}",
            ]
            for passage in self.passages
        ]
        return as_html(table(["rank", "title", "text", "score"], rows, self.claim))


@dataclass(frozen=True, slots=True)
class ExtractionFailure:
    """A passage that an extractor could not read: its id, and the reason on one line."""

    pid: PassageId
    reason: str

    def __str__(self) -> str:
        return f"passage {self.pid}: no triples ({self.reason})"
