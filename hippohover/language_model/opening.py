"""Settings -> a language model that answers."""

import os
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hippohover.disk import door
from hippohover.errors import ModelError
from hippohover.language_model.client import LanguageModel, Server
from hippohover.language_model.ledger import Budget, Ledger
from hippohover.language_model.local_server import LlamaServer
from hippohover.language_model.response_cache import ResponseCache
from hippohover.recipe import GGUF, LanguageModelSettings
from hippohover.secret_keys import holds_a_key

if TYPE_CHECKING:
    import dspy

_NO_KEY: Final = "none"
_TIMEOUT: Final = 120.0
_LOCAL_TIMEOUT: Final = 1800.0


def open_language_model(
    settings: LanguageModelSettings, *, cache: Path | None = None, budget: Budget | None = None
) -> LanguageModel:
    """Open a language model by its settings; close it, or use it in a ``with`` statement.

    Parameters
    ----------
    settings : LanguageModelSettings
    cache : Path, optional
        Folder where replies are kept; by default they are kept until the model is closed.
    budget : Budget, optional
        Caps on calls, tokens and money.

    Raises
    ------
    ModelError
        The key's variable is not set, the name or the settings are refused, money is capped and
        the price unknown, the local server does not start, or the cache cannot be written.
    """
    with ExitStack() as stack:
        options, name = _client_options(settings, stack)
        kept = ResponseCache(None if cache is None else door.resolved(cache))
        stack.callback(kept.close)
        prices = settings.usd_per_million_input, settings.usd_per_million_output
        if settings.name.startswith(GGUF):
            prices = 0.0, 0.0
        elif budget is not None and budget.max_cost_usd is not None and None in prices:
            _check_price_is_known(settings.name)
        return LanguageModel(
            _client(settings, options),
            name=name,
            ledger=Ledger(budget or Budget()),
            cache=kept,
            n_retries=settings.n_retries,
            server=Server(
                prices=None if None in prices else (prices[0] or 0.0, prices[1] or 0.0),
                is_own="api_base" in options,
                parallel=settings.parallel,
                closing=stack.pop_all(),
            ),
        )


def _client_options(
    settings: LanguageModelSettings, stack: ExitStack
) -> tuple[dict[str, Any], str]:
    """Return the arguments of DSPy's client, and the model's name in caches."""
    options: dict[str, Any] = {"model": settings.name}
    if settings.api_base is not None:
        options["api_base"] = settings.api_base
    key = key_of(settings.name, settings.api_base, settings.api_key_variable)
    if key is not None:
        options["api_key"] = key
    if not settings.name.startswith(GGUF):
        return options, settings.name
    if settings.api_base is not None:
        raise ModelError(
            f"language model {settings.name!r} starts a local server, and api_base "
            f"{settings.api_base!r} names another: leave one out"
        )
    path = Path(settings.name.removeprefix(GGUF)).expanduser()
    server = stack.enter_context(LlamaServer(path, n_context=settings.n_context))
    options.update(model="openai/local", api_base=server.api_base, api_key=_NO_KEY)
    return options, f"{GGUF}{path.name}-{server.sha256[:16]}"


def key_of(name: str, api_base: str | None, variable: str | None) -> str | None:
    """Return the named variable's key, "none" for your own server, or the provider's.

    None leaves it to LiteLLM. ``ModelError`` where the variable is not set.
    """
    if variable is None:  # LiteLLM wants a key, servers of one's own mostly none
        return None if api_base is None else _NO_KEY
    holds_a_key(variable)
    key = os.environ.get(variable)
    if not key:
        raise ModelError(
            f"environment variable {variable} is not set: put the key of {name!r} into it, or "
            "remove api_key_variable"
        )
    return key


def _check_price_is_known(name: str) -> None:
    from hippohover.language_model.client import price_of

    if price_of(name, 1, 1) is None:
        raise ModelError(
            f"max_cost_usd is set, but the price of language model {name!r} is unknown: set "
            "usd_per_million_input and usd_per_million_output (--lm-settings), or cap its tokens"
        )


def _client(settings: LanguageModelSettings, options: dict[str, Any]) -> "dspy.LM":
    import dspy
    import litellm
    from dspy.utils.exceptions import LMError
    from litellm.exceptions import BadRequestError

    is_local = settings.name.startswith(GGUF)
    litellm.suppress_debug_info = True  # as DSPy does when it asks: no advice on standard output
    try:
        litellm.get_llm_provider(options["model"], api_base=options.get("api_base"))
    except BadRequestError as error:  # the first answer is late to hear of it
        raise ModelError(
            f"language model {settings.name!r} has no provider that LiteLLM knows: write "
            "PROVIDER/NAME, such as openai/gpt-4.1-mini, or gguf:PATH"
        ) from error
    try:
        return dspy.LM(
            **options,
            cache=False,
            num_retries=0,
            temperature=settings.temperature,
            timeout=settings.timeout_seconds or (_LOCAL_TIMEOUT if is_local else _TIMEOUT),
        )
    except (LMError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise ModelError(f"language model {settings.name!r} is refused: {reason}") from error
