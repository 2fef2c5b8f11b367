"""Corpora in several languages, for ``domains.py``: does a hop work where words are not English's?

    python benchmarks/language_corpora.py OUT [--templates MORE.toml] [--documents 400]
    python benchmarks/domains.py OUT --work WORK --recipe default-fast --out WORK/languages.jsonl

Each language has two corpora of sentences from templates (``languages.toml``) with made-up names,
and 50 questions on each whose answer takes two documents. In ``titled`` the second document is
titled by the person that the first one names; in ``untitled`` it is a page of minutes, and the
person is a name that is no title, often in another grammatical form. Questions share few words with
the second document. ``mixed`` has the documents and questions of English and Chinese together.
"""

import argparse
import json
import random
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Final

from measurement import run_script

_N_QUESTIONS: Final = 50
_TEMPLATES: Final = Path(__file__).with_name("languages.toml")
_KINDS: Final = ("titled", "untitled")
_MIXED: Final = ("en", "zh")
_PARTICLE: Final = re.compile(r"(\w)(이|은|을|과|으로)\((가|는|를|와|로)\)")

Document = dict[str, str]
Claim = dict[str, Any]


def forms_of(begins: str, ends: str, joined: str = "") -> list[str]:
    """Every grammatical form of a name of two parts, each with its forms divided by "|"."""
    one, two = begins.split("|"), ends.split("|")
    n = max(len(one), len(two))
    pairs = zip(one + one[-1:] * (n - len(one)), two + two[-1:] * (n - len(two)), strict=True)
    return [f"{begin}{joined}{end}" for begin, end in pairs]


def names_of(language: Mapping[str, Any], begins: str, ends: str, joined: str) -> list[list[str]]:
    """All names of two lists of parts, in the order of the lists."""
    return [forms_of(*pair, joined) for pair in product(language[begins], language[ends])]


def filled(template: str, *, n: int = 0, w: int = 0, **names: Sequence[str]) -> str:
    """A template with its slots filled; a name without a form stands in its last."""
    slots = {
        f"{letter}{at}": forms[min(at, len(forms) - 1)]
        for letter, forms in names.items()
        for at in range(5)
    }
    text = template.format(n=n, w=w, **slots)
    text = _PARTICLE.sub(_with_particle, text)
    return text[:1].upper() + text[1:]


def _with_particle(match: re.Match[str]) -> str:
    last = (ord(match[1]) - 0xAC00) % 28
    is_closed = last not in ((0, 8) if match[2] == "으로" else (0,))
    return match[1] + (match[2] if is_closed else match[3])


def corpus_of(
    language: Mapping[str, Any], kind: str, n_documents: int
) -> tuple[list[Document], list[Claim]]:
    """The documents of one language and kind, and its questions."""
    drawn = random.Random(21)
    parts = ("last", "first") if language["order"] == "last first" else ("first", "last")
    people = names_of(language, *parts, language["joined"])
    towns = names_of(language, "town_begins", "town_ends", "")
    things = names_of(language, "thing_begins", "thing_ends", "")
    for names in (people, towns, things):
        drawn.shuffle(names)
    documents: list[Document] = []
    claims: list[Claim] = []

    def write(title: str, texts: str, **slots: Any) -> str:  # noqa: ANN401
        text = filled(drawn.choice(language[texts]), w=drawn.randrange(50), **slots)
        documents.append({"title": title, "text": text})
        return title

    def minutes(number: int) -> str:
        return str(language["minutes_title"]).format(n=number)

    for at, (thing, person) in enumerate(zip(things, people[:_N_QUESTIONS], strict=False)):
        first = write(filled("{x0}", x=thing), "thing_texts", x=thing, p=person)
        titled = kind == "titled"
        title = person[0] if titled else minutes(3 * at + 107)
        texts = "person_texts" if titled else "minutes_texts"
        second = write(title, texts, p=person, t=drawn.choice(towns))
        question = filled(drawn.choice(language["questions"]), x=thing)
        gold = [[first, 0], [second, 0]]
        claims.append({"uid": str(at), "claim": question, "supporting_facts": gold})
    for at, number in enumerate(range(len(documents), n_documents)):
        texts = "minutes_texts" if at % 3 == 0 else "filler_texts"
        person = people[_N_QUESTIONS + at % (len(people) - _N_QUESTIONS)]
        write(minutes(1000 + number), texts, n=number, p=person, t=drawn.choice(towns))
    drawn.shuffle(documents)
    return documents, claims


def mixed(
    parts: Sequence[tuple[list[Document], list[Claim]]],
) -> tuple[list[Document], list[Claim]]:
    """Corpora as one, with every second question of each."""
    documents = [document for own, _ in parts for document in own]
    claims = [claim for at, (_, own) in enumerate(parts) for claim in own[at :: len(parts)]]
    return documents, claims


def all_corpora(
    languages: Mapping[str, Mapping[str, Any]], n_documents: int
) -> Iterator[tuple[str, list[Document], list[Claim]]]:
    """Each corpus with its name and its questions."""
    for kind in _KINDS:
        made = {code: corpus_of(of, kind, n_documents) for code, of in languages.items()}
        for code, corpus in made.items():
            yield f"{code}-{kind}", *corpus
        if set(_MIXED) <= set(made):
            yield f"mixed-{kind}", *mixed([made[code] for code in _MIXED])


def main() -> None:
    """Write every corpus and its questions."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--templates", type=Path, default=_TEMPLATES)
    parser.add_argument("--documents", type=int, default=400)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    languages = tomllib.loads(arguments.templates.read_text("utf-8"))
    for name, documents, claims in all_corpora(languages, arguments.documents):
        for end, rows in (("corpus", documents), ("questions", claims)):
            lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            (arguments.out / f"{name}-{end}.jsonl").write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    run_script(main)
