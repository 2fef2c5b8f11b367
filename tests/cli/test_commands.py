"""Every command through ``cli.run``, as the real one: output, JSON, exit codes, one error line."""

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from hippohover.cli.commands import MOST_PASSAGES, RETRIEVERS, run
from hippohover.errors import IndexStoreError
from hippohover.recipe import MAX_RANKED_PASSAGES
from hippohover.retrieval import retrievers
from hippohover.retrieval.engine import HippoHover
from hippohover.toy import toy_claims_path

CLAIM = "The head of the company that ran the Hexley Flyer was hard of hearing."
FAST_RECIPE = 'name = "small"\nextractor = "between"\nencoder = "none"\n[query]\nrerank = false\n'

Capture = pytest.CaptureFixture[str]


class Outcome(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401
        return json.loads(self.out)


Command = Callable[..., Outcome]


@pytest.fixture
def hippohover(capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Command:
    """Runs one command in an empty folder and gives how it ended."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("HIPPOHOVER_DEBUG", raising=False)
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> Outcome:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Outcome(code, printed.out, printed.err)

    return call


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(FAST_RECIPE, encoding="utf-8")
    return path


def write_corpus(path: Path, documents: list[tuple[str, str]]) -> Path:
    lines = [json.dumps({"title": title, "text": text}) for title, text in documents]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def assert_error(outcome: Outcome, *words: str, code: int = 1) -> None:
    """One line on stderr, none on stdout, no traceback."""
    assert outcome.code == code, outcome
    assert outcome.out == ""
    assert outcome.err.startswith("error: ")
    assert outcome.err.count("\n") == 1
    assert "Traceback" not in outcome.err
    assert "unexpected" not in outcome.err
    for word in words:
        assert word in outcome.err


# --- what --help may not import is written down twice; here they are held equal


def test_numbers_and_names_that_help_shows_are_the_real_ones() -> None:
    assert MOST_PASSAGES == MAX_RANKED_PASSAGES
    assert RETRIEVERS == retrievers.RETRIEVERS


@pytest.mark.parametrize("command", ["build", "inspect", "query", "explain", "evaluate", "demo"])
def test_every_command_has_help_with_an_example(hippohover: Command, command: str) -> None:
    outcome = hippohover(command, "--help")
    assert outcome.code == 0
    assert f"Example:  hippohover {command}" in outcome.out


def test_no_command_shows_the_help(hippohover: Command) -> None:
    outcome = hippohover()
    assert outcome.code == 0
    assert "hippohover demo" in outcome.out


# --- build and inspect


def test_build_then_inspect(hippohover: Command, recipe: Path, tmp_path: Path) -> None:
    corpus = write_corpus(
        tmp_path / "c.jsonl", [("Ada Finch", "She sang."), ("Salt Road", "A film by Ada Finch.")]
    )
    outcome = hippohover("build", recipe, "--corpus", corpus)
    assert outcome.code == 0
    assert outcome.err == ""
    assert outcome.out.startswith("index/small  v000001  built in ")
    assert "2 passages" in outcome.out
    shown = hippohover("inspect", "index/small")
    assert shown.code == 0
    for word in (
        "passages",
        "entities",
        "facts",
        "edges",
        "title",
        "mention",
        "failures",
        "recipe",
    ):
        assert word in shown.out
    found = hippohover("inspect", "index/small", "--json", "--verify").json
    assert found["n_passages"] == 2
    assert {"n_entities", "n_facts", "n_edges", "recipe", "models", "failures"} <= found.keys()
    assert sum(found["edges"].values()) == found["n_edges"]
    assert found["problems"] == []


def test_build_takes_a_folder_a_limit_and_an_out(
    hippohover: Command, recipe: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    for n in range(3):
        (folder / f"{n}.txt").write_text(f"Document {n} is about Ada Finch.", encoding="utf-8")
    arguments = ("--corpus", folder, "--out", "here", "--limit", 2, "--workers", 1, "--json")
    found = hippohover("build", recipe, *arguments).json
    assert found["index"] == "here"
    assert found["n_passages"] == 2
    assert found["seconds"] > 0


def test_build_notes_failed_records(hippohover: Command, tmp_path: Path) -> None:
    path = tmp_path / "tolerant.toml"
    path.write_text(f"{FAST_RECIPE}[corpus]\nmax_bad_share = 0.5\n", encoding="utf-8")
    corpus = write_corpus(tmp_path / "c.jsonl", [("A b", "c d.")] * 1 + [("E f", "g h.")])
    with corpus.open("a", encoding="utf-8") as file:
        file.write("not json\n")
    outcome = hippohover("build", path, "--corpus", corpus)
    assert outcome.code == 0
    assert outcome.err == "note: 1 records failed: hippohover inspect shows them\n"
    assert "c.jsonl:3" in hippohover("inspect", "index/small").out


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ('nmae = "x"', "unknown key 'nmae'"),
        ("[query]\ndamping = 1.5", "query.damping = 1.5"),
        ('extractor = "magic"', "extractor"),
        ("= 3", "not TOML"),
    ],
)
def test_bad_recipes(hippohover: Command, tmp_path: Path, toml: str, words: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(toml, encoding="utf-8")
    assert_error(hippohover("build", path, "--corpus", "x"), "bad.toml", words)
    assert not (tmp_path / "index").exists()


def test_unknown_recipes(hippohover: Command) -> None:
    assert_error(hippohover("build", "nonesuch", "--corpus", "x"), "'nonesuch'", "default")
    assert_error(hippohover("build", "nonesuch.toml", "--corpus", "x"), "nonesuch.toml")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('encoder = "no-such-model"\nextractor = "between"', "no-such-model"),
        ('spacy_model = "xx_none"\nencoder = "none"', "xx_none"),
    ],
)
@pytest.mark.slow
def test_unknown_models(hippohover: Command, tmp_path: Path, line: str, words: str) -> None:
    path = tmp_path / "r.toml"
    path.write_text(line, encoding="utf-8")
    corpus = write_corpus(tmp_path / "c.jsonl", [("A b", "It sings.")])
    assert_error(hippohover("build", path, "--corpus", corpus), words)


def test_no_corpus(hippohover: Command, recipe: Path) -> None:
    assert_error(hippohover("build", recipe), "--corpus PATH")
    assert_error(hippohover("build", recipe, "--corpus", "nowhere.jsonl"), "nowhere.jsonl")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("c.jsonl", b"", "c.jsonl"),
        ("c.jsonl", b"not json\n", "c.jsonl:1"),
        ("c.jsonl", b'{"title": "A"}\n', "c.jsonl:1"),
        ("c.jsonl.gz", gzip.compress(b'{"title": "A b", "text": "c."}\n' * 99)[:40], "c.jsonl.gz"),
        ("c.tar.bz2", b"BZh91AY&SY" + b"\x00" * 40, "c.tar.bz2"),
    ],
)
def test_bad_corpora(  # noqa: PLR0917
    hippohover: Command, recipe: Path, tmp_path: Path, name: str, content: bytes, words: str
) -> None:
    (tmp_path / name).write_bytes(content)
    assert_error(hippohover("build", recipe, "--corpus", name), words)
    assert not list(tmp_path.glob("index/small/v*"))


def test_a_failed_build_keeps_the_old_index(
    hippohover: Command, recipe: Path, tmp_path: Path
) -> None:
    corpus = write_corpus(tmp_path / "c.jsonl", [("Ada Finch", "She sang.")])
    assert hippohover("build", recipe, "--corpus", corpus).code == 0
    corpus.write_text("not json\n", encoding="utf-8")
    assert_error(hippohover("build", recipe, "--corpus", corpus), "c.jsonl:1")
    assert hippohover("query", "index/small", "Who sang?").code == 0


# --- damage


@pytest.fixture
def copied(toy_index: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(toy_index, tmp_path / "copied"))


@pytest.mark.parametrize("command", [("query", CLAIM), ("inspect",), ("evaluate", "c.jsonl")])
def test_no_index(hippohover: Command, command: tuple[str, ...], tmp_path: Path) -> None:
    shutil.copy(toy_claims_path(), tmp_path / "c.jsonl")
    name, *rest = command
    assert_error(hippohover(name, "nowhere", *rest), "nowhere", "build the index")
    (tmp_path / "empty").mkdir()
    assert_error(hippohover(name, "empty", *rest), "empty", "holds no published index")


def test_index_of_another_format(hippohover: Command, copied: Path) -> None:
    manifest = copied / "v000001" / "manifest.json"
    fields = json.loads(manifest.read_text(encoding="utf-8"))
    manifest.write_text(json.dumps({**fields, "format_version": 99}), encoding="utf-8")
    assert_error(hippohover("query", copied, CLAIM), "format 99", "upgrade hippohover")


def test_flipped_byte_and_missing_file(hippohover: Command, copied: Path) -> None:
    file = copied / "v000001" / "passages.arrow"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    assert_error(hippohover("query", copied, CLAIM), "passages.arrow")
    file.unlink()
    assert_error(hippohover("inspect", copied), "passages.arrow", "missing")


def test_verify_names_a_damaged_file_of_any_size(
    hippohover: Command, copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hippohover.index_reader.SMALL_FILE_BYTES", 0)  # as if all were large
    file = copied / "v000001" / "facts.npy"
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    assert hippohover("inspect", copied).code == 0
    outcome = hippohover("inspect", copied, "--verify")
    assert outcome.code == 1
    assert "DAMAGED" in outcome.out
    assert outcome.err.startswith("error: ")
    assert "facts.npy" in outcome.err
    as_json = hippohover("inspect", copied, "--verify", "--json")
    assert as_json.code == 1
    assert len(as_json.json["problems"]) == 1


# --- query


def test_query_json_is_what_programs_read(hippohover: Command, toy_index: Path) -> None:
    found = hippohover("query", toy_index, CLAIM, "-k", 7, "--json").json
    assert list(found) == ["claim", "route", "retriever", "passages", "seconds"]
    assert (found["claim"], found["route"], found["retriever"]) == (CLAIM, "no-filter", "ppr")
    assert [one["rank"] for one in found["passages"]] == list(range(1, 8))
    assert list(found["passages"][0]) == ["rank", "title", "text", "score"]
    assert 0 < found["seconds"] < 60
    expected = HippoHover.open(toy_index).retrieve(CLAIM, 7)
    assert [one["title"] for one in found["passages"]] == [p.title for p in expected.passages]


def test_query_for_people(hippohover: Command, toy_index: Path) -> None:
    outcome = hippohover("query", toy_index, CLAIM, "--retriever", "bm25", "-k", 3)
    assert outcome.code == 0
    assert "  1  Hexley Flyer" in outcome.out
    assert "by bm25 in" in outcome.out
    assert max(map(len, outcome.out.splitlines())) <= 100


@pytest.mark.parametrize("k", [0, -1, 22, 1000])
def test_k_above_21_is_refused_with_the_reason(
    hippohover: Command, toy_index: Path, k: int
) -> None:
    outcome = hippohover("query", toy_index, CLAIM, "-k", k)
    assert_error(outcome, "1 to 21", "benchmark", code=2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("query", "i", "c", "--retriever", "magic"), "hipporag2"),
        (("query", "i"), "--file"),
        (("query", "i", "c", "--file", "f"), "not both"),
        (("query", "i", "c", "--out", "o"), "--file"),
        (("query", "i", "c", "-k", "many"), "'-k'"),
        (("query",), "index"),
        (("explain", "i", "c"), "--title"),
        (("explain", "i", "c", "--title", "t", "--pid", "p"), "not both"),
        (("evaluate", "i", "c", "--retriever", "magic"), "magic"),
        (("evaluate", "i", "c", "--limit", "0"), "'--limit'"),
        (("build", "--workers", "0"), "'--workers'"),
        (("biuld",), "biuld"),
        (("inspect", "i", "--nonesuch"), "--nonesuch"),
    ],
)
def test_usage_errors_are_one_line_and_code_2(
    hippohover: Command, arguments: tuple[str, ...], words: str
) -> None:
    assert_error(hippohover(*arguments), words, "--help", code=2)


@pytest.mark.parametrize("claim", ["", "  \n ", "x" * 100_000])
def test_bad_claims(hippohover: Command, toy_index: Path, claim: str) -> None:
    assert_error(hippohover("query", toy_index, claim), "the claim")
    assert_error(hippohover("explain", toy_index, claim, "--title", "Isk"), "the claim")


@pytest.mark.parametrize("claim", ["?!", "\x00\x1b[31m", "霧の港", "نجمة الملح", "[red]x[/red]"])
def test_strange_claims_get_an_answer(hippohover: Command, toy_index: Path, claim: str) -> None:
    assert hippohover("query", toy_index, claim).code == 0
    assert hippohover("query", toy_index, claim, "--json").json["claim"] == claim


def test_query_file(hippohover: Command, toy_index: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    outcome = hippohover(
        "query",
        toy_index,
        "--file",
        toy_claims_path(),
        "--out",
        out,
        "-k",
        2,
        "--retriever",
        "bm25",
    )
    assert outcome.code == 0
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    claims = [json.loads(one) for one in toy_claims_path().read_text("utf-8").splitlines()]
    assert [(row["uid"], row["claim"]) for row in rows] == [(c["uid"], c["claim"]) for c in claims]
    engine = HippoHover.open(toy_index)
    for row in rows[:5]:
        expected = engine.retrieve(row["claim"], 2, "bm25")
        assert [one["title"] for one in row["passages"]] == [p.title for p in expected.passages]


def test_query_file_to_stdout(hippohover: Command, toy_index: Path, tmp_path: Path) -> None:
    (tmp_path / "claims.txt").write_text("Who sang?\nWho rode?\n", encoding="utf-8")
    lines = hippohover("query", toy_index, "--file", "claims.txt").out.splitlines()
    assert [json.loads(line)["claim"] for line in lines] == ["Who sang?", "Who rode?"]
    assert "uid" not in json.loads(lines[0])


def test_bad_query_files(hippohover: Command, toy_index: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"claim": "a"}\n{"claim": ""}\n', encoding="utf-8")
    out = tmp_path / "run.jsonl"
    out.write_text("old", encoding="utf-8")
    bad = hippohover("query", toy_index, "--file", "bad.jsonl", "--out", out)
    assert_error(bad, "bad.jsonl:2")
    assert out.read_text(encoding="utf-8") == "old"
    assert_error(hippohover("query", toy_index, "--file", "none.jsonl"), "none.jsonl")
    good = toy_claims_path()
    nowhere = hippohover("query", toy_index, "--file", good, "--out", "no/run.jsonl")
    assert_error(nowhere, "no/run.jsonl")


# --- explain


def test_explain(hippohover: Command, toy_index: Path) -> None:
    outcome = hippohover("explain", toy_index, CLAIM, "--title", "Augusta Thornby")
    assert outcome.code == 0
    assert outcome.out.startswith("Augusta Thornby  rank ")
    assert "claim -> " in outcome.out
    assert "Lunn Valley Railway" in outcome.out
    found = hippohover("explain", toy_index, CLAIM, "--title", "Augusta Thornby", "--json").json
    assert found["rank"] <= 21
    assert found["paths"][0]["nodes"][-1] == {"kind": "passage", "name": "Augusta Thornby"}
    by_pid = hippohover("explain", toy_index, CLAIM, "--pid", found["pid"], "--json").json
    assert by_pid == found


def test_explain_says_why_not(hippohover: Command, toy_index: Path) -> None:
    outcome = hippohover("explain", toy_index, CLAIM, "--title", "Lantern Hill")
    assert outcome.code == 0
    assert "no passage of the index" in outcome.out
    assert "Lantern Hill (novel)" in outcome.out
    found = hippohover("explain", toy_index, CLAIM, "--title", "Lantern Hill", "--json").json
    assert found["rank"] is None
    assert found["near_titles"]


# --- evaluate


def test_evaluate_json(hippohover: Command, toy_index: Path, tmp_path: Path) -> None:
    outcome = hippohover(
        "evaluate", toy_index, toy_claims_path(), "--retriever", "ppr", "--retriever", "bm25",
        "--limit", 12, "--json", "--out", "report.json", "--run-out", "run.trec",
        "--qrels-out", "qrels", "--candidates", 50,
    )  # fmt: skip
    assert outcome.code == 0
    found = outcome.json
    assert found["n"] == 12
    assert list(found["retrievers"]) == ["ppr", "bm25"]
    ppr = found["retrievers"]["ppr"]
    assert {"all_gold_found@21", "recall@21", "all_gold_found@100", "candidate_recall@50"} <= set(
        ppr
    )
    assert set(ppr["all_gold_found@21"]) == {"all", "2", "3", "4"}
    assert set(ppr["all_gold_found@21"]["all"]) == {"value", "low", "high", "n"}
    assert set(ppr["latency_ms"]) == {"p50", "p95"}
    assert (ppr["lm_calls"], ppr["fallbacks"]) == (0, 0)
    assert found["paired"]["bm25"]["versus"] == "ppr"
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert len(report["claims"]) == 12
    assert report["retrievers"] == found["retrievers"]
    run_lines = (tmp_path / "run.trec").read_text(encoding="utf-8").splitlines()
    assert {line.split()[0] for line in run_lines} <= {f"toy-{n:03}" for n in range(1, 13)}
    assert all(line.split()[5] == "ppr" for line in run_lines)
    assert len((tmp_path / "qrels").read_text(encoding="utf-8").splitlines()) >= 24


def test_evaluate_for_people(hippohover: Command, toy_index: Path) -> None:
    outcome = hippohover("evaluate", toy_index, toy_claims_path(), "--limit", 6)
    assert outcome.code == 0
    assert outcome.err == ""
    assert "all_gold_found@21" in outcome.out
    assert max(map(len, outcome.out.splitlines())) <= 100


def test_evaluate_says_what_the_index_does_not_hold(
    hippohover: Command, toy_index: Path, tmp_path: Path
) -> None:
    facts = [["Nowhere [x]", 0], ["Isk", 0], ["Elsewhere", 1]]
    record = {"uid": "u", "claim": "Isk is a town.", "supporting_facts": facts}
    (tmp_path / "c.json").write_text(json.dumps([record]), encoding="utf-8")
    outcome = hippohover("evaluate", toy_index, "c.json", "--json", "--out", "r.json")
    assert outcome.code == 0
    assert outcome.err == (
        "note: 2 gold titles of 1 claims are not in the index and count as not found: "
        "'Nowhere [x]', 'Elsewhere'\n"
    )
    assert outcome.json["missing_gold"] == {"n_titles": 2, "n_claims": 1}
    assert outcome.json["retrievers"]["ppr"]["recall@21"]["all"]["value"] == pytest.approx(1 / 3)
    report = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert [one["title"] for one in report["missing_titles"]] == ["Nowhere [x]", "Elsewhere"]


@pytest.mark.parametrize(
    ("content", "words"),
    [("", "holds no claim"), ("nonsense", "c.json:1"), ('[{"uid": "a"}]', "c.json[0]")],
)
def test_bad_claims_files(
    hippohover: Command, toy_index: Path, tmp_path: Path, content: str, words: str
) -> None:
    (tmp_path / "c.json").write_text(content, encoding="utf-8")
    assert_error(hippohover("evaluate", toy_index, "c.json"), words)
    assert_error(hippohover("evaluate", toy_index, "none.json"), "none.json")


def test_outputs_are_checked_before_the_work(hippohover: Command, toy_index: Path) -> None:
    claims = toy_claims_path()
    for option in ("--out", "--run-out", "--qrels-out"):
        assert_error(hippohover("evaluate", toy_index, claims, option, "no/file"), "no/file")


def test_hidden_titles_are_judged_by_pid(hippohover: Command, tmp_path: Path) -> None:
    documents = [("Ada Finch", "A singer of Isk."), ("Salt Road", "A film with the singer.")]
    corpus = write_corpus(tmp_path / "c.jsonl", documents)
    for name in ("shown", "hidden"):
        toml = f'{FAST_RECIPE}[corpus]\ntitles = "{name}"\n'
        (tmp_path / f"{name}.toml").write_text(toml, encoding="utf-8")
        assert hippohover("build", f"{name}.toml", "--corpus", corpus, "--out", name).code == 0
    facts = [["Ada Finch", 0], ["Salt Road", 0]]
    record = {"uid": "u", "claim": "The singer was in a film.", "supporting_facts": facts}
    (tmp_path / "q.json").write_text(json.dumps([record]), encoding="utf-8")
    blind = hippohover("evaluate", "hidden", "q.json", "--json")
    assert "2 gold titles" in blind.err
    seen = hippohover("evaluate", "hidden", "q.json", "--titles-from", "shown", "--json")
    assert seen.err == ""
    assert seen.json["retrievers"]["ppr"]["recall@21"]["all"]["value"] == 1.0


# --- text is data, and errors have one shape


def test_markup_and_escapes_of_a_corpus_print_as_they_stand(
    hippohover: Command, recipe: Path, tmp_path: Path
) -> None:
    documents = [
        ("[red]Ada[/red] Finch", "She \x1b[31msang[/bold] in \x07[link=http://x]Isk[/link]."),
        ("Salt\x1b]0;owned\x07 Road", "A film with [red]Ada[/red] Finch :smile: in it."),
    ]
    corpus = write_corpus(tmp_path / "c.jsonl", documents)
    assert hippohover("build", recipe, "--corpus", corpus).code == 0
    claim = "[red]Ada[/red] Finch sang \x1b[2J in Isk [/nonsense]."
    outputs = [
        hippohover("query", "index/small", claim),
        hippohover("explain", "index/small", claim, "--title", documents[0][0]),
        hippohover("explain", "index/small", claim, "--title", "[/x]\x1b[2J"),
        hippohover("explain", "index/small", claim, "--pid", "[/x]\x1b[2J"),
        hippohover("inspect", "index/small"),
    ]
    for outcome in outputs:
        assert outcome.code == 0, outcome
        assert not {"\x1b", "\x07"} & set(outcome.out + outcome.err)
    assert "[red]Ada[/red] Finch" in outputs[0].out
    assert "[link=http://x]Isk[/link]" in outputs[0].out
    assert ":smile:" in outputs[0].out
    assert "[red]Ada[/red] Finch" in outputs[1].out
    assert_error(hippohover("query", "no\x1b[31m[red]\nindex", claim), "[red]")


def test_an_unexpected_error_is_one_line_that_names_its_type(
    hippohover: Command, toy_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("two\nlines")

    monkeypatch.setattr(HippoHover, "open", broken)
    outcome = hippohover("query", toy_index, CLAIM)
    assert outcome.code == 1
    assert outcome.err.startswith("error: ZeroDivisionError: two lines (unexpected")
    assert outcome.err.count("\n") == 1
    for debug in (hippohover("--debug", "query", toy_index, CLAIM),):
        assert "Traceback" in debug.err
        assert "error: ZeroDivisionError" in debug.err
    monkeypatch.setenv("HIPPOHOVER_DEBUG", "1")
    assert "Traceback" in hippohover("query", toy_index, CLAIM).err


def test_an_interrupt_is_one_line_and_130(
    hippohover: Command, toy_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(HippoHover, "open", interrupted)
    outcome = hippohover("query", toy_index, CLAIM)
    assert outcome.code == 130
    assert outcome.err == "error: interrupted; nothing half-done is left\n"


def test_debug_shows_the_traceback_of_an_expected_error(hippohover: Command) -> None:
    outcome = hippohover("--debug", "inspect", "nowhere")
    assert outcome.code == 1
    assert IndexStoreError.__name__ in outcome.err
    assert outcome.err.splitlines()[-1].startswith("error: ")
