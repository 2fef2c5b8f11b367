"""Names of claims in whatever case, by the corpus's own statistics."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from hippohover.entity_graph import EdgeType
from hippohover.indexing.build import build
from hippohover.language.stemming import Stemmer
from hippohover.names.normal_forms import tokens_and_breaks
from hippohover.recipe import IndexRecipe
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.walk.claim_names import ClaimNames, Words
from hippohover.retrieval.where import Condition
from hippohover.store.stored_forms import name_forms


def words_of(text: str) -> Words:
    return Words(*tokens_and_breaks(text))


@pytest.fixture(scope="module")
def find(toy_engine: HippoHover) -> ClaimNames:
    return ClaimNames(toy_engine.tables.arrays, Stemmer())


def found(engine: HippoHover, find: ClaimNames, text: str) -> set[str]:
    names = engine.tables.entities.column("name")
    return {names[entity].as_py() for entity in find(words_of(text))}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("who was it", True),
        ("WHO WAS IT", True),
        ("Who was it", False),
        ("42", False),
        ("누구였습니까", False),
    ],
)
def test_a_claim_is_of_one_case_or_not(text: str, expected: bool):
    assert words_of(text).is_of_one_case() == expected


def test_a_name_of_two_words_is_found_in_any_case(toy_engine: HippoHover, find: ClaimNames):
    for typed in ("Lantern Hill", "lantern hill", "LANTERN hill", "lAntern Hill"):
        assert found(toy_engine, find, f"Who played in {typed}?") == {"Lantern Hill"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("who filmed the gilded archive", {"The Gilded Archive"}),
        ("who filmed gilded archive", {"The Gilded Archive"}),
        ("WHO FILMED GILDED ARCHIVE", {"The Gilded Archive"}),
        ("Who filmed gilded archive?", set()),
        ("what does kelgate wanda do", set()),
        ("who runs the archive of wanda", set()),
        ("who keeps an archive", set()),
    ],
)
def test_a_claim_of_one_case_may_leave_out_an_article(
    tmp_path: Path, text: str, expected: set[str]
):
    texts = {
        "The Gilded Archive": "The Gilded Archive is a film by Wanda Kelgate.",
        "Wanda Kelgate": "Wanda Kelgate filmed it.",
    }
    for title, body in texts.items():
        (tmp_path / f"{title}.md").write_text(f"# {title}\n\n{body}", encoding="utf-8")
    recipe = IndexRecipe(name="forms", extractor="between", encoder="none")
    with HippoHover.open(build(recipe, corpus=tmp_path, out=tmp_path / "ix")) as engine:
        find = ClaimNames(engine.tables.arrays, Stemmer(), name_forms(engine.tables))
        assert found(engine, find, text) == expected


def test_a_number_that_is_the_name_of_a_file_is_none_of_a_text(tmp_path: Path):
    files = {"5.md": "A note.", "heron.md": "It brought 5 ships. [[5]]", "300 (film).md": "War."}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    recipe = IndexRecipe(name="numbers", extractor="between", encoder="none")
    with HippoHover.open(build(recipe, corpus=tmp_path, out=tmp_path / "ix")) as engine:
        arrays = engine.tables.arrays
        find = ClaimNames(arrays, Stemmer())
        for text in ("Who brought 5 ships?", "5 ships", "5"):
            assert found(engine, find, text) == set()
        assert found(engine, find, "Who saw 300 in 1998?") == {"300"}
        [heron] = engine.tables.rows_equal("path", "heron.md").tolist()
        [note] = engine.tables.rows_equal("path", "5.md").tolist()
        [name] = arrays.names.numbers(["5"]).tolist()
        own = slice(*arrays.graph.spans[arrays.graph.n_passages + name])
        kinds = {
            *zip(
                arrays.graph.neighbours[own].tolist(), arrays.graph.types[own].tolist(), strict=True
            )
        }
        assert kinds == {(heron, EdgeType.LINK), (note, EdgeType.TITLE)}
        bound = [Condition.parse("path^=heron")]
        assert [one.title for one in engine.retrieve("5 ships", where=bound, scope="walk").passages]


def test_a_lower_case_word_is_a_name_where_the_corpus_has_it_as_one(toy_engine: HippoHover):
    """The same word, of which half the passages that hold it have it as a name, and fewer."""
    arrays = toy_engine.tables.arrays
    [(entity, key)] = ClaimNames(arrays, Stemmer())(words_of("In Gullhaven then?")).items()
    assert key == "gullhaven"
    term = arrays.lexical.query_terms(Stemmer().terms(["gullhaven"]))
    held = int(arrays.lexical.document_frequency(term)[0])

    def names(df: int) -> Sequence[int]:
        entity_df = arrays.entity_df.copy()
        entity_df[entity] = df
        reader = ClaimNames(replace(arrays, entity_df=entity_df), Stemmer())
        return list(reader(words_of("Who was in gullhaven then?")))

    assert held >= 1
    assert names(-(-held // 2)) == [entity]
    assert names(0) == []
