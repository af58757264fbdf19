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

# a page with more is read without being compared
MAX_CONTENT_BYTES = 2_000_000  # maximum bytes of drawing commands, those of forms included
MAX_IMAGE_PIXELS = 50_000_000  # maximum pixels of all images that a page draws
MAX_SIDE = 1500  # pixels, of the picture that shows which shapes the characters have
FONT_GLYPH_NAMES = re.compile(rb'(?<=") glyph="[^"]*"(?= x=")')  # in the trace: names that a part of a font may change
FONT_TAGS = re.compile(rb'(?<=<span font=")[A-Z]{6}\+')  # in the trace: marks of a part of a font


def page_fingerprint(page: pymupdf.Page, tree: PageTree | None) -> str | None:
    """The digest in hexadecimal; None: the page draws too much. `tree` are the page's tags."""
    images = page.get_image_info()
    if _draws_too_much(page) or sum(image["width"] * image["height"] for image in images) > MAX_IMAGE_PIXELS:
        return None
    digest = hashlib.blake2b(digest_size=20)
    for part in _parts(page, tree, has_images=bool(images)):
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.hexdigest()


def _draws_too_much(page: pymupdf.Page) -> bool:
    if unpacks_beyond(page, MAX_CONTENT_BYTES):
        return True
    left = MAX_CONTENT_BYTES
    for xref, *_ in page.get_xobjects():
        left -= len(unpacked_stream(page.parent, xref, left + 1))  # pyright: ignore[reportArgumentType] (an open page has its document)
        if left < 0:
            return True
    return False


def _parts(page: pymupdf.Page, tree: PageTree | None, *, has_images: bool) -> Iterator[bytes | memoryview]:
    yield repr((page.rotation, tuple(page.rect))).encode()
    yield FONT_TAGS.sub(b"", FONT_GLYPH_NAMES.sub(b"", _trace(page)))
    yield str(page.get_text("text")).encode()  # what the trace quotes may look like its own words
    zoom = min(1.0, MAX_SIDE / max(page.rect.width, page.rect.height))
    picture = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), colorspace=pymupdf.csGRAY, alpha=False)
    yield picture.samples_mv
    if has_images:
        yield b"".join(image["digest"] for image in page.get_image_info(hashes=True))
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
