"""The options that several commands share, and checks before a command begins."""

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from hippohover import programs
from hippohover.retrieval.registry import RETRIEVERS, is_retriever, retriever_names

MOST_PASSAGES = 21  # recipe.MAX_RANKED_PASSAGES, without importing pydantic for --help
OPTIMIZERS = ("bootstrap", "mipro", "gepa")
PROGRAMS = tuple(programs.PROGRAMS)


Index = Annotated[Path, typer.Argument(help="Folder of an index, as `build` prints it.")]
StdinTitle = Annotated[
    str | None, typer.Option("--title", help="Title of the text on stdin; not for JSON lines.")
]
Root = Annotated[
    Path | None,
    typer.Option(help="Folder that a single file belongs to; the file's path below it is its id."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document, for programs.")]


def _known_retriever(name: str) -> str:
    if not is_retriever(name):
        names = ", ".join(retriever_names())
        raise typer.BadParameter(f"{name!r} is unknown: name one of {names}")
    return name


def _known_retrievers(names: list[str] | None) -> list[str]:
    return [_known_retriever(name) for name in dict.fromkeys(names or ["ppr"])]


def _known_if_any(name: str | None) -> str | None:
    return None if name is None else _known_retriever(name)


def _known_programs(names: list[str] | None) -> list[str]:
    distinct = list(dict.fromkeys(names or []))
    return [_known_program(name) for name in distinct]


def _served_programs(names: list[str] | None) -> list[str]:
    for name in names or ():
        if name not in PROGRAMS:
            raise typer.BadParameter(f"{name!r} is unknown: name one of {', '.join(PROGRAMS)}")
    return list(dict.fromkeys(names or []))


def _known_program(name: str) -> str:
    if name not in PROGRAMS and not name.endswith(".json"):
        raise typer.BadParameter(
            f"{name!r} is unknown: name one of {', '.join(PROGRAMS)}, or a file of "
            "optimize-program, which ends in .json"
        )
    return name


def _known_source(name: str) -> str:
    if name in PROGRAMS or name.endswith(".json") or is_retriever(name):
        return name
    raise typer.BadParameter(
        f"{name!r} is unknown: name a retriever ({', '.join(retriever_names())}), a program "
        f"({', '.join(PROGRAMS)}), or a file of optimize-program, which ends in .json"
    )


def one_of(*names: str) -> Callable[[str], str]:
    """Return a callback that refuses all but some names."""

    def known(name: str) -> str:
        if name not in names:
            raise typer.BadParameter(f"{name!r} is unknown: name one of {', '.join(names)}")
        return name

    return known


def need_one(first: str, second: str, *, has_first: bool, has_second: bool) -> None:
    """Refuse neither and both of two ways to say one thing."""
    if has_first == has_second:
        both = ", not both" if has_first else ""
        raise typer.BadParameter(f"give {first} or {second}{both}")


def _within_answer(k: int) -> int:
    if not 1 <= k <= MOST_PASSAGES:
        more = "; for more, call HippoHover.search in Python" if k > 0 else ""
        raise typer.BadParameter(f"{k} passages: give 1 to {MOST_PASSAGES}{more}")
    return k


Retriever = Annotated[
    str,
    typer.Option(callback=_known_retriever, help=f"One of {', '.join(RETRIEVERS)}."),
]
SeveralRetrievers = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        callback=_known_retrievers,
        help=f"One of {', '.join(RETRIEVERS)}; may be repeated, the others are compared with the "
        "first.",
    ),
]
SeveralPrograms = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        callback=_known_programs,
        help=f"Measure a program too: {', '.join(PROGRAMS)}, or a file of optimize-program; may be "
        "repeated.",
    ),
]
ServedPrograms = Annotated[
    list[str] | None,
    typer.Option(
        "--program",
        metavar="NAME",
        callback=_served_programs,
        help=f"Offer a program too, by its name: {', '.join(PROGRAMS)}; may be repeated.",
    ),
]
OneProgram = Annotated[
    str,
    typer.Option(
        callback=_known_program,
        help=f"One of {', '.join(PROGRAMS[1:])}; or a file that this command wrote, to continue "
        "from it.",
    ),
]
SearchWith = Annotated[
    str | None,
    typer.Option(
        callback=_known_if_any,
        help="Retriever that programs search with; by default bm25, and ppr for ppr+hops.",
    ),
]
Sources = Annotated[
    list[str] | None,
    typer.Option(
        "--source",
        metavar="NAME|FILE",
        help="Also search a source: arxiv, semantic-scholar, openalex, brave, or a TOML file for "
        "another one (extra sources); may be repeated.",
        show_default=False,
    ),
]
NoSemanticScoring = Annotated[
    bool,
    typer.Option(
        "--no-semantic-scoring",
        help="Let `hypothesis` score evidence by shared words, without embeddings.",
    ),
]
Embedder = Annotated[
    str | None,
    typer.Option(
        metavar="NAME|FILE",
        help="Service that embeds evidence for `hypothesis`, in place of the index's encoder: an "
        "OpenAI model, or a TOML file for an OpenAI-compatible server.",
    ),
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        metavar="CONDITION",
        help="Which passages may be answers: FIELD=VALUE, FIELD^=PREFIX, FIELD@FILE, or "
        "FIELD>=BOUND (<=, >, <); all conditions must hold.",
    ),
]
Scope = Annotated[
    Literal["answers", "walk"] | None,
    typer.Option(
        help="What --where limits: answers (default), or walk: other passages are then not used "
        "at all.",
        show_default=False,
    ),
]
K = Annotated[
    int,
    typer.Option("-k", callback=_within_answer, help=f"Passages, 1 to {MOST_PASSAGES}."),
]


