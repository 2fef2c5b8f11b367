"""The HTTP API and the page, as one ASGI application over a ``Service``."""

import asyncio
import logging
import secrets
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Final, get_args

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from fastapi.staticfiles import StaticFiles
from limits import RateLimitItem
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.routing import Route

from hippohover.errors import (
    BudgetError,
    HippoHoverError,
    LanguageModelError,
    NotInIndexError,
    NoWordsError,
    UsageError,
)
from hippohover.recipe_files import fix_of
from hippohover.retrieval.registry import retriever_class
from hippohover.web.documents import ROUTE, response_of
from hippohover.web.guards import BodyLimit, RateLimit, SafeHeaders
from hippohover.web.jobs import BusyError, Jobs, StoppingError, TooLongError
from hippohover.web.mcp_http import ToolsOverHttp
from hippohover.web.metrics import Measured, Metrics
from hippohover.web.schemas import (
    AnswerRequest,
    Asked,
    AtOnce,
    ConditionsError,
    DocumentsDescription,
    Explained,
    ExplainPid,
    ExplainTitle,
    FromZero,
    Health,
    IndexDescription,
    Problem,
    ProgramName,
    Retrieved,
    RetrieveRequest,
    ThemesDescription,
    Verified,
    VerifyRequest,
)
from hippohover.web.service import (
    NoLanguageModelError,
    NotRunError,
    Service,
    TooLargeError,
)

LOCAL_HOSTS: Final = ("127.0.0.1", "localhost", "[::1]")

_NOT_SAID: Final = ("body", ExplainTitle.__name__, ExplainPid.__name__)
"""Parts of the place of an error that are ours, not the client's."""

