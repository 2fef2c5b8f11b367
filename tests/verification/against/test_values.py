"""Another holder, capital or maker, and what is said of another alone."""

import pytest

from tests.verification.against.comparing import findings, kinds


@pytest.mark.parametrize(
    ("title", "claim", "sentence"),
    [
        (
            "Halmund",
            "The mayor of Halmund is Tom Bray.",
            "The mayor is Greta Sim, who succeeded Tom Bray.",
        ),
        (
            "Castrel",
            "The largest city of Castrel is Sabel.",
            "The capital is Sabel; the largest city is Port Mirren.",
        ),
        (
            "Ashby Rovers",
            "The manager of Ashby Rovers is Sue Parrish.",
            "Their manager is Ken Dole, who replaced Sue Parrish.",
        ),
        (
            "Union",
            "London is the capital of Scotland.",
            "The capital of the Union is London, but Scotland's capital is Edinburgh.",
        ),
        (
            "Norland",
            "Sabel is the capital of Norland.",
            "Its capital and most populous city is Varn.",
        ),
        (
            "Ida M. Fenn",
            "Ida M. Fenn is a Danish pilot.",
            "Ida Maud Fenn (born 1947) is a Swedish pilot.",
        ),
    ],
)
def test_another_value_contradicts(title: str, claim: str, sentence: str):
    assert ("object", True) in kinds(claim, (title, sentence))


@pytest.mark.parametrize(
    ("title", "claim", "sentence"),
    [
        (
            "Halmund",
            "The mayor of Halmund is Greta Sim.",
            "The mayor is Greta Sim, who succeeded Tom Bray.",
        ),
        (
            "Castrel",
            "The largest city of Castrel is Port Mirren.",
            "The capital is Sabel; the largest city is Port Mirren.",
        ),
        (
            "Castrel",
            "The capital of Castrel is Sabel.",
            "The capital is Sabel; the largest city is Port Mirren.",
        ),
        (
            "Union",
            "Edinburgh is the capital of Scotland.",
            "The capital of the Union is London, but Scotland's capital is Edinburgh.",
        ),
        (
            "Norland",
            "Varn is the capital of Norland.",
            "Its capital and most populous city is Varn.",
        ),
        (
            "Ida M. Fenn",
            "Ida M. Fenn is a Swedish pilot.",
            "Ida Maud Fenn (born 1947) is a Swedish pilot.",
        ),
    ],
)
def test_the_same_value_is_none(title: str, claim: str, sentence: str):
    assert findings(claim, (title, sentence)) == []


@pytest.mark.parametrize(
    ("title", "claim", "sentence"),
    [
        (
            "Per Lood",
            "Ann Venn discovered lodine.",
            "Per Lood was a chemist who discovered the dye lodine.",
        ),
        ("Low Tide", "Titania was directed by Ann Venn.", "Low Tide was directed by Ann Venn."),
        ("Stone Band", "The Beat Band was formed in Varn.", "The Stone Band was formed in Varn."),
        (
            "Norland Cola",
            "Norland Cola is made by Kell Foods.",
            "Its rival was Tab, made by Kell Foods.",
        ),
    ],
)
def test_what_another_alone_did_is_not_supported(title: str, claim: str, sentence: str):
    assert kinds(claim, (title, sentence)) == {("object", False)}


@pytest.mark.parametrize(
    ("title", "claim", "sentence"),
    [
        (
            "Ann Venn",
            "Ann Venn discovered lodine.",
            "Anna Maria Venn (1870–1931) discovered lodine.",
        ),
        (
            "Per Lood",
            "Per Lood and Ann Venn are both chemists.",
            "Per Lood is one of the chemists.",
        ),
        ("Per Lood", "Ann Venn did not discover lodine.", "Per Lood discovered lodine."),
        (
            "Norland Cola",
            "Norland Cola is made by Kell Foods.",
            "It is made by Kell Foods, and its rival was Tab.",
        ),
        ("Per Lood", "Ann Venn discovered lodine in Varn.", "Per Lood discovered the dye lodine."),
    ],
)
def test_nor_is_anything_said_of_another_where_it_is_the_same(
    title: str, claim: str, sentence: str
):
    assert ("object", False) not in kinds(claim, (title, sentence))


