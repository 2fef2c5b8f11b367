"""The model of evidence that ships: what sentences, read together, say of a claim.

all-MiniLM-L6-v2, trained further on pairs of evidence and claim (``benchmarks/train_evidence.py``),
and run by ONNX Runtime pair by pair, some 250 short pairs a processor second. It reads English.
"""

import re
from collections import Counter
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final

import numpy as np

from hippohover.names.normal_forms import without_unseen
from hippohover.vectors.onnx_model import Session, session_of
from hippohover.vectors.static_encoder import packaged_tokenizer, read_packaged
from hippohover.verification.evidence import Evidence
from hippohover.verification.payloads import Nli

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MODEL_FILE: Final = Path(__file__).with_name("evidence.onnx")
MODEL_SHA256: Final = "b87ba4674cd1c0ee1498b0768b69203d6105458ebf74dd9d78c872a9f9917825"
"""``python -m evidence.weights export`` prints it."""

_MOST_TOKENS: Final = 512
_MOST_OF_CLAIM: Final = 128
_LEAST_LATIN: Final = 0.5
_LEAST_KNOWN: Final = 0.7
"""Share of words that a tokenizer of English has whole: 99 in 100 texts of three sentences from
seven English domains have more, and nine in ten in other languages less. Names are left out."""
_TAKEN_FOR_KNOWN: Final = 3
_MOST_CHARS: Final = 3000
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_LOCK: Final = Lock()


class EvidenceModel:
    """Says how probably evidence supports a claim, or refutes it; safe from several threads.

    Loaded at its first use, which takes a fifth of a second, and once for all of a process.
    """

    def __call__(self, claim: str, evidence: Evidence) -> Nli | None:
        """Return what the evidence says of the claim; None of a claim in another script.

        Raises
        ------
        ModelError
            The model's file is missing or altered.
        """
        if not evidence.chunks or not _is_latin(claim):
            return None
        session, tokenizer = _ready(MODEL_FILE), _tokenizer()
        first = tokenizer.get_vocab_size()  # [CLS]; behind it [SEP]
        of_claim = _ids(tokenizer, claim)[:_MOST_OF_CLAIM]
        told = _ids(tokenizer, in_order(evidence))[: _MOST_TOKENS - 3 - len(of_claim)]
        ids = np.array([[first, *of_claim, first + 1, *told, first + 1]], np.int64)
        sides = (np.arange(ids.shape[1]) >= len(of_claim) + 2).astype(np.int64)[None]
        with _LOCK:  # several at once would each take the memory of the longest
            found = session.run(["verdict"], {"ids": ids, "sides": sides})[0]
        entail, neutral, contradict = map(float, np.clip(found[0], 0.0, 1.0))
        return Nli(entail=entail, contradict=contradict, neutral=neutral)


@cache
def _ready(file: Path) -> Session:
    return session_of(read_packaged(file, MODEL_SHA256))


@cache
def _tokenizer() -> "Tokenizer":
    tokenizer = packaged_tokenizer()
    tokenizer.no_padding()
    return tokenizer


def reads(*texts: str) -> bool:
    """Return whether texts together are in a language that the model knows, by their words.

    Of a short text some are taken for known: one rare word is no other language.
    """
    text = " ".join(texts)[:_MOST_CHARS]
    if not _is_latin(text):
        return False
    words = [word for word in _WORD.findall(without_unseen(text)) if word[0].islower()]
    encoded = _tokenizer().encode(" ".join(words), add_special_tokens=False)
    n_pieces = Counter(at for at in encoded.word_ids if at is not None)
    n_whole = sum(n == 1 for n in n_pieces.values())
    return n_whole + _TAKEN_FOR_KNOWN >= _LEAST_KNOWN * (len(n_pieces) + _TAKEN_FOR_KNOWN)


def in_order(evidence: Evidence) -> str:
    """Write evidence as the model has learned to read it: as it stands, each title once."""
    said, last = list[str](), ""
    for chunk in sorted(evidence.chunks, key=lambda one: (one.rank, one.doc_id, one.sent_id)):
        said.append(f"{chunk.about}: {chunk.said}" if chunk.about not in ("", last) else chunk.said)
        last = chunk.about
    return " ".join(said)


def _ids(tokenizer: "Tokenizer", text: str) -> list[int]:
    return tokenizer.encode(without_unseen(text), add_special_tokens=False).ids


def _is_latin(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    return sum(map(str.isascii, letters)) >= _LEAST_LATIN * max(len(letters), 1)
