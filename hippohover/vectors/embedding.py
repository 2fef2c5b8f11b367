"""Texts to unit vectors: static token vectors, or a transformer.

Two encoders ship with the package, so an index only names their SHA-256: ``minilm``, which is
all-MiniLM-L6-v2 in one byte a weight (``benchmarks/export_encoder.py``), and ``minilm-static``, a
table with one vector for each token made from it (``benchmarks/distillation.py``). An index keeps
a copy of any other table. Nothing here uses the network.
"""

import json
import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from hippohover.disk import door
from hippohover.errors import (
    HippoHoverError,
    IndexDamagedError,
    IndexStoreError,
    ModelError,
    in_a_line,
)
from hippohover.processors import available_processors, in_order
from hippohover.trust import SHIPPED_ENCODERS, check_encoder
from hippohover.vectors.multilingual import (
    MULTILINGUAL,
    multilingual_folder,
    read_multilingual,
    sha256_of_multilingual,
)
from hippohover.vectors.onnx_model import MINILM_FILE, MODEL, OnnxModel, sha256_of_folder
from hippohover.vectors.static_encoder import (
    GET_ENCODERS,
    MINILM_SHA256,
    PACKAGED,
    StaticEncoder,
    check_packaged,
    check_texts,
    packaged_encoder,
    weights_sha256,
)
from hippohover.vectors.unit_vectors import UnitVectors

MINILM_STATIC: Final = "minilm-static"
MINILM: Final = "minilm"
NO_ENCODER: Final = "none"

_CARD: Final = "encoder.json"
_RUNS_NO_CODE: Final = 6
"""First version of sentence-transformers that imports no Python file of a model's folder."""
_N_TEXTS_AT_ONCE: Final = 1024

_Rows = Callable[[Sequence[str]], NDArray[np.float32]]


class Encoder(Protocol):
    """Turns texts into unit vectors; safe from several threads.

    A text's vector is the same in any batch and in any order, bit for bit.

    Attributes
    ----------
    name : str
        Its name; for your own encoder, letters, digits and any of ``._:@/+-``, 100 at most.
    dim : int
        Length of a vector.
    fingerprint : str
        Must change whenever a vector may change, such as a SHA-256 of the weights.
    """

    @property
    def name(self) -> str: ...

    @property
    def dim(self) -> int: ...

    @property
    def fingerprint(self) -> str: ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Encode texts as unit rows, shape (len(texts), dim); zeros where nothing is known.

        Raises
        ------
        ModelError
            A text is not valid Unicode: it has a lone surrogate.
        """
        ...


class TransformerEncoder:
    """A transformer, loaded at its first use: by ONNX Runtime, or by sentence-transformers.

    Each text is encoded by itself. In PyTorch, batches of similar length would take two thirds of
    the time on passages and a fifth on facts, but texts would change each other's values by 3e-7,
    so an updated index would differ from one that is built again; torch's number of threads has
    the same effect. A text is cut where the model stops reading.

    Parameters
    ----------
    name : str
        "minilm", a folder, or the name of a model in the local Hugging Face cache.
    dim : int
    fingerprint : str
        SHA-256 that the files of the model must have.
    threads : int, optional
        Texts that ONNX Runtime encodes at a time; by default one for each processor.
    """

    def __init__(self, name: str, dim: int, fingerprint: str, threads: int | None = None) -> None:
        self.name = name
        self.dim = dim
        self.fingerprint = fingerprint
        self.threads = threads
        self._model: _Rows | None = None
        self._lock = threading.Lock()

    @classmethod
    def load(cls, name: str, threads: int | None = None) -> "TransformerEncoder":
        """Load the encoder of that name; ``ModelError`` if there is none."""
        folder = _model_folder(name)
        encoder = cls(name, 0, _digest(name, folder), threads)
        encoder._model = encoder._opened(folder)
        encoder.dim = int(encoder.encode(["a"]).shape[1])
        return encoder

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Encode texts as rows of length 1; zeros where ONNX Runtime's model knows no token.

        ``ModelError`` if the model changed or is gone.
        """
        check_texts(self.name, texts)
        if not len(texts):
            return np.zeros((0, self.dim), np.float32)
        with self._lock:
            self._model = model = self._model or self._loaded()
        return model(texts)

    def _loaded(self) -> "_Rows":
        folder = _model_folder(self.name)
        digest = _digest(self.name, folder)
        if digest != self.fingerprint:
            raise ModelError(
                f"encoder {self.name!r} has other weights ({digest[:12]}) than the index was built "
                f"with ({self.fingerprint[:12]}): install those again, or build the index again"
            )
        return self._opened(folder)

    def _opened(self, folder: Path) -> "_Rows":
        with _in_one_line(self.name, folder):
            if self.name == MINILM:
                return self._by_onnx(OnnxModel.packaged())
            if self.name == MULTILINGUAL:
                return self._by_onnx(read_multilingual(folder))
            if _is_onnx(folder):
                return self._by_onnx(OnnxModel.read(folder))
            return _sentence_transformer(self.name, folder)

    def _by_onnx(self, model: OnnxModel) -> "_Rows":
        """Return what encodes texts by the model, some at a time: it frees the interpreter."""

        def encode(texts: Sequence[str]) -> NDArray[np.float32]:
            threads = min(len(texts), self.threads or available_processors())
            try:
                return np.stack(list(in_order(model, texts, threads)))
            except MemoryError:
                raise
            except Exception as error:  # ONNX Runtime's errors have no class in common
                raise ModelError(f"encoder {self.name!r} failed ({in_a_line(error)})") from error

        return encode


