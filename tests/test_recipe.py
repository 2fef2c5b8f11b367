"""Recipes: read, refused with one line, hashed."""

import pytest
from pydantic import ValidationError

from hippohover.recipe import (
    MAX_RANKED_PASSAGES,
    CorpusSettings,
    EdgeWeights,
    IndexRecipe,
    LanguageModelSettings,
    QuerySettings,
)


def test_the_hash_changes_with_every_setting():
    default = IndexRecipe()
    others = [
        IndexRecipe(name="other"),
        IndexRecipe(fact_vectors=True),
        IndexRecipe(max_failure_share=0.5),
        IndexRecipe(query=QuerySettings(rerank=False)),
        IndexRecipe(query=QuerySettings(weights=EdgeWeights(synonymy=0.2))),
    ]
    assert len({recipe.sha256 for recipe in [default, *others]}) == 6


def test_a_recipe_never_changes():
    with pytest.raises(ValidationError):
        IndexRecipe().name = "other"  # pyright: ignore[reportAttributeAccessIssue]


def test_candidates_are_never_fewer_than_an_answer():
    assert QuerySettings(n_candidates=MAX_RANKED_PASSAGES).n_candidates == MAX_RANKED_PASSAGES


def test_what_is_preferred_is_kept():
    query, kept = QuerySettings(prefer="-year"), CorpusSettings(metadata=("year",))
    assert IndexRecipe(query=query, corpus=kept).query.prefer == "-year"
    with pytest.raises(ValidationError, match=r"query\.prefer names 'year': name it in corpus"):
        IndexRecipe(query=query)


@pytest.mark.parametrize(
    "api_base", ["http://me:secret@host/v1", "http://host/v1?key=x", "host:80"]
)
def test_an_address_that_holds_a_secret_is_refused(api_base: str):
    with pytest.raises(ValidationError, match="api_base"):
        LanguageModelSettings(name="openai/x", api_base=api_base)
    assert (
        LanguageModelSettings(name="openai/x", api_base="http://127.0.0.1:80/v1").temperature == 0
    )
