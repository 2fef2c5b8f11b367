"""YAML: lists of records are a document each, settings one."""

import pytest

from hippohover.indexing.corpus.readers.records.yaml_values import read
from hippohover.indexing.corpus.records import BadRecord, Document
from tests.indexing.corpus.readers.texts.text_samples import source

CREW = """# the crew
---
- name: Ada Finch
  keeps: [lamps, keys]

  lives: {town: Ranvik, pier: 4}
# between two
- name: Ott Lund
  notes: |
    - not a record
"""
TEXTS = """posts:
  - {title: Fog, text: Fog lay low., links: [Gate]}
  - title: Gate
    text: The gate is shut.
"""


def texts(content: str) -> list[tuple[str, str]]:
    found = read(source("a/b.yaml", content))
    return [(one.title, one.text) for one in found if isinstance(one, Document)]


def test_a_list_of_mappings_is_a_table():
    assert texts(CREW) == [
        ("Ada Finch", "name: Ada Finch; keeps: lamps, keys; lives: town: Ranvik, pier: 4"),
        ("Ott Lund", "name: Ott Lund; notes: - not a record\n"),
    ]
    documents = [one for one in read(source("a/b.yaml", CREW)) if isinstance(one, Document)]
    assert [one.id for one in documents] == ["a/b.yaml#1", "a/b.yaml#2"]
    assert texts(TEXTS) == [("Fog", "Fog lay low."), ("Gate", "The gate is shut.")]
    fog = next(one for one in read(source("a/b.yaml", TEXTS)) if isinstance(one, Document))
    assert [link.title for link in fog.links] == ["Gate"]


@pytest.mark.parametrize(
    "content",
    [
        "name: bridge\nports:\n  - 80\n",
        "version: 3\nsteps:\n  - run: a\n  - run: b\n",  # a name beside the list
        "steps:\n- run: a\n- run: b\nmore: 1\n",
        "- one\n- two\n",
        "- {name: alone}\n",
        "- {kind: a, x: 1}\n- {kind: a, y: 1}\n",  # nothing tells them apart
        "- &a {name: x}\n- *a\n",
        "- name: x\n- name: [\n",
        "",
        "   ",
        "---\n",
        "- \n- \n",
    ],
)
def test_other_files_are_one_text(content: str):
    assert texts(content) == [("b.yaml", content)]


def test_an_item_whose_aliases_would_repeat_it_is_bad():
    lines = "".join(f"  l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]\n" for n in range(1, 30))
    bomb = f"- name: bomb\n  l0: &l0 [x, y]\n{lines}"
    many = "".join(f"- name: n{n}\n" for n in range(20))
    found = list(read(source("a/b.yaml", many + bomb)))
    assert sum(isinstance(one, Document) for one in found) == 20
    [bad] = [one for one in found if isinstance(one, BadRecord)]
    assert (bad.place, "without aliases" in bad.reason) == ("a/b.yaml: row 21", True)
