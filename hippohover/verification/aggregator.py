"""Signals -> a verdict, by rules that a person can read and edit."""

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Final, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from hippohover.errors import UsageError
from hippohover.recipe_files import fix_of
from hippohover.verification.payloads import Band, Confidence, Status
from hippohover.verification.reasons import without_repeats
from hippohover.verification.signals import NO_EVIDENCE, SIGNALS, Reading

JUDGED: Final = "judged_support"
NLI: Final = frozenset(["max_entailment_prob", "max_contradiction_prob"])
SURE: Final = 0.85
"""From this probability on the judge is believed against what the rules call contradictory."""
SAYS_SO: Final = 0.85
"""From this chance of support on, by the model of evidence, nothing is contradictory but what is
said of two the other way round; of 86 false claims rightly called so, three had as much."""
DOUBTED_BELOW: Final = 0.6
"""Up to this probability words that the evidence lacks forbid "Supported"."""
OF_WORDS: Final = frozenset(["coverage_tokens", "coverage_entities", "missing_information"])
"""Signals of words that are lacking, whose veto a sure judge lifts: others may say the same."""
_SHOWN: Final = 3
_VETO: Final = 100  # a rationale names first what forbids


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Rule(_Part):
    """The effect of one signal.

    Attributes
    ----------
    start, full : float
        Value of the signal from which the rule has an effect, and from which it has all of it:
        ``from`` and ``to`` in the file.
    support, contradict : float
        Points that it adds, in nats.
    veto : bool
        Whether a claim is not called supported, however many points it has, when the rule has all
        of its effect.
    """

    name: str = Field(min_length=1)
    signal: str
    start: float = Field(alias="from", allow_inf_nan=False)
    full: float = Field(alias="to", allow_inf_nan=False)
    support: float = Field(default=0.0, allow_inf_nan=False, ge=-50, le=50)
    contradict: float = Field(default=0.0, allow_inf_nan=False, ge=-50, le=50)
    veto: bool = False

    @model_validator(mode="after")
    def _check(self) -> "Rule":
        if self.start == self.full:
            raise ValueError(f"rule {self.name!r}: from and to are both {self.start:g}")
        return self

    def effect(self, value: float) -> float:
        """Return the share of the points that a value brings, in [0, 1]."""
        return min(max((value - self.start) / (self.full - self.start), 0.0), 1.0)


class _Base(_Part):
    support: float = Field(allow_inf_nan=False, ge=-50, le=50)
    contradict: float = Field(allow_inf_nan=False, ge=-50, le=50)


class _Verdict(_Part):
    supported_from: float = Field(gt=0, le=1)
    contradicted_from: float = Field(gt=0, le=1)


class _Bands(_Part):
    high: float = Field(ge=0, le=1)
    medium: float = Field(ge=0, le=1)

    @model_validator(mode="after")
    def _check(self) -> "_Bands":
        if self.medium > self.high:
            raise ValueError(f"medium {self.medium:g} is above high {self.high:g}")
        return self


class Rules(_Part):
    """A table of rules, with their starting points and the meaning of their sums."""

    base: _Base
    verdict: _Verdict
    bands: _Bands
    rule: tuple[Rule, ...]

    @classmethod
    def read(cls, path: Path | None = None) -> "Rules":
        """Read the rules of a TOML file, or the shipped ones.

        Raises
        ------
        UsageError
            The file cannot be read, or is no table of rules.
        """
        try:
            if path is None:
                text = (files("hippohover.verification") / "rules.toml").read_text("utf-8")
            else:
                text = path.read_text(encoding="utf-8")
            return cls.model_validate(tomllib.loads(text))
        except OSError as error:
            raise UsageError(
                f"{path}: cannot be read ({error.strerror}): check the path"
            ) from error
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"])) or "the whole"
            raise UsageError(f"{path}: {place}: {fix_of(first)}") from error
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{path}: is not valid TOML ({error}): fix that line") from error


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict, its confidence, and the rules behind it."""

    status: Status
    confidence: Confidence
    reasons: tuple[str, ...] = ()
    """Sentences, the weightiest first."""
    vetoes: frozenset[str] = frozenset()
    """Signals whose rules keep the claim from being called supported."""

    @property
    def rationale(self) -> str:
        """The reasons in one line."""
        return "; ".join(self.reasons) or "no rule speaks for it or against it"


class Aggregator(Protocol):
    """Decides by readings; a trained one can replace the rules."""

    def __call__(self, readings: Mapping[str, Reading]) -> Decision:
        """Decide on one claim; ``readings`` are by the signals' names."""
        ...


