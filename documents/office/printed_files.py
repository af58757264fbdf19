"""Reads PDFs and pictures inside other files: how many pages they have, and what files they carry in turn."""

from __future__ import annotations

from documents.errors import IngestError, TooLargeUnpacked, TooManyPages
from documents.media_types import PDF
from documents.office.invoices.invoice_file import invoice_in
from documents.office.mail.inner_files import NO_TIME_REASON, InnerFiles
from documents.office.packages.unpack_limits import MAX_NESTED_FILES, MAX_PART_BYTES
from documents.office.parsed_file import PrintedPage, warned
from documents.office.parsed_pages import open_printed
from documents.office.shown_name import shown_name
from documents.pdf.carried_files import MAX_FILES, MAX_PAGES, CarriedFile
from documents.pdf.image_file import ImageFile
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.values import Page, Source

SETTINGS = ".joboptions"  # ending of files that Acrobat Distiller leaves in a PDF for itself
SAME_CONTENT = ("Source", "Alternative")  # relations of files that say what the pages say


class PrintedFiles:
    """Opens files as the document that they lie in is opened: with its password and limits."""

    def __init__(self, source: Source, limits: RenderLimits) -> None:
        self._source = source
        self._limits = limits

    def read(self, content: bytes, media_type: str, inner: InnerFiles) -> tuple[int, list[Page | PrintedPage]]:
        """The number of its own pages, and the pages of the files that it carries, which go to `inner`."""
        file = open_printed(self._source, self._limits, content, media_type)
        try:
            return file.opened().num_pages, carried_pages(file, inner) if media_type == PDF else []
        finally:
            file.close()


def carried_pages(file: PdfFile | ImageFile, inner: InnerFiles) -> list[Page | PrintedPage]:
    """The pages of the files that a PDF carries; what of them cannot be read is reported.

    A file that its author calls the source or another form of the pages is listed and not read again, and so are
    settings of the program that wrote the PDF. E-invoices are no pages; the first of a document becomes its `invoice`.
    """
    pages: list[Page | PrintedPage] = []
    if not isinstance(file, PdfFile):
        return pages
    files, is_cut = file.carried_files()
    if files and inner.depth > MAX_NESTED_FILES:
        inner.report(shown_name(files[0].name), f"files within files are read {MAX_NESTED_FILES} deep")
        return pages
    for carried in files:
        num_warnings = len(inner.warnings)
        name = shown_name(carried.name)
        try:
            content = _content(file, carried, inner)
            invoice = invoice_in(content, name)
            if inner.depth == 0 and inner.invoice is None:
                inner.invoice = invoice
            is_clutter = name.lower().endswith(SETTINGS)
            if invoice is not None or carried.relation in SAME_CONTENT or is_clutter:
                inner.listed(name, content, carried.media_type or ("text/xml" if invoice is not None else ""))
            else:
                pages += inner.attached(name, content, carried.media_type)
        except TooManyPages:
            inner.report(name, "the document would have more pages than allowed")
        except IngestError as error:
            inner.report(name, error.message)
        except MemoryError:
            raise
        except Exception:  # whatever a parser raises on a file inside is no reason to lose the pages
            inner.report(name, "it is damaged")
        _place(inner, num_warnings, carried)
    if is_cut:
        message = f"files in the PDF beyond the first {MAX_FILES}, or pinned behind page {MAX_PAGES}, were left out"
        inner.warnings.append(warned(code="attachment_unread", message=message))
    return pages


def _content(file: PdfFile, carried: CarriedFile, inner: InnerFiles) -> bytes:
    """The bytes of a file, which count to what the document may unpack to. Raises TooLargeUnpacked, and others."""
    if inner.allowance.is_over:
        raise TooLargeUnpacked(NO_TIME_REASON)
    max_bytes = min(inner.allowance.num_bytes_left, MAX_PART_BYTES)
    try:
        content = file.carried_content(carried, max_bytes)
    except TooLargeUnpacked:
        inner.allowance.spend(max_bytes)
        raise
    inner.allowance.spend(len(content))
    return content


def _place(inner: InnerFiles, num_warnings: int, carried: CarriedFile) -> None:
    """Set the page and box of a pinned file in the warnings about it."""
    if carried.page is not None:
        update = {"page": carried.page, "box": carried.box}
        inner.warnings[num_warnings:] = [warning.model_copy(update=update) for warning in inner.warnings[num_warnings:]]
