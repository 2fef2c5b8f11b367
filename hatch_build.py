"""Compile the loops for a wheel, so that nobody's first answer waits for a compiler.

For each line of ``hippohover/compiled-loops.txt`` numba compiles the loop for any processor of the
machine's kind, with an entry that takes one row of words (``hippohover/kernels.py``); a C++
compiler joins that with numba's few functions for memory. Where there is no compiler the wheel is
made without, and numba compiles on the user's machine.
"""

import importlib
import os
import subprocess
import sys
import sysconfig
import tempfile
import warnings
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import (  # pyright: ignore[reportMissingImports]
        BuildHookInterface,
    )
except ImportError:  # this file is a program too, which needs no hatchling
    BuildHookInterface = object

LIBRARY = "compiled-loops.so"
# Machine code for every processor of its kind, and nothing of a user's cache.
ENVIRONMENT = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
BEGIN = """
extern "C" __attribute__((visibility("hidden"))) void NRT_MemSys_init(void);
__attribute__((constructor)) static void begin(void) { NRT_MemSys_init(); }
"""


class CustomBuildHook(BuildHookInterface):  # pyright: ignore[reportGeneralTypeIssues, reportUntypedBaseClass]
    """hatchling's hook of this project."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Have a wheel hold the compiled loops, and an editable install find them in the tree."""
        root = Path(self.root)
        if version == "editable":
            out = root / "hippohover" / LIBRARY
        else:
            out = Path(tempfile.mkdtemp(prefix="hippohover-")) / LIBRARY
        out.unlink(missing_ok=True)
        made = run_apart(root, out)
        if not made:
            self.app.display_warning("the loops are not compiled: numba will, at their first calls")
            return
        build_data["pure_python"] = False
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"
        if version != "editable":
            build_data["force_include"][str(out)] = f"hippohover/{LIBRARY}"


def run_apart(root: Path, out: Path) -> bool:
    """Compile in a process of its own, which sets numba up otherwise; whether it did."""
    # pip has the packages that a build requires in PYTHONPATH.
    path = os.pathsep.join([str(root), *filter(None, [os.environ.get("PYTHONPATH")])])
    with tempfile.TemporaryDirectory() as cache:
        env = {**os.environ, **ENVIRONMENT, "HIPPOHOVER_CACHE": cache, "PYTHONPATH": path}
        done = subprocess.run(  # noqa: S603
            [sys.executable, __file__, str(out)], env=env, check=False
        )
    return done.returncode == 0 and out.is_file()


def make_library(forms: list[str], out: Path) -> None:
    """Compile loops for their forms, and link the library."""
    import numba

    warnings.simplefilter("ignore", numba.NumbaPendingDeprecationWarning)
    from numba.pycc.compiler import ModuleCompiler

    entries = [entry(*line.split(" ", 1)) for line in forms]
    runtime = Path(numba.__file__).parent / "core" / "runtime"
    with tempfile.TemporaryDirectory() as folder:
        code, begin = Path(folder) / "loops.o", Path(folder) / "begin.cpp"
        compiler = ModuleCompiler(entries, "hippohover", use_nrt=True, cpu_name="generic")
        compiler.write_native_object(str(code), wrap=False)
        begin.write_text(BEGIN)
        command = ["gcc", "-O2", "-shared", "-fPIC", "-fno-exceptions", "-fno-rtti", "-s"]
        command += ["-Wl,-z,defs", "-I", str(runtime.parent.parent), "-o", str(out)]
        command += [str(code), str(begin), str(runtime / "nrt.cpp"), "-lm"]
        subprocess.run(command, check=True)  # noqa: S603


def entry(name: str, form: str) -> Any:  # noqa: ANN401
    """What numba exports for one form of a loop: a function of a row of words."""
    from numba import types
    from numba.core.typing.templates import signature
    from numba.pycc.compiler import ExportEntry

    module, _, function = name.rpartition(".")
    loop = getattr(importlib.import_module(module), function)
    dispatcher = loop.by_numba()
    values: dict[str, Any] = {"loop": dispatcher, **helpers()}
    arguments, kinds = spelled(form, values, loop)
    dispatcher.compile(tuple(kinds))
    returned = dispatcher.overloads[tuple(kinds)].signature.return_type
    call = f"loop({', '.join(arguments)})"
    body = f"    {call}\n    return 0" if returned is types.none else f"    return int({call})"
    exec(f"def run(words):\n{body}\n", values)  # noqa: S102  (our own text)
    taken = signature(types.int64, types.CPointer(types.int64))
    return ExportEntry(loop.symbol(form), taken, values["run"])


def spelled(form: str, values: dict[str, Any], loop: Any) -> tuple[list[str], list[Any]]:  # noqa: ANN401
    """Expressions that read a loop's arguments from words, and numba's types of them."""
    import numpy as np
    from numba import from_dtype, types

    from hippohover.kernels import Part

    scalars: dict[str, tuple[str, Any]] = {
        "int": ("{}", types.int64),
        "bool": ("{} != 0", types.boolean),
        "float": ("double({})", types.float64),
    }
    expressions: list[str] = []
    kinds: list[Any] = []
    at = 0
    for part in Part.parts_of(form):
        if part.n_dims == 0:
            text, kind = scalars[part.kind]
            expressions.append(text.format(f"words[{at}]"))
        else:
            values[part.kind] = np.dtype(part.kind).type
            shape = ", ".join(f"words[{at + 1 + i}]" for i in range(part.n_dims))
            expressions.append(f"carray(pointer(words[{at}], {part.kind}), ({shape},))")
            kind = types.Array(from_dtype(np.dtype(part.kind)), part.n_dims, "C")
        kinds.append(kind)
        at += 1 + part.n_dims
    return in_tuples(form, expressions, kinds, values, loop)


def in_tuples(
    form: str,
    expressions: list[str],
    kinds: list[Any],
    values: dict[str, Any],
    loop: Any,  # noqa: ANN401
) -> tuple[list[str], list[Any]]:
    """The same with the parts of named tuples, which stand in brackets, put into these tuples."""
    import inspect

    from numba import types

    if "(" not in form:
        return expressions, kinds
    classes = [p.annotation for p in inspect.signature(loop.__wrapped__).parameters.values()]
    before, _, rest = form.partition("(")
    inside, _, _ = rest.partition(")")
    first, n = len(before.split()), len(inside.split())
    values["named"] = classes[first]
    tuple_type = types.NamedTuple(kinds[first : first + n], classes[first])
    together = f"named({', '.join(expressions[first : first + n])})"
    return (
        [*expressions[:first], together, *expressions[first + n :]],
        [*kinds[:first], tuple_type, *kinds[first + n :]],
    )


def helpers() -> dict[str, Any]:
    """What entries read words with: an address as a pointer, and bits as a float64."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic
    from numba.np.numpy_support import carray

    @intrinsic
    def pointer(_context: Any, word: Any, kind: Any) -> Any:  # noqa: ANN401
        signature = types.CPointer(kind.dtype)(word, kind)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
            return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

        return signature, generate

    @intrinsic
    def double(_context: Any, word: Any) -> Any:  # noqa: ANN401
        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:  # noqa: ANN401
            return builder.bitcast(arguments[0], ir.DoubleType())

        return types.float64(word), generate

    return {"carray": carray, "pointer": pointer, "double": double}


if __name__ == "__main__":
    source = Path(__file__).parent / "hippohover" / "compiled-loops.txt"
    make_library(source.read_text().splitlines(), Path(sys.argv[1]))