def load_encoder(name: str, *, threads: int | None = None) -> Encoder | None:
    """Return the encoder of that name, ready to use.

    Parameters
    ----------
    name : str
        ``"minilm-static"``: 256 dimensions, thousands of passages a second. ``"minilm"``:
        all-MiniLM-L6-v2 itself, 384 dimensions, some 180 passages a second and processor.
        ``"multilingual"``: of the extra of that name, 16 languages, 512 dimensions, as fast.
        ``"none"``: no encoder, None. Else the absolute path of a model that model2vec or
        sentence-transformers saved, or that was exported to ``model.onnx``, or the name of one
        that is in the local Hugging Face cache, never a folder where we stand.
    threads : int, optional
        Texts that a transformer encodes at a time; by default one for each processor.

    Raises
    ------
    ModelError
        There is no such model, or it cannot be read.
    """
    if name == NO_ENCODER:
        return None
    if name == MINILM_STATIC:
        return packaged_encoder(name)
    if Path(name).is_absolute() and _is_model2vec(Path(name)):
        return _open_model2vec(name)
    return TransformerEncoder.load(name, threads)


def passage_vectors(encoder: Encoder, texts: Sequence[str]) -> UnitVectors:
    """Encode passages as an index stores them, the same in a build and an update.

    Those of an encoder that is not a table go by float16, as a cache keeps them.
    """
    rows = encoder.encode(texts)
    if not isinstance(encoder, StaticEncoder):
        rows = rows.astype("<f2").astype(np.float32)
    return UnitVectors.of(rows)


def encode_all(
    encoder: Encoder, texts: Iterable[str], n: int, *, on_done: Callable[[int], None]
) -> NDArray[np.float16]:
    """Encode a stream of ``n`` texts as an index stores them: float16, shape (n, dim).

    ``on_done`` is told now and then how many there are. Raises what ``encode`` raises.
    """
    vectors = np.empty((n, encoder.dim), np.float16)
    source = iter(texts)
    done = 0
    while batch := list(islice(source, _N_TEXTS_AT_ONCE)):
        vectors[done : done + len(batch)] = encoder.encode(batch)
        done += len(batch)
        on_done(done)
    return vectors


def save_encoder(encoder: Encoder, folder: Path) -> None:
    """Write what ``open_encoder`` needs: the name, and tables that no package has.

    Raises
    ------
    IndexStoreError
        The folder cannot be written.
    """
    kind = "static" if isinstance(encoder, StaticEncoder) else "transformer"
    card = {
        "kind": "packaged" if encoder.name in PACKAGED else kind,
        "name": encoder.name,
        "dim": encoder.dim,
        "fingerprint": encoder.fingerprint,
    }
    try:
        door.make_folder(folder)
        with door.opened(folder / _CARD, "wb") as file:
            file.write(json.dumps(card, indent=2, sort_keys=True).encode() + b"\n")
        if card["kind"] == "static" and isinstance(encoder, StaticEncoder):
            encoder.write(folder)
    except OSError as error:
        raise IndexStoreError(
            f"the encoder cannot be written to {folder} ({error.strerror}): make room, or choose "
            "another folder"
        ) from error


