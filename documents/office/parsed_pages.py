"""Serves the pages of a parsed file; one that is printed inside of it is that of its own file."""

from __future__ import annotations

import io

import numpy as np

from documents.boxes import BoundingBox
from documents.errors import IngestError, PageFailed, PageNotDrawn, UnreadableDocument
from documents.inspection import Inspection
from documents.media_types import PDF, sniff
from documents.office.parsed_file import Authored, PrintedPage
from documents.pdf.image_file import ImageFile
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.straighten.straight_page import WholePage
from documents.values import Page, Source


class ParsedPages:
    """Pages are numbered from 1; at most one file inside is open."""

    def __init__(self, source: Source, limits: RenderLimits, parsed: Authored) -> None:
        self._source = source
        self._limits = limits
        self._parsed = parsed
        self._inner: tuple[str, PdfFile | ImageFile] | None = None

    @property
    def num_pages(self) -> int:
        return len(self._parsed.pages)

    def authored(self, number: int) -> Page | None:
        """The page as its author wrote it; None of one that is printed, which is inspected and drawn."""
        page = self._page(number)
        return None if isinstance(page, PrintedPage) else page.model_copy(update={"number": number})

    def part(self, name: str) -> PdfFile | ImageFile:
        """A PDF or picture inside. Raises PageFailed where there is none, or as its own kind."""
        if self._inner is None or self._inner[0] != name:
            self.close()
            content = self._parsed.read_part(name)
            kind = sniff(content[:2048]) if content else None
            if content is None or kind is None:
                raise PageFailed("the format of this picture is not supported")
            self._inner = name, open_printed(self._source, self._limits, content, kind)
        return self._inner[1]

    def inspect(self, number: int) -> Inspection:
        file, own = self._printed(number)
        return file.inspect(own).model_copy(update={"number": number})

    def picture(
        self, number: int, long_side: int | None, dpi: float | None, box: BoundingBox | None, angle: int
    ) -> np.ndarray:
        file, own = self._printed(number)
        return file.picture(own, long_side, dpi, box, angle)

    def whole(self, number: int) -> WholePage:
        file, own = self._printed(number)
        return file.whole(own)

    def close(self) -> None:
        inner, self._inner = self._inner, None
        if inner is not None:
            inner[1].close()

    def _page(self, number: int) -> Page | PrintedPage:
        if not 1 <= number <= self.num_pages:
            raise PageFailed(f"there is no page {number}")
        return self._parsed.pages[number - 1]

    def _printed(self, number: int) -> tuple[PdfFile | ImageFile, int]:
        page = self._page(number)
        if not isinstance(page, PrintedPage):
            raise PageNotDrawn("this page is not drawn: its file has no printed pages")
        return self.part(page.part), page.number


def open_printed(source: Source, limits: RenderLimits, content: bytes, media_type: str) -> PdfFile | ImageFile:
    """A PDF or picture that lies inside a file. Raises as its own kind."""
    kind = PdfFile if media_type == PDF else ImageFile
    try:
        return kind(source.model_copy(update={"media_type": media_type}), limits, io.BytesIO(content))
    except (IngestError, MemoryError, ImportError):
        raise
    except Exception as error:  # whatever the libraries raise on outside bytes
        raise UnreadableDocument("the file is damaged: it cannot be opened") from error
