"""The ranking of one corpus, learned by ``tune``, on top of the shipped one.

A passage's score starts from its rank in the shipped ranking, and small trees add to it. So what
was learned on many corpora is not lost if only few claims say otherwise, and it does not matter how
that ranking was made: by learned weights, or by fusion if no candidate names another.

Its file is one npz without pickle. It holds the trees of all claims, the trees that each left out
one fold of them, the folds of the claims by digest, and what the ranking was made of. Trees that
never saw a claim's group score a claim that was learned from.
"""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Final
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

from hippohover.disk import door
from hippohover.disk.text_files import write_whole
from hippohover.errors import IndexDamagedError, ModelError
from hippohover.retrieval.reranking.features import FEATURES
from hippohover.retrieval.reranking.rerank import N_FOLDS, claim_digest
from hippohover.retrieval.reranking.trees import Trees, arrays_of
from hippohover.retrieval.walk.candidates import RRF_K
from hippohover.store.layout import RANKING

TUNED_FEATURES = (
    *FEATURES,
    "shipped_rank",
    "like_3",  # mean cosine with the 3 best others of the shipped ranking
    "like_10",
    "like_30",
    "like_better",  # greatest cosine with one that stands before it
    "like_all",  # mean cosine with all others, each by 1 / (5 + rank)
    "beside_1",  # sum of 1 / (5 + rank) over those one row away in the corpus
    "beside_3",  # up to three
    "beside_10",
    "beside_all",  # over all, each divided by how many rows away it is
)
"""Names of the columns: those of the first scoring, and how passages stand among the best.

Which of these say something is another matter in each corpus: where rules follow each other in a
book, neighbours; where messages repeat each other, likeness.
"""

N_TUNED: Final = 200
"""Best passages of the ranking that ships: they are put in a new order, what follows stays."""

SHIPPED: Final = "shipped"
"""Asks for the ranking that ships, even if the index has its own."""

FORMAT: Final = 1
"""Format of the file; a newer one is refused."""

NO_ENCODER: Final = "none"

_MOST_BYTES: Final = 1 << 25
_SHARE = 1.5  # of the shipped ranking: 6 and 3 gain less on claims of rules and of chats
_DIGESTS, _FOLDS, _FORMAT = "claims/digests", "claims/folds", "format"
_MADE_OF = ("encoder", "claims_file", "written")
_STEMS = ("all", *(f"without-{fold}" for fold in range(N_FOLDS)))


