"""The metric of LangProBe's HoVer task, and its count of documents."""

from hippohover.evaluation.hover import count_unique_docs, discrete_retrieval_eval

__all__ = ["count_unique_docs", "discrete_retrieval_eval"]
