"""Refuses PDF pages whose drawing commands would unpack to too much."""

from __future__ import annotations

import re
import zlib

import pymupdf

FLATE = frozenset({"FlateDecode", "Fl"})


def unpacks_beyond(page: pymupdf.Page, max_bytes: int) -> bool:
    """Whether the page's content streams unpack to more than `max_bytes`; other filters than Flate are not judged."""
    left = max_bytes
    for xref in page.get_contents():
        left -= len(unpacked_stream(page.parent, xref, left + 1))  # pyright: ignore[reportArgumentType] (an open page has its document)
        if left < 0:
            return True
    return False


def unpacked_stream(pdf: pymupdf.Document, xref: int, max_bytes: int) -> bytes:
    """A stream without Flate, of which no more than `max_bytes` are unpacked; with other filters as it is stored."""
    packed: bytes = pdf.xref_stream_raw(xref) or b""
    filters = re.findall(r"/(\w+)", pdf.xref_get_key(xref, "Filter")[1])
    if filters and FLATE.issuperset(filters):
        for _ in filters:
            packed = _unpacked(packed, max_bytes)
    return packed


def _unpacked(packed: bytes, max_bytes: int) -> bytes:
    try:
        return zlib.decompressobj().decompress(packed, max_bytes)
    except zlib.error:  # the parser makes what it can of a damaged stream
        return packed
