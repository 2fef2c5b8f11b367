"""Indexes whose encoder and extractor are objects of Python: built, updated, opened, refused."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from hippohover.errors import BuildError, HippoHoverError, ModelError, UsageError
from hippohover.indexing.build import build
from hippohover.indexing.update import Update, add, alias, delete
from hippohover.recipe import IndexRecipe
from hippohover.retrieval.engine import HippoHover
from hippohover.store.manifest import Manifest
from hippohover.store.reader import StoredIndex
from hippohover.testing.own_models import HashedWords, IsA, OwnModels, both
from hippohover.toy import toy_corpus_path
from tests.indexing.update_samples import FAST, WORLD, checksums, corpus_of

CLAIM = "Mara Lindqvist was born in a town on the Silver Loom."


def manifest(root: Path) -> Manifest:
    with StoredIndex.open(root) as stored:
        return stored.manifest


def files(root: Path) -> dict[str, str]:
    return {name: one.sha256 for name, one in manifest(root).files.items()}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return corpus_of(WORLD, tmp_path / "all.jsonl")


@pytest.fixture
def own(corpus: Path, tmp_path: Path) -> Path:
    """An index that both made."""
    return build(
        FAST,
        corpus=corpus,
        out=tmp_path / "own",
        workers=1,
        **both(),
    )


def test_the_recipe_and_the_manifest_say_what_made_the_index(own: Path):
    said = manifest(own)
    assert said.recipe["encoder"] == "custom:hashed-words"
    assert said.recipe["extractor"] == "custom:is-a"
    assert said.recipe_sha256 == IndexRecipe.model_validate(said.recipe).sha256 != FAST.sha256
    assert said.models["extractor"] == {"name": "custom:is-a", "version": "custom:is-a 1"}
    assert said.models["encoder"]["name"] == "custom:hashed-words"
    assert said.dimensions == {"encoder": 64}
    assert said.counts["n_facts"] == 5
    assert not any(name.startswith("encoder/") for name in said.files)


def test_the_index_does_not_depend_on_the_processes(own: Path, corpus: Path, tmp_path: Path):
    many = build(
        FAST,
        corpus=corpus,
        out=tmp_path / "many",
        workers=3,
        **both(),
    )
    assert checksums(many) == checksums(own)


def test_a_recipe_that_names_them_gives_the_same_index(own: Path, corpus: Path, tmp_path: Path):
    named = FAST.model_copy(update={"encoder": "custom:hashed-words", "extractor": "custom:is-a"})
    again = build(
        IndexRecipe.model_validate(named.model_dump()), corpus=corpus, out=tmp_path / "again",
        workers=1, encoder=HashedWords(), extractor=IsA(),
    )  # fmt: skip
    assert checksums(again) == checksums(own)
    with pytest.raises(UsageError, match="encoder 'custom:hashed-words' is an object of Python"):
        build(named, corpus=corpus, out=tmp_path / "none")
    with pytest.raises(UsageError, match="extractor 'custom:is-a' is an object of Python"):
        build(named, corpus=corpus, out=tmp_path / "none", encoder=HashedWords())


def test_claims_are_encoded_by_the_encoder_that_is_given(own: Path):
    encoder = HashedWords()
    with closing(HippoHover.open(own, encoder=encoder)) as engine:
        dense = engine.retrieve(CLAIM, retriever="dense")
        assert encoder.asked == [CLAIM]
        by_hand = encoder.encode([CLAIM, *engine.tables.passage_texts()])
        first = dense.passages[0]
        row = list(engine.pids()).index(first.pid)
        assert first.score == pytest.approx(float(by_hand[0] @ by_hand[row + 1]), abs=0.02)
        assert engine.encode is not None
        assert engine.retrieve(CLAIM).passages


def test_an_index_is_not_opened_without_its_encoder(own: Path):
    with pytest.raises(ModelError, match="encoder 'custom:hashed-words'"):
        HippoHover.open(own)
    with pytest.raises(ModelError, match="fingerprint"):
        HippoHover.open(own, encoder=HashedWords(fingerprint="2"))


def test_an_index_without_an_encoder_of_ones_own_needs_none(corpus: Path, tmp_path: Path):
    root = build(FAST, corpus=corpus, out=tmp_path / "i", workers=1, extractor=IsA())
    assert manifest(root).recipe["encoder"] == "none"
    with closing(HippoHover.open(root)) as engine:
        assert engine.retrieve(CLAIM).passages
    with pytest.raises(UsageError, match="leave encoder out"):
        HippoHover.open(root, encoder=HashedWords())


def test_an_engine_that_is_open_keeps_its_version_when_the_next_has_another_encoder(
    own: Path, corpus: Path
):
    with closing(HippoHover.open(own, encoder=HashedWords())) as engine:
        before = engine.retrieve(CLAIM).passages
        other = HashedWords("other")
        build(FAST, corpus=corpus, out=own, workers=1, encoder=other, extractor=IsA())
        with pytest.raises(ModelError, match="'custom:other' and not with 'custom:hashed-words'"):
            engine.reload()
        assert engine.retrieve(CLAIM).passages == before


def test_updates_with_them_equal_a_build(own: Path, tmp_path: Path):
    first = build(
        FAST,
        corpus=corpus_of(WORLD[:4], tmp_path / "first.jsonl"),
        out=tmp_path / "i",
        workers=1,
        **both(),
    )
    encoder = HashedWords()
    new = corpus_of(WORLD[4:], tmp_path / "new.jsonl")
    add(first, new, workers=1, encoder=encoder, extractor=IsA())
    assert checksums(first) == checksums(own)
    assert len(encoder.asked) < manifest(own).counts["n_passages"]  # the others were kept
    models = both()
    aliases = {"Mara": "Mara Lindqvist"}
    alias(first, aliases, workers=1, **models)
    assert manifest(first).recipe["aliases"] == aliases
    alias(first, {}, workers=1, **models)
    delete(first, ["Zyxwolf"], workers=1, **models)
    add(first, new, workers=1, **models)
    assert checksums(first) == checksums(own)


def added(root: Path, models: OwnModels) -> Update:
    return add(root, toy_corpus_path(), workers=1, **models)


def deleted(root: Path, models: OwnModels) -> Update:
    return delete(root, ["Zyxwolf"], workers=1, **models)


def aliased(root: Path, models: OwnModels) -> Update:
    return alias(root, {"Mara": "Mara Lindqvist"}, workers=1, **models)


@pytest.mark.parametrize("change", [added, deleted, aliased])
def test_an_update_without_them_is_one_error(
    own: Path, change: Callable[[Path, OwnModels], Update]
):
    before = checksums(own)
    wrong: list[tuple[OwnModels, str]] = [
        ({}, "encoder 'custom:hashed-words' is an object of Python"),
        ({"encoder": HashedWords()}, "extractor 'custom:is-a' is an object of Python"),
        ({"encoder": HashedWords("o"), "extractor": IsA()}, "not with 'custom:o': pass that enc"),
        ({"encoder": HashedWords(), "extractor": IsA("o")}, "not with 'custom:o': pass that ext"),
    ]
    for models, said in wrong:
        with pytest.raises(UsageError, match=said):
            change(own, models)
    assert checksums(own) == before


def test_an_update_takes_none_where_the_index_has_its_own(corpus: Path, tmp_path: Path):
    root = build(FAST, corpus=corpus, out=tmp_path / "i", workers=1)
    with pytest.raises(UsageError, match=r"with encoder 'none' and not with .* leave encoder out"):
        delete(root, ["Zyxwolf"], encoder=HashedWords())
    with pytest.raises(UsageError, match=r"with extractor 'between' and .* leave extractor out"):
        delete(root, ["Zyxwolf"], extractor=IsA())


def test_what_is_kept_of_one_is_not_taken_for_anothers(own: Path, corpus: Path, tmp_path: Path):
    """The same version and fingerprint under another name, in the folder with its cache."""
    models = both("other")
    build(FAST, corpus=corpus, out=own, workers=1, **models)
    assert "encoder" in models
    assert models["encoder"].asked
    fresh = build(FAST, corpus=corpus, out=tmp_path / "fresh", workers=1, **models)
    assert files(own) == files(fresh)


def test_a_passage_that_the_extractor_stumbles_over_is_a_failure(corpus: Path, tmp_path: Path):
    stumbling = IsA(stumbles="Velmora")
    with pytest.raises(BuildError, match="RuntimeError: no word for Velmora"):
        build(FAST, corpus=corpus, out=tmp_path / "i", workers=1, extractor=stumbling)
    lenient = FAST.model_copy(update={"max_failure_share": 0.5})
    root = build(lenient, corpus=corpus, out=tmp_path / "i", workers=1, extractor=stumbling)
    (failure,) = manifest(root).failures
    assert "RuntimeError: no word for Velmora" in failure
    assert manifest(root).counts["n_facts"] == 4


def test_rays_workers_are_sent_none_of_them(corpus: Path, tmp_path: Path):
    given: list[OwnModels] = [{"encoder": HashedWords()}, {"extractor": IsA()}]
    for models in given:
        with pytest.raises(HippoHoverError, match="give runner 'local'"):
            build(FAST, corpus=corpus, out=tmp_path / "i", runner="ray", **models)
    assert not (tmp_path / "i").exists()
