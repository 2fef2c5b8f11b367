"""Files of claims for the commands, with gold or without."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hippohover.cli.options import ClaimColumn, argument, option
from hippohover.cli.output import counted, note
from hippohover.errors import CorpusError
from hippohover.evaluation.claims_rows import ClaimRows, place_in, read_rows
from hippohover.evaluation.documents import IndexDocuments, with_passages_of_texts
from hippohover.evaluation.hover import ClaimsFile, GoldClaim, read_claims
from hippohover.evaluation.parts import GoldPart
from hippohover.names.normal_forms import normal_title
from hippohover.retrieval.answers import passages_of
from hippohover.retrieval.engine import HippoHover
from hippohover.store.tables import IndexTables


@dataclass(frozen=True, slots=True)
class Query:
    """A claim of a file, its uid, and its place for messages."""

    claim: str
    uid: str | None
    where: str

    def named(self) -> dict[str, object]:
        """Return its uid, else its line number, for the row of its answer."""
        return {"uid": self.uid} if self.uid is not None else {**place_in(self.where)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimsSource:
    """A file of claims with gold, as it was typed."""

    claims: Path = argument(
        ...,
        "Claims with gold: HoVer, HotpotQA, 2Wiki, MuSiQue, FEVER; BEIR or TREC with "
        "--qrels; or ir_datasets:NAME.",
    )
    qrels: Path | None = option(
        None, "Documents relevant to each claim, by ids, in TREC's or BEIR's format."
    )
    claim_column: ClaimColumn = None

    def read(self) -> ClaimsFile:
        """Read claims as ``read_claims``; say on stderr how other formats were read."""
        claims = read_claims(self.claims, qrels=self.qrels, claim_column=self.claim_column)
        if not claims.is_hovers:
            note(claims.understood)
        return claims


def titled(claims: Sequence[GoldClaim], engine: HippoHover) -> list[GoldClaim]:
    """Read claims with gold titles; report those that the index lacks."""
    if not any(claim.gold_ids for claim in claims):
        return list(claims)
    claims = with_found_texts(claims, engine.tables)
    found = IndexDocuments.of(engine.tables.living).with_titles(claims)
    if n := len(claims) - len(found):
        note(f"claims left out because the index has none of their gold ids: {n:,}")
    return found


def read_queries(path: Path, *, max_chars: int, claim_column: str | None = None) -> list[Query]:
    """Read the claims of a file, in order, without gold.

    For a file in another form than HoVer's, stderr says how it was understood.

    Raises
    ------
    CorpusError
        The file cannot be read, has no claim, or one that is blank or longer than ``max_chars``;
        the message names its line, or its index in an array. Or it is not a file of claims: the
        message says what it looks like.
    UsageError
        ``ir_datasets`` is named, and not installed.
    """
    rows = read_rows(path, claim_column=claim_column)
    queries = [_query(record, where, rows) for record, where in rows.records]
    if not queries:
        raise CorpusError(f"{path}: holds no claim: give one per line, or HoVer's release form")
    for query in queries:
        if not query.claim.strip():
            raise CorpusError(f"{query.where}: the claim is empty: remove it or fill it in")
        if len(query.claim) > max_chars:
            raise CorpusError(
                f"{query.where}: the claim has {len(query.claim):,} characters: give at most "
                f"{max_chars:,}"
            )
    if rows.form != "JSON" or (rows.claim, rows.uid) != ("claim", "uid"):
        note(f"read {counted(len(queries), 'claim')}: {rows.understood()}")
    return queries


def _query(record: object, where: str, rows: ClaimRows) -> Query:
    fields: dict[object, object] = record if isinstance(record, dict) else {}
    claim, uid = fields.get(rows.claim), fields.get(rows.uid)
    if not isinstance(claim, str):
        raise CorpusError(f'{where}: no "{rows.claim}": {rows.no_claim(record)}')
    is_number = isinstance(uid, int) and not isinstance(uid, bool)
    return Query(claim, str(uid) if isinstance(uid, str) or is_number else None, where)


def with_found_texts(claims: Sequence[GoldClaim], tables: IndexTables) -> list[GoldClaim]:
    """Return the claims; gold that is a text alone becomes the passage that holds it."""
    pids = tables.passages.column("pid")
    rows = np.flatnonzero(tables.is_there).tolist()
    return with_passages_of_texts(claims, ((pids[row].as_py(), tables.texts[row]) for row in rows))


def missing_parts(
    tables: IndexTables,
    claims: Sequence[GoldClaim],
    gold_pids: Mapping[str, Collection[str]] | None = None,
) -> Iterator[GoldPart]:
    """Yield the gold parts that no passage of an index holds, though their document is there.

    Parameters
    ----------
    gold_pids : mapping of str to collection of str, or None
        As in ``EvaluationSettings``.
    """
    by_id = any(claim.gold_ids for claim in claims)
    name_of = {pid: name for name, pids in (gold_pids or {}).items() for pid in pids}
    parts: dict[str, dict[GoldPart, None]] = {}
    for part in (part for claim in claims for part in claim.parts if part.is_named):
        name = part.name if by_id else normal_title(part.name)
        parts.setdefault(name, {})[part] = None
    rows: dict[str, list[int]] = {}
    living = np.flatnonzero(tables.is_there)
    columns = (tables.living.column(name).to_pylist() for name in ("pid", "title"))
    for row, pid, title in zip(living.tolist(), *columns, strict=True):
        name = normal_title(title) if gold_pids is None else name_of.get(pid, "")
        if name in parts:
            rows.setdefault(name, []).append(row)
    for name, own in rows.items():
        passages = passages_of(tables, np.array(own), np.zeros(len(own)))
        yield from (part for part in parts[name] if not any(map(part.is_in, passages)))
