"""What a stored recipe names outside: not used, until a caller names it or confirms it."""

import json
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_origin

import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from hippohover import HippoHover, add, alias, build, compact, delete, sync
from hippohover.errors import HippoHoverError, IndexStoreError
from hippohover.recipe import IndexRecipe, LanguageModelSettings
from hippohover.store.reader import StoredIndex
from hippohover.testing.indexes import TOY_RECIPE, Row, built, corpus_of
from hippohover.trust import INSIDE, confirm, confirmed, outside, remember
from hippohover.vectors.embedding import open_encoder
from tests.index_samples import seal_manifest
from tests.stub_server import chat, serving

ROWS: Final[list[Row]] = [
    {"title": "Lund", "text": "Lund lies by Isk."},
    {"title": "Isk", "text": "Isk is a town."},
]
NEW: Final[list[Row]] = [{"title": "Orm", "text": "Orm lies by Lund."}]
EXTRACTED: Final = chat("", names='["Lund"]', triples='[["Lund", "lies by", "Isk"]]')
KEY: Final = "SOMEBODYS_API_KEY"
MODEL: Final = {"name": "openai/m", "api_key_variable": KEY, "n_retries": 0}

FREE_TEXTS: Final = {
    "corpus.path": "refused in an index",
    "corpus.url": "refused in an index",
    "corpus.format": "the name of a reader, or refused",
    "corpus.metadata": "fields of records",
    "corpus.join": "fields of records",
    "corpus.include": "globs over what the caller gives",
    "corpus.exclude": "globs over what the caller gives",
    **{f"corpus.fields.{name}": "a field of records"
       for name in ("id", "title", "text", "links", "date", "aliases")},
    "aliases": "names in texts",
}  # fmt: skip
"""Settings that may hold any text and are used inside, with why that leads nowhere."""


UNBOUNDED: Final = {
    "aliases",  # a file of them may have as many as it has lines
}


def leaves(model: type[BaseModel], above: str = "") -> Iterator[tuple[str, FieldInfo]]:
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from leaves(kind, f"{above}{name}.")
        else:
            yield f"{above}{name}", field


def holds_any_text(field: FieldInfo) -> bool:
    if any(getattr(rule, "pattern", None) for rule in field.metadata):
        return False
    waiting: list[Any] = [field.annotation]
    while waiting:
        kind = waiting.pop()
        if kind is str:
            return True
        waiting += [] if get_origin(kind) is Literal else get_args(kind)
    return False


def test_every_setting_leads_nowhere_or_has_to_be_confirmed():
    inside = [(path, field) for path, field in leaves(IndexRecipe) if path.split(".")[0] in INSIDE]
    assert {path for path, field in inside if holds_any_text(field)} == FREE_TEXTS.keys()
    reached = {"language_model": {"name": "m"}, "encoder": "x", "spacy_model": "/x"}
    assert IndexRecipe.model_fields.keys() - INSIDE == {*reached, "triples"}
    for extractor in ("llm", "llm+rules"):
        recipe = IndexRecipe.model_validate({"extractor": extractor, **reached})
        assert outside(recipe).keys() >= {"language_model", "encoder"}
    assert outside(recipe).keys() == reached.keys()
    assert outside(IndexRecipe(extractor="file")) == {"triples": ""}
    assert outside(IndexRecipe()) == {}


def test_every_number_and_every_text_is_bounded():
    for path, field in leaves(IndexRecipe):
        told = f"{field.annotation} {field.metadata}"
        is_bounded = any(
            word in told for word in ("max_length", "pattern", "le=", "lt=", "Le(", "Lt(")
        )
        takes_any = any(word in told for word in ("str", "int", "float")) and "Literal" not in told
        assert is_bounded or not takes_any or path in UNBOUNDED, path


def test_a_new_setting_has_to_be_confirmed():
    class Recipe(IndexRecipe):
        hook: str = ""

    assert outside(Recipe(hook="x")) == {"hook": "x"}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HIPPOHOVER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv(KEY, "topsecret+1")
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(ROWS, tmp_path_factory.mktemp("good") / "index")


