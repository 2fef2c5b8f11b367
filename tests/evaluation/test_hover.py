"""Reading claims, the benchmark's loader, and its metric against DSPy's own normal form."""

import gzip
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import dspy
import pytest
from dspy.evaluate import normalize_text
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from hippohover.errors import CorpusError, UsageError
from hippohover.evaluation.hover import (
    GoldClaim,
    MissingGold,
    count_unique_docs,
    discrete_retrieval_eval,
    document_title,
    equal_titles,
    format_document,
    hoverBench,
    load_claims,
    missing_gold,
)
from hippohover.evaluation.splits import groups
from hippohover.names.normal_forms import normal_title

RECORD: dict[str, Any] = {
    "uid": "c-1",
    "claim": "The painter of the harbour mural was born on Skell Island.",
    "supporting_facts": [["Harbour Mural", 0], ["Ilse Brandt", 1], ["The Harbour Mural", 2]],
    "label": "SUPPORTED",
    "num_hops": 2,
    "hpqa_id": "q-7",
}


def write(path: Path, content: object) -> Path:
    """Writes bytes as they are, a list as JSON lines."""
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        assert isinstance(content, list)
        path.write_text("".join(json.dumps(record) + "\n" for record in content), encoding="utf-8")
    return path


def record(**changes: object) -> dict[str, Any]:
    return {**RECORD, **changes}


def claim(uid: str, *gold: str, hpqa_id: str = "") -> GoldClaim:
    return GoldClaim(
        uid=uid,
        claim=f"claim {uid}",
        gold_titles=gold,
        supporting_facts=tuple((title, 0) for title in gold),
        hpqa_id=hpqa_id,
    )


# --- reading ------------------------------------------------------------------------------------


def test_a_record_becomes_a_claim(tmp_path: Path):
    (found,) = load_claims(write(tmp_path / "claims.jsonl", [RECORD]))
    assert found == GoldClaim(
        uid="c-1",
        claim="The painter of the harbour mural was born on Skell Island.",
        gold_titles=("Harbour Mural", "Ilse Brandt"),
        supporting_facts=(("Harbour Mural", 0), ("Ilse Brandt", 1), ("The Harbour Mural", 2)),
        label="SUPPORTED",
        num_hops=2,
        hpqa_id="q-7",
    )


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("indent", [None, 2])
def test_every_container_gives_the_same_claims(tmp_path: Path, packed: bool, indent: int | None):
    records = [record(uid=f"c-{i}", claim=f"Größe 東京 {i}\u2028") for i in range(3)]
    array = json.dumps(records, indent=indent, ensure_ascii=False).encode()
    lines = b"\r\n".join(json.dumps(r, ensure_ascii=False).encode() for r in records) + b"\r\n\r\n"
    expected = load_claims(write(tmp_path / "plain.jsonl", records))
    for content in (array, lines, b"\xef\xbb\xbf" + array, b"\xef\xbb\xbf" + lines, b"\n " + array):
        stored = gzip.compress(content) if packed else content
        assert load_claims(write(tmp_path / "any.bin", stored)) == expected
    assert [c.uid for c in expected] == ["c-0", "c-1", "c-2"]


def test_fields_that_other_question_sets_lack_may_be_missing(tmp_path: Path):
    bare = {key: RECORD[key] for key in ("uid", "claim", "supporting_facts")}
    nulls = record(label=None, num_hops=None, hpqa_id=None, answer=None)
    for found in load_claims(write(tmp_path / "c.jsonl", [bare, nulls])):
        assert (found.label, found.num_hops, found.hpqa_id) == ("", 2, "")


def test_facts_of_the_hub_form_are_read_too(tmp_path: Path):
    facts = [{"key": "Ilse Brandt", "value": 3}]
    (found,) = load_claims(write(tmp_path / "c.jsonl", [record(supporting_facts=facts)]))
    assert found.supporting_facts == (("Ilse Brandt", 3),)


def test_a_repeated_uid_is_kept(tmp_path: Path):
    assert len(load_claims(write(tmp_path / "c.jsonl", [RECORD, RECORD]))) == 2


