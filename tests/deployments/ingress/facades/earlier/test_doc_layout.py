"""POST /doc_layout: the wire form of an earlier server, pixel for pixel."""

from __future__ import annotations

import base64
import io
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from deployments.ingress.facades.earlier.doc_layout import _corners
from documents.boxes import BoundingBox
from documents.region_values import RegionKind
from tests.serve.files import pdf, png


@pytest.mark.parametrize(("ratios", "size"), [({}, (1190, 1684)), ({"ratio_x": "1", "ratio_y": "1.5"}, (595, 1263))])
def test_doc_layout_answers_what_earlier_clients_read(post: Any, finder: Any, ratios: dict, size: tuple) -> None:
    """Guards against clients of the earlier server that break on ours."""
    answer = post("/doc_layout", pdf(2, repeats=6), iou_threshold="0.45", **ratios)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert sorted(body) == ["result", "stats"]
    assert sorted(body["stats"]) == ["infer_time_taken", "page_per_second", "toimage_time_taken", "total_page"]
    assert body["stats"]["total_page"] == len(body["result"]) == 2
    assert all(value > 0 for value in body["stats"].values())
    assert finder.asked[-1] == {"confidence": 0.25, "iou_threshold": 0.45}
    for page in body["result"]:
        assert sorted(page) == ["classes", "coordinates", "img"]
        assert len(page["classes"]) == len(page["coordinates"]) > 0
        assert set(page["classes"]) <= set(get_args(RegionKind))
        picture = Image.open(io.BytesIO(base64.b64decode(page["img"])))
        assert picture.format == "JPEG"
        assert picture.size == pytest.approx(size, abs=1)
        for box in page["coordinates"]:
            assert sorted(box) == ["x_max", "x_min", "y_max", "y_min"]
            assert all(isinstance(value, int) for value in box.values())
            assert 0 <= box["x_min"] < box["x_max"] <= picture.width
            assert 0 <= box["y_min"] < box["y_max"] <= picture.height
        places = [(box["y_min"], box["x_min"]) for box in page["coordinates"]]
        assert places == sorted(places)


def test_doc_layout_boxes_scale_with_the_picture(post: Any) -> None:
    """Guards against boxes of one scale on a picture of another, and regions that depend on the scale."""
    small, large = (
        post("/doc_layout", pdf(repeats=6), ratio_x=str(r), ratio_y=str(r)).json()["result"][0] for r in (1, 3)
    )
    assert sorted(small["classes"]) == sorted(large["classes"])
    tops = [sorted(box["y_min"] for box in page["coordinates"]) for page in (small, large)]
    assert tops[0] == pytest.approx([top / 3 for top in tops[1]], abs=1)


def test_doc_layout_takes_images_and_refuses_what_it_does_not_know(post: Any) -> None:
    """Guards against a traceback where a client sends less, or more, than the form knows."""
    assert post("/doc_layout", png(repeats=6)).json()["stats"]["total_page"] == 1
    for fields in ({"ratio_x": "0"}, {"ratio_y": "1000"}, {"iou_threshold": "high"}, {"mode": "fast"}):
        assert post("/doc_layout", pdf(), **fields).status_code == 422
    assert post("/doc_layout", b"no document").status_code == 415
    assert post("/doc_layout", pdf(4)).json()["code"] == "too_many_pages"


EDGES = st.floats(-50, 650, allow_nan=False)


@given(st.tuples(EDGES, EDGES, EDGES, EDGES), st.integers(1, 600), st.integers(1, 600))
def test_every_box_has_an_area_within_the_picture(edges: tuple, width: int, height: int) -> None:
    """Guards against clients that crop by the box and get a picture without pixels."""
    (x0, x1), (y0, y1) = sorted(edges[:2]), sorted(edges[2:])
    corners = _corners(BoundingBox(x0=x0, y0=y0, x1=x1, y1=y1), width, height)
    assert 0 <= corners["x_min"] < corners["x_max"] <= width
    assert 0 <= corners["y_min"] < corners["y_max"] <= height
