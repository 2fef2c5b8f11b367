"""What one sentence says: its verb, its subject, and words as they are written."""

from hippohover.language.clauses import ClauseReader
from hippohover.language.sentence import life_in

READ = ClauseReader()


def test_words_of_stems_are_given_as_they_are_written():
    said = READ("The Grand Valleys of Norland, Valleys of stone.")
    assert said.written(frozenset(["grand", said.stems[said.words.index("valleys")]])) == (
        "Grand Valleys"
    )
    assert said.written(frozenset(["b", "a"])) == "a b"


def test_a_word_that_is_a_noun_behind_a_name_is_no_verb():
    said = READ("Ida Fenn, star of Low Tide, died in 1987.")
    assert said.words[said.verb] == "died"


def test_what_turns_a_sentence_hides_no_subject():
    assert READ("Ida Fenn no longer leads the guild.").direct
    assert not READ("The mayor of Norland leads the guild.").direct


def test_a_span_of_life_stands_behind_a_name():
    assert life_in("Ida Fenn (1901 – 1977) was a pilot.") == (9, 15)
    assert life_in("It lasted (1901 – 2077).") is None
