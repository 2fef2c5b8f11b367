"""How paths read."""

from dataclasses import replace

import pytest

from hippohover.explanation.words import PathEdge, PathNode, WalkPath


def passage(name: str) -> PathNode:
    return PathNode("passage", name)


def entity(name: str) -> PathNode:
    return PathNode("entity", name)


def path(*steps: PathNode | str, seed: str = "mention") -> WalkPath:
    """Nodes, and between them the types of an edge: ``path(a, "mention", b)``."""
    nodes = tuple(step for step in steps if isinstance(step, PathNode))
    edges = tuple(PathEdge(tuple(step.split("+"))) for step in steps if isinstance(step, str))
    return WalkPath(nodes, edges, seed, mass=0.1, share=0.5)


def test_sentence_names_every_step() -> None:
    walk = path(
        entity("Ada Finch"), "mention+source", passage("The Salt Road (film)"),
        "title", entity("The Salt Road"),
    )  # fmt: skip
    assert walk.sentence() == (
        'claim -> "Ada Finch" (named in the claim) -[mention+source]-> The Salt Road (film)'
        ' -[title]-> "The Salt Road"'
    )


def test_a_question_is_called_one() -> None:
    walk = replace(path(passage("Vessby"), seed="passage"), asked="question")
    assert walk.sentence() == "question -> Vessby (shares words with the question)"
    assert walk.summary() == "Vessby (shares words with the question)"


def test_links_and_neighbours_are_told_in_words() -> None:
    walk = path(
        passage("A"), "mention+link", entity("B"), "title", passage("B"), "neighbour", passage("B")
    )
    assert walk.sentence() == (
        'claim -> A (named in the claim) -[mention+links]-> "B" -[title]-> B'
        " -[follows in the same document]-> B"
    )
    assert walk.summary() == "A (named in the claim) → B = B"
    assert walk.as_dict()["edges"][2]["types"] == ["neighbour"]


def test_parts_of_one_document_are_told_apart() -> None:
    second, fourth = PathNode("passage", "Handbook", 2), PathNode("passage", "", 4)
    walk = path(second, "neighbour", fourth, seed="passage")
    assert walk.sentence() == (
        "claim -> Handbook (part 2) (shares words with the claim)"
        " -[follows in the same document]-> (untitled) (part 4)"
    )
    assert walk.as_dict()["nodes"][0] == {"kind": "passage", "name": "Handbook", "part": 2}


@pytest.mark.parametrize(
    ("seed", "words"),
    [
        ("mention", "named in the claim"),
        ("passage", "shares words with the claim"),
        ("fact", "in a fact close to the claim"),
    ],
)
def test_the_seed_says_why_it_is_one(seed: str, words: str) -> None:
    assert path(passage("Vessby"), seed=seed).sentence() == f"claim -> Vessby ({words})"
    assert path(passage("Vessby"), seed=seed).summary() == f"Vessby ({words})"


@pytest.mark.parametrize(
    ("walk", "expected"),
    [
        # A passage stands for its own name, whichever comes first.
        ((entity("A"), "title", passage("A (film)")), "A (film)*"),
        ((passage("A"), "mention", entity("B"), "title", passage("B")), "A* → B"),
        ((passage("A"), "title", entity("A"), "mention", passage("B")), "A* ← B"),
        ((entity("A"), "mention", passage("B")), '"A"* ← B'),
        ((passage("A"), "mention", entity("X"), "phrase", passage("B")), 'A* → "X" ← B'),
        ((entity("A"), "fact", entity("B"), "title", passage("B")), '"A"* = B'),
        # Two passages of one name are joined by it, and neither is lost.
        ((passage("A (x)"), "title", entity("A"), "title", passage("A (y)")), "A (x)* = A (y)"),
        (
            (
                entity("A"), "title", passage("A"), "mention+source", entity("B"),
                "title", passage("B"), "title", entity("B"), "mention", passage("C"),
            ),
            "A* → B ← C",
        ),
    ],
)  # fmt: skip
def test_summary_takes_passages_and_their_names_for_one(
    walk: tuple[PathNode | str, ...], expected: str
) -> None:
    assert path(*walk).summary() == expected.replace("*", " (named in the claim)")


def test_a_passage_without_a_title_has_a_place_in_the_words() -> None:
    walk = path(entity("A"), "mention", passage(""))
    assert walk.sentence().endswith("-[mention]-> (untitled)")
    assert walk.summary() == '"A" (named in the claim) ← (untitled)'
