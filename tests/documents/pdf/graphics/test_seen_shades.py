"""Level edges between filled boxes, compared with the page as MuPDF draws it."""

from __future__ import annotations

import random

import numpy as np
import pymupdf
import pytest

from documents.pdf.graphics.ruling_lines import drawn_paths
from documents.pdf.graphics.seen_shades import with_seen_edges

COLOURS = ((1, 1, 1), (0.9, 0.9, 1), (0, 0.3, 0))
STEP = 10  # points; boxes begin and end at multiples of it


def painted(boxes, rotation=0):
    """A page of 200 x 300 points with these boxes, and what it draws."""
    page = pymupdf.open().new_page(width=200, height=300)
    for box, colour in boxes:
        page.draw_rect(box, color=None, fill=colour)
    page.set_rotation(rotation)
    return page, drawn_paths(page)


def level_edges(page, paths):
    """Pieces of a step, of edges that are level where the page is seen, by where they begin: (x, y)."""
    turned = page.rotation % 180 != 0
    edges = set()
    for path in with_seen_edges(page, paths, paths):
        for _, *ends in path["items"]:
            (x0, y0), (x1, y1) = [end[::-1] for end in ends] if turned else ends
            if y0 == y1:
                edges |= {(x, round(y0)) for x in range(round(x0), round(x1), STEP)}
    return edges


@pytest.mark.parametrize("rotation", [0, 90])
@pytest.mark.parametrize("seed", range(8))
def test_level_edges_are_where_the_drawn_page_changes_colour(seed, rotation):
    chance = random.Random(seed)
    boxes = []
    for _ in range(6):
        x0, y0 = STEP * chance.randrange(2, 10), STEP * chance.randrange(2, 20)
        size = STEP * chance.randrange(2, 8), STEP * chance.randrange(2, 8)
        boxes.append(((x0, y0, x0 + size[0], y0 + size[1]), chance.choice(COLOURS)))
    page, paths = painted(boxes, rotation)
    page.set_rotation(0)
    pixels = page.get_pixmap()
    drawn = np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.width, 3)
    page.set_rotation(rotation)
    if rotation:
        boxes = [((y0, x0, y1, x1), colour) for (x0, y0, x1, y1), colour in boxes]
        drawn = drawn.transpose(1, 0, 2)
    expected = {
        (x, y)
        for (x0, y0, x1, y1), _ in boxes
        for y in (y0, y1)
        for x in range(x0, min(x1, drawn.shape[1]), STEP)
        if y < len(drawn) and (drawn[y - 2, x + STEP // 2] != drawn[y + 2, x + STEP // 2]).any()
    }
    assert level_edges(page, paths) == {edge for edge in expected if edge[0] < drawn.shape[1]}


def test_upright_edges_stay_between_boxes_of_one_colour():
    page, paths = painted([((20, 20, 60, 60), COLOURS[1]), ((60, 20, 90, 60), COLOURS[1])])
    upright = [
        item for path in with_seen_edges(page, paths, paths) for item in path["items"] if item[1][0] == item[2][0]
    ]
    assert sorted(item[1][0] for item in upright) == [20, 60, 60, 90]


def test_what_is_painted_over_a_shade_counts():
    """A white box in the middle: its level edges are seen, in the colour below it."""
    page, paths = painted([((20, 20, 100, 100), COLOURS[1]), ((40, 40, 60, 60), COLOURS[0])])
    assert {(40, 40), (50, 40), (40, 60), (50, 60)} <= level_edges(page, paths)