def test_a_work_is_by_those_who_made_it():
    novel = ("Kite Weather", "Kite Weather is a 2003 novel by Tamsin Orrey.")
    adapted = ("Kite Weather", "It was adapted by Luca Amari.")
    claim = "Kite Weather is a novel by Luca Amari."
    assert kinds(claim, novel, adapted) == {("object", True)}
    assert findings("Kite Weather is a novel by Tamsin Orrey.", novel, adapted) == []


@pytest.mark.parametrize(
    ("title", "claim", "sentence"),
    [
        ("Nan Ost", "Nan Ost was born in Tarn.", "She was born in Velm and died in Tarn."),
        ("Nan Ost", "Nan Ost was born in Tarn.", "She was born in Velm, grew up in Tarn and left."),
        (
            "Nan Ost",
            "Nan Ost was born in Tarn.",
            "She was born in Velm to Bo Ost, a smith of Tarn.",
        ),
        (
            "Moth",
            "Moth was directed by Al Voss.",
            "Moth was directed by Kim Ray and written by Al Voss.",
        ),
        ("Moth", "Al Voss directed Moth.", "Moth was directed by Kim Ray and written by Al Voss."),
        (
            "Moth",
            "Moth was directed by Al Voss.",
            "Moth was directed by Kim Ray, starring Al Voss.",
        ),
        ("Ferro", "Ferro is based in Tarn.", "Ferro is based in Velm with branches in Tarn."),
    ],
)
def test_the_value_of_another_relation_of_the_sentence_contradicts(
    title: str, claim: str, sentence: str
):
    assert ("object", True) in kinds(claim, (title, sentence))


@pytest.mark.parametrize(
    ("title", "claim", "sentence"),
    [
        (
            "Nan Ost",
            "Nan Ost was born in Norland.",
            "She was born in Velm, close to Tarn, Norland.",
        ),
        (
            "Nan Ost",
            "Nan Ost was born in Velm.",
            "She was born in the walled town of Velm in Norland.",
        ),
        (
            "Moth",
            "Moth was directed by Al Voss.",
            "Moth was directed by Kim Ray, Bo Lee and Al Voss.",
        ),
        ("Moth", "Moth was written by Al Voss.", "Moth was written and directed by Al Voss."),
        ("Moth", "Moth was written by Al Voss.", "Moth was written by Kim Ray with Al Voss."),
        ("Nan Ost", "Nan Ost died in Tarn.", "She was born in Velm and died in Tarn."),
    ],
)
def test_further_values_of_the_same_relation_do_not(title: str, claim: str, sentence: str):
    assert findings(claim, (title, sentence)) == []


@pytest.mark.parametrize(
    "claim",
    ["The CFO of Ferro is Al Voss.", "Al Voss is the CFO of Ferro.", "Al Voss is Ferro's CFO."],
)
def test_a_role_in_capitals_has_another_holder(claim: str):
    told = ("Ferro", "It was founded by Al Voss."), ("Ferro", "Its CFO is Kim Ray.")
    assert any(kind == "object" for kind, _ in kinds(claim, *told))
    assert findings(claim.replace("Al Voss", "Kim Ray"), *told) == []


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("Al Voss is the mayor of Ferro.", "Its mayor was Kim Ray, and its mayor is Al Voss."),
        ("Al Voss is one of the judges of Ferro.", "One of the judges is Kim Ray."),
    ],
)
def test_a_role_of_several_has_no_other_holder(claim: str, sentence: str):
    assert findings(claim, ("Ferro", sentence)) == []


