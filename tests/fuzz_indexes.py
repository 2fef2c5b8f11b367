"""Altered indexes: everything in one that a program reads, changed in a few places, and resealed.

The bytes of an input are the seed of its changes. Every file of an index comes in turn: arrays,
tables, segments, the manifest, the encoder, the ranking, the cache.
"""

import io
import json
import shutil
import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import ipc

import hippohover
from hippohover.errors import HippoHoverError
from hippohover.indexing.build import build
from hippohover.indexing.garbage import collect_garbage
from hippohover.indexing.update import add, compact, delete
from hippohover.recipe import CorpusSettings, IndexRecipe, QuerySettings
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.reranking.rerank import N_FOLDS
from hippohover.retrieval.reranking.trees import Trees
from hippohover.retrieval.reranking.tuned import TUNED_FEATURES, TunedRanking
from hippohover.retrieval.where import Condition
from hippohover.store.layout import OWN_FILES
from hippohover.store.reader import StoredIndex
from hippohover.store.segments.opening import content_problems
from hippohover.store.tables import LEAST_WITH_SPARE
from hippohover.vectors.static_encoder import PACKAGED_SHA256
from hippohover.verification.verifier import Draft, Verifier
from tests.fuzz_mutations import VALUES, mutated
from tests.index_samples import seal_manifest

RECIPE: Final = IndexRecipe(
    name="altered",
    extractor="between",
    fact_vectors=True,
    corpus=CorpusSettings(max_words=20, metadata=("year", "place")),
    query=QuerySettings(vectors="faiss"),
)
CLAIM: Final = "The director of Lantern Hill was born in Vellmouth."
KINDS: Final = ("facts", "segments")
RETRIEVERS: Final = ("ppr", "bm25", "dense", "hybrid", "hipporag2")

Array = NDArray[Any]


def altered_index(scratch: Callable[[], Path], data: bytes) -> None:
    """An index with a few changes is used, or refused in one line, whatever is asked of it."""
    random = Random(data)  # noqa: S311
    root = scratch() / "altered"
    shutil.rmtree(root, ignore_errors=True)
    is_whole = data.decode("latin-1") in KINDS
    kind = data.decode() if is_whole else random.choice(KINDS)
    shutil.copytree(sample(scratch(), kind), root)
    for _ in range(random.choice((1, 1, 1, 2, 3)) if not is_whole else 0):
        alter(root, random)
    refusals: list[HippoHoverError] = []
    for use in USES:
        try:
            use(root)
        except HippoHoverError as error:
            assert str(error).isprintable(), repr(str(error))
            refusals.append(error)
    assert not (is_whole and refusals), refusals
    if len(refusals) == len(USES):
        raise refusals[0]


@cache
def sample(scratch: Path, kind: str) -> Path:
    """An index with all that one can hold: vectors of facts, or segments over a base."""
    n = {"facts": 24, "segments": LEAST_WITH_SPARE}[kind]  # a smaller one has no segments
    titles = [f"{one} {two}" for one in _FIRST for two in _SECOND][:n]
    rows = [
        {
            "title": title,
            "text": f"{title} is a film of {1900 + at}. Pia Nordahl directed {title} in Vellmouth."
            f"\n\n# The making\n\nIt follows {before}, and Jon Bell of Vellmouth wrote it.",
            "year": 1900 + at,
            "place": "Vellmouth" if at % 2 else None,
            "links": [before],
        }
        for at, (title, before) in enumerate(zip(titles, [*titles[1:], titles[0]], strict=True))
    ]
    changed = {"fact_vectors": kind == "facts", "encoder": "minilm-static"}
    recipe = RECIPE.model_copy(update=changed)
    root = build(recipe, corpus=_lines(scratch, rows), out=scratch / kind, workers=1)
    add(root, _lines(scratch, _NEW))
    delete(root, titles[3:4])
    TunedRanking(
        trees=dict.fromkeys(("all", *(f"without-{fold}" for fold in range(N_FOLDS))), _ONE_TREE),
        folds={"0" * 12: 0},
        encoder=PACKAGED_SHA256,
    ).save(root / "ranking.npz")
    collect_garbage(root, keep=1)
    _query(root)  # leaves lists of vectors in the cache
    return root


_FIRST: Final = [f"{head}{tail}" for head in ("Lan", "Am", "Cop", "Win", "Gla") for tail in
                 ("tern", "ber", "pery", "ter", "ssy", "ow", "ich", "und")]  # fmt: skip
_SECOND: Final = [f"{head}{tail}" for head in ("Hi", "We", "Mi", "La", "Ro") for tail in
                  ("ll", "ir", "ne", "ad", "st", "ck")]  # fmt: skip
_NEW: Final = (
    {"title": "Vellmouth", "text": "Vellmouth is a town. Pia Nordahl was born there."},
    {"title": "Pia Nordahl", "text": "Pia Nordahl made Lantern Hill and Lantern Weir.", "year": 3},
)
_ONE_TREE: Final = Trees(
    feature_names=TUNED_FEATURES,
    roots=np.zeros(1, np.int64),
    features=np.zeros(1, np.int64),
    thresholds=np.zeros(1),
    children=np.array([[-1, -2]]),
    leaves=np.array([0.1, -0.1]),
)


