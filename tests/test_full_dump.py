"""The recipe of the full dump, on a small one in its layout: served, interrupted, resumed."""

import bz2
import json
import sys
import tarfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from abstracts_dump import TOP, Text, write_dump
from full_dump import measured, recipe_of

from hippohover.recipe_files import load_recipe
from tests.indexing.corpus.corpus_samples import read_corpus

RECIPE = "hover-full-fast"
FIRST = ["Mara", "Otto", "Ines", "Pavel", "Lena", "Ruben", "Zoë", "Tomás", "Ada", "Ivo"]
LAST = ["Lindqvist", "Brenner", "Okafor", "Drozd", "Marlowe", "Sýkora", "Weir", "Vant"]
TOWNS = ["Aldermoor", "Kestrel Bay", "Nordhaven", "Tessel (town)", "Brod & Harrow"]

# The command, with chunks and a scan that a few hundred documents can be interrupted in.
SMALL_CHUNKS = """
import time
from hippohover.cli import main
from hippohover.indexing import build, chunk_stages

build._PASSAGES_A_CHUNK = 8
build.available_processors = lambda: 2
save = chunk_stages.save_columns

def save_slowly(path, columns):
    time.sleep(0.3 if path.name.startswith("found") else 0)
    save(path, columns)

chunk_stages.save_columns = save_slowly
main()
"""


def documents() -> list[Text]:
    """A world of people and towns that name each other."""
    people = [f"{first} {last}" for first in FIRST for last in LAST]
    found: list[Text] = []
    for n, (person, other) in enumerate(pairwise([*people, people[0]])):
        town = TOWNS[n % len(TOWNS)].removesuffix(" (town)")
        text = f"{person} is an actor born in {town}. In {1900 + n} {other} met {person} there."
        found.append((person, text))
        film = f"{person.split()[0]} of {town}, part {n}"
        found.append((film, f"{film} is a drama. It was directed by {person} & {other}."))
    for town, other in pairwise([*TOWNS, TOWNS[0]]):
        found.append((town, f"It is a town on the coast, < 9 miles from {other}."))
    return found


def records_of(archive: Path) -> dict[str, list[dict[str, Any]]]:
    """Records of each member."""
    found: dict[str, list[dict[str, Any]]] = {}
    with tarfile.open(archive, "r:bz2") as opened:
        for member in opened:
            content = opened.extractfile(member)
            assert content is not None
            lines = bz2.decompress(content.read()).decode().splitlines()
            found[member.name] = [json.loads(line) for line in lines]
    return found


def test_a_dump_has_the_layout_of_hotpotqas(tmp_path: Path):
    archive = tmp_path / "dump.tar.bz2"
    dump = write_dump(documents(), archive, documents_a_member=1)
    members = records_of(archive)
    names = [f"{TOP}/{place}.bz2" for place in ("AA/wiki_00", "AA/wiki_99", "AB/wiki_00")]
    assert [list(members)[at] for at in (0, 99, 100)] == names
    assert (dump.n_documents, dump.n_members) == (len(documents()), len(members))
    records = [record for some in members.values() for record in some]
    (town,) = [record for record in records if record["title"] == "Brod &amp; Harrow"]
    assert town["text"] == ["It is a town on the coast, < 9 miles from Aldermoor."]
    assert town["text_with_links"][0].endswith('<a href="Aldermoor">Aldermoor</a>.')
    linked = "".join(sentence for record in records for sentence in record["text_with_links"])
    assert '<a href="Tessel%20%28town%29">Tessel</a>' in linked
    assert linked.count("<a href=") == dump.n_links > len(records)
    for record in records:
        for key in ("", "_with_links"):
            whole = "".join(record[f"text{key}"])
            spans = [span for sentence in record[f"charoffset{key}"] for span in sentence]
            assert "".join(whole[start:end] for start, end in spans) == (
                "".join(whole.split()).replace("<ahref", "<a href")
            )
    write_dump(documents(), tmp_path / "again.tar.bz2", documents_a_member=1)
    assert (tmp_path / "again.tar.bz2").read_bytes() == archive.read_bytes()


def test_a_dump_is_read_as_what_it_was_made_of(tmp_path: Path):
    archive = tmp_path / "dump.tar.bz2"
    dump = write_dump(documents(), archive, documents_a_member=7)
    passages = list(read_corpus(archive))
    assert [(passage.title, passage.text) for passage in passages] == documents()
    assert sum(len(passage.links) for passage in passages) == dump.n_links


def test_of_a_recipe_only_what_is_downloaded_is_another(tmp_path: Path):
    archive = tmp_path / "dump.tar.bz2"
    archive.write_bytes(b"some bytes")
    changed = load_recipe(recipe_of(RECIPE, "http://127.0.0.1/a", archive, tmp_path / "r.toml"))
    shipped = load_recipe(RECIPE)
    assert changed.as_dict() == shipped.as_dict()
    assert (changed.corpus.url, changed.corpus.n_bytes) == ("http://127.0.0.1/a", 10)


@pytest.mark.slow
def test_the_full_dump_is_built_though_it_is_stopped_twice(tmp_path: Path):
    found = measured(
        documents(), tmp_path / "work", recipe=RECIPE, bytes_a_second=6_000,
        documents_a_member=10, command=[sys.executable, "-c", SMALL_CHUNKS],
    )  # fmt: skip
    assert found["equal"]
    killed, stopped, last = found["runs"]
    assert [request["range"] for request in killed["requests"]] == [None]
    assert [request["range"] for request in stopped["requests"]] == [
        f"bytes={killed['n_bytes_there']}-"
    ]
    assert last["requests"] == []
    assert stopped["chunks_done"] > 0
    assert last["chunks_done"] == stopped["chunks"] - stopped["chunks_done"] > 0
    assert last["chunks_done_again"] == 0
    assert found["read"]["n_documents"] == len(documents())