@dataclass(frozen=True, kw_only=True)
class TunedRanking:
    """The ranking of one corpus, as ``tune`` learns and saves it.

    Attributes
    ----------
    trees : mapping of str to Trees
        ``"all"``, and ``"without-0"`` to ``"without-4"`` by the fold that they left out.
    folds : mapping of str to int
        Fold of each claim that it was learned from, keyed by the digest of the claim's words.
    encoder : str
        Hash of the encoder of the index; ``"none"`` where it has none.
    claims_file, written : str
        Name of the file of claims, and when the ranking was written (UTC, ISO 8601), if the command
        ``tune`` wrote it; else empty.
    """

    trees: Mapping[str, Trees]
    folds: Mapping[str, int]
    encoder: str
    claims_file: str = ""
    written: str = ""

    @classmethod
    def open(cls, path: str | Path) -> "TunedRanking":
        """Read a file that ``save`` wrote.

        Raises
        ------
        ModelError
            It cannot be read, is not a ranking, is of a newer version of hippohover, or was learned
            from other features than this version's.
        """
        path = Path(path)
        with _reads(path):
            content = path.read_bytes()
        return cls._of(path, content)

    @classmethod
    def _of(cls, path: Path, content: bytes) -> "TunedRanking":
        with _reads(path), _arrays(content) as arrays:
            format_ = int(arrays[_FORMAT])
        if format_ > FORMAT:
            raise ModelError(
                f"{path}: the ranking has format {format_}, newer than {FORMAT}, which this "
                "program reads: upgrade hippohover, or run `hippohover tune` again"
            )
        with _reads(path):
            ranking = cls._read(content)
        if any(trees.feature_names != TUNED_FEATURES for trees in ranking.trees.values()):
            raise ModelError(
                f"{path}: the ranking was learned from other features, by another version: "
                "run `hippohover tune` again"
            )
        return ranking

    @classmethod
    def of_index(cls, root: Path) -> "TunedRanking":
        """Read an index's own ranking; raises what ``open`` does."""
        with _reads(root / RANKING):
            content = door.read(root / RANKING)
        return cls._of(root / RANKING, content)

    @classmethod
    def _read(cls, content: bytes) -> "TunedRanking":
        with _arrays(content) as arrays:
            digests, folds = arrays[_DIGESTS].tolist(), arrays[_FOLDS].tolist()
            made_of = {name: str(arrays[name].item()) for name in _MADE_OF}
        ranking = cls(
            trees={stem: _opened(content, stem) for stem in _STEMS},
            folds=dict(zip(digests, folds, strict=True)),
            **made_of,
        )
        if not set(ranking.folds.values()) <= set(range(N_FOLDS)):
            raise ValueError("folds")
        return ranking

    def save(self, path: str | Path) -> None:
        """Write it to one file; the same ranking gives the same bytes.

        Raises
        ------
        UsageError
            The file cannot be written; an older one stays as it was.
        """
        digests = sorted(self.folds)
        arrays = arrays_of(self.trees)
        arrays[_DIGESTS] = np.array(digests, dtype="<U12")
        arrays[_FOLDS] = np.array([self.folds[digest] for digest in digests], dtype="u1")
        arrays[_FORMAT] = np.array(FORMAT, dtype="<i4")
        arrays |= {name: np.array(getattr(self, name)) for name in _MADE_OF}
        file = BytesIO()
        np.savez(file, **arrays)
        write_whole(Path(path), file.getvalue())

    def origin(self) -> dict[str, str | int]:
        """Return what it was learned from, for JSON: file, number of distinct claims, time."""
        return {
            "claims_file": self.claims_file,
            "n_claims": len(self.folds),
            "written": self.written,
        }

    def scores(self, claim: str, features: NDArray[np.float32]) -> NDArray[np.float64]:
        """Score each of the best passages, higher is better; shape (n,).

        Parameters
        ----------
        claim : str
            Decides which trees judge: those that did not learn from its group.
        features : ndarray of float32, shape (n, len(TUNED_FEATURES))
            Of the best passages of the shipped ranking, in its order.
        """
        fold = self.folds.get(claim_digest(claim))
        trees = self.trees["all" if fold is None else f"without-{fold}"]
        return shipped_scores(len(features)) + trees.scores(features)

    def was_learned_from(self, claim: str) -> bool:
        """Return whether the ranking was learned from this claim."""
        return claim_digest(claim) in self.folds


def ranking_of(
    ranking: str | Path | TunedRanking | None, root: Path, encoder: Mapping[str, str]
) -> TunedRanking | None:
    """Return the ranking asked for, or the index's own; None for the shipped one.

    Parameters
    ----------
    ranking : str, Path or TunedRanking, optional
        As ``HippoHover.open`` takes it.
    root : Path
        Folder of the index.
    encoder : mapping
        What the manifest says of the encoder; empty where there is none.

    Raises
    ------
    ModelError
        It cannot be read, or was learned on an index with another encoder.
    IndexDamagedError
        That holds of the index's own.
    """
    if ranking is None and door.status(root / RANKING) is not None:
        try:
            return _fitting(TunedRanking.of_index(root), root / RANKING, encoder)
        except ModelError as error:  # nobody named it: it came with the index
            raise IndexDamagedError(str(error)) from error
    if ranking is None or ranking == SHIPPED:
        return None
    if isinstance(ranking, TunedRanking):
        return _fitting(ranking, "the ranking", encoder)
    return _fitting(TunedRanking.open(ranking), ranking, encoder)


