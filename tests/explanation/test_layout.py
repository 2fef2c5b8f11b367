"""Where the nodes of paths stand: columns by steps, the passage last, few crossings."""

import json
from dataclasses import replace

from hippohover.explanation.explain import explain
from hippohover.explanation.layout import WalkDrawing, layout, walk_graph
from hippohover.explanation.words import PathEdge, PathNode, WalkPath
from hippohover.records import Triple
from hippohover.retrieval.engine import HippoHover
from tests.retrieval.toy_samples import TOY_CLAIMS

CLAIM = PathNode("claim", "claim")
ADA, ROAD, FILM = PathNode("entity", "Ada"), PathNode("entity", "Road"), PathNode("passage", "Road")
SANG = Triple("Ada", "sang in", "Road")
PATHS = (
    WalkPath((ADA, ROAD, FILM), (PathEdge(("fact",), (SANG,)),
                             PathEdge(("title", "source"), (Triple("Road", "is", "film"),))),
         "mention", 0.2, 0.5),
    WalkPath((ROAD, FILM), (PathEdge(("title", "source")),), "fact", 0.1, 0.2),
    WalkPath((FILM,), (), "passage", 0.1, 0.1),
)  # fmt: skip


def crossings(drawing: WalkDrawing) -> int:
    """Pairs of edges between the same two columns that cross."""
    ends = [(drawing.nodes[edge.start], drawing.nodes[edge.end]) for edge in drawing.edges]
    return sum(
        (a.layer, b.layer) == (c.layer, d.layer) and (a.place - c.place) * (b.place - d.place) < 0
        for at, (a, b) in enumerate(ends)
        for c, d in ends[:at]
    )


def test_the_graph_of_paths_by_hand():
    graph = walk_graph(PATHS)
    assert {node: graph.nodes[node]["layer"] for node in graph} == {
        CLAIM: 0, ADA: 1, ROAD: 2, FILM: 3,
    }  # fmt: skip
    assert {(a, b): label for a, b, label in graph.edges(data="label")} == {
        (CLAIM, ADA): "mention",
        (ADA, ROAD): "sang in",
        (ROAD, FILM): "title+source",
        (CLAIM, ROAD): "fact",
        (CLAIM, FILM): "passage",
    }


def test_the_first_node_is_called_what_was_asked():
    drawing = layout([replace(path, asked="question") for path in PATHS])
    assert (drawing.nodes[0].kind, drawing.nodes[0].name) == ("claim", "question")
    assert drawing.asked == "question"


def test_the_drawing_of_paths_by_hand():
    drawing = layout(PATHS)
    assert [(node.name, node.layer, node.place) for node in drawing.nodes] == [
        ("claim", 0, 0.0), ("Ada", 1, 0.0), ("Road", 2, 0.0), ("Road", 3, 0.0),
    ]  # fmt: skip
    assert [node.is_target for node in drawing.nodes] == [False, False, False, True]
    assert (drawing.n_layers, drawing.n_rows) == (4, 1)
    told = drawing.as_dict()
    assert json.loads(json.dumps(told)) == told
    assert {"start": 1, "end": 2, "label": "sang in", "types": ["fact"],
            "facts": [["Ada", "sang in", "Road"]]} in told["edges"]  # fmt: skip


def test_parts_of_one_document_are_nodes_of_their_own():
    part = PathNode("passage", "Road", 2)
    drawing = layout([WalkPath((part, FILM), (PathEdge(("neighbour",)),), "passage", 0.1, 0.1)])
    assert [node.shown for node in drawing.nodes] == ["claim", "Road (part 2)", "Road"]
    long = replace(drawing.nodes[1], name="A road that has no end", part=12)
    assert long.cut(18) == "A road … (part 12)"
    assert [(edge.start, edge.end) for edge in drawing.edges] == [(0, 1), (1, 2)]


def test_without_paths_there_is_nothing_to_draw():
    drawing = layout(())
    assert drawing == WalkDrawing((), ())
    assert (drawing.n_layers, drawing.n_rows) == (0, 0)


def test_a_column_is_ordered_so_that_edges_do_not_cross():
    """Two seeds, two bridges, each seed's bridge met in the other order."""
    names = [PathNode("entity", name) for name in "ab"]
    bridges = [PathNode("passage", name) for name in "xy"]
    edge = PathEdge(("mention",))
    end = PathNode("passage", "end")
    paths = tuple(
        WalkPath((one, bridge, end), (edge, edge), "mention", 0.1, 0.1)
        for one, bridge in zip(names, bridges, strict=True)
    )
    ways = (
        WalkPath((names[0], bridges[1], end), (edge, edge), "mention", 0.1, 0.1),
        WalkPath((names[1], bridges[0], end), (edge, edge), "mention", 0.1, 0.1),
    )
    assert crossings(layout(paths)) == crossings(layout(ways)) == 0


def test_paths_that_go_both_ways_between_two_names_are_drawn():
    a, b, end = PathNode("entity", "a"), PathNode("entity", "b"), PathNode("passage", "end")
    edge = PathEdge(("synonymy",))
    paths = (
        WalkPath((a, b, end), (edge, edge), "mention", 0.1, 0.1),
        WalkPath((b, a, end), (edge, edge), "mention", 0.1, 0.1),
    )
    drawing = layout(paths)
    assert len(drawing.nodes) == 4
    places = {(node.layer, node.place) for node in drawing.nodes}
    assert len(places) == 4
    assert max(drawing.nodes, key=lambda node: node.layer).is_target


def test_no_column_is_empty():
    """Of two paths that go both ways, the first node of each comes later in the other."""
    names = {name: PathNode("entity", name) for name in "pqrx"}
    end = PathNode("passage", "end")
    edge = PathEdge(("mention",))
    paths = tuple(
        WalkPath((*(names[name] for name in way), end), (edge,) * len(way), "mention", 0.1, 0.1)
        for way in ("px", "xqrp")
    )
    assert {node.name: node.layer for node in layout(paths).nodes} == {
        "claim": 0, "x": 1, "q": 1, "r": 2, "p": 3, "end": 4,
    }  # fmt: skip


def test_real_paths_stand_on_places_of_their_own(toy_engine: HippoHover):
    for claim in TOY_CLAIMS[:5]:
        for passage in toy_engine.retrieve(claim).passages[:4]:
            paths = explain(toy_engine, claim, pid=passage.pid).paths
            drawing = layout(paths)
            assert len({(node.layer, node.place) for node in drawing.nodes}) == len(drawing.nodes)
            steps = sum(len(path.edges) + 1 for path in paths)
            assert len(drawing.edges) <= steps
            assert sum(node.is_target for node in drawing.nodes) == bool(paths)
