"""What a retriever is, and what it is made from: the seam for retrievers of other packages."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from hippohover.progress import Progress, silent
from hippohover.recipe import IndexRecipe, QuerySettings
from hippohover.records import Seed
from hippohover.retrieval.facts.pool import FactChooser
from hippohover.retrieval.index_vectors import IndexVectors
from hippohover.retrieval.ppr_settings import PprSettings
from hippohover.retrieval.ranking import Ranking
from hippohover.retrieval.reranking.tuned import TunedRanking
from hippohover.retrieval.walk.candidates import Allowed
from hippohover.retrieval.walk.claim import ClaimReader
from hippohover.store.stored_forms import name_forms
from hippohover.store.tables import IndexTables

SEEDS_SHOWN = 20


@dataclass(frozen=True, kw_only=True)
class RetrieverContext:
    """One open version of an index, or the part of it to which a scope limits the walk.

    Attributes
    ----------
    tables : IndexTables
        Arrays and texts. A row whose ``documents`` is below 0 holds no passage, or one that is
        outside the scope.
    settings : QuerySettings
    vectors : IndexVectors
        Of passages, and of texts on demand; false where the index has none.
    recipe : IndexRecipe, optional
        What the index was built from.
    choose, choose_published : FactChooser, optional
        Choose among candidate facts by a language model, in our words and in HippoRAG 2's.
    tuned : TunedRanking, optional
        Puts the best of ``ppr`` in the order that this corpus's claims taught.
    ppr : PprSettings
    encoder_worth, series_share : float
        As in the manifest: what vectors find for each sentence that words find, and the share of
        passages that follow another document's.
    """

    tables: IndexTables
    settings: QuerySettings
    vectors: IndexVectors
    recipe: IndexRecipe | None = None
    choose: FactChooser | None = None
    choose_published: FactChooser | None = None
    tuned: TunedRanking | None = None
    ppr: PprSettings = field(default_factory=PprSettings)
    encoder_worth: float = 1.0
    series_share: float = 0.0

    @cached_property
    def read_claim(self) -> ClaimReader:
        """Read a claim: its corrected words, search terms and entities."""
        return ClaimReader(self.tables.arrays, name_forms(self.tables))

    def seed(self, kind: str, node: int, mass: float) -> Seed:
        """Return a seed of a node of the graph as an answer shows it."""
        return Seed(kind, self.tables.node_name(node), mass, self.tables.part_of(node))


class Retriever(ABC):
    """Ranks the passages of one index for a claim; safe from several threads.

    A package offers one by an entry point of the group ``hippohover.retrievers``, whose name is the
    retriever's, and whose value is a class such as this. One is made for each version of an index,
    and for each scope, when it is first asked.

    Attributes
    ----------
    prepares : bool
        Whether the first call takes long, for it prepares something; see ``prepare``.
    has_scope : bool
        Whether it can be limited to a part of the index (scope ``"walk"``).
    needs_vectors : bool
        Whether the index must have been built with an encoder.
    needs_package : str
        An optional package without which it does not work.
    """

    prepares: ClassVar[bool] = False
    has_scope: ClassVar[bool] = True
    needs_vectors: ClassVar[bool] = False
    needs_package: ClassVar[str] = ""

    def __init__(self, context: RetrieverContext) -> None:
        self.context = context

    @abstractmethod
    def __call__(self, claim: str, depth: int, allowed: Allowed = None) -> Ranking:
        """Rank at most ``depth`` passages, of those ``allowed``: fewer are the first of more."""

    @property
    def is_ready(self) -> bool:
        """Whether the next call needs no preparation."""
        return True

    def prepare(self, progress: Progress = silent) -> None:  # noqa: B027  (most need none)
        """Prepare what the first call needs, and report progress as (stage, done, total)."""
