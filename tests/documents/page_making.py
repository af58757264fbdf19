"""Values for tests: lines, inspections and detections made in one call each."""

from __future__ import annotations

import numpy as np

from documents.boxes import BoundingBox
from documents.draft.page_draft import PageDraft
from documents.draft.rule import run_rules
from documents.draft.text_source import Layer
from documents.inspection import InkGrid, Inspection, TextLine, Word
from documents.page.rules import RULES
from documents.region_values import Span, Table, TableCell, region_of
from documents.sandbox.page_stages import InspectedPage
from documents.text.list_markers import list_items
from documents.values import Detection, Opened, Page


def box(x0, y0, x1, y1):
    return BoundingBox(x0=x0, y0=y0, x1=x1, y1=y1)


def line(text, x=60.0, y=100.0, size=10.0, width=None, **more):
    """A line whose box is as high as its type and half as wide per letter, unless stated otherwise."""
    wide = 0.5 * size * len(text) if width is None else width
    return TextLine(text=text, box=box(x, y, x + wide, y + size), font_size=size, fonts=("Font",), **more)


def inspection(*lines, ink=(), size=(612, 792), images=(), number=1):
    """A page with ink under its lines and in the boxes of `ink`."""
    cells = np.zeros((int(size[1] // 4), int(size[0] // 4)), bool)
    for part in (*(one.box for one in lines if one.hidden is None), *ink):
        cells[int(part.y0 // 4) : int(part.y1 // 4) + 1, int(part.x0 // 4) : int(part.x1 // 4) + 1] = True
    return Inspection(
        number=number, width=size[0], height=size[1], lines=lines, ink=InkGrid.of(cells, 4.0), images=tuple(images)
    )


def inspected(page_inspection, source):
    """The inspection as a child gives it."""
    content = page_inspection.model_dump_json(exclude_defaults=True).encode()
    size = page_inspection.width, page_inspection.height
    return InspectedPage(source=source, number=page_inspection.number, size=size, content=content)


def detection_of(kind, *corners, score=0.8):
    return Detection(kind=kind, box=box(*corners), score=score)


def detections_after_rules(page_inspection, detections):
    """The detections of a page once its rules and grids are known; a rule that fails fails the test."""
    page = PageDraft(inspection=page_inspection, layer=Layer(page_inspection), detections=tuple(detections))
    page, failures = run_rules(RULES["detections"], page)
    assert not failures, failures
    return list(page.detections)


def kept(page_inspection, detections):
    """The detections that the rules left of those the network kept, and what they added."""
    page = PageDraft(
        inspection=page_inspection, layer=Layer(page_inspection), detections=tuple(detections), kept=tuple(detections)
    )
    page, failures = run_rules(RULES["detections"], page)
    assert not failures, failures
    return list(page.kept)


def drafts_after_reading(page_inspection, drafts, readings, crop_sizes, blocks=()):
    """The drafts of a page once some are read; a rule that fails fails the test."""
    page = PageDraft(
        inspection=page_inspection,
        layer=Layer(page_inspection),
        drafts=tuple(drafts),
        readings=readings,
        crop_sizes=crop_sizes,
        blocks=tuple(blocks),
    )
    page, failures = run_rules([*RULES["readings"], *RULES["read_blocks"]], page)
    assert not failures, failures
    return page.drafts


def region(text, kind="plain text", corners=(60, 300, 550, 320), size=10.0, **more):
    """A region of one span; in running text, lines with a mark are items, all marked at its left edge."""
    spans = (Span(text=text, box=box(*corners), source="text_layer", font_size=size),)
    if kind == "plain text" and "items" not in more and not more.get("code"):
        mark = box(corners[0], corners[1], corners[0] + size / 2, corners[1] + size)
        more["items"] = tuple(list_items(((line, None) for line in text.split("\n")), mark))
    return region_of(kind=kind, box=box(*corners), score=0.9, text=text, spans=spans, **more)


def page(*regions, number=1, size=(612, 792)):
    return Page(number=number, size=size, regions=regions)


def opened(num_pages=1, **more):
    return Opened(num_pages=num_pages, **more)


def words_of(text, x, y, size=10.0, **more):
    """Words of a printed line, each half as wide a letter as its type is high."""
    words, at = [], x
    for part in text.split():
        width = 0.5 * size * len(part)
        words.append(Word(text=part, box=box(at, y, at + width, y + size), font_size=size, **more))
        at += width + 0.3 * size
    return tuple(words)


def printed(text, x, y, size=10.0, **more):
    """A line with its words."""
    words = words_of(text, x, y, size)
    around = BoundingBox.around([word.box for word in words])
    return TextLine(text=text, box=around, font_size=size, fonts=("Font",), words=words, **more)


def printed_table(rows, *, x=60.0, y=100.0, width=100.0, pitch=20.0):
    """Lines of a table: a text (or None) for each place, columns `width` apart."""
    return [
        printed(text, x + width * column, y + pitch * row)
        for row, texts in enumerate(rows)
        for column, text in enumerate(texts)
        if text
    ]


def page_table(rows, around):
    """A table of texts; every cell has the box `around`."""
    cells = tuple(
        TableCell(row=k, column=j, text=text, box=around) for k, row in enumerate(rows) for j, text in enumerate(row)
    )
    return Table(num_rows=len(rows), num_columns=len(rows[0]), num_header_rows=1, cells=cells)
