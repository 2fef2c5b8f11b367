"""Settings of an index and of its queries: validated, hashed, read from TOML.

Every field has a default (except a language model's name). If a default was chosen by measurement,
its description names the script in ``benchmarks/`` that measured it.
"""

import json
import re
from collections.abc import Mapping
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


GGUF: Final = "gguf:"
"""Before the path of a language model that is a file."""

_OWN: Final = "custom:"
_OWN_NAME: Final = r"[A-Za-z0-9._:@/+-]{1,100}"
_FIELD_NAME: Final = re.compile(r"[\w-]+")
_PASSAGE_FIELDS: Final = ("pid", "title", "text", "links")


_RecordField = Annotated[str | None, Field(min_length=1, max_length=200)]
_Name = Annotated[str, Field(min_length=1, max_length=4096)]  # the longest path of Linux
_Names = Annotated[tuple[_Name, ...], Field(strict=False, max_length=1000)]
# A mass is a share: they are scaled to sum to 1, and sums of what is far larger would overflow.
_Mass = Annotated[float, Field(ge=0, le=1000)]


class _Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class EdgeWeights(_Settings):
    """Weight of each type of edge in the walk (benchmarks/ablation.py); 0 turns it off.

    Attributes
    ----------
    title : float
        From a passage to the entity that it is about.
    mention : float
        From a passage to the name of another passage in its text.
    form : float
        The same, where the text has the name in other forms alone: shortened, turned round.
    phrase : float
        From a passage to a capitalised phrase or a code that is not a title.
    row : float
        From a passage to mere words in a row.
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
    term : float
        From a passage to a name or a code that is no title and that few others share.
    sequence : float
        Between documents that follow each other in a series, as turns of a talk do.
    join : float
        From a passage to what it has in a field of ``corpus.join``.
    """

    title: float = Field(default=1.0, ge=0, le=100)
    mention: float = Field(default=1.0, ge=0, le=100)
    form: float = Field(default=1.0, ge=0, le=100)
    phrase: float = Field(default=0.1, ge=0, le=100)
    row: float = Field(default=0.1, ge=0, le=100)
    source: float = Field(default=0.1, ge=0, le=100)
    fact: float = Field(default=0.1, ge=0, le=100)
    synonymy: float = Field(default=0.1, ge=0, le=100)
    link: float = Field(default=0.5, ge=0, le=100)
    neighbour: float = Field(default=0.25, ge=0, le=100)
    term: float = Field(default=0.5, ge=0, le=100)
    sequence: float = Field(default=3.0, ge=0, le=100)
    join: float = Field(default=1.0, ge=0, le=100)


