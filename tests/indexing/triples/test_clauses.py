"""Clauses: whom a verb is about, its predicate and its arguments."""

import pytest

from hippohover.indexing.triples.clauses import Clauses
from hippohover.indexing.triples.noun_phrases import NounPhrases
from hippohover.language.parse import Parse
from tests.indexing.triples.triple_samples import facts, read
from tests.language.parse_samples import written


def test_negation_stays_in_the_predicate():
    found = read("Ann Lee", "Ann Lee did not win the Silver Harp.")
    assert [(t.subject, t.object) for t in found] == [("Ann Lee", "Silver Harp")]
    assert "not" in found[0].predicate.split()


def test_a_refused_act_is_not_told_as_done():
    found = facts("Ann Lee", "Ann Lee refused to join the Ash Quartet.")
    assert ("Ann Lee", "refused to join", "Ash Quartet") in found
    assert not any(predicate == "join" for _, predicate, _ in found)


# Single clauses, written down.


def clauses_of(parse: Parse, title: str = "") -> Clauses:
    return Clauses(parse, NounPhrases(parse, title))


HARP = written(
    "Ann Lee did not win the Silver Harp.",
    "Ann/NNP/compound/1 Lee/NNP/nsubj/4 did/VBD/aux/4 not/RB/neg/4 win/VB/ROOT/4 the/DT/det/7 "
    "Silver/NNP/compound/7 Harp/NNP/dobj/4 ././punct/4",
)
JOINED = written(
    "She refused to give up painting.",
    "She/PRP/nsubj/1 refused/VBD/ROOT/1 to/TO/aux/3 give/VB/xcomp/1 up/RP/prt/3 "
    "painting/NN/dobj/3 ././punct/1",
)
WRITTEN = written(
    "Gone was written and directed by Tom Ford.",
    "Gone/NNP/nsubjpass/2 was/VBD/auxpass/2 written/VBN/ROOT/2 and/CC/cc/2 directed/VBN/conj/2 "
    "by/IN/agent/4 Tom/NNP/compound/7 Ford/NNP/pobj/5 ././punct/2",
)
PART = written(
    "Ann Lee took part in the Varda War.",
    "Ann/NNP/compound/1 Lee/NNP/nsubj/2 took/VBD/ROOT/2 part/NN/dobj/2 in/IN/prep/2 the/DT/det/7 "
    "Varda/NNP/compound/7 War/NNP/pobj/4 ././punct/2",
)
SON = written(
    "The painter whose son is Bo Day lived in Oslo.",
    "The/DT/det/1 painter/NN/nsubj/7 whose/WP$/poss/3 son/NN/nsubj/4 is/VBZ/relcl/1 "
    "Bo/NNP/compound/6 Day/NNP/attr/4 lived/VBD/ROOT/7 in/IN/prep/7 Oslo/NNP/pobj/8 ././punct/7",
)
NOVEL = written(
    "The novel that Henry Wells wrote is long.",
    "The/DT/det/1 novel/NN/nsubj/6 that/WDT/dobj/5 Henry/NNP/compound/4 Wells/NNP/nsubj/5 "
    "wrote/VBD/relcl/1 is/VBZ/ROOT/6 long/JJ/acomp/6 ././punct/6",
)


def test_predicates_keep_not_particles_and_the_verbs_they_depend_on():
    assert clauses_of(HARP).predicate(4) == "not win"
    assert clauses_of(JOINED).predicate(1) == "refused"
    assert clauses_of(JOINED).predicate(3) == "refused to give up"
    assert clauses_of(WRITTEN).predicate(2) == "written"


def test_to_be_keeps_its_auxiliaries():
    will = written(
        "Lee will be mayor.",
        "Lee/NNP/nsubj/2 will/MD/aux/2 be/VB/ROOT/2 mayor/NN/attr/2 ././punct/2",
    )
    assert clauses_of(will).predicate(2) == "will be"


def test_verbs_that_are_joined_share_subject_and_agent():
    clauses = clauses_of(WRITTEN)
    assert clauses.subjects_of(2) == clauses.subjects_of(4) == ["Gone"]
    assert clauses.arguments(2) == clauses.arguments(4) == [("by", 7)]


def test_an_object_without_a_name_goes_into_the_predicate():
    assert clauses_of(PART).arguments(2) == [("", 3), ("part in", 7)]
    assert clauses_of(HARP).arguments(4) == [("", 7)]


