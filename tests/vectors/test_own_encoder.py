"""Encoders of one's own: their names, their rows, and whether an index was built with them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hippohover.errors import ModelError, UsageError
from hippohover.testing.own_models import HashedWords
from hippohover.vectors.own_encoder import OwnEncoder, encoder_of_index
from hippohover.vectors.static_encoder import PACKAGED_SHA256

OTHERS: list[dict[str, str]] = [{}, {"name": "minilm-static", "sha256": PACKAGED_SHA256}]
"""What manifests say of an index without an encoder, and of one with a named encoder."""


class Giving(HashedWords):
    """Gives these rows, whatever it is asked for."""

    def __init__(self, rows: NDArray[np.float64]) -> None:
        super().__init__()
        self._rows = rows

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._rows.astype(np.float32)


def test_it_encodes_as_the_one_that_was_given():
    given = HashedWords()
    own = OwnEncoder(given)
    texts = ["the river", "", "the old mill"]
    assert (own.name, own.dim) == ("custom:hashed-words", 64)
    assert np.array_equal(own.encode(texts), given.encode(texts))
    assert own.encode([]).shape == (0, 64)


def test_its_fingerprint_changes_with_name_dimension_and_fingerprint():
    wider = HashedWords()
    wider.dim = 65
    some = [HashedWords(), HashedWords("other"), HashedWords(fingerprint="2"), wider]
    fingerprints = [OwnEncoder(one).fingerprint for one in some]
    assert len(set(fingerprints)) == 4
    assert all(len(one) == 64 for one in fingerprints)
    assert OwnEncoder(HashedWords()).fingerprint == fingerprints[0]


@pytest.mark.parametrize("name", ["", " ", "a b", "a\nb", "x" * 101, "é", None, 5])
def test_a_name_that_no_recipe_can_hold_is_refused(name: str):
    with pytest.raises(UsageError, match="encoder has the name"):
        OwnEncoder(HashedWords(name))


@pytest.mark.parametrize(
    ("field", "value"), [("dim", 0), ("dim", 2.5), ("dim", True), ("fingerprint", "")]
)
def test_a_field_that_cannot_be_used_is_named(field: str, value: object):
    encoder = HashedWords()
    setattr(encoder, field, value)
    with pytest.raises(UsageError, match=f"'custom:hashed-words' has {field}"):
        OwnEncoder(encoder)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (np.zeros((1, 64)), r"shape \(1, 64\): give shape \(2, 64\)"),
        (np.zeros((2, 63)), r"shape \(2, 63\)"),
        (np.ones((2, 64)), "a row of length 8:"),
        (np.full((2, 64), np.nan), "a row of length nan:"),
    ],
)
def test_rows_that_are_no_unit_vectors_are_an_error(rows: NDArray[np.float64], said: str):
    with pytest.raises(ModelError, match=said):
        OwnEncoder(Giving(rows)).encode(["a", "b"])


def test_it_is_not_asked_about_what_is_no_text():
    given = HashedWords()
    with pytest.raises(ModelError, match="lone surrogate"):
        OwnEncoder(given).encode(["\ud800"])
    with pytest.raises(UsageError, match="a list of texts"):
        OwnEncoder(given).encode("one text")
    assert given.asked == []


def said_of(encoder: HashedWords) -> dict[str, str]:
    own = OwnEncoder(encoder)
    return {"name": own.name, "sha256": own.fingerprint}


def test_an_index_takes_the_encoder_that_it_was_built_with():
    encoder = encoder_of_index(HashedWords(), said_of(HashedWords()))
    assert encoder is not None
    assert encoder.name == "custom:hashed-words"
    for built_with in OTHERS:
        assert encoder_of_index(None, built_with) is None


def test_an_index_takes_no_other_encoder():
    built_with = said_of(HashedWords())
    with pytest.raises(ModelError, match=r"encoder 'custom:hashed-words', an object of Python"):
        encoder_of_index(None, built_with)
    with pytest.raises(ModelError, match=r"and not with 'custom:other'"):
        encoder_of_index(HashedWords("other"), built_with)
    with pytest.raises(ModelError, match=r"one of other dimension or fingerprint"):
        encoder_of_index(HashedWords(fingerprint="2"), built_with)
    for others in OTHERS:
        with pytest.raises(UsageError, match="leave encoder out"):
            encoder_of_index(HashedWords(), others)


class Failing(HashedWords):
    """Gives what is no rows, or raises."""

    def __init__(self, give: Callable[[int], Any]) -> None:
        super().__init__()
        self._give = give

    def encode(self, texts: Sequence[str]) -> Any:  # noqa: ANN401
        return self._give(len(texts))


def unit_rows(n: int) -> NDArray[np.float64]:
    return np.eye(64)[:n]


def masked_rows(n: int) -> Any:  # noqa: ANN401
    return np.ma.masked_all((n, 64))


NO_ROWS: list[tuple[Callable[[int], Any], str]] = [
    (lambda _: [[1.0], [1.0, 2.0]], "failed (ValueError"),
    (lambda _: ["a", "b"], "gave rows of type <U1"),
    (lambda n: unit_rows(n) * 1j, "gave rows of type complex128"),
    (masked_rows, "gave masked rows"),
    (lambda n: n / 0, "failed (ZeroDivisionError: division by zero)"),
]


@pytest.mark.parametrize(("give", "said"), NO_ROWS)
def test_what_is_no_rows_and_what_is_raised_is_one_error(give: Callable[[int], Any], said: str):
    with pytest.raises(ModelError) as caught:
        OwnEncoder(Failing(give)).encode(["a", "b"])
    assert str(caught.value).startswith(f"encoder 'custom:hashed-words' {said}")
    assert "\n" not in str(caught.value)


def test_rows_of_other_real_numbers_are_taken():
    rows = OwnEncoder(Failing(lambda n: unit_rows(n).astype(np.int8))).encode(["a", "b"])
    assert rows.dtype == np.float32
    assert np.array_equal(rows, unit_rows(2))


def test_a_class_and_a_text_that_cannot_be_written_are_refused():
    with pytest.raises(UsageError, match="encoder is the class HashedWords: give an object of it"):
        OwnEncoder(HashedWords)  # pyright: ignore[reportArgumentType]
    with pytest.raises(UsageError, match=r"has fingerprint '\\ud800': give a text"):
        OwnEncoder(HashedWords(fingerprint="\ud800"))


def test_a_dimension_may_be_a_number_of_numpys():
    encoder = HashedWords()
    encoder.dim = np.int64(64)  # pyright: ignore[reportAttributeAccessIssue]
    own = OwnEncoder(encoder)
    assert type(own.dim) is int
    assert own.fingerprint == OwnEncoder(HashedWords()).fingerprint


def test_want_of_memory_is_no_failure_of_an_encoder(monkeypatch: pytest.MonkeyPatch):
    def want(*_: object) -> None:
        raise MemoryError("1 GiB")

    given = HashedWords()
    monkeypatch.setattr(given, "encode", want)
    with pytest.raises(MemoryError, match="1 GiB"):
        OwnEncoder(given).encode(["a text"])
