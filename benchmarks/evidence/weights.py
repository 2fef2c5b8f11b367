"""Weights in files: matrices by rows in bytes, and what a run left as the file that is kept.

    cd benchmarks; python -m evidence.weights start OUT.safetensors
    cd benchmarks; python -m evidence.weights pack RUN OUT.safetensors [REVISION]
    cd benchmarks; python -m evidence.weights export ../hippohover/verification/evidence.onnx

``start`` writes the weights of all-MiniLM-L6-v2, from the package that carries them. ``pack`` reads
what ``train_evidence.py`` left in RUN: its weights become smaller, and its manifest says what they
are of. REVISION is that of the code that made them. ``export`` writes what was packed for ONNX
Runtime, as the package has it, and prints the SHA-256 that ``evidence_model.py`` names.
"""

import json
import struct
import sys
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save

Weights = dict[str, NDArray[np.float32]]
SHIPPED: Final = Path(__file__).parent / "weights.safetensors"
_SCALE: Final = ".scale"
_FEW: Final = 3
"""Rows of a matrix that is not worth making smaller."""
_NOT_TOLD: Final = frozenset(("data", "out", "state", "limit", "save_every", "workers", "tiny"))
"""Arguments of a run that change nothing but where and how long."""


def to_rows_of_bytes(values: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Each row as whole numbers up to 127 with the unit they are counted in."""
    scale = np.maximum(np.abs(values).max(1, keepdims=True) / 127, 1e-12).astype(np.float32)
    return np.rint(values / scale).astype(np.int8), scale


def small(state: Mapping[str, NDArray[np.float32]]) -> dict[str, NDArray[Any]]:
    """Weights for keeping: matrices by rows as bytes, the rest as it is."""
    found: dict[str, NDArray[Any]] = {}
    for name, value in state.items():
        if value.ndim == 2 and value.shape[0] > _FEW:
            found[name], found[name + _SCALE] = to_rows_of_bytes(value)
        else:
            found[name] = value
    return found


def load_small(path: Path) -> Weights:
    """Read weights that were made small."""
    return _whole(load_file(path))


def _whole(found: Mapping[str, NDArray[Any]]) -> Weights:
    return {
        name: np.asarray(value, np.float32) * found.get(name + _SCALE, np.float32(1))
        for name, value in found.items()
        if not name.endswith(_SCALE)
    }


def header(data: bytes) -> dict[str, Any]:
    """What a file of weights says of itself: types, shapes and places of all, and metadata."""
    (size,) = struct.unpack("<Q", data[:8])
    return json.loads(data[8 : 8 + size])


def manifest(path: Path) -> dict[str, Any]:
    """What weights were made of."""
    return json.loads(header(path.read_bytes())["__metadata__"]["manifest"])


def hash_of(path: Path) -> str:
    """The SHA-256 of a file."""
    return sha256(path.read_bytes()).hexdigest()


def read_run(data: bytes) -> Weights:
    """The weights that a run left, most of them in bfloat16, which numpy does not know."""
    (size,) = struct.unpack("<Q", data[:8])
    kinds = {"BF16": np.uint16, "F16": np.float16, "F32": np.float32, "I8": np.int8}
    found: dict[str, NDArray[Any]] = {}
    for name, one in header(data).items():
        if name == "__metadata__":
            continue
        first, last = one["data_offsets"]
        part = np.frombuffer(data[8 + size + first : 8 + size + last], kinds[one["dtype"]])
        if one["dtype"] == "BF16":
            part = (part.astype(np.uint32) << 16).view(np.float32)
        found[name] = part.reshape(one["shape"])
    return _whole(found)


def packed(run: Path, revision: str = "") -> bytes:
    """What a run left as one file, with a manifest that names no machine."""
    data = (run / "main.safetensors").read_bytes()
    said = json.loads(header(data)["__metadata__"]["manifest"])
    kept = {
        "revision": revision,
        "hashes": said["hashes"],
        "weights of the run": sha256(data).hexdigest(),
        "arguments": {k: v for k, v in said["arguments"].items() if k not in _NOT_TOLD},
        "settings": said["runs"]["main"]["settings"],
        "figures": "benchmarks/results/evidence.json",
        "torch": said["torch"],
        "device": said["device"],
    }
    return save(small(read_run(data)), metadata={"manifest": json.dumps(kept, sort_keys=True)})


def start() -> bytes:
    """The weights of all-MiniLM-L6-v2, made small."""
    from distillation import minilm_folder

    found = load_file(minilm_folder() / "model.safetensors")
    kept = ("encoder.layer.", "embeddings.LayerNorm.", "_embeddings.weight")
    return save(small({n: one for n, one in found.items() if any(k in n for k in kept)}))


def export(weights: Mapping[str, NDArray[np.float32]], out: Path) -> None:
    """Write the model for ONNX Runtime, its words numbered as the packaged encoders number them."""
    import torch
    from evidence.model import Evidence, Pair, Shape, read
    from export_encoder import quantise, renumbered_rows, write_onnx

    rows = renumbered_rows()
    words = {"words.weight": weights["words.weight"][rows]}
    model = read(Evidence(Shape(n_words=len(rows)), dropout=0.0), {**weights, **words})
    given = (torch.tensor([[1, 2, 3, 4]]), torch.tensor([[0, 0, 1, 1]]))
    inputs, outputs = ["ids", "sides"], ["verdict", "words"]
    axes = {name: {1: "tokens"} for name in (*inputs, "words")}
    with TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.onnx"
        write_onnx(Pair(model).eval(), given, whole, inputs=inputs, outputs=outputs, axes=axes)
        quantise(whole, out)


def main() -> None:
    """Write one of the three files."""
    what, *rest = sys.argv[1:]
    out = Path(rest[-2] if what == "pack" and len(rest) == 3 else rest[-1])
    if what == "export":
        export(load_small(SHIPPED), out)
    else:
        out.write_bytes(start() if what == "start" else packed(Path(rest[0]), *rest[2:]))
    data = out.read_bytes()
    print(out.name, len(data), "bytes,", sha256(data).hexdigest())


if __name__ == "__main__":
    main()
