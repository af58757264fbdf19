"""A digest of what a PDF page draws and says, by which the same page is known in another version of the file.

It does not depend on object numbers, dates and compression of the file, nor on which characters of a font it embeds.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

import pymupdf
from pymupdf import mupdf

from documents.page_tree import PageTree
from documents.pdf.annotations import comments
from documents.pdf.content_limits import unpacked_stream, unpacks_beyond
from documents.pdf.form_fields import form_fields

MAX_CONTENT_BYTES = 8_000_000  # of a page's drawing commands; of a page with more, no digest is made
MAX_IMAGE_BYTES = 64_000_000  # of an image once it is unpacked; of a larger one only the first are compared
PICTURE_ZOOM = 1.0  # pixels per point of the picture that shows which shapes the characters have
# of the trace: how a file numbers its elements, names its glyphs, and marks a part of a font
FILE_DETAILS = re.compile(rb' (?:glyph|uid)="[^"]*"|(?<= font=")[A-Z]{6}\+')


def page_fingerprint(page: pymupdf.Page, tree: PageTree | None) -> str | None:
    """The digest in hexadecimal; None: the page draws too much. `tree` are the page's tags."""
    if unpacks_beyond(page, MAX_CONTENT_BYTES):
        return None
    digest = hashlib.blake2b(digest_size=20)
    for part in _parts(page, tree):
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.hexdigest()


def _parts(page: pymupdf.Page, tree: PageTree | None) -> Iterator[bytes | memoryview]:
    yield repr((page.rotation, tuple(page.rect))).encode()
    yield FILE_DETAILS.sub(b"", _trace(page))
    matrix = pymupdf.Matrix(PICTURE_ZOOM, PICTURE_ZOOM)
    picture = page.get_pixmap(matrix=matrix, colorspace=pymupdf.csGRAY, alpha=False)
    yield picture.samples_mv
    pdf = page.parent
    for xref, *_ in page.get_images():
        yield unpacked_stream(pdf, xref, MAX_IMAGE_BYTES)  # pyright: ignore[reportArgumentType] (an open page has its document)
    links = [(link["uri"], tuple(link["from"])) for link in page.get_links() if "uri" in link]
    annotations, _ = comments(page, (), 1)
    fields = form_fields(page).fields
    yield repr((links, annotations, fields, tree)).encode()


def _trace(page: pymupdf.Page) -> bytes:
    """All that the page draws, command by command, as MuPDF's trace device writes it."""
    buffer = mupdf.fz_new_buffer(1 << 16)
    output = mupdf.FzOutput(buffer)
    device = mupdf.fz_new_trace_device(output)
    mupdf.fz_run_page(page.this, device, mupdf.FzMatrix(), mupdf.FzCookie())
    mupdf.fz_close_device(device)
    mupdf.fz_close_output(output)
    return mupdf.fz_buffer_extract_copy(buffer)
