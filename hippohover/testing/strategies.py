"""Corpora and claims for hypothesis: documents that name each other, odd texts."""

from typing import Any

from hippohover.adapters.extras import needed
from hippohover.evaluation.hover import GoldClaim
from hippohover.testing.indexes import Row

with needed("hypothesis", of=__name__, extra="testing"):
    from hypothesis import strategies as st

_SYLLABLES = ["bra", "vel", "mou", "tir", "sok", "len", "dra", "ush", "or", "quin"]
_ODD = ["", "Löwe", "海の町", "O'Brien", "e\u0301tat", "a | b", "<b>x</b>", "🜂", "42"]
_VERBS = ["knows", "was born in", "directed", "lies on", "was built by", "died near"]


def names() -> st.SearchStrategy[str]:
    """Draw a name of one or two capitalised words: "Braveltir", "Sok Mouor"."""
    word = st.lists(st.sampled_from(_SYLLABLES), min_size=2, max_size=3)
    words = st.lists(word.map(lambda parts: "".join(parts).capitalize()), min_size=1, max_size=2)
    return words.map(" ".join)


@st.composite
def corpora(
    draw: st.DrawFn,
    *,
    min_size: int = 1,
    max_size: int = 6,
    ids: bool = False,
    links: bool = False,
    odd: bool = True,
) -> list[dict[str, Any]]:
    """Draw a corpus: records with distinct titles, whose texts name other documents.

    Parameters
    ----------
    min_size, max_size : int
        Number of documents.
    ids : bool
        Give each an ``id``.
    links : bool
        Give some ``links`` to other titles, and to none.
    odd : bool
        Put words of other scripts, marks and signs into some texts.
    """
    titles = draw(st.lists(names(), min_size=min_size, max_size=max_size, unique=True))
    rows: list[dict[str, Any]] = []
    for number, title in enumerate(titles):
        row: dict[str, Any] = {"title": title, "text": draw(_texts(title, titles, odd=odd))}
        if ids:
            row["id"] = f"d{number}"
        if links:
            row["links"] = draw(st.lists(st.sampled_from([*titles, "Nowhere"]), max_size=2))
        rows.append(row)
    return rows


@st.composite
def claims(draw: st.DrawFn, corpus: list[Row]) -> GoldClaim:
    """Draw a claim about one to three documents of a corpus; their titles are its gold.

    About an empty corpus it has no gold.
    """
    titles = [str(row["title"]) for row in corpus]
    gold = (
        draw(st.lists(st.sampled_from(titles), min_size=1, max_size=3, unique=True))
        if titles
        else []
    )
    verbs = [draw(st.sampled_from(_VERBS)) for _ in gold]
    words = " ".join(f"{title} {verb}" for title, verb in zip(gold, verbs, strict=True))
    return GoldClaim(
        uid=draw(st.uuids()).hex,
        claim=f"{words} something.".strip(),
        gold_titles=tuple(gold),
        supporting_facts=tuple((title, 0) for title in gold),
        num_hops=len(gold),
    )


@st.composite
def _texts(draw: st.DrawFn, title: str, titles: list[str], *, odd: bool) -> str:
    told = draw(st.lists(st.tuples(st.sampled_from(_VERBS), st.sampled_from(titles)), max_size=3))
    sentences = [f"{title} is a thing."]
    sentences += [f"{title} {verb} {other}." for verb, other in told]
    if odd:
        sentences += draw(st.lists(st.sampled_from(_ODD), max_size=1))
    return " ".join(sentences).strip()
