"""Public bug reports of other converters, each as a small page that is drawn here and read with both networks.

The oracle of each is what the page was drawn from.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pymupdf
import pytest

from documents.exports.markdown import markdown
from documents.values import Document
from tests.pages.drawn_pages import BODY, NAMES, body, flat, grid, lines, rows_of, tables_of


@pytest.fixture
def drawn(read: Callable[[Path], Document], tmp_path: Path):
    """Reads the pages that these functions draw."""

    def run(*pages: Callable[[pymupdf.Page], None], rotation: int = 0, crop: tuple[float, ...] | None = None):
        with pymupdf.open() as document:
            for draw in pages:
                page = document.new_page(width=595, height=842)
                draw(page)
                if crop:
                    page.set_cropbox(pymupdf.Rect(*crop))
                page.set_rotation(rotation)
            document.save(tmp_path / "drawn.pdf")
        return read(tmp_path / "drawn.pdf")

    return run


def test_a_line_beside_a_picture_is_read(drawn):
    """The first line of a paragraph, beside an inline picture, was lost (docling#3234)."""

    def draw(page):
        picture = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 40, 40), False)
        picture.set_rect(picture.irect, (40, 90, 160))
        body(page, 2, y=320)
        page.insert_image((72, 108, 92, 128), pixmap=picture)
        page.insert_text((98, 120), BODY[0], fontsize=10.5)
        lines(page, BODY[1:], y=134)

    assert flat(markdown(drawn(draw))).count(BODY[0]) == 3


ALONE = pytest.mark.xfail(reason="the structure network is sure of furniture: .99", raises=AssertionError, strict=True)


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param(("The last boat leaves at nine.",), marks=ALONE),
        ("The last boat leaves at nine in the evening, and nobody waits for those who", "come late for it."),
    ],
    ids=("a line", "two lines"),
)
def test_text_near_the_foot_of_one_page_stays(drawn, texts):
    """Body text at the foot of a page was dropped as a footer (MinerU#5217, #3364)."""
    pages = [lambda page: body(page, 11)] * 5
    pages[2] = lambda page: (body(page, 9), lines(page, texts, y=783 - 14 * len(texts) + 14))
    assert flat(" ".join(texts)) in flat(markdown(drawn(*pages)))


def test_a_heading_of_one_page_stays(drawn):
    """A heading that stands once, at the head of a page, was dropped as a running head (docling#3697)."""
    pages = [lambda page: body(page, 8)] * 3

    def headed(page):
        page.insert_text((72, 60), "Rules of the harbour", fontsize=18, fontname="hebo")
        body(page, 8)

    assert "# Rules of the harbour" in markdown(drawn(pages[0], headed, pages[1]))


def test_a_header_of_a_form_stands_once(drawn):
    """A header of a form was repeated many times (pymupdf4llm#396)."""

    def draw(page):
        page.insert_text((72, 60), "Certificate of berths", fontsize=16, fontname="hebo")
        for k in range(8):
            page.draw_rect((72, 90 + 60 * k, 520, 140 + 60 * k), width=0.7)
            page.insert_text((78, 104 + 60 * k), f"{k + 1} Name of boat {k + 1}", fontsize=9)
            page.draw_line((300, 90 + 60 * k), (300, 140 + 60 * k), width=0.7)
            page.insert_text((306, 104 + 60 * k), f"Length in metres {k + 1}", fontsize=9)

    text = flat(markdown(drawn(draw)))
    assert text.count("Certificate of berths") == 1
    assert all(text.count(f"Name of boat {k + 1}") == 1 for k in range(8))


TABLE = [("Port", "Berths", "Depth")] + [(name, str(40 + 7 * k), f"{3 + k}.5 m") for k, name in enumerate(NAMES)]


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_a_table_of_a_turned_page_has_its_rows(drawn, rotation):
    """`/Rotate 90` joined the rows of a table (opendataloader-pdf#627)."""

    def draw(page):
        body(page, 1, y=80)
        grid(page, TABLE, y=160)

    (table,) = tables_of(drawn(draw, rotation=rotation))
    upright = rows_of(table)
    assert upright == [list(row) for row in TABLE]


