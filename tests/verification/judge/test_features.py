"""What the judge reads of a case: what is missing."""

from hippohover.retrieval.engine import HippoHover
from hippohover.verification.judge.features import features_of
from hippohover.verification.judge.learned import input_of
from tests.verification.case_samples import case_of

SAID = "Lantern Hill is a film directed by Mira Oldane."


def test_features_of_what_is_missing(toy_engine: HippoHover):
    whole = features_of(input_of(case_of(toy_engine, SAID, SAID)))
    assert (whole["missing"], whole["held"], whole["clause_least"]) == (0.0, 1.0, 1.0)
    assert whole["pairs_near"] == 1.0
    less = features_of(input_of(case_of(toy_engine, SAID, "It is a film by Ansel Quorm.")))
    assert less["named_n"] == 2
    assert 0 < less["held"] < 1
    denied = features_of(
        input_of(case_of(toy_engine, SAID, "It is not a film directed by Mira Oldane."))
    )
    assert denied["findings_sure"] == 1
    none = features_of(input_of(case_of(toy_engine, SAID)))
    assert none["held"] == 0.0
