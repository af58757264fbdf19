"""Media types are told by magic bytes alone; names and declared types never count."""

from __future__ import annotations

PDF, PNG, JPEG, TIFF, WEBP = "application/pdf", "image/png", "image/jpeg", "image/tiff", "image/webp"

MAX_JUNK = 1024  # bytes that readers allow before %PDF

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", PNG),
    (b"\xff\xd8\xff", JPEG),
    (b"II*\x00", TIFF),
    (b"MM\x00*", TIFF),
)


def sniff(head: bytes) -> str | None:
    """The media type of a file by its first 2 kB, or None if it is of no format that is read here."""
    for magic, media_type in _MAGIC:
        if head.startswith(magic):
            return media_type
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return WEBP
    if b"%PDF-" in head[: MAX_JUNK + 5] and not _is_other(head):
        return PDF
    return None


def _is_other(head: bytes) -> bool:
    """Whether the file is plainly something else that only mentions a PDF's magic."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:16].lower()
    return start.startswith((b"pk\x03\x04", b"gif8", b"<!doctype", b"<html", b"<?xml", b"<svg"))
