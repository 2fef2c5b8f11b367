"""The static encoder: a table with one vector per token."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from hippohover.disk import door
from hippohover.errors import ModelError, UsageError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

GET_ENCODERS: Final = "pip install 'hippohover[encoders]'"

_WEIGHTS: Final = "model.safetensors"
_TOKENIZER: Final = "tokenizer.json"
_N_TEXTS_A_BATCH: Final = 1024

PACKAGED_TABLE: Final = Path(__file__).with_name("minilm-static.npz")
PACKAGED_SHA256: Final = "8f4260de389f20e0d67dc2976db9a1898b531f2371f5591267a928ca7e145175"
"""SHA-256 of the file, which an index names. ``benchmarks/distillation.py`` prints it."""
MINILM_SHA256: Final = "95b2f49c64def93e4a44451bc47a527d462eecd3366231e9bf01e9b966134506"
"""The same of ``minilm.onnx``: ``benchmarks/export_encoder.py`` prints it."""
PACKAGED: Final = {"minilm-static": PACKAGED_SHA256, "minilm": MINILM_SHA256}
"""What ships, by its name."""


class StaticEncoder:
    """Encodes a text as the mean of its tokens' vectors, scaled to length 1.

    A text without a known token ("" for one) gets a row of zeros, whose cosine with everything
    is 0. Texts are read to their end, however long.

    Parameters
    ----------
    name : str
    vectors : ndarray of int8, float16 or float32, shape (n_tokens, dim)
    tokenizer : str or tokenizers.Tokenizer
        It numbers the rows of ``vectors``; a string is its JSON.
    scales : ndarray of float32, shape (n_tokens,), optional
        What each row of ``vectors`` is multiplied by; needs a ``fingerprint``.
    fingerprint : str, optional
        Of all, where it is known; SHA-256 of vectors and tokenizer when not given.

    Raises
    ------
    ValueError
        The two do not belong together.
    """

    def __init__(
        self,
        name: str,
        vectors: NDArray[Any],
        tokenizer: "str | Tokenizer",
        *,
        scales: NDArray[np.float32] | None = None,
        fingerprint: str | None = None,
    ) -> None:
        from tokenizers import Tokenizer

        self.name = name
        self.dim = int(vectors.shape[1])
        self._vectors = vectors
        self._scales = scales
        self._json = tokenizer if isinstance(tokenizer, str) else ""
        self._tokenizer = Tokenizer.from_str(tokenizer) if isinstance(tokenizer, str) else tokenizer
        self.fingerprint = fingerprint or _sha256_of(vectors, self._tokenizer_json())
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._unknown = unknown_token(self._tokenizer)
        if self._tokenizer.get_vocab_size() != len(vectors) or not np.isfinite(vectors).all():
            raise ValueError("the vectors are not those of the tokenizer's tokens")

    @classmethod
    def read(
        cls, name: str, folder: Path, *, read: Callable[[Path], bytes] = Path.read_bytes
    ) -> "StaticEncoder":
        """Read the encoder from a folder that ``write`` or model2vec wrote.

        ``read`` gives the content of a file: in an index, the door. Which error a damaged file
        raises depends on where the damage is.
        """
        from safetensors.numpy import load

        tensors = load(read(folder / _WEIGHTS))
        vectors = tensors["embeddings"]
        if "mapping" in tensors:  # model2vec lets tokens share a vector,
            vectors = vectors[tensors["mapping"]]
        if "weights" in tensors:  # and then scales it for each of them
            vectors = (vectors * tensors["weights"][:, None]).astype(np.float32)
        return cls(name, vectors, read(folder / _TOKENIZER).decode())

    def write(self, folder: Path) -> None:
        """Write the folder, which model2vec can open too; ``OSError`` if that fails."""
        from safetensors.numpy import save

        vectors = self._vectors if self._scales is None else self._rows(slice(None))
        weights = save({"embeddings": np.ascontiguousarray(vectors)})
        config = {
            "model_type": "model2vec",
            "normalize": True,
            "hidden_dim": self.dim,
            "max_length": None,
        }
        door.make_folder(folder)
        contents = {
            _WEIGHTS: weights,
            _TOKENIZER: self._tokenizer_json().encode(),
            "config.json": json.dumps(config, indent=2).encode(),
        }
        for name, content in contents.items():
            with door.opened(folder / name, "wb") as file:
                file.write(content)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Encode texts as rows of length 1 or 0; sums each text by itself, in token order."""
        check_texts(self.name, texts)
        rows = np.zeros((len(texts), self.dim), np.float32)
        for row, numbers in zip(rows, self._token_numbers(texts), strict=True):
            total = self._rows(numbers).sum(axis=0)
            length = np.sqrt(total @ total)
            if length > 0:
                np.divide(total, length, out=row)
        return rows

    def _rows(self, numbers: list[int] | slice) -> NDArray[np.float32]:
        """Return the vectors of tokens, scaled here: one claim has no use for those of all."""
        rows = self._vectors[numbers].astype(np.float32, copy=False)
        return rows if self._scales is None else rows * self._scales[numbers, None]

    def _tokenizer_json(self) -> str:
        return self._json or self._tokenizer.to_str()

    def _token_numbers(self, texts: Sequence[str]) -> Iterator[list[int]]:
        """Yield the numbers of each text's known tokens; the tokenizer uses all cores."""
        for start in range(0, len(texts), _N_TEXTS_A_BATCH):
            batch = list(texts[start : start + _N_TEXTS_A_BATCH])
            for encoding in self._tokenizer.encode_batch_fast(batch, add_special_tokens=False):
                yield [number for number in encoding.ids if number != self._unknown]


