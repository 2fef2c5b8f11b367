"""The corpora and sets of claims that ``domains.py`` measures, and claims written otherwise."""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from hippohover.evaluation.claims_files import claims_content
from hippohover.evaluation.hover import GoldClaim, load_claims

AS_WRITTEN = "as written"
_CLAIMS_FILE = re.compile(r"(?P<name>.+?)-(?:claims|questions)")
_CORPUS_ENDS = ("-corpus.jsonl", "-corpus.jsonl.gz")
_SUPPORTING = {"SUPPORT", "SUPPORTS", "SUPPORTED"}
_HOVERS = {"", "SUPPORTED", "NOT_SUPPORTED"}
_HEADING = re.compile(r'has a section "(.+?)"(?=[.?]|$)')
_LONG_WORD = re.compile(r"[^\W\d_]{6,}")
N_TYPOS = 2


@dataclass(frozen=True, kw_only=True)
class ClaimSet:
    """Claims that are asked of one corpus.

    Attributes
    ----------
    corpus : str
        Name of the corpus.
    file : Path
    variant : str
        ``AS_WRITTEN``, or a name of ``VARIANTS``.
    is_own : bool
        Whether they are the corpus's own; those of another count in no mean over sets.
    claims : tuple of GoldClaim
        As they are asked.
    written : tuple of str
        Their words as the file has them.
    sha256 : str
        Of the file.
    """

    corpus: str
    file: Path
    variant: str
    is_own: bool
    claims: tuple[GoldClaim, ...]
    written: tuple[str, ...]
    sha256: str

    @property
    def key(self) -> str:
        """Names the set in results."""
        variant = "" if self.variant == AS_WRITTEN else f", {self.variant}"
        return f"{self.corpus}: {self.file.name.partition('.')[0]}{variant}"

    def headings(self) -> dict[int, str]:
        """Place of each claim that asks for a section, and the heading that it asks for."""
        matches = ((at, _HEADING.search(claim)) for at, claim in enumerate(self.written))
        return {at: match[1] for at, match in matches if match}


def corpora_of(folder: Path | None, given: Mapping[str, Path]) -> dict[str, Path]:
    """Corpora by name: ``NAME-corpus.jsonl[.gz]`` of a folder, and those that are given."""
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir()) if folder else ():
        for end in _CORPUS_ENDS:
            if path.name.endswith(end):
                found[path.name.removesuffix(end)] = path
    return found | dict(given)


def files_of(folder: Path | None, given: Sequence[tuple[str, Path]]) -> dict[str, list[Path]]:
    """Files of claims by the name of their corpus.

    ``NAME-claims*.jsonl`` and ``NAME-questions*.jsonl`` of a folder; of a name that is given, what
    is given alone.
    """
    found: dict[str, list[Path]] = {}
    for path in sorted(folder.glob("*.jsonl")) if folder else ():
        if match := _CLAIMS_FILE.match(path.name):
            found.setdefault(match["name"], []).append(path)
    named = dict.fromkeys((name for name, _ in given))
    return found | {name: [path for own, path in given if own == name] for name in named}


def sets_of(
    corpus: str, files: Mapping[str, Sequence[Path]], variants: Sequence[str] = ()
) -> list[ClaimSet]:
    """The sets of a corpus, each as written and in its variants.

    A corpus without claims takes those of the longest name that begins its own up to a dash:
    ``obsidian-vault`` takes those of ``obsidian``.
    """
    own = corpus in files
    lenders = [name for name in files if corpus == name or corpus.startswith(f"{name}-")]
    if not lenders:
        raise SystemExit(f"error: {corpus} has no claims: give --claims {corpus}=FILE")
    found: list[ClaimSet] = []
    for file in files[max(lenders, key=len)]:
        claims = asked_for(load_claims(file))
        if not claims:
            raise SystemExit(f"error: {file}: no claim is labelled as supported: leave it out")
        whole = ClaimSet(
            corpus=corpus,
            file=file,
            variant=AS_WRITTEN,
            is_own=own,
            claims=tuple(claims),
            written=tuple(claim.claim for claim in claims),
            sha256=sha256(claims_content(file)).hexdigest(),
        )
        found += [whole, *(_written(whole, variant) for variant in variants)]
    return found


def asked_for(claims: Sequence[GoldClaim]) -> list[GoldClaim]:
    """Claims whose gold titles are to be found.

    All, but of files that label claims otherwise than HoVer does: there a claim that is refuted,
    or has not enough information, often has gold of the thing that was swapped, and those that
    are supported count alone.
    """
    if {claim.label for claim in claims} <= _HOVERS:
        return list(claims)
    return [claim for claim in claims if claim.label in _SUPPORTING]


def with_typos(claim: str, uid: str) -> str:
    """The claim with two letters swapped, one dropped, or one doubled, in two of its words.

    Words of six letters or more, as many as there are up to two; drawn by the seed 0 and the
    claim's uid, so that a claim has the same ones in every file.
    """
    drawn = random.Random(f"0 {uid}")
    words = list(_LONG_WORD.finditer(claim))
    chosen = drawn.sample(words, min(N_TYPOS, len(words)))
    for word in sorted(chosen, key=lambda word: word.start(), reverse=True):
        claim = claim[: word.start()] + _mistyped(word[0], drawn) + claim[word.end() :]
    return claim


def _mistyped(word: str, drawn: random.Random) -> str:
    kind = drawn.choice(("swap", "drop", "double"))
    swapped = [at for at in range(len(word) - 1) if word[at] != word[at + 1]]
    if kind == "swap" and swapped:
        at = drawn.choice(swapped)
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    at = drawn.randrange(len(word))
    return word[:at] + ("" if kind == "drop" else 2 * word[at]) + word[at + 1 :]


def _lower(claim: str, _: str) -> str:
    return claim.lower()


VARIANTS: Mapping[str, Callable[[str, str], str]] = {"lower": _lower, "typos": with_typos}
"""Name -> (claim, uid) -> the claim written otherwise."""


def _written(whole: ClaimSet, variant: str) -> ClaimSet:
    change = VARIANTS[variant]
    claims = tuple(replace(claim, claim=change(claim.claim, claim.uid)) for claim in whole.claims)
    return replace(whole, variant=variant, claims=claims)


def content_sha256(path: Path) -> str:
    """Of a file, or of all files of a folder, with their names."""
    digest = sha256()
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.is_file():
            name = file.relative_to(path).as_posix()
            digest.update(f"{name}\0{sha256(file.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()
