"""Signals of a claim and its evidence, without training: one function per signal.

A signal is a function of a ``ClaimContext`` that gives a ``Reading``: a value in its stated range,
or None and the reason why there is none. None invents a value. A trained model takes the place of
any of them under the same name.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial, update_wrapper
from typing import Any, Final

import numpy as np

from hippohover.names.normal_forms import entity_key
from hippohover.verification.against.checks import findings_of
from hippohover.verification.against.compared_claim import ComparedClaim
from hippohover.verification.against.denials import denies_alone
from hippohover.verification.against.findings import SIGNAL_OF, FindingKind
from hippohover.verification.against.sentences import Sentences
from hippohover.verification.evidence import Evidence
from hippohover.verification.payloads import Nli
from hippohover.verification.reasons import quoted
from hippohover.verification.terms import Encode, TermReader, Terms, closeness

NO_EVIDENCE: Final = "no evidence"
"""What the reason begins with where there was none; a failure to look for it follows."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The value of a signal.

    Attributes
    ----------
    value : float or None
    reason : str
        Why there is no value; or how it was come by, where that is to be said.
    told : str
        A sentence that says what was compared and found; "" where the value says all.
    """

    value: float | None
    reason: str = ""
    told: str = ""


@dataclass(frozen=True, slots=True)
class GeneratorMetadata:
    """The token data of the model that wrote a claim.

    Attributes
    ----------
    log_probabilities : tuple of float
        Natural logarithm of the probability of each token of the claim, <= 0.
    entropies : tuple of float
        Entropy of what could have stood for each token, in nats, >= 0.
    reason : str
        Why there are none.
    """

    log_probabilities: tuple[float, ...] = ()
    entropies: tuple[float, ...] = ()
    reason: str = "the model gave no log-probabilities"


def _no_names(_: str) -> frozenset[str]:
    return frozenset()


@dataclass(frozen=True, kw_only=True)
class ClaimContext:
    """The input of all signals.

    Attributes
    ----------
    text : str
        The claim without citation markers.
    terms : Terms
        Of the claim.
    evidence : Evidence
    read : TermReader
    names : tuple of str
        Names of passages of the index that the claim holds.
    names_of : callable
        doc_id -> names that the passage holds, its own among them, without those so common that
        they link everything. Looked up at each call, which is expensive.
    encode : callable or None
        Words to unit rows.
    generated : GeneratorMetadata or None
        None for a text that was not written here.
    samples : tuple of str
        Further answers to the same question.
    cited : tuple of str or None
        What the claim cites; None when it cites nothing, or nobody knows what.
    cited_reason : str
        Why there is nothing.
    nli : tuple of Nli, or None
        For each sentence of the evidence; None when nobody judged.
    nli_reason : str
        Who judged, or why nobody did.
    nli_by_sentence : bool
        Whether there is a judgement of every sentence, and not one of all together.
    why_none : str
        What is said where there is no evidence.
    read_case : ComparedClaim, optional
        The claim against all sentences of its passages; against the evidence when not given.
    judge : callable, optional
        The learned judge.
    model : callable, optional
        Claim and evidence to what the model of evidence says of them.
    """

    text: str
    terms: Terms
    evidence: Evidence
    read: TermReader
    names: tuple[str, ...] = ()
    names_of: Callable[[str], frozenset[str]] = _no_names
    encode: Encode | None = None
    generated: GeneratorMetadata | None = None
    samples: tuple[str, ...] = ()
    cited: tuple[str, ...] | None = None
    cited_reason: str = "the claim cites nothing"
    nli: tuple[Nli, ...] | None = None
    nli_reason: str = "no NLI model"
    nli_by_sentence: bool = True
    why_none: str = NO_EVIDENCE
    read_case: ComparedClaim | None = None
    judge: Callable[[ComparedClaim], Reading] | None = None
    model: Callable[[str, Evidence], Nli | None] | None = None

    @cached_property
    def told(self) -> Nli | None:
        """What the model of evidence says; None without one.

        It reads short texts best: what it says of all the evidence, and of the statement alone that
        speaks most for the claim, count alike (AUROC on HoVer .73 to .76, on short claims .79 to
        .80).
        """
        whole = None if self.model is None else self.model(self.text, self.evidence)
        if whole is None or self.model is None:
            return None
        alone = (replace(self.evidence, chunks=(one,)) for one in self.case.partners)
        said = [self.model(self.text, one) for one in alone if one != self.evidence]
        return between(whole, max(filter(None, said), key=leaning, default=whole))

    @cached_property
    def case(self) -> ComparedClaim:
        """The claim with all sentences of its passages."""
        if self.read_case is not None:
            return self.read_case
        given = self.evidence
        return ComparedClaim(
            self.text, Sentences(given.chunks, given.titles, self.read, encode=self.encode)
        )


Signal = Callable[[ClaimContext], Reading]


class ShippedSignal:
    """A signal with its highest value; the lowest is 0.

    One ``of_evidence`` has no value without a sentence.
    """

    def __init__(self, read: Signal, highest: float, *, of_evidence: bool) -> None:
        self.highest = highest
        self._read = read
        self._of_evidence = of_evidence
        update_wrapper(self, read)

    def __call__(self, context: ClaimContext) -> Reading:
        """Read it."""
        if self._of_evidence and not context.evidence.chunks:
            return Reading(None, context.why_none)
        return self._read(context)


SIGNALS: Final[dict[str, ShippedSignal]] = {}
"""The signals by name."""


def _signal(
    highest: float = 1.0, *, of_evidence: bool = False, name: str = ""
) -> Callable[[Signal], ShippedSignal]:
    """Register a signal under its own name, or another."""

    def registered(read: Signal) -> ShippedSignal:
        signal = ShippedSignal(read, highest, of_evidence=of_evidence)
        SIGNALS[name or read.__name__] = signal
        return signal

    return registered


_NOT_WRITTEN_HERE: Final = "the text was not written here"
_NO_MODEL: Final = "no model of evidence for this claim"
_LITTLE: Final = 0.001
_BASE, _OF_JUDGE, _OF_SUPPORT, _OF_REFUTATION = -0.42, 0.54, 0.35, -0.34


@_signal(math.inf)
def entropy_score(context: ClaimContext) -> Reading:
    """Return the negative log-likelihood per token, in nats, [0, inf): -mean(log p)."""
    if context.generated is None:
        return Reading(None, _NOT_WRITTEN_HERE)
    values = context.generated.log_probabilities
    if not values:
        return Reading(None, context.generated.reason)
    return Reading(-float(np.mean(values)))


@_signal(math.inf)
def mean_entropy(context: ClaimContext) -> Reading:
    """Return the mean entropy per token, in nats, [0, inf), over the reported alternatives."""
    if context.generated is None:
        return Reading(None, _NOT_WRITTEN_HERE)
    if not context.generated.entropies:
        return Reading(None, "the model gave no alternatives to its tokens")
    return Reading(float(np.mean(context.generated.entropies)))


@_signal()
def consistency_score(context: ClaimContext) -> Reading:
    """Return disagreement with further samples, [0, 1]: 1 - mean share of the claim in them.

    After SelfCheckGPT (arXiv 2303.08896), with rarity-weighted terms for its unigram model.
    """
    held = _held_by_samples(context)
    return Reading(1 - float(np.mean(held))) if held else Reading(None, "no samples were taken")


@_signal(0.25)
def consistency_variance(context: ClaimContext) -> Reading:
    """Return the variance, over samples, of the claim's share in each, [0, 0.25]."""
    held = _held_by_samples(context)
    if len(held) < 2:
        return Reading(None, "fewer than two samples were taken")
    return Reading(float(np.var(held)))


