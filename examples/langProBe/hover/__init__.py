"""LangProBe's HoVer task on an index or a retriever, under the names that LangProBe has for it."""

from typing import Any


def __getattr__(name: str) -> Any:  # noqa: ANN401
    """Make ``benchmark``, the list that LangProBe's evaluation runs, once it is asked for."""
    if name != "benchmark":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from langProBe.benchmark import BenchmarkMeta
    from langProBe.hover.hover_data import hoverBench
    from langProBe.hover.hover_program import HoverMultiHop
    from langProBe.hover.hover_utils import discrete_retrieval_eval

    return [BenchmarkMeta(hoverBench, [HoverMultiHop()], discrete_retrieval_eval)]
