"""Can a small model tell what evidence says of a claim, on sets that it never saw?

    python benchmarks/train_evidence.py --data FOLDER --out FOLDER [--limit SECONDS]

FOLDER of data holds ``minilm.safetensors`` (``model.save_small`` of all-MiniLM-L6-v2),
``tokenizer.json``, ``passages.xz`` (``packing.py``), ``lexicon.xz`` (``lexicon.py``) and
``labelled.jsonl.xz`` (``labelled.py``); ``benchmarks/evidence`` makes them.

First the model learns from swaps alone, which processes make while it learns. From there each run
learns from the labelled sets and some swaps, and leaves out what it will be measured on: ``main``
leaves out nothing that may train; ``fever``, ``logic`` and ``hops`` their sources; ``fold0`` to
``fold4`` the claims of a fold of HoVer and EX-FEVER. ``main@rate=1e-4`` changes a setting. After
every run its results are written; where the time is over, the rest is left out. The weights are
in bfloat16, those of words by rows in bytes; files are cut in parts of 15 MiB.
"""

import argparse
import copy
import gc
import itertools
import json
import lzma
import multiprocessing
import os
import random
import sys
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from hashlib import sha256
from multiprocessing.pool import AsyncResult
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parent / "evidence"
sys.path.insert(0, str(FOLDER))
os.environ["TOKENIZERS_PARALLELISM"] = "false"  # processes do it

import numpy as np  # noqa: E402
import torch  # noqa: E402
from batches import Tokens, tokenized  # noqa: E402
from learning import Clock, Learner, Settings, chances  # noqa: E402
from lexicon import Lexicon  # noqa: E402
from measures import counted, measured  # noqa: E402
from model import Evidence, load_small, read_minilm, to_rows_of_bytes  # noqa: E402
from numpy.typing import NDArray  # noqa: E402
from packing import Passages  # noqa: E402
from pairs import Maker, Pair  # noqa: E402
from swaps import Stock  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402

SOURCES: Final = {
    "fever": ("fever",),
    "logic": ("negation", "monotonicity"),
    "hops": ("hover", "exfever"),
}
"""What a run leaves out: sets whose names begin so."""
RUNS: Final = ["main", "hops", "fever", "fold0", "fold1", "fold2", "fold3", "fold4", "logic"]
REPEATS: Final = {"fever-symmetric": 2, "exfever": 3, "hover": 3, "hover-train": 2}
"""How often an epoch has each pair of a small set."""
PART: Final = 15 * 2**20
TASK: Final = 64
"""Passages that a process makes swaps of at a time."""
_N_HELD: Final = 300
"""Passages whose swaps are measured."""

Row = dict[str, Any]


class Swaps:
    """Processes that make swaps of passages as tokens."""

    maker: Maker
    tokenizer: Tokenizer

    def __init__(self, folder: Path, n_passages: int, n_stock: int) -> None:
        packed = (folder / "passages.xz").read_bytes()
        related = json.loads(lzma.decompress((folder / "lexicon.xz").read_bytes()))
        self.held = Passages(packed, 0, _N_HELD)
        self.passages = Passages(packed, _N_HELD, _N_HELD + n_passages)
        self.stock = Stock.learned(Lexicon(related), self.passages[:n_stock])
        Swaps.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        Swaps.tokenizer.no_truncation()
        Swaps.tokenizer.no_padding()
        Swaps.maker = Maker(self.passages, self.stock, random.Random(0))

    @staticmethod
    def made(seed: int, chosen: Sequence[int], longest: int) -> Tokens:
        """The pairs of some passages."""
        maker = Swaps.maker
        maker.draw = random.Random(seed)
        pairs = [pair for at in chosen for pair in maker.of(maker.passages[at])]
        return tokenized(Swaps.tokenizer, pairs, longest)

    def tasks(self, n_passages: int) -> Iterator[tuple[int, list[int]]]:
        """Yield seeds and passages to make pairs of, epoch after epoch, each in a new order."""
        done = 0
        for epoch in itertools.count():
            order = list(range(len(self.passages)))
            random.Random(epoch).shuffle(order)
            for first in range(0, len(order), TASK):
                if done >= n_passages:
                    return
                yield done, order[first : first + TASK]
                done += TASK

    def measured_pairs(self) -> list[Row]:
        """Swaps of passages that are not learned from."""
        held = Maker(self.held, self.stock, random.Random(1))
        return [
            {"set": f"swaps {one.kind.split()[0]}", "claim": one.claim, "label": one.label,
             "evidence": [one.evidence], "way": one.kind, "fold": -1, "trains": False}
            for passage in self.held[:]
            for one in held.of(passage)
        ]  # fmt: skip


