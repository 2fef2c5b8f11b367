"""Rows of largest cosine by FAISS; no other file imports it.

FAISS only selects candidates: ``vectors.nearest`` computes how similar they are.
"""

import json
import shutil
from pathlib import Path
from typing import Any, Final, Literal, cast

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import IndexDamagedError, IndexStoreError, UsageError
from hippohover.vectors.nearest import (
    TopK,
    Vectors,
    best_rows,
    check_vectors,
    checked_queries,
    margin_of,
    similarities_of,
    stacked,
    top_k,
)

NearestKind = Literal["exact", "flat", "ivf"]

_MIN_ROWS_A_LIST: Final = 128

_N_SAMPLES_A_LIST: Final = 64

_SHARE_PROBED: Final = 8

_KINDS: Final[dict[bytes, NearestKind]] = {
    b'{"ki': "exact",
    b"IxSQ": "flat",
    b"IxFI": "flat",
    b"IwSq": "ivf",
}


class NearestIndex:
    """Unit vectors and a search for near ones; safe from several threads.

    Kinds
    -----
    ``"exact"``: ``top_k``; nothing is built. ``"flat"``: FAISS compares all rows, faster; the
    same rows. ``"ivf"``: FAISS looks into an eighth of its inverted lists, 8 bits a value;
    nearly the same rows, much faster.
    """

    def __init__(
        self,
        vectors: Vectors,
        kind: NearestKind,
        index: Any = None,  # noqa: ANN401  (FAISS has no types)
        *,
        source: Path | None = None,
    ) -> None:
        self.vectors = vectors
        self.kind: NearestKind = kind
        self._index = index
        self._source = source

    @classmethod
    def build(cls, vectors: Vectors, kind: NearestKind = "exact") -> "NearestIndex":
        """Build the index of rows of length 1, or 0; shape (n, dim), as ``top_k`` takes them.

        The same bytes for the same vectors, whatever the number of threads.
        """
        if kind not in ("exact", "flat", "ivf"):
            raise UsageError(f"kind {kind!r} is unknown: name exact, flat or ivf")
        check_vectors(vectors)
        if kind == "exact" or not len(vectors):
            return cls(vectors, "exact")
        index = _empty_flat(vectors) if kind == "flat" else _trained_lists(vectors)
        for start in range(0, len(vectors), 1 << 16):
            index.add(np.ascontiguousarray(vectors[start : start + (1 << 16)], dtype=np.float32))
        return cls(vectors, kind, index)

    def save(self, path: Path) -> None:
        """Write the search structure, not the vectors; ``IndexStoreError`` if that fails."""
        try:
            if self._source is not None:  # FAISS would write where its mapped lists lie, not them
                shutil.copyfile(self._source, path)
            elif self._index is None:
                path.write_text(json.dumps({"kind": "exact", "shape": self.vectors.shape}))
            else:
                _faiss().write_index(self._index, str(path))
        except (OSError, RuntimeError) as error:
            raise IndexStoreError(
                f"{path} cannot be written ({_reason(error)}): make room, or choose another folder"
            ) from error

    @classmethod
    def open(cls, path: Path, vectors: Vectors) -> "NearestIndex":
        """Open the index that ``save`` wrote, over its vectors; read by memory map.

        Raises
        ------
        IndexDamagedError
            The file is missing, cannot be read, or belongs to vectors of another shape.
        """
        check_vectors(vectors)
        try:
            kind, index, shape = _read(path)
        except (OSError, RuntimeError, ValueError, KeyError, MemoryError) as error:
            raise IndexDamagedError(
                f"{path} cannot be read ({_reason(error)}): build the index again"
            ) from error
        if shape != vectors.shape:
            raise IndexDamagedError(
                f"{path} was made of {shape} vectors, here are {vectors.shape}: "
                "build the index again"
            )
        return cls(vectors, kind, index, source=path)

    def search(self, queries: NDArray[np.floating[Any]], k: int) -> TopK:
        """Search as ``top_k``: kind ``"ivf"`` may miss a few rows, but never returns fewer."""
        if self._index is None:
            return top_k(self.vectors, queries, k)
        queries = checked_queries(self.vectors, queries, k)
        k = min(k, len(self.vectors))
        roughly, pools = self._candidates(queries, k)
        answers = [
            self._answer(query, rows, float(worst), k)
            for query, rows, worst in zip(queries, pools, roughly[:, -1], strict=True)
        ]
        return stacked(answers, k)

    def _candidates(self, queries: NDArray[np.float32], k: int) -> TopK:
        n = min(4 * k + 64, len(self.vectors))
        options: dict[str, Any] = {}
        if self.kind == "ivf":
            n_lists = int(self._index.nlist)
            n_probed = max(min(n_lists, 8), n_lists // _SHARE_PROBED)
            options["params"] = _faiss().SearchParametersIVF(nprobe=n_probed)
        roughly, pools = self._index.search(queries, n, **options)
        if pools.max(initial=-1) >= len(self.vectors):
            raise IndexDamagedError("a row that does not exist was found: build the index again")
        return roughly, pools

    def _answer(
        self, query: NDArray[np.float32], rows: NDArray[np.int64], worst: float, k: int
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return the best candidates; compares all rows where the candidates leave doubt."""
        rows = np.sort(rows[rows >= 0])
        similarities, best = best_rows(similarities_of(self.vectors[rows], query), rows, k)
        is_cut = self.kind == "flat" and len(rows) < len(self.vectors)
        if len(best) < k or (is_cut and similarities[-1] <= worst + margin_of(query)):
            (similarities,), (best,) = top_k(self.vectors, query[None], k)
        return similarities, best


def _faiss() -> Any:  # noqa: ANN401  (FAISS has no types)
    try:
        import faiss
    except ImportError as error:
        raise UsageError(
            "kinds flat and ivf need faiss-cpu: pip install 'hippohover[faiss]', or name exact"
        ) from error
    return faiss


def _empty_flat(vectors: Vectors) -> Any:  # noqa: ANN401
    faiss = _faiss()
    dim = vectors.shape[1]
    if vectors.dtype == np.float32:
        return faiss.IndexFlatIP(dim)
    half = faiss.ScalarQuantizer.QT_fp16
    return faiss.IndexScalarQuantizer(dim, half, faiss.METRIC_INNER_PRODUCT)


def _trained_lists(vectors: Vectors) -> Any:  # noqa: ANN401
    """Make inverted lists around centroids of evenly spaced rows, still empty."""
    faiss = _faiss()
    n, dim = vectors.shape
    n_lists = max(1, min(n // _MIN_ROWS_A_LIST, round(2 * n**0.5)))
    index = faiss.IndexIVFScalarQuantizer(
        faiss.IndexFlatIP(dim),
        dim,
        n_lists,
        faiss.ScalarQuantizer.QT_8bit,
        faiss.METRIC_INNER_PRODUCT,
    )
    index.cp.seed = 1
    index.cp.niter = 10
    index.cp.min_points_per_centroid = 1  # else FAISS warns on stderr about tiny indexes
    index.cp.spherical = True
    sample = np.linspace(0, n - 1, min(n, _N_SAMPLES_A_LIST * n_lists)).astype(np.int64)
    index.train(np.ascontiguousarray(vectors[sample], dtype=np.float32))
    return index


def _read(path: Path) -> tuple[NearestKind, Any, tuple[int, ...]]:
    with path.open("rb") as file:
        kind = _KINDS[file.read(4)]
    if kind == "exact":
        shape: object = json.loads(path.read_bytes())["shape"]
        if not (isinstance(shape, list) and [type(n) for n in cast("Any", shape)] == [int, int]):
            raise ValueError("no shape of two numbers")
        return kind, None, tuple(cast("list[int]", shape))
    faiss = _faiss()
    flag = faiss.IO_FLAG_MMAP
    if kind == "flat":  # since FAISS 1.11 another flag maps what is not in lists
        flag = getattr(faiss, "IO_FLAG_MMAP_IFC", flag)
    index = faiss.read_index(str(path), flag)
    if index.metric_type != faiss.METRIC_INNER_PRODUCT:
        raise ValueError("not an index of inner products")
    return kind, index, (index.ntotal, index.d)


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:200]}"
