"""One open Office file in the child process: parses it once and answers for its pages and parts."""

from __future__ import annotations

import io
from typing import BinaryIO

import numpy as np

from documents.boxes import BoundingBox
from documents.errors import EncryptedDocument, PageFailed, TooManyPages, UnreadableDocument
from documents.inspection import Inspection
from documents.media_types import LOCKED, PDF, sniff
from documents.office.mail.inner_files import InnerFiles
from documents.office.packages.text_budget import TextBudget
from documents.office.parsed_file import Authored, PrintedPage
from documents.office.parsers import parse_content, parse_file
from documents.pdf.image_file import ImageFile
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.straighten.straight_page import WholePage
from documents.values import Opened, Page, Source

MAX_OUTLINE = 2000


class OfficeFile:
    """One document; pages are numbered from 1, and a page that is printed inside of it is that of its own file."""

    def __init__(self, source: Source, limits: RenderLimits, file: BinaryIO) -> None:
        self._source, self._limits, self._file = source, limits, file
        if source.media_type == LOCKED:
            raise EncryptedDocument("the file is encrypted; encrypted Office files are not supported")
        self._inner: tuple[str, PdfFile | ImageFile] | None = None
        self._files = InnerFiles(
            parse_content,
            self._count_pages,
            limits.max_pages,
            TextBudget(file.seek(0, io.SEEK_END)),
            as_documents=source.attachments == "documents",
        )
        self._authored: Authored = parse_file(file, source.media_type, self._files)
        num_pages = len(self._authored.pages)
        if num_pages > limits.max_pages:
            raise TooManyPages(f"{num_pages} pages; {limits.max_pages} are allowed")
        if not num_pages:
            raise UnreadableDocument("the file holds nothing that can be read")

    def opened(self) -> Opened:
        return Opened(
            num_pages=len(self._authored.pages),
            metadata=self._authored.metadata,
            outline=tuple(self._authored.outline[:MAX_OUTLINE]),
            warnings=tuple(self._authored.warnings),
            attachments=tuple(self._files.attachments),
        )

    def attachment(self, name: str) -> bytes:
        """The bytes of a listed attachment. Raises PageFailed where there is none."""
        content = self._files.read(name)
        if content is None:
            raise PageFailed("there is no such attachment")
        return content

    def authored(self, number: int) -> Page | None:
        """The page as its author wrote it; None of one that is printed, which is inspected and drawn."""
        page = self._page(number)
        return None if isinstance(page, PrintedPage) else page.model_copy(update={"number": number})

    def part(self, name: str) -> PdfFile | ImageFile:
        """A PDF or picture inside. Raises PageFailed where there is none, or as its own kind."""
        if self._inner is None or self._inner[0] != name:
            self._drop()
            content = self._authored.read_part(name)
            kind = sniff(content[:2048]) if content else None
            if content is None or kind is None:
                raise PageFailed("the format of this picture is not supported")
            self._inner = name, self._opened_inner(content, kind)
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
        self._drop()
        self._file.close()

    def _page(self, number: int) -> Page | PrintedPage:
        if not 1 <= number <= len(self._authored.pages):
            raise PageFailed(f"there is no page {number}")
        return self._authored.pages[number - 1]

    def _printed(self, number: int) -> tuple[PdfFile | ImageFile, int]:
        page = self._page(number)
        if not isinstance(page, PrintedPage):
            raise PageFailed("this page is not drawn: its file has no printed pages")
        return self.part(page.part), page.number

    def _count_pages(self, content: bytes, media_type: str) -> int:
        file = self._opened_inner(content, media_type)
        try:
            return file.opened().num_pages
        finally:
            file.close()

    def _opened_inner(self, content: bytes, media_type: str) -> PdfFile | ImageFile:
        source = self._source.model_copy(update={"media_type": media_type})
        kind = PdfFile if media_type == PDF else ImageFile
        return kind(source, self._limits, io.BytesIO(content))

    def _drop(self) -> None:
        inner, self._inner = self._inner, None
        if inner is not None:
            inner[1].close()
