"""The commands ``serve`` and ``mcp``."""

import math
import os
import signal
import sys
import threading
from collections.abc import Generator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from hippohover.cli.mcp_install import clients, install
from hippohover.cli.model import ModelOptions, opened_engine
from hippohover.cli.options import one_of, option
from hippohover.cli.output import error_line, note, progress
from hippohover.cli.programs import Programs, ServedPrograms
from hippohover.cli.settings import opened_sources
from hippohover.cli.verify import Judging, deciding, judging_model, opened_judge
from hippohover.cli.which_index import THE_DEFAULT, TheIndex
from hippohover.errors import UsageError
from hippohover.metadata import is_loopback
from hippohover.secret_keys import holds_a_key
from hippohover.store.reader import StoredIndex

if TYPE_CHECKING:
    from limits import RateLimitItem

    from hippohover.indexing.updates.compactor import Compactor
    from hippohover.web.documents import Documents
    from hippohover.web.service import Service

_NEEDED = ("fastapi", "limits", "mcp", "prometheus_client", "uvicorn")


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """Address and limits of a server."""

    host: str = option(
        "127.0.0.1", "Address to listen on; other machines reach it only with a token."
    )
    port: int = option(
        8000, "Port to listen on; 0 takes a free one.", metavar="N", min=0, max=65535
    )
    token_variable: str = option(
        "HIPPOHOVER_TOKEN", "Environment variable of the bearer token that clients must send."
    )
    rate: str | None = option(None, "Requests that one client may make, such as 60/minute.")
    time_limit: float = option(300.0, "Seconds for one answer.", metavar="N", min=1, max=86_400)
    verify_seconds: float = option(
        0.8, "Processor seconds for the claims of one text.", metavar="N", min=0.1, max=86_400
    )
    documents: Path | None = option(None, "Folder that was indexed: passages link to its files.")
    follow: bool = option(False, "Switch to each new version once it is published.", "--follow")


def serve_index(
    index: TheIndex = THE_DEFAULT,
    *,
    serving: Serving,
    judging: Judging,
    programs: ServedPrograms,
    model: ModelOptions,
) -> None:
    """Serve a page and an HTTP API. SIGHUP switches to a new version.

    Example:  hippohover serve index/mine
    """
    early = threading.Event()
    # Until the server has its own handler, a reload is remembered.
    signal.signal(signal.SIGHUP, lambda _number, _frame: early.set())
    _check_installed()
    from hippohover.web.server import LOCAL_HOSTS, ServerSettings, make_app
    from hippohover.web.serving import bound_socket, run

    holds_a_key(serving.token_variable)
    token = os.environ.get(serving.token_variable, "").strip()
    if not token.isascii() or not token.isprintable():
        raise UsageError(
            f"the token in {serving.token_variable} has characters that an HTTP header cannot "
            "carry: "
            "use printable ASCII"
        )
    local = is_loopback(serving.host)
    settings = ServerSettings(
        token=token or None,
        hosts=(*LOCAL_HOSTS, serving.host) if local else ("*",),
        seconds=serving.time_limit,
        rate=_rate(serving.rate),
    )
    with ExitStack() as stack:
        listening = stack.enter_context(bound_socket(serving.host, serving.port))
        if not local and not token:
            raise UsageError(
                f"--host {serving.host} can be reached from other machines: set a token in the "
                f"environment variable {serving.token_variable}, which clients then send"
            )
        documents = _documents(serving.documents, settings.token)
        service = stack.enter_context(_opened(index, judging, model, programs, documents))
        service.verify_seconds = serving.verify_seconds
        service.warm_up()
        port = listening.getsockname()[1]
        shown = f"[{serving.host}]" if ":" in serving.host else serving.host

        def say() -> None:
            note(f"http://{shown}:{port}/ answers from {index} ({service.version}); Ctrl-C stops")
            if early.is_set():
                signal.raise_signal(signal.SIGHUP)

        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _leave_to_the_server)
        look = stack.enter_context(closing(_compactor(index))).look if serving.follow else None
        run(make_app(service, settings), listening, say, look=look)
    note("stopped")
    if any(not thread.daemon for thread in threading.enumerate()[1:]):
        # A request to a language model that nobody waits for any more cannot be called back, and
        # Python would wait for it.
        sys.stderr.flush()
        os._exit(0)