def open_encoder(folder: Path, *, named: str = "", threads: int | None = None) -> Encoder:
    """Open the encoder that ``save_encoder`` wrote; a transformer loads at its first use.

    Parameters
    ----------
    folder : Path
        Of a version of an index, or of a build's work.
    named : str
        The model that whoever builds has named; without it, one that does not ship is opened only
        if it was confirmed for the index (``trust``).
    threads : int, optional
        As in ``load_encoder``.

    Raises
    ------
    IndexStoreError
        It names a model that nobody confirmed.
    IndexDamagedError
        A file is missing or is not what was written.
    ModelError
        It names an encoder of another release.
    """
    try:
        card = json.loads(door.read(folder / _CARD))
        name, dim, fingerprint = str(card["name"]), int(card["dim"]), str(card["fingerprint"])
        if card["kind"] == "packaged" or name in PACKAGED:
            check_packaged(name, fingerprint)
        elif name != named:  # a table's tokenizer may take any time and memory
            check_encoder(folder.parents[1], name)
        if name == MINILM_STATIC:
            return packaged_encoder(name)
        if name == MINILM or card["kind"] == "transformer":
            return TransformerEncoder(name, dim, fingerprint, threads)
        if name in SHIPPED_ENCODERS:
            raise ValueError("an index keeps no table that ships")
        encoder = StaticEncoder.read(name, folder, read=door.read)
    except (MemoryError, HippoHoverError):
        raise
    except Exception as error:  # the parsers of a damaged file have no error in common
        raise IndexDamagedError(
            f"the encoder in {folder} cannot be read ({in_a_line(error)}): build the index again"
        ) from error
    if (encoder.dim, encoder.fingerprint) != (dim, fingerprint):
        raise IndexDamagedError(
            f"the encoder in {folder} is not the one that was written: build the index again"
        )
    return encoder


def _is_model2vec(folder: Path) -> bool:
    try:
        return json.loads((folder / "config.json").read_bytes())["model_type"] == "model2vec"
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _open_model2vec(name: str) -> StaticEncoder:
    try:
        return StaticEncoder.read(name, Path(name))
    except MemoryError:
        raise
    except Exception as error:  # as in open_encoder
        raise ModelError(
            f"the model2vec model in {name} cannot be read ({in_a_line(error)}): save it again"
        ) from error


def _is_onnx(folder: Path) -> bool:
    return (folder / MODEL).is_file()


def _digest(name: str, folder: Path) -> str:
    """Return SHA-256 of a model's files; ``ModelError`` where they cannot be read."""
    if name == MINILM:  # which is compared when it is read
        return MINILM_SHA256
    try:
        if name == MULTILINGUAL:
            return sha256_of_multilingual(folder)
        return sha256_of_folder(folder) if _is_onnx(folder) else weights_sha256(folder)
    except OSError as error:
        raise ModelError(
            f"encoder {name!r} cannot be read from {folder} ({in_a_line(error)}): name another, or "
            "save it again"
        ) from error


def _model_folder(name: str) -> Path:
    """Find the folder of a model; asks the hub's local cache last."""
    if name == MINILM:
        return MINILM_FILE.parent
    if name == MULTILINGUAL:
        return multilingual_folder()
    if Path(name).is_absolute() and Path(name).is_dir():
        return Path(name)
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name, local_files_only=True))
    except (OSError, ValueError) as error:
        raise ModelError(
            f"encoder {name!r} is unknown: name {MINILM_STATIC}, {MINILM}, {MULTILINGUAL}, "
            f"{NO_ENCODER} or a model's folder; a model of the Hugging Face hub must be fetched "
            "first (hf download)"
        ) from error


@contextmanager
def _in_one_line(name: str, folder: Path) -> Generator[None]:
    """Raise ``ModelError`` for whatever a model that cannot be loaded raises."""
    try:
        yield
    except (MemoryError, ModelError):
        raise
    except ImportError as error:
        raise ModelError(f"encoder {name!r} needs {error.name}: {GET_ENCODERS}") from error
    except Exception as error:  # a broken model raises whatever its architecture's code meets
        raise ModelError(
            f"encoder {name!r} cannot be loaded from {folder} ({in_a_line(error)}): name another, "
            "or save it again"
        ) from error


def _sentence_transformer(name: str, folder: Path) -> "_Rows":
    """Load the model from only its folder: no network, no pickle, no code of it, no output."""
    if int(version("sentence-transformers").partition(".")[0]) < _RUNS_NO_CODE:
        raise ModelError(
            f"encoder {name!r} needs sentence-transformers {_RUNS_NO_CODE} or later: "
            f"one before runs what is in a folder: {GET_ENCODERS}"
        )
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    level, had_bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        model = SentenceTransformer(
            str(folder),
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True},
        )
    finally:
        logging.set_verbosity(level)
        if had_bars:
            logging.enable_progress_bar()
    lock = threading.Lock()  # its tokenizer refuses a second thread ("Already borrowed")

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        with lock:
            rows = model.encode(
                list(texts), batch_size=1, show_progress_bar=False, normalize_embeddings=True
            )
        return np.asarray(rows, dtype=np.float32)

    return encode
