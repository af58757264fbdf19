"""What every file parser returns: pages of regions, metadata, outline, warnings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from documents.invoice_values import Invoice
from documents.values import OutlineItem, Page, PageWarning

ReadPart = Callable[[str], bytes | None]


@dataclass(frozen=True, slots=True)
class PrintedPage:
    """A page of a PDF or picture that lies inside, which is read as any other of its kind."""

    part: str
    number: int  # from 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Authored:
    """A file that is parsed; `read_part` gives the bytes of a picture or file by the name that a region has for it."""

    pages: Sequence[Page | PrintedPage]
    read_part: ReadPart = field(default=lambda _: None)
    metadata: dict[str, str] = field(default_factory=dict)
    outline: Sequence[OutlineItem] = ()
    warnings: Sequence[PageWarning] = ()
    invoice: Invoice | None = None  # that the file itself is


def warned(*, code: str, message: str) -> PageWarning:
    """A warning about the whole file."""
    return PageWarning(code=code, message=message)
