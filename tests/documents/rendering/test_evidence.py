"""Each line of a text layer says whether a person sees it."""

from __future__ import annotations

import numpy as np
import pymupdf
import pytest


def lines_of(with_pool, source, **limits):
    async def use(pool):
        return (await pool.inspect(source, 1)).lines

    return with_pool(use, **limits)


def covered(page):
    page.insert_text((100, 300), "Secret", fontsize=14)
    page.draw_rect((90, 280, 300, 310), color=None, fill=(1, 1, 1))


HIDING = {
    "white on white": (lambda page: page.insert_text((100, 300), "Secret", fontsize=14, color=(1, 1, 1)), "no_ink"),
    "without ink": (lambda page: page.insert_text((100, 300), "Secret", fontsize=14, render_mode=3), "no_ink"),
    "transparent": (lambda page: page.insert_text((100, 300), "Secret", fontsize=14, fill_opacity=0), "no_ink"),
    "covered": (covered, "no_ink"),
    "tiny": (lambda page: page.insert_text((100, 300), "Secret", fontsize=0.4), "tiny"),
    "beside the page": (lambda page: page.insert_text((4000, 300), "Secret", fontsize=14), "off_page"),
}


@pytest.mark.parametrize("kind", HIDING)
def test_text_that_nobody_sees_is_flagged(with_pool, pdf_of, kind):
    """Guards against instructions to language models that are hidden in a page."""
    hide, reason = HIDING[kind]

    def draw(page):
        hide(page)
        page.insert_text((100, 500), "Seen", fontsize=14)

    found = {line.text: line.hidden for line in lines_of(with_pool, pdf_of(draw))}
    assert found.pop("Seen") is None
    assert found in ({"Secret": reason}, {})


def test_white_text_on_a_dark_box_is_seen(with_pool, pdf_of):
    """Guards against text that is taken for hidden because it is white."""

    def draw(page):
        page.draw_rect((90, 280, 300, 310), color=None, fill=(0, 0, 0.4))
        page.insert_text((100, 300), "Stays", fontsize=14, color=(1, 1, 1))

    (line,) = lines_of(with_pool, pdf_of(draw))
    assert line.hidden is None
    assert not line.invisible


def test_a_layer_without_ink_over_a_scan_is_not_hidden(with_pool, pdf_of):
    """Guards against throwing away the text that an earlier OCR laid over a scan."""
    picture = pymupdf.Pixmap(pymupdf.csGRAY, 300, 40, np.tile(np.array([0, 255], np.uint8), 6000).tobytes(), False)

    def draw(page):
        page.insert_image((90, 280, 390, 320), pixmap=picture)
        page.insert_text((100, 305), "Layer", fontsize=14, render_mode=3)

    (line,) = lines_of(with_pool, pdf_of(draw))
    assert line.hidden is None
    assert line.invisible


def test_a_line_tells_size_weight_and_fonts(with_pool, pdf_of):
    """Guards against headings and code that look like body text to all that follows."""

    def draw(page):
        page.insert_text((100, 300), "Bold", fontsize=14, fontname="hebo")
        page.insert_text((100, 340), "Code", fontsize=9, fontname="cour")

    bold, code = lines_of(with_pool, pdf_of(draw))
    assert (bold.font_size, bold.bold, bold.monospaced) == (14, True, False)
    assert (code.font_size, code.bold, code.monospaced) == (9, False, True)
    assert bold.fonts == ("Helvetica-Bold",)


def test_a_page_with_too_much_text_is_refused(with_pool, pdf_of):
    """Guards against a text bomb that fills memory with lines."""
    from documents.errors import PageFailed

    def draw(page):
        for k in range(12):
            page.insert_text((100, 100 + 20 * k), "Line", fontsize=10)

    with pytest.raises(PageFailed):
        lines_of(with_pool, pdf_of(draw), max_lines=10)
