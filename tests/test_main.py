"""``python -m hippohover`` in real processes: speed, what is imported, how it ends."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

CLAIM = "The head of the company that ran the Hexley Flyer was hard of hearing."


def command(*arguments: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603
        [sys.executable, "-m", "hippohover", *arguments],
        env=env, capture_output=True, text=True, check=False, timeout=240,
    )  # fmt: skip


def imported_by(code: str, env: dict[str, str]) -> set[str]:
    """Modules loaded after some code has run in a new process; its stdout is lost."""
    program = (
        "import io, json, sys\nout, sys.stdout = sys.stdout, io.StringIO()\n"
        f"{code}\nprint(json.dumps(sorted(sys.modules)), file=out)"
    )
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", program],
        env=env, capture_output=True, text=True, check=True, timeout=240,
    )  # fmt: skip
    return set(json.loads(done.stdout))


def test_help_imports_nothing_heavy(command_env: dict[str, str]) -> None:
    code = "from hippohover.cli import run\nassert run(['--help']) == 0"
    heavy = {"numpy", "numba", "pyarrow", "pydantic", "spacy", "torch", "dspy", "lightgbm", "faiss"}
    assert not imported_by(code, command_env) & heavy


@pytest.mark.slow
def test_query_imports_neither_torch_nor_dspy(toy_index: Path, command_env: dict[str, str]) -> None:
    code = f"from hippohover.cli import run\nassert run(['query', {str(toy_index)!r}, 'A b.']) == 0"
    heavy = {"torch", "dspy", "spacy", "sentence_transformers", "transformers", "igraph", "faiss"}
    assert not imported_by(code, command_env) & heavy


def test_module_runs_the_command(command_env: dict[str, str]) -> None:
    done = command("--version", env=command_env)
    assert done.returncode == 0
    assert done.stdout.startswith("hippohover ")
    wrong = command("biuld", env=command_env)
    assert wrong.returncode == 2
    assert wrong.stderr.count("\n") == 1
    assert "'build'" in wrong.stderr


def names_in(folder: Path) -> set[str]:
    """What a build left there; a folder that it made and did not need is gone."""
    return {path.name for path in folder.iterdir()} if folder.exists() else set()


@pytest.mark.slow
def test_a_reader_that_leaves_is_no_error(toy_index: Path, command_env: dict[str, str]) -> None:
    with subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", "hippohover", "query", str(toy_index), CLAIM, "--json"],
        env=command_env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""


@pytest.mark.slow
def test_output_that_cannot_be_written_is_one_line(
    toy_index: Path, command_env: dict[str, str]
) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-m", "hippohover", "query", str(toy_index), CLAIM],
            env=command_env, stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == (
        "error: the output cannot be written (No space left on device): free up space, or print "
        "less\n"
    )


@pytest.mark.slow
def test_a_locale_that_lacks_letters_gets_question_marks(
    tmp_path: Path, command_env: dict[str, str]
) -> None:
    corpus = tmp_path / "c.jsonl"
    corpus.write_text('{"title": "Łódź", "text": "Łódź lies in Łęczyca."}\n', encoding="utf-8")
    recipe = tmp_path / "r.toml"
    recipe.write_text('name = "small"\nextractor = "between"\nencoder = "none"\n', encoding="utf-8")
    env = {**command_env, "PYTHONIOENCODING": "ascii"}
    built = command("build", str(recipe), "--corpus", str(corpus), "--out", str(tmp_path / "i"),
                    env=env)  # fmt: skip
    assert built.returncode == 0, built.stderr
    asked = command("query", str(tmp_path / "i"), "What lies in Łęczyca?", env=env)
    assert (asked.returncode, asked.stderr) == (0, "")
    assert "?" in asked.stdout


@pytest.mark.slow
def test_full_disk_is_one_line_and_leaves_nothing(
    tmp_path: Path, toy_index: Path, command_env: dict[str, str]
) -> None:
    del toy_index  # only so that compiled code is in its cache
    code = (
        "import resource, signal, sys\n"
        "from hippohover.cli import run\nfrom hippohover.toy import toy_corpus_path\n"
        "import hippohover.indexing.build\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))\n"
        f"sys.exit(run(['build', {str(tmp_path / 'toy.toml')!r}, '--corpus',"
        f" str(toy_corpus_path()), '--out', {str(tmp_path / 'out')!r}]))"
    )
    (tmp_path / "toy.toml").write_text('extractor = "between"\nencoder = "none"\n')
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code],
        env=command_env, capture_output=True, text=True, check=False, timeout=240,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert "cannot be written" in done.stderr
    assert names_in(tmp_path / "out") <= {".lock", ".cache"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("extractor", "sent", "code", "word"),
    [
        ("between", signal.SIGINT, 130, "interrupted"),
        ("spacy", signal.SIGINT, 130, "interrupted"),
        ("between", signal.SIGTERM, 143, "terminated"),
    ],
)
def test_a_build_that_is_stopped(
    tmp_path: Path, command_env: dict[str, str], extractor: str, sent: int, code: int, word: str
) -> None:
    corpus = tmp_path / "corpus.jsonl"
    with corpus.open("w", encoding="utf-8") as file:
        for n in range(30_000):
            text = f"Person {n} was born in Town {n % 700} and married Person {n + 1} in Spring."
            file.write(json.dumps({"title": f"Person {n}", "text": text}) + "\n")
    recipe = tmp_path / "r.toml"
    recipe.write_text(f'extractor = "{extractor}"\nencoder = "none"\n', encoding="utf-8")
    out = tmp_path / "out"
    with subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", "hippohover", "build", str(recipe), "--corpus", str(corpus),
         "--out", str(out), "--workers", "2"],
        env=command_env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    ) as process:  # fmt: skip
        deadline = time.monotonic() + 120
        while not list(out.glob(".building-*")) and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(1.0)
        if sent == signal.SIGINT:
            os.killpg(process.pid, sent)  # as a terminal does: to the workers too
        else:
            process.send_signal(sent)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == code
    assert errors == f"error: {word}; nothing is left half-written\n"
    assert names_in(out) <= {".lock", ".cache"}


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_after_the_end_leaves_no_traceback(
    command_env: dict[str, str], sent: signal.Signals
) -> None:
    code = (
        "import atexit, os, sys\nfrom hippohover.cli import main\n"
        f"atexit.register(os.kill, os.getpid(), {int(sent)})\n"
        "sys.argv = ['hippohover', '--version']\nmain()"
    )
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code],
        env=command_env, capture_output=True, text=True, check=False, timeout=240,
    )  # fmt: skip
    assert done.stdout.startswith("hippohover ")
    assert (done.returncode, done.stderr) == (-sent, "")


@pytest.mark.slow
def test_demo_from_a_cold_start(tmp_path: Path, command_env: dict[str, str]) -> None:
    """As on a fresh machine: no compiled code, no encoder in the cache."""
    env = {**command_env, "NUMBA_CACHE_DIR": str(tmp_path / "numba")}
    done = command("demo", env=env)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert max(len(line) for line in done.stdout.splitlines()) <= 100
    assert done.stdout.count("gold titles among 21") == 3
