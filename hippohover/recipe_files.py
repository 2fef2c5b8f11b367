"""Recipes read from TOML: a file, or one that ships with the package."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from hippohover.errors import RecipeError, UsageError
from hippohover.recipe import IndexRecipe

MAX_RECIPE_BYTES: Final = 2**14
"""Largest recipe that is read: all keys together take 2 KB, and a dotted key that fills a file
takes tomllib a time that grows with the square of its length."""

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
    "string_too_short": "give {min_length} or more characters",
    "string_too_long": "give {max_length} characters or fewer",
    "too_short": "give {min_length} or more",
    "too_long": "give {max_length} or fewer",
    "literal_error": "give {expected}",
    "enum": "give {expected}",
    "extra_forbidden": "is unknown: remove it, or fix its spelling",
}
"""What to do about a value that pydantic refuses, by the type of its error."""

_LONGEST_VALUE: Final = 80


def load_recipe(source: str | Path) -> IndexRecipe:
    """Read a recipe from a TOML file, or by the name of one that ships.

    Raises
    ------
    RecipeError
        There is no such recipe, it is not TOML, has an unknown key or a bad value.
    """
    path = Path(source)
    try:
        if path.suffix != ".toml" and not path.is_file():
            return _shipped(str(source))
        with path.open("rb") as file:
            content = file.read(MAX_RECIPE_BYTES + 1)
        if len(content) > MAX_RECIPE_BYTES:
            raise RecipeError(
                f"recipe {str(path)!r}: over {MAX_RECIPE_BYTES:,} bytes: keep only its keys"
            )
        text = content.decode("utf-8")
    except RecipeError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path, or not UTF-8
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise RecipeError(
            f"recipe {str(path)!r}: {reason}: name a TOML file or one of "
            f"{', '.join(shipped_recipes())}"
        ) from error
    return _parse(text, origin=str(path))


SettingsT = TypeVar("SettingsT", bound=BaseModel)


def read_settings(path: Path, kind: type[SettingsT]) -> SettingsT:
    """Read settings from a TOML file; ``UsageError`` names the file and the problem."""
    table = read_toml(path)
    try:
        return kind.model_validate(table)
    except ValidationError as error:
        raise UsageError(f"{path}: {describe(error)}") from error


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file; ``UsageError`` names the file and the problem."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_RECIPE_BYTES + 1)
        if len(content) > MAX_RECIPE_BYTES:
            raise UsageError(f"{path}: over {MAX_RECIPE_BYTES:,} bytes: keep only its keys")
        return tomllib.loads(content.decode("utf-8"))
    except UsageError:
        raise
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}): check the path") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: is not valid TOML ({error}): fix that line") from error


def shipped_recipes() -> list[str]:
    """Return the names of the recipes that ship with the package, sorted."""
    return sorted(
        entry.name.removesuffix(".toml")
        for entry in _recipe_folder().iterdir()
        if entry.name.endswith(".toml")
    )


def _shipped(name: str) -> IndexRecipe:
    if name not in shipped_recipes():
        hint = f"; for documents, write --corpus {name}" if Path(name).exists() else ""
        raise RecipeError(
            f"recipe {name!r} is unknown: name a TOML file or one of "
            f"{', '.join(shipped_recipes())}{hint}"
        )
    text = _recipe_folder().joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return _parse(text, origin=name)


def _recipe_folder() -> Any:  # noqa: ANN401  # a Traversable: a folder, or inside an archive
    """Return ``recipes/`` in an installed package, ``index/`` beside it in a clone."""
    installed = files("hippohover").joinpath("recipes")
    return installed if installed.is_dir() else Path(__file__).parent.parent / "index"


def _parse(text: str, *, origin: str) -> IndexRecipe:
    try:
        return IndexRecipe.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        what = f"is not valid TOML ({error})"
        raise RecipeError(f"recipe {origin!r} {what}: fix that line") from error
    except RecursionError as error:
        raise RecipeError(f"recipe {origin!r} is nested too deeply: write it flat") from error
    except ValidationError as error:
        raise RecipeError(f"recipe {origin!r}: {describe(error)}") from error
    except ValueError as error:  # of its messages, those of pydantic and TOML came before
        raise RecipeError(f"recipe {origin!r}: a number is too long: shorten it") from error


def fix_of(refused: Mapping[str, Any]) -> str:
    """Return what to do about a refused value, one of ``ValidationError.errors()``."""
    fix = _FIXES.get(refused["type"])
    if fix is None:
        return str(refused["msg"]).removeprefix("Value error, ")
    return fix.format_map(refused.get("ctx", {}))


def describe(error: ValidationError) -> str:
    """Describe the first error of a validation on one line: key, value, problem."""
    first = error.errors(include_url=False)[0]
    key = ".".join(str(part) for part in first["loc"]) or "recipe"
    value = _shown(first.get("input"))
    if first["type"] == "extra_forbidden":
        return f"unknown key {key!r} (its value is {value}): remove it or fix its spelling"
    if key.endswith("api_base"):  # what is refused there may be a secret
        return f"{key} is refused: give http://HOST:PORT/PATH, without a password or a query"
    if first["type"] == "missing":
        return f"{key} {fix_of(first)}"
    if first["type"] == "value_error" and not first["loc"]:  # of keys that do not fit together
        return f"{key}: {fix_of(first)}"
    return f"{key} = {value}: {fix_of(first)}"


def _shown(value: object) -> str:
    """Shorten a value for a message, however large a hostile file made it."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a number of too many digits, tables in tables
        return f"a very long {type(value).__name__}"
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"
