"""What the page, the HTTP API and the MCP server offer, over one open index."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Final, get_args

from hippohover.errors import NotInIndexError, UsageError
from hippohover.explanation.explain import Explainer
from hippohover.explanation.layout import layout
from hippohover.indexing.corpus.passages import logged_counts
from hippohover.metadata import Metadata, web_address
from hippohover.progress import Progress, silent
from hippohover.records import Retrieval
from hippohover.retrieval.engine import HippoHover, check_scope
from hippohover.retrieval.ranking import PprRun
from hippohover.retrieval.registry import RETRIEVERS, retriever_class, retriever_names
from hippohover.retrieval.retrievers import Retrievers
from hippohover.retrieval.where import Condition, Scope
from hippohover.sources.beside import WithSources, with_found
from hippohover.sources.router import SourceRouter
from hippohover.verification.aggregator import Aggregator, LearnedAggregator
from hippohover.verification.judge.learned import LearnedJudge
from hippohover.verification.nli import NliJudge
from hippohover.verification.result import Verification
from hippohover.verification.verifier import Draft, Verifier
from hippohover.version import __version__
from hippohover.web.documents import Documents
from hippohover.web.highlights import Told
from hippohover.web.schemas import ConditionsError, ProgramName
from hippohover.web.showing import Showing, with_others

if TYPE_CHECKING:
    from hippohover.language_model.client import LanguageModel
    from hippohover.programs.hop_program import HopProgram, Run

_MOST_FAILURES = 100
_MOST_FOR_THEMES = 100_000
_LOOKS_SECONDS = 0.25
_RUNS_KEPT = 8
"""Claims whose run is kept for explanations: some megabytes each in a large index."""

_Asked = tuple[str, tuple[Condition, ...], Scope]
"""A claim, its conditions, and what they bound."""


class NoLanguageModelError(UsageError):
    """A drafted answer needs a language model, but there is none."""


class NotRunError(UsageError):
    """The server does not run this program."""


class TooLargeError(UsageError):
    """The request would take longer on this index than a page waits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judges:
    """What judges claims; the learned judge and the rules that ship, when not given.

    Attributes
    ----------
    nli : NliJudge or None
        Judges in addition to the rules.
    aggregator : Aggregator or None
    judge : LearnedJudge or None
    """

    nli: NliJudge | None = None
    aggregator: Aggregator | None = None
    judge: LearnedJudge | None = None


_THAT_SHIP = Judges()

VERIFY_SECONDS: Final = 0.8
"""Processor time for the claims of one text: some 25 ordinary ones, and one request takes a second.
More is for a caller that does not share a server, or for several requests."""


