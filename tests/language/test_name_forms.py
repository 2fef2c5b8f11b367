"""Other forms of names: which run means which name, where two names can be meant, and none."""

import pytest

from hippohover.language.name_forms import NameForms, columns_of
from hippohover.names.normal_forms import entity_key

NAMES = [
    "Wanda Kelgate", "Otto Brenner", "Ines Brenner", "Pier Four of Velmora", "The Grey Mill",
    "Kelgate Rope Company", "Saint Olaf Velmora", "Silver Gateway", "Kelgate Harbour Board",
]  # fmt: skip


@pytest.mark.parametrize(
    ("run", "names"),
    [
        ("Mr Kelgate", ["Wanda Kelgate"]),
        ("Kelgate Wanda", ["Wanda Kelgate"]),
        ("W. Kelgate", ["Wanda Kelgate"]),
        ("Wanda J. Kelgate", ["Wanda Kelgate"]),
        ("Anna Kelgate", []),
        ("Wanda", []),
        ("Mr Brenner", ["Ines Brenner", "Otto Brenner"]),
        ("Pier IV of Velmora", ["Pier Four of Velmora"]),
        ("Pier 5 of Velmora", []),
        ("Grey Mill", ["The Grey Mill"]),
        ("Silver Gateways", ["Silver Gateway"]),
        ("Kelgate Rope Co.", ["Kelgate Rope Company"]),
        ("St. Olaf Velmora", ["Saint Olaf Velmora"]),
        ("SilverGateway", ["Silver Gateway"]),
        ("Kelgate Harbor Board", ["Kelgate Harbour Board"]),
    ],
)
def test_a_run_means_the_names_that_it_can_be_a_form_of(run: str, names: list[str]):
    forms = NameForms(columns_of(NAMES), NAMES.__getitem__)
    assert [NAMES[number] for number in forms(entity_key(run))] == names
