"""The client of language models: it counts, limits and caches what DSPy asks.

``LanguageModel.lm`` is a ``dspy.LM`` for ``dspy.context``. For each request, it looks in the cache,
asks the ledger for permission, lets DSPy's own client send the request once, and records the cost.
Retries happen outside of that, in DSPy's client, so that every attempt is counted.
"""

import os
import re
import time
from collections.abc import Collection, Generator, Mapping
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from json import dumps
from typing import TYPE_CHECKING, Any, Final, Self

from hippohover.errors import (
    AccessRefusedError,
    HippoHoverError,
    LanguageModelError,
    ReplyError,
    RequestRefusedError,
    UsageError,
)
from hippohover.hidden_text import without_hidden
from hippohover.language_model.ledger import Ledger, Usage
from hippohover.language_model.response_cache import ResponseCache
from hippohover.language_model.usage_seen import UsageSeen
from hippohover.recipe import GGUF
from hippohover.secret_keys import without_likely_keys

if TYPE_CHECKING:
    import dspy
    from dspy.lm15 import Request, Response

    from hippohover.recipe import LanguageModelSettings

# LiteLLM would ask the network for prices when it is imported.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

_OTHER_STAGE: Final = "other"
_LONGEST_REASON: Final = 300
_MAX_REPLY_CHARS: Final = 50_000
_END: Final = re.compile(r"(?<=\S)[^\S\n]*(\[\[ ## completed ## \]\])\s*\Z")
_NAMED_VARIABLE: Final = re.compile(r"\bSet ([A-Z][A-Z0-9_]+)")
LONGEST_WAIT: Final = 60.0
"""Seconds that a server's ``Retry-After`` is obeyed for, at most."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a reply.

    Attributes
    ----------
    text : str
    log_probability : float
        Natural logarithm, <= 0.
    alternatives : tuple of float
        Those of what could have stood there, as far as the server tells; it may be among them.
    """

    text: str
    log_probability: float
    alternatives: tuple[float, ...] = ()


@dataclass
class Asking:
    """The requests of one task to a language model, see ``LanguageModel.asking``.

    ``tokens`` are those of the last reply, when the request asked for ``logprobs`` and the server
    gave them.
    """

    stage: str
    usage: Usage = field(default_factory=Usage)
    tokens: tuple[Token, ...] = ()
    pending: list[tuple[str, dict[str, Any]]] = field(default_factory=list[Any])
    cache: ResponseCache | None = None

    def keep(self) -> None:
        """Keep the replies so far in the cache, once the task could use them."""
        for key, reply in self.pending:
            if self.cache is not None:
                self.cache.put(key, reply)
        self.pending.clear()


