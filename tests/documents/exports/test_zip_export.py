"""The zip of a document."""

from __future__ import annotations

import io
import zipfile

import numpy as np
from page_making import opened, page, region
from PIL import Image

from documents.document.assemble_document import assemble
from documents.exports.markdown import markdown
from documents.exports.picture_file import encoded
from documents.exports.text_blocks import figures
from documents.exports.zip_export import write_zip

DOCUMENT = assemble(
    "d",
    1,
    opened(2),
    [page(region("", "figure"), region("", "figure")), page(region("Text"), region("", "figure"), number=2)],
)


def test_figures_are_named_by_page_and_place():
    assert [name for name, _, _ in figures(DOCUMENT)] == [
        "figures/page-0001-01.png",
        "figures/page-0001-02.png",
        "figures/page-0002-01.png",
    ]


def test_the_zip_holds_text_and_pictures_and_is_the_same_twice():
    picture = np.full((4, 6, 3), 200, np.uint8)
    first, again = io.BytesIO(), io.BytesIO()
    for file in (first, again):
        write_zip(DOCUMENT, {"figures/page-0001-01.png": encoded(picture).content}, file)
    assert first.getvalue() == again.getvalue()
    with zipfile.ZipFile(first) as archive:
        assert archive.namelist() == ["document.md", "document.json", "figures/page-0001-01.png"]
        assert archive.read("document.md").decode() == markdown(DOCUMENT)
        with Image.open(io.BytesIO(archive.read("figures/page-0001-01.png"))) as image:
            assert np.array_equal(np.asarray(image), picture)
