"""A service that embeds texts by OpenAI's API, such as Voyage or your own server."""

import json
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, field_validator

from hippohover.errors import ModelError, in_a_line
from hippohover.language_model.client import price_of
from hippohover.language_model.ledger import Ledger, Usage
from hippohover.language_model.opening import key_of
from hippohover.metadata import is_private

STAGE: Final = "embeddings"
_KEY_VARIABLE: Final = "OPENAI_API_KEY"
_BYTES_A_TEXT: Final = 200_000
"""Of a reply: a vector of 4,096 numbers is half of it."""


class EmbeddingSettings(BaseModel):
    """The service that embeds texts, and its settings.

    Attributes
    ----------
    name : str
        The model, as the service calls it: "text-embedding-3-small", "voyage-3-lite".
    api_base : str, optional
        Address of the service, up to ``/v1``: ``https://``, or ``http://`` on this machine;
        OpenAI's when not given.
    api_key_variable : str, optional
        Environment variable that holds the key; ``OPENAI_API_KEY`` for OpenAI's own.
    timeout_seconds : float
        For one request.
    usd_per_million_tokens : float, optional
        Price, where LiteLLM does not know it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    name: str = Field(min_length=1, max_length=200)
    api_base: str | None = Field(default=None, pattern=r"^https?://[^@\s?#]+$")
    api_key_variable: str | None = Field(default=None, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    timeout_seconds: float = Field(default=3.0, gt=0, le=600)
    usd_per_million_tokens: float | None = Field(default=None, ge=0)

    @field_validator("api_base")
    @classmethod
    def _is_safe(cls, value: str | None) -> str | None:
        """Refuse settings that would send texts, or a key, unencrypted."""
        if value is not None and not is_private(value):
            raise ValueError("give https://HOST/..., or http:// on this machine")
        return value

    def price(self) -> float | None:
        """Return US dollars for a million tokens; None if unknown."""
        if self.usd_per_million_tokens is not None:
            return self.usd_per_million_tokens
        return price_of(self.name, 10**6, 0)


class EmbeddingEndpoint:
    """Embeds texts by a service; safe from several threads.

    Parameters
    ----------
    settings : EmbeddingSettings
    ledger : Ledger, optional
        Where requests are entered, under "embeddings", and their caps.
    post : callable, optional
        Sends ``model``, ``input`` and ``timeout``, and gives the reply as a dict; when not given,
        by OpenAI's own client.

    Raises
    ------
    ModelError
        The key's variable is not set.
    """

    def __init__(
        self,
        settings: EmbeddingSettings,
        *,
        ledger: Ledger | None = None,
        post: Callable[..., dict[str, Any]] | None = None,
    ) -> None:
        self.settings = settings
        self.ledger = ledger or Ledger()
        variable = settings.api_key_variable
        if variable is None and settings.api_base is None and post is None:
            variable = _KEY_VARIABLE
        self._key = key_of(settings.name, settings.api_base, variable)
        self._post = post or _client(settings, self._key)
        self._price = settings.price()  # now: the table takes longer to load than an answer may

    def embed(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], Usage]:
        """Embed texts in one request: unit rows, shape (len(texts), dim), and the cost.

        Raises
        ------
        ModelError
            It does not answer in time, or not with a vector a text.
        BudgetError
            A cap is reached.
        """
        self.ledger.reserve()
        start = perf_counter()
        asked = {"model": self.settings.name, "timeout": self.settings.timeout_seconds}
        try:
            reply = self._post(**asked, input=list(texts))
        except Exception as error:  # the client has one for each way that a server fails
            self.ledger.add(STAGE, Usage(n_failed=1, seconds=perf_counter() - start))
            raise ModelError(
                f"{self.settings.name} embedded nothing ({in_a_line(error)})"
            ) from error
        usage = self._usage(reply, perf_counter() - start)
        self.ledger.add(STAGE, usage)
        return self._rows(reply, len(texts)), usage

    def _usage(self, reply: dict[str, Any], seconds: float) -> Usage:
        n_tokens = _tokens_in(reply.get("usage"))
        return Usage(
            n_calls=1,
            input_tokens=n_tokens,
            seconds=seconds,
            cost_usd=n_tokens * (self._price or 0.0) / 1e6,
            n_unpriced=int(self._price is None),
        )

    def _rows(self, reply: dict[str, Any], n: int) -> NDArray[np.float32]:
        try:
            told = sorted(reply["data"], key=lambda one: one["index"])
            rows = np.asarray([one["embedding"] for one in told], dtype=np.float32)
            if rows.ndim != 2 or len(rows) != n or not np.isfinite(rows).all():
                raise ValueError(f"rows of shape {rows.shape} for {n} texts")
            lengths = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
            if not lengths.all():
                raise ValueError(f"{int((lengths == 0).sum())} of {n} vectors are all zeros")
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(
                f"{self.settings.name} did not return a vector for each text ({error}): check "
                "that it is an embedding model"
            ) from error
        return (rows / lengths).astype(np.float32)


def _tokens_in(usage: object) -> int:
    """Return the tokens that a reply says were embedded; 0 if it says nothing that is a count."""
    told = cast("dict[str, object]", usage) if isinstance(usage, dict) else {}
    counts = [told.get("prompt_tokens"), told.get("total_tokens")]
    return next((n for n in counts if isinstance(n, int) and n > 0), 0)


def _client(settings: EmbeddingSettings, key: str | None) -> Callable[..., dict[str, Any]]:
    """Return a client that sends a request once, and reads no reply that is too long or late."""
    from openai import OpenAI

    client = OpenAI(api_key=key, base_url=settings.api_base, max_retries=0)

    def post(**asked: Any) -> dict[str, Any]:  # noqa: ANN401
        start = perf_counter()
        most, timeout = _BYTES_A_TEXT * len(asked["input"]), asked["timeout"]
        body = bytearray()
        streamed = client.embeddings.with_streaming_response
        with streamed.create(**asked, encoding_format="float") as reply:
            for part in reply.iter_bytes():
                body += part
                if len(body) > most:
                    raise ValueError(f"its reply has more than {most:,} bytes")
                if perf_counter() - start > timeout:
                    raise TimeoutError(f"its reply took more than {timeout:g} s")
        return _object(body)

    return post


def _object(body: bytearray) -> dict[str, Any]:
    reply = json.loads(body)
    if not isinstance(reply, dict):
        raise TypeError("its reply is no JSON object")
    return cast("dict[str, Any]", reply)
