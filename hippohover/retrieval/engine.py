"""HippoHover: open an index and answer claims from it."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast, get_args

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import KNOWN
from hippohover.errors import NotInIndexError, UsageError
from hippohover.processors import in_order
from hippohover.progress import Progress, silent
from hippohover.recipe import (
    MAX_RANKED_PASSAGES,
    MAX_SEARCH_DEPTH,
    QuerySettings,
)
from hippohover.records import CandidateFact, RankedPassage, Retrieval
from hippohover.retrieval.answers import candidate_facts, passages_of, trace_of
from hippohover.retrieval.chains.chains import with_chains
from hippohover.retrieval.opening import FactFilterProgram, Opening, OpenVersion, fact_chooser
from hippohover.retrieval.passage_metadata import PassageMetadata
from hippohover.retrieval.ranking import PprRun
from hippohover.retrieval.registry import retriever_class
from hippohover.retrieval.reranking.tuned import TunedRanking
from hippohover.retrieval.retrievers import Retrievers
from hippohover.retrieval.walk.claim import check_claim, check_count
from hippohover.retrieval.where import Condition, Scope, excluding
from hippohover.store.manifest import Manifest
from hippohover.store.reader import StoredIndex
from hippohover.store.tables import IndexTables
from hippohover.store.versions import version_folder
from hippohover.vectors.embedding import MINILM, Encoder
from hippohover.vectors.static_encoder import word_encoder

if TYPE_CHECKING:
    from hippohover.language_model.client import LanguageModel


class HippoHover:
    """An open index; safe from several threads. Open it with ``HippoHover.open(path)``."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._absolute = Path(opening.path).absolute()  # of the folder that this process is in now
        self._version = opening.open_live()

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        settings: QuerySettings | None = None,
        progress: Progress = silent,
        language_model: "LanguageModel | None" = None,
        fact_filter: FactFilterProgram | None = None,
        encoder: Encoder | None = None,
        ranking: str | Path | TunedRanking | None = None,
    ) -> "HippoHover":
        """Open the live version of an index by memory map.

        Parameters
        ----------
        path : str or Path
            Folder of an index, or of one version of it.
        settings : QuerySettings, optional
            Replaces the recipe's.
        progress : callable
            Called with (stage, done, total) while files are checked, and during the long
            preparation of the first call of ``hipporag2`` or ``linearrag``.
        language_model : LanguageModel, optional
            Chooses among the candidate facts of a claim, as ``settings.filter`` says. The caller
            must close it.
        fact_filter : callable, optional
            Program that asks it; by default ``fact_filter.FactFilter``.
        encoder : Encoder, optional
            Your own encoder, if the index was built with it.
        ranking : str, Path or TunedRanking, optional
            File that ``tune`` wrote; it then orders the best passages of ``ppr``. By default the
            ranking in the index, if it has one; ``"shipped"`` ignores that.

        Raises
        ------
        ModelError
            The index was built with a custom encoder that is not given; or the ranking cannot be
            read, or was learned on an index with another encoder.
        UsageError
            An encoder is given, but the index has a built-in one or none; or a ranking is given,
            but the settings turn ranking off.
        IndexStoreError
            There is no index, it was made by another format version, or is damaged.
        """
        choose = None
        if language_model is not None:
            choose = partial(fact_chooser, language_model, fact_filter)
        return cls(Opening(path, settings, progress, choose, encoder, ranking))

    def ranking_by(self, ranking: str | Path | TunedRanking) -> "HippoHover":
        """Open the live version again as this one was opened, with another ranking.

        Parameters and errors as of ``open``.
        """
        return HippoHover(replace(self._opening, ranking=ranking))

    def warm_up(self) -> Retrieval:
        """Read as much of the index as fits into memory, and ask it one of its titles.

        Without it, the first claims wait for the disk, page after page, and the very first claim
        also for the encoder and for compiled code. A server does this before it answers.

        Raises
        ------
        IndexStoreError
            A file of the index cannot be read.
        """
        return self._warm_up(self._version)

    def reload(self, *, warm_up: bool = False) -> bool:
        """Switch to the live version of the index; return whether it is another one.

        Until then an engine keeps the version that it opened, whatever is published. A running call
        finishes on the version that it began with, which is released after the last such call.

        Parameters
        ----------
        warm_up : bool
            Do as ``HippoHover.warm_up`` first, while the old version still answers claims.

        Raises
        ------
        IndexStoreError
            As ``open``; the engine then keeps its version.
        """
        before = self._version
        before.stored.check_open()
        if before.stored.is_at(version_folder(Path(self._opening.path))):
            return False
        version = self._opening.open_live()
        if warm_up:
            self._warm_up(version)
        self._version = version
        return not before.stored.is_at(version.stored.folder)

    @property
    def manifest(self) -> Manifest:
        return self._version.stored.manifest

    @property
    def stored(self) -> StoredIndex:
        return self._version.stored

    @property
    def tables(self) -> IndexTables:
        return self._version.tables

    @property
    def retrievers(self) -> Retrievers:
        return self._version.retrievers

    @property
    def n_passages(self) -> int:
        return self._version.tables.arrays.n_passages

    @property
    def encode(self) -> Callable[[Sequence[str]], NDArray[np.float32]] | None:
        """Encode texts as unit rows, shape (n, dim), by the index's encoder; None without one."""
        vectors = self._version.retrievers.vectors
        return vectors.of_texts if vectors else None

    @property
    def encode_words(self) -> Callable[[Sequence[str]], NDArray[np.float32]] | None:
        """Encode words as ``encode`` does texts: by the static table where ``minilm`` is in use.

        The transformer has vectors of sentences: between single words its cosines say less, the
        judge of claims learned from the table's, and a word takes a hundred times as long.
        """
        named = self.manifest.models.get("encoder", {}).get("name")
        return word_encoder().encode if named == MINILM else self.encode

    def titles(self) -> Sequence[str]:
        """Return the title of every passage, in the order of ``pids``."""
        return self._version.tables.living.column("title").to_pylist()

    def pids(self) -> Sequence[str]:
        """Return the id of every passage."""
        return self._version.tables.living.column("pid").to_pylist()

    def retrieve(
        self,
        claim: str,
        k: int = MAX_RANKED_PASSAGES,
        retriever: str = "ppr",
        *,
        where: Sequence[Condition] = (),
        scope: Scope = "answers",
        seeds: Sequence[str] = (),
        exclude: Sequence[str] = (),
    ) -> Retrieval:
        """Answer a claim with at most ``k`` passages, best first.

        Parameters
        ----------
        claim : str
            A claim or a question, in words.
        k : int
            1 to 21.
        retriever : str
            One of ``registry.RETRIEVERS``, or of those that installed packages add.
        where : sequence of Condition
            Passages must meet all of them to be answers, though the walk uses all passages. If the
            retriever ranks fewer than ``k`` that do, others that do follow by similarity.
        scope : {"answers", "walk"}
            With ``"walk"``, passages that do not meet the conditions are ignored: names, seeds and
            the walk use only those that do. How texts were cut into words and names, and some
            counts in scores, still come from the whole index.
        seeds : sequence of str
            Names, titles and pids where the walk of ``ppr`` starts as well, as if the claim named
            them: for who hops from one answer to the next.
        exclude : sequence of str
            Titles and pids of passages that are no answers.

        Raises
        ------
        UsageError
            The claim is blank or too long, ``k`` is out of its range, the retriever or the scope is
            unknown, scope "walk" is asked of ``hipporag2``, ``linearrag`` or the solver "prpack",
            which always walk over all passages, or seeds of another retriever than ``ppr``.
        NotInIndexError
            The index has no vectors for a retriever that needs them, or lacks a field that a
            condition names, or no passage meets the conditions, or it does not know a seed.
        """
        _check_k(k)
        bounds = (*check_conditions(where), *excluding(texts("exclude", exclude)))
        begins = texts("seeds", seeds)
        return self._answer(self._version, claim, k, retriever, bounds, scope, begins)[0]

    def retrieve_run(
        self,
        claim: str,
        k: int = MAX_RANKED_PASSAGES,
        *,
        where: Sequence[Condition] = (),
        scope: Scope = "answers",
    ) -> tuple[Retrieval, PprRun]:
        """Answer a claim by ``ppr``, and return the run behind the answer.

        ``explain`` can use that run: it then needs no second walk, and does not ask a language
        model again. Raises as ``retrieve`` does.
        """
        _check_k(k)
        retrieval, run = self._answer(
            self._version, claim, k, "ppr", check_conditions(where), scope
        )
        assert run is not None  # of ppr there always is one  # noqa: S101
        return retrieval, run

    def search(
        self,
        query: str,
        depth: int = 100,
        retriever: str = "ppr",
        *,
        where: Sequence[Condition] = (),
        scope: Scope = "answers",
    ) -> Retrieval:
        """Find up to ``depth`` passages, 1 to 1,000, for a program or a measure at 100.

        The first 21 are those of ``retrieve``.
        """
        check_count("depth", depth, MAX_SEARCH_DEPTH)
        return self._answer(self._version, query, depth, retriever, check_conditions(where), scope)[
            0
        ]

    def retrieve_batch(
        self,
        claims: Sequence[str],
        k: int = MAX_RANKED_PASSAGES,
        retriever: str = "ppr",
        *,
        where: Sequence[Condition] = (),
        scope: Scope = "answers",
        workers: int = 2,
    ) -> list[Retrieval]:
        """Answer many claims on several threads, in their order, from one version."""
        if isinstance(claims, str):
            raise UsageError("claims is one str: give a list of claims, or call retrieve")
        _check_k(k)
        version, conditions = self._version, check_conditions(where)

        def answer(claim: str) -> Retrieval:
            return self._answer(version, claim, k, retriever, conditions, scope)[0]

        return list(in_order(answer, claims, workers))

    def names_in(self, text: str) -> dict[str, int]:
        """Find the names of passages in a text, and how many passages have each.

        Raises ``UsageError`` for a text that is blank or too long, as for a claim.
        """
        _, tables, retrievers, _ = self._version
        arrays = tables.arrays
        entities = retrievers.read_claim(text).entities
        named = entities[arrays.entity_standing[entities] == KNOWN].tolist()
        return {
            tables.node_name(arrays.n_rows + entity): int(arrays.entity_df[entity])
            for entity in named
        }

    def candidate_facts(
        self,
        claim: str,
        *,
        where: Sequence[Condition] = (),
        scope: Scope = "answers",
    ) -> tuple[CandidateFact, ...]:
        """Find the facts that a language model would choose from, most similar first.

        No fact is kept, because nothing chooses. Raises as ``retrieve`` does.
        """
        check_claim(claim)
        check_scope(scope)
        part, _ = self._version.retrievers.bounded(check_conditions(where), scope)
        return candidate_facts(part.tables, part.ppr.unchosen(claim))

    def linked(self, pid: str, n: int = 5) -> tuple[RankedPassage, ...]:
        """Find the ``n`` other passages that a short walk from a passage reaches best.

        Raises
        ------
        NotInIndexError
            No passage has that pid.
        UsageError
            ``n`` is not 1 to 1,000.
        """
        check_count("n", n, MAX_SEARCH_DEPTH)
        _, tables, retrievers, _ = self._version
        return passages_of(tables, *retrievers.ppr.linked(_row(tables, pid), n))

    def _warm_up(self, version: OpenVersion) -> Retrieval:
        version.stored.prefetch()
        version.retrievers.prepare_lists(self._opening.progress)
        titles = (str(title).strip() for title in version.tables.living.column("title"))
        title = next(filter(None, titles), "a")
        return self._answer(version, title[:200], 1, "ppr")[0]

    def _answer(
        self,
        version: OpenVersion,
        claim: str,
        k: int,
        retriever: str,
        where: tuple[Condition, ...] = (),
        scope: Scope = "answers",
        seeds: tuple[str, ...] = (),
    ) -> tuple[Retrieval, PprRun | None]:
        check_claim(claim)
        check_scope(scope, retriever, seeds)
        start = time.perf_counter()
        stored, tables, retrievers, _ = version
        stored.check_open()
        retrievers.prepare(retriever, self._opening.progress)
        ranking = retrievers(retriever, claim, k, where, scope, seeds)
        passages = passages_of(
            tables,
            ranking.rows,
            ranking.scores,
            ranking.others,
            PassageMetadata.of_claim(tables, claim, where),
        )
        run = ranking.run
        read = run.walked.claim if run else retrievers.read_claim(claim)
        within = run.tables if run else retrievers.bounded(where, scope)[0].tables
        passages, chains = with_chains(within, read, passages, ranking.first)
        trace = replace(
            trace_of(tables, ranking, time.perf_counter() - start),
            by_similarity=bool(passages) and not (len(read.terms) or len(read.entities)),
        )
        return Retrieval(claim, retriever, passages, trace, chains), run

    def close(self) -> None:
        """Release the index: answers stay valid, further queries are refused."""
        self._version.stored.close()

    def __enter__(self) -> Self:
        """Return itself: ``with HippoHover.open(index) as engine`` closes it at the end."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def __copy__(self) -> "HippoHover":
        """Return itself, as ``__deepcopy__`` does."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "HippoHover":
        """Return itself: DSPy's optimizers copy programs, and an open index is shared."""
        return self

    def __reduce__(self) -> tuple[Callable[..., "HippoHover"], tuple[Any, ...]]:
        """Pickle path and settings: unpickled, the engine opens the live version there.

        The ranking and an encoder of the user's own go along, a progress callback too. An engine
        that was opened with the folder of one version stays with that.

        Raises
        ------
        UsageError
            There is a language model, whose key stays here; or encoder or callback do not pickle.
        """
        self._version.stored.check_open()
        return HippoHover, (self._opening.for_elsewhere(self._absolute),)