class Service:
    """Answers of an open index as values ready for JSON; safe from several threads.

    Parameters
    ----------
    engine : HippoHover
        It stays the caller's to close.
    model : LanguageModel, optional
        Drafts answers.
    judges : Judges
        What judges claims, drafted or given.
    documents : Documents, optional
        The files of the corpus, which passages then link to.
    sources : SourceRouter, optional
        Sources beyond the index that are searched, too, but where conditions bound an answer:
        those are about passages of the index.
    programs : mapping of str to HopProgram, optional
        Programs that may be asked by their name, as retrievers are.
    Attributes
    ----------
    verify_seconds : float
        Processor time for the claims of one text, as ``Verifier`` takes it.
    on_run : callable
        Called with the program's name, the claim and the run after each answer of a program.
    """

    def __init__(
        self,
        engine: HippoHover,
        *,
        model: "LanguageModel | None" = None,
        judges: Judges = _THAT_SHIP,
        documents: Documents | None = None,
        sources: SourceRouter | None = None,
        programs: "Mapping[str, HopProgram] | None" = None,
    ) -> None:
        self._engine = engine
        self.verify_seconds = VERIFY_SECONDS
        self._model = model
        self._judges = replace(  # read once, and not for each request
            judges,
            judge=judges.judge or LearnedJudge(),
            aggregator=judges.aggregator or LearnedAggregator(),
        )
        self._documents = documents
        self._sources = sources
        self._programs = programs or {}
        self.on_run: Callable[[str, str, Run], None] = _unnoted
        self._lock = threading.Lock()
        self._following = threading.Lock()
        self._kept = _KeptOfVersion(engine.retrievers)

    @property
    def engine(self) -> HippoHover:
        """The engine that answers."""
        return self._engine

    def retrieve(
        self,
        claim: str,
        k: int,
        retriever: str,
        where: Sequence[Condition] = (),
        *,
        scope: Scope = "answers",
        seeds: Sequence[str] = (),
        progress: Progress = silent,
    ) -> dict[str, Any]:
        """Return ``HippoHover.retrieve``'s answer as JSON, with its seeds and facts."""
        try:
            check_scope(scope, retriever, seeds)
        except UsageError as error:
            raise ConditionsError(str(error)) from error
        self._prepare(retriever, progress)
        how: dict[str, Any] = {"where": where, "scope": scope}
        sources = None if retriever in self._programs else self._sources  # they ask themselves
        if retriever in self._programs:
            if where or seeds:
                raise ConditionsError(f"{retriever} is a program: it takes no conditions or seeds")
            answer = self._retrieve(claim, k, retriever)
        elif retriever == "ppr" and not seeds:
            answer, run = self._engine.retrieve_run(claim, k, **how)
            self._remember((claim, tuple(where), scope), run)
        else:
            answer = self._engine.retrieve(claim, k, retriever, **how, seeds=seeds)
        if sources is not None and not where:
            answer = with_found(answer, sources.run(), k)
        facts = [fact.words() for fact in answer.trace.facts]
        told = answer.as_dict()
        showing = self._of_version().showing
        if not showing.has(told["passages"]):  # a version came meanwhile that some are not in
            return self.retrieve(claim, k, retriever, seeds=seeds, progress=progress, **how)
        self._add_links(told["passages"], showing.add_to(claim, told["passages"]))
        return {
            **told,
            "seeds": [seed.as_dict() for seed in answer.trace.seeds],
            "facts": facts,
            "source_failures": list(answer.trace.source_failures),
            "encoding_failure": answer.trace.encoding_failure,
            "fallbacks": answer.trace.fallbacks,
            "by_similarity": answer.trace.by_similarity,
        }

    def document(self, path: str, key: str) -> Path:
        """Return the file of a document of the index, if a link has led to it.

        Raises
        ------
        NotInIndexError
            There is no such file, or no link to it has that key.
        """
        documents = self._documents
        if documents is not None and documents.allows(path, key):
            file = (
                documents.file(path) if len(self._engine.tables.rows_equal("path", path)) else None
            )
            if file is not None:
                return file
        raise NotInIndexError(f"no document of the index can be read at {path!r:.200}")

    def explain(
        self,
        claim: str,
        *,
        title: str | None = None,
        pid: str | None = None,
        where: Sequence[Condition] = (),
        scope: Scope = "answers",
    ) -> dict[str, Any]:
        """Return ``Explanation.as_dict`` and ``drawing``: positions of its nodes.

        A claim that was answered not long ago is explained by the walk that ranked it.

        Raises
        ------
        NotInIndexError
            The index has no such passage.
        """
        explainer = self._of_version().explainer
        run = self._run_of((claim, tuple(where), scope), explainer)
        explanation = explainer.explain(run, title=title, pid=pid)
        explanation.check_found()
        return {**explanation.as_dict(), "drawing": layout(explanation.paths).as_dict()}

    def verify(
        self, text: str, retriever: str, *, whole: bool = False, progress: Progress = silent
    ) -> dict[str, Any]:
        """Verify a text: as one claim when ``whole``, else claim by claim."""
        self._prepare(retriever, progress)
        verifier = self._verifier(retriever, progress)
        verification = verifier.verify_claim(text) if whole else verifier.verify(Draft(text))
        return self._linked(verification)

    def answer(
        self, question: str, retriever: str, *, n_samples: int = 0, progress: Progress = silent
    ) -> dict[str, Any]:
        """Answer by a draft that the language model writes from what is found, verified.

        Raises
        ------
        NoLanguageModelError
            There is none.
        """
        if self._model is None:
            raise NoLanguageModelError(
                "this server has no language model to write an answer: start the server with --lm "
                "NAME, "
                "or verify a text of your own"
            )
        from hippohover.verification.answer import write_draft

        self._prepare(retriever, progress)
        progress("draft", 0, 0)
        draft = write_draft(
            self._engine,
            self._model,
            question,
            retrieve=self._retrieve,
            retriever=retriever,
            n_samples=n_samples,
        )
        return self._linked(self._verifier(retriever, progress).verify(draft))

    def describe(self) -> dict[str, Any]:
        """Describe the index, and the queries that it takes."""
        stored, tables = self._engine.stored, self._engine.tables
        manifest, read = stored.manifest, logged_counts(stored.log())
        return {
            "package_version": __version__,
            "version": stored.version,
            "format_version": manifest.format_version,
            "recipe": manifest.recipe,
            "recipe_sha256": manifest.recipe_sha256,
            "counts": dict(manifest.counts),
            "models": manifest.models,
            "n_failures": manifest.n_failures,
            "n_not_read": 0 if read is None else read.n_bad_records,
            "n_bytes": sum(stored.sizes().values()),
            "retrievers": [
                *_retrievers_here(has_vectors=bool(self._engine.encode)),
                *self._programs,
            ],
            "fields": tables.conditions_on,
            "language_model": None if self._model is None else self._model.name,
            "judge": None if self._judges.nli is None else self._judges.nli.name,
            "sources": [] if self._sources is None else [one.name for one in self._sources.sources],
            "examples": self._of_version().showing.examples,
        }

    def documents(self, words: str, start: int, n: int) -> dict[str, Any]:
        """Return documents by title, those with words in it, and what was not read."""
        n_documents, some = self._of_version().showing.documents(words, start, n)
        read = logged_counts(self._engine.stored.log())
        for one in some:
            one["link"] = self._link(one.pop("metadata"), "")
        failures = [*(read.failures if read else []), *self._engine.stored.manifest.failures]
        not_read = failures[:_MOST_FAILURES]
        return {"n_documents": n_documents, "documents": some, "not_read": not_read}

    def themes(self) -> dict[str, Any]:
        """Return what the index is about; found once for each version.

        Raises
        ------
        TooLargeError
            The index has more than 100,000 passages.
        """
        if self._engine.n_passages > _MOST_FOR_THEMES:
            raise TooLargeError(
                f"{self._engine.n_passages:,} passages are over the limit of {_MOST_FOR_THEMES:,}: "
                "run hippohover inspect --communities for the themes"
            )
        kept = self._of_version()
        return kept.showing.themes(kept.retrievers.settings.weights).as_dict()

    def warm_up(self) -> None:
        """Warm up as ``HippoHover.warm_up``; explain too, because that compiles."""
        answer = self._engine.warm_up()
        for passage in answer.passages:
            self.explain(answer.claim, pid=passage.pid)

    @property
    def version(self) -> str:
        """Name of the version that answers."""
        return self._engine.stored.version

    def reload(self) -> bool:
        """Reload as ``HippoHover.reload``; warms the new version up before it answers.

        What was kept of the old one is let go, and with it the maps of its files.
        """
        changed = self._engine.reload(warm_up=True)
        self._of_version()
        return changed

    def follow(self) -> None:
        """Switch to the live version, if it is another one; warmed up only as it is asked."""
        with self._following:
            self._engine.reload()

    def _retrieve(self, claim: str, k: int = 21, retriever: str = "ppr") -> Retrieval:
        """Retrieve by a program, or by a retriever and the sources beside it."""
        if retriever in self._programs:
            from hippohover.programs.by_name import WithPrograms

            return WithPrograms(self._engine, self._programs, self.on_run).retrieve(
                claim, k, retriever
            )
        if self._sources is not None:
            return WithSources(self._engine, self._sources).retrieve(claim, k, retriever)
        return self._engine.retrieve(claim, k, retriever)

    def _link(self, metadata: Metadata, text: str, sentence: str = "") -> str:
        link = self._documents.link(metadata, text, sentence) if self._documents else ""
        return link or web_address(metadata.get("url"))

    def _add_links(self, passages: list[Told], sentences: list[str]) -> None:
        """Add ``link`` to passages and those behind them, given a sentence of each to open at."""
        for one, sentence in zip(with_others(passages), sentences, strict=True):
            one["link"] = self._link(one["metadata"], one["text"], sentence)

    def _linked(self, verification: Verification) -> dict[str, Any]:
        first = {one.doc_id: one.text for one in reversed([*verification.evidence.values()])}
        links = {
            doc: self._link(metadata, "", first.get(doc, ""))
            for doc, metadata in verification.metadata.items()
        }
        return {**verification.as_dict(), "links": links}

    def _of_version(self) -> "_KeptOfVersion":
        """Return what is kept of the live version; another one's is let go."""
        with self._lock:
            if self._kept.retrievers is not self._engine.retrievers:
                self._kept = _KeptOfVersion(self._engine.retrievers)
            return self._kept

    def _remember(self, asked: _Asked, run: PprRun) -> None:
        kept = self._of_version()
        if not kept.explainer.explains(run):  # that of a version which is gone
            return
        with self._lock:
            kept.runs[asked] = run
            kept.runs.move_to_end(asked)
            while len(kept.runs) > _RUNS_KEPT:
                kept.runs.popitem(last=False)

    def _run_of(self, asked: _Asked, explainer: Explainer) -> PprRun:
        with self._lock:
            run = self._kept.runs.get(asked)
        if run is None or not explainer.explains(run):
            run = explainer.run(*asked)
            self._remember(asked, run)
        return run

    def _prepare(self, retriever: str, progress: Progress) -> None:
        """Wait until a retriever with a long preparation is ready.

        It does so once, on its own thread, even if whoever asked for it has left.
        """
        if retriever in self._programs:
            return
        if retriever in get_args(ProgramName):
            raise NotRunError(
                f"retriever {retriever!r} is a program that this server does not run: start it "
                f"with --program {retriever}"
            )
        kept = self._of_version()
        if kept.retrievers.is_ready(retriever):
            return
        with self._lock:
            if kept.preparing is None or kept.preparing.has_failed:
                kept.preparing = _Preparation(partial(kept.retrievers.prepare, retriever))
            preparation = kept.preparing
        preparation.wait(progress)

    def _verifier(self, retriever: str, progress: Progress) -> Verifier:
        return Verifier(
            self._engine,
            nli=self._judges.nli,
            aggregator=self._judges.aggregator,
            judge=self._judges.judge,
            all_scores=True,
            retrieve=self._retrieve,
            retriever=retriever,
            progress=progress,
            seconds=self.verify_seconds,
        )


