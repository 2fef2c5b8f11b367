"""Downloads from a real server on this machine: cut, resumed, refused, checked."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from hippohover.errors import CorpusError, DownloadError
from hippohover.indexing.corpus.files import download as download_module
from hippohover.indexing.corpus.files.download import download
from tests.indexing.corpus.corpus_samples import SAMPLES, WRITERS, read_corpus
from tests.indexing.corpus.file_server import FileServer, serving

CONTENT = bytes(range(256)) * 40
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.fixture
def server() -> Iterator[FileServer]:
    with serving(CONTENT) as running:
        yield running


def fetch(server: FileServer, to: Path, **changes: object) -> Path:
    arguments: dict[str, object] = {
        "sha256": SHA256,
        "n_bytes": len(CONTENT),
        "pause_seconds": 0.001,
        **changes,
    }
    return download(server.url, to, **arguments)  # pyright: ignore[reportArgumentType]


def assert_refused(server: FileServer, to: Path, words: str, **changes: object) -> None:
    with pytest.raises(DownloadError, match=words) as caught:
        fetch(server, to, **changes)
    assert "\n" not in str(caught.value)
    assert not to.is_file()


def part_of(to: Path) -> Path:
    return to.with_name(to.name + ".part")


# --- the way it should go


@pytest.mark.parametrize("name", ["hotpotqa", "wiki-abstracts", "sqlite"])
def test_a_corpus_is_fetched_over_a_broken_connection_and_read(tmp_path: Path, name: str):
    (tmp_path / "there").mkdir()
    original = WRITERS[name](tmp_path / "there")
    content = original.read_bytes()
    to = tmp_path / "here" / "deep" / original.name
    with serving(content) as server:
        server.cuts = [len(content) // 2]
        got = download(
            server.url,
            to,
            sha256=hashlib.sha256(content).hexdigest(),
            n_bytes=len(content),
            pause_seconds=0.001,
        )
        assert server.requests == ["", f"bytes={len(content) // 2}-"]
    assert got == to
    assert to.read_bytes() == content
    assert [passage.title for passage in read_corpus(to)] == [sample.title for sample in SAMPLES]
    assert list(to.parent.iterdir()) == [to]


def test_a_file_that_is_there_and_right_is_not_fetched_again(tmp_path: Path, server: FileServer):
    to = fetch(server, tmp_path / "c")
    written = to.stat().st_mtime_ns
    assert fetch(server, to) == to
    assert len(server.requests) == 1
    assert to.stat().st_mtime_ns == written
    assert fetch(server, to, sha256=SHA256.upper()) == to


@pytest.mark.parametrize("old", [CONTENT[:-1], CONTENT[:-1] + b"?", CONTENT + b"?", b""])
def test_a_file_that_is_there_and_wrong_is_replaced(tmp_path: Path, server: FileServer, old: bytes):
    to = tmp_path / "c"
    to.write_bytes(old)
    assert fetch(server, to).read_bytes() == CONTENT


def test_a_later_call_goes_on_from_the_part(tmp_path: Path, server: FileServer):
    to = tmp_path / "c"
    part_of(to).write_bytes(CONTENT[:1000])
    fetch(server, to)
    assert server.requests == ["bytes=1000-"]
    assert to.read_bytes() == CONTENT


def test_a_whole_part_is_only_checked(tmp_path: Path, server: FileServer):
    to = tmp_path / "c"
    part_of(to).write_bytes(CONTENT)
    fetch(server, to)
    assert server.requests == []
    assert not part_of(to).exists()


def test_a_part_that_is_too_long_is_begun_anew(tmp_path: Path, server: FileServer):
    to = tmp_path / "c"
    part_of(to).write_bytes(CONTENT + b"more")
    assert fetch(server, to).read_bytes() == CONTENT
    assert server.requests == [""]


def test_a_server_without_ranges_begins_anew(tmp_path: Path, server: FileServer):
    server.knows_ranges = False
    server.cuts = [3000, 5000]
    to = fetch(server, tmp_path / "c")
    assert server.requests == ["", "bytes=3000-", "bytes=5000-"]
    assert to.read_bytes() == CONTENT


def test_a_server_that_does_not_say_its_length_is_read_to_the_end(
    tmp_path: Path, server: FileServer
):
    server.headers_sent = {"Content-Length": ""}
    assert fetch(server, tmp_path / "c").read_bytes() == CONTENT


@pytest.mark.parametrize(
    "given", ["bytes 900-/", "items 1000-2/3", "", "bytes 1000", "bytes x-y/z"]
)
def test_a_range_that_was_not_asked_for_is_not_taken(
    tmp_path: Path, server: FileServer, given: str
):
    server.headers_sent = {"Content-Range": given}
    to = tmp_path / "c"
    part_of(to).write_bytes(CONTENT[:1000])
    if given == "bytes 1000":  # begins where it should
        assert fetch(server, to).read_bytes() == CONTENT
        assert server.requests == ["bytes=1000-"]
    else:
        assert fetch(server, to).read_bytes() == CONTENT
        assert server.requests == ["bytes=1000-", ""]


def test_a_range_that_the_server_has_not_begins_anew(tmp_path: Path, server: FileServer):
    server.statuses = [416]
    to = tmp_path / "c"
    part_of(to).write_bytes(CONTENT[:1000])
    assert fetch(server, to).read_bytes() == CONTENT
    assert server.requests == ["bytes=1000-", ""]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_passing_failure_is_tried_again(tmp_path: Path, server: FileServer, status: int):
    server.statuses = [status, status]
    assert fetch(server, tmp_path / "c").read_bytes() == CONTENT
    assert len(server.requests) == 3


def test_any_number_of_cuts_that_bring_something_new_is_borne(tmp_path: Path, server: FileServer):
    server.cuts = [700] * 14
    assert fetch(server, tmp_path / "c").read_bytes() == CONTENT
    assert len(server.requests) == 15


def test_what_came_before_a_connection_was_reset_is_kept(tmp_path: Path, server: FileServer):
    server.resets, server.cuts = True, [700] * 6
    assert fetch(server, tmp_path / "c").read_bytes() == CONTENT
    assert server.requests == ["", *(f"bytes={700 * n}-" for n in range(1, 7))]


def test_progress_tells_what_is_there_and_what_is_wanted(tmp_path: Path, server: FileServer):
    server.cuts = [4000]
    seen: list[tuple[int, int]] = []

    def note(done: int, total: int) -> None:
        seen.append((done, total))

    fetch(server, tmp_path / "c", progress=note)
    assert seen == [(4000, len(CONTENT)), (len(CONTENT), len(CONTENT))]


def test_a_redirection_is_followed(tmp_path: Path, server: FileServer):
    with serving(b"") as other:
        other.location = server.url
        assert fetch(other, tmp_path / "c").read_bytes() == CONTENT


# --- the ways it should not


def test_the_wrong_hash_is_an_error_and_nothing_stays(tmp_path: Path, server: FileServer):
    to = tmp_path / "c"
    assert_refused(server, to, "another SHA-256 than 0000", sha256="0" * 64)
    assert list(tmp_path.iterdir()) == []


def test_a_part_of_another_file_is_found_out(tmp_path: Path, server: FileServer):
    to = tmp_path / "c"
    part_of(to).write_bytes(b"?" * 1000)
    assert_refused(server, to, "another SHA-256")
    assert fetch(server, to).read_bytes() == CONTENT


@pytest.mark.parametrize("n_bytes", [1, len(CONTENT) - 1, len(CONTENT) + 1])
def test_another_size_is_an_error_before_anything_is_fetched(
    tmp_path: Path, server: FileServer, n_bytes: int
):
    assert_refused(server, tmp_path / "c", f"has 10240 bytes, not {n_bytes}", n_bytes=n_bytes)
    assert len(server.requests) == 1


def test_another_size_is_found_when_going_on(tmp_path: Path, server: FileServer):
    part_of(tmp_path / "c").write_bytes(CONTENT[:10])
    assert_refused(server, tmp_path / "c", "has 10240 bytes, not 20", n_bytes=20)


def test_more_than_was_announced_is_an_error(tmp_path: Path, server: FileServer):
    server.headers_sent = {"Content-Length": ""}
    assert_refused(server, tmp_path / "c", "the server sent more than the 100 bytes", n_bytes=100)


def test_a_server_that_always_cuts_is_given_up_and_the_part_kept(
    tmp_path: Path, server: FileServer
):
    server.cuts = [300, *([0] * 50)]
    to = tmp_path / "c"
    assert_refused(server, to, "300 of 10240 bytes came, then 5 tries brought nothing new")
    assert len(server.requests) == 6
    assert part_of(to).read_bytes() == CONTENT[:300]


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_a_refusal_is_not_tried_again(tmp_path: Path, server: FileServer, status: int):
    server.statuses = [status]
    assert_refused(server, tmp_path / "c", f"HTTP {status} a reason: check the address")
    assert len(server.requests) == 1


def test_no_server_at_all_is_an_error_after_some_tries(tmp_path: Path):
    with serving(b"") as server:
        pass
    assert_refused(server, tmp_path / "c", "0 of 10240 bytes came.*refused")


def test_pauses_grow(tmp_path: Path, server: FileServer, monkeypatch: pytest.MonkeyPatch):
    pauses: list[float] = []
    monkeypatch.setattr(download_module.time, "sleep", pauses.append)
    server.statuses = [503] * 9
    assert_refused(server, tmp_path / "c", "HTTP 503", pause_seconds=20)
    assert pauses == [20, 40, 60, 60]


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://example.org/a",
        "/etc/passwd",
        "data:text/plain,x",
        "http://",
        "http://[::1",
        "http://host/a b",
        "http://host/a\nb",
        "https://höst/a",
        "javascript:alert(1)",
        "",
    ],
)
def test_only_http_and_https_addresses_are_taken(tmp_path: Path, url: str):
    with pytest.raises(DownloadError, match="is not an http or https address") as caught:
        download(url, tmp_path / "c", sha256=SHA256, n_bytes=1)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["file:///etc/passwd", "ftp://127.0.0.1:9/a", "data:,x"])
def test_a_redirection_to_anything_else_is_not_followed(
    tmp_path: Path, server: FileServer, place: str
):
    server.location = place
    assert_refused(server, tmp_path / "c", "HTTP 302|unknown url type")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sha256": "abc"}, "give 64 hexadecimal digits"),
        ({"sha256": "g" * 64}, "give 64 hexadecimal digits"),
        ({"n_bytes": 0}, "n_bytes is 0"),
    ],
)
def test_arguments_are_checked(
    tmp_path: Path, server: FileServer, changes: dict[str, object], words: str
):
    assert_refused(server, tmp_path / "c", words, **changes)
    assert server.requests == []


def test_a_folder_or_a_file_in_the_way_is_an_error(tmp_path: Path, server: FileServer):
    assert_refused(server, tmp_path, "a folder: name the file to write")
    (tmp_path / "file").write_bytes(b"")
    assert_refused(server, tmp_path / "file" / "c", "cannot be written")
    part_of(tmp_path / "d").mkdir()
    assert_refused(server, tmp_path / "d", "cannot be written")
    assert server.requests == []


def test_a_full_disk_is_found_before_the_download(tmp_path: Path, server: FileServer):
    assert_refused(server, tmp_path / "c", "more bytes are needed, and the disk has", n_bytes=2**62)
    assert server.requests == []


def test_two_downloads_of_one_file_do_not_mix(tmp_path: Path, server: FileServer):
    to = tmp_path / "c"
    errors: list[str] = []

    def try_at_the_same_time(_done: int, _total: int) -> None:
        with pytest.raises(DownloadError) as caught:
            fetch(server, to)
        errors.append(str(caught.value))

    assert fetch(server, to, progress=try_at_the_same_time).read_bytes() == CONTENT
    assert "another process is fetching it" in errors[0]


def test_a_download_error_is_a_corpus_error():
    assert issubclass(DownloadError, CorpusError)
