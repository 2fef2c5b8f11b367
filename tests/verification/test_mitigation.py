"""Verdicts into text: what is left out, warned of, flagged, kept."""

from hippohover.verification.claims import claims_of, rule_sentence_split_v1
from hippohover.verification.mitigation import FLAG, FLAG_OF_SEVERAL, WARNING, mitigate
from hippohover.verification.payloads import Claim, Status

TEXT = "Fog is grey. [9] Boats leak.  It never rains. <b>Isk</b> is old."


def claims() -> list[Claim]:
    return claims_of(TEXT, "a", rule_sentence_split_v1(TEXT), "m")


STATUS: dict[str, Status] = {
    "c_0001": "Supported", "c_0002": "Low Confidence", "c_0003": "Contradictory",
    "c_0004": "Supported",
}  # fmt: skip


def test_contradicted_claims_are_left_out_and_open_ones_flagged():
    found = mitigate(TEXT, claims(), STATUS, cited={"c_0001": [1, 2]})
    assert found.final_response == f"Fog is grey. [1][2] Boats leak. {FLAG} <b>Isk</b> is old."
    assert found.actions == ("flagged_low_confidence_claims", "removed_contradicted_claims")


def test_or_kept_behind_a_warning():
    found = mitigate(TEXT, claims(), STATUS, contradicted="warn")
    assert f"  {WARNING} It never rains. <b>" in found.final_response
    assert found.actions == ("flagged_low_confidence_claims", "warned_of_contradicted_claims")


def test_what_is_supported_stays_as_it_is():
    every: dict[str, Status] = dict.fromkeys(STATUS, "Supported")
    found = mitigate(TEXT, claims(), every)
    assert (found.final_response, found.actions) == (TEXT.replace(" [9]", ""), ())


def test_no_mark_of_an_item_is_left_without_its_item():
    text = "- Fog is grey.\n- It never rains.\n2. Boats leak."
    listed = claims_of(text, "a", rule_sentence_split_v1(text), "rule")
    status: dict[str, Status] = {
        "c_0001": "Supported", "c_0002": "Contradictory", "c_0003": "Low Confidence",
    }  # fmt: skip
    assert mitigate(text, listed, status).final_response == f"- Fog is grey.\n2. Boats leak. {FLAG}"
    status["c_0001"] = "Contradictory"
    assert mitigate(text, listed, status).final_response == f"2. Boats leak. {FLAG}"


def test_open_claims_in_a_row_have_one_flag_a_line():
    text = "Fog is grey. Boats leak.\n- It never rains."
    rows = claims_of(text, "a", rule_sentence_split_v1(text), "rule")
    every: dict[str, Status] = dict.fromkeys(STATUS, "Low Confidence")
    told = mitigate(text, rows, every).final_response
    flag = FLAG_OF_SEVERAL.format(2)
    assert told == f"Fog is grey. Boats leak. {flag}\n- It never rains. {FLAG}"


def test_nothing_may_be_left():
    every: dict[str, Status] = dict.fromkeys(STATUS, "Contradictory")
    assert mitigate(TEXT, claims(), every).final_response == ""
