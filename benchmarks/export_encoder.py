"""Make the encoder that ships: all-MiniLM-L6-v2 for ONNX Runtime, in one byte a weight.

    python benchmarks/export_encoder.py --out hippohover/vectors/minilm.onnx

reads the model from the package that carries it, and prints the file's SHA-256, which then has to
be ``MINILM_SHA256`` in ``hippohover/vectors/static_encoder.py``. The same bytes come from one
machine type with one set of libraries.

The graph reads token numbers and gives a vector for each token. It numbers tokens as the table of
static vectors does (``benchmarks/distillation.py``), whose words are therefore the model's too,
with ``[CLS]`` and ``[SEP]`` behind them: rows of a thousand tokens that no text holds are left out.
Weights of matrices are quantised by column, to seven bits: with eight, processors without VNNI
instructions overflow. Activations are quantised when a text is read, by one scale a matrix, so a
text is only ever read alone: beside others its vector would change with them.
"""

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch
from distillation import minilm_folder
from tokenizers import Tokenizer
from torch import nn

from hippohover.vectors.static_encoder import packaged_tokenizer


class Tokens(nn.Module):
    """A transformer that gives the last vector of each token alone."""

    def __init__(self, model: Any) -> None:  # noqa: ANN401
        super().__init__()
        self.model = model

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """Shape (texts, tokens, dim)."""
        return self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state


def renumbered_rows() -> list[int]:
    """Rows of the model's words in the order that the packaged table numbers its words."""
    theirs = Tokenizer.from_file(str(minilm_folder() / "tokenizer.json"))
    ours = packaged_tokenizer()
    words = [str(ours.id_to_token(number)) for number in range(ours.get_vocab_size())]
    known = theirs.get_vocab()
    return [known[word] for word in (*words, "[CLS]", "[SEP]")]


def renumbered() -> Any:  # noqa: ANN401
    """The model, with the rows of its words as the packaged table numbers them."""
    from transformers import AutoModel

    # A model in training makes noise, and fused attention cannot be exported.
    model = AutoModel.from_pretrained(minilm_folder(), attn_implementation="eager").eval()
    kept = model.embeddings.word_embeddings.weight.detach()[renumbered_rows()]
    model.embeddings.word_embeddings = nn.Embedding.from_pretrained(kept)
    return model


def export(model: Any, out: Path) -> None:  # noqa: ANN401
    """Write an encoder as ONNX, in float32."""
    # Two lengths, for of one the mask is folded away.
    given = (torch.tensor([[1, 2, 3, 4], [1, 2, 4, 0]]), torch.tensor([[1] * 4, [1, 1, 1, 0]]))
    inputs, outputs = ["input_ids", "attention_mask"], ["token_embeddings"]
    axes = {name: {0: "texts", 1: "tokens"} for name in (*inputs, *outputs)}
    write_onnx(Tokens(model), given, out, inputs=inputs, outputs=outputs, axes=axes)


def write_onnx(
    model: nn.Module,
    given: tuple[torch.Tensor, ...],
    out: Path,
    *,
    inputs: Sequence[str],
    outputs: Sequence[str],
    axes: Mapping[str, dict[int, str]],
) -> None:
    """Write a model as ONNX, in float32; ``axes`` are those that vary in length, by name."""
    torch.onnx.export(
        model,
        given,
        str(out),
        input_names=[*inputs],
        output_names=[*outputs],
        dynamic_axes=axes,
        opset_version=17,
        dynamo=False,
    )


def quantise(model: Path, out: Path) -> None:
    """Write a model in one byte a weight."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(model, out, per_channel=True, reduce_range=True, weight_type=QuantType.QInt8)


def main() -> None:
    """Write the model, and print its checksum."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, required=True)
    out: Path = parser.parse_args().out
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.onnx"
        export(renumbered(), whole)
        quantise(whole, out)
    print(f"{out}: {out.stat().st_size:,} bytes, SHA-256 {sha256(out.read_bytes()).hexdigest()}")


if __name__ == "__main__":
    main()