def serve_tools(
    index: TheIndex = THE_DEFAULT,
    writable: bool = option(
        False, "Offer tools that add a text to the index and delete one.", "--writable"
    ),
    client: str | None = option(
        None,
        f"Do not serve: write this index into the configuration of a client, "
        f"{', '.join(clients())}. A copy of what it was is kept.",
        "--install",
        metavar="CLIENT",
        callback=one_of(*clients()),
    ),
    dry_run: bool = option(False, "With --install: print what would be written.", "--dry-run"),
    *,
    judging: Judging,
    model: ModelOptions,
) -> None:
    """Offer tools to a language model. By MCP, over stdio; each call answers from the live version.

    Example:  hippohover mcp index/mine
    """
    _check_installed()
    if client is not None:
        with StoredIndex.open(index, check=False):  # before a client tries it in vain
            install(client, index, ["--writable"] if writable else [], dry_run=dry_run)
        return
    if dry_run:
        raise typer.BadParameter("--dry-run goes with --install")
    from hippohover.web.mcp import tools_of
    from hippohover.web.stdio import serve

    with _opened(index, judging, model) as service:
        service.verify_seconds = math.inf  # nobody else waits for it
        # The protocol's reader waits for a line on a thread that nothing would interrupt.
        signal.signal(signal.SIGINT, _end_at_once)
        serve(tools_of(service, writable=index if writable else None))


@contextmanager
def _opened(
    index: Path,
    judging: Judging,
    model: ModelOptions,
    programs: Programs | None = None,
    documents: "Documents | None" = None,
) -> Generator["Service"]:
    from hippohover.web.service import Judges, Service

    aggregator, learned = deciding(judging)
    judge = opened_judge(judging.nli)
    sources = opened_sources(judging.source)
    opening = True
    with progress() as report:

        def tell(stage: str, done: int, total: int, /) -> None:
            if opening:  # later on the service tells each request what it waits for
                report(stage, done, total)

        with opened_engine(index, model, tell, judging.overrides, filters=False) as (
            engine,
            asked,
        ):
            opening = False
            yield Service(
                engine,
                model=asked,
                judges=Judges(
                    nli=judge or judging_model(asked), aggregator=aggregator, judge=learned
                ),
                documents=documents,
                sources=sources,
                programs={} if programs is None else programs.opened(engine, asked, sources),
            )


def _compactor(index: Path) -> "Compactor":
    from hippohover.indexing.updates.compactor import Compactor

    return Compactor(index, lambda said: error_line(f"the work in the background failed: {said}"))


def _documents(folder: Path | None, token: str | None) -> "Documents | None":
    from hippohover.web.documents import Documents

    if folder is None:
        return None
    if not folder.is_dir():
        raise UsageError(f"--documents {folder}: is not a folder: name the one that was indexed")
    return Documents(folder, token)


def _rate(text: str | None) -> "RateLimitItem | None":
    if text is None:
        return None
    from limits import parse

    try:
        rate = parse(text)
    except ValueError as error:
        raise UsageError(f"--rate {text!r} is not a rate: write it as 60/minute") from error
    if rate.amount < 1:
        raise UsageError(f"--rate {text!r} allows no request: give 1 or more")
    return rate


def _check_installed() -> None:
    for name in _NEEDED:
        if find_spec(name) is None:
            raise UsageError(f"serving needs {name}: pip install 'hippohover[web]'")


def _end_at_once(_number: int, _frame: object) -> None:
    os._exit(130)


def _leave_to_the_server(_number: int, _frame: object) -> None:
    """Ignore the signal that the server raises again after it has stopped."""
