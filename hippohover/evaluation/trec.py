"""Run and qrels files in TREC's form, for ir_measures, trec_eval and their like.

Fields of both files are separated by blanks, so query and document ids are percent-encoded. The
query id is the claim's uid. If the corpus gives its documents ids, these are the document ids, so
that your own qrels fit; such ids, and then also uids, are written as they are, except for blanks.
Otherwise the document id is the title in its normal form, because the benchmark looks for titles,
and all parts of a document count as one.

A title occurs once in a ranking, at its best row. Its further parts keep their rows under the ids
``TITLE#2``, ``TITLE#3``: they are relevant to no claim, but without them later titles would move
up, past a cut-off that counts rows.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from hippohover.disk.text_files import write_lines
from hippohover.errors import UsageError
from hippohover.evaluation.documents import IndexDocuments
from hippohover.evaluation.evaluate import PassageTitles
from hippohover.evaluation.hover import GoldClaim
from hippohover.evaluation.metrics import as_written
from hippohover.evaluation.qrels import document_id, own_id
from hippohover.records import RankedPassage, Retrieval


def write_qrels(
    path: Path, claims: Sequence[GoldClaim], documents: IndexDocuments | None = None
) -> None:
    """Write ``QUERY 0 TITLE 1``, a line per gold title or document of a claim.

    With the documents of an index, a title is written by the ids that they have.

    Raises
    ------
    UsageError
        The file cannot be written.
    """
    lines: list[str] = []
    for query, claim in zip(_query_ids(claims, documents), claims, strict=True):
        gold = [own_id(name) for name in claim.gold_ids]
        for title in () if gold else claim.gold_titles:
            ids = documents.ids_of(title) if documents else []
            gold += [own_id(name) for name in ids] or [document_id(title)]
        lines += (f"{query} 0 {name} 1" for name in gold)
    write_lines(path, lines)


def write_run(
    path: Path,
    claims: Sequence[GoldClaim],
    retrievals: Sequence[Retrieval],
    *,
    name: str = "hippohover",
    titles_of: PassageTitles | None = None,
    documents: IndexDocuments | None = None,
) -> None:
    """Write ``QUERY Q0 TITLE RANK SCORE NAME``, a line per row of a ranking.

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
    documents : IndexDocuments, optional
        Passages are written by the ids that their documents have.

    Raises
    ------
    UsageError
        There is not one ranking a claim, or the file cannot be written.
    """
    if len(claims) != len(retrievals):
        raise UsageError(f"{len(retrievals)} rankings for {len(claims)} claims: give one each")
    naming = _Naming(titles_of or PassageTitles(), documents)
    lines: list[str] = []
    for query, retrieval in zip(_query_ids(claims, documents), retrievals, strict=True):
        ids = naming(retrieval)
        lines += (
            f"{query} Q0 {document} {rank} {len(ids) - rank + 1} {quote(name, safe='')}"
            for rank, document in enumerate(ids, start=1)
        )
    write_lines(path, lines)


def write_chains(
    path: Path,
    claims: Sequence[GoldClaim],
    retrievals: Sequence[Retrieval],
    documents: IndexDocuments | None = None,
) -> None:
    """Write the chains of each claim beside a run, which has no room for them.

    A line of JSON a claim: ``query``, its id in the run, and ``chains``, as of ``Chain.as_dict``.

    Raises
    ------
    UsageError
        The file cannot be written.
    """
    pairs = zip(_query_ids(claims, documents), retrievals, strict=True)
    told = (
        {"query": query, "chains": [chain.as_dict() for chain in one.chains]}
        for query, one in pairs
    )
    write_lines(path, [json.dumps(line) for line in told])


def chains_file(run: Path) -> Path:
    """Return the file of a run's chains."""
    return run.with_name(f"{run.name}.chains.jsonl")


def query_ids(claims: Sequence[GoldClaim]) -> list[str]:
    """Percent-encode uids; the second claim of one uid gets ``UID#2``, and so on."""
    return _numbered([quote(claim.uid, safe="") for claim in claims])


def _query_ids(claims: Sequence[GoldClaim], documents: IndexDocuments | None) -> list[str]:
    """Return ``query_ids``; the user's own ids beside documents with ids, for their qrels."""
    is_own = any(claim.gold_ids for claim in claims) or (documents and documents.id_of)
    return _numbered([own_id(claim.uid) for claim in claims]) if is_own else query_ids(claims)


@dataclass(frozen=True)
class _Naming:
    """The id of each passage of a ranking."""

    titles_of: PassageTitles
    documents: IndexDocuments | None

    def __call__(self, retrieval: Retrieval) -> list[str]:
        pairs = zip(retrieval.passages, self.titles_of(retrieval), strict=True)
        return _numbered([self._id(passage, title) for passage, title in pairs])

    def _id(self, passage: RankedPassage, title: str) -> str:
        if title and self.titles_of.normal is as_written:  # it is a gold id
            return own_id(title)
        if self.documents and (name := self.documents.id_of.get(passage.pid)):
            return own_id(name)
        # A colon is encoded in a title, so a pid cannot be taken for one.
        return document_id(title or passage.title) or f"pid:{passage.pid}"


def _numbered(names: Sequence[str]) -> list[str]:
    """Make names unique: the second ``x`` becomes ``x#2``; encoded names hold no ``#``."""
    seen: Counter[str] = Counter()
    unique: list[str] = []
    for name in names:
        seen[name] += 1
        unique.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return unique
