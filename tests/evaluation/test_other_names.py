"""Gold that is another name of a document."""

import pyarrow as pa

from hippohover.evaluation.hover import GoldClaim
from hippohover.evaluation.other_names import by_titles, titles_by_other_names

PASSAGES = pa.table(
    {
        "title": ["Obsidian Help", "Obsidian Help", "Pale Weir", "Weir", "Weir (lock)"],
        "document": ["Home", "Home", "locks/pale", "a/weir", "b/weir"],
        "aliases": [["Start"], ["Start"], ["PW"], ["the weir"], ["the weir"]],
    }
)


def claim(*titles: str) -> GoldClaim:
    return GoldClaim(
        uid="1",
        claim="Words.",
        gold_titles=titles,
        supporting_facts=tuple((title, 0) for title in titles),
    )


def test_a_file_s_name_an_alias_and_a_path_name_their_document():
    claims = [claim("Home", "pw", "Weir"), claim("locks/pale", "Pale", "Unknown")]
    assert titles_by_other_names(PASSAGES, claims) == {
        "Home": "Obsidian Help",
        "pw": "Pale Weir",
        "locks/pale": "Pale Weir",
        "Pale": "Pale Weir",
    }


def test_a_file_is_named_with_its_suffix_and_without():
    paths = ["Home.md", "Home.md", "locks/pale.md", "a/weir.txt", "b/weir.txt"]
    placed = PASSAGES.append_column("path", pa.array(paths))
    claims = [claim("home.md", "pale.md", "a/weir.txt", "weir.txt")]
    assert titles_by_other_names(placed, claims) == {
        "home.md": "Obsidian Help",
        "pale.md": "Pale Weir",
        "a/weir.txt": "Weir",
    }


def test_a_name_of_several_documents_is_none_of_them():
    assert titles_by_other_names(PASSAGES, [claim("the weir")]) == {}


def test_a_title_stays_what_it_is():
    assert titles_by_other_names(PASSAGES, [claim("Weir", "Pale Weir")]) == {}


def test_each_title_is_gold_once():
    first, second = claim("PW", "Weir", "pale weir"), claim("Weir")
    titles = {"PW": "Pale Weir"}
    assert [one.gold_titles for one in by_titles([first, second], titles)] == [
        ("Pale Weir", "Weir"),
        ("Weir",),
    ]
    assert by_titles([first], {}) == [first]
