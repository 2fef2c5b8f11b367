"""A small invented world for the demo, the tests and the README.

``corpus.jsonl`` holds one passage a line, ``{"title", "text"}``, in the manner of encyclopedia
introductions. ``claims.jsonl`` holds claims in HoVer's release form, each with 2, 3 or 4 gold
titles. Every person, place and work in it is made up, and the claims were worded so that a lexical
search misses bridges: figures on it show that a program runs, not how good a method is.
"""

from importlib.resources import files
from pathlib import Path

from hippohover.errors import CorpusError

__all__ = ["toy_claims_path", "toy_corpus_path"]


def toy_corpus_path() -> Path:
    """Return the path of the toy corpus.

    Returns
    -------
    Path
        JSON Lines, one ``{"title": str, "text": str}`` a line, sorted by title. Titles are
        unique.

    Raises
    ------
    CorpusError
        When the package is installed without its data, or inside a zip archive.
    """
    return _data_path("corpus.jsonl")


def toy_claims_path() -> Path:
    """Return the path of the claims about the toy corpus.

    Returns
    -------
    Path
        JSON Lines in HoVer's release form: ``uid``, ``claim``, ``supporting_facts`` (pairs of
        title and sentence number, from 0), ``label`` (``"SUPPORTED"`` or ``"NOT_SUPPORTED"``),
        ``num_hops`` (number of gold titles, 2 to 4) and ``hpqa_id`` (claims of one source
        question share it).

    Raises
    ------
    CorpusError
        When the package is installed without its data, or inside a zip archive.
    """
    return _data_path("claims.jsonl")


def _data_path(name: str) -> Path:
    """Return the path of a data file beside this one; raises unless it is a real file."""
    path = Path(str(files(__name__) / name))
    if not path.is_file():
        msg = f"toy data file {path} is missing: install hippohover again, unpacked, from its wheel"
        raise CorpusError(msg)
    return path