class LearnedAggregator:
    """Decides by the learned judge; rules limit what it may call supported.

    The probability is the judge's, moved by what the rules make of an NLI model's word. What a
    rule with a veto forbids is not supported: always where something was found against it, and
    where a number or a denial is lacking; where words are lacking, unless the judge is sure.
    Contradictory is what the rules call so, unless the judge or the model of evidence is sure of
    the opposite. Where the judge has no reading, the rules decide, and the rationale says so.

    Parameters
    ----------
    rules : RuleAggregator, optional
        Those that ship when not given.
    """

    def __init__(self, rules: "RuleAggregator | None" = None) -> None:
        self.by_rules = rules or RuleAggregator()

    @property
    def signals(self) -> frozenset[str]:
        """Names of the signals that are read."""
        return self.by_rules.signals | {JUDGED}

    def __call__(self, readings: Mapping[str, Reading]) -> Decision:
        """Decide as ``Aggregator``."""
        ruled = self.by_rules(readings)
        judged = readings.get(JUDGED)
        if judged is None or judged.value is None:
            why = judged.reason if judged is not None else "it was not read"
            return replace(ruled, reasons=(*ruled.reasons, f"by rules alone ({why})"))
        sure = _shifted(judged.value, self.by_rules.support_of(readings, NLI))
        asked = readings.get("max_contradiction_prob")
        by_model = asked is not None and asked.value is not None
        supports, turned = (_value(readings, one) for one in ("model_support", "turned_roles"))
        agreed = supports < SAYS_SO or turned >= 1.0  # it does not see who did it to whom
        against = ruled.status == "Contradictory" and (by_model or (sure < SURE and agreed))
        contradict = ruled.confidence.contradict_prob if against else 0.0
        support = min(sure, 1 - contradict)
        overall = support * (1 - contradict)
        vetoes = ruled.vetoes if sure < DOUBTED_BELOW else ruled.vetoes - OF_WORDS
        status: Status = "Low Confidence"
        if against:
            status = "Contradictory"
        elif sure >= self.by_rules.rules.verdict.supported_from and not vetoes:
            status = "Supported"
        band = "Low" if vetoes else self.by_rules.band(overall)
        confidence = Confidence(
            support_prob=support, contradict_prob=contradict, overall_confidence=overall, band=band
        )
        only = "" if sure >= self.by_rules.rules.verdict.supported_from or against else "only "
        reasons = *ruled.reasons, f"the judge gives it {only}{sure:.2f}"
        return Decision(status, confidence, reasons, vetoes)