def _known_estimate(name: str | None) -> str | None:
    if name not in (None, "sample", "offline"):
        raise typer.BadParameter(f"{name!r} is unknown: give --estimate or --estimate=offline")
    return name


def _known_optimizer(name: str) -> str:
    if name not in OPTIMIZERS:
        raise typer.BadParameter(f"{name!r} is unknown: name one of {', '.join(OPTIMIZERS)}")
    return name


def _known_way_out(name: str | None) -> str | None:
    if name not in (None, "fallback", "top-k", "fail"):
        raise typer.BadParameter(f"{name!r} is unknown: name fallback, top-k or fail")
    return name


Lm = Annotated[
    str | None,
    typer.Option(
        "--lm",
        envvar="HIPPOHOVER_LM",
        help="Language model to ask: a LiteLLM name, or gguf:PATH; none by default.",
    ),
]
EvidenceRetriever = Annotated[
    str,
    typer.Option(
        "--retriever",
        callback=_known_source,
        help=f"Retriever that finds evidence: {', '.join(RETRIEVERS)}; or a program.",
    ),
]
NliModel = Annotated[
    str | None,
    typer.Option(
        "--nli",
        help="NLI model of Hugging Face, by folder or from the local cache; else --lm judges.",
    ),
]
RulesFile = Annotated[
    Path | None, typer.Option("--rules", help="TOML file of rules, instead of those that ship.")
]
AggregatorName = Annotated[
    str | None,
    typer.Option(
        "--aggregator",
        help="What decides: learned, rules (with --rules), or a file of `tune-verifier`.",
    ),
]
Contradicted = Annotated[
    str,
    typer.Option(
        callback=one_of("suppress", "warn"),
        help="What to do with a contradicted claim in the final text: suppress or warn.",
    ),
]
Split = Annotated[
    str,
    typer.Option(
        callback=one_of("sentences", "model", "whole"),
        help="How a text is split: sentences, model, or whole for one claim.",
    ),
]
Signals = Annotated[bool, typer.Option("--signals", help="Show every raw signal of each claim.")]
Workers = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=1, help="Processes, or actors of Ray; default: as many as processors."
    ),
]
Runner = Annotated[
    str,
    typer.Option(
        callback=one_of("local", "ray"),
        help="What runs the stages: local, or ray (extra ray), on machines that share a disk.",
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        help="HOST:PORT of Ray, or auto to find one on this machine; by default the build starts "
        "a Ray of its own, and stops it."
    ),
]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="A setting of the query for this run, such as query.damping=0.85; may be repeated.",
    ),
]
Ranking = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|shipped",
        help="Ranking that `tune` wrote, or `shipped` to ignore the one that the index carries.",
    ),
]
TableFormat = Literal["text", "markdown", "latex", "csv"]
Limit = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Use at most this many claims, the first ones."),
]
GoldClaims = Annotated[
    Path,
    typer.Argument(
        help="Claims with gold: HoVer, HotpotQA, 2Wiki, MuSiQue, FEVER; BEIR or TREC with --qrels; "
        "or ir_datasets:NAME."
    ),
]
Qrels = Annotated[
    Path | None,
    typer.Option(help="Documents relevant to each claim, by ids, in TREC's or BEIR's format."),
]
ClaimColumn = Annotated[
    str | None, typer.Option(help="Field or column that holds the claims, if it is not recognised.")
]
BuildLm = Annotated[
    str | None,
    typer.Option("--lm", help="Language model of extractor llm; replaces the recipe's."),
]
BuildLmSettings = Annotated[
    Path | None,
    typer.Option("--lm-settings", help="TOML file with that model's settings."),
]
LmApiBase = Annotated[
    str | None,
    typer.Option(
        envvar="HIPPOHOVER_LM_API_BASE", help="Address of the model's OpenAI-compatible server."
    ),
]
LmKeyVariable = Annotated[
    str | None,
    typer.Option(help="Environment variable with the model's key; default: the provider's own."),
]
LmSettings = Annotated[
    Path | None,
    typer.Option(
        envvar="HIPPOHOVER_LM_SETTINGS",
        help="TOML file with the model's settings (name, api_base, timeout_seconds, temperature, "
        "n_retries, prices, ...), as in a recipe's [language_model]; other options override it.",
    ),
]
LmCache = Annotated[
    Path | None,
    typer.Option(envvar="HIPPOHOVER_LM_CACHE", help="Folder in which replies are kept."),
]
OnFilterFailure = Annotated[
    str | None,
    typer.Option(
        callback=_known_way_out,
        help="What to do if the filter of facts fails: fallback (walk without facts), top-k (walk "
        "from the most similar facts), or fail. Default: the index's setting, mostly fallback.",
    ),
]
FilterFile = Annotated[
    Path | None, typer.Option(help="File that optimize-filter wrote; default: the built-in filter.")
]
MaxCalls = Annotated[
    int | None, typer.Option(metavar="N", min=0, help="Stop after that many calls.")
]
MaxTokens = Annotated[
    int | None, typer.Option(metavar="N", min=0, help="Stop after that many tokens.")
]
MaxCost = Annotated[
    float | None, typer.Option(metavar="N", min=0, help="Stop after that many US dollars.")
]
Estimate = Annotated[
    str | None,
    typer.Option(
        callback=_known_estimate,
        metavar="[=sample|offline]",
        help="Estimate the cost of a language model's triples: sample asks it about 20 passages, "
        "offline does not ask it.",
    ),
]
Optimizer = Annotated[
    str, typer.Option(callback=_known_optimizer, help=f"One of {', '.join(OPTIMIZERS)}.")
]


