"""Tests for a retriever, an encoder, an extractor or a source of your own; for pytest.

class TestMine(EncoderSuite):
    def make(self) -> Encoder:
        return MyEncoder()
"""

from hippohover.testing.suites.encoders import EncoderSuite
from hippohover.testing.suites.retrievers import RetrieverSuite
from hippohover.testing.suites.sources import SourceSuite
from hippohover.testing.suites.triples import TripleExtractorSuite, passages_of

__all__ = [
    "EncoderSuite",
    "RetrieverSuite",
    "SourceSuite",
    "TripleExtractorSuite",
    "passages_of",
]
