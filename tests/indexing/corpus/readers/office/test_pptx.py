"""Slides of PowerPoint."""

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
