"""Answers and explanations as people read them."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hippohover.cli.output import console, counted, plain, shortened

if TYPE_CHECKING:
    from rich.text import Text

    from hippohover.chain_records import Chain
    from hippohover.explanation.explain import Explanation
    from hippohover.records import RankedPassage, Retrieval, Trace
    from hippohover.retrieval.engine import HippoHover

_TEXT_SHOWN: Final = 220
_LEAST_SHOWN: Final = 20
_SENTENCE_SHOWN: Final = 150
_SEEDS_SHOWN: Final = 8
_USUAL: Final = "ppr"


@dataclass(frozen=True, slots=True)
class Marks:
    """What is shown with each passage of an answer, read while its index is open.

    Attributes
    ----------
    sentences : tuple of str
        The one that says most of the question; "" where none does.
    links : tuple of str
        Address of its file; "" without one, and where nobody can follow it.
    """

    sentences: tuple[str, ...]
    links: tuple[str, ...]

    @classmethod
    def of(cls, engine: "HippoHover", retrieval: "Retrieval") -> "Marks":
        """Mark the passages of an answer."""
        from hippohover.web.highlights import Highlighter

        highlighter = Highlighter(engine.tables.arrays.lexical)
        told = retrieval.as_dict()["passages"]
        sentences = tuple(highlighter.add_to(retrieval.claim, told))
        if not sys.stdout.isatty():
            return cls(sentences, ("",) * len(sentences))
        link = _linking(engine)
        return cls(sentences, tuple(link(passage) for passage in retrieval.passages))


def print_answer(retrieval: "Retrieval", marks: Marks, name: str) -> None:
    """Print passages, best first, each with the sentence that says most of the question marked."""
    from rich.padding import Padding
    from rich.text import Text

    from hippohover.language.claim_kinds import called

    screen = console()
    _print_chain(next((chain for chain in retrieval.chains if chain.joins), None))
    for passage, sentence, link in zip(
        retrieval.passages, marks.sentences, marks.links, strict=True
    ):
        screen.print(_head(passage, link))
        under = (
            Text(shortened(passage.heading, _TEXT_SHOWN), style="italic"),
            excerpt(passage.text, sentence),
            Text(shortened(passage.others_in_words(), _TEXT_SHOWN), style="dim"),
        )
        for line in filter(None, under):
            screen.print(Padding(line, (0, 0, 0, 5)))
    if not retrieval.passages:
        what = called(retrieval.claim)
        screen.print(f"nothing found: the index holds no name and no search term of this {what}")
    n, by = len(retrieval.passages), "" if name == _USUAL else f" by {name}"
    ranked = counted(retrieval.trace.n_candidates, "passage")
    milliseconds = f"{1000 * retrieval.trace.seconds:.0f} ms"
    screen.print(f"{n} of {ranked} ranked{by} in {milliseconds}", style="dim")


def _print_chain(chain: "Chain | None") -> None:
    """Print the best chain: its titles, and of each passage what joins it, and what it says."""
    from rich.padding import Padding
    from rich.text import Text

    if chain is None:
        return
    screen = console()
    screen.print(Text(plain(chain.summary()), style="bold"))
    for passage, join in zip(chain.passages, (None, *chain.joins), strict=True):
        by = join.words if join and join.words != passage.title else ""
        line = f"{passage.title}, joined by “{by}”" if by else passage.title
        said = shortened(passage.sentence, _SENTENCE_SHOWN)
        screen.print(Padding(Text(plain(f"{line}: {said}" if said else line)), (0, 0, 0, 5)))
    screen.print()


def _head(passage: "RankedPassage", link: str) -> "Text":
    from rich.text import Text

    head = Text(f"{passage.rank:>3}  ")
    head.append(plain(passage.title) or "(untitled)", style=f"bold link {link}" if link else "bold")
    if passage.citation != passage.title:
        head.append(f"  {plain(passage.citation)}", style="dim")
    return head


def excerpt(text: str, sentence: str) -> "Text":
    """Return some words of a text around a sentence of it, which is bold."""
    from rich.text import Text

    before, _, after = text.partition(sentence) if sentence else ("", "", text)
    marked, before = shortened(sentence, _TEXT_SHOWN), plain(before)
    if before and len(plain(text)) > _TEXT_SHOWN:
        before = "…"
    shown = Text(f"{before} " if before else "").append(marked, style="bold")
    room = _TEXT_SHOWN - len(marked)
    if plain(after) and not marked.endswith("…"):
        rest = shortened(after, room) if room > _LEAST_SHOWN else "…"
        shown.append(f" {rest}" if marked else rest)
    return shown


def _linking(engine: "HippoHover") -> "Callable[[RankedPassage], str]":
    """Return what gives the address of a passage's file; "" where it is not there any more."""
    from hippohover.web.documents import Documents

    folders = [Path(one) for one in (engine.stored.log() or {}).get("made_of", [])]
    known = [Documents(folder) for folder in folders if folder.is_dir()]

    def link(passage: "RankedPassage") -> str:
        path = str(passage.metadata.get("path", ""))
        files = (documents.file(path) for documents in known if path)
        return next((file.as_uri() for file in files if file is not None), "")

    return link


