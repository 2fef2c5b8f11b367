"""Tables of what an index takes: time, memory and bytes, as the corpus grows."""

from typing import Final

from table_cells import Run, markdown, percent, percentiles


def build_table(run: Run) -> str:
    """Wall time, its stages and peak memory of every build."""
    stages = ["read", "names", "scan", "triples", "graph", "vectors"]
    rows = [
        [
            name,
            f"{build['n_passages']:,}",
            f"{build['wall_seconds'] / 60:.1f}",
            *(f"{build['stage_seconds'].get(stage, 0):.0f}" for stage in stages),
            f"{build['peak_gib']:.1f}",
            build["note"],
        ]
        for name, build in run["builds"].items()
    ]
    return markdown(
        ["recipe", "passages", "minutes", *(f"{s}, s" for s in stages), "peak GiB", "note"], rows
    )


def install_table(run: Run) -> str:
    """What each environment weighs, and processor time of the first commands."""
    rows = [
        [
            f"with `[{extra}]`" if extra else "plain",
            f"{cell['n_bytes'] / 1e9:.2f}",
            str(cell["n_packages"]),
            f"{cell['seconds'] / 60:.1f}",
            f"{cell['load']:.0f}",
        ]
        for extra, cell in run["environments"].items()
    ]
    weighs = markdown(["install", "GB", "packages", "minutes", "load"], rows)
    answers = run["first_answers"]
    names = list(answers["at_first"])
    times = [
        [when, *(f"{answers[key][name]:.1f}" for name in names), f"{answers['load']:.0f}"]
        for when, key in (("at first", "at_first"), ("again", "again"))
    ]
    return f"{weighs}\n\n{markdown(['processor time, s', *names, 'load'], times)}"


def install_sentence(run: Run) -> str:
    """What a plain install takes, and one with PyTorch."""
    plain, encoders = (run["environments"][extra] for extra in ("", "encoders"))
    sizes = [f"{cell['n_bytes'] / 1e9:.2f} GB" for cell in (plain, encoders)]
    times = [f"{cell['seconds'] / 60:.1f} minutes" for cell in (plain, encoders)]
    return (
        f"The plain install takes {sizes[0]} and {times[0]}, "
        f"with `[encoders]` {sizes[1]} and {times[1]}."
    )


def updates_table(run: Run) -> str:
    """What each kind of update takes, and how an index that was changed answers."""
    kinds = {f"{name}, by a command": row for name, row in run["commands"].items()}
    rows = [
        [name, f"{row['cpu_seconds']:.1f}", str(row["own_mib"]), str(row["peak_mib"])]
        for name, row in {**kinds, "a build": run["build"]}.items()
    ]
    one, against = run["one process"], run["against a build"]
    seconds = f"{one['p50_cpu_seconds']:.2f} (first {one['first_cpu_seconds']:.1f})"
    rows.insert(-1, ["add one, repeatedly in one process", seconds, "", ""])
    heads = ["update", "processor time, s", "MiB of its own", "peak MiB, with pages of files"]
    return (
        f"{markdown(heads, rows)}\n\nA server with `--follow` uses a change after "
        f"{one['follow_p50_seconds']:.1f} s (median), {one['follow_most_seconds']:.1f} s at "
        f"most. Of {against['n_claims']} claims, {against['n_other_passages']} get other passages "
        "than from a build; scores differ by at most "
        f"{against['largest_difference_of_scores']:.0e}. A query takes "
        f"{against['p50_ms_fresh']:.0f} ms of processor time after a build and "
        f"{against['p50_ms_changed']:.0f} ms with {run['n_segments']} segments."
    )


def against_table(run: Run) -> str:
    """Whether an index that was changed answers as a build, by retriever."""
    rows: list[list[str]] = []
    for check in run["checks"]:
        found = check["against a build"]
        differ = [
            f"{row['n_other_passages']} of {row['n_claims']}; "
            f"{row['largest_difference_of_scores']:.0e}"
            for row in found.values()
        ]
        rows.append([str(check["n_updates"]), str(check["n_touched"]), *differ])
    heads = ["updates", "passages touched by segments", *run["checks"][0]["against a build"]]
    return (
        f"{markdown(heads, rows)}\n\nEach cell: claims whose 100 passages differ from those of a "
        f"build; largest difference of scores. {run['n_built']} updates built the index again."
    )