Foreign = Callable[..., Path]


@pytest.fixture
def foreign(good: Path, tmp_path: Path) -> Foreign:
    """Makes an index from elsewhere, whose recipe and encoder's card name something."""

    def made(card: Mapping[str, Any] | None = None, **named: Any) -> Path:  # noqa: ANN401
        root = Path(shutil.copytree(good, tmp_path / "index"))
        version = root / "v000001"
        manifest = json.loads((version / "manifest.json").read_bytes())
        manifest["recipe"] |= named
        seal_manifest(version, json.dumps(manifest).encode())
        if card is not None:
            (version / "encoder").mkdir()
            (version / "encoder" / "encoder.json").write_text(json.dumps(card))
        return root

    return made


CHANGES: Final[dict[str, Callable[[Path, Path], object]]] = {
    "add": lambda root, new: add(root, new, workers=1),
    "delete": lambda root, _: delete(root, ["Isk"], workers=1),
    "alias": lambda root, _: alias(root, {"The Isk": "Isk"}, workers=1),
    "sync": lambda root, new: sync(root, new.parent, take_over=True, workers=1),
    "compact": lambda root, _: compact(root, rebuild=True, workers=1),
}

NAMED: Final[dict[str, dict[str, Any]]] = {
    "key": {"extractor": "llm", "language_model": {**MODEL, "api_key_variable": "HOME"}},
    "provider": {"extractor": "llm+rules", "language_model": {**MODEL, "name": "ollama/m"}},
    "file": {"extractor": "llm", "language_model": {"name": "gguf:/etc/passwd"}},
    "hub": {"encoder": "somebody/model"},
    "folder": {"encoder": "/etc"},
    "parser": {"extractor": "spacy", "spacy_model": "/etc"},
    "triples": {"extractor": "file"},
}


@pytest.mark.parametrize("kind", NAMED)
def test_no_change_uses_what_an_index_names(foreign: Foreign, tmp_path: Path, kind: str):
    with serving([EXTRACTED]) as stub:
        named = json.loads(json.dumps(NAMED[kind]))
        if "language_model" in named and not named["language_model"]["name"].startswith("gguf"):
            named["language_model"]["api_base"] = stub.api_base
        root = foreign(**named)
        (root / "v000001" / "build_log.json").write_text('{"triples_file": {"path": "/etc/hosts"}}')
        (tmp_path / "new").mkdir()
        new = corpus_of(NEW, tmp_path / "new" / "new.jsonl")
        told: set[str] = set()
        for change in CHANGES.values():
            with pytest.raises(IndexStoreError) as raised:
                change(root, new)
            told.add(str(raised.value))
        assert all(line.isprintable() and "topsecret" not in line for line in told)
        assert compact(root) is False
        with HippoHover.open(root) as engine:
            engine.reload()
            assert engine.retrieve("Where is Lund?").passages
    assert not stub.requests
    assert [path.name for path in root.glob("v*")] == ["v000001"]
    if kind == "key":
        words = ("openai/m", stub.api_base, "HOME", "--lm")
        assert all(word in line for word in words for line in told)


def test_what_a_caller_gave_is_used_here_again_and_not_in_a_copy(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
):
    root, new = tmp_path / "index", corpus_of(NEW, tmp_path / "new.jsonl")
    with serving([EXTRACTED]) as stub:
        model = LanguageModelSettings.model_validate({**MODEL, "api_base": stub.api_base})
        given = {"extractor": "llm", "language_model": model}
        built(ROWS, root, TOY_RECIPE.model_copy(update=given))
        copied = Path(shutil.copytree(root, tmp_path / "copy"))
        assert len(stub.requests) == 4
        add(root, new, workers=1)
        assert len(stub.requests) == 6
        delete(root, ["Isk"], workers=1)
        assert set(stub.keys) == {"Bearer topsecret+1"}
        with pytest.raises(IndexStoreError, match="which nobody confirmed: give --lm, or confirm"):
            add(copied, new, workers=1)
        assert len(stub.requests) == 6
        add(copied, new, workers=1, language_model=model)
        assert len(stub.requests) == 8
        delete(copied, ["Isk"], workers=1)  # what a caller gave to an update is confirmed too
        monkeypatch.setenv("HIPPOHOVER_CACHE", str(tmp_path / "other"))
        with pytest.raises(IndexStoreError, match="which nobody confirmed"):
            delete(root, ["Orm"], workers=1)
    kept = [path for path in cache.rglob("*") if "confirmed" in path.parts]
    modes = {stat.S_IMODE(path.stat().st_mode) for path in kept}
    assert modes == {0o700, 0o600}
    assert "topsecret" not in "".join(path.read_text() for path in kept if path.is_file())


