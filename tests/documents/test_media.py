"""Magic bytes decide what a file is."""

from __future__ import annotations

import pytest

from documents.media import sniff


@pytest.mark.parametrize(
    ("head", "media_type"),
    [
        (b"%PDF-1.7\n", "application/pdf"),
        (b"junk " * 200 + b"%PDF-1.4", "application/pdf"),
        (b"\x89PNG\r\n\x1a\n\0\0", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"II*\0", "image/tiff"),
        (b"MM\0*", "image/tiff"),
        (b"RIFF\x10\0\0\0WEBPVP8L", "image/webp"),
        (b"GIF89a", None),
        (b"PK\x03\x04 %PDF-1.4", None),
        (b"<!DOCTYPE html><p>%PDF-1.7", None),
        (b"<svg xmlns='http://www.w3.org/2000/svg'>", None),
        (b"RIFF\x10\0\0\0WAVEfmt ", None),
        (b"x" * 1100 + b"%PDF-1.4", None),
        (b"", None),
    ],
)
def test_a_file_is_what_its_first_bytes_say(head, media_type):
    """Guards against archives and web pages that only mention a PDF's magic reaching the PDF parser."""
    assert sniff(head) == media_type
