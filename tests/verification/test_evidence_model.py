"""The model of evidence that ships: what it says, of what it says nothing, and its file."""

from pathlib import Path

import pytest

from hippohover.errors import ModelError
from hippohover.verification import evidence_model
from hippohover.verification.evidence import Evidence
from hippohover.verification.evidence_model import EvidenceModel, in_order
from hippohover.verification.statements.statements import Statement


def evidence_of(*told: tuple[str, str, int]) -> Evidence:
    """Sentences of passages: title, text, and place in the passage; the best first."""
    chunks = [
        Statement(
            doc_id=title, sent_id=at, text=text, char_start=0, char_end=len(text),
            rank=len(title) + 1, source="toy", version="v", about=title, said=text,
        )
        for title, text, at in told
    ]  # fmt: skip
    return Evidence(tuple(chunks), {title: title for title, _, _ in told})


def test_what_it_is_given_is_in_the_order_of_the_passages_each_title_once():
    told = evidence_of(
        ("Low Tide", "It won.", 4), ("Isk", "A town.", 0), ("Low Tide", "A film.", 1)
    )
    assert in_order(told) == "Isk: A town. Low Tide: A film. It won."
    assert in_order(evidence_of(("", "A film.", 0))) == "A film."


def test_it_tells_a_true_claim_from_a_refuted_one():
    model = EvidenceModel()
    told = evidence_of(("Ruth Okafor", "Ruth Okafor was born in Leeds and paints ships.", 0))
    true = model("Ruth Okafor was born in Leeds.", told)
    false = model("Ruth Okafor was not born in Leeds.", told)
    assert true is not None
    assert false is not None
    assert true.entail > 0.5 > false.entail
    assert false.contradict > 0.5 > true.contradict
    assert true.entail + true.contradict + true.neutral == pytest.approx(1, abs=1e-5)
    assert model("Ruth Okafor was born in Leeds.", told) == true


def test_it_says_nothing_without_evidence_or_of_another_script():
    model = EvidenceModel()
    assert model("Ruth Okafor was born in Leeds.", Evidence()) is None
    assert model("露丝出生在利兹。", evidence_of(("Ruth", "She was born in Leeds.", 0))) is None


def test_a_text_of_any_length_is_read_as_far_as_the_model_reads():
    told = evidence_of(("Isk", "The mill stood there. " * 400, 0))
    assert EvidenceModel()("The mill stood there " * 100, told) is not None


def test_an_altered_file_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    file = tmp_path / "evidence.onnx"
    file.write_bytes(b"something else")
    monkeypatch.setattr(evidence_model, "MODEL_FILE", file)
    with pytest.raises(ModelError, match="is not the one that hippohover ships"):
        EvidenceModel()("A mill.", evidence_of(("Isk", "A mill.", 0)))
