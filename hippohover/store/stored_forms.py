"""Other forms of the known names of an open index."""

import numpy as np

from hippohover.entity_graph import KNOWN
from hippohover.language.name_forms import NameForms, sorted_columns
from hippohover.store.tables import IndexTables


def name_forms(tables: IndexTables) -> NameForms:
    """Return what finds the known name that a run of words is a form of."""
    arrays, names = tables.arrays, tables.entities.column("name")

    known = np.flatnonzero(arrays.entity_standing[arrays.form_names] == KNOWN)
    columns = sorted_columns(arrays.form_hashes[known], arrays.form_names[known])
    return NameForms(columns, lambda number: str(names[number].as_py()))