def _lines(scratch: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    path = scratch / "lines.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


# What is asked of it


def _query(root: Path) -> None:
    with closing(HippoHover.open(root)) as engine:
        for retriever in RETRIEVERS:
            found = engine.retrieve(CLAIM, retriever=retriever).passages
            assert all(passage.metadata is not None and passage.text for passage in found)
        assert engine.retrieve(CLAIM, where=[Condition.parse("year=1900")]).passages is not None
        engine.names_in(CLAIM)


def _explain(root: Path) -> None:
    with closing(HippoHover.open(root)) as engine:
        hippohover.explain(engine, CLAIM, title="Lantern Weir").as_dict()


def _verify(root: Path) -> None:
    with closing(HippoHover.open(root)) as engine:
        Verifier(engine).verify(Draft(CLAIM))


def _add(root: Path) -> None:
    new = {"title": "Jon Bell", "text": "Jon Bell wrote Lantern Weir in Vellmouth."}
    add(root, _lines(root.parent, [new]))


def _compact(root: Path) -> None:
    compact(root)


def _inspect(root: Path) -> None:
    with StoredIndex.open(root, check=False) as stored:
        for line in stored.verify() or content_problems(stored):
            assert line.isprintable()


USES: Final[tuple[Callable[[Path], None], ...]] = (
    _query, _explain, _verify, _inspect, _add, _compact
)  # fmt: skip


# What is changed


def alter(root: Path, random: Random) -> None:
    """Change one file of an index, and make the sums right again."""
    files = sorted(path for path in root.rglob("*") if path.is_file() and path.name != ".lock")
    path = random.choice(files)
    content = path.read_bytes()
    with suppress(ValueError, pa.ArrowException, KeyError, zipfile.BadZipFile):  # altered before
        content = _changed(path, content, random)
    path.unlink()
    path.write_bytes(content)
    reseal(root)


def _changed(path: Path, content: bytes, random: Random) -> bytes:
    if random.randrange(8) == 0:
        return mutated(content, [content], random)
    if path.suffix == ".npy":
        return _npy(change_array(np.load(io.BytesIO(content)), random))
    if path.suffix == ".npz":
        arrays: dict[str, Any] = dict(np.load(io.BytesIO(content)))
        name = random.choice(sorted(arrays))
        arrays[name] = change_array(arrays[name], random)
        made = io.BytesIO()
        np.savez(made, allow_pickle=False, **arrays)
        return made.getvalue()
    if path.suffix == ".arrow":
        table = change_table(ipc.open_file(content).read_all(), random)
        return _arrow(table, random.choice((None, None, None, "zstd")))
    if path.suffix == ".json":
        return json.dumps(change_json(json.loads(content), random)).encode()
    return mutated(content, [content], random)


def change_array(array: Array, random: Random) -> Array:
    """Return an array of other values, of another type or of another length."""
    changes: Mapping[str, Callable[[], Array]] = {
        "largest": lambda: np.full_like(array, _extreme(array.dtype, 1)),
        "least": lambda: np.full_like(array, _extreme(array.dtype, -1)),
        "some": lambda: _some(array, random),
        "one": lambda: _some(array, random, n=1),
        "zeros": lambda: np.zeros_like(array),
        "short": lambda: array[: len(array) // random.choice((2, 8, 1000))],
        "long": lambda: np.concatenate([array] * random.choice((2, 9))),
        "empty": lambda: array[:0],
        "type": lambda: array.astype(random.choice(("f8", "f2", "i8", "u1", ">i4", "U3"))),
        "dims": lambda: array.reshape(array.shape[::-1]) if array.ndim > 1 else array[:, None],
        "shuffled": lambda: np.array(random.sample(array.tolist(), len(array)), array.dtype),
        "reversed": lambda: array[::-1],
        "columns": lambda: np.asfortranarray(array),
    }
    array = np.atleast_1d(array)
    with np.errstate(all="ignore"):
        return changes[random.choice(sorted(changes))]()


def _extreme(dtype: np.dtype[Any], sign: int) -> Any:  # noqa: ANN401
    if dtype.kind in "iu":
        return np.iinfo(dtype).max if sign > 0 else np.iinfo(dtype).min
    return {"f": sign * np.inf, "b": sign > 0}.get(dtype.kind, "x")


def _some(array: Array, random: Random, n: int = 9) -> Array:
    """Return an array with other values in a few places, near those that are there and far."""
    changed = array.copy().reshape(-1)
    for _ in range(n if len(changed) else 0):
        at = random.randrange(len(changed))
        near = changed[random.randrange(len(changed))]
        if array.dtype.kind == "f":
            changed[at] = random.choice((np.nan, -np.inf, 1e-9, 6e4, -1.0, near))
        elif array.dtype.kind in "iu":
            far = random.choice((-1, 0, 1, 2**15, 2**31 - 2, 2**31, 2**62, len(array), int(near)))
            changed[at] = np.array(far + random.choice((0, 0, 1))).astype(array.dtype)
    return changed.reshape(array.shape)


def change_table(table: Any, random: Random) -> Any:  # noqa: ANN401  (Arrow has no types)
    """Return a table with one column changed, gone or twice, or with other rows."""
    name = random.choice(table.column_names)
    at = table.column_names.index(name)
    column = table.column(name).combine_chunks()
    of_other_type = pa.array([random.choice(VALUES[:4])] * len(table))
    change = random.choice(("values", "values", "type", "gone", "twice", "half", "double"))
    if change == "values":
        return table.set_column(at, name, _other_values(column, random))
    changed: Mapping[str, Any] = {
        "type": table.set_column(at, name, of_other_type),
        "gone": table.drop_columns([name]),
        "twice": table.append_column(name, column),
        "half": table.slice(0, len(table) // 2),
        "double": pa.concat_tables([table] * 2),
    }
    return changed[change]


def _other_values(column: Any, random: Random) -> Any:  # noqa: ANN401
    """Return a column of as many rows; of a segment's, one list of other numbers."""
    if pa.types.is_large_list(column.type) and len(column) == 1:
        values = column.flatten()
        if pa.types.is_large_string(values.type):
            changed = _other_words(values, random)
        else:
            numbers = change_array(values.to_numpy(zero_copy_only=False), random)
            changed = pa.array(numbers.reshape(-1))
        return pa.LargeListArray.from_arrays(pa.array([0, len(changed)], pa.int64()), changed)
    is_text = pa.types.is_large_string(column.type)
    return (_bad_offsets if is_text and random.randrange(2) else _other_words)(column, random)


def _other_words(column: Any, random: Random) -> Any:  # noqa: ANN401
    """Return a column of other values, shuffled, some of them of no use or none."""
    values = column.to_pylist()
    random.shuffle(values)
    others = {
        str: ("", "x" * 16, "\n", "\x1b[31m", "\u202e", "[" * 9999, "0" * 16),
        int: (-1, 0, 7, 2**31 - 1),
    }
    for at in random.sample(range(len(values)), min(3, len(values))):
        values[at] = random.choice((*others.get(type(values[at]), ()), None))
    return pa.array(values, column.type)


def _bad_offsets(column: Any, random: Random) -> Any:  # noqa: ANN401
    """Return a column of texts that begin and end somewhere else."""
    _, offsets, texts = column.buffers()
    moved = np.frombuffer(offsets, np.int64)[: len(column) + 1].copy()
    moved[random.randrange(len(moved))] = random.choice((-1, 1 << 44, int(moved[-1]), 3))
    buffers = [None, pa.py_buffer(moved.tobytes()), texts]
    return pa.Array.from_buffers(column.type, len(column), buffers)


def change_json(value: Any, random: Random) -> Any:  # noqa: ANN401
    """Return a value of JSON with one of its parts swapped for something else, or gone."""
    if isinstance(value, dict) and value and random.random() < 0.9:
        key = random.choice(sorted(value))
        if random.random() < 0.1:
            return {other: part for other, part in value.items() if other != key}
        return value | {key: change_json(value[key], random)}
    if isinstance(value, list) and value and random.random() < 0.9:
        at = random.randrange(len(value))
        return [*value[:at], change_json(value[at], random), *value[at + 1 :]]
    return random.choice(VALUES)


def reseal(root: Path) -> None:
    """Make every sum right again, of files that the manifests list or not, bases first."""
    sums: dict[str, str] = {}
    for version in sorted(root.glob("v*")):
        data = (version / "manifest.json").read_bytes()
        with suppress(ValueError, TypeError, KeyError, AttributeError):  # it was altered itself
            manifest = json.loads(data)
            for path in sorted(version.rglob("*")):
                name = path.relative_to(version).as_posix()
                if path.is_file() and name not in OWN_FILES:
                    content = path.read_bytes()
                    told = {"sha256": sha256(content).hexdigest(), "n_bytes": len(content)}
                    manifest["files"][name] = told
            if (base := manifest["base"]) and base["version"] in sums:
                base["manifest_sha256"] = sums[base["version"]]
            data = json.dumps(manifest).encode()
        seal_manifest(version, data)
        sums[version.name] = sha256(data).hexdigest()
        (version / "checked.json").unlink(missing_ok=True)


def _npy(array: Array) -> bytes:
    made = io.BytesIO()
    np.lib.format.write_array(made, array, version=(1, 0), allow_pickle=False)
    return made.getvalue()


def _arrow(table: Any, compression: str | None) -> bytes:  # noqa: ANN401
    made = io.BytesIO()
    options = ipc.IpcWriteOptions(compression=compression)
    with ipc.new_file(made, table.schema, options=options) as sink:
        sink.write_table(table)
    return made.getvalue()
