"""Settings of an index and of its queries: validated, hashed, read from TOML.

Every field has a default, so the shortest recipe is a name. A default that was chosen by
measurement names the script in ``benchmarks/`` that measured it.
"""

import json
import re
from hashlib import sha256
from typing import Annotated, Any, Final, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from hippohover.errors import UsageError

MAX_RANKED_PASSAGES: Final = 21
"""Longest answer: HoVer's programs hop three times and keep 7 documents each time, and the
benchmark judges the first 21. It bounds answers only; searches inside a program go deeper."""

MAX_SEARCH_DEPTH: Final = 1000
"""Deepest search that a program may ask for."""


_OWN: Final = "custom:"
_OWN_NAME: Final = r"[A-Za-z0-9._:@/+-]{1,100}"
_FIELD_NAME: Final = re.compile(r"[A-Za-z0-9_-]+")
_PASSAGE_FIELDS: Final = ("pid", "title", "text", "links")


_RecordField = Annotated[str | None, Field(min_length=1, max_length=200)]


class _Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class EdgeWeights(_Settings):
    """Weight of each type of edge in the walk (benchmarks/ablation.py); 0 leaves it out.

    Attributes
    ----------
    title : float
        From a passage to the entity that it is about.
    mention : float
        From a passage to a name of another that its text holds.
    phrase : float
        From a passage to a capitalised phrase that no title is.
    source : float
        From a passage to the subjects and objects of its facts.
    fact : float
        From the subject of a fact to its object.
    synonymy : float
        Between entities whose names are near-identical spellings.
    link : float
        From a passage to the document that it links.
    neighbour : float
        Between passages that follow each other in one document.
    """

    title: float = Field(default=1.0, ge=0, le=100)
    mention: float = Field(default=1.0, ge=0, le=100)
    phrase: float = Field(default=0.1, ge=0, le=100)
    source: float = Field(default=0.1, ge=0, le=100)
    fact: float = Field(default=0.1, ge=0, le=100)
    synonymy: float = Field(default=0.1, ge=0, le=100)
    link: float = Field(default=0.5, ge=0, le=100)
    neighbour: float = Field(default=0.25, ge=0, le=100)


class FactFilterSettings(_Settings):
    """Use of a language model's choice among the facts (benchmarks/fact_filter.py).

    Attributes
    ----------
    n_candidates : int
        Facts that the model chooses from.
    max_kept : int
        Facts that may be kept.
    min_fact_score : float
        The model is not asked when no candidate has that similarity to the claim.
    min_closeness : float
        Below it, a fact that the model wrote and no candidate equals counts as invented.
    fact_mass : float
        Mass shared by the entities of the kept facts, beside ``mention_mass``.
    on_empty : {"walk", "top-k"}
        When nothing is kept: walk from mentions and passages alone, or from the entities of the
        ``QuerySettings.n_facts`` most similar facts. The reference ranks by similarity then.
    on_failure : {"fallback", "top-k", "fail"}
        When the model does not answer, or not in the form asked for: walk from mentions and
        passages alone, or from the ``QuerySettings.n_facts`` most similar facts too, both of
        which the Trace counts as a fallback; or raise.
    prompt : {"own", "hipporag2"}
        What the model is told: this package's words, or those of HippoRAG 2. The retriever
        ``hipporag2`` always has the latter.
    """

    n_candidates: int = Field(default=20, ge=1, le=100)
    max_kept: int = Field(default=4, ge=1, le=20)
    min_fact_score: float = Field(default=0.0, ge=-1, le=1)
    min_closeness: float = Field(default=0.8, ge=0, le=1)
    fact_mass: float = Field(default=3.0, gt=0)
    on_empty: Literal["walk", "top-k"] = "walk"
    on_failure: Literal["fallback", "top-k", "fail"] = "fallback"
    prompt: Literal["own", "hipporag2"] = "own"