def check_texts(name: str, texts: Sequence[str]) -> None:
    """Raise ``UsageError`` for a single text, ``ModelError`` for invalid Unicode."""
    if isinstance(texts, str):
        raise UsageError(f"encode takes a list of texts, not one text {texts[:40]!r}: put it in []")
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ModelError(
                f"encoder {name!r} refuses a lone surrogate in {text[:60]!r}: remove it"
            ) from None


def weights_sha256(folder: Path) -> str:
    """Return SHA-256 of a model's weights; ``ModelError`` without safetensors files."""
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


def packaged_encoder(name: str) -> StaticEncoder:
    """Load the table that ships with hippohover, made by ``benchmarks/distillation.py``.

    Raises
    ------
    ModelError
        The file of the package is missing or altered.
    """
    arrays = _packaged_arrays()
    return StaticEncoder(
        name,
        arrays["codes"],
        _tokenizer_of(arrays),
        scales=arrays["scales"],
        fingerprint=PACKAGED_SHA256,
    )


@cache
def word_encoder() -> StaticEncoder:
    """Return the table that ships, loaded once in a process."""
    return packaged_encoder("minilm-static")


def packaged_tokenizer() -> "Tokenizer":
    """Load the tokenizer of the table that ships; raises what ``packaged_encoder`` raises."""
    return _tokenizer_of(_packaged_arrays())


def _packaged_arrays() -> Mapping[str, NDArray[Any]]:
    data = read_packaged(PACKAGED_TABLE, PACKAGED_SHA256)
    return np.load(BytesIO(data), allow_pickle=False)


def _tokenizer_of(arrays: Mapping[str, NDArray[Any]]) -> "Tokenizer":
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece

    described = json.loads(arrays["tokenizer"].tobytes())
    words = arrays["words"].tobytes().decode().split("\n")
    model = described["model"]
    tokenizer = Tokenizer.from_str(json.dumps(described | {"model": model | {"vocab": {}}}))
    tokenizer.model = WordPiece(  # reads its words in a third of the time that their JSON takes
        {word: number for number, word in enumerate(words)},
        unk_token=model["unk_token"],
        max_input_chars_per_word=model["max_input_chars_per_word"],
    )
    return tokenizer


def read_packaged(path: Path, digest: str) -> bytes:
    """Read a file of the package; ``ModelError`` if it is missing or altered."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _spoiled(path, f"cannot be read ({error.strerror})") from error
    if sha256(data).hexdigest() != digest:
        raise _spoiled(path, "is not the one that hippohover ships")
    return data


def check_packaged(name: str, sha256_of_index: str) -> None:
    """Raise ``ModelError`` if an index has an encoder of another release by a name of ours."""
    ours = PACKAGED.get(name, "none")
    if sha256_of_index != ours:
        raise ModelError(
            f"this index was built with the encoder {name} of another hippohover "
            f"({sha256_of_index[:12]}; this one has {ours[:12]}): install that one, or build the "
            "index again"
        )


def _spoiled(path: Path, what: str) -> ModelError:
    return ModelError(
        f"the encoder in {path} {what}: install hippohover again (pip install --force-reinstall)"
    )


def _sha256_of(vectors: NDArray[Any], tokenizer: str) -> str:
    digest = sha256(np.ascontiguousarray(vectors).data)
    digest.update(tokenizer.encode())
    return digest.hexdigest()


def unknown_token(tokenizer: "Tokenizer") -> int | None:
    """Return the number of a tokenizer's token for unknown text."""
    model = tokenizer.model
    if hasattr(model, "unk_token"):
        return None if model.unk_token is None else model.token_to_id(model.unk_token)
    return json.loads(tokenizer.to_str())["model"].get("unk_id")  # Unigram's
