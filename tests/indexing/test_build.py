"""Whole builds: the same bytes whatever the way, one line when they stop, the old index intact."""

import gc
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from hippohover.disk.columns import open_table
from hippohover.errors import (
    BuildError,
    CorpusError,
    HippoHoverError,
    IndexStoreError,
    ModelError,
    RecipeError,
    UsageError,
)
from hippohover.indexing import build as build_module
from hippohover.indexing import chunk_stages
from hippohover.indexing import triple_stage as extraction
from hippohover.indexing import vector_stage as vectors
from hippohover.indexing.build import build
from hippohover.indexing.corpus import blocks as reading
from hippohover.indexing.corpus import passage_store
from hippohover.indexing.corpus.passage_store import write_run
from hippohover.indexing.garbage import collect_garbage
from hippohover.indexing.triples import cache as triple_cache
from hippohover.indexing.triples.between import BetweenTriples
from hippohover.language.stemming import Stemmer
from hippohover.names.gazetteer import Gazetteer
from hippohover.recipe import CorpusSettings, IndexRecipe
from hippohover.records import ExtractionFailure, Passage, Triple
from hippohover.store.manifest import Manifest
from hippohover.store.reader import StoredIndex
from hippohover.store.tables import IndexTables
from hippohover.vectors.embedding import Encoder
from tests.changing_world import write_records
from tests.encoder_samples import small_encoder
from tests.index_samples import limited_files
from tests.kinds_of_corpora import rules

FAST = IndexRecipe(name="fast", extractor="between", encoder="none")
PARSED = FAST.model_copy(update={"extractor": "spacy"})
ENCODED = FAST.model_copy(update={"encoder": "small", "fact_vectors": True})
RECIPES = {"between": FAST, "spacy": PARSED, "encoded": ENCODED}
HIDDEN = FAST.model_copy(update={"corpus": CorpusSettings(titles="hidden")})

STAGES = {
    "between": ["models", "read", "names", "scan", "graph", "publish"],
    "spacy": ["models", "read", "names", "triples", "scan", "graph", "publish"],
    "encoded": ["models", "read", "names", "scan", "graph", "vectors", "publish"],
}

PEOPLE = ["Mara Lindqvist", "Otto Brenner", "Ines Okafor", "Pavel Drozd"]
TOWNS = ["Aldermoor", "Kestrel Bay", "Nordhaven"]
FILMS = ["Velmora", "Harrowgate", "Silver Loom"]


def records() -> list[dict[str, object]]:
    """A small world of films, people and towns that name each other."""
    found: list[tuple[str, str]] = []
    for n, person in enumerate(PEOPLE):
        film, other, town = FILMS[n % 3], PEOPLE[(n + 1) % 4], TOWNS[n % 3]
        text = f"{person} is an actor born in {town}. {person} met {other} while making {film}."
        found.append((person, text))
    for n, film in enumerate(FILMS):
        text = f"{film} is a drama directed by {PEOPLE[n]}. The crew shot it near {TOWNS[n]}."
        found.append((f"{film} (film)", text))
    for n, town in enumerate(TOWNS):
        text = f"{town} is a town on the coast, an hour from {TOWNS[(n + 1) % 3]}."
        found.append((town, text))
    found.append(("Zyxwolf Qorvane", "The river is long and slow, and it ends at Aldermoor."))
    return [{"title": title, "text": text} for title, text in found]


