"""Reading claims, and the benchmark's metric against DSPy's own normal form."""

import gzip
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import dspy
import pytest
from dspy.evaluate import normalize_text
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from hippohover.errors import CorpusError
from hippohover.evaluation.hover import (
    GoldClaim,
    MissingGold,
    count_unique_docs,
    discrete_retrieval_eval,
    document_title,
    equal_titles,
    format_document,
    load_claims,
    missing_gold,
    read_claims,
)
from hippohover.names.normal_forms import normal_title
from hippohover.records import passage_id
from tests.evaluation.claim_samples import RECORD, claim, record, write

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


QUESTION = {"_id": "h0", "question": "Who sang?"}
FEVER = [[[1, 2, "Bell_-LRB-film-RRB-", 0]]]
PARAGRAPH = {"title": "Bell", "paragraph_text": "It rings.", "is_supporting": True}


@pytest.mark.parametrize(
    ("fields", "gold", "understood"),
    [
        (
            QUESTION | {"supporting_facts": [["Bell", 0]], "context": []},
            ("Bell",),
            "question as claim, _id as uid, gold by title from supporting_facts",
        ),
        (
            {"id": 7, "claim": "It rang.", "label": "SUPPORTS", "evidence": FEVER},
            ("Bell (film)",),
            "claim as claim, id as uid, gold by title from evidence",
        ),
        (
            {"id": "2hop__1", "question": "Who sang?", "paragraphs": [PARAGRAPH]},
            (passage_id("Bell", "It rings.", 0),),
            "question as claim, id as uid, gold by passage from paragraphs",
        ),
    ],
)
def test_other_benchmarks_own_files(
    tmp_path: Path, fields: dict[str, object], gold: tuple[str, ...], understood: str
):
    found = read_claims(write(tmp_path / "c.jsonl", [fields]))
    assert found.understood == f"read 1 claim: {understood}"
    assert not found.is_hovers
    (one,) = found.claims
    assert one.uid == str(fields.get("_id") or fields["id"])
    assert one.gold == gold
    assert one.num_hops == 1


def test_hovers_own_form_is_known(tmp_path: Path):
    found = read_claims(write(tmp_path / "c.jsonl", [RECORD, RECORD]))
    assert found.is_hovers
    assert found.understood == (
        "read 2 claims: claim as claim, uid as uid, gold by title from supporting_facts"
    )
    hub = record(label=1, supporting_facts=[{"key": "Bell", "value": 0}])
    assert not read_claims(write(tmp_path / "c.jsonl", [hub])).is_hovers


@pytest.mark.parametrize(
    ("label", "meant"), [(0, "NOT_SUPPORTED"), (1, "SUPPORTED"), (-1, ""), ("REFUTES", "REFUTES")]
)
def test_labels_of_the_hub_are_numbers(tmp_path: Path, label: object, meant: str):
    (found,) = load_claims(write(tmp_path / "c.jsonl", [record(label=label)]))
    assert found.label == meant


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("queries.jsonl", '{"_id": "q 1", "text": "Who?"}\n{"_id": "q2", "text": "Where?"}\n'),
        ("queries.tsv", "q 1\tWho?\nq2\tWhere?\n"),
        ("queries.csv", "qid,query\nq 1,Who?\nq2,Where?\n"),
        ("topics", "<top>\n<num> q 1\n<title> Who?\n</top>\n<top><num>q2<title>Where?</top>"),
    ],
)
def test_gold_may_stand_in_qrels(tmp_path: Path, name: str, content: str):
    (tmp_path / name).write_text(content.replace("q 1\t", "q1\t"), encoding="utf-8")
    qrels = tmp_path / "test.tsv"
    qrels.write_text("q1\td1\t1\nq%201\td1\t1\nq9\td2\t1\n", encoding="utf-8")
    found = read_claims(tmp_path / name, qrels=qrels)
    assert found.understood.startswith("read 1 claim of 2, because the others have no gold: ")
    assert found.understood.endswith("gold by id from test.tsv")
    (one,) = found.claims
    assert (one.claim, one.gold, one.gold_titles) == ("Who?", ("d1",), ())


