"""Targets of fuzzing: everything that is read from outside. By one command:

    python -m tests.fuzz_targets --runs 10000 [--target NAME] [--engine atheris] [--seed N]

A target takes bytes and reads them as its file or its text. It may end well, or raise an error of
the package whose text is one printable line; anything else is a finding: another exception, a dead
process, more processor time or more memory than ``fuzz_run.py`` allows. ``test_fuzz.py`` runs a
little of it in every run of the tests.
"""

import atexit
import bz2
import gzip
import html
import json
import os
import shutil
import sys
import tempfile
import time
import unicodedata
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, suppress
from functools import cache, partial
from hashlib import sha256
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow
from pyarrow import parquet

from hippohover.cli.claims import read_queries
from hippohover.errors import CorpusError, HippoHoverError
from hippohover.evaluation.hover import load_claims
from hippohover.evaluation.qrels import read_qrels
from hippohover.indexing.build import build
from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.files.streams import damage_named, open_stream
from hippohover.indexing.corpus.readers.records import json_values
from hippohover.indexing.corpus.records import (
    BadRecord,
    Document,
    PassedOver,
    Understood,
    clean_text,
    clean_title,
)
from hippohover.indexing.triples.from_file import FileTriples
from hippohover.names.aliases import merge, read_aliases
from hippohover.names.normal_forms import (
    entity_key,
    normal_title,
    tokens,
    tokens_and_breaks,
    without_unseen,
)
from hippohover.recipe import NO_FIELDS, IndexRecipe, QuerySettings
from hippohover.recipe_files import load_recipe
from hippohover.records import Passage, PassageId
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.where import Condition
from hippohover.store.reader import StoredIndex
from hippohover.toy import toy_claims_path, toy_corpus_path
from hippohover.vectors.faiss_index import NearestIndex
from tests.fuzz_indexes import KINDS, altered_index
from tests.index_samples import publish, seal_manifest
from tests.indexing.corpus.corpus_samples import (
    WRITERS,
    read_corpus,
    tar_bytes,
    wiki_dump,
    wiki_page,
)
from tests.indexing.corpus.readers.office import office_samples
from tests.indexing.corpus.readers.texts.fuzz_samples import FILES, read_file

TOY: Final = IndexRecipe(
    name="toy", extractor="between", encoder="none", query=QuerySettings(rerank=False)
)


class Target(NamedTuple):
    """What reads the bytes, and whole examples of them."""

    run: Callable[[bytes], None]
    samples: Callable[[], Sequence[bytes]]


