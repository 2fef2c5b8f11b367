"""What the judge reads of a case: what is missing, and which arcs are held."""

from hippohover.retrieval.engine import HippoHover
from hippohover.verification.judge.features import features_of, parse_features
from hippohover.verification.judge.learned import input_of
from tests.language.parse_samples import written
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


def test_an_arc_is_held_over_one_word(toy_engine: HippoHover):
    given = input_of(case_of(toy_engine, "Mira directed films", "Mira directed old films"))
    claim = written("Mira directed films", "Mira/NNP/nsubj/1 directed/VBD/ROOT/1 films/NNS/dobj/1")
    same = parse_features(given, [claim], [claim])
    assert (same["arcs"], same["core_arcs"], same["lost_dobj"]) == (1.0, 1.0, 0.0)
    none = parse_features(given, [claim], [])
    assert (none["arcs"], none["lost_nsubj"], none["missing_names"]) == (0.0, 1.0, 0.0)
