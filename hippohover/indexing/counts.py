"""The counts of an index in its manifest, from its tables."""

import numpy as np

from hippohover.store.tables import IndexTables


def counts_of(tables: IndexTables) -> dict[str, int]:
    """Count passages, entities, facts, edges by type, joined passages."""
    arrays = tables.arrays
    edges = arrays.graph.edge_counts()
    joined = arrays.graph.passages_joined(arrays.documents)
    return {
        "n_passages": arrays.n_passages,
        "n_rows": arrays.n_rows,
        "n_documents": arrays.n_documents,
        "n_entities": tables.entities.num_rows,
        "n_linked_entities": int(np.count_nonzero(arrays.entity_standing)),
        "n_facts": len(arrays.facts),
        "n_edges": sum(edges.values()),
        **{f"n_{kind}_edges": n for kind, n in edges.items()},
        "n_passages_joined": joined.pop("any"),
        **{f"n_passages_joined_by_{kind}": n for kind, n in joined.items()},
    }
