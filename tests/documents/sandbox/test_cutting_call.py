"""`documents.sandbox.cutting_call`: pictures cut in a child, and what a child may reply."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from drawn_lines import sheet
from page_making import box

from documents.errors import PageFailed, RegionTooDense
from documents.ocr_input import line_strips
from documents.ocr_input.line_strips import cut, grey_of
from documents.ocr_input.strip_folding import SQUARE_SIDE
from documents.sandbox import child_process
from documents.sandbox.cutting_call import cut_call
from tests.documents.sandbox.spoken import message, printing

READY = message({"walls": []})
NOISE = np.random.default_rng(0).choice(np.array([0, 255], np.uint8), (200, 300))
STRIP = {"box": box(0, 0, 9, 9).model_dump(), "sizes": [[9, 9]], "gaps": []}
SQUARE = bytes(SQUARE_SIDE**2)


def long_line() -> np.ndarray:
    row = np.concatenate([sheet(1)[:, 20:376]] * 4, axis=1)
    return np.pad(row, ((10, 10), (10, 10)), constant_values=255)


def same(one, other):
    """Whether strips are equal to the bit."""
    facts = [[(strip.box, strip.sizes, strip.gaps) for strip in of_one] for of_one in (one, other)]
    return facts[0] == facts[1] and all(
        np.array_equal(strip.squares, its_like.squares) for strip, its_like in zip(one, other, strict=True)
    )


@pytest.mark.parametrize(
    ("picture", "within", "num_strips"),
    [
        (sheet(), None, 6),
        (sheet(), [box(10, 80, 500, 115)], 1),
        (sheet(), [], 0),
        (sheet(3, ink=255, paper=0), None, 3),
        (sheet(4, size=9, pitch=14), None, 4),
        (long_line(), None, 1),
        (NOISE, None, None),
        (np.full((50, 200), 240, np.uint8), None, 0),
        (np.zeros((0, 7), np.uint8), None, 0),
    ],
)
def test_a_child_cuts_a_drawn_picture_as_this_process_does(with_pool, picture, within, num_strips):
    """Guards against strips that lose a bit on the way, and against libraries that are missing behind the walls."""
    here = cut(picture, within)
    assert num_strips in (None, len(here))
    assert same(with_pool(lambda pool: pool.ask(cut_call(picture, within))), here)


@pytest.mark.parametrize("name", ["scan.png", "letter.pdf", "columns.pdf"])
def test_a_child_cuts_a_page_as_this_process_does(with_pool, data, source, name):
    """Guards against what drawn lines do not show: real pages have specks, rules and headings."""

    async def use(pool):
        picture = await pool.picture(source(data / name), 1, dpi=144)
        return picture, await pool.ask(cut_call(grey_of(picture), None))

    picture, there = with_pool(use)
    assert len(there) > 5
    assert same(there, cut(picture))
    assert all(square.shape == (256, 256, 3) for strip in there for square in strip.squares)


def test_texture_is_refused_by_name(with_pool, monkeypatch):
    """Guards against a picture of specks whose squares fill the memory of who asked, or a name that is lost."""
    monkeypatch.setattr(line_strips, "MAX_SQUARES", 5)
    assert len(cut(sheet(5))) == 5
    with pytest.raises(RegionTooDense, match="more than 5 pieces"):
        cut(sheet(6))
    two_lines = [strip.box for strip in cut(sheet(5))[:2]]
    assert len(cut(sheet(6), two_lines)) == 2, "what nobody wants does not count"
    refusal = message({"error": {"code": RegionTooDense.code, "message": "dense", "detail": ""}, "worn": True})
    monkeypatch.setattr(child_process, "spawn", lambda limits: printing(READY, refusal))
    with pytest.raises(RegionTooDense, match="dense"):
        with_pool(lambda pool: pool.ask(cut_call(sheet(), None)), num_children=1)


@pytest.mark.parametrize(
    ("reply", "payload"),
    [
        ({"strips": [STRIP]}, b""),
        ({"strips": [STRIP]}, SQUARE[1:]),
        ({"strips": [STRIP]}, 2 * SQUARE),
        ({"strips": []}, SQUARE),
        ({"strips": [{**STRIP, "sizes": [["9"]]}]}, SQUARE),
        ({"strips": [{**STRIP, "more": 1}]}, SQUARE),
        ([], b""),
    ],
)
def test_squares_that_are_not_those_of_the_strips_are_refused(reply, payload):
    """Guards against squares of one line that are read as another's because a child says so."""
    with pytest.raises(child_process.REPLY_ERRORS):
        cut_call(sheet(), None).read(reply, payload)


def test_a_child_that_says_what_no_cut_is_costs_its_picture_alone(with_pool, monkeypatch):
    """Guards against an error of the replica's own for what a child says."""
    output = message({"ok": {"strips": [STRIP]}})
    monkeypatch.setattr(child_process, "spawn", lambda limits: printing(READY, output))
    with pytest.raises(PageFailed):
        with_pool(lambda pool: pool.ask(cut_call(sheet(), None)), num_children=1)


def test_pictures_are_cut_in_the_order_of_their_calls(with_pool):
    """Guards against a region that waits behind those that came after it."""
    order = []

    async def use(pool):
        async def one(number):
            await pool.ask(cut_call(sheet(number), None))
            order.append(number)

        await asyncio.gather(*(one(number) for number in (3, 1, 2, 6, 4)))

    with_pool(use)
    assert order == [3, 1, 2, 6, 4]