def written(path: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return written(tmp_path / "corpus.jsonl", records())


@pytest.fixture
def small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eleven passages are six chunks, so that two workers have something to share."""
    monkeypatch.setattr(build_module, "_PASSAGES_A_CHUNK", 2)
    monkeypatch.setattr(triple_cache, "_PASSAGES_A_TASK", 2)


class Parser:
    """Stands where spaCy does, and knows which passages it was asked for."""

    name = "parser"
    version = "parser-1"
    asked: list[str] = []  # noqa: RUF012

    def __init__(self, model: str) -> None:
        assert model == "en_core_web_sm"
        Parser.asked = []

    def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple]]:
        Parser.asked += [passage.pid for passage in passages]
        return BetweenTriples(Gazetteer({})).extract(passages)


def use_stand_ins(patched: pytest.MonkeyPatch) -> None:
    """A parser and an encoder that need no model."""

    def load(name: str, **_: object) -> Encoder | None:
        return small_encoder(name) if name == "small" else None

    patched.setattr(extraction, "SpacyTriples", Parser)
    patched.setattr(build_module, "load_encoder", load)


@pytest.fixture
def stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    use_stand_ins(monkeypatch)


def manifest(root: Path) -> Manifest:
    with StoredIndex.open(root) as stored:
        assert stored.verify() == []
        return stored.manifest


def in_child(work: Callable[[], object]) -> tuple[int, str]:
    """Status of a forked process that does the work, and what it raised, on one line."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        answer = "nothing"
        try:
            work()
        except BaseException as error:
            answer = f"{type(error).__name__}: {error}"
        os.write(writer, answer.encode()[:4000])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        answer = pipe.read().decode()
    return os.waitpid(pid, 0)[1], answer


forks = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


@pytest.fixture(scope="module")
def whole_builds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Index of the whole corpus by each recipe, with the stand-ins, in one piece; read it only."""
    folder = tmp_path_factory.mktemp("whole")
    corpus = written(folder / "corpus.jsonl", records())
    with pytest.MonkeyPatch.context() as patched:
        use_stand_ins(patched)
        return {
            name: build(recipe, corpus=corpus, out=folder / name, workers=1)
            for name, recipe in RECIPES.items()
        }


@pytest.fixture(scope="module")
def expected(whole_builds: dict[str, Path]) -> dict[str, Manifest]:
    """What a build by each recipe ends with, whatever its way."""
    return {name: manifest(root) for name, root in whole_builds.items()}


def counted(root: Path) -> dict[str, int]:
    return manifest(root).counts


def test_a_manifest_counts_what_was_read(corpus: Path, tmp_path: Path):
    rows = [*records(), records()[0], {"title": "Empty", "text": " "}]
    root = build(FAST, corpus=written(corpus, rows), out=tmp_path / "index")
    found = manifest(root)
    tables = IndexTables.open(StoredIndex.open(root))
    assert found.recipe == FAST.as_dict()
    assert found.recipe_sha256 == FAST.sha256
    assert found.models == {"extractor": {"name": "between", "version": "between-3"}}
    counts = found.counts
    assert (counts["n_passages"], counts["n_documents"]) == (11, 11)
    with StoredIndex.open(root) as stored:
        read = (stored.log() or {})["read"]
    assert (read["n_duplicates"], read["n_empty"], read["n_bad_records"]) == (1, 1, 0)
    assert counts["n_facts"] == len(tables.arrays.facts) > 10
    assert counts["n_triples"] >= counts["n_facts"]
    assert counts["n_entities"] == tables.entities.num_rows
    assert counts["n_edges"] == len(tables.arrays.graph_neighbours) // 2
    assert counts["n_edges"] == sum(tables.arrays.graph.edge_counts().values())
    assert (found.failures, found.n_failures, counts["n_failed_extractions"]) == ([], 0, 0)
    assert found.dimensions == {"encoder": 0}


def test_a_build_without_triples(corpus: Path, tmp_path: Path):
    recipe = FAST.model_copy(update={"extractor": "none"})
    found = manifest(build(recipe, corpus=corpus, out=tmp_path / "index"))
    assert found.counts["n_facts"] == found.counts["n_triples"] == 0
    assert found.counts["n_mention_edges"] > 0
    assert found.models == {"extractor": {"name": "none"}}


def test_a_corpus_in_which_nothing_is_named(tmp_path: Path):
    rows: list[dict[str, object]] = [{"title": "one", "text": "it rains and it rains."}]
    root = build(HIDDEN, corpus=written(tmp_path / "c.jsonl", rows), out=tmp_path / "index")
    counts = counted(root)
    assert (counts["n_passages"], counts["n_entities"], counts["n_edges"]) == (1, 0, 0)


@pytest.mark.usefixtures("small_tasks", "stand_ins")
@pytest.mark.parametrize("name", STAGES)
def test_stages_are_told_in_order(corpus: Path, tmp_path: Path, name: str):
    seen: list[tuple[str, int, int]] = []

    def note(stage: str, done: int, total: int, /) -> None:
        seen.append((stage, done, total))

    stages = STAGES[name]
    build(RECIPES[name], corpus=corpus, out=tmp_path / "index", workers=1, progress=note)
    told = [stage for stage, _, _ in seen if stage not in ("tokens", "cents")]
    assert list(dict.fromkeys(told)) == stages
    assert told == sorted(told, key=stages.index)
    last = {stage: (done, total) for stage, done, total in seen}
    assert all(done == total > 0 for done, total in last.values())
    for stage in stages[3:]:
        steps = [(done, total) for told, done, total in seen if told == stage]
        assert len(steps) > 3
        assert steps == sorted(steps)
    log = json.loads((tmp_path / "index" / "v000001" / "build_log.json").read_bytes())
    assert set(log["seconds"]) == {*stages} - {"publish"}  # the log is written before it


@pytest.mark.usefixtures("small_tasks", "stand_ins")
@pytest.mark.slow
@pytest.mark.parametrize("name", ["spacy", "encoded"])
def test_bytes_depend_neither_on_workers_nor_on_the_order_of_the_corpus(
    corpus: Path, tmp_path: Path, expected: dict[str, Manifest], name: str
):
    recipe = RECIPES[name]
    two = manifest(build(recipe, corpus=corpus, out=tmp_path / "2", workers=2))
    rows = records()
    random.Random(5).shuffle(rows)  # noqa: S311
    shuffled = written(tmp_path / "shuffled.jsonl", rows)
    other = manifest(build(recipe, corpus=shuffled, out=tmp_path / "3", workers=1))
    assert expected[name] == two == other
    assert two.counts["n_facts"] > 0


@pytest.mark.usefixtures("stand_ins")
@pytest.mark.parametrize("name", [pytest.param("spacy", marks=pytest.mark.slow), "encoded"])
def test_bytes_depend_neither_on_chunks_nor_on_runs(
    corpus: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    expected: dict[str, Manifest],
    name: str,
):
    for size, run in ((1, 1 << 16), (3, 2), (11, 5)):
        monkeypatch.setattr(build_module, "_PASSAGES_A_CHUNK", size)
        monkeypatch.setattr(passage_store, "_PASSAGES_A_RUN", run)
        out = tmp_path / f"{size}-{run}"
        found = manifest(build(RECIPES[name], corpus=corpus, out=out, workers=1))
        assert found == expected[name]


def test_bytes_of_links_and_references_do_not_depend_on_chunks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    linked = [{**one, "links": [f"rule-{at}"]} for at, one in enumerate(rules(9, 0))]
    corpus = write_records(tmp_path / "rules.jsonl", linked)
    sums: list[Manifest] = []
    for size in (1, 100):
        monkeypatch.setattr(build_module, "_PASSAGES_A_CHUNK", size)
        sums.append(manifest(build(FAST, corpus=corpus, out=tmp_path / f"{size}", workers=1)))
    assert sums[0] == sums[1]


def test_what_a_task_holds_ends_where_a_chunk_ends():
    """Else a passage's failure would be noted in a chunk that it does not belong to."""
    a_chunk = build_module._PASSAGES_A_CHUNK  # pyright: ignore[reportPrivateUsage]
    for a_task in (
        triple_cache._PASSAGES_A_TASK,  # pyright: ignore[reportPrivateUsage]
        extraction._PASSAGES_A_QUESTION,  # pyright: ignore[reportPrivateUsage]
    ):
        assert a_chunk % a_task == 0


@pytest.mark.slow
def test_bytes_do_not_depend_on_the_hash_seed(corpus: Path, tmp_path: Path):
    code = (
        "import sys; from hippohover.indexing.build import build;"
        "from hippohover.recipe import IndexRecipe as R;"
        "build(R(name='fast', extractor='between', encoder='none'),"
        " corpus=sys.argv[1], out=sys.argv[2])"
    )
    for seed in ("1", "2"):
        subprocess.run(  # noqa: S603
            [sys.executable, "-c", code, str(corpus), str(tmp_path / seed)],
            env={**os.environ, "PYTHONHASHSEED": seed}, check=True, timeout=300,
        )  # fmt: skip
    here = manifest(build(FAST, corpus=corpus, out=tmp_path / "here"))
    assert manifest(tmp_path / "1") == manifest(tmp_path / "2") == here


@pytest.fixture(scope="module")
def few_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Index of three passages; read it only."""
    folder = tmp_path_factory.mktemp("few")
    few = written(folder / "few.jsonl", records()[:3])
    return build(FAST, corpus=few, out=folder / "index", workers=1)


@forks
@pytest.mark.usefixtures("small_tasks")
@pytest.mark.parametrize(
    "stage",
    [
        pytest.param(stage, marks=[] if stage in ("scan", "publish") else pytest.mark.slow)
        for stage in STAGES["between"]
    ],
)
def test_a_build_that_is_killed_leaves_the_old_index(
    corpus: Path, tmp_path: Path, few_index: Path, expected: dict[str, Manifest], stage: str
):
    root = Path(shutil.copytree(few_index, tmp_path / "index"))
    old = manifest(root)

    def kill(now: str, done: int, total: int, /) -> None:
        if now == stage:
            os.kill(os.getpid(), signal.SIGKILL)

    status, _ = in_child(lambda: build(FAST, corpus=corpus, out=root, workers=2, progress=kill))
    assert os.WTERMSIG(status) == signal.SIGKILL
    live = manifest(root)
    assert live in (old, expected["between"])
    assert live == old or stage == "publish"
    assert manifest(build(FAST, corpus=corpus, out=root, workers=1)) == expected["between"]
    assert not [path for path in root.iterdir() if path.name.startswith(".building")]


@pytest.mark.usefixtures("small_tasks")
@pytest.mark.parametrize("stage", STAGES["between"][:-1])
def test_ctrl_c_leaves_the_old_index_and_no_worker(
    corpus: Path, tmp_path: Path, whole_builds: dict[str, Path], stage: str
):
    root = Path(shutil.copytree(whole_builds["between"], tmp_path / "index"))
    old = manifest(root)

    def stop(now: str, done: int, total: int, /) -> None:
        if now == stage:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        build(FAST, corpus=corpus, out=root, workers=2, progress=stop)
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii")
    assert children.split() == []  # though the traceback still holds every frame
    assert caught.value is not None
    assert manifest(root) == old
    assert not [path for path in root.iterdir() if path.name.startswith(".building")]


@forks
@pytest.mark.usefixtures("small_tasks")
def test_triples_are_not_extracted_twice(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(extraction, "SpacyTriples", Parser)
    root = tmp_path / "index"

    def kill(now: str, done: int, total: int, /) -> None:
        if now == "triples" and done >= 4:
            os.kill(os.getpid(), signal.SIGKILL)

    status, _ = in_child(lambda: build(PARSED, corpus=corpus, out=root, workers=2, progress=kill))
    assert os.WTERMSIG(status) == signal.SIGKILL
    first = manifest(build(PARSED, corpus=corpus, out=root, workers=1))
    assert 0 < len(Parser.asked) <= 7
    assert manifest(build(PARSED, corpus=corpus, out=root, workers=1)) == first
    assert Parser.asked == []
    assert first == manifest(build(PARSED, corpus=corpus, out=tmp_path / "other", workers=1))
    assert len(Parser.asked) == 11


class Stumbling(BetweenTriples):
    """Raises on every passage that names Nordhaven."""

    def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple]]:
        for passage in passages:
            if "Nordhaven" in passage.text:
                raise RuntimeError("no such\nsentence")
            yield from super().extract([passage])


class StumblingParser(Stumbling):
    def __init__(self, model: str) -> None:
        super().__init__(Gazetteer({}))


@pytest.mark.usefixtures("small_tasks")
@pytest.mark.parametrize(
    "recipe",
    [FAST, pytest.param(PARSED, marks=pytest.mark.slow)],
    ids=lambda recipe: recipe.extractor,
)
def test_a_failed_extraction_is_a_record_and_tried_again(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recipe: IndexRecipe
):
    recipe = recipe.model_copy(update={"max_failure_share": 0.5})
    monkeypatch.setattr(extraction, "SpacyTriples", StumblingParser)
    with monkeypatch.context() as patched:
        patched.setattr(chunk_stages, "BetweenTriples", Stumbling)
        one = manifest(build(recipe, corpus=corpus, out=tmp_path / "index", workers=1))
        two = manifest(build(recipe, corpus=corpus, out=tmp_path / "two", workers=2))
    assert one == two
    n_failed = sum("Nordhaven" in str(row["text"]) for row in records())
    assert one.counts["n_failed_extractions"] == one.n_failures == len(one.failures) == n_failed
    pattern = r"passage [0-9a-f]{16}: no triples \(RuntimeError: no such sentence\)"
    assert all(re.fullmatch(pattern, failure) for failure in one.failures)
    monkeypatch.setattr(extraction, "SpacyTriples", Parser)
    monkeypatch.setattr(Parser, "version", Stumbling.version)
    again = manifest(build(recipe, corpus=corpus, out=tmp_path / "index", workers=1))
    assert again.n_failures == 0
    assert again.counts["n_facts"] > one.counts["n_facts"]
    if recipe.extractor == "spacy":
        assert len(Parser.asked) == n_failed


def test_too_many_failed_extractions_stop_the_build(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    root = tmp_path / "index"
    old = manifest(build(FAST, corpus=corpus, out=root))
    monkeypatch.setattr(chunk_stages, "BetweenTriples", Stumbling)
    with pytest.raises(
        BuildError, match=r"failed for 4 of 11 .*1\.0%.*max_failure_share"
    ) as caught:
        build(FAST, corpus=corpus, out=root)
    assert "\n" not in str(caught.value)
    assert manifest(root) == old


@pytest.mark.parametrize("n_bytes", [1, 200, 5000])
@pytest.mark.parametrize("recipe", [FAST, PARSED], ids=lambda recipe: recipe.extractor)
def test_a_full_disk_is_one_line_and_the_old_index_stays(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recipe: IndexRecipe, n_bytes: int
):
    monkeypatch.setattr(extraction, "SpacyTriples", Parser)
    root = tmp_path / "index"
    old = manifest(build(FAST, corpus=written(tmp_path / "few.jsonl", records()[:3]), out=root))

    with limited_files(n_bytes), pytest.raises((BuildError, IndexStoreError)) as caught:
        build(recipe, corpus=corpus, out=root)
    assert "\n" not in str(caught.value)
    assert manifest(root) == old


# --- a build that was stopped goes on --------------------------------------------------------

CHUNKS = range(6)
WORK = Path(".cache") / "work"


@pytest.fixture
def handled(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[int]]:
    """Chunks that are scanned and encoded in this process, in that order."""
    seen: dict[str, list[int]] = {"found": [], "vectors": []}

    class Scan(chunk_stages.ScanStage):
        def __call__(self, number: int) -> list[ExtractionFailure]:
            seen["found"].append(number)
            return super().__call__(number)

    class Encode(chunk_stages.VectorStage):
        def __call__(self, number: int) -> list[ExtractionFailure]:
            seen["vectors"].append(number)
            return super().__call__(number)

    monkeypatch.setattr(build_module, "ScanStage", Scan)
    monkeypatch.setattr(vectors, "VectorStage", Encode)
    return seen


def stopped(recipe: IndexRecipe, corpus: Path, root: Path, stage: str) -> None:
    """Kill a build within a stage, or as it begins where nobody knows how far it is."""

    def kill(now: str, done: int, total: int, /) -> None:
        if now == stage and (done >= 4 or total == 1):
            os.kill(os.getpid(), signal.SIGKILL)

    status, answer = in_child(
        lambda: build(recipe, corpus=corpus, out=root, workers=1, progress=kill)
    )
    assert os.WIFSIGNALED(status), answer


@pytest.fixture(scope="module")
def stopped_builds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Roots of builds that were killed when all chunks had been scanned; read them only."""
    folder = tmp_path_factory.mktemp("stopped")
    corpus = written(folder / "corpus.jsonl", records())
    with pytest.MonkeyPatch.context() as patched:
        use_stand_ins(patched)
        patched.setattr(build_module, "_PASSAGES_A_CHUNK", 2)
        for name in ("between", "spacy"):
            stopped(RECIPES[name], corpus, folder / name, "graph")
    return {name: folder / name for name in ("between", "spacy")}


def whole(root: Path, kind: str) -> set[int]:
    """Chunks whose files of a kind are in the work folder."""
    return {int(path.stem[-5:]) for path in root.glob(f".cache/work/*/{kind}-*.arrow")}


QUICK_STOPS = [("spacy", "triples"), ("encoded", "scan"), ("encoded", "vectors")]
STOPS = [
    pytest.param(name, stage, marks=[] if (name, stage) in QUICK_STOPS else pytest.mark.slow)
    for name in ("spacy", "encoded")
    for stage in STAGES[name]
]
"""The build that is encoded takes its triples as the one without vectors does."""


@forks
@pytest.mark.usefixtures("small_tasks", "stand_ins")
@pytest.mark.parametrize(("name", "stage"), STOPS)
def test_a_build_that_was_killed_does_no_chunk_again(
    corpus: Path,
    tmp_path: Path,
    handled: dict[str, list[int]],
    expected: dict[str, Manifest],
    name: str,
    stage: str,
):
    recipe, root = RECIPES[name], tmp_path / "index"
    Parser.asked = []
    stages = STAGES[name]
    stopped(recipe, corpus, root, stage)
    done = {kind: whole(root, kind) for kind in ("found", "triples", "vectors")}
    for kind, made_in in (("found", "scan"), ("triples", "triples"), ("vectors", "vectors")):
        if made_in in stages:
            at, makes = stages.index(stage), stages.index(made_in)
            least, most = (0, 0) if at < makes else (6, 6) if at > makes else (1, 5)
            assert least <= len(done[kind]) <= most, kind
    for chunks_of_kind in handled.values():
        chunks_of_kind.clear()
    assert manifest(build(recipe, corpus=corpus, out=root, workers=1)) == expected[name]
    assert handled["found"] == sorted({*CHUNKS} - done["found"])
    assert handled["vectors"] == (sorted({*CHUNKS} - done["vectors"]) if recipe == ENCODED else [])
    if recipe == PARSED:
        at = stages.index(stage) - stages.index("triples")
        assert len(Parser.asked) == (11 if at < 0 else 11 - 4 if at == 0 else 0)
    assert not (root / WORK).exists()


@forks
@pytest.mark.slow
@pytest.mark.usefixtures("small_tasks", "stand_ins")
def test_a_build_that_was_stopped_again_and_again_comes_to_its_end(
    corpus: Path, tmp_path: Path, expected: dict[str, Manifest]
):
    root = tmp_path / "index"
    n_done: list[int] = []
    for stage in ("triples", "triples", "scan", "scan", "graph"):
        stopped(PARSED, corpus, root, stage)
        n_done.append(len(whole(root, "triples")) + len(whole(root, "found")))
    assert n_done == sorted(n_done)
    copy = shutil.copytree(root, tmp_path / "copy")
    for place, workers in ((root, 1), (copy, 2)):
        found = manifest(build(PARSED, corpus=corpus, out=place, workers=workers))
        assert found == expected["spacy"]


@forks
@pytest.mark.usefixtures("small_tasks", "stand_ins")
def test_another_build_takes_nothing_from_one_that_was_stopped(
    corpus: Path,
    tmp_path: Path,
    handled: dict[str, list[int]],
    stopped_builds: dict[str, Path],
):
    few = written(tmp_path / "few.jsonl", records()[1:])
    for recipe, path in ((HIDDEN, corpus), (FAST, few)):
        root = tmp_path / path.stem
        shutil.copytree(stopped_builds["between"], root)
        assert (root / WORK).exists()
        expected = manifest(build(recipe, corpus=path, out=tmp_path / "expected", workers=1))
        handled["found"].clear()
        assert manifest(build(recipe, corpus=path, out=root, workers=1)) == expected
        assert len(handled["found"]) == -(-expected.counts["n_passages"] // 2)
        assert not (root / WORK).exists()


@forks
@pytest.mark.usefixtures("small_tasks", "stand_ins")
def test_settings_of_queries_do_not_make_it_another_build(
    corpus: Path,
    tmp_path: Path,
    handled: dict[str, list[int]],
    stopped_builds: dict[str, Path],
):
    root = Path(shutil.copytree(stopped_builds["between"], tmp_path / "index"))
    other = FAST.model_copy(update={"query": FAST.query.model_copy(update={"damping": 0.7})})
    expected = manifest(build(other, corpus=corpus, out=tmp_path / "expected", workers=1))
    handled["found"].clear()
    assert manifest(build(other, corpus=corpus, out=root, workers=1)) == expected
    assert handled["found"] == []


@forks
@pytest.mark.usefixtures("small_tasks", "stand_ins")
@pytest.mark.parametrize(
    "recipe",
    [FAST, pytest.param(PARSED, marks=pytest.mark.slow)],
    ids=lambda recipe: recipe.extractor,
)
def test_chunks_with_failures_are_done_again(
    corpus: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    handled: dict[str, list[int]],
    recipe: IndexRecipe,
):
    monkeypatch.setattr(Parser, "version", Stumbling.version)
    recipe = recipe.model_copy(update={"max_failure_share": 0.5})
    root = tmp_path / "index"
    expected = manifest(build(recipe, corpus=corpus, out=tmp_path / "expected", workers=1))
    with monkeypatch.context() as patched:
        patched.setattr(extraction, "SpacyTriples", StumblingParser)
        patched.setattr(chunk_stages, "BetweenTriples", Stumbling)
        stopped(recipe, corpus, root, "graph")
    with_failures = {
        number
        for number in CHUNKS
        for path in root.glob(f".cache/work/*/passages-{number:05d}.arrow")
        if "Nordhaven" in str(open_table(path).column("text").to_pylist())
    }
    assert 0 < len(with_failures) < 6
    handled["found"].clear()
    assert manifest(build(recipe, corpus=corpus, out=root, workers=1)) == expected
    assert handled["found"] == sorted(with_failures)


@forks
@pytest.mark.usefixtures("small_tasks", "stand_ins")
@pytest.mark.parametrize("kind", ["passages", "triples", "found", "names"])
def test_a_damaged_file_of_a_stopped_build_is_made_again(
    corpus: Path,
    tmp_path: Path,
    expected: dict[str, Manifest],
    stopped_builds: dict[str, Path],
    kind: str,
):
    root = Path(shutil.copytree(stopped_builds["spacy"], tmp_path / "index"))
    for path in root.glob(f".cache/work/*/{kind}*.arrow"):
        path.write_bytes(path.read_bytes()[:-20])
    assert manifest(build(PARSED, corpus=corpus, out=root, workers=1)) == expected["spacy"]


@pytest.mark.usefixtures("small_tasks")
def test_what_a_stopped_build_has_done_goes_with_the_garbage(
    corpus: Path,
    tmp_path: Path,
    handled: dict[str, list[int]],
    whole_builds: dict[str, Path],
):
    root = Path(shutil.copytree(whole_builds["between"], tmp_path / "index"))

    def stop(now: str, done: int, total: int, /) -> None:
        if now == "graph":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(FAST, corpus=corpus, out=root, workers=1, progress=stop)
    assert (root / WORK).exists()
    collect_garbage(root)
    assert not (root / WORK).exists()
    handled["found"].clear()
    build(FAST, corpus=corpus, out=root, workers=1)
    assert handled["found"] == list(CHUNKS)


@pytest.mark.slow
@pytest.mark.usefixtures("stand_ins")
@pytest.mark.parametrize("name", ["spacy", "encoded"])
def test_few_passages_are_in_memory_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
):
    monkeypatch.setattr(build_module, "_PASSAGES_A_CHUNK", 256)
    monkeypatch.setattr(passage_store, "_PASSAGES_A_RUN", 512)
    n = 6_000
    rows = [
        {
            "title": f"Person {at}",
            "text": f"Person {at} met Person {at * 7 % n} in {TOWNS[at % 3]}.",
        }
        for at in range(n)
    ]
    alive: dict[str, int] = {}

    def count(stage: str, done: int, total: int, /) -> None:
        if done % 1024 < 256:
            here = sum(type(each) is Passage for each in gc.get_objects())
            alive[stage] = max(here, alive.get(stage, 0))

    def counted_run(*arguments: Any) -> Any:  # noqa: ANN401
        count("read", 0, 0)
        return write_run(*arguments)

    monkeypatch.setattr(reading, "write_run", counted_run)
    root = build(
        RECIPES[name], corpus=written(tmp_path / "many.jsonl", rows), out=tmp_path / "index",
        workers=1, progress=count,
    )  # fmt: skip
    assert counted(root)["n_passages"] == n
    assert list(alive) == STAGES[name]
    assert max(alive.values()) <= 2 * 512, alive


def refused(kind: type[HippoHoverError], work: Callable[[], object]) -> str:
    with pytest.raises(kind) as caught:
        work()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_what_is_wrong_with_the_call_is_named(corpus: Path, tmp_path: Path):
    out = tmp_path / "index"
    assert "gone.jsonl" in refused(
        CorpusError, lambda: build(FAST, corpus=tmp_path / "gone.jsonl", out=out)
    )
    assert "--corpus" in refused(CorpusError, lambda: build(FAST, out=out))
    unsure = FAST.model_copy(update={"corpus": CorpusSettings(url="https://example.org/c.jsonl")})
    assert "sha256" in refused(CorpusError, lambda: build(unsure, out=out))
    strange = FAST.model_copy(update={"corpus": CorpusSettings(format="xml")})
    assert "'xml'" in refused(CorpusError, lambda: build(strange, corpus=corpus, out=out))
    assert "nowhere" in refused(RecipeError, lambda: build("nowhere", corpus=corpus, out=out))
    assert "limit" in refused(UsageError, lambda: build(FAST, corpus=corpus, out=out, limit=0))
    assert "workers" in refused(UsageError, lambda: build(FAST, corpus=corpus, out=out, workers=0))
    (tmp_path / "file").write_text("x", encoding="ascii")
    refused(IndexStoreError, lambda: build(FAST, corpus=corpus, out=tmp_path / "file"))


def test_the_recipes_own_corpus_and_a_limit(corpus: Path, tmp_path: Path):
    recipe = FAST.model_copy(update={"corpus": CorpusSettings(path=str(corpus))})
    assert counted(build(recipe, out=tmp_path / "all"))["n_documents"] == 11
    assert counted(build(recipe, out=tmp_path / "few", limit=4))["n_documents"] == 4


@pytest.mark.parametrize("key", ["n_bytes", "sha256"])
def test_the_recipes_own_corpus_must_be_the_file_it_describes(
    corpus: Path, tmp_path: Path, key: str
):
    right: dict[str, object] = {
        "path": str(corpus),
        "n_bytes": corpus.stat().st_size,
        "sha256": sha256(corpus.read_bytes()).hexdigest(),
    }
    recipe = FAST.model_copy(update={"corpus": CorpusSettings.model_validate(right)})
    build(recipe, out=tmp_path / "right")
    wrong = {**right, key: 7 if key == "n_bytes" else "0" * 64}
    recipe = FAST.model_copy(update={"corpus": CorpusSettings.model_validate(wrong)})
    with pytest.raises(CorpusError, match=rf"corpus.*: its {key} is .* fix corpus.{key}"):
        build(recipe, out=tmp_path / "wrong")
    assert not list((tmp_path / "wrong").glob("v*"))


def test_the_index_goes_where_the_recipe_says(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    assert build(FAST, corpus=corpus) == Path("index/fast")
    assert counted(tmp_path / "index" / "fast")["n_passages"] == 11


def test_an_unknown_encoder_stops_before_anything_is_read(corpus: Path, tmp_path: Path):
    seen: set[str] = set()
    recipe = FAST.model_copy(update={"encoder": str(tmp_path / "no-model")})

    def note(stage: str, done: int, total: int, /) -> None:
        seen.add(stage)

    message = refused(
        ModelError, lambda: build(recipe, corpus=corpus, out=tmp_path / "index", progress=note)
    )
    assert "no-model" in message
    assert seen == {"models"}


def every_byte(folder: Path) -> bytes:
    return b"\0".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


@pytest.mark.parametrize("recipe", [FAST, PARSED], ids=lambda recipe: recipe.extractor)
def test_hidden_titles_are_in_no_table(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recipe: IndexRecipe
):
    monkeypatch.setattr(extraction, "SpacyTriples", Parser)
    hidden = recipe.model_copy(update={"corpus": CorpusSettings(titles="hidden")})
    root = tmp_path / "index"
    shown = IndexTables.open(StoredIndex.open(build(recipe, corpus=corpus, out=root)))
    assert b"zyxwolf" in every_byte(root / "v000001").lower()
    tables = IndexTables.open(StoredIndex.open(build(hidden, corpus=corpus, out=root)))
    content = every_byte(root / "v000002").lower()
    assert b"zyxwolf" not in content
    assert b"qorvane" not in content
    assert b"(film)" not in content
    assert b"velmora" in content  # the texts have it
    assert set(tables.passages.column("title").to_pylist()) == {""}
    assert tables.passages.column("pid").equals(shown.passages.column("pid"))
    assert tables.arrays.title_lengths.tolist() == [0] * 11
    terms = Stemmer().terms(["zyxwolf", "qorvane"])
    assert len(shown.arrays.lexical.query_terms(terms)) == 2
    assert len(tables.arrays.lexical.query_terms(terms)) == 0
    assert tables.arrays.names.numbers(["zyxwolf qorvane", "velmora film"]).tolist() == [-1, -1]
    alone = manifest(build(hidden, corpus=corpus, out=tmp_path / "alone"))
    assert alone == manifest(root)


@pytest.mark.slow
def test_an_unknown_spacy_model_stops_before_anything_is_read(corpus: Path, tmp_path: Path):
    recipe = PARSED.model_copy(update={"spacy_model": "xx_no_model"})
    message = refused(ModelError, lambda: build(recipe, corpus=corpus, out=tmp_path / "index"))
    assert "xx_no_model" in message


@pytest.mark.slow
def test_a_build_with_spacy_and_the_default_encoder(corpus: Path, tmp_path: Path):
    recipe = IndexRecipe(name="whole", extractor="spacy", fact_vectors=True)
    root = build(recipe, corpus=corpus, out=tmp_path / "index")
    one = manifest(root)
    arrays = IndexTables.open(StoredIndex.open(root)).arrays
    assert one.models["extractor"]["version"].startswith("rules-")
    assert one.models["encoder"]["name"] == "minilm-static"
    assert arrays.passage_vectors.shape == (11, one.dimensions["encoder"])
    assert len(arrays.fact_vectors) == one.counts["n_facts"] > 11
    assert "encoder/encoder.json" in one.files
    assert manifest(build(recipe, corpus=corpus, out=tmp_path / "again")) == one
