"""Where phrases begin and end: names, dates, quoted titles, lists."""

import pytest

from hippohover.indexing.triples.noun_spans import MAX_COORDINATED, MAX_PHRASE_TOKENS, NounSpans
from hippohover.language.parse import Parse
from tests.indexing.triples.triple_samples import facts
from tests.language.parse_samples import parse_of, written

HANKS = written(
    "American actor Tom Hanks left the capital of Northern Varda.",
    "American/JJ/amod/1 actor/NN/compound/3 Tom/NNP/compound/3 Hanks/NNP/nsubj/4 left/VBD/ROOT/4 "
    "the/DT/det/6 capital/NN/dobj/4 of/IN/prep/6 Northern/NNP/compound/9 Varda/NNP/pobj/7 "
    "././punct/4",
)
TRIO = written(
    "Ann Lee, Bo Day and Cy Fox met in Springfield, Illinois.",
    "Ann/NNP/compound/1 Lee/NNP/nsubj/8 ,/,/punct/1 Bo/NNP/compound/4 Day/NNP/appos/1 and/CC/cc/4 "
    "Cy/NNP/compound/7 Fox/NNP/conj/4 met/VBD/ROOT/8 in/IN/prep/8 Springfield/NNP/pobj/9 "
    ",/,/punct/10 Illinois/NNP/appos/10 ././punct/8",
)
DATES = written(
    "It opened on 3 May 1850 and on March 3, 1950.",
    "It/PRP/nsubj/1 opened/VBD/ROOT/1 on/IN/prep/1 3/CD/nummod/4 May/NNP/pobj/2 "
    "1850/CD/nummod/4 and/CC/cc/2 on/IN/conj/2 March/NNP/pobj/7 3/CD/nummod/8 ,/,/punct/8 "
    "1950/CD/nummod/8 ././punct/1",
)
WIFE = written(
    "His wife, the actress Mina Sordi, sang.",
    "His/PRP$/poss/1 wife/NN/nsubj/8 ,/,/punct/1 the/DT/det/4 actress/NN/appos/1 "
    "Mina/NNP/compound/6 Sordi/NNP/appos/4 ,/,/punct/1 sang/VBD/ROOT/8 ././punct/8",
)
SONG = written(
    'Ann Lee wrote "Rivers of Glass" in Oslo.',
    'Ann/NNP/compound/1 Lee/NNP/nsubj/2 wrote/VBD/ROOT/2 "/``/punct/2 Rivers/NNPS/dobj/2 '
    "of/IN/prep/4 Glass/NNP/pobj/5 \"/''/punct/4 in/IN/prep/2 Oslo/NNP/pobj/8 ././punct/2",
)


def phrase(parse: Parse, noun: int, topic: str = "") -> str:
    spans = NounSpans(parse, topic)
    return spans.text_of(*spans.span(noun))


def test_a_quoted_title_is_one_name():
    found = facts("Ann Lee", 'Ann Lee wrote the song "Rivers of Glass".')
    assert {("Ann Lee", "wrote", "Rivers of Glass"), ("Rivers of Glass", "is", "song")} <= found


def test_phrases_take_their_of_phrase_and_leave_what_only_describes():
    assert phrase(HANKS, 3) == "Tom Hanks"
    assert phrase(HANKS, 6) == "capital of Northern Varda"
    assert phrase(HANKS, 9) == "Northern Varda"
    spans = NounSpans(HANKS, "")
    assert spans.span(6) == (5, 9)
    assert spans.core(6) == "capital"
    assert spans.description(3) == "American actor"
    assert spans.name_start(3) == 2
    assert spans.description(9) == ""
    assert spans.description(6) == ""


@pytest.mark.parametrize(("noun", "expected"), [(4, "3 May 1850"), (8, "March 3, 1950")])
def test_dates_are_whole(noun: int, expected: str):
    assert phrase(DATES, noun) == expected


def test_a_day_that_hangs_elsewhere_belongs_to_its_month():
    parse = written(
        "It opened 3 May.",
        "It/PRP/nsubj/1 opened/VBD/ROOT/1 3/CD/dobj/1 May/NNP/npadvmod/1 ././punct/1",
    )
    assert phrase(parse, 3) == "3 May"


def test_a_name_goes_on_behind_its_head():
    apollo = written(
        "Apollo 11 landed.", "Apollo/NNP/nsubj/2 11/CD/nummod/0 landed/VBD/ROOT/2 ././punct/2"
    )
    assert phrase(apollo, 0) == "Apollo 11"


@pytest.mark.parametrize(
    ("best", "expected"),
    [("Best", "Academy Award for Best Actor"), ("best", "Academy Award")],
)
def test_an_award_has_its_for(best: str, expected: str):
    award = written(
        f"He won the Academy Award for {best} Actor.",
        "He/PRP/nsubj/1 won/VBD/ROOT/1 the/DT/det/4 Academy/NNP/compound/4 Award/NNP/dobj/1 "
        f"for/IN/prep/4 {best}/NNP/compound/7 Actor/NNP/pobj/5 ././punct/1",
    )
    assert phrase(award, 4) == expected


