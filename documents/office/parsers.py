"""Chooses the parser for a media type (DOCX, PPTX, XLSX, HTML, EML ...)."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO

from documents import media_types
from documents.errors import FileTooLarge, UnreadableDocument
from documents.office.invoices.invoice_document import parse_invoice
from documents.office.invoices.invoice_file import MAX_BYTES as MAX_INVOICE_BYTES
from documents.office.mail.archive_file import parse_archive
from documents.office.mail.inner_files import InnerFiles
from documents.office.mail.mail import parse_mail, parse_outlook
from documents.office.opendocument.opendocument import parse_open_document
from documents.office.packages.text_budget import TextBudget
from documents.office.packages.text_decoding import decoded
from documents.office.packages.unpack_limits import MAX_TEXT_BYTES
from documents.office.packages.zip_package import Package
from documents.office.page_writer import PageWriter
from documents.office.parsed_file import Authored, warned
from documents.office.sheets.text_and_csv import parse_plain, parse_separated
from documents.office.sheets.workbook import parse_workbook
from documents.office.slides.slides import parse_slides
from documents.office.web.data_urls import DataPictures
from documents.office.web.epub import parse_book
from documents.office.web.markdown_file import parse_marked
from documents.office.web.web_page import WebPage, title_of
from documents.office.word.word import parse_word
from documents.places import ElementPlace
from documents.values import PageWarning

MAX_MAIL_BYTES = 200_000_000
PACKAGES = (
    media_types.DOCX,
    media_types.PPTX,
    media_types.XLSX,
    media_types.ODT,
    media_types.ODS,
    media_types.ODP,
    media_types.EPUB,
)


def parse_content(content: bytes, media_type: str, inner: InnerFiles) -> Authored:
    """A file in memory. Raises the IngestErrors of its kind."""
    return parse_file(io.BytesIO(content), media_type, inner)


def parse_file(file: BinaryIO, media_type: str, inner: InnerFiles) -> Authored:
    """A file by its media type, as `media_types.sniff_file` tells it. Raises the IngestErrors of its kind."""
    match media_type:
        case _ if media_type in PACKAGES:
            package = Package.open(file)
            authored = _packaged(package, media_type, inner)
            return replace(authored, warnings=[*authored.warnings, *_doubled(package)])
        case media_types.HTML:
            return parse_web_page(_read(file), inner.budget)
        case media_types.MARKDOWN:
            return parse_marked(_read(file), inner.budget)
        case media_types.CSV:
            return parse_separated(_read(file), inner.budget)
        case media_types.INVOICE:
            return parse_invoice(_read(file, MAX_INVOICE_BYTES), inner.budget)
        case media_types.MAIL:
            return parse_mail(_read(file, MAX_MAIL_BYTES), inner)
        case media_types.OUTLOOK:
            return parse_outlook(_read(file, MAX_MAIL_BYTES), inner)
        case media_types.ZIP:
            return parse_archive(Package.open(file), inner)
        case media_types.PLAIN_TEXT:
            return parse_plain(_read(file), inner.budget)
        case _:
            raise UnreadableDocument(f"{media_type} is not read here")


def parse_web_page(content: bytes, budget: TextBudget) -> Authored:
    """Pictures are those that the page itself holds; none is fetched. Raises FileTooLarge."""
    writer, pictures = PageWriter(budget), DataPictures()
    text = writer.read_as(decoded(content, in_markup=True))

    def place(path: str, start: int, end: int) -> ElementPlace:
        return ElementPlace(path=path, start=start, end=end)

    WebPage(writer, place, pictures.name).read(text)
    title = title_of(text)
    return Authored(
        pages=writer.pages(),
        read_part=pictures.read,
        metadata={"title": title[:1000]} if title else {},
        outline=writer.outline,
        warnings=writer.warnings(),
    )


def _packaged(package: Package, media_type: str, inner: InnerFiles) -> Authored:
    match media_type:
        case media_types.DOCX:
            return parse_word(package, inner)
        case media_types.PPTX:
            return parse_slides(package, inner.budget, inner.max_pages)
        case media_types.XLSX:
            return parse_workbook(package, inner.budget, inner.max_pages)
        case media_types.EPUB:
            return parse_book(package, inner.budget)
        case _:
            return parse_open_document(package, inner.budget, inner.max_pages)


def _doubled(package: Package) -> Iterator[PageWarning]:
    """Of two parts of one name, programs show one or the other."""
    if package.doubles:
        message = f"{len(package.doubles)} parts of the file have the name of another part and were left out"
        yield warned(code="cut_short", message=message)


def _read(file: BinaryIO, max_bytes: int = MAX_TEXT_BYTES) -> bytes:
    file.seek(0)
    content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise FileTooLarge(f"a file of this kind may have {max_bytes} bytes at most")
    return content
