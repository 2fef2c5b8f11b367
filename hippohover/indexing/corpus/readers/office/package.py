"""A zipped document: its parts, decompressed within a limit, parsed without entities.

Only what is read is unpacked: pictures, films and macros stay where they are.
"""

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple, Protocol
from urllib.parse import unquote

from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.files.streams import MAX_RECORD_BYTES
from hippohover.indexing.corpus.known_names import KNOWN
from hippohover.indexing.corpus.markup import local_path, without_suffix
from hippohover.indexing.corpus.records import Document, Records, UnreadableError, clean_title

NEEDS_EXTRA: Final = "needs pip install 'hippohover[documents]'"
DAMAGED: Final = "damaged: open it in its program and save it again"
PASSWORD: Final = "password-protected: save it without a password"  # noqa: S105
_TOO_LARGE: Final = f"unpacks to over {MAX_RECORD_BYTES // 2**20} MB: split it"

_FIELDS: Final[dict[str, str]] = KNOWN["fields"]["office"]
_SEVERAL: Final = ("author", "subject", "keywords")
_DATE: Final = re.compile(r"(?:D:)?(\d{4})(?:-?(\d\d))?(?:-?(\d\d))?")

_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


class Element(Protocol):
    """An element of XML, as lxml has it."""

    tag: str
    text: str | None
    tail: str | None

    def get(self, key: str, default: str = "") -> str: ...
    def items(self) -> "list[tuple[str, str]]": ...
    def itertext(self) -> "Iterator[str]": ...
    def iter(self, tag: str) -> "Iterator[Element]": ...
    def __iter__(self) -> "Iterator[Element]": ...


class Relation(NamedTuple):
    """A relation of one part to another: its kind, and a path in the package or an address."""

    kind: str
    target: str
    is_external: bool


class Package:
    """The parts of a zipped document, by their paths.

    Raises
    ------
    UnreadableError
        The bytes are no zip, have a password, or the parts that are read unpack to over 64 MB.
    """

    def __init__(self, content: bytes) -> None:
        if content.startswith(_OLE):
            is_locked = "EncryptedPackage".encode("utf-16-le") in content
            raise UnreadableError(PASSWORD if is_locked else "an old format: save it as a new one")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
            raise UnreadableError(DAMAGED) from error
        self._n_left = MAX_RECORD_BYTES

    def __contains__(self, name: str) -> bool:
        return name in self._zip.NameToInfo

    def part(self, name: str) -> bytes:
        """Return the bytes of a part; empty if it is missing."""
        info = self._zip.NameToInfo.get(name)
        if info is None:
            return b""
        if info.flag_bits & 1:
            raise UnreadableError(PASSWORD)
        self._n_left -= info.file_size  # no more than it says is ever unpacked
        if self._n_left < 0:
            raise UnreadableError(_TOO_LARGE)
        try:
            return self._zip.read(info)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as error:
            raise UnreadableError(DAMAGED) from error
        except (NotImplementedError, RuntimeError) as error:
            raise UnreadableError("packed in a way that is not known: save it again") from error

    def xml(self, name: str) -> Element | None:
        """Return the root of a part in XML; None if it is missing."""
        content = self.part(name)
        return parsed(content) if content else None

    def root(self, name: str) -> Element:
        """Return the root of a part without which there is no document."""
        root = self.xml(name)
        if root is None:
            raise UnreadableError(DAMAGED)
        return root

    def fields(self) -> dict[str, object]:
        """Return what an Office document says of itself."""
        return fields_of(self.xml(self.related("", "core-properties")))

    def relations(self, name: str) -> dict[str, Relation]:
        """Return the relations of an Office document's part, by id."""
        folder, _, last = name.rpartition("/")
        root = self.xml(posixpath.join(folder, "_rels", f"{last}.rels"))
        related: dict[str, Relation] = {}
        for entry in elements(root):
            target, is_external = entry.get("Target", ""), entry.get("TargetMode") == "External"
            if not is_external:
                target = posixpath.normpath(posixpath.join("/", folder, unquote(target)))[1:]
            kind = entry.get("Type", "").rpartition("/")[2]
            related[entry.get("Id", "")] = Relation(kind, target, is_external)
        return related

    def related(self, name: str, kind: str) -> str:
        """Return the path of a part's related part of one kind; "" without one."""
        targets = (entry.target for entry in self.relations(name).values() if entry.kind == kind)
        return next(targets, "")


def parsed(content: bytes) -> Element:
    """Parse XML: resolves no entity, fetches nothing, limits depth and length."""
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        return etree.fromstring(content, parser)
    except (etree.LxmlError, ValueError) as error:
        raise UnreadableError(DAMAGED) from error


def elements(root: Element | None) -> Iterator[Element]:
    """Yield an element's child elements: no comments, instructions or entities."""
    for inner in () if root is None else root:
        if isinstance(inner.tag, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            yield inner


def tag(element: Element) -> str:
    """Return the name without its namespace."""
    return element.tag.rpartition("}")[2]


def attribute(element: Element, name: str) -> str:
    """Return the value of the attribute of this name, in any namespace; "" without one."""
    ending = f"}}{name}"
    return next((of for key, of in element.items() if key == name or key.endswith(ending)), "")


def child(element: Element | None, *names: str) -> Element | None:
    """Return the first element below with this name, and so on; None without one."""
    for name in names:
        element = next((inner for inner in elements(element) if tag(inner) == name), None)
    return element


# What a document says of itself, in the elements of Dublin Core and others


def fields_of(root: Element | None, names: dict[str, str] | None = None) -> dict[str, object]:
    """Return fields of the elements below one; several of a kind are a list."""
    named = _FIELDS | (names or {})
    pairs = ((named.get(tag(entry), ""), "".join(entry.itertext())) for entry in elements(root))
    return fields_from(pairs)


def fields_from(pairs: Iterable[tuple[str, str]]) -> dict[str, object]:
    """Return fields of names and values: drops blank ones; dates become days ("2024-03-01")."""
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        words = clean_title(value)
        if name in ("date", "modified"):
            words = day(words)
        if name and words and words not in values.setdefault(name, []):
            values[name].append(words)
    return {
        name: some if len(some) > 1 and name in _SEVERAL else some[0]
        for name, some in values.items()
        if some
    }


def day(date: str) -> str:
    """Return the day of a date in ISO 8601 or PDF's form; leaves anything else as it is."""
    match = _DATE.match(date)
    return "-".join(filter(None, match.groups())) if match else date


def link_target(address: str, folder: str) -> str:
    """Return the document of the corpus that an address leads to; "" for external ones."""
    path = local_path(address.strip().replace("\\", "/"))
    whole = posixpath.normpath(posixpath.join(folder, path))
    return clean_title(without_suffix(whole)) if path else ""


def reads_one(make: Callable[[SourceFile], Document]) -> Callable[[SourceFile], Records]:
    """Return the reader of files that are a document each; names what keeps one from being it."""

    def read(file: SourceFile) -> Records:
        try:
            yield make(file)
        except ModuleNotFoundError as error:
            raise UnreadableError(NEEDS_EXTRA) from error
        except (ValueError, RecursionError, MemoryError) as error:
            raise UnreadableError(DAMAGED) from error

    return read
