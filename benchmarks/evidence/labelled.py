"""Labelled pairs of evidence and claim from the sets, as rows that training and measuring read.

    cd benchmarks; python -m evidence.labelled DATA OUT.jsonl.xz

DATA is the folder with ``nli``, ``hover-wide.jsonl.gz`` and the claims. A row has ``set``,
``claim``, ``label`` (0 supported, 1 not enough, 2 refuted, 3 one of these two), ``evidence`` (one
text or several ways to give it, the first of which is measured), ``fold`` (of five; -1 where a set
is not cross-fitted) and ``trains`` (whether weights that ship may learn from it).
"""

import argparse
import gzip
import json
import lzma
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from hippohover.evaluation.hover import load_claims
from hippohover.evaluation.splits import folds, groups
from hippohover.names.normal_forms import normal_title

Row = dict[str, Any]
LABELS: Final = {
    "SUPPORTED": 0, "SUPPORT": 0, "NOT_ENOUGH_INFO": 1, "NOT ENOUGH INFO": 1, "REFUTED": 2,
    "REFUTE": 2, "NOT_SUPPORTED": 3,
}  # fmt: skip
SETS: Final = {
    "fever": True, "fever-symmetric": True, "negation": True, "monotonicity": True,
    "covid-fact": False, "fool-me-twice-dev": False, "climate-fever-dev": False,
}  # fmt: skip
SHORT: Final = Path(__file__).parents[1] / "short_claims.json"
_SENTENCE_END: Final = re.compile(r"(?<=[a-z\d)”\"][.!?]) +(?=[\"“A-Z\d])")


def read(path: Path) -> list[Row]:
    """The rows of a file of JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open() as file:
        return [json.loads(line) for line in file]


def sentences(text: str) -> list[str]:
    """The sentences of a text, by its full stops."""
    return _SENTENCE_END.split(text)


def plain_pairs(data: Path, titles: dict[str, str]) -> Iterator[Row]:
    """Yield the rows of the sets of pairs."""
    for name, trains in SETS.items():
        for one in read(data / "nli" / f"{name}.jsonl.gz"):
            part = one["uid"].split("-")[1] if name == "negation" else ""
            yield {
                "set": f"{name} {part}".strip(),
                "uid": one["uid"],
                "claim": one["claim"],
                "label": LABELS[one["label"]],
                "evidence": [titled(one["evidence"], titles)] if name == "fever" else
                            [one["evidence"]],
                "fold": -1,
                "trains": trains and part != "RTE",
            }  # fmt: skip


def key_of(sentence: str) -> str:
    """What two spellings of a sentence have in common: its first letters and digits."""
    return re.sub(r"[^a-z0-9]", "", sentence.lower())[:40]


def titles_of_sentences(passages: Iterable[Row], wanted: set[str]) -> dict[str, str]:
    """Titles of passages, by the keys of their sentences, of those that are wanted."""
    found: dict[str, str] = {}
    for row in passages:
        for sentence in sentences(row["text"]):
            key = key_of(sentence)
            if key in wanted:
                found.setdefault(key, row["title"])
    return found


def titled(evidence: str, titles: dict[str, str]) -> str:
    """Evidence with the titles of its sentences before them, where those are known."""
    said, last = "", ""
    for sentence in sentences(evidence):
        title = titles.get(key_of(sentence), "")
        said += f"{title}: {sentence} " if title and title != last else f"{sentence} "
        last = title
    return said.strip()


def multi_hop(data: Path, texts: dict[str, str]) -> Iterator[Row]:
    """Yield HoVer's and EX-FEVER's claims with their gold passages, cross-fitted together."""
    files = {
        "hover": data / "hover-claims-dev.jsonl",
        "exfever": data / "domains" / "exfever-claims-dev.jsonl",
        "hover-train": data / "hover-claims-train.jsonl",
    }
    claims = {name: load_claims(path) for name, path in files.items()}
    everyone = [one for found in claims.values() for one in found]
    fold_of = dict(zip((one.uid for one in everyone), folds(groups(everyone)), strict=True))
    for name, path in files.items():
        for one in read(path):
            whole: list[str] = []
            chosen: list[str] = []
            for title in dict.fromkeys(title for title, _ in one["supporting_facts"]):
                text = texts.get(normal_title(title), "")
                parts = sentences(text)
                numbers = [n for t, n in one["supporting_facts"] if t == title]
                whole.append(f"{title}: {text}")
                chosen.append(f"{title}: {' '.join(parts[n] for n in numbers if n < len(parts))}")
            views = [
                " ".join(whole),
                " ".join(chosen) if name == "hover" else " ".join(whole[::-1]),
            ]
            row: Row = {
                "set": name,
                "uid": one["uid"],
                "claim": one["claim"],
                "label": LABELS[one["label"]],
                "evidence": views,
                "fold": int(fold_of[one["uid"]]),
                "trains": True,
            }
            yield row
            if not row["label"] and len(whole) > 1:
                gone = sum(map(ord, one["claim"])) % len(whole)
                rest = " ".join(whole[:gone] + whole[gone + 1 :])
                yield {**row, "set": f"{name} missing one", "label": 1, "evidence": [rest]}


def words_of(text: str) -> list[str]:
    """The words of a text, small."""
    return re.findall(r"\w+", text.lower())


class Rarity:
    """How rare words are in some texts, and what is near to a claim by that."""

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts
        self.sets = [set(words_of(text)) for text in texts]
        self.counts = Counter(word for one in self.sets for word in one)
        self.holders: dict[str, list[int]] = defaultdict(list)
        for at, one in enumerate(self.sets):
            for word in one:
                self.holders[word].append(at)

    def weight(self, word: str) -> float:
        """The rarer a word, the more it weighs."""
        return math.log((len(self.texts) + 1) / (self.counts[word] + 1))

    def near(self, claim: str, n: int) -> list[int]:
        """The texts that share the most with a claim."""
        scores: Counter[int] = Counter()
        for word in set(words_of(claim)):
            if self.counts[word] < 2000:
                for at in self.holders[word]:
                    scores[at] += self.weight(word)  # type: ignore[assignment]
        return [at for at, _ in scores.most_common(n)]

    def share(self, claim: str, at: int) -> float:
        """The part of a claim's weight that a text has."""
        words = set(words_of(claim))
        total = sum(self.weight(word) for word in words) or 1.0
        return sum(self.weight(word) for word in words & self.sets[at]) / total


