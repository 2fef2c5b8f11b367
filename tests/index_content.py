"""What an index holds, by names that do not depend on its numbers: two are compared by it."""

from typing import Any

import numpy as np

from hippohover.entity_graph import OUTSIDE, EdgeType
from hippohover.names.normal_forms import entity_key
from hippohover.store.tables import IndexTables

Content = dict[Any, Any]


def content_of(tables: IndexTables) -> dict[str, Content]:
    """Everything that an answer may depend on."""
    arrays = tables.arrays
    rows = np.flatnonzero(arrays.documents >= 0).tolist()
    pids: list[str] = tables.passages.column("pid").to_pylist()
    hashes = dict(zip(arrays.name_values.tolist(), arrays.name_hashes.tolist(), strict=True))
    terms = dict(zip(arrays.term_values.tolist(), arrays.term_hashes.tolist(), strict=True))
    names: list[str] = tables.entities.column("name").to_pylist()
    predicates: list[str] = tables.predicates.column("name").to_pylist()
    n = arrays.n_rows

    def node(number: int) -> str:
        return pids[number] if number < n else f"e{hashes[number - n]}"

    graph = arrays.graph
    edges: Content = {}
    for number in range(graph.n_nodes):
        for at in range(*graph.spans[number]):
            edge = (
                node(number),
                node(int(graph.neighbours[at])),
                EdgeType(int(graph.types[at])).name,
            )
            assert edge not in edges
            edges[edge] = float(graph.weights[at])
    degrees = {
        node(number): float(arrays.graph_degrees[number])
        for number in range(graph.n_nodes)
        if graph.spans[number, 1] > graph.spans[number, 0]
    }
    documents: dict[int, set[str]] = {}
    for row in rows:
        documents.setdefault(int(arrays.documents[row]), set()).add(pids[row])
    postings = {
        (terms[term], pids[row]): float(weight)
        for term in range(len(arrays.term_df))
        for row, weight in zip(
            arrays.posting_passages[slice(*arrays.posting_spans[term])].tolist(),
            arrays.posting_weights[slice(*arrays.posting_spans[term])].tolist(),
            strict=True,
        )
        if weight > 0
    }

    def of_row(row: int) -> Content:
        facts = arrays.passage_facts[slice(*arrays.fact_spans[row])].tolist()
        stated = [
            (hashes[int(arrays.facts[f, 0])], predicates[int(arrays.facts[f, 1])],
             hashes[int(arrays.facts[f, 2])], sentence)
            for f, sentence in facts
        ]  # fmt: skip
        mentions = [
            (hashes[e], start, stop)
            for e, start, stop in arrays.mentions[slice(*arrays.mention_spans[row])].tolist()
        ]
        own = [hashes.get(e) for e in arrays.title_entities[row].tolist()]
        words = arrays.terms[slice(*arrays.term_indptr[row : row + 2])].tolist()
        phrases = sorted(arrays.phrase_hashes[arrays.phrase_rows == row].tolist())
        targets = sorted(arrays.target_hashes[arrays.target_rows == row].tolist())
        tails = sorted(arrays.tail_hashes[arrays.tail_rows == row].tolist())
        return {
            "facts": stated,
            "mentions": mentions,
            "own": own,
            "words": [terms.get(term) for term in words],
            "title": int(arrays.title_lengths[row]),
            "text": tables.texts[row],
            "head": int(arrays.head_hashes[row]),
            "phrases": phrases,
            "targets": targets,
            "tails": tails,
            "runs": sorted(arrays.run_hashes[arrays.run_rows == row].tolist()),
            "key": int(arrays.passage_keys[row]),
            "metadata": tables.metadata_of(row),
        }

    entities: Content = {}
    for number in range(len(arrays.entity_df)):
        standing = int(arrays.entity_standing[number])
        if graph.spans[n + number, 1] == graph.spans[n + number, 0] and standing == OUTSIDE:
            continue
        owners = arrays.owner_passages[slice(*arrays.owner_spans[number])].tolist()
        entities[f"e{hashes[number]}"] = (
            standing,
            int(arrays.entity_df[number]),
            sorted(pids[row] for row in owners),
            names[number],
            sorted(arrays.entity_blocks[number].tolist()),
            sorted(filter(None, arrays.form_hashes[arrays.form_names == number].tolist())),
        )
        assert standing != OUTSIDE or int(arrays.entity_df[number]) <= 1
        assert entity_key(names[number]) or not names[number]
    fact_df = {
        tuple(fact): int(df)
        for fact, df in zip(
            [(hashes[s], predicates[p], hashes[o]) for s, p, o in arrays.facts.tolist()],
            arrays.fact_df.tolist(),
            strict=True,
        )
        if df
    }
    return {
        "rows": {pids[row]: of_row(row) for row in rows},
        "edges": edges,
        "degrees": degrees,
        "documents": {pid: sorted(group) for group in documents.values() for pid in group},
        "postings": postings,
        "terms": {terms[t]: df for t, df in enumerate(arrays.term_df.tolist()) if df},
        "entities": entities,
        "facts": fact_df,
        "counts": {"terms": int(arrays.term_count[0]), "n": arrays.n_passages},
    }


def differences(one: dict[str, Content], other: dict[str, Content], most: int = 5) -> list[str]:
    """Where two contents differ, a line each, a few of each part."""
    found: list[str] = []
    for part, a in one.items():
        b = other[part]
        different = [key for key in a.keys() | b.keys() if a.get(key) != b.get(key)]
        for key in sorted(different, key=str)[:most]:
            x, y = a.get(key), b.get(key)
            if isinstance(x, dict) and isinstance(y, dict):
                x, y = ({k: v for k, v in m.items() if x.get(k) != y.get(k)} for m in (x, y))
            found.append(f"{part} {key}: {x!r:.300} != {y!r:.300}")
        if len(different) > most:
            found.append(f"{part}: {len(different)} in all")
    return found
