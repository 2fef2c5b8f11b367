"""Transformers that ONNX Runtime runs: the one that ships, and those in folders of users.

Text by text, on one thread each: the scale by which a quantised model rounds is that of all that
it reads at once, so beside others a text would have another vector. ``minilm.onnx`` reads 180
passages of 96 tokens a processor second alone, and 178 in batches of eight.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from hippohover.vectors.static_encoder import (
    MINILM_SHA256,
    packaged_tokenizer,
    read_packaged,
    unknown_token,
)

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MINILM_FILE: Final = Path(__file__).with_name("minilm.onnx")
MODEL: Final = "model.onnx"

_MINILM_TOKENS: Final = 256
"""Where all-MiniLM-L6-v2 stops reading, by its ``sentence_bert_config.json``."""
_TOKENIZER: Final = "tokenizer.json"
_POOLING: Final = "1_Pooling/config.json"
_LENGTHS: Final = {
    "sentence_bert_config.json": "max_seq_length",
    "tokenizer_config.json": "model_max_length",
    "config.json": "max_position_embeddings",
}
"""Where a folder says how many tokens its model reads; the first that does counts."""
_MODULES: Final = "modules.json"
_READ: Final = (MODEL, _TOKENIZER, _POOLING, *_LENGTHS, _MODULES)
_IN_MODEL: Final = frozenset({"Transformer", "Pooling", "Normalize"})

_Vector = NDArray[np.float32]


class Session(Protocol):
    """A model of ONNX Runtime, ready to run; safe from several threads."""

    def run(self, output_names: Any, input_feed: Any, /) -> Any:  # noqa: ANN401
        """Return the named outputs for inputs by name."""
        ...

    def get_inputs(self) -> Any: ...  # noqa: ANN401

    def get_outputs(self) -> Any: ...  # noqa: ANN401


_POOLS: Final[Mapping[str, Callable[[_Vector], _Vector]]] = {
    "cls": lambda tokens: tokens[0],
    "mean": lambda tokens: tokens.mean(axis=0),
    "mean_sqrt_len": lambda tokens: tokens.mean(axis=0),  # the same, once it has length 1
    "max": lambda tokens: tokens.max(axis=0),
    "lasttoken": lambda tokens: tokens[-1],
}


class OnnxModel:
    """Gives the vector of a text; safe from several threads.

    Parameters
    ----------
    content : bytes
        The ONNX file. Nothing outside it is read.
    tokenizer : tokenizers.Tokenizer
        Which adds the tokens that the model expects around a text, and cuts it.
    pool : str
        What becomes of the tokens' vectors: a key of ``_POOLS``.

    Raises
    ------
    ValueError
        The model has other inputs or outputs than an encoder of texts. ONNX Runtime's own errors
        are raised where it cannot read the file.
    """

    def __init__(self, content: bytes, tokenizer: "Tokenizer", pool: str = "mean") -> None:
        self._session = session_of(content)
        self._inputs = [_input(one.name, one.type) for one in self._session.get_inputs()]
        self._output, self._pool = _output(self._session, pool)
        tokenizer.no_padding()
        self._tokenizer = tokenizer
        self._unknown = unknown_token(tokenizer)
        self.dim = len(self._vector(tokenizer.encode("a").ids))

    @classmethod
    def packaged(cls) -> "OnnxModel":
        """Load the model that ships; ``ModelError`` if its file is missing or altered."""
        from tokenizers.processors import TemplateProcessing

        tokenizer = packaged_tokenizer()
        first = tokenizer.get_vocab_size()
        tokenizer.post_processor = TemplateProcessing(
            single="[CLS] $A [SEP]", special_tokens=[("[CLS]", first), ("[SEP]", first + 1)]
        )
        tokenizer.enable_truncation(_MINILM_TOKENS)
        return cls(read_packaged(MINILM_FILE, MINILM_SHA256), tokenizer)

    @classmethod
    def read(cls, folder: Path) -> "OnnxModel":
        """Read a folder of ``model.onnx`` and ``tokenizer.json``, as others export them."""
        from tokenizers import Tokenizer

        for module in _json(folder / _MODULES) or []:
            kind = str(module["type"]).rpartition(".")[2]
            if kind not in _IN_MODEL:
                raise ValueError(f"{_MODULES} has a layer {kind} behind the transformer")
        tokenizer = Tokenizer.from_buffer((folder / _TOKENIZER).read_bytes())
        tokenizer.enable_truncation(_length(folder))
        return cls((folder / MODEL).read_bytes(), tokenizer, _pooling(folder))

    def __call__(self, text: str) -> _Vector:
        """Return the text's vector, of length 1; of zeros where no token of it is known."""
        found = self._tokenizer.encode(text)
        tokens = zip(found.ids, found.special_tokens_mask, strict=True)
        if all(is_added or number == self._unknown for number, is_added in tokens):
            return np.zeros(self.dim, np.float32)
        vector = self._vector(found.ids)
        length = np.sqrt(vector @ vector)
        if not 0 < length < np.inf:
            raise ValueError(f"it gave a vector of length {length}")
        return np.asarray(vector / length, np.float32)

    def _vector(self, numbers: list[int]) -> _Vector:
        ids = np.array([numbers], np.int64)
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        rest = np.zeros_like(ids)
        feed = {name: given.get(name, rest) for name in self._inputs}
        found = np.asarray(self._session.run([self._output], feed)[0], np.float32)
        return self._pool(found[0])


