from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from hippohover.evaluation.evaluate import EvaluationSettings, evaluate
from hippohover.evaluation.hover import GoldClaim
from hippohover.retrieval.engine import HippoHover
from hippohover.testing.indexes import Row, built
from hippohover.testing.strategies import claims, corpora, names

ANY = settings(phases=[Phase.generate], max_examples=2000)
"""Of ``find``: any that there is, and not the smallest, which takes seconds."""


@given(names())
def test_names_are_capitalised_words(name: str):
    assert name == name.title()
    assert 1 <= len(name.split()) <= 2


@given(corpora(min_size=2, max_size=4, ids=True, links=True))
def test_corpora_are_as_large_as_asked_and_titles_differ(rows: list[dict[str, Any]]):
    assert 2 <= len(rows) <= 4
    titles = [row["title"] for row in rows]
    assert len(set(titles)) == len(rows) == len({row["id"] for row in rows})
    assert all(row["text"].startswith(row["title"]) for row in rows)
    assert all({*row["links"]} <= {*titles, "Nowhere"} for row in rows)


def test_documents_name_each_other():
    def names_another(rows: list[dict[str, Any]]) -> bool:
        first, *others = rows
        return any(other["title"] in first["text"] for other in others)

    assert find(corpora(min_size=2), names_another, settings=ANY)


def test_some_texts_are_odd():
    assert find(corpora(), lambda rows: not rows[0]["text"].isascii(), settings=ANY)


@given(corpora(odd=False))
def test_no_text_is_odd_where_nobody_wants_it(rows: list[dict[str, Any]]):
    assert all(row["text"].isascii() for row in rows)


@given(st.data())
def test_claims_are_about_documents_of_the_corpus(data: st.DataObject):
    rows: list[Row] = [*data.draw(corpora(min_size=1))]
    claim = data.draw(claims(rows))
    assert {*claim.gold_titles} <= {str(row["title"]) for row in rows}
    assert all(title in claim.claim for title in claim.gold_titles)
    assert claim.num_hops == len(claim.gold_titles) == len(claim.supporting_facts)


@given(claims([]))
def test_claims_about_nothing_have_words_and_no_gold(claim: GoldClaim):
    assert claim.claim.strip() == claim.claim != ""
    assert (claim.gold_titles, claim.supporting_facts, claim.num_hops) == ((), (), 0)


@settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_they_can_be_built_and_measured(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
):
    root: Path = tmp_path_factory.mktemp("drawn") / "i"
    rows: list[Row] = [*data.draw(corpora(min_size=2))]
    engine = HippoHover.open(built(rows, root))
    wanted = EvaluationSettings(retrievers=("ppr",), n_warmups=0)
    assert evaluate(engine, [data.draw(claims(rows))], wanted).n == 1