@pytest.mark.parametrize("side", [90, 270])
def test_a_table_that_lies_on_its_side_has_its_rows(drawn, side, tmp_path):
    """A sideways table on an upright page was read column by column, or as a figure (docling#2343)."""

    def draw(page):
        with pymupdf.open() as inner:
            sheet = inner.new_page(width=400, height=200)
            grid(sheet, TABLE, x=20, y=20)
            content = inner.tobytes()
        with pymupdf.open(stream=content) as inner:
            page.show_pdf_page(pymupdf.Rect(150, 150, 350, 550), inner, 0, rotate=side)

    (table,) = tables_of(drawn(draw))
    assert rows_of(table) == [list(row) for row in TABLE]


def test_an_empty_column_stays_on_both_pages(drawn):
    """A column without a value vanished, and the pages of its table were not joined (MinerU#3613)."""
    rows = [("Port", "Berths", "Remark", "Depth")]
    rows += [(f"{NAMES[k % 6]} {k}", str(40 + 7 * k), "", f"{3 + k}.5 m") for k in range(40)]
    pages = ((150, rows[:26]), (60, [rows[0], *rows[26:]]))
    text = markdown(drawn(*[lambda page, y=y, part=part: grid(page, part, y=y) for y, part in pages]))
    assert len(re.findall(r"(?m)^\|[\s:|-]+\|$", text)) == 1
    assert re.search(r"(?m)^\| Bergen 25 +\| 215 +\| +\| 28\.5 m +\|$", text)
    assert re.search(r"(?m)^\| Emden 28 +\| 236 +\| +\| 31\.5 m +\|$", text)


def test_a_long_table_without_rules_has_all_rows(drawn):
    """Rows of a long table without rules were dropped (docling#4255)."""
    rows = [("Port", "Berths", "Depth", "Fee")]
    rows += [(f"{NAMES[k % 6]} {k}", str(40 + 7 * k), f"{3 + k}.5 m", f"{100 + k}.00") for k in range(44)]

    def draw(page):
        lines(page, ("The ports of the coast and what a berth costs there:",), y=70)
        for k, row in enumerate(rows):
            for column, text in enumerate(row):
                page.insert_text((80 + 115 * column, 100 + 15 * k), text, fontsize=9.5)

    (table,) = tables_of(drawn(draw))
    assert rows_of(table) == [list(row) for row in rows]


def test_blank_cells_stay_blank(drawn):
    """Values were made up for cells that are blank (PaddleOCR#17772)."""
    rows = [
        ("Port", "Berths", "Depth", "Fee"),
        ("Alta", "", "3.5 m", ""),
        ("Bergen", "47", "", "12"),
        ("", "9", "", ""),
    ]
    (table,) = tables_of(drawn(lambda page: (body(page, 1), grid(page, rows, y=200))))
    assert rows_of(table) == [list(row) for row in rows]


def test_hyphens_are_read_as_the_word_has_them(drawn):
    """Soft hyphens stayed, `algo- rithms` stayed apart, and `well-known` lost its own (pdf_oxide#1412)."""

    def draw(page):
        texts = (
            "The harbour keeps its log by soft\u00adware that is older than all of the algo-",
            "rithms of today; the algorithms are slow. It is a long day, and the well-known",
            "pilot of the port, who is well-known to all, goes on board with the pas\u00ad",
            "sengers of the evening.",
        )
        page.insert_font(fontname="F0", fontbuffer=pymupdf.Font("helv").buffer)  # one that has soft hyphens
        for k, text in enumerate(texts):
            page.insert_text((72, 120 + 14 * k), text, fontsize=10.5, fontname="F0")

    text = flat(markdown(drawn(draw)))
    assert "by software that" in text
    assert "the algorithms of today" in text
    assert "the well-known pilot" in text
    assert "the passengers of" in text
    assert "\u00ad" not in text


