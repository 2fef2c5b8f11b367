"""Can a small model tell what evidence says of a claim, on sets that it never saw?

    python benchmarks/train_evidence.py --data FOLDER --out FOLDER [--limit SECONDS]

FOLDER of data holds five files, which the modules of ``evidence`` make: ``minilm.safetensors``
(``weights.py start``), ``passages.xz`` (``parsing.py``, then ``packing.py``), ``lexicon.xz``
(``lexicon.py``), ``labelled.jsonl.xz`` (``labelled.py``), and ``tokenizer.json``, which stands
beside the weights of all-MiniLM-L6-v2.

First the model learns from swaps alone, which processes make while it learns. From there each run
learns from the labelled sets and some swaps, and leaves out what it will be measured on: ``main``
leaves out nothing that may train; ``fever``, ``logic`` and ``hops`` their sources; ``fold0`` to
``fold4`` the claims of a fold of HoVer and EX-FEVER. ``main@rate=1e-4`` changes a setting. The
first runs are candidates: what the mean of four sets that only measure has best is exported, and
the others learn by its settings. After every run its results are written; where the time is over,
the rest is left out. ``weights.py pack`` makes the weights smaller, ``figures.py`` writes what was
found. Steps on a GPU are
recorded once and replayed, if a first try of that succeeds.

On one H100 with 14 processes that make swaps it takes nine minutes: 2.2 million swaps in three,
half a minute for each run. A processor learns from some 50,000 pairs an hour: ``--epochs 0.3
--candidates main --runs`` takes a night. ``--state`` resumes, ``--tiny 100`` tries it out.
"""

import argparse
import copy
import gc
import itertools
import json
import lzma
import multiprocessing
import os
import queue
import random
import subprocess
import sys
import threading
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from hashlib import sha256
from multiprocessing.pool import AsyncResult
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from evidence.batches import Table, Tokens, planned
from evidence.learning import Clock, Learner, Settings, chances, tried
from evidence.measures import measured
from evidence.model import Evidence, read_minilm
from evidence.pairs import Pair
from evidence.sources import LONGEST, MEASURING, REPEATS, left_out
from evidence.weights import load_small, to_rows_of_bytes
from evidence.workers import TASK, Swaps, tokens_of
from numpy.typing import NDArray
from safetensors.torch import save

FOLDER: Final = Path(__file__).parent / "evidence"
CANDIDATES: Final = ["main", "main@rate=1e-4,epochs=3", "main@rate=2.5e-4,epochs=6"]
RUNS: Final = ["fever", "hops", "fold0", "fold1", "fold2", "fold3", "fold4", "logic",
               "main@lean=0", "main@swaps=80000", "main@decay=0.85"]  # fmt: skip

Row = dict[str, Any]


