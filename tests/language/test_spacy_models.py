"""Parts of spaCy's model that are loaded, and what is said where it is not there."""

import sys
from pathlib import Path

import pytest

from hippohover.errors import ModelError
from hippohover.language.spacy_models import EntityTagger, load_parser

LONG = "x" * 5_000


@pytest.fixture(scope="module")
def tagger() -> EntityTagger:
    return EntityTagger()


def named(tagger: EntityTagger, text: str) -> list[str]:
    (spans,) = tagger([text])
    return [text[span.start : span.end] for span in spans]


def test_the_tagger_finds_names_and_no_numbers(tagger: EntityTagger):
    found = named(tagger, "Barack Obama was the first of two men who visited Nairobi.")
    assert "Barack Obama" in found
    assert "Nairobi" in found
    assert not {"first", "two"} & set(found)


def test_each_text_has_its_own_spans(tagger: EntityTagger):
    texts = ["Angela Merkel spoke.", "nothing here", "", "London is large."]
    alone = [named(tagger, text) for text in texts]
    together = [
        [text[span.start : span.end] for span in spans]
        for text, spans in zip(texts, tagger(texts), strict=True)
    ]
    assert together == alone
    assert together[2] == []


def test_a_long_run_of_letters_is_passed_over_and_places_stay(tagger: EntityTagger):
    text = f"{LONG} Angela Merkel visited London."
    assert "London" in named(tagger, text)


def test_of_a_very_long_text_the_beginning_is_read(tagger: EntityTagger):
    text = "Angela Merkel visited London. " * 2_000
    (spans,) = tagger([text])
    assert 0 < max(span.end for span in spans) <= 20_000


def test_without_spacy_what_needs_it_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(ModelError, match=r"linearrag needs spacy: pip install"):
        EntityTagger()
    with pytest.raises(ModelError, match="choose extractor 'between'"):
        load_parser()


def test_a_parser_has_no_tagger_of_names():
    assert set(load_parser().pipe_names) >= {"tagger", "parser"}
    assert "ner" not in load_parser().pipe_names


def test_a_model_that_is_not_installed_is_named():
    with pytest.raises(ModelError, match="'en_nonesuch' is not installed"):
        load_parser("en_nonesuch")


@pytest.mark.parametrize(
    "name", ["os", "spacy", "numpy", "model", "./model", "../model", "a.b", ""]
)
def test_only_a_model_that_is_installed_as_one_is_loaded(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    spacy = pytest.importorskip("spacy")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model").mkdir()
    loaded: list[str] = []

    def load(name: str, **_: object) -> None:
        loaded.append(name)

    monkeypatch.setattr(spacy, "load", load)
    with pytest.raises(ModelError, match="is not installed"):
        load_parser(name)
    assert not loaded
