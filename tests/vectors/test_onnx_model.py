"""Folders with ``model.onnx``: what they may say, and what is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hippohover.errors import IndexStoreError, ModelError
from hippohover.vectors import onnx_model
from hippohover.vectors.embedding import load_encoder, open_encoder, save_encoder
from hippohover.vectors.onnx_model import MINILM_FILE
from tests.encoder_samples import SPECIAL, WORDS, onnx_table, write_bert, write_onnx

Rows = NDArray[np.float32]
TEXT = "the river of mill sea film"
TOKENS = ["[CLS]", "the", "river", "of", "mill", "[SEP]"]  # cut at six


def encoded(folder: Path, *texts: str) -> Rows:
    encoder = load_encoder(str(folder))
    assert encoder is not None
    return encoder.encode(texts)


def pooled(rows: Rows, how: str) -> Rows:
    ways = {"mean": rows.mean(axis=0), "first": rows[0], "max": rows.max(axis=0), "last": rows[-1]}
    return ways[how]


@pytest.mark.parametrize(
    ("pooling", "how"),
    [
        (None, "mean"),
        ({"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}, "mean"),
        ({"pooling_mode_mean_sqrt_len_tokens": True}, "mean"),
        ({"pooling_mode_cls_token": True, "word_embedding_dimension": 16}, "first"),
        ({"pooling_mode": "cls"}, "first"),
        ({"pooling_mode": "max", "include_prompt": True}, "max"),
        ({"pooling_mode_lasttoken": True}, "last"),
    ],
)
def test_a_folder_says_what_becomes_of_tokens(
    tmp_path: Path, pooling: dict[str, Any] | None, how: str
):
    """And after how many tokens a text is cut."""
    known = [*SPECIAL, *WORDS]
    wanted = pooled(onnx_table()[[known.index(token) for token in TOKENS]], how)
    rows = encoded(write_onnx(tmp_path / "model", pooling=pooling), TEXT, "zebra", "")
    np.testing.assert_allclose(rows[0], wanted / np.linalg.norm(wanted), atol=1e-6)
    assert not rows[1:].any()  # nothing of it is known


@pytest.mark.parametrize("inputs", [["input_ids"], ["input_ids", "attention_mask"]])
def test_a_model_may_want_less(tmp_path: Path, inputs: list[str]):
    assert encoded(write_onnx(tmp_path / "model", inputs=inputs), TEXT).shape == (1, 16)


def change(name: str, content: object) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)

    return write


def lose(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def give(**settings: Any) -> Callable[[Path], None]:  # noqa: ANN401
    def write(folder: Path) -> None:
        write_onnx(folder, **settings)

    return write


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (give(inputs=["input_ids", "pixels"]), "has an input pixels of tensor"),
        (give(output="numbers"), r"has outputs \['numbers'\], and none of vectors of tokens"),
        (give(weights="../weights.bin"), "[Ee]xternal data"),
        (give(weights="weights.bin"), "[Ee]xternal data"),
        (change("model.onnx", b"nothing"), "cannot be loaded"),
        (change("tokenizer.json", b"{"), "cannot be loaded"),
        (lose("tokenizer.json"), "tokenizer.json"),
        (lose("sentence_bert_config.json"), "says how many tokens"),
        (change("1_Pooling/config.json", {"pooling_mode": "attention"}), "asks for .'attention'"),
        (change("1_Pooling/config.json", {"pooling_mode": ["cls", "mean"]}), "asks for"),
        (change("1_Pooling/config.json", []), "cannot be loaded"),
        (
            change("modules.json", [{"type": "models.Transformer"}, {"type": "models.Dense"}]),
            "Dense",
        ),
        (change("modules.json", {"type": 3}), "cannot be loaded"),
    ],
)
def test_what_a_folder_may_not_be(
    tmp_path: Path, spoil: Callable[[Path], None], said: str, monkeypatch: pytest.MonkeyPatch
):
    folder = write_onnx(tmp_path / "model")
    monkeypatch.chdir(folder)  # where weights outside a model would be looked for
    (folder / "weights.bin").write_bytes(onnx_table().tobytes())
    spoil(folder)
    with pytest.raises(ModelError, match=said) as caught:
        load_encoder(str(folder))
    assert str(folder) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_model_that_fails_at_a_text_is_named(tmp_path: Path):
    write_onnx(tmp_path / "model")
    tokenizer = tmp_path / "model" / "tokenizer.json"
    content = json.loads(tokenizer.read_bytes())
    content["model"]["vocab"]["zebra"] = 999  # a row that the table lacks
    tokenizer.write_text(json.dumps(content))
    with pytest.raises(ModelError, match=r"model' failed \(") as caught:
        encoded(tmp_path / "model", "zebra")
    assert "\n" not in str(caught.value)


def test_an_index_keeps_the_name_and_what_the_model_was(tmp_path: Path):
    folder = write_onnx(tmp_path / "model")
    encoder = load_encoder(str(folder))
    assert encoder is not None
    kept = tmp_path / "index" / "v000001" / "encoder"
    save_encoder(encoder, kept)
    assert [path.name for path in kept.iterdir()] == ["encoder.json"]
    with pytest.raises(IndexStoreError, match="which nobody confirmed"):
        open_encoder(kept)
    opened = open_encoder(kept, named=str(folder))
    assert opened.encode([TEXT]).tobytes() == encoder.encode([TEXT]).tobytes()
    change("sentence_bert_config.json", {"max_seq_length": 5})(folder)
    with pytest.raises(ModelError, match=r"other weights .* build the index again"):
        open_encoder(kept, named=str(folder)).encode([TEXT])


def test_a_spoiled_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    spoiled = tmp_path / "minilm.onnx"
    spoiled.write_bytes(MINILM_FILE.read_bytes()[:-1])
    monkeypatch.setattr(onnx_model, "MINILM_FILE", spoiled)
    with pytest.raises(ModelError, match="install hippohover again") as caught:
        load_encoder("minilm")
    assert str(spoiled) in str(caught.value)


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the exporter
@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_an_exported_model_gives_what_it_gave(tmp_path: Path, pooling: str):
    """As a user exports one: by torch, in float32, beside what sentence-transformers saved."""
    from export_encoder import export
    from sentence_transformers import SentenceTransformer
    from transformers import AutoModel

    folder = write_bert(tmp_path / "bert")
    change("1_Pooling/config.json", {"pooling_mode": pooling, "embedding_dimension": 16})(folder)
    kinds = ["Transformer", "Pooling"]
    paths = ["", "1_Pooling"]
    prefix = "sentence_transformers.models."
    told = [
        {"idx": n, "name": str(n), "path": path, "type": prefix + kind}
        for n, (kind, path) in enumerate(zip(kinds, paths, strict=True))
    ]
    change("modules.json", told)(folder)
    model = SentenceTransformer(str(folder), local_files_only=True, device="cpu")
    texts = [TEXT, "born in the film", "a"]
    wanted = model.encode(texts, batch_size=1, normalize_embeddings=True)
    bert = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    export(bert, folder / "model.onnx")
    np.testing.assert_allclose(encoded(folder, *texts), wanted, atol=1e-5)
