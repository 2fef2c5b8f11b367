"""Which sentences are about a claim's subject, and how they say its words."""

from tests.verification.against.comparing import compared


def test_a_word_that_sentences_write_small_is_no_name():
    small = compared("Companies pay for Sedge.", ("Sedge", "It is free, but companies pay for it."))
    assert small.subject == frozenset()
    assert small.about == [0]
    name = compared("Orrin pays for Sedge.", ("Sedge", "It is free, but companies pay for it."))
    assert name.subject == {"orrin"}
    assert name.about == []


def test_a_title_is_a_name_though_it_is_written_small_elsewhere():
    own = ("The Interview", "It is a film about an interview.")
    assert compared("The Interview was directed by Ann Lund.", own).subject == {"interview"}


def test_a_title_with_a_colon_is_no_field():
    claim = "Terrain: War was directed by Ann Lund."
    assert compared(claim, ("Terrain: War", "It is a film.")).subject >= {"terrain", "war"}


def test_an_initial_stands_for_a_name():
    fenn = ("Ida M. Fenn", "She is a pilot.")
    assert not compared("Ida Maud Fenn is a pilot.", fenn).is_another(0)
    assert compared("Ida Ruth Fenn is a pilot.", fenn).is_another(0)


def test_the_first_sentence_of_a_passage_is_about_its_title():
    sentences = [
        ("Mike Orr", "Michael Lewis Orr was born in 1963."),
        ("Mike Orr", "Eva Orr sings."),
    ]
    beside = compared("Mike Orr was born in 1963.", *sentences)
    assert beside.about == [0]


def test_forms_of_an_irregular_verb_say_the_same():
    beside = compared("Ann Yarl stole it.", ("Ann Yarl", "She denied stealing it."))
    [stem] = [one for one in beside.content if one.startswith("st")]
    assert beside.ways(0, stem) == {False}
    assert beside.ways(0, stem, forms=False) == set()


def test_shares_are_exact_in_any_order():
    beside = compared("Ann Yarl sang.")
    stems = [f"w{at}" for at in range(9)]
    assert beside.share_of(stems, stems) == beside.share_of(stems[::-1], stems) == 1.0
    assert beside.share_of([], []) == 1.0
