"""Which parser reads which kind of file."""

from __future__ import annotations

import io
from typing import BinaryIO

from documents import media
from documents.errors import FileTooLarge, UnreadableDocument
from documents.office.archive_file import parse_archive
from documents.office.authored import Authored
from documents.office.book import parse_book
from documents.office.bounds import MAX_TEXT_BYTES
from documents.office.data_pictures import DataPictures
from documents.office.inner_files import InnerFiles
from documents.office.mail import parse_mail, parse_outlook
from documents.office.marked_text import parse_marked
from documents.office.open_document import parse_open_document
from documents.office.package import Package
from documents.office.page_writer import PageWriter
from documents.office.plain_files import parse_plain, parse_separated
from documents.office.slides import parse_slides
from documents.office.text_decoding import decoded
from documents.office.web_page import WebPage, title_of
from documents.office.word import parse_word
from documents.office.workbook import parse_workbook
from documents.values import ElementPlace

MAX_MAIL_BYTES = 200_000_000
PACKAGES = (media.DOCX, media.PPTX, media.XLSX, media.ODT, media.ODS, media.ODP, media.EPUB)


def parse_content(content: bytes, media_type: str, inner: InnerFiles) -> Authored:
    """A file in memory. Raises the IngestErrors of its kind."""
    return parse_file(io.BytesIO(content), media_type, inner)


def parse_file(file: BinaryIO, media_type: str, inner: InnerFiles) -> Authored:
    """A file by its media type, as `media.sniff_file` tells it. Raises the IngestErrors of its kind."""
    match media_type:
        case _ if media_type in PACKAGES:
            return _packaged(Package.open(file), media_type, inner.max_pages)
        case media.HTML:
            return parse_web_page(_read(file))
        case media.MARKDOWN:
            return parse_marked(_read(file))
        case media.CSV:
            return parse_separated(_read(file))
        case media.MAIL:
            return parse_mail(_read(file, MAX_MAIL_BYTES), inner)
        case media.OUTLOOK:
            return parse_outlook(_read(file, MAX_MAIL_BYTES), inner)
        case media.ZIP:
            return parse_archive(Package.open(file), inner)
        case media.PLAIN:
            return parse_plain(_read(file))
        case _:
            raise UnreadableDocument(f"{media_type} is not read here")


def parse_web_page(content: bytes) -> Authored:
    """Pictures are those that the page itself holds; none is fetched. Raises FileTooLarge."""
    text = decoded(content, in_markup=True)
    writer, pictures = PageWriter(), DataPictures()

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


def _packaged(package: Package, media_type: str, max_pages: int) -> Authored:
    match media_type:
        case media.DOCX:
            return parse_word(package)
        case media.PPTX:
            return parse_slides(package, max_pages)
        case media.XLSX:
            return parse_workbook(package, max_pages)
        case media.EPUB:
            return parse_book(package)
        case _:
            return parse_open_document(package, max_pages)


def _read(file: BinaryIO, max_bytes: int = MAX_TEXT_BYTES) -> bytes:
    file.seek(0)
    content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise FileTooLarge(f"a file of this kind may have {max_bytes} bytes at most")
    return content