class Training:
    """The stages in order, with their results."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.clock = Clock(arguments.limit)
        self.out: Path = arguments.out
        self.out.mkdir(parents=True, exist_ok=True)
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.results: dict[str, Any] = {"runs": {}, "tables": {}}
        self.chances: dict[str, NDArray[np.float16]] = {}
        data: Path = arguments.data
        with lzma.open(data / "labelled.jsonl.xz", "rt", encoding="utf-8") as file:
            self.rows: list[Row] = [json.loads(line) for line in file]
        if arguments.tiny:
            self.rows = random.Random(0).sample(self.rows, arguments.tiny)
        self.swaps = Swaps(data, arguments.passages, arguments.stock)
        views = [
            {**row, "set": f"{row['set']} (other view)", "evidence": row["evidence"][1:]}
            for row in self.rows
            if len(row["evidence"]) > 1
        ]
        held = self.swaps.measured_pairs()
        self.asked = self.rows + views + held[: arguments.tiny or None]
        self.labels = np.array([row["label"] for row in self.asked])
        context = multiprocessing.get_context("fork")  # they share the passages that are read
        gc.collect()
        gc.freeze()
        self.pool = context.Pool(arguments.workers)
        self.clock.say(len(self.rows), "labelled,", len(self.swaps.passages), "passages")
        self.asked_tokens = self._tokens(self.asked, 512, None)
        self.clock.say(len(self.asked), "pairs to measure on as tokens")
        torch.manual_seed(arguments.seed)
        self.model = Evidence()
        read_minilm(self.model, load_small(data / "minilm.safetensors"))
        self.model.to(self.device)
        self.kept: list[Tokens] = []
        """Swaps that runs learn from beside labelled pairs."""

    def _tokens(self, rows: Sequence[Row], longest: int, draw: random.Random | None) -> Tokens:
        """Rows as tokens, each with its first evidence, or one that is drawn."""
        pairs = [
            Pair(draw.choice(row["evidence"]) if draw else row["evidence"][0], row["claim"],
                 row["label"])
            for row in rows
        ]  # fmt: skip
        parts = [pairs[n : n + 512] for n in range(0, len(pairs), 512)]
        return Tokens.joined(self.pool.starmap(_tokens_of, [(one, longest) for one in parts]))

    def learn_swaps(self) -> None:
        """Learn from swaps, block after block, while the next are made."""
        arguments = self.arguments
        settings = Settings(rate=arguments.rate, n_tokens=arguments.tokens, freeze=0,
                            smoothing=0.02, word_weight=0.5, dropout=arguments.dropout)  # fmt: skip
        learner = Learner(self.model, settings, self.device)
        n_all = int(arguments.epochs * len(self.swaps.passages))
        n_seen = self._resumed(learner)
        draw, started = random.Random(arguments.seed), self.clock.seconds
        saved_at = started
        for n_passages, tokens in self._blocks(n_seen, n_all):

            def progress(share: float, seen: int = n_seen, new: int = n_passages) -> float:
                spent = (self.clock.seconds - started) / arguments.base_seconds
                return max(spent, (seen + share * new) / n_all)

            self.kept = [*self.kept[-2:], tokens]
            learner.learn(tokens, draw, progress)
            n_seen += n_passages
            self.clock.say(
                f"swaps: {learner.n_pairs:,} pairs, {learner.n_tokens / 1e6:.0f} M tokens,",
                f"loss {learner.loss()}, {100 * progress(0):.0f} %",
            )
            if arguments.state and self.clock.seconds > saved_at + arguments.save_every:
                saved_at = self.clock.seconds
                torch.save({"model": self.model.state_dict(), "n_seen": n_seen,
                            "optimizer": learner.optimizer.state_dict()},
                           arguments.state / "swaps.pt")  # fmt: skip
            if progress(0) >= 1:
                break
        if not self.kept:  # all had been learned before
            self.kept = [tokens for _, tokens in self._blocks(0, min(n_all, 5000))]
        with torch.no_grad():  # as it is exported: runs learn above these
            small, scale = to_rows_of_bytes(self.model.words.weight.float().cpu().numpy())
            self.model.words.weight.copy_(torch.from_numpy(small * scale))
        self.results["swaps"] = {"pairs": learner.n_pairs, "settings": asdict(settings)}
        self._measure("swaps alone", self.model)

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
        settings = Settings(rate=self.arguments.tune_rate, n_tokens=self.arguments.tune_tokens,
                            epochs=self.arguments.tune_epochs)  # fmt: skip
        for change in filter(None, changes.split(",")):
            key, value = change.split("=")
            settings = replace(settings, **{key: type(getattr(settings, key))(float(value))})
        rows = [row for row in self.rows if row["trains"] and not left_out(row, what)]
        rows += [row for row in rows for _ in range(REPEATS.get(row["set"], 1) - 1)]
        swaps = Tokens.joined(self.kept)
        model = copy.deepcopy(self.model)
        learner = Learner(model, settings, self.device)
        draw = random.Random(self.arguments.seed)
        epochs = max(1, round(settings.epochs))
        started = self.clock.seconds
        for epoch in range(epochs):
            tokens = self._tokens(rows, 448, draw)
            size = min(settings.swaps, len(swaps))
            chosen = some(swaps, np.array(draw.sample(range(len(swaps)), size)))
            both = Tokens.joined([tokens, chosen])
            learner.learn(both, draw, lambda share, at=epoch: (at + share) / epochs)
        self.clock.say(f"{name}: {learner.n_pairs:,} pairs, {learner.n_tokens / 1e6:.0f} M tokens,",
                       f"loss {learner.loss()}, {self.clock.seconds - started:.1f} s")  # fmt: skip
        self.results["runs"][name] = {"settings": asdict(settings), "pairs": learner.n_pairs}
        self._measure(name, model)
        if what in {"main", "hops"} and not (self.out / f"{what}.safetensors.0").exists():
            self._export(what, model)
        self.save()

    def _measure(self, name: str, model: Evidence) -> None:
        found = chances(model, self.asked_tokens, self.device)
        self.chances[name] = found.astype(np.float16)
        self.results["tables"][name] = self.table(found)
        if name.startswith(("main", "swaps")):
            keys = ("fool-me-twice-dev", "climate-fever-dev", "covid-fact", "short claims",
                    "short claims, sentences", "hover", "exfever", "negation RTE")  # fmt: skip
            table = self.results["tables"][name]
            for key in keys:
                if key in table:
                    self.clock.say(f"   {name:24} {key:26}", *list(table[key].values())[1:])

    def table(self, found: NDArray[np.float64]) -> dict[str, Any]:
        """Measures by set."""
        rows_of: dict[str, list[int]] = defaultdict(list)
        for at, row in enumerate(self.asked):
            rows_of[row["set"]].append(at)
        return {name: measured(found[at], self.labels[at]) for name, at in rows_of.items()}

    def conclude(self) -> None:
        """Of each set the figure by weights that saw neither it nor its source."""
        main = next((name for name in self.chances if name.startswith("main")), "swaps alone")
        final = self.chances[main].astype(np.float64)
        for source in SOURCES:
            if source in self.chances:
                at = [n for n, row in enumerate(self.asked) if left_out(row, source)]
                final[at] = self.chances[source][at]
        outside = self.table(final)
        folded = final.copy()
        for fold in range(5):
            if f"fold{fold}" in self.chances:
                at = [n for n, row in enumerate(self.asked) if left_out(row, f"fold{fold}")]
                folded[at] = self.chances[f"fold{fold}"][at]
        cross = self.table(folded)
        words = self.table(self._words_counted())
        self.results["left out"], self.results["cross-fitted"] = outside, cross
        self.results["words counted"] = words
        self.save()
        print("\nset; S-R, S-rest AUROC, S minus R, S at 5 % R, right | words counted: S-R, S-rest")
        for name, row in outside.items():
            values = list(row.values())
            said = list(words[name].values())[1:3]
            print(f"{name:38} n {values[0]:6}", *values[1:], "|", *said)
            if name.startswith(("hover", "exfever")) and cross[name] != row:
                print(
                    f"{'  the same by folds':38} n {values[0]:6}", *list(cross[name].values())[1:]
                )

    def _words_counted(self) -> NDArray[np.float64]:
        found = np.zeros((len(self.asked), 3))
        for name in {row["set"] for row in self.asked}:
            at = [n for n, row in enumerate(self.asked) if row["set"] == name]
            found[at] = counted([self.asked[n] for n in at]) + 1e-9
        return found

    def _export(self, name: str, model: Evidence) -> None:
        from safetensors.torch import save

        state = {key: value.detach().to("cpu", torch.bfloat16).contiguous()
                 for key, value in model.state_dict().items() if key != "words.weight"}  # fmt: skip
        if name == "main":
            small, scale = to_rows_of_bytes(model.words.weight.detach().float().cpu().numpy())
            state["words.weight"] = torch.from_numpy(small)
            state["words.weight.scale"] = torch.from_numpy(scale)
        data = save(state, metadata={"manifest": json.dumps(self.manifest(name))})
        for at in range(0, len(data), PART):
            path = self.out / f"{name}.safetensors.{at // PART}"
            path.write_bytes(data[at : at + PART])

    def manifest(self, name: str) -> dict[str, Any]:
        """What weights were made of."""
        files = [*sorted(self.arguments.data.iterdir()), *sorted(FOLDER.glob("*.py")),
                 Path(__file__)]  # fmt: skip
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


def some(tokens: Tokens, rows: NDArray[np.int64]) -> Tokens:
    """Some of the pairs."""
    ends, sizes = tokens.ends[rows], tokens.lengths[rows]
    places = np.concatenate([np.arange(e - s, e) for e, s in zip(ends, sizes, strict=True)])
    return Tokens(tokens.ids[places], tokens.marks[places], np.cumsum(sizes), tokens.claims[rows],
                  tokens.labels[rows])  # fmt: skip


def left_out(row: Row, run: str) -> bool:
    """Whether a run does not learn from a row."""
    if run.startswith("fold"):
        return row["fold"] == int(run[4:])
    return row["set"].startswith(SOURCES.get(run, ("-",)))


def _tokens_of(pairs: list[Pair], longest: int) -> Tokens:
    return tokenized(Swaps.tokenizer, pairs, longest)


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
    parser.add_argument("--rate", type=float, default=3e-4)
    parser.add_argument("--tokens", type=int, default=32768, help="in a batch of swaps")
    parser.add_argument("--block", type=int, default=60000, help="swaps learned from at a time")
    parser.add_argument("--tune-rate", type=float, default=1e-4)
    parser.add_argument("--tune-tokens", type=int, default=16384)
    parser.add_argument("--tune-epochs", type=float, default=3)
    parser.add_argument("--runs", nargs="*", default=list(RUNS))
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--passages", type=int, default=10**9)
    parser.add_argument("--stock", type=int, default=6000, help="passages that swaps draw from")
    parser.add_argument("--dropout", type=float, default=0.05, help="while learning from swaps")
    parser.add_argument("--save-every", type=float, default=60, help="seconds, if there is --state")
    parser.add_argument("--tiny", type=int, default=0, help="labelled pairs, to try it out")
    parser.add_argument("--seed", type=int, default=0)
    training = Training(parser.parse_args())
    training.learn_swaps()
    longest = 0.0
    for name in training.arguments.runs:
        if training.clock.left < 1.3 * longest + 10:
            training.clock.say("no time for", name)
            continue
        before = training.clock.seconds
        training.run(name)
        longest = max(longest, training.clock.seconds - before)
    training.conclude()
    training.clock.say("done")
    training.pool.terminate()


if __name__ == "__main__":
    main()