@pytest.mark.parametrize(
    ("told", "claim", "against"),
    [
        ("It was designed by Rosa Fell.", "Hartle Mill was designed by Otis Fell.", True),
        ("It was designed by Rosa Fell.", "Hartle Mill was designed by Rosa Fell.", False),
        ("It was designed by Rosa Fell.", "Hartle Mill was designed by R. Fell.", False),
        ("It was designed by Stefan Fell.", "Hartle Mill was designed by Stef Fell.", False),
        ("It was designed by Rosa Fell.", "Hartle Mill was designed by Fell.", False),
        (
            "It was designed by Rosa Fell and Otis Fell.",
            "Hartle Mill was designed by Otis Fell.",
            False,
        ),
    ],
)
def test_a_family_name_alone_is_not_the_same_value(told: str, claim: str, against: bool):
    found = findings(claim, ("Hartle Mill", told))
    assert [one.sure for one in found if "designed by" in one.told] == ([False] if against else [])


@pytest.mark.parametrize(
    ("claim", "against"),
    [
        ("Lotte Vane is married to Hugo Brill.", True),
        ("Lotte Vane is married to Emil Brill.", False),
    ],
)
def test_who_a_description_names_is_no_value_and_another_marriage_is_possible(
    claim: str, against: bool
):
    told = ("Lotte Vane", "She is married to Emil Brill, the cousin of Hugo Brill.")
    found = findings(claim, told)
    assert [one.sure for one in found if "married to" in one.told] == ([False] if against else [])


@pytest.mark.parametrize(
    ("claim", "against"),
    [
        ("The currency of Norland is the mark.", True),
        ("The currency of Norland is the crown.", False),
    ],
)
def test_a_value_that_is_written_small_is_one(claim: str, against: bool):
    found = findings(claim, ("Norland", "Its currency is the crown and its anthem is Red Dawn."))
    assert [one.sure for one in found] == ([True] if against else [])


def test_the_value_of_another_thing_is_not_that_of_the_one_a_claim_names():
    told = ("Volt", "Its headquarters is located in Telk."), ("Amp", "Amp is based in Varn.")
    other = ("Amp", "Its headquarters is located in Varn.")
    assert any(
        one.sure for one in findings("The headquarters of Volt are located in Varn.", *told, other)
    )
    assert findings("The headquarters of Amp are located in Varn.", *told, other) == []


def test_a_value_counts_where_no_sentence_with_the_claims_names_has_one():
    told = ("Norland", "Telk is the capital of Norland."), ("Ida Moss", "She was born in Varn.")
    assert kinds("The mayor of the capital of Norland was born in Ost.", *told)


def test_what_somebody_is_and_what_they_do_have_one_value():
    club = ("Kell FC", "Its manager is Ann Lee.")
    assert ("object", False) in kinds("Kell FC is managed by Tim Orr.", club)
    assert kinds("Kell FC is managed by Ann Lee.", club) == set()


def test_a_value_may_be_described():
    wed = ("Ed Roe", "He is married to the skater Ann Venn.")
    assert ("object", False) in kinds("Ed Roe is married to Ida Holm.", wed)
    assert kinds("Ed Roe is married to Ann Venn.", wed) == set()


@pytest.mark.parametrize("kind", ["county", "province", "state"])
def test_a_capital_of_a_kind_of_land_is_its_capital(kind: str):
    told = ("Sabel", f"It is the capital of the {kind} of Norland.")
    assert ("object", True) in kinds("The capital of Norland is Varn.", told)
    assert not kinds("The capital of Norland is Sabel.", told)


def test_what_is_said_of_a_possession_is_not_said_of_its_owner():
    told = ("Tern (ferry)", "Her sister ship, the Gull, was scrapped in Norland.")
    assert ("object", False) in kinds("The Tern was scrapped in Norland.", told)
    assert ("object", False) not in kinds("The Tern's sister ship was scrapped in Norland.", told)
    office = ("Tern", "Its head office moved to Norland in 2015.")
    assert ("object", False) not in kinds("Tern moved to Norland in 2015.", office)


def test_a_capital_until_a_year_leaves_another_open():
    told = ("Norland", "Its capital was Varn until 1533 and Sabel afterwards.")
    assert ("object", True) not in kinds("Sabel became the capital of Norland in 1533.", told)


def test_a_list_in_another_order_is_the_same():
    told = ("Sulland", "The official languages are Akkan and Breeish.")
    assert ("object", True) not in kinds(
        "The official languages of Sulland are Breeish and Akkan.", told
    )
    assert kinds("Breeish is an official language of Sulland.", told) == set()
