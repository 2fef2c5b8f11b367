"""The manifest of an index, and files checked against it."""

import hashlib
from pathlib import Path
from typing import Annotated, Any, Final, NoReturn, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

from hippohover.disk import door
from hippohover.disk.errors import REBUILD, message, reads
from hippohover.errors import IndexDamagedError, IndexStoreError
from hippohover.store.layout import MANIFEST, MANIFEST_SUM, file_name

FORMAT_VERSION: Final = 10
"""Version of this layout: an index of another one is refused."""


Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}\z")]
Count = Annotated[int, Field(ge=0, lt=2**63)]
FileName = Annotated[str, AfterValidator(file_name)]
_Value = TypeVar("_Value")


class Named(dict[str, _Value]):
    """Values by name, of which a missing one is damage."""

    def __missing__(self, name: str) -> NoReturn:
        raise IndexDamagedError(message(MANIFEST, f"holds no {name!r}", REBUILD))


Counts = Annotated[
    # Nodes have 32 bits. A larger number of anything is none of an index.
    dict[str, Annotated[int, Field(ge=0, lt=2**40)]],
    AfterValidator(Named[int]),
]


class _Frozen(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class FileEntry(_Frozen):
    """The checksum and size of one file."""

    sha256: Sha256
    n_bytes: Count


class Base(_Frozen):
    """A version on which another one is based, and the segments of that one.

    Attributes
    ----------
    version : str
    manifest_sha256 : str
        Sum of its manifest, which has those of its files.
    n_segments : int
    sizes : list of int
        Passages that each segment changes.
    """

    version: Annotated[str, Field(pattern=r"^v[0-9]{6,9}\z")]
    manifest_sha256: Sha256
    n_segments: Count
    sizes: list[Count]


LEAST_WORTH: Final = 1 / 3
"""Worth of an encoder below which vectors are not compared at all: one of English finds a tenth of
what words find in Chinese, where its seeds and similarities only mislead."""
_OF_ENGLISH: Final = frozenset({"minilm", "minilm-static"})
_FEWEST_ASKED: Final = 10
_LEAST_FOUND: Final = 10
_SHRUNK_BY: Final = 3  # sentences found by both, which few sentences cannot outvote


class ManifestFields(_Frozen):
    """A build's description of its index: no time, path or host, which go to the log.

    The recipe in it still has the paths that the recipe itself names: the encoder's folder, a
    language model's file, and its address.

    Attributes
    ----------
    recipe : dict
        The recipe with every default filled in, as plain JSON values; not where its corpus is.
    recipe_sha256 : str
        Its hash, 64 lower-case hexadecimal digits.
    models : dict
        What is known of each model (name, hash of its weights), by its part in the build.
    counts, dimensions : dict
        Sizes of the index and lengths of its vectors, by name.
    failures : list of str
        Passages that could not be read triples from, one line each; it may be cut short.
    n_failures : int
        How many failed: ``len(failures)`` or more.
    base : Base or None
        The version that this one changes by segments. Counts of triples, of links and of joined
        passages, and what the encoder found of sentences, are those of the base then.
    """

    recipe: Annotated[dict[str, JsonValue], AfterValidator(Named[JsonValue])]
    recipe_sha256: Sha256
    models: Annotated[
        dict[str, Annotated[dict[str, str], AfterValidator(Named[str])]], Field(max_length=100)
    ]
    counts: Counts
    dimensions: Counts
    failures: list[str]
    n_failures: Count
    base: Base | None = None

    @property
    def encoder_worth(self) -> float:
        """How many sentences vectors found for each that words found, in [0, 1].

        The build takes sentences out of passages and looks for the rest. Where words found less
        than one in ten, or few were asked, nothing is known: 1, but 0 of an encoder that ships,
        which knows English alone, where most texts are written in letters beyond ASCII.
        """
        asked, by_words, by_vectors = (
            self.counts.get(f"n_{name}", 0)
            for name in ("sentences_asked", "found_by_words", "found_by_vectors")
        )
        if asked < _FEWEST_ASKED or _LEAST_FOUND * by_words < asked:
            is_ours = self.models.get("encoder", {}).get("name") in _OF_ENGLISH
            return 0.0 if is_ours and self.is_beyond_ascii else 1.0
        return min((by_vectors + _SHRUNK_BY) / (by_words + _SHRUNK_BY), 1.0)

    @property
    def is_beyond_ascii(self) -> bool:
        """Whether most texts that the build read for ``encoder_worth`` are, by their letters."""
        n_beyond, n_read = (
            self.counts.get("n_texts_beyond_ascii", 0),
            self.counts.get("n_texts_read"),
        )
        return 2 * n_beyond > (n_read or 0)

    @property
    def series_share(self) -> float:
        """The share of passages that follow another document's in a series, in [0, 1]."""
        n_edges = self.counts.get("n_sequence_edges", 0)
        return min(n_edges / max(self.counts.get("n_passages", 0), 1), 1.0)

    def but(self, **changed: Any) -> "ManifestFields":  # noqa: ANN401
        """Return only the fields, with changes."""
        own: dict[str, Any] = {name: getattr(self, name) for name in ManifestFields.model_fields}
        return ManifestFields(**(own | changed))


class Manifest(ManifestFields):
    """The content of ``manifest.json``: the build's fields, the format and the files."""

    format_version: int = FORMAT_VERSION
    files: dict[FileName, FileEntry]


class _AnyManifest(BaseModel):
    """The fields that manifests of all formats have."""

    format_version: Annotated[int, Field(strict=True, ge=0, lt=2**31)]


def load_manifest(folder: Path) -> Manifest:
    """Read the manifest of a version, checked against its checksum.

    The format comes first: the manifest of another one may be checked in another way.
    """
    path = folder / MANIFEST
    with reads(path):
        data = door.read(path)
        format_version = _AnyManifest.model_validate_json(data).format_version
    if format_version != FORMAT_VERSION:
        newer = format_version > FORMAT_VERSION
        command = f"hippohover build RECIPE --corpus DOCUMENTS --out {folder.parent}"
        age, fix = ("newer", "upgrade hippohover") if newer else ("older", f"{REBUILD}: {command}")
        what = f"has format {format_version}, {age} than {FORMAT_VERSION}, which this program reads"
        raise IndexStoreError(message(path, what, fix))
    with reads(folder / MANIFEST_SUM):
        expected = door.read(folder / MANIFEST_SUM)
    with reads(path):
        if sum_line(data) != expected:
            raise ValueError(f"its checksum is not the one in {MANIFEST_SUM}")
        return Manifest.model_validate_json(data)


def check_base(folder: Path, base: Base) -> None:
    """Raise ``IndexDamagedError`` unless the version that a base names is unchanged."""
    with reads(folder / MANIFEST):
        if manifest_sum(folder) != base.manifest_sha256:
            raise ValueError("it is not the one that a later version was made from")


def manifest_sum(folder: Path) -> str:
    """Return the checksum of a version's manifest, 64 lower-case hexadecimal digits."""
    return hashlib.sha256(door.read(folder / MANIFEST)).hexdigest()


def sum_line(data: bytes) -> bytes:
    """Return the content of ``manifest.sha256`` for the bytes of a manifest."""
    return f"{hashlib.sha256(data).hexdigest()}  {MANIFEST}\n".encode()
