"""Estimates what a program would cost on claims, without asking a model."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, cast

from hippohover.programs.evidence_scoring import N_SCORED
from hippohover.programs.guesses import MAX_QUERIES, N_HYPOTHESES
from hippohover.programs.hop_program import HopProgram
from hippohover.programs.hypothesis import HypothesisDriven

_INSTRUCTIONS: Final = 400
_REPLY: Final = 100
_TOKENS_A_WORD: Final = 1.4
_CHARS_A_TOKEN: Final = 4
_TITLE_WORDS: Final = 5
_HYPOTHESES_IN: Final = 2 * _INSTRUCTIONS + 600 + 60 * N_HYPOTHESES
_HYPOTHESES_OUT: Final = 50 * N_HYPOTHESES + 35 * MAX_QUERIES
"""Of both calls that test hypotheses: one shows documents, one the hypotheses."""
_EMBEDDED: Final = N_SCORED * 512 + 50 * N_HYPOTHESES
"""Passages of 512 tokens, and the hypotheses; the index's own encoder costs nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """The estimated cost of a program.

    Attributes
    ----------
    calls, input_tokens, output_tokens : int
        Those of the language model, if every reply can be read at the first try.
    usd : float or None
        Their price; None if it is unknown.
    embedded_tokens : int
        Tokens for a service that embeds; 0 if none is named.
    usd_embedded : float or None
        Their price.
    """

    calls: int
    input_tokens: int
    output_tokens: int
    usd: float | None
    embedded_tokens: int = 0
    usd_embedded: float | None = 0.0

    @property
    def usd_total(self) -> float | None:
        """Sum of the costs; None where a price is not known."""
        known = self.usd is not None and self.usd_embedded is not None
        return (self.usd or 0.0) + (self.usd_embedded or 0.0) if known else None

    def times(self, n: int) -> "Forecast":
        """Multiply the forecast by a number of claims."""
        told: dict[str, Any] = asdict(self)
        return Forecast(**{name: one and one * n for name, one in told.items()})

    def as_dict(self) -> dict[str, int | float | None]:
        """Return the forecast, ready for JSON."""
        return asdict(self) | {"usd_total": self.usd_total}


def forecast(
    program: HopProgram,
    price: Callable[[int, int], float | None],
    embedding_price: Callable[[int], float | None] | None = None,
) -> Forecast:
    """Estimate what one claim costs, with the program's settings and prompts.

    Parameters
    ----------
    program : HopProgram
        It may be without an engine: ``saved.unbound_program``.
    price : callable
        Tokens in and out to US dollars, or None.
    embedding_price : callable, optional
        Embedded tokens to US dollars, or None; not given if no service embeds.
    """
    asks = program.asks()
    calls = sum(asks.values())
    tokens_in, tokens_out = round(_tokens_in(program, asks)), calls * _REPLY
    embedded = 0
    if isinstance(program, HypothesisDriven):
        if not program.fills_gaps:
            more = _tokens_in(program, asks) - _tokens_in(_plain(program), asks)
            tokens_in, tokens_out = int(_HYPOTHESES_IN + more), _HYPOTHESES_OUT
        embedded = 0 if embedding_price is None else _EMBEDDED
    return Forecast(
        calls=calls,
        input_tokens=tokens_in,
        output_tokens=tokens_out,
        usd=price(tokens_in, tokens_out) if calls else 0.0,
        embedded_tokens=embedded,
        usd_embedded=0.0 if embedding_price is None or not embedded else embedding_price(embedded),
    )


def _tokens_in(program: HopProgram, asks: Mapping[str, int]) -> float:
    """Return the tokens of all prompts: instructions, passages shown, and what a file adds."""
    shown = program.n_shown * (program.n_words + _TITLE_WORDS) * _TOKENS_A_WORD
    now, plain = _predictors(program), _predictors(_plain(program))
    return sum(
        n
        * (
            _INSTRUCTIONS
            + (_n_chars(now[name]) - _n_chars(plain[name])) / _CHARS_A_TOKEN
            + (shown if "documents" in now[name].signature.input_fields else 0.0)
        )
        for name, n in asks.items()
    )


def _plain(program: HopProgram) -> HopProgram:
    """Return a program of the same kind with the default settings and prompts."""
    return type(program)(program.engine)


def _predictors(program: HopProgram) -> dict[str, Any]:
    """Return the predictors by the attributes of the program that hold them."""
    named = cast("list[tuple[str, Any]]", program.named_predictors())
    return {name.partition(".")[0]: predictor for name, predictor in named}


def _n_chars(predictor: Any) -> int:  # noqa: ANN401
    """Return the characters of a predictor's instructions and of its examples."""
    examples = sum(
        len(name) + len(str(value)) for demo in predictor.demos for name, value in demo.items()
    )
    return len(predictor.signature.instructions) + examples


def in_words(name: str, told: Forecast, n_claims: int, embedder: str = "") -> list[str]:
    """Describe a forecast: a line for the language model, and one for embeddings, if any."""
    whole = told.times(n_claims)
    lines = [
        f"{name}: about {whole.calls:,} calls, {whole.input_tokens:,} tokens in and "
        f"{whole.output_tokens:,} out: {_dollars(whole.usd)}"
    ]
    if whole.embedded_tokens:
        lines.append(
            f"{name}: about {whole.embedded_tokens:,} tokens embedded by {embedder}: "
            f"{_dollars(whole.usd_embedded)}"
        )
    return lines


def _dollars(usd: float | None) -> str:
    return "at an unknown price" if usd is None else f"${usd:.4f}"
