"""Connections of a real server: half a header, two lengths, too many, and answers given up."""

import asyncio
import json
import shutil
import socket
import sys
import threading
from collections.abc import Generator
from contextlib import closing, contextmanager
from importlib import import_module
from pathlib import Path

import httpx
import pytest
import uvicorn
from uvicorn.protocols.http import auto, h11_impl

import hippohover.web
from hippohover.progress import check_wanted
from hippohover.retrieval.engine import HippoHover
from hippohover.web import connections, serving
from hippohover.web.connections import ConnectionLimits
from hippohover.web.server import ServerSettings, make_app
from hippohover.web.service import Service
from hippohover.web.serving import bound_socket, config_of

HALF = b"POST /v1/retrieve HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: "
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@contextmanager
def served(
    service: Service,
    limits: ConnectionLimits,
    settings: ServerSettings = ServerSettings(),  # noqa: B008
) -> Generator[int]:
    """A server on a thread of this process: its port."""
    with bound_socket("127.0.0.1", 0) as listening:
        listening.listen(1024)
        server = uvicorn.Server(config_of(make_app(service, settings), limits))
        thread = threading.Thread(
            target=asyncio.run, args=(server.serve(sockets=[listening]),), daemon=True
        )
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(60)


@pytest.fixture(params=["found", "h11"])
def _parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The parser of HTTP that is installed, and the one that always is."""
    if request.param == "h11":
        monkeypatch.setattr(auto, "AutoHTTPProtocol", h11_impl.H11Protocol)
        monkeypatch.delitem(sys.modules, connections.__name__)
        monkeypatch.setattr(hippohover.web, "connections", connections)
        again = import_module(connections.__name__)
        monkeypatch.setattr(serving, "GuardedProtocol", again.GuardedProtocol)


def connected(port: int, data: bytes) -> socket.socket:
    made = socket.create_connection(("127.0.0.1", port), timeout=30)
    made.sendall(data)
    return made


def is_closed(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def answer(port: int, data: bytes = HEALTH) -> bytes:
    with connected(port, data) as connection:
        return connection.recv(4096)


@pytest.mark.usefixtures("_parser")
def test_who_sends_half_a_header_keeps_nobody_out(toy_engine: HippoHover):
    with served(Service(toy_engine), ConnectionLimits(most=6, header_seconds=600)) as port:
        half = [connected(port, HALF) for _ in range(9)]
        assert all(b"200 OK" in answer(port) for _ in range(9))
        assert all(is_closed(one) for one in half[:4])  # those that waited longest
        for one in half:
            one.close()


@pytest.mark.usefixtures("_parser")
def test_a_header_has_a_deadline_and_a_request_that_came_has_none(toy_engine: HippoHover):
    with served(Service(toy_engine), ConnectionLimits(header_seconds=0.2)) as port:
        with connected(port, HALF) as half, connected(port, b"") as silent:
            assert is_closed(half)
            assert is_closed(silent)
        body = json.dumps({"claim": "Who made Lantern Hill?"}).encode()
        head = b"POST /v1/retrieve HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n"
        head += b"Content-Type: application/json\r\n\r\n"
        with connected(port, head % len(body)) as slow:  # a body has a deadline of its own
            threading.Event().wait(0.5)
            slow.sendall(body)
            assert b"200 OK" in slow.recv(100)


@pytest.mark.usefixtures("_parser")
def test_where_no_connection_waits_one_more_is_refused(toy_engine: HippoHover):
    service, go_on = Service(toy_engine), threading.Event()
    service.themes = lambda: {"waited": go_on.wait(60)}  # pyright: ignore[reportAttributeAccessIssue]
    ask = b"GET /v1/themes HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with served(service, ConnectionLimits(most=2)) as port:
        busy = [connected(port, ask) for _ in range(2)]
        for one in busy:
            one.settimeout(0.3)
            with pytest.raises(TimeoutError):
                one.recv(1)
        assert b"503 Service Unavailable" in answer(port)
        go_on.set()
        assert all(b"200 OK" in one.recv(100) for one in busy)
        for one in busy:
            one.close()


@pytest.mark.usefixtures("_parser")
def test_two_lengths_of_one_body_close_the_connection(toy_engine: HippoHover):
    smuggled = (
        b"POST /v1/retrieve HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    )
    with served(Service(toy_engine), ConnectionLimits()) as port:
        with connected(port, smuggled + HEALTH) as connection:
            told = b"".join(iter(lambda: connection.recv(4096), b""))
        assert told.startswith(b"HTTP/1.1 400")
        assert told.lower().count(b"http/1.1 ") == 1
        assert b"connection: close" in told.lower()


CHUNKED = (
    b"POST /v1/retrieve HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: "
)


@pytest.mark.usefixtures("_parser")
@pytest.mark.parametrize("begun", [HALF, HALF + b"b\r\n", HEALTH + HALF, CHUNKED])
@pytest.mark.parametrize("line", [b"a" * 1000, b"a\r\nX: "])
def test_headers_and_trailers_without_an_end_are_cut(
    toy_engine: HippoHover, begun: bytes, line: bytes
):
    limits = ConnectionLimits(header_seconds=600)
    with served(Service(toy_engine), limits) as port, connected(port, begun) as connection:
        with pytest.raises(OSError, match=r"reset|pipe"):
            for _ in range(2**26 // len(line)):  # 64 MB, where the system holds a few
                connection.sendall(line * 100)
        assert b"200 OK" in answer(port)


@pytest.mark.usefixtures("_parser")
def test_who_sends_too_long_headers_is_told_and_long_ones_are_read(toy_engine: HippoHover):
    with served(Service(toy_engine), ConnectionLimits()) as port:
        head = HEALTH.removesuffix(b"\r\n") + b"X: "
        assert b"200 OK" in answer(port, head + b"a" * 60_000 + b"\r\n\r\n")
        told = answer(port, head + b"a" * (2**16 - len(head) + 1))
        assert told.startswith(b"HTTP/1.1 431")
        assert b'{"detail":"the headers have more than 65,536 bytes' in told


@pytest.mark.usefixtures("_parser")
def test_requests_that_wait_on_one_connection_are_few(toy_engine: HippoHover):
    service, go_on = Service(toy_engine), threading.Event()
    service.themes = lambda: {"waited": go_on.wait(5)}  # pyright: ignore[reportAttributeAccessIssue]
    ask = b"GET /v1/themes HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with served(service, ConnectionLimits()) as port:
        with connected(port, ask + 17 * HEALTH) as many:
            assert is_closed(many)
        with connected(port, ask + 16 * HEALTH) as few:
            go_on.set()
            told = b""
            while told.count(b"200 OK") < 17:
                more = few.recv(2**16)
                assert more
                told += more


@pytest.mark.usefixtures("_parser")
def test_who_waits_for_own_answers_makes_room_before_a_new_one(toy_engine: HippoHover):
    service, go_on = Service(toy_engine), threading.Event()
    service.themes = lambda: {"waited": go_on.wait(5)}  # pyright: ignore[reportAttributeAccessIssue]
    ask = b"GET /v1/themes HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    limits = ConnectionLimits(most=3, header_seconds=600, new_seconds=600)
    with served(service, limits) as port:
        with connected(port, b"") as new, connected(port, ask * 2) as own:
            own.settimeout(0.3)
            with pytest.raises(TimeoutError):
                own.recv(1)
            with connected(port, b""), connected(port, b""):
                own.settimeout(30)
                assert is_closed(own)
                new.sendall(HEALTH)
                assert b"200 OK" in new.recv(100)
        go_on.set()


@pytest.mark.usefixtures("_parser")
def test_who_never_reads_makes_room_even_where_it_asked_to_close(toy_engine: HippoHover):
    service = Service(toy_engine)
    service.themes = lambda: {"long": "a" * 2**25}  # pyright: ignore[reportAttributeAccessIssue]
    ask = b"GET /v1/themes HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
    with served(service, ConnectionLimits(most=2)) as port:
        deaf = [connected(port, ask) for _ in range(2)]
        for one in deaf:
            assert one.recv(1) == b"H"
        assert all(b"200 OK" in answer(port) for _ in range(4))
        for one in deaf:
            one.close()


@pytest.mark.usefixtures("_parser")
def test_two_hosts_are_refused(toy_engine: HippoHover):
    twice = HEALTH.removesuffix(b"\r\n") + b"Host: evil.example\r\n\r\n"
    with served(Service(toy_engine), ConnectionLimits()) as port:
        assert answer(port, twice).startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize("accept", ["application/json", "application/x-ndjson"])
def test_an_answer_that_takes_too_long_frees_its_thread(toy_engine: HippoHover, accept: str):
    """It reports no progress, as one claim does not: it ends where it next looks."""
    service, running = Service(toy_engine), threading.Semaphore(0)
    begun, ended = threading.Semaphore(0), threading.Semaphore(0)

    def endless(*_: object, **__: object) -> dict[str, object]:
        begun.release()
        try:
            while not running.acquire(timeout=0.01):
                check_wanted()
        finally:
            ended.release()
        return {}

    service.verify = endless  # pyright: ignore[reportAttributeAccessIssue]
    settings = ServerSettings(seconds=0.2, n_threads=1)
    with served(service, ConnectionLimits(), settings) as port:
        for _ in range(3):
            told = httpx.post(
                f"http://127.0.0.1:{port}/v1/verify",
                json={"text": "It is so."},
                headers={"Accept": accept},
                timeout=60,
            )
            assert "504" in f"{told.status_code} {told.text}"
            assert begun.acquire(timeout=60)
            assert ended.acquire(timeout=60)


def test_a_claim_looks_whether_somebody_waits(toy_engine: HippoHover):
    """Inside one claim, on the threads that read its signals too."""
    from hippohover.progress import GivenUpError, ended_when

    looks = 0

    def given_up() -> bool:
        nonlocal looks
        looks += 1
        return looks > 20

    with ended_when(given_up), pytest.raises(GivenUpError):
        Service(toy_engine).verify("Lantern Hill was directed by Pia Nordahl-Quist.", "ppr")
    assert looks < 60  # those that were running; nothing else begins


@pytest.fixture
def index_copy(toy_index: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(toy_index, tmp_path / "copy"))


def held_versions(index: Path) -> set[str]:
    """Versions of an index whose files this process has open or mapped."""
    names = Path("/proc/self/fd").iterdir()
    links = (str(one.readlink()) for one in names if one.is_symlink())
    maps = Path("/proc/self/maps").read_text("utf-8").splitlines()
    inside = (one.partition(f"{index}/v")[2] for one in (*links, *maps))
    return {f"v{one.partition('/')[0]}" for one in inside if one}


@pytest.mark.parametrize("late", [False, True])
def test_a_reload_lets_go_of_the_maps_of_the_version_before(index_copy: Path, late: bool):
    """Also where a request that began before it ends ``late``, behind it."""
    claim, title = "Who made Lantern Hill?", "Lantern Hill (novel)"
    added = index_copy.parent / "more.jsonl"
    with closing(HippoHover.open(index_copy)) as engine:
        service = Service(engine)
        for at in range(3):
            service.retrieve(claim, 5, "ppr")
            service.explain(claim, title=title)
            run = engine.retrieve_run(claim, 5)[1]
            added.write_text(json.dumps({"title": f"Page {at}", "text": f"Page {at} is new."}))
            hippohover.add(index_copy, added)
            assert service.reload()
            if late:
                asked = (claim, (), "answers")
                service._remember(asked, run)  # pyright: ignore[reportPrivateUsage]
            del run
        assert held_versions(index_copy) == {engine.stored.version}
