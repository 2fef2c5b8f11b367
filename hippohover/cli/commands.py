"""The commands and their options: build, add, query, explain, evaluate, verify, and more.

Whatever is slow to import is imported inside the command that needs it.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hippohover.cli.indexing.commands import (
    add,
    alias,
    build,
    compact,
    delete,
    export,
    gc,
    inspect,
    sync,
)
from hippohover.cli.options import (
    MOST_PASSAGES,
    AggregatorName,
    Changes,
    ClaimColumn,
    Contradicted,
    Embedder,
    EvidenceRetriever,
    GoldClaims,
    Index,
    Json,
    K,
    Limit,
    NliModel,
    NoSemanticScoring,
    OneProgram,
    Optimizer,
    Qrels,
    Ranking,
    Retriever,
    RulesFile,
    Scope,
    SearchWith,
    ServedPrograms,
    SeveralPrograms,
    SeveralRetrievers,
    Signals,
    Sources,
    Split,
    TableFormat,
    Where,
    asks_model,
    need_one,
)
from hippohover.cli.standard_input import claims_typed

if TYPE_CHECKING:
    from hippohover.cli.model import ModelOptions

app = typer.Typer(
    name="hippohover",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _print_version(asked: bool) -> None:
    if asked:
        from hippohover.version import __version__

        typer.echo(f"hippohover {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    debug: Annotated[  # read from the arguments, see run
        bool, typer.Option("--debug", help="Show the traceback of an error.")
    ] = False,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Multi-hop retrieval from a graph: build an index once, then ask it claims.

    Begin with:  hippohover demo
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


for _command in (build, add, sync, delete, alias, compact, gc, inspect, export):
    app.command()(_command)


@app.command()
@asks_model(filters=True)
def query(  # noqa: PLR0913, PLR0917
    index: Index,
    claim: Annotated[str | None, typer.Argument(help="A claim or a question, in words.")] = None,
    k: K = MOST_PASSAGES,
    retriever: Retriever = "ppr",
    file: Annotated[
        Path | None,
        typer.Option(
            help="Many claims: JSON, CSV, TSV, TREC topics, or text, one claim per line; - is "
            "stdin."
        ),
    ] = None,
    claim_column: ClaimColumn = None,
    out: Annotated[
        Path | None,
        typer.Option(help="With --file: write the answers here, as JSON lines, not to stdout."),
    ] = None,
    trace: Annotated[
        bool, typer.Option("--trace", help="Show the candidate facts and which were used.")
    ] = False,
    where: Where = None,
    scope: Scope = None,
    set_: Changes = None,
    ranking: Ranking = None,
    source: Sources = None,
    json: Json = False,
    *,
    model: "ModelOptions",
) -> None:
    """Find passages for a claim or a question. At most 21, ranked; --file answers a whole file.

    Example:  hippohover query index/mine "The director of Lantern Hill was born in Vessby."
    """
    from hippohover.cli.query import query_file, query_one
    from hippohover.cli.settings import opened_sources

    need_one("a claim", "--file CLAIMS", has_first=claim is not None, has_second=file is not None)
    if claim == "-":
        raise typer.BadParameter(
            "- is not a claim: use --file - to read claims from standard input"
        )
    if out is not None and file is None:
        raise typer.BadParameter("--out goes with --file; for one claim use --json")
    if claim_column is not None and file is None:
        raise typer.BadParameter("--claim-column goes with --file")
    _check_scope(where, scope)
    if source and where:
        raise typer.BadParameter(
            "--where applies only to passages of the index: leave --source out"
        )
    sources = opened_sources(source)
    if file is not None:
        with claims_typed(file) as path:
            query_file(
                index,
                path,
                out,
                claim_column=claim_column,
                k=k,
                retriever=retriever,
                model=model,
                where=where or (),
                scope=scope or "answers",
                changes=set_ or (),
                ranking=ranking,
                sources=sources,
            )
    else:
        query_one(
            index,
            claim or "",
            k=k,
            retriever=retriever,
            as_json=json,
            trace=trace,
            model=model,
            where=where or (),
            scope=scope or "answers",
            changes=set_ or (),
            ranking=ranking,
            sources=sources,
        )


def _check_scope(where: list[str] | None, scope: str | None) -> None:
    if scope and not where:
        raise typer.BadParameter("--scope says what --where limits: give --where too")


@app.command()
def explain(  # noqa: PLR0913, PLR0917
    index: Index,
    claim: Annotated[str, typer.Argument(help="A claim or a question, in words.")],
    title: Annotated[str | None, typer.Option(help="Title of the passage.")] = None,
    pid: Annotated[
        str | None, typer.Option(help="Id of the passage, if titles are hidden.")
    ] = None,
    png: Annotated[
        Path | None, typer.Option(help="Draw the paths into a .png, .svg or .pdf file.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option(help="Write the paths as an HTML page, drawn and in words.")
    ] = None,
    where: Where = None,
    scope: Scope = None,
    ranking: Ranking = None,
    json: Json = False,
) -> None:
    """Show why a passage ranks, or why not. A passage that ranks has the walk's strongest paths.

    Example:  hippohover explain index/mine "The director of Lantern Hill ..." --title "Vessby"
    """
    from hippohover.cli.query import explain_one

    need_one("--title T", "--pid ID", has_first=title is not None, has_second=pid is not None)
    _check_scope(where, scope)
    explain_one(
        index,
        claim,
        title=title,
        pid=pid,
        picture=png,
        page=html,
        where=where or (),
        scope=scope or "answers",
        ranking=ranking,
        as_json=json,
    )


@app.command()
@asks_model(filters=True)
def evaluate(  # noqa: PLR0913, PLR0917
    index: Index,
    claims: GoldClaims,
    qrels: Qrels = None,
    claim_column: ClaimColumn = None,
    retriever: SeveralRetrievers = None,
    program: SeveralPrograms = None,
    search_with: SearchWith = None,
    source: Sources = None,
    no_semantic_scoring: NoSemanticScoring = False,
    embedder: Embedder = None,
    estimate: Annotated[
        bool,
        typer.Option(
            "--estimate", help="Estimate what the programs would cost, without asking a model."
        ),
    ] = False,
    limit: Limit = None,
    out: Annotated[
        Path | None, typer.Option(help="Write the report, and a row per claim, as JSON.")
    ] = None,
    run_out: Annotated[
        Path | None, typer.Option(help="TREC run of the first retriever, to depth 100.")
    ] = None,
    qrels_out: Annotated[Path | None, typer.Option(help="TREC qrels of the claims.")] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the comparison into a .png, .svg or .pdf file.")
    ] = None,
    candidates: Annotated[
        int | None, typer.Option(metavar="N", min=22, max=1000, help="Add recall at this depth.")
    ] = None,
    titles_from: Annotated[
        Path | None,
        typer.Option(help="If titles are hidden: an index of the same corpus that shows them."),
    ] = None,
    set_: Changes = None,
    ranking: Ranking = None,
    json: Json = False,
    *,
    model: "ModelOptions",
) -> None:
    """Measure retrievers on labelled claims. Reports all gold titles found, recall and latency.

    Example:  hippohover evaluate index/mine claims.jsonl --retriever ppr --retriever bm25
    """
    from hippohover.cli.claims import ClaimsSource
    from hippohover.cli.evaluate import Outputs, Programs, estimate_programs, evaluate_index
    from hippohover.cli.settings import Scoring, opened_sources

    if source and not program:
        raise typer.BadParameter("--source is searched only by programs: name one with --program")
    outputs = Outputs(report=out, run=run_out, qrels=qrels_out, plot=plot, as_json=json)
    programs = Programs(
        tuple(program or ()),
        search_with,
        opened_sources(source),
        Scoring(no_semantic_scoring, embedder),
    )
    given = ClaimsSource(claims, qrels, claim_column)
    if estimate:
        if not program:
            raise typer.BadParameter("--estimate applies only to programs: name one with --program")
        estimate_programs(given, programs, model, limit=limit, as_json=json)
        return
    evaluate_index(
        index,
        given,
        retriever or ["ppr"],
        outputs=outputs,
        limit=limit,
        programs=programs,
        n_candidates=candidates,
        titles_from=titles_from,
        model=model,
        changes=set_ or (),
        ranking=ranking,
    )


@app.command()
def compare(  # noqa: PLR0913, PLR0917
    indexes: Annotated[
        list[Path], typer.Argument(metavar="INDEX...", help="Folders of indexes, one or more.")
    ],
    claims: Annotated[
        list[Path],
        typer.Option(
            metavar="FILE", help="Claims with gold, in any format of evaluate; may be repeated."
        ),
    ],
    qrels: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Relevant documents by ids; one file for each --claims, in their order.",
        ),
    ] = None,
    claim_column: ClaimColumn = None,
    retriever: SeveralRetrievers = None,
    variant: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SETTINGS",
            help="Settings to compare, such as 'query.damping=0.85 query.rerank=false'; '' keeps "
            "those of the index, and is called as-built in the table; may be repeated.",
        ),
    ] = None,
    at: Annotated[
        list[str] | None,
        typer.Option(
            metavar="N", help="Cut-offs, 1 to 1,000: --at 5,21,100, the default; may be repeated."
        ),
    ] = None,
    limit: Limit = None,
    form: Annotated[
        TableFormat, typer.Option(help="Format of the printed table: text, markdown, latex or csv.")
    ] = "text",
    out: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="Write the table too: .txt, .md, .tex or .csv; may be repeated."
        ),
    ] = None,
    runs: Annotated[
        Path | None, typer.Option(help="Folder for TREC runs and qrels of all arms and sets.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the measures into a .png, .svg or .pdf file.")
    ] = None,
    json: Json = False,
) -> None:
    """Compare indexes, retrievers and settings. Reports nDCG, MRR, recall and all gold found.

    Every combination of these is an arm. Paired tests compare each arm with the first.

    Example:  hippohover compare index/a index/b --claims dev.jsonl --at 5,21,100 --out table.tex
    """
    from hippohover.cli.claims import ClaimsSource
    from hippohover.cli.comparing.compare import (
        Wanted,
        compare_indexes,
        parsed_cutoffs,
        without_cutoffs,
    )
    from hippohover.errors import UsageError

    if at:
        indexes, at = without_cutoffs(indexes, at)
    if qrels and len(qrels) != len(claims):
        raise UsageError(
            f"{len(qrels)} --qrels for {len(claims)} --claims: give one for each, or none"
        )
    judged = qrels or [None] * len(claims)
    compare_indexes(
        indexes,
        [ClaimsSource(one, by, claim_column) for one, by in zip(claims, judged, strict=True)],
        Wanted(
            retrievers=retriever or ["ppr"],
            variants=variant or (),
            cutoffs=parsed_cutoffs(at or ["5,21,100"]),
            limit=limit,
            out=out or (),
            runs=runs,
            plot=plot,
            form=form,
            as_json=json,
        ),
    )


@app.command()
@asks_model()
def verify(  # noqa: PLR0913, PLR0917
    index: Index,
    claim: Annotated[
        str | None, typer.Argument(help="A text, verified sentence by sentence.")
    ] = None,
    draft: Annotated[Path | None, typer.Option(help="Text file to verify; - is stdin.")] = None,
    retriever: EvidenceRetriever = "ppr",
    signals: Signals = False,
    nli: NliModel = None,
    rules: RulesFile = None,
    aggregator: AggregatorName = None,
    contradicted: Contradicted = "suppress",
    split: Split = "sentences",
    ranking: Ranking = None,
    source: Sources = None,
    no_semantic_scoring: NoSemanticScoring = False,
    embedder: Embedder = None,
    json: Json = False,
    *,
    model: "ModelOptions",
) -> None:
    """Check claims against the index. Says which it supports, by which evidence and why.

    Example:  hippohover verify index/mine "The director of Lantern Hill was born in Vessby."
    """
    from hippohover.cli.settings import Scoring
    from hippohover.cli.verify import Shown, Verifying, verify_text

    need_one("a text", "--draft FILE", has_first=claim is not None, has_second=draft is not None)
    verify_text(
        index,
        claim,
        draft,
        how=Verifying(
            retriever=retriever,
            nli=nli,
            rules=rules,
            aggregator=aggregator,
            contradicted=contradicted,
            split=split,
            ranking=ranking,
            sources=source or (),
            scoring=Scoring(no_semantic_scoring, embedder),
        ),
        model=model,
        shown=Shown(json, signals),
    )


@app.command()
@asks_model(required=True)
def answer(  # noqa: PLR0913, PLR0917
    index: Index,
    question: Annotated[str, typer.Argument(help="A question, in words.")],
    retriever: EvidenceRetriever = "ppr",
    samples: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            max=10,
            help="Draft this many further answers, to check consistency.",
        ),
    ] = 0,
    signals: Signals = False,
    nli: NliModel = None,
    rules: RulesFile = None,
    aggregator: AggregatorName = None,
    contradicted: Contradicted = "suppress",
    split: Split = "sentences",
    ranking: Ranking = None,
    cite_eval: Annotated[
        Path | None, typer.Option(help="Write the cited answer to this file, in CiteEval's format.")
    ] = None,
    source: Sources = None,
    no_semantic_scoring: NoSemanticScoring = False,
    embedder: Embedder = None,
    json: Json = False,
    *,
    model: "ModelOptions",
) -> None:
    """Answer a question with a language model. It sees what is found; its answer is verified.

    Example:  hippohover answer index/mine "Where was the director of Lantern Hill born?" --lm NAME
    """
    from hippohover.cli.settings import Scoring
    from hippohover.cli.verify import Shown, Verifying, answer_question

    answer_question(
        index,
        question,
        samples=samples,
        cite_eval=cite_eval,
        how=Verifying(
            retriever=retriever,
            nli=nli,
            rules=rules,
            aggregator=aggregator,
            contradicted=contradicted,
            split=split,
            ranking=ranking,
            sources=source or (),
            scoring=Scoring(no_semantic_scoring, embedder),
        ),
        model=model,
        shown=Shown(json, signals),
    )


@app.command()
@asks_model()
def serve(  # noqa: PLR0913, PLR0917
    index: Index,
    host: Annotated[
        str, typer.Option(help="Address to listen on; other machines reach it only with a token.")
    ] = "127.0.0.1",
    port: Annotated[
        int,
        typer.Option(metavar="N", min=0, max=65535, help="Port to listen on; 0 takes a free one."),
    ] = 8000,
    token_variable: Annotated[
        str, typer.Option(help="Environment variable of the bearer token that clients must send.")
    ] = "HIPPOHOVER_TOKEN",  # noqa: S107
    rate: Annotated[
        str | None, typer.Option(help="Requests that one client may make, such as 60/minute.")
    ] = None,
    time_limit: Annotated[
        float, typer.Option(metavar="N", min=1, max=86_400, help="Seconds for one answer.")
    ] = 300.0,
    documents: Annotated[
        Path | None, typer.Option(help="Folder that was indexed: passages link to its files.")
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="Switch to each new version once it is published.")
    ] = False,
    nli: NliModel = None,
    rules: RulesFile = None,
    aggregator: AggregatorName = None,
    ranking: Ranking = None,
    source: Sources = None,
    program: ServedPrograms = None,
    search_with: SearchWith = None,
    no_semantic_scoring: NoSemanticScoring = False,
    embedder: Embedder = None,
    *,
    model: "ModelOptions",
) -> None:
    """Serve a page and an HTTP API. SIGHUP switches to a new version.

    Example:  hippohover serve index/mine
    """
    from hippohover.cli.serve import Judging, Serving, serve_index
    from hippohover.cli.settings import Scoring

    serving = Serving(host, port, token_variable, rate, time_limit, documents, follow)
    judging = Judging(
        nli,
        rules,
        ranking,
        aggregator,
        source or (),
        program or (),
        search_with,
        Scoring(no_semantic_scoring, embedder),
    )
    serve_index(index, serving, judging=judging, model=model)


@app.command()
@asks_model()
def mcp(  # noqa: PLR0913, PLR0917
    index: Index,
    nli: NliModel = None,
    rules: RulesFile = None,
    aggregator: AggregatorName = None,
    ranking: Ranking = None,
    source: Sources = None,
    *,
    model: "ModelOptions",
) -> None:
    """Offer tools to a language model. They are retrieve, explain and verify, by MCP over stdio.

    Example:  hippohover mcp index/mine
    """
    from hippohover.cli.serve import Judging, serve_tools

    serve_tools(index, judging=Judging(nli, rules, ranking, aggregator, source or ()), model=model)


@app.command("optimize-filter")
@asks_model(required=True)
def optimize_filter(  # noqa: PLR0913, PLR0917
    index: Index,
    claims: GoldClaims,
    out: Annotated[Path, typer.Option(help="JSON file of the filter, for --filter.")],
    qrels: Qrels = None,
    claim_column: ClaimColumn = None,
    optimizer: Optimizer = "bootstrap",
    limit: Limit = None,
    *,
    model: "ModelOptions",
) -> None:
    """Optimise the fact filter on your claims. Measures what the walk finds with its facts.

    Example:  hippohover optimize-filter index/mine claims.jsonl --lm openai/NAME --out f.json
    """
    from hippohover.cli.claims import ClaimsSource
    from hippohover.cli.optimize import optimize

    source = ClaimsSource(claims, qrels, claim_column)
    optimize(index, source, out, optimizer=optimizer, limit=limit, model=model)


@app.command("optimize-program")
@asks_model(required=True)
def optimize_program(  # noqa: PLR0913, PLR0917
    index: Index,
    claims: GoldClaims,
    program: OneProgram,
    out: Annotated[Path, typer.Option(help="JSON file of the program, for evaluate --program.")],
    qrels: Qrels = None,
    claim_column: ClaimColumn = None,
    optimizer: Optimizer = "bootstrap",
    search_with: SearchWith = None,
    limit: Limit = None,
    *,
    model: "ModelOptions",
) -> None:
    """Optimise a program's prompts on your claims. Measures what it finds with them.

    Example:  hippohover optimize-program index/mine claims.jsonl --program hop-chain --lm
    openai/NAME --out p.json
    """
    from hippohover.cli.claims import ClaimsSource
    from hippohover.cli.optimize import optimize

    optimize(
        index,
        ClaimsSource(claims, qrels, claim_column),
        out,
        program=program,
        search_with=search_with,
        optimizer=optimizer,
        limit=limit,
        model=model,
    )


@app.command()
def tune(  # noqa: PLR0913, PLR0917
    index: Index,
    claims: GoldClaims,
    qrels: Qrels = None,
    claim_column: ClaimColumn = None,
    out: Annotated[Path | None, typer.Option(help="File of the ranking, for --ranking.")] = None,
    into_index: Annotated[
        bool,
        typer.Option(
            "--into-index", help="Store it in the index: every command and server then uses it."
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Learn a ranking from your labelled claims. Needs 50 or more, each with its gold titles.

    Reports the gain, and writes nothing unless its 95 % interval is above 0.

    Example:  hippohover tune index/mine claims.jsonl --out ranking.npz
    """
    from hippohover.cli.claims import ClaimsSource
    from hippohover.cli.tune import tune_index

    source = ClaimsSource(claims, qrels, claim_column)
    tune_index(index, source, out=out, into_index=into_index, as_json=json)


@app.command("tune-verifier")
def tune_verifier(  # noqa: PLR0913, PLR0917
    index: Index,
    claims: GoldClaims,
    out: Annotated[Path, typer.Option(help="File of the judge, for --aggregator.")],
    qrels: Qrels = None,
    claim_column: ClaimColumn = None,
    json: Json = False,
) -> None:
    """Learn a verifier from your labelled claims. Needs 100 or more that have a "label".

    Reports the gain, and writes nothing unless its 95 % interval is above 0.

    Example:  hippohover tune-verifier index/mine claims.jsonl --out judge.npz
    """
    from hippohover.cli.claims import ClaimsSource
    from hippohover.cli.tune_verifier import tune_judge

    tune_judge(index, ClaimsSource(claims, qrels, claim_column), out=out, as_json=json)


@app.command()
def demo(
    out: Annotated[
        Path | None, typer.Option(help="Keep the index in this folder; else it is removed.")
    ] = None,
) -> None:
    """Try it on a small invented world. Answers three claims, shows paths, evaluates.

    Example:  hippohover demo
    """
    from hippohover.cli.demo import run_demo

    run_demo(out)