def check_conditions(where: Sequence[Condition]) -> tuple[Condition, ...]:
    """Return conditions as a tuple; ``UsageError`` for anything but a list of them."""
    given: object = where
    if not isinstance(given, list | tuple) or not all(
        isinstance(condition, Condition) for condition in cast("Sequence[object]", given)
    ):
        raise UsageError(
            f"where is {given!r:.80}: give a list of Condition, as Condition.parse('title^=The ')"
        )
    return tuple(where)


def texts(name: str, given: object) -> tuple[str, ...]:
    """Return a list of texts as a tuple; ``UsageError`` for anything else."""
    if isinstance(given, list | tuple):
        several = cast("Sequence[object]", given)
        if all(isinstance(one, str) for one in several):
            return tuple(cast("Sequence[str]", several))
    raise UsageError(f"{name} is {given!r:.80}: give a list of titles, names or pids")


def _row(tables: IndexTables, pid: str) -> int:
    rows = tables.rows_equal("pid", pid)
    if not len(rows):
        raise NotInIndexError(
            f"no passage of the index has the pid {pid!r}: take it from an answer"
        )
    return int(rows[0])


def check_scope(scope: object, retriever: str = "ppr", seeds: Sequence[str] = ()) -> None:
    """Raise ``UsageError`` unless this is a ``Scope`` and the retriever supports it and seeds."""
    if seeds and retriever != "ppr":
        raise UsageError(f"{retriever} does not walk from seeds: name ppr, or give no seeds")
    if scope not in get_args(Scope):
        raise UsageError(f"scope is {scope!r:.80}: give one of {', '.join(get_args(Scope))}")
    if scope == "walk" and not retriever_class(retriever).has_scope:  # before it is prepared
        raise UsageError(
            f"{retriever} walks over the whole index: name another retriever, or use scope "
            "'answers'"
        )


def _check_k(k: int) -> None:
    why = ", the most that the benchmark judges (search goes deeper)"
    check_count("k", k, MAX_RANKED_PASSAGES, why)
