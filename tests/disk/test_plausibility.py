"""Whether what bytes were decoded to reads like a text."""

import pytest

from hippohover.disk.plausibility import holds_controls, plausibility


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Plain ASCII, iPhones and McDonald's.",
        "L'été à Liège",
        "nº 5, 7 µm, 20 °C, Heron®",
        "Старый город, USB-порт и C#",
        "古い橋は1912年に建てられました。",
        "오래된 다리는 1912년에",
        "สะพานเก่า",
    ],
)
def test_a_text_is_wholly_plausible(text: str):
    assert plausibility(text) == 1.0


@pytest.mark.parametrize(
    "odd",
    [
        "лИсТ",  # capitals inside words
        "éÀlÉ",
        "caд",  # two scripts in one word
        "a桥б",
        "שalom",
        "á¬",  # signs among letters
        "д╣ж",
        "\x81",  # no characters
        "\ue000",
        "龘龖",  # that hardly anybody writes
        "한國",
    ],
)
def test_what_no_text_has_is_odd(odd: str):
    assert 0 < plausibility(f"Die Brücke {odd}") < 1
    assert plausibility(f"{odd} " * 20) == 0.0


def test_one_odd_place_among_many_is_forgiven():
    assert plausibility("мост " * 20 + "лИсТ") > 0.9
    assert plausibility("мост " * 20 + "лИсТ" * 20) == 0.0


def test_control_codes_are_counted_against_all_characters():
    assert holds_controls("\0" * 4 + "a" * 10)
    assert not holds_controls("\0" + "a" * 10)
    assert not holds_controls("\t\n\r\f\v\x1b")
