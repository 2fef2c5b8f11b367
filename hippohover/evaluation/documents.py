"""Finds the passages of a gold id, and the id under which one is reported."""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any, Final
from urllib.parse import unquote

from hippohover.errors import UsageError
from hippohover.evaluation.hover import GoldClaim
from hippohover.evaluation.parts import holds_words, words_of
from hippohover.evaluation.qrels import document_id, own_id
from hippohover.names.normal_forms import normal_title

_LEAST_SHARE: Final = 0.2  # of a text, which a heading or a name is not


def _in_file(name: str, path: str) -> str:
    """Join an id with its file; a file's own id is its path."""
    if path and name == path.removesuffix(PurePosixPath(path).suffix):
        return path
    return f"{path}/{name}" if path else name


def _composed(name: str) -> str:
    return unicodedata.normalize("NFC", name)


@dataclass(frozen=True, kw_only=True)
class IndexDocuments:
    """Columns of an index, a row per passage.

    Attributes
    ----------
    titles, pids : sequence of str
    ids : sequence of str
        Id of the passage's document; empty if only its title names it. If documents of several
        files have the same id, the file is put before it: see ``of``.
    parts : sequence of int
        Number of the passage in its document, from 0.
    paths : sequence of str
        File of each passage; empty where there is none.
    shared : mapping of str to list of str
        Such an id -> the ids that replace it.
    """

    titles: Sequence[str]
    pids: Sequence[str]
    ids: Sequence[str]
    parts: Sequence[int]
    paths: Sequence[str] = ()
    shared: Mapping[str, list[str]] = field(default_factory=dict[str, list[str]])

    @classmethod
    def of(cls, passages: Any) -> "IndexDocuments":  # noqa: ANN401  (Arrow has no types)
        """Read the columns of a table of passages such as ``HippoHover.tables.living``.

        Rows 1 of two tables are "a.csv/1" and "b.csv/1", and x.md and x.txt go by their paths.
        """
        names = ("title", "pid", "document", "part")
        titles, pids, ids, parts = (passages.column(name).to_pylist() for name in names)
        has_paths = "path" in passages.column_names
        paths = passages.column("path").to_pylist() if has_paths else [""] * len(ids)
        files: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for name, path in zip(ids, paths, strict=True):
            files[name][path] = None
        shared = {
            name: [_in_file(name, path) for path in of]
            for name, of in files.items()
            if name and len(of) > 1
        }
        ids = [
            _in_file(name, path) if name in shared else name
            for name, path in zip(ids, paths, strict=True)
        ]
        return cls(titles=titles, pids=pids, ids=ids, parts=parts, paths=paths, shared=shared)

    @cached_property
    def id_of(self) -> dict[str, str]:
        """Map each pid to the id of its document, if it has one."""
        return {pid: name for pid, name in zip(self.pids, self.ids, strict=True) if name}

    @cached_property
    def _ids_of_title(self) -> dict[str, list[str]]:
        ids: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for title, name in zip(self.titles, self.ids, strict=True):
            if name:
                ids[normal_title(title)][name] = None
        return {title: list(names) for title, names in ids.items()}

    def ids_of(self, title: str) -> list[str]:
        """Return ids of the documents with this title, as the metric compares titles."""
        return self._ids_of_title.get(normal_title(title), [])

    def gold_pids(self, claims: Sequence[GoldClaim]) -> dict[str, list[str]]:
        """Map each gold id to its passages' pids, for ``EvaluationSettings.gold_pids``.

        A gold id is that of a document, its file's path, or a passage's own, or, in an index whose
        documents have no ids, a title; or what ``trec.write_qrels`` writes for one of them. A
        passage that the index does not hold as one counts by its title, where that is one
        document's: it was long, and is split there.

        Raises
        ------
        UsageError
            A gold id is that of documents of several files.
        """
        for name in {name for claim in claims for name in claim.gold_ids} & self.shared.keys():
            ids = self.shared[name]
            raise UsageError(
                f"gold id {name!r:.80} is that of {len(ids)} documents of several files: write "
                f"{' or '.join(repr(one) for one in ids[:2])}"
            )
        pids: dict[str, list[str]] = {name: [] for claim in claims for name in claim.gold_ids}
        for row, (name, pid) in enumerate(zip(self.ids, self.pids, strict=True)):
            for key in {name, pid} & pids.keys():
                pids[key].append(self.pids[row])
        if not self.id_of and not any(pids.values()):
            return self._by_title(pids)
        if self.id_of:
            self._add_encoded(pids)
            self._add_otherwise_written(pids)
        self._add_split(claims, pids)
        return pids

    def _add_encoded(self, pids: dict[str, list[str]]) -> None:
        """Add ids and titles as ``write_qrels`` writes them, unless they equal an id."""
        encoded = {name for name, found in pids.items() if not found}
        for title, name, pid in zip(self.titles, self.ids, self.pids, strict=True):
            if encoded and (key := own_id(name) if name else document_id(title)) in encoded:
                pids[key].append(pid)

    def _add_otherwise_written(self, pids: dict[str, list[str]]) -> None:
        """Add files by paths with suffix, and ids and paths in other forms of Unicode."""
        names: defaultdict[str, list[str]] = defaultdict(list)
        for name in (name for name, found in pids.items() if not found):
            for form in {_composed(name), _composed(unquote(name))}:
                names[form].append(name)
        paths = self.paths or [""] * len(self.ids)
        for name, path, pid in zip(self.ids, paths, self.pids, strict=True) if names else ():
            for form in {_composed(name), _composed(path)}:
                for gold in names.get(form, []):
                    pids[gold].append(pid)

    def _by_title(self, pids: dict[str, list[str]]) -> dict[str, list[str]]:
        names: defaultdict[str, list[str]] = defaultdict(list)
        for name in pids:
            names[normal_title(unquote(name))].append(name)
        for title, pid in zip(self.titles, self.pids, strict=True):
            for name in names.get(normal_title(title), [])[:1]:
                pids[name].append(pid)
        return pids

    def _add_split(self, claims: Sequence[GoldClaim], pids: dict[str, list[str]]) -> None:
        missing = {
            name: normal_title(title)
            for claim in claims
            if len(claim.gold_ids) == len(claim.supporting_facts)
            for name, (title, _) in zip(claim.gold_ids, claim.supporting_facts, strict=True)
            if not pids[name]
        }
        n_missing = Counter(missing.values())
        rows: defaultdict[str, list[int]] = defaultdict(list)
        for row, title in enumerate(self.titles):
            if (normal := normal_title(title)) in n_missing:
                rows[normal].append(row)
        known = {pid for found in pids.values() for pid in found}
        for name, title in missing.items():
            parts = [self.parts[row] for row in rows[title]]
            own = [self.pids[row] for row in rows[title]]
            if n_missing[title] == 1 and len(set(parts)) == len(parts) and known.isdisjoint(own):
                pids[name] = own

    def with_titles(self, claims: Sequence[GoldClaim]) -> list[GoldClaim]:
        """Give claims with gold ids the titles of these documents; leaves out missing ones.

        For what looks at titles alone: learning a ranking, or a program.
        """
        title_of = dict(zip(self.pids, self.titles, strict=True))
        pids = self.gold_pids(claims)
        titled: list[GoldClaim] = []
        for claim in claims:
            names = [title_of[pid] for name in claim.gold_ids for pid in pids[name]]
            titles = tuple({normal_title(name): name for name in reversed(names)}.values())
            if not claim.gold_ids:
                titled.append(claim)
            elif titles:
                titled.append(replace(claim, gold_titles=titles[::-1], gold_ids=()))
        return titled