def test_a_quoted_title_does_not_go_into_the_predicate():
    sang = written(
        'Lee sang "Rain" in Oslo.',
        "Lee/NNP/nsubj/1 sang/VBD/ROOT/1 \"/``/punct/3 Rain/NN/dobj/1 \"/''/punct/3 in/IN/prep/1 "
        "Oslo/NNP/pobj/5 ././punct/1",
    )
    assert clauses_of(sang).arguments(1) == [("", 3), ("in", 6)]


def test_prepositions_behind_prepositions_are_one_joint():
    within = written(
        "It came from within or outside the city.",
        "It/PRP/nsubj/1 came/VBD/ROOT/1 from/IN/prep/1 within/IN/prep/2 or/CC/cc/3 "
        "outside/IN/conj/3 the/DT/det/7 city/NN/pobj/5 ././punct/1",
    )
    assert list(clauses_of(within).prepositional(2, "")) == [("from outside", 7)]
    assert list(clauses_of(within).prepositional(5, "known")) == [("known outside", 7)]


def test_idioms_are_no_arguments():
    idiom = written(
        "In addition Lee won.",
        "In/IN/prep/3 addition/NN/pobj/0 Lee/NNP/nsubj/3 won/VBD/ROOT/3 ././punct/3",
    )
    assert clauses_of(idiom).arguments(3) == []


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ("famous/JJ/acomp/1 for/IN/prep/2 Gone/NNP/pobj/3", [("famous for", 4)]),
        ("together/RB/advmod/1 with/IN/prep/2 Lee/NNP/pobj/3", [("together with", 4)]),
        ("given/VBN/advcl/1 May/NNP/npadvmod/1 1950/CD/nummod/3", [("on", 3)]),
        ("not/RB/neg/1 so/RB/advmod/1 1950/CD/npadvmod/1", [("in", 4)]),
        ("every/DT/det/3 day/NN/npadvmod/1 there/RB/advmod/1", []),
        ("what/WP/dobj/1 they/PRP/nsubj/1 are/VBP/aux/1", []),
    ],
)
def test_what_joins_an_argument(tokens: str, expected: list[tuple[str, int]]):
    text = " ".join(["She", "is", *(token.split("/")[0] for token in tokens.split())])
    parse = written(text, f"She/PRP/nsubj/1 is/VBZ/ROOT/1 {tokens}")
    assert clauses_of(parse).arguments(1) == expected


@pytest.mark.parametrize(
    ("owner", "title", "expected"),
    [
        ("His/PRP$/poss/1", "Ivo Brandt", "Ivo Brandt"),
        ("Its/PRP$/poss/1", "Gone (film)", "Gone"),
        ("My/PRP$/poss/1", "Ivo Brandt", ""),
        ("Old/JJ/amod/1", "Ivo Brandt", ""),
        ("Lee/NNP/poss/1", "Ivo Brandt", "Lee"),
    ],
)
def test_who_owns_a_noun(owner: str, title: str, expected: str):
    parse = written(
        f"{owner.split('/', maxsplit=1)[0]} house fell.",
        f"{owner} house/NN/nsubj/2 fell/VBD/ROOT/2 ././punct/2",
    )
    assert clauses_of(parse, title).owner(1) == expected


def test_a_noun_without_its_owner():
    wife = written(
        "Ann Lee's first wife left.",
        "Ann/NNP/compound/1 Lee/NNP/poss/4 's/POS/case/1 first/JJ/amod/4 wife/NN/nsubj/5 "
        "left/VBD/ROOT/5 ././punct/5",
    )
    clauses = clauses_of(wife)
    assert (clauses.owner(4), clauses.without_owner(4)) == ("Ann Lee", "first wife")
    assert clauses.subjects_of(5) == ["Ann Lee's first wife"]


def test_what_relative_pronouns_stand_for():
    clauses = clauses_of(SON)
    assert clauses.owner(3) == "painter"
    assert clauses.subjects_of(4) == ["painter's son"]
    assert clauses_of(NOVEL).subjects_of(5) == ["Henry Wells"]
    assert clauses_of(NOVEL).names_of_subjects([2], 5) == ["novel"]


def test_a_verb_without_a_subject_has_none():
    go = written("Go to Oslo.", "Go/VB/ROOT/0 to/IN/prep/0 Oslo/NNP/pobj/1 ././punct/0")
    assert clauses_of(go, "Varda").subjects_of(0) == []


def test_a_finite_verb_behind_the_title_is_about_the_title():
    unread = written("琥珀 is here", "琥珀/NN/dep/2 is/VBZ/ccomp/2 here/RB/ROOT/2")
    assert clauses_of(unread, "琥珀").subjects_of(1) == ["琥珀"]
    assert clauses_of(unread, "塔").subjects_of(1) == []
