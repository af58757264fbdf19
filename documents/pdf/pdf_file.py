"""Opens a PDF in the child: draws and inspects pages, reads outline, metadata, page labels."""

from __future__ import annotations

import math
import mmap
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pymupdf
from pymupdf.utils import construct_label

from documents.boxes import BoundingBox
from documents.errors import EncryptedDocument, NoPages, PageFailed, TooManyPages, UnreadableDocument
from documents.ink import PIXELS, ink_cells, turned_back
from documents.inspection import InkGrid, Inspection
from documents.media_types import PDF, sniff
from documents.page_tree import PageTree
from documents.pdf.annotations import comments, hide_comments
from documents.pdf.carried_files import CarriedFile, carried_files, content_of
from documents.pdf.content_limits import unpacks_beyond
from documents.pdf.field_text import with_field_values
from documents.pdf.form_fields import drawn_corners, form_fields
from documents.pdf.graphics.drawings import drawings
from documents.pdf.graphics.ruling_lines import drawn_paths, grids, level_bars, paths_of_a_form, rules
from documents.pdf.page_fingerprint import page_fingerprint
from documents.pdf.structure_tree import TaggedPdf
from documents.pdf.text.bullets import with_drawn_bullets
from documents.pdf.text.redactions import with_covered_places
from documents.pdf.text.struck_text import Strikes
from documents.pdf.text.text_layer import text_layer
from documents.render_limits import RenderLimits
from documents.straighten.straight_page import WholePage
from documents.values import Opened, OutlineItem, PageWarning, Source

CELL = 4.0  # points
MAX_CELLS = 600  # along the longer side; a larger page gets larger cells
MIN_SCAN_SHARE = 0.8  # share of a page that is a picture which an image covers
MAX_SCAN_PIXELS = 10_000_000  # of its drawing that is kept: A4 at 300 dpi
MAX_OUTLINE = 2000
MAX_IMAGES = 1000  # maximum number of images per page
MAX_LABEL_CHARACTERS = 40  # maximum length of a page's label
MAX_TITLE_CHARACTERS = 300  # maximum length of a title or of a metadata value


