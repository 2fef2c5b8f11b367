"""The command ``serve`` as a process: started, asked, reloaded under load, stopped."""

import json
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

import hippohover
from hippohover import HippoHover
from hippohover.errors import UsageError
from hippohover.evaluation.hover import load_claims
from hippohover.metadata import is_loopback
from hippohover.toy import toy_claims_path
from hippohover.tuning.tune import Tuning
from hippohover.web.server import make_app
from hippohover.web.service import Service
from hippohover.web.serving import bound_socket, run
from tests.stub_server import chat, send, serving
from tests.tuning.tuning_samples import note_claims

CLAIM = load_claims(toy_claims_path())[6].claim


@contextmanager
def served(
    index: Path, env: dict[str, str], *options: str
) -> Generator[tuple[str, "subprocess.Popen[str]"]]:
    """A server on a free port: its address and its process."""
    command = [sys.executable, "-m", "hippohover", "serve", str(index), "--port", "0", *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env)  # noqa: S603
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        address = re.search(r"http://\S+?:\d+", line)
        assert address, line + process.stderr.read()
        yield address[0], process
    finally:
        process.kill()
        process.wait()
        assert process.stderr is not None
        process.stderr.close()


def stopped(process: "subprocess.Popen[str]", number: int) -> tuple[int, str]:
    process.send_signal(number)
    assert process.stderr is not None
    code = process.wait(60)
    return code, process.stderr.read()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_starts_answers_and_stops(toy_index: Path, command_env: dict[str, str], number: int):
    with served(toy_index, command_env) as (address, process):
        assert address.startswith("http://127.0.0.1:")
        assert httpx.get(f"{address}/healthz").json()["status"] == "ok"
        answer = httpx.post(f"{address}/v1/retrieve", json={"claim": CLAIM, "k": 2})
        assert len(answer.json()["passages"]) == 2
        assert "server" not in answer.headers
        code, said = stopped(process, number)
    assert code == 0
    assert said.splitlines()[-1] == "note: stopped"


@pytest.mark.slow
def test_it_answers_by_the_ranking_that_it_is_given(
    notes_index: Path, tuning: Tuning, command_env: dict[str, str], tmp_path: Path
):
    tuning.ranking.save(tmp_path / "own.npz")
    claim = note_claims()[65]
    with served(notes_index, command_env, "--ranking", str(tmp_path / "own.npz")) as (address, _):
        answer = httpx.post(
            f"{address}/v1/retrieve", json={"claim": claim.claim}, timeout=60
        ).json()
        judged = httpx.post(f"{address}/v1/verify", json={"text": claim.claim}, timeout=60).json()
    assert answer["passages"][0]["title"] == claim.gold_titles[0]
    assert claim.gold_titles[0] in json.dumps(judged)
    shipped = HippoHover.open(notes_index).retrieve(claim.claim)
    assert claim.gold_titles[0] not in [passage.title for passage in shipped.passages]


@pytest.mark.slow
def test_a_header_does_not_say_who_asks(toy_index: Path, command_env: dict[str, str]):
    with served(toy_index, command_env, "--rate", "2/hour") as (address, _):
        statuses = [
            httpx.get(f"{address}/v1/index", headers={"X-Forwarded-For": f"9.9.9.{at}"}).status_code
            for at in range(4)
        ]
    assert statuses == [200, 200, 429, 429]


@pytest.mark.slow
def test_what_is_under_way_at_the_end_is_answered(toy_index: Path, command_env: dict[str, str]):
    asked = threading.Event()

    def slow(handler: object) -> None:
        asked.set()
        time.sleep(1.5)
        body = json.dumps(
            {"id": "x", "object": "chat.completion", "created": 1, "model": "stub",
             "choices": [{"index": 0, "finish_reason": "stop", "message": {
                 "role": "assistant", "content": chat("", answer="Lantern Hill is a film.")}}]}
        )  # fmt: skip
        send(handler, body.encode())  # pyright: ignore[reportArgumentType]

    with (
        serving([slow]) as stub,
        served(
            toy_index, {**command_env, "OPENAI_API_KEY": "x"}, "--lm", "openai/stub",
            "--lm-api-base", stub.api_base,
        ) as (address, process),
        ThreadPoolExecutor(1) as pool,
    ):  # fmt: skip
        question = {"question": "What is Lantern Hill?"}
        answer = pool.submit(httpx.post, f"{address}/v1/answer", json=question, timeout=60)
        assert asked.wait(60)
        code, _ = stopped(process, signal.SIGTERM)
        assert answer.result().json()["draft_response"] == "Lantern Hill is a film."
    assert code == 0


@pytest.mark.slow
def test_a_new_version_is_taken_up_without_dropping_a_request(
    index_copy: Path, command_env: dict[str, str]
):
    seen: dict[str, None] = {}
    enough = threading.Event()

    def wait_for(n: int) -> None:
        """Wait until as many titles were seen."""
        end = time.monotonic() + 60
        while len(seen) < n:
            assert time.monotonic() < end
            time.sleep(0.05)

    def ask(address: str) -> None:
        with httpx.Client(base_url=address, timeout=60) as client:
            while not enough.is_set():
                response = client.post("/v1/retrieve", json={"claim": CLAIM, "k": 3})
                assert response.status_code == 200, response.text
                seen[response.json()["passages"][0]["title"]] = None

    with served(index_copy, command_env) as (address, process), ThreadPoolExecutor(4) as pool:
        asking = [pool.submit(ask, address) for _ in range(4)]
        wait_for(1)
        (first,) = seen
        hippohover.delete(index_copy, [first])
        assert httpx.get(f"{address}/healthz").json()["version"] == "v000001"
        process.send_signal(signal.SIGHUP)
        end = time.monotonic() + 60
        while httpx.get(f"{address}/healthz").json()["version"] != "v000002":
            assert time.monotonic() < end
            time.sleep(0.05)
        wait_for(2)
        enough.set()
        for one in asking:
            one.result()
        after = httpx.post(f"{address}/v1/retrieve", json={"claim": CLAIM, "k": 3}).json()
        _, said = stopped(process, signal.SIGTERM)
    assert first not in [one["title"] for one in after["passages"]]
    assert len(seen) == 2
    assert "the new version is served" in said


