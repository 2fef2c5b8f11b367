"""The distillation: against BERT written out in NumPy, and its parts one by one."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from math import erf
from pathlib import Path
from typing import Any

import distillation
import numpy as np
import pytest
from distillation import distill, minilm_folder, principal_components, sif_weights, table_of
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tokenizers import Tokenizer

from hippohover.errors import ModelError
from tests.encoder_samples import HEADS, HIDDEN, LAYERS, WORDS, bert_weights, write_bert

Floats = NDArray[np.float64]
KEPT = ["[UNK]", *WORDS]
CLS, FIRST_WORD, UNK = 3, 6, 2


@pytest.fixture
def bert(tmp_path: Path) -> Path:
    return write_bert(tmp_path / "bert")


@pytest.fixture
def torch_settings() -> Iterator[None]:
    import torch

    threads, precision = torch.get_num_threads(), torch.get_float32_matmul_precision()
    yield
    torch.set_num_threads(threads)
    torch.set_float32_matmul_precision(precision)


class NumpyBert:
    """BERT's forward pass as its paper states it, for one sequence at a time."""

    def __init__(self) -> None:
        self.weights = {k: v.astype(np.float64) for k, v in bert_weights(18, 0).items()}

    def __call__(self, tokens: list[int]) -> Floats:
        parts = ("word_embeddings", "position_embeddings", "token_type_embeddings")
        word, place, kind = (self.weights[f"embeddings.{part}.weight"] for part in parts)
        x = self.normed(word[tokens] + place[: len(tokens)] + kind[0], "embeddings.LayerNorm")
        for i in range(LAYERS):
            x = self.layer(x, f"encoder.layer.{i}.")
        return x

    def layer(self, x: Floats, prefix: str) -> Floats:
        attention = prefix + "attention."
        q, k, v = (
            self.linear(x, f"{attention}self.{part}").reshape(len(x), HEADS, -1)
            for part in ("query", "key", "value")
        )
        scores = np.einsum("ihd,jhd->hij", q, k) / np.sqrt(HIDDEN // HEADS)
        shares = np.exp(scores) / np.exp(scores).sum(axis=2, keepdims=True)
        heard = np.einsum("hij,jhd->ihd", shares, v).reshape(len(x), HIDDEN)
        x = self.normed(
            x + self.linear(heard, attention + "output.dense"), attention + "output.LayerNorm"
        )
        inner = self.linear(x, prefix + "intermediate.dense")
        inner = inner * (1 + np.vectorize(erf)(inner / np.sqrt(2))) / 2
        return self.normed(
            x + self.linear(inner, prefix + "output.dense"), prefix + "output.LayerNorm"
        )

    def linear(self, x: Floats, name: str) -> Floats:
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def normed(self, x: Floats, name: str) -> Floats:
        scaled = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-12)
        return scaled * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]


def unit(rows: NDArray[np.floating]) -> Floats:
    rows = rows.astype(np.float64)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.torch
def test_vectors_are_those_of_bert_in_numpy(bert: Path):
    forward = NumpyBert()
    numbers = [UNK, *range(FIRST_WORD, FIRST_WORD + len(WORDS))]
    outputs = np.array([forward([CLS, number]).mean(axis=0) for number in numbers])
    expected = principal_components(outputs.astype(np.float32), 8)
    vectors, _ = distill(bert, dim=8)
    assert vectors.dtype == np.float16
    assert vectors.shape == (len(KEPT), 8)
    cosines = (unit(vectors) * unit(expected)).sum(axis=1)
    assert cosines.min() > 0.999
    # bfloat16 may round the factors, but not the lengths away: they carry the weights
    ratio = np.linalg.norm(vectors.astype(float), axis=1) / np.linalg.norm(expected, axis=1)
    np.testing.assert_allclose(ratio, sif_weights(len(KEPT)), rtol=0.05)


