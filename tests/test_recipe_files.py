"""Recipes read from TOML: what is read, and what is refused in one line."""

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.errors import RecipeError
from hippohover.recipe import (
    EdgeWeights,
    IndexRecipe,
    QuerySettings,
)
from hippohover.recipe_files import MAX_RECIPE_BYTES, load_recipe, shipped_recipes

RECIPES = Path(__file__).parents[1] / "index"


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "one.toml"
    path.write_text(text, encoding="utf-8")
    return path


def refusal(source: str | Path) -> str:
    """The message of the RecipeError that a recipe raises: always one line."""
    with pytest.raises(RecipeError) as caught:
        load_recipe(source)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_the_shortest_recipe_is_an_empty_file(tmp_path: Path):
    assert load_recipe(written(tmp_path, "")) == IndexRecipe()


def test_every_part_of_a_recipe_is_read(tmp_path: Path):
    text = """
        name = "mine"
        extractor = "between"
        encoder = "none"
        [corpus]
        path = "some/corpus.jsonl"
        titles = "hidden"
        [query]
        n_candidates = 50
        [query.weights]
        fact = 0.5
    """
    recipe = load_recipe(written(tmp_path, text))
    assert (recipe.name, recipe.extractor, recipe.encoder) == ("mine", "between", "none")
    assert (recipe.corpus.path, recipe.corpus.titles) == ("some/corpus.jsonl", "hidden")
    assert recipe.query == QuerySettings(n_candidates=50, weights=EdgeWeights(fact=0.5))


@pytest.mark.parametrize("name", sorted(path.stem for path in RECIPES.glob("*.toml")))
def test_shipped_recipes_load_by_name_and_are_named_as_their_file(name: str):
    assert load_recipe(name).name == name
    assert load_recipe(RECIPES / f"{name}.toml") == load_recipe(name)


def test_shipped_recipes_are_those_of_the_folder():
    assert shipped_recipes() == sorted(path.stem for path in RECIPES.glob("*.toml"))
    assert {"default", "default-spacy"} <= set(shipped_recipes())


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("colour = 'red'", "colour", "'red'"),
        ("[corpus]\npth = 'x'", "corpus.pth", "'x'"),
        ("[query.weights]\nfacts = 1", "query.weights.facts", "1"),
        ("extractor = 'magic'", "extractor", "'magic'"),
        ("name = '../up'", "name", "'../up'"),
        ("max_failure_share = 1.5", "max_failure_share", "1.5"),
        ("[query]\ndamping = 1.0", "query.damping", "1.0"),
        ("[query]\neps = nan", "query.eps", "nan"),
        ("[query]\npassage_mass = inf", "query.passage_mass", "inf"),
        ("[query]\nn_candidates = 20", "query.n_candidates", "20"),
        ("[query.weights]\ntitle = -1", "query.weights.title", "-1"),
        ("[corpus]\nsha256 = 'abc'", "corpus.sha256", "'abc'"),
        ("[corpus]\ntitles = 'none'", "corpus.titles", "'none'"),
        ("corpus = 'here.jsonl'", "corpus", "'here.jsonl'"),
        ("encoder = 3", "encoder", "3"),
    ],
)
def test_a_bad_key_or_value_is_named(tmp_path: Path, text: str, key: str, value: str):
    path = written(tmp_path, text)
    message = refusal(path)
    assert str(path) in message
    assert key in message
    assert value in message


def test_keys_that_do_not_fit_together_are_named_without_the_rest(tmp_path: Path):
    path = written(tmp_path, "[query]\nprefer = '-date'")
    words = "query.prefer names 'date': name it in corpus.metadata too"
    assert refusal(path) == f"recipe '{path}': recipe: {words}"


