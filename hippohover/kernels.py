"""The loops over arrays: shipped machine code, else compiled by numba.

A wheel contains machine code of the loops for the types of arguments in ``compiled-loops.txt``.
Numba makes it from the same Python when the wheel is built (``hatch_build.py``). So the first
answer does not wait for a compiler, and numba is not even imported. If the machine code is missing,
was made from other source, or does not cover some arguments, numba compiles at the first call, and
keeps the result in the user's cache; it comes with the extra ``[compiler]``.
"""

import ctypes
import logging
import threading
from collections.abc import Callable
from enum import IntEnum
from functools import cache
from hashlib import sha256
from pathlib import Path
from struct import Struct
from typing import Any, Final, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import HippoHoverError
from hippohover.user_cache import kept_code, user_cache

HALVES: Final[NDArray[np.float32]] = (
    np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float32)
)
"""Value of every float16, by its bits: machine code here knows no float16."""

LIBRARY: Final = Path(__file__).with_name("compiled-loops.so")
FORMS: Final = LIBRARY.with_suffix(".txt")

Loop = TypeVar("Loop", bound=Callable[..., Any])

_CONSTANTS: Final = (int, float, str, tuple, np.generic)
_lock: Final = threading.RLock()

LOOPS: list["CompiledLoop"] = []
"""Those of the modules that were imported."""


def compiled(loop: Loop) -> Loop:
    """Compile a loop to machine code that releases the interpreter's lock."""
    return cast("Loop", CompiledLoop(loop))


class CompiledLoop:
    """A compiled loop, by the forms of its arguments; other loops may call it.

    Attributes
    ----------
    name : str
        Module and function.
    forms : dict of str to callable
        Who runs it, by the form of its arguments.
    """

    def __init__(self, loop: Callable[..., Any]) -> None:
        self.name = f"{loop.__module__}.{loop.__qualname__}"
        self.forms: dict[str, Callable[..., Any]] = {}
        self.__doc__ = loop.__doc__
        self.__wrapped__ = loop
        self._by_numba: Any = None
        LOOPS.append(self)

    def __call__(self, *arguments: Any) -> Any:  # noqa: ANN401
        form = form_of(arguments)
        run = self.forms.get(form)
        if run is None:
            run = self.forms[form] = self._shipped(form) or self.by_numba()
        return run(*arguments)

    def by_numba(self) -> Any:  # noqa: ANN401
        """Return numba's dispatcher of the loop, even where shipped machine code exists."""
        with _lock:
            if self._by_numba is None:
                self._by_numba = _dispatcher(self.__wrapped__, self.name)
            return self._by_numba

    def symbol(self, form: str) -> str:
        """Return the name of its machine code for a form; it changes with the source."""
        digest = sha256(f"{self.name} {form}".encode())
        for part in sorted(self._source()):
            digest.update(part)
        return f"hippohover_{digest.hexdigest()[:32]}"

    def _source(self) -> set[bytes]:
        """Return what the machine code depends on: file, constants, and loops that it calls."""
        parts = {Path(self.__wrapped__.__code__.co_filename).read_bytes()}
        for name in self.__wrapped__.__code__.co_names:
            value = self.__wrapped__.__globals__.get(name)
            if isinstance(value, CompiledLoop):
                parts |= value._source() if value is not self else set()
            elif isinstance(value, _CONSTANTS):
                parts.add(f"{name} = {value!r}".encode())
        return parts

    def _shipped(self, form: str) -> Callable[..., int] | None:
        library = _library()
        if library is None or UNSHIPPED in form:
            return None
        code: Any = getattr(library, self.symbol(form), None)
        return None if code is None else _MachineCode(self.name, form, code)


class Part(NamedTuple):
    """One argument of a form: ``"int64[2]"``, ``"int"``, ``"float"`` or ``"bool"``."""

    kind: str
    n_dims: int

    @classmethod
    def parts_of(cls, form: str) -> "list[Part]":
        """Read the parts of a form, in order; leaves out "(" and ")" of tuples."""
        words = form.replace("(", " ").replace(")", " ").split()
        split = [word.rstrip("]").partition("[") for word in words]
        return [cls(kind, int(n_dims or 0)) for kind, _, n_dims in split]


