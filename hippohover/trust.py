"""What an index may use outside itself because its recipe names it: nothing, until a user said so.

Indexes are copied, shared and downloaded, so a stored recipe is somebody's data. A language model
with its address and the variable of its key, a model in a folder, and a file of triples are used
if the caller names them, or if they were confirmed for this index: by the build or update that a
caller gave them to, or by ``hippohover inspect INDEX --confirm``. What was confirmed is kept in the
user's cache, bound to the path of the index: a copy is another index.
"""

import json
import os
import re
import shlex
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from hippohover.disk.errors import message
from hippohover.errors import IndexStoreError
from hippohover.metadata import is_private
from hippohover.recipe import GGUF, IndexRecipe, LanguageModelSettings, is_own
from hippohover.user_cache import private_folder, user_cache

INSIDE: Final = frozenset(
    {"name", "corpus", "extractor", "fact_vectors", "max_failure_share", "aliases", "query"}
)
"""Settings of a recipe that lead nowhere outside; what any other one names has to be confirmed."""
SHIPPED_ENCODERS: Final = frozenset({"auto", "minilm-static", "minilm", "multilingual", "none"})
"""Encoders of this package and of its extras, which any index may name."""

_FOLDER: Final = "confirmed"
_KEY_VARIABLE: Final = re.compile(r"[A-Z][A-Z0-9_]*_API_KEY")
_MODEL_NAME: Final = re.compile(r"(?!gguf:)[A-Za-z0-9]+([:@/+._-]+[A-Za-z0-9]+)*")
_HUB_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)?")
_TO_A_PATH: Final = re.compile(r"[:/.]/|/[/.]|http", re.IGNORECASE)
"""What of a model's name could lead LiteLLM to a file or an address."""
_LONGEST_SHOWN: Final = 45
"""Characters of a name or an address in a message, which is cut: none may push out the next."""
_unwritten: Final[dict[Path, dict[str, Any]]] = {}
"""What was confirmed where the cache cannot be written: in this process alone."""


def outside(recipe: IndexRecipe) -> dict[str, Any]:
    """Return the settings of a recipe that name something outside, as JSON values."""
    found = recipe.model_dump(mode="json", exclude=set(INSIDE), exclude_defaults=True)
    parses = recipe.extractor in ("spacy", "llm+rules")
    leads_outside = {
        "language_model": recipe.extractor.startswith("llm"),
        "encoder": not (recipe.encoder in SHIPPED_ENCODERS or is_own(recipe.encoder)),
        # What is no path is the name of an installed package of spaCy's, or refused.
        "spacy_model": parses and Path(recipe.spacy_model).is_absolute(),
        "triples": False,
    }
    found = {name: value for name, value in found.items() if leads_outside.get(name, True)}
    return found | ({"triples": recipe.triples or ""} if recipe.extractor == "file" else {})


def resolved(recipe: IndexRecipe) -> IndexRecipe:
    """Return a caller's recipe with absolute paths: an index is used from other folders."""
    changed: dict[str, Any] = {}
    for name in ("encoder", "spacy_model"):
        value: str = getattr(recipe, name)
        own = value in SHIPPED_ENCODERS or value == IndexRecipe.model_fields[name].default
        if not own and Path(value).is_dir():
            changed[name] = str(Path(value).resolve())
    if recipe.triples is not None:
        changed["triples"] = _absolute(recipe.triples)
    if recipe.language_model is not None:
        changed["language_model"] = _located(recipe.language_model)
    return recipe.model_copy(update=changed)


def allowed(
    root: Path, stored: IndexRecipe, given: LanguageModelSettings | None = None
) -> IndexRecipe:
    """Return the recipe of an index, with the language model of a caller and what was confirmed.

    Raises
    ------
    IndexStoreError
        It names something else outside.
    """
    changed: dict[str, Any] = {} if given is None else {"language_model": _located(given)}
    asked = {name: value for name, value in outside(stored).items() if name not in changed}
    known = confirmed(root) if asked else {}
    if "triples" in asked:
        changed["triples"] = known.get("triples")
    for name, value in asked.items():
        if not _is_same(known, name, value):
            raise _unconfirmed(root, name, value)
    return stored.model_copy(update=changed)


def is_confirmed(root: Path, name: str, value: Any) -> bool:  # noqa: ANN401  (a JSON value)
    """Return whether a setting of an index, as ``outside`` gives it, was confirmed."""
    return _is_same(confirmed(root), name, value)


def check_encoder(root: Path, name: str) -> None:
    """Raise ``IndexStoreError`` if an index may not load an encoder by that name."""
    if name not in SHIPPED_ENCODERS and confirmed(root).get("encoder") != name:
        raise _unconfirmed(root, "encoder", name)


def confirmed(root: Path) -> Mapping[str, Any]:
    """Return what was confirmed for an index on this machine, by the names of settings."""
    index = root.resolve()
    folder = private_folder(_FOLDER)
    if index in _unwritten or folder is None:
        return _unwritten.get(index, {})
    with suppress(OSError, ValueError):
        return json.loads((folder / _name_of(index)).read_bytes())["confirmed"]
    return {}