def test_a_long_value_is_cut(tmp_path: Path):
    message = refusal(written(tmp_path, f"extractor = '{'x' * 5000}'"))
    assert "xxx" in message
    assert len(message) < 400


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[query]\ndamping = '0.5'", "query.damping = '0.5': give a number"),
        ("fact_vectors = 'yes'", "fact_vectors = 'yes': give true or false"),
        ("[corpus]\nmax_words = 99.0", "corpus.max_words = 99.0: give a whole number"),
        ("name = 3", "name = 3: give text"),
        ("encoder = ['a']", "encoder = ['a']: give text"),
        ("query = 1", "query = 1: give keys and values"),
        ("[query]\nsolver = 'none'", "query.solver = 'none': give 'push' or 'prpack'"),
    ],
)
def test_a_value_of_another_type_is_refused(tmp_path: Path, text: str, said: str):
    assert said in refusal(written(tmp_path, text))


@pytest.mark.parametrize("text", ["name =", "name = 'a'\nname = 'b'", "[query\n", "\x00"])
def test_what_is_not_toml_is_named(tmp_path: Path, text: str):
    assert "is not valid TOML" in refusal(written(tmp_path, text))


def test_a_folder_in_place_of_a_recipe_is_told_where_it_belongs(tmp_path: Path):
    (tmp_path / "notes").mkdir()
    assert f"write --corpus {tmp_path / 'notes'}" in refusal(tmp_path / "notes")
    assert "--corpus" not in refusal(tmp_path / "none")


def test_a_deeply_nested_file_is_refused(tmp_path: Path):
    assert "too deeply" in refusal(written(tmp_path, "a = " + "[" * 10_000))


DEEP_TABLE = {
    (3, 11): "its value is a very long dict",
    (3, 12): "its value is a very long dict",
    (3, 13): "its value is {'a': {'a': {'a': ",
}.get(sys.version_info[:2], "is nested too deeply")
"""Pythons show tables in tables to other depths, or read them to none such."""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("fact_vectors = " + "9" * 5000, "a number is too long"),
        ("fact_vectors = 0x" + "f" * 5000, "fact_vectors = a very long int"),
        ("a." * 2000 + "a = 1", DEEP_TABLE),
        ("name = 'a' # " + "x" * MAX_RECIPE_BYTES, "over 16,384 bytes"),
    ],
    ids=["decimal", "hexadecimal", "dotted", "large"],
)
def test_a_value_too_long_to_be_shown_is_refused(tmp_path: Path, text: str, words: str):
    assert words in refusal(written(tmp_path, text))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_may_end_as_they_do_anywhere(tmp_path: Path, end: str):
    assert load_recipe(written(tmp_path, f"name = 'a'{end}encoder = 'none'{end}")).name == "a"


def test_a_file_that_is_no_text_is_refused(tmp_path: Path):
    path = tmp_path / "one.toml"
    path.write_bytes(b"name = '\xff'")
    assert "not UTF-8" in refusal(path)


@pytest.mark.parametrize(
    "source", ["gone.toml", "no-such-recipe", "x" * 5000, "a\0b.toml", "", "."]
)
def test_a_missing_recipe_is_named_with_those_that_there_are(source: str):
    assert "default-fast" in refusal(source)


def test_a_folder_is_no_recipe(tmp_path: Path):
    folder = tmp_path / "folder.toml"
    folder.mkdir()
    assert "Is a directory" in refusal(folder)


@given(st.text(max_size=60))
def test_no_text_raises_anything_else(text: str):
    path = Path(f"/proc/self/fd/{text}")  # never there
    with pytest.raises(RecipeError):
        load_recipe(str(path) + ".toml")


def test_the_hash_is_pinned_to_what_a_recipe_says(tmp_path: Path):
    one = load_recipe(written(tmp_path, "encoder = 'none'\n[query.weights]\ntitle = 1"))
    same = IndexRecipe(encoder="none", query=QuerySettings(weights=EdgeWeights(title=1.0)))
    assert one.sha256 == same.sha256 == IndexRecipe(encoder="none").sha256
    assert len(one.sha256) == 64