UNSHIPPED: Final = "?"
"""Stands in a form for what machine code that ships takes none of."""


def form_of(arguments: tuple[Any, ...]) -> str:
    """Describe what machine code depends on: types of arguments, dimensions of arrays."""
    return " ".join(map(_form, arguments))


def _form(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, np.ndarray):
        flags = value.flags
        if not (flags.c_contiguous and flags.aligned):
            return UNSHIPPED
        kind = _DTYPES.get(value.dtype) or _DTYPES.setdefault(value.dtype, str(value.dtype))
        return f"{kind}[{value.ndim}]"
    if isinstance(value, tuple):
        return f"({form_of(value)})"
    return _KINDS.get(type(value)) or ("int" if isinstance(value, IntEnum) else UNSHIPPED)


_DTYPES: Final[dict[Any, str]] = {}
_KINDS: Final = {int: "int", np.int64: "int", bool: "bool", float: "float", np.float64: "float"}


class _MachineCode:
    """Calls a function of the library; its argument is one row of 64-bit words.

    An array is its address and its shape. numba's functions say how they ended, and leave what they
    return where their first argument points.
    """

    def __init__(self, name: str, form: str, code: Any) -> None:  # noqa: ANN401
        self.name = name
        self._code = code
        code.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p]
        code.restype = ctypes.c_int
        parts = Part.parts_of(form)
        kinds = [("d" if part.kind == "float" else "q") * (1 + part.n_dims) for part in parts]
        self._pack = Struct("".join(kinds)).pack

    def __call__(self, *arguments: Any) -> int:  # noqa: ANN401
        words: list[Any] = []
        _add_words(words, arguments)
        returned, failure = ctypes.c_int64(), ctypes.c_void_p()
        packed = self._pack(*words)
        if self._code(ctypes.byref(returned), ctypes.byref(failure), packed):
            raise RuntimeError(f"{self.name} failed on {form_of(arguments)}")
        return returned.value


def _add_words(words: list[Any], values: tuple[Any, ...]) -> None:
    for value in values:
        if isinstance(value, np.ndarray):
            words.append(value.__array_interface__["data"][0])
            words += value.shape
        elif isinstance(value, tuple):
            _add_words(words, value)
        else:
            words.append(value)


_opened: list[ctypes.CDLL | None] = []


def _library() -> ctypes.CDLL | None:
    """Load the shipped machine code, if there is any for this machine."""
    with _lock:
        if not _opened:
            try:
                _opened.append(ctypes.CDLL(str(LIBRARY)))
            except OSError:
                _opened.append(None)
        return _opened[0]


def _dispatcher(loop: Callable[..., Any], name: str) -> Any:  # noqa: ANN401
    """Return numba's compiler of a loop, which caches its results for the user."""
    try:
        import numba
        from numba.core import config
    except ImportError as error:
        raise HippoHoverError(
            f"{name} has no machine code in this install: have it compiled here (pip install "
            "'hippohover[compiler]')"
        ) from error

    _let_loops_call_loops()
    folder = kept_code()
    settings: Any = config
    before = settings.CACHE_DIR
    if folder is None and not before:
        _tell_of_no_cache()
        return numba.njit(nogil=True)(loop)
    settings.CACHE_DIR = before or str(folder)
    try:
        return numba.njit(cache=True, nogil=True)(loop)
    finally:
        settings.CACHE_DIR = before


@cache
def _tell_of_no_cache() -> None:
    logging.getLogger("hippohover").warning(
        "note: compiled code cannot be cached in %s, so every process compiles again: set "
        "HIPPOHOVER_CACHE to a folder that only you can write",
        user_cache(),
    )


def _let_loops_call_loops() -> None:
    """Have numba use the dispatcher of a loop that another loop calls."""
    from numba.extending import typeof_impl

    def dispatcher_type(loop: CompiledLoop, context: Any) -> Any:  # noqa: ANN401
        return typeof_impl(loop.by_numba(), context)

    if CompiledLoop not in typeof_impl.registry:
        typeof_impl.register(CompiledLoop, dispatcher_type)
