"""Every error the package raises on purpose.

::

    HippoHoverError                 one line: what is wrong, its value, what to do
    ├── UsageError                  an argument or a setting is out of its range
    │   ├── RecipeError             a recipe has an unknown key or a bad value
    │   └── NotInIndexError         what is asked for by name, this index does not hold
    ├── CorpusError                 a corpus, claims or links file cannot be used as it is
    │   └── DownloadError           a download failed, or is not the file it should be
    ├── ModelError                  a model is unknown, missing or refuses its input
    │   └── LanguageModelError      a language model does not answer
    │       └── ReplyError          it refused one request, or answered in another form
    │           └── RequestRefusedError  it refused one request
    ├── SourceError                 a source beyond the index does not answer
    ├── BudgetError                 a cap on calls, tokens or money is reached
    ├── BuildError                  a build stopped; what it had done is kept for the next one
    └── IndexStoreError             an index is missing, from another version or damaged
        └── IndexDamagedError       a file of the index is missing, short or altered

A message names the thing, the value and the fix, on one line: the command line prints it as
it is and ends with exit code 1.
"""

from collections.abc import Mapping
from typing import Any, Final


class HippoHoverError(Exception):
    """Base of every error that is raised on purpose."""


class UsageError(HippoHoverError, ValueError):
    """An argument or a setting is out of its range."""


class RecipeError(UsageError):
    """A recipe has an unknown key or a bad value."""


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


_FIXES: Final = {
    "missing": "is missing: give it",
    "int_parsing": "give a whole number",
    "int_type": "give a whole number",
    "int_from_float": "give a whole number",
    "float_parsing": "give a number",
    "float_type": "give a number",
    "finite_number": "give a finite number",
    "bool_parsing": "give true or false",
    "bool_type": "give true or false",
    "string_type": "give text",
    "list_type": "give a list",
    "tuple_type": "give a list",
    "dict_type": "give keys and values",
    "model_type": "give keys and values",
    "model_attributes_type": "give keys and values",
    "greater_than": "give more than {gt}",
    "greater_than_equal": "give {ge} or more",
    "less_than": "give less than {lt}",
    "less_than_equal": "give {le} or less",
    "string_too_short": "give {min_length} characters or more",
    "string_too_long": "give {max_length} characters or fewer",
    "too_short": "give {min_length} or more",
    "too_long": "give {max_length} or fewer",
    "literal_error": "give {expected}",
    "enum": "give {expected}",
    "extra_forbidden": "is unknown: remove it, or fix its spelling",
}
"""What to do about a value that pydantic refuses, by the type of its error."""


def fix_of(refused: Mapping[str, Any]) -> str:
    """Return what to do about a refused value, one of ``ValidationError.errors()``."""
    fix = _FIXES.get(refused["type"])
    if fix is None:
        return str(refused["msg"]).removeprefix("Value error, ")
    return fix.format_map(refused.get("ctx", {}))
