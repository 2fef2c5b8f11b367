"""Learning: one loop for swaps and for labelled pairs, and reading scores."""

import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from evidence.batches import UNKNOWN, Plan, Table, Tokens, planned
from evidence.model import Evidence
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
    lean: float = 0.5
    """Weight of the loss of which way evidence leans."""
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


def claim_loss(logits: Tensor, labels: Tensor, settings: Settings) -> Tensor:
    """Loss of verdicts, where label 3 is not enough or refuted and -1 counts nothing.

    Beside it which way evidence leans, true or untrue, however little it says.
    """
    chances = functional.log_softmax(logits.float(), -1)
    either = torch.logsumexp(chances[:, 1:], -1)
    known = chances.gather(1, labels.clamp(0, 2)[:, None])[:, 0]
    hit = torch.where(labels == 3, either, known)
    missed = torch.where(labels == 3, chances[:, 0], chances.mean(1))
    smoothing = settings.smoothing
    losses = -((1 - smoothing) * hit + smoothing * missed)
    margin = (logits[:, 0] - logits[:, 2]).float()
    way = functional.logsigmoid(torch.where(labels == 0, margin, -margin))
    losses = losses - settings.lean * way * ((labels == 0) | (labels == 2))
    counts = (labels >= 0).float()
    return (losses * counts).sum() / counts.sum().clamp(min=1)


@dataclass
class Recorded:
    """A step on batches of one shape that a GPU repeats as one."""

    graph: "torch.cuda.CUDAGraph"
    rows: Tensor
    loss: Tensor


class Learner:
    """A model with its optimizer, and the table of pairs that it learns from."""

    def __init__(self, model: Evidence, settings: Settings, table: Table, *, records: bool) -> None:
        self.model, self.settings, self.table = model, settings, table
        self.records = records
        self.recorded: dict[int, Recorded] = {}
        self.address = 0
        self.losses: list[Tensor] = []
        model.words.weight.requires_grad_(not settings.freeze)
        for module in model.modules():
            if hasattr(module, "dropout"):
                module.dropout = settings.dropout  # type: ignore[assignment]
        self.weights = [one for one in model.parameters() if one.requires_grad]
        for weight in self.weights:
            weight.grad = torch.zeros_like(weight)
        self.grads = [one.grad for one in self.weights if one.grad is not None]
        if records:
            self.events = deque([torch.cuda.Event()])
            self.stream, self.pool = torch.cuda.Stream(), torch.cuda.graph_pool_handle()
        self.restart(settings)

    def restart(self, settings: Settings) -> None:
        """Begin again with the weights that the model has; only its rates may differ."""
        self.settings = settings
        self.optimizer = torch.optim.AdamW(
            groups(self.model, settings), lr=settings.rate, betas=(0.9, 0.98),
            fused=self.table.device == "cuda",
        )  # fmt: skip
        self.n_steps = self.n_pairs = self.n_tokens = 0
        self.losses = []

    def learn(self, plan: Plan, progress: Progress) -> None:
        """Learn from batches of the table, until all learning is done."""
        self.model.train()
        sizes = [max(1, self.settings.n_tokens // length) for length, _ in plan]
        filled = [np.pad(rows, (0, size - len(rows)))
                  for size, (_, rows) in zip(sizes, plan, strict=True)]  # fmt: skip
        everything = torch.from_numpy(np.concatenate(filled)).to(self.table.device)
        first = 0
        for at, (size, (length, rows)) in enumerate(zip(sizes, plan, strict=True)):
            done = progress(at / len(plan))
            if done >= 1:
                return
            self._step(everything[first : first + size], len(rows), length, done)
            first += size

    def _step(self, rows: Tensor, n_real: int, length: int, done: float) -> None:
        settings = self.settings
        rising = min(1.0, (done + 1e-3) / settings.warm)
        rate = settings.rate * rising * 0.5 * (1 + math.cos(math.pi * min(done, 1.0)))
        for group in self.optimizer.param_groups:
            group["lr"] = rate * group["factor"]
        one = self._recorded(length, len(rows)) if self.records else None
        if one:
            one.rows.copy_(rows)
            one.graph.replay()
            loss = one.loss
        else:
            loss = self.gradients(rows[:n_real], length)
        self.optimizer.step()
        self.n_steps += 1
        self.n_pairs += n_real
        self.n_tokens += len(rows) * length
        if self.n_steps % 20 == 0:
            self.losses.append(loss.clone())
            if self.records:  # never far ahead of the GPU: progress is by the clock
                self.events.append(torch.cuda.Event())
                self.events[-1].record()
                self.events.popleft().synchronize()

    def gradients(self, rows: Tensor, length: int) -> Tensor:
        """The loss of a batch, whose gradients are then there."""
        settings, device = self.settings, self.table.device
        # One kernel for all: with one each, the processor would be slower than the GPU.
        torch._foreach_zero_(self.grads)  # pyright: ignore[reportPrivateUsage, reportPrivateImportUsage]
        one = self.table.batch(rows, length)
        with torch.autocast(device, dtype=torch.bfloat16, cache_enabled=False):
            verdicts, words = self.model(one.ids, one.sides, one.is_word)
        loss = claim_loss(verdicts, one.labels, settings)
        if settings.word_weight:
            marks = one.marks.flatten()
            of_words = functional.cross_entropy(
                words.float().flatten(0, 1), marks, ignore_index=UNKNOWN, reduction="sum"
            )
            loss = loss + settings.word_weight * of_words / (marks != UNKNOWN).sum().clamp(min=1)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.weights, 1.0)
        return loss.detach()

    def _recorded(self, length: int, size: int) -> Recorded | None:
        """The recorded step of a length, if there can be one."""
        try:
            return self._record(length, size)
        except RuntimeError as error:
            print("no recorded steps:", repr(error)[:500], flush=True)
            self.records = False
            return None

    def _record(self, length: int, size: int) -> Recorded:
        """The recorded step of a length; recorded anew where the table has moved."""
        if self.address != self.table.words.data_ptr():
            self.recorded, self.address = {}, self.table.words.data_ptr()
        if length not in self.recorded:
            rows = torch.zeros(size, dtype=torch.int64, device=self.table.device)
            self.stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(self.stream):
                self.gradients(rows, length)
            torch.cuda.current_stream().wait_stream(self.stream)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, pool=self.pool, stream=self.stream):
                loss = self.gradients(rows, length)
            self.recorded[length] = Recorded(graph, rows, loss)
        return self.recorded[length]

    def said(self) -> str:
        """How much was learned from, and the loss since this was last asked for."""
        millions = self.n_tokens / 1e6
        return (f"{self.n_pairs:,} pairs, {millions:.0f} M tokens, {self.n_steps} steps, "
                f"loss {self.loss()}")  # fmt: skip

    def loss(self) -> float:
        """The mean loss since it was last asked for."""
        found = torch.stack(self.losses).mean().item() if self.losses else float("nan")
        self.losses = []
        return round(found, 4)


