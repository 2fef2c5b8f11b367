"""What a sentence says against a claim: each kind, its sureness, and what is none."""

import pytest

from hippohover.verification.against.comparison import findings_of
from hippohover.verification.against.numbers import held_otherwise, numbers_held
from tests.verification.against.comparing import compared, findings


@pytest.mark.parametrize(
    ("claim", "title", "sentence", "kind"),
    [
        (
            "Ida Fenn is a member of the Reform Party.",
            "Ida Fenn",
            "She is not a member of the Reform Party.",
            "denied",
        ),
        (
            "Gil Rusk left the guild with a licence.",
            "Gil Rusk",
            "Gil Rusk left the guild without a licence.",
            "denied",
        ),
        ("Ivy Tarr accepted the medal.", "Ivy Tarr", "Ivy Tarr refused the medal.", "denied"),
        ("Jem Ulm is a pilot.", "Jem Ulm", "It is false that Jem Ulm is a pilot.", "denied"),
        ("Ora Bick is not a pilot.", "Ora Bick", "Ora Bick is a pilot.", "denied"),
        ("Norland left the Compact.", "Norland", "It joined the Compact.", "denied"),
        (
            "Norland has 67 billion inhabitants.",
            "Norland",
            "Norland has 67 million inhabitants.",
            "number",
        ),
        (
            "Ida Fenn was born in July 1959.",
            "Ida Fenn",
            "Ida Fenn was born on 19 June 1959.",
            "number",
        ),
        ("Cape Dun is a 1991 crime film.", "Cape Dun", "Cape Dun is a 1981 crime film.", "number"),
        ("Jon Pell beat Silas Orr.", "Silas Orr", "He beat Jon Pell.", "roles"),
        (
            "Silas Orr is taller than Mara Quill.",
            "Mara Quill",
            "She is taller than Silas Orr.",
            "roles",
        ),
        (
            "Silas Orr is shorter than Jon Pell.",
            "Silas Orr",
            "He is taller than Jon Pell.",
            "roles",
        ),
        (
            "Silas Orr won before Mara Quill.",
            "Silas Orr",
            "Silas Orr won in 2009, after Mara Quill.",
            "roles",
        ),
        (
            "Ida Fenn was born in Pelmouth.",
            "Ida Fenn",
            "She was born on 1 May 1950 in Carvick.",
            "object",
        ),
        (
            "Lantern Hill was directed by Ann Bo.",
            "Lantern Hill",
            "It was directed by Cy Do.",
            "object",
        ),
        ("Ann Bo is a Danish singer.", "Ann Bo", "Ann Bo is a Swedish singer.", "object"),
    ],
)
def test_what_contradicts(claim: str, title: str, sentence: str, kind: str):
    [found] = [one for one in findings(claim, (title, sentence)) if one.sure]
    assert (found.kind, found.sentence) == (kind, 0)
    assert found.told


@pytest.mark.parametrize(
    ("claim", "title", "sentence"),
    [
        ("Moe Yarl is a pilot.", "Moe Yarl", "Moe Yarl, not his brother, is a pilot."),
        ("Ned Zorn is a pilot.", "Ned Zorn", "Ned Zorn is a pilot and has no children."),
        ("Heron Bridge stayed open in the war.", "Heron Bridge", "It was never closed in the war."),
        (
            "Silas Orr won after Mara Quill.",
            "Silas Orr",
            "Silas Orr won in 2009, after Mara Quill.",
        ),
        ("Mara Quill was beaten by Silas Orr.", "Silas Orr", "He beat Mara Quill."),
        ("Ann Bo married Cy Do.", "Cy Do", "He married Ann Bo."),
        ("Ann Bo is an English singer.", "Ann Bo", "Ann Bo is a British singer."),
        ("Ida Fenn was born in Carvick.", "Ida Fenn", "She was born on 1 May 1950 in Carvick."),
        ("Norland has 67,000,000 inhabitants.", "Norland", "Norland has 67 million inhabitants."),
        ("Ida Fenn is not a pilot.", "Ida Fenn", "She is not a pilot."),
        ("Ida Fenn is a pilot.", "Kit Vane", "He is not a pilot."),
    ],
)
def test_what_contradicts_nothing(claim: str, title: str, sentence: str):
    assert findings(claim, (title, sentence)) == []


