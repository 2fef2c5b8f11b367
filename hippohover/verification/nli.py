"""Natural language inference by any Hugging Face model: whether a sentence entails a claim."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np

from hippohover.errors import ModelError
from hippohover.verification.payloads import Nli

_BATCH: Final = 16
_LABELS: Final = ("entail", "contradict", "neutral")


class NliJudge(Protocol):
    """Judges claims against evidence.

    Attributes
    ----------
    name : str
        Who judges, as results say it.
    by_sentence : bool
        Whether there is a judgement of every sentence; else one of all of them together.
    """

    name: str
    by_sentence: bool

    def judge(self, sentences: Sequence[str], claim: str) -> tuple[Nli, ...]:
        """Judge whether each sentence of evidence, or all of them, entails the claim."""
        ...


class HuggingFaceNli:
    """A sequence-classification model, from a folder or the local Hugging Face cache.

    Parameters
    ----------
    name : str
        A folder, or the name of a model that is in the cache; nothing is downloaded.

    Raises
    ------
    ModelError
        The model is not there, or its configuration does not say which label is entailment,
        which contradiction and which neutral.
    """

    by_sentence = True

    def __init__(self, name: str) -> None:
        try:
            import torch
            from transformers import AutoModelForSequenceClassification, AutoTokenizer
        except ImportError as error:
            raise ModelError(
                f"NLI model {name!r} needs {error.name}: pip install 'hippohover[encoders]'"
            ) from error
        self._torch: Any = torch
        if _is_path(name) and not Path(name).is_dir():
            raise ModelError(f"NLI model {name!r}: no such folder: check the path")
        try:
            self._tokenizer: Any = AutoTokenizer.from_pretrained(name, local_files_only=True)
            self._model: Any = AutoModelForSequenceClassification.from_pretrained(
                name, local_files_only=True, use_safetensors=True
            )
        except MemoryError:
            raise
        except Exception as error:  # a broken file raises whatever its reader meets
            reason = " ".join(str(error).split())[:200]
            raise ModelError(
                f"NLI model {name!r} cannot be opened ({reason}): give the folder of a "
                "downloaded model, or a name that is in the local Hugging Face cache"
            ) from error
        if len(self._tokenizer) <= len(self._tokenizer.all_special_tokens):
            raise ModelError(
                f"NLI model {name!r} has a tokenizer that knows no word: its folder wants the "
                "tokenizer's files too"
            )
        self.name = name
        self._columns = label_columns(self._model.config.id2label, model=name)
        self._model.eval()

    def judge(self, sentences: Sequence[str], claim: str) -> tuple[Nli, ...]:
        """Judge as ``NliJudge``; cuts the longer text of a pair that is too long.

        ``ModelError`` when the model gives no numbers.
        """
        judgements: list[Nli] = []
        for start in range(0, len(sentences), _BATCH):
            part = list(sentences[start : start + _BATCH])
            inputs = self._tokenizer(
                part,
                [claim] * len(part),
                return_tensors="pt",
                padding=True,
                truncation="longest_first",
                max_length=self._longest(),
            )
            with self._torch.inference_mode():
                logits = self._model(**inputs).logits.double().numpy()
            if not np.isfinite(logits).all():
                raise ModelError(
                    f"NLI model {self.name!r} gives no numbers (nan or inf): its weights are broken"
                )
            shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
            shares = shifted / shifted.sum(axis=1, keepdims=True)
            judgements += [
                Nli(**{label: float(row[self._columns[label]]) for label in _LABELS})
                for row in shares
            ]
        return tuple(judgements)

    def _longest(self) -> int:
        positions: int = getattr(self._model.config, "max_position_embeddings", 512)
        return min(positions, 512)


def _is_path(name: str) -> bool:
    """Return whether a name is one of a folder, and of no model: "owner/model" has one slash."""
    return Path(name).is_absolute() or name.startswith((".", "~")) or name.count("/") > 1


def label_columns(id2label: Mapping[Any, str], *, model: str) -> dict[str, int]:
    """Return the column of each label, by a model's configuration.

    Raises
    ------
    ModelError
        The labels are not entailment, contradiction and neutral, each once, in any order.
    """
    columns: dict[str, int] = {}
    for column, name in id2label.items():
        folded = str(name).casefold()
        known = [label for label in _LABELS if folded.startswith(label)]
        if len(known) != 1 or known[0] in columns:
            break
        columns[known[0]] = int(column)
    if len(columns) != len(_LABELS) or len(id2label) != len(_LABELS):
        raise ModelError(
            f"NLI model {model!r} has the labels {', '.join(map(repr, id2label.values()))}: they "
            "must be entailment, contradiction and neutral, and its configuration must say so"
        )
    return columns
