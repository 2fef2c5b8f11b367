"""The first row of a table: names of its columns, or a row like the others."""

import pytest

from hippohover.errors import CorpusError
from hippohover.indexing.corpus.readers.records.table_header import (
    NO_END,
    column_names,
    delimiter_of,
    n_lines_above,
    quote_problem,
)


def names_of(*lines: str) -> list[str] | None:
    """Names that a table without header is given; None of one whose first row has them."""
    first, *rows = [line.split(",") for line in lines]
    names, is_header = column_names(first, rows, "t.csv")
    return None if is_header else names


@pytest.mark.parametrize(
    "lines",
    [
        ["name,role", "Jonas Brandt,pilot"],
        ["Name,Born,Ship", "Jonas Brandt,1901,Heron", "Mara Lind,1904,Heron"],
        ["Region,2019,2020", "North,12,14", "South,9,8"],
        ["Region,2019,2020", "North,12 %,14 %"],
        ["Region,2024-01,2024-02", "North,12,14"],
        ["id,text", "1,It froze."],
        ["title,what we know of it", "Mill,It stood."],
        ["Ship name,Where did she go?", "Heron,Port Senna"],
        ["name", "Ada Finch", "Jonas Brandt"],
        ["a,b", ","],
        ["a,b"],
        ["When,Where did the ship go in the storm?", "2024-05-01,It went to Port Senna at last."],
        ["Say in your own words what you saw.,How many?", "It fell into the sea at noon.,3"],
        ["What do you think of the new mole?"],
    ],
)
def test_names_are_a_header(lines: list[str]):
    assert names_of(*lines) is None


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        (["7,It froze.", "8,It thawed."], ["id", "text"]),
        (["7,It froze.,Ice", "8,It thawed.,Ice"], ["id", "text", "title"]),
        (["Jonas Brandt,pilot,1901", "Mara Lind,cook,1904"], ["column 1", "column 2", "column 3"]),
        (["Jonas Brandt,pilot", "Mara Lind,pilot"], ["column 1", "column 2"]),
        (["Ada,ada@senna.example", "Mara,mara@senna.example"], ["column 1", "column 2"]),
        (["Ada,2024-05-01", "Mara,2024-05-02"], ["column 1", "column 2"]),
        (["n/a,Ada,7", "12,Mara,8"], ["column 1", "column 2", "column 3"]),
        (["q1,Who came to the port at noon?", "q2,Who left it in the storm?"], ["id", "text"]),
        (["Ada,-1.5 %", "Mara,12 %"], ["column 1", "column 2"]),
        (["d1,The mill stood in Port Senna.", "d2,It fell in the last storm."], ["id", "text"]),
        (["Ice,The mill stood in Port Senna.", "Ice,It fell in the last big storm."],
         ["column 1", "column 2"]),
        (["d1,The mill stood in Port Senna.,7", "d2,It fell in the last storm.,8"],
         ["column 1", "column 2", "column 3"]),  # else nothing would say the 7
        (["The mill stood in Port Senna."], ["text"]),
        (["a,b,c,d,a", "e,f,g,h,a"], ["column 1", "column 2", "column 3", "column 4", "column 5"]),
    ],
)  # fmt: skip
def test_a_row_like_the_others_is_no_header(lines: list[str], names: list[str]):
    assert names_of(*lines) == names


def test_names_stand_once_each_and_a_blank_one_is_numbered():
    assert column_names(["a", " ", "a", "b  c"], [], "t.csv") == (
        ["a", "column 2", "a 3", "b c"],
        True,
    )


def test_a_table_has_ten_thousand_columns_at_most():
    with pytest.raises(CorpusError, match=r"t\.csv: a table of 10001 columns: the limit is 10000"):
        column_names(["a"] * 10_001, [], "t.csv")


def test_rows_of_other_lengths_are_no_trouble():
    assert column_names(["x", "y", "z"], [["1"], [], ["1", "2", "3", "4"]], "t.csv")[1]


@pytest.mark.parametrize(
    ("lines", "n_above"),
    [
        ("Report|name,role|Ada,pilot", 1),
        ("Report||# all|name,role|Ada,pilot|Total", 3),
        ("name,role|Ada,pilot", 0),
        ("name,role|Ada,pilot,Heron|Bob,cook,Heron", 0),
        ("#id,name|1,Ada", 0),
        ("Report|name,role", 0),
        ("text|one, two|three, four", 0),
        ("key|one, two|three, four", 0),
        ("Notes|one|two", 0),
        ("Report|a,b|c,d,e|f,g,h,i", 0),
        ('Report|name,role|Ada,"pilot|of the Heron"|Bob,cook', 1),
        (f"{'x|' * 11}a,b|c,d", 0),
        ("Report,,|name,role,ship|Ada,pilot,Heron", 1),
        ("Report,,|,,|name,role,ship|Ada,pilot,Heron", 2),
        ('"Report, 2024",,|name,role,ship|Ada,pilot,Heron', 1),
        ("text,,|name,role,ship|Ada,pilot,Heron", 0),
        ("Ship,,|Heron,5,6|Swan,7,8", 0),
        ("Ship,,|Heron,a,|Swan,b,", 0),
        ("Report,,", 0),
        ("a,b,c|Ada,,|name,role,ship", 0),
    ],
)
def test_lines_above_a_table_have_fewer_cells_than_its_rows(lines: str, n_above: int):
    sample = lines.replace("|", "\n|").split("|")
    assert n_lines_above(sample, {"key"}) == n_above


@pytest.mark.parametrize("sign", [",", "\t", ";"])
def test_the_most_frequent_sign_outside_of_quotes_parts_the_cells(sign: str):
    assert delimiter_of(f'a{sign}"||||"{sign}b\n') == sign


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("a,b\n", ""),
        ('a,"b, ""c""\nd"\n', ""),
        ('a,"b\nc,d\n', NO_END),
        ('a,"b\nc,"d"\n', "',' expected after '\"'"),
    ],
)
def test_a_quote_is_closed_before_the_next_cell(row: str, problem: str):
    assert quote_problem(row.splitlines(keepends=True), ",") == problem


def test_the_sign_between_cells_counts():
    assert quote_problem(['a;"b";c\n'], ";") == ""
    assert quote_problem(['a;"b";c\n'], ",") == ""  # one cell, whose quotes open nothing
    assert quote_problem(['"b";c\n'], ",") != ""