@pytest.mark.slow
def test_a_server_that_follows_takes_up_what_is_published(
    index_copy: Path, command_env: dict[str, str]
):
    """Unasked, and again once what was damaged is replaced; that it was is said once."""
    pointer = index_copy / "CURRENT"

    def version_becomes(expected: str) -> None:
        end = time.monotonic() + 60
        while httpx.get(f"{address}/healthz").json()["version"] != expected:
            assert time.monotonic() < end
            time.sleep(0.05)

    with served(index_copy, command_env, "--follow") as (address, process):
        assert httpx.get(f"{address}/healthz").json()["version"] == "v000001"
        hippohover.alias(index_copy, {"Belbury": "Vellmouth"})
        version_becomes("v000002")
        wrong, right = index_copy / "wrong", index_copy / "right"
        wrong.write_text("v000009\n")
        shutil.copy(pointer, right)
        wrong.replace(pointer)  # as a publisher does: it is never read half-written
        before = _until("the server keeps the old version:", process)
        right.replace(pointer)
        hippohover.alias(index_copy, {})
        version_becomes("v000003")
        code, said = stopped(process, signal.SIGTERM)
    assert code == 0
    said = before + said
    assert said.count("the server keeps the old version:") == 1
    assert said.count("the new version is served") == 2
    assert "the index is the same" not in said


def _until(words: str, process: "subprocess.Popen[str]") -> str:
    """Return the lines that the server says until one has these words; fail if it ends before."""
    assert process.stderr is not None
    said = ""
    while words not in said:
        line = process.stderr.readline()
        assert line, said
        said += line
    return said


@pytest.mark.slow
def test_a_reload_that_is_asked_for_before_it_answers_waits(
    toy_index: Path, command_env: dict[str, str]
):
    with bound_socket("127.0.0.1", 0) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "hippohover", "serve", str(toy_index), "--port", str(port)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=command_env) as process:  # noqa: S603
        assert process.stderr is not None
        end = time.monotonic() + 60
        while not _catches(process.pid, signal.SIGHUP):
            assert time.monotonic() < end
            time.sleep(0.01)
        with pytest.raises(httpx.ConnectError):  # a proxy sends it nothing yet
            httpx.get(f"http://127.0.0.1:{port}/healthz")
        process.send_signal(signal.SIGHUP)
        assert "answers from" in process.stderr.readline()
        assert "the index is the same" in process.stderr.readline()
        assert stopped(process, signal.SIGTERM)[0] == 0


def _catches(pid: int, number: int) -> bool:
    """Whether a process has a handler of its own for a signal."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    (mask,) = (line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(mask, 16) >> (number - 1) & 1)


@pytest.mark.slow
def test_a_damaged_new_version_leaves_the_old_one_in_service(
    index_copy: Path, command_env: dict[str, str]
):
    with served(index_copy, command_env) as (address, process):
        (index_copy / "CURRENT").write_text("v000009\n")
        process.send_signal(signal.SIGHUP)
        before = _until("the server keeps the old version:", process)
        answer = httpx.post(f"{address}/v1/retrieve", json={"claim": CLAIM, "k": 2})
        _, said = stopped(process, signal.SIGTERM)
    assert answer.status_code == 200
    assert "Traceback" not in before + said


@pytest.fixture
def index_copy(toy_index: Path, tmp_path: Path) -> Path:
    """The toy index, this test's own."""
    import shutil

    return Path(shutil.copytree(toy_index, tmp_path / "copy"))


def test_a_taken_port_is_named():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=rf"127\.0\.0\.1, port {port}: .*--port 0"):
            bound_socket("127.0.0.1", port)


def test_a_port_that_another_has_taken_since_is_named(toy_engine: HippoHover):
    with bound_socket("127.0.0.1", 0) as bound:
        port = bound.getsockname()[1]
        with bound_socket("127.0.0.1", port) as faster:
            faster.listen()
            with pytest.raises(UsageError, match=rf"127\.0\.0\.1, port {port}: .*--port 0"):
                run(make_app(Service(toy_engine)), bound, lambda: None)


@pytest.mark.parametrize("host", ["203.0.113.7", "no.such.host.invalid", "x" * 300])
def test_an_address_of_elsewhere_is_named(host: str):
    with pytest.raises(UsageError, match="cannot listen there"):
        bound_socket(host, 0)


@pytest.mark.skipif(not socket.has_ipv6, reason="this machine has no IPv6")
def test_ipv6_is_listened_to():
    try:
        with bound_socket("::1", 0) as listening:
            assert listening.family == socket.AF_INET6
    except UsageError as error:
        assert "assign" in str(error) or "family" in str(error)


def test_which_addresses_are_of_this_machine_alone():
    assert all(map(is_loopback, ["127.0.0.1", "127.8.8.8", "::1", "localhost"]))
    assert not any(map(is_loopback, ["0.0.0.0", "::", "192.168.1.2", "example.org", ""]))  # noqa: S104