class Training:
    """The stages in order, with their results."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.clock = Clock(arguments.limit)
        self.out: Path = arguments.out
        self.out.mkdir(parents=True, exist_ok=True)
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        torch.backends.cuda.enable_cudnn_sdp(False)  # it plans every new shape for long
        self.results: dict[str, Any] = {"runs": {}, "tables": {}}
        if self.device == "cuda":
            command = [sys.executable, __file__, "--try"]
            self.trial = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603
        self.chances: dict[str, NDArray[np.float16]] = {}
        data: Path = arguments.data
        with lzma.open(data / "labelled.jsonl.xz", "rt", encoding="utf-8") as file:
            self.rows: list[Row] = [json.loads(line) for line in file]
        if arguments.tiny:
            self.rows = random.Random(0).sample(self.rows, arguments.tiny)
        self.swaps = Swaps(data, arguments.passages, arguments.stock)
        self.asked, self.views = self._asked()
        self.labels = np.array([row["label"] for row in self.asked])
        context = multiprocessing.get_context("fork")  # they share the passages that are read
        gc.collect()
        gc.freeze()
        self.pool = context.Pool(arguments.workers)
        self.clock.say(len(self.rows), "labelled,", len(self.swaps.passages), "passages")
        self.asked_tokens = self._tokens(self.asked)
        self.clock.say(len(self.asked), "pairs to measure on as tokens")
        self.records = self._can_record()
        size = (40_000_000, 400_000) if self.device == "cuda" else (1000, 100)
        self.table = Table(self.device, *size)
        torch.manual_seed(arguments.seed)
        self.model = Evidence()
        read_minilm(self.model, load_small(data / "minilm.safetensors"))
        self.model.to(self.device)
        self.kept: deque[Tokens] = deque(maxlen=8)
        """Swaps that are learned from again, and by runs beside labelled pairs."""
        self.tuner: Learner | None = None
        self.best, self.settings = "swaps alone", Settings()
        self.sum: list[torch.Tensor] = []
        """The weights of all candidates added up."""

    def _asked(self) -> tuple[list[Row], list[list[int]]]:
        """What is measured; of each labelled row where in it the ways to give its evidence are."""
        others = [
            {**row, "set": f"{row['set']} (other view)", "evidence": row["evidence"][1:]}
            for row in self.rows
            if len(row["evidence"]) > 1
        ]
        at_other = itertools.count(len(self.rows))
        views = [[at] if len(row["evidence"]) < 2 else [at, next(at_other)]
                 for at, row in enumerate(self.rows)]  # fmt: skip
        held = self.swaps.measured_pairs()[: self.arguments.tiny or None]
        return self.rows + others + held, views

    def _tokens(self, rows: Sequence[Row]) -> Tokens:
        """Rows as tokens, each with its first evidence."""
        pairs = [Pair(row["evidence"][0], row["claim"], row["label"]) for row in rows]
        parts = [pairs[n : n + 512] for n in range(0, len(pairs), 512)]
        return Tokens.joined(self.pool.starmap(tokens_of, [(one, LONGEST) for one in parts]))

    def _can_record(self) -> dict[str, bool]:
        """Whether recorded steps give what others do, and sooner; tried where it may crash."""
        if self.device != "cuda":
            return {"swaps": False, "labelled": False}
        try:
            said = self.trial.communicate(timeout=60)[0].strip().splitlines()
            found = json.loads(said[-1])
        except (subprocess.TimeoutExpired, IndexError, ValueError) as error:
            self.trial.kill()
            found = {"swaps": [], "labelled": []}
            self.clock.say("no recorded steps:", error)
        self.clock.say("milliseconds, loss, norm; recorded:", found)
        return {name: len(one) == 6 and one[3] < one[0] for name, one in found.items()}

    def learn_swaps(self) -> None:
        """Learn from swaps, block after block, while the next are made."""
        arguments = self.arguments
        settings = Settings(
            rate=arguments.rate, n_tokens=arguments.tokens, lean=0, freeze=arguments.freeze,
            smoothing=0.02, word_weight=0.5, dropout=arguments.dropout,
        )  # fmt: skip
        learner = Learner(self.model, settings, self.table, records=self.records["swaps"])
        n_all = int(arguments.epochs * len(self.swaps.passages))
        n_seen, n_again = self._resumed(learner), 0
        draw, started = random.Random(arguments.seed), self.clock.seconds
        saved_at = said_at = started
        for n_passages, tokens in self._blocks_or_again(n_seen, n_all, draw):

            def progress(share: float, seen: int = n_seen, new: int = n_passages) -> float:
                spent = (self.clock.seconds - started) / arguments.base_seconds
                return max(spent, (seen + share * new) / n_all)

            if n_passages:
                self.kept.append(tokens)
            n_again += not n_passages
            self.table.put(tokens)
            lengths = tokens.lengths
            plan = planned(lengths, np.arange(len(lengths)), settings.n_tokens, draw)
            learner.learn(plan, progress)
            n_seen += n_passages
            is_done = progress(0) >= 1
            if self.clock.seconds > said_at + 8 or is_done:
                said_at = self.clock.seconds
                self.clock.say(f"swaps: {learner.said()}, {n_again} blocks again,",
                               f"{100 * progress(0):.0f} %")  # fmt: skip
            if arguments.state and self.clock.seconds > saved_at + arguments.save_every:
                saved_at = self.clock.seconds
                self._save_state(learner, n_seen)
            if is_done:
                break
        if not self.kept:  # all had been learned before
            self.kept += [tokens for _, tokens in self._blocks(0, min(n_all, 5000))]
        self._conclude_swaps(learner)

    def _save_state(self, learner: Learner, n_seen: int) -> None:
        """Save what ``_resumed`` goes on from."""
        state = {"model": self.model.state_dict(), "n_seen": n_seen,
                 "optimizer": learner.optimizer.state_dict()}  # fmt: skip
        torch.save(state, self.arguments.state / "swaps.pt")

    def _conclude_swaps(self, learner: Learner) -> None:
        """Measure what learned from swaps alone; its words are then as they are exported."""
        with torch.no_grad():  # runs learn above these
            small, scale = to_rows_of_bytes(self.model.words.weight.float().cpu().numpy())
            self.model.words.weight.copy_(torch.from_numpy(small * scale))
        self.results["swaps"] = {"pairs": learner.n_pairs, "settings": asdict(learner.settings)}
        for one in self.model.parameters():
            one.grad = None
        self._join_swaps()
        self._measure("swaps alone", self.model)
        self.save()

    def _join_swaps(self) -> None:
        """Put what is asked and the last swaps into one table, which all runs learn from."""
        n_kept = self.arguments.block * 3
        joined: list[Tokens] = []
        while self.kept and sum(map(len, joined)) < n_kept:
            joined.append(self.kept.pop())
        self.all_tokens = Tokens.joined([self.asked_tokens, *joined])
        self.lengths = self.all_tokens.lengths
        self.table.put(self.all_tokens)

    def _resumed(self, learner: Learner) -> int:
        """Go on from what was saved; how many passages that had seen."""
        path = self.arguments.state / "swaps.pt" if self.arguments.state else None
        if not path or not path.exists():
            return 0
        saved = torch.load(path, map_location=self.device)
        self.model.load_state_dict(saved["model"])
        learner.optimizer.load_state_dict(saved["optimizer"])
        self.clock.say("resumed after", saved["n_seen"], "passages")
        return saved["n_seen"]

    def _blocks_or_again(
        self, n_seen: int, n_all: int, draw: random.Random
    ) -> Iterator[tuple[int, Tokens]]:
        """Yield blocks of swaps; while none is ready, one of the last few again."""
        ready: queue.Queue[tuple[int, Tokens] | None] = queue.Queue(maxsize=2)

        def fill() -> None:
            try:
                for one in self._blocks(n_seen, n_all):
                    ready.put(one)
            finally:
                ready.put(None)

        threading.Thread(target=fill, daemon=True).start()
        again = 0
        while True:
            may_wait = again >= 2 or len(self.kept) < 3
            try:
                found = ready.get(block=may_wait)
            except queue.Empty:
                again += 1
                yield 0, draw.choice(self.kept)
                continue
            again = 0
            if not found:
                return
            yield found

    def _blocks(self, n_seen: int, n_all: int) -> Iterator[tuple[int, Tokens]]:
        """Yield blocks of swaps with how many passages they are of; the next are being made."""
        tasks = itertools.islice(self.swaps.tasks(n_all), n_seen // TASK, None)
        waiting: deque[AsyncResult[Tokens]] = deque()
        block: list[Tokens] = []
        for seed, chosen in itertools.chain(tasks, itertools.repeat((0, []))):
            if chosen:
                waiting.append(self.pool.apply_async(Swaps.made, (seed, chosen, 256)))
            if waiting and (not chosen or len(waiting) > 10 * self.arguments.workers):
                block.append(waiting.popleft().get())
            if block and (not waiting or sum(map(len, block)) >= self.arguments.block):
                yield TASK * len(block), Tokens.joined(block)
                block = []
            if not chosen and not waiting:
                return

    def run(self, name: str) -> None:
        """Learn from the labelled sets but what the run leaves out, and measure."""
        what, _, changes = name.partition("@")
        settings = self.settings
        for change in filter(None, changes.split(",")):
            key, value = change.split("=")
            settings = replace(settings, **{key: type(getattr(settings, key))(float(value))})
        rows = [at for at, row in enumerate(self.rows)
                for _ in range(REPEATS.get(row["set"], 1))
                if row["trains"] and not left_out(row, what)]  # fmt: skip
        swaps = range(len(self.asked), len(self.all_tokens))
        learner = self._tuner(settings)
        draw = random.Random(self.arguments.seed)
        epochs = max(1, round(settings.epochs))
        started = self.clock.seconds
        for epoch in range(epochs):
            chosen = [draw.choice(self.views[at]) for at in rows]
            chosen += draw.sample(swaps, min(settings.swaps, len(swaps)))
            plan = planned(self.lengths, np.array(chosen), settings.n_tokens, draw)
            learner.learn(plan, lambda share, at=epoch: (at + share) / epochs)
        self.clock.say(f"{name}: {learner.said()}, {self.clock.seconds - started:.1f} s")
        self.results["runs"][name] = {"settings": asdict(settings), "pairs": learner.n_pairs}
        self._measure(name, learner.model)
        if name in self.arguments.candidates:
            self._compare(name, learner.model, settings)
            found = [one.detach() for one in learner.model.parameters()]
            with torch.no_grad():
                self.sum = [
                    a + b for a, b in zip(self.sum or [0.0] * len(found), found, strict=True)
                ]
        elif what == "hops":
            self._export("hops", learner.model)
        self.save()

    def _tuner(self, settings: Settings) -> Learner:
        """A learner with the weights that learned from swaps; its recorded steps are used again."""
        old = self.tuner
        if old and replace(old.settings, rate=0, epochs=0, swaps=0, decay=0) == replace(
            settings, rate=0, epochs=0, swaps=0, decay=0
        ):
            with torch.no_grad():
                for to, weight in zip(old.model.parameters(), self.model.parameters(), strict=True):
                    to.copy_(weight)
            old.restart(settings)
            return old
        self.tuner = None  # its memory goes before another's is taken
        self.tuner = Learner(copy.deepcopy(self.model), settings, self.table,
                             records=self.records["labelled"])  # fmt: skip
        return self.tuner

    def average(self) -> None:
        """Compare with the candidates what the mean of their weights does."""
        n_candidates = len(self.results.get("candidates", ()))
        if not self.tuner or n_candidates < 2:
            return
        with torch.no_grad():
            for to, weight in zip(self.tuner.model.parameters(), self.sum, strict=True):
                to.copy_(weight / n_candidates)
        self.sum = []
        self._measure("main average", self.tuner.model)
        self._compare("main average", self.tuner.model, self.chosen)
        self.save()

    def _compare(self, name: str, model: Evidence, settings: Settings) -> None:
        """Export a candidate that is better than those before it."""
        table = self.results["tables"][name]
        said = [table[one]["with half of refuted, against refuted"]
                for one in MEASURING if one in table]  # fmt: skip
        mean = float(np.nanmean(said)) if said else 0.0
        known: dict[str, float] = self.results.setdefault("candidates", {})
        is_best = not known or not mean <= max(known.values())
        known[name] = mean
        if is_best:
            self.best = self.results["main is"] = name
            self.chosen = settings
            self._export("main", model)
        self.clock.say("candidates:", known)

    def _measure(self, name: str, model: Evidence) -> None:
        found = chances(model, self.table, self.lengths[: len(self.asked)])
        self.chances[name] = found.astype(np.float16)
        self.results["tables"][name] = self.table_of(found)
        if name.startswith(("main", "swaps")):
            keys = ("fool-me-twice-dev", "climate-fever-dev", "covid-fact", "short claims",
                    "short claims, sentences", "hover", "exfever", "negation RTE")  # fmt: skip
            table = self.results["tables"][name]
            for key in keys:
                if key in table:
                    self.clock.say(f"   {name:26} {key:24}", *list(table[key].values())[1:])

    def all(self) -> None:
        """Do all stages that there is time for."""
        arguments = self.arguments
        self.learn_swaps()
        self.settings = self.chosen = Settings(
            rate=arguments.tune_rate, n_tokens=arguments.tune_tokens,
            epochs=arguments.tune_epochs, swaps=arguments.tune_swaps,
        )  # fmt: skip
        last = 0.0
        for name in [*arguments.candidates, *arguments.runs]:
            if self.clock.left < 1.15 * last + 12:
                self.clock.say("no time for", name)
                continue
            if name not in arguments.candidates and self.sum:
                self.average()
            if name not in arguments.candidates:
                self.settings = self.chosen
            if name in arguments.candidates[1:] and last > arguments.slow:
                self.clock.say("too slow for", name)
                continue
            before = self.clock.seconds
            try:
                self.run(name)
            except RuntimeError as error:  # what others find is worth more
                self.tuner = None
                self.clock.say("failed:", name, repr(error)[:500])
            last = self.clock.seconds - before
        self.save()
        self.clock.say("done")
        self.pool.terminate()

    def table_of(self, found: NDArray[np.float64]) -> dict[str, Any]:
        """Measures by set."""
        rows_of: dict[str, list[int]] = defaultdict(list)
        for at, row in enumerate(self.asked):
            rows_of[row["set"]].append(at)
        return {name: measured(found[at], self.labels[at]) for name, at in rows_of.items()}

    def _export(self, name: str, model: Evidence) -> None:
        state = {key: value.detach().to("cpu", torch.bfloat16).contiguous()
                 for key, value in model.state_dict().items() if key != "words.weight"}  # fmt: skip
        if name == "main":
            small, scale = to_rows_of_bytes(model.words.weight.detach().float().cpu().numpy())
            state["words.weight"] = torch.from_numpy(small)
            state["words.weight.scale"] = torch.from_numpy(scale)
        data = save(state, metadata={"manifest": json.dumps(self.manifest(name))})
        (self.out / f"{name}.safetensors").write_bytes(data)

    def manifest(self, name: str) -> dict[str, Any]:
        """What weights were made of."""
        data, code = self.arguments.data.iterdir(), (*FOLDER.glob("*.py"), FOLDER / "words.json")
        files = [*sorted(data), *sorted(code), Path(__file__)]  # fmt: skip
        return {
            "hashes": {path.name: sha256(path.read_bytes()).hexdigest() for path in files},
            "arguments": {key: str(value) for key, value in vars(self.arguments).items()},
            "runs": self.results["runs"],
            "torch": torch.__version__,
            "device": torch.cuda.get_device_name() if self.device == "cuda" else "cpu",
        }

    def save(self) -> None:
        """Write results so far."""
        self.results["seconds"] = round(self.clock.seconds)
        self.results["manifest"] = self.manifest("main")
        path = self.out / "results.json"
        path.write_text(json.dumps(self.results, indent=1) + "\n", encoding="utf-8")
        names = [f"{row['set']}\t{row.get('uid', '')}" for row in self.asked]
        np.savez_compressed(self.out / "chances.npz", names=np.array(names), labels=self.labels,
                            **self.chances)  # type: ignore[arg-type] # fmt: skip


def main() -> None:
    """Learn, measure and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--state", type=Path, help="folder of what to resume from")
    parser.add_argument("--limit", type=float, default=1e9, help="seconds for everything")
    parser.add_argument("--base-seconds", type=float, default=1e9, help="most seconds for swaps")
    parser.add_argument("--epochs", type=float, default=4, help="over the passages")
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--tokens", type=int, default=32768, help="in a batch of swaps")
    parser.add_argument("--block", type=int, default=60000, help="swaps learned from at a time")
    parser.add_argument("--tune-rate", type=float, default=1.5e-4)
    parser.add_argument("--tune-tokens", type=int, default=16384)
    parser.add_argument("--tune-epochs", type=float, default=4)
    parser.add_argument("--tune-swaps", type=int, default=25000, help="in an epoch")
    parser.add_argument("--candidates", nargs="*", default=list(CANDIDATES))
    parser.add_argument("--runs", nargs="*", default=list(RUNS))
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--passages", type=int, default=10**9)
    parser.add_argument("--stock", type=int, default=6000, help="passages that swaps draw from")
    parser.add_argument("--dropout", type=float, default=0.05, help="while learning from swaps")
    parser.add_argument(
        "--freeze", type=int, default=1, help="1: vectors of words stay as they are"
    )
    parser.add_argument("--slow", type=float, default=35, help="seconds; then one candidate only")
    parser.add_argument("--save-every", type=float, default=60, help="seconds, if there is --state")
    parser.add_argument("--tiny", type=int, default=0, help="labelled pairs, to try it out")
    parser.add_argument("--seed", type=int, default=0)
    if sys.argv[1:] == ["--try"]:
        print(json.dumps(tried("cuda" if torch.cuda.is_available() else "cpu")))
        return
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # processes do it
    Training(parser.parse_args()).all()


if __name__ == "__main__":
    main()
