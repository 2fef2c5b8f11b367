"""The drawing of a walk: a box a node, a curve an edge, within the picture."""

from xml.etree import ElementTree

from hippohover.explanation.explain import explain
from hippohover.explanation.layout import layout
from hippohover.explanation.svg import colour_of, walk_svg
from hippohover.explanation.words import PathEdge, PathNode, WalkPath
from hippohover.records import Triple
from hippohover.rendering.html import as_html
from hippohover.retrieval.engine import HippoHover
from tests.retrieval.toy_samples import TOY_CLAIMS

SVG = "{http://www.w3.org/2000/svg}"


def test_the_drawing_has_a_box_a_node_and_a_curve_an_edge(toy_engine: HippoHover):
    claim = TOY_CLAIMS[6]
    pid = toy_engine.retrieve(claim).passages[1].pid
    drawing = layout(explain(toy_engine, claim, pid=pid).paths)
    root = ElementTree.fromstring(as_html(walk_svg(drawing)))  # noqa: S314
    assert root.tag == f"{SVG}svg"
    width, height = (float(part) for part in root.attrib["viewBox"].split()[2:])
    boxes = root.findall(f"{SVG}g/{SVG}rect")
    assert len(boxes) == len(drawing.nodes)
    for box in boxes:
        assert 0 <= float(box.attrib["x"]) <= width - float(box.attrib["width"])
        assert 0 <= float(box.attrib["y"]) <= height - float(box.attrib["height"])
    assert len(root.findall(f"{SVG}path")) == len(drawing.edges)


def test_what_is_cut_is_told_whole_where_the_mouse_is():
    town, long = PathNode("entity", "Isk"), PathNode("passage", "a title without an end " * 3)
    fact = Triple("Isk", "is a borough of the county around", "Ort")
    path = WalkPath((town, long), (PathEdge(("fact",), (fact,)),), "mention", 0.1, 0.1)
    drawing = layout((path,))
    root = walk_svg(drawing)
    shown = [node.text or "" for node in root.iter("text")]
    assert max(map(len, shown)) <= 22
    assert "a title without an en…" in shown
    told = [title.text or "" for title in root.iter("title")]
    assert f"passage: {long.name}" in told
    assert "fact\nIsk | is a borough of the county around | Ort" in told


def test_the_passage_that_is_explained_has_a_colour_of_its_own():
    end = PathNode("passage", "Isk")
    way = (PathNode("entity", "Ort"), PathNode("passage", "Ort"), end)
    edge = PathEdge(("mention",))
    drawing = layout((WalkPath(way, (edge, edge), "mention", 0.1, 0.1),))
    assert len({colour_of(node) for node in drawing.nodes}) == 4  # claim, name, passage, this one
