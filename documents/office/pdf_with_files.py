"""One open PDF in the child process: its own pages, and behind them those of the files that it carries."""

from __future__ import annotations

import io
from typing import BinaryIO

import numpy as np

from documents.boxes import BoundingBox
from documents.errors import PageFailed
from documents.inspection import Inspection
from documents.office.mail.inner_files import MAX_CPU_SHARE, InnerFiles
from documents.office.packages.reading_allowance import ReadingAllowance
from documents.office.packages.text_budget import TextBudget
from documents.office.parsed_file import Authored
from documents.office.parsed_pages import ParsedPages
from documents.office.parsers import parse_content
from documents.office.printed_files import PrintedFiles, carried_pages
from documents.pdf.image_file import ImageFile
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.straighten.straight_page import WholePage
from documents.values import Opened, Page, Source


class PdfWithFiles:
    """Pages are numbered from 1; carried files are parsed on the first call that needs them."""

    def __init__(self, source: Source, limits: RenderLimits, file: BinaryIO) -> None:
        self._source = source
        self._limits = limits
        self._num_bytes = file.seek(0, io.SEEK_END)
        file.seek(0)
        self._pdf = PdfFile(source, limits, file)
        self._num_own = self._pdf.num_pages
        self._carried: tuple[InnerFiles, ParsedPages] | None = None

    def opened(self) -> Opened:
        opened = self._pdf.opened()
        if self._source.attachments == "none":
            return opened
        files, pages = self._files()
        labels = opened.page_labels and (*opened.page_labels, *[""] * pages.num_pages)
        return opened.model_copy(
            update={
                "num_pages": self._num_own + pages.num_pages,
                "page_labels": labels,
                "warnings": (*opened.warnings, *files.warnings),
                "attachments": tuple(files.attachments),
                "invoice": files.invoice,
            }
        )

    def attachment(self, name: str) -> bytes:
        """The bytes of a listed attachment. Raises PageFailed where there is none."""
        content = self._files()[0].read(name)
        if content is None:
            raise PageFailed("there is no such attachment")
        return content

    def authored(self, number: int) -> Page | None:
        """A page of a carried file as its author wrote it; None of one that is drawn."""
        if number <= self._num_own:
            return None
        page = self._files()[1].authored(number - self._num_own)
        return None if page is None else page.model_copy(update={"number": number})

    def part(self, name: str) -> PdfFile | ImageFile:
        """A PDF or picture in a carried file. Raises PageFailed where there is none, or as its own kind."""
        return self._files()[1].part(name)

    def inspect(self, number: int) -> Inspection:
        if number <= self._num_own:
            return self._pdf.inspect(number)
        return self._files()[1].inspect(number - self._num_own).model_copy(update={"number": number})

    def fingerprint(self, number: int) -> str | None:
        """See `page_fingerprint`; None of a page of a carried file."""
        return self._pdf.fingerprint(number) if number <= self._num_own else None

    def picture(
        self, number: int, long_side: int | None, dpi: float | None, box: BoundingBox | None, angle: int
    ) -> np.ndarray:
        if number <= self._num_own:
            return self._pdf.picture(number, long_side, dpi, box, angle)
        return self._files()[1].picture(number - self._num_own, long_side, dpi, box, angle)

    def whole(self, number: int) -> WholePage:
        return self._pdf.whole(number) if number <= self._num_own else self._files()[1].whole(number - self._num_own)

    def close(self) -> None:
        if self._carried is not None:
            self._carried[1].close()
        self._pdf.close()

    def _files(self) -> tuple[InnerFiles, ParsedPages]:
        """The carried files, and their pages."""
        if self._carried is None:
            files = InnerFiles(
                parse_content,
                PrintedFiles(self._source, self._limits).read,
                self._limits.max_pages - self._num_own,
                TextBudget(self._num_bytes),
                as_documents=self._source.attachments == "documents",
                allowance=ReadingAllowance(MAX_CPU_SHARE * self._limits.page_cpu_s),
            )
            pages = carried_pages(self._pdf, files)
            self._carried = files, ParsedPages(self._source, self._limits, Authored(pages=pages, read_part=files.read))
        return self._carried
