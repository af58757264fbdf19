"""The base of every error that a client can see, and the errors of files and pages; `deployments.errors` draws all."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import ClassVar


class Refusal(Exception):
    """Something is refused, or failed in a known way; all that a client and an operator learn of it stands here.

    `retryable` says whether the same call may succeed later. A class that stands for several codes has them on its
    instances; they are pickled along.
    """

    status: HTTPStatus = HTTPStatus.UNPROCESSABLE_ENTITY
    code: str
    retryable: bool = False
    headers: ClassVar[Mapping[str, str]] = {}
    log_level: ClassVar[int | None] = None  # None: an answer of this kind is nothing that an operator must see
    wording: ClassVar[str] = "{}"  # of the message; where it lacks the text of the error, that is for the log alone

    def __init__(
        self,
        text: str = "",
        *,
        code: str | None = None,
        status: HTTPStatus | None = None,
        retryable: bool | None = None,
    ) -> None:
        super().__init__(text)
        changes = {"code": code, "status": status, "retryable": retryable}
        self.__dict__.update({name: value for name, value in changes.items() if value is not None})

    @property
    def message(self) -> str:
        """What the client reads; nothing of the inside of the server."""
        return self.wording.format(self)


class IngestError(Refusal):
    """A file or a page cannot be read."""

    code = "ingest_failed"


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
