"""The parts of a sentence with a verb each."""

from hippohover.verification.against.compared.pieces import pieces_of

from hippohover.language.clauses import ClauseReader

READ = ClauseReader()


def test_a_part_has_a_verb():
    said = READ(
        "She won the cup, a bowl of tin, in 1951 and lost it to Ann Roe; Telk built a mill."
    )
    parts = [" ".join(said.words[at] for at in piece) for piece in pieces_of(said)]
    assert parts == [
        "she won the cup , a bowl of tin , in 1951",
        "lost it to ann roe",
        "telk built a mill .",
    ]