def not_enough(rows: list[Row], draw: random.Random) -> Iterator[Row]:
    """Yield claims of a set with evidence of another claim about the same things."""
    texts = list(dict.fromkeys(row["evidence"][0] for row in rows))
    rarity = Rarity(texts)
    for row in rows:
        if draw.random() < 0.5:
            continue
        own = set(sentences(row["evidence"][0]))
        near = [
            at for at in rarity.near(row["claim"], 8)
            if not own & set(sentences(texts[at])) and rarity.share(row["claim"], at) < 0.75
        ]  # fmt: skip
        if near:
            evidence = texts[draw.choice(near[:3])]
            yield {**row, "set": f"{row['set']} elsewhere", "label": 1, "evidence": [evidence]}


def short_claims() -> Iterator[Row]:
    """Yield the pairs of claims about an invented world with the nearest of its passages."""
    file = json.loads(SHORT.read_text(encoding="utf-8"))
    texts = [f"{one['title']}: {one['text']}" for one in file["passages"]]
    rarity = Rarity(texts)
    for n, pair in enumerate(file["pairs"]):
        is_chain = pair["kind"].endswith("hops")
        near = rarity.near(pair["true"], {"two hops": 2, "three hops": 3}.get(pair["kind"], 1))
        lines = [f"{file['passages'][at]['title']}: {s}" for at in near
                 for s in sentences(file["passages"][at]["text"])]  # fmt: skip
        both = f"{pair['true']} {pair['false']}"
        best = Rarity(lines).near(both, 4 if is_chain else 2)
        for truth, label in (("true", 0), ("false", 3)):
            base = {"claim": pair[truth], "label": label, "fold": -1, "trains": False,
                    "uid": f"short-{n}-{truth}", "kind": pair["kind"]}  # fmt: skip
            yield {**base, "set": "short claims", "evidence": [" ".join(texts[at] for at in near)]}
            yield {**base, "set": "short claims, sentences",
                   "evidence": [" ".join(lines[at] for at in sorted(best))]}  # fmt: skip


def main() -> None:
    """Read all sets and write the rows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    passages = read(arguments.data / "hover-wide.jsonl.gz")
    texts = {normal_title(row["title"]): row["text"] for row in passages}
    fever = read(arguments.data / "nli" / "fever.jsonl.gz")
    wanted = {key_of(s) for row in fever for s in sentences(row["evidence"])}
    titles = titles_of_sentences(passages, {key for key in wanted if len(key) > 15})
    rows = [*plain_pairs(arguments.data, titles), *multi_hop(arguments.data, texts)]
    rows += short_claims()
    rows += not_enough([row for row in rows if row["set"] == "fever"], random.Random(5))
    lines = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    arguments.out.write_bytes(lzma.compress(lines.encode()))
    print(Counter(row["set"] for row in rows))
    print("FEVER sentences with a title:", len(titles), "of", len(wanted))


if __name__ == "__main__":
    main()