_asking: ContextVar[Asking | None] = ContextVar("hippohover_asking", default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """What answers a language model's requests, and at what price.

    Attributes
    ----------
    prices : (float, float) or None
        US dollars for a million tokens in and out; None: what DSPy knows.
    is_own : bool
        Whether an OpenAI-compatible server other than OpenAI's answers: many of them read the
        longest reply only from ``max_tokens``, which OpenAI has renamed.
    parallel : int
        Claims of a batch that it is asked about side by side.
    closing : ExitStack
        What ``LanguageModel.close`` releases.
    """

    prices: tuple[float, float] | None = None
    is_own: bool = False
    parallel: int = 4
    closing: ExitStack = field(default_factory=ExitStack)


class LanguageModel:
    """A language model that is counted, capped and cached; safe from several threads.

    Parameters
    ----------
    client : dspy.BaseLM
        What sends the requests, best without a cache or retries of its own. What a ``dspy.LM`` has
        in its cache counts as ``n_cached``.
    name : str
        Names the model in caches and results, where a client's own name would not do.
    ledger : Ledger, optional
        Where calls are entered, and their caps.
    cache : ResponseCache, optional
        Where replies are kept. Without one, the same question is paid for each time.
    n_retries : int
        Further attempts after 429, 5xx, a time-out or a cut connection, with back-off.
    options : mapping of str to object, optional
        Options of each request, such as ``max_tokens``; by default only the client's temperature.
    server : Server, optional
        What answers.

    Attributes
    ----------
    last_failure : str
        Why the last task that failed got no answer; "" while none failed.
    """

    def __init__(
        self,
        client: "dspy.BaseLM",
        *,
        name: str = "",
        ledger: Ledger | None = None,
        cache: ResponseCache | None = None,
        n_retries: int = 3,
        options: Mapping[str, Any] | None = None,
        server: Server | None = None,
    ) -> None:
        import dspy

        self.name = name or client.model
        self.server = server or Server()
        self.parallel = self.server.parallel
        self.ledger = ledger or Ledger()
        self.last_failure = ""
        self._client = client
        self._cache = cache
        self.lm = dspy.LM(
            client.model,
            engine=self,
            cache=False,
            num_retries=n_retries,
            **(options or {"temperature": client.kwargs.get("temperature")}),
        )

    @contextmanager
    def asking(self, stage: str) -> Generator[Asking]:
        """Yield a task of a stage, in which DSPy asks this model.

        Replies are cached once the task says ``keep``, so a reply that it could not use is asked
        for again. What DSPy raises in the block leaves it as one of this package's errors.

        Raises
        ------
        LanguageModelError
            No answer; ``ReplyError``, one that is not in the form that was asked for.
        BudgetError
            A cap of the ledger is reached.
        """
        import dspy

        asking = Asking(stage, cache=self._cache)
        token = _asking.set(asking)
        try:
            with dspy.context(lm=self.lm):
                yield asking
        except HippoHoverError:
            raise
        except Exception as error:
            own = self.own_error(error)
            self.last_failure = str(own)
            raise own from error
        finally:
            _asking.reset(token)

    def own_error(self, error: Exception) -> HippoHoverError:
        """Return this package's error for one of DSPy's; raise any other."""
        sent = self._client.kwargs.get("api_key")  # of a dspy.LM; it may be in no variable
        return _own_error(error, self.name, [sent] if isinstance(sent, str) else [])

    def complete(self, request: "Request") -> "Response":
        """Answer one request, once, without hidden characters: the engine that DSPy calls."""
        request = _all_seen(request)
        asking = _asking.get() or Asking(_OTHER_STAGE, cache=self._cache)
        key = _key(self.name, request)
        if self._cache is not None and (known := self._cache.get(key)) is not None:
            self._enter(asking, Usage(n_cached=1), reserved=False)
            asking.tokens = tuple(
                Token(t, p, tuple(other)) for t, p, other in known.get("tokens", ())
            )
            return _response(self._client.model, known)
        response = self._sent(request, asking)
        text = response.message.text or ""
        if (readable := _with_end_apart(text)) != text:
            text, response = readable, _with_text(response, readable)
        if len(text) > _MAX_REPLY_CHARS:  # a parser of broken JSON takes minutes for a megabyte
            raise ReplyError(
                f"{self.name} answered with {len(text):,} characters, more than the "
                f"{_MAX_REPLY_CHARS:,} that are read"
            )
        asking.tokens = tuple(
            Token(token.token, token.logprob, tuple(other.logprob for other in token.top))
            for token in response.logprobs or ()
        )
        kept = {"text": text, "finish_reason": response.finish_reason}
        told = [(token.text, token.log_probability, token.alternatives) for token in asking.tokens]
        asking.pending.append((key, {**kept, "tokens": told} if told else kept))
        if asking.stage == _OTHER_STAGE:
            asking.keep()
        return _without_usage(response)

    def close(self) -> None:
        """Close the cache, and stop a server that was started for this model."""
        self.server.closing.close()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return itself: DSPy's optimizers copy programs, and there is one ledger."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Refuse to be pickled: that would copy a key, and count twice."""
        raise UsageError(
            f"the language model {self.name} cannot be pickled, because it holds a key: make it "
            "where it is used (save writes a program's prompts as JSON)"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _sent(self, request: "Request", asking: Asking) -> "Response":
        """Send a request to the client once, and book what it cost."""
        import dspy

        self.ledger.reserve()
        start = time.perf_counter()
        seen = UsageSeen(dspy.settings.usage_tracker)
        try:
            with dspy.context(usage_tracker=seen):
                response = self._client(_with_old_name(request) if self.server.is_own else request)
        except BaseException as error:
            seconds = time.perf_counter() - start
            self._enter(asking, Usage(n_failed=1, seconds=seconds))
            _limit_wait(error)
            raise
        seconds = time.perf_counter() - start
        self._enter(asking, self._usage(response, seconds) if seen.paid else Usage(n_cached=1))
        return response

    def _enter(self, asking: Asking, usage: Usage, *, reserved: bool = True) -> None:
        asking.usage += usage
        self.ledger.add(asking.stage, usage, reserved=reserved)

    def _usage(self, response: "Response", seconds: float) -> Usage:
        tokens = response.usage
        n_in, n_out = tokens.input_tokens or 0, tokens.output_tokens or 0
        cost = self._cost(response, n_in, n_out)
        return Usage(
            n_calls=1,
            input_tokens=n_in,
            output_tokens=n_out,
            cached_input_tokens=tokens.cache_read_tokens or 0,
            seconds=seconds,
            cost_usd=cost or 0.0,
            n_unpriced=int(cost is None),
        )

    def _cost(self, response: "Response", n_in: int, n_out: int) -> float | None:
        if self.server.prices is not None:
            return (self.server.prices[0] * n_in + self.server.prices[1] * n_out) / 1e6
        history = self._client.history
        return next((e["cost"] for e in reversed(history) if e["response"] is response), None)


def cost_of(
    settings: "LanguageModelSettings | None", input_tokens: int, output_tokens: int
) -> float | None:
    """Return US dollars by a model's settings, else LiteLLM's prices; None if neither knows."""
    if settings is None:
        return None
    if settings.name.startswith(GGUF):
        return 0.0
    prices = settings.usd_per_million_input, settings.usd_per_million_output
    if prices[0] is not None and prices[1] is not None:
        return (prices[0] * input_tokens + prices[1] * output_tokens) / 1e6
    return price_of(settings.name, input_tokens, output_tokens)


def price_of(name: str, input_tokens: int, output_tokens: int) -> float | None:
    """Return US dollars by LiteLLM's prices; None when it does not know the model."""
    import litellm

    try:
        price_in, price_out = litellm.cost_per_token(
            model=name, prompt_tokens=input_tokens, completion_tokens=output_tokens
        )
    except Exception:  # it raises one of several, by what of the name it does not know
        return None
    return price_in + price_out


def _all_seen(request: "Request") -> "Request":
    """Return a request whose messages show all that they say: passages are somebody's data."""
    messages = [
        replace(
            message,
            parts=tuple(
                replace(part, text=without_hidden(part.text)) if part.type == "text" else part
                for part in message.parts
            ),
        )
        for message in request.messages
    ]
    return replace(request, messages=tuple(messages))


def _with_old_name(request: "Request") -> "Request":
    config = request.config
    if config.max_tokens is None:
        return request
    extensions = {**(config.extensions or {}), "max_tokens": config.max_tokens}
    return replace(request, config=replace(config, max_tokens=None, extensions=extensions))


def _key(name: str, request: "Request") -> str:
    """Hash everything that decides a reply: the model and the whole request."""
    text = dumps([name, asdict(request)], sort_keys=True, ensure_ascii=False, default=str)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _with_end_apart(text: str) -> str:
    """Put a reply's end marker on its own line.

    Small models write it after the last field. DSPy then takes it for a part of that field and asks
    again, in JSON: because of this, half of the replies of an optimised filter cost two calls.
    """
    return _END.sub(r"\n\n\1", text)


def _with_text(response: "Response", text: str) -> "Response":
    from dspy.lm15 import Message, TextPart

    return replace(response, message=Message.assistant([TextPart(text)]))


def _without_usage(response: "Response") -> "Response":
    """Remove the usage, which the client has told DSPy's tracker: DSPy would add it again."""
    from dspy.lm15 import Usage as Tokens

    return replace(response, usage=Tokens())


def _response(model: str, reply: dict[str, Any]) -> "Response":
    from dspy.lm15 import Message, Response, TextPart
    from dspy.lm15 import Usage as Tokens

    return Response(
        id=None,
        model=model,
        message=Message.assistant([TextPart(_with_end_apart(reply["text"]))]),
        finish_reason=reply["finish_reason"],
        usage=Tokens(),
    )


def _limit_wait(error: BaseException) -> None:
    """Cap Retry-After: DSPy obeys any value."""
    wanted = getattr(error, "retry_after", None)
    if isinstance(wanted, int | float) and wanted > LONGEST_WAIT:
        error.retry_after = LONGEST_WAIT  # pyright: ignore[reportAttributeAccessIssue]


def _own_error(error: Exception, name: str, secrets: Collection[str]) -> HippoHoverError:
    """Return this package's error for DSPy's; DSPy wraps what an engine raises."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, HippoHoverError):
            return cause
        cause = cause.__cause__
    from dspy.utils.exceptions import (
        AdapterParseError,
        LMAuthError,
        LMBillingError,
        LMError,
        LMInvalidRequestError,
        LMNotConfiguredError,
    )

    told = " ".join(str(error).partition("To fix:")[0].split())  # its advice is about Python
    reason = without_likely_keys(told, secrets)[:_LONGEST_REASON]
    if isinstance(error, LMNotConfiguredError) and (variable := _NAMED_VARIABLE.search(told)):
        return LanguageModelError(
            f"{name} has no key: set {variable[1]}, or name another variable with --lm-key-variable"
        )
    if isinstance(error, LMAuthError | LMBillingError):
        return AccessRefusedError(f"{name} refused the key: {reason}: check it, and its account")
    if isinstance(error, LMInvalidRequestError):
        return RequestRefusedError(f"{name} refused a request: {reason}")
    if isinstance(error, LMError):
        return LanguageModelError(f"{name} did not answer ({type(error).__name__}): {reason}")
    # What DSPy raises for broken JSON is not always its own error.
    if isinstance(error, AdapterParseError | ValueError | RecursionError):
        return ReplyError(f"{name} answered in another form than asked for: {reason}")
    raise error
