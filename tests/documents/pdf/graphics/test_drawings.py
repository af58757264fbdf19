"""What a page draws, as clusters of near paths with how much of each runs aslant."""

from __future__ import annotations

import pytest

WAVE = [(100, 300), (150, 250), (200, 310), (250, 240)]


def inspected(with_pool, source):
    async def use(pool):
        return (await pool.inspect(source, 1)).inspection()

    return with_pool(use)


def chart(page):
    page.draw_line((100, 200), (100, 320))
    page.draw_line((100, 320), (260, 320))
    page.draw_polyline(WAVE)
    page.draw_polyline([(x, y - 20) for x, y in WAVE])


def table(page):
    for k in range(5):
        page.draw_line((100, 200 + 20 * k), (300, 200 + 20 * k))
        page.draw_line((100 + 50 * k, 200), (100 + 50 * k, 280))


def test_lines_near_one_another_are_one_drawing_and_those_aslant_are_counted(with_pool, pdf_of):
    (drawing,) = inspected(with_pool, pdf_of(chart)).drawings
    assert drawing.num_slanted == 2
    assert drawing.slanted_share > 0.5
    assert (round(drawing.box.x0), round(drawing.box.y1)) == (100, 320)


def test_the_rules_of_a_table_are_a_drawing_without_anything_aslant(with_pool, pdf_of):
    (drawing,) = inspected(with_pool, pdf_of(table)).drawings
    assert (drawing.num_slanted, drawing.slanted_share) == (0, 0.0)


def test_drawings_that_stand_apart_are_several(with_pool, pdf_of):
    def draw(page):
        table(page)
        page.draw_polyline([(x, y + 200) for x, y in WAVE])

    assert len(inspected(with_pool, pdf_of(draw)).drawings) == 2


def test_the_corners_of_a_round_box_and_dots_are_not_aslant(with_pool, pdf_of):
    """Guards against labels on shaded chips, and bullets, taken for drawings."""

    def draw(page):
        page.draw_rect((100, 200, 300, 260), radius=0.4, fill=(0.8, 0.8, 0.9))
        page.draw_circle((110, 230), 3, fill=(0, 0, 0))

    (drawing,) = inspected(with_pool, pdf_of(draw)).drawings
    assert drawing.num_slanted == 0


def test_a_frame_around_the_page_is_no_drawing(with_pool, pdf_of):
    assert inspected(with_pool, pdf_of(lambda page: page.draw_rect((10, 10, 600, 780)))).drawings == ()


def test_a_pointed_shape_at_the_end_of_a_line_is_an_arrow_and_one_by_itself_is_none(with_pool, pdf_of):
    """Guards against the marks of rising and falling values in a table."""

    def draw(page):
        page.draw_line((100, 200), (160, 200))
        page.draw_polyline([(160, 196), (168, 200), (160, 204)], fill=(0, 0, 0), color=None, closePath=True)
        page.draw_polyline([(130, 206), (138, 206), (134, 212)], fill=(0, 0, 0), color=None, closePath=True)

    (drawing,) = inspected(with_pool, pdf_of(draw)).drawings
    assert drawing.num_arrows == 1


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_drawings_of_a_turned_page_stand_as_it_is_seen(with_pool, pdf_of, rotation):
    page_inspection = inspected(with_pool, pdf_of(chart, rotation=rotation))
    (drawing,) = page_inspection.drawings
    box = drawing.box
    assert (round(box.width), round(box.height)) == ((160, 120) if rotation == 180 else (120, 160))
    assert 0 <= box.x0 <= box.x1 <= page_inspection.width
    assert drawing.num_slanted == 2


def test_what_is_drawn_beyond_the_page_is_left_out(with_pool, pdf_of):
    """Guards against a page that fails for a path outside of it."""
    assert inspected(with_pool, pdf_of(lambda page: page.draw_rect((-9000, -9000, -8000, -8000)))).drawings == ()
