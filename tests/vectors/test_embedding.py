"""Encoders by name, what an index keeps of them, and the transformer."""

import json
import logging
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Never

import numpy as np
import pytest
from distillation import minilm_folder
from hypothesis import given
from hypothesis import strategies as st

from hippohover.disk import door
from hippohover.errors import (
    IndexDamagedError,
    IndexStoreError,
    ModelError,
    UsageError,
    as_installed,
)
from hippohover.recipe import IndexRecipe
from hippohover.trust import resolved
from hippohover.vectors.embedding import (
    Encoder,
    TransformerEncoder,
    load_encoder,
    open_encoder,
    save_encoder,
)
from hippohover.vectors.static_encoder import (
    MINILM_SHA256,
    PACKAGED_SHA256,
    StaticEncoder,
    weights_sha256,
)
from tests.encoder_samples import small_encoder, write_bert

TEXTS = ["the river", "Mill of the sea.", "zebra", "", "film born in the river " * 3]


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fails the test that tries to reach any host, even if the failure is caught on the way."""
    tries: list[object] = []

    def refuse(*address: object) -> Never:
        tries.append(address)
        raise OSError("no network here")

    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    yield
    assert tries == []


@pytest.fixture
def static_folder(tmp_path: Path) -> Path:
    save_encoder(small_encoder("some-name"), tmp_path / "encoder")
    return tmp_path / "encoder"


@pytest.fixture
def bert(tmp_path: Path) -> Path:
    return write_bert(tmp_path / "bert")


def test_none_is_no_encoder():
    assert load_encoder("none") is None


@pytest.mark.parametrize(
    "name", ["no-such-model", "org/no-such-model", "./nowhere/at/all", "", "?*"]
)
def test_an_unknown_name_is_refused_on_one_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError) as caught:
        load_encoder(name)
    message = str(caught.value)
    assert "\n" not in message
    assert name in message
    assert (
        "name minilm-static, minilm, multilingual, none or a model's folder" in message
        or "save" in message
    )


@pytest.mark.parametrize(
    ("name", "dim", "digest"),
    [("minilm-static", 256, PACKAGED_SHA256), ("minilm", 384, MINILM_SHA256)],
)
def test_of_what_ships_an_index_keeps_the_name_alone(
    tmp_path: Path, name: str, dim: int, digest: str
):
    encoder = load_encoder(name)
    assert encoder is not None
    save_encoder(encoder, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["encoder.json"]
    again = open_encoder(tmp_path)
    assert (again.name, again.dim, again.fingerprint) == (name, dim, digest)
    assert again.encode(TEXTS).tobytes() == encoder.encode(TEXTS).tobytes()


@pytest.mark.parametrize(
    "told",
    [
        {"kind": "packaged", "name": "minilm-static"},
        {"kind": "packaged", "name": "minilm"},
        {"kind": "transformer", "name": "minilm"},
        {"kind": "static", "name": "minilm"},
        {"kind": "packaged", "name": "of-a-later-release"},
    ],
)
def test_a_card_that_names_an_encoder_of_another_release(tmp_path: Path, told: dict[str, str]):
    card = {**told, "dim": 256, "fingerprint": "ab" * 32}
    (tmp_path / "encoder.json").write_text(json.dumps(card))
    with pytest.raises(ModelError, match=r"another hippohover \(abababababab; .*index again"):
        open_encoder(tmp_path)


def test_a_folder_of_model2vec_is_read(tmp_path: Path):
    small_encoder().write(tmp_path / "model")
    encoder = load_encoder(str(tmp_path / "model"))
    assert encoder is not None
    assert encoder.name == str(tmp_path / "model")
    assert encoder.encode(TEXTS).tobytes() == small_encoder().encode(TEXTS).tobytes()


@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json"])
def test_a_broken_folder_of_model2vec_is_named(tmp_path: Path, file: str):
    small_encoder().write(tmp_path / "model")
    (tmp_path / "model" / file).write_bytes(b"\0" * 9)
    with pytest.raises(ModelError, match="save it again") as caught:
        load_encoder(str(tmp_path / "model"))
    assert str(tmp_path / "model") in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_saved_static_encoder_opens_bit_for_bit(static_folder: Path):
    encoder = open_encoder(static_folder, named="some-name")
    original = small_encoder("some-name")
    assert (encoder.name, encoder.dim) == ("some-name", original.dim)
    assert encoder.fingerprint == original.fingerprint
    assert encoder.encode(TEXTS).tobytes() == original.encode(TEXTS).tobytes()


def test_a_table_that_nobody_named_or_confirmed_is_not_read(static_folder: Path):
    with pytest.raises(IndexStoreError, match="names encoder some-name, which nobody confirmed"):
        open_encoder(static_folder)
    card = json.loads((static_folder / "encoder.json").read_bytes())
    (static_folder / "encoder.json").write_text(json.dumps(card | {"name": "none"}))
    with pytest.raises(IndexDamagedError, match="keeps no table that ships"):
        open_encoder(static_folder)


def test_saving_an_opened_encoder_gives_the_same_bytes(static_folder: Path, tmp_path: Path):
    save_encoder(open_encoder(static_folder, named="some-name"), tmp_path / "again")
    names = sorted(path.name for path in static_folder.iterdir())
    assert names == ["config.json", "encoder.json", "model.safetensors", "tokenizer.json"]
    for name in names:
        assert (tmp_path / "again" / name).read_bytes() == (static_folder / name).read_bytes()


@pytest.mark.parametrize("file", ["encoder.json", "model.safetensors", "tokenizer.json"])
@pytest.mark.parametrize("damage", ["missing", "empty", "short"])
def test_a_missing_or_short_file_is_damage(static_folder: Path, file: str, damage: str):
    path = static_folder / file
    content = path.read_bytes()
    path.unlink()
    if damage != "missing":
        path.write_bytes(b"" if damage == "empty" else content[:-4])
    with pytest.raises(IndexDamagedError, match="build the index again") as caught:
        open_encoder(static_folder, named="some-name")
    assert str(static_folder) in str(caught.value)
    assert "\n" not in str(caught.value)


@given(data=st.data())
def test_a_flipped_bit_never_goes_unnoticed(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
):
    folder = tmp_path_factory.mktemp("encoder")
    save_encoder(small_encoder(), folder)
    path = folder / data.draw(st.sampled_from(["model.safetensors", "tokenizer.json"]))
    content = bytearray(path.read_bytes())
    bit = data.draw(st.integers(0, 8 * len(content) - 1))
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)
    try:
        encoder = open_encoder(folder, named=small_encoder().name)
    except IndexDamagedError:
        return
    # a flip in the header of safetensors may leave all values as they were
    assert encoder.encode(TEXTS).tobytes() == small_encoder().encode(TEXTS).tobytes()


@given(
    card=st.binary(max_size=60) | st.sampled_from([b"{}", b"[]", b'{"kind": "static"}', b"null"])
)
def test_any_card_opens_or_is_damage(card: bytes, tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("encoder")
    (folder / "encoder.json").write_bytes(card)
    with pytest.raises(IndexDamagedError):
        open_encoder(folder, named="some-name")


def test_a_folder_that_cannot_be_written(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(IndexStoreError, match=r"file: is a file and not a folder"):
        save_encoder(small_encoder(), tmp_path / "file" / "encoder")


def test_a_full_disk_while_saving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def full(path: Path, mode: str) -> Never:
        raise OSError(28, os.strerror(28), str(path))

    monkeypatch.setattr(door, "opened", full)
    with pytest.raises(IndexStoreError, match="No space left on device"):
        save_encoder(small_encoder(), tmp_path / "encoder")


# The transformer: what can be said without loading one


def test_of_a_transformer_an_index_keeps_the_name_alone(tmp_path: Path):
    save_encoder(TransformerEncoder("org/model", 384, "ab" * 32), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["encoder.json"]
    assert json.loads((tmp_path / "encoder.json").read_text()) == {
        "kind": "transformer",
        "name": "org/model",
        "dim": 384,
        "fingerprint": "ab" * 32,
    }
    encoder = open_encoder(tmp_path, named="org/model")
    assert (encoder.name, encoder.dim, encoder.fingerprint) == ("org/model", 384, "ab" * 32)
    assert encoder.encode([]).shape == (0, 384)


@pytest.mark.torch
@pytest.mark.slow
def test_a_folder_of_a_transformer_is_found_from_everywhere(
    bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(bert.parent)
    named = resolved(IndexRecipe(encoder=bert.name)).encoder
    encoder = load_encoder(named)
    assert encoder is not None
    save_encoder(encoder, tmp_path / "index")
    monkeypatch.chdir(tmp_path)
    opened = open_encoder(tmp_path / "index", named=named)
    assert np.array_equal(opened.encode(["the river"]), encoder.encode(["the river"]))


def test_a_library_that_runs_code_of_a_folder_is_refused(
    bert: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(
        "hippohover.vectors.embedding.version", {"sentence-transformers": "5.7.0"}.get
    )
    with pytest.raises(ModelError, match=r"needs sentence-transformers 6 or later.*pip install"):
        load_encoder(str(bert))


def test_other_weights_than_the_index_was_built_with_are_refused(bert: Path, tmp_path: Path):
    save_encoder(TransformerEncoder(str(bert), 16, weights_sha256(bert)), tmp_path / "index")
    write_bert(bert, seed=1)
    encoder = open_encoder(tmp_path / "index", named=str(bert))
    with pytest.raises(ModelError, match=r"other weights .* build the index again") as caught:
        encoder.encode(["the river"])
    assert encoder.fingerprint[:12] in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_model_in_the_local_cache_of_the_hub_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    place = tmp_path / "hub" / "models--org--model"
    write_bert(place / "snapshots" / "abc")
    (place / "refs").mkdir()
    (place / "refs" / "main").write_text("abc")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    found = weights_sha256(place / "snapshots" / "abc")[:12]
    with pytest.raises(ModelError, match=rf"other weights \({found}\)"):
        TransformerEncoder("org/model", 16, "ab" * 32).encode(["the river"])
    with pytest.raises(ModelError, match="hf download"):
        load_encoder("org/other-model")


def test_a_transformer_that_is_gone_is_named(tmp_path: Path):
    encoder = TransformerEncoder(str(tmp_path / "gone"), 16, "ab" * 32)
    with pytest.raises(ModelError, match="gone"):
        encoder.encode(["the river"])


def test_pickled_weights_are_never_read(bert: Path):
    (bert / "model.safetensors").rename(bert / "pytorch_model.bin")
    with pytest.raises(ModelError, match="pickled weights are never read"):
        load_encoder(str(bert))


def test_a_transformer_refuses_what_is_no_list_of_texts():
    encoder = TransformerEncoder("minilm", 384, "ab" * 32)
    with pytest.raises(UsageError, match="list of texts"):
        encoder.encode("the river")
    with pytest.raises(ModelError, match="lone surrogate"):
        encoder.encode(["\udfff"])


def test_opening_is_light(static_folder: Path, tmp_path: Path):
    save_encoder(TransformerEncoder("minilm", 384, MINILM_SHA256), tmp_path / "transformer")
    code = (
        "import sys; from pathlib import Path\n"
        "from hippohover.vectors.embedding import open_encoder\n"
        "open_encoder(Path(sys.argv[1]), named='some-name').encode(['the river'])\n"
        "open_encoder(Path(sys.argv[2]))\n"
        "heavy = {'torch', 'transformers', 'sentence_transformers', 'onnxruntime', 'faiss'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    command = [sys.executable, "-c", code, str(static_folder), str(tmp_path / "transformer")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    found = subprocess.run(  # noqa: S603
        command, env=environment, capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "[]"


# The transformer, loaded


@pytest.fixture(scope="module")
def minilm() -> TransformerEncoder:
    return TransformerEncoder.load("minilm")


def test_minilm_is_all_minilm_l6_v2(minilm: Encoder):
    assert (minilm.dim, minilm.fingerprint) == (384, MINILM_SHA256)
    rows = minilm.encode(
        ["A film director was born.", "A movie maker's birth.", "Basalt rock.", ""]
    )
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), [1, 1, 1, 0], atol=1e-6)
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.3
    # What is behind the 254th word is not read.
    long, longer = minilm.encode(["mill " * 254, "mill " * 254 + "river " * 900])
    assert np.array_equal(long, longer)


@pytest.mark.torch
@pytest.mark.slow
def test_minilm_gives_what_sentence_transformers_gives(minilm: Encoder):
    from sentence_transformers import SentenceTransformer

    texts = ["The tramways of Vellmouth's harbour closed in 1931.", "Basalt.", "Who is Ann Roe?"]
    model = SentenceTransformer(str(minilm_folder()), local_files_only=True, device="cpu")
    theirs = model.encode(texts, normalize_embeddings=True, batch_size=1)
    assert ((minilm.encode(texts) * theirs).sum(axis=1) > 0.985).all()


def test_a_transformers_vector_depends_on_neither_batch_nor_threads(minilm: TransformerEncoder):
    texts = [f"the film number {i} was made in {1900 + i} " * (1 + i % 7) for i in range(20)]
    together = minilm.encode(texts)
    order = np.random.default_rng(1).permutation(20)
    one = TransformerEncoder.load("minilm", 1)
    np.testing.assert_array_equal(one.encode([texts[i] for i in order]), together[order])
    np.testing.assert_array_equal(np.concatenate([one.encode([t]) for t in texts]), together)
    batches = [texts[i : i + 4] for i in range(0, 20, 4)]
    with ThreadPoolExecutor(8) as pool:
        np.testing.assert_array_equal(np.concatenate([*pool.map(minilm.encode, batches)]), together)


@pytest.mark.torch
@pytest.mark.slow
def test_a_folder_of_sentence_transformers(
    bert: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    from transformers.utils import logging as transformers_logging

    level = transformers_logging.get_verbosity()
    encoder = load_encoder(str(bert))
    assert encoder is not None
    assert encoder.dim == 16
    save_encoder(encoder, tmp_path / "index")
    again = open_encoder(tmp_path / "index", named=str(bert))
    assert again.encode(TEXTS).tobytes() == encoder.encode(TEXTS).tobytes()
    assert capfd.readouterr() == ("", "")
    assert transformers_logging.get_verbosity() == level
    assert transformers_logging.is_progress_bar_enabled()
    assert logging.getLogger().level == logging.WARNING


def test_without_the_extra_an_encoder_is_one_error_that_names_it(
    bert: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ModelError) as caught:
        load_encoder(str(bert))
    said = as_installed("needs sentence_transformers: pip install 'hippohover[encoders]'")
    assert str(caught.value) == f"encoder {str(bert)!r} {said}"


@pytest.mark.torch
@pytest.mark.slow
def test_a_broken_transformer_is_named(bert: Path):
    weights = (bert / "model.safetensors").read_bytes()
    (bert / "model.safetensors").write_bytes(weights[: len(weights) // 2])
    with pytest.raises(ModelError, match="cannot be loaded") as caught:
        load_encoder(str(bert))
    assert "\n" not in str(caught.value)


def test_want_of_memory_is_no_damage(static_folder: Path, monkeypatch: pytest.MonkeyPatch):
    def want(*_: object, **__: object) -> Never:
        raise MemoryError("1 GiB")

    monkeypatch.setattr(StaticEncoder, "read", want)
    with pytest.raises(MemoryError, match="1 GiB"):
        open_encoder(static_folder, named="some-name")
