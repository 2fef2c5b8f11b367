"""The numbers of ``ppr`` that no recipe sets, and where each comes from."""

from dataclasses import dataclass
from typing import NamedTuple


class Votes(NamedTuple):
    """What each list of a claim counts in the fusion: its first place, where BM25's counts 1."""

    trees: float
    second: float
    walk: float
    words: float
    cosine: float
    alike: float = 0.0

    @property
    def ranked_by(self) -> str:
        """Return ``"weights"`` where the learned order outvotes all other lists together."""
        return "weights" if self.trees > sum(self[1:]) else "fusion"


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
    trees_vote, joined_trees : float
        What the learned order counts in the fusion of lists where BM25 counts 1, and what it counts
        more where all candidates name, link, or are named by another; where a passage names
        several others on average, the square of that as much. Chosen together with those below
        on twelve sets of claims (benchmarks/choices.py).
    second_vote, joined_second, series_second : float
        Likewise of the second walk, which counts more too where documents follow each other, as
        the turns of a talk do: it comes to what stands beside the best.
    cosine_vote, worth_power : float
        What the list by cosine counts where vectors find as many sentences of the corpus as words
        do; where they find fewer, their share of that to this power. The square found 0.4 points
        more than the share itself or 1, over nine sets, and on none less (benchmarks/choices.py).
    alike_vote, n_alike : float, int
        What the list counts, for each that cosine's counts, of passages near the claim and its best
        documents together, so many of these. Where documents follow each other, the second walk
        goes there, and the list counts less by their share. An encoder that reads sentences found
        1 to 3 points more by it where nothing is named; a table of words, which brings back the
        words that found the best, up to 3 less, and has no such list.
    top_constant, tail_constant : float
        Ranks, less one, at which a place counts half of the first: in the two lists that follow
        names, whose tops are sure, and in the others.
    few_joined, n_sure, n_kept, n_first, n_walked, many_names : float, int, int, int, int, float
        Where at most this share of candidates names another, the first documents of both walks, so
        many of each, come before all others: a name that is no title leads there, and words vote
        otherwise. And so many passages of the second walk are among the first 21, of documents
        that another passage stands for too. The first costs 0.1 points of the sets above in the
        first five; the second finds 1 to 5 points more of talks and meetings, and nothing less.
        Where more name another, the first documents of the learned order come first: lists of
        words that vote there cost up to a quarter of what needs three documents in the first five.
        And so many passages of the walk are among the first 21: a chain of codes ends in one that
        neither words nor the learned order know (a third document of 8 in 40 chains more). Half of
        them where a passage names so many others on average, for there the learned order knows
        most: 1.1 points of EX-FEVER's claims, and nothing less of HoVer's and HotpotQA's.
    """

    second_damping: float = 0.7
    n_second_seeds: int = 12
    linked_damping: float = 0.7
    n_fact_passages: int = 20
    least_bm25: int = 100
    n_nearest: int = 100
    trees_vote: float = 0.25
    joined_trees: float = 10.0
    second_vote: float = 0.4
    joined_second: float = 2.5
    series_second: float = 2.6
    cosine_vote: float = 1.0
    worth_power: float = 2.0
    alike_vote: float = 1.0
    n_alike: int = 5
    top_constant: float = 10.0
    tail_constant: float = 40.0
    few_joined: float = 0.4
    n_sure: int = 2
    n_kept: int = 6
    n_first: int = 5
    n_walked: int = 10
    many_names: float = 2.0

    def votes(
        self,
        joined: float,
        naming: float,
        *,
        worth: float = 1.0,
        series: float = 0.0,
        reads_sentences: bool = False,
    ) -> Votes:
        """Return what the lists of a claim count.

        The more names join passages, the more the learned order and the second walk count: they
        know how names lead from one passage to the next.

        Parameters
        ----------
        joined : float
            Share in [0, 1] of a claim's candidates that name, link, or are named by another.
        naming : float
            How often a passage of the index names or links others, on average.
        worth : float
            What vectors find for each sentence that words find, in [0, 1].
        series : float
            Share of the passages of the index that follow another document's, in [0, 1].
        reads_sentences : bool
            Whether the encoder is more than a table of words.
        """
        cosine = self.cosine_vote * worth**self.worth_power
        return Votes(
            trees=self.trees_vote + self.joined_trees * joined * max(naming, 1.0) ** 2,
            second=self.second_vote + self.joined_second * joined + self.series_second * series,
            walk=1.0,
            words=1.0,
            cosine=cosine,
            alike=self.alike_vote * (1.0 - series) * cosine if reads_sentences else 0.0,
        )
