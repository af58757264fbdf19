"""Errors of files and pages (encrypted, damaged, too large, timeout ...), each with its HTTP status and code.

IngestError
├── EmptyFile     400  empty file
├── FileTooLarge         413  more bytes than allowed
├── UnsupportedMedia     415  not a format we read, by its content
├── UnreadableDocument   422  damaged: nothing of it can be drawn
├── TooLargeUnpacked     422  a part of a zip unpacks to more than allowed
├── EncryptedDocument    422  needs a password, or another one
├── NoPages              422
├── TooManyPages         413
├── ImageTooLarge        413  more pixels than allowed
├── PageFailed           422  one page cannot be drawn or read
├── PageNotDrawn         422  one page has no picture: its file says its text itself
├── PageTimeout          504  one page took longer than allowed
├── PageTooCostly        422  one page takes more processor time than allowed
├── RegionTooDense       413  one region falls into more lines than anything printed does
└── RendererUnavailable  503  the machine had no process for it that lived
"""

from __future__ import annotations

from http import HTTPStatus
from typing import ClassVar


class IngestError(Exception):
    """Carries its HTTP status and stable code; `retryable` says whether the same call may succeed later."""

    status: ClassVar[HTTPStatus] = HTTPStatus.UNPROCESSABLE_ENTITY
    code: ClassVar[str] = "ingest_failed"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class EmptyFile(IngestError):
    """The upload holds nothing."""

    status = HTTPStatus.BAD_REQUEST
    code = "empty_file"


class FileTooLarge(IngestError):
    """The upload holds more bytes than allowed."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    code = "file_too_large"


class UnsupportedMedia(IngestError):
    """The content is of no format that is read here."""

    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    code = "unsupported_media_type"


class UnreadableDocument(IngestError):
    """No page of the file can be drawn."""

    code = "unreadable_document"


class TooLargeUnpacked(IngestError):
    """A part of the file unpacks to more bytes than allowed."""

    code = "unpacks_too_large"


class EncryptedDocument(IngestError):
    """The file needs a password that was not given."""

    code = "encrypted_document"


class NoPages(IngestError):
    """The file opens but has no page."""

    code = "no_pages"


class TooManyPages(IngestError):
    """The file has more pages than allowed."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    code = "too_many_pages"


class ImageTooLarge(IngestError):
    """The picture has more pixels than allowed."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    code = "image_too_large"


class PageFailed(IngestError):
    """The page cannot be drawn or read; the document's other pages can."""

    code = "page_failed"


class PageNotDrawn(IngestError):
    """The page is one of a file without printed pages: it is read as its author wrote it."""

    code = "page_not_drawn"


class PageTimeout(IngestError):
    """Drawing or reading the page took longer than allowed, by the wall clock: on a calmer machine it may not."""

    status = HTTPStatus.GATEWAY_TIMEOUT
    code = "page_timeout"
    retryable = True


class PageTooCostly(IngestError):
    """Opening, inspecting or drawing takes more processor time than allowed; it would again."""

    code = "page_too_costly"


class RegionTooDense(IngestError):
    """A crop of so many lines that it can only be texture, or harm."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    code = "region_too_dense"


class RendererUnavailable(IngestError):
    """No process could be started to open the document in, or those that were started were ended from outside.

    The machine lacks memory, processes or handles; the document is not to blame.
    """

    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "renderer_unavailable"
    retryable = True
