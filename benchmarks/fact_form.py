"""How many of the facts that the default rules find are facts, by their form?

    python benchmarks/fact_form.py CORPUS ... --n 200 --out benchmarks/results/fact_form.json

Builds an index of each corpus's first passages, without vectors, and draws as many facts of each. A
fact is judged on a parse of "subject predicate object." (spaCy, which the rules do not use), not by
whether its passage says so. It is well formed when all of this holds:

- whole: each part begins and ends with a letter, a digit, or a closed bracket or quotation;
- ends: subject and object are headed by a noun, a name or a number, or the object by an adjective
  behind a form of "be"; they hold no verb form, and begin with no conjunction or preposition;
- verb: the predicate holds a verb;
- one clause: it has one group of finite verbs, no pronoun as a subject, no relative, and begins and
  ends with no conjunction.
"""

import argparse
import json
import random
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
from measurement import run_script

import hippohover
from hippohover.evaluation.intervals import share
from hippohover.language.spacy_models import load_parser
from hippohover.retrieval.engine import HippoHover

N_PASSAGES: Final = 3000
_SEED: Final = 48
_PAIRS: Final = {"(": ")", "[": "]", "“": "”", "«": "»"}
_BE: Final = frozenset(["is", "are", "was", "were", "be", "been", "being"])
_FINITE: Final = frozenset(["VBD", "VBZ", "VBP", "MD"])
_SUBJECTS: Final = frozenset(["he", "she", "it", "they", "we", "i", "who", "which", "that", "whom"])
_PRONOUNS: Final = frozenset(["PRP", "WP", "WDT", "EX", "WRB"])
_NO_BEGINNING: Final = frozenset(["CC", "IN", "TO"])
_IN_A_GROUP: Final = frozenset(["RB", "VB", "VBN", "VBG", "RP", "CC", "TO", "MD"])
_NOMINAL: Final = frozenset(["NN", "NNS", "NNP", "NNPS", "CD", "FW", "SYM", "ADD", "LS", "$"])


def is_whole(part: str) -> bool:
    """Whether a part is cut nowhere: marks are closed, and none stands at its ends."""
    for opened, closed in _PAIRS.items():
        if part.count(opened) != part.count(closed):
            return False
    if part.count('"') % 2:
        return False
    first, last = part[0], part[-1]
    begins = first.isalnum() or first in "(\"“«['’$€£#@./"
    return begins and (last.isalnum() or last in ")”»]\"'’.%+!?#")


def faults_of(parts: Sequence[str], parse: Any) -> list[str]:  # noqa: ANN401
    """What is wrong with the form of a fact, by its parse."""
    subject, predicate, target = _split(parts, parse)
    faults = [] if all(map(is_whole, parts)) else ["whole"]
    be = bool(predicate) and predicate[-1].lower_ in _BE
    if not (_names(subject) and (_names(target) or (be and target[-1].tag_[:2] == "JJ"))):
        faults.append("ends")
    if not any(token.tag_[:2] == "VB" or token.tag_ == "MD" for token in predicate):
        faults.append("verb")
    if not _is_one_clause(predicate):
        faults.append("clause")
    return faults


def _split(parts: Sequence[str], parse: Any) -> list[list[Any]]:  # noqa: ANN401
    """The tokens of each part, those of a token across a border with the earlier one."""
    first = len(parts[0])
    second = first + 1 + len(parts[1])
    split: list[list[Any]] = [[], [], []]
    for token in parse:
        if not token.is_punct and not token.is_space:
            split[(token.idx > first) + (token.idx > second)].append(token)
    return split


def _names(tokens: Sequence[Any]) -> bool:
    """Whether a part names something: capitalised words do, whatever the parse makes of them."""
    if not tokens:
        return False
    first, last = tokens[0], tokens[-1]
    if last.text[0].isupper() or last.text[0].isdigit():
        return first.tag_ not in _NO_BEGINNING or first.text[0].isupper()
    return first.tag_ not in _NO_BEGINNING and last.tag_ in _NOMINAL


def _is_one_clause(tokens: Sequence[Any]) -> bool:
    if not tokens or tokens[0].tag_ in {"CC", "DT", "PRP", "PRP$", *_PRONOUNS}:
        return False
    if tokens[-1].tag_ in {"CC", *_PRONOUNS}:
        return False
    if any(token.tag_ in _PRONOUNS and token.lower_ in _SUBJECTS for token in tokens):
        return False
    finite = [at for at, token in enumerate(tokens) if token.tag_ in _FINITE]
    between = (tokens[a + 1 : b] for a, b in pairwise(finite))
    return all(token.tag_ in _IN_A_GROUP for some in between for token in some)


def drawn_facts(corpus: Path, n: int) -> list[list[str]]:
    """Facts of an index of the first passages of a corpus, drawn at random."""
    with TemporaryDirectory() as folder:
        recipe = hippohover.IndexRecipe(name="facts", encoder="none")
        path = hippohover.build(
            recipe, corpus=corpus, out=Path(folder) / "facts", limit=N_PASSAGES, workers=1
        )
        with HippoHover.open(path) as engine:
            n_facts = len(engine.tables.arrays.facts)
            rows = sorted(random.Random(_SEED).sample(range(n_facts), min(n, n_facts)))
            return [triple.words() for triple in engine.tables.triples(np.array(rows, np.int64))]


def main() -> None:
    """Judge the facts of each corpus."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("corpora", type=Path, nargs="+")
    parser.add_argument("--n", type=int, default=200, help="Facts, of all corpora together")
    parser.add_argument("--show", action="store_true", help="Print each fact with its faults")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    nlp = load_parser()
    result: dict[str, Any] = {
        "question": (__doc__ or "").partition("\n")[0],
        "n_passages": N_PASSAGES,
    }
    every: list[list[str]] = []
    result["corpora"] = {}
    for corpus in arguments.corpora:
        facts = drawn_facts(corpus, arguments.n // len(arguments.corpora))
        found = [faults_of(fact, nlp(" ".join(fact) + ".")) for fact in facts]
        every += found
        right = share([float(not faults) for faults in found]).as_dict()
        result["corpora"][corpus.name.partition(".")[0]] = right
        if arguments.show:
            for fact, faults in zip(facts, found, strict=True):
                print(" | ".join(fact), faults or "")
    result["well_formed"] = share([float(not faults) for faults in every]).as_dict()
    result["faults"] = Counter(fault for faults in every for fault in faults)
    arguments.out.write_text(json.dumps(result) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    run_script(main)
