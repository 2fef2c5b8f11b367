"""Requests: pace, attempts, limits of size and time, redirects, keys, messages."""

import itertools
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import httpx
import pytest

from hippohover.errors import SourceError, UsageError
from hippohover.sources import fetching
from hippohover.sources.fetching import MOST_BYTES, Fetcher, key_in
from tests.sources.reply_samples import Service

URL = "https://api.example/search"


def redirect(to: str) -> httpx.Response:
    return httpx.Response(302, headers={"Location": to})


def test_a_reply_is_read_with_its_parameters_and_headers():
    service = Service([{"a": 1}])
    fetcher = service.fetcher(headers={"x-key": "k"})
    assert fetcher.get_json(f"{URL}?q=a%20b&n=3") == {"a": 1}
    (request,) = service.asked
    assert dict(request.url.params) == {"q": "a b", "n": "3"}
    assert request.headers["x-key"] == "k"
    assert request.headers["Accept-Encoding"] == "identity"
    assert request.headers["User-Agent"].startswith("hippohover/")


def test_requests_are_as_far_apart_as_the_service_asks():
    service = Service([{}])
    fetcher = service.fetcher(interval_seconds=3.0)
    fetcher.get(URL)
    service.now += 1
    fetcher.get(URL)
    assert service.slept == [2.0]
    service.now += 5
    fetcher.get(URL)
    assert service.slept == [2.0]


def test_threads_are_served_one_after_the_other():
    at_once: list[int] = []
    running = 0

    def answer(request: httpx.Request) -> httpx.Response:
        nonlocal running
        running += 1
        at_once.append(running)
        time.sleep(0.01)
        running -= 1
        return httpx.Response(200)

    fetcher = Fetcher("stub", transport=httpx.MockTransport(answer))
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(fetcher.get, [URL] * 8)) == [b""] * 8
    assert set(at_once) == {1}


@pytest.mark.parametrize(
    "failure", [429, 500, 503, httpx.ReadTimeout("t"), httpx.ConnectError("c")]
)
def test_what_may_pass_is_tried_again_with_longer_waits(failure: Any):  # noqa: ANN401
    service = Service([failure, failure, {"ok": True}])
    assert service.fetcher().get_json(URL) == {"ok": True}
    assert service.slept == [1.0, 2.0]


def test_what_does_not_pass_is_an_error_after_three_attempts():
    service = Service([503])
    with pytest.raises(SourceError, match=r"^stub answered with HTTP 503: try later$"):
        service.fetcher().get(URL)
    assert len(service.asked) == 3
    service = Service([httpx.ConnectError("no route")])
    with pytest.raises(SourceError, match=r"^stub did not answer \(ConnectError\): try later$"):
        service.fetcher().get(URL)


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (400, "stub refused the request (HTTP 400): try another query"),
        (401, "stub refused the request (HTTP 401): check the key in STUB_KEY"),
        (403, "stub refused the request (HTTP 403): check the key in STUB_KEY"),
    ],
)
def test_what_is_refused_is_not_tried_again(status: int, told: str):
    service = Service([status])
    with pytest.raises(SourceError) as caught:
        service.fetcher(key_variable="STUB_KEY").get(f"{URL}?api_key=secret-key")
    assert str(caught.value) == told
    assert len(service.asked) == 1


def test_a_service_that_wants_a_key_is_told_so():
    with pytest.raises(SourceError, match=r"HTTP 401\): it needs a key of yours$"):
        Service([401]).fetcher().get(URL)


def test_a_wait_that_is_asked_for_is_kept_if_it_is_short():
    later = httpx.Response(429, headers={"Retry-After": "4"})
    service = Service([later, {}])
    service.fetcher().get(URL)
    assert service.slept == [4.0]
    long = httpx.Response(429, headers={"Retry-After": "3600"})
    service = Service([long, {}])
    with pytest.raises(SourceError, match=r"too often \(HTTP 429\): wait, or set the key in K$"):
        service.fetcher(key_variable="K").get(URL)
    assert service.slept == []
    dated = httpx.Response(429, headers={"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"})
    service = Service([dated, {}])
    service.fetcher().get(URL)
    assert service.slept == [1.0]


def test_ten_megabytes_are_not_read():
    sent = 0

    def parts() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(160):
            sent += 2**16
            yield b"x" * 2**16

    service = Service([httpx.Response(200, content=parts())])
    with pytest.raises(SourceError, match=r"^stub answered with more than 4,194,304 bytes: "):
        service.fetcher().get(URL)
    assert sent <= MOST_BYTES + 2**17
    assert len(service.asked) == 1
    most = Service([httpx.Response(200, content=b"x" * MOST_BYTES)])
    assert len(most.fetcher().get(URL)) == MOST_BYTES


def test_a_reply_that_drips_is_not_waited_for(monkeypatch: pytest.MonkeyPatch):
    def parts() -> Iterator[bytes]:
        for _ in range(10):
            service.now += 7
            yield b"x"

    service = Service([httpx.Response(200, content=parts())])
    with pytest.raises(SourceError, match=r"^stub took more than 30 s for a reply: try later$"):
        service.fetcher().get(URL)
    monkeypatch.setattr(fetching, "LONGEST_SECONDS", 100.0)
    service = Service([httpx.Response(200, content=parts())])
    assert service.fetcher().get(URL) == b"x" * 10


