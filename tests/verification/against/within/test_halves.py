"""Claims made of the halves of two things that one sentence says."""

import pytest
from hippohover.verification.against.within.halves import exchanged_halves

from tests.verification.against.comparing import compared

TAUGHT = "She studied under Al Voss and taught Kim Ray."
DUTY = "The guest paid the toll and the host paid the rent."


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("Jo Fay studied under Kim Ray.", TAUGHT),
        ("Jo Fay taught Al Voss.", TAUGHT),
        ("Jo Fay edited the novel Rust.", "She wrote the novel Rust and edited the paper Bee."),
        ("The guest paid the rent.", DUTY),
    ],
)
def test_a_mix_of_two_halves_is_found(claim: str, sentence: str):
    assert exchanged_halves(compared(claim, ("Jo Fay", sentence)))


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("Jo Fay studied under Al Voss.", TAUGHT),
        ("Jo Fay taught Kim Ray.", TAUGHT),
        ("Jo Fay wrote the play Rust.", "She wrote and directed the play Rust."),
        ("Jo Fay visited Tarn.", "She visited Velm in spring and Tarn in autumn."),
        ("Jo Fay married Al Voss in Velm.", "In Velm she met Bo Lee and married Al Voss in June."),
        ("The host paid the rent.", DUTY),
        ("Al Voss lost to Jo Fay.", "She beat Al Voss in 1950 but lost to Kim Ray in 1952."),
    ],
)
def test_one_half_is_not(claim: str, sentence: str):
    assert exchanged_halves(compared(claim, ("Jo Fay", sentence))) == []