def chances(model: Evidence, table: Table, lengths: NDArray[np.int64]) -> NDArray[np.float64]:
    """The chance of each label of the first pairs of a table."""
    model.eval()
    size = 131072 if table.device == "cuda" else 4096
    plan = planned(lengths, np.arange(len(lengths)), size, None)
    parts: list[Tensor] = []
    with torch.inference_mode(), torch.autocast(table.device, dtype=torch.bfloat16):
        for length, rows in plan:
            one = table.batch(torch.from_numpy(rows).to(table.device), length)
            verdicts, _ = model(one.ids, one.sides, one.is_word)
            parts.append(verdicts.float().softmax(-1))
    found = np.zeros((len(lengths), 3))
    found[np.concatenate([rows for _, rows in plan]) - 1] = torch.cat(parts).cpu().numpy()
    return found


def tried(device: str, n_words: int = 4_000_000) -> dict[str, list[float]]:
    """Try recorded steps: milliseconds of a step as it is and recorded, and both losses.

    What is here fails alone, in a process of its own, if a GPU cannot do it.
    """
    found: dict[str, list[float]] = {}
    torch.backends.cuda.enable_cudnn_sdp(False)
    for name, freeze, n_tokens in (("swaps", 1, 32768), ("labelled", 1, 16384)):
        table = Table(device, n_words, 40000)
        rng = np.random.default_rng(0)
        size = n_tokens // 128
        ends = np.arange(1, size + 1) * 120
        table.put(Tokens(
            rng.integers(1000, 30000, 120 * size).astype(np.uint16),
            rng.integers(0, 3, 120 * size).astype(np.int8), ends,
            np.full(size, 20, np.int16), rng.integers(0, 4, size).astype(np.int8),
        ))  # fmt: skip
        settings = Settings(n_tokens=n_tokens, freeze=freeze, dropout=0, rate=0.0, weight_decay=0)
        model, said = Evidence().to(device), list[float]()
        for records in (False, True):
            learner = Learner(model, settings, table, records=records and device == "cuda")
            plan: Plan = [(128, np.arange(1, size + 1))] * 12
            started = 0.0
            for _ in range(2):  # the second counts
                started = time.perf_counter()
                learner.learn(plan, lambda share: 0.5)
                if device == "cuda":
                    torch.cuda.synchronize()
            said += [1000 * (time.perf_counter() - started) / len(plan), learner.loss()]
            said.append(learner.grads[len(learner.grads) // 2].norm().item())
        found[name] = said
        if not np.allclose(said[1:3], said[4:6], rtol=0.05):
            said[3] = float("inf")
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
