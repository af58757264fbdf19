"""One open Office file in the child process: parses it once and answers for its pages and parts."""

from __future__ import annotations

import io
from typing import BinaryIO

import numpy as np

from documents.boxes import BoundingBox
from documents.errors import EncryptedDocument, PageFailed, TooManyPages, UnreadableDocument
from documents.inspection import Inspection
from documents.media_types import LOCKED_OFFICE
from documents.office.mail.inner_files import MAX_CPU_SHARE, InnerFiles
from documents.office.packages.reading_allowance import ReadingAllowance
from documents.office.packages.text_budget import TextBudget
from documents.office.parsed_file import Authored
from documents.office.parsed_pages import ParsedPages
from documents.office.parsers import parse_content, parse_file
from documents.office.printed_files import PrintedFiles
from documents.pdf.image_file import ImageFile
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.straighten.straight_page import WholePage
from documents.values import Opened, Page, Source

MAX_OUTLINE = 2000


class OfficeFile:
    """One document; pages are numbered from 1."""

    def __init__(self, source: Source, limits: RenderLimits, file: BinaryIO) -> None:
        self._file = file
        if source.media_type == LOCKED_OFFICE:
            raise EncryptedDocument("the file is encrypted; encrypted Office files are not supported")
        self._files = InnerFiles(
            parse_content,
            PrintedFiles(source, limits).read,
            limits.max_pages,
            TextBudget(file.seek(0, io.SEEK_END)),
            as_documents=source.attachments == "documents",
            allowance=ReadingAllowance(MAX_CPU_SHARE * limits.page_cpu_s),
        )
        self._authored: Authored = parse_file(file, source.media_type, self._files)
        num_pages = len(self._authored.pages)
        if num_pages > limits.max_pages:
            raise TooManyPages(f"{num_pages} pages; {limits.max_pages} are allowed")
        if not num_pages:
            raise UnreadableDocument("the file holds nothing that can be read")
        self._pages = ParsedPages(source, limits, self._authored)

    def opened(self) -> Opened:
        return Opened(
            num_pages=len(self._authored.pages),
            metadata=self._authored.metadata,
            outline=tuple(self._authored.outline[:MAX_OUTLINE]),
            warnings=tuple(self._authored.warnings),
            attachments=tuple(self._files.attachments),
            invoice=self._authored.invoice,
        )

    def attachment(self, name: str) -> bytes:
        """The bytes of a listed attachment. Raises PageFailed where there is none."""
        content = self._files.read(name)
        if content is None:
            raise PageFailed("there is no such attachment")
        return content

    def authored(self, number: int) -> Page | None:
        """The page as its author wrote it; None of one that is printed, which is inspected and drawn."""
        return self._pages.authored(number)

    def part(self, name: str) -> PdfFile | ImageFile:
        """A PDF or picture inside. Raises PageFailed where there is none, or as its own kind."""
        return self._pages.part(name)

    def inspect(self, number: int) -> Inspection:
        return self._pages.inspect(number)

    def picture(
        self, number: int, long_side: int | None, dpi: float | None, box: BoundingBox | None, angle: int
    ) -> np.ndarray:
        return self._pages.picture(number, long_side, dpi, box, angle)

    def fingerprint(self, number: int) -> None:
        """None: its pages are read as fast as they could be compared."""

    def whole(self, number: int) -> WholePage:
        return self._pages.whole(number)

    def close(self) -> None:
        self._pages.close()
        self._file.close()
