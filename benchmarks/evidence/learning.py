"""Learning: one loop for swaps and for labelled pairs, and reading scores."""

import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from batches import UNKNOWN, Batch, Tokens, filled, planned
from model import Evidence
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

Progress = Callable[[float], float]
"""Of the share of some pairs that is learned from, the share of all learning."""


@dataclass(frozen=True)
class Settings:
    """What a run learns by."""

    rate: float = 2e-4
    n_tokens: int = 32768
    """Tokens in a batch."""
    smoothing: float = 0.05
    word_weight: float = 0.3
    """Weight of the loss of words beside that of claims."""
    decay: float = 1.0
    """The rate of each layer beside that of the next above."""
    warm: float = 0.05
    """The share of learning in which the rate rises."""
    weight_decay: float = 0.01
    epochs: float = 3
    swaps: int = 40000
    """Swaps beside the labelled pairs in an epoch."""
    freeze: int = 1
    """Whether the vectors of words stay as they are."""
    dropout: float = 0.1


def groups(model: Evidence, settings: Settings) -> list[dict[str, object]]:
    """Weights with their rates: the deeper, the lower."""
    found: dict[tuple[int, bool], list[Tensor]] = {}
    n_layers = len(model.layers)
    for name, weight in model.named_parameters():
        if not weight.requires_grad:
            continue
        parts = name.split(".")
        below = n_layers - int(parts[1]) if parts[0] == "layers" else n_layers + 1
        below = 0 if "verdict" in name else below
        found.setdefault((below, weight.ndim > 1), []).append(weight)
    return [
        {
            "params": weights,
            "lr": settings.rate,
            "factor": settings.decay**below,
            "weight_decay": settings.weight_decay * is_matrix,
        }
        for (below, is_matrix), weights in found.items()
    ]


def claim_loss(logits: Tensor, labels: Tensor, smoothing: float) -> Tensor:
    """Loss of verdicts, where label 3 is not enough or refuted."""
    chances = functional.log_softmax(logits.float(), -1)
    either = torch.logsumexp(chances[:, 1:], -1)
    known = chances.gather(1, labels.clamp(max=2)[:, None])[:, 0]
    hit = torch.where(labels == 3, either, known)
    missed = torch.where(labels == 3, chances[:, 0], chances.mean(1))
    return -((1 - smoothing) * hit + smoothing * missed).mean()


class Learner:
    """A model with its optimizer."""

    def __init__(self, model: Evidence, settings: Settings, device: str) -> None:
        self.model, self.settings, self.device = model, settings, device
        model.words.weight.requires_grad_(not settings.freeze)
        for module in model.modules():
            if hasattr(module, "dropout"):
                module.dropout = settings.dropout  # type: ignore[assignment]
        self.optimizer = torch.optim.AdamW(
            groups(model, settings), lr=settings.rate, betas=(0.9, 0.98),
            fused=device == "cuda",
        )  # fmt: skip
        self.n_steps = self.n_pairs = self.n_tokens = 0
        self.losses: list[Tensor] = []

    def learn(self, tokens: Tokens, draw: random.Random, progress: Progress) -> None:
        """Learn from pairs once, until all learning is done."""
        self.model.train()
        plan = planned(tokens, self.settings.n_tokens, draw)
        for at, (length, rows) in enumerate(plan):
            done = progress(at / len(plan))
            if done >= 1:
                return
            self._step(filled(tokens, rows, length).to(self.device), done)

    def _step(self, one: Batch, done: float) -> None:
        settings = self.settings
        rising = min(1.0, (done + 1e-3) / settings.warm)
        rate = settings.rate * rising * 0.5 * (1 + math.cos(math.pi * min(done, 1.0)))
        for group in self.optimizer.param_groups:
            group["lr"] = rate * group["factor"]
        with torch.autocast(self.device, dtype=torch.bfloat16):
            verdicts, words = self.model(one.ids, one.sides, one.is_word)
        loss = claim_loss(verdicts, one.labels, settings.smoothing)
        if settings.word_weight:
            marks = one.marks.flatten()
            of_words = functional.cross_entropy(
                words.float().flatten(0, 1), marks, ignore_index=UNKNOWN, reduction="sum"
            )
            loss = loss + settings.word_weight * of_words / (marks != UNKNOWN).sum().clamp(min=1)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.n_steps += 1
        self.n_pairs += len(one.rows)
        self.n_tokens += one.ids.numel()
        if self.n_steps % 20 == 0:
            self.losses.append(loss.detach())

    def loss(self) -> float:
        """The mean loss since it was last asked for."""
        found = torch.stack(self.losses).mean().item() if self.losses else float("nan")
        self.losses = []
        return round(found, 4)


def chances(model: Evidence, tokens: Tokens, device: str) -> NDArray[np.float64]:
    """The chance of each label of each pair."""
    model.eval()
    found = np.zeros((len(tokens), 3))
    with torch.inference_mode(), torch.autocast(device, dtype=torch.bfloat16):
        for length, rows in planned(tokens, 131072 if device == "cuda" else 4096, None):
            one = filled(tokens, rows, length).to(device)
            verdicts, _ = model(one.ids, one.sides, one.is_word)
            found[rows] = verdicts.float().softmax(-1).cpu().numpy()
    return found


class Clock:
    """Seconds since the start, and how long there is."""

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self.started = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self.started

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return self.limit - self.seconds

    def say(self, *what: object) -> None:
        """Print with the time."""
        print(f"[{self.seconds:6.1f} s]", *what, flush=True)
