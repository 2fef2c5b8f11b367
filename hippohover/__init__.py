"""hippohover: multi-hop retrieval from a graph.

``build`` makes an index once; ``HippoHover.open`` opens it; ``retrieve`` answers a claim with at
most 21 ranked passages.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the types of the public names, for checkers; `_HOMES` has each name once more
    from hippohover.adapters.dspy import dspy_retriever as dspy_retriever
    from hippohover.chain_records import Chain as Chain
    from hippohover.chain_records import ChainJoin as ChainJoin
    from hippohover.chain_records import ChainPassage as ChainPassage
    from hippohover.errors import AccessRefusedError as AccessRefusedError
    from hippohover.errors import BudgetError as BudgetError
    from hippohover.errors import BuildError as BuildError
    from hippohover.errors import CorpusError as CorpusError
    from hippohover.errors import DownloadError as DownloadError
    from hippohover.errors import HippoHoverError as HippoHoverError
    from hippohover.errors import IndexDamagedError as IndexDamagedError
    from hippohover.errors import IndexStoreError as IndexStoreError
    from hippohover.errors import LanguageModelError as LanguageModelError
    from hippohover.errors import ModelError as ModelError
    from hippohover.errors import NotInIndexError as NotInIndexError
    from hippohover.errors import NoWordsError as NoWordsError
    from hippohover.errors import RecipeError as RecipeError
    from hippohover.errors import ReplyError as ReplyError
    from hippohover.errors import RequestRefusedError as RequestRefusedError
    from hippohover.errors import SourceError as SourceError
    from hippohover.errors import UsageError as UsageError
    from hippohover.evaluation.evaluate import EvaluationSettings as EvaluationSettings
    from hippohover.evaluation.evaluate import evaluate as evaluate
    from hippohover.evaluation.hover import discrete_retrieval_eval as discrete_retrieval_eval
    from hippohover.evaluation.hover import load_claims as load_claims
    from hippohover.explanation.explain import Explanation as Explanation
    from hippohover.explanation.explain import explain as explain
    from hippohover.explanation.words import WalkPath as WalkPath
    from hippohover.indexing.build import build as build
    from hippohover.indexing.garbage import collect_garbage as collect_garbage
    from hippohover.indexing.triples.extractor import TripleExtractor as TripleExtractor
    from hippohover.indexing.update import add as add
    from hippohover.indexing.update import alias as alias
    from hippohover.indexing.update import compact as compact
    from hippohover.indexing.update import delete as delete
    from hippohover.indexing.updates.reencoding import reencode as reencode
    from hippohover.indexing.updates.sync import sync as sync
    from hippohover.language_model.ledger import Budget as Budget
    from hippohover.language_model.ledger import Usage as Usage
    from hippohover.language_model.opening import open_language_model as open_language_model
    from hippohover.overview.export import export_graph as export_graph
    from hippohover.overview.themes import Themes as Themes
    from hippohover.overview.themes import themes as themes
    from hippohover.recipe import IndexRecipe as IndexRecipe
    from hippohover.recipe import LanguageModelSettings as LanguageModelSettings
    from hippohover.recipe import QuerySettings as QuerySettings
    from hippohover.recipe_files import load_recipe as load_recipe
    from hippohover.records import ExtractionFailure as ExtractionFailure
    from hippohover.records import Passage as Passage
    from hippohover.records import RankedPassage as RankedPassage
    from hippohover.records import Retrieval as Retrieval
    from hippohover.records import Trace as Trace
    from hippohover.records import Triple as Triple
    from hippohover.retrieval.engine import HippoHover as HippoHover
    from hippohover.retrieval.ranking import PprRun as PprRun
    from hippohover.retrieval.ranking import Ranking as Ranking
    from hippohover.retrieval.reranking.tuned import TunedRanking as TunedRanking
    from hippohover.retrieval.retriever import Retriever as Retriever
    from hippohover.retrieval.retriever import RetrieverContext as RetrieverContext
    from hippohover.retrieval.where import Condition as Condition
    from hippohover.toy import toy_claims_path as toy_claims_path
    from hippohover.toy import toy_corpus_path as toy_corpus_path
    from hippohover.tuning.tune import Tuning as Tuning
    from hippohover.tuning.tune import tune as tune
    from hippohover.vectors.embedding import Encoder as Encoder
    from hippohover.verification.answer import write_draft as write_draft
    from hippohover.verification.result import Verification as Verification
    from hippohover.verification.verifier import Draft as Draft
    from hippohover.verification.verifier import Verifier as Verifier
    from hippohover.version import __version__ as __version__

    __all__: list[str]
else:
    _HOMES = {
        "AccessRefusedError": "errors",
        "Budget": "language_model.ledger",
        "BudgetError": "errors",
        "BuildError": "errors",
        "Chain": "chain_records",
        "ChainJoin": "chain_records",
        "ChainPassage": "chain_records",
        "Condition": "retrieval.where",
        "CorpusError": "errors",
        "DownloadError": "errors",
        "Draft": "verification.verifier",
        "Encoder": "vectors.embedding",
        "EvaluationSettings": "evaluation.evaluate",
        "Explanation": "explanation.explain",
        "ExtractionFailure": "records",
        "HippoHover": "retrieval.engine",
        "HippoHoverError": "errors",
        "IndexDamagedError": "errors",
        "IndexRecipe": "recipe",
        "IndexStoreError": "errors",
        "LanguageModelError": "errors",
        "LanguageModelSettings": "recipe",
        "ModelError": "errors",
        "NoWordsError": "errors",
        "NotInIndexError": "errors",
        "Passage": "records",
        "PprRun": "retrieval.ranking",
        "QuerySettings": "recipe",
        "RankedPassage": "records",
        "Ranking": "retrieval.ranking",
        "RecipeError": "errors",
        "ReplyError": "errors",
        "RequestRefusedError": "errors",
        "Retrieval": "records",
        "Retriever": "retrieval.retriever",
        "RetrieverContext": "retrieval.retriever",
        "SourceError": "errors",
        "Themes": "overview.themes",
        "Trace": "records",
        "Triple": "records",
        "TripleExtractor": "indexing.triples.extractor",
        "TunedRanking": "retrieval.reranking.tuned",
        "Tuning": "tuning.tune",
        "Usage": "language_model.ledger",
        "UsageError": "errors",
        "Verification": "verification.result",
        "Verifier": "verification.verifier",
        "WalkPath": "explanation.words",
        "__version__": "version",
        "add": "indexing.update",
        "alias": "indexing.update",
        "build": "indexing.build",
        "collect_garbage": "indexing.garbage",
        "compact": "indexing.update",
        "delete": "indexing.update",
        "discrete_retrieval_eval": "evaluation.hover",
        "dspy_retriever": "adapters.dspy",
        "evaluate": "evaluation.evaluate",
        "explain": "explanation.explain",
        "export_graph": "overview.export",
        "load_claims": "evaluation.hover",
        "load_recipe": "recipe_files",
        "open_language_model": "language_model.opening",
        "reencode": "indexing.updates.reencoding",
        "sync": "indexing.updates.sync",
        "themes": "overview.themes",
        "toy_claims_path": "toy",
        "toy_corpus_path": "toy",
        "tune": "tuning.tune",
        "write_draft": "verification.answer",
    }
    """The module of each public name, below this one."""
    __all__ = list(_HOMES)

    def __getattr__(name: str) -> object:
        """Import a public name when it is first used: some bring heavy libraries along."""
        from importlib import import_module

        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)

    def __dir__() -> list[str]:
        return __all__
