"""What the gallery's states are about: an invoice, slides, a page with every kind of region, and a model's words."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pymupdf

from documents import values
from documents.boxes import BoundingBox

ROOT = Path(__file__).parents[2]
SCHEMA = {
    "type": "object",
    "properties": {
        "seller": {"type": "string"},
        "date": {"type": "string", "format": "date"},
        "total": {"type": "number"},
        "currency": {"type": "string"},
    },
    "required": ["seller", "total"],
}
LINES = ("Harbour Supplies Ltd", "Invoice date: 3 March 2024", "2 lamps 620.25", "Total: 1,240.50 EUR")
VALUES = {"seller": "Harbour Supplies Ltd", "date": "2024-03-03", "total": 1240.5, "currency": "NOK"}
ANSWER = "Lamps cost 620.25 for two [1], and the whole invoice is 1,240.50 [1]."


def invoice(heading: str = "Invoice") -> bytes:
    """A page whose four values a model is asked for."""
    document = pymupdf.open()
    page = document.new_page(width=595, height=842)
    page.insert_text((72, 90), heading, fontsize=20, fontname="hebo")
    for at, text in enumerate(LINES):
        page.insert_text((72, 150 + 60 * at), text, fontsize=11)
    return document.tobytes(no_new_id=True)


def region_page() -> values.Page:
    """A page with a region of every kind, and words that OCR doubts."""

    def box(top: float, height: float = 50) -> BoundingBox:
        return BoundingBox(x0=60, y0=top, x1=535, y1=top + height)

    cells = [("Berth", 0, 0), ("Ships", 0, 1), ("Depth", 0, 2), ("North", 1, 0), ("12", 1, 1), ("8.5 m", 1, 2)]
    table = values.Table(
        num_rows=2,
        num_columns=3,
        num_header_rows=1,
        cells=tuple(values.TableCell(row=r, column=c, text=t, box=box(300)) for t, r, c in cells),
    )
    words = "Lamps burn untl the mornirg, and boats go out."
    sure = (0.99, 0.98, 0.61, 0.99, 0.72, 0.99, 0.99, 0.99, 0.99)
    span = values.Span(text=words, box=box(160), source="ocr", word_confidences=sure)
    guess = values.UnreadableLine(guess="l0st w1th", box=box(190, 12), confidence=0.3)
    ocr: dict[str, Any] = {"score": 0.9, "text_source": "ocr"}
    regions = [
        values.region_of(kind="abandon", box=box(20, 20), score=0.9, text="Harbour log · page 1"),
        values.region_of(kind="title", level=1, box=box(60, 40), score=0.9, text="The harbour at night"),
        values.region_of(kind="plain text", box=box(120, 90), text=words, spans=(span,), unreadable=(guess,), **ocr),
        values.region_of(kind="plain text", box=box(225, 40), score=0.9, text="• Ropes\n• Lamps\n• Logs"),
        values.region_of(kind="table", box=box(300, 80), score=0.9, text="Berth Ships Depth", table=table),
        values.region_of(kind="table_caption", box=box(385, 16), score=0.9, text="Table 1: berths and depths"),
        values.region_of(kind="isolate_formula", box=box(420, 50), text="h", latex=FORMULA, **ocr),
        values.region_of(kind="figure", box=box(490, 160), score=0.9, text="", alt="The harbour from the sea"),
        values.region_of(kind="figure_caption", box=box(655, 16), score=0.9, text="Figure 1: the harbour"),
        values.region_of(kind="plain text", note="foot", box=box(760, 30), score=0.9, text="1 By the log of 1843."),
    ]
    ordered = tuple(region.model_copy(update={"order": order}) for order, region in enumerate(regions))
    return values.Page(number=1, size=(595, 842), regions=ordered)


FORMULA = r"h(t) = \frac{1}{2\pi}\int_0^T \sqrt{\alpha^2 + \beta_i^2}\,dt + \sum_{k=1}^{n} a_k \cos(\omega_k t)"
HTML = (ROOT / "deployments" / "ingress" / "page" / "static" / "samples" / "harbour.html").read_bytes()


def slides() -> bytes:
    """Two shapes and a table on a slide."""
    from pptx import Presentation
    from pptx.util import Inches

    deck: Any = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Harbour dues"
    slide.placeholders[1].text = "By length, per day\nWaived in a storm"
    table = slide.shapes.add_table(2, 2, Inches(1), Inches(4.5), Inches(6), Inches(1)).table
    for at, text in enumerate(("Length", "Per day", "up to 8 m", "12.00")):
        table.cell(at // 2, at % 2).text = text
    file = io.BytesIO()
    deck.save(file)
    return file.getvalue()