class FactFilterSettings(_Settings):
    """Use of a language model's choice among the facts (benchmarks/fact_filter.py).

    Attributes
    ----------
    n_candidates : int
        Number of facts that the model chooses from.
    max_kept : int
        Number of facts that it may keep.
    min_fact_score : float
        The model is not asked if no candidate reaches this similarity to the claim.
    min_closeness : float
        If the model writes a fact that is not a candidate, and whose closest candidate is less
        close than this, the fact counts as invented.
    fact_mass : float
        Mass shared by the entities of the kept facts, in addition to ``mention_mass``.
    on_empty : {"walk", "top-k"}
        If nothing is kept: walk only from mentions and passages, or also from the entities of the
        ``QuerySettings.n_facts`` most similar facts. The reference ranks by similarity then.
    on_failure : {"fallback", "top-k", "fail"}
        If the model does not answer, or answers in another form: walk only from mentions and
        passages, or also from the ``QuerySettings.n_facts`` most similar facts (the Trace counts
        either as a fallback); or raise.
    prompt : {"own", "hipporag2"}
        The prompt of the model: this package's own, or that of HippoRAG 2, which the retriever
        ``hipporag2`` always uses.
    """

    n_candidates: int = Field(default=20, ge=1, le=100)
    max_kept: int = Field(default=4, ge=1, le=20)
    min_fact_score: float = Field(default=0.0, ge=-1, le=1)
    min_closeness: float = Field(default=0.8, ge=0, le=1)
    fact_mass: float = Field(default=3.0, gt=0, le=1000)
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
        which needs the graph in memory and takes seconds per claim on a large one.
    eps : float
        Residual per unit of degree that forward push leaves unpushed; a walk that gets too long by
        it is an error.
    n_seed_passages : int
        Number of the best BM25 passages that become seeds.
    passage_power : float
        Power to which their scores are raised before they share ``passage_mass``.
    passage_mass : float
        Mass shared by these passages.
    dense_mass : float
        Mass shared by the best passages by cosine.
    max_compared : int
        In an index of at most this many passages, ``ppr`` compares a claim with the vectors of all
        passages, for ``dense_mass`` and for further candidates. In a larger one, it compares it
        only with those of its candidates.
    vectors : {"auto", "exact", "faiss"}
        How the passages and facts nearest to a claim are found: by comparing all; or by FAISS's
        inverted lists (extra ``faiss``), which find nearly the same ones in an eighth to a third of
        the time. The lists are made at the first such call, and kept. ``"auto"`` uses lists from a
        million vectors on, if FAISS is installed.
    mention_mass : float
        Mass shared by the entities that the claim names.
    fact_mass : float
        Mass shared by the entities of the best facts. The three masses are scaled to sum to 1.
    n_facts : int
        Number of candidate facts whose entities become seeds.
    fact_pool : {"near", "all"}
        Which facts are candidates: some hundred, stated by the best passages by words and by
        passages that the claim names; or all of the index, by their vectors, which a recipe with
        ``fact_vectors`` stores.
    n_candidates : int
        Number of the best passages of the walk that are scored again.
    rerank : bool
        Whether candidates are scored again by learned weights, or ranked only by the walk.
    second_walk : bool
        Whether the best of the scored candidates start a second walk; what it finds is scored with
        them.
    one_per_document : bool
        Whether each place of an answer goes to a document, with its best passage first and its
        others listed behind that; or to a single passage (benchmarks/domains.py).
    near_copies : {"grouped", "apart"}
        Whether passages of different documents that say nearly the same (nine in ten of their
        words) share a place: the best of them has it, the others are listed behind it. Two that the
        claim names by different names never do. On Wikipedia's pages, where the texts of two titles
        may begin alike, sharing costs 6.7 points of EX-FEVER's claims (benchmarks/domains.py).
    prefer : str
        A field of ``corpus.metadata`` that orders passages that say the same, near-copies and
        documents of the same title. ``"date"`` puts the greatest number or latest date first,
        ``"-date"`` the least; passages without the field come last. They only swap places with one
        another, among the best 200. Empty keeps their order.
    filter : FactFilterSettings
        Used when an engine is opened with a language model.
    weights : EdgeWeights
        Weight of each type of edge.
    """

    damping: float = Field(default=0.8, ge=0, le=0.99)
    solver: Literal["push", "prpack"] = "push"
    eps: float = Field(default=3e-5, ge=1e-12, le=0.1)
    n_seed_passages: int = Field(default=100, ge=0, le=1000)
    passage_power: float = Field(default=3.0, gt=0, le=10)
    passage_mass: _Mass = 1.0
    dense_mass: _Mass = 0.5
    max_compared: int = Field(default=100_000, ge=0, le=10**9)
    vectors: Literal["auto", "exact", "faiss"] = "exact"
    mention_mass: _Mass = 3.0
    fact_mass: _Mass = 0.0
    n_facts: int = Field(default=5, ge=0, le=100)
    fact_pool: Literal["near", "all"] = "near"
    n_candidates: int = Field(default=400, ge=21, le=5000)
    rerank: bool = True
    second_walk: bool = True
    one_per_document: bool = True
    near_copies: Literal["grouped", "apart"] = "apart"
    prefer: str = Field(default="", pattern=r"^(-?[\w-]+)?$")
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
        A text or a whole number that is unique to the record.
    title : str, optional
        A record without a title is named by its id.
    text : str, optional
        A text, or a list of sentences or of paragraphs.
    links : str, optional
        A list of titles, names or ids of other documents.
    date : str, optional
        Kept as the field ``date``, if ``metadata`` names that.
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
        Address from which it is downloaded if ``path`` does not exist.
    sha256, n_bytes : str and int, optional
        Checksum and size that the download must have.
    format : str
        ``"auto"`` finds out; or one of ``"jsonl"``, ``"json"``, ``"table"`` (CSV and TSV),
        ``"parquet"``, ``"wiki-extracts"``, ``"mediawiki"``, ``"hotpotqa"``, ``"wiki-abstracts"``,
        ``"sqlite"``, ``"hipporag"`` (an older name of ``"json"``) and ``"folder"``.
    max_words : int
        Longest passage, in words; 0 never splits (benchmarks/passage_length.py).
    max_bad_share : float
        Share of unusable records above which a corpus is refused.
    titles : {"shown", "hidden"}
        ``"hidden"`` keeps titles out of texts, entities and vectors, to measure without them.
    metadata : tuple of str
        Fields of the corpus's records that are kept with their passages, for filtering answers: a
        list as its values with commas between them, an object as JSON.
    join : tuple of str
        Fields whose value joins the passages that have it, such as a thread, a ticket or an author;
        they are kept as those of ``metadata`` are. What one passage in four has joins none.
    fields : CorpusFields
        Names of the records' fields, if they are not recognised correctly.
    include, exclude : tuple of str
        Globs over the files of a folder or an archive, as in a .gitignore file. If ``include`` has
        any, only files that match are read, hidden ones too. To read what a hidden or vendored
        folder holds, or a .gitignore file names, a glob has to name it or its folder. Files that
        match ``exclude`` are not read.
    """

    path: _Name | None = None
    url: _Name | None = None
    sha256: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")
    n_bytes: int | None = Field(default=None, gt=0, lt=2**63)
    format: str = Field(default="auto", max_length=100)
    max_words: int = Field(default=250, ge=0, le=10**6)
    max_bad_share: float = Field(default=0.01, ge=0, le=1)
    titles: Literal["shown", "hidden"] = "shown"
    metadata: _Names = ()
    join: _Names = ()
    fields: CorpusFields = NO_FIELDS
    include: _Names = ()
    exclude: _Names = ()

    @field_validator("metadata", "join")
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

    @property
    def kept(self) -> tuple[str, ...]:
        """Return the fields that are kept with passages: ``metadata``, and others of ``join``."""
        return tuple(dict.fromkeys((*self.metadata, *self.join)))


