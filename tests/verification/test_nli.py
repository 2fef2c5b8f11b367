"""Hugging Face NLI models, tiny and random: labels are read, never guessed."""

import sys
from pathlib import Path
from typing import Any

import pytest

from hippohover.errors import ModelError
from hippohover.verification.nli import HuggingFaceNli, label_columns

ORDERS = [
    ("entailment", "neutral", "contradiction"),
    ("CONTRADICTION", "NEUTRAL", "ENTAILMENT"),
    ("neutral", "entailment", "contradiction"),
]
WORDS = "[PAD] [UNK] [CLS] [SEP] fog is grey never boats leak and sails".split()  # noqa: SIM905


SPECIAL = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep")}


def make_model(folder: Path, labels: tuple[str, ...]) -> Path:
    """A BERT of 16 dimensions with fixed random weights; label order in its configuration."""
    import torch
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.processors import TemplateProcessing
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    torch.manual_seed(5)
    config = BertConfig(
        vocab_size=len(WORDS), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16, max_position_embeddings=32,
        id2label=dict(enumerate(labels)), label2id={name: at for at, name in enumerate(labels)},
    )  # fmt: skip
    model: Any = BertForSequenceClassification(config)
    model.save_pretrained(folder)
    words = {word: at for at, word in enumerate(WORDS)}
    tokenizer: Any = Tokenizer(WordLevel(words, unk_token=SPECIAL["unk_token"]))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", words["[CLS]"]), ("[SEP]", words["[SEP]"])],
    )  # fmt: skip
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **SPECIAL).save_pretrained(folder)
    return folder


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.parametrize("labels", ORDERS)
def test_labels_are_read_in_any_order(tmp_path: Path, labels: tuple[str, ...]):
    judge = HuggingFaceNli(str(make_model(tmp_path / "nli", labels)))
    found = judge.judge(["fog is grey", "boats leak " * 40], "fog is never grey")
    assert len(found) == 2
    assert judge.name == str(tmp_path / "nli")
    for one in found:
        assert one.entail + one.contradict + one.neutral == pytest.approx(1)
    columns = label_columns(dict(enumerate(labels)), model="m")
    assert {label: labels[at].casefold()[: len(label)] for label, at in columns.items()} == {
        label: label for label in columns
    }


@pytest.mark.torch
@pytest.mark.slow
def test_the_same_weights_under_another_order_say_the_same_of_each_column(tmp_path: Path):
    first, second = (
        HuggingFaceNli(str(make_model(tmp_path / f"m{at}", ORDERS[at]))).judge(
            ["fog is grey"], "boats leak"
        )[0]
        for at in (0, 1)
    )
    assert (first.entail, first.neutral, first.contradict) == pytest.approx(
        (second.contradict, second.neutral, second.entail)
    )


@pytest.mark.torch
@pytest.mark.slow
def test_a_judgement_does_not_depend_on_its_batch(tmp_path: Path):
    judge = HuggingFaceNli(str(make_model(tmp_path / "nli", ORDERS[0])))
    many = judge.judge(["fog is grey", "boats"] * 20, "sails")
    assert many[0].entail == pytest.approx(
        judge.judge(["fog is grey"], "sails")[0].entail, abs=1e-6
    )
    assert judge.judge([], "sails") == ()


@pytest.mark.parametrize(
    "labels",
    [
        {0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"},
        {0: "entailment", 1: "not_entailment"},
        {0: "entailment", 1: "entailment", 2: "neutral"},
        {0: "entailment", 1: "neutral", 2: "contradiction", 3: "other"},
    ],
)
def test_labels_that_say_nothing_are_refused(labels: dict[int, str]):
    with pytest.raises(ModelError, match="must be entailment, contradiction and neutral"):
        label_columns(labels, model="m")


@pytest.mark.torch
@pytest.mark.slow
def test_a_model_whose_labels_say_nothing_is_refused_when_it_is_opened(tmp_path: Path):
    folder = make_model(tmp_path / "nli", ("LABEL_0", "LABEL_1", "LABEL_2"))
    with pytest.raises(ModelError, match="LABEL_0"):
        HuggingFaceNli(str(folder))


@pytest.mark.torch
@pytest.mark.parametrize("library", ["torch", "transformers"])
def test_without_the_extra_a_model_is_one_error_that_names_it(
    library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ModelError, match=rf"needs {library}: pip install '\S*\[encoders\]'$"):
        HuggingFaceNli(str(tmp_path))


@pytest.mark.torch
@pytest.mark.parametrize("name", ["./none", "~/none", "models/nli/none"])
def test_a_folder_that_is_not_there_is_called_so(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError, match=f"{name}.*no such folder"):
        HuggingFaceNli(name)


@pytest.mark.torch
@pytest.mark.slow
def test_a_model_that_is_not_there(tmp_path: Path):
    with pytest.raises(ModelError, match="no such folder"):
        HuggingFaceNli(str(tmp_path / "none"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelError, match="cannot be opened"):
        HuggingFaceNli(str(tmp_path / "empty"))


@pytest.mark.torch
@pytest.mark.slow
def test_a_claim_longer_than_the_model_reads_is_cut(tmp_path: Path):
    judge = HuggingFaceNli(str(make_model(tmp_path / "nli", ORDERS[0])))
    [found] = judge.judge(["fog is grey"], "boats leak " * 400)
    assert found.entail + found.contradict + found.neutral == pytest.approx(1)


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.parametrize("damage", ["weights", "shape", "tokenizer", "nan"])
def test_a_broken_model_is_named(tmp_path: Path, damage: str):
    import torch
    from safetensors.torch import load_file, save_file

    folder = make_model(tmp_path / "nli", ORDERS[0])
    weights = folder / "model.safetensors"
    if damage == "weights":
        weights.write_bytes(weights.read_bytes()[:1000])
    elif damage == "tokenizer":
        for file in folder.glob("*token*"):
            file.unlink()
    else:
        tensors = load_file(weights)
        wrong = torch.zeros(3, 5) if damage == "shape" else torch.full((3, 16), float("nan"))
        save_file({**tensors, "classifier.weight": wrong}, weights, {"format": "pt"})
    with pytest.raises(ModelError, match="nli") as raised:
        HuggingFaceNli(str(folder)).judge(["fog is grey"], "boats leak")
    assert "\n" not in str(raised.value)
