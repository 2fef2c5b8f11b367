"""Small PDFs for the pages: a text, a page of the PDF for each part of it."""

from collections.abc import Sequence
from typing import Final

NEXT_PAGE: Final = "--- next page ---"
"""The line of a text at which a page of the PDF ends."""


def pdf_of(text: str) -> bytes:
    """A PDF with the text's lines, in Helvetica, titled by the first of them.

    Parameters
    ----------
    text : str
        Latin-1, without backslashes or unpaired brackets; ``NEXT_PAGE`` stands between two pages.
    """
    pages = text.split(f"{NEXT_PAGE}\n")
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for page in pages:
        stream = _shown(page.splitlines())
        objects += [
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %d 0 R"
            b"/Resources<</Font<</F 3 0 R>>>>>>" % (len(objects) + 2),
            b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        ]
    children = b" ".join(b"%d 0 R" % number for number in range(4, len(objects) + 1, 2))
    objects[1] = b"<</Type/Pages/Kids[%s]/Count %d>>" % (children, len(pages))
    objects.append(b"<</Title(%s)>>" % text.splitlines()[0].encode("latin-1"))
    return _written(objects)


def _shown(lines: Sequence[str]) -> bytes:
    """What draws the lines, from the upper edge down."""
    drawn = b"".join(b"(%s) Tj 0 -20 Td " % line.encode("latin-1") for line in lines)
    return b"BT /F 12 Tf 72 700 Td %sET" % drawn


def _written(objects: Sequence[bytes]) -> bytes:
    """A file of objects, numbered from 1, and where each begins; the last says the title."""
    content, places = b"%PDF-1.4\n", list[int]()
    for number, described in enumerate(objects, 1):
        places.append(len(content))
        content += b"%d 0 obj%s endobj\n" % (number, described)
    n = len(objects) + 1
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return content + (
        b"xref\n0 %d\n0000000000 65535 f \n%s"
        b"trailer<</Size %d/Root 1 0 R/Info %d 0 R>>\nstartxref\n%d\n%%%%EOF"
        % (n, table, n, n - 1, len(content))
    )