@pytest.mark.torch
def test_the_table_has_the_same_words_and_nearly_the_same_vectors(bert: Path):
    vectors, tokenizer = distill(bert, dim=8)
    table = table_of(vectors, tokenizer)
    assert table["words"].tobytes().decode().split("\n") == KEPT
    content = json.loads(table["tokenizer"].tobytes())
    content["model"]["vocab"] = {word: number for number, word in enumerate(KEPT)}
    assert content == json.loads(tokenizer)
    rows = table["codes"] * table["scales"][:, None]
    assert ((unit(rows) * unit(vectors)).sum(axis=1) > 0.999).all()


@pytest.mark.torch
def test_a_token_is_read_after_cls_and_without_sep(bert: Path):
    forward = NumpyBert()
    numbers = range(FIRST_WORD, FIRST_WORD + len(WORDS))
    with_sep = np.array([forward([CLS, number, 4]).mean(axis=0) for number in [UNK, *numbers]])
    vectors, _ = distill(bert, dim=8)
    cosines = (unit(vectors) * unit(principal_components(with_sep.astype(np.float32), 8))).sum(1)
    assert cosines.min() < 0.99


@pytest.mark.torch
def test_the_tokenizer_keeps_what_a_text_can_hold(bert: Path):
    vectors, tokenizer_json = distill(bert, dim=8)
    tokenizer = Tokenizer.from_str(tokenizer_json)
    vocabulary = tokenizer.get_vocab()
    assert sorted(vocabulary, key=vocabulary.__getitem__) == KEPT
    assert sorted(vocabulary.values()) == list(range(len(vectors)))
    assert tokenizer.truncation is None
    assert tokenizer.padding is None
    encoded = tokenizer.encode("The Rivers: xyz " + "mill " * 50)
    assert encoded.tokens[:5] == ["the", "river", "##s", "[UNK]", "[UNK]"]
    assert encoded.tokens[5:] == ["mill"] * 50


@pytest.mark.torch
@pytest.mark.usefixtures("torch_settings")
def test_the_same_bytes_whatever_the_threads(bert: Path, monkeypatch: pytest.MonkeyPatch):
    import torch

    monkeypatch.setattr(distillation, "_N_TOKENS_A_BATCH", 3)
    torch.set_num_threads(1)
    one = distill(bert, dim=8)
    torch.set_num_threads(3)
    three = distill(bert, dim=8)
    assert one[0].tobytes() == three[0].tobytes()
    assert one[1] == three[1]


