"""HoVer's claims, as LangProBe loads them, from files that the environment names."""

import os
from pathlib import Path
from typing import Final

from hippohover.errors import UsageError
from hippohover.evaluation.hover_bench import hoverBench as _HoverBench

CLAIMS_VARIABLE: Final = "HIPPOHOVER_CLAIMS"
TEST_CLAIMS_VARIABLE: Final = "HIPPOHOVER_TEST_CLAIMS"


class hoverBench(_HoverBench):  # noqa: N801 - the name that programs written for LangProBe know
    """``hoverBench`` of hippohover, made without arguments: claims with 3 gold titles.

    ``HIPPOHOVER_CLAIMS`` names HoVer's ``hover_train_release_v1.1.json`` or another file of claims,
    ``HIPPOHOVER_TEST_CLAIMS`` one that all test claims come from.
    """

    def __init__(self) -> None:
        claims = os.environ.get(CLAIMS_VARIABLE)
        if not claims:
            raise UsageError(f"{CLAIMS_VARIABLE} is not set: set it to a file of HoVer's claims")
        test = os.environ.get(TEST_CLAIMS_VARIABLE)
        super().__init__(Path(claims), test_path=Path(test) if test else None)