class PdfFile:
    """One PDF document; pages are numbered from 1. Its bytes are those of `file`, where it is handed open."""

    def __init__(self, source: Source, limits: RenderLimits, file: BinaryIO | None = None) -> None:
        pymupdf.TOOLS.mupdf_display_errors(False)
        pymupdf.TOOLS.mupdf_display_warnings(False)
        pymupdf.TOOLS.set_small_glyph_heights(True)  # boxes as high as the font's size, not as its tallest sign
        self._limits = limits
        with file or Path(source.path).open("rb") as opened:
            if sniff(opened.read(2048)) != PDF:
                raise UnreadableDocument("this is not a PDF")
            mapped = _mapped(opened)
        self._pdf = pymupdf.open(stream=memoryview(mapped), filetype="pdf")
        if not self._pdf.is_pdf:
            raise UnreadableDocument("this is not a PDF")
        if self._pdf.needs_pass and not self._pdf.authenticate(source.password or ""):
            raise EncryptedDocument("the password is wrong" if source.password else "a password is needed")
        self._scan: tuple[int, float, np.ndarray] | None = None  # number, zoom and drawing of a page that is a picture
        self._are_scans: dict[int, bool] = {}  # by page
        self._num_pages = self._pdf.page_count
        if self._num_pages < 1:
            raise NoPages("the document has no pages")
        if self._num_pages > limits.max_pages:
            raise TooManyPages(f"{self._num_pages} pages; {limits.max_pages} are allowed")
        self._tagged = TaggedPdf(memoryview(mapped), source.password) if self._is_tagged() else None

    def opened(self) -> Opened:
        repaired = PageWarning(code="repaired", message="the file was damaged and has been repaired")
        metadata = {str(k): str(v)[:MAX_TITLE_CHARACTERS] for k, v in (self._pdf.metadata or {}).items() if v}
        return Opened(
            num_pages=self._num_pages,
            metadata=metadata,
            outline=self._outline(),
            warnings=(repaired,) if self._pdf.is_repaired else (),
            page_labels=self._page_labels(),
        )

    @property
    def num_pages(self) -> int:
        return self._num_pages

    def carried_files(self) -> tuple[list[CarriedFile], bool]:
        """The files that the PDF carries, and whether there are more, or may be."""
        return carried_files(self._pdf)

    def carried_content(self, file: CarriedFile, max_bytes: int) -> bytes:
        """The bytes of one of them. Raises TooLargeUnpacked, UnreadableDocument."""
        return content_of(self._pdf, file, max_bytes)

    def inspect(self, number: int) -> Inspection:
        page = self._page(number)
        width, height = page.rect.width, page.rect.height
        cell = CELL * max(1.0, math.ceil(max(width, height) / CELL / MAX_CELLS))
        pixels = _drawn(page, PIXELS / cell, None)
        images, warnings = self._images(page, number)
        all_paths = drawn_paths(page)
        paths = paths_of_a_form(all_paths)
        strikes = Strikes(page, paths)
        text = text_layer(page, pixels, PIXELS / cell, images, strikes, self._limits.max_lines)
        form = form_fields(page)
        lines = with_field_values(text.lines, form.fields, drawn_corners(page) if form.fields else frozenset())
        lines, paths = with_covered_places(lines, strikes.other_paths(), page)
        lines = with_drawn_bullets(lines, paths, page)
        drawn_rules = rules(page, paths)
        annotations, cut_short = comments(page, text.lines, number)
        return Inspection(
            number=number,
            width=width,
            height=height,
            rotation=page.rotation,
            lines=lines,
            watermarks=text.watermarks,
            ink=InkGrid.of(ink_cells(pixels), cell),
            images=images,
            rules=drawn_rules,
            bars=level_bars(page, all_paths) if any(line.glyphs for line in lines) else (),
            grids=grids(page, drawn_rules, lines, paths),
            drawings=drawings(page, all_paths),
            tree=self._tree(page, number),
            warnings=(*warnings, *cut_short, *form.warnings(number)),
            fields=tuple(stored.field for stored in form.fields),
            annotations=annotations,
        )

    def fingerprint(self, number: int) -> str | None:
        """See `page_fingerprint`."""
        page = self._page(number)
        return page_fingerprint(page, self._tree(page, number))

    def picture(
        self, number: int, long_side: int | None, dpi: float | None, box: BoundingBox | None, angle: int
    ) -> np.ndarray:
        page = self._page(number)
        clip = page.rect if box is None else pymupdf.Rect(box.x0, box.y0, box.x1, box.y1) & page.rect
        if clip.is_empty:
            raise PageFailed("the requested part is outside the page")
        zoom = long_side / max(clip.width, clip.height) if long_side else (dpi or 144.0) / 72
        zoom = min(zoom, math.sqrt(self._limits.max_pixels / (clip.width * clip.height)))
        return turned_back(self._drawing(page, number, zoom, clip), angle)

    def _drawing(self, page: pymupdf.Page, number: int, zoom: float, clip: pymupdf.Rect) -> np.ndarray:
        """Of a page that is a picture, cut from the whole, whose last drawing is kept: each would decode it again."""
        max_pixels = min(MAX_SCAN_PIXELS, self._limits.max_pixels)
        if page.rect.get_area() * zoom**2 > max_pixels or not self._is_scan(page, number):
            return _drawn(page, zoom, clip)
        if self._scan is None or self._scan[:2] != (number, zoom):
            self._scan = None
            whole = _drawn(page, zoom, None)
            whole.flags.writeable = False
            self._scan = number, zoom, whole
        x0, y0, x1, y1 = (clip * pymupdf.Matrix(zoom, zoom)).irect
        return self._scan[2][y0:y1, x0:x1]

    def _is_scan(self, page: pymupdf.Page, number: int) -> bool:
        if number not in self._are_scans:
            covered = MIN_SCAN_SHARE * page.rect.get_area()
            self._are_scans[number] = any(image.area >= covered for image in self._images(page, number)[0])
        return self._are_scans[number]

    def whole(self, number: int) -> WholePage:
        page = self._page(number)
        return WholePage(page.rect.width, page.rect.height, lambda zoom: self._drawing(page, number, zoom, page.rect))

    def close(self) -> None:
        if self._tagged is not None:
            self._tagged.close()
        self._pdf.close()

    def _page(self, number: int) -> pymupdf.Page:
        if not 1 <= number <= self._num_pages:
            raise PageFailed(f"there is no page {number}")
        # an image that MuPDF keeps decoded from another call, at another size, would change the pixels of this one
        pymupdf.TOOLS.store_shrink(100)
        page = self._pdf[number - 1]
        self._pdf.xref_get_key(page.xref, "Type")  # raises if its own object cannot be read: it would seem blank
        if (page.cropbox & page.mediabox).is_empty:  # then nothing is cropped, as readers have it
            self._pdf.xref_set_key(page.xref, "CropBox", "null")
            page = self._pdf.reload_page(page)
        if not (page.rect.width >= 1 and page.rect.height >= 1):
            raise PageFailed("the page has no area")
        if unpacks_beyond(page, self._limits.max_content_bytes):
            raise PageFailed(f"the page's content unpacks to more than {self._limits.max_content_bytes} bytes")
        hide_comments(page)
        return page

    def _tree(self, page: pymupdf.Page, number: int) -> PageTree | None:
        if self._tagged is None:
            return None
        upright = pymupdf.Matrix(page.transformation_matrix) * page.rotation_matrix
        try:
            return self._tagged.page_tree(number, upright)
        except Exception:  # whatever an odd tree leads to is no reason to lose the page
            return None

    def _is_tagged(self) -> bool:
        return (
            self._limits.structure_trees
            and self._pdf.xref_get_key(self._pdf.pdf_catalog(), "StructTreeRoot")[0] != "null"
        )

    def _images(self, page: pymupdf.Page, number: int) -> tuple[tuple[BoundingBox, ...], tuple[PageWarning, ...]]:
        """Where pictures lie, and a warning for each that is too large to be drawn."""
        boxes: list[BoundingBox] = []
        warnings: list[PageWarning] = []
        sheet = pymupdf.Rect(0, 0, page.rect.width, page.rect.height)
        for image in page.get_image_info()[:MAX_IMAGES]:
            rect = pymupdf.Rect(image["bbox"]) * page.rotation_matrix & sheet
            if rect.is_empty or rect.width < 2 or rect.height < 2:
                continue
            box = BoundingBox(x0=rect.x0, y0=rect.y0, x1=rect.x1, y1=rect.y1)
            boxes.append(box)
            if image["width"] * image["height"] > self._limits.max_pixels:
                message = f"a picture of {image['width']} x {image['height']} pixels may not be shown"
                warnings.append(PageWarning(code="image_too_large", message=message, page=number, box=box))
        return tuple(boxes), tuple(warnings)

    def _outline(self) -> tuple[OutlineItem, ...]:
        try:
            entries: list[Any] = self._pdf.get_toc(simple=True)
        except Exception:  # a damaged outline is no reason to lose the pages
            return ()
        return tuple(
            OutlineItem(level=level, title=title[:MAX_TITLE_CHARACTERS].strip(), page=page if page > 0 else None)
            for level, title, page in entries[:MAX_OUTLINE]
        )

    def _page_labels(self) -> tuple[str, ...]:
        """Of every page, where the file labels any."""
        try:
            ranges = sorted(self._pdf.get_page_labels(), key=_first_page)
            if not ranges:
                return ()
            return tuple(_label(place, ranges)[:MAX_LABEL_CHARACTERS] for place in range(self._num_pages))
        except Exception:  # damaged labels are no reason to lose the pages
            return ()


def _mapped(file: BinaryIO) -> mmap.mmap | bytes:
    """All of a file; one that lies inside another is in memory."""
    return file.getvalue() if isinstance(file, BytesIO) else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _first_page(labels: Mapping[str, Any]) -> int:
    return labels["startpage"]


def _label(place: int, ranges: Sequence[Mapping[str, Any]]) -> str:
    """Of the page at a place from 0, as `Page.get_label` has it, which reads all ranges of the file for every page."""
    number = bisect_right(ranges, place, key=_first_page)
    if number == 0:
        return ""
    labels = ranges[number - 1]
    style = labels.get("style", "")
    count = place - labels["startpage"] + labels["firstpagenum"]
    return construct_label(style, labels["prefix"], count - 1 if style in ("a", "A") else count)  # letters from 0


def _drawn(page: pymupdf.Page, zoom: float, clip: pymupdf.Rect | None) -> np.ndarray:
    """uint8 (height, width, 3), on white."""
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), clip=clip, colorspace=pymupdf.csRGB, alpha=False)
    return np.frombuffer(pixmap.samples_mv, np.uint8).reshape(pixmap.height, pixmap.width, 3).copy()
