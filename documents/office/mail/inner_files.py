"""Reads files inside a mail, an archive or a PDF (attachments): as further pages, with limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from documents.errors import IngestError, TooManyPages
from documents.invoice_values import Invoice
from documents.media_types import MAIL, sniff_content
from documents.office.packages.reading_allowance import ReadingAllowance
from documents.office.packages.text_budget import TextBudget
from documents.office.packages.unpack_limits import MAX_ATTACHMENTS, MAX_NESTED_FILES
from documents.office.parsed_file import Authored, PrintedPage, warned
from documents.places import Place, within
from documents.region_values import FigureRegion, Region, Span
from documents.values import Attachment, Page, PageWarning

MAX_WARNINGS = 30  # files that are named
MAX_CPU_SHARE = 0.6  # after this share of a call's processor time, no further inner file is begun
NO_TIME_REASON = "it takes too long to read the files before it"
INNER_SEPARATOR = "!/"  # separates the name of a file and that of a part in it
PAGE_TYPES = ("application/pdf", "image/png", "image/jpeg", "image/tiff", "image/webp")


class ParseInner(Protocol):
    """Parses a file whose type is known; files in it go to `InnerFiles`."""

    def __call__(self, content: bytes, media_type: str, inner: InnerFiles) -> Authored: ...


class ReadPrinted(Protocol):
    """Reads a PDF or picture: the number of its pages, and the pages of files that it carries, which go to `inner`."""

    def __call__(self, content: bytes, media_type: str, inner: InnerFiles) -> tuple[int, list[Page | PrintedPage]]: ...


@dataclass(slots=True)
class InnerFiles:
    """The files of one mail, archive or PDF that were read, by their names; all pages of a document are bounded."""

    parse: ParseInner
    read_printed: ReadPrinted
    max_pages: int
    budget: TextBudget  # of the whole document
    depth: int = 0
    as_documents: bool = False  # attachments of the outermost mail become no pages
    allowance: ReadingAllowance = field(default_factory=ReadingAllowance)  # of the whole document
    attachments: list[Attachment] = field(default_factory=list[Attachment])
    warnings: list[PageWarning] = field(default_factory=list[PageWarning])
    invoice: Invoice | None = None  # the first that a PDF carries as data
    _contents: dict[str, bytes] = field(default_factory=dict[str, bytes])
    _parsed: dict[str, Authored] = field(default_factory=dict[str, Authored])
    _num_pages: int = 0
    _num_unread: int = 0
    _summary: int | None = None  # index of the warning that counts those that are not named

    def attached(self, name: str, content: bytes, media_type: str) -> list[Page | PrintedPage]:
        """The pages of an attachment of a mail or PDF, which is listed; none where it becomes a document of its own.

        Raises TooManyPages.
        """
        name = self._unused(name)
        kind = self._kind(name, content, media_type)
        self._list(name, content, kind or media_type)
        becomes_document = self.as_documents and self.depth == 0 and kind is not None and bool(content)
        if not becomes_document:
            return self.pages(name, content, media_type=media_type)
        if self.attachments[-1].name == name:
            self._contents[name] = content
        else:
            self.report(name, f"of a document's attachments {MAX_ATTACHMENTS} become documents")
        return []

    def listed(self, name: str, content: bytes, media_type: str) -> None:
        """List an attachment that is read in no way: it says what the pages say."""
        name = self._unused(name)
        self._list(name, content, media_type or self._kind(name, content, media_type) or "")

    def _list(self, name: str, content: bytes, media_type: str) -> None:
        if len(self.attachments) < MAX_ATTACHMENTS:
            self.attachments.append(Attachment(name=name, media_type=media_type, size=len(content)))

    def pages(self, name: str, content: bytes, *, media_type: str = "") -> list[Page | PrintedPage]:
        """The pages of a file of this name; none, and a warning, where it is none that is read.

        Raises TooManyPages.
        """
        name = self._unused(name)
        kind = self._kind(name, content, media_type)
        if kind is None or not content:
            self.report(name, "its format is not supported" if content else "it is empty")
            return []
        if self.allowance.is_over:
            self.report(name, NO_TIME_REASON)
            return []
        try:
            pages = self._printed(name, content, kind) if kind in PAGE_TYPES else self._authored(name, content, kind)
        except TooManyPages:
            raise
        except IngestError as error:
            self.report(name, error.message)
            return []
        if self._num_pages + len(pages) > self.max_pages:
            raise TooManyPages(f"more than {self.max_pages} pages with the files inside")
        self._num_pages += len(pages)
        return pages

    def report(self, name: str, why: str) -> None:
        """That a file was left out; of many, how many."""
        self._add(warned(code="attachment_unread", message=f"{name} was left out: {why}"))

    def _add(self, warning: PageWarning, num_files: int = 1) -> None:
        """A warning about so many files; behind the first ones, only their number."""
        self._num_unread += num_files
        if self._num_unread <= MAX_WARNINGS:
            self.warnings.append(warning)
            return
        more = f"{self._num_unread - MAX_WARNINGS} further files were left out or read in part"
        summary = warned(code="attachment_unread", message=more)
        if self._summary is None:
            self._summary = len(self.warnings)
            self.warnings.append(summary)
        else:
            self.warnings[self._summary] = summary

    def read(self, part: str) -> bytes | None:
        """The bytes of a file, or of a part in it."""
        name, into, rest = part.partition(INNER_SEPARATOR)
        if not into:
            return self._contents.get(name)
        parsed = self._parsed.get(name)
        return None if parsed is None else parsed.read_part(rest)

    def _kind(self, name: str, content: bytes, media_type: str) -> str | None:
        return MAIL if media_type == MAIL else sniff_content(content, name)

    def _printed(self, name: str, content: bytes, kind: str) -> list[Page | PrintedPage]:
        nested = self._nested()
        num_pages, carried = self.read_printed(content, kind, nested)
        self._contents[name] = content
        self._parsed[name] = Authored(pages=carried, read_part=nested.read)
        self._warn_of(name, nested.warnings, nested)
        own: list[Page | PrintedPage] = [PrintedPage(name, number) for number in range(1, num_pages + 1)]
        return own + [_inside(page, name) for page in carried]

    def _authored(self, name: str, content: bytes, kind: str) -> list[Page | PrintedPage]:
        if self.depth >= MAX_NESTED_FILES:
            self.report(name, f"files within files are read {MAX_NESTED_FILES} deep")
            return []
        nested = self._nested()
        parsed = self.parse(content, kind, nested)
        self._parsed[name] = parsed
        self._warn_of(name, parsed.warnings, nested)
        return [_inside(page, name) for page in parsed.pages]

    def _nested(self) -> InnerFiles:
        """For the files in a file."""
        num_left = self.max_pages - self._num_pages
        return InnerFiles(
            self.parse, self.read_printed, num_left, self.budget, self.depth + 1, allowance=self.allowance
        )

    def _warn_of(self, name: str, warnings: Sequence[PageWarning], nested: InnerFiles) -> None:
        """The warnings about a file and those inside it, of which many are counted."""
        for warning in warnings:
            is_summary = nested._summary is not None and warning == nested.warnings[nested._summary]
            message = f"{name}: {warning.message}"
            self._add(
                warning.model_copy(update={"message": message, "page": None, "box": None}),
                num_files=nested._num_unread - MAX_WARNINGS if is_summary else 1,
            )

    def _unused(self, name: str) -> str:
        """A name that no other file has, nor one that reads like a way into one."""
        name = name.replace(INNER_SEPARATOR, "/").strip() or "file"
        used_names = self._contents.keys() | self._parsed.keys()
        number = 2
        whole = name
        while whole in used_names:
            whole = f"{name} ({number})"
            number += 1
        return whole


def _inside(page: Page | PrintedPage, name: str) -> Page | PrintedPage:
    if isinstance(page, PrintedPage):
        return PrintedPage(f"{name}{INNER_SEPARATOR}{page.part}", page.number)
    title = f"{name} · {page.name}" if page.name else name
    regions = tuple(_region_inside(region, name) for region in page.regions)
    return page.model_copy(update={"name": title[:300], "regions": regions})


def _region_inside(region: Region, name: str) -> Region:
    update: dict[str, object] = {
        "place": _place_inside(region.place, name),
        "spans": tuple(_span_inside(span, name) for span in region.spans),
    }
    if isinstance(region, FigureRegion) and region.picture is not None:
        update["picture"] = f"{name}{INNER_SEPARATOR}{region.picture}"
    return region.model_copy(update=update)


def _span_inside(span: Span, name: str) -> Span:
    return span.model_copy(update={"place": _place_inside(span.place, name)})


def _place_inside(place: Place | None, name: str) -> Place | None:
    return None if place is None else within(place, name)