def print_trace(trace: "Trace") -> None:
    """Print misspelt words, candidate facts with similarity, invented facts."""
    from hippohover.retrieval.facts.pool import ROUTE_WITHOUT_FILTER

    screen = console()
    for typed, meant in trace.corrections:
        screen.print(plain(f"{typed} is in no passage: searched as {meant}"))
    if trace.ranked_by == "fusion":
        screen.print("Names join few passages: the walks, BM25 and cosine vote beside the weights")
    if trace.ranked_by == "tuned":
        screen.print("Ranked by the tuned ranking of this corpus")
    screen.print(f"\nFacts ({trace.route})", style="bold")
    if trace.failure:
        screen.print(plain(trace.failure))
    others = "       " if trace.route == ROUTE_WITHOUT_FILTER else "dropped"
    for candidate in trace.candidate_facts:
        fact = candidate.fact
        words = plain(f"{fact.subject} | {fact.predicate} | {fact.object}")
        mark, style = ("kept   ", "") if candidate.kept else (others, "dim")
        mark = "instead" if trace.fallback and fact in trace.facts else mark
        screen.print(f"{candidate.similarity:>6.3f}  {mark}  {words}", style=style)
    for words in trace.invented_facts:
        screen.print(f"        invented {plain(' | '.join(words))}", style="dim")
    screen.print(f"{trace.lm_calls} language-model calls, {trace.fallbacks} fallbacks", style="dim")


def print_explanation(explanation: "Explanation") -> None:
    from rich.text import Text

    screen = console()
    head = Text(plain(explanation.title), style="bold")
    if explanation.rank is not None:
        head.append(f"  rank {explanation.rank:,}  score {explanation.score:.4g}", style="dim")
    screen.print(head)
    if explanation.citation != explanation.title:
        screen.print(plain(explanation.citation))
    if explanation.reason:
        screen.print(plain(explanation.reason))
    _print_seeds(explanation)
    counted = any(path.share > 0 for path in explanation.paths)
    if explanation.paths:
        what = "share of its score in the walk" if counted else "probability, too weak to count"
        screen.print(f"\nStrongest paths, with their {what}", style="bold")
    for path in explanation.paths:
        weight = f"{path.share:>6.1%}" if counted else f"{path.mass:>7.1e}"
        screen.print(f"{weight}  {plain(path.sentence())}")
        for fact in dict.fromkeys(fact for edge in path.edges for fact in edge.facts):
            words = plain(f"{fact.subject} | {fact.predicate} | {fact.object}")
            screen.print(f"        {words}", style="dim")


def _print_seeds(explanation: "Explanation") -> None:
    screen = console()
    screen.print("\nSeeds of the walk", style="bold")
    for seed in explanation.seeds[:_SEEDS_SHOWN]:
        screen.print(f"{seed.mass:>6.1%}  {seed.kind:<8}{plain(seed.shown)}")
    more = len(explanation.seeds) - _SEEDS_SHOWN
    if more > 0:
        screen.print(f"        and {more} smaller ones", style="dim")
