"""How a command runs and ends: every error is one line.

Exit codes: 0 done; 1 a single line ``error: ...`` on stderr; 2 the command was not understood;
130 stopped by Ctrl-C, 143 by SIGTERM.
"""

import atexit
import errno
import io
import os
import re
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import typer

from hippohover.cli import stopping
from hippohover.cli.commands import app
from hippohover.cli.output import error_line, plain, plain_streams, quiet
from hippohover.errors import HippoHoverError

_LIST_MARK: Final = re.compile(r"-\s")
_QUIET: Final = "--quiet"
_SHORT: Final = frozenset({"delete", "explain", "inspect", "query", "show"})
"""Commands whose products of matrices are too small for threads of OpenBLAS."""
_NO_MEMORY: Final = re.compile(
    "failed to map segment|[Cc]annot allocate memory|Failed to launch worker thread"
)
"""How the loader of libraries and Arrow say that there is no memory left."""
_MORE_MEMORY: Final = (
    "end other programs or lift the limit of this one (ulimit, container); a build needs less with "
    "--workers 1"
)


def main() -> None:
    """Run the command ``hippohover``."""
    import warnings

    if not _wants_debug(sys.argv[1:]):
        warnings.simplefilter("ignore")  # a library's remarks are for who maintains this program
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")  # else it searches all packages
    if _command(sys.argv[1:]) in _SHORT:
        # To start the threads takes a tenth of a second of processor time when NumPy is imported.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    stopping.listen()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a locale may not know the corpus's letters
    code = run(sys.argv[1:])
    stopping.stop_listening()
    if code in stopping.WORDS:
        _end_now(code)
    sys.exit(code)


def _end_now(code: int) -> None:
    """End an interrupted process without the interpreter's own shutdown.

    Python kills itself by SIGINT where that came while it ran code from a string, as dataclasses
    do, and may abort over a thread that was in the middle of writing.
    """
    atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage]  # there is no other way
    with suppress(OSError):  # who read our output has left
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code.

    Returns
    -------
    int
        Exit code; see the head of this file.
    """
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    kept = [word for word in options if word != _QUIET]  # before a command or behind it
    if kept[:1] == ["help"]:
        kept = [*kept[1:2], "--help"]
    with plain_streams(), quiet(asked=len(kept) < len(options)):
        return _run([*kept, *arguments[len(options) :]])


def _run(arguments: Sequence[str]) -> int:
    try:
        # Click has options with a value and options without, and none that may have one, as that
        # of `build`.
        builds = _command(arguments) == "build"
        whole = [
            "--estimate=sample" if builds and word == "--estimate" else _as_text(word)
            for word in arguments
        ]
        code = app(args=whole, prog_name="hippohover", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        _give_up_stdout()  # who read our output has left, as `head` does
        return 1
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    except stopping.Terminated:
        code = 143
    except OSError as error:
        if error.errno == errno.ENOMEM:
            return _failed(MemoryError(), debug=_wants_debug(arguments))
        if error.filename is not None or isinstance(error, ConnectionError):
            return _failed(error, debug=_wants_debug(arguments))
        _give_up_stdout()
        error_line(f"the output cannot be written ({error.strerror}): free up space, or print less")
        return 1
    except Exception as error:  # the last line of defence: no traceback ever
        code = stopping.code_behind(error)
        if not code:
            return _failed(error, debug=_wants_debug(arguments))
    if code in stopping.WORDS:
        stopping.say_stopped(code)
    return code if isinstance(code, int) else 0


def _command(arguments: Sequence[str]) -> str:
    """Return the command among the arguments; "" where there is none."""
    return next((word for word in arguments if not word.startswith("-")), "")


def _as_text(word: str) -> str:
    """Mark an argument that is no option with a blank for Click: "- one of a list"."""
    return f" {word}" if _LIST_MARK.match(word) else word


def _give_up_stdout() -> None:
    """Close stdout: Python would complain at exit about what cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _failed(error: Exception, *, debug: bool) -> int:
    if debug:
        traceback.print_exception(error)
    if _lacks_memory(error):
        error = MemoryError()
    if isinstance(error, HippoHoverError):
        error_line(str(error))
        return 1
    if isinstance(error, MemoryError):
        said = f" ({plain(str(error))})" if str(error) else ""
        error_line(f"out of memory{said}: {_MORE_MEMORY}")
        return 1
    # Typer brings its own copy of click or not, by its version: known by what it can do.
    format_message = getattr(error, "format_message", None)
    if callable(format_message):
        context = getattr(error, "ctx", None)
        command = getattr(context, "command_path", "hippohover")
        error_line(f"{_in_plain_words(error, str(format_message()))} ({command} --help tells more)")
        return int(getattr(error, "exit_code", 2))
    message = plain(str(error)) or "no message"
    error_line(f"{type(error).__name__}: {message} (unexpected; HIPPOHOVER_DEBUG=1 shows where)")
    return 1


def _lacks_memory(error: BaseException) -> bool:
    """Return whether a library that found no memory, and named it otherwise, is behind an error.

    What raised ``MemoryError`` is not asked: a damaged file may claim any size, and its reader says
    which file that is.
    """
    return any(_NO_MEMORY.search(str(cause)) for cause in stopping.causes(error))


def _in_plain_words(error: Exception, message: str) -> str:
    """Return the message of an option's error, without the words of pydantic."""
    from pydantic import ValidationError

    from hippohover.recipe_files import fix_of

    if not isinstance(error.__cause__, ValidationError):
        return message
    first = error.__cause__.errors()[0]
    place = message.removesuffix(str(getattr(error, "message", "")))
    return f"{place}{first['input']!r:.80}: {fix_of(first)}"


def _wants_debug(arguments: Sequence[str]) -> bool:
    return "--debug" in arguments or os.environ.get("HIPPOHOVER_DEBUG") == "1"