@_signal(of_evidence=True)
def coverage_tokens(context: ClaimContext) -> Reading:
    """Return the share of the claim's terms in the evidence, weighted by rarity, [0, 1]."""
    held = context.read(context.evidence.text)
    found = share_held(context.terms, held, context.case.held_otherwise)
    return replace(found, told=_unsaid(context, held))


@_signal(of_evidence=True)
def coverage_entities(context: ClaimContext) -> Reading:
    """Return the share of the names in the claim that the evidence holds, [0, 1]."""
    if not context.names:
        return Reading(None, "the claim holds no name of the index")
    held = f" {entity_key(context.evidence.text)} "
    lacking = [name for name in context.names if f" {entity_key(name)} " not in held]
    told = f"the evidence does not name {quoted(lacking)}" if lacking else ""
    return Reading(1 - len(lacking) / len(context.names), told=told)


@_signal(of_evidence=True)
def coverage_numbers(context: ClaimContext) -> Reading:
    """Return the share of the claim's numbers, dates and names' numbers in the evidence, [0, 1].

    In any form ("67 million", "67,000,000"), and in a sentence that is about the same thing.
    """
    wanted, held = context.case.numbers
    if not wanted:
        return Reading(None, "the claim holds no number")
    return Reading(held / wanted, told=_numbers_lacking(context.case))