def test_a_build_without_such_settings_takes_back_what_was_confirmed(tmp_path: Path, cache: Path):
    remember(tmp_path, IndexRecipe(encoder="a/b"))
    assert confirmed(tmp_path) == {"encoder": "a/b"}
    remember(tmp_path, IndexRecipe())
    assert confirmed(tmp_path) == {}


def test_where_the_cache_cannot_be_written_the_process_remembers(tmp_path: Path, cache: Path):
    cache.write_text("no folder")
    remember(tmp_path, IndexRecipe(encoder="a/b"))
    assert confirmed(tmp_path) == {"encoder": "a/b"}


def test_a_cache_that_others_may_write_confirms_nothing(tmp_path: Path, cache: Path):
    remember(tmp_path, IndexRecipe(encoder="a/b"))
    cache.chmod(0o777)
    assert confirmed(tmp_path) == {}


ASKS: Final = {"extractor": "llm"}


@pytest.mark.parametrize(
    ("named", "problem"),
    [
        ({"encoder": "somebody/model"}, ""),
        ({"encoder": "/usr/share"}, ""),
        ({"encoder": "{root}/v000001/encoder"}, "it is in the index"),
        ({"encoder": "{root}/../index/v000001"}, "it is in the index"),
        *[
            ({"encoder": name}, "neither an absolute path nor the name of a model")
            for name in ("./model", "index/v000001/encoder", "~/m", "../m", "http://a/b")
        ],
        ({"extractor": "spacy", "spacy_model": "/usr/share"}, "neither an absolute path"),
        ({"extractor": "file"}, "it cannot be confirmed"),
        *[
            ({**ASKS, "language_model": {"name": "openai/m", "api_base": address}}, problem)
            for address, problem in {
                "https://api.example.org/v1": "",
                "http://127.0.0.1:8000/v1": "",
                "http://127.9.9.9/v1": "",
                "http://[::1]:8000/v1": "",
                "http://localhost/v1": "",
                "http://localhost.example.org/v1": "neither https",
                "http://127.0.0.1.example.org/v1": "neither https",
                "http://10.0.0.1/v1": "neither https",
                "http://2130706433/v1": "neither https",
                "http://0x7f.1/v1": "neither https",
                "http://[::1/v1": "neither https",
                "http://[2001:db8::1]/v1": "neither https",
                "http://localhost\\.example.org/v1": "neither https",
                "https:///v1": "neither https",
            }.items()
        ],
        *[
            ({**ASKS, "language_model": {"name": name}}, "its name may be that of a file")
            for name in (
                "gguf:/etc/passwd", "gguf:m.gguf", "huggingface/https://example.org/m", "/etc/m",
                "../m", "openai/../m", "~/m", "file:/m", "openai//m", "openai/m\n",
            )
        ],
        *[
            ({**ASKS, "language_model": {"name": "ollama/llama3:8b", "api_key_variable": variable}},
             "" if variable.endswith("_API_KEY") else "the variable is not called")
            for variable in ("MY_API_KEY", "HOME", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY",
                             "_API_KEYS")
        ],
    ],
)  # fmt: skip
def test_what_a_user_can_confirm(tmp_path: Path, named: dict[str, Any], problem: str):
    root = tmp_path / "index"
    told = json.loads(json.dumps(named).replace("{root}", str(root)))
    recipe = IndexRecipe.model_validate(told)
    if not problem:
        confirm(root, recipe, None)
        assert confirmed(root) == outside(recipe)
        return
    with pytest.raises(IndexStoreError, match=problem) as raised:
        confirm(root, recipe, "/dev/zero")
    assert not confirmed(root)
    assert len(str(raised.value)) < 600
    assert str(raised.value).isprintable()


