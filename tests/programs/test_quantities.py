"""Quantities: ten ways to state one, and what is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.programs.quantities import (
    QUANTITY_WEIGHT,
    quantitative_claim_extractor,
    quantitative_weight,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It reached 94.2% accuracy.", ("94.2%",)),
        ("A rise of 12 per cent in a year.", ("12 per cent",)),
        ("It was significant (p < 0.001).", ("p < 0.001",)),
        ("The odds ratio = 1.8 was high.", ("odds ratio = 1.8",)),
        ("Cohen's d = 0.45 was small.", ("Cohen's d = 0.45",)),
        ("It was 3.1 (95% CI 2.0 to 4.2).", ("95% CI 2.0 to 4.2",)),
        ("The mass is 5.2 ± 0.3 of it.", ("5.2 ± 0.3",)),
        ("A river of 1,230 km in the north.", ("1,230 km",)),
        ("It flows at 3.5 m/s there.", ("3.5 m/s",)),
        ("At 25 °C it melts.", ("25 °C",)),
        ("It cost $2.5 million to build.", ("$2.5 million",)),
        ("A 3-fold increase was seen.", ("3-fold",)),
        ("Mixed at a ratio of 2:1 with sand.", ("2:1",)),
        ("It weighs 1.6 × 10^-19 kg at rest.", ("1.6 × 10^-19 kg",)),
        ("A town of 4,500 inhabitants.", ("4,500 inhabitants",)),
        ("A solution of 10^-3 mol in water.", ("10^-3 mol",)),
        ("About 2 x 10^-3 mol of it.", ("2 x 10^-3 mol",)),
        ("5×10⁻³ mol in 10⁻³ L.", ("5×10⁻³ mol", "10⁻³ L")),
        ("10^{-3} mol or 10**-3 mol", ("10^{-3} mol", "10**-3 mol")),
        ("A dose of 10−3 mol or 10-4 mol.", ("10−3 mol", "10-4 mol")),
        ("A dose of 10–3 mol or 2 × 10–4 mol.", ("10–3 mol", "2 × 10–4 mol")),
        ("A dose of 10-30 mol, at 5–10 km.", ("30 mol", "10 km")),
        ("A pause of 10-3 days.", ("3 days",)),
        ("2 mol/L, not 5 mg/dL", ("2 mol/L", "5 mg/dL")),
        ("It held (p < 10^-5).", ("p < 10^-5",)),
        ("At -3 \u00b0C it froze.", ("-3 \u00b0C",)),
        ("It held (p < .05).", ("p < .05",)),
        ("It held, P < 0.001.", ("P < 0.001",)),
        ("A p-value of 0.03 was found.", ("p-value of 0.03",)),
        ("A hair is 70 \u03bcm wide.", ("70 \u03bcm",)),
        ("About 12,5 % of them.", ("12,5 %",)),
        ("In 1942 300 people left.", ("300 people",)),
        ("The odds ratio 1.9 was high.", ("odds ratio 1.9",)),
        ("Odds ratios of 1.9 and 2.4", ("Odds ratios of 1.9",)),
        ("The odds ratio (OR) was 1.9.", ("odds ratio (OR) was 1.9",)),
        ("Smoking mattered (OR 1.9; aOR, 1.4).", ("OR 1.9", "aOR, 1.4")),
        ("It fell, HR 0.81 (95% CI 0.7 to 0.9).", ("HR 0.81", "95% CI 0.7 to 0.9")),
        ("A hazard ratio 0.81 (0.7 to 0.9)", ("hazard ratio 0.81",)),
        ("A relative risk of 3 was seen.", ("relative risk of 3",)),
        ("The risk ratio was 0.5 there.", ("risk ratio was 0.5",)),
        ("A standardised mean difference of -0.3", ("standardised mean difference of -0.3",)),
        ("Cohen’s d of 0.45 is small.", ("Cohen’s d of 0.45",)),
        ("A fold change of 4 in mice.", ("fold change of 4",)),
        ("The log2 fold change was 1.5.", ("log2 fold change was 1.5",)),
        ("It runs 2.5x faster, a 3× gain.", ("2.5x", "3×")),
    ],
)
def test_a_quantity_is_found_as_it_is_written(text: str, found: tuple[str, ...]):
    assert quantitative_claim_extractor(text) == found
    assert quantitative_weight(text) == QUANTITY_WEIGHT


@pytest.mark.parametrize(
    "text",
    ["", "She was born in 1984.", "It improves substantially.", "Apollo 11 flew.", "Room 7b.",
     "10^-3 of it.", "n^-3 mol", "On 4 May 2001 it opened.", "Salem, OR 97301", "red OR 2 blue",
     "It asks for an odds ratio.", "A board of 3x4 or 3 x 4.", "10x Genomics made it.",
     "The hazard ratio fell in 1998, as was said.", "Model 3x-b."],
)  # fmt: skip
def test_what_states_none(text: str):
    assert quantitative_claim_extractor(text) == ()
    assert quantitative_weight(text) == 1.0


def test_several_are_found_in_order_and_each_once():
    assert quantitative_claim_extractor("In 1984 12 people came.") == ("12 people",)
    text = "From 10% to 12%, then 10% again; p = 0.03 and 40 km."
    assert quantitative_claim_extractor(text) == ("10%", "12%", "p = 0.03", "40 km")


@given(st.text(max_size=200))
def test_any_text_is_read(text: str):
    found = quantitative_claim_extractor(text)
    assert (quantitative_weight(text) > 1) == bool(found)
    assert len(set(found)) == len(found)


def test_a_decade_is_none():
    assert quantitative_claim_extractor("It was made in the 1980s.") == ()


@pytest.mark.parametrize("part", ["1", "111 ", "1,", "1.1", "1:", "1 x 10^", "12345 %", "CI 1 to "])
def test_a_long_text_of_digits_states_what_a_short_one_does(part: str):
    """In linear time too: ``benchmarks/linear_time.py``."""
    expected = ("12345 %",) if "%" in part else ()
    assert quantitative_claim_extractor(part * 2_000) == expected
