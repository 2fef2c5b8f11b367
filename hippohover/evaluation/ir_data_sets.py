"""Queries and qrels of data sets in ``ir_datasets``, where that is installed."""

from typing import Any, Final

from hippohover.errors import CorpusError, UsageError, in_a_line

PREFIX: Final = "ir_datasets:"


def data_set(name: str) -> tuple[list[tuple[str, str]], dict[str, tuple[str, ...]] | None]:
    """Load queries as (id, text), and relevant ids by query; None without qrels.

    Parameters
    ----------
    name : str
        ``"ir_datasets:"`` and the name of a data set, such as ``beir/scifact/test``.

    Raises
    ------
    UsageError
        The library is not installed.
    CorpusError
        It knows no such data set, or cannot fetch it, or there are no queries in it.
    """
    library = _library()
    try:
        found = library.load(name.removeprefix(PREFIX))
        if not found.has_queries():
            raise CorpusError(f"{name}: has no queries: name one of its subsets")
        queries = [
            (str(query.query_id), str(query.default_text())) for query in found.queries_iter()
        ]
        if not found.has_qrels():
            return queries, None
        qrels: dict[str, list[str]] = {}
        for judged in found.qrels_iter():
            if judged.relevance > 0:
                qrels.setdefault(str(judged.query_id), []).append(str(judged.doc_id))
    except CorpusError:
        raise
    except Exception as error:  # it raises what its many readers and the network raise
        what = f"cannot be read ({in_a_line(error)})"
        raise CorpusError(f"{name}: {what}: check the name and the network") from error
    return queries, {uid: tuple(dict.fromkeys(ids)) for uid, ids in qrels.items()}


def _library() -> Any:  # noqa: ANN401
    try:
        import ir_datasets  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise UsageError(f"{PREFIX}NAME needs ir_datasets: pip install ir-datasets") from error
    return ir_datasets
