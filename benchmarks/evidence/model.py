"""A BERT cross-encoder with two heads: what evidence says of a claim, and of each of its words.

The forward pass is torch's own operations, so that a step is a few large kernels; its names of
weights are BERT's, so that they can be read from the encoder that the package has, and exported.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

N_LABELS = 3


@dataclass(frozen=True)
class Shape:
    """The sizes of the encoder."""

    n_words: int = 30522
    n_positions: int = 512
    hidden: int = 384
    heads: int = 12
    layers: int = 6
    inner: int = 1536


class Layer(nn.Module):
    """Attention and what follows it."""

    def __init__(self, shape: Shape, dropout: float) -> None:
        super().__init__()
        self.n_heads, self.dropout = shape.heads, dropout
        self.into = nn.Linear(shape.hidden, 3 * shape.hidden)
        self.out = nn.Linear(shape.hidden, shape.hidden)
        self.norm = nn.LayerNorm(shape.hidden, eps=1e-12)
        self.wide = nn.Linear(shape.hidden, shape.inner)
        self.narrow = nn.Linear(shape.inner, shape.hidden)
        self.last_norm = nn.LayerNorm(shape.hidden, eps=1e-12)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """The states after this layer."""
        n, length, hidden = states.shape
        three = self.into(states).view(n, length, 3, self.n_heads, hidden // self.n_heads)
        query, key, value = three.permute(2, 0, 3, 1, 4).unbind(0)
        dropout = self.dropout if self.training else 0.0
        mixed = functional.scaled_dot_product_attention(
            query, key, value, attn_mask=mask.to(query.dtype), dropout_p=dropout
        )
        mixed = self.out(mixed.transpose(1, 2).reshape(n, length, hidden))
        states = self.norm(states + functional.dropout(mixed, self.dropout, self.training))
        inner = self.narrow(functional.gelu(self.wide(states)))
        return self.last_norm(states + functional.dropout(inner, self.dropout, self.training))


class Evidence(nn.Module):
    """The encoder with its heads; the claim comes first, then the evidence."""

    def __init__(self, shape: Shape | None = None, dropout: float = 0.1) -> None:
        super().__init__()
        shape = shape or Shape()
        self.dropout = dropout
        self.words = nn.Embedding(shape.n_words, shape.hidden)
        self.positions = nn.Embedding(shape.n_positions, shape.hidden)
        self.sides = nn.Embedding(2, shape.hidden)
        self.norm = nn.LayerNorm(shape.hidden, eps=1e-12)
        self.layers = nn.ModuleList(Layer(shape, dropout) for _ in range(shape.layers))
        self.verdict = nn.Linear(3 * shape.hidden, N_LABELS)
        self.word_verdict = nn.Linear(shape.hidden, N_LABELS)
        nn.init.normal_(self.verdict.weight, std=0.02)
        nn.init.zeros_(self.verdict.bias)

    def forward(self, ids: Tensor, sides: Tensor, is_word: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of the claims, and of each token.

        ``is_word`` is 0 where a row is filled up; ``sides`` is 0 on the claim, 1 on the evidence.
        """
        # Sides and positions are added, not looked up: rows that all share a vector are slow to
        # learn from by look-up.
        words = functional.embedding(ids, self.words.weight, padding_idx=0)
        first, second = self.sides.weight
        states = words + self.positions.weight[: ids.shape[1]] + first
        states = states + sides[..., None] * (second - first)
        states = functional.dropout(self.norm(states), self.dropout, self.training)
        mask = (~is_word.bool()).to(torch.bfloat16)[:, None, None, :] * -1e4
        mask = mask.expand(-1, 1, ids.shape[1], -1).contiguous()
        for layer in self.layers:
            states = layer(states, mask)
        claim = (is_word.bool() & (sides == 0))[..., None]
        mean = (states * claim).sum(1) / claim.sum(1)
        most = states.masked_fill(~claim, -1e4).amax(1)
        summary = torch.cat([states[:, 0], mean, most], -1)
        summary = functional.dropout(summary, self.dropout, self.training)
        return self.verdict(summary), self.word_verdict(states)


class Pair(nn.Module):
    """One claim with its evidence, as it is asked when nothing is learned.

    Without a second pair beside it, nothing is filled up and no mask is needed; and the scale by
    which a quantised model rounds is that of this pair alone.
    """

    def __init__(self, model: Evidence) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: Tensor, sides: Tensor) -> tuple[Tensor, Tensor]:
        """Chances of the claim, shape (1, 3), and of each token, (1, tokens, 3)."""
        model, on_evidence = self.model, sides.float()[..., None]
        first, second = model.sides.weight
        places = model.positions.weight[: ids.shape[1]]
        states = model.norm(model.words(ids) + places + first + on_evidence * (second - first))
        for layer in model.layers:
            states = self._after(layer, states)
        mean = (states * (1 - on_evidence)).sum(1) / (1 - on_evidence).sum(1)
        most = (states - 1e4 * on_evidence).amax(1)
        verdict = model.verdict(torch.cat([states[:, 0], mean, most], -1))
        return verdict.softmax(-1), model.word_verdict(states).softmax(-1)

    @staticmethod
    def _after(layer: Any, states: Tensor) -> Tensor:  # noqa: ANN401
        """The states after a layer, in operations that ONNX has."""
        n, length, hidden = states.shape
        three = layer.into(states).view(n, length, 3, layer.n_heads, hidden // layer.n_heads)
        query, key, value = three.permute(2, 0, 3, 1, 4).unbind(0)
        mixed = (query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5).softmax(-1) @ value
        states = layer.norm(states + layer.out(mixed.transpose(1, 2).reshape(n, length, hidden)))
        return layer.last_norm(states + layer.narrow(functional.gelu(layer.wide(states))))


def read(model: Evidence, weights: Mapping[str, NDArray[np.float32]]) -> Evidence:
    """Take over weights of its own kind."""
    model.load_state_dict({name: torch.from_numpy(value) for name, value in weights.items()})
    return model


def read_minilm(model: Evidence, weights: Mapping[str, NDArray[Any]]) -> None:
    """Take over the weights of all-MiniLM-L6-v2."""
    names = {"words": "word_embeddings", "positions": "position_embeddings",
             "sides": "token_type_embeddings"}  # fmt: skip
    found = {f"{ours}.weight": weights[f"embeddings.{theirs}.weight"]
             for ours, theirs in names.items()}  # fmt: skip
    for part in ("weight", "bias"):
        found[f"norm.{part}"] = weights[f"embeddings.LayerNorm.{part}"]
        for n in range(len(model.layers)):
            theirs = f"encoder.layer.{n}"
            attention = f"{theirs}.attention.self"
            found[f"layers.{n}.into.{part}"] = np.concatenate(
                [weights[f"{attention}.{one}.{part}"] for one in ("query", "key", "value")]
            )
            for ours, their in (
                ("out", "attention.output.dense"), ("norm", "attention.output.LayerNorm"),
                ("wide", "intermediate.dense"), ("narrow", "output.dense"),
                ("last_norm", "output.LayerNorm"),
            ):  # fmt: skip
                found[f"layers.{n}.{ours}.{part}"] = weights[f"{theirs}.{their}.{part}"]
    state = {name: torch.from_numpy(np.asarray(value, np.float32)) for name, value in found.items()}
    missing, unexpected = model.load_state_dict(state, strict=False)
    if unexpected or any("verdict" not in name for name in missing):
        raise SystemExit(f"not all-MiniLM-L6-v2: {missing} {unexpected}")
