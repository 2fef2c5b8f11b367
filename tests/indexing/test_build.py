"""Whole builds: the same bytes whatever the way, one line when they stop, the old index intact."""

import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import pytest

from hippohover.errors import (
    BuildError,
    CorpusError,
    HippoHoverError,
    IndexStoreError,
    ModelError,
    RecipeError,
    UsageError,
)
from hippohover.index_manifest import Manifest
from hippohover.index_reader import StoredIndex
from hippohover.index_tables import IndexTables
from hippohover.indexing import build as build_module
from hippohover.indexing import extraction, triple_cache
from hippohover.indexing.build import build
from hippohover.indexing.triples import BetweenTriples
from hippohover.lexical import Stemmer
from hippohover.mentions import KnownNames
from hippohover.recipe import CorpusSettings, IndexRecipe
from hippohover.records import Passage, Triple

FAST = IndexRecipe(name="fast", extractor="between", encoder="none")
PARSED = FAST.model_copy(update={"extractor": "spacy"})
HIDDEN = FAST.model_copy(update={"corpus": CorpusSettings(titles="hidden")})

STAGES = ["models", "read", "names", "scan", "triples", "graph", "publish"]

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
    """Eleven passages are several tasks, so that two workers have something to share."""
    monkeypatch.setattr(build_module, "_PASSAGES_A_TASK", 2)
    monkeypatch.setattr(extraction, "_PASSAGES_A_TASK", 2)
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
        return BetweenTriples(KnownNames({})).extract(passages)


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


def counted(root: Path) -> dict[str, int]:
    return manifest(root).counts


def test_a_manifest_counts_what_was_read(corpus: Path, tmp_path: Path):
    rows = [*records(), records()[0], {"title": "Empty", "text": " "}]
    root = build(FAST, corpus=written(corpus, rows), out=tmp_path / "index")
    found = manifest(root)
    tables = IndexTables.open(StoredIndex.open(root))
    assert found.recipe == FAST.as_dict()
    assert found.recipe_sha256 == FAST.sha256
    assert found.models == {"extractor": {"name": "between", "version": "between-2"}}
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


def test_stages_are_told_in_order(corpus: Path, tmp_path: Path):
    seen: list[tuple[str, int, int]] = []

    def note(stage: str, done: int, total: int, /) -> None:
        seen.append((stage, done, total))

    build(FAST, corpus=corpus, out=tmp_path / "index", progress=note)
    assert list(dict.fromkeys(stage for stage, _, _ in seen)) == STAGES
    last = {stage: (done, total) for stage, done, total in seen}
    assert all(done == total > 0 for done, total in last.values())
    for stage in ("graph", "publish"):
        steps = [(done, total) for name, done, total in seen if name == stage]
        assert len(steps) > 3
        assert steps == sorted(steps)
    log = json.loads((tmp_path / "index" / "v000001" / "build_log.json").read_bytes())
    assert set(log["seconds"]) == {*STAGES} - {"publish"}  # the log is written before it


@pytest.mark.usefixtures("small_tasks")
@pytest.mark.parametrize("recipe", [FAST, PARSED], ids=lambda recipe: recipe.extractor)
def test_bytes_depend_neither_on_workers_nor_on_the_order_of_the_corpus(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recipe: IndexRecipe
):
    monkeypatch.setattr(extraction, "SpacyTriples", Parser)
    one = manifest(build(recipe, corpus=corpus, out=tmp_path / "1", workers=1))
    two = manifest(build(recipe, corpus=corpus, out=tmp_path / "2", workers=2))
    rows = records()
    random.Random(5).shuffle(rows)  # noqa: S311
    shuffled = written(tmp_path / "shuffled.jsonl", rows)
    three = manifest(build(recipe, corpus=shuffled, out=tmp_path / "3", workers=2))
    assert one == two == three
    assert one.counts["n_facts"] > 0


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