def sha256_of_folder(folder: Path) -> str:
    """Return SHA-256 of the files that ``OnnxModel.read`` reads; ``OSError`` without a model."""
    digest = sha256((folder / MODEL).read_bytes())
    for path in _present(folder):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(folder)} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _present(folder: Path) -> Iterator[Path]:
    return (folder / name for name in _READ[1:] if (folder / name).is_file())


def session_of(content: bytes) -> Session:
    """Return the model, ready to run; weights in other files are refused."""
    from onnxruntime import InferenceSession, SessionOptions  # pyright: ignore[reportAttributeAccessIssue]

    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # One arena for all threads: eight take 50 MB more than one, and without it 130 to 230.
    options.enable_cpu_mem_arena = True
    options.log_severity_level = 4  # errors are raised; standard error is not theirs
    nowhere = "session.model_external_initializers_file_folder_path"
    options.add_session_config_entry(nowhere, os.devnull)
    return InferenceSession(content, options, providers=["CPUExecutionProvider"])


def _input(name: str, kind: str) -> str:
    if name not in ("input_ids", "attention_mask", "token_type_ids") or kind != "tensor(int64)":
        raise ValueError(
            f"the model has an input {name} of {kind}, and not input_ids, attention_mask and "
            "token_type_ids of tensor(int64) alone"
        )
    return name


def _output(session: Session, pool: str) -> tuple[str, Callable[[_Vector], _Vector]]:
    """Return the output to read, and what makes one vector of a text's part of it."""
    outputs = {one.name: (len(one.shape), one.type) for one in session.get_outputs()}
    if outputs.get("sentence_embedding") == (2, "tensor(float)"):
        return "sentence_embedding", lambda vector: vector
    for name, told in outputs.items():
        if told == (3, "tensor(float)"):
            return name, _POOLS[pool]
    raise ValueError(
        f"the model has outputs {sorted(outputs)}, and none of vectors of tokens (texts, tokens, "
        "dimensions) or sentence_embedding (texts, dimensions) of tensor(float)"
    )


def _pooling(folder: Path) -> str:
    """Return what a folder makes of tokens; the mean, as sentence-transformers, if it says none."""
    told = _json(folder / _POOLING)
    if told is None:
        return "mean"
    prefix = "pooling_mode_"
    on = [name.removeprefix(prefix) for name in told if name.startswith(prefix) and told[name]]
    modes = [str(told["pooling_mode"])] if "pooling_mode" in told else on
    modes = [mode.removesuffix("_tokens").removesuffix("_token") for mode in modes]
    if len(modes) != 1 or modes[0] not in _POOLS:
        raise ValueError(f"{_POOLING} asks for {modes}, and not one of {sorted(_POOLS)}")
    return modes[0]


def _length(folder: Path) -> int:
    """Return the number of tokens that a folder's model reads."""
    for name, key in _LENGTHS.items():
        length: Any = (_json(folder / name) or {}).get(key)
        if isinstance(length, int | float) and 0 < length < 1 << 20:  # none is written as 1e30
            return int(length)
    raise ValueError(f"none of {', '.join(_LENGTHS)} says how many tokens the model reads")


def _json(path: Path) -> Any:  # noqa: ANN401
    return json.loads(path.read_bytes()) if path.is_file() else None