class RuleAggregator:
    """Decides by rules.

    Parameters
    ----------
    rules : Rules, optional
        Those that ship when not given.
    known : collection of str
        Signals that there are.

    Raises
    ------
    UsageError
        A rule reads a signal that there is not, or values that it never has.
    """

    def __init__(
        self, rules: Rules | None = None, known: frozenset[str] = frozenset(SIGNALS)
    ) -> None:
        self.rules = rules or Rules.read()
        for rule in self.rules.rule:
            if rule.signal not in known:
                raise UsageError(
                    f"the rules: rule {rule.name!r} reads signal {rule.signal!r}, which is "
                    f"unknown: name one of {', '.join(sorted(known))}"
                )
            shipped = SIGNALS.get(rule.signal)
            if shipped and not all(0 <= at <= shipped.highest for at in (rule.start, rule.full)):
                raise UsageError(
                    f"the rules: rule {rule.name!r} goes from {rule.start:g} to {rule.full:g}, but "
                    f"{rule.signal} lies in [0, {shipped.highest:g}]: fix from and to"
                )

    def support_of(self, readings: Mapping[str, Reading], signals: frozenset[str]) -> float:
        """Return points for support, in nats, of the rules that read some signals."""
        return sum(
            rule.effect(reading.value) * rule.support
            for rule in self.rules.rule
            if rule.signal in signals
            and (reading := readings.get(rule.signal)) is not None
            and reading.value is not None
        )

    @property
    def signals(self) -> frozenset[str]:
        """Names of the signals that the rules read."""
        return frozenset(rule.signal for rule in self.rules.rule)

    def __call__(self, readings: Mapping[str, Reading]) -> Decision:
        """Decide as ``Aggregator``, by the formula at the head of ``rules.toml``."""
        support, contradict = self.rules.base.support, self.rules.base.contradict
        fired: dict[str, float] = {}
        vetoes: set[str] = set()
        for rule in self.rules.rule:
            reading = readings.get(rule.signal)
            if reading is None or reading.value is None:
                continue
            effect = rule.effect(reading.value)
            if effect:
                support += effect * rule.support
                contradict += effect * rule.contradict
                forbids = rule.veto and effect == 1.0
                vetoes |= {rule.signal} if forbids else set()
                weight = effect * max(abs(rule.support), abs(rule.contradict))
                if weight or forbids:
                    told = reading.told or f"{rule.name} ({rule.signal} {reading.value:.2f})"
                    fired[told] = max(weight + _VETO * forbids, fired.get(told, 0.0))
        s, c = _probabilities(support, contradict)
        sure = s * (1 - c)
        confidence = Confidence(
            support_prob=s,
            contradict_prob=c,
            overall_confidence=sure,
            band="Low" if vetoes else self.band(sure),
        )
        status = self._status(s, c, vetoed=bool(vetoes))
        return Decision(status, confidence, _strongest(fired), frozenset(vetoes))

    def _status(self, support: float, contradict: float, *, vetoed: bool) -> Status:
        if contradict >= self.rules.verdict.contradicted_from and contradict > support:
            return "Contradictory"
        enough = support >= self.rules.verdict.supported_from
        return "Supported" if enough and not vetoed else "Low Confidence"

    def band(self, overall: float) -> Band:
        """Return the band of an overall confidence."""
        bands = self.rules.bands
        return "High" if overall >= bands.high else "Medium" if overall >= bands.medium else "Low"


def _value(readings: Mapping[str, Reading], name: str) -> float:
    reading = readings.get(name)
    return (reading.value or 0.0) if reading else 0.0


def _shifted(probability: float, points: float) -> float:
    """Shift a probability by points, in nats."""
    if not points:
        return probability
    inside = min(max(probability, 1e-6), 1 - 1e-6)
    return 1 / (1 + math.exp(-(math.log(inside / (1 - inside)) + points)))


def _probabilities(support: float, contradict: float) -> tuple[float, float]:
    top = max(support, contradict, 0.0)
    s, c, rest = math.exp(support - top), math.exp(contradict - top), math.exp(-top)
    return s / (s + c + rest), c / (s + c + rest)


def without_evidence(reason: str) -> Decision:
    """Decide where nothing speaks for a claim or against it, whoever decides elsewhere."""
    confidence = Confidence(
        support_prob=0.0, contradict_prob=0.0, overall_confidence=0.0, band="Low"
    )
    said = "no evidence was found" if reason == NO_EVIDENCE else reason
    return Decision("Low Confidence", confidence, (said,))


def without_claim(why: str) -> Decision:
    """Return no verdict, with the reason, for a text that claims nothing."""
    return replace(without_evidence(why), status="No Claim")


def _strongest(fired: Mapping[str, float]) -> tuple[str, ...]:
    """Return what was found, the strongest first."""
    return tuple(without_repeats(sorted(fired, key=lambda told: -fired[told]))[:_SHOWN])