def _numbers_lacking(case: ComparedClaim) -> str:
    """Say which numbers no sentence about the same has, and whether another one has them."""
    there = {has for _, has in case.numbers_lacking}
    lacking = quoted([number for number, has in case.numbers_lacking if has == any(there)])
    if not lacking:
        return ""
    if any(there):
        return f"the evidence has {lacking}, but says it of something else"
    return f"no sentence of the evidence has {lacking}"


@_signal()
def numeric_check(context: ClaimContext) -> Reading:
    """Return 1 when the evidence holds every number of the claim, else 0."""
    share = coverage_numbers(context)
    return share if share.value is None else replace(share, value=float(share.value == 1.0))


@_signal(math.inf, of_evidence=True)
def missing_information(context: ClaimContext) -> Reading:
    """Return what the claim says beyond its evidence, in rarest words, [0, inf).

    Sum over the claim's terms of rarity times (1 - closeness), where a word that no passage of the
    index holds has rarity 1: a rare word that the evidence lacks, and has nothing like, weighs
    most, in an index of any size.
    """
    held = context.read(context.evidence.text)
    close = closeness(context.terms, held, context.encode, context.case.held_otherwise)
    missing = float((context.terms.rarity * (1 - close)).sum()) / context.read.most
    return Reading(missing, told=_unsaid(context, held))


@_signal()
def citation_integrity(context: ClaimContext) -> Reading:
    """Return the share of the claim's terms in all that it cites, weighted by rarity, [0, 1]."""
    if context.cited is None:
        return Reading(None, context.cited_reason)
    return share_held(context.terms, context.read(" ".join(context.cited)))


@_signal()
def citation_span_match(context: ClaimContext) -> Reading:
    """Return the largest share of the claim's terms in a single passage that it cites, [0, 1]."""
    if context.cited is None:
        return Reading(None, context.cited_reason)
    shares = [share_held(context.terms, context.read(one)).value or 0.0 for one in context.cited]
    return Reading(max(shares, default=0.0))


@_signal(of_evidence=True)
def negation_mismatch(context: ClaimContext) -> Reading:
    """Return 1 when the claim denies words that no sentence about them denies, else 0."""
    alone = [one for one in context.case.comparisons if denies_alone(one, findings_of)]
    if not alone:
        return Reading(0.0)
    claim = alone[0].claim
    denied = [claim.written([stem]) for stem, said in claim.held.items() if said == (False, True)]
    return Reading(1.0, told=f"the claim denies {quoted(denied)}, and the evidence does not")


def _found(kind: FindingKind, context: ClaimContext) -> Reading:
    """Return the worst finding of one kind, and what it says."""
    found = next((one for one in context.case.findings if one.kind == kind), None)
    if found is None:
        return Reading(0.0)
    return Reading(1.0 if found.sure else 0.5, told=found.told)


for _kind, _name in SIGNAL_OF.items():
    _signal(of_evidence=True, name=_name)(partial(_found, _kind))


@_signal(of_evidence=True)
def weakest_part(context: ClaimContext) -> Reading:
    """Return the share in one sentence of the claim's least supported clause, [0, 1]."""
    part = min(context.case.parts, key=lambda one: one.share)
    if part.share == 1.0:
        return Reading(1.0)
    of = f"the words of “{part.text}”" if len(context.case.parts) > 1 else "its words"
    return Reading(part.share, told=f"no sentence has more than {part.share:.0%} of {of}")


@_signal()
def hop_completeness(context: ClaimContext) -> Reading:
    """Return the share of the claim's names that its evidence connects, [0, 1].

    Names and passages of the evidence are nodes, and a passage is linked with each name that it
    holds: of the claim's names, those in the component that has most of them. A chain whose
    bridge was not found falls apart in two.
    """
    if len(context.names) < 2:
        return Reading(None, "the claim holds fewer than two names of the index")
    if not context.evidence.chunks:
        return Reading(None, context.why_none)
    from networkx.utils import UnionFind

    joined: Any = UnionFind(context.names)
    for doc in {chunk.doc_id for chunk in context.evidence.chunks}:
        joined.union(*context.names_of(doc))
    of_claim = set(context.names)
    largest = max(len(of_claim & component) for component in joined.to_sets())
    return Reading(largest / len(context.names) if largest > 1 else 0.0)


@_signal()
def max_contradiction_prob(context: ClaimContext) -> Reading:
    """Return the largest probability that a sentence contradicts the claim, [0, 1].

    Of a judge of the evidence as a whole, the probability that all of it does.
    """
    if not context.nli:
        return Reading(None, context.nli_reason)
    return Reading(max(one.contradict for one in context.nli), context.nli_reason)