_log = logging.getLogger("hippohover.web")
_TEXTS = {
    400: "The request is not valid HTTP.",
    401: "The bearer token is missing or wrong.",
    408: "The body did not arrive in time.",
    404: "The index does not hold what is asked for by name.",
    409: "The server cannot do this: it has no language model, does not run that program, the "
    "text has no words, or conditions compare with nothing.",
    413: "The body is too large.",
    422: "The body does not match the schema.",
    429: "The client exceeds its rate limit.",
    502: "The language model does not answer.",
    503: "The server is busy, or a cap on the language model is reached.",
    504: "The answer would exceed the time limit.",
}
_PROBLEMS: Final[dict[int | str, dict[str, Any]]] = {
    status: {"model": Problem, "description": text} for status, text in _TEXTS.items()
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """Limits of a server.

    Attributes
    ----------
    token : str or None
        Bearer token that requests for ``/v1/`` and ``/metrics`` must bring.
    hosts : sequence of str
        Names by which a request may call the server; ``"*"`` is any. Only names of this machine
        keep other sites from reading a local server through a browser.
    max_body_bytes : int
    body_seconds : float
        Time for a body to come.
    seconds : float
        Time for one answer.
    n_threads : int
        Retrievals at a time, and as many verifications.
    n_waiting : int
        Number of further requests of each kind that may wait.
    rate : RateLimitItem or None
        Requests that one client may send to the API.
    """

    token: str | None = None
    hosts: Sequence[str] = LOCAL_HOSTS
    max_body_bytes: int = 2**20
    body_seconds: float = 30.0
    seconds: float = 300.0
    n_threads: int = 2
    n_waiting: int = 256
    rate: RateLimitItem | None = None


_DEFAULTS: Final = ServerSettings()


def _takes_long(retriever: str) -> bool:
    """Return whether a request may wait for a preparation, or for a language model."""
    return retriever in get_args(ProgramName) or retriever_class(retriever).prepares


def make_app(service: Service, settings: ServerSettings = _DEFAULTS) -> FastAPI:
    """Make the application; await ``app.state.reload`` to switch to the live version.

    ``app.state.stop`` ends the waiting for what is under way.
    """
    quick = Jobs(settings.n_threads, settings.n_waiting, settings.seconds)
    long = Jobs(settings.n_threads, settings.n_waiting, settings.seconds)
    metrics = Metrics()
    service.on_run = metrics.note_run

    tools = ToolsOverHttp(service, settings.token, settings.n_threads)
    guards = [
        Middleware(SafeHeaders),
        Middleware(Measured, metrics=metrics),
        Middleware(TrustedHostMiddleware, allowed_hosts=list(settings.hosts), www_redirect=False),
        *([Middleware(RateLimit, rate=settings.rate)] if settings.rate else []),
        Middleware(BodyLimit, n_bytes=settings.max_body_bytes, seconds=settings.body_seconds),
    ]
    app = FastAPI(
        title="hippohover",
        version=service.describe()["package_version"],
        description="Multi-hop retrieval from a graph: claims in, passages and reasons out.",
        openapi_url=None,  # and with it the pages of FastAPI, which load from elsewhere
        lifespan=lambda _: _running((quick, long), tools),
        middleware=guards,
    )
    _handle_errors(app)
    allowed = [Depends(_token_check(settings.token))]

    async def reload() -> bool:
        changed = await asyncio.to_thread(service.reload)
        if changed:
            metrics.reloads.inc()
        return changed

    def stop() -> None:
        for jobs in (quick, long):
            jobs.stop()

    app.state.reload = reload
    app.state.stop = stop

    @app.post("/v1/retrieve", response_model=Retrieved, responses=_PROBLEMS, dependencies=allowed)
    async def retrieve(request: Request, asked: RetrieveRequest) -> Response:
        """Return the passages for a claim, best first."""
        jobs = long if _takes_long(asked.retriever) else quick
        how = (asked.claim, asked.k, asked.retriever)
        work = partial(service.retrieve, *how, **asked.bounds())
        return await jobs.respond(request, lambda tell: work(progress=tell), status_of)

    @app.post("/v1/explain", response_model=Explained, responses=_PROBLEMS, dependencies=allowed)
    async def explain(request: Request, asked: ExplainTitle | ExplainPid) -> Response:
        """Return the walk's strongest paths to a passage, or why it is in no answer."""
        by = asked.model_dump(include={"title", "pid"}) | asked.bounds()
        return await quick.respond(request, lambda _: service.explain(asked.claim, **by), status_of)

    @app.post("/v1/verify", response_model=Verified, responses=_PROBLEMS, dependencies=allowed)
    async def verify(request: Request, asked: VerifyRequest) -> Response:
        """Say which claims of a text the index supports, by which evidence and why."""
        work = partial(service.verify, asked.text, asked.retriever, whole=asked.whole)
        return await long.respond(request, lambda tell: work(progress=tell), status_of)

    @app.post("/v1/answer", response_model=Verified, responses=_PROBLEMS, dependencies=allowed)
    async def answer(request: Request, asked: AnswerRequest) -> Response:
        """Answer by a language model from what is found, and verify the answer."""
        how = (asked.question, asked.retriever)
        work = partial(service.answer, *how, n_samples=asked.n_samples)
        return await long.respond(request, lambda tell: work(progress=tell), status_of)

    @app.get(
        "/v1/index",
        response_model=IndexDescription,
        responses=_some(400, 401, 429),
        dependencies=allowed,
    )
    async def index() -> Response:
        """Describe the index, and the queries that it takes."""
        return JSONResponse(service.describe())

    @app.get(
        "/v1/themes", response_model=ThemesDescription, responses=_PROBLEMS, dependencies=allowed
    )
    async def themes(request: Request) -> Response:
        """Return what the index is about: groups of documents that name each other."""
        return await long.respond(request, lambda _: service.themes(), status_of)

    @app.get(
        ROUTE.rstrip("/"),
        response_model=DocumentsDescription,
        responses=_PROBLEMS,
        dependencies=allowed,
    )
    async def documents(
        request: Request, words: Asked = "", start: FromZero = 0, n: AtOnce = 50
    ) -> Response:
        """List documents by title, those with words in it, and what was not read."""
        return await quick.respond(request, lambda _: service.documents(words, start, n), status_of)

    @app.get(f"{ROUTE}{{path:path}}", include_in_schema=False)
    def document(path: str, key: str = "") -> FileResponse:
        return response_of(service.document(path, key))

    @app.get("/healthz", responses=_some(400))
    async def health() -> Health:
        """Say whether the server answers."""
        return Health(status="ok", version=service.version)

    @app.get("/openapi.json", include_in_schema=False, dependencies=allowed)
    async def schema() -> Response:
        return JSONResponse(app.openapi())

    @app.get("/metrics", include_in_schema=False, dependencies=allowed)
    async def counts() -> Response:
        return Response(metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    static = Path(str(files("hippohover.web") / "static"))

    @app.get("/", include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(static / "index.html", headers={"Cache-Control": "no-cache"})

    app.router.routes.append(Route("/mcp", tools, include_in_schema=False))
    app.mount("/static", StaticFiles(directory=static), name="static")
    return app


@asynccontextmanager
async def _running(every: Sequence[Jobs], tools: ToolsOverHttp) -> AsyncGenerator[None]:
    for jobs in every:
        jobs.start()
    async with tools.running():
        yield
    for jobs in every:
        jobs.close()


def status_of(error: Exception) -> tuple[int, str]:
    """Return HTTP status and a one-line message for an error."""
    for kind, status, said in _STATUSES:
        if isinstance(error, kind):
            return status, said or str(error)
    _log.error("unexpected", exc_info=error)
    return 500, f"unexpected: {type(error).__name__}"


_STATUSES: Final[Sequence[tuple[type[Exception], int, str]]] = (
    (NotInIndexError, 404, ""),
    (NoLanguageModelError, 409, ""),
    (NoWordsError, 409, ""),
    (ConditionsError, 409, ""),
    (NotRunError, 409, ""),
    (TooLargeError, 409, ""),
    (UsageError, 422, ""),
    (LanguageModelError, 502, ""),
    (BudgetError, 503, ""),
    (BusyError, 503, "the server is busy: try again in a moment"),
    (TooLongError, 504, "the answer takes longer than the server allows: ask for less at a time"),
    (StoppingError, 503, "the server is stopping: ask again when it is back"),
    (HippoHoverError, 500, ""),
)
"""The first that fits: HTTP status, and what is said where the error does not say it."""


_NO_OBJECT: Final = (
    "the body: is not a JSON object in UTF-8: send one, as Content-Type: application/json"
)


def _handle_errors(app: FastAPI) -> None:
    """Answer every error with ``{"detail": one line}``."""

    async def known(_: Request, error: Exception) -> JSONResponse:
        status, detail = status_of(error)
        headers = {"Retry-After": "1"} if isinstance(error, BusyError) else None
        return JSONResponse(
            {"detail": " ".join(detail.split())}, status_code=status, headers=headers
        )

    async def refused(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)  # noqa: S101
        first = error.errors()[0]
        said = [f"{part!s:.60}" for part in first["loc"] if part not in _NOT_SAID]
        if not said or first["type"] == "json_invalid":
            detail = _NO_OBJECT
        elif first["type"] == "string_pattern_mismatch":
            detail = f"{'.'.join(said)}: is blank: give words"
        else:
            given: object = first.get("input")
            value = f" = {given!r:.60}" if isinstance(given, str | int | float) else ""
            detail = f"{'.'.join(said)}{value}: {fix_of(first)}"
        return JSONResponse({"detail": " ".join(detail.split())}, status_code=422)

    async def http(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, StarletteHTTPException)  # noqa: S101
        if error.status_code == 400 and isinstance(error.__cause__, ValueError | RecursionError):
            return JSONResponse({"detail": _NO_OBJECT}, status_code=422)
        return JSONResponse(
            {"detail": error.detail}, status_code=error.status_code, headers=error.headers
        )

    for kind in (HippoHoverError, BusyError, TooLongError, StoppingError, Exception):
        app.add_exception_handler(kind, known)
    app.add_exception_handler(RequestValidationError, refused)
    app.add_exception_handler(StarletteHTTPException, http)


def _token_check(token: str | None) -> Any:  # noqa: ANN401  # a dependency, as FastAPI reads it
    if token is None:
        return lambda: None
    bearer = HTTPBearer(auto_error=False, description="The token that the server was started with")

    def check(
        given: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)],
    ) -> None:
        if given is None or not secrets.compare_digest(given.credentials.encode(), token.encode()):
            raise HTTPException(
                401,
                "send the server's token: Authorization: Bearer TOKEN",
                headers={"WWW-Authenticate": "Bearer"},
            )

    return check


def _some(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {status: _PROBLEMS[status] for status in statuses}