@pytest.mark.torch
@pytest.mark.usefixtures("torch_settings")
def test_the_settings_of_torch_are_put_back(bert: Path):
    import torch

    torch.set_num_threads(2)
    torch.set_float32_matmul_precision("high")
    distill(bert, dim=8)
    assert (torch.get_num_threads(), torch.get_float32_matmul_precision()) == (2, "high")
    with ThreadPoolExecutor(1) as pool:  # a new thread takes the number that was set last
        assert pool.submit(torch.get_num_threads).result() == 2

    def stop(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        distill(bert, dim=8, progress=stop)
    assert (torch.get_num_threads(), torch.get_float32_matmul_precision()) == (2, "high")


@pytest.mark.torch
def test_progress_counts_up_to_all_tokens(bert: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(distillation, "_N_TOKENS_A_BATCH", 5)
    calls: list[tuple[int, int]] = []
    distill(bert, dim=8, progress=lambda done, total: calls.append((done, total)))
    assert calls == [(5, 13), (10, 13), (13, 13)]


@pytest.mark.torch
def test_nothing_is_printed(bert: Path, capfd: pytest.CaptureFixture[str]):
    distill(bert, dim=8)
    assert capfd.readouterr() == ("", "")


@pytest.mark.torch
@pytest.mark.parametrize("file", ["config.json", "tokenizer.json", "model.safetensors"])
@pytest.mark.parametrize("damage", ["missing", "short", "empty object"])
def test_a_broken_model_is_named_on_one_line(bert: Path, file: str, damage: str):
    path = bert / file
    content = path.read_bytes()
    path.unlink()
    if damage != "missing":
        path.write_bytes(content[: len(content) // 2] if damage == "short" else b"{}")
    with pytest.raises(ModelError, match=r"install the model again$") as caught:
        distill(bert)
    assert str(bert) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.torch
@pytest.mark.parametrize(("key", "value"), [("model_type", "roberta"), ("hidden_act", "relu")])
def test_another_architecture_is_refused(bert: Path, key: str, value: str):
    config = json.loads((bert / "config.json").read_text())
    (bert / "config.json").write_text(json.dumps({**config, key: value}))
    with pytest.raises(ModelError, match="another architecture"):
        distill(bert)


@pytest.mark.torch
def test_weights_of_another_shape_are_refused(bert: Path):
    config = json.loads((bert / "config.json").read_text())
    (bert / "config.json").write_text(json.dumps({**config, "intermediate_size": 40}))
    with pytest.raises(ModelError, match=r"size mismatch|RuntimeError"):
        distill(bert)


def test_sif_weights_by_hand():
    # three tokens: frequencies in the ratio 1/2 : 1/3 : 1/4, in all 13/12
    expected = [1e-4 / (1e-4 + 12 / 13 / rank) for rank in (2, 3, 4)]
    np.testing.assert_allclose(sif_weights(3), expected)


@given(st.integers(2, 3000))
def test_rarer_tokens_weigh_more(n: int):
    weights = sif_weights(n)
    assert (np.diff(weights) > 0).all()
    assert 0 < weights[0] <= weights[-1] < 1


@given(st.integers(0, 2**32), st.integers(2, 40), st.integers(1, 12))
def test_all_components_keep_all_inner_products(seed: int, n: int, dim: int):
    rows = np.random.default_rng(seed).standard_normal((n, dim)).astype(np.float32)
    centred = rows - rows.astype(np.float64).mean(axis=0)
    components = principal_components(rows, dim)
    np.testing.assert_allclose(components @ components.T, centred @ centred.T, atol=1e-9)


def test_components_are_those_of_a_singular_value_decomposition():
    rows = np.random.default_rng(3).standard_normal((50, 9)).astype(np.float32)
    u, s, _ = np.linalg.svd(rows - rows.astype(np.float64).mean(axis=0), full_matrices=False)
    expected = (u * s)[:, :4]
    components = principal_components(rows, 4)
    np.testing.assert_allclose(np.abs(components), np.abs(expected), atol=1e-6)
    assert (components[np.abs(components).argmax(axis=0), range(4)] > 0).all()
    np.testing.assert_allclose(components, principal_components(rows, 4))


@pytest.mark.torch
@pytest.mark.slow
def test_the_packaged_model_is_read_as_sentence_transformers_reads_it():
    from sentence_transformers import SentenceTransformer

    vectors, tokenizer_json = distill(minilm_folder())
    assert vectors.shape == (29524, 256)
    assert np.isfinite(vectors).all()
    model = SentenceTransformer(str(minilm_folder()), local_files_only=True, device="cpu")
    vocabulary = Tokenizer.from_str(tokenizer_json).get_vocab()
    words = ["river", "director", "1987", "##ing", "paris", "film", "the"]
    import torch

    transformer: Any = model[0]
    ids = model.tokenizer.convert_tokens_to_ids(["[CLS]", *words])
    pairs = torch.tensor([[ids[0], number] for number in ids[1:]])
    with torch.inference_mode():
        outputs = transformer.auto_model(pairs, torch.ones_like(pairs)).last_hidden_state.mean(1)
    theirs = outputs.numpy().astype(np.float64)
    ours = vectors[[vocabulary[word] for word in words]].astype(np.float64)
    # PCA turns, moves and cuts, so differences of words are compared, and their angles only;
    # the weights are taken off again
    ours /= sif_weights(len(vectors))[[vocabulary[word] for word in words], None]
    gaps = unit(theirs[1:] - theirs[:1]) @ unit(theirs[1:] - theirs[:1]).T
    ours_gaps = unit(ours[1:] - ours[:1]) @ unit(ours[1:] - ours[:1]).T
    np.testing.assert_allclose(ours_gaps, gaps, atol=0.08)
