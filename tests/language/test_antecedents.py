"""The names that pronouns of a text stand for."""

import pytest

from hippohover.language.antecedents import Resolved, with_antecedents


@pytest.mark.parametrize(
    ("before", "sentence", "resolved"),
    [
        ("Mia Sand was a pilot.", "She was born in Telk.", "Mia Sand was born in Telk."),
        ("Mia Sand was a pilot.", "In 1948 she moved.", "In 1948 Mia Sand moved."),
        ("Mia Sand was a pilot.", "Her sister died.", "Mia Sand's sister died."),
        ("Loam 4.2 was released.", "It needs Sedge.", "Loam needs Sedge."),
        ("Mia Sand and Tom Hale met.", "They married.", "Mia Sand and Tom Hale married."),
        ("Mia Sand sang.", "It is false that she fled.", "It is false that Mia Sand fled."),
        ("The pilot Mia Sand sang.", "She fled.", "Mia Sand fled."),
        ("After the war Mia Sand sang.", "She fled.", "Mia Sand fled."),
        ("The capital of Norland is Telk.", "It has a harbour.", "Norland has a harbour."),
    ],
)
def test_a_pronoun_takes_the_subject_before_it(before: str, sentence: str, resolved: str):
    assert with_antecedents([before, sentence])[1].text == resolved


def test_the_subject_is_kept_over_several_pronouns_and_no_longer():
    told = ["Mia Sand sang.", "She moved.", "She died.", "The hall burned.", "It is small."]
    found = with_antecedents(told)
    assert [one.name for one in found] == ["", "Mia Sand", "Mia Sand", "", ""]


@pytest.mark.parametrize(
    ("before", "sentence"),
    [
        ("The drama in which Mia Sand sang was long.", "Its author lives in Telk."),
        ("The bridge near Telk is old.", "It was built by monks."),
        ("The author of Dust was born in Telk.", "He moved to Gant."),
        ("A woman who met Tom Hale was born in Telk.", "She moved to Gant."),
    ],
)
def test_a_name_inside_a_description_is_nobody(before: str, sentence: str):
    assert with_antecedents([before, sentence])[1] == Resolved(sentence)


@pytest.mark.parametrize("sentence", ["Tom Hale met her.", "It is known that Tom Hale fled."])
def test_what_names_its_own_subject_stays(sentence: str):
    assert with_antecedents(["Mia Sand sang.", sentence])[1] == Resolved(sentence)