def with_passages_of_texts(
    claims: Sequence[GoldClaim], passages: Iterable[tuple[str, str]]
) -> list[GoldClaim]:
    """Replace gold that is a text alone by the pid of the first passage that holds it.

    Where none does, the text was longer than a passage: then it is the longest that it holds.

    Parameters
    ----------
    passages : iterable of (str, str)
        The pids and texts of an index; read where there is such gold.
    """
    parts = (part for claim in claims for part in claim.parts)
    wanted = {part.name: words_of(part.text) for part in parts if part.name == part.text}
    pid_of: dict[str, str] = {}
    longest = dict.fromkeys(wanted, 0)
    for pid, text in passages if wanted else ():
        words = words_of(text)
        for name in [name for name, own in wanted.items() if holds_words(words, own)]:
            is_held = wanted[name] in words
            if is_held or len(words) > max(longest[name], _LEAST_SHARE * len(wanted[name])):
                longest[name], pid_of[name] = len(words), pid
            if is_held:
                del wanted[name]
    return [
        replace(
            claim,
            gold_ids=tuple(dict.fromkeys(pid_of.get(name, name) for name in claim.gold_ids)),
            parts=tuple(
                replace(part, name=pid_of.get(part.name, part.name)) for part in claim.parts
            ),
        )
        for claim in claims
    ]