@cache
def scratch() -> Path:
    """A folder of this process."""
    made = Path(tempfile.mkdtemp(prefix="fuzz-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def put(name: str, data: bytes) -> Path:
    """A new file with these bytes: an older one may still be mapped."""
    path = scratch() / name
    path.unlink(missing_ok=True)
    path.write_bytes(data)
    return path


# Corpora


def corpus(name: str, format_name: str, data: bytes) -> None:
    """Every passage holds what is promised of it."""
    _read_corpus(put(name, data), format_name)


def hotpotqa(data: bytes) -> None:
    """The lines of one member, packed as the reader wants them."""
    packed = tar_bytes([("top/AA/wiki_00.bz2", bz2.compress(data, 1))])
    _read_corpus(put("corpus", bz2.compress(packed, 1)), "hotpotqa")


def tar(data: bytes) -> None:
    """A tar, packed after it was damaged."""
    _read_corpus(put("corpus", gzip.compress(data, 1)), "wiki-abstracts")


def record_file(module: str, data: bytes) -> None:
    """A file of records in a folder: damage ends in what is told of the file, and in no error."""
    reader = import_module(f"hippohover.indexing.corpus.readers.records.{module}")
    file = SourceFile("in/file", partial(open_stream, put("file", data)))
    for record in reader.read(file):
        if isinstance(record, Document):
            assert record.title == clean_title(record.title) != ""
            assert record.text == clean_text(record.text)
            assert all(0 <= link.offset <= len(record.text) for link in record.links)
        elif isinstance(record, BadRecord):
            assert record.reason.strip()
        else:
            assert isinstance(record, Understood | PassedOver)


def _json_files() -> list[bytes]:
    docs = [{"title": "T", "text": "One. Two."}, {"_id": 7, "contents": ["x", "y"], "links": []}]
    question = {"question": "Who?", "context": [["T", ["One."]]], "paragraphs": [docs[0]]}
    page = {"id": "A_-LRB-b-RRB-", "text": "x", "lines": "0\tx\tx\tA_b\n1\t"}
    wholes: list[object] = [
        {"docs": docs, "mean": 1.5}, {"T": ["One.", "Two."], "U": "A text of five words here."},
        {"d1": docs[0], "d2": docs[0]}, docs[0], [question, question], [page, page],
    ]  # fmt: skip
    lines = b"\n".join(json.dumps(record, indent=2).encode() for record in docs)
    return [*(json.dumps(whole, indent=1).encode() for whole in wholes), lines]


def _table_files() -> list[bytes]:
    return [
        b'\xef\xbb\xbfid,Title,Body,links\n1,T,"One ""two"",\nthree.",Elm|Ott\n2,U,x,\n',
        b'id\ttext\ttitle\n1\t"Aaron"\tA\n2\t"x" y\tB\n',
        b"0\tThe mill.\n1\tIt fell.\n",
        b"Region;Rate\nNorth;12 %\nSouth;9 %\n",
    ]


def _parquet_files() -> list[bytes]:
    rows = [{"_id": n, "title": f"T{n}", "text": [f"One {n}.", "Two."] * 3} for n in range(50)]
    made: list[bytes] = []
    for packing in ("none", "snappy", "zstd", "gzip"):
        path = scratch() / "made.parquet"
        table = pyarrow.Table.from_pylist(rows)
        parquet.write_table(table, path, compression=packing, row_group_size=20)
        made.append(path.read_bytes())
    return made


def _dumps() -> list[bytes]:
    wikitext = (
        "{{Infobox|a={{b}}}}\n'''T''' is a [[weir (lock)|weir]].<ref>x</ref>\n== A ==\n{| class=x\n"
        "| a || b\n|}\n* [http://x.org y] &ndash; <b>z</b>\n[[File:a.jpg|thumb|[[b]]]]"
    )
    return [wiki_dump(wiki_page("T", wikitext), wiki_page("R", "x", redirect="T")), wiki_dump()]


def _extracts() -> list[bytes]:
    head = b'<doc id="1" url="u" title="T &amp; U">\nT &amp; U\n\n'
    text = b'By the &lt;a href="B%20C"&gt;b&lt;/a&gt;.\n</doc>\n'
    return [(head + text) * 3, b'{"id": "1", "url": "u", "title": "T", "text": "One."}\n' * 3]


def triples(data: bytes) -> None:
    """HippoRAG's file: what is taken from it can be written."""
    path = put("openie.json", data)
    with damage_named(str(path)):
        rows = json_values.read.rows(SourceFile(path.name, partial(open_stream, path)), NO_FIELDS)
        file = FileTriples((r[1] for r in rows if not isinstance(r, BadRecord)), digest="0")
    passages = [Passage(PassageId("0"), title, text) for title, text in (("T", "x y"), ("", "T"))]
    for found in file.extract(passages):
        for triple in found:
            assert all(part.strip() and part.encode() for part in triple.words())


def _triples_files() -> list[bytes]:
    docs = [
        {"idx": "a", "passage": "T\nx y", "extracted_triples": [["T", "is", "x"], ["a"]]},
        {"passage": "T", "extracted_triples": [["T", "is", "T"]]},
    ]
    return [json.dumps({"docs": docs, "n": 1}).encode(), json.dumps(docs).encode()]


def folder(data: bytes) -> None:
    """Names and contents by turns, between bytes that no text has."""
    root = scratch() / "folder"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    pieces = data.split(b"\xfe\xfe")
    for name, content in zip(pieces[::2], pieces[1::2], strict=False):
        path = os.fsencode(root) + b"/" + name.translate(None, b"/\0")[:200].strip(b".")
        if not os.path.isdir(path):  # noqa: PTH112
            with open(path, "wb") as file:  # noqa: PTH123
                file.write(content)
    _read_corpus(root, "folder")


def _read_corpus(path: Path, format_name: str) -> None:
    for passage in read_corpus(path, format=format_name, max_words=5, max_bad_share=0.5):
        assert passage.title
        assert passage.title == " ".join(passage.title.split())
        assert passage.text == clean_text(passage.text).strip() != ""
        passage.text.encode()
        passage.title.encode()


@cache
def _sample_files() -> dict[str, bytes]:
    return {
        name: writer(Path(tempfile.mkdtemp(dir=scratch()))).read_bytes()
        for name, writer in WRITERS.items()
        if name != "folder"
    }


def _unpacked(name: str) -> bytes:
    return gzip.decompress(_sample_files()[name])


def _hotpotqa_lines() -> bytes:
    tarred = bz2.decompress(_sample_files()["hotpotqa"])
    start = tarred.index(b"BZh")
    return bz2.BZ2Decompressor().decompress(tarred[start:])


def _jsonl() -> list[bytes]:
    odd = b'{"title": "T", "text": ["a.", "b"], "links": ["b", ""], "id": 1e5, "x": NaN}\n\n'
    return [_unpacked("jsonl"), odd, b"\xef\xbb\xbf" + odd * 3]


def _tars() -> list[bytes]:
    long_name = tar_bytes([("folder/" * 40 + "a.jsonl", b'{"title": "T", "text": "x"}\n')])
    return [_unpacked("wiki-abstracts"), long_name]


def _packed() -> list[bytes]:
    return [*_sample_files().values(), _unpacked("jsonl"), _unpacked("hipporag")]


def _folders() -> list[bytes]:
    files = [b"A title.txt", b"Text.\nMore.", b"note.md", b"# Head #\n\nText", b"B.TXT", b"\xff"]
    return [
        b"\xfe\xfe".join(files),
        b"\xfe\xfe".join(files[2:4] * 3 + ["Größe 中.md".encode(), b"x"]),
    ]


# Documents of offices


def office(kind: str, data: bytes) -> None:
    """A file; or one part of a package, which is packed after it was damaged."""
    whole, part = _packages().get(kind, (b"", ""))
    if part and not data.startswith(b"PK"):
        data = office_samples.repacked(whole, {part: data})
    record, *others = office_samples.records(f"folder/fuzzed.{kind}", data)
    assert all(isinstance(other, BadRecord) for other in others)  # pages that it lists and lacks
    if isinstance(record, BadRecord):
        raise CorpusError(f"{record.place}: {record.reason}")
    assert record.title == clean_title(record.title) != ""
    assert record.text == clean_text(record.text)
    record.text.encode()
    for places in (record.headings, record.pages):
        offsets = [place.offset for place in places]
        assert offsets == sorted(offsets)
        assert all(0 <= offset <= len(record.text) for offset in offsets)
    assert all(0 <= link.offset <= len(record.text) for link in record.links)


@cache
def _packages() -> dict[str, tuple[bytes, str]]:
    """A whole file of each kind, and its part with the text."""
    return {
        "docx": (office_samples.report_docx(), "word/document.xml"),
        "pptx": (office_samples.talk_pptx(), "ppt/slides/slide2.xml"),
        "epub": (office_samples.novel_epub(), "OEBPS/b.xhtml"),
        "odt": (office_samples.log_odt(), "content.xml"),
    }


def _of_package(kind: str) -> list[bytes]:
    whole, part = _packages()[kind]
    return [whole, *[office_samples.part_of(whole, part).encode()] * 3]


def _text_files(place: str) -> list[bytes]:
    return [text.encode() if isinstance(text, str) else text for text in FILES[place][1]]


# Recipes and claims


def recipe(data: bytes) -> None:
    """A recipe that is taken can be written down and hashed."""
    taken = load_recipe(put("recipe.toml", data))
    assert (
        IndexRecipe.model_validate(json.loads(json.dumps(taken.as_dict()))).sha256 == taken.sha256
    )


def _recipes() -> list[bytes]:
    shipped = sorted((Path(__file__).parents[1] / "index").glob("*.toml"))
    whole = b"""name = "n"\nextractor = "llm"\nfact_vectors = true\nmax_failure_share = 0.5
[corpus]\npath = "a"\nsha256 = "%s"\nn_bytes = 5\nformat = "jsonl"\ntitles = "hidden"
[language_model]\nname = "openai/x"\napi_base = "http://localhost:80/v1"\nparallel = 2
[query]\ndamping = 0.5\nsolver = "prpack"\nn_candidates = 30\nrerank = false
[query.filter]\nmax_kept = 3\n[query.weights]\ntitle = 1\n""" % (b"a" * 64)
    return [*(path.read_bytes() for path in shipped), whole]


def aliases(data: bytes) -> None:
    """What is merged is found in texts, and no name at an end stands for another."""
    merged = merge(read_aliases(put("aliases.tsv", data)))
    assert set(merged.keys.values()) == set(merged.written)
    assert not set(merged.keys) & set(merged.written)


def _aliases() -> list[bytes]:
    chain = b"".join(b"n %d\tn %d\n" % (at, at + 1) for at in range(50))
    return [b"JFK\tJohn F. Kennedy\nJack\tJFK\n\n", "Ø\tÖ\nα β\tΑ Β\n".encode(), chain]


def conditions(data: bytes) -> None:
    """A condition, and a file of values: who answers meets it."""
    text = data.decode("utf-8", "surrogateescape")
    engine = _engine()
    refusals: list[HippoHoverError] = []
    for said in (f"title@{put('values.txt', data)}", text.replace("@", "=")):
        try:
            condition = Condition.parse(said)
            found = engine.retrieve("Lantern Hill", where=[condition]).passages
        except HippoHoverError as error:
            assert str(error).isprintable(), repr(str(error))
            assert len(str(error)) < 1000
            refusals.append(error)
            continue
        assert found
        for passage in found:
            value = passage.pid if condition.field == "pid" else passage.title
            met = value.startswith if condition.prefix else value.__eq__
            wanted = (
                unicodedata.normalize("NFC", " ".join(without_unseen(v).split()))
                for v in condition.values
            )
            assert any(map(met, wanted))
    if len(refusals) == 2:
        raise refusals[0]


def _conditions() -> list[bytes]:
    titles = "\n".join(_engine().titles()[:20]).encode()
    return [b"title^=L", b"title=Mira Oldane", b"pid=0", b"lang=en", b"title^=The ", titles]


def claims(data: bytes) -> None:
    """What evaluations read."""
    for claim in load_claims(put("claims", data)):
        assert claim.claim.strip()
        assert claim.gold
        claim.claim.encode()


def queries(data: bytes) -> None:
    """What ``query --file`` reads, by each name that tells how; refused where all of them are."""
    endings = ("", ".txt", ".json", ".jsonl", ".csv", ".tsv")
    refusals: list[HippoHoverError] = []
    for ending in endings:
        try:
            with redirect_stderr(StringIO()) as said:
                found = read_queries(put(f"claims{ending}", data), max_chars=300)
            assert all(query.claim.strip() for query in found)
            assert said.getvalue().count("\n") <= 1
        except HippoHoverError as error:
            assert str(error).isprintable(), repr(str(error))
            refusals.append(error)
    if len(refusals) == len(endings):
        raise refusals[0]


def qrels(data: bytes) -> None:
    """What is relevant to which claim."""
    for query, documents in read_qrels(put("qrels", data)).items():
        assert query == query.strip() or data.lstrip()[:1] == b"{"
        assert documents


def _qrels() -> list[bytes]:
    beir = b"query-id\tcorpus-id\tscore\nq1\td 1\t1\nq1\td2\t0\n"
    return [beir, b"301 0 FT-1 1\n302 0 FT-2 -1\n", b'{"q1": {"d1": 1, "d2": 0.5}}']


def _claims() -> list[bytes]:
    lines = toy_claims_path().read_bytes().splitlines(keepends=True)[:3]
    array = json.dumps([json.loads(line) for line in lines], indent=1).encode()
    hub = b'[{"uid": 1, "claim": "c", "supporting_facts": [{"key": "T", "value": 0}]}]'
    text = b"One claim.\nAnother one, of 1931.\n"
    others: list[dict[str, object]] = [
        {"_id": "a", "question": "q", "supporting_facts": {"title": ["T"], "sent_id": [0]}},
        {"id": 1, "claim": "c", "evidence": [[[1, 2, "T_-LRB-x-RRB-", 0], [1, 2, None, None]]]},
        {"id": "b", "question": "q", "paragraphs": [
            {"title": "T", "paragraph_text": "x", "is_supporting": True, "idx": 0}]},
    ]  # fmt: skip
    packed = [gzip.compress(array), gzip.compress(text)]
    return [b"".join(lines), array, hub, text, *packed, *(json.dumps(o).encode() for o in others)]


def _queries() -> list[bytes]:
    topics = b'<top>\n<num> Number: 301\n<title> A &amp; b\n</top>\n<topic number="2"><query>c'
    csv = b'qid,query\n1,"Who, ""then""?"\n'
    beir = b'{"_id": "q", "text": "Who?"}\n'
    return [*_claims(), topics, csv, beir, b"1\tWho?\n2\tWhy?\n", b'{"1": "Who?", "2": "Why?"}']


@cache
def _engine() -> HippoHover:
    return HippoHover.open(toy_index())


@cache
def toy_index() -> Path:
    """Root of an index of the toy corpus."""
    return build(TOY, corpus=toy_corpus_path(), out=scratch() / "toy")


def claim_text(data: bytes) -> None:
    """A claim is answered by every retriever that needs no vectors."""
    try:
        text = data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
    engine = _engine()
    for retriever in ("ppr", "bm25"):
        found = engine.retrieve(text, retriever=retriever).passages
        assert len(found) <= 21
        assert len({passage.pid for passage in found}) == len(found)
        assert all(np.isfinite(passage.score) for passage in found)
    engine.names_in(text)


def _claim_texts() -> list[bytes]:
    lines = toy_claims_path().read_bytes().splitlines()[:20]
    titles = " ".join(_engine().titles()).encode()
    return [*(json.loads(line)["claim"].encode() for line in lines), titles[:3000], b"a " * 4999]


def names(data: bytes) -> None:
    """Keys are stable, whatever the text and however its marks are written."""
    text = data.decode("utf-8", "replace")
    key = entity_key(text)
    assert entity_key(key) == key
    assert entity_key(unicodedata.normalize("NFC", text)) == key
    assert entity_key(unicodedata.normalize("NFD", text)) == key
    assert (key == "") == (not html.unescape(text).split())
    assert len(tokens_and_breaks(text)[0]) == len(tokens_and_breaks(text)[1])
    assert len(tokens(text)[0]) == len(tokens(text)[1])
    normal_title(text)


def _names() -> list[bytes]:
    letters = [chr(code) for code in range(0xA0, 0x30000) if chr(code).isalpha()]
    marks = [chr(code) for code in range(0x300, 0x20000) if unicodedata.combining(chr(code))]
    mixed = ["".join(pair) for pair in zip(letters[::29], marks * 9, strict=False)]
    texts = ["Brod & Sýkora (film)", "琥珀の塔", "برج الكهرمان", "ÅÄÖ", "⑶中 &amp;lt; ﬁ"]
    texts += ["".join(mixed[at : at + 40]) for at in range(0, len(mixed), 40)]
    return [text.encode() for text in texts]


# Indexes on disk


@cache
def _small() -> Path:
    return publish(scratch() / "small")


@cache
def _parts() -> dict[str, bytes]:
    """The files of a small index."""
    return {name: (_small() / name).read_bytes() for name in _files(_small())}


def _files(version: Path) -> list[str]:
    return sorted(path.relative_to(version).as_posix() for path in version.rglob("*.*"))


def manifest(data: bytes) -> None:
    """A manifest with its sum; then the index is verified, opened and asked."""
    version = _copied_toy()
    seal_manifest(version, data)
    with StoredIndex.open(version) as stored:
        for line in stored.verify():
            assert line.isprintable()
    engine = HippoHover.open(version)
    try:
        engine.retrieve("The director of Lantern Hill was born in Vellmouth.")
    finally:
        engine.close()


@cache
def _copied_toy() -> Path:
    return Path(shutil.copytree(toy_index(), scratch() / "copy")) / "v000001"


def _manifests() -> list[bytes]:
    return [(toy_index() / "v000001" / "manifest.json").read_bytes()]


def index_file(name: str, data: bytes) -> None:
    """One file of an index, with a manifest that says what it now is; all of it is read."""
    (_small() / name).unlink(missing_ok=True)
    (_small() / name).write_bytes(data)
    known = json.loads(_parts()["manifest.json"])
    known["files"][name] = {"sha256": sha256(data).hexdigest(), "n_bytes": len(data)}
    seal_manifest(_small(), json.dumps(known).encode())
    try:
        with StoredIndex.open(_small()) as stored:
            assert stored.verify() == []
            if name.endswith(".npy"):
                stored.array(name).tobytes()
            else:
                table = stored.table(name)
                # Offsets inside are held by the sum alone: who alters both is believed.
                with suppress(pyarrow.ArrowException, UnicodeDecodeError):
                    table.validate(full=True)
                    table.to_pylist()
    finally:
        (_small() / name).unlink()  # it may still be mapped
        (_small() / name).write_bytes(_parts()[name])


def altered(data: bytes) -> None:
    """Any file of an index, without a word in the manifest: refused, unless it is as it was."""
    names_of_all = sorted(_parts())
    name = names_of_all[data[0] % len(names_of_all)] if data else names_of_all[0]
    content = data[1:]
    for other, whole in _parts().items():
        (_small() / other).write_bytes(content if other == name else whole)
    try:
        with StoredIndex.open(_small()) as stored:
            stored.log()
            assert content == _parts()[name] or name == "build_log.json"
    finally:
        (_small() / name).write_bytes(_parts()[name])


def beside(data: bytes) -> None:
    """What has no checksum: the pointer, the log and the list of sums."""
    version = _copied_toy()
    root = version.parent
    seal_manifest(version, _manifests()[0])
    (version / "build_log.json").write_bytes(data)
    (version / "checked.json").write_bytes(data)
    with StoredIndex.open(version) as stored:
        stored.log()
    (root / "CURRENT").write_bytes(data)
    with StoredIndex.open(root):
        pass


def _beside() -> list[bytes]:
    log = (toy_index() / "v000001" / "build_log.json").read_bytes()
    return [b"v000001\n", b"v000001", b'{"passages.arrow": [12, 34]}', log]


def near(data: bytes) -> None:
    """The file beside vectors that says how near rows are found."""
    NearestIndex.open(put("near", data), _vectors()).search(_vectors()[0], 2)


@cache
def _vectors() -> Any:  # noqa: ANN401
    return np.eye(4, dtype=np.float32)


def _near() -> list[bytes]:
    NearestIndex.build(_vectors()).save(scratch() / "near")
    return [(scratch() / "near").read_bytes()]


# Wrong on purpose, to see that each kind of finding is found


def _raises(data: bytes) -> None:
    if b"\0" in data:
        raise KeyError(data)


class _TwoLinesError(HippoHoverError):
    def __str__(self) -> str:
        return "one line\nand another"


def _speaks_twice(data: bytes) -> None:
    if len(data) > 3:
        raise _TwoLinesError


def _hangs(data: bytes) -> None:
    while len(data) > 3:
        pass


def _eats(data: bytes) -> None:
    if len(data) > 3:
        bytearray(2**29)[::4096] = b"x" * 2**17


def _dies(data: bytes) -> None:
    if len(data) > 3:
        os.abort()


def _waits(data: bytes) -> None:
    if len(data) > 3:
        time.sleep(10**6)


TARGETS: Final[dict[str, Target]] = {
    "jsonl": Target(partial(corpus, "corpus.jsonl", "jsonl"), _jsonl),
    "hipporag": Target(
        partial(corpus, "corpus.json", "hipporag"), lambda: [_unpacked("hipporag"), b"[1, {}]"]
    ),
    "hotpotqa": Target(hotpotqa, lambda: [_hotpotqa_lines()]),
    "wiki-abstracts": Target(tar, _tars),
    "sqlite": Target(partial(corpus, "corpus.db", "sqlite"), lambda: [_sample_files()["sqlite"]]),
    "folder": Target(folder, _folders),
    "record-json": Target(partial(record_file, "json_values"), _json_files),
    "record-table": Target(partial(record_file, "tables"), _table_files),
    "record-parquet": Target(partial(record_file, "parquet"), _parquet_files),
    "record-wiki-extracts": Target(partial(record_file, "wiki_extracts"), _extracts),
    "record-mediawiki": Target(partial(record_file, "mediawiki"), _dumps),
    "triples": Target(triples, _triples_files),
    "any-corpus": Target(partial(corpus, "corpus", "auto"), _packed),
    "pdf": Target(
        partial(office, "pdf"),
        lambda: [office_samples.report_pdf(2), office_samples.plain_pdf("A (memo)", title="T")],
    ),
    "docx": Target(partial(office, "docx"), partial(_of_package, "docx")),
    "pptx": Target(partial(office, "pptx"), partial(_of_package, "pptx")),
    "epub": Target(partial(office, "epub"), partial(_of_package, "epub")),
    "odt": Target(partial(office, "odt"), partial(_of_package, "odt")),
    **{
        place.rpartition(".")[2]: Target(partial(read_file, place), partial(_text_files, place))
        for place in FILES
    },
    "recipe": Target(recipe, _recipes),
    "aliases": Target(aliases, _aliases),
    "conditions": Target(conditions, _conditions),
    "claims": Target(claims, _claims),
    "queries": Target(queries, _queries),
    "qrels": Target(qrels, _qrels),
    "claim-text": Target(claim_text, _claim_texts),
    "names": Target(names, _names),
    "manifest": Target(manifest, _manifests),
    "array": Target(
        partial(index_file, "graph/weights.npy"), lambda: [_parts()["graph/weights.npy"]]
    ),
    "table": Target(partial(index_file, "passages.arrow"), lambda: [_parts()["passages.arrow"]]),
    "altered": Target(
        altered, lambda: [bytes([at]) + _parts()[name] for at, name in enumerate(sorted(_parts()))]
    ),
    "beside": Target(beside, _beside),
    "near": Target(near, _near),
    "altered-index": Target(
        partial(altered_index, scratch), lambda: [*map(str.encode, KINDS), b"1", b"2"]
    ),
}

BROKEN: Final[dict[str, Target]] = {
    f"broken-{run.__name__[1:]}": Target(run, lambda: [b"0"])
    for run in (_raises, _speaks_twice, _hangs, _eats, _dies, _waits)
}


if __name__ == "__main__":
    from tests.fuzz_run import main

    sys.exit(main(sys.argv[1:]))
