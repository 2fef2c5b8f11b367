"""Which words are written as names."""

import pytest

from hippohover.language.cues import words_of
from hippohover.language.named import names_in


@pytest.mark.parametrize(
    ("text", "names", "named"),
    [
        ("Ida Fenn met him.", (), ["ida", "fenn"]),
        ("They saw Never Look Back.", (), ["never", "look", "back"]),
        ("They saw never look back.", ("never look back",), ["never", "look", "back"]),
        ("He knew the Bank of England.", (), ["bank", "of", "england"]),
        ("Previously she sang.", (), []),
        ("Superseded-By: LEP 12", (), ["lep", "12"]),
    ],
)
def test_names(text: str, names: tuple[str, ...], named: list[str]):
    told = words_of(text)
    found = names_in(text, told, names)
    assert [word for (word, _, _), one in zip(told, found, strict=True) if one] == named