def asks_model(
    *, required: bool = False, filters: bool = False, extracts: bool = False
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of a language model, as one argument ``model``.

    Parameters
    ----------
    required : bool
        Whether one must be named.
    filters : bool
        Whether there are options of how it filters facts.
    extracts : bool
        Whether it is the one of an index's recipe, whose replies are kept beside the index.
    """
    options: dict[str, object] = {
        "lm": BuildLm if extracts else Lm,
        "lm_api_base": LmApiBase,
        "lm_key_variable": LmKeyVariable,
        "lm_settings": BuildLmSettings if extracts else LmSettings,
        **({} if extracts else {"lm_cache": LmCache}),
        **({"on_filter_failure": OnFilterFailure, "filter": FilterFile} if filters else {}),
        "max_calls": MaxCalls,
        "max_tokens": MaxTokens,
        "max_cost": MaxCost,
    }

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def asking(**given: Any) -> None:  # noqa: ANN401
            from hippohover.cli.model import Caps, ModelOptions

            lm = {name: given.pop(name, None) for name in options}
            caps = Caps(lm["max_calls"], lm["max_tokens"], lm["max_cost"])
            model = ModelOptions(
                name=lm["lm"],
                api_base=lm["lm_api_base"],
                key_variable=lm["lm_key_variable"],
                cache=lm.get("lm_cache"),
                on_failure=lm.get("on_filter_failure"),
                fact_filter=lm.get("filter"),
                caps=caps,
                file=lm["lm_settings"],
            )
            if required and not model.is_named:
                raise typer.BadParameter("name a language model: --lm NAME, or --lm-settings FILE")
            command(**given, model=model)

        own = [
            parameter
            for parameter in signature(command).parameters.values()
            if parameter.name != "model"
        ]
        added = [
            Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind, default=None)
            for name, kind in options.items()
        ]
        asking.__signature__ = Signature([*own, *added])  # pyright: ignore[reportAttributeAccessIssue]
        asking.__annotations__ = {
            parameter.name: parameter.annotation for parameter in (*own, *added)
        }
        return asking

    return decorated
