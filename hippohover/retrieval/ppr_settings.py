"""The numbers of ``ppr`` that no recipe sets, and where each comes from."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PprSettings:
    """Numbers of ``ppr`` that are the same for every index; a tuner may give others.

    Attributes
    ----------
    second_damping : float
        Of the second walk. It starts from passages that were read, not from words, and stays nearer
        to them than the first. The shipped weights were learned with it
        (benchmarks/train_reranker.py): to change it means to learn them again.
    n_second_seeds : int
        Surest passages from which the second walk starts, besides the claim's entities; more of
        them bring passages of other subjects. Learned with, as ``second_damping``.
    linked_damping : float
        Of the walk from one passage to those beside it (``HippoHover.linked``): short, as there is
        one seed. Chosen by reading, not measured.
    n_fact_passages : int
        Best passages by BM25 whose facts are candidates: some hundred facts, whatever the size of
        the index, are what an encoder can compare at each claim.
    least_bm25, n_nearest : int
        Passages by BM25 and by cosine that are candidates, however few are seeds: they find what no
        name joins. As many as the shipped weights were learned with.
    least_joined : float
        Share of candidates that name, link, or are named by another, above which learned weights
        rank where neither claim nor texts name others. They learned how names lead from passage to
        passage; below, fusion of walk, BM25 and cosine finds more (benchmarks/choices.py).
    dense_mentions : float
        Names of others in a passage, on average, from which the weights rank alone. Of 345,177
        abstracts, from which they learned, it has 11, in other documents 3 at most
        (benchmarks/domains.py).
    n_kept_first : int
        Best scored that keep their places where texts name fewer others; below them the walk's own
        list counts as much (benchmarks/choices.py).
    words_count : int
        How often the list of BM25 counts where texts have no names: the walk's two lists count 2
        each, cosine 1 (benchmarks/untitled_corpora.py).
    """

    second_damping: float = 0.7
    n_second_seeds: int = 12
    linked_damping: float = 0.7
    n_fact_passages: int = 20
    least_bm25: int = 100
    n_nearest: int = 100
    least_joined: float = 0.4
    dense_mentions: float = 4.0
    n_kept_first: int = 16
    words_count: int = 8
