"""Marks texts and tables that go on from the region before, over columns and pages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from documents.document.tables_over_pages import table_continued
from documents.document.text_styles import type_size
from documents.region_values import FormulaRegion, Region, TableRegion, TextRegion, TitleRegion
from documents.rotated_boxes import unrotate
from documents.text.languages import UNSPACED_SCRIPTS
from documents.text.printed_rows import is_backwards
from documents.values import Page

MAX_HANGING_INDENT = 3.0  # maximum distance between a list mark and the words of its item, in heights of the mark
OPEN_ENDS = tuple(",-\u2010，、،")  # a text that ends in one of these goes on
MAX_EDGE_OFFSET = 2.0  # maximum offset between lines of one left edge, in points
MAX_LINE_GAP = 0.45  # maximum gap between lines of a paragraph, in type sizes


def with_joins(pages: Sequence[Page]) -> list[Page]:
    """Text regions that go on in the middle of a sentence say so, also over columns and pages.

    A displayed formula is a part of its sentence: what is read behind it in its column goes on with the formula.
    """
    before: TextRegion | None = None
    page_before = 0
    is_behind_formula = False
    joined_pages: list[Page] = []
    for page in pages:
        regions: list[Region] = []
        for region in page.regions:
            if isinstance(region, TextRegion) and region.note is None:
                same_page = page_before == page.number
                continues = (
                    before is not None
                    and not (is_behind_formula and same_page and _stands_below(region, before))
                    and _goes_on(before, region, same_page=same_page)
                )
                regions.append(region.model_copy(update={"continues": True}) if continues else region)
                if region.text:
                    before, page_before, is_behind_formula = region, page.number, False
                continue
            rest = (
                table_continued(_last_of(joined_pages[-1]), region)
                if joined_pages and region is _first_of(page)
                else None
            )
            regions.append(rest or region)
            is_behind_formula |= isinstance(region, FormulaRegion)
            if isinstance(region, TitleRegion | TableRegion):
                before = None
        joined_pages.append(page.model_copy(update={"regions": tuple(regions)}))
    return joined_pages


def _first_of(page: Page) -> Region | None:
    return next((region for region in page.regions if region.kind != "abandon"), None)


def _last_of(page: Page) -> Region | None:
    return next((region for region in reversed(page.regions) if region.kind != "abandon"), None)


def _goes_on(before: TextRegion, region: TextRegion, *, same_page: bool) -> bool:
    """A sentence without an end, and a small letter or a new column, in type of the same size; or the rest of an item.

    A letter without case, or the capital of a name, goes on with a sentence only in another column or page, and where
    the last line above had no room for it.
    """
    if not region.text or any(item.line == 0 for item in region.items):
        return False
    sizes = type_size(before), type_size(region)
    if min(sizes) <= 0.9 * max(sizes):
        return False
    if _is_rest_of_item(before, region):
        return True
    last, first = before.text[-1], region.text[0]
    if not (last.isalnum() or unicodedata.category(last)[0] == "M" or last in OPEN_ENDS):
        return False
    if first.islower():
        return True
    if not first.isalpha() or (same_page and _stands_below(region, before)):
        return False
    return (not first.isupper() or len(before.spans) > 1) and _is_full(before, region)


def _stands_below(region: TextRegion, before: TextRegion) -> bool:
    return unrotate(region.box, region.angle).y0 >= unrotate(before.box, before.angle).y1


def _is_full(before: TextRegion, region: TextRegion) -> bool:
    """Whether the next region's first word would not have found room in the last line, as wide as lines of both are."""
    if not before.spans or not region.spans:
        return False
    rows = [unrotate(span.box, before.angle) for span in before.spans]
    following = [unrotate(span.box, region.angle) for span in region.spans]
    width, next_width = (max(b.x1 for b in boxes) - min(b.x0 for b in boxes) for boxes in (rows, following))
    backwards = is_backwards(before.text)
    room = rows[-1].x0 - min(b.x0 for b in rows) if backwards else max(b.x1 for b in rows) - rows[-1].x1
    if len(rows) == 1:
        room = max(0.0, next_width - width)
    line = region.spans[0].text
    word = line.split(" ", 1)[0] if not re.match(f"[{UNSPACED_SCRIPTS}]", line) else line[:2]
    return room <= (len(word) + 1) * following[0].width / max(1, len(line))


def _is_rest_of_item(before: TextRegion, region: TextRegion) -> bool:
    """Whether a text stands right below the last line of an item, where the words behind its mark begin."""
    if not before.items or before.items[-1].line != before.text.count("\n"):
        return False
    mark, upper, box = (unrotate(one, region.angle) for one in (before.items[-1].box, before.box, region.box))
    rows = [unrotate(span.box, region.angle) for span in before.spans]
    lower = [row.x0 for row in rows if row.y0 > mark.y1]  # the item's own lines but the first
    edge = box.x0 - mark.x1 if not lower else abs(box.x0 - min(lower))
    gap = box.y0 - upper.y1
    far = MAX_EDGE_OFFSET if lower else MAX_HANGING_INDENT * mark.height
    return 0 <= edge <= far and abs(gap) <= MAX_LINE_GAP * type_size(region)