def test_a_compound_that_breaks_at_its_hyphen_keeps_it(drawn):
    """The hyphen of `well-known` went where a line ended at it (xberg#1613)."""

    def draw(page):
        texts = (
            "The pilot of the port is well-known to all who come here. A well-",
            "known pilot goes on board with the passengers of the evening.",
        )
        lines(page, texts)

    assert "A well-known pilot" in flat(markdown(drawn(draw)))


def test_hidden_text_that_contradicts_the_print_is_left_out(drawn):
    """An invisible amount came into the chunks beside the printed one (unstructured#4377)."""

    def draw(page):
        body(page, 3)
        page.insert_text((72, 320), "The price of the ship is 485,000 euros.", fontsize=10.5)
        page.insert_text((72, 340), "The price of the ship is 1 euro.", fontsize=10.5, render_mode=3)

    document = drawn(draw)
    text = flat(markdown(document))
    assert "485,000" in text
    assert "1 euro." not in text
    assert any("hidden" in warning.code for page in document.pages for warning in page.warnings)


def test_the_layer_that_ocr_laid_over_a_scan_is_read(drawn):
    """The opposite of it: the invisible layer of a scan is its text (pdf-inspector#385)."""
    with pymupdf.open() as inner:
        body(inner.new_page(width=595, height=842), 6)
        picture = inner[0].get_pixmap(dpi=150)

    def draw(page):
        page.insert_image(page.rect, pixmap=picture)
        for k in range(6):
            for n, text in enumerate(BODY):
                page.insert_text((72, 120 + 60 * k + 14 * n), text, fontsize=10.5, render_mode=3)

    assert flat(markdown(drawn(draw))).count(BODY[0]) == 6


def test_an_address_on_two_lines_is_one_link(drawn):
    """A link that runs over the end of its line was lost, or was two (marker#860)."""

    def draw(page):
        lines(page, (*BODY[:2], "who wants to know more reads the long report of the", "harbour council first of all."))
        for rect in ((250, 138, 330, 152), (72, 152, 160, 166)):
            page.insert_link({"kind": pymupdf.LINK_URI, "from": pymupdf.Rect(rect), "uri": "https://example.org/log"})

    text = markdown(drawn(draw))
    assert text.count("(https://example.org/log)") == 1
    assert re.search(r"\[[^\]]*report of the harbour council[^\]]*\]\(https://example\.org/log\)", text)


def test_boxes_of_a_cropped_turned_page_lie_on_its_words(drawn, tmp_path):
    """Highlights stood in the wrong place where the page is cropped and turned (ragflow#13097)."""
    document = drawn(
        lambda page: (body(page, 4), page.insert_text((72, 500), "Quay of the seventh bell", fontsize=20)),
        rotation=90,
        crop=(40, 60, 560, 700),
    )
    with pymupdf.open(tmp_path / "drawn.pdf") as pdf:
        page = pdf[0]
        (place,) = [rect * page.rotation_matrix for rect in page.search_for("Quay of the seventh bell")]
    (span,) = [span for region in document.pages[0].regions for span in region.spans if "seventh bell" in span.text]
    printed = pymupdf.Rect(span.box.x0, span.box.y0, span.box.x1, span.box.y1)
    assert abs(printed & place) >= 0.95 * abs(printed)
    assert printed.height == pytest.approx(place.height, abs=1)  # the length of the line, which is turned


def test_text_whose_codes_say_nothing_is_read_by_the_names_of_its_glyphs(drawn):
    """Codes of glyphs were delivered as if they were letters (pdf_oxide#876, docling-parse#238)."""

    def draw(page):
        page.insert_font(fontname="F0", fontbuffer=pymupdf.Font("helv").buffer)
        for k in range(6):
            for n, text in enumerate(BODY):
                page.insert_text((72, 120 + 60 * k + 14 * n), text, fontsize=10.5, fontname="F0")
        document = page.parent
        for xref, *_ in page.get_fonts():
            document.xref_set_key(xref, "ToUnicode", "null")

    assert flat(markdown(drawn(draw))).count(flat(" ".join(BODY))) == 6
