"""Every error the package raises on purpose.

::

    HippoHoverError                 one line: what is wrong, its value, what to do
    ├── UsageError                  an argument or a setting is out of its range
    │   ├── RecipeError             a recipe has an unknown key or a bad value
    │   ├── NoWordsError            a text has no words, and so nothing to verify
    │   └── NotInIndexError         what is asked for by name, this index does not hold
    ├── CorpusError                 a corpus, claims or links file cannot be used as it is
    │   └── DownloadError           a download failed, or is not the file it should be
    ├── ModelError                  a model is unknown, missing or refuses its input
    │   └── LanguageModelError      a language model does not answer
    │       ├── AccessRefusedError  it refused the key, or the account behind it
    │       └── ReplyError          it refused one request, or answered in another form
    │           └── RequestRefusedError  it refused one request
    ├── SourceError                 a source beyond the index does not answer
    ├── BudgetError                 a cap on calls, tokens or money is reached
    ├── BuildError                  a build stopped; what it had done is kept for the next one
    └── IndexStoreError             an index is missing, from another version or damaged
        └── IndexDamagedError       a file of the index is missing, short or altered

A message names the thing, the value and the fix, on one line: the command line prints it as
it is and ends with exit code 1. It holds no key and no control character, whatever it quotes.
"""

import json
from functools import cache
from typing import Final
from urllib.parse import unquote, urlsplit

from hippohover.secret_keys import without_keys, without_likely_keys

_INSTALL: Final = "pip install 'hippohover["


class HippoHoverError(Exception):
    """Base of every error that is raised on purpose."""

    def __init__(self, *told: object) -> None:
        super().__init__(*(_told(one) if isinstance(one, str) else one for one in told))


def _told(text: str) -> str:
    """Return a message without keys, on one line, and without what steers a terminal."""
    text = as_installed(without_keys(text))
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c.isspace() else "?" for c in text)


def as_installed(text: str) -> str:
    """Return a text whose commands install an extra from where this package was installed.

    The package may not be on an index: then ``pip install 'hippohover[web]'`` would find nothing,
    where the folder of a clone or the file of a wheel has it.
    """
    if _INSTALL not in text:
        return text
    return text.replace(_INSTALL, f"pip install '{installed_from()}[")


@cache
def installed_from() -> str:
    """Return the folder or file that pip installed this package from, else its name."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        told = distribution("hippohover").read_text("direct_url.json")
    except PackageNotFoundError:
        return "hippohover"
    url = urlsplit(json.loads(told)["url"] if told else "")
    return unquote(url.path) if url.scheme == "file" else "hippohover"


class UsageError(HippoHoverError, ValueError):
    """An argument or a setting is out of its range."""


class RecipeError(UsageError):
    """A recipe has an unknown key or a bad value."""


class NoWordsError(UsageError):
    """A text has nothing to verify: no words but the numbers of citations and of lists."""


class NotInIndexError(UsageError):
    """The index does not hold what was asked for by name."""


class CorpusError(HippoHoverError):
    """A corpus, claims or links file cannot be used."""


class DownloadError(CorpusError):
    """A download failed, or is not the file it should be."""


class ModelError(HippoHoverError):
    """A model is unknown, missing or refuses its input."""


class LanguageModelError(ModelError):
    """A language model does not answer."""


class AccessRefusedError(LanguageModelError):
    """A language model's server refused the key, or the account behind it."""


class ReplyError(LanguageModelError):
    """A language model refused one request, or its reply has the wrong form."""


class RequestRefusedError(ReplyError):
    """A language model's server refused a request that it does not support."""


class SourceError(HippoHoverError):
    """A source beyond the index does not answer, or its answer has the wrong form."""


class BudgetError(HippoHoverError):
    """A cap on calls, tokens or money is reached; finished work is kept."""


class BuildError(HippoHoverError):
    """A build stopped; the next one uses its finished work."""


class IndexStoreError(HippoHoverError):
    """An index is missing, was made by another format version, or is damaged."""


class IndexDamagedError(IndexStoreError):
    """A file of the index is missing, short or altered."""


def in_a_line(error: BaseException, longest: int = 200) -> str:
    """Say what another library raised, on one line without keys, of which a cut leaves no part."""
    line = without_likely_keys(" ".join(f"{type(error).__name__}: {error}".split()))
    return line if len(line) <= longest else f"{line[:longest]}…"
