"""Slides of PowerPoint."""

import re

from hippohover.indexing.corpus.passages import CorpusCounts, PassageMaking
from hippohover.indexing.corpus.records import Link, Page
from tests.indexing.corpus.readers.office.office_samples import (
    part_of,
    read_document,
    repacked,
    saved,
    talk_pptx,
)


def test_a_talk():
    document = read_document("talks/ice.pptx", talk_pptx())
    assert document.title == "The frozen harbour"
    assert document.aliases == ("ice",)
    assert document.text == (
        "The frozen harbour\n\nOleg Brant, 1932\n\n"
        "What happened\n\n- Ships waited\n  - for weeks\n- The log\n\nSay who signed.\n\n"
        "Rates\n\nRegion: North; Rate: 12 %"
    )
    starts = [document.text.index(name) for name in ("The frozen", "What", "Rates")]
    assert [heading.offset for heading in document.headings] == starts
    assert document.headings[1].path == "What happened"
    assert document.pages == tuple(Page(start, at) for at, start in enumerate(starts, 1))
    assert document.links == (Link(document.text.index("The log"), "talks/notes/log"),)
    assert document.fields["author"] == "Oleg Brant"


def test_slides_without_titles_in_groups_and_with_a_title_of_the_talk():
    from pptx import Presentation
    from pptx.util import Inches

    talk = Presentation()
    talk.core_properties.title = "Winter talk"
    slide = talk.slides.add_slide(talk.slide_layouts[6])
    group = slide.shapes.add_group_shape()
    box = group.shapes.add_textbox(Inches(1), Inches(1), Inches(4), Inches(1))
    box.text_frame.text = "In a group"
    talk.slides.add_slide(talk.slide_layouts[6])
    last = talk.slides.add_slide(talk.slide_layouts[6])
    last.shapes.add_textbox(0, 0, Inches(4), Inches(1)).text_frame.text = "Last"  # pyright: ignore
    document = read_document("a.pptx", saved(talk))
    assert document.title == "Winter talk"
    assert document.text == "In a group\n\nLast"
    assert document.headings == ()
    assert document.pages == (Page(0, 1), Page(12, 3))


def test_a_slide_without_a_title_is_not_cited_by_the_one_before():
    from pptx import Presentation
    from pptx.util import Inches

    talk = Presentation()
    for layout, title in ((0, "Winter talk"), (1, "Rates"), (6, ""), (1, "Thaw")):
        slide = talk.slides.add_slide(talk.slide_layouts[layout])
        if title:
            slide.shapes.title.text = title  # pyright: ignore
        box = slide.shapes.add_textbox(Inches(1), Inches(1), Inches(4), Inches(1))
        box.text_frame.text = f"Words of {title or 'none'}"
    document = read_document("a.pptx", saved(talk))
    [passages] = PassageMaking(250, False, ()).documents([document], CorpusCounts())
    assert [(one.page, one.heading) for one in passages] == [
        (1, "Winter talk"), (2, "Rates"), (3, ""), (4, "Thaw"),
    ]  # fmt: skip


def chart_talk() -> bytes:
    from pptx import Presentation
    from pptx.chart.data import CategoryChartData, XyChartData
    from pptx.enum.chart import XL_CHART_TYPE

    talk = Presentation()
    data = CategoryChartData()
    data.categories = ["Ott", "Fenn"]
    data.add_series("Boats", (11, 22))
    data.add_series("Cars", (3, None))
    points = XyChartData()
    points.add_series("Depth").add_data_point(1.5, 7)
    for kind, values, title in (
        (XL_CHART_TYPE.COLUMN_CLUSTERED, data, "Traffic of 1931"),
        (XL_CHART_TYPE.XY_SCATTER, points, ""),
    ):
        slide = talk.slides.add_slide(talk.slide_layouts[6])
        chart = slide.shapes.add_chart(kind, 0, 0, 9999, 9999, values).chart  # pyright: ignore
        chart.has_title = bool(title)
        if title:
            chart.chart_title.text_frame.text = title
    return saved(talk)


def test_a_chart_is_its_title_and_rows():
    document = read_document("a.pptx", chart_talk())
    assert document.text == (
        "Traffic of 1931\n\nOtt; Boats: 11; Cars: 3\nFenn; Boats: 22\n\n1.5; Depth: 7"
    )
    assert [page.number for page in document.pages] == [1, 2]


def test_a_diagram_is_its_texts():
    talk, slide = chart_talk(), "ppt/slides/slide1.xml"
    chart = part_of(talk, slide)
    diagram = chart.replace("<c:chart ", "<c:relIds ").replace("r:id=", "r:dm=")
    words = (
        '<m xmlns:a="http://x/a"><pt><t><a:p><a:r><a:t>Ask </a:t></a:r><a:r><a:t>Ida</a:t></a:r>'
        "</a:p></t></pt><pt><t><a:p/></t></pt></m>"
    )
    relations = "ppt/slides/_rels/slide1.xml.rels"
    related = part_of(talk, relations).replace("relationships/chart", "relationships/diagramData")
    parts = {slide: diagram, relations: related}
    name = re.findall(r"/charts/(chart\d+\.xml)", related)[0]
    changed = repacked(talk, {**parts, f"ppt/charts/{name}": words})
    assert read_document("a.pptx", changed).text.startswith("Ask Ida\n\n1.5")


def test_what_stands_on_every_slide_is_no_text():
    talk, name = talk_pptx(), "ppt/slides/slide2.xml"
    slide = part_of(talk, name)
    footed = slide.replace('<p:ph idx="1"/>', '<p:ph type="ftr" idx="1"/>')
    assert footed != slide
    assert "Ships" not in read_document("a.pptx", repacked(talk, {name: footed})).text


def test_slides_stand_in_the_order_of_the_talk():
    talk = talk_pptx()
    name = "ppt/presentation.xml"
    main = part_of(talk, name)
    first, second = main.index("<p:sldId "), main.rindex("<p:sldId ")
    ids = main[first : main.index("</p:sldIdLst>")]
    turned = ids[second - first :] + ids[: second - first]
    document = read_document("a.pptx", repacked(talk, {name: main.replace(ids, turned)}))
    assert [heading.path for heading in document.headings] == [
        "Rates", "The frozen harbour", "What happened",
    ]  # fmt: skip
    assert [page.number for page in document.pages] == [1, 2, 3]