def remember(root: Path, recipe: IndexRecipe, part: str = "") -> None:
    """Confirm what a caller gave, once an index of it is published; or one part of it alone."""
    index, kept = root.resolve(), outside(recipe)
    if part:
        before = {name: value for name, value in confirmed(root).items() if name != part}
        kept = before | {name: value for name, value in kept.items() if name == part}
    if not kept and not (user_cache() / _FOLDER).exists():
        return
    folder = private_folder(_FOLDER)
    _unwritten.pop(index, None)
    try:
        if folder is None:
            raise PermissionError
        path = folder / _name_of(index)
        if not kept:
            path.unlink(missing_ok=True)
            return
        beside = path.with_suffix(f".{os.getpid()}")
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump({"index": str(index), "confirmed": kept}, file)
        beside.replace(path)
    except OSError:  # the next process says what is not confirmed
        _unwritten[index] = kept


def confirm(root: Path, stored: IndexRecipe, triples: str | None) -> None:
    """Confirm what an index names, for a user who has seen it.

    Raises
    ------
    IndexStoreError
        It names what only a caller may: a file of a model, an address that others can read, a
        variable that may hold any secret, or something in the index itself.
    """
    recipe = stored.model_copy(update={"triples": triples})
    for name, value in outside(recipe).items():
        if _problem(root, name, value):
            raise _unconfirmed(root, name, value)
    remember(root, recipe)


def in_words(name: str, value: Any, longest: int | None = None) -> str:  # noqa: ANN401
    """Describe what a setting, a JSON value, names; parts that are longer than that are cut."""
    if name != "language_model":
        return f"{name.replace('_', ' ')} {_shown(value, longest)}"
    address, variable = value.get("api_base"), value.get("api_key_variable")
    at = _shown(address, longest) if address else "its provider's address"
    key = f"in {_shown(variable, longest)}" if variable else "of its provider"
    return f"language model {_shown(value['name'], longest)} at {at}, key {key}"


def _is_same(known: Mapping[str, Any], name: str, value: Any) -> bool:  # noqa: ANN401
    # A stored recipe holds no path of triples: the one that was confirmed is read.
    return name in known and (name == "triples" or known[name] == value)


def _problem(root: Path, name: str, value: Any) -> str:  # noqa: ANN401  (a JSON value)
    """Return why a user cannot confirm what an index names; "" if he can."""
    if name == "language_model":
        return _problem_of_model(value)
    path = Path(value)
    is_model = name == "encoder" and _HUB_NAME.fullmatch(value) is not None
    if not (path.is_absolute() or is_model) or name == "spacy_model":
        return "it is neither an absolute path nor the name of a model"
    if name == "triples" and not path.is_file():
        return "it cannot be confirmed"
    is_in_index = path.is_absolute() and path.resolve().is_relative_to(root.resolve())
    return "it is in the index" if is_in_index else ""


def _problem_of_model(value: Mapping[str, Any]) -> str:
    name, address, variable = map(value.get, ("name", "api_base", "api_key_variable"))
    if _MODEL_NAME.fullmatch(name or "") is None or _TO_A_PATH.search(name or ""):
        return "its name may be that of a file or of an address"
    if address is not None and not is_private(address):
        return "its address is neither https:// nor this machine"
    if variable is not None and _KEY_VARIABLE.fullmatch(variable) is None:
        return "the variable is not called ..._API_KEY"
    return ""


def _unconfirmed(root: Path, name: str, value: Any) -> IndexStoreError:  # noqa: ANN401
    """Return the error of what nobody confirmed, or of what only a caller may name."""
    what = f"names {in_words(name, value, _LONGEST_SHOWN)}"
    fix = "give --lm, or " if name == "language_model" else ""
    if problem := _problem(root, name, value):
        fix = f"{fix}build the index again, with the one that you choose"
        return IndexStoreError(message(root, f"{what}: {problem}", fix))
    command = f"hippohover inspect {shlex.quote(str(root))} --confirm"
    fix = f"{fix}confirm it if you know it, by {command}"
    return IndexStoreError(message(root, f"{what}, which nobody confirmed", fix))


def _shown(text: str, longest: int | None) -> str:
    return text if longest is None or len(text) <= longest else f"{text[:longest]}…"


def _located(model: LanguageModelSettings) -> LanguageModelSettings:
    """Return a caller's language model; one in a file by its absolute path."""
    if not model.name.startswith(GGUF):
        return model
    return model.model_copy(update={"name": GGUF + _absolute(model.name.removeprefix(GGUF))})


def _absolute(path: str) -> str:
    return str(Path(path).expanduser().absolute())


def _name_of(index: Path) -> str:
    return f"{sha256(os.fsencode(index)).hexdigest()[:32]}.json"
