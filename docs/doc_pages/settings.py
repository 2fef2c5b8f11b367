"""Every key of a recipe, with its type, range, default and meaning, read off the pydantic models.

autodoc-pydantic would show the descriptions of ``Field``; the models describe their keys in
numpydoc sections, so that people read them beside the code.
"""

import json
import re
import types
from inspect import cleandoc
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from hippohover.recipe import (
    CorpusSettings,
    EdgeWeights,
    FactFilterSettings,
    IndexRecipe,
    LanguageModelSettings,
    QuerySettings,
)

TABLES: Final[dict[str, type[BaseModel]]] = {
    "recipe": IndexRecipe,
    "corpus": CorpusSettings,
    "query": QuerySettings,
    "query.filter": FactFilterSettings,
    "query.weights": EdgeWeights,
    "language_model": LanguageModelSettings,
}
"""TOML tables of a recipe; the first stands at its top."""

_PLAIN: Final[dict[object, str]] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "`true` or `false`",
    dict[str, str]: "table of names",
    tuple[str, ...]: "list of texts",
}
_BOUNDS: Final = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}
_PATTERNS: Final = {
    "extractor": (
        '`"spacy"`, `"between"`, `"llm"`, `"llm+rules"`, `"file"`, `"none"` or `"custom:NAME"`'
    ),
    "name": "letters, digits, `.`, `_` and `-`, 100 at most",
    "sha256": "64 hexadecimal digits",
    "api_base": "`http://` or `https://`, without a password or a query",
    "api_key_variable": "a variable's name",
    "prefer": "the name of a field, with or without a `-` before it, or empty",
}
"""What a pattern asks for, in words; a pattern without words is an error of the build."""

_ENTRY: Final = re.compile(r"^(?P<names>[a-z][a-z0-9_]*(?:, [a-z][a-z0-9_]*)*) : .*$")


def settings_in_markdown(table: str) -> str:
    """The keys of one table, a line of a list each."""
    model = TABLES[table]
    meanings = meanings_of(model)
    entries = [
        _entry(table, name, field, meanings[name]) for name, field in model.model_fields.items()
    ]
    return "\n".join(entries)


def meanings_of(model: type[BaseModel]) -> dict[str, str]:
    """What each field means, from the "Attributes" of a model's docstring.

    Raises
    ------
    ValueError
        A field is not described there.
    """
    lines = cleandoc(model.__doc__ or "").partition("----------\n")[2].splitlines()
    found: dict[str, str] = {}
    names: list[str] = []
    for line in lines:
        entry = _ENTRY.match(line)
        if entry:
            names = entry["names"].split(", ")
            found |= dict.fromkeys(names, "")
        elif names:
            found |= {name: f"{found[name]} {line.strip()}".strip() for name in names}
    missing = [name for name in model.model_fields if not found.get(name)]
    if missing:
        raise ValueError(f"{model.__name__} does not describe {missing}: add them to Attributes")
    return found


def _entry(table: str, name: str, field: FieldInfo, meaning: str) -> str:
    said = [_type(field.annotation), *_range(name, field)]
    if not isinstance(field.default, BaseModel):
        said.append("must be given" if field.is_required() else f"default {_default(field)}")
    key = name if table == "recipe" else f"{table}.{name}"
    return f"- `{key}`: *{', '.join(said)}.* {_plain(meaning)}"


def _type(annotation: Any) -> str:  # noqa: ANN401
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    origin, given = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type(given[0])
    if origin is tuple:
        return _PLAIN[tuple[str, ...]]
    if origin is Literal:
        return " or ".join(f"`{json.dumps(one)}`" for one in given)
    if origin in (Union, types.UnionType):
        return " or ".join(_type(one) for one in given if one is not type(None))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "table, see below"
    raise ValueError(f"no words for the type {annotation}: add them")


def _range(name: str, field: FieldInfo) -> list[str]:
    said: list[str] = []
    for rule in field.metadata:
        if (pattern := getattr(rule, "pattern", None)) is not None:
            if name not in _PATTERNS:
                raise ValueError(f"no words for the pattern {pattern} of {name}: add them")
            said.append(_PATTERNS[name])
        said += [
            f"{words} {getattr(rule, sign):g}"
            for sign, words in _BOUNDS.items()
            if getattr(rule, sign, None) is not None
        ]
        if getattr(rule, "min_length", None):
            said.append("not empty")
        if longest := getattr(rule, "max_length", None):
            said.append(f"at most {longest} characters")
    return said


def _default(field: FieldInfo) -> str:
    """The default as TOML writes it."""
    value: Any = field.default
    if value is None:
        return "none"
    if isinstance(value, float):
        return f"`{value:g}`" if value < 0.001 else f"`{value}`"
    return f"`{json.dumps(value)}`"


def _plain(docstring: str) -> str:
    """A docstring's words as Markdown: double backquotes are single ones, quoted words are text."""
    return docstring.replace("``", "`").replace("*", "\\*")
