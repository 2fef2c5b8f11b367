"""Run and qrels files in TREC's form, for ir_measures, trec_eval and their like.

Fields of both files are separated by blanks, so query and document ids are percent-encoded. The
query id is the claim's uid. The document id is the title in its normal form: a title is what the
benchmark looks for, and all parts of a document are one.

A title stands once in a ranking, at its best row. Its further parts keep their rows under the
ids ``TITLE#2``, ``TITLE#3``: they are relevant to no claim, and without them later titles would
move up, past a cut-off that counts rows.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from hippohover.disk.text_files import write_lines
from hippohover.errors import UsageError
from hippohover.evaluation.evaluate import PassageTitles
from hippohover.evaluation.hover import GoldClaim
from hippohover.names.normal_forms import normal_title
from hippohover.records import RankedPassage, Retrieval


def write_qrels(path: Path, claims: Sequence[GoldClaim]) -> None:
    """Write ``QUERY 0 TITLE 1``, one line for each gold title of each claim.

    Raises
    ------
    UsageError
        The file cannot be written.
    """
    lines: list[str] = []
    for query, claim in zip(query_ids(claims), claims, strict=True):
        lines += (f"{query} 0 {document_id(title)} 1" for title in claim.gold_titles)
    write_lines(path, lines)


def write_run(
    path: Path,
    claims: Sequence[GoldClaim],
    retrievals: Sequence[Retrieval],
    *,
    name: str = "hippohover",
    titles_of: PassageTitles | None = None,
) -> None:
    """Write ``QUERY Q0 TITLE RANK SCORE NAME``, one line for each row of each ranking.

    The score counts the rows down to 1. The retriever's own scores may tie, and a reader of the
    file would then order the rows by document id.

    Parameters
    ----------
    path : Path
        File to write; an older one is replaced.
    claims, retrievals : sequence of GoldClaim, of Retrieval
        One ranking a claim, in the same order.
    name : str
        Names the run, last field of each line.
    titles_of : PassageTitles, optional
        For an index whose titles are hidden; by default a passage's own title counts. A passage
        without a title is written under its pid.

    Raises
    ------
    UsageError
        There is not one ranking a claim, or the file cannot be written.
    """
    if len(claims) != len(retrievals):
        raise UsageError(f"{len(retrievals)} rankings for {len(claims)} claims: give one each")
    titles_of = titles_of or PassageTitles()
    lines: list[str] = []
    for query, retrieval in zip(query_ids(claims), retrievals, strict=True):
        documents = _document_ids(retrieval.passages, titles_of(retrieval))
        lines += (
            f"{query} Q0 {document} {rank} {len(documents) - rank + 1} {quote(name, safe='')}"
            for rank, document in enumerate(documents, start=1)
        )
    write_lines(path, lines)


def query_ids(claims: Sequence[GoldClaim]) -> list[str]:
    """Percent-encoded uids; the second claim of one uid gets ``UID#2``, and so on."""
    return _numbered([quote(claim.uid, safe="") for claim in claims])


def document_id(title: str) -> str:
    """Percent-encoded normal form of a title: ``"The Who (band)"`` -> ``"who%20band"``."""
    return quote(normal_title(title), safe="")


def _document_ids(passages: Sequence[RankedPassage], titles: Sequence[str]) -> list[str]:
    # A colon is encoded in a title, so a pid cannot be taken for one.
    ids = [document_id(t) or f"pid:{p.pid}" for p, t in zip(passages, titles, strict=True)]
    return _numbered(ids)


def _numbered(names: Sequence[str]) -> list[str]:
    """Names made unique: the second ``x`` becomes ``x#2``; encoded names hold no ``#``."""
    seen: Counter[str] = Counter()
    unique: list[str] = []
    for name in names:
        seen[name] += 1
        unique.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return unique
