"""Bodies of requests and responses of the HTTP API."""

from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from hippohover.chain_records import JoinKind
from hippohover.errors import UsageError
from hippohover.metadata import MetadataValue
from hippohover.recipe import MAX_RANKED_PASSAGES
from hippohover.retrieval.registry import retriever_names
from hippohover.retrieval.walk.claim import MAX_CLAIM_CHARS
from hippohover.retrieval.where import Condition, Scope, excluding
from hippohover.verification.answer import MAX_SAMPLES
from hippohover.verification.claims import MAX_DRAFT_CHARS
from hippohover.verification.payloads import (
    AnnotatedAnswer,
    CitationFormatterOutput,
    Claim,
    ClaimEvidencePair,
    ClaimPart,
    EvidenceChunk,
    MarkedWords,
    Query,
    VerifiedClaim,
    VerifierSignal,
)

ProgramName = Literal["iterative-bm25", "hop-chain", "gap-analysis", "hypothesis", "ppr+hops"]
"""Programs that a server may be started with (``--program``)."""

if TYPE_CHECKING:
    RetrieverName = str
else:
    RetrieverName = Literal[(*retriever_names(), *get_args(ProgramName))]
"""A retriever, of this package or of an installed one, or a program."""


def _whole(value: object) -> object:
    """Convert 21.0 to 21: JSON Schema calls both integers."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Whole = Annotated[int, BeforeValidator(_whole)]
MAX_ASKED_CHARS = 1000
MAX_CONDITIONS, MAX_VALUES, MAX_SEEDS = 20, 1000, 20
_NOT_BLANK = r"[^\s\x1c-\x1f]"
"""A character that ``strip`` leaves. Dialects of patterns do not agree what a word is."""

# The tools of MCP take the same lengths; that a claim or a text is blank, the work itself says.
ClaimChars = Annotated[str, Field(max_length=MAX_CLAIM_CHARS)]
DraftChars = Annotated[str, Field(max_length=MAX_DRAFT_CHARS)]
ClaimText = Annotated[ClaimChars, Field(min_length=1, pattern=_NOT_BLANK)]
DraftText = Annotated[DraftChars, Field(min_length=1, pattern=_NOT_BLANK)]
Asked = Annotated[str, Field(max_length=MAX_ASKED_CHARS)]
Seeds = Annotated[list[Asked], Field(max_length=MAX_SEEDS)]
Titles = Annotated[list[Asked], Field(max_length=MAX_VALUES)]
FromZero = Annotated[int, Field(ge=0)]
AtOnce = Annotated[int, Field(ge=1, le=1000)]
Places = Annotated[int, Field(ge=1, le=MAX_RANKED_PASSAGES)]


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Where(_Asked):
    """A condition on passages that may answer: a field is one of the values, or begins with one.

    With an ``order``, it is a number or a date in that order to the one value. ``negated``: those
    passages may answer for which it is not so.
    """

    field: Annotated[str, Field(min_length=1, max_length=200)]
    values: Annotated[list[Asked], Field(min_length=1, max_length=MAX_VALUES)]
    prefix: bool = False
    order: Literal["", "<", "<=", ">", ">="] = ""
    negated: bool = False

    def condition(self) -> Condition:
        values = frozenset(self.values)
        return Condition(self.field, values, self.prefix, self.order, self.negated)


Conditions = Annotated[list[Where], Field(max_length=MAX_CONDITIONS)]


class ConditionsError(UsageError):
    """Conditions without a value to compare with, or a scope that a retriever does not support."""


def conditions_of(where: list[Where] | None) -> tuple[Condition, ...]:
    """Return the engine's conditions; ``ConditionsError`` for a range without a bound."""
    try:
        return tuple(condition.condition() for condition in where or ())
    except UsageError as error:
        raise ConditionsError(str(error)) from error


class _Question(_Asked):
    claim: ClaimText
    where: Conditions = []
    scope: Scope = "answers"

    def bounds(self) -> dict[str, Any]:
        """Return the arguments ``where`` and ``scope`` of a ``Service``."""
        return {"where": conditions_of(self.where), "scope": self.scope}


class RetrieveRequest(_Question):
    """A claim or a question, and how it is answered.

    The walk of ``ppr`` starts at ``seeds`` too: names, titles and pids. No title or pid of
    ``exclude`` is an answer.
    """

    k: Annotated[Places, BeforeValidator(_whole)] = MAX_RANKED_PASSAGES
    retriever: RetrieverName = "ppr"
    seeds: Seeds = []
    exclude: Titles = []

    def bounds(self) -> dict[str, Any]:
        """Return the arguments ``where``, ``scope`` and ``seeds`` of a ``Service``."""
        bounds = super().bounds()
        where = (*bounds["where"], *excluding(self.exclude))
        return {**bounds, "where": where, "seeds": self.seeds}


class ExplainTitle(_Question):
    """Which passage is explained, by its title."""

    title: Asked


class ExplainPid(_Question):
    """Which passage is explained, by its id."""

    pid: Asked


class VerifyRequest(_Asked):
    """A text: verified claim by claim, or ``whole``, as one claim."""

    text: DraftText
    retriever: RetrieverName = "ppr"
    whole: bool = False


class AnswerRequest(_Asked):
    """A question, and how many further answers are drawn for the signals of consistency."""

    question: ClaimText
    retriever: RetrieverName = "ppr"
    n_samples: Whole = Field(default=0, ge=0, le=MAX_SAMPLES)


class Problem(BaseModel):
    """Why there is no answer, on one line."""

    detail: str


Told = dict[str, MetadataValue]


