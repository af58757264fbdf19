"""What is struck out on a page is marked as such in its Markdown."""

from __future__ import annotations

import pymupdf
from block_making import blocks_of

from documents.boxes import BoundingBox
from documents.document.assemble_document import assemble
from documents.exports.markdown import markdown
from documents.page.build_page import compose_page, draft_regions
from documents.values import Detection, Opened


def width(text, size=11.0):
    return pymupdf.get_text_length(text, fontsize=size)


def shown(with_pool, source, *detections):
    inspection = with_pool(lambda pool: pool.inspect(source, 1)).inspection()
    blocks = blocks_of(inspection, {"Clause 7: Pets": "heading"})
    drafts = draft_regions(inspection, list(detections), blocks=blocks)
    return markdown(assemble("d", 1, Opened(num_pages=1), (compose_page(inspection, drafts, {}, {}),)))


def test_what_is_struck_out_of_a_paragraph_and_a_heading_is_marked_there(pdf_of, with_pool):
    """Guards against marks on other letters where lines are joined, hyphens taken out and ligatures taken apart."""

    def draw(sheet):
        sheet.insert_text((72, 100), "Clause 7: Pets", fontsize=16)
        sheet.draw_line((72, 96), (72 + width("Clause 7: Pets", 16), 96), width=0.8)
        sheet.insert_text((72, 140), "The annual fee and the har-", fontsize=11)
        sheet.insert_text((72, 154), "bour dues are 310 euros, due in May.", fontsize=11)
        x = 72 + width("The annual fee and ")
        sheet.draw_line((x, 137), (x + width("the har-"), 137), width=0.6)
        sheet.draw_line((72, 151), (72 + width("bour dues"), 151), width=0.6)

    text = shown(
        with_pool,
        pdf_of(draw),
        Detection(kind="title", box=BoundingBox(x0=70, y0=85, x1=300, y1=105), score=0.9),
        Detection(kind="plain text", box=BoundingBox(x0=70, y0=125, x1=400, y1=160), score=0.9),
    )
    assert text == "# ~~Clause 7: Pets~~\n\nThe annual fee and ~~the harbour dues~~ are 310 euros, due in May.\n"


def test_what_is_struck_out_of_a_cell_is_marked_there(pdf_of, with_pool):
    def draw(sheet):
        for row, (item, price) in enumerate((("Item", "Price"), ("Setup", "900"), ("Support", "180 150"))):
            y = 100 + 20 * row
            sheet.insert_text((76, y + 14), item, fontsize=11)
            sheet.insert_text((206, y + 14), price, fontsize=11)
        for k in range(4):
            sheet.draw_line((72, 100 + 20 * k), (332, 100 + 20 * k), width=0.6)
        for x in (72, 202, 332):
            sheet.draw_line((x, 100), (x, 160), width=0.6)
        sheet.draw_line((206, 151), (206 + width("180"), 151), width=0.6)

    box = BoundingBox(x0=70, y0=98, x1=334, y1=162)
    text = shown(with_pool, pdf_of(draw), Detection(kind="table", box=box, score=0.9))
    assert text == "| Item | Price |\n| --- | --- |\n| Setup | 900 |\n| Support | ~~180~~ 150 |\n"