class LanguageModelSettings(_Settings):
    """Which language model is asked, and how.

    Attributes
    ----------
    name : str
        A LiteLLM name, such as ``"openai/gpt-4.1-mini"``; or ``"gguf:PATH"``, for which a llama.cpp
        server of that file is started on 127.0.0.1, and stopped at the end.
    api_base : str, optional
        Address of an OpenAI-compatible server; the name is then ``"openai/<its model>"``. It is
        written into indexes, so an address that holds a password or a key is refused.
    api_key_variable : str, optional
        Environment variable that holds the key; by default the provider's own. The key itself is
        never written to a recipe, index, log or result.
    temperature : float, optional
        0 varies least. None, which only Python can give, leaves it to the server.
    timeout_seconds : float, optional
        For one attempt; by default 120, and 1,800 for ``gguf:``, whose server finishes a request
        even if nobody waits for it any more.
    n_retries : int
        Further attempts after status 429 or 5xx, a time-out or a lost connection, with back-off.
    parallel : int
        Number of passages of a build, or claims of a file, that are asked about at once.
    n_context : int
        Longest prompt and reply together in tokens, only for ``gguf:``.
    usd_per_million_input, usd_per_million_output : float, optional
        Prices, if DSPy does not know them.
    """

    name: _Name
    api_base: str | None = Field(default=None, max_length=2000, pattern=r"^https?://[^@\s?#]+$")
    api_key_variable: str | None = Field(default=None, pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,99}$")
    temperature: float | None = Field(default=0.0, ge=0, le=2)
    timeout_seconds: float | None = Field(default=None, gt=0, le=86_400)
    n_retries: int = Field(default=3, ge=0, le=20)
    parallel: int = Field(default=4, ge=1, le=256)
    n_context: int = Field(default=4096, ge=512, le=1_048_576)
    usd_per_million_input: float | None = Field(default=None, ge=0, le=1e6)
    usd_per_million_output: float | None = Field(default=None, ge=0, le=1e6)


_PATHS: Final[dict[str, Any]] = {
    "corpus": {"path", "url", "sha256", "n_bytes"},
    "triples": True,
}