def test_a_path_may_be_a_text(tmp_path: Path):
    (tmp_path / "c.jsonl").write_text(json.dumps(record()), encoding="utf-8")
    assert load_claims(str(tmp_path / "c.jsonl")) == load_claims(tmp_path / "c.jsonl")


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (["not", "an", "object"], "a list: a claim is a JSON object"),
        (record(uid=-7), "uid is -7"),
        (record(uid=True), "uid is True"),
        (record(uid="  "), "uid is '  '"),
        (record(claim=None), "claim is None"),
        (record(claim="bad \ud800"), "claim is 'bad"),
        (record(supporting_facts=[]), "dev file"),
        (record(supporting_facts="Ilse Brandt"), "supporting_facts is 'Ilse"),
        (record(supporting_facts={"key": "x"}), "supporting_facts is a dict of 1"),
        (record(supporting_facts=[["Ilse Brandt"]]), "a list of 1"),
        (record(supporting_facts=[["Ilse Brandt", -1]]), "a list of 2"),
        (record(supporting_facts=[["Ilse Brandt", True]]), "a list of 2"),
        (record(supporting_facts=[[None, 0]]), "a list of 2"),
        (record(supporting_facts=[["&nbsp;", 0]]), "a list of 2"),
        (record(supporting_facts=[["\udc80", 0]]), "a list of 2"),
        (record(supporting_facts=[7]), "a supporting fact is 7"),
        (record(label=3), "label is 3"),
        (record(num_hops="2"), "num_hops is '2'"),
        (record(num_hops=True), "num_hops is True"),
        (record(hpqa_id=["q"]), "hpqa_id is a list of 1"),
    ],
)
def test_a_bad_record_is_named_by_its_place(tmp_path: Path, bad: object, message: str):
    lines = write(tmp_path / "claims.jsonl", [RECORD, bad])
    with pytest.raises(CorpusError) as error:
        load_claims(lines)
    assert str(error.value).startswith(f"{lines}:2: ")
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    array = write(tmp_path / "claims.json", json.dumps([RECORD, RECORD, bad]).encode())
    with pytest.raises(CorpusError) as error:
        load_claims(array)
    assert str(error.value).startswith(f"{array}[2]: ")


def test_missing_fields_are_bad(tmp_path: Path):
    for name in ("uid", "claim", "supporting_facts"):
        short = {key: value for key, value in RECORD.items() if key != name}
        with pytest.raises(CorpusError, match=rf"c\.jsonl:1: {name} is None"):
            load_claims(write(tmp_path / "c.jsonl", [short]))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "holds no claim"),
        (b" \n\n", "holds no claim"),
        (b"[]", "holds no claim"),
        (b"{", "not JSON"),
        (gzip.compress(json.dumps(RECORD).encode(), mtime=0)[:-9], "cannot be read"),
    ],
)
def test_a_file_that_is_no_claims_file(tmp_path: Path, content: bytes, message: str):
    with pytest.raises(CorpusError, match=message):
        load_claims(write(tmp_path / "claims", content))


@given(st.data())
@settings(
    max_examples=min(60, settings().max_examples),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_no_bytes_raise_anything_but_corpus_error(tmp_path: Path, data: st.DataObject):
    whole = json.dumps([RECORD, RECORD]).encode()
    content = data.draw(
        st.one_of(
            st.binary(max_size=60),
            st.integers(0, len(whole)).map(lambda n: whole[:n]),
            st.integers(0, len(whole) - 1).map(
                lambda n: whole[:n] + bytes([whole[n] ^ 1 << n % 8]) + whole[n + 1 :]
            ),
        )
    )
    if data.draw(st.booleans()):
        packed = bytearray(gzip.compress(content))
        packed[data.draw(st.integers(0, len(packed) - 1))] ^= data.draw(st.sampled_from([0, 1, 64]))
        content = bytes(packed)
    try:
        found = load_claims(write(tmp_path / "fuzz", content))
    except CorpusError as error:
        assert len(str(error).splitlines()) == 1
    else:
        assert found and all(c.gold_titles for c in found)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 5) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.just("key"), inner),
    max_leaves=4,
)