def row_table(run: Run) -> str:
    """What an update and a query take after so many updates."""
    rows = [
        [
            f"{at['n_updates']:,}",
            f"{at['cpu_seconds_p50']:.2f}",
            f"{at['command_cpu_seconds']:.1f}",
            str(at["command_own_mib"]),
            f"{at['query_p50_ms']:.0f}",
            str(at["n_segments"]),
        ]
        for at in run["at"]
    ]
    heads = [
        "updates",
        "update in one process, s",
        "update by a command, s",
        "MiB of the command's own",
        "query, ms",
        "segments",
    ]
    return (
        f"{markdown(heads, rows)}\n\nOf {run['n_updates']:,} updates, {run['n_built']} built the "
        f"index again; {run['n_compactions']} new bases were made. 99 % took at most "
        f"{run['cpu_seconds_p99']:.1f} s, the slowest {run['cpu_seconds_most']:.1f} s. The process "
        f"had up to {run['own_mib_most']} MiB of its own. All seconds are processor time."
    )


def lists_table(run: Run) -> str:
    """Nearest passages and facts by inverted lists, beside comparing all vectors."""
    rows: list[list[str]] = []
    for one in run["indexes"]:
        both = [one[kind] for kind in ("exact", "faiss")]
        rows.append(
            [
                f"{one['n_passages']:,}",
                f"{100 * one['same_of_21']:.1f}",
                f"{100 * one['same_first']:.1f}",
                " / ".join(f"{100 * kind['all_gold_found@21']['value']:.1f}" for kind in both),
                " / ".join(f"{kind['search_p50_ms']:.1f}" for kind in both),
                " / ".join(f"{kind['answer_p50_ms']:.1f}" for kind in both),
                f"{one['seconds_to_make']:.0f}",
                f"{one['bytes'] / 2**20:.0f}",
            ]
        )
    heads = [
        "passages", "of the exact 21, found, %", "same first passage, %",
        "all gold @21, exact / lists", "search ms, exact / lists", "answer ms, exact / lists",
        "time to make, s", "size, MiB",
    ]  # fmt: skip
    of_passages = (
        f"{markdown(heads, rows)}\n\n`{run['claims']}`, n = {run['n']}, retriever `dense`."
    )
    facts = [one["facts"] for one in run["indexes"] if one.get("facts")]
    if not facts:
        return of_passages
    rows = [
        [
            f"{one['n_facts']:,}",
            f"{100 * one['same_of_10']:.1f}",
            f"{one['exact_p50_ms']:.1f} / {one['faiss_p50_ms']:.1f}",
            f"{one['seconds_to_make']:.0f}",
            f"{one['bytes'] / 2**20:.0f}",
        ]
        for one in facts
    ]
    heads = ["facts", "of the exact 10, found, %", "search ms, exact / lists"]
    heads += ["time to make, s", "size, MiB"]
    return f"{of_passages}\n\n{markdown(heads, rows)}"


def grown_lists_table(run: Run) -> str:
    """The search alone, among vectors of renamed copies."""
    rows = [
        [
            of,
            f"{one['n']:,}",
            f"{100 * one['same']:.1f} of {one['k']}",
            f"{one['exact_p50_ms']:.1f} / {one['faiss_p50_ms']:.1f}",
            f"{one['exact_p95_ms']:.1f} / {one['faiss_p95_ms']:.1f}",
            f"{one['seconds_to_make'] / 60:.1f}",
            f"{one['bytes'] / 2**20:,.0f}",
        ]
        for of in ("passages", "facts")
        for one in run[of]
    ]
    heads = [
        "vectors of", "n", "of the exact, found, %", "p50 ms, exact / lists",
        "p95 ms, exact / lists", "time to make, minutes", "size, MiB",
    ]  # fmt: skip
    return f"{markdown(heads, rows)}\n\n`{run['claims']}`, n = {run['n']}."


def scale_table(run: Run) -> str:
    """Cost of builds and answers by size of the corpus."""
    rows: list[list[str]] = []
    for size in sorted(run["sizes"], key=int):
        cell = run["sizes"][size]
        build, queries, warmed_up = cell["build"], cell["queries"], cell["warmed_up"]
        rows.append(
            [
                f"{build['counts']['n_passages']:,}",
                f"{build['counts']['n_edges'] / 1e6:.0f}",
                f"{build['wall_seconds'] / 60:.0f}",
                f"{max(build['stage_seconds'].values()) / 60:.0f}",
                f"{build['peak_gib']:.1f}",
                f"{build['index_bytes'] / 1e9:.1f}",
                f"{queries['open_seconds']:.1f}",
                f"{queries['first_answer_seconds']:.1f}",
                *(percentiles(queries["ms"][name]) for name in ("cold", "warm")),
                percentiles(queries["dense_ms"]),
                f"{warmed_up['warm_up_seconds']:.0f}",
                percentiles(warmed_up["ms"]["cold"]),
                f"{warmed_up['reader_gib']['VmRSS']:.1f} / {warmed_up['reader_gib']['VmHWM']:.1f}",
                cell["note"],
            ]
        )
    return markdown(
        [
            "passages",
            "M edges",
            "minutes",
            "longest stage, minutes",
            "peak GiB",
            "index GB",
            "open, s",
            "first answer, s",
            "query, p50 / p95 ms: each claim the first time",
            "asked again",
            "`dense`",
            "warm-up, s",
            "query after warm-up, ms: each claim the first time",
            "memory of the reader, GiB: at the end / peak",
            "note",
        ],
        rows,
    )