class QuerySettings(_Settings):
    """Settings of a query: seeds, walk and ranking (benchmarks/ablation.py).

    Attributes
    ----------
    damping : float
        1 - restart probability of the walk, in [0, 0.99].
    solver : {"push", "prpack"}
        Forward push near the seeds; or igraph's PRPACK on the whole graph, the exact reference,
        which needs the graph in memory and takes seconds a claim on a large one.
    eps : float
        Residual per unit of degree that forward push leaves unpushed.
    n_seed_passages : int
        Best BM25 passages that become seeds.
    passage_power : float
        Power that their scores are raised to, before they share ``passage_mass``.
    passage_mass : float
        Mass shared by these passages.
    dense_mass : float
        Mass shared by the best passages by cosine.
    max_compared : int
        Passages of an index up to which ``ppr`` compares a claim with all their vectors, for
        ``dense_mass`` and for candidates beside the walk's. Above it, with those of its candidates.
    vectors : {"exact", "faiss"}
        How the passages nearest to a claim are found: by comparing all; or by FAISS's inverted
        lists (extra ``faiss``), in an eighth to a third of the time and nearly the same passages,
        for an index of millions. The lists are made at the first such call, and kept.
    mention_mass : float
        Mass shared by the entities that the claim names.
    fact_mass : float
        Mass shared by the entities of the best facts. The three masses are scaled to sum to 1.
    n_facts : int
        Candidate facts that lend their entities to the seeds.
    n_candidates : int
        Best passages of the walk that are scored again.
    rerank : bool
        Whether candidates are scored again by learned weights, or ranked by the walk alone.
    second_walk : bool
        Whether the best of the scored candidates restart a second walk, whose finds are scored
        with them.
    one_per_document : bool
        Whether each place of an answer goes to a document, to the best passage of it, with its
        others listed behind that; or to a passage (benchmarks/domains.py).
    near_copies : {"grouped", "apart"}
        Whether passages of different documents that say nearly the same, nine in ten of their
        words, share a place: the best of them has it, the others are listed behind it. Two that
        the claim names by different names never do. On Wikipedia's pages, where two titles may
        open alike, sharing costs 6.7 points of EX-FEVER's claims (benchmarks/domains.py).
    prefer : str
        A field of ``corpus.metadata`` that orders passages that say the same, near-copies and
        documents of one title: ``"date"`` has the greatest number or latest date first, ``"-date"``
        the least; without the field is last. They change places with one another alone, among the
        best 200. Empty leaves them in their order.
    filter : FactFilterSettings
        Used when an engine is opened with a language model.
    weights : EdgeWeights
        Weight of each type of edge.
    """

    damping: float = Field(default=0.8, ge=0, le=0.99)
    solver: Literal["push", "prpack"] = "push"
    eps: float = Field(default=3e-5, gt=0, le=0.1)
    n_seed_passages: int = Field(default=100, ge=0, le=1000)
    passage_power: float = Field(default=3.0, gt=0, le=10)
    passage_mass: float = Field(default=1.0, ge=0)
    dense_mass: float = Field(default=0.5, ge=0)
    max_compared: int = Field(default=100_000, ge=0)
    vectors: Literal["exact", "faiss"] = "exact"
    mention_mass: float = Field(default=3.0, ge=0)
    fact_mass: float = Field(default=0.0, ge=0)
    n_facts: int = Field(default=5, ge=0, le=100)
    n_candidates: int = Field(default=400, ge=21, le=5000)
    rerank: bool = True
    second_walk: bool = True
    one_per_document: bool = True
    near_copies: Literal["grouped", "apart"] = "apart"
    prefer: str = Field(default="", pattern=r"^(-?[A-Za-z0-9_-]+)?$")
    filter: FactFilterSettings = FactFilterSettings()
    weights: EdgeWeights = EdgeWeights()

    @model_validator(mode="after")
    def _has_seeds(self) -> Self:
        if not (self.passage_mass or self.dense_mass or self.mention_mass or self.fact_mass):
            raise ValueError("a walk needs seeds: set one of the masses above 0")
        return self


class CorpusFields(_Settings):
    """Names of the fields of a corpus's records; others are detected.

    Attributes
    ----------
    id : str, optional
        A text or a whole number that no other record has.
    title : str, optional
        A record without title goes by its id.
    text : str, optional
        A text, or a list of sentences or of paragraphs.
    links : str, optional
        A list of titles, names or ids of other documents.
    date : str, optional
        Kept as the field ``date``, where ``metadata`` names that.
    aliases : str, optional
        A list of further names.
    """

    id: _RecordField = None
    title: _RecordField = None
    text: _RecordField = None
    links: _RecordField = None
    date: _RecordField = None
    aliases: _RecordField = None


NO_FIELDS: Final = CorpusFields()
"""Nothing is named: all is found out."""


