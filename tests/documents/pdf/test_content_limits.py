"""`documents.pdf.content_limits`: a bomb is known as one before it goes off."""

from __future__ import annotations

import zlib

import pymupdf
import pytest

from documents.pdf.content_limits import unpacks_beyond

MB = 1_000_000


def page_of(content: bytes, filters: str) -> pymupdf.Page:
    """A page whose content stream is `content` as it stands, said to be packed with `filters`."""
    pdf = pymupdf.open()
    pdf.new_page().insert_text((72, 72), "x")
    xref = pdf[0].get_contents()[0]
    pdf.update_stream(xref, content, compress=False)
    pdf.xref_set_key(xref, "Filter", filters)
    return pymupdf.open(stream=pdf.tobytes(), filetype="pdf")[0]


@pytest.mark.parametrize(("times", "filters"), [(1, "/FlateDecode"), (2, "[/FlateDecode /FlateDecode]")])
def test_a_content_that_unpacks_too_far_is_refused(times: int, filters: str) -> None:
    """Guards against a kilobyte that becomes a gigabyte, packed once or twice."""
    content = b"0 0 m " * (2 * MB)
    for _ in range(times):
        content = zlib.compress(content)
    page = page_of(content, filters)
    assert unpacks_beyond(page, 10 * MB)
    assert not unpacks_beyond(page, 13 * MB)


def test_many_streams_of_one_page_count_together() -> None:
    """Guards against a bomb that is cut into parts."""
    pdf = pymupdf.open()
    page = pdf.new_page()
    for _ in range(4):
        page.insert_text((72, 72), "x")
    assert len(page.get_contents()) == 4
    for xref in page.get_contents():
        pdf.update_stream(xref, b"0 0 m " * 33_334, compress=True)
    assert unpacks_beyond(page, 700_000)
    assert not unpacks_beyond(page, 900_000)


def test_a_damaged_stream_is_left_to_the_parser() -> None:
    """Guards against a page that is lost for an error that the parser can fix."""
    assert not unpacks_beyond(page_of(b"not deflated at all" * 100, "/FlateDecode"), 10_000)