PARTS: Final = {
    "the graph": ("graph_",),
    "postings": ("posting_",),
    "texts": ("text_",),
    "vectors of passages": ("passage_codes", "passage_scales"),
    "terms of passages": ("terms.npy", "term_indptr", "title_lengths"),
    "names and facts of passages, their titles and links": (
        "mention",
        "heads",
        "facts",
        "fact_indptr",
        "fact_spans",
        "passage_facts",
        "passages",
        "predicates",
    ),
}


def parts_table(run: Run) -> str:
    """What the largest index is made of."""
    build = run["sizes"][max(run["sizes"], key=int)]["build"]
    n_passages, whole = build["counts"]["n_passages"], build["index_bytes"]
    parts = {
        part: sum(n for file, n in build["file_bytes"].items() if file.startswith(beginnings))
        for part, beginnings in PARTS.items()
    }
    parts["everything else"] = whole - sum(parts.values())
    return markdown(
        [f"{n_passages:,} passages", "bytes per passage", "%", "MB"],
        [
            [part, f"{n / n_passages:.0f}", f"{100 * n / whole:.0f}", f"{n / 1e6:,.0f}"]
            for part, n in parts.items()
        ],
    )


def quality_table(run: Run) -> str:
    """all_gold_found@21 by size of the corpus, and what the trend says of the full one."""
    cells = sorted(run["quality"].values(), key=lambda cell: cell["n_passages"])
    counts = sorted(set(cells[0]["all_gold_found@21"]) - {"all"})
    rows = [
        [f"{c['n_passages']:,}", *(percent(c["all_gold_found@21"][n]) for n in counts)]
        for c in cells
    ]
    full = [percent(run["trend"][n]["at_full_corpus"]) for n in counts]
    return markdown(
        ["passages", *(f"{n} gold titles" for n in counts)],
        [*rows, ["5,230,000, **extrapolated**", *full]],
    )


def sizes_tables(run: Run) -> str:
    """All that a measurement of growth gives."""
    return "\n".join([scale_table(run), parts_table(run), quality_table(run)])


def stores_table(run: Run) -> str:
    """What each store takes, by what it holds."""
    rows: list[list[str]] = []
    for part, quality in (("texts", "same"), ("bm25", "overlap"), ("vectors", "recall")):
        for name, cell in run[part].items():
            seconds = f"{cell['seconds']:.0f}" if "seconds" in cell else ""
            rows.append(
                [
                    part,
                    name,
                    f"{cell['bytes'] / run['n_passages']:.0f}",
                    seconds,
                    f"{cell['ms']:.2f}",
                    f"{100 * cell[quality]:.1f}",
                ]
            )
    return markdown(
        ["", "store", "bytes per passage", "time to make, s", "ms per claim", "same as exact, %"],
        rows,
    )


def replicas_table(run: Run) -> str:
    """Answers and memory of one reader and of two."""
    rows: list[list[str]] = []
    for way, by_count in run["readers"].items():
        for n, cell in by_count.items():
            memory = cell["readers_mib"]
            rows.append(
                [
                    way,
                    n,
                    f"{cell['answers_a_second']:.1f}",
                    percentiles(cell["latency_ms"]),
                    str(cell["n_errors"]),
                    *(
                        f"{memory[key] / 1024:.2f}"
                        for key in ("rss", "pss", "pss_of_files", "pss_of_its_own")
                    ),
                    f"{cell['largest_peak_mib'] / 1024:.2f}",
                    f"{cell['largest_peak_with_verifications_mib'] / 1024:.2f}",
                    f"{cell['all_mib']['pss'] / 1024:.2f}",
                ]
            )
    return markdown(
        [
            "served by",
            "readers",
            "answers per second",
            "p50 / p95 ms",
            "errors",
            "RSS of all readers, GiB",
            "PSS of all readers, GiB",
            "PSS: files",
            "PSS: own memory",
            "peak RSS of one reader, GiB",
            "peak RSS with verifications, GiB",
            "PSS with Ray's processes, GiB",
        ],
        rows,
    )
