"""Small encoders for tests: real files in the real formats, with weights of their own."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

from hippohover.vectors.static_encoder import StaticEncoder

WORDS = ["the", "river", "film", "born", "in", "of", "mill", "sea", "##s", "##ing", "a", "b"]
HIDDEN, HEADS, LAYERS, INNER = 16, 4, 2, 32


def tokenizer_json(words: Sequence[str] = WORDS, *, first: Sequence[str] = ("[UNK]",)) -> str:
    """WordPiece tokenizer of lower-case words, as BERT's; ``first`` are special tokens."""
    vocabulary = {token: number for number, token in enumerate([*first, *words])}
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    added = [{"id": vocabulary[x], "content": x, "special": True, **flags} for x in first]
    content: dict[str, Any] = {
        "version": "1.0",
        "truncation": {"max_length": 8, "strategy": "LongestFirst", "stride": 0},
        "padding": None,
        "added_tokens": added,
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": vocabulary,
        },
    }
    return json.dumps(content)


def small_vectors(n: int = len(WORDS) + 1, dim: int = 24) -> NDArray[np.float16]:
    return np.random.default_rng(7).standard_normal((n, dim)).astype(np.float16)


def small_encoder(name: str = "small") -> StaticEncoder:
    return StaticEncoder(name, small_vectors(), tokenizer_json())


class LengthEncoder:
    """(length of the text, a third); knows what it was asked for."""

    name = "length"
    dim = 2

    def __init__(self, fingerprint: str = "0" * 64) -> None:
        self.fingerprint = fingerprint
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        return np.array([[len(text), 1 / 3] for text in texts], np.float32)


def length_encoder(_name: str, **_options: object) -> LengthEncoder:
    """To stand where ``load_encoder`` does."""
    return LengthEncoder()


SPECIAL = ("[PAD]", "[unused0]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def write_tokenizer(folder: Path) -> None:
    """A tokenizer that puts [CLS] and [SEP] around a text."""
    tokenizer = json.loads(tokenizer_json(first=SPECIAL))
    tokenizer["post_processor"] = {
        "type": "TemplateProcessing",
        "single": [
            {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
            {"Sequence": {"id": "A", "type_id": 0}},
            {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
        ],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {
            token: {"id": token, "ids": [SPECIAL.index(token)], "tokens": [token]}
            for token in ("[CLS]", "[SEP]")
        },
    }
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))


def onnx_table() -> NDArray[np.float32]:
    """What ``write_onnx`` has for each token."""
    n_tokens = len(SPECIAL) + len(WORDS)
    return np.random.default_rng(3).standard_normal((n_tokens, HIDDEN)).astype(np.float32)


def write_onnx(
    folder: Path,
    *,
    inputs: Sequence[str] = ("input_ids", "attention_mask", "token_type_ids"),
    output: str = "last_hidden_state",
    pooling: Mapping[str, object] | None = None,
    weights: str | None = None,
) -> Path:
    """A folder with ``model.onnx``, which gives each token its own vector of a table.

    ``weights`` names a file outside the model that is to hold the table.
    """
    from onnx import ModelProto, TensorProto, helper, numpy_helper

    folder.mkdir(parents=True, exist_ok=True)
    table = numpy_helper.from_array(onnx_table(), "table")
    if weights is not None:
        (folder.parent / "weights.bin").write_bytes(table.raw_data)
        table.ClearField("raw_data")
        table.data_location = TensorProto.EXTERNAL
        place = table.external_data.add()
        place.key, place.value = "location", weights
    given = [helper.make_tensor_value_info(x, TensorProto.INT64, ["b", "n"]) for x in inputs]
    kind = TensorProto.INT64 if output == "numbers" else TensorProto.FLOAT
    shape = ["b", "n"] if output == "numbers" else ["b", "n", HIDDEN]
    node = helper.make_node("Gather", ["table", inputs[0]], [output])
    if output == "numbers":
        node = helper.make_node("Identity", [inputs[0]], [output])
    told = helper.make_tensor_value_info(output, kind, shape)
    graph = helper.make_graph([node], "encoder", given, [told], [table])
    model: ModelProto = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8
    )
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    write_tokenizer(folder)
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 6}))
    if pooling is not None:
        (folder / "1_Pooling").mkdir(exist_ok=True)
        (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    return folder


def write_bert(folder: Path, *, seed: int = 0) -> Path:
    """A sentence-transformers model of two layers with random weights, without modules."""
    folder.mkdir(parents=True, exist_ok=True)
    write_tokenizer(folder)
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "BertTokenizerFast", "model_max_length": 32})
    )
    config = {
        "architectures": ["BertModel"],
        "model_type": "bert",
        "hidden_act": "gelu",
        "hidden_size": HIDDEN,
        "num_attention_heads": HEADS,
        "num_hidden_layers": LAYERS,
        "intermediate_size": INNER,
        "layer_norm_eps": 1e-12,
        "max_position_embeddings": 32,
        "type_vocab_size": 2,
        "vocab_size": len(SPECIAL) + len(WORDS),
        "pad_token_id": 0,
    }
    (folder / "config.json").write_text(json.dumps(config))
    save_file(bert_weights(len(SPECIAL) + len(WORDS), seed), folder / "model.safetensors")
    return folder


def bert_weights(n_tokens: int, seed: int) -> dict[str, NDArray[np.float32]]:
    """Random weights under BERT's names."""
    rng = np.random.default_rng(seed)

    def draw(*shape: int) -> NDArray[np.float32]:
        return rng.normal(0, 0.4, shape).astype(np.float32)

    weights = {
        "embeddings.word_embeddings.weight": draw(n_tokens, HIDDEN),
        "embeddings.position_embeddings.weight": draw(32, HIDDEN),
        "embeddings.token_type_embeddings.weight": draw(2, HIDDEN),
        "embeddings.LayerNorm.weight": 1 + draw(HIDDEN),
        "embeddings.LayerNorm.bias": draw(HIDDEN),
        "pooler.dense.weight": draw(HIDDEN, HIDDEN),
        "pooler.dense.bias": draw(HIDDEN),
    }
    square = [f"attention.self.{x}" for x in ("query", "key", "value")]
    for i in range(LAYERS):
        prefix = f"encoder.layer.{i}."
        for name in [*square, "attention.output.dense"]:
            weights |= {
                f"{prefix}{name}.weight": draw(HIDDEN, HIDDEN),
                f"{prefix}{name}.bias": draw(HIDDEN),
            }
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            weights |= {
                f"{prefix}{name}.weight": 1 + draw(HIDDEN),
                f"{prefix}{name}.bias": draw(HIDDEN),
            }
        weights |= {
            f"{prefix}intermediate.dense.weight": draw(INNER, HIDDEN),
            f"{prefix}intermediate.dense.bias": draw(INNER),
            f"{prefix}output.dense.weight": draw(HIDDEN, INNER),
            f"{prefix}output.dense.bias": draw(HIDDEN),
        }
    return weights