@forks
@pytest.mark.usefixtures("small_tasks")
@pytest.mark.parametrize("stage", STAGES)
def test_a_build_that_is_killed_leaves_the_old_index(corpus: Path, tmp_path: Path, stage: str):
    root = tmp_path / "index"
    few = written(tmp_path / "few.jsonl", records()[:3])
    old = manifest(build(FAST, corpus=few, out=root))
    expected = manifest(build(FAST, corpus=corpus, out=tmp_path / "expected"))

    def kill(now: str, done: int, total: int, /) -> None:
        if now == stage:
            os.kill(os.getpid(), signal.SIGKILL)

    status, _ = in_child(lambda: build(FAST, corpus=corpus, out=root, workers=2, progress=kill))
    assert os.WTERMSIG(status) == signal.SIGKILL
    live = manifest(root)
    assert live in (old, expected)
    assert live == old or stage == "publish"
    assert manifest(build(FAST, corpus=corpus, out=root)) == expected
    assert not [path for path in root.iterdir() if path.name.startswith(".building")]


@pytest.mark.usefixtures("small_tasks")
@pytest.mark.parametrize("stage", STAGES[:-1])
def test_ctrl_c_leaves_the_old_index_and_no_worker(corpus: Path, tmp_path: Path, stage: str):
    root = tmp_path / "index"
    old = manifest(build(FAST, corpus=corpus, out=root))

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

    status, _ = in_child(lambda: build(PARSED, corpus=corpus, out=root, progress=kill))
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
        super().__init__(KnownNames({}))


@pytest.mark.usefixtures("small_tasks")
@pytest.mark.parametrize("recipe", [FAST, PARSED], ids=lambda recipe: recipe.extractor)
def test_a_failed_extraction_is_a_record_and_tried_again(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recipe: IndexRecipe
):
    recipe = recipe.model_copy(update={"max_failure_share": 0.5})
    monkeypatch.setattr(extraction, "SpacyTriples", StumblingParser)
    with monkeypatch.context() as patched:
        patched.setattr(extraction, "BetweenTriples", Stumbling)
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
    monkeypatch.setattr(extraction, "BetweenTriples", Stumbling)
    with pytest.raises(
        BuildError, match=r"failed for 1 of 11 .*1\.0%.*max_failure_share"
    ) as caught:
        build(FAST, corpus=corpus, out=root)
    assert "\n" not in str(caught.value)
    assert manifest(root) == old


@forks
@pytest.mark.parametrize("n_bytes", [1, 200, 5000])
@pytest.mark.parametrize("recipe", [FAST, PARSED], ids=lambda recipe: recipe.extractor)
def test_a_full_disk_is_one_line_and_the_old_index_stays(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recipe: IndexRecipe, n_bytes: int
):
    monkeypatch.setattr(extraction, "SpacyTriples", Parser)
    root = tmp_path / "index"
    old = manifest(build(FAST, corpus=written(tmp_path / "few.jsonl", records()[:3]), out=root))

    def starved() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, n_bytes))
        build(recipe, corpus=corpus, out=root)

    _, answer = in_child(starved)
    assert answer.split(":")[0] in ("BuildError", "IndexStoreError")
    assert "\n" not in answer
    assert manifest(root) == old


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
    with pytest.raises(CorpusError, match=rf"corpus.*: its {key} is .* mend corpus.{key}"):
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
    recipe = IndexRecipe(name="whole", fact_vectors=True)
    root = build(recipe, corpus=corpus, out=tmp_path / "index")
    one = manifest(root)
    arrays = IndexTables.open(StoredIndex.open(root)).arrays
    assert one.models["extractor"]["version"].startswith("rules-")
    assert one.models["encoder"]["name"] == "minilm-static"
    assert arrays.passage_vectors.shape == (11, one.dimensions["encoder"])
    assert len(arrays.fact_vectors) == one.counts["n_facts"] > 11
    assert "encoder/encoder.json" in one.files
    assert manifest(build(recipe, corpus=corpus, out=tmp_path / "again")) == one
