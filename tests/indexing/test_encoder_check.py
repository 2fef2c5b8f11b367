"""What a build finds out about its encoder."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from hippohover.indexing.build import build
from hippohover.indexing.encoder_check import sentences_found
from hippohover.recipe import IndexRecipe
from hippohover.retrieval.engine import HippoHover
from hippohover.store.reader import StoredIndex
from hippohover.vectors.embedding import Encoder
from tests.retrieval.toy_samples import WordEncoder

TOPICS = [f"{a}{b}" for a in ("mur", "tor", "kel", "van", "sil") for b in ("da", "ri", "po", "le")]


class BlankEncoder:
    """Knows no word: every text has the same vector."""

    name = "blank"
    dim = 8
    fingerprint = "none"

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.full((len(texts), self.dim), self.dim**-0.5, np.float32)


def texts_of(n: int) -> list[str]:
    """Return notes of two sentences each, which share two rare words."""
    pairs = [(TOPICS[at % 20], f"{TOPICS[at * 7 % 20]}{at}") for at in range(n)]
    return [
        f"The {one} {two} met {two} {two} in spring. No {two} {two} saw {two} or {one}."
        for one, two in pairs
    ]


def engine_of(folder: Path, encoder: Encoder, n: int = 100) -> HippoHover:
    notes = folder / "notes"
    notes.mkdir()
    for at, text in enumerate(texts_of(n)):
        (notes / f"n{at}.md").write_text(text, encoding="utf-8")
    recipe = IndexRecipe(name="checked", extractor="none", encoder="none")
    path = build(recipe, corpus=notes, out=folder / "i", workers=1, encoder=encoder)
    return HippoHover.open(path, encoder=encoder)


@pytest.mark.parametrize(("knows", "compares"), [(True, True), (False, False)])
def test_an_encoder_counts_as_much_as_it_finds(tmp_path: Path, *, knows: bool, compares: bool):
    encoder = WordEncoder(texts_of(100)) if knows else BlankEncoder()
    engine = engine_of(tmp_path, encoder)
    manifest = engine.stored.manifest
    asked, by_words, by_vectors = (
        manifest.counts[f"n_{name}"]
        for name in ("sentences_asked", "found_by_words", "found_by_vectors")
    )
    assert asked == 25
    assert by_words == 25
    assert (by_vectors > 12) == knows
    assert manifest.encoder_worth == min((by_vectors + 3) / (by_words + 3), 1.0)
    run = engine.retrievers.ppr.run("Who saw murda0 in spring?")
    assert bool(len(run.walked.vector)) == compares
    assert engine.retrieve("Who saw murda0 in spring?").passages[0].title == "n0"
    again = StoredIndex.open(tmp_path / "i").manifest.counts
    assert sentences_found(engine.tables, encoder).items() <= again.items()


def test_of_few_or_unfound_sentences_nothing_is_known(tmp_path: Path):
    manifest = engine_of(tmp_path, BlankEncoder(), n=20).stored.manifest
    assert manifest.counts["n_sentences_asked"] == 5
    assert manifest.encoder_worth == 1.0
    counts = {"n_sentences_asked": 100, "n_found_by_words": 9, "n_found_by_vectors": 0}
    assert manifest.but(counts=manifest.counts | counts).encoder_worth == 1.0
    beyond = counts | {"n_texts_read": 100, "n_texts_beyond_ascii": 51}
    for name, worth in (("minilm", 0.0), ("minilm-static", 0.0), ("multilingual", 1.0)):
        of = {"encoder": {"name": name, "sha256": "0"}}
        assert manifest.but(counts=manifest.counts | beyond, models=of).encoder_worth == worth
        assert manifest.but(counts=manifest.counts | counts, models=of).encoder_worth == 1.0
    counts["n_found_by_words"] = 10
    assert manifest.but(counts=manifest.counts | counts).encoder_worth == 3 / 13