def test_what_leaves_a_claim_open_is_not_sure():
    evidence = ("Ida Fenn", "She may become the mayor of Pelmouth.")
    [hedged] = findings("Ida Fenn is the mayor of Pelmouth.", evidence)
    assert (hedged.kind, hedged.sure) == ("hedged", False)
    [replaced] = findings(
        "Ida Fenn studied medicine for six years.", ("Ida Fenn", "She studied law for six years.")
    )
    assert (replaced.kind, replaced.cue, replaced.sure) == ("replaced", "law", False)


def test_a_number_counts_only_where_its_sentence_is_about_the_same():
    claim = "Mara Quill won the Dune Prize in 2009."
    other = ("Silas Orr", "Silas Orr won the Dune Prize in 2009, four years after Mara Quill.")
    own = ("Mara Quill", "Mara Quill won the Dune Prize in 2005.")
    assert list(numbers_held(compared(claim, other, own)).values()) == [False]
    assert [one.kind for one in findings(claim, other, own)] == ["number"]
    alone, of_another = findings(claim, other)
    assert (of_another.told, of_another.sure) == ("it is said of another", False)
    assert (alone.told, alone.sure) == ("2009 is said of another", False)
    right = ("Mara Quill", "Mara Quill won the Dune Prize in 2009.")
    assert list(numbers_held(compared(claim, own, right)).values()) == [True]


def test_of_several_numbers_the_one_among_the_same_words_is_named():
    evidence = ("Ann Bo", "Ann Bo led its board from 1899 and drove the last train, in 1936.")
    [found] = findings("Ann Bo drove the last train in 1951.", evidence)
    assert found.told == "1936, not 1951"


@pytest.mark.parametrize("rest", ["", ", herself", " (a Sunday)"])
def test_a_date_set_off_by_a_comma_belongs_to_the_verb_before_it(rest: str):
    evidence = (
        "Ann Bo",
        f"Ann Bo led its board from 1899 and drove the last train, in 1936{rest}.",
    )
    assert findings("Ann Bo drove the last train in 1936.", evidence) == []
    assert findings("Ann Bo led its board from 1936.", evidence)
    other = ("Ann Bo", "Ann Bo left the board in 1899 and sold the train, in 1936 she died.")
    assert findings("Ann Bo sold the train in 1936.", other)


def test_a_date_set_off_by_commas_belongs_to_the_verb_behind_it_too():
    evidence = ("Ann Bo", "Ann Bo, in 1951, won the cup of 1870.")
    assert findings("Ann Bo won the cup in 1951.", evidence) == []
    [found] = findings("Ann Bo won the cup in 1952.", evidence)
    assert found.sure


def test_a_date_within_a_stretch_of_years_does_not_hold_its_ends():
    claim = "Ann Bo sat on the council from 1935 to 1960."
    told = ("Ann Bo", "Ann Bo sat on the council from 1935 to 1950.")
    within = ("Ann Bo", "The council opened a school in 1940.")
    assert [one.sure for one in findings(claim, told, within)] == [True]
    assert findings(claim, ("Ann Bo", "Ann Bo sat on the council in 1935 and in 1960.")) == []
    assert findings("Ann Bo sat on the council between 1935 and 1960.", within) == []


def test_one_sentence_that_says_it_silences_another():
    claim = "Ida Fenn is a pilot."
    denies, says = ("Ida Fenn", "Ida Fenn is not a pilot."), ("Ida Fenn", "Ida Fenn is a pilot.")
    assert findings(claim, denies)
    assert findings(claim, denies, says) == []


