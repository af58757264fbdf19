"""Pages of segments for tests: drawn by hand, or by Hypothesis."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from documents.segments.page_tokens import BOX, PICTURE, RULE, SEGMENT, PageTokens

TEXTS = (
    "1. Introduction",
    "The harbour was closed.",
    "7",
    "",
    "  ",
    "• tide tables",
    "ميناء",
    "港は閉まった。",
    "−4.2 %",
)
EDGES = st.one_of(st.floats(-20, 820, width=32), st.floats(-1e6, 1e6, width=32))


def tokens_of(texts, boxes, *, sizes=None, bold=(), graphics=(), kinds=(), size=(600.0, 800.0)):
    """Segments of these boxes, then graphics; all in one face and black."""
    count = len(texts) + len(graphics)
    style = np.zeros((count, 6), np.float32)
    style[: len(texts), 4] = 1
    style[list(bold), 0] = 1
    heights = [y1 - y0 for _, y0, _, y1 in boxes] if sizes is None else sizes
    return PageTokens(
        width=size[0],
        height=size[1],
        texts=tuple(texts),
        kind=np.array([SEGMENT] * len(texts) + list(kinds), np.int8),
        box=np.array([*boxes, *graphics], np.float32).reshape(count, 4),
        size=np.array([*heights, *([0.0] * len(graphics))], np.float32),
        style=style,
        colour=np.zeros((count, 3), np.float32),
    )


def random_tokens(count, seed=0, num_graphics=3):
    """Segments and graphics anywhere."""
    chance = np.random.default_rng(seed)
    low = chance.uniform(0, 500, (count + num_graphics, 2))
    boxes = np.concatenate([low, low + chance.uniform(4, 90, low.shape)], 1)
    kinds = chance.choice([RULE, BOX, PICTURE], num_graphics).tolist()
    texts = [TEXTS[k] for k in chance.integers(len(TEXTS), size=count)]
    sizes = chance.uniform(6, 20, count).tolist()
    return tokens_of(
        texts,
        boxes[:count].tolist(),
        sizes=sizes,
        bold=range(0, count, 3),
        graphics=boxes[count:].tolist(),
        kinds=kinds,
    )


@st.composite
def pages(draw, max_segments=8):
    """Any page: empty texts, boxes without area or off the page, sizes of nothing."""
    boxes = st.tuples(EDGES, EDGES, EDGES, EDGES)
    texts = draw(st.lists(st.one_of(st.sampled_from(TEXTS), st.text(max_size=40)), max_size=max_segments))
    corners = [draw(boxes) for _ in texts]
    graphics = draw(st.lists(boxes, max_size=3))
    return tokens_of(
        texts,
        [_sorted(corner) for corner in corners],
        sizes=[draw(st.floats(0, 900, width=32)) for _ in texts],
        graphics=[_sorted(corner) for corner in graphics],
        kinds=[draw(st.sampled_from((RULE, BOX, PICTURE))) for _ in graphics],
        size=(draw(st.floats(1, 2000, width=32)), draw(st.floats(1, 2000, width=32))),
    )


def _sorted(corner):
    x0, y0, x1, y1 = corner
    return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)
