"""Reads a ZIP archive as the files in it."""

from __future__ import annotations

from documents.errors import IngestError, TooLargeUnpacked, UnreadableDocument
from documents.office.mail.inner_files import InnerFiles
from documents.office.packages.zip_package import Package
from documents.office.parsed_file import Authored, PrintedPage, warned
from documents.office.shown_name import shown_name
from documents.values import Page

MAX_FILES = 1000
FOLDER_OF_MAC = "__macosx/"
SYSTEM_FILES = (".ds_store", "thumbs.db", "desktop.ini")


def parse_archive(package: Package, inner: InnerFiles) -> Authored:
    """What cannot be read is reported and left out.

    Raises UnreadableDocument where that is all, TooManyPages, TooLargeUnpacked.
    """
    names = [name for name in package.names() if not _is_clutter(name)]
    pages: list[Page | PrintedPage] = []
    for name in names[:MAX_FILES]:
        display_name = shown_name(name)
        try:
            content = package.read(name) or b""
        except TooLargeUnpacked:
            raise
        except IngestError as error:
            inner.report(display_name, error.message)
            continue
        pages += inner.pages(display_name, content)
    if len(names) > MAX_FILES:
        message = f"only the first {MAX_FILES} of {len(names)} files were read"
        inner.warnings.append(warned(code="attachment_unread", message=message))
    if not pages:
        raise UnreadableDocument("the archive holds no supported file")
    return Authored(pages=pages, read_part=inner.read, warnings=inner.warnings)


def _is_clutter(name: str) -> bool:
    """Whether a system left it there for itself."""
    small = name.lower()
    return small.startswith(FOLDER_OF_MAC) or small.rpartition("/")[2] in SYSTEM_FILES