def test_qrels_go_before_gold_in_the_file(tmp_path: Path):
    (tmp_path / "q").write_text("c-1 0 d1 1", encoding="utf-8")
    found = load_claims(write(tmp_path / "c.jsonl", [RECORD]), qrels=tmp_path / "q")
    assert [claim.gold for claim in found] == [("d1",)]


def test_without_gold_one_line_says_what_is_missing(tmp_path: Path):
    claims = write(tmp_path / "queries.jsonl", [{"_id": "q1", "text": "Who?"}])
    with pytest.raises(CorpusError, match=r"no claim says what should be .* give --qrels FILE"):
        read_claims(claims)
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("q7\td1\t1\n", encoding="utf-8")
    with pytest.raises(CorpusError, match=r"give --qrels .*qrels/test\.tsv"):
        read_claims(claims)
    with pytest.raises(CorpusError, match=r"no claim has its id in .*test\.tsv"):
        read_claims(claims, qrels=tmp_path / "qrels" / "test.tsv")


def test_gold_of_two_kinds_is_refused(tmp_path: Path):
    rows = [QUESTION | {"supporting_facts": [["Bell", 0]]}, QUESTION | {"paragraphs": [PARAGRAPH]}]
    with pytest.raises(CorpusError, match="by title for some claims, by id for others"):
        load_claims(write(tmp_path / "c.jsonl", rows))


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


def test_a_claim_without_uid_has_the_number_of_its_line(tmp_path: Path):
    short = {key: value for key, value in RECORD.items() if key != "uid"}
    lines = load_claims(write(tmp_path / "c.jsonl", [RECORD, short]))
    assert [claim.uid for claim in lines] == ["c-1", "2"]
    (tmp_path / "c.json").write_text(json.dumps([RECORD, short]), encoding="utf-8")
    assert [claim.uid for claim in load_claims(tmp_path / "c.json")] == ["c-1", "1"]


def test_missing_fields_are_bad(tmp_path: Path):
    for name in ("claim", "supporting_facts"):
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


def test_missing_ids_are_named_as_they_are_and_passages_with_their_title():
    claims = [replace(claim("a", "Bell"), gold_ids=("D-1",)), replace(claim("b"), gold_ids=("x",))]
    assert missing_gold(claims, ["d1", "x"]) == [MissingGold("Bell (D-1)", ("a",))]


def test_titles_that_are_one_for_the_metric():
    titles = ["Dune", "Mill", "C", "C#", "The Dune", "Mill", "C++", ""]
    assert equal_titles(titles) == [("Dune", "The Dune"), ("C", "C#", "C++")]
    assert equal_titles(["Dune", "Mill"]) == []


def test_nothing_is_held_by_an_index_without_titles():
    assert [m.title for m in missing_gold([claim("a", "Bell")], ["", "", ""])] == ["Bell"]
    assert missing_gold([], ["Bell"]) == []


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


def test_of_an_object_without_a_claim_the_claim_is_missed_first(tmp_path: Path):
    with pytest.raises(CorpusError, match=r"claim is None: give an object with the claim"):
        load_claims(write(tmp_path / "c.jsonl", [{"a": 1}]))


def test_a_table_without_ids_takes_those_that_qrels_name(tmp_path: Path):
    (tmp_path / "c.csv").write_text("nr,query\n2,Who sang?\n1,Who rang?", encoding="utf-8")
    (tmp_path / "q.txt").write_text("1 0 d1 1\n2 0 d2 1\n", encoding="utf-8")
    found = read_claims(tmp_path / "c.csv", qrels=tmp_path / "q.txt")
    assert [(claim.uid, claim.gold_ids) for claim in found.claims] == [
        ("2", ("d2",)), ("1", ("d1",)),
    ]  # fmt: skip
