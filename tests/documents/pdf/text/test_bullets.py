"""Bullets that are drawn rather than printed stand before the lines that they mark."""

from __future__ import annotations

import pytest


def inspected(with_pool, source):
    async def use(pool):
        return (await pool.inspect(source, 1)).inspection()

    return with_pool(use)


def items(*, num_bullets=3, radius=2.0, away=8.0, fill=(0, 0, 0), color=None, opacity=1.0):
    """A page with three lines, of which the first `num_bullets` have a circle before them."""

    def draw(page):
        for k in range(3):
            page.insert_text((100, 100 + 20 * k), f"Copies of return {k}", fontsize=10)
            if k < num_bullets:
                page.draw_circle((100 - away, 97 + 20 * k), radius, color=color, fill=fill, fill_opacity=opacity)

    return draw


def test_filled_circles_before_lines_are_their_bullets(with_pool, pdf_of):
    """Guards against lists of tax forms that are paragraphs, for no character says that they are lists."""
    lines = inspected(with_pool, pdf_of(items())).lines
    assert [line.text for line in lines] == [f"• Copies of return {k}" for k in range(3)]
    assert all(line.words[0].text == "•" and line.words[1].spaced for line in lines)
    assert all(85 < line.box.x0 < 95 for line in lines)


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_lines_that_stand_turned_get_none(with_pool, pdf_of, rotation):
    lines = inspected(with_pool, pdf_of(items(), rotation=rotation)).lines
    assert all(line.text.startswith("• ") == (line.angle == 0) for line in lines)


@pytest.mark.parametrize(
    "other",
    [{"num_bullets": 1}, {"radius": 8.0}, {"radius": 0.6}, {"away": 60.0}, {"fill": None, "color": (0, 0, 0)}],
    ids=str,
)
def test_other_shapes_are_no_bullets(with_pool, pdf_of, other):
    """One alone, boxes, dots, shapes far from any line, and circles that nobody filled."""
    lines = inspected(with_pool, pdf_of(items(**other))).lines
    assert not any("•" in line.text for line in lines)


@pytest.mark.parametrize(
    "box",
    [
        {"fill": (1, 1, 1)},
        {"fill": (1, 1, 1), "color": (0, 0, 0)},
        {"fill": (0.8, 0.8, 0.8), "color": (0, 0, 0)},
        {"opacity": 0.0},
    ],
    ids=str,
)
def test_boxes_to_tick_are_no_bullets(with_pool, pdf_of, box):
    """Guards against bullets that nobody sees: shapes filled white, or in a border of another color."""
    lines = inspected(with_pool, pdf_of(items(**box))).lines
    assert [line.text for line in lines] == [f"Copies of return {k}" for k in range(3)]


def test_circles_in_a_border_of_their_own_color_are_bullets(with_pool, pdf_of):
    lines = inspected(with_pool, pdf_of(items(color=(0, 0, 0)))).lines
    assert [line.text for line in lines] == [f"• Copies of return {k}" for k in range(3)]