def dripping(connection: socket.socket, gone: threading.Event, parts: Iterator[bytes]) -> None:
    """Send one part after the other, a twentieth of a second apart, until the other side goes."""
    with connection, suppress(OSError):
        connection.recv(65536)
        for part in parts:
            connection.sendall(part)
            time.sleep(0.05)
    gone.set()


def of_status_line() -> Iterator[bytes]:
    return itertools.chain([b"HTTP/1.1 200 O"], itertools.repeat(b"K"))


def of_headers() -> Iterator[bytes]:
    return itertools.chain([b"HTTP/1.1 200 OK\r\nX-Long: "], itertools.repeat(b"a"))


def of_body() -> Iterator[bytes]:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"
    return itertools.chain([head], itertools.repeat(b"x"))


def of_redirect() -> Iterator[bytes]:
    head = b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /again\r\nX-Long: "
    return itertools.chain([head], itertools.repeat(b"a"))


@pytest.mark.parametrize("parts", [of_status_line, of_headers, of_body, of_redirect])
def test_a_server_that_drips_is_left_at_the_deadline(
    monkeypatch: pytest.MonkeyPatch, parts: Callable[[], Iterator[bytes]]
):
    monkeypatch.setattr(fetching, "LONGEST_SECONDS", 0.4)
    gone = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            dripping(server.accept()[0], gone, parts())

        threading.Thread(target=answer, daemon=True).start()
        fetcher = Fetcher("stub")
        with pytest.raises(SourceError, match=r"^stub took more than 0\.4 s for a reply: try l"):
            fetcher.get(f"http://127.0.0.1:{server.getsockname()[1]}/")
        assert gone.wait(20)  # the connection is cut: nobody reads on
        fetcher.close()


def test_redirects_do_not_begin_the_time_anew():
    def answer(request: httpx.Request) -> httpx.Response:
        service.now += 16
        return redirect("/again")

    service = Service([])
    fetcher = Fetcher("stub", transport=httpx.MockTransport(answer), clock=lambda: service.now)
    with pytest.raises(SourceError, match=r"^stub took more than 30 s for a reply: try later$"):
        fetcher.get(URL)


def test_a_connection_that_is_not_made_in_time_is_not_waited_for(monkeypatch: pytest.MonkeyPatch):
    made = threading.Event()

    def answer(request: httpx.Request) -> httpx.Response:
        made.wait(20)
        return httpx.Response(200)

    monkeypatch.setattr(fetching, "LONGEST_SECONDS", 0.1)
    fetcher = Fetcher("stub", transport=httpx.MockTransport(answer))
    with pytest.raises(SourceError, match=r"^stub took more than 0\.1 s for a reply: try later$"):
        fetcher.get(URL)
    made.set()


def test_connections_are_kept_for_the_next_request():
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection = server.accept()[0]
            with connection:
                for _ in range(2):
                    connection.recv(65536)
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")

        threading.Thread(target=answer, daemon=True).start()
        fetcher = Fetcher("stub")
        address = f"http://127.0.0.1:{server.getsockname()[1]}/"
        assert [fetcher.get_json(address), fetcher.get_json(address)] == [{}, {}]
        fetcher.close()


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example/search",
        "//evil.example/x",
        "http://api.example/search",
        "https://api.example:8443/search",
        "https://api.example@evil.example/",
        "file:///etc/passwd",
    ],
)
def test_a_redirect_to_another_host_is_refused(target: str):
    service = Service([redirect(target), {"stolen": True}])
    with pytest.raises(SourceError, match=r"^stub leads to another host, .*not followed"):
        service.fetcher(headers={"x-key": "k"}).get(URL)
    assert len(service.asked) == 1


def test_a_redirect_within_the_host_is_followed_three_times():
    service = Service([redirect("/v2?q=a"), redirect("https://api.example/v3"), {"ok": 1}])
    assert service.fetcher().get_json(f"{URL}?q=a") == {"ok": 1}
    assert [str(one.url) for one in service.asked] == [
        f"{URL}?q=a", "https://api.example/v2?q=a", "https://api.example/v3",
    ]  # fmt: skip
    service = Service([redirect("/again")])
    with pytest.raises(SourceError, match="redirects more than 3 times"):
        service.fetcher().get(URL)
    assert len(service.asked) == 4


@pytest.mark.parametrize("text", ["<html>", "", "[" * 100_000])
def test_what_is_no_json_is_an_error(text: str):
    with pytest.raises(SourceError, match=r"^stub did not answer in JSON: try later$"):
        Service([text]).fetcher().get_json(URL)


def test_keys_come_from_the_environment(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("STUB_KEY", " k \n")
    assert key_in("STUB_KEY", needed_by="stub") == "k"
    monkeypatch.setenv("STUB_KEY", "")
    assert key_in("STUB_KEY") == ""
    with pytest.raises(UsageError, match=r"^source stub needs a key: put it into STUB_KEY$"):
        key_in("STUB_KEY", needed_by="stub")
    monkeypatch.setenv("STUB_KEY", "ключ")
    with pytest.raises(
        UsageError, match="the key in STUB_KEY has characters that an HTTP header cannot carry"
    ):
        key_in("STUB_KEY")


def test_without_httpx_the_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    import sys

    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(UsageError, match=r"source stub needs httpx: pip install '\S*\[so"):
        Fetcher("stub")


def test_a_closed_fetcher_lets_go_of_its_connections():
    fetcher = Service([{}]).fetcher()
    fetcher.close()
    with pytest.raises(RuntimeError, match="closed"):
        fetcher.get(URL)
