"""A page's tokens stand as its reader sees them: upright, and from the left."""

from __future__ import annotations

import numpy as np
import pytest
from page_making import box, inspection, line

from documents.boxes import BoundingBox
from documents.inspection import Drawing, Ruling
from documents.segments.features import features
from documents.segments.page_tokens import BOX, MAX_GRAPHICS, PICTURE, RULE, SEGMENT, page_tokens

LATIN = ("abcdefgh", "klmnopqr", "stuvwxyz")
ARABIC = ("ابتثجحخد", "ذرزسشصضط", "ظعغفقكلم")
PLACES = ((60, 100), (60, 120), (320, 100))
WIDTH, HEIGHT = 612.0, 792.0
SIDEWAYS = 5  # column of `PageTokens.style`


def page_of(texts, **more):
    lines = [line(text, x, y, **more) for text, (x, y) in zip(texts, PLACES, strict=True)]
    return inspection(*lines)


def with_boxes(page, place):
    """The same page with its lines' boxes placed by `place`."""
    lines = tuple(line.model_copy(update={"box": place(line.box)}) for line in page.lines)
    return page.model_copy(update={"lines": lines})


def test_a_page_read_from_the_right_is_its_mirror():
    """Guards against Arabic pages whose columns are read from the wrong side: the network knows one side only."""
    latin = page_of(LATIN)
    arabic = with_boxes(page_of(ARABIC), lambda b: BoundingBox(x0=WIDTH - b.x1, y0=b.y0, x1=WIDTH - b.x0, y1=b.y1))
    ours, mirror = (page_tokens(page, page.lines) for page in (arabic, latin))
    np.testing.assert_allclose(ours.box, mirror.box, atol=1e-4)
    np.testing.assert_allclose(features(ours).numbers[:, :55], features(mirror).numbers[:, :55], atol=1e-4)


@pytest.mark.parametrize(
    ("angle", "place"),
    [
        (90, lambda b: BoundingBox(x0=HEIGHT - b.y1, y0=b.x0, x1=HEIGHT - b.y0, y1=b.x1)),
        (180, lambda b: BoundingBox(x0=WIDTH - b.x1, y0=HEIGHT - b.y1, x1=WIDTH - b.x0, y1=HEIGHT - b.y0)),
        (270, lambda b: BoundingBox(x0=b.y0, y0=WIDTH - b.x1, x1=b.y1, y1=WIDTH - b.x0)),
    ],
)
def test_a_turned_page_has_the_tokens_of_the_upright_one(angle, place):
    """`place` is where a clockwise turn of the sheet takes a box."""
    upright = page_of(LATIN)
    turned = with_boxes(page_of(LATIN, angle=angle), place)
    if angle != 180:
        turned = turned.model_copy(update={"width": HEIGHT, "height": WIDTH})
    ours, expected = page_tokens(turned, turned.lines), page_tokens(upright, upright.lines)
    assert (ours.width, ours.height) == (WIDTH, HEIGHT)
    np.testing.assert_allclose(ours.box, expected.box, atol=1e-3)
    assert not ours.style[:, SIDEWAYS].any()


def test_a_line_that_lies_aslant_to_its_page_is_sideways():
    lines = [line("along the page, as most of it is", 60, 100), line("margin", 20, 100, angle=270)]
    tokens = page_tokens(inspection(*lines), lines)
    assert tokens.style[:, SIDEWAYS].tolist() == [0, 1]


def test_colours_that_carry_the_truth_of_a_drawing_are_not_seen():
    """Guards against a network that learns to read the codes of its training pages."""
    plain, coded = (page_of(LATIN, colour=colour) for colour in (0x402010, 0x4F2A1C))
    assert (page_tokens(plain, plain.lines).colour == page_tokens(coded, coded.lines).colour).all()
    other = page_of(LATIN, colour=0x602010)
    assert (page_tokens(other, other.lines).colour != page_tokens(plain, plain.lines).colour).any()


def test_graphics_are_told_apart_and_tiny_and_endless_ones_left_out():
    page = page_of(LATIN).model_copy(
        update={
            "rules": (Ruling(box=box(60, 90, 300, 91)), Ruling(box=box(10, 10, 12, 11))),
            "drawings": (
                Drawing(box=box(50, 200, 300, 260), num_slanted=0, slanted_share=0),
                Drawing(box=box(50, 300, 300, 302), num_slanted=0, slanted_share=0),
                Drawing(box=box(320, 300, 500, 400), num_slanted=5, slanted_share=0.5),
                Drawing(box=box(0, 0, 612, 792), num_slanted=0, slanted_share=0),
            ),
            "images": (box(320, 420, 400, 500), box(320, 420, 400, 500)),
        }
    )
    tokens = page_tokens(page, page.lines)
    assert tokens.kind.tolist()[:3] == [SEGMENT] * 3
    assert sorted(tokens.kind.tolist()[3:]) == [RULE, RULE, BOX, PICTURE, PICTURE]
    assert not tokens.size[3:].any()


def test_no_page_has_more_graphics_than_the_network_takes():
    """The longest stay."""
    rules = tuple(Ruling(box=box(10, 5 * k, 20 + k, 5 * k + 1)) for k in range(MAX_GRAPHICS + 40))
    page = page_of(LATIN).model_copy(update={"rules": rules})
    tokens = page_tokens(page, page.lines)
    assert len(tokens.kind) == len(LATIN) + MAX_GRAPHICS
    assert tokens.box[len(LATIN) :, 2].min() == 20 + 40


def test_of_lines_that_ocr_read_no_type_is_known():
    lines = [line(text, *place).model_copy(update={"fonts": ()}) for text, place in zip(LATIN, PLACES, strict=True)]
    assert not page_tokens(inspection(*lines), lines).style.any()