def test_a_long_name_pushes_no_address_out_of_the_message(foreign: Foreign):
    model = {"name": f"openai/{'m' * 4000}", "api_base": "https://evil.example.org/v1",
             "api_key_variable": KEY}  # fmt: skip
    root = foreign(extractor="llm", language_model=model)
    with pytest.raises(IndexStoreError, match=f"at https://evil.example.org/v1, key in {KEY}"):
        delete(root, ["Isk"])


CARD: Final = {"kind": "transformer", "dim": 8, "fingerprint": "ab" * 32}


@pytest.mark.parametrize("name", ["index/encoder", "model", "somebody/model", "/etc"])
def test_no_query_loads_a_model_that_an_index_names(
    foreign: Foreign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model").mkdir()
    root = foreign(card={**CARD, "name": name}, encoder=name)
    with pytest.raises(IndexStoreError, match=f"names encoder {name}, which nobody confirmed"):
        open_encoder(root / "v000001" / "encoder")
    confirm(root, IndexRecipe(encoder=name), None)
    encoder = open_encoder(root / "v000001" / "encoder")
    with pytest.raises(HippoHoverError, match=r"unknown|no \.safetensors file in /etc"):
        encoder.encode(["a folder that only happens to stand here is never a model"])


def test_triples_of_a_file_are_read_again_from_where_the_caller_said(tmp_path: Path):
    docs = {"docs": [{"passage": "Lund\nLund lies by Isk.",
                      "extracted_triples": [["Lund", "lies by", "Isk"]]}]}  # fmt: skip
    (tmp_path / "openie.json").write_text(json.dumps(docs))
    given = {"extractor": "file", "triples": str(tmp_path / "openie.json")}
    root = built(ROWS, tmp_path / "index", TOY_RECIPE.model_copy(update=given))
    new = corpus_of(NEW, tmp_path / "new.jsonl")
    copied = Path(shutil.copytree(root, tmp_path / "copy"))
    add(root, new, workers=1)
    with pytest.raises(IndexStoreError, match="names triples"):
        add(copied, new, workers=1)
    with StoredIndex.open(copied) as stored:
        confirm(copied, stored.recipe(), str(tmp_path / "openie.json"))
    add(copied, new, workers=1)


def test_a_relative_path_of_a_caller_is_resolved_by_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "openie.json").write_text('{"docs": [{"passage": "Isk\\nIsk is a town.",'
                                          ' "extracted_triples": [["a", "b", "c"]]}]}')  # fmt: skip
    recipe = TOY_RECIPE.model_copy(update={"extractor": "file", "triples": "openie.json"})
    root = build(recipe, corpus=corpus_of(ROWS, tmp_path / "a.jsonl"), out="index", workers=1)
    assert confirmed(root) == {"triples": str(tmp_path / "openie.json")}


@pytest.mark.parametrize(
    "changed",
    [{"triples": "/etc/passwd"}, {"corpus": {"path": "/etc/passwd"}},
     {"corpus": {"url": "http://127.0.0.1/x"}}, {"hook": "os.system"}],
)  # fmt: skip
def test_an_index_whose_recipe_names_files_is_damaged(foreign: Foreign, changed: dict[str, Any]):
    root = foreign(**changed)
    with pytest.raises(IndexStoreError, match="is damaged"):
        HippoHover.open(root)


def test_one_part_is_confirmed_beside_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HIPPOHOVER_CACHE", str(tmp_path / "cache"))
    llm = IndexRecipe(extractor="llm", language_model=LanguageModelSettings(name="openai/m"))
    remember(tmp_path, llm)
    remember(tmp_path, IndexRecipe(encoder="some/model"), part="encoder")
    assert set(confirmed(tmp_path)) == {"language_model", "encoder"}
    remember(tmp_path, IndexRecipe(encoder="none"), part="encoder")
    assert set(confirmed(tmp_path)) == {"language_model"}
