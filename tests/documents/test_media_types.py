"""Magic bytes decide what a file is."""

from __future__ import annotations

import pytest

from documents.media_types import sniff, sniff_content


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


@pytest.mark.parametrize(
    "content", [b"<!DOCTYPE html><title>502 Bad Gateway</title>", b"PK\x03\x04rest of a zip", b"just words"]
)
@pytest.mark.parametrize("name", ["report.pdf", "scan.PNG"])
def test_a_file_whose_name_says_that_it_is_drawn_and_whose_content_is_not_is_refused(content, name):
    """An error page that was saved as a PDF would be indexed as a document."""
    assert sniff_content(content, name) is None
    assert sniff_content(content, "report") is not None
