"""What judges claims, for texts, answers and a server."""

from dataclasses import dataclass
from pathlib import Path

from hippohover.cli.options import (
    PROGRAMS,
    Json,
    Sources,
    argument,
    need_one,
    one_of,
    option,
)
from hippohover.cli.settings import Overrides, Scoring
from hippohover.retrieval.registry import RETRIEVERS


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """What judges claims, and where evidence is found."""

    nli: str | None = option(
        None, "NLI model of Hugging Face, by folder or from the local cache; else --lm judges."
    )
    rules: Path | None = option(None, "TOML file of rules, instead of those that ship.")
    aggregator: str | None = option(
        None, "What decides: learned, rules (with --rules), or a file of `tune-verifier`."
    )
    overrides: Overrides
    source: Sources = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """Address and limits of a server."""

    host: str = option(
        "127.0.0.1", "Address to listen on; other machines reach it only with a token."
    )
    port: int = option(
        8000, "Port to listen on; 0 takes a free one.", metavar="N", min=0, max=65535
    )
    token_variable: str = option(
        "HIPPOHOVER_TOKEN", "Environment variable of the bearer token that clients must send."
    )
    rate: str | None = option(None, "Requests that one client may make, such as 60/minute.")
    time_limit: float = option(300.0, "Seconds for one answer.", metavar="N", min=1, max=86_400)
    documents: Path | None = option(None, "Folder that was indexed: passages link to its files.")
    follow: bool = option(False, "Switch to each new version once it is published.", "--follow")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verifying(Judging):
    """How texts are verified, and with which retriever or program evidence is found."""

    retriever: str = option(
        "ppr",
        f"Retriever that finds evidence: {', '.join(RETRIEVERS)}; or a program.",
        callback=one_of(
            *PROGRAMS,
            or_file=True,
            or_retriever=True,
            said=f"name a retriever ({{retrievers}}), a program ({', '.join(PROGRAMS)})",
        ),
    )
    contradicted: str = option(
        "suppress",
        "What to do with a contradicted claim in the final text: suppress or warn.",
        callback=one_of("suppress", "warn"),
    )
    split: str = option(
        "sentences",
        "How a text is split: sentences, model, or whole for one claim.",
        callback=one_of("sentences", "model", "whole"),
    )
    scoring: Scoring


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenText:
    """A text to verify, typed or in a file."""

    claim: str | None = argument(None, "A text, verified sentence by sentence.")
    draft: Path | None = option(None, "Text file to verify; - is stdin.")

    def __post_init__(self) -> None:
        """Refuse both a text and a file, and neither."""
        claim, draft = self.claim, self.draft
        need_one(
            "a text", "--draft FILE", has_first=claim is not None, has_second=draft is not None
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What is printed of a verification."""

    signals: bool = option(False, "Show every raw signal of each claim.", "--signals")
    as_json: Json = False

    @property
    def all_signals(self) -> bool:
        """Whether to print signals that perhaps no rule has read."""
        return self.as_json or self.signals


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafting:
    """A question that a model answers."""

    question: str = argument(..., "A question, in words.")
    samples: int = option(
        0, "Draft this many further answers, to check consistency.", metavar="N", min=0, max=10
    )
    cite_eval: Path | None = option(
        None, "Write the cited answer to this file, in CiteEval's format."
    )
