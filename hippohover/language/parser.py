"""Parses sentences where spaCy is installed, and remembers the last ones."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final

from hippohover.errors import ModelError
from hippohover.language.parse import Parse
from hippohover.language.spacy_models import ParserModel

Parses = Callable[[Sequence[str]], list[Parse]]

_KEPT: Final = 2000
_AT_ONCE: Final = 32
MAX_CHARS: Final = 2000
"""Of a sentence that is parsed: one that is longer is no sentence."""


class Parser:
    """Parses sentences, and caches the last 2,000; safe from several threads.

    Raises
    ------
    ModelError
        spaCy or its English model is not installed.
    """

    def __init__(self) -> None:
        try:
            self._model = ParserModel()
        except ModelError as error:
            raise ModelError("spaCy is not installed: pip install 'hippohover[spacy]'") from error
        self._known: OrderedDict[str, Parse] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, sentences: Sequence[str]) -> list[Parse]:
        """Return the parse of each sentence, cut at 2,000 characters."""
        cut = [sentence[:MAX_CHARS] for sentence in sentences]
        with self._lock:
            found = {text: self._known[text] for text in cut if text in self._known}
            new = [text for text in dict.fromkeys(cut) if text not in found]
            found |= zip(new, self._model.parses(new, batch_size=_AT_ONCE), strict=True)
            self._known.update(found)
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return [found[text] for text in cut]