class IndexRecipe(_Settings):
    """All settings that decide what an index holds.

    Attributes
    ----------
    name : str
        Name of the folder in which the index is written.
    corpus : CorpusSettings
        Which passages are indexed.
    extractor : {"between", "spacy", "llm", "llm+rules", "file", "none"}
        Where facts come from. ``"between"``: the words between two names, without a parser, which
        finds as much in a tenth of the time (benchmarks/domains.py). ``"spacy"``: rules on spaCy's
        parse. ``"llm"``: ``language_model``; with ``"llm+rules"``, these rules replace what it
        fails at. ``"file"``: the file ``triples``. ``"none"``: no facts. ``"custom:NAME"`` is your
        own extractor, which you pass to ``build`` in Python.
    triples : str, optional
        HippoRAG's ``openie_results_*.json``, for the extractor ``"file"``.
    language_model : LanguageModelSettings, optional
        The language model for the extractors that need one.
    spacy_model : str
        Installed spaCy package with a tagger and a parser.
    encoder : str
        ``"minilm-static"``, a table of vectors distilled from all-MiniLM-L6-v2; ``"minilm"``, that
        model itself; ``"auto"``, the model for up to 20,000 passages, else the table (an index
        names what its build chose, and updates keep it); ``"multilingual"``, a model of the extra
        of that name for 16 languages; a folder of ``model.onnx`` or of sentence-transformers, or
        the name of a model in the local Hugging Face cache; or
        ``"none"``. ``"custom:NAME"`` is your own encoder, which you pass to ``build`` in Python.
    fact_vectors : bool
        Whether the index holds a vector of every fact. Without them, the retriever ``hipporag2``
        encodes all facts at its first call: a minute per million with ``"minilm-static"``, and per
        20,000 with ``"minilm"``.
    max_failure_share : float
        Share of passages whose extraction may fail before the build stops.
    aliases : dict of str to str
        Other names of an entity: alias to name. The two are then one entity.
    query : QuerySettings
        How queries are answered.
    """

    name: str = Field(default="default", pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")
    corpus: CorpusSettings = CorpusSettings()
    extractor: str = Field(
        default="between", pattern=rf"^(spacy|between|llm|llm\+rules|file|none|{_OWN}{_OWN_NAME})$"
    )
    triples: _Name | None = None
    language_model: LanguageModelSettings | None = None
    spacy_model: _Name = "en_core_web_sm"
    encoder: _Name = "auto"
    fact_vectors: bool = False
    max_failure_share: float = Field(default=0.01, ge=0, le=1)
    aliases: dict[str, str] = {}
    query: QuerySettings = QuerySettings()

    @model_validator(mode="after")
    def _keeps_what_it_prefers(self) -> Self:
        field = self.query.prefer.removeprefix("-")
        if field and field not in self.corpus.kept:
            raise ValueError(f"query.prefer names {field!r}: name it in corpus.metadata too")
        return self

    @field_validator("aliases")
    @classmethod
    def _aliases_in_order(cls, aliases: dict[str, str]) -> dict[str, str]:
        return dict(sorted(aliases.items()))  # one order, one manifest

    @classmethod
    def of_index(cls, stored: Mapping[str, Any]) -> Self:
        """Return the recipe in an index; ``ValueError`` if it is none that ``as_dict`` gives."""
        recipe = cls.model_validate(stored)
        named = recipe.model_dump(include=_PATHS, exclude_none=True)
        if named.pop("triples", None) or named["corpus"]:
            raise ValueError("the recipe of an index names no file of a corpus and none of triples")
        return recipe

    def as_dict(self) -> dict[str, Any]:
        """Return what decides the index, as plain JSON values: all but the paths of files."""
        return self.model_dump(mode="json", exclude=_PATHS)

    @property
    def sha256(self) -> str:
        """Hash of ``as_dict``: equal for recipes that make the same index of a corpus."""
        text = json.dumps(self.as_dict(), sort_keys=True, ensure_ascii=False)
        return sha256(text.encode()).hexdigest()


def is_own(name: str) -> bool:
    """Return whether a recipe's encoder or extractor is the user's own Python object."""
    return name.startswith(_OWN)


def own_name(part: str, model: object) -> str:
    """Return a recipe's name for a user's encoder or extractor: ``"custom:NAME"``.

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

    ``UsageError`` if it is not a text that can be written.
    """
    value: object = getattr(model, field, None)
    if not isinstance(value, str) or not value or value != value.encode("utf-8", "ignore").decode():
        raise UsageError(
            f"{part} {own_name(part, model)!r} has {field} {value!r:.80}: give a text that "
            "changes whenever its results may"
        )
    return value
