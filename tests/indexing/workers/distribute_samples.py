"""Stand-ins for stages and parsers that other processes can import."""

import os
import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from hippohover.errors import UsageError
from hippohover.indexing.chunk_stages import ScanStage
from hippohover.indexing.corpus.blocks import ReadStage
from hippohover.indexing.corpus.fields import Shape
from hippohover.indexing.corpus.passages import PassageMaking
from hippohover.indexing.triples.between import BetweenTriples
from hippohover.indexing.work_folder import WorkFolder
from hippohover.names.gazetteer import Gazetteer
from hippohover.records import ExtractionFailure, Passage, PassageId, Triple


class Parser(BetweenTriples):
    """Stands where spaCy does; cannot read passages that name a mill."""

    version = "parser-1"

    def __init__(self, model: str) -> None:
        super().__init__(Gazetteer({}))

    def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple]]:
        for passage in passages:
            if "mill" in passage.text:
                raise RuntimeError("no such\nsentence")
            yield from super().extract([passage])


class ParserByProcess(Parser):
    """Another version in each process."""

    def __init__(self, model: str) -> None:
        super().__init__(model)
        self.version = f"parser-{os.getpid()}"


class Scan(ScanStage):
    def __init__(self, work: WorkFolder, extractor: str) -> None:
        super().__init__(work, extractor)
        self.work = work


class DyingOnce(Scan):
    """The worker that comes to the third chunk first is killed there, its file half written."""

    def __call__(self, number: int) -> list[ExtractionFailure]:
        pid = self.work.folder.parents[2] / "pid"
        if number == 2 and not pid.exists():
            pid.write_text(str(os.getpid()), encoding="ascii")
            self.work.found(number).write_bytes(b"half")
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(number)


class DyingReader(ReadStage):
    """The worker that comes to the third block first is killed there, behind its first run."""

    def __init__(self, folder: Path, format_name: str, making: PassageMaking, shape: Shape) -> None:
        super().__init__(folder, format_name, making, shape)
        self.folder = folder

    def __call__(self, number: int) -> list[ExtractionFailure]:
        pid = self.folder.parents[2] / "pid"
        if number == 2 and not pid.exists():
            pid.write_text(str(os.getpid()), encoding="ascii")
            (self.folder / "run-00002-000.arrow").write_bytes(b"half")
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(number)


class Dying(Scan):
    """Every worker is killed at the third chunk."""

    def __call__(self, number: int) -> list[ExtractionFailure]:
        if number == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(number)


class Refusing(Scan):
    def __call__(self, number: int) -> list[ExtractionFailure]:
        raise UsageError(f"chunk {number}: fix the recipe")


class Stumbling(Scan):
    """Raises what nobody raises on purpose."""

    def __call__(self, number: int) -> list[ExtractionFailure]:
        raise ZeroDivisionError("by\nnought")


class Unreadable:
    """Makes stages, but cannot be made again in another process."""

    def __call__(self) -> Scan:
        raise NotImplementedError

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return int, ("no number",)


class FirstIsLast:
    """Ends the first chunk after another one has ended; fails at a passage in each."""

    def __init__(self, work: WorkFolder) -> None:
        self.folder = work.folder

    def __call__(self, number: int) -> list[ExtractionFailure]:
        end = time.monotonic() + 120
        while number == 0 and time.monotonic() < end and not list(self.folder.glob("ended-*")):
            time.sleep(0.05)
        ended = len(list(self.folder.glob("ended-*")))
        (self.folder / f"ended-{number}").write_text(str(ended), encoding="ascii")
        return [ExtractionFailure(PassageId(f"{number:016x}"), "no reason")]
