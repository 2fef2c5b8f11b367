"""The multilingual encoder: the graph that is written gives what the formulas say."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hippohover.errors import ModelError
from hippohover.vectors import multilingual
from hippohover.vectors.embedding import load_encoder
from hippohover.vectors.multilingual import read_multilingual
from hippohover.vectors.onnx_graph import field, fields_of

PIECES = ("<unk>", "<s>", "</s>", "\u2581ma", "yak", "\u2581", "m", "a", "灯")
DIM, WIDTH, TABLES = 6, 4, 2
SPANS = {2: 0, 3: 1, 5: 2}

Weights = dict[str, NDArray[np.float32]]


def weights() -> Weights:
    drawn = np.random.default_rng(4)
    rows = -(-len(PIECES) // TABLES)
    made = {f"q{at + 1}": drawn.integers(0, 64, (rows, DIM)).astype("u1") for at in range(TABLES)}
    whole = DIM + 3 * WIDTH
    shapes: dict[str, tuple[int, ...]] = {"scale": (TABLES,), "lo": (TABLES,)}
    for n in SPANS:
        shapes |= {f"proj{n}": (DIM, WIDTH), f"proj_b{n}": (WIDTH,)}
        shapes |= {f"ln_g{n}": (WIDTH,), f"ln_b{n}": (WIDTH,)}
        for layer in (1, 2):
            shapes |= {f"w{layer}_{n}": (n * WIDTH, WIDTH), f"b{layer}_{n}": (WIDTH,)}
    shapes |= {"ln_g": (whole,), "ln_b": (whole,), "cnn_W": (whole, DIM), "cnn_b": (DIM,)}
    shapes |= {"d0": (DIM, 16), "d1": (16, 16), "p1": (DIM, 16)}
    shapes |= {"d2": (16, 16), "d3": (16, 8), "p3": (16, 8)}
    made |= {
        name: drawn.normal(scale=0.2, size=shape).astype("f4") for name, shape in shapes.items()
    }
    return {**made, "eps": np.array(1e-6)}


@pytest.fixture(name="folder")
def folder_of_weights(tmp_path: Path) -> Path:
    np.savez(tmp_path / "weights.npz", **weights())  # pyright: ignore[reportArgumentType]
    scores = [np.float32(-at).tobytes() for at in range(len(PIECES))]
    message = b"".join(
        field(1, field(1, piece) + bytes([2 << 3 | 5]) + score)
        for piece, score in zip(PIECES, scores, strict=True)
    )
    (tmp_path / "sp.model").write_bytes(message + field(3, field(1, "identity")))
    return tmp_path


def normal(rows: NDArray[Any], w: Weights, name: str) -> NDArray[Any]:
    rows = rows - rows.mean(axis=1, keepdims=True)
    scaled = rows / np.sqrt((rows**2).mean(axis=1, keepdims=True) + w["eps"])
    return scaled * w[f"ln_g{name}"] + w[f"ln_b{name}"]


def by_hand(numbers: list[int], w: Weights) -> NDArray[Any]:
    """The formulas, a token at a time."""
    rows = [w[f"q{n % TABLES + 1}"][n // TABLES].astype("f8") for n in numbers]
    x = np.stack([r * w["scale"][n % TABLES] + w["lo"][n % TABLES]
                  for r, n in zip(rows, numbers, strict=True)])  # fmt: skip
    w = w | {f"ln_{kind}all": np.concatenate([w[f"ln_{kind}{n}"] for n in SPANS]) for kind in "gb"}
    seen = np.concatenate([x @ w[f"proj{n}"] + w[f"proj_b{n}"] for n in SPANS], axis=1)
    seen = normal(seen, w, "all")
    parts = [x]
    for at, (n, before) in enumerate(SPANS.items()):
        part = seen[:, at * WIDTH : (at + 1) * WIDTH]
        for layer in (1, 2):
            padded = np.pad(part, ((before, n - 1 - before), (0, 0)))
            near = np.stack([padded[t : t + n].ravel() for t in range(len(part))])
            part = part + np.maximum(near @ w[f"w{layer}_{n}"] + w[f"b{layer}_{n}"], 0)
        parts.append(part)
    every = normal(np.concatenate(parts, axis=1), w, "")
    mean = (every @ w["cnn_W"] + w["cnn_b"]).sum(axis=0) / np.sqrt(len(numbers))
    one = np.maximum(np.maximum(mean @ w["d0"], 0) @ w["d1"] + mean @ w["p1"], 0)
    two = np.tanh(np.maximum(one @ w["d2"], 0) @ w["d3"] + one @ w["p3"])
    return two / np.sqrt(two @ two)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("mayak", [1, 3, 4, 2]), (" mayak   ma灯 ", [1, 3, 4, 3, 8, 2]), ("灯", [1, 5, 8, 2])],
)
def test_a_vector_is_what_the_formulas_say(folder: Path, text: str, numbers: list[int]):
    model = read_multilingual(folder)
    assert np.allclose(model(text), by_hand(numbers, weights()), atol=1e-5)


def test_it_is_an_encoder_by_its_name(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("hippohover.vectors.embedding.multilingual_folder", lambda: folder)
    encoder = load_encoder("multilingual")
    assert encoder is not None
    assert (encoder.name, encoder.dim) == ("multilingual", 8)
    assert encoder.encode(["ma", "mayak"]).shape == (2, 8)


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(multilingual, "_PACKAGE", "no-such-package")
    with pytest.raises(ModelError, match=r"\S+\[multilingual\]"):
        load_encoder("multilingual")


def test_fields_come_back():
    message = field(1, 300) + field(2, "灯") + field(30, b"x" * 200)
    assert fields_of(message) == [(2, "灯".encode()), (30, b"x" * 200)]