class ChainPassageFound(BaseModel):
    """A passage of a chain: its place, its ``sentence``, and the words of the claim it ``answers``.

    ``is_named``: the claim names it. A short answer may not list its ``rank``.
    """

    pid: str
    title: str
    part: int
    rank: int
    sentence: str
    answers: list[str]
    is_named: bool
    citation: str


class ChainJoinFound(BaseModel):
    """What joins a passage to the passage numbered ``start`` from 0, of those before it.

    ``sentence`` has the ``words``; it is of the earlier passage where ``forward``.
    """

    kind: JoinKind
    words: str
    sentence: str
    start: int
    forward: bool


class ChainFound(BaseModel):
    """Passages that answer the claim together, and their ``joins``, one fewer.

    ``coverage`` is the share of the claim's words that they have, and ``score`` that of this
    chain's weight among all that were compared.
    """

    summary: str
    passages: list[ChainPassageFound]
    joins: list[ChainJoinFound]
    coverage: float
    score: float


class PassageFound(BaseModel):
    """A passage of an answer; ``rank`` counts from 1, a higher score is better.

    ``heading`` are the headings above it, ``others`` further passages of its document and, marked
    ``near_copy``, of others like it, of which there are ``n_near_copies``. ``metadata`` has what is
    known of ``id``, ``path``, ``page``, ``anchor`` and ``heading``, and the fields that the index
    keeps; ``citation`` says in words where the passage is, and ``link`` leads there, if the server
    has its file. It is the ``part``-th of the ``n_parts`` of its document; ``highlights`` are spans
    of ``text``, in characters, of the sentences that say most about the question. ``source`` names
    a source beyond the index: ``metadata`` then has its ``url``, and ``link`` leads there. ``path``
    is its best chain from what the claim names.
    """

    rank: int
    title: str
    heading: str
    text: str
    score: float
    pid: str
    near_copy: bool
    metadata: Told
    source: str
    citation: str
    link: str
    part: int
    n_parts: int
    highlights: list[tuple[int, int]]
    n_near_copies: int
    path: ChainFound | None
    others: "list[PassageFound]"


class SeedFound(BaseModel):
    """Where the walk began: ``mass`` is a share of all, ``part`` of a passage's document."""

    kind: str
    label: str
    mass: float
    part: int


class Retrieved(BaseModel):
    """At most k passages, best first, the ``chains`` that answer the claim together, the walk.

    ``by_similarity``: no name and no search term of the claim is in the index, so that passages are
    only the nearest by similarity. ``encoding_failure``: why a program compared words instead of
    vectors, or ""; ``fallbacks`` counts this and each reply of a model that could not be used.
    """

    claim: str
    route: str
    retriever: str
    chains: list[ChainFound]
    passages: list[PassageFound]
    seconds: float
    seeds: list[SeedFound]
    facts: list[list[str]]
    source_failures: list[str]
    encoding_failure: str
    fallbacks: int
    by_similarity: bool


class Explained(BaseModel):
    """The walk's strongest paths to a passage, and their positions in a picture."""

    claim: str
    title: str
    pid: str
    rank: int | None
    score: float | None
    reason: str
    metadata: Told
    citation: str
    seeds: list[SeedFound]
    paths: list[dict[str, Any]]
    drawing: dict[str, list[dict[str, Any]]]


class Verified(BaseModel):
    """A text with a verdict on each of its claims, their evidence and all signals."""

    query: Query
    answer: AnnotatedAnswer
    draft_response: str
    final_response: str
    claims: list[Claim]
    claim_evidence_pairs: list[ClaimEvidencePair]
    generator_metadata: dict[str, dict[str, Any]]
    evidence: dict[str, EvidenceChunk]
    titles: dict[str, str]
    metadata: dict[str, Told]
    citations: dict[str, str]
    links: dict[str, str]
    signals: dict[str, VerifierSignal]
    verified_claims: list[VerifiedClaim]
    parts: dict[str, list[ClaimPart]]
    marks: dict[str, list[MarkedWords]]
    formatted: CitationFormatterOutput
    failure: str


class Examples(BaseModel):
    """What can be asked: titles that most passages mention, or names, and questions of links.

    Names are there only if no title is mentioned.
    """

    titles: list[str]
    names: list[str]
    questions: list[str]


class IndexDescription(BaseModel):
    """What the index is, and what can be asked of it."""

    package_version: str
    version: str
    format_version: int
    recipe: dict[str, Any]
    recipe_sha256: str
    counts: dict[str, int]
    models: dict[str, dict[str, str]]
    n_failures: int
    n_not_read: int
    n_bytes: int
    retrievers: list[str]
    fields: list[str]
    language_model: str | None
    judge: str | None
    sources: list[str]
    examples: Examples


class DocumentDescription(BaseModel):
    """A document: its title, where it is, how many passages it has, and a link to read it."""

    title: str
    place: str
    n_passages: int
    link: str


class DocumentsDescription(BaseModel):
    """Some documents of the index, by title, how many there are, and what was not read."""

    n_documents: int
    documents: list[DocumentDescription]
    not_read: list[str]


class ThemeDescription(BaseModel):
    """Documents that name each other more than others: how many, their central titles, names."""

    n_documents: int
    n_passages: int
    titles: list[str]
    names: list[str]


class ThemesDescription(BaseModel):
    """What the index is about: the largest themes, and how many documents have one."""

    largest: list[ThemeDescription]
    n_themes: int
    n_documents: int
    n_alone: int


class Health(BaseModel):
    """The server answers, from this version of the index."""

    status: Literal["ok"]
    version: str
