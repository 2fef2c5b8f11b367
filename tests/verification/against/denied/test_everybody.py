"""What is denied of everybody."""

from tests.verification.against.comparing import kinds

CAVE = ("Stane Gorge", "No one has crossed its lower gate.")


def test_what_nobody_did_somebody_did_not():
    told = ("Stane Gorge", "It was found by Ivo Rell.")
    assert ("denied", True) in kinds(
        "Ivo Rell has crossed the lower gate of Stane Gorge.", CAVE, told
    )


def test_whom_a_sentence_leaves_out_may_have_done_it():
    told = ("Stane Gorge", "No one except Ivo Rell has crossed its lower gate.")
    claim = "Ivo Rell has crossed the lower gate of Stane Gorge."
    assert ("denied", True) not in kinds(claim, told)
    before = ("Stane Gorge", "No one had crossed its lower gate before 1920.")
    assert ("denied", True) not in kinds(claim, before)


def test_where_another_sentence_says_it_nothing_is_denied():
    told = ("Ivo Rell", "Ivo Rell has crossed the lower gate of Stane Gorge.")
    assert kinds("Ivo Rell has crossed the lower gate of Stane Gorge.", CAVE, told) == set()