@_signal()
def max_entailment_prob(context: ClaimContext) -> Reading:
    """Return the largest probability that a sentence entails the claim, [0, 1].

    Of a judge of the evidence as a whole, the probability that all of it does.
    """
    if not context.nli:
        return Reading(None, context.nli_reason)
    return Reading(max(one.entail for one in context.nli), context.nli_reason)


@_signal()
def entailment_ratio(context: ClaimContext) -> Reading:
    """Return the share of sentences that most probably entail the claim, [0, 1]."""
    if not context.nli:
        return Reading(None, context.nli_reason)
    if len(context.nli) != len(context.evidence.chunks) or not context.nli_by_sentence:
        return Reading(None, f"{context.nli_reason}: one verdict on all sentences together")
    entails = [one.entail > max(one.contradict, one.neutral) for one in context.nli]
    return Reading(float(np.mean(entails)), context.nli_reason)


@_signal(of_evidence=True)
def model_support(context: ClaimContext) -> Reading:
    """Return the chance, by the model of evidence, that it supports the claim, [0, 1]."""
    return Reading(None, _NO_MODEL) if context.told is None else Reading(context.told.entail)


@_signal(of_evidence=True)
def model_refutation(context: ClaimContext) -> Reading:
    """Return the chance, by the model of evidence, that it refutes the claim, [0, 1]."""
    return Reading(None, _NO_MODEL) if context.told is None else Reading(context.told.contradict)


@_signal(of_evidence=True)
def judged_support(context: ClaimContext) -> Reading:
    """Return the learned judge's probability that the claim is supported, [0, 1].

    Of main clauses side by side, that of the weakest, judged as it would be alone; and what the
    model of evidence says of the whole moves it.
    """
    if context.judge is None:
        return Reading(None, "no learned judge")
    readings = [context.judge(one) for one in (context.case, *context.case.clauses)]
    weakest = min(readings, key=lambda one: 0.0 if one.value is None else one.value)
    if weakest.value is None or context.told is None:
        return weakest
    return Reading(moved(weakest.value, context.told), f"{weakest.reason}, with the model")


def moved(judged: float, told: Nli) -> float:
    """Move the judge's probability by what the model of evidence says, [0, 1].

    Logistic regression of both, learned on claims that neither had seen
    (``benchmarks/judge_and_model.py``).
    """
    inside = math.log((judged + _LITTLE) / (1 + _LITTLE - judged))
    open_ = math.log(told.neutral + _LITTLE)
    supports, refutes = (math.log(one + _LITTLE) - open_ for one in (told.entail, told.contradict))
    points = _BASE + _OF_JUDGE * inside + _OF_SUPPORT * supports + _OF_REFUTATION * refutes
    return 1 / (1 + math.exp(-points))


def leaning(told: Nli) -> float:
    """Return how much more the model finds a claim supported than refuted, in nats."""
    return math.log(told.entail + _LITTLE) - math.log(told.contradict + _LITTLE)


def between(first: Nli, second: Nli) -> Nli:
    """Return the geometric mean of two answers of the model."""
    sides = ("entail", "contradict", "neutral")
    means = [math.sqrt(getattr(first, one) * getattr(second, one)) for one in sides]
    entail, contradict, neutral = (one / (sum(means) or 1.0) for one in means)
    return Nli(entail=entail, contradict=contradict, neutral=neutral)


def share_held(claim: Terms, evidence: Terms, otherwise: frozenset[str] = frozenset()) -> Reading:
    """Return the share of a claim's terms, by rarity, held or said ``otherwise``, [0, 1]."""
    rarities: list[float] = claim.rarity.tolist()
    total = sum(rarities)  # added in the order of what is held, which so is never more
    if total <= 0:
        return Reading(None, "the claim holds no term that tells anything")
    held = {*evidence.stems, *otherwise}
    kept = sum(worth for stem, worth in zip(claim.stems, rarities, strict=True) if stem in held)
    return Reading(kept / total)


def _unsaid(context: ClaimContext, held: Terms) -> str:
    """Say which words of the claim its evidence does not have, in any form."""
    said = context.case.said
    known = {*held.stems, *context.case.held_otherwise, *(said.stems[at] for at in said.counted)}
    terms = zip(context.terms.words, context.terms.stems, strict=True)
    lacking = [context.case.written(word) for word, stem in terms if stem not in known]
    if not lacking:
        return _numbers_lacking(context.case)
    return f"no sentence of the evidence says {quoted(lacking)}"


def _held_by_samples(context: ClaimContext) -> Sequence[float]:
    shares = [share_held(context.terms, context.read(one)).value for one in context.samples]
    return [share for share in shares if share is not None]
