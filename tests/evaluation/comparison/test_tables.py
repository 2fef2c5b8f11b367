import csv
import io
import re
from dataclasses import replace

import pytest

from hippohover.errors import UsageError
from hippohover.evaluation.comparison.tables import TableForm, table_of
from tests.evaluation.comparison.comparison_samples import comparison
from tests.index_samples import refused


def test_the_text_has_a_line_an_arm_and_a_set_where_that_fits_a_terminal():
    few = replace(comparison(), measures=("nDCG@5", "MRR@5"))
    lines = table_of(few).splitlines()
    assert [line.split() for line in lines[:3]] == [
        ["claims", "arm", "n", "nDCG@5", "MRR@5"],
        ["dev", "ppr", "1,200", "50.0", "50.0"],
        ["dev", "walk_2", "1,200", "70.0*", "70.0*"],
    ]


def test_a_wide_text_has_a_line_a_measure_and_no_line_is_too_long():
    text = table_of(comparison())
    lines = text.splitlines()
    assert [line.split() for line in lines[:3]] == [
        ["dev,", "n", "=", "1,200"],
        ["ppr", "walk_2"],
        ["nDCG@5", "50.0", "70.0*"],
    ]
    assert max(map(len, lines[:-1])) <= 80
    assert "test, n = 1,200" in lines
    assert lines[-1] == (
        "Values in %. * differs from ppr: p < 0.05, paired, Holm's correction over 24 tests."
    )


def test_nothing_is_said_to_be_tested_where_no_claim_differs():
    one = replace(comparison(), n_tests=0)
    assert table_of(one).endswith("Values in %. Nothing is tested: no claim differs from ppr.\n")
    alone = replace(one, arms=("ppr",))
    assert table_of(alone).endswith("\nValues in %.\n")


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_nothing_is_the_best_of_one_arm_or_of_equal_ones(form: TableForm):
    measured = comparison()
    alone = replace(measured, arms=("ppr",))
    alike = {name: {**by_arm, "walk_2": by_arm["ppr"]} for name, by_arm in measured.cells.items()}
    for one in (alone, replace(measured, cells=alike)):
        assert not re.search(r"<b>|textbf", table_of(one, form))


def test_what_is_not_sure_has_no_star():
    assert "70.0*" not in table_of(comparison(p=0.05))
    assert "70.0*" in table_of(comparison(p=0.049))


def test_markdown_is_a_table_with_the_best_in_bold():
    lines = table_of(comparison(second="a|b"), "markdown").splitlines()
    assert lines[1].startswith("| --- | --- | ---: |")
    assert len({line.replace(r"\|", "").count("|") for line in lines[:6]}) == 1
    assert r"| dev | a\|b | 1,200 | <b>70.0\*</b> |" in lines[3]
    assert "| test | ppr | 1,200 | <b>50.0</b> |" in lines[4]


def test_latex_is_a_tabular_with_its_signs_escaped():
    text = table_of(comparison(), "latex")
    lines = text.splitlines()
    assert lines[1] == r"\begin{tabular}{ll" + "r" * 9 + "}"
    assert r"all\_gold\_found@21 \\" in text
    assert r"dev & walk\_2 & 1,200 & \textbf{70.0*}" in text
    assert all(line.endswith(r"\\") for line in lines if "&" in line)
    assert lines[0] == r"% Needs \usepackage{booktabs}"
    assert lines[-2] == r"\end{tabular}"
    assert lines[-1].startswith(r"\par\smallskip{\footnotesize Values in \%. * differs from ppr")
    assert r"p \textless{} 0.05" in lines[-1]


def test_csv_has_a_row_a_number_with_its_test():
    rows = list(csv.DictReader(io.StringIO(table_of(comparison(), "csv"))))
    assert len(rows) == 2 * 2 * 8
    first = rows[0]
    assert (first["arm"], first["measure"], first["value"]) == ("ppr", "nDCG@5", "0.5")
    assert first["p"] == first["difference"] == ""
    gained = next(row for row in rows if row["arm"] == "walk_2")
    assert (gained["difference"], gained["p"], gained["p_corrected"]) == ("0.2", "0.005", "0.01")
    assert (first["n_tests"], gained["n_tests"]) == ("", "24")


def test_another_form_is_refused():
    with refused(UsageError, "form is 'html': give one of text, markdown, latex, csv"):
        table_of(comparison(), "html")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "csv"])
def test_every_form_ends_with_one_line_end(form: str):
    text = table_of(comparison(), form)  # pyright: ignore[reportArgumentType]
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
