"""Tables of what language models, the verifier and triples do."""

from typing import Final

from table_cells import Run, change, markdown, percent

_LINKED: Final = {"unique": "new", "selected": "scored", "used": "in the answer"}
"""Measures of links, in words."""


def hypothesis_table(run: Run) -> str:
    """What hypotheses, similarity and links gave."""
    rows: list[list[str]] = []
    for name, pairs in run["rank_correlation"].items():
        for kind, wanted in (("semantic", 0.65), ("overlap", 0.45)):
            cell = pairs[kind]
            rows.append(
                [
                    f"rank correlation of {kind} scores, {name}",
                    f"{cell['value']:.2f} ({cell['low']:.2f} to {cell['high']:.2f})",
                    f"{wanted:.2f}",
                    f"{pairs['n_pairs']} pairs",
                ]
            )
    if runs := run.get("runs"):
        of_runs = f"{runs['n']} claims"
        links = runs["traversal"]
        rows.append(
            [
                "claims with a hypothesis that names a bridge, %",
                percent(runs["coverage"]),
                "90; at least 85",
                of_runs,
            ]
        )
        for name in _LINKED:
            least = f"{100 * links['least'][name]:.0f} %"
            rows.append(
                [
                    f"linked documents that were {_LINKED[name]}",
                    f"{100 * links[name]:.0f} %",
                    least,
                    f"{links['n']} claims",
                ]
            )
        for name, cell in runs["all_gold_found@21_by_difficulty"].items():
            rows.append(
                [
                    f"all gold found, {name} third of the claims, %",
                    percent(cell),
                    "-",
                    f"{cell['n']} claims",
                ]
            )
        won = ", ".join(f"{kind} {n}" for kind, n in runs["winners"].items())
        rows.append(["winning hypotheses", won, "-", of_runs])
    return markdown(["measure", "result", "target", "measured on"], rows)


def fact_filter_table(run: Run) -> str:
    """Every arm of the fact filter: what it found, what it changed, which facts it kept."""
    rows: list[list[str]] = []
    for name, arm in run["arms"].items():
        usage = arm["usage"]
        rows.append(
            [
                name,
                percent(arm["all_gold_found@21"]),
                change(arm["paired"]),
                percent(arm["changed"]),
                percent(arm["fact_precision"]),
                percent(arm["fact_recall"]),
                str(arm["n_invented"]),
                f"{usage['n_calls'] + usage['n_cached']:.0f}",
                f"{usage['input_tokens']:.0f} / {usage['output_tokens']:.0f}",
            ]
        )
    header = [
        "arm",
        "all gold found",
        "difference to no filter",
        "claims with other passages",
        "precision of kept facts",
        "recall of kept facts",
        "invented facts",
        "model calls",
        "tokens, in / out",
    ]
    return markdown(header, rows)


def fact_candidates_table(run: Run) -> str:
    """Orders of the facts that a language model could choose from, and what they offer."""
    header = {
        "precision": "stated by a gold passage",
        "stated": "gold titles that state a fact",
        "named": "gold titles named by a fact",
        "all_stated": "claims: all gold titles state one",
        "all_named": "claims: all gold titles named",
    }
    rows = [[name, *(percent(arm[key]) for key in header)] for name, arm in run["arms"].items()]
    return markdown(["facts ordered by", *header.values()], rows)


def verifier_table(run: Run) -> str:
    """The rules, beside the majority class and each signal alone."""
    rules = run["rules"]
    rows = [
        [name.replace("_", " ").replace("auroc", "AUROC"), percent(rules[name])]
        for name in (
            "accuracy",
            "majority",
            "macro_f1",
            "auroc",
            "calibration_error",
            "hover_score",
        )
        if name in rules
    ]
    verdicts = ", ".join(f"{name} {n}" for name, n in rules["verdicts"].items())
    rows.append(["verdicts", verdicts])
    for name, cell in run.get("alone", {}).items():
        above = change(cell["rules_above"], "value")
        rows.append(
            [
                f"AUROC of {name} alone (known for {cell['n']} claims)",
                f"{percent(cell['auroc'])}; rules minus it {above}",
            ]
        )
    whole = rules.get("auroc", {}).get("value")
    for name, cell in run.get("without", {}).items():
        if cell["value"] != whole:
            rows.append([f"AUROC of the rules without {name}", percent(cell)])
    if free := run.get("without_vetoes"):
        rows += [
            [f"{name.replace('_', ' ')} without vetoes", percent(free[name])]
            for name in ("accuracy", "macro_f1", "hover_score")
        ]
    return markdown(["measure", "%"], rows)


def passages_table(run: Run) -> str:
    """The rules by the number of passages that a claim is held against."""
    rows = [
        [n, percent(found["auroc"]), percent(found["accuracy"])]
        for n, found in run["by_passages"].items()
    ]
    return markdown(["passages", "AUROC, %", "accuracy, %"], rows)


def evidence_table(run: Run) -> str:
    """How well the model of evidence tells true claims from others, set by set."""
    rows: list[list[str]] = []
    for one in run["sets"]:
        score, words = one["score"], one.get("words_counted", {})
        called = [one["called_supported"].get(key) for key in ("true", "others")]
        rows.append(
            [
                one["set"] + " *" * one["only_measures"],
                one["weights_saw"],
                f"{one['true']:,} / {one['refuted']:,} / {one['n']:,}",
                percent(score["against_refuted"]),
                percent(words.get("against_refuted")),
                change(one.get("above_words_counted")),
                percent(score["against_the_rest"]),
                percent(score["true_at_5_percent_of_refuted"]),
                " / ".join("-" if share is None else f"{100 * share:.0f}" for share in called),
            ]
        )
    header = ["set", "the weights saw", "true / refuted / pairs", "AUROC, refuted",
              "the same, words counted", "difference", "AUROC, all others",
              "true above all but 5 % of refuted",
              "called supported: true / others"]  # fmt: skip
    return markdown(header, rows)


def triples_table(run: Run) -> str:
    """Agreement of the rule triples with a language model's, under both rules of matching."""
    rows = [
        [rule, *(percent(run[key][measure]) for measure in ("precision", "recall", "f1"))]
        for rule, key in (("names match partly", "matching_rule"), ("names are equal", "exact"))
    ]
    return markdown(["(subject, object) pairs", "precision", "recall", "F1"], rows)