class _KeptOfVersion:
    """What is made once for a version of the index; with it go the maps of the version's files."""

    def __init__(self, retrievers: Retrievers) -> None:
        self.retrievers = retrievers
        self.showing = Showing(retrievers.tables)
        self.runs: OrderedDict[_Asked, PprRun] = OrderedDict()
        self.preparing: _Preparation | None = None

    @cached_property
    def explainer(self) -> Explainer:
        """The version's explainer, which keeps the degrees of the graph."""
        return Explainer(self.retrievers)


def _retrievers_here(*, has_vectors: bool) -> tuple[str, ...]:
    """Return the retrievers that work on this index with the installed packages."""
    missing = {name for name in RETRIEVERS if not _works(name, has_vectors=has_vectors)}
    return tuple(name for name in retriever_names() if name not in missing)


def _works(name: str, *, has_vectors: bool) -> bool:
    try:
        one = retriever_class(name)
    except UsageError:  # of an extra that is not installed
        return False
    has_package = not one.needs_package or find_spec(one.needs_package) is not None
    return has_package and (has_vectors or not one.needs_vectors)


def _unnoted(_name: str, _claim: str, _run: "Run") -> None:
    """Ignore a run."""


class _Preparation:
    """Long work on its own thread, for which several requests may wait."""

    def __init__(self, work: Callable[[Progress], None]) -> None:
        self._at = ("facts", 0, 0)
        self._future: Future[None] = Future()
        Thread(target=self._run, args=(work,), name="hippohover-prepares", daemon=True).start()

    @property
    def has_failed(self) -> bool:
        return self._future.done() and self._future.exception() is not None

    def wait(self, progress: Progress) -> None:
        """Wait until it is done; an error of ``progress`` ends the waiting, not the work."""
        while not wait([self._future], _LOOKS_SECONDS).done:
            progress(*self._at)
        self._future.result()

    def _run(self, work: Callable[[Progress], None]) -> None:
        try:
            work(self._tell)
        except BaseException as error:  # told to who waits
            self._future.set_exception(error)
        else:
            self._future.set_result(None)

    def _tell(self, stage: str, done: int, total: int, /) -> None:
        self._at = (stage, done, total)
