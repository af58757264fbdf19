"""Writes a document as MinerU's content list: flat items in reading order, each with its page and its place on it.

A text that goes on over columns or pages is an item for each of its parts: an item of this format has one place, which
clients highlight.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from documents.boxes import NO_BOX, BoundingBox
from documents.exports.linked_text import struck_text
from documents.exports.text_blocks import Block, BlockPart, blocks
from documents.region_values import (
    CaptionRegion,
    FigureRegion,
    FormulaRegion,
    FurnitureRegion,
    Region,
    Table,
    TableRegion,
    TextRange,
    TextRegion,
    TitleRegion,
    table_in,
)
from documents.tables.written.table_markup import to_html
from documents.text.latex import inert
from documents.values import Document, Page

BOX_UNITS = 1000  # places are thousandths of the page's width and height
_Item = dict[str, Any]
_Captions = Mapping[tuple[int, int], Sequence[CaptionRegion]]


def content_list(document: Document, addresses: Mapping[str, str]) -> list[_Item]:
    """All items; a figure has the address of its picture by its name, or an empty one.

    `page_idx` counts from 0 in the whole document, also where only some of its pages were read.
    """
    pages = {page.number: page for page in document.pages}
    whole = list(blocks(document, with_figures=True))
    captions = _captions(whole)
    described = {id(caption) for group in captions.values() for caption in group}
    items = [
        item | _place(pages[part.page], part.region.box)
        for block in whole
        if id(block.region) not in described
        for part, item in _items(block, captions, addresses)
    ]
    items += (
        {"type": furniture_kind(page, region), "text": region.text} | _place(page, region.box)
        for page in document.pages
        for region in page.regions
        if isinstance(region, FurnitureRegion) and region.text.strip()
    )
    return sorted(items, key=lambda item: item["page_idx"])  # furniture stands at the end of its page


def furniture_kind(page: Page, region: Region) -> str:
    """What MinerU calls a running head or foot."""
    if region.text.strip(" -–—|.[]()").isdecimal():
        return "page_number"
    in_footer = region.place is not None and region.place.kind == "document" and region.place.path.startswith("footer")
    return "footer" if in_footer or region.box.center[1] > page.size[1] / 2 else "header"


def _captions(whole: Sequence[Block]) -> _Captions:
    """The captions and notes of each figure and table, by its page and `order`."""
    parts = [part for block in whole for part in block.parts]
    described = {
        (part.page, part.region.order)
        for part in parts
        if isinstance(part.region, FigureRegion) or table_in(part.region) is not None
    }
    captions: defaultdict[tuple[int, int], list[CaptionRegion]] = defaultdict(list)
    for page, region, *_ in parts:
        if isinstance(region, CaptionRegion) and (page, region.describes) in described:
            captions[page, region.describes or 0].append(region)
    return captions


def _items(block: Block, captions: _Captions, addresses: Mapping[str, str]) -> Iterator[tuple[BlockPart, _Item]]:
    """The items of a block, each with the part whose place it has."""
    first = block.parts[0]
    match block.region:
        case FigureRegion() as region:
            item = {"type": "image", "img_path": addresses.get(block.figure or "", "")}
            item |= _described("image", block, captions)
            yield first, item | ({"content": region.text} if region.text.strip() else {})
        case TableRegion(table=Table() as table):
            item = {"type": "table", "img_path": "", **_described("table", block, captions)}
            yield first, item | {"table_body": to_html(table)}
        case FormulaRegion(latex=str() as latex) if (harmless := inert(latex)) is not None:
            yield first, {"type": "equation", "img_path": "", "text": f"$$\n{harmless}\n$$", "text_format": "latex"}
        case FormulaRegion(text=text):
            yield first, {"type": "equation", "img_path": "", "text": text}
        case TitleRegion() as region:
            yield first, {"type": "text", "text": _words(block, first), "text_level": region.level or 1}
        case _:
            for part in block.parts:
                yield part, _text_item(block, part)


def _described(kind: str, block: Block, captions: _Captions) -> _Item:
    regions = [caption for page, region, *_ in block.parts for caption in captions.get((page, region.order), ())]
    notes = [region for region in regions if region.kind == "table_footnote" or region.note is not None]
    return {
        f"{kind}_caption": [region.text for region in regions if region not in notes],
        f"{kind}_footnote": [region.text for region in notes],
    }


def _text_item(block: Block, part: BlockPart) -> _Item:
    region = part.region
    if isinstance(region, TextRegion) and region.code:
        return {"type": "code", "sub_type": "code", "code_caption": [], "code_body": region.text}
    if isinstance(region, TextRegion) and region.items:
        lines = struck_text(region.text, region.struck).split("\n")
        return {"type": "list", "sub_type": "text", "list_items": [line for line in lines if line.strip()]}
    return {"type": "text", "text": _words(block, part)}


def _words(block: Block, part: BlockPart) -> str:
    """The text of a part; a word that goes on in the next part stands whole in the one in which it begins."""
    text = block.text
    start, end = (_word_end(text, cut) for cut in (part.start, part.end))
    struck = [
        TextRange(start=max(words.start, start) - start, end=min(words.end, end) - start)
        for words in block.region.struck
        if words.start < end and words.end > start
    ]
    return struck_text(text[start:end], struck).strip()


def _word_end(text: str, cut: int) -> int:
    """The end of the word that the cut divides; the cut itself if it divides none."""
    while 0 < cut < len(text) and text[cut - 1].isascii() and text[cut - 1].isalnum() and text[cut].isalnum():
        cut += 1
    return cut


def _place(page: Page, box: BoundingBox) -> _Item:
    """On the page as a person sees it; without a box where nothing is printed."""
    width, height = page.size
    if box == NO_BOX or not width or not height:
        return {"page_idx": page.number - 1}
    x0, x1 = (min(BOX_UNITS, max(0, round(x * BOX_UNITS / width))) for x in (box.x0, box.x1))
    y0, y1 = (min(BOX_UNITS, max(0, round(y * BOX_UNITS / height))) for y in (box.y0, box.y1))
    return {"bbox": [x0, y0, x1, y1], "page_idx": page.number - 1}
