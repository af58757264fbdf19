"""POST /v1/layout: regions or a clear error, whatever the file."""

from __future__ import annotations

import asyncio
import base64
import io
from typing import Any

import numpy as np
import pymupdf
import pytest
from PIL import Image

from deployments.ingress.api.layout import PageRegions, _page
from documents.draft.page_draft import DETECTOR_ORIGIN
from documents.errors import IngestError, PageFailed, RendererUnavailable
from tests.serve.files import pdf


def image_file(picture: Image.Image, kind: str = "PNG", **how: Any) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, kind, **how)
    return buffer.getvalue()


def sheet(width: float, height: float, *, boxes: bool = True) -> bytes:
    with pymupdf.open() as document:
        page = document.new_page(width=width, height=height)
        if boxes:
            page.insert_text((72, 90), "A line of text on a page", fontsize=11)
        return document.tobytes()


def test_layout_regions_come_by_page_in_reading_order_with_reasons(post: Any) -> None:
    """Guards against regions whose place, kind or reason cannot be told."""
    answer = post("/v1/layout", pdf(3, repeats=6), page="2-3", overlay="true")
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert [page["number"] for page in body["pages"]] == [2, 3]
    assert body["model"] == "layout-compact"
    for page in body["pages"]:
        assert [region["order"] for region in page["regions"]] == list(range(len(page["regions"])))
        assert all(region["origin"] and region["reason"] for region in page["regions"])
        boxes = [region["box"] for region in page["regions"]]
        assert all(0 <= box["x0"] < box["x1"] <= 595 and 0 <= box["y0"] < box["y1"] <= 842 for box in boxes)
        overlay = Image.open(io.BytesIO(base64.b64decode(page["overlay"])))
        assert overlay.format == "PNG"
        assert overlay.width / overlay.height == pytest.approx(595 / 842, rel=0.01)
    assert "overlay" not in post("/v1/layout", pdf()).json()["pages"][0]


def test_every_line_of_text_is_in_some_layout_region(post: Any) -> None:
    """Guards against text that is lost because the network missed it."""
    (page,) = post("/v1/layout", sheet(400, 400), confidence="1").json()["pages"]
    (region,) = page["regions"]
    assert region["origin"] not in ("", DETECTOR_ORIGIN)
    assert region["box"]["x0"] == pytest.approx(72, abs=2)


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ({"page": "0"}, 422, "invalid_option"),
        ({"page": "one"}, 422, "invalid_option"),
        ({"page": "9"}, 422, "no_pages"),
        ({"confidence": "2"}, 422, "invalid_option"),
        ({"iou": "0.5"}, 422, "invalid_option"),
        ({}, 413, "too_many_pages"),
    ],
)
def test_layout_options_that_cannot_be_are_refused(post: Any, fields: dict, status: int, code: str) -> None:
    """Guards against a wrong option that is dropped, and a call that holds a thousand pages."""
    answer = post("/v1/layout", pdf(4), **fields)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_thresholds_of_the_call_reach_layout(post: Any, finder: Any) -> None:
    """Guards against fields that nobody reads."""
    post("/v1/layout", pdf(), confidence="0.4", iou_threshold="0.3")
    assert finder.asked[-1] == {"confidence": 0.4, "iou_threshold": 0.3}


GREY16 = Image.fromarray((np.arange(64 * 64).reshape(64, 64) * 16).astype(np.uint16))
ODD: dict[str, bytes] = {
    "black": image_file(Image.new("RGB", (600, 800))),
    "one pixel": image_file(Image.new("RGB", (1, 1), "white")),
    "strip": image_file(Image.new("RGB", (20_000, 20), "white")),
    "thread": image_file(Image.new("L", (3, 20_000), 40)),
    "cmyk": image_file(Image.new("CMYK", (300, 400), (10, 20, 30, 40)), "JPEG"),
    "16 bit": image_file(GREY16),
    "palette": image_file(Image.new("P", (300, 400), 3)),
    "alpha": image_file(Image.new("RGBA", (300, 400), (0, 0, 0, 0))),
    "grey and alpha": image_file(Image.new("LA", (30, 40), (0, 128))),
    "bilevel": image_file(Image.new("1", (300, 400)), "TIFF"),
    "huge page": sheet(1e6, 1e6),
    "long page": sheet(20, 1e6),
    "least page": sheet(3, 3, boxes=False),
}


@pytest.mark.parametrize("content", ODD.values(), ids=ODD)
@pytest.mark.parametrize("path", ["/v1/layout", "/doc_layout"])
def test_odd_pages_give_layout_regions_or_a_clear_error(post: Any, path: str, content: bytes) -> None:
    """Guards against a page that brings the call down."""
    answer = post(path, content)
    assert answer.status_code in (200, 413, 422), answer.text
    if answer.status_code != 200:
        assert answer.json()["code"] in ("page_failed", "image_too_large", "unreadable_document")
        assert answer.json()["detail"]


def test_a_page_without_area_fails_by_name_beside_pages_that_are_drawn(post: Any) -> None:
    """Guards against a whole file refused for one page, and a page that vanishes silently."""
    with pymupdf.open() as document:
        document.new_page(width=200, height=200)
        document.xref_set_key(document.new_page().xref, "MediaBox", "[0 0 0 0]")
        content = document.tobytes()
    answer = post("/v1/layout", content)
    pages = answer.json()["pages"]
    assert "error" not in pages[0]
    if "error" in pages[1]:
        assert pages[1]["error"]["code"] == "page_failed"
    else:
        assert min(pages[1]["size"]) > 0


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (RendererUnavailable("lost"), ("renderer_unavailable", 503, True)),
        (PageFailed("no area"), ("page_failed", 422, False)),
    ],
)
def test_a_page_says_whether_it_may_be_read_another_time(error: IngestError, expected: tuple[str, int, bool]) -> None:
    """Guards against a page that failed by the machine's bad day and looks like a broken one."""

    class Failing(PageRegions):
        def __init__(self) -> None:
            pass

        async def inspect(self, number: int) -> Any:
            raise error

    page, _ = asyncio.run(_page(Failing(), 3, 64, with_picture=False))
    assert page.error is not None
    assert (page.error.code, page.error.status, page.error.retryable) == expected