def test_every_value_must_lie_in_a_range():
    evidence = ("Room 4", "Three pupils of Room 4 scored 85%, 86% and 89.4% in the test.")
    within = compared("All pupils of Room 4 scored between 80% and 90% in the test.", evidence)
    assert findings_of(within) == []
    beyond = compared("All pupils of Room 4 scored between 86% and 90% in the test.", evidence)
    assert False in numbers_held(beyond).values()


def test_without_evidence_nothing_speaks():
    empty = compared("Ida Fenn is 9 years old.")
    assert findings_of(empty) == []
    assert held_otherwise(empty, 0) == ([], [])


def test_a_word_is_held_otherwise_where_it_is_not_written_itself():
    bridge = compared(
        "The Heron Bridge was open in the war.",
        ("Heron Bridge", "It was not closed in the war."),
        ("Heron Bridge", "It was open in the war."),
        ("Ida Fenn", "She was not closed."),
    )
    assert [set(held_otherwise(bridge, at)[1]) for at in range(3)] == [{"open"}, set(), set()]


@pytest.mark.parametrize(
    ("claim", "sentence", "held"),
    [
        ("The population of Norland is 67 million.", "Norland has 67 million inhabitants.", True),
        ("The population of Norland is 68 million.", "Norland has 67 million inhabitants.", False),
        ("The population of Norland is 67 million.", "Norland exports 67 million tonnes.", False),
        ("The height of Norland Tower is 90 metres.", "Norland Tower is 90 m tall.", True),
    ],
)
def test_a_measure_is_held_by_another_word_and_the_same_number(
    claim: str, sentence: str, held: bool
):
    stems = set(held_otherwise(compared(claim, ("Norland", sentence)), 0)[1])
    assert bool({"popul", "height"} & stems) is held


@pytest.mark.parametrize(
    ("claim", "sentence", "kind"),
    [
        (
            "Gil Rusk is a member of the guild.",
            "Gil Rusk is a former member of the guild.",
            "hedged",
        ),
        ("Gil Rusk is a member of the guild.", "Gil Rusk is an ex-member of the guild.", "hedged"),
        ("Gil Rusk is in the guild.", "Gil Rusk left the guild.", "hedged"),
        ("Gil Rusk is a thief.", "Gil Rusk is believed to be a thief.", "hedged"),
        ("Gil Rusk is a thief.", "Rumour has it that Gil Rusk is a thief.", "hedged"),
        ("Gil Rusk is a thief.", "Was Gil Rusk a thief?", "hedged"),
        ("Gil Rusk is a thief.", "The claim that Gil Rusk is a thief is false.", "denied"),
        ("Gil Rusk is a smoker.", "Gil Rusk is a non-smoker.", "denied"),
        ("Gil Rusk was never a cook.", "Gil Rusk was a cook.", "denied"),
        ("Gil Rusk lacks a licence.", "Gil Rusk has a licence.", "denied"),
        ("Gout is more common in wet lands than in dry ones.", "Gout is rare.", ""),
        (
            "Gout is more common in men than in women.",
            "It is more common in women than men.",
            "roles",
        ),
    ],
)
def test_denials_and_hedges_of_other_forms(claim: str, sentence: str, kind: str):
    title = "Gout" if claim.startswith("Gout") else "Gil Rusk"
    found = [one.kind for one in findings(claim, (title, sentence))]
    assert found[:1] == ([kind] if kind else [])


@pytest.mark.parametrize(
    "sentence",
    [
        "Gil Rusk is not only a cook but also a baker.",
        "No one doubts that Gil Rusk is a cook.",
        "There is no doubt that Gil Rusk is a cook.",
    ],
)
def test_what_looks_like_a_denial(sentence: str):
    assert findings("Gil Rusk is a cook.", ("Gil Rusk", sentence)) == []
    assert findings("Gil Rusk was a cook.", ("Gil Rusk", "He is a former cook.")) == []
