"""The image's own user, environment and command, in a tree that nobody can write to.

There is no Docker here: a mount namespace has the root read-only, a fresh ``/tmp`` and the volume,
as ``docker run --read-only --tmpfs /tmp`` makes them, and ``setpriv`` takes all rights away.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
LAST_STAGE = DOCKERFILE[DOCKERFILE.rindex("\nFROM ") :]
TOKEN = "a-token-of-a-test"  # noqa: S105
CLAIM = "The director of Lantern Hill was born in Vellmouth."


def steps(name: str) -> list[str]:
    """What stands behind an instruction of the last stage."""
    return re.findall(rf"^{name} (.+)$", LAST_STAGE, re.MULTILINE)


def environment() -> dict[str, str]:
    """What ``ENV`` sets, but for the path: the package is that of the tests here."""
    pairs = (line.split("=", 1) for line in steps("ENV"))
    return {name: value for name, value in pairs if name != "PATH"}


def can_make_a_namespace() -> bool:
    """Whether a read-only root can be had: as root, with util-linux and the right to mount."""
    if os.geteuid() != 0 or not (shutil.which("unshare") and shutil.which("setpriv")):
        return False
    tried = ["unshare", "--mount", "mount", "-o", "remount,ro,bind", "/"]
    return subprocess.run(tried, capture_output=True, check=False).returncode == 0  # noqa: S603


needs_namespace = pytest.mark.skipif(
    not can_make_a_namespace(), reason="needs root and the right to mount, for a read-only root"
)


def contained(volume: Path, arguments: list[str], *, writable: bool = False) -> list[str]:
    """The command that runs the image's entry point with these arguments, as its user."""
    user, group = steps("USER")[0].split(":")
    [entry] = json.loads(steps("ENTRYPOINT")[0])
    assert entry == "hippohover"
    program = [sys.executable, "-m", "hippohover"]
    mode = "rw" if writable else "ro"
    covered = [folder for folder in (sys.prefix, str(ROOT)) if folder.startswith("/tmp/")]  # noqa: S108
    held = "".join(f"exec {at}< {quote(name)}; " for at, name in enumerate(covered, 4))
    shown_again = "".join(  # -c: by its number, for its path is that of an empty folder by then
        f"mkdir -p {quote(name)}; mount -c --bind /proc/self/fd/{at} {quote(name)}; exec {at}<&-; "
        for at, name in enumerate(covered, 4)
    )
    script = (
        f"set -e; exec 3< \"$1\"; {held}"  # what is below /tmp is covered next
        "mount -o remount,ro,bind /; mount -t tmpfs tmpfs /tmp; mkdir /tmp/volume; chmod 777 /tmp; "
        f"mount --bind /proc/self/fd/3 /tmp/volume; exec 3<&-; {shown_again}"
        f"mount -o remount,{mode},bind /tmp/volume; shift; "
        f"cd {steps('WORKDIR')[0]}; exec setpriv --reuid {user} --regid {group} --clear-groups "
        "--bounding-set=-all --inh-caps=-all --no-new-privs \"$@\""
    )  # fmt: skip
    here = [word.replace("/data", "/tmp/volume") for word in arguments]  # noqa: S108
    return ["unshare", "--mount", "sh", "-c", script, "sh", str(volume), *program, *here]


def env_of() -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **environment()}


@pytest.fixture
def volume(toy_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What is mounted at /data: an index that anybody may read, outside of /tmp."""
    folder = tmp_path_factory.mktemp("volume")
    shutil.copytree(toy_index, folder / "index")
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    yield folder


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def ask(port: int, token: str | None) -> Any:  # noqa: ANN401
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    body = json.dumps({"claim": CLAIM, "k": 3}).encode()
    address = f"http://127.0.0.1:{port}/v1/retrieve"
    asked = urllib.request.Request(address, body, headers)
    with urllib.request.urlopen(asked, timeout=60) as answer:  # noqa: S310
        return json.loads(answer.read())


def wait_for(server: "subprocess.Popen[str]", port: int) -> None:
    for _ in range(600):
        assert server.poll() is None, server.communicate()[1]
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("the server does not listen")


@needs_namespace
@pytest.mark.slow
def test_serve_answers_as_that_user_in_a_read_only_tree(volume: Path):
    port = free_port()
    command = json.loads(steps("CMD")[0])
    command[command.index("--port") + 1] = str(port)
    server = subprocess.Popen(  # noqa: S603
        contained(volume, command),
        env={**env_of(), "HIPPOHOVER_TOKEN": TOKEN},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_for(server, port)
        titles = [one["title"] for one in ask(port, TOKEN)["passages"]]
        assert any(title.startswith("Lantern Hill") for title in titles)
        with pytest.raises(urllib.error.HTTPError, match="401"):
            ask(port, None)
    finally:
        server.terminate()
        _, said = server.communicate(timeout=60)
    assert "Traceback" not in said


@needs_namespace
@pytest.mark.slow
def test_without_a_token_it_does_not_serve(volume: Path):
    done = subprocess.run(  # noqa: S603
        contained(volume, json.loads(steps("CMD")[0])),
        env=env_of(), capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 1
    assert "set a token in the environment variable HIPPOHOVER_TOKEN" in done.stderr


@needs_namespace
@pytest.mark.slow
def test_an_index_is_built_on_a_volume_that_the_user_may_write(tmp_path: Path):
    volume = tmp_path / "volume"
    (volume / "corpus").mkdir(parents=True)
    (volume / "corpus" / "a.md").write_text("# Orle\n\nThe Orle is a river.\n")
    for path in (volume, *volume.rglob("*")):
        path.chmod(0o777 if path.is_dir() else 0o644)
    build = ["build", "--corpus", "/data/corpus", "--out", "/data/index"]
    assert " ".join(build) in re.sub(r"[\\#\n ]+", " ", DOCKERFILE)
    done = subprocess.run(  # noqa: S603
        contained(volume, build, writable=True),
        env=env_of(), capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (volume / "index" / "CURRENT").stat().st_uid == int(steps("USER")[0].split(":")[0])


@needs_namespace
def test_the_tree_is_read_only_and_the_user_has_no_rights(volume: Path):
    """What the other tests rest on."""
    code = (
        "import os, pathlib\n"
        "assert os.getuid() == 10001\n"
        "for folder in ('/etc', '/tmp/volume', os.getcwd() if os.getcwd() != '/tmp' else '/'):\n"
        "    try:\n"
        "        pathlib.Path(folder, 'x').write_text('x')\n"
        "    except OSError:\n"
        "        continue\n"
        "    raise SystemExit(folder + ' can be written')\n"
        "pathlib.Path('/tmp/x').write_text('x')\n"
    )
    command = contained(volume, [])
    command = [*command[: command.index(sys.executable) + 1], "-c", code]
    done = subprocess.run(command, env=env_of(), capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stderr


def test_the_image_has_a_user_a_volume_and_a_command_of_ours():
    user, _, group = steps("USER")[0].partition(":")
    assert int(user) > 0
    assert int(group) > 0
    assert LAST_STAGE.index("\nUSER") < LAST_STAGE.index("\nENTRYPOINT")
    assert steps("VOLUME") == ["/data"]
    assert json.loads(steps("CMD")[0])[:2] == ["serve", "/data/index"]
    assert all(value.startswith("/tmp") or value == "1" for value in environment().values())  # noqa: S108


def test_what_is_copied_into_the_image_is_not_the_history_or_an_index():
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert {".git", "index/*", "!index/*.toml"} <= set(ignored)
