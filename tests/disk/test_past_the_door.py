"""No room that handles the files of an index opens, makes or removes one past the door.

Read from the syntax trees: calls that take a path and follow its links.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "hippohover"
ROOMS = (
    *("disk/columns.py", "disk/sealed_cache.py", "names/gazetteer.py", "vectors/faiss_index.py"),
    *("store/", "indexing/*.py", "indexing/updates/", "indexing/workers/", "retrieval/"),
    *("indexing/corpus/passage_store.py", "indexing/corpus/blocks.py"),
    *("cli/indexing/", "web/service.py", "web/jobs.py"),
)
"""Where files of an index are handled."""

ALLOWED = {
    ("connect", "disk/sealed_cache.py"),  # takes a path alone: the door has looked at it before
    ("open", "store/checksums.py"),  # a user's corpus
    ("mkdir", "store/writer.py"),  # the root itself, which a user names
    ("read_bytes", "retrieval/reranking/tuned.py"),  # a ranking that a user names
    ("load", "retrieval/reranking/tuned.py"),  # bytes
    ("open", "retrieval/reranking/rerank.py"),  # of the package
    ("read_text", "retrieval/mapped_memory.py"),  # of the kernel
}
"""Calls, and the files that may make them."""

METHODS = {
    *("read_bytes", "read_text", "write_bytes", "write_text", "touch", "unlink", "rename", "mkdir"),
    *("symlink_to", "hardlink_to", "chmod", "memory_map", "fromfile", "load_file"),
}
"""Methods of paths, and functions of libraries, that follow links."""

FUNCTIONS = {
    "os": {"open", "remove", "unlink", "rename", "replace", "link", "truncate", "mkdir", "rmdir"},
    "shutil": {"rmtree", "copyfile", "copytree", "move", "copy"},
    "sqlite3": {"connect"},
}


def past_the_door(source: str, file: str) -> Iterator[tuple[str, str, int]]:
    """Yield calls that open, make, change or remove a file by a path: the call, file and line."""
    for node in ast.walk(ast.parse(source, file)):
        if not isinstance(node, ast.Call):
            continue
        of, _, last = ast.unparse(node.func).rpartition(".")
        opens = last == "open" and (not of or _has_mode(node))
        replaces = last == "replace" and of and len(node.args) == 1 and not node.keywords
        maps = of == "np" and last in {"memmap", "load"} and ast.unparse(node.args[0]) != "file"
        is_past = opens or replaces or maps or last in METHODS | FUNCTIONS.get(of, set())
        if is_past and of != "door":
            yield last, file, node.lineno


def _has_mode(call: ast.Call) -> bool:
    """Tell ``path.open("rb")`` from ``StoredIndex.open(root)``."""
    modes = [one.value for one in call.args if isinstance(one, ast.Constant)]
    return any(isinstance(mode, str) and set(mode) <= set("rwabt+x") for mode in modes)


def files_of(rooms: tuple[str, ...]) -> Iterator[Path]:
    for room in rooms:
        yield from PACKAGE.glob(f"{room}**/*.py" if room.endswith("/") else room)


def test_the_rooms_of_an_index_go_through_the_door():
    found = [
        call
        for path in files_of(ROOMS)
        for call in past_the_door(path.read_text(), path.relative_to(PACKAGE).as_posix())
    ]
    assert [call for call in found if call[:2] not in ALLOWED] == []
    assert {call[:2] for call in found} == ALLOWED


def test_calls_past_the_door_are_seen():
    calls = """
open(path)
os.open(path, 0)
path.open("rb")
path.read_bytes()
path.replace(target)
os.replace(one, other)
shutil.rmtree(path)
np.memmap(path, dtype)
np.load(path)
sqlite3.connect(path)
"""
    n_lines = len(calls.splitlines())
    assert [line for *_, line in past_the_door(calls, "a.py")] == list(range(2, n_lines + 1))
    fine = """
StoredIndex.open(root)
door.opened(path, "wb")
door.remove(path)
text.replace("a", "b")
np.memmap(file, dtype)
cls.open(path)
"""
    assert not list(past_the_door(fine, "a.py"))
