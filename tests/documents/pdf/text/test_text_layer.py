"""Each line of a text layer says whether a person sees it."""

from __future__ import annotations

import numpy as np
import pymupdf
import pytest


def lines_of(with_pool, source, **limits):
    async def use(pool):
        return (await pool.inspect(source, 1)).inspection().lines

    return with_pool(use, **limits)


def covered(page):
    page.insert_text((100, 300), "Secret", fontsize=14)
    page.draw_rect((90, 280, 300, 310), color=None, fill=(1, 1, 1))


def photo(page, box, *, seed=0):
    noise = np.random.default_rng(seed).integers(0, 255, (120, 300, 3), np.uint8)
    page.insert_image(
        box, pixmap=pymupdf.Pixmap(pymupdf.csRGB, 300, 120, noise.tobytes(), False), keep_proportion=False
    )


def under_photo(page):
    page.insert_text((100, 300), "Secret", fontsize=14)
    photo(page, (90, 250, 390, 370))


def under_drawing(page):
    page.insert_text((100, 300), "Secret", fontsize=14)
    for k in range(80):
        x, y = 90 + 5 * (k % 16), 280 + 6 * (k // 16)
        page.draw_rect((x, y, x + 5, y + 6), color=None, fill=(k / 80, 1 - k / 80, 0.5))


def over_rule(page):
    page.insert_text((100, 300), "Secret", fontsize=14, color=(1, 1, 1))
    page.draw_line((90, 296), (300, 296))


def over_hatch(page):
    for k in range(40):
        page.draw_line((90 + 5 * k, 280), (95 + 5 * k, 310), color=(0.8, 0.8, 0.8), width=0.5)
    page.insert_text((100, 300), "Secret", fontsize=14, color=(1, 1, 1))


def over_text(page):
    page.insert_text((100, 300), "Honest", fontsize=14)
    page.insert_text((100, 301), "Secret", fontsize=14, color=(1, 1, 1))


def without_ink_over_text(page):
    page.insert_text((100, 300), "Secret", fontsize=14, render_mode=3)
    page.insert_text((100, 300), "Honest", fontsize=14)


def without_ink_over_drawing(page):
    page.draw_line((90, 296), (300, 296), width=3)
    page.insert_text((100, 300), "Secret", fontsize=14, render_mode=3)


def white_over_a_scan(page):
    photo_of_text(page)
    page.insert_text((100, 301), "Secret", fontsize=14, color=(1, 1, 1))


def photo_of_text(page):
    with pymupdf.open() as other:
        sheet = other.new_page(width=page.rect.width, height=page.rect.height)
        sheet.insert_text((100, 300), "Layers", fontsize=14)
        page.insert_image(page.rect, pixmap=sheet.get_pixmap(dpi=100))


HIDING = {
    "white on white": (lambda page: page.insert_text((100, 300), "Secret", fontsize=14, color=(1, 1, 1)), "no_ink"),
    "small and white": (lambda page: page.insert_text((100, 300), "Secret", fontsize=1.9, color=(1, 1, 1)), "no_ink"),
    "without ink": (lambda page: page.insert_text((100, 300), "Secret", fontsize=14, render_mode=3), "no_ink"),
    "transparent": (lambda page: page.insert_text((100, 300), "Secret", fontsize=14, fill_opacity=0), "no_ink"),
    "covered": (covered, "no_ink"),
    "under a photograph": (under_photo, "no_ink"),
    "under a drawing": (under_drawing, "no_ink"),
    "white over a rule": (over_rule, "no_ink"),
    "white over a hatch": (over_hatch, "no_ink"),
    "white over text": (over_text, "no_ink"),
    "without ink over text": (without_ink_over_text, "no_ink"),
    "without ink over a drawing": (without_ink_over_drawing, "no_ink"),
    "white over a scan": (white_over_a_scan, "no_ink"),
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

    hidden_by_text = {line.text: line.hidden for line in lines_of(with_pool, pdf_of(draw))}
    assert hidden_by_text.pop("Seen") is None
    assert hidden_by_text.pop("Honest", None) is None
    assert hidden_by_text in ({"Secret": reason}, {})


def test_white_text_on_a_dark_box_is_seen(with_pool, pdf_of):
    """Guards against text that is taken for hidden because it is white."""

    def draw(page):
        page.draw_rect((90, 280, 300, 310), color=None, fill=(0, 0, 0.4))
        page.insert_text((100, 300), "Stays", fontsize=14, color=(1, 1, 1))

    (line,) = lines_of(with_pool, pdf_of(draw))
    assert line.hidden is None
    assert not line.invisible


def over_photo(page):
    photo(page, (90, 250, 390, 370))
    page.insert_text((100, 310), "Stays", fontsize=30, color=(1, 1, 1))


def veiled(page):
    page.insert_text((100, 300), "Stays", fontsize=12)
    page.draw_rect((90, 280, 300, 310), color=None, fill=(1, 1, 0), fill_opacity=0.4)


def marked(page):
    page.insert_text((100, 300), "Stays", fontsize=12)
    page.add_highlight_annot((95, 285, 220, 305)).update()


def with_shadow(page):
    page.insert_text((101, 301), "Stays", fontsize=20, color=(0.6, 0.6, 0.6))
    page.insert_text((100, 300), "Stays", fontsize=20)


def over_watermark(page):
    turned = (pymupdf.Point(90, 330), pymupdf.Matrix(30))
    page.insert_text((90, 330), "DRAFT", fontsize=60, color=(0.85, 0.85, 0.85), morph=turned)
    page.insert_text((100, 300), "Stays", fontsize=11)


SHOWING = {
    "over a photograph": over_photo,
    "under a veil": veiled,
    "highlighted": marked,
    "with a shadow": with_shadow,
    "over a watermark": over_watermark,
    "in outline": lambda page: page.insert_text((100, 300), "Stays", fontsize=24, render_mode=1),
    "light": lambda page: page.insert_text((100, 300), "Stays", fontsize=9, color=(0.85, 0.85, 0.85)),
    "small": lambda page: page.insert_text((100, 300), "Stays", fontsize=1.5),
    "of points": lambda page: page.insert_text((100, 300), "Stays . . . - .", fontsize=8),
}


@pytest.mark.parametrize("kind", SHOWING)
def test_text_that_is_seen_is_kept(with_pool, pdf_of, kind):
    """Guards against honest text that is left out because something lies under it, over it or beside it."""
    lines = lines_of(with_pool, pdf_of(SHOWING[kind]))
    assert {line.text[:5] for line in lines} >= {"Stays"}
    assert [(line.hidden, line.invisible) for line in lines] == [(None, False)] * len(lines)


def test_only_the_words_that_are_covered_are_hidden(with_pool, pdf_of):
    """Guards against a long line that takes a covered word along, or that is lost for one."""

    def draw(page):
        page.insert_text((100, 300), "Before secret after", fontsize=14)
        page.draw_rect((142, 280, 184, 310), color=None, fill=(1, 1, 1))

    lines = lines_of(with_pool, pdf_of(draw))
    assert [(line.text, line.hidden) for line in lines] == [("Before", None), ("secret", "no_ink"), ("after", None)]


def test_text_under_a_scan_is_its_layer(with_pool, pdf_of):
    """Guards against throwing away the text that an earlier OCR printed under the picture of its page."""

    def draw(page):
        page.insert_text((100, 300), "Layers", fontsize=14)
        photo_of_text(page)

    (line,) = lines_of(with_pool, pdf_of(draw))
    assert (line.hidden, line.invisible) == (None, True)


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


def test_of_covered_text_under_other_text_nothing_is_believed(with_pool, pdf_of):
    """Guards against covered text that passes for the honest text which is printed over it in its colour."""

    def draw(page):
        page.insert_text((100, 300), "Secret hidden order", fontsize=14)
        page.draw_rect((90, 280, 300, 310), color=None, fill=(1, 1, 1))
        page.insert_text((100, 300), "Visible honest text", fontsize=14)

    assert [line.hidden for line in lines_of(with_pool, pdf_of(draw)) if "Secret" in line.text] == ["no_ink"]


def test_blanks_at_the_ends_of_a_line_are_no_part_of_its_box(with_pool, pdf_of):
    """Guards against programs without their indent, where files set it with blanks."""

    def draw(page):
        page.insert_text((100, 100), "def depth(lead):", fontsize=10, fontname="cour")
        page.insert_text((100, 112), "    return lead   ", fontsize=10, fontname="cour")

    first, second = lines_of(with_pool, pdf_of(draw))
    assert second.text == "return lead"
    assert second.box.x0 == pytest.approx(first.box.x0 + 24, abs=1)
    assert second.box.width == pytest.approx(66, abs=2)


def with_codes(page, codes):
    """Make the page's font tell other characters: `<41><D835>` for each "A", in hex."""
    ((font, *_),) = page.get_fonts()
    table = page.parent.get_new_xref()
    page.parent.update_object(table, "<<>>")
    page.parent.update_stream(
        table,
        b"/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00><FF> endcodespacerange"
        + f" {len(codes)} beginbfchar {' '.join(codes)} endbfchar endcmap".encode(),
    )
    page.parent.xref_set_key(font, "ToUnicode", f"{table} 0 R")


def test_half_a_pair_of_utf_16_is_no_sign(with_pool, pdf_of):
    """Guards against a page that is lost because its text cannot be told as UTF-8."""

    def draw(page):
        page.insert_text((100, 300), "AB", fontsize=14)
        with_codes(page, ["<41><D835>", "<42><0042>"])

    (line,) = lines_of(with_pool, pdf_of(draw))
    assert line.text == "\ufffdB"
    assert [word.text for word in line.words] == ["\ufffdB"]


def test_characters_without_width_count_between_letters_alone(with_pool, pdf_of):
    """Guards against bullets of Google Docs that mark no item: one without width stands behind each."""

    def draw(page):
        page.insert_text((100, 300), "A| on|e |", fontsize=14)
        codes = [f"<{ord(letter):x}><{ord(letter):04x}>" for letter in " one"]
        with_codes(page, ["<41><25CF>", "<7c><200B>", *codes])

    (line,) = lines_of(with_pool, pdf_of(draw))
    assert line.text == "\u25cf on\u200be"
    assert [word.text for word in line.words] == ["\u25cf", "on\u200be"]