def test_a_chain_of_of_ends_at_a_length():
    n = 30
    words = ["n0", *(word for number in range(1, n) for word in ("of", f"n{number}"))]
    tags = ["NN", *["IN", "NN"] * (n - 1)]
    deps = ["ROOT", *["prep", "pobj"] * (n - 1)]
    heads = [0, *range(2 * n - 2)]
    left, right = NounSpans(parse_of(words, tags, deps, heads), "").span(0)
    assert (left, right) == (0, 12)
    assert right - left < MAX_PHRASE_TOKENS


def test_what_is_joined_by_commas_is_a_list_but_a_place_is_not():
    spans = NounSpans(TRIO, "")
    assert spans.coordinated(1) == [1, 4, 7]
    assert spans.coordinated(4) == [4, 7]
    assert spans.is_place_pair(10, 12)
    assert not spans.is_place_pair(1, 4)
    assert spans.coordinated(10) == [10]


def test_what_stands_in_brackets_is_not_joined():
    lee = written(
        "Ann Lee (Bo Day) met.",
        "Ann/NNP/compound/1 Lee/NNP/nsubj/6 (/-LRB-/punct/1 Bo/NNP/compound/4 Day/NNP/appos/1 "
        ")/-RRB-/punct/1 met/VBD/ROOT/6 ././punct/6",
    )
    assert NounSpans(lee, "").coordinated(1) == [1]


def test_a_list_has_a_greatest_length():
    n = MAX_COORDINATED + 50
    words = ["Ann", *[",", "Bo"] * n]
    tags = ["NNP", *[",", "NNP"] * n]
    deps = ["ROOT", *["punct", "conj"] * n]
    heads = [0, *(head for number in range(n) for head in (2 * number, 2 * number))]
    found = NounSpans(parse_of(words, tags, deps, heads), "").coordinated(0)
    assert found == list(range(0, 2 * MAX_COORDINATED, 2))


def test_the_name_of_a_described_noun():
    spans = NounSpans(WIFE, "")
    assert spans.named_apposition(1) == 6
    assert spans.named_apposition(4) == 6
    assert spans.named_apposition(6) == -1
    assert NounSpans(HANKS, "").named_apposition(6) == -1


def test_what_is_quoted_is_a_name_that_begins_with_a_capital():
    spans = NounSpans(SONG, "")
    assert spans.quotes == {4: (4, 6)}
    assert spans.unit_text(4) == spans.core(4) == "Rivers of Glass"
    assert spans.unit_text(9) == ""
    said = written(
        'He said "never again" there.',
        'He/PRP/nsubj/1 said/VBD/ROOT/1 "/``/punct/1 never/RB/neg/4 again/NN/dobj/1 '
        "\"/''/punct/1 there/RB/advmod/1 ././punct/1",
    )
    assert NounSpans(said, "").quotes == {}


def test_a_quote_without_an_end_is_none():
    cut = written(
        'He wrote "Rivers of Glass',
        'He/PRP/nsubj/1 wrote/VBD/ROOT/1 "/``/punct/3 Rivers/NNS/dobj/1 of/IN/prep/3 '
        "Glass/NNP/pobj/4",
    )
    assert NounSpans(cut, "").quotes == {}


def test_mentions_of_the_topic_are_whole_words():
    spans = NounSpans(TRIO, "Ann Lee")
    assert spans.topic_spans == {1: (0, 1)}
    assert spans.topic_ends == {1}
    assert spans.unit_text(1) == spans.core(1) == "Ann Lee"
    assert NounSpans(TRIO, "Lee, Bo Da").topic_spans == {}
    assert NounSpans(TRIO, "nn Lee").topic_spans == {}


def test_a_topic_of_common_words_is_a_name():
    rain = written(
        "the long rain ended", "the/DT/det/2 long/JJ/amod/2 rain/NN/nsubj/3 ended/VBD/ROOT/3"
    )
    assert not NounSpans(rain, "").is_name(2)
    assert NounSpans(rain, "long rain").is_name(2)
    assert NounSpans(rain, "long rain").is_proper(2)


def test_a_number_is_a_name_but_not_a_proper_one():
    spans = NounSpans(DATES, "")
    assert [spans.is_name(11), spans.is_proper(11)] == [True, False]
    assert [spans.is_name(8), spans.is_proper(8)] == [True, True]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("the old mill .", "old mill"),
        ('" The Who "', "Who"),
        ("The", ""),
        ("( a painter", "painter"),
        ("mill ( old", "mill"),
        ("mill ( old )", "mill"),
        ("mill ( old ) works", "mill ( old ) works"),
        ("their own mill", "own mill"),
    ],
)
def test_text_is_without_articles_and_outer_marks(words: str, expected: str):
    tokens = words.split()
    parse = parse_of(tokens, ["NN"] * len(tokens), ["dep"] * len(tokens), [0] * len(tokens))
    assert NounSpans(parse, "").text_of(0, len(tokens) - 1) == expected