@given(st.sampled_from(sorted(RECORD)), JSON)
@settings(
    max_examples=min(40, settings().max_examples),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_any_value_in_any_field_is_read_or_refused(tmp_path: Path, name: str, value: object):
    path = write(tmp_path / "fuzz.jsonl", [record(**{name: value})])
    try:
        (found,) = load_claims(path)
    except CorpusError as error:
        assert str(error).startswith(f"{path}:1: ")
        assert len(str(error).splitlines()) == 1
    else:
        assert found.gold_titles and found.claim.strip() and found.num_hops >= 0


# --- gold titles that an index lacks --------------------------------------------------------------


def test_missing_gold_names_titles_and_claims():
    claims = [claim("a", "The Bell", "Skell"), claim("b", "skell", "Côte"), claim("c", "Bell")]
    assert missing_gold(claims, iter(["BELL"])) == [
        MissingGold("Skell", ("a", "b")),
        MissingGold("Côte", ("b",)),
    ]
    assert missing_gold(claims, ["bell", "Skell", "COTE", "Co\u0302te"]) == []


def test_titles_that_are_one_for_the_metric():
    titles = ["Dune", "Mill", "C", "C#", "The Dune", "Mill", "C++", ""]
    assert equal_titles(titles) == [("Dune", "The Dune"), ("C", "C#", "C++")]
    assert equal_titles(["Dune", "Mill"]) == []


def test_nothing_is_held_by_an_index_without_titles():
    assert [m.title for m in missing_gold([claim("a", "Bell")], ["", "", ""])] == ["Bell"]
    assert missing_gold([], ["Bell"]) == []


# --- the loader for DSPy programs -----------------------------------------------------------------


def bench_records(n: int, prefix: str = "b") -> list[dict[str, Any]]:
    """Two claims a question; every third question has two gold titles instead of three."""
    return [
        record(
            uid=f"{prefix}-{i}",
            claim=f"{prefix} claim {i}",
            hpqa_id=f"{prefix}-q{i // 2}",
            supporting_facts=[[f"{prefix} {i // 2} T{t}", t] for t in range(2 + (i // 2 % 3 > 0))],
        )
        for i in range(n)
    ]


def claims_of(examples: list[dspy.Example]) -> set[str]:
    return {example["claim"] for example in examples}


def test_the_bench_holds_the_claims_with_three_titles(tmp_path: Path):
    bench = hoverBench(write(tmp_path / "c.jsonl", bench_records(240)))
    parts = (bench.train, bench.dev, bench.test)
    assert [len(part) for part in parts] == [80, 40, 40]
    everything = [example for part in parts for example in part]
    assert all(count_unique_docs(example) == 3 for example in everything)
    assert len(claims_of(everything)) == 160
    example = everything[0]
    assert isinstance(example, dspy.Example)
    assert set(example.inputs().keys()) == {"claim"}
    assert set(example.labels().keys()) == {"supporting_facts", "label"}
    assert example["supporting_facts"][1]["value"] == 1


def test_no_question_is_on_two_sides_of_the_bench(tmp_path: Path):
    path = write(tmp_path / "c.jsonl", bench_records(240))
    group_of = {
        c.claim: g for c, g in zip(load_claims(path), groups(load_claims(path)), strict=True)
    }
    bench = hoverBench(path)
    sides = [
        {group_of[c] for c in claims_of(part)} for part in (bench.train, bench.dev, bench.test)
    ]
    assert not (sides[0] & sides[1] or sides[0] & sides[2] or sides[1] & sides[2])


def test_the_bench_with_a_test_file_keeps_its_questions_out_of_training(tmp_path: Path):
    path = write(tmp_path / "c.jsonl", bench_records(240))
    other = [*bench_records(20, "t"), record(uid="x", claim="leak", hpqa_id="b-q1")]
    bench = hoverBench(path, test_path=write(tmp_path / "t.jsonl", other))
    assert claims_of(bench.test) == {r["claim"] for r in other}
    learned = claims_of(bench.train) | claims_of(bench.dev)
    assert len(learned) == 160 - 2  # both claims of question b-q1 are left out
    assert not learned & {"b claim 2", "b claim 3"}
    assert len(bench.train) == pytest.approx(3 * len(bench.dev), abs=6)


def test_the_bench_is_repeatable_and_follows_its_seed(tmp_path: Path):
    path = write(tmp_path / "c.jsonl", bench_records(120))
    order = [example["claim"] for example in hoverBench(path).train]
    assert [example["claim"] for example in hoverBench(path).train] == order
    assert [example["claim"] for example in hoverBench(path, seed=1).train] != order
    assert order != sorted(order)


def test_the_bench_takes_other_numbers_of_titles(tmp_path: Path):
    bench = hoverBench(write(tmp_path / "c.jsonl", bench_records(240)), n_titles=2)
    assert len(bench.train) + len(bench.dev) + len(bench.test) == 80


def test_too_few_questions_are_an_error(tmp_path: Path):
    with pytest.raises(UsageError, match="2 groups of claims"):
        hoverBench(write(tmp_path / "c.jsonl", bench_records(8)))


# --- the metric for programs ----------------------------------------------------------------------


def prediction(*titles: str) -> dspy.Prediction:
    return dspy.Prediction(retrieved_docs=[f"{title} | Some text | more." for title in titles])


def gold(*titles: str, hub: bool = True) -> dspy.Example:
    facts = [{"key": t, "value": 0} if hub else [t, 0] for t in titles]
    return dspy.Example(claim="c", supporting_facts=facts, label="SUPPORTED").with_inputs("claim")


@pytest.mark.parametrize("hub", [True, False])
def test_every_gold_title_must_be_retrieved(hub: bool):
    assert discrete_retrieval_eval(gold("Bell", "Skell", hub=hub), prediction("skell", "The Bell"))
    assert not discrete_retrieval_eval(gold("Bell", "Skell", hub=hub), prediction("Bell", "Oth"))
    assert not discrete_retrieval_eval(gold("Bell", hub=hub), prediction())


def test_the_metric_answers_a_bool_and_takes_a_trace():
    assert discrete_retrieval_eval(gold("Bell"), prediction("Bell"), None) is True
    assert discrete_retrieval_eval(gold("Bell"), prediction("Bel"), trace=[("a", "b")]) is False


def test_documents_after_the_21st_do_not_count():
    filler = [f"filler {i}" for i in range(20)]
    assert discrete_retrieval_eval(gold("Bell"), prediction(*filler, "Bell"))
    assert not discrete_retrieval_eval(gold("Bell"), prediction(*filler, "more", "Bell"))


def test_the_title_ends_at_the_first_bar_between_blanks():
    pred = dspy.Prediction(retrieved_docs=["Bell | by | Skell | text", "A|B | text", "no bar"])
    assert discrete_retrieval_eval(gold("Bell", "A|B", "no bar"), pred)
    assert not discrete_retrieval_eval(gold("Skell"), pred)


def test_the_metric_works_in_dspys_own_evaluation(tmp_path: Path):
    class Fixed(dspy.Module):
        def forward(self, claim: str) -> dspy.Prediction:
            return prediction("b 1 T0", "b 1 T1", "b 1 T2")

    bench = hoverBench(write(tmp_path / "c.jsonl", bench_records(240)))
    devset = bench.train + bench.dev + bench.test
    evaluate = dspy.Evaluate(devset=devset, metric=discrete_retrieval_eval, num_threads=1)
    result = evaluate(Fixed())
    assert result.score == pytest.approx(100 * 2 / 160, abs=0.01)


TITLE_TEXT = st.text(alphabet="aAnthe ,.'|-é東B1(", min_size=1, max_size=12)


@given(st.lists(TITLE_TEXT, min_size=1, max_size=3), st.lists(TITLE_TEXT, max_size=5))
def test_the_metric_agrees_with_dspys_normal_form(golds: list[str], found: list[str]):
    def plain(title: str) -> str:
        # DSPy takes all titles of articles and punctuation for one; here each stays itself.
        return normalize_text(title) or normal_title(title)

    docs = [f"{title} | text" for title in found]
    expected = {plain(t) for t in golds} <= {plain(doc.split(" | ")[0]) for doc in docs}
    pred = dspy.Prediction(retrieved_docs=docs)
    assert discrete_retrieval_eval(gold(*golds), pred) is expected


def test_unique_documents_are_counted_as_written():
    assert count_unique_docs(gold("Bell", "Skell", "Bell")) == 2
    assert count_unique_docs(gold("Bell", "Skell", "Bell", hub=False)) == 2
    assert count_unique_docs({"supporting_facts": [{"key": "Bell", "value": 1}]}) == 1


@given(TITLE_TEXT, st.text(max_size=20))
def test_a_document_gives_its_title_back(title: str, text: str):
    assume(normalize_text(title))  # a title of bars alone cannot be told from the separator
    document = format_document(title, text)
    assert normal_title(document_title(document)) == normal_title(title)
    assert document.endswith(f" | {text}")


def test_a_document_reads_as_programs_expect():
    assert format_document("Bell (film)", "It is | a film.") == "Bell (film) | It is | a film."
    assert format_document("Bell", "It rings.", "Parts > Clapper") == (
        "Bell | Parts > Clapper: It rings."
    )
    assert document_title("Bell (film) | It is | a film.") == "Bell (film)"
    assert document_title(format_document("Bell | Tower | Yard", "x")) == "Bell   Tower   Yard"


def test_reading_claims_does_not_import_dspy(tmp_path: Path):
    path = write(tmp_path / "c.jsonl", [RECORD])
    code = (
        "import sys; from pathlib import Path;"
        "from hippohover.evaluation import evaluate, hover, metrics, report, trec;"
        "hover.load_claims(Path(sys.argv[1]));"
        "print(sorted({'dspy', 'scipy.stats', 'rich'} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.strip() == "[]"


def test_global_random_numbers_are_left_alone(tmp_path: Path):
    path = write(tmp_path / "c.jsonl", bench_records(120))
    random.seed(5)
    before = random.getstate()
    hoverBench(path)
    assert random.getstate() == before