class CorpusSettings(_Settings):
    """Which passages are indexed.

    Attributes
    ----------
    path : str, optional
        File or folder of the corpus; ``--corpus`` replaces it.
    url : str, optional
        Where it is downloaded from when ``path`` is not there.
    sha256, n_bytes : str and int, optional
        What must arrive from there: its checksum and its size.
    format : str
        ``"auto"`` finds out; or one of ``"jsonl"``, ``"json"``, ``"table"`` (CSV and TSV),
        ``"parquet"``, ``"wiki-extracts"``, ``"mediawiki"``, ``"hotpotqa"``, ``"wiki-abstracts"``,
        ``"sqlite"``, ``"hipporag"`` (an older name of ``"json"``) and ``"folder"``.
    max_words : int
        Longest passage, in words; 0 never splits (benchmarks/passage_length.py).
    max_bad_share : float
        Share of unusable records above which a corpus is refused.
    titles : {"shown", "hidden"}
        ``"hidden"`` keeps titles out of texts, entities and vectors: to measure without them.
    metadata : tuple of str
        Fields of the corpus's records that are kept with their passages, to filter answers by.
    fields : CorpusFields
        Names of the records' fields, where they are not found out rightly.
    include, exclude : tuple of str
        Globs over the files of a folder or an archive, as in a .gitignore file. Where ``include``
        has any, only files that match are read, hidden ones too; what a hidden or vendored folder
        holds, or a .gitignore names, only where a glob has the name of it or of its folder. Those
        that match ``exclude`` are not read.
    """

    path: str | None = None
    url: str | None = None
    sha256: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")
    n_bytes: int | None = Field(default=None, gt=0)
    format: str = "auto"
    max_words: int = Field(default=250, ge=0)
    max_bad_share: float = Field(default=0.01, ge=0, le=1)
    titles: Literal["shown", "hidden"] = "shown"
    metadata: tuple[str, ...] = Field(default=(), strict=False)
    fields: CorpusFields = NO_FIELDS
    include: tuple[str, ...] = Field(default=(), strict=False)
    exclude: tuple[str, ...] = Field(default=(), strict=False)

    @field_validator("metadata")
    @classmethod
    def _metadata_can_be_named(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if name in _PASSAGE_FIELDS or _FIELD_NAME.fullmatch(name) is None:
                raise ValueError(
                    "name fields of the records by letters, digits, _ and -, other than "
                    f"{', '.join(_PASSAGE_FIELDS)}"
                )
        if len(set(names)) < len(names):
            raise ValueError("name each field once")
        return names


class LanguageModelSettings(_Settings):
    """Which language model is asked, and how.

    Attributes
    ----------
    name : str
        A LiteLLM name, such as ``"openai/gpt-4.1-mini"``, or ``"gguf:PATH"``: a llama.cpp server
        is then started for that file on 127.0.0.1, and stopped at the end.
    api_base : str, optional
        Address of an OpenAI-compatible server; the name is then ``"openai/<its model>"``. It is
        written into indexes, so an address that holds a password or a key is refused.
    api_key_variable : str, optional
        Environment variable that holds the key; the provider's own when not given. The key
        itself stands in no recipe, index, log or result.
    temperature : float, optional
        0 is the steadiest. None, which Python can give and TOML cannot, leaves it to the server.
    timeout_seconds : float, optional
        For one attempt: 120 when not given, and 1,800 for ``gguf:``, whose server works to its
        end on a request that was given up.
    n_retries : int
        Further attempts after 429, 5xx, a time-out or a cut connection, with back-off.
    parallel : int
        Passages of a build, or claims of a file, that are asked about side by side.
    n_context : int
        Longest prompt and reply in tokens, for ``gguf:`` alone.
    usd_per_million_input, usd_per_million_output : float, optional
        Prices, where DSPy does not know them.
    """

    name: str = Field(min_length=1, max_length=4096)
    api_base: str | None = Field(default=None, pattern=r"^https?://[^@\s?#]+$")
    api_key_variable: str | None = Field(default=None, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    temperature: float | None = Field(default=0.0, ge=0, le=2)
    timeout_seconds: float | None = Field(default=None, gt=0, le=86_400)
    n_retries: int = Field(default=3, ge=0, le=20)
    parallel: int = Field(default=4, ge=1, le=256)
    n_context: int = Field(default=4096, ge=512, le=1_048_576)
    usd_per_million_input: float | None = Field(default=None, ge=0)
    usd_per_million_output: float | None = Field(default=None, ge=0)


class IndexRecipe(_Settings):
    """Everything that decides what an index holds.

    Attributes
    ----------
    name : str
        Names the folder that the index goes to.
    corpus : CorpusSettings
        Which passages are indexed.
    extractor : {"between", "spacy", "llm", "llm+rules", "file", "none"}
        Triples by the words between two names, without a parser, which finds as much in a tenth
        of the time (benchmarks/domains.py); by rules on spaCy's parse; by ``language_model``, and
        by the rules on spaCy's parse where it fails; those of the file ``triples``; none. One of
        your own is ``"custom:NAME"``: it is handed to ``build`` from Python.
    triples : str, optional
        HippoRAG's ``openie_results_*.json``, for the extractor ``"file"``.
    language_model : LanguageModelSettings, optional
        Which one, for the extractors that need it.
    spacy_model : str
        Installed spaCy package with a tagger and a parser.
    encoder : str
        ``"minilm-static"``, a table of vectors distilled from all-MiniLM-L6-v2; ``"minilm"``,
        that model itself; a folder, or the name of a sentence-transformers model in the local
        Hugging Face cache; or ``"none"``. One of your own is ``"custom:NAME"``, as an extractor.
    fact_vectors : bool
        Whether the index holds a vector of every fact. Without them the ``hipporag2`` retriever
        encodes all facts at its first call: a minute a million, with the default encoder.
    max_failure_share : float
        Share of passages whose extraction may fail before the build stops.
    aliases : dict of str to str
        Names that stand for another: the entities are one (``indexing.aliases``).
    query : QuerySettings
        How the index is asked.
    """

    name: str = Field(default="default", pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")
    corpus: CorpusSettings = CorpusSettings()
    extractor: str = Field(
        default="between", pattern=rf"^(spacy|between|llm|llm\+rules|file|none|{_OWN}{_OWN_NAME})$"
    )
    triples: str | None = None
    language_model: LanguageModelSettings | None = None
    spacy_model: str = "en_core_web_sm"
    encoder: str = "minilm-static"
    fact_vectors: bool = False
    max_failure_share: float = Field(default=0.01, ge=0, le=1)
    aliases: dict[str, str] = {}
    query: QuerySettings = QuerySettings()

    @model_validator(mode="after")
    def _keeps_what_it_prefers(self) -> Self:
        field = self.query.prefer.removeprefix("-")
        if field and field not in self.corpus.metadata:
            raise ValueError(f"query.prefer names {field!r}: name it in corpus.metadata too")
        return self

    @field_validator("aliases")
    @classmethod
    def _aliases_in_order(cls, aliases: dict[str, str]) -> dict[str, str]:
        return dict(sorted(aliases.items()))  # one order, one manifest

    def as_dict(self) -> dict[str, Any]:
        """Return what decides the index, as plain JSON values: all but the paths of files."""
        where = {"path", "url", "sha256", "n_bytes"}
        return self.model_dump(mode="json", exclude={"corpus": where, "triples": True})

    @property
    def sha256(self) -> str:
        """Hash of ``as_dict``: equal for recipes that make the same index of a corpus."""
        text = json.dumps(self.as_dict(), sort_keys=True, ensure_ascii=False)
        return sha256(text.encode()).hexdigest()


def is_own(name: str) -> bool:
    """Return whether a recipe's encoder or extractor is the user's own Python object."""
    return name.startswith(_OWN)


def own_name(part: str, model: object) -> str:
    """Return a recipe's name of a user's encoder or extractor: ``"custom:"`` and its ``name``.

    ``UsageError`` where it has none that can be written there.
    """
    if isinstance(model, type):
        raise UsageError(f"{part} is the class {model.__name__}: give an object of it")
    name: object = getattr(model, "name", None)
    if not isinstance(name, str) or re.fullmatch(_OWN_NAME, name) is None:
        raise UsageError(
            f"{part} has the name {name!r:.80}: give letters, digits and any of ._:@/+-, 100 at "
            "most"
        )
    return f"{_OWN}{name}"


def own_text(part: str, model: object, field: str) -> str:
    """Read a text field of the user's own encoder or extractor; cache keys contain it.

    ``UsageError`` where it is no text that can be written.
    """
    value: object = getattr(model, field, None)
    if not isinstance(value, str) or not value or value != value.encode("utf-8", "ignore").decode():
        raise UsageError(
            f"{part} {own_name(part, model)!r} has {field} {value!r:.80}: give a text that "
            "changes whenever its results may"
        )
    return value