def _fitting(ranking: TunedRanking, name: str | Path, encoder: Mapping[str, str]) -> TunedRanking:
    if ranking.encoder != encoder_of(encoder):
        raise ModelError(
            f"{name}: was learned on an index with another encoder than this one's "
            f"({encoder.get('name', NO_ENCODER)}): run `hippohover tune` on this one, or use "
            "the ranking 'shipped'"
        )
    return ranking


def encoder_of(encoder: Mapping[str, str]) -> str:
    """Return what a ranking records of the encoder, from the manifest's entry."""
    return encoder.get("sha256", NO_ENCODER)


def shipped_scores(n: int) -> NDArray[np.float64]:
    """Score the first ``n`` ranks of the shipped ranking: 0 and less, shape (n,)."""
    return -_SHARE * np.log1p(np.arange(n) / RRF_K)


def tuned_features(
    features: NDArray[np.float32], rows: NDArray[np.int64], vectors: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return a matrix of shape (n, len(TUNED_FEATURES)).

    Parameters
    ----------
    features : ndarray of float32, shape (n, len(FEATURES))
        Of the best passages of the shipped ranking, in its order.
    rows : ndarray of int64, shape (n,)
    vectors : ndarray of float32, shape (n, dim)
        Unit vectors of them; ``dim`` is 0 where passages have none.
    """
    ranks = np.arange(len(rows))
    columns = [ranks, *_likeness(vectors), *_neighbours(rows)]
    return np.column_stack([features, np.array(columns, np.float32).T])


def _likeness(vectors: NDArray[np.float32]) -> list[NDArray[np.floating[Any]]]:
    n = len(vectors)
    cosines = np.round(vectors @ vectors.T, 4)  # the last bits depend on the machine
    np.fill_diagonal(cosines, 0.0)
    ranks = np.arange(n)
    means = [
        cosines[:, :k].sum(axis=1) / np.maximum(np.where(ranks < k, min(k, n) - 1, k), 1)
        for k in (3, 10, 30)
    ]
    better = np.tril(cosines, -1).max(axis=1, initial=0.0)
    weights = _by_rank(n)
    return [*means, better, cosines @ weights / weights.sum()]


def _neighbours(rows: NDArray[np.int64]) -> list[NDArray[np.floating[Any]]]:
    away = np.abs(rows[:, None] - rows[None, :])
    weights = _by_rank(len(rows))
    within = [((away <= n) & (away > 0)) @ weights for n in (1, 3, 10)]
    return [*within, np.where(away > 0, 1.0 / np.maximum(away, 1), 0.0) @ weights]


def _by_rank(n: int) -> NDArray[np.float64]:
    return 1.0 / np.arange(5.0, 5.0 + n)


@contextmanager
def _reads(path: Path) -> Generator[None]:
    """Read a file; a missing or damaged file raises an error that names it."""
    fix = "name a file that `hippohover tune` wrote"
    try:
        yield
    except OSError as error:
        why = error.strerror or "not of this form"
        raise ModelError(f"{path}: the ranking cannot be read ({why}): {fix}") from error
    except Exception as error:  # what zipfile and numpy raise on garbage is no short list
        raise ModelError(f"{path}: is not a ranking, or is damaged: {fix}") from error


@contextmanager
def _arrays(content: bytes) -> Generator[Mapping[str, NDArray[Any]]]:
    with ZipFile(BytesIO(content)) as members:
        if sum(member.file_size for member in members.infolist()) > _MOST_BYTES:
            raise ValueError("it unpacks to more than a ranking")
    with np.load(BytesIO(content), allow_pickle=False) as arrays:
        yield arrays


def _opened(content: bytes, stem: str) -> Trees:
    trees = Trees.load(BytesIO(content), stem)
    trees.check()
    return trees
