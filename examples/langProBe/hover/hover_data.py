"""HoVer's claims, as LangProBe loads them, from files that the environment names."""

import os
from pathlib import Path
from typing import Final

from langProBe.benchmark import Benchmark

from hippohover.errors import UsageError
from hippohover.evaluation.hover_bench import hoverBench as _HoverBench

CLAIMS_VARIABLE: Final = "HIPPOHOVER_CLAIMS"
TEST_CLAIMS_VARIABLE: Final = "HIPPOHOVER_TEST_CLAIMS"


class hoverBench(Benchmark):  # noqa: N801 - the name that programs written for LangProBe know
    """LangProBe's ``hoverBench``, made without arguments: claims with 3 gold titles.

    ``HIPPOHOVER_CLAIMS`` names HoVer's ``hover_train_release_v1.1.json`` or another file of claims,
    ``HIPPOHOVER_TEST_CLAIMS`` one that all test claims come from, which LangProBe takes from
    ``hover_dev_release_v1.1.json``. Without it, a quarter of the claims are tested. No claim of
    ``dataset`` has the question group of one that is tested.

    Attributes
    ----------
    train, dev, test : list of dspy.Example
        All claims, as ``hoverBench`` of hippohover splits them.
    """

    def init_dataset(self) -> None:
        """Read the files.

        Raises
        ------
        UsageError
            ``HIPPOHOVER_CLAIMS`` is not set, or the file has too few claims.
        CorpusError
            A file cannot be read.
        """
        claims = os.environ.get(CLAIMS_VARIABLE)
        if not claims:
            raise UsageError(f"{CLAIMS_VARIABLE} is not set: set it to a file of HoVer's claims")
        test = os.environ.get(TEST_CLAIMS_VARIABLE)
        bench = _HoverBench(Path(claims), test_path=Path(test) if test else None)
        self.train, self.dev, self.test = bench.train, bench.dev, bench.test
        self.dataset = [*bench.train, *bench.dev]
        self.test_set = bench.test
